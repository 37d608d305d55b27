"""The kernels of an inversion in a C package: proofs, and the rows of divsteps in the manifest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fieldc.algorithms import choose
from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.algorithms.divsteps import QUOTIENTS
from fieldc.artifacts.divsteps import BuiltDivsteps, proved_divsteps
from fieldc.decisions.decision import Candidate, Decision
from fieldc.field import Field
from fieldc.packages.c.aarch64 import ARM_SYSTEMS
from fieldc.packages.c.arrays import PROOFS
from fieldc.packages.c.assembly import SYSTEMS, check_bytes, divsteps_symbol
from fieldc.packages.c.constants import has_divstep_kernel, has_updates
from fieldc.progress import Progress
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.choices import choices_on
from fieldc.targets.x86_64.plan import Plan

PROVED_FOR = ("x86_64-linux", "x86_64-windows", *(system.target for system in ARM_SYSTEMS))
"""Every convention; for x86-64 macOS has the bytes of Linux."""
ORDERED_FOR = {
    StepOrder.COUNT_FIRST: PROVED_FOR,
    StepOrder.SIGN_FIRST: tuple(name for name in PROVED_FOR if name.startswith("x86_64")),
}
"""The targets that have a kernel with an order of a step."""
UPDATED_FOR = ("x86_64-linux", "x86_64-windows")
VARIANT = "adx"
PROCESSOR = "zen-4"
WHY = "the crate's rows, which were measured on Zen 4 and Emerald Rapids"


def batch_kernels(field: Field, progress: Progress) -> list[BuiltDivsteps]:
    """The kernels for every convention, proved; nothing for a prime that is better off without.

    Raises UnprovedDivsteps, CheckError.
    """
    if not has_divstep_kernel(field):
        return []
    found = []
    for order, names in ORDERED_FOR.items():
        targets, symbol = [TARGETS[name] for name in names], divsteps_symbol(field, order)
        found += proved_divsteps(field, targets, symbol, progress, order)
    return found


def update_decisions(field: Field) -> list[Decision]:
    """The kernels that update f, g, d and e after a batch; nothing where C does that."""
    if not has_updates(field):
        return []
    plan, made = Plan(choices_on(VARIANT, PROCESSOR)), []
    for target in map(TARGETS.__getitem__, UPDATED_FOR):
        (variant,) = (each for each in target.variants if each.name == VARIANT)
        for expression in (QUOTIENTS.expression(field), choose(field, "divstep_de_lazy")):
            choice = Choice(expression, variant, plan, WHY, (f"--processor {PROCESSOR}",))
            made.append(Decision(target, "", (Candidate(choice),)))
    return made


def in_package(
    proved: Sequence[BuiltDivsteps], objects: Mapping[str, bytes], name: str
) -> list[BuiltDivsteps]:
    """The kernels in the package's objects, by their targets. Raises DifferentKernel."""
    found = []
    for system in (*SYSTEMS, *ARM_SYSTEMS):
        if system.target not in objects:
            continue
        target, code = TARGETS[system.target], objects[system.target]
        for one in proved:
            if one.target.proved_as != target.proved_as:
                continue
            check_bytes(code, system, {one.symbol: one.code})
            file = f"src/{name}_{target.architecture}.S"
            of = replace(one, target=target, code=code, file=file)
            proof = f"{PROOFS}/{one.certificate_file}"
            found.append(replace(of, object_file=system.object_file, certificate_file=proof))
    return found
