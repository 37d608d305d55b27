"""Assembly of kernels on arrays, its proof, and changed texts that must not be proved."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

import pytest

from fieldc.language import Expression
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.prove import ArrayProof, prove_arrays
from fieldc.targets.vectors.kernel import compile_array
from fieldc.targets.vectors.target import VectorTarget


def prove_text(text: str, expression: Expression) -> ArrayProof:
    """Prove what assembly becomes."""
    f, computes = expression.field, expression.kernel.computes
    code = code_of(assemble(text), "kernel")
    parameters = dict(computes.parameters)
    return prove_arrays(code.data, computes.family, f.p, f.n, f.word, parameters, start=code.start)


def text_of(target: VectorTarget, expression: Expression) -> str:
    return compile_array(target, expression, "kernel").text


def lines_of_code(text: str) -> list[int]:
    """The numbers of lines that are vector instructions."""
    pattern = re.compile(r"^    (v(?!zeroupper)|kmovb)")
    return [number for number, line in enumerate(text.splitlines()) if pattern.match(line)]


def changes(
    text: str, replaced: Sequence[tuple[str, str]], bits: Sequence[int]
) -> Iterator[tuple[str, str]]:
    """Changed instructions, left out ones, and constants with another bit: what, and the text."""
    for old, new in replaced:
        for place in [match.start() for match in re.finditer(re.escape(old), text)][:2]:
            yield f"{old} -> {new}", text[:place] + new + text[place + len(old) :]
    lines = text.splitlines()
    for number in lines_of_code(text):
        yield lines[number], "\n".join((*lines[:number], *lines[number + 1 :])) + "\n"
    for word in re.findall(r"\.quad (0x[0-9a-f]{16})\n", text):
        for bit in bits:
            yield f"{word}, bit {bit}", text.replace(word, f"{int(word, 16) ^ 1 << bit:#018x}")


def check_refused(
    text: str, expression: Expression, found: Sequence[tuple[str, str]], least: int
) -> None:
    """Every changed text differs and is not proved, and there are more than `least`."""
    assert len(found) > least
    for what, changed in found:
        assert changed != text, what
        with pytest.raises((ProofError, ValueError)):
            prove_text(changed, expression)
            pytest.fail(what)
