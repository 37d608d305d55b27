"""docs/predictions.md: what the simulator predicts, beside what was measured where it was.

python -m fieldc.lab.predictions

Every schedule that ships has the cycles that were measured, with fixed operands too, and a digest
of its code. So its kernel is made again byte for byte, and simulated in the loop that timed it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import product
from pathlib import Path

from fieldc.algorithms import choose
from fieldc.catalogue import every_prime, find_field
from fieldc.counting.count import Count
from fieldc.counting.functions import count_in
from fieldc.counting.limits import lower_bounds
from fieldc.decisions.schedule import ScheduleError, TunedKernel, shipped
from fieldc.field import Field
from fieldc.lab import facts, side_by_side
from fieldc.lab.hand_written import ARM, JUDGED, ROUTINES, arm_kernel, goal_rows, ratio_cells
from fieldc.lab.page_tables import replaced, rewrite, table
from fieldc.lab.published import NoPublishedCode
from fieldc.machine.assemble import assemble
from fieldc.machine.processors import find_processor
from fieldc.machine.ring import Layout
from fieldc.machine.timing import layout_of
from fieldc.program import module
from fieldc.simulator.predict import DecodedCode, PredictedCycles, predict
from fieldc.targets.x86_64.print import GNU
from fieldc.targets.x86_64.timing.loops import turn_of

PAGE = Path(__file__).parents[2] / "docs" / "predictions.md"
MEASURED_ON = "sapphire-rapids"
"""The processor whose schedules were measured and which the simulator is judged by."""
FIELDS, OPERATIONS = ("bn254-p", "bls12-381-p"), ("mul", "square", "add", "sub")
WIDE = "bls12-381-p"
SHAPES = ("secp256k1-p", "p256", "curve25519")
OF_BOUNDS = (
    *product((WIDE,), ("add", "sub")),
    *product(("bls12-381-r", "bn254-p", *SHAPES), ("mul",)),
)
"""Kernels that are held against their lower bounds, chosen for each core."""
KERNEL = "kernel"


@dataclass(frozen=True)
class Compared:
    """A kernel of a schedule: what was measured, and what is predicted."""

    field: str
    operation: str
    instructions: int
    throughput: float
    latency: float
    predicted: PredictedCycles

    @property
    def errors(self) -> tuple[float, float]:
        """How far the prediction is off, of throughput and of latency."""
        p = self.predicted
        return p.throughput / self.throughput - 1, p.latency / self.latency - 1

    def cells(self) -> tuple[object, ...]:
        """The row of the page."""
        measured = f"{self.throughput:.1f} \\| {self.latency:.1f}"
        predicted = f"{self.predicted.throughput:.1f} \\| {self.predicted.latency:.1f}"
        off = " \\| ".join(f"{100 * error:+.0f} %" for error in self.errors)
        return self.field, self.operation, self.instructions, measured, predicted, off


def compared(text: str, operation: str) -> Compared:
    """A shipped kernel of a field. Raises ScheduleError if there is none."""
    f = find_field(text)
    tuned = shipped(f, MEASURED_ON).entry(operation)
    if tuned is None:
        raise ScheduleError(f"the schedule of {text} has no {operation}")
    found, layout = kernel(f, tuned)
    predicted = predict(found, find_processor(MEASURED_ON), *around(layout))
    if predicted is None:
        raise ScheduleError(f"{MEASURED_ON} is not simulated")
    run = tuned.measured
    which = "fixed" if run.get("operands") == "moving" else "best"
    throughput, latency = (float(run[f"{which}_{m}_cycles"]) for m in ("throughput", "latency"))
    return Compared(text, operation, found.instructions, throughput, latency, predicted)


def kernel(f: Field, tuned: TunedKernel) -> tuple[Count, Layout]:
    """The kernel of a schedule, the one that was measured, and where its operands lie."""
    expression = choose(f, tuned.operation, tuned.decisions.algorithm)
    code = assemble(tuned.compile(expression, KERNEL).text(GNU))
    return count_in(code, KERNEL), layout_of(expression)


@cache
def around(layout: Layout) -> tuple[DecodedCode, DecodedCode]:
    """What the timing loop executes before and after a call, the call included."""
    text = f".globl turn\nturn:\n1:\n{turn_of(layout)}\n    ret\nkernel:\n    ret\n"
    code = count_in(assemble(text), "turn").code
    call = next(i for i, each in enumerate(code) if each.timing == "call") + 1
    branch = next(i for i, each in enumerate(code) if each.timing == "branch") + 1
    return code[:call], code[call:branch]


def every_comparison() -> Iterator[Compared]:
    """All kernels of the schedules that ship for this processor."""
    for name in every_prime():
        for operation in ("mul", "square"):
            try:
                yield compared(name, operation)
            except ScheduleError:
                continue


def predicted_cells(text: str, operation: str) -> tuple[object, ...]:
    """An AArch64 kernel: its instructions, and on each core its bound and its prediction."""
    found = arm_kernel(text, operation)
    cells: list[object] = [find_field(text).n, operation, found.instructions]
    for key in ARM:
        processor = find_processor(key)
        bound = lower_bounds(found, processor).binding[1]
        cells.append(f"{bound:.1f}: {predict(found, processor)}".replace("|", "\\|"))
    return tuple(cells)


def summary(found: Sequence[Compared]) -> str:
    """How far off the predictions are, in a sentence."""
    parts = []
    for name, number in (("throughput", 0), ("latency", 1)):
        errors = [100 * one.errors[number] for one in found]
        mean = sum(errors) / len(errors)
        span = f"from {min(errors):+.0f} % to {max(errors):+.0f} %"
        parts.append(f"{name} {span}, {mean:+.1f} % on average")
    return f"Off by, over {len(found)} kernels: {'; '.join(parts)}.\n"


def measured_part() -> str:
    """The kernels that were measured, and how well they are predicted."""
    found = list(every_comparison())
    columns = ("field", "op", "instructions", "measured", "predicted", "off by")
    return summary(found) + "\n" + table(columns, (c.cells() for c in found))


def arm_part() -> str:
    """The AArch64 kernels that nobody measured."""
    rows = (predicted_cells(*of) for of in product(FIELDS, OPERATIONS))
    return table(("limbs", "op", "instructions", *ARM), rows)


def pairs_part() -> str:
    """The pairs of published routines. Raises NoPublishedCode."""
    found = [facts.judged(fact) for fact in facts.facts()]
    return facts.summary(found) + "\n" + table(facts.COLUMNS, (one.cells() for one in found))


def hand_written_part() -> str:
    """Our AArch64 kernels beside blst's. Raises NoPublishedCode."""
    columns = ("field", "op", "instructions, ours and blst's", *ARM)
    return table(columns, map(ratio_cells, ROUTINES))


def goals_part() -> str:
    """The goals of AArch64. Raises NoPublishedCode."""
    return table(("field", "op", "instructions", "asked", *JUDGED), goal_rows())


def bound_cells(text: str, operation: str) -> tuple[object, ...]:
    """A kernel for each core: its lower bound, its prediction, and how much more that is."""
    cells: list[object] = [text, operation]
    for key in JUDGED:
        found, processor = arm_kernel(text, operation, key), find_processor(key)
        name, bound = lower_bounds(found, processor).binding
        predicted = predict(found, processor)
        if predicted:
            over = predicted.throughput / bound - 1
            cells.append(f"{bound:.1f} {name}: {predicted.throughput:.1f}, {100 * over:+.0f} %")
    return tuple(cells)


def bounds_part() -> str:
    """How far kernels chosen for a core are from its lower bounds."""
    return table(("field", "op", *JUDGED), (bound_cells(*of) for of in OF_BOUNDS))


def side_by_side_part() -> str:
    """Products in vectors beside scalar ones."""
    return table(side_by_side.COLUMNS, side_by_side.rows())


PARTS = {
    "measured": measured_part,
    "pairs": pairs_part,
    "aarch64": arm_part,
    "hand-written": hand_written_part,
    "goals": goals_part,
    "bounds": bounds_part,
    "side by side": side_by_side_part,
}


def page(text: str) -> str:
    """A page with its tables made again."""
    for name in PARTS:
        text = replaced(text, f"python -m fieldc.lab.predictions: {name}", partial(_part, name))
    return text


def _part(name: str, old: str) -> str:
    """A part made again; one of code that cannot be had here stays as it is."""
    try:
        return PARTS[name]()
    except NoPublishedCode as error:
        print(f"SKIPPED {name}: {error}", file=sys.stderr)
        return old


if __name__ == "__main__":
    sys.exit(module("fieldc.lab.predictions", lambda: rewrite(PAGE, page), __doc__))
