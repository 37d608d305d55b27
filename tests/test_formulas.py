"""Formulas: what they record, how they are planned, and that what is built is proved."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pytest

from fieldc.artifacts.verify import Job, job_of, prove_job
from fieldc.artifacts.write import build
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.formulas import decide_formula
from fieldc.decisions.schedule import shipped
from fieldc.field import Field
from fieldc.formulas import Element, Formula, extend, formula
from fieldc.formulas.blocks import Block
from fieldc.formulas.load import load_formulas
from fieldc.formulas.places import Area, ElementPlace, places_of
from fieldc.formulas.plan import planned
from fieldc.formulas.ranges import ranged
from fieldc.language import DoesNotApply
from fieldc.machine.aliasing import Aliasing
from fieldc.machine.load import LoadedKernel, load
from fieldc.machine.processor import is_x86_64, missing
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED, Artifact
from fieldc.targets.x86_64.calls import Calls

EXAMPLES = Path(__file__).parents[1] / "examples"
FAST = "sapphire-rapids"
"""A processor with schedules."""
SMALL = "2^127-1"
"""Two limbs: proofs take no time."""
Point = tuple[Element, Element]


Fp2 = extend(Element, 2, -1)


@formula
def in_fp2(x: Fp2, y: Fp2) -> Fp2:  # type: ignore[valid-type]
    """x*y + x^2."""
    return x * y + x.square()  # type: ignore[attr-defined, operator]


@formula
def chain(a: Point, b: Point) -> Point:
    """Six products in one sum after the other, with values that are used twice."""
    u = a[0] * b[0] - 2 * a[1]
    v = (a[1] + b[1]) ** 2 - u
    w = u * v + a[0] * b[1]
    return w * v, 3 * u - w * (u - v)


@formula
def apart(a: Element, b: Element) -> Element:
    """The square of a difference."""
    return (a - b) ** 2


def artifact(
    one: Formula, field: Field, target: str = "x86_64-linux", variant: str = ""
) -> Artifact:
    """The kernel of a formula, not proved yet."""
    decision = decide_formula(field, one, TARGETS[target])
    choice = decision.variant(variant) if variant else decision.preferred
    return decision.target.make(decision.target, choice)


def job(made: Artifact) -> Job:
    found = job_of(made)
    assert found is not None
    return found


def with_plan(made: Artifact, plan: Calls) -> Artifact:
    """The same kernel made by another plan, whatever that computes."""
    return made.target.make(made.target, replace(made.choice, plan=plan))


def test_a_formula_means_its_text() -> None:
    f = find_field(SMALL)
    a, b, c, d = values = [random.Random(1).randrange(f.p) for _ in range(4)]
    u = a * c - 2 * b
    v = (b + d) ** 2 - u
    w = u * v + a * d
    wanted = [w * v, 3 * u - w * (u - v)]
    given = [f.to_montgomery(x) for x in values]
    assert chain.evaluate(f, given) == tuple(f.to_montgomery(x % f.p) for x in wanted)


@pytest.mark.parametrize("rounds", [0, 1, 2, 4])
def test_the_plan_computes_the_formula(rounds: int) -> None:
    """Also after rounds in which it gives up the blocks that are seldom used."""
    f, draw = find_field("bls12-381-p"), random.Random(2)
    for path in sorted(EXAMPLES.glob("*.py")):
        for one in load_formulas(path):
            plan, avoided = planned(one), frozenset[Block]()
            for uses in range(1, rounds + 1):
                avoided |= plan.rare(uses)
                plan = planned(one, avoided=avoided)
            values = {n: draw.randrange(f.p) for n in range(one.inputs)}
            wanted = one.evaluate(f, list(values.values()))
            for step in plan.computed:
                values[step.number] = step.block.evaluate(f, [values[i] for i in step.sources])
            assert tuple(values[i] for i in plan.results) == wanted, one.name


@pytest.mark.parametrize("name", ["fp12_square", "fp12_mul_line"])
def test_fewer_blocks_need_no_more_reductions(name: str) -> None:
    one = next(f for f in load_formulas(EXAMPLES / "tower.py") if f.name == name)
    plan = planned(one)
    smaller = planned(one, avoided=plan.rare(1))
    assert len(smaller.blocks) < len(plan.blocks) * 7 // 8
    assert (smaller.products, smaller.reductions) == (plan.products, plan.reductions)


def tower(name: str, field: str) -> Artifact:
    """A formula of examples/tower.py over a field."""
    one = next(f for f in load_formulas(EXAMPLES / "tower.py") if f.name == name)
    return artifact(one, find_field(field), variant="adx")


@pytest.mark.full
@pytest.mark.parametrize("name", ["fp12_mul", "fp12_square", "fp12_mul_line"])
def test_code_of_a_pairing_stays_in_the_cache(name: str) -> None:
    made = tower(name, "bls12-381-p")
    assert len(function_of(job(made).code, made.symbol).code) <= 32 << 10
    assert prove_job(job(made)).failure == ""


@pytest.mark.full
def test_another_plan_is_taken_where_the_stack_would_be_too_large() -> None:
    """Of 8 limbs three products for four keep more values than a page of stack holds."""
    made = tower("fp12_square", "2^509-3445")
    assert "values lazy" in made.choice.chosen_by and "for four" not in made.choice.chosen_by
    assert prove_job(job(made)).failure == ""


@pytest.mark.full
def test_long_code_is_shared() -> None:
    made = tower("fp12_norm", "bls12-381-p")
    assert "shared for shorter code" in made.choice.chosen_by
    assert prove_job(job(made)).failure == ""


def test_a_sum_of_products_has_one_reduction() -> None:
    (add,) = load_formulas(EXAMPLES / "add_2007_bl.py")
    plan = planned(add)
    assert (plan.products, plan.reductions, len(plan.blocks)) == (16, 15, 8)
    y3 = next(one for one in plan.computed if one.name == "Y3")
    assert len(y3.block.products) == 2


def test_values_stay_unreduced_where_limbs_have_room() -> None:
    (add,) = load_formulas(EXAMPLES / "add_2007_bl.py")
    plan, f = planned(add), find_field("bls12-381-p")
    lazy = ranged(plan, f)
    results = {one.number: one.block.multiple for one in lazy.computed}
    assert all(results[i] == 1 for i in lazy.results) and max(results.values()) > 1
    for one in lazy.computed:
        given = tuple(results.get(i, 1) for i in one.sources)
        assert all(a <= b for a, b in zip(given, one.block.multiples, strict=True))
        for kernel in one.block.kernels("block"):
            with suppress(DoesNotApply):
                kernel.expression(f)  # its bounds hold
    full = ranged(plan, find_field("secp256k1"))
    assert {m for one in full.computed for m in (*one.block.multiples, one.block.multiple)} == {1}


def test_show_prints_the_plan(capsys: pytest.CaptureFixture[str]) -> None:
    path = str(EXAMPLES / "add_2007_bl.py")
    assert main(["show", "bls12-381-p", "--formula", path, "--json"]) == 0
    (shown,) = json.loads(capsys.readouterr().out)
    assert (shown["products"], shown["reductions"]) == (16, 15)
    last = next(row for row in shown["values"] if row["value"] == "Y3")
    assert last["below"] == "p" and "V" in last["from"] and last["line"] == 35


def test_jacobian_addition_is_the_group_law() -> None:
    """Points of y^2 = x^3 + 3 over BN254, added by the formula and by the chord."""
    f, draw = find_field("bn254-p"), random.Random(3)
    (add,) = load_formulas(EXAMPLES / "add_2007_bl.py")

    def point() -> tuple[int, int]:
        while True:
            x = draw.randrange(f.p)
            y = pow(x**3 + 3, (f.p + 1) // 4, f.p)
            if (y * y - x**3 - 3) % f.p == 0:
                return x, y

    for _ in range(5):
        (x1, y1), (x2, y2), z1, z2 = point(), point(), draw.randrange(f.p), draw.randrange(f.p)
        p = (x1 * z1**2, y1 * z1**3, z1)
        q = (x2 * z2**2, y2 * z2**3, z2)
        found = add.evaluate(f, [f.to_montgomery(v % f.p) for v in (*p, *q)])
        x, y, z = (f.from_montgomery(v) for v in found)
        slope = (y2 - y1) * pow(x2 - x1, -1, f.p)
        x3 = slope * slope - x1 - x2
        assert (x - x3 * z**2) % f.p == 0
        assert (y - (slope * (x1 - x3) - y1) * z**3) % f.p == 0


@pytest.mark.parametrize(
    ("system", "variant"), [("linux", "adx"), ("macos", "mulx"), ("windows", "base")]
)
def test_calls_are_proved_from_their_bytes(system: str, variant: str) -> None:
    made = artifact(chain, find_field(SMALL), f"x86_64-{system}", variant)
    assert isinstance(made.choice.plan, Calls)
    verdict = prove_job(job(made))
    assert verdict.failure == "" and 0 < verdict.stack < 4096


def test_mixed_addition_over_four_limbs_is_proved() -> None:
    add = next(f for f in load_formulas(EXAMPLES / "points.py") if f.name == "madd_2007_bl")
    assert prove_job(job(artifact(add, find_field("bn254-p"), variant="mulx"))).failure == ""


@pytest.mark.parametrize("name", ["fp2_mul", "fp2_square"])
def test_a_schedule_is_not_for_a_formula_of_that_name(name: str) -> None:
    one = next(f for f in load_formulas(EXAMPLES / "tower.py") if f.name == name)
    decision = decide_formula(find_field("bls12-381-p"), one, TARGETS["x86_64-linux"], FAST)
    assert shipped(find_field("bls12-381-p"), FAST).entry(name) is not None
    assert "measured" not in decision.preferred.chosen_by


@pytest.mark.full
@pytest.mark.parametrize("file", ["points", "tower", "butterfly", "integers", "karabina"])
def test_every_example_is_proved(file: str) -> None:
    f = find_field("bls12-381-p")
    decisions = [
        decide_formula(f, one, TARGETS["x86_64-linux"])
        for one in load_formulas(EXAMPLES / f"{file}.py")
    ]
    assert {a.status for a in build(decisions, lambda *_: None)} == {PROVED}


def test_a_full_bit_prime_is_proved_by_one_plan_or_the_other() -> None:
    decision = decide_formula(find_field("2^64-59"), chain, TARGETS["x86_64-linux"])
    assert {a.status for a in build([decision], lambda *_: None)} == {PROVED}


@pytest.mark.full  # mixed addition over four limbs is of the same kind
def test_jacobian_addition_is_proved() -> None:
    (add,) = load_formulas(EXAMPLES / "add_2007_bl.py")
    made = artifact(add, find_field("bls12-381-p"), variant="mulx")
    assert prove_job(job(made)).failure == ""


@pytest.mark.parametrize("variant", ["base", "mulx", "adx"])
def test_a_square_of_a_difference_has_a_proof_in_reserve(variant: str) -> None:
    """As one straight line it is not proved for every prime."""
    decision = decide_formula(find_field("bn254-p"), apart, TARGETS["x86_64-linux"]).with_more()
    last = [c.choice for c in decision.candidates if c.choice.variant.name == variant][-1]
    assert decision.variant(variant) != last
    assert prove_job(job(decision.target.make(decision.target, last))).failure == ""


def test_a_wrong_caller_is_refused() -> None:
    """Two slots exchanged, another routine, a wrong result: each is found."""
    made = artifact(chain, find_field(SMALL))
    plan: Calls = made.choice.plan
    first, second, *rest = plan.calls
    last = rest[-1]
    other = next(n for n in range(len(plan.routines)) if n != last.routine)
    swapped = replace(last, sources=last.sources[::-1])
    unequal = next(c for c in plan.calls if plan.routines[c.routine].label.startswith("routine"))
    exchanged = replace(unequal, sources=unequal.sources[::-1])
    wrong = [
        replace(plan, calls=tuple(exchanged if c is unequal else c for c in plan.calls)),
        replace(plan, results=plan.results[::-1]),
        replace(plan, calls=(*plan.calls[:-1], replace(last, routine=other))),
        replace(plan, calls=(first, replace(second, value=first.value), *rest)),
    ]
    assert swapped.sources != last.sources
    for bad in wrong:
        try:
            changed = with_plan(made, bad)
        except (KeyError, ValueError):
            continue  # it cannot even be made
        assert prove_job(job(changed)).failure != "", bad


def test_a_wrong_statement_is_refused() -> None:
    """A statement is only proposed: of another routine, or too strong, it is not believed."""
    right = job(artifact(chain, find_field(SMALL)))
    assert prove_job(right).failure == ""
    assert "routine 0" in prove_job(replace(right, called=right.called[::-1])).failure
    text = json.loads(right.called[0])
    text["operands"][0][2] = 2
    assert prove_job(replace(right, called=(json.dumps(text), *right.called[1:]))).failure
    claim = json.loads(right.formula)
    claim["results"].reverse()
    assert "function" in prove_job(replace(right, formula=json.dumps(claim))).failure
    assert prove_job(replace(right, formula="{}")).failure == "the text is no formula"


def test_a_changed_byte_is_refused() -> None:
    """Every address that the caller computes matters."""
    right = job(artifact(chain, find_field(SMALL)))
    start = right.code.index(bytes.fromhex("488d3c24"))  # lea rdi, [rsp]
    changed = bytearray(right.code)
    changed[start + 3] = 0x27  # lea rdi, [rdi]
    assert prove_job(replace(right, code=bytes(changed))).failure != ""


@pytest.mark.skipif(not is_x86_64() or missing(("bmi2",)), reason="no x86-64 with mulx")
def test_calls_are_right_where_operands_share_memory() -> None:
    f = find_field(SMALL)
    made = artifact(chain, f, variant="mulx")
    assert made.code is not None
    kernel = LoadedKernel(load(made.code), made.symbol, made.operand_limbs, made.result_limbs)
    operation = made.expression.kernel.computes
    draw = random.Random(4)
    for aliasing in kernel.aliasings():
        values = [operation.result.number(f, [draw.randrange(f.p) for _ in "01"]) for _ in "01"]
        given = aliasing.merged(tuple(values))
        assert kernel.aliased(aliasing, *given) == operation(f, *given), str(aliasing)
    assert isinstance(aliasing, Aliasing)


def test_a_folder_is_built_and_proved_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    head = "from fieldc.formulas import Element, formula\n\n\n"
    text = "@formula\ndef f(x: Element) -> Element:\n    return x**5 + 7\n"
    (tmp_path / "f.py").write_text(head + text)
    out = str(tmp_path / "out")
    assert main(["build", SMALL, "--formula", str(tmp_path / "f.py"), "-o", out]) == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text())
    assert {row["op"] for row in manifest["kernels"]} == {"f"}
    if is_x86_64():
        assert {row["status"] for row in manifest["kernels"]} == {"PROVED"}
        assert main(["prove", out]) == 0
    capsys.readouterr()


def test_a_tower_that_is_no_field_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "tower.py"
    path.write_text(
        "from fieldc.formulas import Element, extend, formula\n"
        "Fp2 = extend(Element, 2, 4)\n"
        "@formula\ndef f(x: Fp2) -> Fp2:\n    return x * x\n"
    )
    assert main(["build", "bls12-381-p", "--formula", str(path), "-o", str(tmp_path / "o")]) == 2
    assert "tower.py:2: Fp2 is no field" in capsys.readouterr().err


def test_no_outputs_and_no_formulas(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "none.py"
    for text, said in (
        (
            "from fieldc.formulas import *\n@formula\ndef f(x: Element): return x\n",
            ":2: f has no out",
        ),
        ("x = 1\n", ":1: there is no formula here"),
    ):
        path.write_text(text)
        assert main(["build", SMALL, "--formula", str(path), "-o", str(tmp_path / "o")]) == 2
        assert f"none.py{said}" in capsys.readouterr().err


def test_towers_multiply_as_extensions_do() -> None:
    f, draw = find_field("bls12-381-p"), random.Random(5)
    a, b, c, d = values = [draw.randrange(f.p) for _ in range(4)]
    found = in_fp2.evaluate(f, [f.to_montgomery(v) for v in values])
    wanted = (a * c - b * d + a * a - b * b, a * d + b * c + 2 * a * b)
    assert found == tuple(f.to_montgomery(v % f.p) for v in wanted)


def chain_of(a: Point, b: Point) -> Element:
    return ((a[0] * b[0] - a[1]) * b[1] - b[0]) * a[1]


@formula
def turned(a: Point, b: Point) -> tuple[Element, Element, Element, Element]:
    """Operands are results too, in another order."""
    return b[1], chain_of(a, b), a[0], b[1]


def test_results_that_are_operands_are_proved() -> None:
    in_line = decide_formula(find_field(SMALL), turned, TARGETS["x86_64-linux"])
    assert in_line.at_last is not None
    for decision in (in_line, in_line.at_last()):
        made = decision.target.make(decision.target, decision.preferred)
        assert prove_job(job(made)).failure == ""
    assert isinstance(made.choice.plan, Calls)
    layout = places_of((2, 2), [(4, (0, 2)), (5, (4, 1))], (3, 5, 0, 3))
    assert [to.area for to, _ in layout.before] == [Area.SLOTS] * 2
    assert layout.of[5] == ElementPlace(Area.RESULT, 1) and layout.slots == 3
