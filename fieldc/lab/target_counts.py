"""docs/targets.md: what a multiplication and a square take on each target, beside the least."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from pathlib import Path

from fieldc.binary.functions import functions
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.lab.instruction_sets import Least, least, set_of
from fieldc.lab.page_tables import replaced, rewrite, table
from fieldc.program import module
from fieldc.proof.constant_time.effects import Effect, Flow, MemoryOperand
from fieldc.proof.constant_time.instruction_sets import INSTRUCTION_SETS, effects_of
from fieldc.targets.llvm.processors import LLVM_TARGETS, LlvmProcessor, LlvmTarget
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.registry import TARGETS
from fieldc.words.lower import lower
from fieldc.words.program import Program
from fieldc.words.sums import joined_sums

PAGE = Path(__file__).parents[2] / "docs" / "targets.md"
COMMAND = "python -m fieldc.lab.target_counts"
FIELDS = ("bn254-p", "bls12-381-p")
"""4 and 6 limbs of 64 bits."""
OPERATIONS = ("mul", "square")
PROCESSOR = "sapphire-rapids"
"""No AArch64 processor: AArch64 kernels are those that a core gets which is not known."""
COLUMNS = (
    *("target", "limbs", "op", "instructions", "least", "ratio"),
    *("multiplications", "least", "at the stack"),
)


_MULTIPLY = ("umaal", "umlal", "mla", "madd", "maddu", "mfhi", "mflo")
"""Beside those with mul in their names; the last two fetch the halves of a product."""


@dataclass(frozen=True)
class CountRow:
    """The figures of one kernel."""

    target: str
    limbs: int
    operation: str
    instructions: int
    multiplications: int
    at_the_stack: int
    """Accesses of memory there, those that save the caller's registers among them."""
    least: Least

    def cells(self) -> tuple[object, ...]:
        """As COLUMNS has them."""
        fewest = self.least.instructions
        ratio = f"{self.instructions / fewest:.2f}"
        found = (self.target, self.limbs, self.operation, self.instructions, fewest, ratio)
        return *found, self.multiplications, self.least.multiplications, self.at_the_stack


def distinct_targets() -> list[LlvmTarget]:
    """Targets whose code differs by more than the system, or the order of bytes."""
    first: dict[LlvmProcessor, LlvmTarget] = {}
    for target in LLVM_TARGETS.values():
        if target.object_format is ObjectFormat.ELF:
            first.setdefault(target.processor, target)
    return list(first.values())


def row(target: LlvmTarget, text: str, operation: str) -> CountRow:
    """The figures of a kernel as `fieldc build` makes it."""
    made, f = TARGETS[target.name], find_field(text, target.processor.word)
    choice = preferred(f, operation, made, PROCESSOR).preferred
    code = straight(made.make(made, choice).code or b"")
    return CountRow(
        target.name,
        f.n,
        operation,
        len(code),
        sum(_multiplies(step) for step in code),
        sum(place.bases == (base,) for step in code for place, base in _accesses(step)),
        lower_bound(target, lower(choice.expression, target.processor.rows)),
    )


def lower_bound(target: LlvmTarget, words: Program) -> Least:
    """The least of a word program, with sums joined where that takes fewer instructions."""
    found = (least(program, set_of(target)) for program in (words, joined_sums(words)))
    return min(found, key=lambda one: one.instructions)


def straight(code: bytes) -> list[Effect]:
    """The instructions of an object's only function up to its return."""
    (function,) = functions(code)
    found = list(effects_of(function).values())
    end = next(i for i, step in enumerate(found) if step.flow is Flow.RETURN)
    return found[: end + 1 + INSTRUCTION_SETS[function.architecture].delayed]


def _multiplies(step: Effect) -> bool:
    name = step.text.split()[0]
    return "mul" in name or name in _MULTIPLY


def _accesses(step: Effect) -> Iterator[tuple[MemoryOperand, str]]:
    """Each place in memory with what it would be called on the stack."""
    for transfer in step.transfers:
        for place in {*transfer.sources, *transfer.targets}:
            if isinstance(place, MemoryOperand):
                yield place, "rsp" if place.bases[:1] == ("rsp",) else "sp"


def figures() -> str:
    """The figures as a table of a page."""
    found = [row(*of) for of in product(distinct_targets(), FIELDS, OPERATIONS)]
    return table(COLUMNS, (one.cells() for one in found))


def page(text: str) -> str:
    """A page with its table made again."""
    return replaced(text, COMMAND, lambda _: figures())


if __name__ == "__main__":
    sys.exit(module("fieldc.lab.target_counts", lambda: rewrite(PAGE, page), __doc__))
