"""The search of tune on a made-up machine: noise gives no winner. No times are taken."""

from __future__ import annotations

import random
from collections.abc import Callable
from itertools import count

import pytest

from fieldc.catalogue import find_field
from fieldc.machine.processor import is_x86_64
from fieldc.machine.processors import host_processor
from fieldc.tune.duel import Bout, DuelResult, verdict
from fieldc.tune.search import ACCEPTANCES, CONFIRM, GLANCE, LOOK, SETTLE, Search
from fieldc.tune.space import Workshop, promising
from fieldc.tune.subject import of_field
from fieldc.tune.tuning import SLACK, SearchPlan, ratio_kept, tune_operation

HOST = pytest.mark.skipif(not is_x86_64(), reason="this host does not run System V x86-64 code")


def of_ratios(ratios: list[float], rounds: int) -> DuelResult:
    """The verdict on rounds at one place, where the incumbent takes 100 cycles."""
    return verdict([Bout(0, 100 * ratio, 100) for ratio in ratios], rounds)


class Machine:
    """Kernels are numbers of cycles; the first duels of some are disturbed or flattered."""

    def __init__(self, disturbed: Callable[[int], bool] = lambda _: False) -> None:
        self.duels: list[tuple[float, float, int]] = []
        self.disturbed = disturbed
        self.flattered: dict[float, int] = {}

    def __call__(self, candidate: float, incumbent: float, rounds: int) -> DuelResult:
        self.duels.append((candidate, incumbent, rounds))
        if self.disturbed(len(self.duels)):
            return of_ratios([0.5], rounds) if rounds > 1 else of_ratios([], rounds)
        ratio = candidate / incumbent
        if self.flattered.get(candidate, 0) >= rounds:
            ratio = 0.9
        return of_ratios([ratio] * rounds, rounds)


def run(proposals: list[float], machine: Machine, start: float = 100.0) -> Search[float]:
    """Search until the proposals are used up, by a clock that ticks once a look."""
    left = iter(proposals)
    search = Search(start, lambda _: next(left, None), machine, lambda value: value > 0)
    clock = count()
    search.run(lambda: next(clock) < len(proposals), patience=1000)
    return search


def test_a_faster_candidate_wins_three_duels_before_it_is_accepted() -> None:
    machine = Machine()
    search = run([101.0, 99.9, 97.0], machine)
    assert search.best == search.incumbent == 97.0
    assert (search.tried, search.accepted) == (3, 1)
    rounds = [r for c, _, r in machine.duels if c == 97.0]
    assert rounds == [GLANCE, LOOK, CONFIRM, SETTLE]
    assert [r for c, _, r in machine.duels if c == 101.0] == [GLANCE]
    assert [r for c, _, r in machine.duels if c == 99.9] == [GLANCE, LOOK]


def test_luck_in_short_duels_is_not_enough() -> None:
    machine = Machine()
    machine.flattered = {103.0: LOOK}
    search = run([103.0], machine)
    assert (search.best, search.accepted) == (100.0, 0)


def test_what_was_accepted_by_luck_is_rolled_back() -> None:
    machine = Machine()
    machine.flattered = {103.0: CONFIRM}
    search = run([103.0], machine)
    assert search.accepted == 1 and search.rolled_back == 1
    assert search.best == search.incumbent == 100.0


def test_the_best_is_settled_every_few_acceptances() -> None:
    machine = Machine()
    search = run([100.0 - i for i in range(1, 2 * ACCEPTANCES + 1)], machine)
    settled = [(c, b) for c, b, rounds in machine.duels if rounds == SETTLE]
    assert settled == [(94.0, 100.0), (88.0, 94.0)] and search.best == 88.0


def test_nobody_wins_a_disturbed_duel() -> None:
    search = run([50.0] * 20, Machine(lambda _: True))
    assert (search.best, search.accepted, search.disturbed) == (100.0, 0, 20)
    late = run([50.0], Machine(lambda number: number == 3))  # the duel that would accept
    assert (late.best, late.accepted, late.disturbed) == (100.0, 0, 1)


def test_a_disturbed_duel_with_the_best_is_fought_again() -> None:
    search = run([97.0], Machine(lambda number: number in (4, 5)))
    assert (search.best, search.rolled_back, search.disturbed) == (97.0, 0, 2)
    search = run([97.0], Machine(lambda number: number > 3))
    assert (search.best, search.rolled_back, search.disturbed) == (100.0, 1, 3)


def test_what_is_wrong_is_never_timed() -> None:
    machine = Machine()
    search = run([-1.0, -2.0], machine)
    assert not machine.duels and search.tried == 0


def test_a_search_without_success_converges() -> None:
    rng, machine = random.Random(1), Machine()
    search = Search(100.0, lambda _: 101 + rng.random(), machine, lambda _: True)
    assert search.run(lambda: True, patience=50) == 100.0 and search.tried == 50


def test_a_verdict_needs_most_rounds() -> None:
    assert not of_ratios([0.9] * 5, 10).sound and of_ratios([0.9] * 6, 10).sound
    assert of_ratios([0.9, 1.1, 0.8, 0.7], 4) == DuelResult(0.85, 0.75, 4, 4)


def test_the_worst_place_decides() -> None:
    def bouts(mine: list[float], other: list[float]) -> list[Bout]:
        return [Bout(n, a, b) for n, (a, b) in enumerate(zip(mine, other, strict=True))] * 3

    spread = verdict(bouts([80, 80, 80, 120], [100] * 4), 12)
    assert spread.ratio == 1.2 and not spread.won
    even = verdict(bouts([101, 101, 101, 101], [100, 100, 100, 120]), 12)
    assert even.ratio < 0.85 and even.wins == 0.5 and not even.won
    better = verdict(bouts([99, 99, 99, 101], [98, 98, 98, 120]), 12)
    assert better.ratio == 101 / 120 and better.won


@HOST
def test_where_the_time_is_over_one_structure_is_compiled() -> None:
    shop = Workshop(of_field(find_field("bn254-p"), "mul"))
    asked: list[int] = []

    def more() -> bool:
        asked.append(len(asked))
        return False

    assert len(promising(shop, None, 9.0, more)) == 1 and len(asked) == 2
    whole = [draft.machine_code for draft in promising(shop, None, 9.0)]
    assert len(whole) > 1
    assert whole == [d.machine_code for d in promising(shop, None, 9.0, lambda: True)]


@HOST
def test_the_time_limit_ends_the_first_stage_too() -> None:
    """By a clock that ticks whenever it is looked at."""
    said: list[str] = []
    clock = count(0.0, 10.0)
    plan = SearchPlan(1, 1, say=said.append, clock=lambda: next(clock))
    tried = tune_operation(of_field(find_field("bn254-p"), "mul"), plan).measured["tried"]
    assert tried <= 4 and ", 1 structure within" in said[0]
    assert all(" time over after " in line and " of 1 s" not in line for line in said)


@HOST
def test_where_there_is_time_every_structure_is_timed() -> None:
    """The clock stands still until the first report, which ends the search."""
    said: list[str] = []
    plan = SearchPlan(1, 1, say=said.append, clock=lambda: 60.0 if said else 0.0)
    subject = of_field(find_field("bn254-p"), "mul")
    tried = tune_operation(subject, plan).measured["tried"]
    assert tried >= len(promising(Workshop(subject), host_processor(), SLACK))
    assert said[0].startswith("tune mul: 0 of 1 s, ")


def test_the_ratio_is_that_of_what_is_kept() -> None:
    """Where the last duel is lost the start is kept, and the loser's ratio is nobody's."""
    lost, won = of_ratios([1.14] * SETTLE, SETTLE), of_ratios([0.9] * SETTLE, SETTLE)
    assert (ratio_kept(lost, True), ratio_kept(won, False)) == (1.0, 0.9)
    assert ratio_kept(of_ratios([], SETTLE), True) is None
