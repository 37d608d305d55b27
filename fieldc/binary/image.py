"""A file of machine code as memory: where its bytes lie, its functions, what a linker changes.

A relocatable object has no addresses yet: its sections are laid out one after the other, from
BASE. A linked file keeps its own addresses, those that `nm` prints.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import pairwise

from fieldc.errors import UserError, name_in_full, quote

BASE = 0x10000
PAGE = 0x1000
ARCHITECTURES = ("x86_64", "aarch64", "riscv64")
MOST_NEAREST = 3


class ObjectError(UserError):
    """A file whose functions cannot be read; the message is one line."""


@dataclass(frozen=True)
class Region:
    """A stretch of memory: its bytes, and how far it goes on with zeros."""

    address: int
    data: bytes
    size: int
    executable: bool
    alignment: int = 1
    """What divides its address wherever a linker puts it."""
    writable: bool = False
    """Whether a program may change it."""


@dataclass(frozen=True)
class Fixup:
    """A place that a linker changes.

    `kind` is one of those of `relocate`, or the file's own name for one that is not known there.
    `target` is the address meant, None where another file defines `symbol`.
    """

    address: int
    kind: str
    symbol: str
    target: int | None
    addend: int = 0


@dataclass(frozen=True)
class Routine:
    """A function: its name, and its bytes at their address."""

    name: str
    address: int
    code: bytes


@dataclass(frozen=True)
class Start:
    """Where a function starts, and its size, 0 where the file does not tell."""

    name: str
    address: int
    size: int = 0


@dataclass(frozen=True)
class Image:
    """What a file puts into memory; `container` is `elf`, `mach-o` or `coff`."""

    architecture: str
    container: str
    regions: tuple[Region, ...]
    starts: tuple[Start, ...]
    fixups: tuple[Fixup, ...] = ()
    objects: tuple[Start, ...] = ()
    """Names of data, of linked ELF files."""
    labels: tuple[Start, ...] = ()
    """Local names of code without a type, of ELF files: functions of assembly, or places in one."""
    choosers: frozenset[str] = frozenset()
    """Functions that run when the file is loaded, and choose the one that their name means then."""

    @property
    def end(self) -> int:
        """Return the first page after every region."""
        return page_after(max((r.address + r.size for r in self.regions), default=BASE))

    def is_code(self, address: int) -> bool:
        """Whether the file has code at an address."""
        held = (r for r in self.regions if r.executable)
        return any(r.address <= address < r.address + len(r.data) for r in held)

    def routines(self) -> dict[str, Routine]:
        """Every function by name, in the order of addresses; equal names get their address."""
        found: dict[str, Routine] = {}
        starts = sorted(set(self.starts), key=lambda start: (start.address, start.name))
        places = sorted({start.address for start in starts})
        after = dict(pairwise(places))
        for start in starts:
            code = self._code(start, after.get(start.address))
            name = start.name if start.name not in found else f"{start.name}@{start.address:#x}"
            if code:
                found[name] = Routine(name, start.address, code)
        return found

    def _code(self, start: Start, following: int | None) -> bytes:
        for region in self.regions:
            offset = start.address - region.address
            if region.executable and 0 <= offset < len(region.data):
                end = start.address + start.size if start.size else following
                return region.data[offset : None if end is None else end - region.address]
        return b""


def no_function(symbol: str, names: Sequence[str]) -> str:
    """Why no one function is meant: one line with those that hold its name, or resemble it."""
    if not names:
        return "no function has a name here: the file is stripped, or holds only data"
    shown = nearest(symbol, names)
    holding = sum(symbol in name for name in names) if symbol else 0
    if holding:
        return f"{holding} functions have {quote(symbol)} in their names, such as {shown}"
    return f"no function {quote(symbol)}; the nearest: {shown}"


def nearest(symbol: str, names: Sequence[str]) -> str:
    """The names that hold another one, or resemble it, as a list in words."""
    holding = sorted((name for name in names if symbol and symbol in name), key=len)
    near = holding or get_close_matches(symbol[:80], names, n=MOST_NEAREST, cutoff=0)
    return ", ".join(name_in_full(name) for name in near[:MOST_NEAREST])


def page_after(address: int) -> int:
    """The address, or the next one where a page starts."""
    return -(-address // PAGE) * PAGE


def laid_out(sizes: Sequence[int]) -> list[int]:
    """Addresses for the sections of a relocatable object, each at a page of its own."""
    places, place = [], BASE
    for size in sizes:
        places.append(place)
        place = page_after(place + max(size, 1))
    return places


def known_architecture(name: str) -> str:
    """Our name of a machine, from that of a library's enumeration. Raises ObjectError."""
    last = name.rpartition(".")[2].lower()
    ours = {"amd64": "x86_64", "arm64": "aarch64", "riscv": "riscv64"}.get(last, last)
    if ours in ("none", "any", "unknown"):
        raise ObjectError("the file names no processor; it is damaged or cut short")
    if ours not in ARCHITECTURES:
        raise ObjectError(f"no decoder for {quote(last)}; there are {', '.join(ARCHITECTURES)}")
    return ours


def unique(starts: Iterable[Start]) -> tuple[Start, ...]:
    """The starts of functions, those with a name and each once."""
    return tuple(dict.fromkeys(start for start in starts if start.name))
