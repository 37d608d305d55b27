"""From the bytes of a file to its image, whatever made it; what cannot be read is one line."""

from __future__ import annotations

import struct
from collections.abc import Callable
from pathlib import Path

from fieldc.binary import archive
from fieldc.binary.coff import read_coff
from fieldc.binary.elf import read_elf
from fieldc.binary.image import Image, ObjectError, Routine, no_function
from fieldc.binary.mach_o import read_mach_o
from fieldc.binary.native import quiet
from fieldc.binary.pe import read_pe
from fieldc.errors import quote
from fieldc.reading import read_bytes

READERS: dict[bytes, Callable[[bytes], Image]] = {
    b"\x7fELF": read_elf,
    b"\xcf\xfa\xed\xfe": read_mach_o,
    b"\x64\x86": read_coff,
    b"\x64\xaa": read_coff,
    b"MZ": read_pe,
}
"""By how a file begins."""
REFUSED = {
    b"\xce\xfa\xed\xfe": "a Mach-O file of 32 bits; there are decoders for 64 bits only",
    b"\xca\xfe\xba\xbe": "a universal Mach-O file; cut one architecture out: lipo -thin x86_64",
    b"\xca\xfe\xba\xbf": "a universal Mach-O file; cut one architecture out: lipo -thin x86_64",
    b"\x4c\x01": "a COFF object of 32 bits; there are decoders for 64 bits only",
    b"\0asm": "a WebAssembly module; there are decoders for x86-64, AArch64 and RISC-V",
    b"BC\xc0\xde": "LLVM bitcode, not machine code; compile it to an object file first",
}
BROKEN = (
    *(ValueError, TypeError, IndexError, KeyError, OverflowError, AttributeError, RuntimeError),
    *(MemoryError, struct.error),
)
"""What the library, and arithmetic on what it read, raise for damaged files."""


def read_image(data: bytes) -> Image:
    """The image of an object, library or executable. Raises ObjectError."""
    if not data:
        raise ObjectError("the file is empty")
    for magic, why in REFUSED.items():
        if data.startswith(magic):
            raise ObjectError(f"this is {why}")
    for magic, read in READERS.items():
        if data.startswith(magic):
            try:
                with quiet():
                    return read(data)
            except BROKEN:
                raise ObjectError("the file cannot be read: it is truncated or damaged") from None
    raise ObjectError("this is no ELF, Mach-O or COFF file")


def open_images(path: Path) -> dict[str, Image]:
    """The images of a file: one named "", or those of an archive's members. Raises ObjectError."""
    data = _bytes_of(path)
    try:
        if not data.startswith((archive.MAGIC, archive.THIN)):
            return {"": read_image(data)}
        found: dict[str, Image] = {}
        for name, body in archive.members(data):
            if not body.startswith(tuple(READERS)):
                continue
            found[name if name not in found else f"{name}#{len(found)}"] = read_image(body)
    except ObjectError as error:
        raise ObjectError(f"{quote(str(path))}: {error}") from None
    if not found:
        raise ObjectError(f"{quote(str(path))}: the archive holds no object file")
    return found


def find_routine(images: dict[str, Image], symbol: str) -> tuple[str, Routine]:
    """The member and the function of a name, of that name without Mach-O's underscore, or of a
    part of a name that only one function has.

    Raises ObjectError with the nearest names.
    """
    found = [(m, r) for m, image in images.items() for r in image.routines().values()]
    for name in (symbol, f"_{symbol}"):
        for member, routine in found:
            if routine.name == name:
                return member, routine
    holding = [pair for pair in found if symbol and symbol in pair[1].name]
    if len(holding) == 1:
        return holding[0]
    raise ObjectError(no_function(symbol, [routine.name for _, routine in found]))


def _bytes_of(path: Path) -> bytes:
    try:
        return read_bytes(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise ObjectError(f"cannot read {quote(str(path))}: {reason}") from None
