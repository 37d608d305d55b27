"""The carry of a limb that a reduction cancels, without the product that cancels it.

A row of Montgomery's reduction adds the low half of q*p[0] to the limb t, where q = t*n0. Their sum
is 0 modulo 2^w, so its carry is 1 exactly where t is not 0. `cmp t, #1` gives it: a borrow is a
clear carry, and the product is not needed.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from fieldc.words.operations import ADD, MUL, MUL_LOW
from fieldc.words.program import Program, Step, Value


@dataclass(frozen=True)
class Cancelled:
    """A sum that is 0: of a limb and the low half of its quotient times a factor."""

    step: Step
    limb: Value
    quotient: Value
    product: Step


def cancelled(program: Program) -> list[Step]:
    """Sums that are 0 with the low half of a product that nothing else uses; their carries are."""
    return [one.step for one in cancellations(program)]


def cancellations(program: Program) -> list[Cancelled]:
    """The same sums, with what they are of."""
    makers = {value.number: step for step in program.steps for value in step.outputs}
    uses = Counter(v.number for step in program.steps for v in step.inputs)
    uses.update(v.number for v in program.results)
    sums = (s for s in program.steps if s.operation is ADD and not uses[s.outputs[0].number])
    found = (_cancellation(step, makers, uses, program.word) for step in sums)
    return [one for one in found if one is not None]


def _cancellation(
    step: Step, makers: dict[int, Step], uses: Counter[int], width: int
) -> Cancelled | None:
    """Whether a sum is t and the low half of (t*n)*m, where n*m is -1 modulo 2^w."""
    a, b, carry = step.inputs
    if carry.constant != 0:
        return None
    for limb, low in ((a, b), (b, a)):
        product = makers.get(low.number)
        if product is None or product.operation is not MUL or product.outputs[0] != low:
            continue
        if uses[low.number] > 1:
            continue
        for quotient, m in (product.inputs, product.inputs[::-1]):
            for n in _factors_of(quotient, limb, makers):
                if _are_opposite(n, m, width):
                    return Cancelled(step, limb, quotient, product)
    return None


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
