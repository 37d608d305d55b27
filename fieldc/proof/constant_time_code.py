"""The functions of an object file: their bytes, and where their jumps and calls go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum

import lief


class CodeError(ValueError):
    """The bytes are no object file that can be read; the message is one line."""


class Architecture(Enum):
    """What the instructions are written for."""

    X86_64 = "x86-64"
    AARCH64 = "aarch64"
    RISCV64 = "riscv64"


@dataclass(frozen=True)
class Function:
    """A function of an object; every place is an offset in its section."""

    name: str
    architecture: Architecture
    windows: bool
    start: int
    code: bytes
    names: dict[int, str]
    """What the linker puts where, by name; also other functions of the section, by place."""
    labels: dict[int, int]
    """Where the linker makes a jump go, for places in this section."""


@dataclass
class _Section:
    """A section with code: where functions start, with their size if known, and relocations."""

    content: bytes
    symbols: dict[int, tuple[str, int]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    labels: dict[int, int] = field(default_factory=dict)

    def functions(self, architecture: Architecture, windows: bool) -> Iterator[Function]:
        starts = sorted(self.symbols)
        for start, following in zip(starts, [*starts[1:], len(self.content)], strict=True):
            name, size = self.symbols[start]
            code = self.content[start : start + size if size else following]
            known = {place: entry[0] for place, entry in self.symbols.items() if place != start}
            names = known | self.names
            yield Function(name, architecture, windows, start, code, names, self.labels)


def functions(data: bytes) -> list[Function]:
    """Every function of an object file. Raises CodeError."""
    binary = lief.parse(data)
    if isinstance(binary, lief.ELF.Binary):
        found = [*_elf(binary)]
    elif isinstance(binary, lief.COFF.Binary):
        found = [*_coff(binary)]
    elif isinstance(binary, lief.MachO.Binary):
        found = [*_macho(binary)]
    else:
        raise CodeError("this is no object file of ELF, COFF or Mach-O")
    if not found:
        raise CodeError("the object has no function")
    return found


def _architecture(machine: object) -> Architecture:
    known = {
        "X86_64": Architecture.X86_64,
        "AMD64": Architecture.X86_64,
        "AARCH64": Architecture.AARCH64,
        "ARM64": Architecture.AARCH64,
        "RISCV": Architecture.RISCV64,
    }
    name = str(machine).rpartition(".")[2]
    if name not in known:
        raise CodeError(f"no decoder for {name}")
    return known[name]


def _elf(binary: lief.ELF.Binary) -> Iterator[Function]:
    if binary.header.identity_class != lief.ELF.Header.CLASS.ELF64:
        raise CodeError("no decoder for 32-bit objects")
    code = lief.ELF.Section.FLAGS.EXECINSTR
    kept = {
        i: _Section(bytes(section.content))
        for i, section in enumerate(binary.sections)
        if section.has(code) and section.size
    }
    for symbol in binary.symbols:
        function = symbol.type == lief.ELF.Symbol.TYPE.FUNC
        # Assembly may leave the type out; then it is a global name in a section of code.
        if symbol.shndx in kept and (function or symbol.binding == lief.ELF.Symbol.BINDING.GLOBAL):
            entry = (str(symbol.name), symbol.size)
            kept[symbol.shndx].symbols.setdefault(symbol.value, entry)
    places = {s.file_offset: i for i, s in enumerate(binary.sections) if i in kept}
    for relocation in binary.relocations:
        at = relocation.section
        if at is not None and at.file_offset in places:
            _elf_relocation(relocation, places[at.file_offset], kept)
    machine = _architecture(binary.header.machine_type)
    for section in kept.values():
        yield from section.functions(machine, False)


def _elf_relocation(relocation: lief.ELF.Relocation, index: int, kept: dict[int, _Section]) -> None:
    symbol = relocation.symbol
    if symbol is None:
        return
    # A relocation of x86-64 counts from the end of its four bytes.
    beyond = 4 if relocation.type.name.startswith("X86_64") else 0
    section, place = kept[index], relocation.address
    target = symbol.value + relocation.addend + beyond
    if symbol.shndx == index and target not in section.symbols:
        section.labels[place] = target
    elif symbol.name:
        section.names[place] = str(symbol.name)
    elif symbol.shndx in kept:
        section.names[place] = kept[symbol.shndx].symbols.get(target, ("", 0))[0]


def _coff(binary: lief.COFF.Binary) -> Iterator[Function]:
    machine = _architecture(binary.header.machine)
    code = lief.PE.Section.CHARACTERISTICS.CNT_CODE
    for section in binary.sections:
        if not section.has_characteristic(code) or not len(section.content):
            continue
        found = _Section(bytes(section.content))
        for symbol in binary.symbols:
            here = symbol.section is not None and symbol.section.name == section.name
            if here and symbol.storage_class == lief.COFF.Symbol.STORAGE_CLASS.EXTERNAL:
                found.symbols[symbol.value] = (str(symbol.name), 0)
        found.names = _named(section.relocations)
        yield from found.functions(machine, True)


def _macho(binary: lief.MachO.Binary) -> Iterator[Function]:
    machine = _architecture(binary.header.cpu_type)
    for number, section in enumerate(binary.sections, 1):
        if section.name != "__text":
            continue
        found = _Section(bytes(section.content))
        for symbol in binary.symbols:
            # The assembler's own labels, ltmp0 and L..., start no function.
            if symbol.numberof_sections == number and not str(symbol.name).startswith(("l", "L")):
                place = symbol.value - section.virtual_address
                found.symbols[place] = (str(symbol.name), 0)
        found.names = _named(section.relocations)
        yield from found.functions(machine, False)


def _named(
    relocations: Iterable[lief.COFF.Relocation] | Iterable[lief.MachO.Relocation],
) -> dict[int, str]:
    return {
        relocation.address: str(relocation.symbol.name)
        for relocation in relocations
        if relocation.symbol is not None
    }
