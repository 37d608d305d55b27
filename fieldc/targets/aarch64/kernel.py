"""An AArch64 kernel: LLVM's instructions for a word program, with constants after the return.

One text serves Linux, macOS and Windows: it leaves x18 alone, and the three conventions agree in
everything else that a kernel uses. The first instruction finds the constants. A constant that one
instruction makes stays in the code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache

from fieldc.binary.linkable import function_of
from fieldc.language import LanguageError
from fieldc.machine.assemble import compile_ir
from fieldc.targets.aarch64.cancel import cancelled, without_products
from fieldc.targets.aarch64.encode import encode
from fieldc.targets.aarch64.instructions import ArmLine
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import AARCH64
from fieldc.words.program import Program, Value
from fieldc.words.table import with_table

TRIPLE = "aarch64-unknown-linux-gnu"
SHARED = "+reserve-x18"
"""On macOS and Windows x18 belongs to the system."""
BARRED = re.compile(r"(mrs|msr|(ldr|ldur|ldp|str|stur|stp) w\d+)\b")
"""Flags in a register, and half a register in memory."""
SYMBOL = "kernel"
LANDING_PAD, BTI_C = "hint #34 // bti c", 0xD503245F.to_bytes(4, "little")
TABLE = "2"
"""The label of the constants."""


@dataclass(frozen=True)
class ArmKernel:
    """Instructions in GNU's syntax and as bytes, and the constants after them, by their names."""

    lines: tuple[str, ...]
    machine: bytes
    constants: tuple[tuple[str, int], ...]

    def text(self, comment: str = "//") -> list[str]:
        """Its lines: instructions, then the constants with their names."""
        table = [f".quad {value:#x} {comment} {name}" for name, value in self.constants]
        return [*self.lines, *(table and [".p2align 3", f"{TABLE}:", *table])]

    def with_landing_pad(self) -> ArmKernel:
        """The kernel after a landing pad for calls by a register: `bti c`."""
        machine = self.machine
        if self.constants:
            first, *_ = self.lines
            table = 4 + len(machine) + (4 + len(machine)) % 8
            read = ArmLine("adr", (first.split()[1].rstrip(","), "table"), 4, {"table": table})
            machine = encode(read).to_bytes(4, "little") + machine[4:]
        return replace(self, lines=(LANDING_PAD, *self.lines), machine=BTI_C + machine)

    @property
    def code(self) -> bytes:
        """Its bytes with the constants, for a place at a multiple of 8."""
        table = b"".join(value.to_bytes(8, "little") for _, value in self.constants)
        return self.machine + (table and bytes(-len(self.machine) % 8)) + table


def compile_words(
    styles: Iterable[Program],
    is_immediate: Callable[[Value], bool] | None = None,
    drops_products: bool = False,
) -> ArmKernel:
    """The shortest code of programs that compute the same, without what is barred if there is one.

    `is_immediate` says which constants stay in the code. `drops_products` leaves out those of which
    only a sum's carry is used that a comparison gives too (`cancel.py`).
    """
    made = [_compiled(program, is_immediate or is_short, drops_products) for program in styles]
    return min(made, key=lambda k: (any(map(BARRED.match, k.lines)), len(k.lines)))


def is_short(value: Value) -> bool:
    """Whether one instruction makes a constant: 16 of its bits, or of its complement's."""
    number = value.constant or 0
    return any(
        part & ~(0xFFFF << 16 * i) == 0 for part in (number, ~number % (1 << 64)) for i in range(4)
    )


def _compiled(
    program: Program, is_immediate: Callable[[Value], bool], drops_products: bool
) -> ArmKernel:
    read, constants = with_table(program, is_immediate)
    lines, code = _machine(print_llvm(read if constants else program, SYMBOL, AARCH64.form))
    if drops_products and cancelled(program):
        lines, code = without_products(lines, code)
    if constants:
        lines = [f"adr x{len(read.operands)}, {TABLE}f", *lines]  # z is x0, before all operands
        after = 4 + len(code) + (4 + len(code)) % 8
        found = ArmLine("adr", (f"x{len(read.operands)}", "table"), 0, {"table": after})
        code = encode(found).to_bytes(4, "little") + code
    return ArmKernel(tuple(lines), code, constants)


@lru_cache(64)
def _machine(ir: str) -> tuple[list[str], bytes]:
    """LLVM's instructions as text and as bytes; each system asks for the same."""
    made = compile_ir(ir, TRIPLE, AARCH64.cpu, SHARED)
    return instructions(made.assembly), function_of(made.object, SYMBOL).code


def instructions(text: str) -> list[str]:
    """The instructions of LLVM's text of one function, each with single spaces.

    Raises LanguageError for a text that has more, such as a second label.
    """
    lines = [" ".join(line.split("//")[0].split()) for line in text.splitlines()]
    labels = [line for line in lines if line.endswith(":")]
    found = [line for line in lines if line and line not in labels and not line.startswith(".")]
    if len(labels) != 2 or any(".L" in line or SYMBOL in line for line in found):
        raise LanguageError("LLVM made more than straight-line code")
    return found
