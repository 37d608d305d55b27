"""Mach-O of 64 bits: relocatable objects, and linked files as far as their bytes tell."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fieldc.binary.image import (
    BASE,
    Fixup,
    Image,
    ObjectError,
    Region,
    Start,
    known_architecture,
    unique,
)
from fieldc.binary.native import lief, name_of

KINDS = {
    "x86_64": ("word64", "pc32", "pc32", "got32", "got32", "subtractor", "pc32", "pc32", "pc32"),
    "aarch64": (
        *("word64", "subtractor", "branch26", "page21", "low12"),
        *("got_page21", "got_low12", "got pointer", "thread local", "thread local", "addend"),
    ),
}
"""By the numbers of Apple's <mach-o/x86_64/reloc.h> and <mach-o/arm64/reloc.h>."""
RELOCATION = struct.Struct("<iI")
ASSEMBLERS_OWN = ("ltmp", "l_", "L")
"""How an assembler's own labels begin; they start no function."""
CHOOSER = 0x100
"""Of a symbol's description: its code runs when the file is loaded, and chooses a function."""
STABS = 0xE0
"""Of a symbol's type: it is for a debugger."""


def read_mach_o(data: bytes) -> Image:
    """A Mach-O file of one architecture. Raises ObjectError."""
    fat = lief.MachO.parse(list(data))
    binary = fat.at(0) if fat is not None and fat.size else None
    if binary is None:
        raise ObjectError("this Mach-O file cannot be read: it is truncated or damaged")
    machine = known_architecture(str(binary.header.cpu_type))
    if binary.header.file_type == lief.MachO.Header.FILE_TYPE.OBJECT:
        return _relocatable(binary, machine, data)
    regions = tuple(
        Region(
            s.virtual_address,
            bytes(s.content),
            s.virtual_size,
            bool(s.init_protection & 4),
            writable=bool((s.init_protection | s.max_protection) & 2),
        )
        for s in binary.segments
        if s.name != "__PAGEZERO" and s.virtual_size
    )
    # What the loader changes is not followed: reading such a place ends a trace.
    places = {*(b.address for b in binary.bindings), *(r.address for r in binary.relocations)}
    fixups = tuple(Fixup(place, "of the dynamic loader", "", None) for place in sorted(places))
    starts = unique(_starts(binary, 0))
    return Image(machine, "mach-o", regions, starts, fixups, choosers=_choosers(binary))


def _choosers(binary: lief.MachO.Binary) -> frozenset[str]:
    return frozenset(name_of(s) for s in binary.symbols if s.description & CHOOSER)


def _starts(binary: lief.MachO.Binary, base: int) -> Iterator[Start]:
    sections = list(binary.sections)
    code = {i for i, s in enumerate(sections, 1) if s.name == "__text"}
    for symbol in binary.symbols:
        name = name_of(symbol)
        own = name.startswith(ASSEMBLERS_OWN) or symbol.raw_type & STABS
        if symbol.numberof_sections in code and not own:
            yield Start(name, base + symbol.value)


def _relocatable(binary: lief.MachO.Binary, machine: str, data: bytes) -> Image:
    sections = [s for s in binary.sections if s.size and s.segment_name != "__LD"]
    regions = tuple(
        Region(
            BASE + s.virtual_address,
            bytes(s.content),
            s.size,
            s.name == "__text",
            1 << s.alignment,
            s.segment_name != "__TEXT",
        )
        for s in sections
    )
    symbols = list(binary.symbols)
    fixups = tuple(f for s in sections for f in _static(s, symbols, machine, data))
    starts = unique(_starts(binary, BASE))
    return Image(machine, "mach-o", regions, starts, fixups, choosers=_choosers(binary))


def _static(
    section: lief.MachO.Section, symbols: list[lief.MachO.Symbol], machine: str, data: bytes
) -> Iterator[Fixup]:
    """The section's relocations, read here: the library loses those of the first symbol."""
    content, kinds, more = bytes(section.content), KINDS.get(machine, ()), 0
    for i in range(section.numberof_relocations):
        at = section.relocation_offset + i * RELOCATION.size
        offset, word = RELOCATION.unpack_from(data, at)
        number, kind = word & 0xFFFFFF, _kind(kinds, word)
        address = BASE + section.virtual_address + offset
        if kind == "addend":
            more = number
            continue
        held = _held(content[offset:], kind)
        if word >> 27 & 1:
            symbol = symbols[number]
            is_known = symbol.numberof_sections and not symbol.description & CHOOSER
            target = BASE + symbol.value if is_known else None
            addend = held - 4 if kind in ("pc32", "got32") else held + more
            yield Fixup(address, kind, name_of(symbol), target, addend)
        elif not word >> 24 & 1:  # of the same file, and not relative: it moves with the base
            yield Fixup(address, kind, "", BASE, held)
        more = 0


def _kind(kinds: tuple[str, ...], word: int) -> str:
    kind = kinds[word >> 28] if word >> 28 < len(kinds) else f"type {word >> 28}"
    width = 8 << (word >> 25 & 3)
    return f"{kind} of {width} bits" if kind == "word64" and width != 64 else kind


def _held(content: bytes, kind: str) -> int:
    """What the place holds already, an addend."""
    width = {"word64": 8, "pc32": 4, "got32": 4}.get(kind, 0)
    return int.from_bytes(content[:width], "little", signed=True)
