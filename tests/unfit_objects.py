"""Objects whose bytes in the file may not be those that run, each by one difference."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass

from fieldc.machine.assemble import assemble

LINUX, MACOS, WINDOWS = "x86_64-linux-gnu", "x86_64-apple-macos", "x86_64-pc-windows-msvc"
MAGIC_MACH_O = b"\xcf\xfa\xed\xfe"
Patch = Callable[[bytearray], None]


def _unchanged(data: bytearray) -> None:
    return None


@dataclass(frozen=True)
class Unfit:
    """Assembly before the function `f` (with Mach-O's underscore) and after it, then a patch."""

    triple: str = LINUX
    head: str = ".text\n.globl f\nf:\n"
    tail: str = ""
    patch: Patch = _unchanged
    why: str = "plain"
    """Part of the prover's message."""

    def object(self, body: str) -> bytes:
        """The object around a function's instructions, in Intel syntax."""
        text = f".intel_syntax noprefix\n{self.head}{body}\n{self.tail}"
        data = bytearray(assemble(text, self.triple))
        self.patch(data)
        return bytes(data)


def elf_section(name: bytes, offset: int, form: str, value: int | bytes) -> Patch:
    """A field of the header of an ELF section; the old value is combined by or if it is flags."""

    def patch(data: bytearray) -> None:
        (table,) = struct.unpack_from("<Q", data, 0x28)
        count, strings = struct.unpack_from("<HH", data, 0x3C)
        (names,) = struct.unpack_from("<Q", data, table + 64 * strings + 24)
        for header in range(table, table + 64 * count, 64):
            (at,) = struct.unpack_from("<I", data, header)
            if data[names + at :].startswith(name + b"\0"):
                struct.pack_into(form, data, header + offset, value)

    return patch


def elf_symbol(offset: int, form: str, value: int) -> Patch:
    """A field of the last ELF symbol, which is `f`."""

    def patch(data: bytearray) -> None:
        (table,) = struct.unpack_from("<Q", data, 0x28)
        (count,) = struct.unpack_from("<H", data, 0x3C)
        for header in range(table, table + 64 * count, 64):
            (kind,) = struct.unpack_from("<I", data, header + 4)
            if kind == 2:
                place, size = struct.unpack_from("<QQ", data, header + 24)
                struct.pack_into(form, data, place + size - 24 + offset, value)

    return patch


def mach_o_section(offset: int, form: str, value: int | bytes) -> Patch:
    """A field of the first section of a Mach-O object's segment."""

    def patch(data: bytearray) -> None:
        struct.pack_into(form, data, 32 + 72 + offset, value)

    return patch


def mach_o_symbol(offset: int, form: str, value: int) -> Patch:
    """A field of the first Mach-O symbol, which is `_f`."""

    def patch(data: bytearray) -> None:
        (count,) = struct.unpack_from("<I", data, 16)
        at = 32
        for _ in range(count):
            command, size = struct.unpack_from("<II", data, at)
            if command == 2:
                (symbols,) = struct.unpack_from("<I", data, at + 8)
                struct.pack_into(form, data, symbols + offset, value)
            at += size

    return patch


def coff_section(flags: int) -> Patch:
    """More characteristics of the first COFF section."""

    def patch(data: bytearray) -> None:
        (old,) = struct.unpack_from("<I", data, 20 + 36)
        struct.pack_into("<I", data, 20 + 36, old | flags)

    return patch


MACH_HEAD = ".globl _f\n_f:\n"
WINDOWS_HEAD = ".text\n.globl f\nf:\n"
UNFIT: dict[str, Unfit] = {
    "elf weak": Unfit(head=".text\n.weak f\nf:\n", why="weak"),
    "elf unique": Unfit(head=".text\n.globl f\n.type f, @gnu_unique_object\nf:\n", why="unique"),
    "elf data symbol": Unfit(head=".text\n.globl f\n.type f, @object\nf:\n", why="plain function"),
    "elf indirect": Unfit(
        head=".text\n.globl f\n.type f, @gnu_indirect_function\nf:\n", why="plain function"
    ),
    "elf local": Unfit(head=".text\nf:\n", why="local"),
    "elf writable": Unfit(head='.section .text.wt, "awx", @progbits\n.globl f\nf:\n'),
    "elf merged": Unfit(head='.section .text.m, "axM", @progbits, 8\n.globl f\nf:\n'),
    "elf group": Unfit(head='.section .text.g, "axG", @progbits, sig, comdat\n.globl f\nf:\n'),
    "elf group without its flag": Unfit(
        head='.section .text.g, "axG", @progbits, sig, comdat\n.globl f\nf:\n',
        patch=elf_section(b".text.g", 8, "<Q", 6),
        why="in a group",
    ),
    "elf not allocated": Unfit(patch=elf_section(b".text", 8, "<Q", 4)),
    "elf not executable": Unfit(patch=elf_section(b".text", 8, "<Q", 2)),
    "elf nobits": Unfit(patch=elf_section(b".text", 4, "<I", 8)),
    "elf note": Unfit(patch=elf_section(b".text", 4, "<I", 7)),
    "elf compressed": Unfit(patch=elf_section(b".text", 8, "<Q", 0x806)),
    "elf excluded": Unfit(patch=elf_section(b".text", 8, "<Q", 0x8000_0006)),
    "elf link order": Unfit(patch=elf_section(b".text", 8, "<Q", 0x86)),
    "elf lto": Unfit(tail='.section .gnu.lto_f, "e", @progbits\n.byte 1\n', why="link-time"),
    "elf fat llvm lto": Unfit(tail='.section .llvm.lto, "e"\n.byte 1\n', why="link-time"),
    "elf relocation": Unfit(tail=".reloc 3, R_X86_64_32, elsewhere\n", why="relocation at 0x3"),
    "elf outside": Unfit(patch=elf_symbol(8, "<Q", 0x1000), why="outside its section"),
    "mach-o weak": Unfit(MACOS, f".weak_definition _f\n{MACH_HEAD}", why="weak"),
    "mach-o resolver": Unfit(MACOS, f"{MACH_HEAD}.symbol_resolver _f\n", why="chosen at load"),
    "mach-o local": Unfit(MACOS, "_f:\n", why="local"),
    "mach-o absolute": Unfit(MACOS, MACH_HEAD, patch=mach_o_symbol(4, "<B", 3), why="not of a"),
    "mach-o alias": Unfit(MACOS, MACH_HEAD, patch=mach_o_symbol(4, "<B", 0xB), why="not of a"),
    "mach-o undefined": Unfit(MACOS, MACH_HEAD, patch=mach_o_symbol(4, "<B", 1), why="not of a"),
    "mach-o data segment": Unfit(
        MACOS, MACH_HEAD, patch=mach_o_section(16, "<16s", b"__DATA"), why="not __TEXT,__text"
    ),
    "mach-o zerofill": Unfit(MACOS, MACH_HEAD, patch=mach_o_section(64, "<I", 0x8000_0401)),
    "mach-o coalesced": Unfit(MACOS, MACH_HEAD, patch=mach_o_section(64, "<I", 0x8000_040B)),
    "mach-o debug": Unfit(MACOS, MACH_HEAD, patch=mach_o_section(64, "<I", 0x8200_0400)),
    "coff writable": Unfit(WINDOWS, patch=coff_section(0x8000_0000)),
    "coff removed": Unfit(WINDOWS, patch=coff_section(0x800)),
    "coff comdat": Unfit(
        WINDOWS, '.section .text$f, "xr", one_only, f\n.globl f\nf:\n', why="not plain code"
    ),
    "coff discarded": Unfit(WINDOWS, patch=coff_section(0x0200_0000)),
    "coff weak": Unfit(WINDOWS, ".text\n.weak f\nf:\n", why="no function"),
    "coff local": Unfit(WINDOWS, ".text\nf:\n", why="local"),
    "coff orders": Unfit(
        WINDOWS,
        tail='.section .drectve, "yni"\n.ascii " /MERGE:.text=.data"\n',
        why="tells the linker",
    ),
}
