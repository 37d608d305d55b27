"""Decides how a formula becomes code on a target: flat, or calls of routines, and by what plan."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from fieldc.algorithms import OPERATIONS as CATALOGUE
from fieldc.decisions.decision import Candidate, Decision
from fieldc.decisions.plans import is_flat, ranked_plans, shows_formula
from fieldc.decisions.preferred import decide, preferred
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
    has_calls = target.caller is not None and field.word == WORD
    if is_flat(plan) or not has_calls:
        line = partial(_line, field, plan, target, processor, schedule)
        calls = partial(_by_calls, field, formula, target, processor, _each_step)
        decision = _short(line, calls if has_calls else None)
    else:
        decision = _long(field, formula, plan, target, processor)
    return _told(decision, f"--formula {quote(formula.file)}")


def _told(decision: Decision, made: str) -> Decision:
    """The decision with what names the formula in the command that makes its kernels again."""
    candidates = [
        replace(c, choice=replace(c.choice, options=(made, *c.choice.options)))
        for c in decision.candidates
    ]
    last = decision.at_last
    at_last = None if last is None else lambda: _told(last(), made)
    return replace(decision, candidates=tuple(candidates), at_last=at_last)


def _short(line: Callable[[], Decision], calls: Callable[[], Decision] | None) -> Decision:
    """One straight line; by calls where it has no bound that holds, no code or no proof."""
    if calls is None:
        return line()
    try:
        decision = replace(line(), at_last=calls)
    except BoundError as error:
        try:
            return calls()
        except NotCompiled:
            raise error from None
    is_whole = len(decision.choices()) == len(decision.target.variants)
    return decision if is_whole else decision.with_more()


def _line(
    field: Field,
    plan: FormulaPlan,
    target: Target,
    processor: str | None,
    schedule: Schedule | None = None,
) -> Decision:
    """In one straight line."""
    return decide(target, _flat(field, plan), processor, schedule)


def _long(
    field: Field, formula: Formula, plan: FormulaPlan, target: Target, processor: str | None
) -> Decision:
    """By calls; in one line where no caller can be made.

    A frame or an operand may be too large for the offsets of instructions.
    """
    try:
        return _by_calls(field, formula, target, processor, _plan_by_calls)
    except NotCompiled:
        return _line(field, plan, target, processor)


def is_straight_line(field: Field, formula: Formula) -> bool:
    """Whether a formula becomes one straight line where routines can be called."""
    return is_flat(ranged(planned(formula.over(field)), field))


def straight_lines(field: Field, formula: Formula) -> list[Expression]:
    """The formula as one straight line in each way to reduce. Raises FormulaError, BoundError."""
    formula = formula.over(field)
    return _flat(field, ranged(planned(formula), field))


def _flat(field: Field, plan: FormulaPlan) -> list[Expression]:
    """The formula as one straight line, for each way to reduce whose bounds hold.

    Where none do, each value is taken to be in its block's range: so it is where all blocks hold,
    each by itself and with the same way to reduce.
    """
    is_divided = any(block.is_divided for block in plan.blocks)
    ways = {"cios": NONE} if not is_divided else dict.fromkeys(DIVISIONS, "")
    try:
        return _expressions(field, [kernel_of(plan, *way) for way in ways.items()])
    except BoundError as error:
        holding = [
            way for way in ways.items() if all(_holds(field, b, way[0]) for b in plan.blocks)
        ]
        if not holding:
            raise
        try:
            return _expressions(field, [kernel_of(plan, *way, by_ranges=True) for way in holding])
        except BoundError:
            raise error from None


def _holds(field: Field, block: Block | StepBlock, how: str) -> bool:
    """Whether the bounds of a block hold, by itself and with a way to reduce."""
    kernels = {kernel.algorithm: kernel for kernel in block.kernels("routine")}
    if block.is_divided and how not in (*kernels, "cios"):
        return False  # a block of one step is made by cios
    try:
        kernels.get(how, next(iter(kernels.values()))).expression(field)
    except BoundError:
        return False
    return True


def _expressions(field: Field, kernels: Iterable[Kernel]) -> list[Expression]:
    """The expressions of the kernels whose bounds hold. Raises BoundError where none do."""
    found, failure = [], None
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
    """A routine for each step, and how they were chosen.

    Raises NotCompiled where one is not proved and one straight line need not be.
    """
    plan = ranged(planned(formula, is_fused=False), field)
    made = routines(plan)
    if not target.is_own and not all(one.proved for one in made):
        raise NotCompiled("a caller of routines that are not proved is not proved")
    return plan, made, "each for one step"


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
    return decide(target, _expressions(field, block.kernels("routine")), processor)


def _routines(plan: FormulaPlan, choices: Sequence[Choice]) -> Iterator[PlannedRoutine]:
    for number, (block, choice) in enumerate(zip(plan.blocks, choices, strict=True)):
        name = KNOWN.get(block, f"routine_{number}")
        computes = replace(choice.expression.kernel.computes, says=f"{block.says} mod p")
        kernel = replace(choice.expression.kernel, computes=computes)
        yield PlannedRoutine(kernel, choice.plan, block.text(), name)
