"""A kernel as statements on arrays of limbs, in loops: what the looped reading of a text is."""

from __future__ import annotations

from dataclasses import dataclass, fields

TOTAL, ROW, DIFFERENCE, QUOTIENT = "t", "r", "d", "q"
"""The arrays that a program writes, and its one word."""


@dataclass(frozen=True)
class Index:
    """A number of a statement: `base` in a loop's first turn, `step` more in each one after."""

    base: int
    step: int = 0

    def largest(self, turns: int) -> int:
        """The largest value in a loop of so many turns."""
        return self.base + max(0, self.step) * (turns - 1)


@dataclass(frozen=True)
class LoopStatement:
    """Work on arrays of limbs. Fields are places and names; names stay the same in all turns."""

    def places(self) -> dict[str, Index]:
        """The numbers that may grow with the turns of a loop."""
        values = ((f.name, getattr(self, f.name)) for f in fields(self))
        return {name: value for name, value in values if isinstance(value, Index)}

    def shape(self) -> tuple[object, ...]:
        """What must be the same in every turn."""
        names = (getattr(self, f.name) for f in fields(self))
        return type(self), *(n for n in names if not isinstance(n, Index))


@dataclass(frozen=True)
class Loop:
    """Statements that run a number of times."""

    turns: int
    body: tuple[LoopStatement, ...]


@dataclass(frozen=True)
class Clear(LoopStatement):
    """An array of zeros."""

    total: str


@dataclass(frozen=True)
class Load(LoopStatement):
    """total[at..] = row[row_at..], `count` limbs."""

    total: str
    at: Index
    row: str
    row_at: Index
    count: Index


@dataclass(frozen=True)
class AddProduct(LoopStatement):
    """total[at..] += row[row_at..] * factor; the carry goes on to `above` limbs above the row."""

    total: str
    at: Index
    row: str
    row_at: Index
    count: Index
    factor: str
    factor_at: Index
    above: Index


@dataclass(frozen=True)
class AddRow(LoopStatement):
    """total[at..] += row[row_at..], where it is masked only after a borrow."""

    total: str
    at: Index
    row: str
    row_at: Index
    count: Index
    above: Index
    masked: bool = False


@dataclass(frozen=True)
class Subtract(LoopStatement):
    """result[result_at..] = total[at..] - row[row_at..], and the borrow."""

    result: str
    result_at: Index
    total: str
    at: Index
    row: str
    row_at: Index
    count: Index
    above: Index


@dataclass(frozen=True)
class KeepIfLess(LoopStatement):
    """total[at..] = other where the subtraction before it did not borrow."""

    total: str
    at: Index
    other: str
    count: Index


@dataclass(frozen=True)
class Quotient(LoopStatement):
    """The word total[at] * times mod 2^w, or the complement of total[at]; `times` may be empty."""

    total: str
    at: Index
    times: str
    complemented: bool = False


@dataclass(frozen=True)
class LoopProgram:
    """A kernel as statements and loops of them; the result is `count` limbs of TOTAL from `at`.

    `constants` are the arrays of the field's own words by name, `words` its single ones; `arrays`
    are the lengths of what is written.
    """

    name: str
    word: int
    operands: tuple[tuple[str, int], ...]
    constants: dict[str, tuple[int, ...]]
    words: dict[str, int]
    arrays: dict[str, int]
    body: tuple[LoopStatement | Loop, ...]
    at: int
    count: int
