"""What differs between Linux, macOS and Windows around the same AArch64 instructions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from fieldc.targets.object_format import ObjectFormat


@dataclass(frozen=True)
class ArmSystem:
    """A system of AArch64: its convention as the prover names it, and GNU's text around a kernel.

    In `begin` and `end` the symbol is `{0}`, with the prefix that C's names have there.
    """

    name: str
    triple: str
    object_format: ObjectFormat
    convention: str
    begin: tuple[str, ...]
    end: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    """At the end of the file."""
    prefix: str = ""
    checked: tuple[str, ...] = ()
    """What tells a linker that the code has landing pads."""

    def text(
        self, symbol: str, head: Iterable[str], lines: Iterable[str], landing_pads: bool = False
    ) -> str:
        """A file of one kernel."""
        found = [
            *(f"// {line}" for line in head),
            *(line.format(self.prefix + symbol) for line in self.begin),
            *(line if line.endswith(":") else f"    {line}" for line in lines),
            *(line.format(self.prefix + symbol) for line in self.end),
            *self.last,
            *(self.checked if landing_pads else ()),
        ]
        return "\n".join(found) + "\n"


LINUX = ArmSystem(
    "linux",
    "aarch64-unknown-linux-gnu",
    ObjectFormat.ELF,
    "aapcs64",
    (".text", ".globl {0}", ".type {0}, %function", ".p2align 6", "{0}:"),
    (".size {0}, .-{0}",),
    ('.section .note.GNU-stack, "", %progbits',),
    checked=(
        '.section .note.gnu.property, "a", %note',
        "    .p2align 3",
        "    .word 4, 16, 5",
        '    .asciz "GNU"',
        "    .word 0xc0000000, 4, 1, 0",
    ),
)
MACOS = ArmSystem(
    "macos",
    "arm64-apple-macosx11.0.0",
    ObjectFormat.MACH_O,
    "apple",
    (".text", ".globl {0}", ".p2align 6", "{0}:"),
    (),
    (".subsections_via_symbols",),
    "_",
)
WINDOWS = ArmSystem(
    "windows",
    "aarch64-pc-windows-msvc",
    ObjectFormat.COFF_AARCH64,
    "windows",
    (".text", ".def {0}", ".scl 2", ".type 32", ".endef", ".globl {0}", ".p2align 6", "{0}:"),
)
SYSTEMS = (WINDOWS, MACOS, LINUX)
"""In the order in which a preprocessor asks; the last one is every other."""
