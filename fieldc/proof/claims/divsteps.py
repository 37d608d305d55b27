"""What a batch of divsteps is, stated for the prover.

Source: D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd computation and modular inversion"
(2019), section 8. For f odd, a divstep maps (delta, f, g) to (1 - delta, g, (g - f)/2) if delta > 0
and g is odd, else to (1 + delta, f, (g + (g mod 2)*f)/2). Here delta is a half and a whole number
(P. Wuille, 2021), and zeta = -(delta + 1/2) stands for it: delta > 0 if and only if zeta < 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

Multiples = tuple[int, int]
IDENTITY = (1, 0), (0, 1)


@dataclass(frozen=True)
class DivstepRule:
    """One of three rules: f and 2*g after the step, as multiples of f and g; zeta as a*zeta + b."""

    f: Multiples
    doubled_g: Multiples
    zeta: Multiples


SWAPS = DivstepRule((0, 1), (-1, 1), (-1, -2))
ADDS = DivstepRule((1, 0), (1, 1), (1, -1))
HALVES = DivstepRule((1, 0), (0, 1), (1, -1))


def rule_for(is_positive: bool, is_odd: bool) -> DivstepRule:
    """The rule where delta > 0, or not, and g is odd, or not."""
    if not is_odd:
        return HALVES
    return SWAPS if is_positive else ADDS


CASES = tuple(product((False, True), repeat=2))
"""Whether delta > 0, and whether g is odd."""


@dataclass(frozen=True)
class DivstepState:
    """zeta, f and g after some divsteps of numbers, and the matrix that made them times 2^steps."""

    zeta: int
    f: int
    g: int
    matrix: tuple[Multiples, Multiples] = IDENTITY

    def after(self, steps: int) -> DivstepState:
        """The state some divsteps later."""
        state = self
        for _ in range(steps):
            state = state._next()
        return state

    def _next(self) -> DivstepState:
        rule = rule_for(self.zeta < 0, bool(self.g & 1))
        (a, b), (c, d) = rule.f, rule.doubled_g
        (u, v), (q, r) = self.matrix
        doubled = 2 * (a * u + b * q), 2 * (a * v + b * r)
        return DivstepState(
            rule.zeta[0] * self.zeta + rule.zeta[1],
            a * self.f + b * self.g,
            (c * self.f + d * self.g) // 2,
            (doubled, (c * u + d * q, c * v + d * r)),
        )


@dataclass(frozen=True)
class DivstepClaim:
    """z[0] is zeta after `steps` divsteps, and z[1] to z[4] are u, v, q, r: words with signs.

    For every odd f, every g and |zeta| < `most`: (u, v; q, r)/2^steps is the matrix of these steps.
    It depends on as many low bits of f and g, so f and g are the lowest words of longer numbers.
    """

    steps: int
    most: int = 1 << 62

    operands = ("zeta", "f", "g")

    @property
    def says(self) -> str:
        """The contract, as text."""
        most = self.most.bit_length() - 1
        return (
            f"zeta from 1 - 2^{most} to 2^{most} - 1, f odd, g any word; z[0] is zeta after"
            f" {self.steps} divsteps, and (z[1], z[2]; z[3], z[4]) is their matrix times"
            f" 2^{self.steps}; zeta is -(delta + 1/2), and it and z are words with signs"
        )

    def result(self, zeta: int, f: int, g: int) -> tuple[int, ...]:
        """What z is for numbers."""
        state = DivstepState(zeta, f, g).after(self.steps)
        return state.zeta, *state.matrix[0], *state.matrix[1]


DIVSTEP_MATRIX = "divstep_matrix"
"""The operation's name. It is of integers, and the same for all primes."""
BATCH = DivstepClaim(59)
"""What its kernels do."""


@dataclass(frozen=True)
class Packing:
    """How code goes about it, a hint that is not trusted: proofs look for these words.

    Steps are done in blocks, on x = f mod 2^low + 2^(low + k) and y = g mod 2^low + 2^(low +
    middle + k) for a block's k steps; the low bits have a sign.
    """

    blocks: tuple[int, ...] = (19, 20, 20)
    low: int = 20
    middle: int = 22

    def packed(self, state: DivstepState, steps: int) -> DivstepState:
        """The state of x and y where a block of so many steps begins."""
        half = 1 << self.low - 1
        x, y = ((n + half) % (2 * half) - half for n in (state.f, state.g))
        x, y = x + (1 << self.low + steps), y + (1 << self.low + self.middle + steps)
        return DivstepState(state.zeta, x, y)
