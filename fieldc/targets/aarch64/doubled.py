"""Doubled words by sums with carries, for cores where `extr` takes a place of the multipliers.

On Apple's M1 only one unit has `extr`, and it multiplies too. 2*x_i with the top bit of x_(i-1) is
also x_i + x_i + the carry of the word below, in a chain that begins with the lowest of them.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count

from fieldc.words.operations import ADD, FUNNEL, Kind
from fieldc.words.program import Program, Step, Value


def with_doubling_sums(program: Program) -> Program:
    """The program with chains of sums for words doubled one after the other."""
    found = [step for step in program.steps if _doubles(step, program.word)]
    above = {step.inputs[1].number: step for step in found if step.inputs[1].constant != 0}
    last = max(v.number for step in program.steps for v in (*step.inputs, *step.outputs))
    numbers = count(last + 1)
    chains: dict[int, list[Step]] = {}
    """By the word that its first sum makes."""
    joined: set[int] = set()
    for step in found:
        if step.inputs[1].constant != 0 or step.inputs[0].number not in above:
            continue
        chain, carry = [], _flag(0, next(numbers))
        upper: Step | None = step
        while upper is not None:
            a, out = upper.inputs[0], _flag(None, next(numbers))
            chain.append(Step(ADD, (a, a, carry), (upper.outputs[0], out)))
            joined.add(upper.outputs[0].number)
            carry, upper = out, above.pop(a.number, None)
        chains[step.outputs[0].number] = chain
    steps: list[Step] = []
    for step in program.steps:
        made = step.outputs[0].number
        steps += chains.get(made, [] if made in joined else [step])
    return replace(program, steps=tuple(steps))


def _doubles(step: Step, word: int) -> bool:
    return step.operation is FUNNEL and step.attribute == word - 1


def _flag(constant: int | None, number: int) -> Value:
    return Value(number, Kind.FLAG, 1 if constant is None else 0, "0", constant)
