"""Assembles loops that stand before a kernel and call it."""

from __future__ import annotations

import ctypes
import re
from collections.abc import Mapping

from fieldc.machine.assemble import assemble
from fieldc.machine.caller import Caller
from fieldc.machine.load import load
from fieldc.machine.results import Mode

_CALL = re.compile(r"^\s*call kernel$", re.M)
_BEGIN, _END, _SITES = "fieldc_begin", "fieldc_end", "fieldc_sites"


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
