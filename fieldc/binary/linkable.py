"""Read a function whose bytes no linker changes, from a relocatable ELF, COFF or Mach-O object.

A proof is about the bytes in a file; what runs are the bytes in memory. They are the same only in
plain sections under plain symbols, so those are listed and all others are refused: a linker
merges, drops, replaces, compiles again or makes writable what is not plain. A function comes with
its whole section, because constants and helpers beside it are read there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache

from fieldc.binary.image import ObjectError
from fieldc.binary.native import lief, name_of, quiet
from fieldc.binary.plain_object import (
    code_name_fault,
    coff_names,
    elf_fault,
    mach_o_fault,
    names_fault,
    place_fault,
)
from fieldc.binary.read import BROKEN
from fieldc.errors import name_in_full, quote


class UnfitCode(ObjectError):
    """A function is there, but its bytes in the file may not be those that run."""

    status = 1


@dataclass(frozen=True)
class KernelCode:
    """A function: its section's bytes, where it starts, its symbol as the object writes it."""

    symbol: str
    code: bytes
    start: int
    architecture: str
    """`x86_64` or `aarch64`."""
    container: str
    """`elf`, `mach-o` or `coff`."""
    fault: str = ""
    """Why these may not be the bytes that run; empty if they are."""


ARCHITECTURES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
"""Those with proofs, by what LIEF calls them in ELF, COFF and Mach-O."""
RELOCATED = "the linker changes its section (a relocation at {:#x})"
PLACED = "its section has an address ({:#x}), which only a linked file's has"

ELF_FLAGS = 0x6
"""SHF_ALLOC | SHF_EXECINSTR, and no other: not writable, merged, grouped or compressed."""
ELF_LAST_SECTION = 0xFEFF
MACH_O_FLAGS = 0x80000400
"""S_ATTR_PURE_INSTRUCTIONS | S_ATTR_SOME_INSTRUCTIONS of type S_REGULAR."""
MACH_O_SYMBOLS = (0x0F, 0x1F)
"""N_SECT | N_EXT, with N_PEXT or without."""
MACH_O_NO_DEAD_STRIP = 0x20
"""The one bit of a symbol's description that changes nothing here."""
STABS = 0xE0
COFF_FLAGS = 0x60000020
"""CNT_CODE | MEM_EXECUTE | MEM_READ."""
COFF_ALIGNMENT = 0x00F00000
COFF_ALIGNMENT_UNIT = 0x00100000


OBJECTS = 8
"""How many objects are kept as they were read."""


def functions(data: bytes) -> dict[str, KernelCode]:
    """Return every function that an object defines for others and that is plain, by symbol.

    Raises ObjectError if the bytes are no object that can be read.
    """
    return {one.symbol: one for one in _candidates(data) if not one.fault}


def function_of(data: bytes, symbol: str) -> KernelCode:
    """Return one function by its symbol, which Mach-O writes with an underscore before it.

    Raises ObjectError with the nearest name if there is none, UnfitCode if it is not plain.
    """
    found = _candidates(data)
    containers = {one.container for one in found}
    prefix = "_" if containers == {"mach-o"} else ""
    wanted = prefix + symbol
    named = [one for one in found if one.symbol == wanted]
    if len(named) > 1:
        raise UnfitCode(f"{symbol}: the object has several symbols of that name")
    if named:
        (one,) = named
        if one.fault:
            raise UnfitCode(f"{one.symbol}: {one.fault}")
        return one
    others = (one.symbol for one in found if not one.fault)
    plain = [name.removeprefix(prefix) for name in others if name.startswith(prefix)]
    near = get_close_matches(symbol[:80], plain, n=1, cutoff=0)
    hint = f"the nearest is {name_in_full(near[0])}" if near else "it defines none"
    said = f" (in Mach-O {quote(wanted)})" if wanted != symbol else ""
    raise ObjectError(f"the object has no function {quote(symbol)}{said}; {hint}")


def size_of(data: bytes, symbol: str) -> int:
    """The bytes from a function up to the next one, or to the end of its section.

    Of two sections of one length the next function may be in the other: a size is for estimates.
    Raises ObjectError.
    """
    one = function_of(data, symbol)
    length = len(one.code)
    starts = {other.start for other in _candidates(data) if len(other.code) == length}
    return min((start for start in starts if start > one.start), default=length) - one.start


@lru_cache(maxsize=OBJECTS)
def _candidates(data: bytes) -> Sequence[KernelCode]:
    """Every named symbol that has a place, with what speaks against it.

    An object is read once, however many of its functions are proved: a package has hundreds.
    """
    readers = {
        b"\x7fELF": _elf,
        b"\xcf\xfa\xed\xfe": _mach_o,
        b"\x64\x86": _coff,
        b"\x64\xaa": _coff,
    }
    read = next((read for magic, read in readers.items() if data.startswith(magic)), None)
    if read is None:
        raise ObjectError("this is no ELF, COFF or Mach-O object of 64 bits")
    try:
        with quiet():
            return tuple(read(data))
    except BROKEN:
        raise ObjectError("the object cannot be read: it is truncated or damaged") from None


def _architecture(machine: object) -> str:
    name = str(machine).rpartition(".")[2].lower()
    if name not in ARCHITECTURES:
        which = f"machine {name}" if name.isdecimal() else name
        raise ObjectError(f"there are proofs for x86_64 and aarch64, not for {which}")
    return ARCHITECTURES[name]


def _first(*faults: str) -> str:
    return next((fault for fault in faults if fault), "")


def _repeated(names: Iterable[str]) -> frozenset[str]:
    return frozenset(name for name, count in Counter(names).items() if count > 1)


def _elf(data: bytes) -> list[KernelCode]:
    binary = lief.ELF.parse(list(data))
    if binary is None:
        raise ObjectError("the object cannot be read: it is truncated or damaged")
    header = binary.header
    little = header.identity_data == lief.ELF.Header.ELF_DATA.LSB
    wide = header.identity_class == lief.ELF.Header.CLASS.ELF64
    if header.file_type != lief.ELF.Header.FILE_TYPE.REL or not little or not wide:
        raise ObjectError("this ELF file is no relocatable object of 64 bits, little-endian")
    machine = _architecture(header.machine_type)
    sections, symbols = list(binary.sections), list(binary.symtab_symbols)
    moved = _elf_relocated(binary)
    faults = [_elf_section_fault(moved, sections, index) for index in range(len(sections))]
    twice = _repeated(name_of(s) for s in symbols if s.shndx)
    file = lief.ELF.Symbol.TYPE.FILE
    whole = _first(
        names_fault(name_of(s) for s in sections),
        elf_fault(data, (name_of(s) for s in symbols if s.shndx and s.type != file)),
    )
    found = []
    for symbol in symbols:
        name, index = name_of(symbol), symbol.shndx
        if not name or not 0 < index <= ELF_LAST_SECTION or index >= len(sections):
            continue
        several = "the object has several symbols of that name" if name in twice else ""
        place = place_fault(machine, symbol.value, sections[index].alignment)
        fault = _first(_elf_symbol_fault(symbol), faults[index], several, whole, place)
        code = bytes(sections[index].content)
        if not symbol.value < len(code):
            fault = fault or "it starts outside its section"
        found.append(KernelCode(name, code, symbol.value, machine, "elf", fault))
    return found


def _elf_symbol_fault(symbol: lief.ELF.Symbol) -> str:
    kinds = lief.ELF.Symbol.TYPE
    if symbol.binding == lief.ELF.Symbol.BINDING.LOCAL:
        return "the symbol is local"
    if symbol.binding != lief.ELF.Symbol.BINDING.GLOBAL:
        return "the symbol is weak or unique: the linker may take another one"
    if symbol.type not in (kinds.FUNC, kinds.NOTYPE):  # an indirect one names what chooses it
        return "the symbol is not that of a plain function"
    return ""


def _elf_place(section: lief.ELF.Section) -> tuple[str, int, int]:
    """What tells a section from others: LIEF compares two of them by all their bytes."""
    return name_of(section), section.file_offset, section.size


def _elf_relocated(binary: lief.ELF.Binary) -> dict[tuple[str, int, int], int]:
    """The sections that relocations change, each with the first place."""
    found: dict[tuple[str, int, int], int] = {}
    for relocation in binary.relocations:
        if relocation.section is not None:
            place = _elf_place(relocation.section)
            found[place] = min(relocation.address, found.get(place, relocation.address))
    return found


def _elf_section_fault(
    moved: dict[tuple[str, int, int], int], sections: list[lief.ELF.Section], index: int
) -> str:
    section, types = sections[index], lief.ELF.Section.TYPE
    if section.type != types.PROGBITS or section.flags != ELF_FLAGS:
        return "its section is not plain code: PROGBITS, allocated, executable and nothing else"
    for group in sections:
        words = bytes(group.content) if group.type == types.GROUP else b""
        members = (int.from_bytes(words[at : at + 4], "little") for at in range(4, len(words), 4))
        if index in members:
            return "its section is in a group, of which the linker may take another one"
    # Whatever names a section in `sh_info` changes it, unless its `sh_info` is a symbol.
    changing = [
        s
        for s in sections
        if s.information == index and s.type not in (types.SYMTAB, types.GROUP) and index
    ]
    known = moved.get(_elf_place(section))
    if known is not None or changing:
        return RELOCATED.format(known or 0)
    if section.virtual_address:
        return PLACED.format(section.virtual_address)
    return code_name_fault("elf", name_of(section))


def _mach_o(data: bytes) -> list[KernelCode]:
    fat = lief.MachO.parse(list(data))
    binary = fat.at(0) if fat is not None and fat.size else None
    if binary is None:
        raise ObjectError("the object cannot be read: it is truncated or damaged")
    if binary.header.file_type != lief.MachO.Header.FILE_TYPE.OBJECT:
        raise ObjectError("this Mach-O file is no relocatable object")
    machine = _architecture(binary.header.cpu_type)
    movable = lief.MachO.Header.FLAGS.SUBSECTIONS_VIA_SYMBOLS in binary.header.flags_list
    sections, symbols = list(binary.sections), list(binary.symbols)
    whole = _first(names_fault(name_of(s) for s in sections), mach_o_fault(data))
    twice = _repeated(name_of(s) for s in symbols if not s.raw_type & STABS)
    found = []
    for symbol in symbols:
        name, index = name_of(symbol), symbol.numberof_sections - 1
        if not name or symbol.raw_type & STABS or not 0 <= index < len(sections):
            continue
        section = sections[index]
        start, code = symbol.value - section.virtual_address, bytes(section.content)
        several = "the object has several symbols of that name" if name in twice else ""
        place = place_fault(machine, start | section.virtual_address, 1 << section.alignment)
        fault = _first(_mach_o_fault(symbol, section), several, whole, place)
        if not 0 <= start < len(code):
            fault = fault or "it starts outside its section"
        if movable:  # the linker may put anything after the next symbol, and before this one
            values = (s.value for s in symbols if s.numberof_sections == index + 1)
            end = min((v for v in values if v > symbol.value), default=None)
            code = code[start : None if end is None else end - section.virtual_address]
            start = 0
        found.append(KernelCode(name, code, start, machine, "mach-o", fault))
    return found


def _mach_o_fault(symbol: lief.MachO.Symbol, section: lief.MachO.Section) -> str:
    if not symbol.raw_type & 1:
        return "the symbol is local"
    if symbol.raw_type not in MACH_O_SYMBOLS or symbol.description & ~MACH_O_NO_DEAD_STRIP:
        return "the symbol is weak, chosen at load, or not of a place in a section"
    if (str(section.segment_name), name_of(section)) != ("__TEXT", "__text"):
        return "its section is not __TEXT,__text"
    if int(section.flags) | int(section.type) != MACH_O_FLAGS:
        return "its section is not plain code: regular, of pure instructions and nothing else"
    if section.numberof_relocations:
        places = [r.address - section.virtual_address for r in section.relocations]
        return RELOCATED.format(min(places, default=0))
    return ""


def _coff(data: bytes) -> list[KernelCode]:
    binary = lief.COFF.parse(list(data))
    if binary is None:
        raise ObjectError("the object cannot be read: it is truncated or damaged")
    machine = _architecture(binary.header.machine)
    sections, symbols, names = list(binary.sections), list(binary.symbols), coff_names(data)
    classes = lief.COFF.Symbol.STORAGE_CLASS
    others = (classes.EXTERNAL, classes.WEAK_EXTERNAL)
    twice = _repeated(name_of(s) for s in symbols if s.storage_class in others)
    orders = any(n == ".drectve" and s.size for n, s in zip(names, sections, strict=True))
    told = "the object tells the linker what to do (.drectve)" if orders else ""
    whole = _first(told, names_fault(names))
    found = []
    for symbol in symbols:
        name, index = name_of(symbol), symbol.section_idx - 1
        if not name or not 0 <= index < len(sections):
            continue
        section = sections[index]
        is_external = symbol.storage_class == classes.EXTERNAL
        several = "the object has several symbols of that name" if name in twice else ""
        local = "" if is_external else "the symbol is local or weak"
        place = place_fault(machine, symbol.value, _coff_alignment(section))
        plain = _coff_section_fault(section, names[index])
        fault = _first(local, plain, several, whole, place)
        code = bytes(section.content)
        if not symbol.value < len(code):
            fault = fault or "it starts outside its section"
        found.append(KernelCode(name, code, symbol.value, machine, "coff", fault))
    return found


def _coff_alignment(section: lief.COFF.Section) -> int:
    """Bytes; 16 where the section says nothing."""
    said = (section.characteristics & COFF_ALIGNMENT) // COFF_ALIGNMENT_UNIT
    return 1 << said - 1 if said else 16


def _coff_section_fault(section: lief.COFF.Section, name: str) -> str:
    if section.characteristics & ~COFF_ALIGNMENT != COFF_FLAGS:
        return "its section is not plain code: executable, readable and nothing else"
    if section.numberof_relocations:
        return RELOCATED.format(min((r.address for r in section.relocations), default=0))
    if section.virtual_address:
        return PLACED.format(section.virtual_address)
    return code_name_fault("coff", name)
