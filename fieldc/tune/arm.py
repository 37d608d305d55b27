"""Searches for orders of AArch64 kernels by the simulator, and writes those that ship.

An order that ships stays, unless what was found is predicted to be faster.

python -m fieldc.tune.arm bls12-381-r --op mul,square --processor apple-m1 --seed 1 --tries 1500

Nothing is measured. The same arguments find the same orders on any machine.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import product
from operator import itemgetter

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.decisions.arm_orders import (
    FoundOrder,
    digest_of_code,
    dumped,
    path_of,
    shipped_orders,
)
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.files import write_file
from fieldc.language import Expression
from fieldc.machine.processors import Processor, find_processor
from fieldc.program import maintained
from fieldc.seeds import seed
from fieldc.simulator.window import CHOICE
from fieldc.targets.aarch64.kernel import FAST, ROWS, ArmOrder, compile_words, in_order, is_short
from fieldc.targets.aarch64.pace import Pace
from fieldc.targets.aarch64.permute import BrokenOrder
from fieldc.targets.aarch64.quotients import as_shift, can_shift_high
from fieldc.targets.registry import TARGETS
from fieldc.tune.arm_search import LONG_RUN, Judged, OrderWalk, predicted
from fieldc.words.lower import lower

TARGET = "aarch64-linux"
PACES = (*FAST, *(Pace(*of) for of in product((0.5, 0.75, 0.9), (2, 3, 4), (3, 5), (28, 50))))
"""Clocks that a walk may begin from."""
LONG = 600
"""Instructions; of what has more a walk begins from few orders, all of rows of halves."""
WALKS = 3
"""Walks of a kernel, each of other instructions."""


def starts_of(expression: Expression, processor: Processor, is_long: bool) -> Iterator[ArmOrder]:
    """The orders that a walk may begin from."""
    f = expression.field
    paced = [ArmOrder(rows, pace=pace) for rows, pace in product(ROWS, PACES)]
    if is_long:
        yield from paced[: len(PACES)]
        return
    plain = [*(ArmOrder(rows, n) for rows, n in product(ROWS, (0, 2, 4, 6))), *paced]
    if expression.kernel.operation == "square" and extr_multiplies(processor):
        plain += [replace(one, sums_double=True) for one in plain]
    if as_shift(f.n0, f.word) is None:
        yield from plain
        return
    highs = range(f.n + 1) if can_shift_high(f.n0, f.word) else (0,)
    for rows, one in product(highs, plain):
        yield replace(one, shifts=True, shifted_highs=rows)


def extr_multiplies(processor: Processor) -> bool:
    """Whether the units that have `extr` are multipliers."""
    extr, mul = processor.timing("extr"), processor.timing("mul")
    if extr is None or mul is None:
        return False
    return all({*ports} <= {*mul.ports[0]} for ports in extr.ports)


def judged(expression: Expression, order: ArmOrder, processor: Processor) -> Judged:
    """A kernel in its order, to be moved about."""
    program = lower(expression, order.rows)
    chosen, code, _ = in_order(program, is_short, order)
    return Judged(chosen, code, processor)


def search(
    f: Field,
    operation: str,
    algorithm: str,
    processor: Processor,
    seed: int,
    tries: int,
    walks: int = WALKS,
) -> FoundOrder:
    """Walk from the best orders; the best that was met."""
    expression = choose(f, operation, algorithm)
    plain = compile_words(lambda rows: lower(expression, rows))
    starts: dict[tuple[object, ...], tuple[float, ArmOrder, Judged]] = {}
    for order in starts_of(expression, processor, len(plain.lines) > LONG):
        one = judged(expression, order, processor)
        start = one.cost(range(len(one.code)), CHOICE), order, one
        kind = order.rows, order.shifted_highs, order.sums_double
        starts[kind] = min(starts.get(kind, start), start, key=lambda each: each[0])
    best: tuple[float, ArmOrder] | None = None
    for number, (_, order, one) in enumerate(sorted(starts.values(), key=itemgetter(0))[:walks]):
        cost, places = OrderWalk(one, random.Random(seed + number), tries).run()
        print(f"  {cost:.2f}: {predicted(one, places)}", file=sys.stderr, flush=True)
        if best is None or cost < best[0]:
            best = cost, replace(order, places=tuple(places))
    if best is None:
        raise ValueError("no order to begin from")
    kernel = compile_words(lambda rows: lower(expression, rows), order=best[1])
    return FoundOrder(operation, algorithm, best[1], digest_of_code(kernel.code), seed, tries)


def no_slower(f: Field, found: FoundOrder, processor: Processor) -> FoundOrder | None:
    """The order that ships for the operation, if it makes its code and is predicted no slower."""
    for one in shipped_orders(f, processor.key):
        if one.operation == found.operation and makes_its_code(f, one):
            costs = [
                judged(
                    choose(f, each.operation, each.algorithm),
                    replace(each.order, places=()),
                    processor,
                ).cost(each.order.places, LONG_RUN)
                for each in (one, found)
            ]
            return one if costs[0] <= costs[1] else None
    return None


def makes_its_code(f: Field, one: FoundOrder) -> bool:
    """Whether the decisions of an order still make the code that was judged."""
    expression = choose(f, one.operation, one.algorithm)
    try:
        kernel = compile_words(lambda rows: lower(expression, rows), order=one.order)
    except BrokenOrder:
        return False
    return digest_of_code(kernel.code) == one.digest


def main(arguments: Sequence[str] | None = None) -> int:
    """Search for each operation, and write what was found."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("field")
    parser.add_argument("--op", type=lambda text: text.split(","), default=["mul", "square"])
    parser.add_argument("--algorithm", help="default: the one that is preferred")
    parser.add_argument("--processor", required=True, type=find_processor)
    parser.add_argument("--seed", type=seed, default=1)
    parser.add_argument("--tries", type=int, default=1500)
    parser.add_argument("--walks", type=int, default=WALKS)
    asked = parser.parse_args(arguments)
    f, key = find_field(asked.field), asked.processor.key
    for operation in asked.op:
        algorithm = asked.algorithm
        if algorithm is None:
            decided = preferred(f, operation, TARGETS[TARGET], key)
            algorithm = decided.expression.kernel.algorithm
        how = asked.seed, asked.tries, asked.walks
        found = search(f, operation, algorithm, asked.processor, *how)
        if no_slower(f, found, asked.processor):
            print(f"{operation}: the order that ships is predicted to be no slower, and stays")
            continue
        others = [one for one in shipped_orders(f, key) if one.operation != operation]
        path = path_of(f, key)
        path.parent.mkdir(exist_ok=True)
        write_file(path, dumped(f, key, [*others, found]))
        print(f"{operation}: written to {path}")
    return 0


if __name__ == "__main__":
    sys.exit(maintained(main))
