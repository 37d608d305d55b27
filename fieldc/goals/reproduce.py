"""Whether shipped schedules reproduce their figures: each measured in three fresh processes.

python -m fieldc.goals.reproduce FIELD ROUNDS   prints the figures of one process as JSON
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from importlib import resources

from fieldc.algorithms import choose
from fieldc.artifacts.host import SYMBOL
from fieldc.catalogue import find_field, named_primes
from fieldc.decisions.schedule import Schedule, TunedKernel, file_name, shipped
from fieldc.errors import Refusal, UserError
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.processors import host_processor
from fieldc.machine.timing import OperandMode, candidate_of, measure
from fieldc.program import maintained
from fieldc.targets.registry import instruments_here
from fieldc.targets.x86_64.print import GNU

PROCESSES = 3
TOLERANCE = 0.03
"""Of a figure: how far a fresh process may be from it."""


@dataclass(frozen=True)
class Reproduction:
    """One tuned kernel: its recorded cycles, and the range of those of fresh processes."""

    field: str
    operation: str
    recorded: tuple[float, float]
    """Throughput and latency in core cycles."""
    lowest: tuple[float, float]
    highest: tuple[float, float]
    disturbed: bool

    @property
    def verdict(self) -> str:
        """PASS where every figure is within TOLERANCE of the recorded one."""
        if self.disturbed:
            return "DISTURBED: no verdict, run again"
        pairs = (*zip(self.lowest, self.recorded, strict=True),)
        pairs += (*zip(self.highest, self.recorded, strict=True),)
        worst = max((seen / recorded - 1 for seen, recorded in pairs), key=abs)
        return "PASS" if abs(worst) <= TOLERANCE else f"{100 * worst:+.1f} %"

    def data(self) -> dict[str, object]:
        """The reproduction as JSON."""
        return {**asdict(self), "verdict": self.verdict}


def shipped_here() -> Iterator[tuple[Field, Schedule]]:
    """The schedules that come with the package for this processor."""
    processor = host_processor()
    folder = resources.files("fieldc.decisions").joinpath("schedules")
    for name in named_primes() if processor else ():
        field = find_field(name)
        if processor and folder.joinpath(file_name(field, processor.key)).is_file():
            yield field, shipped(field, processor.key)


def reproduce(rounds: int, progress: Callable[[int, int], None]) -> list[Reproduction]:
    """Measure every shipped schedule of this processor in fresh processes."""
    schedules = list(shipped_here())
    found: list[Reproduction] = []
    for done, (field, schedule) in enumerate(schedules):
        progress(done, len(schedules))
        runs = [_fresh(field.name, rounds) for _ in range(PROCESSES)]
        found += [_reproduction(field, entry, runs) for entry in schedule.entries]
    progress(len(schedules), len(schedules))
    return found


def _reproduction(
    field: Field, entry: TunedKernel, runs: list[dict[str, list[float]]]
) -> Reproduction:
    figures = [run[entry.operation] for run in runs]
    recorded = [entry.measured[f"best_{mode}_cycles"] for mode in ("throughput", "latency")]
    return Reproduction(
        field.label,
        entry.operation,
        (recorded[0], recorded[1]),
        (min(f[0] for f in figures), min(f[1] for f in figures)),
        (max(f[0] for f in figures), max(f[1] for f in figures)),
        any(f[2] for f in figures),
    )


def _fresh(field: str, rounds: int) -> dict[str, list[float]]:
    command = (sys.executable, "-m", "fieldc.goals.reproduce", field, str(rounds))
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode:
        reason = (ran.stderr.strip().splitlines() or ["no reason given"])[-1]
        raise Refusal(f"a fresh process failed for {field}: {reason}")
    figures: dict[str, list[float]] = json.loads(ran.stdout)
    return figures


def operands_of(entry: TunedKernel) -> OperandMode:
    """The mode of throughput that an entry's figures were measured in; at first it was fixed."""
    return "moving" if entry.measured.get("operands") == "moving" else "fixed"


def figures_of(field: Field, schedule: Schedule, rounds: int) -> dict[str, list[float]]:
    """Throughput and latency of each tuned kernel, and whether the run was disturbed."""
    found = {}
    for entry in schedule.entries:
        expression = choose(field, entry.operation, entry.decisions.algorithm)
        made = assemble(entry.compile(expression, SYMBOL).text(GNU))
        candidate = candidate_of(SYMBOL, code_of(made, SYMBOL), expression)
        race = measure(
            [candidate],
            instruments=instruments_here(),
            rounds=rounds,
            seed=1,
            operands=operands_of(entry),
        )
        row = race.row(SYMBOL)
        found[entry.operation] = [row.throughput.median, row.latency.median, float(race.disturbed)]
    return found


def main() -> int:
    """Print the figures of the shipped schedule of a field on this processor."""
    if len(sys.argv) != 3 or not sys.argv[2].isdecimal():
        raise UserError("usage: python -m fieldc.goals.reproduce FIELD ROUNDS")
    processor, field = host_processor(), find_field(sys.argv[1])
    if processor is None:
        raise UserError("this processor is none of processors.toml")
    print(json.dumps(figures_of(field, shipped(field, processor.key), int(sys.argv[2]))))
    return 0


if __name__ == "__main__":
    sys.exit(maintained(main))
