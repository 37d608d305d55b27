"""Calling conventions as data: the registers of pointers, and those that a callee must keep."""

from __future__ import annotations

from dataclasses import dataclass

GENERAL = (
    *("rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11"),
    *("rbx", "rbp", "r12", "r13", "r14", "r15"),
)
"""Registers a kernel may use, in order of preference; rsp is the stack."""


@dataclass(frozen=True)
class Convention:
    """`arguments` hold z and the operands on entry; `preserved` must be restored.

    If the result is returned in registers, `arguments` hold the operands only.
    """

    name: str
    arguments: tuple[str, ...]
    preserved: tuple[str, ...]
    returns_words: bool = False
    """Whether the result is left in registers, which the kernel names, instead of z."""

    @property
    def counts_as_sysv(self) -> bool:
        """Whether code has the instructions that it has by System V."""
        return self.name == "sysv"

    @property
    def is_inline(self) -> bool:
        """Whether inline assembly calls it, which saves what System V's callees would."""
        return self.name == "inline"

    @property
    def order(self) -> tuple[str, ...]:
        """Registers, those that cost no push first."""
        free = tuple(r for r in GENERAL if r not in self.preserved)
        return free + tuple(r for r in GENERAL if r in self.preserved)


SYSV = Convention(
    "sysv",
    ("rdi", "rsi", "rdx", "rcx", "r8", "r9"),
    ("rbx", "rbp", "r12", "r13", "r14", "r15"),
)
WIN64 = Convention(
    "win64",
    ("rcx", "rdx", "r8", "r9"),
    ("rbx", "rbp", "rdi", "rsi", "r12", "r13", "r14", "r15"),
)
CONVENTIONS = {c.name: c for c in (SYSV, WIN64)}
CALLED_INLINE = Convention("inline", SYSV.arguments[1:], ("rbx", "rbp"), returns_words=True)
"""A call out of Rust's inline assembly, which can name all registers but rbx and rbp."""
STORED_INLINE = Convention("inline", SYSV.arguments, CALLED_INLINE.preserved)
"""The same for a result that does not fit the registers: it is stored in z."""


def inline(words: int) -> Convention:
    """The call out of inline assembly for a result of so many words."""
    fits = words <= len(GENERAL) - len(CALLED_INLINE.preserved)
    return CALLED_INLINE if fits else STORED_INLINE
