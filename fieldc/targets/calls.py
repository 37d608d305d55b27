"""A formula by calls on any target: which routine is called when, and where values lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fieldc.language import Expression, Kernel


@dataclass(frozen=True)
class Call:
    """One call: the routine's number, the values it takes, and the value it gives."""

    routine: int
    sources: tuple[int, ...]
    value: int
    name: str


def first_called(calls: Sequence[Call], statements: Sequence[str]) -> tuple[str, ...]:
    """The routines' statements in the order in which they are first called."""
    return tuple(statements[number] for number in dict.fromkeys(call.routine for call in calls))


def made_by(calls: Sequence[Call]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """What each call gives and takes."""
    return tuple((call.value, call.sources) for call in calls)


@dataclass(frozen=True)
class PlannedRoutine:
    """What is called: an algorithm, how it becomes code, its statement, and a part of its name."""

    kernel: Kernel
    plan: Any
    statement: str
    label: str


@dataclass(frozen=True)
class CallerMaker:
    """How a target makes a caller of routines."""

    architecture: str
    """As the prover names it."""
    convention: str
    """By which routines are proved."""
    routine: Callable[[Expression, Any], tuple[bytes, int]]
    """The code of an expression by a plan, and where it starts."""
    calls: Callable[[Sequence[PlannedRoutine], Sequence[Call], Sequence[int], Sequence[int]], Any]
    """The target's plan of a formula: routines, calls, operands by their counts, results."""
    length: Callable[[Any, Expression], int]
    """The bytes of such a plan's code."""
