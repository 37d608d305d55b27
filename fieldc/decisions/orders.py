"""Chooses the order of a kernel's instructions for one processor, by the simulator.

The simulator is off by several per cent, so it decides only where cycles differ by more than
`DOUBT` says. Of kernels that are nearer, the shortest wins, and of those about as short the
one with the least latency.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from math import inf
from typing import TypeVar

from fieldc.decisions.model import Figure, figure, throughput_of
from fieldc.machine.processors import Processor
from fieldc.simulator.cores import core_of
from fieldc.targets.choice import Choice, Variant
from fieldc.targets.judge import Judge

T = TypeVar("T")
NEAR = 1.07
"""Up to which multiple of the best kernel's cycles others are tried in all orders too."""
LONG = 600
"""Instructions; of what has more only a few orders are tried: a simulation takes a second then."""
LONGEST = 2000
"""Instructions; what has more stays in its own order."""
DOUBT = 1.02
"""Up to which multiple of the fewest cycles, or instructions, two kernels count as alike."""

CLOSE = 1.04
"""Up to which multiple of the best lower bound latency decides, in kernels without products and in
formulas of one straight line: of a butterfly modulo BLS12-381 r with bounds of 38.5 | 62 and one
with 39.0 | 52 the second is taken."""
CLOSE_PLAIN = 1.07
"""And in products of plain residues: most of their time is a chain of folds. A square modulo
2^255 - 19 takes 27.8 | 45.9 cycles where the bounds are 18.8 | 44, and 25.6 | 37.7 where they are
19.8 | 35; one modulo 2^511 - 187 87.8 | 92.8 for 52 | 64, and 76.3 | 79.1 for 53 | 53."""
CLOSE_REPEATED = inf
"""In repeated squarings latency alone decides: each square waits for the one before it, and so do
nearly all of a call's instructions. Eight squares modulo BLS12-381 r take 393 | 410 cycles on Zen 5
where the bounds are 178 | 356, and 341 | 352 where they are 177 | 268."""


def in_best_order(
    judge: Judge, choice: Choice, known: Figure, model: Processor
) -> tuple[Choice, Figure]:
    """A kernel in its own order, of that figure, or in the one that the simulator puts first."""
    is_tried = known.instructions <= LONGEST and core_of(model) is not None
    orders = _in_orders(judge, choice, model, known.instructions > LONG) if is_tried else ()
    others = [(one, throughput_of(judge, one, model.key)) for one in orders]
    least = min([known.throughput, *(cycles for _, cycles in others)])
    near = (one for one, cycles in others if cycles <= DOUBT * least)  # no other comes first
    found = [(choice, known), *((one, figure(judge, one, model.key)) for one in near)]
    return shorter_first(found, lambda one: one[1])[0]


def shorter_first(found: Collection[T], figure_of: Callable[[T], Figure]) -> list[T]:
    """The best first: of those that the simulator cannot tell apart, the shortest."""
    figures = [figure_of(one) for one in found]
    best = DOUBT * min((f.throughput for f in figures), default=0)
    near = [f for f in figures if f.is_predicted and f.throughput <= best]
    short = DOUBT * min((f.instructions for f in near), default=0)

    def place(one: T) -> tuple[int, float, Figure]:
        known = figure_of(one)
        if known not in near:
            return 2, 0, known
        if known.instructions > short:
            return 1, known.instructions, known
        return 0, known.latency, known

    return sorted(found, key=place)


def quicker_first(
    found: Iterable[T],
    close: float,
    figure_of: Callable[[T], Figure],
    variant_of: Callable[[T], Variant],
    of_variants: float = 1,
) -> list[T]:
    """The best first: of kernels of a variant whose throughputs are close, by their latency.

    Lower bounds of a few cycles hide more than such a difference: -x of 4 limbs takes 6.4 | 8.3
    cycles where the bounds are 4.8 | 14, and 6.2 | 6.8 where they are 5.0 | 10. The best kernels
    of two variants are compared by their own figures, and count as close up to `of_variants`.
    """
    of_variant: dict[Variant, list[T]] = {}
    for one in found:
        of_variant.setdefault(variant_of(one), []).append(one)
    queues = [_by_latency(some, close, figure_of) for some in of_variant.values()]
    ranked = []
    while queues := [queue for queue in queues if queue]:  # the best of the variants' next kernels
        first = _by_latency([queue[0] for queue in queues], of_variants, figure_of)[0]
        ranked.append(next(queue for queue in queues if queue[0] is first).pop(0))
    return ranked


def _by_latency(some: Sequence[T], close: float, figure_of: Callable[[T], Figure]) -> list[T]:
    """By their figures, where all throughputs that are close to the best count as that."""
    best = min(figure_of(one).throughput for one in some)

    def place(one: T) -> Figure:
        known = figure_of(one)
        return replace(known, throughput=best) if known.throughput <= close * best else known

    return sorted(some, key=lambda one: (place(one), figure_of(one)))


def _in_orders(judge: Judge, choice: Choice, model: Processor, is_long: bool) -> Iterator[Choice]:
    for plan in judge.orders(choice, model, is_long) if judge.orders else ():
        yield replace(choice, plan=plan)
