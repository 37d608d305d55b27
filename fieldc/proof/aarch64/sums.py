"""AArch64 instructions that add, subtract and compare."""

from __future__ import annotations

from dataclasses import replace

import capstone

from fieldc.proof.aarch64.flags import Flags, inverted
from fieldc.proof.aarch64.processor import CLEAR, SET, Meaning, SymbolicArm64
from fieldc.proof.aarch64.words import is_linear, tabulate
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, constant
from fieldc.proof.bits import is_any
from fieldc.proof.values import AnyOf, Pointer


def _row(
    cpu: SymbolicArm64, a: Polynomial, b: Polynomial, carry: Polynomial, sign: int
) -> Polynomial:
    """a + sign*(b + carry) mod 2^w. `carry` is a borrow in a difference; sets the carry flag."""
    words, where = cpu.words, cpu.where
    if not carry and words.continues(b, sign):
        b, carry = carry, b
    right = dict(words.word(a, where))
    add_to(right, words.word(b, where), sign)
    add_to(right, carry if words.continues(carry, sign) else words.word(carry, where), sign)
    word, out = words.row(right, sign, where)
    cpu.flags = Flags(
        carry=out if sign > 0 else {ONE: 1, **{m: -c for m, c in out.items()}},
        result=word,
        compared=(a, b) if sign < 0 and not carry else None,
    )
    return word


def combined(
    cpu: SymbolicArm64, a: Polynomial, b: Polynomial, carry: Polynomial, sign: int
) -> Polynomial:
    """a + sign*(b + carry) mod 2^w; flags stay.

    Of bits it is a polynomial in them. One that wraps around is a row like any other, with a carry:
    else its polynomial has products of bits, and no bound goes through it.
    """
    radix = cpu.memory.system.radix
    if cpu.words.are_bits(a, b, carry):
        found = tabulate(lambda x, y, c: (x + sign * (y + c)) % radix, a, b, carry)
        plain = dict(a)
        for value in (b, carry):
            add_to(plain, value, sign)
        if is_linear(found) or found == plain:
            return found
    elif not carry:
        right = dict(cpu.words.word(a, cpu.where))
        add_to(right, cpu.words.word(b, cpu.where), sign)
        if (known := cpu.words.congruent(right, cpu.where)) is not None:
            return known
    flags = cpu.flags
    value = _row(cpu, a, b, carry, sign)
    cpu.flags = flags
    return value


def _sum(sign: int, with_carry: bool, sets: bool, target: int = 0, first: int = 1) -> Meaning:
    """add, adc, sub, sbc and their aliases: without a target, or without a first operand."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        a = cpu.value(i, first) if first >= 0 else CLEAR
        last = max(first + 1, target + 1)
        if isinstance(a, Pointer) and not with_carry and not sets:
            cpu.write(i, target, _moved(cpu, a, cpu.word(i, last), sign))
            return
        if cpu.width(i) != 64:
            raise cpu.refuse("computes with half a register")
        compares = target < 0 and sign < 0 and not with_carry
        if isinstance(a, AnyOf) and compares and not cpu.word(i, last):
            cpu.flags = Flags(zero=inverted(is_any(cpu, a.words)), carry=SET)
            return
        carry = CLEAR
        if with_carry:
            wanted = 1 if sign > 0 else 0
            carry = tabulate(lambda c: int(c == wanted), cpu.flag(cpu.flags.carry))
        a, b = cpu.as_word(a), cpu.word(i, last)
        if compares and b == SET and _is_nonzero(cpu, a):
            return
        value = _value(cpu, a, b, carry, sign, sets)
        if target >= 0:
            cpu.write(i, target, value)

    return meaning


def _value(
    cpu: SymbolicArm64, a: Polynomial, b: Polynomial, carry: Polynomial, sign: int, sets: bool
) -> Polynomial:
    """a + sign*(b + carry) mod 2^w; `sets` the flags, if asked."""
    if cpu.memory.is_foreign and a.keys() | b.keys() | carry.keys() <= {ONE}:
        return _folded(cpu, (a, b, carry), sign, sets)
    if not sets:
        return combined(cpu, a, b, carry, sign)
    value = _row(cpu, a, b, carry, sign)
    if cpu.words.are_bits(a, b, carry):
        cpu.flags = replace(cpu.flags, zero=_is_zero(cpu, a, b, carry, sign))
    elif not b and not carry:
        cpu.flags = replace(cpu.flags, zero=cpu.words.is_zero(a, cpu.where))
    return value


def _folded(
    cpu: SymbolicArm64,
    constants: tuple[Polynomial, Polynomial, Polynomial],
    sign: int,
    sets: bool,
) -> Polynomial:
    """A sum or difference of constants: counts of loops."""
    a, b, carry = (int(value.get(ONE, 0)) for value in constants)
    radix = cpu.memory.system.radix
    total = a + sign * (b + carry)
    word = total % radix
    if sets:
        exact = _signed(a, radix) + sign * (_signed(b, radix) + carry)
        carries = total >= 0 if sign < 0 else total != word
        known = (word == 0, carries, word >= radix // 2, exact != _signed(word, radix))
        zero, out, negative, overflow = (constant(int(flag)) for flag in known)
        cpu.flags = Flags(zero, out, negative, overflow)
    return constant(word)


def _signed(number: int, radix: int) -> int:
    return number - radix if number >= radix // 2 else number


def _is_nonzero(cpu: SymbolicArm64, a: Polynomial) -> bool:
    """Set the carry of `cmp a, #1`, which says that a is not 0: of a bit, or of certain words.

    A bit is the carry itself. For a word of which -a mod 2^w is a known word, the sum of the two is
    0 or 2^w: its carry says the same, and is that of a chain.
    """
    if cpu.words.are_bits(a):
        is_bit = cpu.words.values(a) <= {0, 1}
        if is_bit:
            cpu.flags = Flags(zero=a, carry=a)
        return is_bit
    opposite = cpu.words.congruent({m: -c for m, c in a.items()}, cpu.where)
    if opposite is not None:
        _row(cpu, a, opposite, CLEAR, 1)
        cpu.flags = Flags(carry=cpu.flags.carry)
    return opposite is not None


def _is_zero(
    cpu: SymbolicArm64, a: Polynomial, b: Polynomial, carry: Polynomial, sign: int
) -> Polynomial:
    radix = cpu.memory.system.radix
    return tabulate(lambda x, y, c: int((x + sign * (y + c)) % radix == 0), a, b, carry)


def _moved(cpu: SymbolicArm64, pointer: Pointer, by: Polynomial, sign: int) -> Pointer:
    """An address and a constant."""
    if by.keys() - {ONE}:
        raise cpu.refuse("the address depends on data")
    return Pointer(pointer.base, pointer.offset + sign * int(by.get(ONE, 0)))


MEANINGS: dict[str, Meaning] = {
    "add": _sum(1, False, False),
    "adds": _sum(1, False, True),
    "adc": _sum(1, True, False),
    "adcs": _sum(1, True, True),
    "cmn": _sum(1, False, True, -1, 0),
    "sub": _sum(-1, False, False),
    "subs": _sum(-1, False, True),
    "sbc": _sum(-1, True, False),
    "sbcs": _sum(-1, True, True),
    "cmp": _sum(-1, False, True, -1, 0),
    "neg": _sum(-1, False, False, 0, -1),
    "negs": _sum(-1, False, True, 0, -1),
    "ngc": _sum(-1, True, False, 0, -1),
    "ngcs": _sum(-1, True, True, 0, -1),
}
"""What adds or subtracts."""
