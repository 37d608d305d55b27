"""Schedules of formulas: shipped ones are current and proved, and serve no other formula."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldc import decisions
from fieldc.artifacts.host import SYMBOL
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.commands.named_schedule import schedule_of_formulas
from fieldc.decisions.formulas import decide_formula, straight_lines
from fieldc.decisions.schedule import FORMULAS, file_name, shipped
from fieldc.formulas.formula import Formula
from fieldc.formulas.load import load_formulas
from fieldc.machine.assemble import assemble, host_triple
from fieldc.machine.processor import is_x86_64
from fieldc.proof.programs import prove_formula
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.print import GNU

EXAMPLES = Path(__file__).parents[1] / "examples"
PROCESSOR = "sapphire-rapids"
SHIPPED = {
    PROCESSOR: ["butterfly", "scaled", "scaled_step", "two_steps"],
    "zen-3": ["butterfly", "ended", "horner", "scaled", "scaled_128", "step", "two_steps"],
    "zen-4": ["butterfly", "scaled"],
}
FIELD = find_field("bls12-381-r")
KNOWN = {
    one.name: one
    for file in ("butterfly.py", "integers.py")
    for one in load_formulas(EXAMPLES / file)
}
X86_64 = TARGETS["x86_64-linux"]
OTHER = """
from fieldc.formulas import Element, formula
@formula
def butterfly(x: Element, y: Element, w: Element) -> tuple[Element, Element]:
    t = w * y
    return x - t, x + t
"""


def test_every_file_is_of_the_field_that_is_tested_here() -> None:
    folder = Path(decisions.__file__).parent / "schedules" / FORMULAS
    assert sorted(path.name for path in folder.iterdir()) == sorted(
        file_name(FIELD, processor) for processor in SHIPPED
    )
    for processor, names in SHIPPED.items():
        assert [e.operation for e in shipped(FIELD, processor, FORMULAS).entries] == names


@pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")
@pytest.mark.parametrize(
    ("processor", "name"), [(key, name) for key, names in SHIPPED.items() for name in names]
)
def test_shipped_ones_make_the_code_that_was_measured_and_it_is_proved(
    processor: str, name: str
) -> None:
    formula, f = KNOWN[name], FIELD
    entry = shipped(f, processor, FORMULAS).entry(name)
    assert entry is not None
    lines = {e.kernel.algorithm: e for e in straight_lines(f, formula)}
    made = entry.compile(lines[entry.decisions.algorithm], SYMBOL)
    function = function_of(assemble(made.text(GNU)), SYMBOL)
    prove_formula(function.code, formula.over(f).text(), f.p, f.n, start=function.start)
    assert not entry.measured["disturbed"] and entry.measured["duel_ratio"] < 1


def _chosen(formula: Formula, processor: str = PROCESSOR) -> str:
    return decide_formula(FIELD, formula, X86_64, processor).preferred.chosen_by


def test_they_are_chosen_on_their_processor_alone() -> None:
    assert _chosen(KNOWN["butterfly"]).startswith("the schedule of sapphire-rapids")
    assert _chosen(KNOWN["butterfly"], "zen-4").startswith("the schedule of zen-4")
    assert _chosen(KNOWN["butterfly"], "zen-3").startswith("the schedule of zen-3")
    assert _chosen(KNOWN["butterfly"], "zen-5").startswith("the model of zen-5")
    assert _chosen(KNOWN["two_steps"], "zen-4").startswith("the model of zen-4")
    assert _chosen(KNOWN["step"]).startswith("the model")


def test_a_formula_of_the_same_name_that_computes_something_else_has_none(tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text(OTHER)
    (other,) = load_formulas(tmp_path / "other.py")
    assert _chosen(other).startswith("the model of sapphire-rapids")


def test_an_operation_takes_no_schedule_of_a_formula() -> None:
    assert shipped(FIELD, PROCESSOR).entry("butterfly") is None
    assert shipped(FIELD, PROCESSOR, FORMULAS).entry("mul") is None


def test_a_processor_names_the_schedule_of_formulas_where_formulas_are_built() -> None:
    file = EXAMPLES / "butterfly.py"
    named = schedule_of_formulas(FIELD, Path("zen-4"), file, load_formulas(file), [X86_64])
    assert named == shipped(FIELD, "zen-4", FORMULAS)


@pytest.mark.skipif(not is_x86_64(), reason="the search runs what it makes")
def test_tune_and_build_take_a_file_of_formulas(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, found = tmp_path / "mine.py", tmp_path / "found.json"
    file.write_text(OTHER)
    tuned = ["tune", "bls12-381-r", "--formula", str(file), "--time", "2", "-o", str(found)]
    assert main([*tuned, "--op", "mul"]) == 2
    assert "leave out --op" in capsys.readouterr().err
    assert main(tuned) == 0
    assert "PROVED" in capsys.readouterr().out
    build = ["build", "bls12-381-r", "--formula", str(file), "--schedule", str(found)]
    assert main([*build, "-o", str(tmp_path / "out")]) == 0
    assert "the schedule that was named" in (tmp_path / "out" / "manifest.json").read_text()


def test_a_formula_that_calls_routines_is_not_tuned(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(EXAMPLES / "add_2007_bl.py")
    found = str(tmp_path / "found.json")
    assert main(["tune", "bls12-381-p", "--formula", file, "--time", "1", "-o", found]) != 0
    assert "add_2007_bl calls routines" in capsys.readouterr().err
