"""The x86-64 instructions this compiler emits: one row each, with all that is known of it.

A row is data: the roles of operands, flags, features, bytes and printing. `VirtualCode` is SSA:
`writes` are new virtual registers, `reads` are virtual registers, memory or numbers. A tied row
overwrites its first read. `Physical` code is what a processor runs, in Intel's order of operands
(destination first).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from fieldc.targets.x86_64 import encoding
from fieldc.targets.x86_64.encoding import Encoder
from fieldc.targets.x86_64.operands import Operand, Placed, Virtual

CF, OF, SIGNS = "cf", "of", "signs"
"""SIGNS are the zero flag and the sign flag, which are always written together."""
BOTH = frozenset({CF, OF})
ALL = BOTH | {SIGNS}
NONE: frozenset[str] = frozenset()


class OperandForm(Enum):
    """How an instruction's operands are printed."""

    OPERANDS = "each once"
    TWICE = "one register, twice"
    TWICE_LOW = "the low half of one register, twice"
    LOW = "the low half of a register, and a number"
    DOUBLED = "a register and the sum of another with itself"
    SUM = "a register and the sum of two others"


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
    encode: Encoder | None = None
    """Encode operands as bytes; None for what is never emitted."""
    form: OperandForm = OperandForm.OPERANDS
    spelled: str = ""
    """The spelling of assemblers, if it differs from the mnemonic."""
    needs_size: bool = False
    """Whether GNU's syntax must say that a memory operand is a word of 64 bits."""

    @property
    def spelling(self) -> str:
        """The mnemonic as assemblers write it."""
        return self.spelled or self.mnemonic


_CF, _OF, _SIGNS = frozenset({CF}), frozenset({OF}), frozenset({SIGNS})


def _sum(mnemonic: str, row: int, carries: bool = False, commutes: bool = True) -> Instruction:
    """Arithmetic of two words, the second one in memory perhaps, which leaves both flags."""
    reads = _CF if carries else NONE
    encode = encoding.arithmetic(row)
    return Instruction(
        mnemonic, 1, 2, True, commutes, 1, reads_flags=reads, writes_flags=ALL, encode=encode
    )


def _chain(mnemonic: str, flag: frozenset[str], prefix: bytes) -> Instruction:
    """A link of one of two carry chains: it reads and writes its own flag alone."""
    encode = encoding.into_register(b"\x0f\x38\xf6", prefix)
    return Instruction(
        mnemonic,
        *(1, 2, True, True, 1),
        reads_flags=flag,
        writes_flags=flag,
        feature="adx",
        encode=encode,
    )


def _move_if(mnemonic: str, opcode: bytes, flag: frozenset[str] = _CF) -> Instruction:
    encode = encoding.into_register(opcode)
    return Instruction(mnemonic, 1, 2, tied=True, memory=1, reads_flags=flag, encode=encode)


INSTRUCTIONS: dict[str, Instruction] = {
    row.mnemonic: row
    for row in (
        Instruction("mov", 1, 1, memory=0, encode=encoding.mov, needs_size=True),
        Instruction("movabs", 1, 1, encode=encoding.movabs),
        Instruction("lea", 1, 1, memory=0, encode=encoding.into_register(b"\x8d")),
        Instruction(
            "mulx",
            *(2, 2),
            memory=0,
            fixed_reads=((1, "rdx"),),
            feature="bmi2",
            encode=encoding.mulx,
        ),
        Instruction(
            "mul",
            *(2, 2),
            memory=0,
            writes_flags=ALL,
            fixed_reads=((1, "rax"),),
            fixed_writes=((0, "rdx"), (1, "rax")),
            encode=encoding.group(b"\xf7", 4),
            needs_size=True,
        ),
        Instruction(
            "imul",
            *(1, 2, True, True, 1),
            writes_flags=ALL,
            encode=encoding.into_register(b"\x0f\xaf"),
        ),
        _sum("add", 0),
        _sum("adc", 2, carries=True),
        _chain("adcx", _CF, b"\x66"),
        _chain("adox", _OF, b"\xf3"),
        _sum("sub", 5, commutes=False),
        _sum("sbb", 3, carries=True, commutes=False),
        _sum("and", 4),
        _sum("or", 1),
        _move_if("cmovc", b"\x0f\x42"),
        _move_if("cmovnc", b"\x0f\x43"),
        _move_if("cmove", b"\x0f\x44", _SIGNS),
        _move_if("cmovne", b"\x0f\x45", _SIGNS),
        Instruction("shld", 1, 3, tied=True, writes_flags=ALL, encode=encoding.shld),
        Instruction("shl", 1, 2, tied=True, writes_flags=ALL, encode=encoding.shift(4)),
        Instruction("shr", 1, 2, tied=True, writes_flags=ALL, encode=encoding.shift(5)),
        Instruction("sar", 1, 2, tied=True, writes_flags=ALL, encode=encoding.shift(7)),
        Instruction("neg", 1, 1, tied=True, writes_flags=ALL, encode=encoding.group(b"\xf7", 3)),
        Instruction("cmp", 0, 2, writes_flags=ALL, encode=encoding.arithmetic(7)),
        # Idioms: xor r, r is 0 and clears both flags; sbb r, r is the carry flag as a mask. `clear`
        # is xor r, r on a register that is free, or test rsp, rsp where none is.
        Instruction(
            "xor",
            *(1, 0),
            writes_flags=ALL,
            encode=encoding.itself(b"\x31", wide=0),
            form=OperandForm.TWICE_LOW,
        ),
        Instruction("clear", 0, 0, writes_flags=ALL),
        Instruction("test", 0, 2, writes_flags=ALL, encode=encoding.registers(b"\x85")),
        Instruction(
            "test_low",
            *(0, 2),
            writes_flags=ALL,
            encode=encoding.test_low,
            form=OperandForm.LOW,
            spelled="test",
        ),
        Instruction(
            "sbb_mask",
            *(1, 0),
            reads_flags=_CF,
            writes_flags=ALL,
            encode=encoding.itself(b"\x19"),
            form=OperandForm.TWICE,
            spelled="sbb",
        ),
        Instruction(
            "lea_double", 1, 1, encode=encoding.lea_double, form=OperandForm.DOUBLED, spelled="lea"
        ),
        Instruction("lea_sum", 1, 2, encode=encoding.lea_sum, form=OperandForm.SUM, spelled="lea"),
        Instruction("store", 0, 2, encode=encoding.mov, spelled="mov", needs_size=True),
        Instruction("push", 0, 1, encode=encoding.stack(0x50)),
        Instruction("pop", 1, 0, encode=encoding.stack(0x58)),
        Instruction("ret", 0, 0, encode=encoding.fixed(b"\xc3")),
    )
}

RETURNED = Instruction("returned", 0, 0)
"""Reads the words of a result that is left in registers; no instruction, and never printed."""


@dataclass(frozen=True)
class VirtualCode:
    """An instruction over virtual registers."""

    row: Instruction
    writes: tuple[Virtual, ...]
    reads: tuple[Operand, ...]
    remark: str = ""


@dataclass(frozen=True)
class Physical:
    """An instruction as the processor runs it."""

    mnemonic: str
    operands: tuple[Placed, ...]
    remark: str = ""
