"""ELF of 64 bits: relocatable objects, shared libraries and executables."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from fieldc.binary.image import (
    Fixup,
    Image,
    ObjectError,
    Region,
    Start,
    known_architecture,
    laid_out,
    unique,
)
from fieldc.binary.native import lief, name_of

KINDS = {
    "X86_64_64": "word64",
    "X86_64_GLOB_DAT": "word64",
    "X86_64_JUMP_SLOT": "word64",
    "X86_64_RELATIVE": "word64",
    "X86_64_32": "word32",
    "X86_64_32S": "word32",
    "X86_64_PC32": "pc32",
    "X86_64_PLT32": "pc32",
    "X86_64_PC64": "pc64",
    "X86_64_GOTPCREL": "got32",
    "X86_64_GOTPCRELX": "got32",
    "X86_64_REX_GOTPCRELX": "got32",
    "AARCH64_ABS64": "word64",
    "AARCH64_GLOB_DAT": "word64",
    "AARCH64_JUMP_SLOT": "word64",
    "AARCH64_RELATIVE": "word64",
    "AARCH64_ABS32": "word32",
    "AARCH64_PREL32": "pc32",
    "AARCH64_PREL64": "pc64",
    "AARCH64_CALL26": "branch26",
    "AARCH64_JUMP26": "branch26",
    "AARCH64_ADR_PREL_PG_HI21": "page21",
    "AARCH64_ADR_GOT_PAGE": "got_page21",
    "AARCH64_LD64_GOT_LO12_NC": "got_low12",
    "AARCH64_ADD_ABS_LO12_NC": "low12",
    "AARCH64_LDST8_ABS_LO12_NC": "low12",
    "AARCH64_LDST16_ABS_LO12_NC": "low12",
    "AARCH64_LDST32_ABS_LO12_NC": "low12",
    "AARCH64_LDST64_ABS_LO12_NC": "low12",
    "AARCH64_LDST128_ABS_LO12_NC": "low12",
}
"""By the names of the processors' ABI supplements, without R_."""


def _check_kind(data: bytes) -> None:
    """Raise ObjectError for 32 bits and for big-endian, some of which lief does not parse."""
    if data[4:5] == b"\x01":
        raise ObjectError("this ELF file has 32 bits; there are decoders for 64 bits only")
    if data[5:6] == b"\x02":
        raise ObjectError("this ELF file is big-endian; there are decoders for little-endian only")


def read_elf(data: bytes) -> Image:
    """An ELF file. Raises ObjectError."""
    _check_kind(data)
    binary = lief.ELF.parse(list(data))
    if binary is None or _ends_early(data):
        raise ObjectError("this ELF file cannot be read: it is truncated or damaged")
    header = binary.header
    machine = known_architecture(str(header.machine_type))
    if header.file_type == lief.ELF.Header.FILE_TYPE.REL:
        return _relocatable(binary, machine)
    regions = tuple(
        Region(
            s.virtual_address,
            bytes(s.content),
            s.virtual_size,
            s.has(s.FLAGS.X),
            writable=s.has(s.FLAGS.W),
        )
        for s in binary.segments
        if s.type == lief.ELF.Segment.TYPE.LOAD and s.virtual_size
    )
    starts = unique(_start(s, s.value) for s in binary.symbols if s.value and _is_function(s))
    fixups = tuple(_dynamic(r) for r in binary.relocations if not _relocates_nothing(r))
    objects = (s for s in binary.symbols if s.value and s.type == lief.ELF.Symbol.TYPE.OBJECT)
    held = tuple(_start(s, s.value) for s in objects)
    labels = unique(_start(s, s.value) for s in binary.symbols if s.value and _is_label(s))
    return Image(machine, "elf", regions, starts, fixups, held, labels, _choosers(binary))


def _ends_early(data: bytes) -> bool:
    """Whether a file of 64 bits ends before its table of sections does."""
    if data[4:5] != b"\2":
        return False
    (offset,) = struct.unpack_from("<Q", data, 40)
    each, number = struct.unpack_from("<HH", data, 58)
    return bool(offset + each * number > len(data))


def _start(symbol: lief.ELF.Symbol, address: int) -> Start:
    return Start(name_of(symbol), address, symbol.size)


def _chooses(symbol: lief.ELF.Symbol) -> bool:
    return bool(symbol.type == lief.ELF.Symbol.TYPE.GNU_IFUNC)


def _choosers(binary: lief.ELF.Binary) -> frozenset[str]:
    return frozenset(name_of(symbol) for symbol in binary.symbols if _chooses(symbol))


def _is_function(symbol: lief.ELF.Symbol) -> bool:
    """Assembly may leave the type out; then it is a global name, and its section must be code."""
    if symbol.shndx == 0:
        return False
    kinds = lief.ELF.Symbol.TYPE
    if symbol.type in (kinds.FUNC, kinds.GNU_IFUNC):
        return True
    return symbol.type == kinds.NOTYPE and symbol.binding != lief.ELF.Symbol.BINDING.LOCAL


def _is_label(symbol: lief.ELF.Symbol) -> bool:
    """Whether it is a local name without a type, and none that marks data in code (`$d`)."""
    kinds, local = lief.ELF.Symbol.TYPE, lief.ELF.Symbol.BINDING.LOCAL
    is_local = symbol.type == kinds.NOTYPE and symbol.binding == local
    return bool(is_local and symbol.shndx and not name_of(symbol).startswith("$"))


def _relocates_nothing(relocation: lief.ELF.Relocation) -> bool:
    return str(relocation.type).endswith("NONE")


def _dynamic(relocation: lief.ELF.Relocation) -> Fixup:
    symbol, name = relocation.symbol, _type_name(relocation)
    kind = KINDS.get(name, name)
    addend = 0 if name.endswith(("GLOB_DAT", "JUMP_SLOT")) else relocation.addend
    if symbol is None or not name_of(symbol):
        return Fixup(relocation.address, kind, "", 0, addend)
    is_known = symbol.shndx and not _chooses(symbol)
    target = symbol.value if is_known else None
    return Fixup(relocation.address, kind, name_of(symbol), target, addend)


def _type_name(relocation: lief.ELF.Relocation) -> str:
    return str(relocation.type).rpartition(".")[2]


def _relocatable(binary: lief.ELF.Binary, machine: str) -> Image:
    flags = lief.ELF.Section.FLAGS
    sections = list(binary.sections)
    kept = [i for i, s in enumerate(sections) if s.has(flags.ALLOC) and s.size]
    sizes = [sections[i].size for i in kept]
    place = dict(zip(kept, laid_out(sizes), strict=True))
    regions = tuple(
        Region(
            place[i],
            bytes(s.content),
            size,
            s.has(flags.EXECINSTR),
            max(1, s.alignment),
            s.has(flags.WRITE),
        )
        for i, s, size in zip(kept, (sections[i] for i in kept), sizes, strict=True)
    )
    code = {i: sections[i].size for i in kept if sections[i].has(flags.EXECINSTR)}
    named = [s for s in binary.symbols if s.value < code.get(s.shndx, 0)]
    starts, labels = (
        unique(_start(s, place[s.shndx] + s.value) for s in named if is_one(s))
        for is_one in (_is_function, _is_label)
    )
    fixups, choosers = tuple(_static(binary, place, sections)), _choosers(binary)
    return Image(machine, "elf", regions, starts, fixups, labels=labels, choosers=choosers)


def _static(
    binary: lief.ELF.Binary, place: dict[int, int], sections: list[lief.ELF.Section]
) -> Iterator[Fixup]:
    index = {s.file_offset: i for i, s in enumerate(sections) if i in place}
    for relocation in binary.relocations:
        at, symbol = relocation.section, relocation.symbol
        if at is None or at.file_offset not in index or _relocates_nothing(relocation):
            continue
        address = place[index[at.file_offset]] + relocation.address
        name = _type_name(relocation)
        target, text = None, ""
        if symbol is not None:
            text = name_of(symbol)
            is_known = symbol.shndx in place and not _chooses(symbol)
            target = place[symbol.shndx] + symbol.value if is_known else None
        yield Fixup(address, KINDS.get(name, name), text, target, relocation.addend)
