"""Races backends and algorithms of one field in a single interleaved run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial

from fieldc.algorithms import choose, every_kernel_for, offered_for
from fieldc.artifacts.host import SYMBOL, HostBackend, decide_here, host_backends, loaded
from fieldc.counting.count import Count
from fieldc.counting.limits import Limits
from fieldc.field import Field
from fieldc.lab.base_line import PLAIN, base_line, gmpy2_number
from fieldc.lab.executed import executed, limits_here
from fieldc.language import BoundError, Expression, Kernel, NeedsIntegers
from fieldc.machine.check import check, operands_of
from fieldc.machine.code import code_of
from fieldc.machine.timing import (
    OperandMode,
    PythonCandidate,
    Race,
    Racer,
    Spread,
    candidate_of,
    measure,
)
from fieldc.progress import Progress
from fieldc.targets.registry import instruments_here
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower

PYTHON, GMPY2, WORDS = "python", "gmpy2", "words"
REFERENCES = ("llvm-wide", "llvm-bmi2", PYTHON)
"""Backends that every row is compared with: the fastest algorithm of each, in each mode."""
DEFAULT_OPERATIONS = ("mul", "square", "add", "sub")


@dataclass(frozen=True)
class Entrant:
    """One row to be: an operation by an algorithm through a backend."""

    kernel: Kernel
    backend: str
    runner: Racer
    count: Count | None = None
    """What a call executes, where it is machine code."""
    algorithm: str = ""
    """Its name, if it is not the kernel's."""

    @property
    def operation(self) -> str:
        """The operation's name."""
        return self.kernel.operation


@dataclass(frozen=True)
class Ratio:
    """How many times as fast as a reference: medians of per-round ratios."""

    throughput: float
    latency: float


@dataclass(frozen=True)
class RaceRow:
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
    throughput_worst: float | None = None
    """Cycles at the worst of several places in memory; None where there is one place."""
    latency_worst: float | None = None
    placements: int = 1
    operands: str = "moving"
    """What throughput means: operands that move from call to call, or fixed ones."""
    label: str = ""
    """Its name in the race."""
    count: Count | None = None
    """What a call executes, where that is known."""

    @property
    def limits(self) -> Limits | None:
        """The lower bounds on this processor."""
        return limits_here(self.count) if self.count else None


@dataclass(frozen=True)
class Report:
    """A whole run: rows, what was left out and why, and the state of the machine."""

    rows: list[RaceRow]
    skipped: list[str]
    race: Race

    def calibration(self) -> dict[str, object]:
        """What every figure rests on."""
        return self.race.calibration()

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
                "latency_worst_cycles": row.latency_worst,
                "throughput_worst_cycles": row.throughput_worst,
                "placements": row.placements,
                "operands": row.operands,
                "times_as_fast_as": {name: asdict(r) for name, r in row.ratios.items()},
                "counts": row.count.row() if row.count else None,
                "bounds": limits.row() if (limits := row.limits) else None,
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
    algorithms: Sequence[str] = (),
    backends: Sequence[HostBackend] | None = None,
    operands: OperandMode = "moving",
) -> Report:
    """Compile, check and race every backend and applicable algorithm of some operations.

    Without `every_algorithm`, only the preferred one of each operation; studied `algorithms` where
    they are named, or `all`. Without `backends`, those of this process and the words in Python.
    Raises CheckError for a kernel that computes something wrong: nothing wrong is ever timed.
    """
    readings = (PYTHON, GMPY2) if backends else (PYTHON, GMPY2, WORDS)
    backends = host_backends(field.word) if backends is None else backends
    runnable = [b for b in backends if not b.missing]
    skipped = [
        f"{b.name}: this processor lacks {' and '.join(b.missing)}" for b in backends if b.missing
    ]
    last = None if every_algorithm else 1
    kernels = [k for op in operations for k in raced(field, op, algorithms)[:last]]
    _check_raced(field, operations, algorithms, kernels)
    entrants: list[Entrant] = []
    for done, kernel in enumerate(kernels):
        progress("compile and check", done, len(kernels))
        in_python = readings if kernel.operation not in {e.operation for e in entrants} else ()
        entrants += _entrants(kernel, field, seed, in_python, runnable)
    progress("compile and check", len(kernels), len(kernels))
    return timed(field, entrants, skipped, rounds, seed, partial(progress, "race"), operands)


def timed(
    field: Field,
    entrants: list[Entrant],
    skipped: list[str],
    rounds: int,
    seed: int,
    progress: Callable[[int, int], None],
    operands: OperandMode,
) -> Report:
    """Race what was compiled and checked; `skipped` says what was left out, and why."""
    race = measure(
        [entrant.runner for entrant in entrants],
        instruments=instruments_here(),
        rounds=rounds,
        seed=seed,
        progress=progress,
        operands=operands,
    )
    return Report(list(_rows(field, entrants, race)), skipped, race)


def raced(field: Field, operation: str, algorithms: Sequence[str]) -> list[Kernel]:
    """The operation's algorithms that the field allows; studied ones if named.

    Where none is named, those that a build may choose, the one that it chooses here first.
    Raises UserError where none is left.
    """
    offered = every_kernel_for(operation) if algorithms else offered_for(operation)
    wanted = [k for k in offered if not algorithms or {"all", k.algorithm} & {*algorithms}]
    allowed = [k for k in wanted if _is_allowed(k, field)]
    if not algorithms and field.word == 64 and len(allowed) != 1:
        chosen = decide_here(field, operation).expression.kernel
        allowed = sorted(allowed or [chosen], key=lambda kernel: kernel != chosen)
    return allowed or [choose(field, operation, *algorithms[:1]).kernel]


def _check_raced(
    field: Field, operations: Sequence[str], algorithms: Sequence[str], kernels: Sequence[Kernel]
) -> None:
    """Raise UserError for a named algorithm that no operation is raced with."""
    for name in algorithms:
        if name not in ("all", *(kernel.algorithm for kernel in kernels)):
            having = [
                op for op in operations if name in {k.algorithm for k in every_kernel_for(op)}
            ]
            choose(field, (having or operations)[0], name)


def _is_allowed(kernel: Kernel, field: Field) -> bool:
    try:
        kernel.expression(field)
    except NeedsIntegers:
        return True
    except BoundError:
        return False
    return True


def _entrants(
    kernel: Kernel,
    field: Field,
    seed: int,
    in_python: Sequence[str],
    backends: Sequence[HostBackend],
) -> Iterator[Entrant]:
    """A kernel through some readings in Python, and backends; in Python alone if it needs that."""
    try:
        expression = kernel.expression(field)
    except NeedsIntegers:
        call = partial(kernel.function, field, *_operands(kernel, field, seed))
        yield Entrant(kernel, PYTHON, PythonCandidate(_label(kernel, PYTHON), call))
        return
    yield from _base_lines(kernel, field, seed, in_python)
    if WORDS in in_python:
        yield _words_entrant(expression, seed)
    yield from (
        entrant_of(backend.compile(expression), expression, backend.name, seed)
        for backend in backends
        if backend.can(expression)
    )


def _label(kernel: Kernel, backend: str) -> str:
    return f"{kernel.operation} {kernel.algorithm} {backend}"


def _operands(kernel: Kernel, field: Field, seed: int) -> tuple[int, ...]:
    *_, operands = operands_of([bound for _, bound in kernel.operands], field, seed)
    return operands


def _base_lines(
    kernel: Kernel, field: Field, seed: int, in_python: Sequence[str]
) -> Iterator[Entrant]:
    """The operation as a person writes it, on integers of Python and of gmpy2."""
    numbers = {PYTHON: int, GMPY2: gmpy2_number()}
    operands = _operands(kernel, field, seed)
    for backend, number in numbers.items():
        call = base_line(kernel, field, operands, number) if number else None
        if call and backend in in_python:
            runner = PythonCandidate(f"{kernel.operation} {PLAIN} {backend}", call)
            yield Entrant(kernel, backend, runner, algorithm=PLAIN)


def _words_entrant(expression: Expression, seed: int) -> Entrant:
    kernel = expression.kernel
    call = partial(interpret, lower(expression), *_operands(kernel, expression.field, seed))
    return Entrant(kernel, WORDS, PythonCandidate(_label(kernel, WORDS), call))


def entrant_of(made: bytes, expression: Expression, backend: str, seed: int) -> Entrant:
    """A row to be from an object with SYMBOL. Raises CheckError for a wrong kernel."""
    check(loaded(made, expression), expression, seed)
    label = _label(expression.kernel, backend)
    candidate = candidate_of(label, code_of(made, SYMBOL), expression)
    return Entrant(expression.kernel, backend, candidate, executed(made, expression))


def _rows(field: Field, entrants: list[Entrant], race: Race) -> Iterator[RaceRow]:
    for entrant in entrants:
        timing = race.row(entrant.runner.label)
        rivals = [e for e in entrants if e.operation == entrant.operation]
        placed = timing.placements > 1
        yield RaceRow(
            field.label,
            entrant.operation,
            entrant.algorithm or entrant.kernel.algorithm,
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
            timing.throughput_worst if placed else None,
            timing.latency_worst if placed else None,
            timing.placements,
            race.operands,
            entrant.runner.label,
            entrant.count,
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
