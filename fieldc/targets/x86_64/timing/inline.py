"""A kernel inside a loop that inlines it: no call, no saved registers, only the pointers again."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.machine.assemble import assemble
from fieldc.machine.ring import RING, Layout, OperandMode
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.operands import STACK, Register
from fieldc.targets.x86_64.print import GNU, print_body

TURNS = 64
"""Operations of one call of the loop."""
_TABLE = ".Lfieldc_inlined_constants"


def inlined(
    kernel: X86Kernel, layout: Layout, turns: int = TURNS, operands: OperandMode = "moving"
) -> bytes:
    """An object whose `kernel.symbol`, called like the kernel, runs its body `turns` times.

    With z on x each turn reads what the turn before wrote. Otherwise, with `moving` operands, the
    pointers are those of a ring's first cell, and each turn has another cell. System V.
    """
    saved = [f"push %{register}" for register in SYSV.preserved]
    restored = [f"pop %{register}" for register in reversed(SYSV.preserved)]
    *homes, count, offset, last = (
        f"{kernel.frame + 8 * i}(%{STACK})" for i in range(len(layout.operands) + 4)
    )
    frame = kernel.frame + 8 * (len(homes) + 3)
    pointers = list(zip(SYSV.arguments, homes, strict=False))
    chained = ["xor %eax, %eax", "cmp %rdi, %rsi", f"mov ${(RING - 1) * layout.cell}, %r8d"]
    first = [*chained, "cmove %rax, %r8", f"mov %r8, {last}", f"mov %r8, {offset}"]
    cell = [
        f"mov {offset}, %rax",
        *(f"mov {home}, %{register}" for register, home in pointers),
        *(f"add %rax, %{register}" for register, _ in pointers),
        f"sub ${layout.cell}, %rax",
        f"cmovc {last}, %rax",
        f"mov %rax, {offset}",
    ]
    same = [f"mov {home}, %{register}" for register, home in pointers]
    moves = operands == "moving"
    lines = [
        *(".text", f".globl {kernel.symbol}", ".p2align 6", f"{kernel.symbol}:"),
        *(*saved, f"sub ${frame}, %{STACK}", f"movq ${turns}, {count}"),
        *(f"mov %{register}, {home}" for register, home in pointers),
        *(first if moves else ()),
        *(".p2align 6", "1:", *(cell if moves else same)),
        *print_body(_body(kernel.code), (), GNU, _TABLE),
        *(f"decq {count}", "jnz 1b", f"add ${frame}, %{STACK}", *restored, "ret"),
        *print_body((), kernel.constants, GNU, _TABLE),
    ]
    return assemble("\n".join(lines) + "\n")


def _body(code: Sequence[Physical]) -> list[Physical]:
    """Return the code without the instructions that save registers and make a frame."""
    return [instruction for instruction in code if not _frames(instruction)]


def _frames(instruction: Physical) -> bool:
    mnemonic, operands = instruction.mnemonic, instruction.operands
    moves_stack = mnemonic in ("add", "sub") and operands[0] == Register(STACK)
    return mnemonic in ("push", "pop", "ret") or moves_stack
