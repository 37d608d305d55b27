"""What is searched: structures of a kernel, pruned by the model of its processor, and moves."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations, product
from typing import Any

from fieldc.counting.count import count
from fieldc.counting.limits import Limits, lower_bounds
from fieldc.decisions.schedule import ALLOWED, FREE_ORDER, Decisions
from fieldc.language import NeedsIntegers
from fieldc.machine.caller import Caller
from fieldc.machine.code import Code
from fieldc.machine.pages import Timed
from fieldc.machine.processors import Processor
from fieldc.targets.judge import NotCompiled
from fieldc.targets.x86_64.choices import Choices, Refinement, choices_on
from fieldc.targets.x86_64.conventions import GENERAL
from fieldc.targets.x86_64.encode import Piece, encode, linked, placed, size_of, table_after
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Kernel, finish
from fieldc.targets.x86_64.order import Move, Touch, ordered, reach, shift, touch
from fieldc.targets.x86_64.select import Selection
from fieldc.tune.subject import Subject
from fieldc.words.rows import RowChoice, RowStyle

SYMBOL = "fieldc_tuned"
LAGS, AHEADS = (0, 1, 2), (0, 1, 2)
INSTRUCTIONS_PER_MOVE = 300
"""A late proposal has one move, and on average another for this many instructions."""
FAR = 12
"""Places that a late move goes at most: the processor's own window does the rest."""


@dataclass(frozen=True)
class Draft:
    """A finished kernel that can still be moved about in, with the decisions that made it."""

    decisions: Decisions
    code: tuple[Physical, ...]
    pieces: tuple[Piece, ...]
    machine_code: bytes
    caller: Caller
    """What calls the code when it is timed."""

    @property
    def timed(self) -> Timed:
        """What is written to memory and run."""
        return self.caller, Code(self.machine_code)

    @cached_property
    def touches(self) -> list[Touch]:
        """What each instruction touches."""
        return [touch(instruction) for instruction in self.code]

    def moved(self, move: Move) -> Draft:
        """The same after a legal late move, without a run of the passes."""
        start, end = min(move), max(move) + 1
        code, pieces, touches = list(self.code), list(self.pieces), list(self.touches)
        shift(code, move)
        shift(pieces, move)
        shift(touches, move)
        # Only what was passed lies elsewhere: the rest keeps its bytes, distances included.
        first = size_of(pieces[:start])
        table = table_after(first + size_of(pieces[start:]))
        between = placed(pieces[start:end], first, table)
        after = self.machine_code[first + len(between) :]
        refinement = self.decisions.refinement
        refinement = replace(refinement, late=(*refinement.late, move))
        decisions = replace(self.decisions, refinement=refinement)
        changed = b"".join((self.machine_code[:first], between, after))
        other = Draft(decisions, tuple(code), tuple(pieces), changed, self.caller)
        other.__dict__["touches"] = touches
        return other


class Workshop:
    """Makes drafts of one subject; what does not change is made once."""

    def __init__(self, subject: Subject) -> None:
        self.subject, self.expressions = subject, subject.expressions
        self._selections: dict[tuple[str, Choices], Selection] = {}
        self._bounds: dict[tuple[object, ...], Limits] = {}

    def selection(self, decisions: Decisions) -> Selection:
        """The virtual code of an algorithm and its choices. Raises NotCompiled."""
        key = decisions.algorithm, decisions.choices
        if key not in self._selections:
            program = self.subject.program(self.expressions[key[0]], decisions.choices)
            returns_words = self.subject.convention.returns_words
            self._selections[key] = Selection(program, decisions.choices, returns_words)
        return self._selections[key]

    def kernel(self, decisions: Decisions) -> X86Kernel:
        """The kernel of some decisions, by the passes. Raises NotCompiled, OrderError."""
        convention = self.subject.convention
        kernel = finish(self.selection(decisions), SYMBOL, convention, decisions.refinement)
        return self.subject.completed(kernel)

    def draft(self, decisions: Decisions) -> Draft | None:
        """A draft, or None where the choices do not go together."""
        try:
            kernel = self.kernel(decisions)
        except (NotCompiled, NeedsIntegers):
            return None
        pieces = tuple(map(encode, kernel.code))
        code = linked(pieces, (value for _, value in kernel.constants))
        return Draft(decisions, kernel.code, pieces, code, self.subject.caller(kernel))

    def bound(self, draft: Draft, processor: Processor | None) -> float:
        """The model's bound in cycles; instructions on a processor that it does not know."""
        if processor is None:
            return float(len(draft.code))
        return self.bounds(draft, processor).binding[1]

    def bounds(self, draft: Draft, processor: Processor) -> Limits:
        """The model's bounds; drafts that differ in registers and order only share them."""
        key = tuple(sorted(map(_shape, draft.code)))
        if key not in self._bounds:
            size = size_of(draft.pieces)
            self._bounds[key] = lower_bounds(count(draft.machine_code[:size], "x86_64"), processor)
        return self._bounds[key]


def _shape(instruction: Physical) -> tuple[str, ...]:
    kinds = (type(operand).__name__ for operand in instruction.operands)
    return instruction.mnemonic, *kinds


def structures(
    algorithms: Sequence[str], variants: Sequence[str], processor: str
) -> Iterator[Decisions]:
    """Every algorithm in every row style, the other choices as a processor's defaults are."""
    chains = [RowChoice(RowStyle.TWO_CHAINS, *each) for each in product(LAGS, AHEADS)]
    sums = [RowChoice(RowStyle.TWO_SUMS, ahead=ahead) for ahead in AHEADS]
    merged = [RowChoice(RowStyle.ONE_CHAIN, ahead=ahead) for ahead in AHEADS]
    styles = {"adx": (*chains, *sums, *merged), "mulx": merged}
    for algorithm, variant in product(algorithms, variants):
        choices = choices_on(variant, processor)
        yield from (Decisions(algorithm, replace(choices, rows=each)) for each in styles[variant])


SUMS = ("add", "sub", "neg", "double")
"""Operations without products."""


def neighbours(decisions: Decisions, operation: str) -> Iterator[Decisions]:
    """Decisions that differ in one choice below the rows, then in two."""
    others = [
        (name, value)
        for name, values in ALLOWED.items()
        for value in values
        if value != getattr(decisions.choices, name)
        and name != "variant"
        and (name != "scanned" or operation in FREE_ORDER)
        and (name != "literals" or operation in SUMS)
    ]
    for many in (1, 2):
        for changes in combinations(others, many):
            changed: dict[str, Any] = dict(changes)
            if len(changed) == many:
                yield replace(decisions, choices=replace(decisions.choices, **changed))


def promising(
    workshop: Workshop,
    processor: Processor | None,
    slack: float,
    more: Callable[[], bool] = lambda: True,
) -> list[Draft]:
    """The structures of the kinds whose bounds are within a factor of the lowest.

    The model sees each algorithm in each row style once, without lag or products ahead: these move
    instructions, and their number hardly. Where there is no `more` time, those that were compiled
    until then, and at least one where any makes a kernel.
    """
    key = processor.key if processor else ""
    every = list(structures(list(workshop.expressions), workshop.subject.variants, key))
    bounds: dict[object, float] = {}
    for decisions in every:
        if bounds and not more():
            break
        if decisions.choices.rows.lag == decisions.choices.rows.ahead == 0:
            draft = workshop.draft(decisions)
            if draft is not None:
                bounds[_kind(decisions)] = workshop.bound(draft, processor)
    limit = slack * min(bounds.values(), default=0.0)
    kept = [d for d in every if bounds.get(_kind(d), math.inf) <= limit]
    drafts: list[Draft] = []
    for decisions in kept:
        if drafts and not more():
            break
        if draft := workshop.draft(decisions):
            drafts.append(draft)
    return list({draft.machine_code: draft for draft in reversed(drafts)}.values())[::-1]


def _kind(decisions: Decisions) -> object:
    choices = decisions.choices
    return decisions.algorithm, choices.variant, choices.rows.style


class Proposals:
    """Random neighbours of a draft, by a seed."""

    def __init__(self, workshop: Workshop, seed: int) -> None:
        self._workshop, self._draw = workshop, random.Random(seed)

    def early(self, draft: Draft) -> Draft | None:
        """One more decision before or within allocation; late moves are dropped."""
        refinement = replace(draft.decisions.refinement, late=())
        kinds = (self._order, self._order, self._registers, self._places)
        refined = self._draw.choice(kinds)(draft.decisions, refinement)
        decisions = replace(draft.decisions, refinement=refined)
        other = self._workshop.draft(decisions)
        return None if other is None or other.machine_code == draft.machine_code else other

    def _order(self, decisions: Decisions, refinement: Refinement) -> Refinement:
        code = ordered(self._workshop.selection(decisions).code, refinement.order)
        move = self._move(lambda place: touch(code[place]), len(code), len(code))
        return replace(refinement, order=(*refinement.order, *move))

    def _registers(self, decisions: Decisions, refinement: Refinement) -> Refinement:
        order = list(refinement.registers or self._workshop.subject.convention.order)
        shift(order, (self._draw.randrange(len(order)), self._draw.randrange(len(order))))
        return replace(refinement, registers=tuple(order))

    def _places(self, decisions: Decisions, refinement: Refinement) -> Refinement:
        places = dict(refinement.places)
        if places and self._draw.random() < 0.2:
            del places[self._draw.choice(sorted(places))]
        else:
            code = self._workshop.selection(decisions).code
            written = [virtual.number for i in code for virtual in i.writes]
            places[self._draw.choice(written)] = self._draw.choice(GENERAL)
        return replace(refinement, places=tuple(sorted(places.items())))

    def late(self, draft: Draft) -> Draft | None:
        """A few moves of finished instructions, more in longer code, where each counts less."""
        moved = draft
        for _ in range(1 + int(self._draw.expovariate(INSTRUCTIONS_PER_MOVE / len(draft.code)))):
            for move in self._move(moved.touches.__getitem__, len(moved.code), FAR):
                moved = moved.moved(move)
        return None if moved.machine_code == draft.machine_code else moved

    def _move(self, touched: Callable[[int], Touch], count: int, far: int) -> list[Move]:
        """A legal move, none where the instruction drawn is stuck."""
        start = self._draw.randrange(count)
        places = reach(touched, count, start)
        near = range(max(places.start, start - far), min(places.stop, start + far + 1))
        end = self._draw.choice(near)
        return [] if end == start else [(start, end)]
