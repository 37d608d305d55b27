"""The functions of an object file: their bytes, and where their jumps and calls go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from fieldc.binary.architecture import Architecture
from fieldc.binary.image import ObjectError
from fieldc.binary.native import lief, name_of


@dataclass(frozen=True)
class ScannedCode:
    """A function of an object; every place is an offset in its section."""

    name: str
    architecture: Architecture
    windows: bool
    start: int
    code: bytes
    names: dict[int, str]
    """What the linker puts at a place."""
    labels: dict[int, int]
    """Where in this section the linker makes a jump go."""
    starts: dict[int, str]
    """The functions of this section."""


@dataclass
class _Section:
    """A section with code: its functions' places and their sizes, 0 if unknown; relocations."""

    content: bytes
    symbols: dict[str, tuple[int, int]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    labels: dict[int, int] = field(default_factory=dict)

    def functions(self, architecture: Architecture, windows: bool) -> Iterator[ScannedCode]:
        starts = {place: name for name, (place, _) in self.symbols.items()}
        places = sorted(starts)
        ends = dict(zip(places, [*places[1:], len(self.content)], strict=False))
        for name, (start, size) in self.symbols.items():
            code = self.content[start : start + size if size else ends[start]]
            names, labels = self.names, self.labels
            yield ScannedCode(name, architecture, windows, start, code, names, labels, starts)

    def starting(self, place: int) -> str:
        """The function that starts at a place, or an empty name."""
        return next((name for name, (start, _) in self.symbols.items() if start == place), "")


def functions(data: bytes) -> list[ScannedCode]:
    """Every function of an object file. Raises ObjectError."""
    binary = lief.parse(data)
    if isinstance(binary, lief.ELF.Binary):
        found = [*_elf(binary)]
    elif isinstance(binary, lief.COFF.Binary):
        found = [*_coff(binary)]
    elif isinstance(binary, lief.MachO.Binary):
        found = [*_macho(binary)]
    else:
        raise ObjectError("this is no object file of ELF, COFF or Mach-O")
    if not found:
        raise ObjectError("the object has no function")
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
        raise ObjectError(f"no decoder for {name}")
    return known[name]


def _elf(binary: lief.ELF.Binary) -> Iterator[ScannedCode]:
    machine = _elf_architecture(binary.header)
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
            kept[symbol.shndx].symbols[name_of(symbol)] = (symbol.value, symbol.size)
    places = {s.file_offset: i for i, s in enumerate(binary.sections) if i in kept}
    if machine is Architecture.MIPS64EL:
        _mips64el_relocations(binary, kept)
    for relocation in binary.relocations if machine is not Architecture.MIPS64EL else ():
        at = relocation.section
        if at is not None and at.file_offset in places:
            _elf_relocation(relocation, places[at.file_offset], kept, machine)
    for section in kept.values():
        yield from section.functions(machine, False)


def _elf_architecture(header: lief.ELF.Header) -> Architecture:
    is_64_bit = header.identity_class == lief.ELF.Header.CLASS.ELF64
    is_little = header.identity_data == lief.ELF.Header.ELF_DATA.LSB
    name = str(header.machine_type).rpartition(".")[2]
    if name == "MIPS" and (is_64_bit or is_little):
        if not is_64_bit:
            return Architecture.MIPSEL
        return Architecture.MIPS64EL if is_little else Architecture.MIPS64
    if name == "ARM" and is_little:
        return Architecture.ARM
    if not is_64_bit:
        if name == "NONE":
            raise ObjectError("the file names no processor; it is damaged or cut short")
        raise ObjectError(f"no decoder for 32-bit {name}")
    return _architecture(header.machine_type)


def _elf_relocation(
    relocation: lief.ELF.Relocation,
    index: int,
    kept: dict[int, _Section],
    architecture: Architecture,
) -> None:
    symbol = relocation.symbol
    if symbol is None:
        return
    # A relocation of x86-64 counts from the end of its four bytes.
    beyond = 4 if architecture is Architecture.X86_64 else 0
    section, place = kept[index], relocation.address
    target = symbol.value + relocation.addend + beyond
    defined = kept[symbol.shndx].starting(target) if symbol.shndx in kept else ""
    if symbol.shndx == index and not defined:
        section.labels[place] = target
    else:
        section.names[place] = defined or name_of(symbol)


def _mips64el_relocations(binary: lief.ELF.Binary, kept: dict[int, _Section]) -> None:
    """Names only: four bytes of symbol and four of types, which lief takes for one number."""
    symbols = list(binary.symbols)
    for section in binary.sections:
        if section.type != lief.ELF.Section.TYPE.RELA or section.information not in kept:
            continue
        content = bytes(section.content)
        for at in range(0, len(content), 24):
            place = int.from_bytes(content[at : at + 8], "little")
            name = name_of(symbols[int.from_bytes(content[at + 8 : at + 12], "little")])
            kept[section.information].names.setdefault(place, name)


def _coff(binary: lief.COFF.Binary) -> Iterator[ScannedCode]:
    machine = _architecture(binary.header.machine)
    code = lief.PE.Section.CHARACTERISTICS.CNT_CODE
    for section in binary.sections:
        if not section.has_characteristic(code) or not len(section.content):
            continue
        found = _Section(bytes(section.content))
        for symbol in binary.symbols:
            here = symbol.section is not None and symbol.section.offset == section.offset
            if here and symbol.storage_class == lief.COFF.Symbol.STORAGE_CLASS.EXTERNAL:
                found.symbols[name_of(symbol)] = (symbol.value, 0)
        found.names = _named(section.relocations)
        yield from found.functions(machine, True)


def _macho(binary: lief.MachO.Binary) -> Iterator[ScannedCode]:
    machine = _architecture(binary.header.cpu_type)
    for number, section in enumerate(binary.sections, 1):
        if not section.has(lief.MachO.Section.FLAGS.PURE_INSTRUCTIONS):
            continue
        found = _Section(bytes(section.content))
        for symbol in binary.symbols:
            # The assembler's own labels, ltmp0, L... and .L..., start no function.
            own = name_of(symbol).startswith(("l", "L", ".L"))
            if symbol.numberof_sections == number and not own:
                place = symbol.value - section.virtual_address
                found.symbols[name_of(symbol)] = (place, 0)
        found.names = _named(section.relocations, section.offset)
        yield from found.functions(machine, False)


def _named(
    relocations: Iterable[lief.COFF.Relocation] | Iterable[lief.MachO.Relocation], start: int = 0
) -> dict[int, str]:
    return {
        relocation.address - start: name_of(relocation.symbol)
        for relocation in relocations
        if relocation.symbol is not None
    }
