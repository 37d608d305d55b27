"""The plans of a formula: what each multiplies and reduces, and that its bounds hold."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from pathlib import Path

import pytest
from sampling import sampled

from fieldc.artifacts.write import build
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions import formulas as decisions
from fieldc.decisions.plans import RankedPlan, least_cycles, ranked_plans
from fieldc.formulas import Element, Formula, FormulaError, accumulator, extend, formula
from fieldc.formulas.blocks import Block
from fieldc.formulas.divisions import DIVISIONS
from fieldc.formulas.karatsuba import with_karatsuba
from fieldc.formulas.kernels import CALLS, kernel_of
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import PlanForm, planned, plans
from fieldc.formulas.ranges import ranged
from fieldc.formulas.step_blocks import StepBlock
from fieldc.language import BoundError, DoesNotApply
from fieldc.machine.processors import find_processor
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED

EXAMPLES = Path(__file__).parents[1] / "examples"
TOWER = {one.name: one for one in load_formulas(EXAMPLES / "tower.py")}
POINTS = {one.name: one for one in load_formulas(EXAMPLES / "points.py")}
BUTTERFLY = load_formulas(EXAMPLES / "butterfly.py")
REDUCED, LAZY, KARATSUBA = PlanForm.REDUCED, PlanForm.LAZY, PlanForm.KARATSUBA
SMALL = "2^127-1"
PRIMES = ("bls12-381-p", "bn254-p", "secp256k1-p", "bls12-381-r", SMALL, "2^64-59")
Pair = tuple[Element, Element]
Fp2 = extend(Element, 2, -1)


@formula
def twice(x: Fp2, y: Fp2, w: Fp2) -> Fp2:  # type: ignore[valid-type]
    """x*y, in two sums that have other products too."""
    both = x * y  # type: ignore[operator]
    return both * w + both  # type: ignore[no-any-return]


@formula
def eightfold(x: Element, y: Element) -> Element:
    """8*x*y, with a product that one sum takes twice."""
    t = x * y
    return t + 7 * t


@formula
def and_its_double(x: Element, y: Element) -> Pair:
    """A value that was reduced, and a sum of it that is reduced again."""
    t = x * y
    return t, t + t


@formula
def and_more_squares(x: Element, y: Element) -> Pair:
    """Modulo some primes it is not proved in one line."""
    t = x - y
    u = -1360180762 * t
    return u, u * u + t * t


@formula
def multiples(x: Element) -> Pair:
    """Multiples that additions do not make."""
    return 12345 * x, (2**64 - 1) * x + 12345 * x


@formula
def power(x: Fp2) -> Fp2:  # type: ignore[valid-type]
    """x^5."""
    return x**5  # type: ignore[no-any-return,operator]


@formula
def crossed(x: Pair, y: Pair, w: Pair) -> Pair:
    """A product that three sums use, and Karatsuba's four products."""
    low, high = x[0] * y[0], x[1] * y[1]
    middle = x[0] * y[1] + x[1] * y[0]
    return low - high + middle + w[0] * w[1], 3 * low + high - 2 * middle - w[0] ** 2


@pytest.mark.parametrize(
    ("name", "form", "products", "reductions"),
    [
        ("fp2_mul", KARATSUBA, 3, 2),
        ("fp6_mul", LAZY, 24, 6),
        ("fp6_mul", KARATSUBA, 18, 6),
        ("fp12_mul", LAZY, 72, 12),
        ("fp12_mul", KARATSUBA, 54, 12),
        ("fp12_square", KARATSUBA, 36, 12),
    ],
)
def test_sums_of_products_are_reduced_once(
    name: str, form: PlanForm, products: int, reductions: int
) -> None:
    """As lazy reduction by hand has it: Aranha and others (2011), 3."""
    plan = planned(TOWER[name], form=form)
    assert (plan.products, plan.reductions) == (products, reductions)


def test_the_page_quotes_the_counts() -> None:
    page = (EXAMPLES.parent / "docs" / "formulas.md").read_text()
    rows = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith("| `fp")]
    assert len(rows) == 5
    for name, *quoted in rows:
        for form, said in zip(PlanForm, quoted, strict=True):
            plan = planned(TOWER[name.strip(" `")], form=form)
            counts = f"{plan.products} / {plan.reductions}"
            assert said.strip() in (counts, "the same"), (name, form)


@pytest.mark.parametrize("prime", sampled(PRIMES[:2], PRIMES[2:]))
def test_a_multiple_is_a_product_with_one_word(prime: str) -> None:
    f = find_field(prime)
    plan = planned(multiples)
    kinds = [step.block.says for step in plan.computed if isinstance(step.block, StepBlock)]
    assert kinds == ["12345*a", f"{2**64 - 1}*a"]
    for x in (0, 1, f.p - 1, f.p // 3):
        values = {0: x}
        for step in plan.computed:
            taken = [values[i] for i in step.sources]
            found = step.block.compute(f, taken, DIVISIONS["cios"])
            values[step.number] = int(found)  # type: ignore[arg-type]
        assert tuple(values[i] for i in plan.results) == multiples.evaluate(f, [x])


def test_multiples_are_proved_and_their_length_is_said() -> None:
    decision = decisions.decide_formula(find_field(SMALL), multiples, TARGETS["x86_64-linux"])
    built = build([decision], lambda *_: None)
    assert {a.status for a in built} == {PROVED}
    for made in built:
        assert made.code is not None
        assert 0 < int(str(made.row()["code_bytes"])) < len(made.code)


def test_a_value_of_an_extension_has_powers() -> None:
    f, values = find_field(SMALL), [3, 5]
    a = power.evaluate(f, [f.to_montgomery(v) for v in values])
    x = complex(3, 5) ** 5
    assert a == tuple(f.to_montgomery(int(v) % f.p) for v in (round(x.real), round(x.imag)))


@pytest.mark.parametrize("name", ["butterfly"])
def test_a_value_that_sums_with_elements_use_is_reduced(name: str) -> None:
    """One product in two sums of elements: to leave it wide would be two reductions."""
    one = next(one for one in BUTTERFLY if one.name == name)
    assert [plan.form for plan in plans(one)] == [REDUCED]


def test_karatsuba_means_the_same() -> None:
    f, draw = find_field("bn254-p"), random.Random(6)
    for one in (*TOWER.values(), twice, crossed):
        other = with_karatsuba(one)
        values = [draw.randrange(f.p) for _ in range(one.inputs)]
        assert other.evaluate(f, values) == one.evaluate(f, values), one.name


@pytest.mark.parametrize("prime", sampled(PRIMES[:1], PRIMES[1:]))
@pytest.mark.parametrize("form", PlanForm)
def test_values_stay_in_their_ranges(prime: str, form: PlanForm) -> None:
    """Run every block on the largest operands, on the smallest and on random ones."""
    f, draw = find_field(prime), random.Random(7)
    for one in (*TOWER.values(), *POINTS.values(), twice, crossed):
        if one.function is not None:
            continue
        plan = ranged(planned(one, form=form), f)
        for given in (0, f.p - 1, None):
            values = {n: draw.randrange(f.p) if given is None else given for n in range(one.inputs)}
            wanted = one.evaluate(f, list(values.values()))
            for step in plan.computed:
                block = step.block
                assert isinstance(block, Block)
                taken = [values[i] for i in step.sources]
                pairs = zip(taken, block.ranges, strict=True)
                assert all(value <= bound.high(f) for value, bound in pairs)
                found = block.compute(f, taken, DIVISIONS["cios"])
                assert isinstance(found, int) and 0 <= found <= block.range.high(f)
                assert (found - block.evaluate(f, taken)) % f.p == 0
                values[step.number] = found
            assert tuple(values[i] for i in plan.results) == wanted, one.name


@pytest.mark.parametrize("prime", sampled(PRIMES[:1], PRIMES[1:]))
def test_bounds_hold_in_every_plan(prime: str) -> None:
    f = find_field(prime)
    for one in (TOWER["fp6_mul"], TOWER["fp12_square"], twice, crossed):
        for plan in plans(one):
            for block in ranged(plan, f).blocks:
                for kernel in block.kernels("block"):
                    with suppress(DoesNotApply):  # other bounds that do not hold are errors
                        kernel.expression(f)


def test_the_model_of_a_processor_chooses_the_plan() -> None:
    f, target = find_field("bls12-381-p"), TARGETS["x86_64-linux"]
    for key in ("sapphire-rapids", "zen-4", "cascade-lake"):
        ranked = ranked_plans(f, TOWER["fp6_mul"], target, key)
        assert {one.plan.form for one in ranked} == {*PlanForm}
        cycles = [one.cycles for one in ranked]
        assert cycles == sorted(cycles) and cycles[0] < cycles[-1]
        assert ranked[-1].plan.form is REDUCED
        assert cycles[0] == least_cycles(ranked[0].plan, f, find_processor(key))


def test_show_prints_the_plans(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "tower.py")
    assert main(["show", "bls12-381-p", "--formula", path, "--json"]) == 0
    shown = {one["formula"]: one for one in json.loads(capsys.readouterr().out)}
    found = {one["plan"]: one["products"] for one in shown["fp6_mul"]["plans"]}
    assert found == {REDUCED.value: 24, LAZY.value: 24, KARATSUBA.value: 18}
    assert shown["fp6_mul"]["reductions"] == 6
    bounds = {row["below"] for row in shown["fp6_mul"]["values"]}
    assert "2p*p" in bounds and "p" in bounds
    assert next(one["plan"] for one in shown["fp2_mul"]["plans"]) == REDUCED.value


@pytest.mark.parametrize("form", PlanForm)
@pytest.mark.parametrize("prime", sampled([SMALL], ["2^64-59", "2^128-159", "2^125-9"]))
def test_every_plan_is_proved(form: PlanForm, prime: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also over a prime without a spare bit, where a wide value may take a limb more."""
    f, target = find_field(prime), TARGETS["x86_64-linux"]
    plan = ranged(planned(crossed, form=form), f)
    only = [RankedPlan(plan, 0.0)]
    monkeypatch.setattr(decisions, "ranked_plans", lambda *_: only)
    decision = decisions.decide_formula(f, crossed, target)
    assert all(form.value in choice.chosen_by for choice in decision.choices())
    assert {a.status for a in build([decision], lambda *_: None)} == {PROVED}


@pytest.mark.parametrize("form", [PlanForm.LAZY, PlanForm.KARATSUBA])
@pytest.mark.parametrize("prime", ["2^126-237", "bls12-381-p", "2^446-2493"])
@pytest.mark.parametrize("name", ["fp6_mul", "fp12_square"])
def test_wide_values_have_the_words_that_are_read(name: str, prime: str, form: PlanForm) -> None:
    """A value below 30 p*p may need one word more than one below p*p: it must be written too."""
    f = find_field(prime)
    plan = ranged(planned(TOWER[name].over(f), form=form), f)
    words: dict[int, int] = {}
    for one in plan.computed:
        assert isinstance(one.block, Block)
        for place, _ in one.block.wide:
            assert one.block.ranges[place].limbs(f) == words[one.sources[place]]
        words[one.number] = one.block.range.limbs(f)


@pytest.mark.parametrize("name", sampled(["fp6_mul"], ["fp12_square"]))
def test_three_products_for_four_are_proved(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    f, target = find_field("2^126-237"), TARGETS["x86_64-linux"]
    by_form = {one.plan.form: one for one in ranked_plans(f, TOWER[name], target, None)}
    monkeypatch.setattr(decisions, "ranked_plans", lambda *_: [by_form[KARATSUBA]])
    decision = decisions.decide_formula(f, TOWER[name], target)
    assert all(KARATSUBA.value in choice.chosen_by for choice in decision.choices())
    assert {a.status for a in build([decision], lambda *_: None)} == {PROVED}


def test_a_caller_knows_the_bounds_of_its_routines() -> None:
    """Of operands that were corrected by a mask, the polynomial of a product is a loose bound."""
    f, one = find_field("2^509-3445"), TOWER["fp12_square"]
    plan = planned(one.over(f), form=KARATSUBA)
    fewer = ranged(planned(one.over(f), avoided=plan.rare(1), form=KARATSUBA), f)
    values = kernel_of(fewer, algorithm=CALLS).expression(f).values
    assert all(value.low >= 0 and value.high < f.p for value in values)


def test_a_plan_that_cannot_be_shown_to_be_the_formula_is_left_out() -> None:
    """The products of a norm nest: where they are others, both sides would be multiplied out."""
    f, target = find_field("2^126-237"), TARGETS["x86_64-linux"]
    assert any(plan.form is KARATSUBA for plan in plans(TOWER["fp12_norm"].over(f)))
    forms = {one.plan.form for one in ranked_plans(f, TOWER["fp12_norm"], target, None)}
    assert forms == {REDUCED, LAZY}
    decision = decisions.decide_formula(f, TOWER["fp12_norm"], target)
    assert {a.status for a in build([decision], lambda *_: None)} == {PROVED}


@pytest.mark.parametrize("variant", ["adx", "mulx", "base"])
def test_squares_less_wide_values_are_proved(variant: str) -> None:
    """x^2 - y^2 - a - b: a strategy that replaced each word that never carries lost its bound.

    So did one that replaced the words of p - y, and (p - y)*y became less than 0.
    """
    f, target = find_field("bls12-381-p"), TARGETS["x86_64-linux"]
    plan = ranged(planned(TOWER["fp12_norm"].over(f), form=LAZY), f)
    long = [b for b in plan.blocks if isinstance(b, Block) and len(b.wide) > 1 < len(b.products)]
    assert len(long) == 2
    for block in long:
        decision = decisions._decide_block(f, block, target, "zen-4")
        assert decisions._proved(target, block, decision, variant)


@pytest.mark.full
def test_a_product_in_fp6_is_proved() -> None:
    decision = decisions.decide_formula(
        find_field("bls12-381-p"), TOWER["fp6_mul"], TARGETS["x86_64-linux"]
    )
    assert all(LAZY.value in choice.chosen_by for choice in decision.choices())
    assert {a.status for a in build([decision], lambda *_: None)} == {PROVED}


Sum4, Sum5 = accumulator(4), accumulator(5)


@formula
def accumulate(s: Sum4, x: Element, y: Element) -> Sum4:  # type: ignore[valid-type]
    """One product more, in a loop."""
    return s.plus(x, y)  # type: ignore[attr-defined]


@formula
def accumulate_5(s: Sum5, x: Element, y: Element) -> Sum5:  # type: ignore[valid-type]
    """Five products have a limb more than four over 2^127 - 1."""
    return s.plus(x, y)  # type: ignore[attr-defined]


def test_one_kernel_sums_in_a_loop() -> None:
    f = find_field(SMALL)
    assert accumulate.ranges[0][1].multiple == 3 and accumulate.result.multiple == 4
    total = 0
    for _ in range(4):
        assert total <= accumulate.ranges[0][1].high(f)
        (total,) = accumulate.evaluate(f, [total, f.p - 1, f.p - 1])
    assert total == 4 * (f.p - 1) ** 2 <= accumulate.result.high(f)
    decision = decisions.decide_formula(f, accumulate, TARGETS["x86_64-linux"])
    assert {a.status for a in build([decision], lambda *_: None)} == {PROVED}
    assert {a.operand_limbs[0] for a in build([decision], lambda *_: None)} == {4}
    with pytest.raises(
        FormulaError, match="5 products has 5 limbs, one of 4 has 4: take a sum of 6"
    ):
        accumulate_5.check(f)
    limbs = [accumulator(n).kind.size.limbs(f) for n in (4, 5, 6)]
    assert limbs == [4, 5, 5]


def test_a_product_that_one_sum_takes_twice_is_reduced_once_and_proved() -> None:
    f = find_field("bn254-p")
    plan = planned(eightfold.over(f))
    assert (plan.products, plan.reductions, len(plan.computed)) == (1, 1, 1)
    made = build([decisions.decide_formula(f, eightfold, TARGETS["x86_64-linux"])], print)
    assert len(made) == 3 and {kernel.status for kernel in made} == {PROVED}


@pytest.mark.parametrize("one", [and_its_double, eightfold])
def test_what_is_proved_in_one_line_is_built_so(one: Formula) -> None:
    decision = decisions.decide_formula(find_field(SMALL), one, TARGETS["x86_64-linux"])
    made = build([decision], lambda *_: None)
    assert {kernel.status for kernel in made} == {PROVED}
    assert "calls" not in {kernel.expression.kernel.algorithm for kernel in made}


def test_what_is_not_proved_in_one_line_is_built_by_calls() -> None:
    """No routine is made before that is known. Where a limb is folded, its shift is not found."""
    f = find_field("2^31-1")
    decision = decisions.decide_formula(f, and_more_squares, TARGETS["x86_64-linux"])
    assert "calls" not in [candidate.algorithm for candidate in decision.candidates]
    made = build([decision], lambda *_: None)
    assert {kernel.status for kernel in made} == {PROVED}
    assert {kernel.expression.kernel.algorithm for kernel in made} == {"calls"}


def test_a_plan_whose_bounds_do_not_hold_gives_way_to_the_next(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of edwards_add over BLS12-381 the best plan has a routine that no reduction suits.

    Whether routines are proved is not asked here, which takes long.
    """
    monkeypatch.setattr(decisions, "_is_proved", lambda *_: True)
    f, target = find_field("bls12-381-p"), TARGETS["x86_64-linux"]
    with pytest.raises(BoundError, match="before its last subtraction"):
        for one in ranked_plans(f, POINTS["edwards_add"], target, "zen-4"):
            for block in one.plan.blocks:
                decisions._decide_block(f, block, target, "zen-4")
    found = decisions.decide_formula(f, POINTS["edwards_add"], target, "zen-4").candidates
    assert {c.choice.variant.name for c in found} == {one.name for one in target.variants}
