"""Single-instruction mutants of a finished x86-64 kernel, at the level of instructions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.operands import STACK, Immediate, Memory, Register

Operand = Register | Memory | Immediate
Operands = tuple[Operand, ...]

SWAPS: dict[str, tuple[str, ...]] = {
    "add": ("adc", "sub"),
    "adc": ("add", "sbb"),
    "sub": ("sbb", "add"),
    "sbb": ("sub", "adc"),
    "adcx": ("adox", "adc", "add"),
    "adox": ("adcx", "adc", "add"),
    "cmovc": ("cmovnc", "mov"),
    "sbb_mask": ("xor",),
    "lea_double": ("mov",),
    "lea": ("mov",),
}
"""Mnemonics that are easily confused: a carry lost or invented, the other flag, the condition."""
FLAG_CLEARS = {"xor", "test"}


@dataclass(frozen=True)
class Mutant:
    """A kernel with one mistake. `place` is the changed instruction, or -1 for a constant."""

    place: int
    kind: str
    kernel: X86Kernel
    was: Physical | None = None
    now: Physical | None = None


def mutants(kernel: X86Kernel) -> Iterator[Mutant]:
    """All mutants of a kernel, in the order of its code; constants last."""
    names = sorted({o.name for i in kernel.code for o in i.operands if isinstance(o, Register)})
    for place, was in enumerate(kernel.code):
        before, after = kernel.code[:place], kernel.code[place + 1 :]
        yield Mutant(place, "delete", replace(kernel, code=before + after), was)
        for kind, now in _changed(was, names):
            if _is_legal(now) and now != was:
                yield Mutant(place, kind, replace(kernel, code=(*before, now, *after)), was, now)
    for index, (name, value) in enumerate(kernel.constants):
        for bit in sorted({0, 63, (37 * index + 11) % 64}):
            table = list(kernel.constants)
            table[index] = (name, value ^ 1 << bit)
            yield Mutant(-1, f"bit {bit} of {name}", replace(kernel, constants=tuple(table)))


def _changed(was: Physical, names: list[str]) -> Iterator[tuple[str, Physical]]:
    for mnemonic in SWAPS.get(was.mnemonic, ()):
        yield f"{was.mnemonic} becomes {mnemonic}", replace(was, mnemonic=mnemonic)
    if len(was.operands) > 1:
        first, second, *rest = was.operands
        yield "operands swapped", replace(was, operands=(second, first, *rest))
    if len(was.operands) == 3:
        first, second, third = was.operands
        yield "sources swapped", replace(was, operands=(first, third, second))
    for index, operand in enumerate(was.operands):
        for kind, other in _other(operand, names):
            operands = (*was.operands[:index], other, *was.operands[index + 1 :])
            yield f"{kind} of operand {index}", replace(was, operands=operands)


def _other(operand: Operand, names: list[str]) -> Iterator[tuple[str, Operand]]:
    if isinstance(operand, Register):
        yield "register", Register(_neighbour(operand.name, names))
    elif isinstance(operand, Memory):
        for change in (8, -8):
            yield f"displacement {change:+}", replace(operand, offset=operand.offset + change)
        if isinstance(operand.base, str) and operand.base in names:
            yield "base", replace(operand, base=_neighbour(operand.base, names))
    else:
        for change in (1, -1, 8):
            yield f"immediate {change:+}", Immediate(operand.value + change)


def _neighbour(name: str, names: list[str]) -> str:
    """Another register of the same kernel; never the stack pointer."""
    others = [n for n in names if n not in (name, STACK)]
    return others[sum(map(ord, name)) % len(others)] if others else name


def _is_legal(now: Physical) -> bool:
    """Whether the processor has such an instruction."""
    kinds = [type(o) for o in now.operands]
    first, *rest = kinds
    if now.mnemonic == "mulx":
        return kinds[:2] == [Register, Register] and Immediate not in kinds
    if now.mnemonic == "shld":
        count = now.operands[2]
        return kinds == [Register, Register, Immediate] and 0 < _value(count) < 64
    if now.mnemonic in ("push", "pop", "mul"):
        return first in (Register, Memory)
    if first is Immediate or (first is Memory and Memory in rest):
        return False
    if now.mnemonic in ("adcx", "adox", "imul", "cmovc", "cmovnc"):
        return first is Register and Immediate not in rest
    if now.mnemonic == "test":
        return Memory not in kinds
    if now.mnemonic == "lea":
        return kinds == [Register, Memory]
    if now.mnemonic == "store":
        return first is Memory
    return True


def _value(operand: Operand) -> int:
    return operand.value if isinstance(operand, Immediate) else 0
