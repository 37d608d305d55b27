"""Loops in assembly that call kernels over arrays and read the time-stamp counter."""

from __future__ import annotations

from fieldc.targets.x86_64.timing.clock import START, STOP

VECTOR, SCALAR = "fieldc_over_arrays", "fieldc_over_elements"

_SAVED = ("rbx", "rbp", "r12", "r13", "r14", "r15")
_PUSHED = "\n".join(f"    push %{r}" for r in _SAVED)
_POPPED = "\n".join(f"    pop %{r}" for r in reversed(_SAVED))


def _timed(name: str, body: str) -> str:
    """`name(call, turns) -> ticks`: call is {kernel, count, 5 arrays, step}, read by the body."""
    return f"""
    .globl {name}
    .p2align 6
{name}:
{_PUSHED}
    sub $40, %rsp
    mov %rdi, %rbx
    mov %rsi, 24(%rsp)
    {START}
    mov %rax, 16(%rsp)
    .p2align 6
1:
{body}
    decq 24(%rsp)
    jnz 1b
    {STOP}
    sub 16(%rsp), %rax
    add $40, %rsp
{_POPPED}
    ret
"""


LOOPS = _timed(
    VECTOR,
    """
    mov 8(%rbx), %rdi
    mov 16(%rbx), %rsi
    mov 24(%rbx), %rdx
    mov 32(%rbx), %rcx
    mov 40(%rbx), %r8
    mov 48(%rbx), %r9
    call *(%rbx)
""",
) + _timed(
    SCALAR,
    """
    mov 8(%rbx), %rbp
    mov 16(%rbx), %r12
    mov 24(%rbx), %r13
    mov 32(%rbx), %r14
    mov 40(%rbx), %r15
    .p2align 6
2:
    mov %r12, %rdi
    mov %r13, %rsi
    mov %r14, %rdx
    mov %r15, %rcx
    call *(%rbx)
    mov 56(%rbx), %rax
    add %rax, %r12
    add %rax, %r13
    add %rax, %r14
    add %rax, %r15
    dec %rbp
    jnz 2b
""",
)
"""Both loops: one call a turn for the whole array, or one call for each element."""
