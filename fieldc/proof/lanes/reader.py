"""Reads code whose shape is fixed: what must be there, instruction by instruction."""

from __future__ import annotations

import capstone

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.x86_64.decode import decode, has_known_prefixes


class ShapeReader:
    """Reads instructions one after the other and asks for what must be there."""

    def __init__(self, code: bytes, start: int, of: str = "the loop") -> None:
        self.code, self.place, self.of = code, start, of

    def peek(self) -> capstone.CsInsn:
        found = decode(self.code, self.place)
        if not has_known_prefixes(found):
            raise ProofError(f"+{self.place:#x}: a prefix that may change what it does")
        return found

    def next(self) -> capstone.CsInsn:
        found = self.peek()
        self.place += found.size
        return found

    def has(self, mnemonic: str, operands: str) -> bool:
        """Whether the next instruction is this one, which is read then."""
        found = self.peek()
        if found.mnemonic != mnemonic or found.op_str != operands:
            return False
        self.place += found.size
        return True

    def want(self, mnemonic: str, operands: str | None = None) -> capstone.CsInsn:
        """The next instruction, which must be this one; without operands given, on any."""
        found = self.next()
        if found.mnemonic != mnemonic or operands not in (None, found.op_str):
            raise ProofError(
                f"+{found.address:#x} {found.mnemonic} {found.op_str}: "
                f"{self.of} has {mnemonic} {operands or ''} here"
            )
        return found

    def jump(self, mnemonic: str) -> int:
        return int(self.want(mnemonic).operands[0].imm)
