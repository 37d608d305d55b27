"""Decides how a formula becomes code on a target: flat, or calls of routines, and by what plan."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from fieldc.algorithms import OPERATIONS as CATALOGUE
from fieldc.decisions.preferred import Candidate, Decision, decide, preferred
from fieldc.errors import quote
from fieldc.field import Field
from fieldc.formulas.blocks import LINEAR, REDUCTIONS, Block
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import CALLS, kernel_of
from fieldc.formulas.plan import Plan, planned
from fieldc.language import BoundError, Expression
from fieldc.machine.processor import missing
from fieldc.targets.target import Choice, Target
from fieldc.targets.x86_64.calls import Call, Calls, Routine

MOST_FLAT = 4
"""Products up to which a formula is one straight line, if none is of products."""
EVERY, LOWEST = tuple(REDUCTIONS), ("cios",)
"""All ways to reduce, and the one whose results are smallest."""
KNOWN = {
    Block(2, (), ((0, 1), (1, 1))): "add",
    Block(2, (), ((0, 1), (1, -1))): "sub",
    Block(1, (), ((0, -1),)): "neg",
    Block(1, (), ((0, 2),)): "double",
    Block(2, ((1, ((0, 1),), ((1, 1),)),), ()): "mul",
    Block(1, ((1, ((0, 1),), ((0, 1),)),), ()): "square",
}
"""Blocks that are operations of the catalogue, which may have a schedule of their own."""


def decide_formula(
    field: Field, formula: Formula, target: Target, processor: str | None = None
) -> Decision:
    """Decide for one formula. Raises FormulaError, BoundError, UnknownProcessor."""
    formula.check(field)
    plan = planned(formula)
    made = f"--formula {quote(formula.file)}"
    if not target.is_own or (plan.products <= MOST_FLAT and plan.depth <= 1):
        decision = decide(target, _flat(field, plan), processor)
    else:
        decision = _by_calls(field, formula, target, processor)
    candidates = [
        replace(c, choice=replace(c.choice, options=(made, *c.choice.options)))
        for c in decision.candidates
    ]
    return replace(decision, candidates=tuple(candidates))


def _flat(field: Field, plan: Plan) -> list[Expression]:
    """The formula as one straight line, for each way to reduce whose bounds hold."""
    found, failure = [], None
    for reduction in REDUCTIONS:
        try:
            found.append(kernel_of(plan, reduction).expression(field))
        except BoundError as error:
            failure = error
    if not found and failure is not None:
        raise failure
    return found


def _by_calls(field: Field, formula: Formula, target: Target, processor: str | None) -> Decision:
    """A caller of routines, in each variant.

    After the best plan come others, for one that is not proved: with the reduction whose bounds
    are lowest, and with a routine for each step.
    """
    found, key = [], ""
    for is_fused, reductions in ((True, EVERY), (True, LOWEST), (False, EVERY)):
        plan = planned(formula, is_fused)
        expression = kernel_of(plan, algorithm=CALLS).expression(field)
        decided = [
            _decide_block(field, block, target, processor, reductions) for block in plan.blocks
        ]
        key, options = decided[0].processor, decided[0].preferred.options
        how = "each chosen by itself" if reductions == EVERY else f"by {reductions[0]}"
        reason = f"{len(plan.blocks)} routines, {how}"
        for name in _variant_order(decided):
            variant = next(v for v in target.variants if v.name == name)
            made = _calls(plan, decided, name)
            choice = Choice(expression, variant, made, reason, options)
            runs = processor is not None or not missing(variant.needs)
            found.append(Candidate(choice, runs=runs))
    return Decision(target, key, tuple(found))


def _variant_order(decided: Sequence[Decision]) -> list[str]:
    """Variants, the one that most products prefer first."""
    chosen = Counter(
        one.preferred.variant.name for one in decided if one.expression.kernel.algorithm != LINEAR
    )
    names = dict.fromkeys(c.choice.variant.name for one in decided for c in one.candidates)
    return sorted(names, key=lambda name: -chosen[name])


def _calls(plan: Plan, decided: Sequence[Decision], variant: str) -> Calls:
    number = {block: index for index, block in enumerate(plan.blocks)}
    calls = tuple(Call(number[c.block], c.sources, c.number, c.name) for c in plan.computed)
    counts = tuple(count for _, count in plan.formula.operands)
    return Calls(tuple(_routines(plan, decided, variant)), calls, counts, plan.results)


def _decide_block(
    field: Field,
    block: Block,
    target: Target,
    processor: str | None,
    reductions: Sequence[str],
) -> Decision:
    """The kernel of one block: the catalogue's where it has one, with its schedule."""
    if (name := KNOWN.get(block)) in CATALOGUE and name is not None:
        return preferred(field, name, target, processor)
    found, failure = [], None
    for kernel in block.kernels("routine"):
        if kernel.algorithm not in (*reductions, LINEAR):
            continue
        try:
            found.append(kernel.expression(field))
        except BoundError as error:
            failure = error
    if not found and failure is not None:
        raise failure
    return decide(target, found, processor)


def _routines(plan: Plan, decided: Sequence[Decision], variant: str) -> Iterator[Routine]:
    for number, (block, decision) in enumerate(zip(plan.blocks, decided, strict=True)):
        choice = decision.variant(variant)
        name = KNOWN.get(block, f"routine_{number}")
        computes = replace(choice.expression.kernel.computes, says=f"{block.says} mod p")
        kernel = replace(choice.expression.kernel, computes=computes)
        yield Routine(kernel, choice.plan, block.text(), name)
