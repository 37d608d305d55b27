"""The formats of object files."""

from __future__ import annotations

from enum import Enum


class ObjectFormat(Enum):
    """What an object file is; each value is how its bytes begin."""

    ELF = b"\x7fELF"
    COFF = b"\x64\x86"
    """The machine number of x86-64: the format has no other mark."""
    COFF_AARCH64 = b"\x64\xaa"
    """The same of AArch64."""
    MACH_O = b"\xcf\xfa\xed\xfe"
    WASM = b"\0asm"

    @property
    def label(self) -> str:
        """Its name for people."""
        return {"MACH_O": "Mach-O", "WASM": "wasm"}.get(self.name, self.name.partition("_")[0])
