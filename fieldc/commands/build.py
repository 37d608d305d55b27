"""fieldc build: kernels, headers and a manifest for a field."""

from __future__ import annotations

import argparse
import platform
from pathlib import Path

from fieldc.algorithms import OPERATIONS, NoKernel, choose
from fieldc.catalogue import find_field
from fieldc.commands.bench import operation_list
from fieldc.commands.progress import progress
from fieldc.commands.verb import FIELD, WORD, Answer, Table, UsageError, option, unknown, verb
from fieldc.field import Field
from fieldc.language import BoundError, Trace


def host_target() -> str:
    """The name of the target that is this host."""
    system = {"Darwin": "macos", "Windows": "windows"}.get(platform.system(), "linux")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{system}"


@verb(
    FIELD,
    WORD,
    option(
        "--op",
        type=operation_list,
        default=list(OPERATIONS),
        metavar="OP,..",
        help=f"operations (default all): {', '.join(OPERATIONS)}",
    ),
    option("--target", default=host_target(), metavar="NAME,..", help="targets, or all"),
    option("--algorithm", metavar="NAME", help="instead of the first whose bounds hold"),
    option("-o", dest="folder", required=True, metavar="DIR", help="where to write"),
)
def build(arguments: argparse.Namespace) -> Answer:
    """kernels, headers and manifest.json for a field, checked"""
    from fieldc.build.produce import build_targets
    from fieldc.build.write import OutputError, check_writable, files_of, manifest, write
    from fieldc.build.write import build as build_all

    field = find_field(arguments.field, int(arguments.word))
    known = build_targets()
    names = list(known) if arguments.target == "all" else arguments.target.split(",")
    for name in names:
        if name not in known:
            raise UsageError(unknown("target", name, list(known)))
    targets = [
        known[name]
        for name in names
        if arguments.target != "all" or field.word in known[name].words
    ]
    for target in targets:
        if field.word not in target.words:
            need = target.words[0]
            raise UsageError(f"target {target.name} has {need}-bit words; use --word {need}")
    traces = chosen(field, arguments.op, arguments.algorithm)
    folder = Path(arguments.folder)
    try:
        check_writable(folder)
        with progress() as show:
            artifacts = build_all(traces, targets, show)
        write(folder, files_of(field, artifacts))
    except OutputError as error:
        raise UsageError(str(error)) from None
    rows = [
        (
            a.trace.kernel.operation,
            a.trace.kernel.algorithm,
            a.target,
            a.variant,
            a.source_file,
            a.row()["status"],
        )
        for a in artifacts
    ]
    columns = ("op", "algorithm", "target", "variant", "file", "status")
    title = f"{field.label}: {len(artifacts)} kernels in {folder}"
    return Answer((Table(columns, rows, title),), manifest(field, artifacts))


def chosen(field: Field, operations: list[str], algorithm: str | None) -> list[Trace]:
    """The kernels to build, traced. Raises UsageError for an algorithm that does not apply."""
    try:
        return [choose(field, operation, algorithm) for operation in operations]
    except (NoKernel, BoundError) as error:
        raise UsageError(str(error)) from None
