"""Object files: the bytes of a function that no linker changes, from ELF, COFF or Mach-O.

A function comes with its whole section: constants and helpers beside it are read there. A
relocation in the section would change bytes after the proof, so it ends the proof.
"""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches

import lief

from fieldc.proof.identity import ProofError


@dataclass(frozen=True)
class Function:
    """A function: its section's bytes, where it starts, its symbol as the object writes it."""

    symbol: str
    code: bytes
    start: int
    architecture: str
    """`x86_64` or `aarch64`."""


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


def functions(data: bytes) -> dict[str, Function]:
    """Every function that an object defines for others, by symbol. Raises ProofError."""
    lief.logging.disable()
    raw = list(data)
    if data[:4] == b"\x7fELF":
        return _elf(lief.ELF.parse(raw))
    if data[:4] == b"\xcf\xfa\xed\xfe":
        return _mach_o(lief.MachO.parse(raw))
    if data[:2] in (b"\x64\x86", b"\x64\xaa"):
        return _coff(lief.COFF.parse(raw), data)
    raise ProofError("this is no ELF, COFF or Mach-O object")


def function_of(data: bytes, symbol: str) -> Function:
    """One function, by its symbol. Raises ProofError naming the nearest one."""
    found = functions(data)
    name = symbol if symbol in found else f"_{symbol}"
    if name in found:
        return found[name]
    near = get_close_matches(symbol, found, n=1, cutoff=0)
    hint = f"the nearest is {near[0]}" if near else "it defines none"
    raise ProofError(f"the object has no function {symbol}; {hint}")


def _architecture(machine: object) -> str:
    if machine not in ARCHITECTURES:
        raise ProofError(f"no proofs for {machine}; there are for x86_64 and aarch64")
    return ARCHITECTURES[machine]


def _function(symbol: str, code: bytes, start: int, relocated: list[int], machine: str) -> Function:
    if relocated:
        place = min(relocated)
        raise ProofError(f"{symbol}: the linker changes its section (a relocation at {place:#x})")
    return Function(symbol, code, start, machine)


def _elf(binary: lief.ELF.Binary | None) -> dict[str, Function]:
    if binary is None:
        raise ProofError("this ELF object cannot be read")
    machine = _architecture(binary.header.machine_type)
    found = {}
    for symbol in binary.symbols:
        section = symbol.section
        if not symbol.name or section is None or symbol.binding != lief.ELF.Symbol.BINDING.GLOBAL:
            continue
        if not section.has(lief.ELF.Section.FLAGS.EXECINSTR):
            continue
        places = [
            r.address
            for r in binary.relocations
            if r.section is not None and r.section.name == section.name
        ]
        name = str(symbol.name)
        found[name] = _function(name, bytes(section.content), symbol.value, places, machine)
    return found


def _mach_o(fat: lief.MachO.FatBinary | None) -> dict[str, Function]:
    binary = fat.at(0) if fat is not None else None
    if binary is None:
        raise ProofError("this Mach-O object cannot be read")
    machine = _architecture(binary.header.cpu_type)
    found = {}
    for symbol in binary.symbols:
        name, sections = str(symbol.name), list(binary.sections)
        index = symbol.numberof_sections - 1
        exported = symbol.raw_type & EXTERNAL_BIT
        if not name or not exported or not 0 <= index < len(sections):
            continue
        section = sections[index]
        if section.name != "__text":
            continue
        places = [r.address - section.virtual_address for r in section.relocations]
        start = symbol.value - section.virtual_address
        found[name] = _function(name, bytes(section.content), start, places, machine)
    return found


def _coff(binary: lief.COFF.Binary | None, data: bytes) -> dict[str, Function]:
    if binary is None:
        raise ProofError("this COFF object cannot be read")
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
        found[name] = _function(name, bytes(section.content), symbol.value, places, machine)
    return found
