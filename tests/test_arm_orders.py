"""Orders of AArch64 kernels that a search by the simulator found."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from contracts import contract_named

from fieldc import decisions
from fieldc.algorithms import choose, offered_for
from fieldc.catalogue import find_field, named_primes
from fieldc.counting.count import count
from fieldc.decisions.arm_orders import (
    FoundOrder,
    digest_of_code,
    dumped,
    of_row,
    path_of,
    shipped_orders,
)
from fieldc.decisions.preferred import preferred
from fieldc.decisions.schedule import file_name
from fieldc.errors import UserError
from fieldc.machine.processors import find_processor, processors
from fieldc.proof.prove import prove
from fieldc.simulator.predict import predict
from fieldc.simulator.window import CHOICE, STEADY
from fieldc.targets.aarch64.kernel import FAST, ROWS, ArmOrder, compile_words, in_order, is_short
from fieldc.targets.aarch64.order import ahead, fewest_words
from fieldc.targets.aarch64.permute import BrokenOrder, needs, permuted
from fieldc.targets.aarch64.virtual import ArmCode
from fieldc.targets.registry import TARGETS
from fieldc.tune import arm, crate
from fieldc.tune.arm_search import Judged, OrderWalk
from fieldc.words.lower import lower

ARM = TARGETS["aarch64-linux"]
M1 = find_processor("apple-m1")
FOLDER = Path(decisions.__file__).parent / "schedules" / "arm"
FILES = {
    (name, processor): FOLDER / file_name(find_field(name), processor)
    for name in named_primes()
    for processor in processors()
}
SHIPPED = [
    pytest.param(name, processor, one, id=f"{name}-{one.operation}-{processor}")
    for (name, processor), path in FILES.items()
    if path.is_file()
    for one in shipped_orders(find_field(name), processor)
]
CODE = [
    ArmCode("ldr", (1,), (90,)),
    ArmCode("mul", (2,), (1, 1)),
    ArmCode("adds", (3,), (2, 1), True),
    ArmCode("adcs", (4,), (1, 2), True),
    ArmCode("str", (), (3, 91), True),
    ArmCode("lsl", (5,), (4,)),
]


@cache
def small() -> Judged:
    """A kernel of 2 limbs, to be moved about."""
    f = find_field("0x73eda753299d7d48ffffffff00000057")
    order = ArmOrder(ROWS[0], pace=FAST[0])
    chosen, code, _ = in_order(lower(choose(f, "square", "cios"), order.rows), is_short, order)
    return Judged(chosen, code, M1)


def test_what_an_instruction_needs() -> None:
    assert [sorted({*each}) for each in needs(CODE)] == [[], [0], [0, 1], [0, 1, 2], [0, 2, 3], [3]]
    assert permuted(CODE, [0, 1, 2, 3, 5, 4])[-1] is CODE[4]


@pytest.mark.parametrize(
    "places",
    [
        [1, 0, 2, 3, 4, 5],
        [0, 1, 3, 2, 4, 5],
        [0, 1, 2, 3, 4],
        [0, 1, 2, 3, 4, 4],
        [4, 0, 1, 2, 3, 5],
    ],
)
def test_an_order_that_breaks_something_is_refused(places: list[int]) -> None:
    with pytest.raises(BrokenOrder):
        permuted(CODE, places)


def test_a_walk_finds_the_same_better_order_again() -> None:
    judged = small()
    start = judged.cost(range(len(judged.code)), CHOICE)
    found = [OrderWalk(judged, random.Random(7), 40, CHOICE).run() for _ in range(2)]
    assert found[0] == found[1] and found[0][0] < start
    permuted(judged.code, found[0][1])
    assert OrderWalk(judged, random.Random(8), 40, CHOICE).run() != found[0]


def test_a_walk_judges_by_what_is_predicted_of_the_finished_code() -> None:
    judged, f = small(), find_field("0x73eda753299d7d48ffffffff00000057")
    cost, places = OrderWalk(judged, random.Random(1), 8, STEADY).run()
    order = ArmOrder(ROWS[0], pace=FAST[0], places=tuple(places))
    expression = choose(f, "square", "cios")
    kernel = compile_words(lambda rows: lower(expression, rows), order=order)
    known = count(kernel.code, "aarch64")
    predicted = predict(known, M1)
    assert predicted and cost == pytest.approx(predicted.throughput + 0.01 * known.instructions)
    prove(kernel.code, contract_named("square", f.p, f.n), "aapcs64", architecture="aarch64")


def test_a_file_of_orders_is_read_as_it_was_written() -> None:
    order = ArmOrder(ROWS[1], 2, FAST[1], True, 3, True, (1, 0, 2))
    found = FoundOrder("mul", "cios", order, "ab", 5, 100)
    text = dumped(find_field("bn254-p"), "apple-m1", [found])
    assert [of_row(row) for row in json.loads(text)["kernels"]] == [found]


def test_every_file_is_of_a_named_field_and_a_known_processor() -> None:
    assert {*FOLDER.glob("*")} == {path for path in FILES.values() if path.is_file()}


@pytest.mark.sweep(1)
@pytest.mark.parametrize(("name", "processor", "one"), SHIPPED)
def test_orders_that_ship_are_taken_and_proved(name: str, processor: str, one: FoundOrder) -> None:
    """Another code is refused by its digest: then search again, as docs/tuning.md says."""
    f = find_field(name)
    expression = choose(f, one.operation, one.algorithm)
    kernel = compile_words(lambda rows: lower(expression, rows), order=one.order)
    assert digest_of_code(kernel.code) == one.digest
    contract = contract_named(one.operation, f.p, f.n)
    prove(kernel.code, contract, "aapcs64", architecture="aarch64")
    chosen = preferred(f, one.operation, ARM, processor, one.algorithm).preferred
    assert chosen.plan == one.order
    assert chosen.chosen_by.startswith(f"the order that a search found for {processor}: predicted")


@pytest.mark.full
def test_an_order_may_be_of_an_algorithm_that_is_only_studied() -> None:
    """Unless another one is named; and on that processor alone."""
    f = find_field("bls12-381-r")
    assert "last-difference" not in {k.algorithm for k in offered_for("square")}
    for named, found in ((None, "last-difference"), ("cios", "cios")):
        decision = preferred(f, "square", ARM, "apple-m1", named)
        assert decision.expression.kernel.algorithm == found
    others = preferred(f, "square", ARM, "cortex-a55").candidates
    assert "last-difference" not in {c.algorithm for c in others}


def test_orders_of_other_code_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of code that has changed since, or is of another length."""
    f = find_field("bls12-381-r")
    (one,) = (o for o in shipped_orders(f, "apple-m1") if o.operation == "mul")
    assert shipped_orders(find_field("bn254-p"), "cortex-a55") == ()
    for digest, order in (("0", one.order), (one.digest, ArmOrder(ROWS[0], places=(0, 1)))):
        wrong = FoundOrder(one.operation, one.algorithm, order, digest, 1, 1)
        monkeypatch.setattr(
            "fieldc.decisions.arm_orders.shipped_orders", lambda *_, wrong=wrong: (wrong,)
        )
        chosen = preferred(f, "mul", ARM, "apple-m1", one.algorithm).preferred
        assert "search" not in chosen.chosen_by


def test_the_search_writes_what_it_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "arm" / path_of(find_field("bn254-p"), "apple-m1").name
    monkeypatch.setattr(arm, "path_of", lambda *_: path)
    monkeypatch.setattr(arm, "PACES", FAST[:1])
    words = ("bn254-p", "--op", "square", "--algorithm", "cios", "--processor", "apple-m1")
    assert arm.main([*words, "--tries", "3", "--seed", "2", "--walks", "1"]) == 0
    (row,) = json.loads(path.read_text())["kernels"]
    assert (row["op"], row["algorithm"], row["seed"], row["tries"]) == ("square", "cios", 2, 3)


def test_a_seed_has_no_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """Python's generator drops it: -1 would draw what 1 draws."""
    with pytest.raises(UserError, match="'-1' is no seed: a whole number from 0 on"):
        arm.main(["bn254-p", "--processor", "apple-m1", "--seed", "-1"])
    monkeypatch.setattr("sys.argv", ["crate", "fold_4", "--seed", "-1"])
    with pytest.raises(UserError, match="'-1' is no seed"):
        crate.main()


@pytest.mark.full
def test_an_order_that_ships_stays_where_a_search_finds_none_better(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Three tries find a slower order than 1,500; it once replaced the one in the checkout."""
    path = tmp_path / "arm" / "orders.json"
    monkeypatch.setattr(arm, "path_of", lambda *_: path)
    monkeypatch.setattr(arm, "PACES", FAST[:1])
    found, search = list[FoundOrder](), arm.search

    def once(*asked: Any) -> FoundOrder:
        found[:] = found or [search(*asked)]
        return found[0]

    monkeypatch.setattr(arm, "search", once)
    words = ("bls12-381-r", "--op", "square", "--algorithm", "cios", "--processor", "apple-m1")
    assert arm.main([*words, "--tries", "3", "--walks", "1"]) == 0
    assert "square: the order that ships is predicted to be no slower" in capsys.readouterr().out
    assert not path.exists()
    (one,) = (
        o for o in shipped_orders(find_field(words[0]), "apple-m1") if o.operation == "square"
    )
    monkeypatch.setattr(arm, "shipped_orders", lambda *_: (replace(one, digest="0"),))
    assert arm.main([*words, "--tries", "3", "--walks", "1"]) == 0
    assert f"square: written to {path}" in capsys.readouterr().out and path.is_file()


def test_products_go_ahead_while_few_words_wait() -> None:
    expression = choose(find_field("bn254-p"), "mul")
    chosen, code, _ = in_order(lower(expression, ROWS[0]), is_short, ArmOrder(ROWS[0]))
    most = fewest_words(code)
    limited = ahead(code, 3, most)
    assert most <= fewest_words(limited) <= most + 1 < fewest_words(ahead(code, 3))
    assert sorted(map(str, limited)) == sorted(map(str, code))
    assert len(chosen.code) == len(code)


def test_squares_modulo_bls12_381_r_are_as_short_as_can_be() -> None:
    """Code with products three sums ahead had 134 instructions, since it saved a pair more."""
    expression = choose(find_field("bls12-381-r"), "square", "cios")
    kernel = compile_words(lambda rows: lower(expression, rows))
    loose = compile_words(lambda rows: lower(expression, rows), tight=False)
    assert (len(kernel.lines), len(loose.lines)) == (132, 134)
