"""fieldc prove: prove finished objects again, from their bytes."""

from __future__ import annotations

import argparse
import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fieldc.catalogue import find_field
from fieldc.commands.built import (
    ARRAYS,
    DIVSTEPS,
    KERNELS,
    check_formulas,
    check_inside,
    check_once,
    field_of,
    is_proved,
    manifest_of,
    no_manifest,
    read,
)
from fieldc.commands.contract import contract_in, contract_text
from fieldc.commands.own_claims import FOR_ALL, bounds_of, claim_of, promise_of_arrays
from fieldc.commands.progress import progress
from fieldc.commands.routines import listed, stated
from fieldc.commands.verb import Answer, Table, UsageError, one_of, option, verb
from fieldc.errors import counted, quote
from fieldc.reading import read_bytes, read_text

if TYPE_CHECKING:
    from fieldc.artifacts.array_proofs import ProvedAgain
    from fieldc.artifacts.verify import Job
    from fieldc.field import Field

CONVENTIONS = ("sysv", "win64", "aapcs64", "apple", "windows")
OBJECTS = "objects and certificates; texts and headers beside them are not"
"""What a proof of a folder reads of it."""


@verb(
    option(
        "path",
        metavar="PATH",
        help="an object file, a folder that fieldc build wrote, or (with --field) the folder of "
        "the crate's generated kernels",
    ),
    option("--symbol", metavar="NAME", help="of a file: the function, its whole name or 0x..."),
    option("--contract", metavar="OP|FILE", help="what it does: an operation, or a TOML file"),
    option("--field", metavar="FIELD", help="of an object or of the crate's kernels: the field"),
    option(
        "--list",
        action="store_true",
        help="list the routines of any binary that look like arithmetic on limbs",
    ),
    option(
        "--convention",
        type=one_of("convention", *CONVENTIONS),
        help=f"of an object: {', '.join(CONVENTIONS)} (default: that of the object's system)",
    ),
)
def prove(arguments: argparse.Namespace) -> Answer:
    """prove an object or a built folder again, from bytes"""
    if not arguments.path:
        raise UsageError("the path is empty; prove takes an object or a folder")
    check_unused(arguments)
    if arguments.list:
        return listed(Path(arguments.path))
    text = contract_text(arguments.contract)
    if (answer := stated(arguments, text)) is not None:
        return answer
    folder = Path(arguments.path)
    if not folder.is_dir() or arguments.field:
        return prove_kernels(folder, arguments, text)
    answers = [prove_batch(folder)] if rows_of(folder, "arrays") else []
    if not answers or rows_of(folder, "kernels"):
        answers = [prove_kernels(folder, arguments), *answers]
    answer = reduce(both, answers)
    return replace(answer, tables=(*answer.tables, Table((), [("read", OBJECTS)])))


def rows_of(folder: Path, name: str) -> Sequence[object]:
    """The rows of a folder's manifest; none where there is no manifest. Raises UsageError."""
    path = folder / "manifest.json"
    if not path.is_file():
        return ()
    try:
        return list(manifest_of(folder).get(name, ()))
    except (ValueError, TypeError, AttributeError, RecursionError):
        raise UsageError(f"{quote(str(path))} is no manifest") from None


def both(one: Answer, other: Answer) -> Answer:
    """Two answers as one, with the rows of both."""
    rows = [*cast(list[object], one.data), *cast(list[object], other.data)]
    return Answer((*one.tables, *other.tables), rows, max(one.status, other.status))


def prove_kernels(path: Path, arguments: argparse.Namespace, text: str | None = None) -> Answer:
    """The proofs of kernels on single values; `text` is that of a contract. Raises UsageError."""
    from fieldc.artifacts.verify import prove_all

    named = jobs_of(path, arguments, text)
    with progress() as show:
        verdicts = prove_all([job for job, *_ in named], show)
    rows, data, claims = [], [], []
    for (job, changed, stack), verdict in zip(named, verdicts, strict=True):
        why = verdict.failure or changed
        if not why and stack not in (None, verdict.stack):
            why = f"it uses {verdict.stack} bytes of stack, and its row says {stack}"
        status = "FAILED" if why else "PROVED"
        rows.append((job.symbol, status, f"{verdict.seconds:.2f}", why))
        row = {"kernel": job.symbol, "status": status, "seconds": round(verdict.seconds, 2)}
        row |= {"reason": why, "operation": job.operation, "formula": job.formula}
        row |= {"p": hex(job.p), "limbs": job.limbs}
        if not why:
            claims.append((job.symbol, claim_of(job, verdict)))
            row |= {"bounds": bounds_of(job), "promises": FOR_ALL}
            row |= {"convention": verdict.convention, "stack": verdict.stack}
            row |= {"unlisted": list(verdict.unlisted)}
        data.append(row)
    tables = [Table(("kernel", "status", "seconds", "why not"), rows)]
    if claims:
        tables += [Table(("kernel", "what is proved"), claims), Table((), [("each", FOR_ALL)])]
    return Answer(tuple(tables), data, int(len(claims) < len(rows)))


def check_unused(arguments: argparse.Namespace) -> None:
    """Raise UsageError for an option that what is proved does not have."""
    if arguments.list:
        unused = ["symbol", "contract", "field", "convention"]
        why = "--list shows a whole file; leave out --{}"
    elif Path(arguments.path).is_dir():
        unused = ["symbol", "contract", "convention"]
        why = "--{} is of an object; a folder is proved as a whole"
    else:
        return
    for name in unused:
        if getattr(arguments, name) is not None:
            raise UsageError(why.format(name))


def prove_batch(folder: Path) -> Answer:
    """The proofs of a folder of kernels on arrays. Raises UsageError."""
    from fieldc.proof.constant_time.vendors import promises_nothing

    field, rows, found = proved_arrays(folder)
    lines, data, claims, promises = [], [], [], {}
    for each, row in zip(found, rows, strict=True):
        status, seconds = "FAILED" if each.failure else "PROVED", round(each.seconds, 2)
        lines.append((each.symbol, each.layout, status, seconds, each.failure))
        said = {"kernel": each.symbol, "status": status, "seconds": seconds}
        said |= {"reason": each.failure, "operation": each.operation, "layout": each.layout}
        said |= {"p": hex(field.p), "unlisted": list(each.unlisted)}
        which, promise = promise_of_arrays(each.layout)
        promises[which] = promise
        if not each.failure:
            claims.append((each.symbol, f"{row['contract']} p = {field.p:#x}"))
            said |= {"contract": row["contract"], "promises": promise}
        data.append(said)
    outside = sorted({name for each in found for name in each.unlisted})
    notes = [("note", promises_nothing(outside))] if outside else []
    tables = [Table(("kernel", "layout", "status", "seconds", "why not"), lines)]
    tables += [Table(("kernel", "what is proved"), claims)] if claims else []
    tables += [Table((), [*promises.items(), *notes])]
    return Answer(tuple(tables), data, int(len(claims) < len(rows)))


def proved_arrays(folder: Path) -> tuple[Field, list[dict[str, Any]], list[ProvedAgain]]:
    """A folder's field, its rows of kernels on arrays, and the proof of each. Raises UsageError."""
    from fieldc.artifacts.array_proofs import prove_folder
    from fieldc.artifacts.beside import faults_beside

    manifest, found = manifest_of(folder), []
    try:
        rows = [row for row in manifest["arrays"] if is_proved(folder, row, ARRAYS)]
        field = field_of(folder, manifest)
        check_inside(folder, manifest)
        check_once(folder, ((text_of(row, "object"), text_of(row, "symbol")) for row in rows))
        beside = faults_beside(folder, manifest)
        with progress() as show:
            for row, each in zip(rows, prove_folder(folder, rows, field, show), strict=True):
                file, digest = row.get("certificate"), row.get("certificate_digest")
                changed = (
                    certificate_changed(folder, text_of(row, "certificate"), digest) if file else ""
                )
                why = beside.get((row["object"], row["symbol"]), "")
                found.append(replace(each, failure=each.failure or changed or why))
    except (ValueError, KeyError, TypeError, AttributeError):
        raise no_manifest(folder) from None
    return field, rows, found


def jobs_of(
    path: Path, arguments: argparse.Namespace, text: str | None
) -> list[tuple[Job, str, int | None]]:
    """The proofs to be done, each with what is wrong beside it, and the stack that a row says.

    Raises UsageError.
    """
    if not path.exists():
        raise UsageError(f"{quote(str(path))} is not there; prove takes an object or a folder")
    if not path.is_dir():
        return [(job_of_object(path, arguments, text), "", None)]
    if arguments.field:
        return [(job, "", None) for job in jobs_of_crate(path, arguments.field)]
    return list(jobs_of_folder(path))


def jobs_of_crate(folder: Path, field: str) -> list[Job]:
    """The proofs of the kernels that the crate runs for a prime. Raises UsageError."""
    from fieldc.packages.rust.kernels import DIVSTEPS, crate_jobs, divsteps_job

    f = find_field(field)
    try:
        return [*crate_jobs(folder, f), divsteps_job(read_text(folder / DIVSTEPS), f)]
    except (LookupError, ValueError):  # also of the assembler
        said = "are not as `make generate` writes them"
        raise UsageError(f"the crate's kernels in {quote(str(folder))} {said}") from None
    except OSError:
        raise UsageError(
            f"{quote(str(folder))} has no kernels of the crate for {counted(f.n, 'limb')};"
            " they are in crates/fieldc/src/generated, for 1 to 12 limbs"
        ) from None


def job_of_object(path: Path, arguments: argparse.Namespace, text: str | None) -> Job:
    """The proof of one function of an object. Raises UsageError."""
    from fieldc.artifacts.verify import Job, named_operation
    from fieldc.binary.image import ObjectError
    from fieldc.binary.linkable import UnfitCode, function_of
    from fieldc.proof.algebra.identity import ProofError
    from fieldc.proof.claims.arguments import foreign
    from fieldc.proof.claims.contracts import contract_of
    from fieldc.proof.instruction_sets import INSTRUCTION_SETS

    for name in ("symbol", "contract", "field"):
        if not getattr(arguments, name):
            raise UsageError(f"an object needs --{name}; a folder that fieldc build wrote does not")
    operation, names = contract_in(arguments.contract, text)
    data, f, asked = read(path), find_field(arguments.field), arguments.convention or ""
    try:
        code = function_of(data, arguments.symbol)
        INSTRUCTION_SETS[code.architecture].convention(code.container, asked)
        family, parameters = named_operation(operation)
        foreign(contract_of(family, f.p, f.n, parameters), names)
    except UnfitCode:
        pass  # the proof says so
    except ObjectError as error:
        raise UsageError(f"{quote(str(path))}: {error}") from None
    except ProofError as error:
        raise UsageError(str(error)) from None
    return Job(data, arguments.symbol, operation, f.p, f.n, asked, names)


def jobs_of_folder(folder: Path) -> Iterator[tuple[Job, str, int | None]]:
    """The proofs of a built folder's kernels that were PROVED, what is wrong beside, and the stack.

    Raises UsageError.
    """
    from fieldc.artifacts.rows import fault_of_row
    from fieldc.artifacts.verify import Job

    manifest = manifest_of(folder)
    try:
        kernels = [k for k in manifest["kernels"] if is_proved(folder, k, KERNELS)]
        parts = [KERNELS] * len(kernels)
        kernels += [
            {"certificate": None, "certificate_digest": None} | k
            for k in of_integers(manifest)
            if is_proved(folder, k, DIVSTEPS)
        ]
        named = [
            (text_of(k, "symbol"), text_of(k, "op"), folder / text_of(k, "object")) for k in kernels
        ]
        formulas = [(text_of(k, "formula", ""), texts_of(k, "called")) for k in kernels]
        written = [
            (text_of(k, "certificate") if k["certificate"] else "", k["certificate_digest"])
            for k in kernels
        ]
        field = field_of(folder, manifest, in_limbs=bool(named))
        check_formulas(folder, manifest)
        check_inside(folder, manifest)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise no_manifest(folder) from None
    if not named:
        raise UsageError(f"{quote(str(folder))} has no kernel that was PROVED")
    check_once(folder, ((str(path), symbol) for symbol, _, path in named))
    parts += [DIVSTEPS] * (len(kernels) - len(parts))
    for part, kernel, (symbol, operation, path), (file, digest), (formula, called) in zip(
        parts, kernels, named, written, formulas, strict=True
    ):
        job = Job(read(path), symbol, operation, field.p, field.n, formula=formula, called=called)
        try:
            stack = kernel["stack"] if part == KERNELS else kernel.get("stack", 0)
            if type(stack) is not int:
                raise TypeError("a stack is no number")
            why = fault_of_row(part, kernel, job.code, field)
        except (ValueError, KeyError, TypeError, AttributeError):
            raise no_manifest(folder) from None
        changed = certificate_changed(folder, file, digest) if file else ""
        yield job, changed or why, stack if "stack" in kernel else None


def of_integers(manifest: Mapping[str, object]) -> list[dict[str, object]]:
    """The rows of kernels on integers. Raises TypeError."""
    rows = manifest.get("divsteps", [])
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise TypeError("divsteps are no rows")
    return rows


def text_of(row: Mapping[str, object], key: str, default: str | None = None) -> str:
    """A text of a manifest's row.

    Raises KeyError, and TypeError or ValueError where no file can be named so.
    """
    text = row[key] if default is None else row.get(key, default)
    if not isinstance(text, str) or "\0" in text:
        raise TypeError(f"{key} is no text")
    os.fsencode(text)
    return text


def texts_of(row: Mapping[str, object], key: str) -> tuple[str, ...]:
    """A list of texts of a manifest's row; empty where it has none. Raises TypeError."""
    texts = row.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts):
        raise TypeError(f"{key} is no list of texts")
    return tuple(texts)


def certificate_changed(folder: Path, file: str, digest: str) -> str:
    """Why a certificate is not the one that was written; empty where it is."""
    try:
        found = hashlib.sha256(read_bytes(folder / file)).hexdigest()
    except OSError as error:
        return f"certificate: cannot read {file}: {error.strerror}"
    return "" if found == digest else f"certificate: {file} is not the one that was written"
