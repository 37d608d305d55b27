"""Code that stands before a kernel and calls it directly, wherever the kernel lies."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.machine.results import Mode

ALIGNMENT = 4096
"""The kernel with a gap of 0 begins at a multiple of this many bytes after the code."""
_CALL = re.compile(r"^\s*call kernel$", re.M)
_BEGIN, _END, _SITES = "fieldc_begin", "fieldc_end", "fieldc_sites"


@dataclass(frozen=True)
class Caller:
    """Loops of type `(memory, count) -> ticks`, and where they are in their code.

    `code` is as long as whole pages. It expects the kernel right after it; `sites` is where the
    32-bit distances of its calls are.
    """

    code: bytes
    sites: tuple[int, ...]
    loops: Mapping[Mode, tuple[int, ...]] = field(hash=False)
    """Where the loops of each mode begin: a figure is the mean over them."""
    calls: int = 1
    """Calls of a turn of the throughput loops: counts are multiples of it."""
    once: int | None = None
    """Where a System V function begins that calls the kernel once; None if the kernel is one."""

    def before(self, gap: int) -> bytes:
        """The code, for a kernel that begins `gap` bytes after it."""
        if not gap:
            return self.code
        moved = bytearray(self.code)
        for site in self.sites:
            distance = int.from_bytes(moved[site : site + 4], "little") + gap
            moved[site : site + 4] = distance.to_bytes(4, "little")
        return bytes(moved)


def caller_of(
    text: str, loops: Mapping[str, tuple[Mode, ...]], calls: int = 1, once: str = ""
) -> Caller:
    """A caller from the text of its loops, by their names; it says `call kernel` for a call.

    AT&T syntax, or Intel's if the text asks for it.
    """
    number = len(_CALL.findall(text))
    labels = iter(range(number))
    marked = _CALL.sub(lambda _: f"    call kernel\n.Lafter{next(labels)}:", text)
    sites = "".join(f"    .long .Lafter{i} - {_BEGIN} - 4\n" for i in range(number))
    head = f"    .text\n    .globl {_BEGIN}, {_END}, {_SITES}\n    .p2align 12\n{_BEGIN}:\n"
    tail = f"    .p2align 12\nkernel:\n{_END}:\n    ud2\n    .p2align 6\n{_SITES}:\n{sites}"
    library = load(assemble(f"{head}{marked}\n{tail}"))
    begin = library.address(_BEGIN)
    code = ctypes.string_at(begin, library.address(_END) - begin)
    found: dict[Mode, tuple[int, ...]] = {}
    for name, modes in loops.items():
        for mode in modes:
            found[mode] = (*found.get(mode, ()), library.address(name) - begin)
    table = (ctypes.c_uint32 * number).from_address(library.address(_SITES)) if number else ()
    start = library.address(once) - begin if once else None
    return Caller(code, tuple(table), found, calls, start)
