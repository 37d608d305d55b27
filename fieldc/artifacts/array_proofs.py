"""Proves kernels on arrays one by one: conversions, and those of a built folder again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile
from pathlib import Path
from typing import Any

from fieldc.algorithms.lanes import ARRAY_OPERATIONS, DIGIT_BITS, in_lanes
from fieldc.artifacts.entries import UnprovedEntry, check_entry
from fieldc.artifacts.promise import TRANSFORM
from fieldc.artifacts.rows import fault_of_row
from fieldc.artifacts.transforms import job_of_row
from fieldc.artifacts.verify import Job, code_size, prove_job
from fieldc.artifacts.workers import on_all_processors
from fieldc.binary.architecture import Architecture
from fieldc.binary.decode import mnemonics
from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import function_of
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.progress import Progress, shown_proofs
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.constant_time.vendors import unlisted
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.lanes.prove import prove_arrays
from fieldc.reading import read_bytes
from fieldc.targets.vectors.offers import conversions


class UnprovedArrayKernel(Refusal):
    """A kernel on arrays whose proof failed; names the kernel and the claim."""


def _proof_of_sum(code: bytes, row: Mapping[str, Any], f: Field) -> None:
    """Prove a kernel of sums in columns, as its entry says. Raises UnprovedArrayKernel."""
    turns, bits = row["turns"], row["column_bits"]
    word = DIGIT_BITS if "in_digits" in row else f.word
    job = Job(code, row["symbol"], row["op"], f.p, f.n, array_word=word)
    multiple = row.get("multiple", 0)
    _prove_again(replace(job, turns=turns, column_bits=bits, multiple=multiple))


def _prove_again(job: Job) -> None:
    """Prove a kernel. Raises UnprovedArrayKernel."""
    verdict = prove_job(job)
    if verdict.failure:
        raise UnprovedArrayKernel(f"{job.symbol} is not proved: {verdict.failure}")


def prove_operation(code: bytes, symbol: str, operation: str, f: Field) -> None:
    """Prove an operation on arrays in a field's words, or a conversion of a field in limbs.

    Raises UnprovedArrayKernel.
    """
    result = f
    if operation in ARRAY_OPERATIONS:
        known = ARRAY_OPERATIONS[operation]
        family, parameters = known.family, known.parameters
    else:
        made = conversions(f)[operation]
        f, result = made.expression.field, made.result
        family, parameters = "mul_by", made.parameters
    try:
        function = function_of(code, symbol)
        instructions = INSTRUCTION_SETS.get(function.architecture)
        if instructions is None or not instructions.proves_arrays(function.container):
            raise ObjectError("a kernel on arrays is called by System V's convention for x86-64")
        prove_arrays(
            function.code,
            family,
            f.p,
            f.n,
            f.word,
            dict(parameters),
            function.start,
            (result.n, result.word),
        )
    except (ProofError, ObjectError) as error:
        raise UnprovedArrayKernel(f"{symbol} is not proved: {error}") from None


@dataclass(frozen=True)
class ProvedAgain:
    """A kernel of a built folder; `failure` is empty where it is proved."""

    symbol: str
    operation: str
    layout: str
    seconds: float
    failure: str
    unlisted: tuple[str, ...] = ()
    """Instructions of which the processor's maker does not promise data-independent times."""


def check_texts(row: Mapping[str, Any]) -> None:
    """Raise TypeError or ValueError for a row whose names are no texts, or name no file."""
    if not all(isinstance(row[key], str) for key in ("symbol", "op", "layout", "object")):
        raise TypeError("a name is no text")
    os.fsencode(row["object"])


@dataclass(frozen=True)
class _Built:
    """A kernel on arrays of a built folder: its row of the manifest."""

    folder: Path
    row: Mapping[str, Any]
    field: Field


def prove_folder(
    folder: Path, rows: Sequence[Mapping[str, Any]], field: Field, progress: Progress
) -> Iterator[ProvedAgain]:
    """Prove the kernels on arrays of a built folder again, from their objects.

    Raises KeyError, TypeError, ValueError for a manifest that fieldc build did not write.
    """
    for row in rows:
        check_texts(row)
    proofs = on_all_processors(_proved_again, [_Built(folder, row, field) for row in rows])
    yield from shown_proofs(proofs, [_size_of(folder, row) for row in rows], progress)


def _size_of(folder: Path, row: Mapping[str, Any]) -> int:
    """The bytes of a kernel; 0 where its object cannot be read."""
    try:
        return code_size(read_bytes(folder / row["object"]), row["symbol"])
    except OSError:
        return 0


def _proved_again(built: _Built) -> ProvedAgain:
    """Prove a kernel of a folder again. Raises KeyError, TypeError, ValueError."""
    folder, row, field = built.folder, built.row, built.field
    started, failure, outside = time.perf_counter(), "", tuple[str, ...]()
    is_plain = row["word"] == field.word or row["op"] not in ARRAY_OPERATIONS
    f = field if is_plain else in_lanes(field)
    try:
        code = read_bytes(folder / row["object"])
        if "turns" in row:
            _proof_of_sum(code, row, field)
        elif row["layout"] == TRANSFORM:
            _prove_again(job_of_row(code, row, field))
        else:
            prove_operation(code, row["symbol"], row["op"], f)
        outside = _unlisted_in(code, row["symbol"])
        if "entry" in row:
            check_entry(code, row, read_bytes(folder / row["entry"]["object"]))
        failure = fault_of_row("arrays", row, code, field)
    except (UnprovedArrayKernel, UnprovedEntry) as error:
        failure = str(error)
    except OSError as error:
        missing = Path(str(error.filename)).relative_to(folder)
        failure = f"{missing}: {error.strerror}"
    seconds = time.perf_counter() - started
    return ProvedAgain(row["symbol"], row["op"], row["layout"], seconds, failure, outside)


def _unlisted_in(code: bytes, symbol: str) -> tuple[str, ...]:
    """The unlisted instructions of a proved function, which ends with its one return.

    Its jumps depend on the count alone.
    """
    function = function_of(code, symbol)
    names = mnemonics(function.code[function.start :], Architecture(function.architecture))
    ran = takewhile(lambda name: name != "ret", names)
    return unlisted((name for name in ran if not name.startswith("j")), function.architecture)
