"""Kernels that find operands and constants in registers, and leave their result in registers.

They are for inline assembly whose registers another compiler chooses: only those that an
instruction demands are fixed. A constant is never changed, so it may stay in its register from one
kernel to the next.
"""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.targets.x86_64.allocate import allocate
from fieldc.targets.x86_64.choices import FEATURES, Choices
from fieldc.targets.x86_64.conventions import GENERAL, Convention
from fieldc.targets.x86_64.instructions import INSTRUCTIONS, RETURNED, Physical, VirtualCode
from fieldc.targets.x86_64.kernel import WORD, X86Error
from fieldc.targets.x86_64.operands import Immediate, Memory, Operand, Register, Virtual
from fieldc.targets.x86_64.print import INTEL, print_instruction
from fieldc.targets.x86_64.select import Selection
from fieldc.words.program import Program, Step, Value

IN_REGISTERS = Convention("registers", (), (), returns_words=True)
"""Each operand's words in registers, and every register may be changed."""


@dataclass(frozen=True)
class InlineCode:
    """Straight-line code without memory: it begins and ends among other instructions."""

    code: tuple[Physical, ...]
    incoming: dict[str, str]
    """The register of each word of an operand, `x[0]`, and of each constant, `p[0]`."""
    constants: tuple[tuple[str, int], ...]
    returned: tuple[str, ...]
    """The registers that hold the result, lowest word first."""
    fixed: frozenset[str]
    """Registers that an instruction demands: others may change names."""
    features: tuple[str, ...]

    @property
    def lines(self) -> tuple[str, ...]:
        """The instructions as assembly."""
        printed = (print_instruction(one, INTEL, "") for one in self.code)
        return tuple(line.split("#")[0].strip() for line in printed)

    @property
    def written(self) -> set[str]:
        """The registers that it changes."""
        rows = ((INSTRUCTIONS[one.mnemonic], one.operands) for one in self.code)
        found: set[str] = set()
        for row, operands in rows:
            found |= {register for _, register in row.fixed_writes}
            printed = 0 if row.fixed_writes else row.writes
            found |= {o.name for o in operands[:printed] if isinstance(o, Register)}
        return found


class RegisterSelection(Selection):
    """The virtual code of a program whose operands and constants are in registers."""

    def __init__(self, program: Program, choices: Choices) -> None:
        self.incoming: dict[str, Virtual] = {}
        super().__init__(program, choices, returns_words=True)
        ((*others, last),) = (self.code,)
        kept = [self.incoming[name] for name, _ in self.constants]
        self.code = [*others, VirtualCode(RETURNED, (), (*last.reads, *kept))]

    def _address_constants(self) -> str:
        return ""

    def _number(self, value: Value) -> Operand:
        return Immediate(0) if value.constant == 0 else self._place(value)

    def load(self, step: Step) -> None:
        """A limb of an operand is where it is."""
        name = f"{step.operand}[{step.attribute}]"
        self._places[step.outputs[0].number] = self._entering(name)

    def _place(self, value: Value) -> Operand:
        if value.constant is None or value.constant == 0:
            return Immediate(0) if value.constant == 0 else super()._place(value)
        entry = value.name, value.constant
        if entry not in self.constants:
            self.constants.append(entry)
        return self._entering(value.name)

    def _entering(self, name: str) -> Virtual:
        if name not in self.incoming:
            self.incoming[name] = self._new(name)
        return self.incoming[name]

    def mul(self, step: Step) -> None:
        """mul, which changes its row: a constant is the other factor; a square has one place."""
        row, multiplier = step.inputs
        if self.choices.variant != "base":
            super().mul(step)
            return
        if row.constant is not None:
            row, multiplier = multiplier, row
        lo, hi = step.outputs
        source = self._move(self._place(row), row.name, "rax")
        other = source if row.number == multiplier.number else self._place(multiplier)
        self._emit("mul", (self._define(hi, "rdx"), self._define(lo, "rax")), other, source)


def compile_in_registers(program: Program, choices: Choices) -> InlineCode:
    """Select and allocate.

    Raises X86Error for words that are not 64 bits wide, and for too many words.
    """
    if program.word != WORD:
        raise X86Error(f"x86-64 has 64-bit words; this program has {program.word}-bit words")
    selection = RegisterSelection(program, choices)
    incoming = _entrances(selection)
    allocation = allocate(selection.code, incoming, IN_REGISTERS)
    *code, last = allocation.code
    words = [o.name for o in last.operands if isinstance(o, Register)]
    used = any(isinstance(o, Memory) for one in code for o in one.operands)
    if allocation.frame or used:
        raise X86Error(f"{program.name} needs more registers than there are")
    demanded = {
        register
        for one in code
        for _, register in (
            *INSTRUCTIONS[one.mnemonic].fixed_reads,
            *INSTRUCTIONS[one.mnemonic].fixed_writes,
        )
    }
    return InlineCode(
        tuple(one for one in code if not _is_idle(one)),
        {virtual.name: register for virtual, register in incoming.items()},
        tuple(selection.constants),
        tuple(words[: len(program.results)]),
        frozenset(demanded),
        FEATURES[choices.variant],
    )


def _entrances(selection: RegisterSelection) -> dict[Virtual, str]:
    """A register for each word on entry: the one that it is moved to, if it is read only there."""
    entering = list(selection.incoming.values())
    reads = {v: [c for c in selection.code if v in c.reads] for v in entering}
    found: dict[Virtual, str] = {}
    for virtual, (first, *more) in reads.items():
        wanted = first.writes[0].fixed if first.row.mnemonic == "mov" else ""
        if wanted and not more and wanted not in found.values():
            found[virtual] = wanted
    fixed = {v.fixed for one in selection.code for v in one.writes}
    free = [r for r in reversed(GENERAL) if r not in fixed]
    if len(entering) - len(found) > len(free):
        raise X86Error(f"{selection.program.name} has more words than there are registers")
    return {v: found.get(v) or free.pop(0) for v in entering}


def _is_idle(one: Physical) -> bool:
    """Whether an instruction moves a register to itself."""
    return one.mnemonic == "mov" and one.operands[0] == one.operands[1]
