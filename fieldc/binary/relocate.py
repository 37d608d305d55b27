"""What a linker does to an image: every place that it changes gets its value.

Each symbol of another file gets an address after the image, where nothing lies: who calls it, or
reads it, is stopped there, and its name is known. Formulas are those of the processors' ELF
supplements: S is the target, A the addend, P the place.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

from fieldc.binary.image import PAGE, Fixup, Image, Region, Routine

EXTERNAL_ROOM = 16
"""Bytes of address space for each symbol of another file."""


@dataclass
class Linked:
    """An image with its places changed: memory that can run."""

    image: Image
    memory: list[tuple[Region, bytearray]]
    externals: dict[int, str] = field(default_factory=dict)
    """The names of other files' symbols, by the addresses they got."""
    unknown: dict[int, str] = field(default_factory=dict)
    """Places that could not be changed, and the names of their relocations."""

    def code(self, routine: Routine) -> bytes:
        """A function's bytes, changed."""
        for region, data in self.memory:
            offset = routine.address - region.address
            if 0 <= offset < len(data):
                return bytes(data[offset : offset + len(routine.code)])
        return routine.code

    def name_of(self, address: int) -> str:
        """A place by the function it is in, and how far; or the symbol of another file."""
        if name := self.external(address):
            return name
        starts, routines = self._starts
        index = bisect_right(starts, address) - 1
        offset = address - starts[index] if index >= 0 else 0
        if index < 0 or offset >= len(routines[index].code):
            return f"{address:#x}"
        name = routines[index].name
        return f"{name}+{offset:#x}" if offset else name

    @cached_property
    def _starts(self) -> tuple[list[int], list[Routine]]:
        found = sorted(self.image.routines().values(), key=lambda r: (r.address, r.name))
        return [routine.address for routine in found], found

    def external(self, address: int) -> str:
        """The symbol of another file at an address, or an empty name."""
        return self.externals.get(address - address % EXTERNAL_ROOM, "")


def link(image: Image) -> Linked:
    """The memory of an image, every fixup applied that is understood."""
    memory = [(r, bytearray(r.data[: r.size])) for r in image.regions]
    got = {name: 8 * i for i, name in enumerate(_through_table(image))}
    table = Region(image.end, bytes(8 * len(got)), 8 * len(got), False)
    linked = Linked(image, memory)
    addresses = _external_addresses(image, table)
    linked.externals = {address: name for name, address in addresses.items()}
    slots = bytearray(table.size)
    for fixup in image.fixups:
        target = addresses.get(fixup.symbol, 0) if fixup.target is None else fixup.target
        if fixup.kind.startswith("got"):
            slot = got[_slot_name(fixup)]
            slots[slot : slot + 8] = _bits(target, 8)
            target = table.address + slot
        if not _apply(linked, fixup, target):
            linked.unknown[fixup.address] = fixup.kind
    if got:
        memory.append((table, slots))
    return linked


def _slot_name(fixup: Fixup) -> tuple[str, int | None]:
    return fixup.symbol, fixup.target


def _through_table(image: Image) -> dict[tuple[str, int | None], None]:
    return dict.fromkeys(_slot_name(f) for f in image.fixups if f.kind.startswith("got"))


def _external_addresses(image: Image, table: Region) -> dict[str, int]:
    start = -(-(table.address + table.size + 1) // PAGE) * PAGE
    names = dict.fromkeys(f.symbol for f in image.fixups if f.target is None and f.symbol)
    return {name: start + EXTERNAL_ROOM * i for i, name in enumerate(names)}


def _bits(value: int, size: int) -> bytes:
    return (value % (1 << 8 * size)).to_bytes(size, "little")


def _apply(linked: Linked, fixup: Fixup, target: int) -> bool:
    """Change one place; False where its kind is not understood or no memory is there."""
    write = PATCHES.get(fixup.kind.removeprefix("got_"), PATCHES.get(fixup.kind))
    size = 8 if fixup.kind in ("word64", "pc64") else 4
    for region, data in linked.memory:
        offset = fixup.address - region.address
        if 0 <= offset <= len(data) - size:
            if write is None:
                return False
            old = int.from_bytes(data[offset : offset + size], "little")
            new = write(old, target + fixup.addend, fixup.address)
            data[offset : offset + size] = _bits(new, size)
            return True
    return False


def _page21(old: int, target: int, place: int) -> int:
    """The pages from one to the other, in the immediate of adrp."""
    pages = (target // PAGE - place // PAGE) & 0x1FFFFF
    return old & 0x9F00001F | (pages & 3) << 29 | (pages >> 2) << 5


def _low12(old: int, target: int, place: int) -> int:
    """The offset in its page, in the immediate of add, or of a load or store by its width."""
    low, scale = target % PAGE, 0
    if old & 0x3B000000 == 0x39000000:
        scale = old >> 30
        if scale == 0 and old & 0x04800000 == 0x04800000:
            scale = 4  # 16 bytes of a vector register
    return old & ~(0xFFF << 10) | (low >> scale) << 10


def _branch26(old: int, target: int, place: int) -> int:
    return old & 0xFC000000 | (target - place) >> 2 & 0x03FFFFFF


PATCHES: dict[str, Callable[[int, int, int], int]] = {
    "word64": lambda old, target, place: target,
    "word32": lambda old, target, place: target,
    "pc32": lambda old, target, place: target - place,
    "pc64": lambda old, target, place: target - place,
    "got32": lambda old, target, place: target - place,
    "branch26": _branch26,
    "page21": _page21,
    "low12": _low12,
}
"""The new value of a place, by kind: from the old one, S + A, and P."""
