"""The meaning of the AArch64 instructions a kernel may use; anything else ends the proof.

Arm, "Architecture Reference Manual for A-profile", C6. Written from the manual, apart from the
compiler. Every instruction here has timing that does not depend on data where PSTATE.DIT is set.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import capstone
from capstone import arm64_const as arm

from fieldc.proof.aarch64.memory import adr, load, mrs, msr, nothing, ret, store, whole
from fieldc.proof.aarch64.processor import CLEAR, SET, Flags, Meaning, SymbolicArm64
from fieldc.proof.aarch64.words import is_linear, tabulate
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, constant, variable
from fieldc.proof.values import Pointer


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
    cpu.flags = Flags(None, out if sign > 0 else {ONE: 1, **{m: -c for m, c in out.items()}})
    return word


def _combined(
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
        carry = CLEAR
        if with_carry:
            wanted = 1 if sign > 0 else 0
            carry = tabulate(lambda c: int(c == wanted), cpu.flag(cpu.flags.carry))
        a, b = cpu.as_word(a), cpu.word(i, last)
        if not sets:
            cpu.write(i, target, _combined(cpu, a, b, carry, sign))
            return
        if target < 0 and sign < 0 and b == SET and not with_carry and _is_nonzero(cpu, a):
            return
        value = _row(cpu, a, b, carry, sign)
        if cpu.words.are_bits(a, b, carry):
            cpu.flags = Flags(_is_zero(cpu, a, b, carry, sign), cpu.flags.carry)
        elif not b and not carry:
            cpu.flags = Flags(cpu.words.is_zero(a, cpu.where), cpu.flags.carry)
        if target >= 0:
            cpu.write(i, target, value)

    return meaning


def _is_nonzero(cpu: SymbolicArm64, a: Polynomial) -> bool:
    """Set the carry of `cmp a, #1`, which says that a is not 0: of a bit, or of certain words.

    A bit is the carry itself. For a word of which -a mod 2^w is a known word, the sum of the two is
    0 or 2^w: its carry says the same, and is that of a chain.
    """
    if cpu.words.are_bits(a):
        is_bit = cpu.words.values(a) <= {0, 1}
        if is_bit:
            cpu.flags = Flags(a, a)
        return is_bit
    opposite = cpu.words.congruent({m: -c for m, c in a.items()}, cpu.where)
    if opposite is not None:
        _row(cpu, a, opposite, CLEAR, 1)
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


def _mul(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    whole(cpu, i)
    cpu.write(i, 0, cpu.words.low(cpu.word(i, 1), cpu.word(i, 2), cpu.where))


def _umulh(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    whole(cpu, i)
    cpu.write(i, 0, cpu.words.high(cpu.word(i, 1), cpu.word(i, 2), cpu.where))


def _multiply_add(sign: int, adds: bool) -> Meaning:
    """operand3 + sign * operand1 * operand2; 0 for operand3 in mneg."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        low = cpu.words.low(cpu.word(i, 1), cpu.word(i, 2), cpu.where)
        cpu.write(i, 0, _combined(cpu, cpu.word(i, 3) if adds else CLEAR, low, CLEAR, sign))

    return meaning


def _mov(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.value(i, 1))


def _movn(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """Only where no shorter name fits: the complement of a shifted constant."""
    ones = (1 << cpu.width(i)) - 1
    cpu.write(i, 0, constant(ones - int(cpu.word(i, 1).get(ONE, 0))))


def _movk(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """Replace 16 bits of a constant."""
    name, width = cpu.name(i, i.operands[0].reg)
    old = cpu.as_word(cpu.held(name))
    if old.keys() - {ONE}:
        raise cpu.refuse("replaces 16 bits of a word that is no constant")
    shift = i.operands[1].shift.value
    kept = int(old.get(ONE, 0)) % (1 << width) & ~(0xFFFF << shift)
    cpu.write(i, 0, constant(kept | i.operands[1].imm << shift))


def _select(change: Callable[[SymbolicArm64, Polynomial], Polynomial]) -> Meaning:
    """csel, csinc, csinv, csneg: operand1 where the condition holds, else operand2 changed."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        flag = cpu.condition(i)
        yes, no = cpu.word(i, 1), change(cpu, cpu.word(i, 2))
        cpu.write(i, 0, cpu.words.select(flag, yes, no, cpu.where))

    return meaning


def _cinc(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    whole(cpu, i)
    cpu.write(i, 0, _combined(cpu, cpu.word(i, 1), CLEAR, cpu.condition(i), 1))


def _cset(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.condition(i))


def _csetm(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    ones = (1 << cpu.width(i)) - 1
    cpu.write(i, 0, {m: c * ones for m, c in cpu.condition(i).items()})


def _unchanged(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    return value


def _incremented(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    return _combined(cpu, value, SET, CLEAR, 1)


def _negated(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    return _combined(cpu, CLEAR, value, CLEAR, -1)


def _inverted(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    """2^w - 1 - value."""
    ones = cpu.memory.system.radix - 1
    if cpu.words.are_bits(value):
        return tabulate(lambda v: ones - v, value)
    right = {m: -c for m, c in value.items()}
    add_to(right, constant(ones))
    return variable(cpu.memory.system.define_word(right, cpu.where))


def _mvn(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    whole(cpu, i)
    cpu.write(i, 0, _inverted(cpu, cpu.word(i, 1)))


def _bitwise(function: Callable[[int, int], int], sets: bool, target: int = 0) -> Meaning:
    """and, orr, eor, bic of bits; and of a mask with a word, or of a word with low ones."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        a, b = cpu.word(i, target + 1), cpu.word(i, target + 2)
        zero = None
        if cpu.words.are_bits(a, b):
            is_and = function is operator.and_
            value = cpu.words.both(a, b, cpu.where) if is_and else tabulate(function, a, b)
            zero = tabulate(lambda v: int(v == 0), value)
        elif function is operator.and_:
            value = _masked(cpu, a, b)
        else:
            raise cpu.refuse("combines the bits of words of which nothing is known")
        if sets:
            cpu.flags = Flags(zero, CLEAR)
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
    raise cpu.refuse("`and` of two words of which none is a mask")


def _clear(a: int, b: int) -> int:
    return a & ~b


def _count(cpu: SymbolicArm64, i: capstone.CsInsn, index: int) -> int:
    """A constant number of bits of a 64-bit register."""
    whole(cpu, i)
    if i.operands[index].type != arm.ARM64_OP_IMM:
        raise cpu.refuse("shifts by what is no constant")
    return int(i.operands[index].imm)


def _lsl(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.left(cpu.word(i, 1), _count(cpu, i, 2)))


def _lsr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.right(cpu.word(i, 1), _count(cpu, i, 2)))


def _asr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """A mask of the top bit."""
    last = cpu.memory.system.word_bits - 1
    if _count(cpu, i, 2) != last:
        raise cpu.refuse("this shift is not on the list")
    _spread(cpu, i, cpu.right(cpu.word(i, 1), last))


def _sbfx(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """A mask of one bit."""
    if _count(cpu, i, 3) != 1:
        raise cpu.refuse("this field is not on the list")
    _spread(cpu, i, cpu.low_bits(cpu.right(cpu.word(i, 1), _count(cpu, i, 2)), 1))


def _spread(cpu: SymbolicArm64, i: capstone.CsInsn, bit: Polynomial) -> None:
    if not cpu.words.are_bits(bit):
        raise cpu.refuse("spreads a bit that is not a variable of its own")
    cpu.write(i, 0, {m: c * (cpu.memory.system.radix - 1) for m, c in bit.items()})


def _ubfx(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    start, count = _count(cpu, i, 2), _count(cpu, i, 3)
    cpu.write(i, 0, cpu.low_bits(cpu.right(cpu.word(i, 1), start), count))


def _extr(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """(high:low >> count) mod 2^w: two fields that do not meet."""
    count = _count(cpu, i, 3)
    if not count:
        cpu.write(i, 0, cpu.word(i, 2))
        return
    width = cpu.memory.system.word_bits
    right = dict(cpu.words.word(cpu.left(cpu.word(i, 1), width - count), cpu.where))
    add_to(right, cpu.words.word(cpu.right(cpu.word(i, 2), count), cpu.where))
    cpu.write(i, 0, variable(cpu.memory.system.define_word(right, cpu.where)))


MEANINGS: dict[str, Meaning] = {
    "mov": _mov,
    "movz": _mov,
    "movn": _movn,
    "movk": _movk,
    "adr": adr,
    "ldr": load(1),
    "ldur": load(1),
    "ldp": load(2),
    "str": store(1),
    "stur": store(1),
    "stp": store(2),
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
    "mul": _mul,
    "umulh": _umulh,
    "mneg": _multiply_add(-1, False),
    "madd": _multiply_add(1, True),
    "msub": _multiply_add(-1, True),
    "csel": _select(_unchanged),
    "csinc": _select(_incremented),
    "csinv": _select(_inverted),
    "csneg": _select(_negated),
    "cinc": _cinc,
    "cset": _cset,
    "csetm": _csetm,
    "and": _bitwise(operator.and_, False),
    "ands": _bitwise(operator.and_, True),
    "tst": _bitwise(operator.and_, True, -1),
    "bic": _bitwise(_clear, False),
    "orr": _bitwise(operator.or_, False),
    "eor": _bitwise(operator.xor, False),
    "mvn": _mvn,
    "lsl": _lsl,
    "lsr": _lsr,
    "asr": _asr,
    "sbfx": _sbfx,
    "ubfx": _ubfx,
    "extr": _extr,
    "mrs": mrs,
    "msr": msr,
    "ret": ret,
    "nop": nothing,
    "bti": nothing,
}
"""The list. An instruction that is not here is refused."""
