"""Timed loops around System V kernels, and the ring of operands that they walk.

A loop is written for the lengths of a kernel's result and operands, and calls the kernel directly:
an indirect call can cost 15 to 60 cycles on a machine that guards against speculation. A turn sets
the pointers, calls the kernel and goes on to the next cell of the ring: that overhead is part of
every figure. Nothing is subtracted.

Throughput has two modes. With `moving` operands each call has another cell of the ring, which holds
other operands and a place of its own for the result, so no call reads what another one wrote. With
`fixed` operands every call has the same cell. That flatters: on Golden Cove a kernel takes 7 to 12
cycles less than in a program, and slower kernels overtake faster ones. Latency is a chain: the
result is written over the first operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from fieldc.machine.caller import Caller, caller_of
from fieldc.machine.clock import START, STOP
from fieldc.machine.results import Mode

Operands = Literal["moving", "fixed"]
OPERANDS: tuple[Operands, ...] = ("moving", "fixed")
"""What throughput may mean; the first is meant where nothing is said."""
RING = 16
"""Cells of the ring: sets of operands, each with a place for a result."""
WARM_UP = 8
"""Calls before the clock starts."""

_PAGE = 4096
_STACK_OFFSET = 0xFC0
"""Of a page: where a kernel's frame begins. The ring begins at memory.OFFSET and grows towards it:
a load that shares its low 12 address bits with an earlier store to elsewhere waits for it (4K
aliasing, up to 8 %)."""
_ARGUMENTS = ("rdi", "rsi", "rdx", "rcx", "r8", "r9")
_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
_PUSH = "\n".join(f"    push %{register}" for register in _SAVED)
_POP = "\n".join(f"    pop %{register}" for register in reversed(_SAVED))
MOST_OPERANDS = len(_ARGUMENTS) - 1
"""Operands that System V passes in registers, beside the result."""


@dataclass(frozen=True)
class Layout:
    """Lengths in 64-bit limbs: of the result, and of each operand. Any number of operands.

    A cell of the ring is the operands, one after the other, and the result, as a program that keeps
    them in an array of structures would have it. After the ring comes a cell for the chain, whose
    first operand has room for a result.
    """

    result: int
    operands: tuple[int, ...]

    @property
    def cell(self) -> int:
        """Bytes of a cell."""
        return 8 * (sum(self.operands) + self.result)

    @property
    def places(self) -> tuple[int, ...]:
        """Where result and operands are in a cell, in bytes."""
        return 8 * sum(self.operands), *self._after(0)

    @property
    def chain(self) -> tuple[int, ...]:
        """Where result and operands of the chain are in memory, in bytes."""
        start, first = RING * self.cell, 8 * max(self.result, *self.operands[:1])
        others = (start + first + place for place in self._after(1))
        return start, start, *others

    def _after(self, first: int) -> list[int]:
        lengths = self.operands[first:]
        return [8 * sum(lengths[:i]) for i in range(len(lengths))]

    def image(self, inputs: Sequence[Sequence[int]]) -> bytes:
        """Memory with these sets of operands, RING of them; the chain has the first set."""
        memory = bytearray(self.chain[-1] + 8 * max(self.result, *self.operands))
        for number, operands in enumerate(inputs):
            places = [number * self.cell + place for place in self.places[1:]]
            self._write(memory, places, operands)
        self._write(memory, self.chain[1:], inputs[0])
        return bytes(memory)

    def _write(self, memory: bytearray, places: Sequence[int], operands: Sequence[int]) -> None:
        for place, length, value in zip(places, self.operands, operands, strict=True):
            memory[place : place + 8 * length] = value.to_bytes(8 * length, "little")


@cache
def loops(layout: Layout, operands: Operands = "moving") -> Caller:
    """The loops for kernels of a layout."""
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


def _loop(name: str, places: Sequence[int], last: int, step: str) -> str:
    """The text of `name(memory, count) -> ticks`.

    The stack moves to a pinned page offset below the caller's. The first calls warm up: rbp is 0
    then, and holds the first reading afterwards. rbx is the cell's offset in memory.
    """
    pointers = "\n".join(
        f"    lea {place}(%r13,%rbx), %{register}"
        for place, register in zip(places, _ARGUMENTS, strict=False)
    )
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
{pointers}
    call kernel
{step}
    dec %r15
    jnz 1b
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
