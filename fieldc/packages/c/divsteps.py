"""The kernel of a batch of divsteps in a C package: its proof, and its rows in the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fieldc.artifacts.divsteps import BuiltDivsteps, proved_divsteps
from fieldc.field import Field
from fieldc.packages.c.aarch64 import ARM_SYSTEMS
from fieldc.packages.c.arrays import PROOFS
from fieldc.packages.c.assembly import SYSTEMS, check_bytes, divsteps_symbol
from fieldc.packages.c.constants import has_divstep_kernel
from fieldc.progress import Progress
from fieldc.targets.registry import TARGETS

PROVED_FOR = ("x86_64-linux", "x86_64-windows", *(system.target for system in ARM_SYSTEMS))
"""Every convention; for x86-64 macOS has the bytes of Linux."""


def batch_kernels(field: Field, progress: Progress) -> list[BuiltDivsteps]:
    """The kernel for every convention, proved; nothing for a prime that is better off without.

    Raises UnprovedDivsteps, CheckError.
    """
    if not has_divstep_kernel(field):
        return []
    targets = [TARGETS[name] for name in PROVED_FOR]
    return proved_divsteps(field, targets, divsteps_symbol(field), progress)


def in_package(
    proved: Sequence[BuiltDivsteps], objects: Mapping[str, bytes], name: str
) -> list[BuiltDivsteps]:
    """The kernel in the package's objects, by their targets. Raises DifferentKernel."""
    found = []
    for system in (*SYSTEMS, *ARM_SYSTEMS):
        if system.target not in objects:
            continue
        target, code = TARGETS[system.target], objects[system.target]
        one = next(each for each in proved if each.target.proved_as == target.proved_as)
        check_bytes(code, system, {one.symbol: one.code})
        file = f"src/{name}_{target.architecture}.S"
        of = replace(one, target=target, code=code, file=file)
        proof = f"{PROOFS}/{one.certificate_file}"
        found.append(replace(of, object_file=system.object_file, certificate_file=proof))
    return found
