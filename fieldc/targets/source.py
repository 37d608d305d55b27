"""What the printers of source languages share: the contract as text, and the names of values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from textwrap import wrap
from typing import TypeVar

from fieldc.formulas.names import free_names
from fieldc.language import Expression
from fieldc.targets.header import in_comment
from fieldc.words.program import Program, Step, Value

WORD_SIZES = (64, 32)
Body = TypeVar("Body")
StepText = Callable[[Body, Step], str]
"""How a function's body writes a step of one word operation."""


class WordSizeError(ValueError):
    """The target language has no such word; the message is one line for the user."""


def check_word(word: int, language: str) -> None:
    """Raise WordSizeError unless the language has a word of so many bits and its double."""
    if word not in WORD_SIZES:
        raise WordSizeError(f"{language} has no {word}-bit words; use 64 or 32")


def contract(expression: Expression, names: Sequence[str] = ()) -> list[str]:
    """What a kernel computes, asks and promises, as lines for a header.

    `names` are those of its operands in the text, where they may differ.
    """
    f, kernel = expression.field, expression.kernel
    named = f"{f.name}: " if f.name else ""
    names = names or [name for name, _ in kernel.operands]
    each = zip(names, kernel.operands, strict=True)
    needs = " and ".join(f"{name} {bound.says}" for name, (_, bound) in each)
    summary = in_comment(kernel.source.splitlines()[0]) if kernel.source else ""
    algorithm = "" if kernel.algorithm == kernel.operation else f" ({kernel.algorithm})"
    return [
        *wrap(f"{kernel.operation}{algorithm}: {summary}", 90),
        f"{named}p = {f.p:#x}, R = 2^{f.word * f.n}.",
        f"Needs {needs}; the result is {kernel.result.says}.",
    ]


def heading(program: Program, expression: Expression | None) -> list[str]:
    """The contract, or the shape of a program whose expression is not known."""
    if expression is not None:
        return contract(expression, [name for name, _ in program.operands])
    operands = " and ".join(f"{name} of {count} words" for name, count in program.operands)
    return [f"{program.name} of {operands}, {program.word} bits each."]


def with_free_operands(program: Program, taken: Collection[str]) -> Program:
    """The program with other names for operands that are called as something else of its text.

    `taken` are what the text's language and its helpers keep. The program's values have names too.
    """
    values = [v for step in program.steps for v in (*step.inputs, *step.outputs)]
    values += program.results
    made = {identifier(v) for v in values} | {mask_name(v) for v in values}
    given = [name for name, _ in program.operands]
    found = dict(zip(given, free_names(given, made.union(taken)), strict=True))
    return replace(
        program,
        operands=tuple((found[name], count) for name, count in program.operands),
        steps=tuple(replace(s, operand=found.get(s.operand, s.operand)) for s in program.steps),
    )


def mask_name(flag: Value) -> str:
    """The name of a flag's mask."""
    return f"mask_{flag.number}"


def identifier(value: Value) -> str:
    """A value's name in a language of letters; `p[0]` becomes P_0, `p[0].low` P_0_LOW."""
    if value.constant is None:
        return value.name
    return re.sub(r"\W+", "_", value.name.upper()).rstrip("_")


def is_named(value: Value) -> bool:
    """Whether a value is one of the field's own words, such as p[0] or n0."""
    return value.constant is not None and not value.name[0].isdigit()


def named_constants(program: Program) -> dict[str, int]:
    """The field's words that the program reads, by identifier, in order of first use."""
    read = [v for step in program.steps for v in step.inputs] + list(program.results)
    return {identifier(v): v.constant for v in read if is_named(v) and v.constant is not None}


def unread_operands(program: Program, lines: Iterable[str]) -> list[str]:
    """The operands that no line of a function's body names: a compiler warns of them."""
    text = "\n".join(lines)
    return [name for name, _ in program.operands if not re.search(rf"\b{name}\b", text)]


def read_values(program: Program) -> set[int]:
    """The numbers of the values that a step or the result reads."""
    read = Counter(v.number for step in program.steps for v in step.inputs)
    return {*read, *(v.number for v in program.results)}
