"""The meaning of the AArch64 instructions a kernel may use; anything else ends the proof.

Arm, "Architecture Reference Manual for A-profile", C6. Written from the manual, apart from the
compiler. Every instruction here has timing that does not depend on data where PSTATE.DIT is set.
"""

from __future__ import annotations

from collections.abc import Callable

import capstone

from fieldc.proof.aarch64 import control, logic, shifts, sums
from fieldc.proof.aarch64.logic import inverted
from fieldc.proof.aarch64.memory import adr, load, mrs, msr, store, whole
from fieldc.proof.aarch64.processor import CLEAR, SET, Meaning, SymbolicArm64
from fieldc.proof.aarch64.sums import combined
from fieldc.proof.algebra.equations import ONE, Polynomial, constant


def _mul(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    whole(cpu, i)
    cpu.write(i, 0, cpu.words.low(cpu.word(i, 1), cpu.word(i, 2), cpu.where))


def _umulh(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    """Bits 10 to 14 are ones; of others the manual leaves open what a processor does."""
    if int.from_bytes(i.bytes, "little") >> 10 & 31 != 31:
        raise cpu.refuse("bits that must be ones are not")
    whole(cpu, i)
    cpu.write(i, 0, cpu.words.high(cpu.word(i, 1), cpu.word(i, 2), cpu.where))


def _multiply_add(sign: int, adds: bool) -> Meaning:
    """operand3 + sign * operand1 * operand2; 0 for operand3 in mneg."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        low = cpu.words.low(cpu.word(i, 1), cpu.word(i, 2), cpu.where)
        cpu.write(i, 0, combined(cpu, cpu.word(i, 3) if adds else CLEAR, low, CLEAR, sign))

    return meaning


def _multiply_long(adds: bool) -> Meaning:
    """The product of the lower halves of operand1 and operand2; operand3 is added in umaddl."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        low = cpu.words.low(cpu.word(i, 1), cpu.word(i, 2), cpu.where)
        cpu.write(i, 0, combined(cpu, cpu.word(i, 3), low, CLEAR, 1) if adds else low)

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


def _changed(change: Callable[[SymbolicArm64, Polynomial], Polynomial]) -> Meaning:
    """cneg, cinv: operand1 changed where the condition holds, else as it is."""

    def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        flag = cpu.condition(i)
        word = cpu.word(i, 1)
        cpu.write(i, 0, cpu.words.select(flag, change(cpu, word), word, cpu.where))

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


def _nothing(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
    return None


MEANINGS: dict[str, Meaning] = {
    **control.MEANINGS,
    **sums.MEANINGS,
    **shifts.MEANINGS,
    **logic.MEANINGS,
    "mov": _mov,
    "movz": _mov,
    "movn": _movn,
    "movk": _movk,
    "adr": adr,
    "adrp": adr,
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
    "umull": _multiply_long(False),
    "umaddl": _multiply_long(True),
    "csel": _select(_unchanged),
    "csinc": _select(_incremented),
    "csinv": _select(inverted),
    "csneg": _select(_negated),
    "cneg": _changed(_negated),
    "cinv": _changed(inverted),
    "cinc": _cinc,
    "cset": _cset,
    "csetm": _csetm,
    "mrs": mrs,
    "msr": msr,
    "nop": _nothing,
    "bti": _nothing,
}
"""The list. An instruction that is not here is refused."""
