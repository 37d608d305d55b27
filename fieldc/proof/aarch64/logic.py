"""AArch64 instructions that combine words bit by bit."""

from __future__ import annotations

import operator
from collections.abc import Callable

import capstone

from fieldc.proof import bits
from fieldc.proof.aarch64.flags import Flags
from fieldc.proof.aarch64.memory import whole
from fieldc.proof.aarch64.processor import CLEAR, Held, Meaning, SymbolicArm64
from fieldc.proof.aarch64.words import tabulate
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, constant, variable
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.values import AnyOf


def inverted(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    """2^w - 1 - value."""
    ones = cpu.memory.system.radix - 1
    if cpu.words.are_bits(value):
        return tabulate(lambda v: ones - v, value)
    right = {m: -c for m, c in value.items()}
    add_to(right, constant(ones))
    return variable(cpu.memory.system.define_word(right, cpu.where))


def _mvn(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    whole(cpu, i)
    cpu.write(i, 0, inverted(cpu, cpu.word(i, 1)))


def _bitwise(function: Callable[[int, int], int], sets: bool, target: int = 0) -> Meaning:
    """and, orr, eor, bic of bits; and of a mask with a word, or of a word with low ones."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        a, b = cpu.value(i, target + 1), cpu.value(i, target + 2)
        if function is operator.or_ and (isinstance(a, AnyOf) or isinstance(b, AnyOf)):
            cpu.write(i, target, _any_of(cpu, a, b))
            return
        a, b = cpu.as_word(a), cpu.as_word(b)
        zero = None
        if cpu.words.are_bits(a, b):
            is_and = function is operator.and_
            value = cpu.words.both(a, b, cpu.where) if is_and else tabulate(function, a, b)
            zero = tabulate(lambda v: int(v == 0), value)
        elif function is operator.and_:
            value = _masked(cpu, a, b)
        elif cpu.memory.is_foreign:
            found = _of_words(cpu, function, a, b)
            if isinstance(found, AnyOf):
                cpu.write(i, target, found)
                return
            value = found
        else:
            raise cpu.refuse("combines the bits of words of which nothing is known")
        if sets:
            whole_word = value if cpu.width(i) == 64 else None
            cpu.flags = Flags(zero, CLEAR, overflow=CLEAR, result=whole_word)
        if target >= 0:
            cpu.write(i, target, value)

    return meaning


def _masked(cpu: SymbolicArm64, a: Polynomial, b: Polynomial) -> Polynomial:
    ones = cpu.memory.system.radix - 1
    for mask, word in ((a, b), (b, a)):
        if not cpu.words.are_bits(mask):
            continue
        if cpu.words.values(mask) <= {0, ones}:
            flag: Polynomial = {m: int(c) // ones for m, c in mask.items()}
            return cpu.words.select(flag, word, CLEAR, cpu.where)
        count = int(mask.get(ONE, 0)).bit_length()
        if mask == constant((1 << count) - 1):
            return cpu.low_bits(word, count)
    if cpu.memory.is_foreign:
        return bits.masked(cpu, *(_one_word(cpu, word) for word in (a, b)))
    raise cpu.refuse("`and` of two words of which none is a mask")


def _of_words(
    cpu: SymbolicArm64, function: Callable[[int, int], int], a: Polynomial, b: Polynomial
) -> Polynomial | AnyOf:
    """orr, eor, bic of words, in foreign code."""
    a, b = (_one_word(cpu, word) for word in (a, b))
    if function is operator.xor:
        return bits.flipped(cpu, a, b)
    if function is _clear:
        return bits.masked(cpu, a, inverted(cpu, b))
    try:
        return bits.united(cpu, a, b)
    except ProofError:
        return _any_of(cpu, a, b)


def _one_word(cpu: SymbolicArm64, word: Polynomial) -> Polynomial:
    """A word as one variable, or as two values by one flag."""
    if bits.two_values(cpu.memory.system, word) is not None:
        return word
    return cpu.words.word(word, cpu.where)


def _any_of(cpu: SymbolicArm64, a: Held, b: Held) -> AnyOf:
    """Several words of which it is only asked whether all are 0."""
    parts = (v.words if isinstance(v, AnyOf) else (cpu.as_word(v),) for v in (a, b))
    return AnyOf(tuple(cpu.words.word(word, cpu.where) for part in parts for word in part))


def _clear(a: int, b: int) -> int:
    return a & ~b


MEANINGS: dict[str, Meaning] = {
    "and": _bitwise(operator.and_, False),
    "ands": _bitwise(operator.and_, True),
    "tst": _bitwise(operator.and_, True, -1),
    "bic": _bitwise(_clear, False),
    "orr": _bitwise(operator.or_, False),
    "eor": _bitwise(operator.xor, False),
    "mvn": _mvn,
}
"""What works on bits."""
