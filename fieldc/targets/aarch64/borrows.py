"""The borrow of 0 - c, for a word c that is a carry: it is that carry, and 0 - c is its mask.

Text that multiplies by a carry asks whether 0 - c is negative. Here one flag may be read twice, so
nothing has to be compared.
"""

from __future__ import annotations

from dataclasses import replace

from fieldc.words.operations import ADD, MASK, SUB
from fieldc.words.program import Program, Step, Value


def without_borrows_of_carries(program: Program) -> Program:
    """The program with a carry for each borrow that is the same, and without words for them."""
    carries: dict[int, Value] = {}
    same: dict[int, Value] = {}
    steps = []
    for step in program.steps:
        step = replace(step, inputs=tuple(same.get(v.number, v) for v in step.inputs))
        if step.operation is ADD and step.inputs[0].constant == step.inputs[1].constant == 0:
            carries[step.outputs[0].number] = step.inputs[2]
        carry = _negated(step, carries)
        if carry is not None:
            same[step.outputs[1].number] = carry
            step = Step(MASK, (carry,), step.outputs[:1])
        steps.append(step)
    return _needed(replace(program, steps=tuple(steps)), {*carries, *_words_of(steps)})


def _negated(step: Step, carries: dict[int, Value]) -> Value | None:
    """The carry c of a step 0 - c."""
    if step.operation is not SUB:
        return None
    a, b, borrow = step.inputs
    return carries.get(b.number) if a.constant == borrow.constant == 0 else None


def _words_of(steps: list[Step]) -> set[int]:
    return {s.outputs[0].number for s in steps if s.operation is MASK}


def _needed(program: Program, may_go: set[int]) -> Program:
    """The program without those of some words that nothing reads."""
    read = {v.number for step in program.steps for v in step.inputs}
    read.update(v.number for v in program.results)
    unread = may_go - read
    steps = tuple(s for s in program.steps if s.outputs[0].number not in unread)
    return replace(program, steps=steps)
