"""COFF: the relocatable objects of Windows."""

from __future__ import annotations

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
    "AMD64_ADDR64": ("word64", 0),
    "AMD64_REL32": ("pc32", -4),
    "AMD64_REL32_1": ("pc32", -5),
    "AMD64_REL32_2": ("pc32", -6),
    "AMD64_REL32_3": ("pc32", -7),
    "AMD64_REL32_4": ("pc32", -8),
    "AMD64_REL32_5": ("pc32", -9),
    "ARM64_ADDR64": ("word64", 0),
    "ARM64_BRANCH26": ("branch26", 0),
    "ARM64_PAGEBASE_REL21": ("page21", 0),
    "ARM64_PAGEOFFSET_12A": ("low12", 0),
    "ARM64_PAGEOFFSET_12L": ("low12", 0),
}
"""By the names of Microsoft's PE format, with what the field's place adds."""
NO_FUNCTION = (".", "$", "@")
"""How the names of sections and of the compiler's own symbols begin."""


def read_coff(data: bytes) -> Image:
    """A COFF object. Raises ObjectError."""
    binary = lief.COFF.parse(list(data))
    if binary is None:
        raise ObjectError("this COFF object cannot be read: it is truncated or damaged")
    machine = known_architecture(str(binary.header.machine))
    characteristics = lief.PE.Section.CHARACTERISTICS
    sections = list(binary.sections)
    place = laid_out([s.size for s in sections])
    regions = tuple(
        Region(
            at,
            bytes(s.content),
            s.size,
            s.has_characteristic(characteristics.CNT_CODE),
            writable=s.has_characteristic(characteristics.MEM_WRITE),
        )
        for at, s in zip(place, sections, strict=True)
        if s.size
    )
    code = {at.address for at in regions if at.executable}
    starts = (
        Start(name_of(s), place[s.section_idx - 1] + s.value)
        for s in binary.symbols
        if 0 < s.section_idx <= len(place) and place[s.section_idx - 1] in code and _is_function(s)
    )
    fixups = (f for at, s in zip(place, sections, strict=True) for f in _static(s, at, place))
    return Image(machine, "coff", regions, unique(starts), tuple(fixups))


def _is_function(symbol: lief.COFF.Symbol) -> bool:
    classes = lief.COFF.Symbol.STORAGE_CLASS
    if symbol.storage_class == classes.EXTERNAL:
        return True
    return symbol.storage_class == classes.STATIC and not name_of(symbol).startswith(NO_FUNCTION)


def _static(section: lief.COFF.Section, at: int, place: list[int]) -> Iterator[Fixup]:
    content = bytes(section.content)
    for relocation in section.relocations:
        offset, symbol = relocation.address, relocation.symbol
        name = str(relocation.type).rpartition(".")[2]
        kind, beyond = KINDS.get(name, (name, 0))
        width = {"word64": 8, "pc32": 4}.get(kind, 0)
        held = int.from_bytes(content[offset : offset + width], "little", signed=True)
        target, text = None, ""
        if symbol is not None:
            text, number = name_of(symbol), symbol.section_idx
            target = place[number - 1] + symbol.value if 0 < number <= len(place) else None
        yield Fixup(at + offset, kind, text, target, held + beyond)
