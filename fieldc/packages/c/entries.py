"""How Windows calls kernels on arrays, which have the convention of System V on every system.

An entry saves what Windows wants kept, moves the arguments and calls its kernel. Its proof says why
that is enough (fieldc/proof/lanes/entry.py).
"""

from __future__ import annotations

from collections.abc import Mapping

from fieldc.artifacts.entries import entry_of
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.x86_64.conventions import SYSV, WIN64

VECTORS = [f"xmm{i}" for i in range(6, 16)]
"""What Windows wants kept of vectors."""
VECTOR, WORD = 16, 8
"""Bytes of one of them, and of a register."""
SHADOW = 32
"""Bytes above a return address that Windows has for the first four arguments."""

START = "start"
"""The label of a kernel's first byte: a call of a symbol that others may see would be relocated."""


def entry_text(symbol: str, arguments: int) -> str:
    """An entry in the macros of the assembly file."""
    saved = [r for r in WIN64.preserved if r not in SYSV.preserved]
    pushes = [f"push {register}" for register in reversed(saved)]
    pops = [f"pop {register}" for register in saved]
    size = VECTOR * len(VECTORS) + WORD  # rsp is a multiple of 16 then
    above = size + WORD * (len(saved) + 1) + SHADOW
    on_stack = (f"[rsp + {above + WORD * i}]" for i in range(arguments))
    given = [*WIN64.arguments, *on_stack][:arguments]
    name = entry_of(symbol)
    lines = (
        *(*pushes, f"sub rsp, {size}"),
        *(f"movaps [rsp + {VECTOR * i}], {vector}" for i, vector in enumerate(VECTORS)),
        *(f"mov {to}, {x}" for to, x in zip(SYSV.arguments, given, strict=False)),
        f"call FIELDC_LOCAL({symbol}_{START})",
        *(f"movaps {vector}, [rsp + {VECTOR * i}]" for i, vector in enumerate(VECTORS)),
        *(f"add rsp, {size}", *pops, "ret"),
    )
    body = "".join(f"    {line}\n" for line in lines)
    return f"FIELDC_KERNEL({name})\n{body}FIELDC_END({name})\n"


def entries_text(kernels: Mapping[str, int]) -> str:
    """The entries of kernels, by the numbers of their arguments."""
    return "\n".join(entry_text(symbol, arguments) for symbol, arguments in kernels.items())


def called(kernel: ArrayKernel) -> str:
    """What C calls: a macro takes the kernel, or its entry on Windows."""
    return f"FIELDC_ARRAY({kernel.symbol})"
