"""Addition chains for powers with a fixed exponent, found when the compiler runs.

Sources: E. G. Thurber, "On addition chains l(mn) <= l(n) - b and lower bounds for c(r)" (1973), for
sliding windows; J. Bos and M. Coster, "Addition chain heuristics" (1989), for exponents as sums of
a few kept powers. Runs of ones are kept powers of their own: many exponents of primes with a shape
have long ones. All choices of window and run are tried; the same exponent gives the same chain.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

WIDTHS = range(1, 8)
"""Bits of a window."""
LEAST_RUNS = (2, 3, 4, 6, 8, 12, 16, 24, 32)
"""The fewest ones in a row that are taken for a run."""
MOST_RUNS = (4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 1 << 12)
"""The most ones of a run that are kept as one power."""


@dataclass(frozen=True)
class ChainStep:
    """kept[to] = kept[of]^(2^squarings) * kept[by], without a product where `by` is None."""

    to: int
    of: int
    squarings: int
    by: int | None


@dataclass(frozen=True)
class Chain:
    """Steps from kept[0] = x to x^exponent, which the last one makes, with so many values kept.

    There is at least one step: for the exponent 1 it copies.
    """

    exponent: int
    steps: tuple[ChainStep, ...]
    kept: int

    @property
    def squarings(self) -> int:
        """How many squares it takes."""
        return sum(step.squarings for step in self.steps)

    @property
    def products(self) -> int:
        """How many products it takes, without squares."""
        return sum(step.by is not None for step in self.steps)

    def run(self, x: int, p: int) -> int:
        """x^exponent mod p, step by step."""
        kept = [x % p] * self.kept
        for step in self.steps:
            factor = 1 if step.by is None else kept[step.by]
            kept[step.to] = pow(kept[step.of], 1 << step.squarings, p) * factor % p
        return kept[self.steps[-1].to]


@lru_cache(maxsize=64)
def chain(exponent: int) -> Chain:
    """The shortest chain that is found for an exponent, which must be positive.

    Raises ValueError otherwise. Of chains of the same length the one with fewer products, and then
    with fewer values kept.
    """
    if exponent < 1:
        raise ValueError(f"a chain needs a positive exponent, not {exponent}")
    cuts = [tuple(_windows(exponent, width, None, 0)) for width in WIDTHS]
    for width in WIDTHS:
        for least in LEAST_RUNS:
            cuts += [tuple(_windows(exponent, width, least, most)) for most in MOST_RUNS]
    made = [_chain(exponent, parts) for parts in dict.fromkeys(cuts)]
    return min(made, key=lambda c: (c.squarings + c.products, c.products, c.kept))


Window = tuple[int, int]
"""An odd value and the bit of the exponent at which its lowest bit stands."""


def _windows(exponent: int, width: int, least: int | None, most: int) -> Iterator[Window]:
    """An exponent as a sum of odd values at bits, the highest first: runs of ones, and windows."""
    end = exponent.bit_length()
    while end and exponent % (1 << end):
        end = (exponent % (1 << end)).bit_length()
        ones = _ones_below(exponent, end)
        if least is not None and ones >= least:
            start = end - min(ones, most)
        else:
            start = max(end - width, 0)
            start += (exponent >> start & -(exponent >> start)).bit_length() - 1
        yield exponent % (1 << end) >> start, start
        end = start


def _ones_below(exponent: int, end: int) -> int:
    """How many ones in a row end below a bit."""
    zeros = ~exponent % (1 << end)
    return end - zeros.bit_length()


@dataclass(frozen=True)
class _Sum:
    """value = made[of] * 2^shift + made[by], of which `by` is 0 for none."""

    value: int
    of: int
    shift: int
    by: int


def _chain(exponent: int, parts: Sequence[Window]) -> Chain:
    """The chain that makes the odd values first, and then the exponent from them."""
    sums: dict[int, _Sum] = {}
    for value in sorted({value for value, _ in parts}):
        _make(value, sums)
    (total, place), *rest = parts
    for value, start in rest:
        of, shift = total, place - start
        total = (total << shift) + value
        sums.setdefault(total, _Sum(total, of, shift, value))
        place = start
    if place or not sums:
        sums[exponent] = _Sum(exponent, total, place, 0)
    return _kept(exponent, list(sums.values()))


def _make(value: int, sums: dict[int, _Sum]) -> None:
    """Add what makes a value from 1 and those that are made."""
    if value == 1 or value in sums:
        return
    found = _cheapest(value, sums)
    if found is None:
        if value & value + 1:  # not a run of ones
            _make_double(sums)
            _make(value - 2, sums)
        else:
            half = value.bit_length() // 2
            _make((1 << half) - 1, sums)
            _make((1 << value.bit_length() - half) - 1, sums)
        found = _cheapest(value, sums)
    if found is None:
        raise ValueError(f"no sum makes {value}")
    sums[value] = found


def _make_double(sums: dict[int, _Sum]) -> None:
    sums.setdefault(2, _Sum(2, 1, 1, 0))


def _cheapest(value: int, sums: dict[int, _Sum]) -> _Sum | None:
    """A sum of two values that are made, with the fewest squarings."""
    made = {1, *sums}
    found = [
        _Sum(value, of, shift, value - (of << shift))
        for of in made
        for shift in range(value.bit_length() - of.bit_length() + 1)
        if value - (of << shift) in made
    ]
    return min(found, key=lambda s: (s.shift, s.of), default=None)


def _kept(exponent: int, sums: Sequence[_Sum]) -> Chain:
    """The steps of a list of sums; a place is free again after the last use of its value.

    A result may take the place of its `of`, but never that of its `by`, which is read last.
    """
    last = {number: i for i, s in enumerate(sums) for number in (s.of, s.by)}
    places = {1: 0}
    free: list[int] = []
    count = 1
    steps = []
    for i, s in enumerate(sums):
        of, by = places[s.of], places[s.by] if s.by else None
        if last[s.of] == i and of != by:
            to = of
        elif free:
            to = min(free)
            free.remove(to)
        else:
            to, count = count, count + 1
        ended = {places[number] for number in {s.of, s.by} - {0} if last[number] == i}
        free += sorted(ended - {to})
        places[s.value] = to
        steps.append(ChainStep(to, of, s.shift, by))
    return Chain(exponent, tuple(steps), count)
