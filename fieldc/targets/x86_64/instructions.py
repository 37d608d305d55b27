"""The x86-64 instructions this compiler emits: one row each, with roles, flags and features.

An `Instruction` row is data. `Virtual` code is SSA: `writes` are new virtual registers, `reads`
are virtual registers, memory or immediates. A tied row overwrites its first read. `Physical` code
is what a processor runs and a printer prints, operands in Intel order (destination first).
"""

from __future__ import annotations

from dataclasses import dataclass

CF, OF = "cf", "of"
BOTH = frozenset({CF, OF})
NONE: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Instruction:
    """One mnemonic. `memory` is the read that may be in memory; `fixed_*` name implicit registers.

    Implicit operands are listed in reads and writes but not printed.
    """

    mnemonic: str
    writes: int
    reads: int
    tied: bool = False
    commutes: bool = False
    memory: int | None = None
    reads_flags: frozenset[str] = NONE
    writes_flags: frozenset[str] = NONE
    fixed_reads: tuple[tuple[int, str], ...] = ()
    fixed_writes: tuple[tuple[int, str], ...] = ()
    feature: str = ""


_CF, _OF = frozenset({CF}), frozenset({OF})

INSTRUCTIONS: dict[str, Instruction] = {
    row.mnemonic: row
    for row in (
        Instruction("mov", 1, 1, memory=0),
        Instruction("lea", 1, 1, memory=0),
        Instruction("mulx", 2, 2, memory=0, fixed_reads=((1, "rdx"),), feature="bmi2"),
        Instruction(
            "mul",
            2,
            2,
            memory=0,
            writes_flags=BOTH,
            fixed_reads=((1, "rax"),),
            fixed_writes=((0, "rdx"), (1, "rax")),
        ),
        Instruction("imul", 1, 2, tied=True, commutes=True, memory=1, writes_flags=BOTH),
        Instruction("add", 1, 2, tied=True, commutes=True, memory=1, writes_flags=BOTH),
        Instruction(
            "adc", 1, 2, tied=True, commutes=True, memory=1, reads_flags=_CF, writes_flags=BOTH
        ),
        Instruction(
            "adcx",
            1,
            2,
            tied=True,
            commutes=True,
            memory=1,
            reads_flags=_CF,
            writes_flags=_CF,
            feature="adx",
        ),
        Instruction(
            "adox",
            1,
            2,
            tied=True,
            commutes=True,
            memory=1,
            reads_flags=_OF,
            writes_flags=_OF,
            feature="adx",
        ),
        Instruction("sub", 1, 2, tied=True, memory=1, writes_flags=BOTH),
        Instruction("sbb", 1, 2, tied=True, memory=1, reads_flags=_CF, writes_flags=BOTH),
        Instruction("and", 1, 2, tied=True, commutes=True, memory=1, writes_flags=BOTH),
        Instruction("cmovc", 1, 2, tied=True, memory=1, reads_flags=_CF),
        Instruction("cmovnc", 1, 2, tied=True, memory=1, reads_flags=_CF),
        Instruction("shld", 1, 3, tied=True, writes_flags=BOTH),
        Instruction("shr", 1, 2, tied=True, writes_flags=BOTH),
        # Idioms: xor r, r is 0 and clears both flags; sbb r, r is the carry flag as a mask. `clear`
        # is xor r, r on a register that is free, or test rsp, rsp where none is.
        Instruction("xor", 1, 0, writes_flags=BOTH),
        Instruction("clear", 0, 0, writes_flags=BOTH),
        Instruction("test", 0, 2, writes_flags=BOTH),
        Instruction("sbb_mask", 1, 0, reads_flags=_CF, writes_flags=BOTH),
        Instruction("lea_double", 1, 1),
        Instruction("store", 0, 2),
        Instruction("push", 0, 1),
        Instruction("pop", 1, 0),
        Instruction("ret", 0, 0),
    )
}

RETURNED = Instruction("returned", 0, 0)
"""Reads the words of a result that is left in registers; no instruction, and never printed."""


@dataclass(frozen=True)
class Virtual:
    """A virtual register, assigned once. `fixed` names the register it must live in, if any."""

    number: int
    name: str
    fixed: str = ""

    def __hash__(self) -> int:
        return self.number


@dataclass(frozen=True)
class Memory:
    """A 64-bit word at base + offset; the base is a register, the constants or the stack."""

    base: Virtual | str
    offset: int
    name: str = ""


@dataclass(frozen=True)
class Immediate:
    """A number in the instruction."""

    value: int


Operand = Virtual | Memory | Immediate
CONSTANTS, STACK = "constants", "rsp"


@dataclass(frozen=True)
class VirtualCode:
    """An instruction over virtual registers."""

    row: Instruction
    writes: tuple[Virtual, ...]
    reads: tuple[Operand, ...]
    remark: str = ""


@dataclass(frozen=True)
class Register:
    """A register of the processor."""

    name: str


@dataclass(frozen=True)
class Physical:
    """An instruction as the processor runs it."""

    mnemonic: str
    operands: tuple[Register | Memory | Immediate, ...]
    remark: str = ""
