"""Subtracts constants by sums: a - b is a + (R - b) - R, and where a carry is there, no borrow is.

A select reads both a and the difference. Where instructions overwrite what they compute with, a
subtraction needs a copy of a first; a sum may begin with the constant, which waits for nothing.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace

from fieldc.words.operations import ADD, SELECT, SUB, Kind
from fieldc.words.program import Program, Step, Value


def differences_as_sums(program: Program, names: Mapping[int, str]) -> Program:
    """The program with sums for differences with constants whose borrow only selections read.

    `names` are those of constants.
    """
    new = max((v.number for v in program.values()), default=0)
    changed: dict[int, Step] = {}
    for chain, selections in _chains(program):
        size = program.word * len(chain)
        limbs = [step.inputs[1].constant or 0 for step in chain]
        rest = (1 << size) - sum(b << program.word * i for i, b in enumerate(limbs))
        for i, step in enumerate(chain):
            new += 1
            limb = rest >> program.word * i & (1 << program.word) - 1
            addend = Value(new, Kind.WORD, limb, names.get(limb, hex(limb)), limb)
            a, _, carry = step.inputs
            changed[id(step)] = replace(step, operation=ADD, inputs=(a, addend, carry))
        for step in selections:
            flag, a, b = step.inputs
            changed[id(step)] = replace(step, inputs=(flag, b, a))
    return replace(program, steps=tuple(changed.get(id(step), step) for step in program.steps))


def _chains(program: Program) -> Iterator[tuple[list[Step], list[Step]]]:
    """Each chain of differences with constants, and the selections that alone read its end."""
    readers: dict[int, list[Step]] = defaultdict(list)
    for step in program.steps:
        for value in step.inputs:
            readers[value.number].append(step)
    for step in program.steps:
        if not _subtracts_constant(step) or step.inputs[2].constant is None:
            continue
        chain, reading = [step], readers[step.outputs[1].number]
        while len(reading) == 1 and _subtracts_constant(reading[0]):
            chain.append(reading[0])
            reading = readers[chain[-1].outputs[1].number]
        if reading and all(each.operation is SELECT for each in reading):
            yield chain, reading


def _subtracts_constant(step: Step) -> bool:
    return step.operation is SUB and step.inputs[1].constant is not None
