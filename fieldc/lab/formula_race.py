"""Races the kernels of formulas: each variant of our own, and what LLVM makes of the same lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from fieldc.artifacts.host import (
    compiled,
    decide_formula_here,
    host_backends,
    own_name,
)
from fieldc.artifacts.write import build
from fieldc.decisions.formulas import straight_lines
from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.lab.race import Entrant, Report, entrant_of, timed
from fieldc.language import BoundError, Expression
from fieldc.machine.processor import ProcessorError, host_architecture, missing
from fieldc.machine.ring import OperandMode
from fieldc.machine.timing import MAX_LIMBS
from fieldc.progress import Progress


class FormulaRaceError(UserError):
    """A formula cannot be raced here."""


def race_formulas(
    field: Field,
    formulas: Sequence[Formula],
    rounds: int,
    seed: int,
    progress: Progress,
    operands: OperandMode = "moving",
) -> Report:
    """Compile, check and race the kernels of formulas in one interleaved run.

    Raises FormulaError, BoundError, UnprovedKernel, CheckError for a kernel that computes something
    wrong, FormulaRaceError, and ProcessorError where no backend makes code that this host can run.
    """
    if not host_architecture():
        raise ProcessorError("no backend makes code that this host can run in-process")
    entrants: list[Entrant] = []
    skipped: list[str] = []
    for done, formula in enumerate(formulas):
        progress("compile and check", done, len(formulas))
        entrants += _own(field, formula, seed, progress)
        entrants += _by_llvm(field, formula.over(field), seed, skipped)
    progress("compile and check", len(formulas), len(formulas))
    return timed(field, entrants, skipped, rounds, seed, partial(progress, "race"), operands)


def _own(field: Field, formula: Formula, seed: int, progress: Progress) -> Iterator[Entrant]:
    """What a build makes of the formula for this processor: a kernel for each variant it runs."""
    built = build([decide_formula_here(field, formula)], progress)
    here = [made for made in built if not missing(made.needs)]
    if not here:
        raise FormulaRaceError(f"{formula.name}: this processor runs no kernel of our own")
    for made in here:
        code, name = compiled(made.choice), own_name(made.variant)
        yield _entrant(code, made.expression, name, seed)


def _by_llvm(field: Field, formula: Formula, seed: int, skipped: list[str]) -> Iterator[Entrant]:
    """The formula in one straight line through LLVM's backends, where its bounds hold."""
    backends = [b for b in host_backends(field.word) if b.name.startswith("llvm")]
    try:
        expression = straight_lines(field, formula)[0]
    except BoundError as error:
        skipped.append(f"llvm: {formula.name}: {error}")
        return
    for backend in backends:
        if not backend.missing and backend.can(expression):
            yield _entrant(backend.compile(expression), expression, backend.name, seed)


def _entrant(made: bytes, expression: Expression, backend: str, seed: int) -> Entrant:
    kernel, field = expression.kernel, expression.field
    widest = max(r.width(field) for r in (kernel.result, *(r for _, r in kernel.operands)))
    if widest > MAX_LIMBS:
        raise FormulaRaceError(
            f"{kernel.operation} has a value of {widest} limbs; up to {MAX_LIMBS} can be timed"
        )
    return entrant_of(made, expression, backend, seed)
