"""What the printers of source languages share: the contract as text, and the names of values."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable
from textwrap import wrap
from typing import TypeVar

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


def contract(expression: Expression) -> list[str]:
    """What a kernel computes, asks and promises, as lines for a header."""
    f, kernel = expression.field, expression.kernel
    named = f"{f.name}: " if f.name else ""
    needs = " and ".join(f"{name} {bound.says}" for name, bound in kernel.operands)
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
        return contract(expression)
    operands = " and ".join(f"{name} of {count} words" for name, count in program.operands)
    return [f"{program.name} of {operands}, {program.word} bits each."]


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
