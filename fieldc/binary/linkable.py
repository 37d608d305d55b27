"""Object files: the bytes of a function that no linker changes, from ELF, COFF or Mach-O.

A function comes with its whole section: constants and helpers beside it are read there. A
relocation in the section would change bytes after the proof, so it ends the proof.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from difflib import get_close_matches

import lief

from fieldc.binary.image import ObjectError


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
    relocated: int | None = None
    """Where the linker first changes its section: then these are not the bytes that run."""


ARCHITECTURES = {
    lief.ELF.ARCH.X86_64: "x86_64",
    lief.ELF.ARCH.AARCH64: "aarch64",
    lief.PE.Header.MACHINE_TYPES.AMD64: "x86_64",
    lief.PE.Header.MACHINE_TYPES.ARM64: "aarch64",
    lief.MachO.Header.CPU_TYPE.X86_64: "x86_64",
    lief.MachO.Header.CPU_TYPE.ARM64: "aarch64",
}


EXTERNAL_BIT = 1
"""Of a Mach-O symbol's type: other objects see it."""


def functions(data: bytes) -> dict[str, KernelCode]:
    """Every function that an object defines for others, by symbol. Raises ObjectError."""
    lief.logging.disable()
    raw = list(data)
    if data[:4] == b"\x7fELF":
        return _elf(lief.ELF.parse(raw))
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _mach_o(lief.MachO.parse(raw))
    if data[:2] in (b"\x64\x86", b"\x64\xaa"):
        return _coff(lief.COFF.parse(raw), data)
    raise ObjectError("this is no ELF, COFF or Mach-O object")


def function_of(data: bytes, symbol: str) -> KernelCode:
    """One function, by its symbol. Raises ObjectError naming the nearest one."""
    found = functions(data)
    name = symbol if symbol in found else f"_{symbol}"
    if name in found:
        place = found[name].relocated
        if place is not None:
            raise ObjectError(
                f"{name}: the linker changes its section (a relocation at {place:#x})"
            )
        return found[name]
    near = get_close_matches(symbol, found, n=1, cutoff=0)
    hint = f"the nearest is {near[0]}" if near else "it defines none"
    raise ObjectError(f"the object has no function {symbol}; {hint}")


def _architecture(machine: object) -> str:
    if machine not in ARCHITECTURES:
        raise ObjectError(f"no proofs for {machine}; there are for x86_64 and aarch64")
    return ARCHITECTURES[machine]


def _function(
    symbol: str, code: bytes, start: int, relocated: list[int], machine: str, container: str
) -> KernelCode:
    return KernelCode(symbol, code, start, machine, container, min(relocated, default=None))


def _elf(binary: lief.ELF.Binary | None) -> dict[str, KernelCode]:
    if binary is None:
        raise ObjectError("this ELF object cannot be read")
    header, kinds = binary.header, lief.ELF.Symbol.TYPE
    little = header.identity_data == lief.ELF.Header.ELF_DATA.LSB
    wide = header.identity_class == lief.ELF.Header.CLASS.ELF64
    if header.file_type != lief.ELF.Header.FILE_TYPE.REL or not little or not wide:
        raise ObjectError("this ELF file is no relocatable object of 64 bits, little-endian")
    machine = _architecture(header.machine_type)
    found = {}
    for symbol in binary.symbols:
        name, section = str(symbol.name), symbol.section
        if not name or section is None or symbol.binding != lief.ELF.Symbol.BINDING.GLOBAL:
            continue
        # Of an indirect function the symbol names what chooses it.
        if symbol.type not in (kinds.FUNC, kinds.NOTYPE) or not _is_code(section):
            continue
        places = _relocated(binary, section)
        code = bytes(section.content)
        found[name] = _function(name, code, symbol.value, places, machine, "elf")
    return found


def _is_code(section: lief.ELF.Section) -> bool:
    flags = lief.ELF.Section.FLAGS
    return bool(section.has(flags.EXECINSTR) and not section.has(flags.WRITE))


def _relocated(binary: lief.ELF.Binary, section: lief.ELF.Section) -> list[int]:
    """Where the linker changes a section; 0 where another section does that in an unknown form.

    Whatever names a section in `sh_info` changes it, but for those whose `sh_info` is a symbol.
    """
    symbolic = (lief.ELF.Section.TYPE.SYMTAB, lief.ELF.Section.TYPE.GROUP)
    sections = list(binary.sections)
    index = sections.index(section)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of types that lief does not know
        changing = [s for s in sections if s.information == index and s.type not in symbolic]
    known = [r.address for r in binary.relocations if r.section == section]
    return known if known or not (index and changing) else [0]


def _mach_o(fat: lief.MachO.FatBinary | None) -> dict[str, KernelCode]:
    binary = fat.at(0) if fat is not None else None
    if binary is None:
        raise ObjectError("this Mach-O object cannot be read")
    if binary.header.file_type != lief.MachO.Header.FILE_TYPE.OBJECT:
        raise ObjectError("this Mach-O file is no relocatable object")
    machine = _architecture(binary.header.cpu_type)
    movable = lief.MachO.Header.FLAGS.SUBSECTIONS_VIA_SYMBOLS in binary.header.flags_list
    sections = list(binary.sections)
    found = {}
    for symbol in binary.symbols:
        name, index = str(symbol.name), symbol.numberof_sections - 1
        exported = symbol.raw_type & EXTERNAL_BIT
        if not name or not exported or not 0 <= index < len(sections):
            continue
        section = sections[index]
        if section.name != "__text":
            continue
        places = [r.address - section.virtual_address for r in section.relocations]
        start, code = symbol.value - section.virtual_address, bytes(section.content)
        if movable:  # the linker may put anything behind the next symbol, and before this one
            values = (s.value for s in binary.symbols if s.numberof_sections == index + 1)
            end = min((v for v in values if v > symbol.value), default=None)
            code = code[start : None if end is None else end - section.virtual_address]
            start = 0
        found[name] = _function(name, code, start, places, machine, "mach-o")
    return found


def _coff(binary: lief.COFF.Binary | None, data: bytes) -> dict[str, KernelCode]:
    if binary is None:
        raise ObjectError("this COFF object cannot be read")
    machine = _architecture(binary.header.machine)
    found = {}
    for symbol in binary.symbols:
        section = symbol.section
        external = symbol.is_external and not symbol.is_undefined
        if section is None or not external or not symbol.name:
            continue
        if not section.has_characteristic(lief.PE.Section.CHARACTERISTICS.MEM_EXECUTE):
            continue
        places = [r.address for r in section.relocations]
        name = str(symbol.name)
        found[name] = _function(name, bytes(section.content), symbol.value, places, machine, "coff")
    return found
