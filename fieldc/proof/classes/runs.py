"""Runs the equations on numbers, for a few moduli of a class: what is wrong is refused at once.

Nothing is proved here, and no proof is asked of what a run contradicts.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.refute import Sample, complete, evaluate
from fieldc.proof.claims.contracts import WORD_BITS
from fieldc.proof.classes.modulus import RADIX, Moduli, Modulus

RUNS = 12
"""On numbers, where nothing else is said."""
TRIES = 1000
"""Moduli that are drawn for one of a class."""
DrawnConstants = dict[str, int]


def samples(
    system: System, modulus: Modulus, operands: Sequence[Input], runs: int
) -> Iterator[Sample]:
    """So many runs for moduli of a class; the values of each are those of the operands, then p."""
    draw = random.Random(1)
    for number in range(runs):
        known = _drawn(modulus.of, draw)
        p = known["p"]
        values: dict[int, int] = {}
        for constant in modulus.inputs:
            _put(values, constant, known[constant.name])
        for equation in modulus.equations:
            whole = equation.divisor * evaluate(equation.value, values) - equation.rest
            unknown = {v for m in equation.factor for v in m} - values.keys()
            values |= dict.fromkeys(unknown, whole // p)
        given = []
        for operand in operands:
            below = modulus.multiples[operand.name] * p
            given.append(below - 1 if not number else draw.randrange(below))
            _put(values, operand, given[-1])
        complete(system, values)
        yield Sample((*given, p), values)


def _put(values: dict[int, int], number: Input, value: int) -> None:
    """Set the variables of a number's limbs."""
    for index, limb in enumerate(number.limbs):
        values[limb] = value >> WORD_BITS * index & RADIX - 1


def _drawn(of: Moduli, draw: random.Random) -> DrawnConstants:
    """A modulus and its constants. Raises ProofError where none is found."""
    for _ in range(TRIES):
        p = _odd(of, draw)
        n0 = -pow(p, -1, RADIX) % RADIX
        mu = (n0 * p + 1) // RADIX
        below_top = mu >> WORD_BITS * (of.limbs - 2) & RADIX - 1 if of.limbs > 1 else 0
        if of.n0[0] <= n0 <= of.n0[1] and below_top <= of.next_of_mu:
            return {
                "p": p,
                "complement": RADIX**of.limbs - p,
                "n0": n0,
                "p_inverse": RADIX - n0,
                "mu": mu,
                "minus_mu": p - mu,
                "fold_rest": (1 - pow(of.least, -1, p)) % p,
            }
    raise ProofError("no modulus of the class is found")


def _odd(of: Moduli, draw: random.Random) -> int:
    """A modulus in the range of a class; n0 and mu may not be."""
    if of.is_near:
        return (1 << WORD_BITS * of.limbs) - (draw.randrange(RADIX) | 1)
    if of.limbs == 1:
        return draw.randrange(3, of.most) | 1
    n0 = draw.randrange(of.n0[0], of.n0[1] + 1) | 1
    low = -pow(n0, -1, RADIX) % RADIX
    upper = draw.randrange(max(of.least, of.most // 2), of.most) >> WORD_BITS
    return upper * RADIX + low
