"""fieldc prove: prove finished objects again, from their bytes."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.algorithms import OPERATIONS, STUDIED_OPERATIONS
from fieldc.catalogue import find_field, quote
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, one_of, option, verb

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from fieldc.artifacts.verify import Job

CONVENTIONS = ("sysv", "win64")


@verb(
    option(
        "path",
        metavar="PATH",
        help="an object file, a folder that fieldc build wrote, or (with --field) the folder of "
        "the crate's generated kernels",
    ),
    option("--symbol", metavar="NAME", help="of an object: the function"),
    option("--contract", metavar="OP|FILE", help="what it does: an operation, or a TOML file"),
    option("--field", metavar="FIELD", help="of an object or of the crate's kernels: the field"),
    option(
        "--convention",
        type=one_of("convention", *CONVENTIONS),
        default="sysv",
        help=f"of an object: {' or '.join(CONVENTIONS)} (default sysv)",
    ),
)
def prove(arguments: argparse.Namespace) -> Answer:
    """prove an object or a built folder again, from bytes"""
    from fieldc.artifacts.verify import prove_all

    named = jobs_of(Path(arguments.path), arguments)
    with progress() as show:
        verdicts = prove_all([job for job, _ in named], show)
    rows = []
    for (job, changed), verdict in zip(named, verdicts, strict=True):
        why = verdict.failure or changed
        rows.append((job.symbol, "FAILED" if why else "PROVED", f"{verdict.seconds:.2f}", why))
    data = [
        {"kernel": symbol, "status": status, "seconds": float(seconds), "reason": reason}
        for symbol, status, seconds, reason in rows
    ]
    failed = any(status == "FAILED" for _, status, _, _ in rows)
    return Answer((Table(("kernel", "status", "seconds", "why not"), rows),), data, int(failed))


def jobs_of(path: Path, arguments: argparse.Namespace) -> list[tuple[Job, str]]:
    """The proofs to be done, each with what is wrong beside it. Raises UsageError."""
    if not path.is_dir():
        return [(job_of_object(path, arguments), "")]
    if arguments.field:
        return [(job, "") for job in jobs_of_crate(path, arguments.field)]
    return list(jobs_of_folder(path))


def jobs_of_crate(folder: Path, field: str) -> list[Job]:
    """The proofs of the kernels that the crate runs for a prime. Raises UsageError."""
    from fieldc.packages.rust.kernels import crate_jobs

    f = find_field(field)
    try:
        return crate_jobs(folder, f)
    except OSError:
        raise UsageError(
            f"{quote(str(folder))} has no kernels of the crate for {f.n} limbs; they are in "
            "crates/fieldc/src/generated, for 1 to 12 limbs"
        ) from None


def read(path: Path) -> bytes:
    """A file's bytes. Raises UsageError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {quote(str(path))}: {error.strerror}") from None


def job_of_object(path: Path, arguments: argparse.Namespace) -> Job:
    """The proof of one function of an object. Raises UsageError."""
    from fieldc.artifacts.verify import Job

    for name in ("symbol", "contract", "field"):
        if not getattr(arguments, name):
            raise UsageError(f"an object needs --{name}; a folder that fieldc build wrote does not")
    operation, names = contract_in(arguments.contract)
    data, f = read(path), find_field(arguments.field)
    return Job(data, arguments.symbol, operation, f.p, f.n, arguments.convention, names)


def contract_in(text: str) -> tuple[str, tuple[str, ...]]:
    """An operation's name, or what a file says of a foreign function. Raises UsageError.

    operation = "mul"
    arguments = ["z", "x", "y", "p", "n0"]
    """
    if not Path(text).is_file():
        return one_of("operation", *OPERATIONS, *STUDIED_OPERATIONS)(text), ()
    try:
        said = tomllib.loads(read(Path(text)).decode())
        operation, names = said["operation"], tuple(map(str, said["arguments"]))
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{quote(text)} needs operation = ... and arguments = [...]") from None
    return one_of("operation", *OPERATIONS, *STUDIED_OPERATIONS)(str(operation)), names


def jobs_of_folder(folder: Path) -> Iterator[tuple[Job, str]]:
    """The proofs of a built folder's kernels that were PROVED, and what became of certificates.

    Raises UsageError.
    """
    from fieldc.artifacts.verify import Job

    try:
        manifest = json.loads(read(folder / "manifest.json"))
        p, limbs = int(manifest["p"], 16), int(manifest["n"])
        kernels = [k for k in manifest["kernels"] if k["status"] == "PROVED"]
        named = [(k["symbol"], k["op"], convention_of(k), folder / k["object"]) for k in kernels]
        written = [(k["certificate"], k["certificate_digest"]) for k in kernels]
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{quote(str(folder / 'manifest.json'))} is no manifest") from None
    if not named:
        raise UsageError(f"{quote(str(folder))} has no kernel that was PROVED")
    for (symbol, operation, convention, path), (file, digest) in zip(named, written, strict=True):
        job = Job(read(path), symbol, operation, p, limbs, convention)
        yield job, certificate_changed(folder, file, digest) if file else ""


def convention_of(kernel: dict[str, str]) -> str:
    """The prover's name of a manifest's convention; `c` is the one of the kernel's system."""
    if kernel["convention"] != "c":
        return kernel["convention"]
    return "win64" if "windows" in kernel["target"] else "sysv"


def certificate_changed(folder: Path, file: str, digest: str) -> str:
    """Why a certificate is not the one that was written; empty where it is."""
    try:
        found = hashlib.sha256((folder / file).read_bytes()).hexdigest()
    except OSError as error:
        return f"certificate: cannot read {file}: {error.strerror}"
    return "" if found == digest else f"certificate: {file} is not the one that was written"
