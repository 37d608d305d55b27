"""PE of 64 bits: Windows' programs and libraries, with the functions that they export."""

from __future__ import annotations

from fieldc.binary.image import (
    Fixup,
    Image,
    ObjectError,
    Region,
    Start,
    known_architecture,
    unique,
)
from fieldc.binary.native import lief, name_of


def read_pe(data: bytes) -> Image:
    """A linked Windows file. Raises ObjectError."""
    binary = lief.PE.parse(list(data))
    if binary is None:
        raise ObjectError("this Windows program cannot be read: it is truncated or damaged")
    machine = known_architecture(str(binary.header.machine))
    base, kinds = binary.optional_header.imagebase, lief.PE.Section.CHARACTERISTICS
    regions = tuple(
        Region(
            base + s.virtual_address,
            bytes(s.content)[: s.virtual_size],
            s.virtual_size,
            s.has_characteristic(kinds.MEM_EXECUTE),
            writable=s.has_characteristic(kinds.MEM_WRITE),
        )
        for s in binary.sections
        if s.virtual_size
    )
    exported = (Start(name_of(f), base + f.address) for f in binary.exported_functions)
    # What the loader changes is not followed: reading such a place ends a proof.
    places = {base + entry.address for block in binary.relocations for entry in block.entries}
    places |= {base + entry.iat_address for library in binary.imports for entry in library.entries}
    fixups = tuple(Fixup(place, "of the loader", "", None) for place in sorted(places))
    return Image(machine, "coff", regions, unique(exported), fixups)
