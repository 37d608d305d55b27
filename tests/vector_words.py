"""What the tests of vectors' meanings share: instructions run here, random doubles, polynomials."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache

from vector_emulator import rounded

from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.load import Library, load
from fieldc.proof.algebra.equations import Polynomial

DIGIT = 1 << 52
DIGITS = (0, 1, 2, 3, DIGIT - 1, DIGIT - 2, 1 << 51, 1 << 26)


@cache
def thunk(before: str, text: str, after: str) -> tuple[Callable[[int], None], Library, bytes]:
    """A routine that runs a text between two others, and the bytes of that text alone."""
    data = assemble(f"""
        .intel_syntax noprefix
        .text
        .globl thunk
    thunk:
        {before}
        {text}
        {after}
        vzeroupper
        ret
        .globl alone
    alone:
        {text}
        ret
    """)
    library = load(data)
    routine = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.address("thunk"))
    code = code_of(data, "alone")
    return routine, library, code.data[code.start :]


def doubles(draw: random.Random) -> Iterator[int]:
    """The bits of finite doubles: integers of all sizes, of both signs, and fractions."""
    while True:
        whole = draw.choice((*DIGITS, draw.randrange(DIGIT), 1 << 104, (1 << 104) + DIGIT))
        number = Fraction(whole) * draw.choice((1, 1, 1, -1, Fraction(1, 1 << 20), DIGIT))
        yield rounded(number, False)


def evaluate(value: Polynomial, atoms: list[int]) -> Fraction:
    """A polynomial at some values of its atoms."""
    total = Fraction(0)
    for monomial, coefficient in value.items():
        term = Fraction(coefficient)
        for atom in monomial:
            term *= atoms[atom]
        total += term
    return total
