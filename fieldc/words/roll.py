"""Rolls statements into loops: repeated statements whose numbers grow evenly become turns."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fieldc.words.statements import Index, Loop, LoopStatement


def roll(statements: Sequence[LoopStatement]) -> tuple[LoopStatement | Loop, ...]:
    """Return the same statements with loops, preferring the loop that covers most of them."""
    rolled: list[LoopStatement | Loop] = []
    left = list(statements)
    while left:
        loop = max(_loops(left), key=_covered, default=None)
        rolled.append(loop or left[0])
        del left[: _covered(loop) if loop else 1]
    return tuple(rolled)


def _covered(loop: Loop) -> int:
    return loop.turns * len(loop.body)


def _loops(statements: list[LoopStatement]) -> Iterator[Loop]:
    """Yield, for each length of body, the longest loop at the start of the statements."""
    for period in range(1, len(statements) // 2 + 1):
        turns, body = 1, _fitted(statements, period, 2)
        while body is not None:
            turns, found = turns + 1, body
            body = _fitted(statements, period, turns + 1)
        if turns > 1:
            yield Loop(turns, found)


def _fitted(
    statements: list[LoopStatement], period: int, turns: int
) -> tuple[LoopStatement, ...] | None:
    """Return a loop body for these turns, or None if there is none."""
    if len(statements) < period * turns:
        return None
    body = []
    for first in range(period):
        statement = _fit(statements[first : period * turns : period])
        if statement is None:
            return None
        body.append(statement)
    return tuple(body)


def _fit(turns: list[LoopStatement]) -> LoopStatement | None:
    """Return one statement that stands for each of these in its turn."""
    if len({statement.shape() for statement in turns}) > 1:
        return None
    found = {}
    for name in turns[0].places():
        values = [statement.places()[name].base for statement in turns]
        step = values[1] - values[0]
        even = all(value == values[0] + step * i for i, value in enumerate(values))
        if name == "above" and not (even and (len(turns) > 2 or not step)):
            # A carry that goes up further than it must is 0 there.
            step, values, even = 0, [max(values)], True
        if not even:
            return None
        found[name] = Index(values[0], step)
    return replace(turns[0], **found)


def extents(body: Sequence[LoopStatement | Loop]) -> dict[str, int]:
    """How many limbs of each written array are used, by its name."""
    found: dict[str, int] = {}
    for part in body:
        turns, statements = (part.turns, part.body) if isinstance(part, Loop) else (1, (part,))
        for statement in statements:
            for name, limbs in _reached(statement, turns):
                found[name] = max(found.get(name, 0), limbs)
    return found


def _reached(statement: LoopStatement, turns: int) -> Iterator[tuple[str, int]]:
    """The arrays of a statement, and the limb where what it writes there ends."""
    places = statement.places()
    if "count" not in places:
        return
    ends = [places[name] for name in ("count", "above") if name in places]
    for array, at in (("total", "at"), ("result", "result_at")):
        if hasattr(statement, array):
            parts = [places[at], *ends]
            limbs = Index(sum(p.base for p in parts), sum(p.step for p in parts)).largest(turns)
            yield getattr(statement, array), limbs
