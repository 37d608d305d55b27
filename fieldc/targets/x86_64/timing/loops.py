"""Timed loops around System V kernels, which walk the ring of operands (machine/ring.py).

A loop is written for the lengths of a kernel's result and operands. It calls the kernel directly:
an indirect call can cost 15 to 60 cycles on a machine that guards against speculation. A turn sets
the pointers, calls the kernel and moves on to the next cell. This overhead is part of every figure;
nothing is subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fieldc.machine.caller import Caller
from fieldc.machine.instruments import TimingError
from fieldc.machine.results import Mode
from fieldc.machine.ring import RING, Layout, OperandMode
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.timing.caller import caller_of
from fieldc.targets.x86_64.timing.clock import START, STOP

WARM_UP = 8
"""Calls before the clock starts."""

_PAGE = 4096
_STACK_OFFSET = 0xFC0
"""The page offset of a kernel's frame. The ring begins at pages.OFFSET and grows towards it:
a load that shares its low 12 address bits with an earlier store to elsewhere waits for it (4K
aliasing, up to 8 %)."""
_PUSH = "\n".join(f"    push %{register}" for register in SYSV.preserved)
_POP = "\n".join(f"    pop %{register}" for register in reversed(SYSV.preserved))
MOST_OPERANDS = len(SYSV.arguments) - 1
"""The most operands that System V passes in registers after the result."""


@cache
def loops(layout: Layout, operands: OperandMode = "moving") -> Caller:
    """Return the loops for kernels of a layout. Raises TimingError for too many operands."""
    if len(layout.operands) > MOST_OPERANDS:
        raise TimingError(f"kernels of 1 to {MOST_OPERANDS} operands can be timed")
    moves = operands == "moving"
    last, step = ((RING - 1) * layout.cell, _next(layout.cell)) if moves else (0, "")
    text = _loop("fieldc_latency", layout.chain, 0, "")
    text += _loop("fieldc_throughput", layout.places, last, step)
    entries: dict[str, tuple[Mode, ...]] = {
        "fieldc_latency": ("latency",),
        "fieldc_throughput": ("throughput",),
    }
    return caller_of(text, entries)


def _next(cell: int) -> str:
    """From a cell of the ring to the one before it, and from the first to the last."""
    return f"    sub ${cell}, %rbx\n    cmovc %r12, %rbx"


def turn(places: Sequence[int], step: str) -> str:
    """One turn of a loop: the pointers, the call, the next cell, and back to the label 1."""
    pointers = "\n".join(
        f"    lea {place}(%r13,%rbx), %{register}"
        for place, register in zip(places, SYSV.arguments, strict=False)
    )
    return f"{pointers}\n    call kernel\n{step}\n    dec %r15\n    jnz 1b"


def turn_of(layout: Layout) -> str:
    """One turn of the loop that measures throughput with moving operands, without its label."""
    return turn(layout.places, _next(layout.cell))


def _loop(name: str, places: Sequence[int], last: int, step: str) -> str:
    """The text of `name(memory, count) -> ticks`.

    The stack moves to a pinned page offset below the caller's. The first calls warm up: rbp is 0
    then, and holds the first reading afterwards. rbx is the cell's offset in memory.
    """
    return f"""
    .globl {name}
    .p2align 6
{name}:
{_PUSH}
    mov %rsp, %rax
    sub ${_PAGE}, %rsp
    and $-{_PAGE}, %rsp
    add ${_STACK_OFFSET - 16}, %rsp
    mov %rax, (%rsp)
    mov %rsi, 8(%rsp)
    mov %rdi, %r13
    mov ${last}, %r12d
    mov %r12, %rbx
    xor %ebp, %ebp
    mov ${WARM_UP}, %r15d
    .p2align 6
1:
{turn(places, step)}
    test %rbp, %rbp
    jnz 2f
    {START}
    mov %rax, %rbp
    mov 8(%rsp), %r15
    jmp 1b
2:  {STOP}
    sub %rbp, %rax
    mov (%rsp), %rsp
{_POP}
    ret
"""
