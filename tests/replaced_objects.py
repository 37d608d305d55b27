"""Objects of which a linker takes other bytes than a reader of one table or one name does."""

from __future__ import annotations

import struct
from base64 import b64encode
from collections.abc import Callable

from unfit_objects import (
    MACH_HEAD,
    MACOS,
    WINDOWS,
    Patch,
    Unfit,
    elf_section,
    mach_o_section,
)

from fieldc.machine.assemble import compile_ir

DRECTVE = '.section .drectve, "yni"\n.ascii " /MERGE:.text=.data"\n'
COFF_ALIGNMENTS = 0x00F00000
COFF_WEAK = 105
SHT_SYMTAB = 2
LC_SYMTAB, LC_DYSYMTAB = 2, 11


def in_decimal(place: int) -> bytes:
    """How COFF says where a section's long name is."""
    return b"/%d" % place


def in_base_64(place: int) -> bytes:
    """The same of a string table of more than 10 MB."""
    return b"//" + b64encode(place.to_bytes(6, "big"))[2:]


def coff_long_name(form: Callable[[int], bytes]) -> Patch:
    """Put the name of the section `.drectve` into the string table, and its place instead."""

    def patch(data: bytearray) -> None:
        symbols, number = struct.unpack_from("<II", data, 8)
        table = symbols + 18 * number
        (size,) = struct.unpack_from("<I", data, table)
        del data[table + size :]
        data += b".drectve\0"
        struct.pack_into("<I", data, table, size + 9)
        (count,) = struct.unpack_from("<H", data, 2)
        headers = range(20, 20 + 40 * count, 40)
        header = next(at for at in headers if data[at : at + 8] == b".drectve")
        struct.pack_into("<8s", data, header, form(size))

    return patch


def coff_weak_beside(data: bytearray) -> None:
    """Make the symbol `g` a weak, undefined `f`, for which a linker may take another one."""
    symbols, number = struct.unpack_from("<II", data, 8)
    places = range(symbols, symbols + 18 * number, 18)
    at = next(at for at in places if data[at : at + 8] == b"g".ljust(8, b"\0"))
    struct.pack_into("<8sIhHBB", data, at, b"f", 0, 0, 0x20, COFF_WEAK, 0)


def coff_field(offset: int, form: str, value: int | bytes) -> Patch:
    """A field of the header of the first COFF section."""

    def patch(data: bytearray) -> None:
        struct.pack_into(form, data, 20 + offset, value)

    return patch


def coff_alignment(exponent: int) -> Patch:
    """The alignment of the first COFF section, a power of two."""

    def patch(data: bytearray) -> None:
        (old,) = struct.unpack_from("<I", data, 20 + 36)
        new = old & ~COFF_ALIGNMENTS | exponent + 1 << 20
        struct.pack_into("<I", data, 20 + 36, new)

    return patch


def elf_second_symbols(data: bytearray) -> None:
    """Let the section `.more` be the table of symbols too."""
    (table,) = struct.unpack_from("<Q", data, 0x28)
    (count,) = struct.unpack_from("<H", data, 0x3C)
    headers = range(table, table + 64 * count, 64)
    kinds = {struct.unpack_from("<I", data, at + 4)[0]: data[at + 4 : at + 64] for at in headers}
    elf_section(b".more", 4, "<60s", bytes(kinds[SHT_SYMTAB]))(data)


def mach_o_second_symbols(data: bytearray) -> None:
    """Make the command of dynamic symbols one of symbols."""
    (count,) = struct.unpack_from("<I", data, 16)
    at = 32
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        if command == LC_DYSYMTAB:
            data[at : at + size] = struct.pack("<II", LC_SYMTAB, size).ljust(size, b"\0")
        at += size


REPLACED: dict[str, Unfit] = {
    "elf section address": Unfit(patch=elf_section(b".text", 16, "<Q", 64), why="has an address"),
    "elf link once": Unfit(
        head='.section .gnu.linkonce.t.f, "ax", @progbits\n.globl f\nf:\n', why="keeps no code"
    ),
    "elf link once beside": Unfit(
        tail='.section .gnu.linkonce.d.x, "a", @progbits\n.byte 1\n', why="may drop"
    ),
    "elf constructors": Unfit(
        head='.section .ctor, "ax", @progbits\n.globl f\nf:\n', why="'.ctor', where"
    ),
    "elf like text": Unfit(
        head='.section .text_f, "ax", @progbits\n.globl f\nf:\n', why="'.text_f', where"
    ),
    "elf version": Unfit(
        head=".text\n.symver g, f@@V1\n.globl g\ng:\nret\n.globl f\nf:\n", why="'f@@V1' has"
    ),
    "elf two symbol tables": Unfit(
        tail='.section .more, "", @progbits\n.byte 1\n',
        patch=elf_second_symbols,
        why="several symbol tables",
    ),
    "elf local by number": Unfit(
        patch=elf_section(b".symtab", 44, "<I", 3), why="its first 3 are local"
    ),
    "elf none local": Unfit(
        tail="g:\nnop\n", patch=elf_section(b".symtab", 44, "<I", 0), why="its first 0 are local"
    ),
    "elf other symbols": Unfit(
        patch=elf_section(b".symtab", 56, "<Q", 48), why="have 48 bytes, not 24"
    ),
    "mach-o no underscore": Unfit(MACOS, ".globl f\nf:\n", why="no function 'f'.*in Mach-O '_f'"),
    "mach-o two symbol tables": Unfit(
        MACOS, MACH_HEAD, patch=mach_o_second_symbols, why="several symbol tables"
    ),
    "coff section address": Unfit(
        WINDOWS, patch=coff_field(12, "<I", 0x1000), why="has an address"
    ),
    "coff weak beside": Unfit(
        WINDOWS, tail=".globl g\ng:\nret\n", patch=coff_weak_beside, why="several symbols of"
    ),
    "coff data": Unfit(
        WINDOWS, '.section .data$f, "xr"\n.globl f\nf:\n', why=r"'\.data\$f', where"
    ),
    "coff orders by a long name": Unfit(
        WINDOWS, tail=DRECTVE, patch=coff_long_name(in_decimal), why="tells the linker"
    ),
    "coff orders in base 64": Unfit(
        WINDOWS, tail=DRECTVE, patch=coff_long_name(in_base_64), why="tells the linker"
    ),
    "coff lto": Unfit(
        WINDOWS, tail='.section .gnu.lto_.decls.0, "n"\n.byte 1\n', why=r"link-time.*\.decls"
    ),
    "coff link once": Unfit(
        WINDOWS, tail='.section .gnu.linkonce.d.x, "r"\n.byte 1\n', why="may drop"
    ),
    **{
        f"coff name {name.decode()}": Unfit(
            WINDOWS, patch=coff_field(0, "<8s", name), why="not in the object's string table"
        )
        for name in (b"/9999999", b"/0", b"/4x", b"/", b"//", b"//!AAA", b"//AAB//")
    },
}
"""All are refused by name; without the patch those with one are read."""

ARM = {"elf": "aarch64-linux-gnu", "mach-o": "arm64-apple-macos", "coff": "aarch64-pc-windows-msvc"}
ARM_BODY = "define void @f() {\n  ret void\n}\n"
UNALIGNED: dict[str, Patch] = {
    "elf": elf_section(b".text", 48, "<Q", 2),
    "mach-o": mach_o_section(52, "<I", 1),
    "coff": coff_alignment(1),
}
"""Alignments of a section to 2 bytes."""


def arm_object(container: str) -> bytearray:
    """An object for AArch64 with a function `f`."""
    return bytearray(compile_ir(ARM_BODY, ARM[container], "", "").object)
