"""x86-64 instructions on words and flags as they are: nothing is known of what the words stand for.

Intel, "Software Developer's Manual", volume 2. Addresses, stack and convention are those of every
other proof; a jump is not on the list.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.divsteps.words import RADIX, WORD_BITS, WordCode
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import Pointer, Value
from fieldc.proof.x86_64.control import call, moves_stack, nothing, pop, push, ret
from fieldc.proof.x86_64.processor import LOW_BYTES, LOW_HALVES, Meaning, SymbolicX86

CONDITIONS = {"e": "zero", "s": "sign", "b": "carry"}
INVERSES = {"ne": "zero", "ns": "sign", "ae": "carry"}


class WordX86(SymbolicX86):
    """The processor of words without meaning, of which a certificate has no rows."""

    def needs_no_certificate(self) -> None:
        """Nothing is refused that a certificate could not say: it names words."""


class WordMeanings:
    """What instructions do, written to a list of words; the flags are words of it."""

    def __init__(self, code: WordCode) -> None:
        self.code = code
        self.flags: dict[str, int] = {}
        """The flags that are defined."""

    def table(self) -> Mapping[str, Meaning]:
        """By mnemonic."""
        return dict(self._rows())

    def _rows(self) -> Iterator[tuple[str, Meaning]]:
        yield from (("mov", self._mov), ("movabs", self._mov), ("lea", self._lea))
        yield from (("push", push), ("pop", pop), ("ret", ret), ("endbr64", nothing))
        yield "call", call
        yield from (("add", self._sum("add")), ("sub", self._sum("sub")), ("neg", self._neg))
        yield from (("cmp", self._cmp), ("test", self._test), ("and", self._and))
        yield from (("xor", self._xor), ("imul", self._imul))
        for name in ("shl", "shr", "sar"):
            yield name, self._shift(name)
        for condition, flag in CONDITIONS.items():
            yield f"cmov{condition}", self._move(flag, True)
        for condition, flag in INVERSES.items():
            yield f"cmov{condition}", self._move(flag, False)

    def place(self, cpu: SymbolicX86, value: Value) -> int:
        """The place of a word. Raises ProofError for an address or an unknown."""
        word = cpu.word(value)
        if word.keys() <= {()}:
            return self.code.make("constant", number=int(word.get((), 0)) % RADIX)
        (((number,), _),) = word.items()
        return number

    def _read(self, cpu: SymbolicX86, i: capstone.CsInsn, index: int) -> int:
        return self.place(cpu, cpu.read(i, index))

    def _write(self, cpu: SymbolicX86, i: capstone.CsInsn, place: int) -> None:
        self.code.written.setdefault(place, i.address)
        cpu.write(i, 0, {(place,): 1})

    def _decide(self, result: int, carry: int | None = None) -> None:
        """Let the flags be those of a result."""
        self.flags = {
            "zero": self.code.make("is_zero", result),
            "sign": self.code.make("is_negative", result),
        }
        if carry is not None:
            self.flags["carry"] = carry

    def _mov(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        cpu.write(i, 0, cpu.read(i, 1))

    def _lea(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        memory = i.operands[1].mem
        used = [cpu.register(i, r) for r in (memory.base, memory.index) if r]
        if not used or memory.base == x86.X86_REG_RIP or memory.scale != 1:
            raise ProofError(f"{cpu.where}: this form of `lea` is not on the list")
        if isinstance(cpu.registers[used[0]], Pointer):
            cpu.write(i, 0, cpu.address(i, i.operands[1]))
            return
        total, *others = (self.place(cpu, cpu.registers[name]) for name in used)
        if memory.disp:
            others.append(self.code.make("constant", number=memory.disp % RADIX))
        for other in others:
            total = self.code.make("add", total, other)
        self._write(cpu, i, total)

    def _sum(self, operation: str) -> Meaning:
        def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
            if moves_stack(cpu, i, 1 if operation == "add" else -1):
                self.flags = {}
                return
            a, b = self._read(cpu, i, 0), self._read(cpu, i, 1)
            total = self.code.make(operation, a, b)
            below = (total, a) if operation == "add" else (a, b)
            self._write(cpu, i, total)
            self._decide(total, self.code.make("is_below", *below))

        return meaning

    def _neg(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        a, zero = self._read(cpu, i, 0), self.code.make("constant")
        word = self.code.make("sub", zero, a)
        self._write(cpu, i, word)
        self._decide(word, self.code.make("is_below", zero, a))

    def _cmp(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        a, b = self._read(cpu, i, 0), self._read(cpu, i, 1)
        self._decide(self.code.make("sub", a, b), self.code.make("is_below", a, b))

    def _and(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        word = self.code.make("and", self._read(cpu, i, 0), self._read(cpu, i, 1))
        self._write(cpu, i, word)
        self._decide(word, self.code.make("constant"))

    def _test(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        """Whole words; or a part of one and a number below its sign, where the part is enough."""
        first, second = i.operands
        if first.size == 8:
            a, b = self._read(cpu, i, 0), self._read(cpu, i, 1)
        else:
            name = i.reg_name(first.reg) if first.type == x86.X86_OP_REG else ""
            whole = LOW_HALVES.get(name) or LOW_BYTES.get(name)
            small = second.type == x86.X86_OP_IMM and 0 <= second.imm < 1 << 8 * first.size - 1
            if whole is None or not small:
                raise ProofError(f"{cpu.where}: this form of `test` is not on the list")
            a = self.place(cpu, cpu.registers[whole])
            b = self.code.make("constant", number=second.imm)
        self._decide(self.code.make("and", a, b), self.code.make("constant"))

    def _xor(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        """A register with itself, which is 0 then."""
        first, second = i.operands
        name = i.reg_name(first.reg) if first.type == x86.X86_OP_REG else ""
        name = LOW_HALVES.get(name, name)
        if first.type != second.type or first.reg != second.reg or name not in cpu.registers:
            raise ProofError(f"{cpu.where}: `xor` of two words is not on the list")
        zero = self.code.make("constant")
        cpu.registers[name] = {(zero,): 1}
        self._decide(zero, zero)

    def _imul(self, cpu: SymbolicX86, i: capstone.CsInsn) -> None:
        if len(i.operands) < 2:
            raise ProofError(f"{cpu.where}: the product of two words is not on the list")
        a, b = (self._read(cpu, i, index) for index in range(len(i.operands))[-2:])
        self._write(cpu, i, self.code.make("mul", a, b))
        self.flags = {}

    def _shift(self, operation: str) -> Meaning:
        def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
            count = i.operands[1]
            if count.type != x86.X86_OP_IMM or not 0 < count.imm < WORD_BITS:
                raise ProofError(f"{cpu.where}: shifts by what is no constant from 1 to 63")
            word = self.code.make(operation, self._read(cpu, i, 0), number=count.imm)
            self._write(cpu, i, word)
            self._decide(word)

        return meaning

    def _move(self, flag: str, when_set: bool) -> Meaning:
        def meaning(cpu: SymbolicX86, i: capstone.CsInsn) -> None:
            if flag not in self.flags:
                raise ProofError(f"{cpu.where}: reads a flag that is undefined here")
            old, new = self._read(cpu, i, 0), self._read(cpu, i, 1)
            words = (new, old) if when_set else (old, new)
            self._write(cpu, i, self.code.make("choose", self.flags[flag], *words))

        return meaning


def run_x86_64(
    memory: KernelMemory, code: WordCode, text: bytes, convention: str, start: int
) -> None:
    """Run code to its return. Raises ProofError."""
    WordX86(memory, convention, place=start).run(text, WordMeanings(code).table())
