"""The vector instructions that all kernels on arrays are made of: one row each.

A target adds rows for its products. Operands are in Intel's order, destination first. A tied row
overwrites its first read. `memory` is the read that may be in memory: a vector, or a word of the
constants for all lanes. `any_two` says that the last two reads may change places.
"""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.targets.x86_64.operands import Immediate, Operand, Placed, Virtual


@dataclass(frozen=True)
class VectorInstruction:
    """One mnemonic. `text` is its line, with operands by their number where that is not plain."""

    mnemonic: str
    tied: bool = False
    memory: int | None = None
    any_two: bool = False
    text: str = ""
    ports: int = 1
    """How many micro-operations it takes on vector ports; loads and stores take none."""
    is_product: bool = False
    bytes: int = 0
    """Of its operand in memory, where that is no whole vector."""
    rounds_to_zero: bool = False
    """Whether it counts on MXCSR to say so."""


_ROWS = (
    VectorInstruction("vmovdqu64", memory=0, ports=0),
    VectorInstruction("vmovdqa64", memory=0, ports=0),
    VectorInstruction("vpbroadcastq", memory=0, ports=0),
    VectorInstruction("vpxorq", text="vpxorq {0}, {0}, {0}", ports=0),
    VectorInstruction("vpaddq", memory=1, any_two=True),
    VectorInstruction("add_onto", tied=True, memory=1, text="vpaddq {0}, {0}, {1}"),
    VectorInstruction("vpsubq", memory=1),
    VectorInstruction("vpmuludq", memory=1, any_two=True, is_product=True),
    VectorInstruction("vpandq", memory=1, any_two=True),
    VectorInstruction("vpsrlq", memory=0),
    VectorInstruction("vpsraq", memory=0),
    VectorInstruction("vpsllq", memory=0),
    VectorInstruction("vpternlogq", tied=True, memory=2),
    VectorInstruction("vpermi2q", tied=True, memory=2),
    VectorInstruction("vpermq", memory=1),
    VectorInstruction("blend", memory=1, text="vpblendmq {0} {{{3}}}, {1}, {2}"),
    VectorInstruction("mask", text="kmovb {0}, {1}"),
    VectorInstruction("less", text="vpcmpltuq {0}, {1}, {2}"),
    VectorInstruction("sub_where", tied=True, memory=1, text="vpsubq {0} {{{2}}}, {0}, {1}"),
    VectorInstruction("load_some", text="vmovdqu64 {0} {{{2}}}{{z}}, {1}", ports=0),
    VectorInstruction("store", text="vmovdqu64 {0}, {1}", ports=0),
    VectorInstruction("store_some", text="vmovdqu64 {0} {{{2}}}, {1}", ports=0),
)
Rows = dict[str, VectorInstruction]
INSTRUCTIONS: Rows = {row.mnemonic: row for row in _ROWS}
"""By mnemonic; our own names where a form of one has a row of its own."""


@dataclass(frozen=True)
class VectorSet:
    """The vector registers that kernels use."""

    names: tuple[str, ...]
    bytes: int
    """Of a register."""
    word: str
    """What assembly calls a vector in memory."""


ZMM = VectorSet(tuple(f"zmm{i}" for i in range(32)), 64, "zmmword")
YMM = VectorSet(tuple(f"ymm{i}" for i in range(16)), 32, "ymmword")


@dataclass(frozen=True)
class Fixed:
    """A mask register by its name, which nothing allocates."""

    name: str


@dataclass(frozen=True)
class VirtualVector:
    """An instruction on virtual registers; `write` is a new one, None for a store."""

    row: VectorInstruction
    write: Virtual | None
    reads: tuple[Operand | Fixed, ...]
    remark: str = ""


@dataclass(frozen=True)
class Vector:
    """An instruction as the processor runs it."""

    row: VectorInstruction
    operands: tuple[Placed | Fixed, ...]
    remark: str = ""


def number(value: int) -> Immediate:
    """A number in the instruction."""
    return Immediate(value)
