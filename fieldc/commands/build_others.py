"""fieldc build: kernels on arrays, and the kernel of a batch of divsteps."""

from __future__ import annotations

import argparse
from pathlib import Path

from fieldc.commands.extras import extras_of
from fieldc.commands.figures import short
from fieldc.commands.options import DIVSTEP_MATRIX, array_operations, listed, targets_of
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError
from fieldc.errors import counted
from fieldc.field import Field


def build_batch(field: Field, folder: Path, arguments: argparse.Namespace) -> Answer:
    """Kernels on arrays. Raises UsageError for options that they do not have."""
    from fieldc.artifacts.arrays import build_arrays
    from fieldc.targets.array_targets import array_targets

    for name in ("algorithm", "schedule", "processor", "representation", "package"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"--batch builds kernels on arrays; leave out --{name}")
    if arguments.formula is not None or field.word not in (32, 64):
        raise UsageError("--batch takes operations in words of 64 or 32 bits; leave out the rest")
    targets = array_targets(arguments.target, field)
    operations = array_operations(field, arguments.op, targets)
    with progress() as show:
        built, data = build_arrays(targets, field, operations, folder, show, not arguments.op)
    rows = [
        (row["op"], row["layout"], row["target"], row["object"], row["status"])
        for row in (each.row() for each in built)
    ]
    title = f"{short(field.label)}: {counted(len(built), 'kernel')} on arrays in {folder}"
    table = Table(("op", "layout", "target", "file", "status"), rows, title)
    said = str(data.get("checked", ""))
    return Answer((table,), data, conclusion=(said,) if said else ())


def build_divstep_matrix(field: Field, folder: Path, arguments: argparse.Namespace) -> Answer:
    """The inner loop of inversion. Raises UsageError for options that it does not have."""
    from fieldc.artifacts.divsteps import DIVSTEP_TARGETS, build_divsteps
    from fieldc.targets.registry import host_target

    if list(arguments.op) != [DIVSTEP_MATRIX]:
        raise UsageError(f"{DIVSTEP_MATRIX} is no operation modulo a prime; build it by itself")
    for name in ("algorithm", "formula", "schedule", "processor", "representation", "package"):
        if getattr(arguments, name) is not None:
            raise UsageError(f"{DIVSTEP_MATRIX} is one kernel for all primes; leave out --{name}")
    if options := extras_of(arguments).options:
        raise UsageError(f"{DIVSTEP_MATRIX} has no {options[0]}; leave it out")
    if field.word != 64:
        raise UsageError(f"{DIVSTEP_MATRIX} has 64-bit words; leave out --word")
    named = host_target() if arguments.target is None else arguments.target
    targets = []
    for target in targets_of(field, named):
        if target.name in DIVSTEP_TARGETS:
            targets.append(target)
        elif target.name in listed(named, "target"):
            known = ", ".join(DIVSTEP_TARGETS)
            raise UsageError(
                f"{DIVSTEP_MATRIX} has no kernel for {target.name}; there are: {known}"
            )
    with progress() as show:
        built, data = build_divsteps(field, targets, folder, show)
    rows = [(DIVSTEP_MATRIX, each.target.name, each.object_file, "PROVED") for each in built]
    title = f"{short(field.label)}: {counted(len(built), 'kernel')} in {folder}"
    table = Table(("op", "target", "file", "status"), rows, title)
    said = str(data.get("checked", ""))
    return Answer((table,), data, conclusion=(said,) if said else ())
