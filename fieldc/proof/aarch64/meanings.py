"""The meaning of the AArch64 instructions a kernel may use; anything else ends the proof.

Arm, "Architecture Reference Manual for A-profile", C6. Written from the manual, apart from the
compiler. Every instruction here has timing that does not depend on data where PSTATE.DIT is set.
"""

from __future__ import annotations

import operator
from collections.abc import Callable

import capstone
from capstone import arm64_const as arm

from fieldc.proof.aarch64 import control, sums
from fieldc.proof.aarch64.flags import Flags
from fieldc.proof.aarch64.memory import adr, load, mrs, msr, store, whole
from fieldc.proof.aarch64.processor import CLEAR, SET, Meaning, SymbolicArm64
from fieldc.proof.aarch64.sums import combined
from fieldc.proof.aarch64.words import tabulate
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, constant, variable


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
        cpu.write(i, 0, combined(cpu, cpu.word(i, 3) if adds else CLEAR, low, CLEAR, sign))

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
    cpu.write(i, 0, combined(cpu, cpu.word(i, 1), CLEAR, cpu.condition(i), 1))


def _cset(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    cpu.write(i, 0, cpu.condition(i))


def _csetm(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    ones = (1 << cpu.width(i)) - 1
    cpu.write(i, 0, {m: c * ones for m, c in cpu.condition(i).items()})


def _unchanged(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    return value


def _incremented(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    return combined(cpu, value, SET, CLEAR, 1)


def _negated(cpu: SymbolicArm64, value: Polynomial) -> Polynomial:
    return combined(cpu, CLEAR, value, CLEAR, -1)


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
            cpu.flags = Flags(zero, CLEAR, overflow=CLEAR, result=value)
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


def _nothing(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    return None


MEANINGS: dict[str, Meaning] = {
    **control.MEANINGS,
    **sums.MEANINGS,
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
    "nop": _nothing,
    "bti": _nothing,
}
"""The list. An instruction that is not here is refused."""
