"""A symbolic run of x86-64 code beside one on this processor."""

from __future__ import annotations

import capstone
from x86_64_runs import RADIX, REGISTERS, entries, on_processor

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Polynomial, Select, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.memory import KernelMemory
from fieldc.proof.values import LowByte
from fieldc.proof.x86_64.meanings import MEANINGS
from fieldc.proof.x86_64.processor import SymbolicX86


class Symbolic:
    """Code on symbols, from any registers and flags."""

    def __init__(self, is_foreign: bool) -> None:
        self.system = System(64, is_foreign=is_foreign)
        memory = KernelMemory(self.system, {}, b"", 1)
        self.processor = SymbolicX86(memory, "sysv")
        self.numbers = {r: self.system.new(r, RADIX - 1) for r in REGISTERS}
        self.numbers |= {f: self.system.new(f, 1) for f in ("cf", "of")}
        if is_foreign:
            words = tuple(self.numbers[r] for r in REGISTERS)
            inputs = (Input("x", words, (1 << 64 * len(words)) - 1),)
            memory.case = Case(self.system, inputs, is_foreign=True)
        for register in REGISTERS:
            self.processor.registers[register] = {(self.numbers[register],): 1}
        self.processor.carry = {(self.numbers["cf"],): 1}
        self.processor.overflow = {(self.numbers["of"],): 1}

    def step(self, instruction: capstone.CsInsn) -> None:
        """Run one instruction. Raises ProofError."""
        self.processor.step(instruction, MEANINGS)

    def agrees(self, text: str) -> None:
        """Compare what is known of registers and flags with what the text leaves here."""
        flags = self._flags()
        for number, state in enumerate(entries()):
            entry = {**state, "cf": number & 1, "of": number >> 1 & 1}
            found = on_processor(text, entry)
            values = {self.numbers[name]: value for name, value in entry.items()}
            solve(self.system, values)
            for register in REGISTERS:
                held, got = self.processor.registers[register], found[register]
                if isinstance(held, LowByte):
                    held, got = held.value, got & 0xFF
                if isinstance(held, dict):
                    assert evaluate(held, values) == got, (text, register, entry)
            for name, flag in flags.items():
                assert evaluate(flag, values) == found[name], (text, name, entry)

    def _flags(self) -> dict[str, Polynomial]:
        """The flags of which something is known."""
        zero, sign = self.processor.signs or (None, None)
        flags = {"cf": self.processor.carry, "of": self.processor.overflow}
        for name, ask in (("zf", zero), ("sf", sign)):
            try:
                flags[name] = ask and ask()
            except ProofError:
                flags[name] = None
        return {name: flag for name, flag in flags.items() if flag is not None}


def evaluate(polynomial: Polynomial, values: dict[int, int]) -> int:
    """A polynomial at concrete values."""
    total = 0
    for monomial, coefficient in polynomial.items():
        term = int(coefficient)
        for number in monomial:
            term *= values[number]
        total += term
    return total


def solve(system: System, values: dict[int, int]) -> None:
    """Give every variable the one value that the rows and the exact ranges leave it."""
    for row in system.rows:
        _shift_words(system, values)
        if isinstance(row, Select):
            side = row.when_set if values[row.flag] else row.otherwise
            values[row.word] = evaluate(side, values)
            continue
        right = evaluate(row.right, values)
        values[row.word] = right % RADIX
        if row.carry is None:
            assert 0 <= right < RADIX, f"{row.where}: {right:#x} is no word"
        else:
            values[row.carry] = (right - values[row.word]) // row.factor
            assert 0 <= values[row.carry] <= system.ranges[row.carry][1]
    _shift_words(system, values)
    for number, value in values.items():
        low, high = system.ranges[number]
        assert low <= value <= high


def _shift_words(system: System, values: dict[int, int]) -> None:
    """Give the top bits of known words, and the bits that two have, their values."""
    known = -1
    while known != len(values):  # such bits may be of such bits
        known = len(values)
        for (word, shift), number in system.top_bits.items():
            if word in values:
                values[number] = values[word] >> shift
        for (first, second), number in system.common.items():
            if first in values and second in values:
                values[number] = values[first] & values[second]
