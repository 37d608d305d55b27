"""The study: every algorithm through every flavour, for a row of limb counts, resumable.

One race for each field, all its entrants interleaved. Its rows and its trials are written before
the next field starts; what a folder already has of the same plan is not measured again.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import fieldc
from fieldc.algorithms import choose
from fieldc.artifacts.host import HostBackend, host_backends
from fieldc.catalogue import find_field
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.files import OTHER_FOLDER, check_file, made_folder, write_file
from fieldc.lab.compilers import CompilerError, absent, outside_backends
from fieldc.lab.findings import StudyRow
from fieldc.lab.race import raced, run_race
from fieldc.lab.trials import may_hold_trials, write_trials
from fieldc.language import Expression, NeedsIntegers
from fieldc.machine.processor import brand
from fieldc.machine.ring import OperandMode
from fieldc.modulus import is_prime
from fieldc.progress import Progress
from fieldc.reading import read_text
from fieldc.signals import deferred_signals

EVERY = "all"
"""Of algorithms."""
DECIDE = (
    *("algorithms", "words", "targets", "machine"),
    *("field.py", "polynomial_bounds.py", "integers.py", "language.py"),
)
"""The parts of the compiler of which another state makes other rows."""
SPARE_BITS = 3
"""Of the study's own primes, as many as BLS12-381's p has."""


@dataclass(frozen=True)
class StudyPlan:
    """What is measured: fields, operations, rounds of a race, and the seed of inputs and order."""

    limbs: tuple[int, ...]
    named: tuple[str, ...]
    operations: tuple[str, ...]
    rounds: int
    seed: int
    operands: OperandMode = "moving"
    """What throughput means."""

    def fields(self) -> Iterator[Field]:
        """The named fields, then a prime of no special form for each limb count."""
        yield from (find_field(name) for name in self.named)
        yield from (study_field(n) for n in self.limbs)


SEEDS_FIELDS = ("bn254-p", "bls12-381-p")
SPECIAL_FIELDS = ("secp256k1-p", "curve25519", "p256", "p384", "p521", "goldilocks")
QUICK = StudyPlan((2, 4, 6), SEEDS_FIELDS, ("mul", "square", "add", "sub"), 25, 1)
FULL = StudyPlan(
    tuple(range(2, 17)),
    (*SEEDS_FIELDS, *SPECIAL_FIELDS),
    ("mul", "square", "add", "sub", "mul_plain"),
    100,
    1,
)


class StudyError(UserError):
    """The folder cannot be used; the message is one line."""


@cache
def study_field(limbs: int) -> Field:
    """A prime of 64*limbs - SPARE_BITS bits without special form, for which log-jump applies."""
    draw = random.Random(f"fieldc study, {limbs} limbs")
    bits = 64 * limbs - SPARE_BITS
    while True:
        p = draw.getrandbits(bits) | 1 << bits - 1 | 1
        if is_prime(p):
            field = Field(p, name=f"random-{limbs}")
            if _applies(field):
                return field


def _applies(field: Field) -> bool:
    return choose(field, "mul").kernel.algorithm == "log-jump"


def run_study(
    plan: StudyPlan, folder: Path, progress: Progress
) -> tuple[list[StudyRow], list[str]]:
    """Measure what is missing in the folder; the plan's rows, and what was left out, as lines.

    Raises OutputError or StudyError where the folder cannot be used, before anything is measured.
    """
    with made_folder(folder, OTHER_FOLDER):
        return _run_study(plan, folder, progress)


def _run_study(
    plan: StudyPlan, folder: Path, progress: Progress
) -> tuple[list[StudyRow], list[str]]:
    fields = list(plan.fields())
    for name in ("rows.json", "index.html", *(f"{f.name}.csv" for f in fields)):
        check_file(folder / name, OTHER_FOLDER)
        if name.endswith(".csv") and not may_hold_trials(folder / name):
            raise _another_file(folder / name)
    paths = {field.name: folder / f"{field.name}.json" for field in fields}
    kept = {name: _kept(path, plan) for name, path in paths.items()}
    rows: list[StudyRow] = []
    left_out: dict[str, None] = {}
    for done, field in enumerate(fields):
        progress("fields", done, len(fields))
        found = kept[field.name]
        if found is None:
            found = _measured(field, plan, folder, progress)
            text = json.dumps({"plan": _identity(plan), **found}) + "\n"
            write_file(paths[field.name], text, OTHER_FOLDER)
        rows += found["rows"]
        left_out |= dict.fromkeys(found["left_out"])
    progress("fields", len(fields), len(fields))
    return rows, list(left_out)


def _measured(field: Field, plan: StudyPlan, folder: Path, progress: Progress) -> dict[str, Any]:
    expressions = list(_traces(field, plan.operations))
    objects, refused = _compiled(expressions, progress)
    report = run_race(
        field,
        plan.operations,
        plan.rounds,
        plan.seed,
        progress,
        backends=[_of_objects(b, objects) for b in _backends()],
        algorithms=[EVERY],
        operands=plan.operands,
    )
    write_trials(folder / f"{field.name}.csv", report)
    return {"rows": report.data(), "left_out": [*report.skipped, *refused, *absent()]}


def _traces(field: Field, operations: Sequence[str]) -> Iterator[Expression]:
    """Every algorithm that the field allows and words can do."""
    for operation in operations:
        for kernel in raced(field, operation, [EVERY]):
            with suppress(NeedsIntegers):
                yield kernel.expression(field)


ObjectKey = tuple[str, str, str]
"""Operation, algorithm, backend."""


def _backends() -> list[HostBackend]:
    return [*host_backends(64), *outside_backends()]


def _of_objects(backend: HostBackend, objects: Mapping[ObjectKey, bytes]) -> HostBackend:
    """The backend as one that takes what it made before."""

    def key(expression: Expression) -> ObjectKey:
        return expression.kernel.operation, expression.kernel.algorithm, backend.name

    return replace(
        backend,
        compile=lambda expression: objects[key(expression)],
        can=lambda expression: key(expression) in objects,
    )


def _compiled(
    expressions: Sequence[Expression], progress: Progress
) -> tuple[dict[ObjectKey, bytes], list[str]]:
    """Every expression through every backend of this host, and what was refused, as lines.

    Outside compilers run in parallel; LLVM in this process does not use threads. Raises
    CompilerError if a compiler refuses our text.
    """
    objects: dict[ObjectKey, bytes] = {}
    refused: list[str] = []
    pool = ThreadPoolExecutor(os.cpu_count())
    try:
        jobs: list[tuple[Expression, HostBackend, Callable[[], bytes]]] = [
            (t, b, pool.submit(b.compile, t).result)
            for b in outside_backends()
            for t in expressions
            if not b.missing and b.can(t)
        ]
        jobs += [
            (t, b, partial(b.compile, t))
            for b in host_backends(64)
            for t in expressions
            if not b.missing
        ]
        for done, (expression, backend, result) in enumerate(jobs):
            progress("compile", done, len(jobs))
            kernel = expression.kernel
            try:
                objects[kernel.operation, kernel.algorithm, backend.name] = result()
            except CompilerError:
                raise
            except UserError as error:
                refused.append(f"{kernel.operation} {kernel.algorithm}: {error}")
    finally:
        with deferred_signals():  # after a second one nobody would remove the folders of texts
            pool.shutdown(cancel_futures=True)  # those that run end, the others never begin
    progress("compile", len(jobs), len(jobs))
    return objects, refused


def _identity(plan: StudyPlan) -> StudyRow:
    """What must agree before rows of an earlier run are taken: limbs and names may grow."""
    return {
        "operations": list(plan.operations),
        "rounds": plan.rounds,
        "seed": plan.seed,
        "operands": plan.operands,
        "processor": brand(),
        "compilers": sorted(b.name for b in outside_backends()),
        "source": _source(),
    }


@cache
def _source() -> str:
    """A digest of the source that decides which code is raced, and how."""
    total = hashlib.sha256()
    top = Path(fieldc.__path__[0])
    for path in sorted(top.rglob("*.py")):
        if path.relative_to(top).parts[0] in DECIDE:
            total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def _kept(path: Path, plan: StudyPlan) -> dict[str, Any] | None:
    """What an earlier run of the same plan on this processor left, if it did."""
    try:
        found: dict[str, Any] = json.loads(read_text(path))
        return found if found["plan"] == _identity(plan) else None
    except FileNotFoundError:
        return None
    except (OSError, ValueError, RecursionError, LookupError, TypeError):
        raise _another_file(path) from None


def _another_file(path: Path) -> StudyError:
    return StudyError(f"{path} is not what fieldc lab writes; remove it, or use -o")
