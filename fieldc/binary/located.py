"""Read a function from any file of machine code, with the constants that it may read.

Unlike in `linkable`, the bytes that run may differ from those of the file: another file's symbol
may take this one's place, and a loader relocates. What is assumed is said in `ASSUMED`, and
whoever proves such a function says it too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from fieldc.binary.image import PAGE, Fixup, Image, ObjectError
from fieldc.binary.named import no_address, place_of
from fieldc.binary.relocate import Linked, link
from fieldc.errors import quote

ASSUMED = (
    "the bytes of this file are those that run: nothing replaces the function or the read-only "
    "sections that it reads, and no linker moves one part of a section against another or puts "
    "a veneer between them"
)
NO_INSTRUCTION = b"\x06"
"""What stands where no code is: no instruction of x86-64, and repeated none of AArch64."""
RELATIVE = ("pc32", "branch26", "page21", "low12")
"""Places that hold a distance, which is the same wherever the file is loaded."""
MOST_CODE = 1 << 29


@dataclass(frozen=True)
class LocatedCode:
    """A function in its file's memory; every place is an offset from the lowest address."""

    symbol: str
    code: bytes
    start: int
    architecture: str
    container: str
    constants: Mapping[int, bytes]
    """What may be read, by its place."""
    unfit: frozenset[int]
    """Places of bytes that depend on where the file is loaded."""


def locate(
    image: Image, symbol: str, assumed: Mapping[str, tuple[int, bytes]] | None = None
) -> LocatedCode:
    """Return a function by its symbol, or by its address as `0x...`.

    `assumed` says what a caller takes for granted of other memory: bytes at an offset from a
    symbol. Raises ObjectError, also where the file's read-only memory has other bytes there.
    """
    linked = link(image)
    base = min((r.address for r in image.regions), default=0) // PAGE * PAGE
    end = max((r.address + r.size for r in image.regions if r.executable), default=0)
    if end - base > MOST_CODE:
        raise ObjectError("the code lies too far apart")
    name, address = place_of(image, symbol)
    code = bytearray(NO_INSTRUCTION * (end - base))
    constants: dict[int, bytes] = {}
    for region, held in linked.memory[: len(image.regions)]:  # less the table of addresses
        if region.executable:
            code[region.address - base : region.address - base + len(held)] = held
        if not region.writable and region.size:
            for start, piece in _untouched(region.address, bytes(held), image.fixups):
                constants[start - base] = piece
    for other, (offset, taken) in (assumed or {}).items():
        at = _symbol(image, linked, other) + offset - base
        if _stands_otherwise(constants, at, taken):
            place = f"{quote(other)}+{offset}"
            raise ObjectError(
                f"memory at {place}: the file, or the contract, has other bytes there"
            )
        constants[at] = taken
    unfit = frozenset(
        fixup.address - base + k
        for fixup in image.fixups
        if fixup.kind not in RELATIVE
        for k in range(8)
        if fixup.address < end
    )
    return LocatedCode(
        name, bytes(code), address - base, image.architecture, image.container, constants, unfit
    )


def _stands_otherwise(constants: Mapping[int, bytes], at: int, taken: bytes) -> bool:
    """Whether constants have another byte where others are taken for granted."""
    return any(
        0 <= (k := at + i - start) < len(piece) and piece[k] != byte
        for start, piece in constants.items()
        for i, byte in enumerate(taken)
    )


def _symbol(image: Image, linked: Linked, name: str) -> int:
    """The address of a symbol of this file, or of another one. Raises ObjectError."""
    places = {start.address for start in (*image.starts, *image.objects) if start.name == name}
    places |= {f.target for f in image.fixups if f.symbol == name and f.target is not None}
    if len(places) > 1:
        raise ObjectError(f"{len(places)} places of the file are called {quote(name)}")
    if places:
        return places.pop()
    for address, other in linked.externals.items():
        if other == name:
            return address
    if not name.startswith("0x"):
        raise ObjectError(f"no symbol {quote(name)} in the file")
    try:
        return int(name, 16)
    except ValueError:
        raise ObjectError(no_address(name)) from None


def _untouched(address: int, data: bytes, fixups: tuple[Fixup, ...]) -> Iterator[tuple[int, bytes]]:
    """The pieces of a region between the places that a linker changes."""
    end = address + len(data)
    start = address
    for place in sorted(f.address for f in fixups if address <= f.address < end):
        if place > start:
            yield start, data[start - address : place - address]
        start = max(start, place + 8)
    if start < end:
        yield start, data[start - address :]
