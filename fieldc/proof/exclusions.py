"""Cases that cannot be: which bound shows it, and which flags that bound needs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.facts import Bound, other_value
from fieldc.proof.algebra.hints import holds
from fieldc.proof.algebra.strategies import Strategy
from fieldc.proof.proved import Excluded


def impossible(
    case: Case, flags: Mapping[int, int], asked: Iterable[int], strategies: tuple[Strategy, ...]
) -> Excluded | None:
    """Why bounds exclude a case, if they do: given the rest, a flag asked has the other value."""
    for flag in asked:
        rest = {f: v for f, v in flags.items() if f != flag}
        if not rest:
            continue
        plain = replace(case, fixed=rest, facts={}, hints={}, samples=(), is_foreign=False)
        probe = replace(plain, strategies=strategies)
        if bound := probe.excludes(flag, flags[flag]):
            needed = _needed(plain, bound, flag, flags[flag])
            return Excluded({**needed, flag: flags[flag]}, bound)
    return None


def _needed(case: Case, bound: Bound, flag: int, value: int) -> Mapping[int, int]:
    """The fixed flags without which a bound does not show that a flag has the other value.

    So it excludes every case in which these have their values.
    """
    target, limit = other_value(flag, value)
    needed = case.fixed
    for each in reversed(case.fixed):
        fewer = {f: v for f, v in needed.items() if f != each}
        if fewer and holds(replace(case, fixed=fewer), bound, target, limit):
            needed = fewer
    return needed
