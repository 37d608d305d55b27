"""Puts shifts of neighbouring limbs in the order in which no limb is copied."""

from __future__ import annotations

from dataclasses import replace
from itertools import groupby

from fieldc.words.operations import FUNNEL
from fieldc.words.program import Program, Step


def highest_first(program: Program) -> Program:
    """The program with each run of shifts from the highest limb down.

    A shift overwrites its limb, which the shift above reads too: so that one comes first.
    """
    steps: list[Step] = []
    for is_shift, found in groupby(program.steps, lambda step: step.operation is FUNNEL):
        run = [*found]
        made = {value.number for step in run for value in step.outputs}
        independent = not any(value.number in made for step in run for value in step.inputs)
        steps += reversed(run) if is_shift and independent else run
    return replace(program, steps=tuple(steps))
