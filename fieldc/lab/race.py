"""Races backends and algorithms of one field in a single interleaved run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from fieldc.algorithms import kernels_for
from fieldc.field import Field
from fieldc.language import BoundError, Trace
from fieldc.machine.check import check, vectors
from fieldc.machine.host import HostBackend, host_backends
from fieldc.machine.timing import PythonCandidate, Race, Runner, Spread, candidate_of, measure
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

PYTHON, WORDS = "python", "words"
REFERENCES = ("llvm-wide", "llvm-bmi2", PYTHON)
"""Backends that every row is compared with: the fastest algorithm of each, in each mode."""
DEFAULT_OPERATIONS = ("mul", "square", "add", "sub")
Progress = Callable[[str, int, int], None]
"""progress(what, done, total)."""


@dataclass(frozen=True)
class Entrant:
    """One row to be: an operation by an algorithm through a backend."""

    trace: Trace
    backend: str
    runner: Runner

    @property
    def operation(self) -> str:
        """The operation's name."""
        return self.trace.kernel.operation


@dataclass(frozen=True)
class Ratio:
    """How many times as fast as a reference: medians of per-round ratios."""

    throughput: float
    latency: float


@dataclass(frozen=True)
class Row:
    """One measured row; cycles and nanoseconds of one call, with 10th and 90th percentile."""

    field: str
    op: str
    algorithm: str
    backend: str
    limbs: int
    throughput: Spread
    latency: Spread
    throughput_ns: Spread
    latency_ns: Spread
    ratios: dict[str, Ratio]
    """How many times as fast as each of REFERENCES that ran."""
    label: str = ""
    """Its name in the race."""


@dataclass(frozen=True)
class Report:
    """A whole run: rows, what was left out and why, and the state of the machine."""

    rows: list[Row]
    skipped: list[str]
    race: Race

    def calibration(self) -> dict[str, object]:
        """What every figure rests on."""
        race = self.race
        return {
            "processor": race.processor,
            "ticks_per_cycle": race.ticks_per_cycle,
            "tsc_ghz": race.tsc_ghz,
            "core_ghz": race.core_ghz,
            "canary": race.canary,
            "disturbed": race.disturbed,
            "rounds": race.rounds,
            "seed": race.seed,
        }

    def data(self) -> list[dict[str, object]]:
        """The rows as JSON; every row carries the run's calibration."""
        return [
            {
                "field": row.field,
                "op": row.op,
                "algorithm": row.algorithm,
                "backend": row.backend,
                "limbs": row.limbs,
                "latency_cycles": row.latency.median,
                "throughput_cycles": row.throughput.median,
                "latency_ns": row.latency_ns.median,
                "throughput_ns": row.throughput_ns.median,
                "latency_spread": asdict(row.latency),
                "throughput_spread": asdict(row.throughput),
                "times_as_fast_as": {name: asdict(r) for name, r in row.ratios.items()},
                "calibration": self.calibration(),
            }
            for row in self.rows
        ]


def run_race(
    field: Field,
    operations: Sequence[str],
    rounds: int,
    seed: int,
    progress: Progress,
    every_algorithm: bool = True,
    backends: Sequence[HostBackend] | None = None,
    readings: Sequence[str] = (PYTHON, WORDS),
) -> Report:
    """Compile, check and race every backend and applicable algorithm of some operations.

    Without `every_algorithm`, only the preferred one of each operation; without `backends`, those
    of this process; `readings` are the ways to run it in Python. Raises CheckError for a kernel
    that computes something wrong: nothing wrong is ever timed.
    """
    backends = host_backends(field.word) if backends is None else backends
    runnable = [b for b in backends if not b.missing]
    skipped = [
        f"{b.name}: this processor lacks {' and '.join(b.missing)}" for b in backends if b.missing
    ]
    last = None if every_algorithm else 1
    traces = [trace for operation in operations for trace in [*applicable(field, operation)][:last]]
    entrants: list[Entrant] = []
    for done, trace in enumerate(traces):
        progress("compile and check", done, len(traces))
        if trace.kernel.operation not in {e.operation for e in entrants}:
            entrants += _python_entrants(trace, seed, readings)
        entrants += [_entrant(trace, backend, seed) for backend in runnable if backend.can(trace)]
    progress("compile and check", len(traces), len(traces))
    race = measure(
        [entrant.runner for entrant in entrants],
        rounds=rounds,
        seed=seed,
        progress=partial(progress, "race"),
    )
    return Report(list(_rows(field, entrants, race)), skipped, race)


def applicable(field: Field, operation: str) -> Iterator[Trace]:
    """The operation's algorithms whose bounds hold for the field, preferred first."""
    for kernel in kernels_for(operation):
        try:
            yield kernel.trace(field)
        except BoundError:
            continue


def _label(trace: Trace, backend: str) -> str:
    return f"{trace.kernel.operation} {trace.kernel.algorithm} {backend}"


def _python_entrants(trace: Trace, seed: int, names: Sequence[str]) -> list[Entrant]:
    *_, operands = vectors(trace, seed)
    readings: dict[str, Callable[[], object]] = {
        PYTHON: partial(trace.kernel.run, trace.field, *operands),
        WORDS: partial(interpret, lower(trace), *operands),
    }
    return [
        Entrant(trace, name, PythonCandidate(_label(trace, name), readings[name])) for name in names
    ]


def _entrant(trace: Trace, backend: HostBackend, seed: int) -> Entrant:
    kernel = backend.kernel(trace)
    check(kernel, trace, seed)
    address, label = kernel.library.address(kernel.symbol), _label(trace, backend.name)
    return Entrant(trace, backend.name, candidate_of(label, address, trace, kernel.library))


def _rows(field: Field, entrants: list[Entrant], race: Race) -> Iterator[Row]:
    for entrant in entrants:
        timing = race.row(entrant.runner.label)
        rivals = [e for e in entrants if e.operation == entrant.operation]
        yield Row(
            field.label,
            entrant.operation,
            entrant.trace.kernel.algorithm,
            entrant.backend,
            field.n,
            timing.throughput,
            timing.latency,
            timing.throughput_ns,
            timing.latency_ns,
            {
                name: ratio
                for name in REFERENCES
                if (ratio := _against(name, entrant, rivals, race))
            },
            entrant.runner.label,
        )


def _against(backend: str, entrant: Entrant, rivals: list[Entrant], race: Race) -> Ratio | None:
    """Against the backend's fastest algorithm, in each mode."""
    labels = [e.runner.label for e in rivals if e.backend == backend]
    if not labels:
        return None
    mine = entrant.runner.label
    return Ratio(
        min(race.ratio(label, mine, "throughput") for label in labels),
        min(race.ratio(label, mine, "latency") for label in labels),
    )
