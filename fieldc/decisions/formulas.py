"""Decides how a formula becomes code on a target: flat, or calls of routines, and by what plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from fieldc.algorithms import OPERATIONS as CATALOGUE
from fieldc.decisions.plans import is_flat, ranked_plans, shows_formula
from fieldc.decisions.preferred import Candidate, Decision, decide, preferred
from fieldc.decisions.schedule import Schedule
from fieldc.errors import quote
from fieldc.field import Field
from fieldc.formulas.blocks import NONE, Block
from fieldc.formulas.divisions import DIVISIONS
from fieldc.formulas.errors import wrong
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import CALLS, kernel_of
from fieldc.formulas.places import places_of, slot_words
from fieldc.formulas.plan import FormulaPlan, planned
from fieldc.formulas.ranges import ranged
from fieldc.formulas.step_blocks import StepBlock
from fieldc.language import BoundError, Expression, Kernel
from fieldc.machine.processor import missing
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.programs import prove_formula
from fieldc.targets.calls import Call, CallerMaker, PlannedRoutine
from fieldc.targets.choice import Choice
from fieldc.targets.judge import NotCompiled
from fieldc.targets.target import Target

MOST_CODE = 32 << 10
"""Bytes up to which a caller and its routines may grow: a level-1 cache."""
MOST_FRAME = 3840
"""The most stack for a caller's values, in bytes: a page, less room for routines and registers."""
MOST_AVOIDED = 4
"""Uses up to which a routine is given up for shorter code."""
WORD = 64
KNOWN: dict[Block | StepBlock, str] = {
    Block((1, 1), (), ((0, 1), (1, 1))): "add",
    Block((1, 1), (), ((0, 1), (1, -1))): "sub",
    Block((1,), (), ((0, -1),)): "neg",
    Block((1,), (), ((0, 2),)): "double",
    Block((1, 1), ((1, ((0, 1),), ((1, 1),)),), ()): "mul",
    Block((1,), ((1, ((0, 1),), ((0, 1),)),), ()): "square",
}
"""Blocks that are operations of the catalogue, which may have a schedule of their own."""


def check_operands(formula: Formula, target: Target) -> None:
    """Raise FormulaError for more operands than the target passes in registers."""
    if len(formula.operands) > target.most_operands:
        message = f"{formula.name} has {len(formula.operands)} operands; {target} passes "
        message += f"{target.most_operands} in registers: make several of them one tuple or class"
        raise wrong(message, (formula.file, formula.line))


def decide_formula(
    field: Field,
    formula: Formula,
    target: Target,
    processor: str | None = None,
    schedule: Schedule | None = None,
) -> Decision:
    """Decide for one formula. Raises FormulaError, BoundError, UnknownProcessor, ScheduleError.

    A schedule is for formulas of one straight line.
    """
    formula = formula.over(field)
    check_operands(formula, target)
    plan = ranged(planned(formula), field)
    made = f"--formula {quote(formula.file)}"
    has_calls = target.caller is not None and field.word == WORD
    if is_flat(plan) or not has_calls:
        at_last = partial(_by_calls, field, formula, target, processor, _each_step)
        is_sum = _has_sums_as_factors(plan) or _has_sums_of_values(plan) or _multiplies_values(plan)
        decision = _short(
            lambda: decide(target, _flat(field, plan), processor, schedule),
            at_last if has_calls and is_sum else None,
        )
    else:
        decision = _long(field, formula, plan, target, processor)
    candidates = [
        replace(c, choice=replace(c.choice, options=(made, *c.choice.options)))
        for c in decision.candidates
    ]
    return replace(decision, candidates=tuple(candidates))


def _short(line: Callable[[], Decision], at_last: Callable[[], Decision] | None) -> Decision:
    """One straight line, and at last by calls, where these may be needed.

    They are where the line has no bound that holds, or is not proved.
    """
    if at_last is None:
        return line()
    try:
        decision = line()
    except BoundError as error:
        try:
            return at_last()
        except NotCompiled:
            raise error from None
    try:
        return replace(decision, candidates=(*decision.candidates, *at_last().candidates))
    except NotCompiled:
        return decision


def _long(
    field: Field, formula: Formula, plan: FormulaPlan, target: Target, processor: str | None
) -> Decision:
    """By calls; in one line where no caller can be made.

    A frame or an operand may be too large for the offsets of instructions.
    """
    try:
        return _by_calls(field, formula, target, processor, _plan_by_calls)
    except NotCompiled:
        return decide(target, _flat(field, plan), processor)


def _has_sums_as_factors(plan: FormulaPlan) -> bool:
    """Whether a factor is not reduced: of a square of a difference not every prime has a proof."""
    blocks = (block for block in plan.blocks if isinstance(block, Block))
    return any(len(form) > 1 for b in blocks for _, *two in b.products for form in two)


def _has_sums_of_values(plan: FormulaPlan) -> bool:
    """Whether a value that was reduced is added to and reduced again, as t in `t, t + t`.

    In one straight line, not every such sum is proved. Of formulas with plain integers, masks or
    accumulators only products are asked for, by `_multiplies_values`.
    """
    if plan.formula.sizes:
        return False
    computed = {one.number for one in plan.computed}
    return any(
        not one.block.products and not computed.isdisjoint(one.sources) for one in plan.computed
    )


def _multiplies_values(plan: FormulaPlan) -> bool:
    """Whether a value that was reduced is multiplied by a plain integer, as in (x - y)*k.

    In one straight line its bounds are not those of an element.
    """
    computed = {one.number for one in plan.computed}
    return any(
        isinstance(one.block, StepBlock)
        and one.block.kind == "times"
        and not computed.isdisjoint(one.sources)
        for one in plan.computed
    )


def is_straight_line(field: Field, formula: Formula) -> bool:
    """Whether a formula becomes one straight line where routines can be called."""
    return is_flat(ranged(planned(formula.over(field)), field))


def line_of(field: Field, formula: Formula) -> Expression:
    """The formula as one straight line, or of calls where no such line has a bound that holds.

    Raises FormulaError, BoundError.
    """
    formula = formula.over(field)
    plan = ranged(planned(formula), field)
    try:
        return _flat(field, plan)[0]
    except BoundError as error:
        if not _multiplies_values(plan):
            raise
        try:
            return kernel_of(plan, algorithm=CALLS).expression(field)
        except BoundError:
            raise error from None


def straight_lines(field: Field, formula: Formula) -> list[Expression]:
    """The formula as one straight line in each way to reduce. Raises FormulaError, BoundError."""
    formula = formula.over(field)
    return _flat(field, ranged(planned(formula), field))


def _flat(field: Field, plan: FormulaPlan) -> list[Expression]:
    """The formula as one straight line, for each way to reduce whose bounds hold."""
    found, failure = [], None
    is_divided = any(block.is_divided for block in plan.blocks)
    kernels = (
        [kernel_of(plan, how) for how in DIVISIONS]
        if is_divided
        else [kernel_of(plan, algorithm=NONE)]
    )
    for kernel in kernels:
        try:
            found.append(kernel.expression(field))
        except BoundError as error:
            failure = error
    if not found and failure is not None:
        raise failure
    return found


def _by_calls(
    field: Field, formula: Formula, target: Target, processor: str | None, planner: _Planner
) -> Decision:
    """A caller of routines, in each variant."""
    found, key = [], ""
    plans = [one.plan for one in ranked_plans(field, formula, target, processor)]
    for variant in target.variants:

        def routines(plan: FormulaPlan, name: str = variant.name) -> list[_Routine]:
            decided = [_decide_block(field, block, target, processor) for block in plan.blocks]
            blocks = zip(plan.blocks, decided, strict=True)
            return [_Routine(_proved(target, block, one, name), one) for block, one in blocks]

        plan, made, how = planner(target, field, formula, plans, routines)
        calls = _calls(target, plan, [one.choice for one in made])
        preferred_ones = [one.decision.preferred for one in made]
        key = made[0].decision.processor
        expression = kernel_of(plan, algorithm=CALLS).expression(field)
        reason = f"{len(plan.blocks)} routines, {how}"
        choice = Choice(expression, variant, calls, reason, preferred_ones[0].options)
        runs = processor is not None or not missing(variant.needs)
        votes = sum(one.variant == variant for one in preferred_ones)
        found.append((votes, Candidate(choice, runs=runs)))
    found.sort(key=lambda one: -one[0])
    return Decision(target, key, tuple(candidate for _, candidate in found))


def _each_step(
    target: Target, field: Field, formula: Formula, plans: _Plans, routines: _Routines
) -> _Planned:
    """A routine for each step, and how they were chosen."""
    plan = ranged(planned(formula, is_fused=False), field)
    return plan, routines(plan), "each for one step"


def _plan_by_calls(
    target: Target, field: Field, formula: Formula, plans: _Plans, routines: _Routines
) -> _Planned:
    """The plan with its routines, and how they were chosen.

    Where a routine of the best plan has no bound that holds or is not proved, or the plan's values
    take more than MOST_FRAME, the next plan is taken; at last each step is a routine of its own.
    Where the code is longer than MOST_CODE, the work of routines that are seldom used is left to
    others.
    """
    for plan in plans:
        if _frame(field, plan) <= MOST_FRAME and (made := _all_proved(plan, routines)):
            break
    else:
        return _each_step(target, field, formula, plans, routines)
    how, avoided = f"each chosen by itself, values {plan.form.value}", frozenset[Block]()
    length, whole = _length(target, field, plan, made), planned(formula, form=plan.form)
    for uses in range(1, MOST_AVOIDED + 1):
        if length <= MOST_CODE:
            break
        avoided |= whole.rare(uses)
        whole = planned(formula, avoided=avoided, form=plan.form)
        smaller = ranged(whole, field)
        others = _all_proved(smaller, routines) if shows_formula(smaller, field) else []
        if not others or _length(target, field, smaller, others) >= length:
            break
        plan, made, how = smaller, others, "shared for shorter code"
        length = _length(target, field, plan, made)
    return plan, made, how


@dataclass(frozen=True)
class _Routine:
    """A block's kernel in a variant, if one is proved, and what was decided for the block."""

    proved: Choice | None
    decision: Decision

    @property
    def choice(self) -> Choice:
        return self.proved or self.decision.preferred


def _all_proved(plan: FormulaPlan, routines: _Routines) -> list[_Routine]:
    """The routines of a plan, or none where a bound does not hold or one of them is not proved."""
    try:
        made = routines(plan)
    except BoundError:
        return []
    return made if all(one.proved for one in made) else []


_Routines = Callable[[FormulaPlan], list[_Routine]]
_Planned = tuple[FormulaPlan, list[_Routine], str]
_Plans = Sequence[FormulaPlan]
_Planner = Callable[[Target, Field, Formula, _Plans, _Routines], _Planned]


def _caller(target: Target) -> CallerMaker:
    if target.caller is None:
        raise ValueError(f"{target} makes no callers")
    return target.caller


def _length(target: Target, field: Field, plan: FormulaPlan, routines: Sequence[_Routine]) -> int:
    """The bytes of a caller with its routines."""
    calls = _calls(target, plan, [one.choice for one in routines])
    return _caller(target).length(calls, kernel_of(plan, algorithm=CALLS).expression(field))


def _proved(
    target: Target, block: Block | StepBlock, decision: Decision, variant: str
) -> Choice | None:
    """The best kernel of a block in a variant that is proved by itself."""
    text, made = block.text(), _caller(target)
    for candidate in decision.candidates:
        choice = candidate.choice
        if choice.variant.name == variant and _is_proved(
            made, choice.expression.field, choice.expression.kernel, choice.plan, text
        ):
            return choice
    return None


@lru_cache(maxsize=1024)
def _is_proved(made: CallerMaker, field: Field, kernel: Kernel, plan: Any, text: str) -> bool:
    code, start = made.routine(kernel.expression(field), plan)
    how = (made.convention, start, made.architecture)
    try:
        prove_formula(code, text, field.p, field.n, *how)
    except ProofError:
        return False
    return True


def _frame(field: Field, plan: FormulaPlan) -> int:
    """The bytes that a caller's values take on the stack."""
    made = [(one.number, one.sources) for one in plan.computed]
    counts = [count for _, count in plan.formula.operands]
    words = slot_words(field, (one.block.range for one in plan.computed))
    return WORD // 8 * words * places_of(counts, made, plan.results).slots


def _calls(target: Target, plan: FormulaPlan, choices: Sequence[Choice]) -> Any:
    number = {block: index for index, block in enumerate(plan.blocks)}
    calls = [Call(number[c.block], c.sources, c.number, c.name) for c in plan.computed]
    counts = [count for _, count in plan.formula.operands]
    return _caller(target).calls([*_routines(plan, choices)], calls, counts, plan.results)


@lru_cache(maxsize=1024)
def _decide_block(
    field: Field, block: Block | StepBlock, target: Target, processor: str | None
) -> Decision:
    """The kernel of one block: the catalogue's where it has one, with its schedule."""
    if (name := KNOWN.get(block)) in CATALOGUE and name is not None:
        return preferred(field, name, target, processor)
    found, failure = [], None
    for kernel in block.kernels("routine"):
        try:
            found.append(kernel.expression(field))
        except BoundError as error:
            failure = error
    if not found and failure is not None:
        raise failure
    return decide(target, found, processor)


def _routines(plan: FormulaPlan, choices: Sequence[Choice]) -> Iterator[PlannedRoutine]:
    for number, (block, choice) in enumerate(zip(plan.blocks, choices, strict=True)):
        name = KNOWN.get(block, f"routine_{number}")
        computes = replace(choice.expression.kernel.computes, says=f"{block.says} mod p")
        kernel = replace(choice.expression.kernel, computes=computes)
        yield PlannedRoutine(kernel, choice.plan, block.text(), name)
