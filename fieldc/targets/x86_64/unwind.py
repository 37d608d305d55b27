"""What an unwinder must know at each instruction of a kernel, as CFI directives of GNU's assembler.

System V's psABI for x86-64, figure 3.36, numbers the registers.
"""

from __future__ import annotations

from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.operands import STACK, Immediate, Register

NUMBERS = {
    **{
        name: number
        for number, name in enumerate(("rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"))
    },
    **{f"r{number}": number for number in range(8, 16)},
}
BEGIN, END = "    .cfi_startproc", "    .cfi_endproc"


def directives(instruction: Physical) -> list[str]:
    """Where the caller's frame and its registers are after an instruction, if that changes."""
    if instruction.mnemonic in ("push", "pop"):
        (saved,) = instruction.operands
        assert isinstance(saved, Register)
        number = NUMBERS[saved.name]
        if instruction.mnemonic == "push":
            return [_moved(8), f"    .cfi_rel_offset {number}, 0"]
        return [_moved(-8), f"    .cfi_restore {number}"]
    if instruction.mnemonic in ("add", "sub"):
        place, amount = instruction.operands
        if place == Register(STACK) and isinstance(amount, Immediate):
            return [_moved(amount.value if instruction.mnemonic == "sub" else -amount.value)]
    return []


def _moved(count: int) -> str:
    return f"    .cfi_adjust_cfa_offset {count}"
