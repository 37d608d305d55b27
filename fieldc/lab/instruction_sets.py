"""The fewest instructions that the steps of a word program take, by instruction set.

Each step is counted by itself, with as many registers as it likes. So no compiler that keeps the
steps can need fewer. Constants are counted as loads, though LLVM builds them from immediates.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

from fieldc.targets.aarch64.cancel import cancelled
from fieldc.targets.llvm.print import Carry, LlvmForm, chains
from fieldc.targets.llvm.processors import LlvmTarget
from fieldc.words.operations import ADD, FUNNEL, LOAD, MUL, MUL_LOW, SELECT, SUB
from fieldc.words.program import Program, Step


@dataclass(frozen=True)
class InstructionSet:
    """What steps cost in instructions."""

    half: int = 1
    """Instructions for each half of a product that is read."""
    whole: int = 0
    """And for the product, whichever half is read: 1 where one instruction makes both."""
    flags: bool = True
    """Whether an addition takes a carry and gives one."""
    fused: bool = False
    """Whether a product takes two addends by itself."""
    choice: int = 1
    """Instructions that choose one of two words."""
    funnel: int = 1
    """Instructions that cut a word out of two."""
    compares: bool = False
    """Whether a comparison gives the carry of a sum that is 0, so that it needs no product."""
    together: int = 1
    """Words that an instruction loads or stores; 0 where others do it beside."""


SETS = {
    "x86_64": InstructionSet(0, 1, together=0),
    "aarch64": InstructionSet(compares=True, together=2),
    "riscv64": InstructionSet(flags=False, choice=3, funnel=3),
    "mips": InstructionSet(1, 1, flags=False, funnel=3),
    "armv7": InstructionSet(0, 1, fused=True, funnel=2, together=2),
}
"""x86-64 with mulx; riscv64 chooses by a mask or by Zicond; mips fetches halves from hi and lo;
armv7 adds two words by umaal."""


def set_of(target: LlvmTarget) -> InstructionSet:
    """The instruction set of a target."""
    name = target.name.replace("el-", "-").partition("-")[0]
    return SETS["mips" if name.startswith("mips") else name]


@dataclass(frozen=True)
class Least:
    """Instructions by what they are for."""

    multiplications: int
    additions: int
    choices: int
    memory: int

    @property
    def instructions(self) -> int:
        """All of them, with the return."""
        return self.multiplications + self.additions + self.choices + self.memory + 1


def least(program: Program, instructions: InstructionSet) -> Least:
    """The fewest instructions for a program's steps."""
    reads = Counter(v.number for step in program.steps for v in step.inputs)
    reads.update(v.number for v in program.results)
    spent: Counter[str] = Counter()
    form = LlvmForm(Carry.DOUBLE if instructions.fused else Carry.OVERFLOW)
    for chain in chains(program, form):
        for step in chain if len(chain) == 1 else ():
            spent[step.operation.name] += _cost(step, reads, instructions)
    constants = {
        v.name for step in program.steps for v in step.inputs if v.constant and v.name[0].isalpha()
    }
    words = sum(limbs for _, limbs in program.operands) + len(program.results) + len(constants)
    memory = ceil(words / instructions.together) if instructions.together else 0
    additions = spent[ADD.name] + spent[SUB.name]
    multiplications = spent[MUL.name] + spent[MUL_LOW.name]
    choices = spent.total() - additions - multiplications
    if instructions.compares:
        multiplications -= instructions.half * len(cancelled(program))
    return Least(multiplications, additions, choices, memory)


def _cost(step: Step, reads: Counter[int], instructions: InstructionSet) -> int:
    if step.operation in (ADD, SUB):
        return 1 if instructions.flags else _without_flags(step, reads)
    if step.operation in (MUL, MUL_LOW):
        halves = sum(reads[v.number] > 0 for v in step.outputs)
        return instructions.whole + instructions.half * halves
    known = {SELECT: instructions.choice, FUNNEL: instructions.funnel, LOAD: 0}
    return known.get(step.operation, 1)


def _without_flags(step: Step, reads: Counter[int]) -> int:
    """An addition for each addend but the first, and for a carry out a comparison after each and
    what brings the comparisons together."""
    further = sum(v.constant != 0 for v in step.inputs) - 1
    gives = reads[step.outputs[1].number] > 0 and step.outputs[1].high > 0
    return further + gives * max(0, 2 * further - 1)
