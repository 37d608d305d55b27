"""Timed loops around kernels for AArch64, which walk the ring of operands (machine/ring.py).

They do what those for x86-64 do: a turn sets the pointers, calls the kernel directly and moves on
to the next cell. This overhead is part of every figure; nothing is subtracted.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from fieldc.binary.read import read_image
from fieldc.machine.assemble import assemble
from fieldc.machine.caller import Caller
from fieldc.machine.instruments import TimingError
from fieldc.machine.ring import RING, Layout, OperandMode
from fieldc.targets.aarch64.timing.clock import reading
from fieldc.targets.aarch64.virtual import number_text

WARM_UP = 8
"""Calls before the clock starts."""
PAGE = 4096
STACK_OFFSET = 0xFC0
"""The page offset of a kernel's frame: see the loops for x86-64."""
MOST_OPERANDS = 7
"""The most operands that are passed in registers after the result."""
TRIPLE = "aarch64-unknown-linux-gnu"
"""On every system: the loops name nothing outside themselves."""
WORD = 4
_SAVED = [(f"x{r}", f"x{r + 1}", 16 * i) for i, r in enumerate((29, 19, 21, 23, 25, 27))]


@cache
def loops(layout: Layout, operands: OperandMode = "moving") -> Caller:
    """Return the loops for kernels of a layout. Raises TimingError for too many operands."""
    return caller_of(assemble(text(layout, operands), TRIPLE))


def text(layout: Layout, operands: OperandMode) -> str:
    """Both loops as assembly, and an end where the kernel comes. Raises TimingError."""
    if len(layout.operands) > MOST_OPERANDS:
        raise TimingError(f"kernels of 1 to {MOST_OPERANDS} operands can be timed")
    moves = operands == "moving"
    last, step = ((RING - 1) * layout.cell, _next(layout.cell)) if moves else (0, "")
    return (
        "    .text\n    .p2align 12\n"
        + _loop("fieldc_latency", layout.chain, 0, "")
        + _loop("fieldc_throughput", layout.places, last, step)
        + "    .p2align 12\n.Lkernel:\n    .globl fieldc_end\nfieldc_end:\n    ret\n"
    )


def caller_of(made: bytes) -> Caller:
    """The caller of an object of the loops."""
    image = read_image(made)
    routines = image.routines()
    end = routines["fieldc_end"].address
    region = next(r for r in image.regions if r.executable)
    code = bytes(region.data)[: end - region.address]
    entry = {name: routines[name].address - region.address for name in routines}
    words = range(0, len(code), WORD)
    sites = [at for at in words if _is_call(code[at : at + WORD])]
    return Caller(
        code,
        tuple(sites),
        {
            "latency": (entry["fieldc_latency"],),
            "throughput": (entry["fieldc_throughput"],),
        },
        unit=WORD,
    )


def _is_call(word: bytes) -> bool:
    """Whether a word is `bl`."""
    return int.from_bytes(word, "little") >> 26 == 0b100101


def _next(cell: int) -> str:
    """From a cell of the ring to the one before it, and from the first to the last."""
    return f"{_number('x9', cell)}    subs x22, x22, x9\n    csel x22, x21, x22, lo\n"


def _number(register: str, value: int) -> str:
    lines = number_text(value).format(register).split("\n")
    return "".join(f"    {line}\n" for line in lines)


def _turn(places: Sequence[int], step: str) -> str:
    """One turn: the pointers, the call, the next cell, and back to the label 1."""
    pointers = "".join(
        f"{_number(f'x{i}', place)}    add x{i}, x{i}, x10\n" for i, place in enumerate(places)
    )
    return f"    add x10, x19, x22\n{pointers}    bl .Lkernel\n{step}    subs x24, x24, #1\n"


def _loop(name: str, places: Sequence[int], last: int, step: str) -> str:
    """The text of `name(memory, count) -> ticks`.

    The stack moves to a pinned page offset below the caller's. The first calls warm up: x23 is 0
    then, and holds the first reading afterwards. x22 is the cell's offset in memory.
    """
    save = "".join(f"    stp {a}, {b}, [sp, #{at}]\n" for a, b, at in _SAVED)
    restore = "".join(f"    ldp {a}, {b}, [sp, #{at}]\n" for a, b, at in _SAVED)
    room = 16 * len(_SAVED)
    return f"""
    .globl {name}
    .p2align 6
{name}:
    sub sp, sp, #{room}
{save}    mov x26, sp
    sub x9, sp, #1, lsl #12
    and x9, x9, #-{PAGE}
    add x9, x9, #{STACK_OFFSET}
    mov sp, x9
    mov x19, x0
    mov x20, x1
{_number("x21", last)}    mov x22, x21
    mov x23, #0
    mov x24, #{WARM_UP}
    .p2align 6
1:
{_turn(places, step)}    b.ne 1b
    cbnz x23, 2f
{reading("x23")}    mov x24, x20
    b 1b
2:
{reading("x0")}    sub x0, x0, x23
    mov sp, x26
{restore}    add sp, sp, #{room}
    ret
"""
