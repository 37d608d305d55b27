"""Goals: who races, what counts as reached, and loops that inline a kernel."""

from __future__ import annotations

import ctypes
import json

import pytest
from sampling import sampled_rows

from fieldc.algorithms import choose
from fieldc.artifacts.host import SYMBOL, decide_here, find_backend
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.decisions.model import preferred_variant
from fieldc.goals import goals as raced
from fieldc.goals import reproduce
from fieldc.goals.goals import GOALS, Figures, Goal, Outcome
from fieldc.goals.reproduce import Reproduction
from fieldc.lab.foreign import ENTRY, ROUTINES, NoForeignCode, foreign_object
from fieldc.machine.aliasing import Aliasing
from fieldc.machine.check import check
from fieldc.machine.code import LINE, code_of
from fieldc.machine.load import LoadedKernel, load
from fieldc.machine.pages import OperandMemory
from fieldc.machine.processor import is_x86_64, missing
from fieldc.machine.processors import processors_of
from fieldc.machine.ring import RING, Layout
from fieldc.targets.x86_64.choices import FEATURES, VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.targets import JUDGE
from fieldc.targets.x86_64.timing.inline import inlined

here = pytest.mark.skipif(
    not is_x86_64() or bool(missing(FEATURES["adx"])),
    reason="SKIPPED: this host has no x86-64 with ADX and BMI2",
)
BLS, BN254 = "bls12-381-p", "bn254-p"


@here
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", [BLS, "p521"])
def test_an_inlined_loop_multiplies_as_often_as_it_turns(variant: str, name: str) -> None:
    f = find_field(name)
    kernel = compile_expression(choose(f, "mul"), SYMBOL, VARIANTS[variant])
    layout = Layout(f.n, (f.n, f.n))
    looped = LoadedKernel(load(inlined(kernel, layout, 5, "fixed")), SYMBOL, (f.n, f.n), f.n)
    x, y = f.p - 2, f.p // 3
    times = y * f.R_inverse % f.p
    assert looped.aliased(Aliasing((1, 1, 2)), x, y) == x * pow(times, 5, f.p) % f.p
    assert looped(x, y) == x * times % f.p
    moving = LoadedKernel(load(inlined(kernel, layout, 5)), SYMBOL, (f.n, f.n), f.n)
    assert moving.aliased(Aliasing((1, 1, 2)), x, y) == x * pow(times, 5, f.p) % f.p


@here
@pytest.mark.parametrize("operation", ["mul", "add"])
def test_our_kernels_begin_a_cache_line_wherever_they_are_linked(operation: str) -> None:
    """What keeps the worst place in memory near the best: others are aligned to 16 bytes."""
    expression = choose(find_field(BN254), operation)
    for variant in VARIANTS:
        made = find_backend(f"x86-{variant}").compile(expression)
        assert code_of(made, SYMBOL).alignment == LINE
    assert code_of(find_backend("llvm-bmi2").compile(expression), SYMBOL).alignment == 16


@here
def test_an_inlined_loop_goes_round_the_ring() -> None:
    f = find_field(BN254)
    kernel, layout = (
        compile_expression(choose(f, "mul"), SYMBOL, VARIANTS["mulx"]),
        Layout(4, (4, 4)),
    )
    inputs = [(f.p - 2 - n, f.p // (n + 3)) for n in range(RING)]
    memory = OperandMemory()
    memory.write(layout.image(inputs))
    library = load(inlined(kernel, layout, RING))
    arguments = [memory.address + place for place in layout.places]
    ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3)(library.address(SYMBOL))(*arguments)
    for number, (x, y) in enumerate(inputs):
        z = ctypes.string_at(arguments[0] + number * layout.cell, 32)
        assert int.from_bytes(z, "little") == x * y * f.R_inverse % f.p


@here
@pytest.mark.parametrize("symbol", [s for s, r in ROUTINES.items() if r.operation != "fp2_mul"])
def test_a_foreign_routine_behind_its_stub_is_right(symbol: str) -> None:
    routine = ROUTINES[symbol]
    f = find_field("bls12-381-r" if "256" in symbol else BLS)
    try:
        made = foreign_object(routine, f)
    except NoForeignCode as error:
        pytest.skip(f"SKIPPED: {error}")
    expression = choose(f, routine.operation)
    operands = (f.n,) * len(expression.kernel.operands)
    assert check(LoadedKernel(load(made), ENTRY, operands, f.n), expression) > 100


@here
def test_the_preferred_kernel_is_the_model_s_where_no_schedule_is_shipped() -> None:
    f = find_field("2^190 - 11")
    found = decide_here(f, "mul").preferred
    assert found.chosen_by.startswith("the model of ") and found.expression.field.p == f.p
    for processor in processors_of("x86_64"):
        assert preferred_variant(JUDGE, found.expression, processor, [*VARIANTS]) in VARIANTS
        assert preferred_variant(JUDGE, found.expression, processor, ["base"]) == "base"


def test_a_goal_is_reached_by_both_figures_or_says_how_far_it_is() -> None:
    goal = Goal(BN254, "mul", "other", 0.8, 0.9)
    assert Outcome(goal, reached=Figures(0.8, 0.9)).verdict == "PASS"
    assert Outcome(goal, reached=Figures(0.7, 0.99)).verdict == "short: latency 10.0 % over"
    assert Outcome(goal, skipped="no tool").verdict == "SKIPPED: no tool"
    assert len({(g.name, g.rival) for g in GOALS}) == len(GOALS)


def test_a_schedule_reproduces_within_three_percent() -> None:
    def found(low: float, high: float, disturbed: bool = False) -> str:
        figures = (40.0, 50.0), (low, 50.0), (high, 50.0)
        return Reproduction(BN254, "mul", *figures, disturbed).verdict

    assert found(39.0, 41.0) == "PASS" and found(40.0, 42.0) == "+5.0 %"
    assert found(38.0, 40.0) == "-5.0 %" and found(40.0, 40.0, True).startswith("DISTURBED")


def test_goals_take_no_field(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench"]) == 2 and main(["bench", BN254, "--all-goals"]) == 2
    assert capsys.readouterr().err.count("either a FIELD or --all-goals") == 2


def one_of_each_kind() -> tuple[Goal, ...]:
    """A goal of each kind: in cycles or as a part of a rival's time, called or in a loop.

    It is one of the smallest field that has one, which takes the least time.
    """
    kinds: dict[tuple[bool, bool, bool], Goal] = {}
    for goal in sorted(GOALS, key=lambda goal: find_field(goal.field).bits):
        kinds.setdefault((goal.rival in ROUTINES, goal.in_a_loop, bool(goal.on)), goal)
    return (*kinds.values(),)


CALLED = tuple(goal for goal in one_of_each_kind() if not goal.in_a_loop)


def len_or_all(value: object) -> str:
    """How a row is called."""
    return str(len(value)) if isinstance(value, tuple) else str(value or "all")


SAMPLED = sampled_rows([(CALLED, 1)], [(one_of_each_kind(), 1), (GOALS, None)])
"""Goals, and how many shipped schedules are measured again, of which each takes three seconds.

Goals in a loop are left to the full run: cargo compiles a program for them, for a minute.
"""


@here
@pytest.mark.parametrize(("goals", "schedules"), SAMPLED, ids=len_or_all)
def test_goals_race_in_one_run(
    goals: tuple[Goal, ...],
    schedules: int | None,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    by_bits = sorted(reproduce.shipped_here(), key=lambda known: known[0].bits)
    monkeypatch.setattr(reproduce, "shipped_here", lambda: iter(by_bits[:schedules]))
    monkeypatch.setattr(raced, "GOALS", goals)
    assert main(["bench", "--all-goals", "--rounds", "1", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["goal"]["operation"] for row in rows[: len(goals)]] == [g.operation for g in goals]
    assert (len(rows) > len(goals)) == bool(by_bits)
    for row in rows[: len(goals)]:
        skipped = row["verdict"].startswith("SKIPPED: ")
        theirs = skipped and row["goal"]["rival"] in ROUTINES
        elsewhere = skipped and row["goal"]["on"]
        assert theirs or elsewhere or row["reached"]["throughput"] > 0
        assert theirs or (row["ours"]["latency"] > 0 and row["ours"]["worst"])
        assert row["operands"] == "moving"
