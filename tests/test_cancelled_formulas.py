"""Sums of a formula in which all but 0 or an operand cancels: no code, and short proofs."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest
from forged import replay
from formal_checker import answers
from sampling import sampled

from fieldc.artifacts.certify import claim_for
from fieldc.artifacts.verify import job_of
from fieldc.artifacts.write import build
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.decisions.decision import Decision
from fieldc.decisions.formulas import decide_formula
from fieldc.formulas import U64, Element, formula
from fieldc.formulas import plan as planner
from fieldc.formulas.cancelled import MOST_TERMS, ZERO, without_cancelled
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import CALLS
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import PlanForm, planned
from fieldc.machine.assemble import host_triple
from fieldc.proof import cases
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.facts import Bound
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import certificate_of_formula, text
from fieldc.proof.claims.formulas import may_be_proved_at_once, statement_of
from fieldc.proof.programs import prove_formula
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED

needs_x86 = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")
EXAMPLES = Path(__file__).parents[1] / "examples"
TARGET = TARGETS["x86_64-linux"]
PRIMES = ("2^255-19", "bls12-381-r", "bn254-p", "p256", "2^127-1", "2^61-1")
Pair = tuple[Element, Element]
Triple = tuple[Element, Element, Element]
Fp9 = tuple[(Element,) * 9]  # type: ignore[misc]


@formula
def zero_and_its_multiples(a: Element, b: Element) -> Triple:
    """It took minutes: two products, of which the proof was asked that they cancel."""
    t = -b * a + b * a
    u = -t
    return u + -u, u, 12 * t


@formula
def zero_times(a: Element, b: Element, c: Element) -> Triple:
    """A product of products, if it were not 0."""
    t = -b * c + b * c
    return -t * a + t * a, a + (b + -b), t


@formula
def no_product(a: Element, b: Element, c: Element) -> Pair:
    """A sum of other products, all of which cancel."""
    return (a + b) * c - (a * c + b * c), a * b


@formula
def an_operand(a: Element, b: Element, c: Element) -> Element:
    return (-a * b + c) + a * b


@formula
def and_its_negative(a: Element, b: Element) -> Pair:
    """No product is left of the second value, and the first is no factor."""
    t = -b
    return t, t * a + b * a


@formula
def and_a_product(a: Element, b: Element, c: Element) -> Pair:
    """a*b has words, but the rest cancels against what they are."""
    t = a * b
    return t, t + a * c - a * (b + c)


@formula
def deep(a: Element, b: Element, c: Element, d: Element) -> Pair:
    return a * b, (a * b * c) * d - (a * d) * (b * c)


@formula
def and_less_its_square(x: Element, y: Element) -> Pair:
    """Nothing cancels, but x - y is not taken from the words that hold it."""
    t = x - y
    return t - t**2, t


@formula
def with_an_integer(x: Element, k: U64) -> Pair:
    """What is no sum of products of elements is an unknown."""
    t = x * k
    return (t - x) * x + x * (x - t), t


CANCELLED: list[tuple[Formula, int]] = [
    (zero_and_its_multiples, 0),
    (zero_times, 0),
    (no_product, 1),
    (an_operand, 0),
    (and_its_negative, 0),
    (and_a_product, 1),
    (deep, 1),
    (with_an_integer, 1),
]
"""With how many products are left."""


@pytest.mark.parametrize(("one", "products"), CANCELLED)
def test_what_cancels_is_not_computed(one: Formula, products: int) -> None:
    f, draw = find_field("bn254-p"), random.Random(1)
    other = without_cancelled(one)
    values = [draw.randrange(f.p) for _ in range(one.inputs)]
    assert other.evaluate(f, values) == one.evaluate(f, values)
    for form in PlanForm if not one.sizes else (PlanForm.REDUCED,):
        plan = planned(one, form=form)
        assert plan.products == products
        assert plan.formula is one  # the statement has all steps


def test_0_is_shown_as_such() -> None:
    (zero,) = planned(zero_and_its_multiples).computed
    assert zero.block.says == "0"


def test_where_nothing_cancels_the_formula_stays() -> None:
    f = find_field("bls12-381-p")
    for path in sorted(EXAMPLES.glob("*.py")):
        for one in load_formulas(path):
            there = one.over(f)
            meant = without_cancelled(there)
            assert (meant.steps, meant.results) == (there.steps, there.results), one.name


def test_a_long_product_is_an_unknown() -> None:
    """It is what any other value is: equal to itself, and no more is known."""

    @formula
    def long(a: Fp9, b: Fp9) -> Pair:  # type: ignore[valid-type]
        t = sum(a[1:], a[0]) * sum(b[1:], b[0])
        return t + -t, t - sum(a[1:], a[0]) * b[0] - sum(a[1:], a[0]) * sum(b[2:], b[1])

    first, second = without_cancelled(long).results
    assert long.inputs**2 > 4 * MOST_TERMS
    assert without_cancelled(long).steps[first - long.inputs] == ZERO
    assert without_cancelled(long).steps[second - long.inputs] != ZERO


def test_what_would_take_for_ever_to_multiply_out_is_an_unknown() -> None:
    """x^(2^60) is no tuple of factors, 3^(2^60) no coefficient."""

    @formula
    def powers(x: Element) -> Pair:
        t, u = x, 3 * x
        for _ in range(60):
            t, u = t * t, 2**4000 * u
        return t + -t, u + x - u

    meant = without_cancelled(powers)
    assert meant.steps[meant.results[0] - 1] == ZERO and meant.results[1] == 0
    nested = (["mul", i, i] for i in range(60))
    data = {"operands": [["x", 1, 1]], "steps": [*nested], "results": [60], "multiple": 1}
    assert not may_be_proved_at_once(statement_of(json.dumps(data)), 2**127 - 1, 2, False)


@pytest.mark.sweep(1)
@needs_x86
@pytest.mark.parametrize("prime", sampled(PRIMES[:2], PRIMES[2:]))
def test_formulas_that_cancel_are_proved(prime: str) -> None:
    """In one straight line, but for products of products that words hold."""
    f = find_field(prime)
    for one, _ in CANCELLED:
        decision = decide_formula(f, one, TARGET)
        built = build([decision], lambda *_: None)
        assert {made.status for made in built} == {PROVED}, one.name
        assert one is deep or all(made.row()["algorithm"] != CALLS for made in built), one.name


@needs_x86
@pytest.mark.parametrize(
    ("one", "variant", "held"),
    [
        (zero_times, "mulx", 0),
        (and_its_negative, "base", 0),
        (and_a_product, "adx", 0),
        (an_operand, "mulx", 0),
        (and_less_its_square, "adx", 1),
    ],
)
def test_certificates_of_what_cancels_replay(
    checker: Path, certifier: Path, tmp_path: Path, one: Formula, variant: str, held: int
) -> None:
    f = find_field("2^255-19")
    data, symbol, formula_text = job(decide_formula(f, one, TARGET), variant)
    function = function_of(data, symbol)
    proved = prove_formula(function.code, formula_text, f.p, f.n, start=function.start)
    head = formula_text, one.name, f.p, f.n, "sysv", symbol
    certificate = certificate_of_formula(proved, *head)
    assert len(certificate.get("cut_points", [])) == held
    status, said = replay(checker, tmp_path, certificate, data)
    assert status == 0 and said.startswith("PROVED "), said
    stated = certificate["contract"]["formula"]
    what = ("", {}, f.p, f.n, certificate["stack"], text(certificate).encode(), stated)
    assert answers(certifier, [claim_for(function, *what)]) == ["accepted"]


def job(decision: Decision, variant: str) -> tuple[bytes, str, str]:
    """The object of a kernel, its name, and its statement."""
    made = job_of(decision.target.make(decision.target, decision.variant(variant)))
    assert made is not None
    return made.code, made.symbol, made.formula


@pytest.fixture
def failed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What each attempt at a proof that failed said."""
    said: list[str] = []
    proofs = cases._proofs

    def attempt(*given: Any, **more: Any) -> Any:
        try:
            return proofs(*given, **more)
        except ProofError as error:
            said.append(str(error))
            raise

    monkeypatch.setattr(cases, "_proofs", attempt)
    return said


@pytest.fixture
def sought(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A number for each bound that is sought."""
    numbers: list[int] = []
    eliminated = Case._eliminated

    def counted(*given: Any) -> Bound:
        numbers.append(len(numbers))
        return eliminated(*given)

    monkeypatch.setattr(Case, "_eliminated", counted)
    return numbers


@needs_x86
@pytest.mark.parametrize("prime", sampled(PRIMES[:1], PRIMES[1:]))
def test_a_sum_that_is_not_read_from_its_words_is_proved_soon(
    sought: list[int], prime: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs show it: each attempt from the words alone took seconds, and failed.

    Modulo P-256's prime short ones fail: it is not seen at first that two flags agree.
    """
    f = find_field(prime)
    data, symbol, formula_text = job(decide_formula(f, and_less_its_square, TARGET, "zen-3"), "adx")
    in_vain, attempt = [0], cases._proofs

    def counted(*given: Any, **more: Any) -> Any:
        before = len(sought)
        try:
            return attempt(*given, **more)
        except ProofError:
            in_vain.append(len(sought) - before)
            raise

    monkeypatch.setattr(cases, "_proofs", counted)
    function = function_of(data, symbol)
    prove_formula(function.code, formula_text, f.p, f.n, start=function.start)
    assert sum(in_vain) < 200, in_vain


@needs_x86
def test_no_words_are_sought_for_0(failed: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where code computes it, as of a sum that is too long to see that it is 0."""
    monkeypatch.setattr(planner, "without_cancelled", lambda formula: formula)
    f = find_field("2^255-19")
    job(decide_formula(f, zero_and_its_multiples, TARGET), "mulx")
    assert failed == []


@formula
def and_the_next(x: Element, y: Element) -> Pair:
    """A product, and another one with it."""
    t = (y - x) * (x * y)
    return x * y, y * t


@needs_x86
def test_words_that_are_not_proved_to_hold_a_value_are_given_up_soon(sought: list[int]) -> None:
    """The value need not be in words: 3000 bounds were sought of it in vain, for 27 seconds."""
    f = find_field("p256")
    data, symbol, formula_text = job(decide_formula(f, and_the_next, TARGET, "zen-3"), "adx")
    sought.clear()
    function = function_of(data, symbol)
    prove_formula(function.code, formula_text, f.p, f.n, start=function.start)
    assert len(sought) < 1000, len(sought)
