"""Which plan of a formula is the fastest on a processor, before any code is made.

The instructions that a plan needs at least are counted from its blocks, and the processor's limits
say how many cycles they take. The figure compares plans. What a routine takes is judged later, by
its bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.decisions.preferred import model_of
from fieldc.field import Field
from fieldc.formulas.blocks import ONE, Block, Linear
from fieldc.formulas.formula import Formula
from fieldc.formulas.plan import FormulaPlan, PlanForm, plans
from fieldc.formulas.ranges import ranged, subtractions
from fieldc.formulas.step_blocks import StepBlock
from fieldc.machine.processors import Processor
from fieldc.proof.claims.composition import is_shown
from fieldc.targets.target import Target

MULTIPLY, ADD, SELECT, MOVE, LEA, LOAD, STORE = (
    "mulx",
    "adx",
    "cmov",
    "move",
    "lea",
    "load",
    "store",
)
"""Kinds of instructions; all but the last two are timings of processors.toml."""
MOST_FLAT = 4
"""Products up to which a formula is one straight line; docs/formulas.md says why so many."""
KEPT = 6
"""Registers that a routine saves."""


@dataclass(frozen=True)
class RankedPlan:
    """A plan in its ranges, with the least cycles that the model gives it."""

    plan: FormulaPlan
    cycles: float


def ranked_plans(
    field: Field, formula: Formula, target: Target, processor: str | None
) -> list[RankedPlan]:
    """The plans of a formula, the fastest first; of equal ones that with fewer values.

    Plans that the prover cannot show to compute the formula are left out.
    A formula of one straight line has its reduced plan: values that wait would fill the registers.
    Raises FormulaError, UnknownProcessor.
    """
    model = model_of(target, processor)
    every = (ranged(plan, field) for plan in plans(formula))
    found = [plan for plan in every if shows_formula(plan, field)]
    if model is None or is_flat(found[0]):
        return [
            RankedPlan(plan, least_cycles(plan, field, model) if model else 0.0) for plan in found
        ]
    ranked = [RankedPlan(plan, least_cycles(plan, field, model)) for plan in found]
    return sorted(ranked, key=lambda one: (one.cycles, len(one.plan.computed)))


def shows_formula(plan: FormulaPlan, field: Field) -> bool:
    """Whether the prover can show that a plan computes its formula.

    Three products for four are not the formula's products. If they nest, there are too many terms
    to multiply out.
    """
    if plan.form is not PlanForm.KARATSUBA:
        return True
    called = [(one.block.text(), one.sources, one.number) for one in plan.computed]
    return is_shown(plan.formula.text(), field.p, field.n, called, plan.results)


def is_flat(plan: FormulaPlan) -> bool:
    """Whether the formula is short enough for one straight line."""
    steps = [one.block for one in plan.computed if isinstance(one.block, StepBlock)]
    if any(block.is_signed for block in steps) and plan.products:
        return False  # products with signed integers are proved as routines of their own
    choices = sum(block.kind == "choose" for block in steps)
    if choices > 1 and choices < len(plan.computed):
        return False  # the mask's flag would wait while carry chains between run
    return plan.products <= MOST_FLAT


def least_cycles(plan: FormulaPlan, field: Field, processor: Processor) -> float:
    """The sum over all calls of what binds each."""
    each = {block: _cycles(_counted(block, field), processor) for block in plan.blocks}
    return sum(each[one.block] for one in plan.computed)


def _cycles(counts: Counter[str], processor: Processor) -> float:
    """The largest bound on so many instructions."""
    uses: Counter[str] = Counter()
    slots = 0
    for kind, count in counts.items():
        if kind in (LOAD, STORE):
            ports = [processor.load] if kind == LOAD else [processor.store_data]
            ports += [processor.store_address] if kind == STORE else []
            # most loads are operands of other instructions
            slots += count if kind == STORE else 0
        else:
            timing = processor.timing(kind)
            ports = [*timing.ports] if timing else []
            slots += count * (timing.slots if timing else 1)
        for port in ports:
            uses[port] += count
    bounds = [slots / processor.slots]
    for unit in processor.units.values():
        busy = sum(times for ports, times in uses.items() if {*ports} <= {*unit})
        bounds.append(busy / len(unit))
    return max(bounds)


def _counted(block: Block | StepBlock, f: Field) -> Counter[str]:
    """The instructions of one call of a routine."""
    counts: Counter[str] = Counter({LOAD: KEPT, STORE: KEPT, MOVE: 2})  # call, ret
    if isinstance(block, StepBlock):
        limbs = [size.limbs(f) for size in block.sizes]
        counts[LEA] += 1 + len(limbs)
        counts[LOAD] += sum(limbs)
        if block.kind == "multiple":
            counts[MULTIPLY] += 2 * f.n
        elif block.kind != "choose":
            counts[MULTIPLY] += limbs[0] * limbs[-1]
        counts[STORE] += block.size.limbs(f)
        return counts
    n = f.n
    counts[LEA] += 1 + block.operands
    for _, first, second in block.products:
        if first == second:
            rows = n * (n + 1) // 2
            _combined(counts, first, n, block)
        else:
            rows = n * n
            _combined(counts, first, n, block)
            _combined(counts, second, n, block)
        counts[MULTIPLY] += rows
        counts[ADD] += 2 * rows
    if block.is_divided:
        counts[MULTIPLY] += n * (n + 1)
        counts[ADD] += 2 * n * n
    _combined(counts, block.wide, 2 * n, block, is_added=bool(block.products))
    _combined(counts, block.linear, n, block, is_added=block.is_divided)
    times = subtractions(block, f)
    for kind in (MOVE, ADD, SELECT):
        counts[kind] += n * times
    counts[STORE] += block.range.limbs(f)
    return counts


def _combined(
    counts: Counter[str], form: Linear, limbs: int, block: Block, is_added: bool = False
) -> None:
    """Add the instructions of a combination."""
    if not form:
        return
    terms = len(form) + any(c < 0 for _, c in form)  # and a multiple of p
    counts[ADD] += limbs * (terms - 1 + is_added)
    doublings = sum(abs(c).bit_length() - 1 for i, c in form if i != ONE)
    counts[ADD] += limbs * doublings
    counts[LOAD] += limbs * terms


def said_plans(ranked: Sequence[RankedPlan]) -> list[dict[str, object]]:
    """What tells the plans of a formula apart, the preferred one first."""
    return [
        {
            "plan": one.plan.form.value,
            "products": one.plan.products,
            "reductions": one.plan.reductions,
            "values": len(one.plan.computed),
            "routines": len(one.plan.blocks),
            "cycles": round(one.cycles),
        }
        for one in ranked
    ]
