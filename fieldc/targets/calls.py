"""A formula by calls on any target: which routine is called when, and where values lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


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
