"""The kernels that update f, g, d and e in a package of one prime: the crate's, proved for it."""

from __future__ import annotations

from fieldc.algorithms import choose
from fieldc.algorithms.divsteps import QUOTIENTS
from fieldc.decisions.decision import Candidate, Decision
from fieldc.field import Field
from fieldc.packages.rust.kernels import assembled
from fieldc.packages.rust.updates import (
    OPERATIONS,
    VARIANT,
    is_updated,
    update_kernel,
    updates_text,
)
from fieldc.packages.rust.written import kernels_in
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact, Target

WHY = "the crate's kernel, which was measured on Zen 4 and Emerald Rapids"


def update_decisions(f: Field) -> list[Decision]:
    """The kernels of both updates, where the crate would call them."""
    if not is_updated(f):
        return []
    expressions = QUOTIENTS.expression(f), choose(f, OPERATIONS[1])
    (variant,) = TARGET.variants
    choices = (Choice(expression, variant, chosen_by=WHY) for expression in expressions)
    return [Decision(TARGET, "", (Candidate(choice),)) for choice in choices]


def own_updates_text(f: Field) -> str:
    """The module of these kernels, or one without any."""
    return updates_text((f.n,) if is_updated(f) else (), narrows=False)


def _make(target: Target, choice: Choice) -> Artifact:
    f, operation = choice.expression.field, choice.expression.kernel.operation
    text = update_kernel(operation, f.n)
    (found,) = kernels_in(text).values()
    code = assembled(found, f)
    return Artifact(found.symbol, target, choice, target.proved_as, ".rs", text, code)


_LINUX = TARGETS["x86_64-linux"]
TARGET = _LINUX.named(
    _LINUX.name,
    make=_make,
    variants=tuple(variant for variant in _LINUX.variants if variant.name == VARIANT),
)
"""x86-64 on every system, as for the kernels of products."""
