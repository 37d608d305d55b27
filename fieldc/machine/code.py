"""Machine code that can be written to any address: an object file, linked, with its constants."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass

from fieldc.binary.image import BASE, ObjectError
from fieldc.binary.read import find_routine, read_image
from fieldc.binary.relocate import EXTERNAL_ROOM, Linked, link
from fieldc.machine.instruments import TimingError

LINE = 64
"""Bytes of a cache line: the most that a kernel's alignment is taken to be."""


@dataclass(frozen=True)
class Code:
    """A function with all that it reads and calls, as bytes that run at any address.

    `alignment` divides every address that a linker may give the function; `start` is where the
    function begins, and a multiple of it.
    """

    data: bytes
    start: int = 0
    alignment: int = LINE
    absolute: tuple[int, ...] = ()
    """Where 8 bytes hold a place in this code as an offset from its first byte."""

    def at(self, address: int) -> bytes:
        """The bytes that run at an address."""
        if not self.absolute:
            return self.data
        moved = bytearray(self.data)
        for place in self.absolute:
            value = int.from_bytes(moved[place : place + 8], "little") + address
            moved[place : place + 8] = (value % (1 << 64)).to_bytes(8, "little")
        return bytes(moved)


def code_of(made: bytes, symbol: str) -> Code:
    """A function of an object file of this host. Raises TimingError if it cannot be moved."""
    try:
        image = read_image(made)
        _, routine = find_routine({"": image}, symbol)
    except ObjectError as error:
        raise TimingError(f"{symbol}: {error}") from None
    linked = link(image)
    if linked.unknown:
        kinds = ", ".join(sorted(set(linked.unknown.values())))
        raise TimingError(f"{symbol}: relocations of an unknown kind: {kinds}")
    pieces = [(region.address, bytes(content)) for region, content in linked.memory]
    pieces += [(address, _jump_to(name)) for address, name in linked.externals.items()]
    data = bytearray(max(address + len(content) for address, content in pieces) - BASE)
    for address, content in pieces:
        data[address - BASE : address - BASE + len(content)] = content
    absolute = tuple(place - BASE for place in _addresses(linked))
    for place in absolute:
        value = int.from_bytes(data[place : place + 8], "little") - BASE
        data[place : place + 8] = (value % (1 << 64)).to_bytes(8, "little")
    start = routine.address - BASE
    own = next(r.alignment for r in image.regions if 0 <= routine.address - r.address < r.size)
    return Code(bytes(data), start, min(LINE, own, start & -start or LINE), absolute)


def _addresses(linked: Linked) -> Iterator[int]:
    """Yield the places of whole addresses: in the linker's own table, and at fixups."""
    yield from (fixup.address for fixup in linked.image.fixups if fixup.kind == "word64")
    for table, content in linked.memory[len(linked.image.regions) :]:
        yield from range(table.address, table.address + len(content), 8)


def _jump_to(name: str) -> bytes:
    """Return a jump to a function of this process, such as one of the C library."""
    try:
        target = ctypes.cast(getattr(ctypes.CDLL(None), name), ctypes.c_void_p).value or 0
    except AttributeError:
        raise TimingError(f"the code calls {name}, which this process does not have") from None
    return b"\xff\x25" + bytes(4) + target.to_bytes(8, "little") + bytes(EXTERNAL_ROOM - 14)
