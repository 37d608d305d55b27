"""The carry of a limb that a reduction cancels, without the product that cancels it.

A row of Montgomery's reduction adds the low half of q*p[0] to the limb t, where q = t*n0. Their sum
is 0 modulo 2^w, so its carry is 1 exactly where t is not 0. `cmp t, #1` gives it: a borrow is a
clear carry, and the product is not needed.
"""

from __future__ import annotations

from collections import Counter

from fieldc.words.operations import ADD, MUL, MUL_LOW
from fieldc.words.program import Program, Step, Value


def cancelled(program: Program) -> list[Step]:
    """Sums that are 0 with the low half of a product that nothing else uses; their carries are."""
    makers = {value.number: step for step in program.steps for value in step.outputs}
    uses = Counter(v.number for step in program.steps for v in step.inputs)
    uses.update(v.number for v in program.results)
    return [
        step
        for step in program.steps
        if step.operation is ADD
        and not uses[step.outputs[0].number]
        and _cancels(step, makers, uses, program.word)
    ]


def _cancels(step: Step, makers: dict[int, Step], uses: Counter[int], width: int) -> bool:
    """Whether a sum is t and the low half of (t*n)*m, where n*m is -1 modulo 2^w."""
    a, b, carry = step.inputs
    if carry.constant != 0:
        return False
    for limb, low in ((a, b), (b, a)):
        product = makers.get(low.number)
        if product is None or product.operation is not MUL or product.outputs[0] != low:
            continue
        if uses[low.number] > 1:
            continue
        for quotient, m in (product.inputs, product.inputs[::-1]):
            for n in _factors_of(quotient, limb, makers):
                if _are_opposite(n, m, width):
                    return True
    return False


def _factors_of(quotient: Value, limb: Value, makers: dict[int, Step]) -> list[Value | None]:
    """What the quotient is the limb times, modulo 2^w; None for 1."""
    if quotient == limb:
        return [None]
    made = makers.get(quotient.number)
    if made is None or made.operation is not MUL_LOW or limb not in made.inputs:
        return []
    return [v for v in made.inputs if v != limb]


def _are_opposite(n: Value | None, m: Value, width: int) -> bool:
    """Whether n*m is -1 modulo 2^w, of a class's constants by their names, for all its primes."""
    known = all(v.constant == v.high for v in (n, m) if v is not None)
    if not known and (n is None or (n.name, m.name) != ("n0", "p[0]")):
        return False
    factors = (1 if n is None else n.constant), m.constant
    if factors[0] is None or factors[1] is None:
        return False
    return factors[0] * factors[1] % (1 << width) == (1 << width) - 1
