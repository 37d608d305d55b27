"""The inner loop of an inversion by divsteps: the matrix that the low words of f and g decide."""

from __future__ import annotations

from enum import Enum, auto
from typing import Generic, Protocol, TypeVar

STEPS = (19, 20, 20)
"""Divsteps of each block: 59 need the low 59 bits of f and g, and their matrix has 60 bits."""
LOW = 20
"""Bits of a packed word that hold f or g: a block's steps need no more of them."""
WORD = 64
MIDDLE = 22
"""Bits above them for u or q, with a sign; v or r has the other 22."""


class SignedValue(Protocol):
    """A word that is read as a signed number. `>>` keeps the sign; the rest is modulo 2^64."""

    def __neg__(self: W) -> W: ...
    def __add__(self: W, other: W | int, /) -> W: ...
    def __sub__(self: W, other: W | int, /) -> W: ...
    def __rsub__(self: W, other: int, /) -> W: ...
    def __mul__(self: W, other: W, /) -> W: ...
    def __lshift__(self: W, count: int, /) -> W: ...
    def __rshift__(self: W, count: int, /) -> W: ...


W = TypeVar("W", bound=SignedValue)
F = TypeVar("F")


class SignedMachine(Protocol[W, F]):
    """What a machine has besides: flags and choices by them."""

    def is_at_least_0(self, x: W) -> F:
        """Whether x >= 0."""

    def is_odd(self, x: W) -> F:
        """Whether x is odd."""

    def is_below_0_and_odd(self, x: W, y: W) -> F:
        """Whether x < 0 and y is odd."""

    def choose(self, flag: F, a: W, b: W) -> W:
        """a if the flag is set, else b."""

    def low(self, x: W, place: int, bits: int) -> W:
        """`bits` bits of x from a place on, with the sign that they have alone."""


ZetaAndPair = tuple[W, W, W]


class StepOrder(Enum):
    """What a divstep makes first. The results are the same; `docs/inversion.md` has the cycles."""

    COUNT_FIRST = auto()
    """Both numbers of which one is the next zeta, which is chosen before f."""
    SIGN_FIRST = auto()
    """f or -f, which is added to g. The next f is chosen before zeta."""


def divstep(m: SignedMachine[W, F], zeta: W, f: W, g: W, order: StepOrder) -> ZetaAndPair[W]:
    """One divstep; zeta is -(delta + 1/2), below 0 where delta > 0, and f is odd.

    zeta and f change where delta > 0 and g is odd: one flag for both.
    Bernstein and Yang, "Fast constant-time gcd computation and modular inversion" (2019), 8.
    """
    minus, is_positive = -f, m.is_at_least_0(zeta)
    if order is StepOrder.COUNT_FIRST:
        turned, counted = -2 - zeta, zeta - 1
        total = m.choose(is_positive, f, minus) + g
        swaps = m.is_below_0_and_odd(zeta, g)
        zeta, f = m.choose(swaps, turned, counted), m.choose(swaps, g, f)
    else:
        added = m.choose(is_positive, f, minus)
        turned, counted = -2 - zeta, zeta - 1
        total = added + g
        swaps = m.is_below_0_and_odd(zeta, g)
        f, zeta = m.choose(swaps, g, f), m.choose(swaps, turned, counted)
    return zeta, f, m.choose(m.is_odd(g), total, g) >> 1


class Matrix(Generic[W]):
    """(u, v; q, r), integers: what some divsteps do to f and g, times 2 for each step."""

    def __init__(self, u: W, v: W, q: W, r: W) -> None:
        self.entries = u, v, q, r

    def after(self, first: Matrix[W]) -> Matrix[W]:
        """The product, this one on the left."""
        (a, b, c, d), (u, v, q, r) = self.entries, first.entries
        return Matrix(a * u + b * q, a * v + b * r, c * u + d * q, c * v + d * r)

    def sums(self, f: W, g: W) -> tuple[W, W]:
        """u*f + v*g and q*f + r*g."""
        u, v, q, r = self.entries
        return u * f + v * g, q * f + r * g


def divstep_matrix(
    m: SignedMachine[W, F], zeta: W, f: W, g: W, order: StepOrder = StepOrder.COUNT_FIRST
) -> tuple[W, ...]:
    """zeta after all steps, and their matrix.

    A block's steps run on two packed words, f + 2^20*u + 2^42*v and g + 2^20*q + 2^42*r. They
    begin as the low bits and 2^steps times the identity, so that halving is exact.
    """
    place, whole, last = 0, None, len(STEPS) - 1
    for number, steps in enumerate(STEPS):
        x = m.low(f, place, LOW) + (1 << LOW + steps)
        y = m.low(g, place, LOW) + (1 << LOW + MIDDLE + steps)
        if number == last - 1:  # so that the last block finds its bits at the top of a word
            up = WORD - LOW - place - steps
            f, g = f << up, g << up
        elif 0 < number < last:
            f, g = f >> place, g >> place
        for _ in range(steps):
            zeta, x, y = divstep(m, zeta, x, y, order)
        matrix = Matrix(*_unpacked(m, x), *_unpacked(m, y))
        if number < last:
            f, g = matrix.sums(f, g)
        whole = matrix.after(whole) if whole else matrix
        place = WORD - LOW if number == last - 1 else steps
    assert whole
    return zeta, *whole.entries


def _unpacked(m: SignedMachine[W, F], x: W) -> tuple[W, W]:
    """u and v; each is rounded by itself, so that neither waits for the other."""
    u = m.low(x + (1 << LOW - 1), LOW, MIDDLE)
    return u, (x + (1 << LOW + MIDDLE - 1)) >> LOW + MIDDLE


class Integers:
    """The reading on Python's integers."""

    def is_at_least_0(self, x: int) -> bool:
        """Whether x >= 0."""
        return x >= 0

    def is_odd(self, x: int) -> bool:
        """Whether x is odd."""
        return bool(x & 1)

    def is_below_0_and_odd(self, x: int, y: int) -> bool:
        """Whether x < 0 and y is odd."""
        return x < 0 and bool(y & 1)

    def choose(self, flag: bool, a: int, b: int) -> int:
        """a if the flag is set, else b."""
        return a if flag else b

    def low(self, x: int, place: int, bits: int) -> int:
        """`bits` bits of x from a place on, with the sign that they have alone."""
        half = 1 << bits - 1
        return ((x >> place) + half) % (2 * half) - half
