"""What proofs do not do twice, and do not try in vain. What they prove stays the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest
from certificates import BARRETT, SHIFTED, SOLINAS, code_of
from contracts import contract_named
from test_formulas import SMALL, artifact, chain, job

from fieldc.artifacts.verify import _is_soon_proved, prove_job
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.decisions import formulas as decisions
from fieldc.proof import programs
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Equation, Polynomial, System
from fieldc.proof.algebra.facts import Bound, Budget, Input
from fieldc.proof.algebra.refute import UnlikelyRuns
from fieldc.proof.algebra.strategies import STRATEGIES, Followed, Strategy
from fieldc.proof.algebra.wraps import Equality, factors_of, write
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.prove import prove
from fieldc.proof.proved import Proved


def test_a_routine_that_was_chosen_is_not_proved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """But other bytes are, and the same bytes for another prime."""
    claims: list[Contract] = []

    def counted(code: bytes, contract: Contract, *rest: object, **named: object) -> Proved:
        claims.append(contract)
        return prove(code, contract, *rest, **named)  # type: ignore[arg-type]

    decisions._is_proved.cache_clear()  # other tests may have chosen it long ago
    made = job(artifact(chain, find_field(SMALL), variant="mulx"))
    monkeypatch.setattr(programs, "prove", counted)
    assert prove_job(made).failure == "" and not claims
    assert _is_soon_proved(made) and not _is_soon_proved(replace(made, p=made.p - 2))
    other = find_field("2^126-137")
    assert prove_job(replace(made, p=other.p)).failure and claims
    claims.clear()
    changed = bytearray(made.code)
    text = function_of(made.code, made.symbol).code
    last = made.code.index(text) + text.rindex(bytes.fromhex("c3"))  # the last routine's return
    changed[last - 1] ^= 1
    assert prove_job(replace(made, code=bytes(changed))).failure and claims


def found_by(bound: Bound) -> tuple[object, ...]:
    """A bound and its reasons."""
    return bound.value, bound.scale, {n: m for n, m in bound.rows.items() if m}, bound.slopes


@pytest.mark.parametrize("case", [BARRETT[1], SOLINAS, *SHIFTED], ids="-".join)
def test_a_strategy_is_followed_again_where_that_matters(
    case: tuple[str, str, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bound that another strategy found already is the one that this strategy finds."""
    direct, again = Case._direct, []

    def compared(
        self: Case,
        target: Polynomial,
        goal: int | None,
        strategy: Strategy,
        disabled: frozenset[int] = frozenset(),
    ) -> Bound:
        scale = self.system.radix**self.depth
        known = len(self._tried.get((frozenset(target.items()), goal, disabled), ()))
        found = direct(self, target, goal, strategy, disabled)
        if known == len(self._tried[frozenset(target.items()), goal, disabled]):
            scaled: Polynomial = {m: c * scale for m, c in target.items()}
            limit = None if goal is None else goal * scale
            followed = Followed(strategy)
            fresh = self._eliminated(scaled, scale, limit, disabled, followed)
            again.append(strategy)
            assert found_by(fresh) == found_by(found)
        return found

    monkeypatch.setattr(Case, "_direct", compared)
    f = find_field(case[0])
    prove(code_of(*case), contract_named(case[1], f.p, f.n))
    assert again


def test_a_strategy_answers_what_another_was_asked() -> None:
    first, second = STRATEGIES[:2]
    followed = Followed(first)
    assert second.answers(followed.asked)  # nothing was asked
    assert followed.does("keeps_multipliers") and second.answers(followed.asked)
    assert followed.does("replaces_negative") and not second.answers(followed.asked)


def sum_of(high: int) -> tuple[System, tuple[Input, ...], int, int]:
    """x + 1 in words of 8 bits, for x up to a number: word and carry."""
    system = System(8)
    x = system.new("x", high)
    word, carry = system.define("add", {(x,): 1, (): 1}, 1, "x + 1")
    return system, (Input("x", (x,), high),), word, carry


@pytest.mark.parametrize(("high", "is_wrong"), [(255, True), (254, False)])
def test_an_unlikely_run_contradicts_what_is_wrong(high: int, is_wrong: bool) -> None:
    system, inputs, word, carry = sum_of(high)
    runs = UnlikelyRuns(system, inputs)
    assert runs.contradict({(carry,): 1}, 0, {}) == is_wrong
    assert runs.contradict({(word,): -1}, -1, {}) == is_wrong
    later: Mapping[int, int] = {carry: 0}
    assert not runs.contradict({(word,): -1}, -1, later)  # no run in which the carry is 0
    assert Case(system, inputs, doubts=runs).at_most({(carry,): 1}, 0) != is_wrong


def test_a_question_ends_where_its_budget_does(monkeypatch: pytest.MonkeyPatch) -> None:
    system, inputs, _, carry = sum_of(254)
    budget = Budget(3)

    def hundred(case: Case, target: Polynomial, goal: int | None) -> Iterator[Bound]:
        for _ in range(100):
            budget.left -= 1
            yield Bound(1, 1, {}, {})

    monkeypatch.setattr(Case, "_bounds", hundred)
    assert not Case(system, inputs, budget=budget).at_most({(carry,): 1}, 0)
    assert budget.left == -1


def test_runs_know_variables_that_came_later() -> None:
    system, inputs, word, _ = sum_of(255)
    runs = UnlikelyRuns(system, inputs)
    assert not runs.contradict({(word,): 1}, 255, {})
    double, _ = system.define("add", {(word,): 2}, 1, "twice")
    assert runs.contradict({(double,): 1}, 100, {})


def test_runs_follow_the_code_where_a_row_was_rewritten() -> None:
    """A carry is said by that of a later shift, as where q + t is q << k."""
    system = System(8)
    x = system.new("x", 255)
    total, carry = system.define("add", {(x,): 2}, 1, "x + x")
    more, _ = system.define("add", {(total,): 1, (carry,): 1}, 1, "with its carry")
    _, top = system.define("mul", {(x,): 2}, 1, "2*x")
    shown = Bound(0, 1, {}, {})
    write(system, Equality(carry, {(top,): 1}, shown, shown, factors_of(system, carry)))
    assert all((carry,) not in row.right for row in system.rows if isinstance(row, Equation))
    runs = UnlikelyRuns(system, (Input("x", (x,), 255),))
    assert not runs.contradict({(carry,): 1, (top,): -1}, 0, {})
    assert runs.contradict({(more,): 1}, 254, {}) and not runs.contradict({(more,): 1}, 255, {})
