"""The entry by which Windows calls a kernel on arrays, by its shape.

    push rsi; push rdi; sub rsp, 168
    movaps [rsp + 16*i], xmm(6 + i)              for i from 0 to 9
    mov rdi, rcx; mov rsi, rdx; mov rdx, r8
    mov rcx, r9                                  of four arguments and more
    mov r8, [rsp + 224]                          of five and more
    mov r9, [rsp + 232]                          of six
    call KERNEL
    movaps xmm(6 + i), [rsp + 16*i]              for i from 0 to 9
    add rsp, 168; pop rdi; pop rsi; ret

Windows has the first four arguments in rcx, rdx, r8 and r9, the others at rsp + 40 and rsp + 48.
The first three steps lower rsp by 184 bytes. So the kernel gets all of them where the convention of
System V has them. At the entry rsp is 8 more than a multiple of 16. So it is a multiple of 16 where
vectors are moved and at the call, as both ask.

Windows wants rsi, rdi and xmm6 to xmm15 kept, which the kernel may change, and also rbx, rbp, rsp
and r12 to r15, which it keeps. The kernel writes to arrays and below its return address alone. So
what was saved is still there. Nothing else is read or written, and there is no branch.
"""

from __future__ import annotations

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.reader import ShapeReader

SAVED = 0xA8
"""Bytes for ten vectors, and what aligns them."""
KEPT = range(6, 16)
"""The numbers of the vectors that Windows wants kept."""
MOVES = ("rdi, rcx", "rsi, rdx", "rdx, r8", "rcx, r9")
ON_STACK = ("r8, qword ptr [rsp + 0xe0]", "r9, qword ptr [rsp + 0xe8]")
LEAST, MOST = 3, 6
"""Arguments of a kernel on arrays."""


def prove_entry(code: bytes, start: int, kernel: int, arguments: int) -> None:
    """Prove that code at `start` calls the kernel at `kernel` as Windows calls functions.

    Both are places in one section; `arguments` is their number. Raises ProofError.
    """
    if not LEAST <= arguments <= MOST:
        raise ProofError(f"an entry has {LEAST} to {MOST} arguments, not {arguments}")
    reader = ShapeReader(code, start, "an entry")
    for operand in ("rsi", "rdi"):
        reader.want("push", operand)
    reader.want("sub", f"rsp, {SAVED:#x}")
    for i, number in enumerate(KEPT):
        reader.want("movaps", f"{_slot(i)}, xmm{number}")
    for operands in (*MOVES, *ON_STACK)[:arguments]:
        reader.want("mov", operands)
    if reader.jump("call") != kernel:
        raise ProofError("an entry calls another place than its kernel")
    for i, number in enumerate(KEPT):
        reader.want("movaps", f"xmm{number}, {_slot(i)}")
    reader.want("add", f"rsp, {SAVED:#x}")
    for operand in ("rdi", "rsi"):
        reader.want("pop", operand)
    reader.want("ret", "")


def _slot(i: int) -> str:
    """Where a vector is saved, as the decoder prints it."""
    at = 16 * i
    return f"xmmword ptr [rsp{f' + {at:#x}' if at else ''}]"
