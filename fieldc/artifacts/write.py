"""Compiles, checks and writes a whole build; nothing is written unless everything holds."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from fieldc.artifacts.artifact import OWNERSHIP, Artifact, field_symbol
from fieldc.artifacts.produce import BuildTarget, suited
from fieldc.artifacts.verify import Progress, judge
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.targets.c.print import print_c_header
from fieldc.words.lower import lower

MANIFEST = "manifest.json"


class OutputError(UserError):
    """The output folder cannot be written; the message is one line for the user."""


def build_folder(
    field: Field,
    expressions: Sequence[Expression],
    targets: Sequence[BuildTarget],
    folder: Path,
    progress: Progress,
    exact: bool = False,
) -> tuple[list[Artifact], dict[str, object]]:
    """Build, check and write; the kernels, and the manifest.

    Unless the expressions are `exact`, a target may have the algorithm that suits it instead.
    Raises OutputError; for a wrong kernel UnprovedKernel, CheckError or FrameError, before anything
    is written.
    """
    check_writable(folder)
    artifacts = build(expressions, targets, progress, exact)
    write(folder, files_of(field, artifacts))
    return artifacts, manifest(field, artifacts)


def build(
    expressions: Sequence[Expression],
    targets: Sequence[BuildTarget],
    progress: Progress,
    exact: bool = False,
) -> list[Artifact]:
    """Every kernel for every target, proved and checked; `exact` as for build_folder.

    Raises UnprovedKernel, CheckError or FrameError for a kernel that is wrong.
    """
    jobs = [(target, expression) for target in targets for expression in expressions]
    built: list[Artifact] = []
    for done, (target, expression) in enumerate(jobs, 1):
        built += target.produce(expression if exact else suited(target, expression))
        progress("compile", done, len(jobs))
    return judge(built, progress)


def files_of(field: Field, artifacts: Sequence[Artifact]) -> dict[str, bytes]:
    """Every file of a build by its path inside the folder, header and manifest among them."""
    files = {a.source_file: a.text.encode() for a in artifacts}
    files |= {path: text.encode() for a in artifacts for path, text in a.other_files.items()}
    files |= {a.object_file: a.code for a in artifacts if a.object_file and a.code}
    files |= {a.certificate_file: a.certificate.encode() for a in artifacts if a.certificate_file}
    name = field_symbol(field)
    declared = [(lower(a.expression), a.symbol) for a in artifacts if a.convention != "rust"]
    unique = {symbol: program for program, symbol in declared}
    if unique:
        guard = f"FIELDC_{name.upper()}_H"
        kernels = [(program, symbol) for symbol, program in unique.items()]
        contracts = {a.symbol: f"{a.expression.kernel.operation}: {a.contract}" for a in artifacts}
        text = f"/* {OWNERSHIP} */\n" + print_c_header(kernels, guard, contracts)
        files[f"fieldc_{name}.h"] = text.encode()
    return files | manifest_file(field, artifacts)


def manifest_file(field: Field, artifacts: Sequence[Artifact]) -> dict[str, bytes]:
    """The manifest, by its path."""
    return {MANIFEST: (json.dumps(manifest(field, artifacts), indent=2) + "\n").encode()}


def manifest(field: Field, artifacts: Sequence[Artifact]) -> dict[str, object]:
    """What a build contains, for programs."""
    return {
        "field": field.label,
        "p": hex(field.p),
        "word": field.word,
        "n": field.n,
        "R": hex(field.R),
        "kernels": [artifact.row() for artifact in artifacts],
    }


def check_writable(folder: Path) -> None:
    """Raise OutputError unless the folder is, or can become, one that may be written."""
    there = folder
    while not there.exists() and there != there.parent:
        there = there.parent
    if not there.is_dir():
        raise OutputError(f"cannot write {folder}: {there} is not a folder; name another with -o")
    if not os.access(there, os.W_OK | os.X_OK):
        raise OutputError(f"cannot write {folder}: no permission in {there}; name another with -o")


def write(folder: Path, files: dict[str, bytes]) -> None:
    """Write the files. Raises OutputError."""
    try:
        for path, content in files.items():
            target = folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(content)
    except OSError as error:
        raise OutputError(
            f"cannot write {folder}: {error.strerror}; name another with -o"
        ) from None
