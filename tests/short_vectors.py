"""Emulates instructions on vectors of 256 bits; what they write is 0 above that."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import capstone
from capstone import x86_const as x86

Vector = tuple[int, ...]
WORD_BYTES, WORDS = 8, 8
TO_ZERO = 3
HALF = (1 << 32) - 1
"""How MXCSR calls rounding to zero."""


class Machine(Protocol):
    """What an emulator has."""

    vectors: dict[str, Vector]
    mxcsr: int

    def load(self, address: int, count: int) -> bytes:
        """Bytes of memory."""

    def store(self, address: int, data: bytes) -> None:
        """Write bytes."""

    def address(self, i: capstone.CsInsn, memory: capstone.x86.X86OpMem) -> int:
        """Where an operand is."""


def is_short(i: capstone.CsInsn) -> bool:
    """Whether an instruction is one of these."""
    names = [i.reg_name(o.reg) for o in i.operands if o.type == x86.X86_OP_REG]
    return i.mnemonic.endswith("mxcsr") or any(name.startswith(("x", "y")) for name in names)


class ShortVectors:
    """Runs such instructions on a machine; `lanewise` and `fused` are those of the others."""

    def __init__(
        self,
        machine: Machine,
        lanewise: dict[str, Callable[..., int]],
        fused: Callable[..., int],
    ) -> None:
        self.machine, self.lanewise, self.fused = machine, lanewise, fused

    def step(self, i: capstone.CsInsn) -> bool:
        """Run one; whether it is known."""
        m, operands = i.mnemonic, i.operands
        if m == "vstmxcsr":
            place = self.machine.address(i, operands[0].mem)
            self.machine.store(place, self.machine.mxcsr.to_bytes(4, "little"))
        elif m == "vldmxcsr":
            place = self.machine.address(i, operands[0].mem)
            self.machine.mxcsr = int.from_bytes(self.machine.load(place, 4), "little")
        elif m in ("vmovdqu", "vmovdqa"):
            if m == "vmovdqa" and any(self._unaligned(i, o) for o in operands):
                return False
            self._write(i, operands[0], self._read(i, operands[1]))
        elif m == "vpbroadcastq":
            self._write(i, operands[0], self._read(i, operands[1]) * 4)
        elif m == "vpmaskmovq":
            self._masked(i)
        elif m == "vextracti128":
            half = operands[2].imm & 1
            self._write(i, operands[0], self._read(i, operands[1])[2 * half : 2 * half + 2])
        else:
            found = self._computed(i)
            if found is None:
                return False
            self._write(i, operands[0], found)
        return True

    def _unaligned(self, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> bool:
        return operand.type == x86.X86_OP_MEM and bool(
            self.machine.address(i, operand.mem) % operand.size
        )

    def _computed(self, i: capstone.CsInsn) -> Vector | None:
        m = i.mnemonic
        given = [self._read(i, operand) for operand in i.operands]
        if m == "vinserti128":
            halves = [given[1][:2], given[1][2:]]
            halves[i.operands[3].imm & 1] = given[2]
            return (*halves[0], *halves[1])
        if m in ("vpunpcklqdq", "vpunpckhqdq"):
            start = int(m == "vpunpckhqdq")
            return tuple(v[at] for at in range(start, len(given[1]), 2) for v in given[1:])
        if m == "vblendvpd":
            _, *rest = given
            return tuple(b if mask >> 63 else a for a, b, mask in zip(*rest, strict=True))
        if m == "vfmadd231pd":
            to_zero = self.machine.mxcsr >> 13 & 3 == TO_ZERO
            return tuple(self.fused(a, b, c, to_zero) for c, a, b in zip(*given, strict=True))
        if m == "vpminud":
            pairs = zip(*given[1:], strict=True)
            return tuple(min(a & HALF, b & HALF) | min(a & ~HALF, b & ~HALF) for a, b in pairs)
        compute = self.lanewise.get({"vpand": "vpandq", "vpxor": "vpxorq"}.get(m, m))
        if compute is None:
            return None
        return tuple(compute(*words) for words in zip(*given[1:], strict=True))

    def _masked(self, i: capstone.CsInsn) -> None:
        """A load or a store of the words whose masks have their top bits."""
        operands = i.operands
        is_store = operands[0].type == x86.X86_OP_MEM
        memory = operands[0] if is_store else operands[2]
        start, found = self.machine.address(i, memory.mem), list[int]()
        words = self._read(i, operands[2]) if is_store else ()
        for at, mask in enumerate(self._read(i, operands[1])):
            place, there = start + WORD_BYTES * at, bool(mask >> 63)
            if is_store and there:
                self.machine.store(place, words[at].to_bytes(WORD_BYTES, "little"))
            elif not is_store:
                data = self.machine.load(place, WORD_BYTES) if there else b""
                found.append(int.from_bytes(data, "little"))
        if not is_store:
            self._write(i, operands[0], tuple(found))

    def _read(self, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> Vector:
        if operand.type == x86.X86_OP_IMM:
            return (operand.imm & 0xFF,) * 4
        count = operand.size // WORD_BYTES
        if operand.type == x86.X86_OP_REG:
            return self.machine.vectors[f"z{i.reg_name(operand.reg)[1:]}"][:count]
        start = self.machine.address(i, operand.mem)
        places = range(start, start + operand.size, WORD_BYTES)
        return tuple(int.from_bytes(self.machine.load(at, WORD_BYTES), "little") for at in places)

    def _write(self, i: capstone.CsInsn, operand: capstone.x86.X86Op, words: Vector) -> None:
        if operand.type == x86.X86_OP_REG:
            name = f"z{i.reg_name(operand.reg)[1:]}"
            self.machine.vectors[name] = (*words, *(0,) * (WORDS - len(words)))
            return
        data = b"".join(word.to_bytes(WORD_BYTES, "little") for word in words)
        self.machine.store(self.machine.address(i, operand.mem), data)
