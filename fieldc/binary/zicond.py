"""RISC-V, "Integer Conditional (Zicond) operations": what capstone 5 does not know."""

from __future__ import annotations

from fieldc.binary.operands import DecodedRegister

_REGISTERS = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{i}" for i in range(8)),
    *(f"s{i}" for i in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
"""By number."""


def conditional_zero(code: bytes) -> tuple[str, tuple[DecodedRegister, ...]] | None:
    """Return czero.eqz or czero.nez with its registers; None for other bytes."""
    word = int.from_bytes(code[:4], "little")
    name = {5: "czero.eqz", 7: "czero.nez"}.get(word >> 12 & 7)
    if word & 0x7F != 0x33 or word >> 25 != 7 or name is None:
        return None
    return name, tuple(DecodedRegister(_REGISTERS[word >> at & 31]) for at in (7, 15, 20))
