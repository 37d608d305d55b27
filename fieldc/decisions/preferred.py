"""The one place that decides which kernel an operation of a field gets on a processor.

Every door asks it: build, native code in this process, races, goals, packages. A schedule that a
search found for the processor comes first; else the kernels of our own x86-64 and AArch64 are
judged by the processor's model: those of x86-64 by lower bounds, those of AArch64 by the simulator.
Other targets have an order of algorithms of their own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from operator import itemgetter

from fieldc.algorithms import every_kernel_for, offered_for, unknown_algorithm
from fieldc.algorithms.representations import PLAIN, PRODUCTS, SAME
from fieldc.decisions.arm_orders import searched
from fieldc.decisions.decision import Candidate, Decision
from fieldc.decisions.model import Figure, figure, figure_of, rank
from fieldc.decisions.orders import (
    CLOSE,
    CLOSE_PLAIN,
    CLOSE_REPEATED,
    NEAR,
    in_best_order,
    quicker_first,
    shorter_first,
)
from fieldc.decisions.schedule import FORMULAS, Schedule, ScheduleError, TunedKernel, shipped
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.language import BoundError, Expression, Kernel
from fieldc.machine.processor import missing
from fieldc.machine.processors import Processor, find_processor, host_processor
from fieldc.simulator.window import STEADY
from fieldc.targets.choice import Choice
from fieldc.targets.judge import Judge, NotCompiled
from fieldc.targets.target import Target

ONLY, ITS_NAME = "being the only algorithm offered for this prime", "its name"
"""What chose an algorithm, where no order and no model did."""


def preferred(
    field: Field,
    operation: str,
    target: Target,
    processor: str | None = None,
    algorithm: str | None = None,
    schedule: Schedule | None = None,
) -> Decision:
    """Decide for one operation.

    `processor` is a key of processors.toml, None for this host's; `algorithm` and `schedule` are
    what the user named. Raises NoKernel for an algorithm that does not exist, BoundError where no
    bounds hold, UnknownProcessor, Refusal where nothing compiles.
    """
    judge = target.judge_of(field.word)
    studied = judge.studied if judge else ()
    expressions, refused = _expressions(field, operation, algorithm, studied)
    if judge is None and algorithm is not None:
        return Decision(target, "", _named(target, expressions), tuple(refused))
    made = decide(target, expressions, processor, schedule, any_order=algorithm is None)
    return replace(made, refused=(*refused, *made.refused))


def decide(
    target: Target,
    expressions: Sequence[Expression],
    processor: str | None = None,
    schedule: Schedule | None = None,
    any_order: bool = False,
) -> Decision:
    """Decide between expressions of one operation, which need not be one of the catalogue's.

    With `any_order` it is, and an order that ships may be of an algorithm that is only studied.
    """
    judge = target.judge_of(expressions[0].field.word)
    if judge is None:
        return Decision(target, "", tuple(_by_preference(target, expressions)))
    model, is_host = _model(target, judge, processor), processor is None
    has_orders = judge.orders and _meant(target, processor) is not None
    # The same choice by name: a core that is named is ordered too, what stands in for it is not.
    options = _options(model) if has_orders or not judge.orders else ()
    found, refused = _modelled(target, judge, expressions, model, is_host, options)
    if has_orders:
        found = _in_best_orders(judge, found, model)
    if judge.is_simulated:
        found = shorter_first(found, lambda c: c.figure or Figure(0, 0, 0))
    if has_orders:
        found = [*_searched(target, judge, expressions, model, found, any_order), *found]
    tuned = []
    if judge.takes_schedules:
        tuned = _scheduled(target, judge, expressions, model, schedule, is_host)
    if not tuned and not found:
        name, why = refused[0]
        operation = expressions[0].kernel.operation
        raise Refusal(f"{target.name} has no code for {operation} by {name}: {why}")
    return Decision(target, model.key, (*tuned, *found), tuple(refused))


def _expressions(
    field: Field, operation: str, algorithm: str | None, studied: Sequence[str]
) -> tuple[list[Expression], list[tuple[str, str]]]:
    """The algorithms offered, or `studied`, whose bounds hold, and those whose bounds do not."""
    kernels = offered_for(operation)
    more = (k for k in every_kernel_for(operation) if k.algorithm in studied)
    kernels += [kernel for kernel in more if kernel not in kernels]
    if algorithm is not None or not kernels:
        kernels = [k for k in every_kernel_for(operation) if algorithm in (None, k.algorithm)]
    if not kernels:
        raise unknown_algorithm(operation, algorithm)
    found, refused, failure = [], [], None
    for kernel in kernels:
        try:
            found.append(kernel.expression(field))
        except BoundError as error:
            refused.append((kernel.algorithm, str(error)))
            failure = error
    if not found and algorithm is None and (others := _studied(field, operation, kernels)):
        return others, refused
    if not found and failure is not None:
        raise failure
    return found, refused


def _studied(field: Field, operation: str, tried: Sequence[Kernel]) -> list[Expression]:
    """The algorithms that are not offered but hold, where none that is offered does."""
    found = []
    for kernel in every_kernel_for(operation):
        if kernel not in tried:
            with suppress(BoundError):
                found.append(kernel.expression(field))
    return found


def _model(target: Target, judge: Judge, name: str | None) -> Processor:
    """The model of the named processor, or of this host's; of the stand-in for another kind's."""
    return _meant(target, name) or find_processor(judge.stand_in)


def _meant(target: Target, name: str | None) -> Processor | None:
    """The named processor, or this host's, if it is known and of the target's kind."""
    meant = host_processor() if name is None else find_processor(name)
    return meant if meant is not None and meant.architecture == target.architecture else None


def model_of(target: Target, name: str | None) -> Processor | None:
    """The processor whose model judges a target's kernels; None where no model does."""
    return None if target.judge is None else _model(target, target.judge, name)


def _by_preference(target: Target, expressions: Sequence[Expression]) -> Iterator[Candidate]:
    """In the target's own order, then in that of the catalogue of algorithms."""
    order = {name: place for place, name in enumerate(target.algorithms)}
    ranked = sorted(expressions, key=lambda e: order.get(e.kernel.algorithm, len(order)))
    why = f"the order of algorithms of {target.name}" if len(ranked) > 1 else ONLY
    for expression in ranked:
        if target.can(expression) or expression is ranked[-1]:
            for variant in target.variants:
                yield Candidate(Choice(expression, variant, chosen_by=why))


def _named(target: Target, expressions: Sequence[Expression]) -> tuple[Candidate, ...]:
    """The algorithm that the user named, chosen by its name unless the target puts it first.

    A header's command names the algorithm, so it must give the reason that the header has.
    """
    named = expressions[0]
    others, _ = _expressions(named.field, named.kernel.operation, None, ())
    ranked = [*_by_preference(target, others)]
    found = [c for c in ranked if c.algorithm == named.kernel.algorithm]
    if found and found[0] is ranked[0]:
        return tuple(found)
    by_name = _by_preference(target, expressions)
    return tuple(replace(c, choice=replace(c.choice, chosen_by=ITS_NAME)) for c in by_name)


def _modelled(
    target: Target,
    judge: Judge,
    expressions: Sequence[Expression],
    model: Processor,
    is_host: bool,
    options: tuple[str, ...],
) -> tuple[list[Candidate], list[tuple[str, str]]]:
    """Every algorithm in every variant, by the model; those that do not compile.

    A variant's later plans come right after its first one: lower bounds do not see an order.
    """
    found: list[list[Candidate]] = []
    refused: list[tuple[str, str]] = []
    for expression in expressions:
        for variant in target.variants:
            runs = not (is_host and missing(variant.needs))
            some: list[Candidate] = []
            codes = set()
            why = f"the model of {model.key}"
            for plan in judge.plans(variant, model.key):
                choice = Choice(expression, variant, plan, options=options)
                try:
                    code = judge.code(choice)
                    bound = figure(judge, choice, model.key)
                except NotCompiled as error:
                    refused.append((f"{expression.kernel.algorithm}, {variant.name}", str(error)))
                    continue
                if code in codes:
                    continue
                codes.add(code)
                told = replace(choice, chosen_by=f"{why}: {bound}")
                some.append(Candidate(told, bound, runs))
                why = f"the model of {model.key}, rows of other processors"
            if some:
                found.append(some)

    def place(some: Sequence[Candidate]) -> Figure:
        first = some[0]
        return rank(first.figure or Figure(0, 0, 0), first.choice.variant.name, model)

    close, of_variants = _close(expressions[0].kernel, model)
    ranked = quicker_first(found, close, place, lambda s: s[0].choice.variant, of_variants)
    return [candidate for some in ranked for candidate in some], refused


def _close(kernel: Kernel, model: Processor) -> tuple[float, float]:
    """Up to which multiple of the best throughput latency decides; 1 where it does not.

    Between the kernels of a variant, and between variants.
    """
    if kernel.operation in PLAIN.parts.values():
        return CLOSE_PLAIN, model.close
    if kernel.operation in PRODUCTS:
        return model.close, model.close
    if kernel.computes.family == "square_times":
        return CLOSE_REPEATED, CLOSE_REPEATED
    return CLOSE if kernel.operation in SAME or kernel.computes.formula else 1, 1


def _in_best_orders(judge: Judge, found: Sequence[Candidate], model: Processor) -> list[Candidate]:
    """The candidates, the best ones in the orders that the simulator puts first.

    An order that the prover does not follow gives way to the kernel's own.
    """
    figures = [c.figure for c in found if c.figure]
    limit = NEAR * min(f.throughput for f in figures) if figures else 0
    ordered: list[Candidate] = []
    for candidate in found:
        if candidate.figure and candidate.figure.throughput <= limit:
            best, known = in_best_order(judge, candidate.choice, candidate.figure, model)
            if best is not candidate.choice:
                told = replace(best, chosen_by=f"the simulator's order for {model.key}: {known}")
                ordered.append(replace(candidate, choice=told, figure=known))
    return [*ordered, *found]


def _searched(
    target: Target,
    judge: Judge,
    expressions: Sequence[Expression],
    model: Processor,
    found: Sequence[Candidate],
    any_order: bool,
) -> Iterator[Candidate]:
    """The kernels in orders that ship, where they are predicted to be faster than the best."""
    known = [(c.figure.throughput, c.choice) for c in found if c.figure]
    _, best = min(known, key=itemgetter(0), default=(0, None))
    least = figure_of(judge.code(best), judge, model.key, STEADY).throughput if best else inf
    for choice, figured in searched(judge, expressions, target.variants[0], model, any_order):
        if figured.throughput < least:
            why = f"the order that a search found for {model.key}: {figured}"
            yield Candidate(replace(choice, chosen_by=why, options=_options(model)), figured)


def _options(model: Processor) -> tuple[str, ...]:
    return (f"--processor {model.key}",)


def _scheduled(
    target: Target,
    judge: Judge,
    expressions: Sequence[Expression],
    model: Processor,
    named: Schedule | None,
    is_host: bool,
) -> list[Candidate]:
    """What the named schedule has for the operation, or else the one that is shipped.

    Raises ScheduleError for a named one that does not make its kernel any more.
    """
    field, operation = expressions[0].field, expressions[0].kernel.operation
    by_name = {e.kernel.algorithm: e for e in expressions}
    entry = named.entry(operation) if named else None
    if entry is not None and (expression := by_name.get(entry.decisions.algorithm)):
        why, options = "the schedule that was named", ("--schedule FILE",)
        return [_tuned(target, expression, entry, why, options, is_host)]
    try:
        folder = FORMULAS if expressions[0].kernel.computes.formula else ""
        entry = shipped(field, model.key, folder).entry(operation)
        expression = by_name.get(entry.decisions.algorithm) if entry else None
        if entry is None or expression is None:
            return []
        run = entry.measured
        cycles = " | ".join(f"{run[f'best_{m}_cycles']:.1f}" for m in ("throughput", "latency"))
        why = f"the schedule of {model.key}: measured {cycles} cycles"
        tuned = _tuned(target, expression, entry, why, _options(model), is_host)
        bound = figure(judge, tuned.choice, model.key)
        return [replace(tuned, figure=bound)]
    except ScheduleError:  # none is shipped, or it is of another kernel of that name
        return []


def _tuned(
    target: Target,
    expression: Expression,
    entry: TunedKernel,
    why: str,
    options: tuple[str, ...],
    is_host: bool,
) -> Candidate:
    """The candidate of a schedule's entry. Raises ScheduleError."""
    plan = entry.plan(expression)
    variant = next(v for v in target.variants if v.name == plan.choices.variant)
    if target.proved_as != "sysv" and plan.is_refined:
        why += ", whose order and registers are for System V alone"
    choice = Choice(expression, variant, plan, why, options)
    runs = not (is_host and missing(variant.needs))
    return Candidate(choice, None, runs, is_scheduled=True)
