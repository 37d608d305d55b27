"""What in an object, beside a function itself, lets a linker take other bytes than the function's.

Some of it is read here from the bytes: a library that reads objects may take one table of two,
or give a section's short name where a linker looks for the long one.
"""

from __future__ import annotations

import struct
from base64 import b64decode
from collections.abc import Iterable, Iterator

from fieldc.binary.image import ObjectError
from fieldc.errors import quote

LINK_TIME = (".gnu.lto_", ".llvm.lto", ".llvmbc", "__bitcode", "__wrap_lto", ".llvm_bundle")
"""Sections that a link may compile again instead of the code beside them."""
LINK_ONCE = ".gnu.linkonce."
"""Of sections of one such name a linker takes the first and drops the others."""
CODE = ".text"
CODE_NAMES = {"elf": (f"{CODE}.",), "coff": (f"{CODE}$", f"{CODE}.")}
"""How longer names of sections of code begin; those with a dot in COFF are MinGW's."""
INSTRUCTION = 4
"""Bytes of an instruction of AArch64, and what its place is a multiple of."""

ELF_SECTION = struct.Struct("<IIQQQQIIQQ")
ELF_SYMBOLS, ELF_SYMBOL_SIZE, ELF_BINDING = 2, 24, 4
"""The type of a table of symbols, the bytes of each, and where in it the binding is."""
COFF_HEADER, COFF_SECTION, COFF_SYMBOL = 20, 40, 18
"""Their bytes."""
MACH_O_HEADER, MACH_O_SEGMENT, MACH_O_SYMBOLS = 32, 0x19, 2


def names_fault(names: Iterable[str]) -> str:
    """Why a linker may compile or drop sections of an object by their names, if it may."""
    for name in names:
        if name.startswith(LINK_TIME):
            return f"the object has code for link-time optimisation ({name})"
        if name.startswith(LINK_ONCE):
            return f"the object has a section that a linker may drop ({name})"
    return ""


def code_name_fault(container: str, name: str) -> str:
    """Why a function in a section of this name may not be kept as code, if so."""
    if name == CODE or name.startswith(CODE_NAMES[container]):
        return ""
    return f"its section is {quote(name)}, where a linker keeps no code: that is in {CODE}"


def place_fault(architecture: str, start: int, alignment: int) -> str:
    """Why a function may not start where AArch64 has instructions, if so."""
    if architecture != "aarch64":
        return ""
    if start % INSTRUCTION:
        return f"it starts at {start:#x}, which is no multiple of {INSTRUCTION}"
    if not alignment or alignment % INSTRUCTION:
        return f"its section is aligned to {alignment}, not to a multiple of {INSTRUCTION}"
    return ""


def elf_fault(data: bytes, defined: Iterable[str]) -> str:
    """Why linkers may find other symbols in an ELF object than those that are read, if so.

    `defined` are the names of symbols that have a place in it. Raises struct.error.
    """
    (at,) = struct.unpack_from("<Q", data, 40)
    each, count = struct.unpack_from("<HH", data, 58)
    headers = (ELF_SECTION.unpack_from(data, at + each * i) for i in range(count))
    tables = [header for header in headers if header[1] == ELF_SYMBOLS]
    if len(tables) > 1:
        return "the object has several symbol tables, of which a linker may read another one"
    for *_, offset, size, _, locals_, _, each in tables:
        bindings = [info >> 4 for info in data[offset + ELF_BINDING : offset + size : each or 1]]
        if each != ELF_SYMBOL_SIZE:
            return f"the object's symbols are said to have {each} bytes, not {ELF_SYMBOL_SIZE}"
        if any(bindings[:locals_]) or not all(bindings[locals_:]):
            return f"the symbol table says that just its first {locals_} are local, which is wrong"
    versioned = next((name for name in defined if "@" in name), "")
    if versioned:
        return f"the symbol {quote(versioned)} has a version: a linker may take it for another"
    return ""


def coff_names(data: bytes) -> list[str]:
    """The names of a COFF object's sections; long ones are in the string table.

    Raises ObjectError for a name that is not there, struct.error.
    """
    count, _, symbols, number, optional = struct.unpack_from("<HIIIH", data, 2)
    at = symbols + COFF_SYMBOL * number
    strings = b""
    if symbols:
        (size,) = struct.unpack_from("<I", data, at)
        strings = data[at : at + size]
    first = COFF_HEADER + optional
    headers = range(first, first + COFF_SECTION * count, COFF_SECTION)
    return [_coff_name(data[header : header + 8], strings) for header in headers]


def _coff_name(field: bytes, strings: bytes) -> str:
    """A section's name: up to 8 bytes, `/` and a decimal place, or `//` and one in base 64."""
    short = field.partition(b"\0")[0]
    name, end = short, b"\0"
    if short.startswith(b"/"):
        place = _coff_place(short)
        name, end, _ = strings[place:].partition(b"\0") if place >= 4 else (b"", b"", b"")
    if not end:
        said = quote(short.decode("utf-8", "backslashreplace"))
        raise ObjectError(f"the section name {said} is not in the object's string table")
    return name.decode("utf-8", "backslashreplace")


def _coff_place(short: bytes) -> int:
    """The place of a long name in the string table; 0, where no name is, if it is none."""
    if short.startswith(b"//"):
        digits = short[2:].rjust(8, b"A")
        known = short[2:].translate(None, b"+/").isalnum()
        return int.from_bytes(b64decode(digits), "big") if known else 0
    return int(short[1:]) if short[1:].isdigit() else 0


def mach_o_fault(data: bytes) -> str:
    """Why linkers may read other parts of a Mach-O object, if so. Raises struct.error."""
    commands = [*_commands(data)]
    for command, what in ((MACH_O_SYMBOLS, "symbol tables"), (MACH_O_SEGMENT, "segments")):
        if commands.count(command) > 1:
            return f"the object has several {what}, of which a linker may read another one"
    return ""


def _commands(data: bytes) -> Iterator[int]:
    """The load commands of a Mach-O object."""
    (count,) = struct.unpack_from("<I", data, 16)
    at = MACH_O_HEADER
    for _ in range(count):
        command, size = struct.unpack_from("<II", data, at)
        yield command
        at += size
