"""The functions of a file, linked and counted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from fieldc.binary.image import Image, ObjectError, Routine, no_function
from fieldc.binary.read import find_routine, open_images, read_image
from fieldc.binary.relocate import Linked, link
from fieldc.counting.count import Count, counted
from fieldc.counting.decode import decode
from fieldc.counting.instructions import CodeError
from fieldc.errors import quote
from fieldc.progress import Progress


@dataclass(frozen=True)
class Counted:
    """A function with its counts, and the names of the functions it calls."""

    path: str
    member: str
    image: Image
    routine: Routine
    count: Count
    calls: tuple[str, ...]

    @property
    def size(self) -> int:
        """Bytes of its instructions."""
        return sum(instruction.size for instruction in self.count.code)

    def row(self) -> dict[str, object]:
        """The function for programs."""
        return {
            "symbol": self.routine.name,
            "file": self.path,
            "member": self.member,
            "architecture": self.image.architecture,
            "container": self.image.container,
            "address": self.routine.address,
            "bytes": self.size,
            "calls": list(self.calls),
            **self.count.row(),
        }


@dataclass(frozen=True)
class File:
    """A file of code: its images by the names of an archive's members, or one named ""."""

    path: Path
    images: dict[str, Image]

    @cached_property
    def linked(self) -> dict[str, Linked]:
        """The images with their places changed, each once."""
        return {}

    def link(self, member: str) -> Linked:
        """An image with its places changed."""
        if member not in self.linked:
            self.linked[member] = link(self.images[member])
        return self.linked[member]

    def find(self, symbol: str) -> tuple[str, Routine]:
        """The member and the function of a name. Raises ObjectError."""
        try:
            return find_routine(self.images, symbol)
        except ObjectError as error:
            raise ObjectError(f"{quote(str(self.path))}: {error}") from None

    def counted(self, symbol: str) -> Counted:
        """The counts of one function. Raises ObjectError, CodeError."""
        member, routine = self.find(symbol)
        try:
            return self._counted(member, routine)
        except CodeError as error:
            raise CodeError(f"{quote(routine.name)}: {error}") from None

    def every(self, show: Progress) -> Iterator[tuple[str, str, Counted | str]]:
        """Each function with its member, and its counts or why there are none."""
        found = [(m, r) for m, image in self.images.items() for r in image.routines().values()]
        if not found:
            raise ObjectError(f"{quote(str(self.path))}: {no_function('', [])}")
        for number, (member, routine) in enumerate(found):
            try:
                yield routine.name, member, self._counted(member, routine)
            except CodeError as error:
                yield routine.name, member, str(error)
            if len(found) > MANY:
                show("count", number + 1, len(found))

    def _counted(self, member: str, routine: Routine) -> Counted:
        linked = self.link(member)
        code = decode(linked.code(routine), linked.image.architecture, routine.address)
        targets = [i.target for i in code if i.timing in ("call", "jump") and i.target is not None]
        outside = [t for t in targets if not 0 <= t - routine.address < len(routine.code)]
        calls = tuple(dict.fromkeys(linked.name_of(target) for target in outside))
        count = counted(code, linked.image.architecture)
        return Counted(str(self.path), member, linked.image, routine, count, calls)


def count_in(data: bytes, symbol: str) -> Count:
    """The counts of a function of an object in memory. Raises ObjectError, CodeError."""
    image = read_image(data)
    _, routine = find_routine({"": image}, symbol)
    code = decode(link(image).code(routine), image.architecture, routine.address)
    return counted(code, image.architecture)


MANY = 200
"""From this many functions on progress is shown."""


def open_file(path: Path) -> File:
    """A file of code. Raises ObjectError."""
    return File(path, open_images(path))
