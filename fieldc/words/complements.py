"""Takes the complement of a sum before the sum: one step less if a quotient waits for it.

2^w - 1 - (a + b) = (2^w - 1 - b) - a, and the borrow of that difference is the carry of the sum. So
where only the complement of a sum is read, b is complemented while a is still being made, and no
more operations run than before. For processors on which a borrow and a carry are the same flag.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from fieldc.words.operations import ADD, MUL, SUB
from fieldc.words.program import Program, Step, Value


def early_complements(program: Program) -> Program:
    """The program with each complement of a sum with a product's low word made by differences."""
    uses = Counter(v.number for step in program.steps for v in step.inputs)
    uses.update(v.number for v in program.results)
    top = (1 << program.word) - 1
    complements = {
        step.inputs[1].number: step
        for step in program.steps
        if step.operation is SUB and step.inputs[0].constant == top and not step.inputs[2].high
    }
    products = {step.outputs[0].number for step in program.steps if step.operation is MUL}
    new = max(v.number for v in program.values())
    done: set[int] = set()
    steps: list[Step] = []
    for step in program.steps:
        total = step.outputs[0].number
        complement = complements.get(total)
        if complement is not None and uses[total] == 1 and _begins_with(step, products):
            steps += _differences(step, complement, new)
            done.add(id(complement))
            new += 2
        elif id(step) not in done:
            steps.append(step)
    return replace(program, steps=tuple(steps))


def _begins_with(step: Step, products: set[int]) -> bool:
    """Whether a step is the lowest sum of a chain, of anything and a product."""
    return (
        step.operation is ADD
        and not step.inputs[2].high
        and any(v.number in products for v in step.inputs[:2])
    )


def _differences(total: Step, complement: Step, new: int) -> tuple[Step, Step]:
    """2^w - 1 - b, and less a: with the complement of a + b, and its carry.

    b is the second addend: of a row that is added, the product.
    """
    a, b, none = total.inputs
    outputs = complement.outputs
    early, borrow = (
        Value(new + 1 + i, value.kind, value.high, f"{value.name}_{b.name}")
        for i, value in enumerate(outputs)
    )
    return (
        Step(SUB, (complement.inputs[0], b, none), (early, borrow)),
        Step(SUB, (early, a, none), (outputs[0], total.outputs[1])),
    )
