"""AArch64 instructions on words and flags as they are: nothing is known of what words stand for.

Arm, "Architecture Reference Manual for A-profile", C6. Addresses, stack and convention are those of
every other proof; a branch is not on the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import capstone
from capstone import arm64_const as arm

from fieldc.proof.aarch64.control import ret
from fieldc.proof.aarch64.memory import load, store, whole
from fieldc.proof.aarch64.processor import Held, Meaning, SymbolicArm64
from fieldc.proof.divsteps.words import RADIX, WORD_BITS, WordCode
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import Pointer

ARM_CONDITIONS = {
    arm.ARM64_CC_EQ: ("zero", True),
    arm.ARM64_CC_NE: ("zero", False),
    arm.ARM64_CC_MI: ("sign", True),
    arm.ARM64_CC_PL: ("sign", False),
    arm.ARM64_CC_LO: ("borrow", True),
    arm.ARM64_CC_HS: ("borrow", False),
}
"""The flag that a condition asks for, and its value where it holds; C is 1 less a borrow."""


class WordArm64(SymbolicArm64):
    """The processor of words without meaning, of which a certificate has no rows."""

    def needs_no_certificate(self) -> None:
        """Nothing is refused that a certificate could not say: it names words."""

    def run_words(self, code: bytes, start: int, meanings: Mapping[str, Meaning]) -> None:
        """Run to the return and check the convention. Raises ProofError."""
        self._run(code, start, meanings)


class ArmWordMeanings:
    """What instructions do, written to a list of words; the flags are words of it."""

    def __init__(self, code: WordCode) -> None:
        self.code = code
        self.asked: dict[str, int] = {}
        """The flags that are defined."""

    def table(self) -> Mapping[str, Meaning]:
        """By mnemonic."""
        return dict(self._rows())

    def _rows(self) -> Iterator[tuple[str, Meaning]]:
        yield from (("ldr", load(1)), ("ldp", load(2)), ("str", store(1)), ("stp", store(2)))
        yield from (("mov", self._mov), ("ret", ret), ("neg", self._neg), ("csel", self._csel))
        yield from (("cmp", self._cmp), ("tst", self._tst), ("sbfx", self._sbfx))
        for name, operation in (("add", "add"), ("sub", "sub"), ("mul", "mul"), ("and", "and")):
            yield name, self._of_two(operation)
        for name, operation in (("lsl", "shl"), ("lsr", "shr"), ("asr", "sar")):
            yield name, self._shift(operation)

    def place(self, cpu: SymbolicArm64, value: Held) -> int:
        """The place of a word. Raises ProofError for an address or an unknown."""
        word = cpu.as_word(value)
        if word.keys() <= {()}:
            return self.code.make("constant", number=int(word.get((), 0)) % RADIX)
        (((number,), _),) = word.items()
        return number

    def _held(self, cpu: SymbolicArm64, i: capstone.CsInsn, index: int) -> Held:
        """A whole register as it is, or a number."""
        operand = i.operands[index]
        if operand.type == arm.ARM64_OP_REG:
            name, width = cpu.name(i, operand.reg)
            if width != WORD_BITS or operand.shift.type or operand.ext:
                raise cpu.refuse("this form of operand is not on the list")
            return cpu.held(name)
        return cpu.value(i, index)

    def _read(self, cpu: SymbolicArm64, i: capstone.CsInsn, index: int) -> int:
        return self.place(cpu, self._held(cpu, i, index))

    def _write(self, cpu: SymbolicArm64, i: capstone.CsInsn, place: int) -> None:
        whole(cpu, i)
        self.code.written.setdefault(place, i.address)
        cpu.write(i, 0, {(place,): 1})

    def _decide(self, result: int, borrow: int) -> None:
        """Let the flags be those of a result."""
        self.asked = {
            "zero": self.code.make("is_zero", result),
            "sign": self.code.make("is_negative", result),
            "borrow": borrow,
        }

    def _mov(self, cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        whole(cpu, i)
        cpu.write(i, 0, self._held(cpu, i, 1))

    def _of_two(self, operation: str) -> Meaning:
        def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
            first = self._held(cpu, i, 1)
            if isinstance(first, Pointer) and operation in ("add", "sub"):
                amount = cpu.as_word(self._held(cpu, i, 2))
                if amount.keys() - {()}:
                    raise cpu.refuse("the address depends on data")
                moved = int(amount.get((), 0)) * (1 if operation == "add" else -1)
                cpu.write(i, 0, Pointer(first.base, first.offset + moved))
                return
            a, b = self.place(cpu, first), self._read(cpu, i, 2)
            self._write(cpu, i, self.code.make(operation, a, b))

        return meaning

    def _neg(self, cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        zero = self.code.make("constant")
        self._write(cpu, i, self.code.make("sub", zero, self._read(cpu, i, 1)))

    def _cmp(self, cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        a, b = self._read(cpu, i, 0), self._read(cpu, i, 1)
        self._decide(self.code.make("sub", a, b), self.code.make("is_below", a, b))

    def _tst(self, cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        """C is clear, so HS does not hold, as after a borrow."""
        a, b = self._read(cpu, i, 0), self._read(cpu, i, 1)
        self._decide(self.code.make("and", a, b), self.code.make("constant", number=1))

    def _shift(self, operation: str) -> Meaning:
        def meaning(cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
            count = i.operands[2]
            if count.type != arm.ARM64_OP_IMM or not 0 < count.imm < WORD_BITS:
                raise cpu.refuse("shifts by what is no constant from 1 to 63")
            word = self.code.make(operation, self._read(cpu, i, 1), number=int(count.imm))
            self._write(cpu, i, word)

        return meaning

    def _sbfx(self, cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        """Some bits from a place on, with a sign: shifted left, then right."""
        word, first, count = self._read(cpu, i, 1), i.operands[2].imm, i.operands[3].imm
        above = WORD_BITS - first - count
        if above:
            word = self.code.make("shl", word, number=int(above))
        if count < WORD_BITS:
            word = self.code.make("sar", word, number=int(WORD_BITS - count))
        self._write(cpu, i, word)

    def _csel(self, cpu: SymbolicArm64, i: capstone.CsInsn) -> None:
        flag, when_set = ARM_CONDITIONS.get(i.cc, ("", True))
        if flag not in self.asked:
            raise cpu.refuse("reads a flag that is undefined here, or another condition")
        yes, no = self._read(cpu, i, 1), self._read(cpu, i, 2)
        words = (yes, no) if when_set else (no, yes)
        self._write(cpu, i, self.code.make("choose", self.asked[flag], *words))


def run_aarch64(
    memory: KernelMemory, code: WordCode, text: bytes, convention: str, start: int
) -> None:
    """Run code to its return. Raises ProofError."""
    WordArm64(memory, convention).run_words(text, start, ArmWordMeanings(code).table())
