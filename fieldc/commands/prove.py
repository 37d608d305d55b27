"""fieldc prove: prove finished objects again, from their bytes."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.algorithms import OPERATIONS
from fieldc.catalogue import find_field, quote
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, one_of, option, verb

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

if TYPE_CHECKING:
    from fieldc.artifacts.trust import Job

CONVENTIONS = ("sysv", "win64")


@verb(
    option("path", metavar="PATH", help="an object file, or a folder that fieldc build wrote"),
    option("--symbol", metavar="NAME", help="of an object: the function"),
    option("--contract", metavar="OP|FILE", help="what it does: an operation, or a TOML file"),
    option("--field", metavar="FIELD", help="of an object: its field"),
    option(
        "--convention",
        type=one_of("convention", *CONVENTIONS),
        default="sysv",
        help=f"of an object: {' or '.join(CONVENTIONS)} (default sysv)",
    ),
)
def prove(arguments: argparse.Namespace) -> Answer:
    """prove an object or a built folder again, from bytes"""
    from fieldc.artifacts.trust import prove_all

    path = Path(arguments.path)
    jobs = list(jobs_of_folder(path) if path.is_dir() else [job_of_object(path, arguments)])
    with progress() as show:
        verdicts = prove_all(jobs, show)
    rows = [
        (job.symbol, "FAILED" if v.failure else "PROVED", f"{v.seconds:.2f}", v.failure)
        for job, v in zip(jobs, verdicts, strict=True)
    ]
    data = [
        {"kernel": symbol, "status": status, "seconds": float(seconds), "reason": reason}
        for symbol, status, seconds, reason in rows
    ]
    failed = any(v.failure for v in verdicts)
    return Answer((Table(("kernel", "status", "seconds", "why not"), rows),), data, int(failed))


def read(path: Path) -> bytes:
    """A file's bytes. Raises UsageError."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read {quote(str(path))}: {error.strerror}") from None


def job_of_object(path: Path, arguments: argparse.Namespace) -> Job:
    """The proof of one function of an object. Raises UsageError."""
    from fieldc.artifacts.trust import Job

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
        return one_of("operation", *OPERATIONS)(text), ()
    try:
        said = tomllib.loads(read(Path(text)).decode())
        operation, names = said["operation"], tuple(map(str, said["arguments"]))
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{quote(text)} needs operation = ... and arguments = [...]") from None
    return one_of("operation", *OPERATIONS)(str(operation)), names


def jobs_of_folder(folder: Path) -> Iterator[Job]:
    """The proofs of a built folder's kernels that were PROVED. Raises UsageError."""
    from fieldc.artifacts.trust import Job

    try:
        manifest = json.loads(read(folder / "manifest.json"))
        p, limbs = int(manifest["p"], 16), int(manifest["n"])
        kernels = [k for k in manifest["kernels"] if k["status"] == "PROVED"]
        named = [(k["symbol"], k["op"], k["convention"], folder / k["object"]) for k in kernels]
    except (ValueError, KeyError, TypeError):
        raise UsageError(f"{quote(str(folder / 'manifest.json'))} is no manifest") from None
    if not named:
        raise UsageError(f"{quote(str(folder))} has no kernel that was PROVED")
    for symbol, operation, convention, path in named:
        yield Job(read(path), symbol, operation, p, limbs, CALLED.get(convention, convention))


CALLED = {"c": "sysv"}
"""A convention's name in a manifest, where it is not the prover's."""
