"""Races kernels on arrays against our scalar kernel in a loop over the same arrays."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, astuple, dataclass, replace

from fieldc.algorithms.columns import INNER, Columns, accumulate_digits, columns_of
from fieldc.algorithms.lanes import LIMB_BITS, NoLanes, in_lanes
from fieldc.algorithms.sums import NoSums
from fieldc.artifacts.host import SYMBOL, compiled, decide_here, loaded
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import BoundError, Expression
from fieldc.machine.arrays import BLOCK, ArrayFunction, check_arrays, packed, size, word_bytes
from fieldc.machine.check import check
from fieldc.machine.columns import ColumnSums, LoadedColumnKernel, check_columns
from fieldc.machine.processor import is_x86_64, missing
from fieldc.machine.results import Spread
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array
from fieldc.targets.vectors.offers import ARRAY, DIGITS, array_expression, layouts_of
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.x86_64.timing.array_timing import ArrayCandidate, ArrayRace, measure_arrays

PARTS = {"butterfly": ("mul", "add", "sub"), INNER: ("mul",)}
"""The scalar kernels that stand for an operation that only kernels on arrays have."""


@dataclass(frozen=True)
class BatchRow:
    """One kernel on arrays, measured: cycles of one element."""

    field: str
    op: str
    target: str
    layout: str
    elements: int
    cycles: Spread
    scalar: Spread
    ports: float = 0
    products: float = 0
    """Micro-operations on vector ports, and of them products, of a block."""
    block: int = BLOCK
    """Elements of a block."""
    word: int = LIMB_BITS
    """Bits of a word in memory."""
    starts: int = 1
    """Micro-operations on vectors that start in a cycle."""

    @property
    def ratio(self) -> float:
        """How many times as fast as the scalar kernel."""
        return self.scalar.median / self.cycles.median

    @property
    def port_bound(self) -> float:
        """The least cycles of an element on the vector ports; 0 for a scalar kernel."""
        return self.ports / (self.starts * self.block)

    def data(self) -> dict[str, object]:
        """The row as JSON values."""
        return {
            "field": self.field,
            "op": self.op,
            "target": self.target,
            "layout": self.layout,
            "word": self.word,
            "elements": self.elements,
            "cycles_per_element": self.cycles.median,
            "scalar_cycles": self.scalar.median,
            "times_as_fast": self.ratio,
            "spread": asdict(self.cycles),
            "scalar_spread": asdict(self.scalar),
            "port_bound": self.port_bound or None,
            "products": self.products or None,
        }


@dataclass(frozen=True)
class BatchReport:
    """A whole run: rows, what was left out and why, the state of the machine."""

    rows: tuple[BatchRow, ...]
    skipped: tuple[str, ...]
    race: ArrayRace

    def data(self) -> list[dict[str, object]]:
        """The rows as JSON; each carries the run's calibration, and what was left out."""
        run = {**self.race.calibration(), "skipped": [*self.skipped]}
        return [{**row.data(), "calibration": run} for row in self.rows]


@dataclass(frozen=True)
class _Entrant:
    """A kernel that will be a row."""

    op: str
    target: str
    layout: str
    candidate: ArrayCandidate
    held: object
    """What owns the code."""
    kernel: ArrayKernel | None = None
    end: _End | None = None


@dataclass(frozen=True)
class _End:
    """A second kernel, called on one block after so many elements of the first."""

    candidate: ArrayCandidate
    kernel: ArrayKernel
    elements: int


def run_batch(
    field: Field,
    operations: Sequence[str],
    rounds: int,
    seed: int,
    elements: int,
    progress: Callable[[str, int, int], None] = lambda *_: None,
) -> BatchReport:
    """Compile, check and time every layout of some operations, and the scalar kernel beside them.

    An operation that a target has no kernel of is left out, with its reason. Raises UserError
    where this host runs no machine code of ours, DoesNotApply for a modulus that is too long,
    CheckError for a wrong kernel.
    """
    if not is_x86_64():
        raise UserError("kernels on arrays are timed on x86-64 Linux and Darwin hosts only")
    in_lanes(field)
    every = [target for target in ARRAY_TARGETS.values() if target.takes(field)]
    targets = [target for target in every if not missing(target.features)]
    skipped = [
        f"{target.name}: this processor lacks {' and '.join(missing(target.features))}"
        for target in every
        if target not in targets
    ]
    entrants: list[_Entrant] = []
    for done, operation in enumerate(operations):
        progress("compile and check", done, len(operations))
        entrants += (
            _scalar(field, operation, part, elements, seed)
            for part in PARTS.get(operation, (operation,))
        )
        vectors = _inner_products if operation == INNER else _vectors
        for target in targets:
            try:
                entrants += vectors(target, field, operation, elements, seed)
            except (BoundError, NoLanes, NoSums) as error:
                skipped.append(f"{operation} on {target.name}: {error}")
    progress("compile and check", len(operations), len(operations))

    def show(done: int, total: int) -> None:
        progress("race", done, total)

    ends = [e.end.candidate for e in entrants if e.end]
    race = measure_arrays([*(e.candidate for e in entrants), *ends], rounds, seed, show)
    return BatchReport(tuple(_rows(field, entrants, race)), tuple(skipped), race)


def _rows(field: Field, entrants: Sequence[_Entrant], race: ArrayRace) -> Iterator[BatchRow]:
    scalars: dict[str, Spread] = {}
    for entrant in entrants:
        if entrant.kernel is None:
            cycles = race.rows[entrant.candidate.label].cycles
            scalars[entrant.op] = _sum(scalars.get(entrant.op), cycles)
    for op, spread in scalars.items():
        scalar = next(e for e in entrants if e.op == op)
        count, target = scalar.candidate.count, scalar.target
        yield BatchRow(field.label, op, target, scalar.layout, count, spread, spread)
    for entrant in entrants:
        if entrant.kernel is None:
            continue
        made, cycles = entrant.kernel, race.rows[entrant.candidate.label].cycles
        ports, products = float(made.ports), float(made.products)
        if entrant.end is not None:
            end, share = entrant.end, BLOCK / entrant.end.elements
            cycles = _sum(cycles, _scaled(race.rows[end.candidate.label].cycles, share))
            ports += share * end.kernel.ports
            products += share * end.kernel.products
        yield BatchRow(
            field.label,
            entrant.op,
            entrant.target,
            entrant.layout,
            entrant.candidate.count,
            cycles,
            scalars[entrant.op],
            ports,
            products,
            made.elements,
            8 * word_bytes(field),
            made.target.ports,
        )


def _sum(a: Spread | None, b: Spread) -> Spread:
    """The cycles of loops that run one after the other."""
    return b if a is None else Spread(*(x + y for x, y in zip(astuple(a), astuple(b), strict=True)))


def _scaled(a: Spread, factor: float) -> Spread:
    return Spread(*(factor * x for x in astuple(a)))


def _vectors(
    target: VectorTarget, field: Field, operation: str, elements: int, seed: int
) -> Iterator[_Entrant]:
    for layout in layouts_of(field, operation):
        expression = array_expression(field, operation, layout)
        kernel = compile_array(target, expression, SYMBOL)
        function = ArrayFunction(kernel.object, SYMBOL, expression)
        check_arrays(function, seed)
        label = f"{operation} {target.name} {layout}"
        candidate = _candidate(label, expression, function.address, elements, seed)
        yield _Entrant(operation, target.name, layout, candidate, function, kernel)


def _inner_products(
    target: VectorTarget, field: Field, operation: str, elements: int, seed: int
) -> Iterator[_Entrant]:
    """Sums in columns, of elements in limbs and, where there are such kernels, in digits."""
    found = target.sums_of(field)
    (add, of_add), (reduce, of_reduce) = found.kernels
    first = compile_array(target, add, SYMBOL, of_add, found.columns)
    last = compile_array(target, reduce, SYMBOL, of_reduce, found.columns)
    label = f"{operation} {target.name}"
    sums = _sums(field, found.columns, found.result, first, last)
    yield _inner_product(label, ARRAY, sums, (first, last), elements, seed)
    if field.n > 1:
        digits, columns = in_lanes(field), columns_of(field)
        first = compile_array(target, accumulate_digits(field), SYMBOL, digits, columns)
        sums = _sums(digits, columns, field, first, last)
        yield _inner_product(f"{label} {DIGITS}", DIGITS, sums, (first, last), elements, seed)


def _sums(
    given: Field, columns: Columns, result: Field, first: ArrayKernel, last: ArrayKernel
) -> ColumnSums:
    """Both kernels loaded, and checked together."""
    accumulate = LoadedColumnKernel(first.object, SYMBOL, 3)
    sums = ColumnSums(
        given, columns, result, accumulate, LoadedColumnKernel(last.object, SYMBOL, 2)
    )
    check_columns(sums)
    return sums


def _inner_product(
    label: str,
    layout: str,
    sums: ColumnSums,
    kernels: tuple[ArrayKernel, ArrayKernel],
    elements: int,
    seed: int,
) -> _Entrant:
    """An entrant of both kernels. The columns lie where other kernels have their results."""
    first, last = kernels
    assert isinstance(sums.accumulate, LoadedColumnKernel)
    assert isinstance(sums.collect, LoadedColumnKernel)
    x = array_expression(sums.f, "mul", layout)
    timed = _candidate(label, x, sums.accumulate.address, elements, seed)
    timed = replace(timed, result=max(timed.result, sums.bytes))
    end = ArrayCandidate(
        f"{label}, collect",
        sums.collect.address,
        BLOCK,
        size(sums.result, BLOCK),
        (bytes(sums.bytes),),
    )
    target = first.target.name
    return _Entrant(INNER, target, layout, timed, sums, first, _End(end, last, sums.most))


def _scalar(field: Field, operation: str, part: str, elements: int, seed: int) -> _Entrant:
    """Our scalar kernel of a part, called for each element of arrays of limbs of 64 bits."""
    if field.word != LIMB_BITS:
        field = Field(field.p, LIMB_BITS, field.name)
    choice = decide_here(field, part).preferred
    kernel = loaded(compiled(choice), choice.expression)
    check(kernel, choice.expression, seed)
    target = f"x86-{choice.variant.name}"
    address = kernel.library.address(SYMBOL)
    label, step = f"{operation} {part} {target}", size(field, 1)
    candidate = _candidate(label, choice.expression, address, elements, seed, step)
    return _Entrant(operation, target, ARRAY, candidate, kernel)


def _candidate(
    label: str,
    expression: Expression,
    address: int,
    elements: int,
    seed: int,
    step: int = 0,
) -> ArrayCandidate:
    f, draw = expression.field, random.Random(seed)
    arrays = tuple(
        packed(f, [draw.randrange(bound.high(f) + 1) for _ in range(elements)])
        for _, bound in expression.kernel.operands
    )
    results = expression.kernel.result.count
    return ArrayCandidate(label, address, elements, size(f, elements), arrays, step, results)
