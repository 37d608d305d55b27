"""What words of options mean: `all` beside names, whole numbers, words that begin with -."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.algorithms import OPERATIONS
from fieldc.catalogue import evaluate, find_field
from fieldc.cli import find_verb
from fieldc.commands.bench import _operations
from fieldc.commands.extras import OPTIONS
from fieldc.commands.options import algorithm_list, positive, targets_of
from fieldc.commands.trace import argument_list, number
from fieldc.commands.verb import UsageError
from fieldc.errors import UserError
from fieldc.lab import peers
from fieldc.lab.race import run_race
from fieldc.targets.array_targets import array_targets
from fieldc.targets.extras import Extras
from fieldc.targets.registry import TARGETS

WIDE = find_field("2^63-25")
"""A prime of one limb, which AVX-512F and AVX2 do not take."""


def refusal(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line with which a command line is refused."""
    capsys.readouterr()
    assert cli.main(list(words)) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    return said


def test_all_leaves_no_name_out(tmp_path: Path) -> None:
    for which, named in enumerate(("all,mul_u64,mul", "mul_u64,all")):
        folder = tmp_path / str(which)
        words = ["build", "239", "--op", named, "--target", "c", "-o", str(folder)]
        assert cli.main(words) == 0
        rows = json.loads((folder / "manifest.json").read_text())["kernels"]
        assert sorted(row["op"] for row in rows) == sorted([*OPERATIONS, "mul_u64"])
    tuned = find_verb("tune").parse(["239", "--op", "mul_u64,all"])
    assert tuned.op == ["mul_u64", *OPERATIONS]
    assert algorithm_list("all,sos") == ["all", "sos"]


def test_all_leaves_no_name_out_of_a_race() -> None:
    raced = find_verb("bench").parse(["239", "--op", "mul_u64,all", "--peers"])
    assert _operations(raced) == (["mul_u64", *OPERATIONS], list(peers.OPERATIONS))
    other = find_verb("bench").parse(["239", "--op", "all,inverse"])
    with pytest.raises(UsageError, match="inverse is an operation of the peers; add --peers"):
        _operations(other)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--op", "all,divstep_matrix"], "build it by itself"),
        (["--op", "all,mul_u64", "--batch"], "mul_u64 has no kernel on arrays"),
        (["--op", "all,butterfly"], "an operation on arrays; add --batch"),
    ],
)
def test_all_hides_no_name_that_is_refused(
    words: list[str], message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert message in refusal(capsys, "build", "239", *words, "-o", str(tmp_path / "new"))


@pytest.mark.parametrize("targets", ["c", "x86_64-linux,c", "all,c"])
def test_a_target_without_a_kernel_is_refused_beside_others(
    targets: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    words = ["--op", "divstep_matrix", "--target", targets, "-o", str(tmp_path / "new")]
    said = refusal(capsys, "build", "239", *words)
    assert "divstep_matrix has no kernel for c; there are: x86_64-" in said


def test_all_hides_no_target_that_is_refused() -> None:
    needs_64 = next(target for target in TARGETS.values() if target.words == (64,))
    with pytest.raises(UsageError, match="has 64-bit words; use --word 64"):
        targets_of(find_field("17", 32), f"all,{needs_64.name}")
    with pytest.raises(UserError, match="avx2 has no kernels for a modulus of 1 limb"):
        array_targets("all,avx2", WIDE)
    assert [t.name for t in targets_of(find_field("17"), "c,all")].count("c") == 1


def test_a_race_leaves_no_algorithm_out() -> None:
    for algorithms, message in {
        ("cios", "karatsuba"): "karatsuba halves the limbs of p: 0x11 has only one",
        ("all", "half"): "mul has no algorithm 'half'",
    }.items():
        with pytest.raises(UserError, match=message):
            run_race(find_field("17"), ["mul"], 2, 1, lambda *_: None, algorithms=algorithms)


@pytest.mark.parametrize("text", ["2", "0000000000000000000002", "00000000001000000", "1000000"])
def test_zeros_before_a_number_change_nothing(text: str) -> None:
    assert positive(text) == int(text)


@pytest.mark.parametrize(
    "text",
    [
        *("", "0", "0" * 30, "1000001", "0000000001999999999999", "00000000011000000000"),
        *("\u0663", "9" * 50, "1_0", "+1", "-1", " 1", "0x1"),
    ],
)
def test_no_part_of_a_number_is_taken_for_it(text: str) -> None:
    with pytest.raises(UsageError, match="is not a whole number from 1 to 1000000"):
        positive(text)


@pytest.mark.parametrize("text", ["-17+34", "-2^2+9", "--5", "-(-7)", "-0x11+34"])
def test_what_is_written_instead_of_an_option_is_the_number(
    text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """Also in a shell, which takes parentheses for its own where they are not in quotes."""
    said = refusal(capsys, "show", text)
    assert said.endswith(f"{text!r} begins like an option; write '0{text}'\n")
    assert evaluate("0" + text) == evaluate(f"({text})")


@pytest.mark.parametrize("text", ["-1e400", "-10/3", "-9^9^9", "-(7", "-5+"])
def test_no_advice_for_what_is_no_number(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, "show", text)
    assert said.startswith(f"fieldc: unknown option {text!r}; use ")


def test_the_help_of_unwind_names_its_targets() -> None:
    parser = argparse.ArgumentParser()
    for option in OPTIONS:
        option(parser)
    said = parser._option_string_actions["--unwind"].help or ""
    asked = Extras(unwind=True)
    able = {name for name, target in TARGETS.items() if not target.lacking(asked)}
    named = said.partition("(")[2].rstrip(")").replace(" and ", ", ").split(", ")
    assert {*named} == able and len(named) == len(able)


@pytest.mark.parametrize("text", ["7", "007", "0x7", "0X07"])
def test_a_number_of_a_trace_is_decimal_or_hexadecimal(text: str) -> None:
    assert number(text) == 7
    assert argument_list(f"z, x ,{text}") == ("z", "x", "0x7")


@pytest.mark.parametrize("text", ["+7", "0b111", "0o7", "1_0", " 7", "0x", "", "\u0667"])
def test_other_numbers_of_a_trace_are_refused(text: str) -> None:
    with pytest.raises(UsageError, match="is no whole number such as 7 or 0x1f"):
        number(text)
    with pytest.raises(UsageError, match="has an empty argument; use z,x,y with commas between"):
        argument_list(f"z,,{text}")


def test_two_dashes_end_the_options() -> None:
    for words in (["239", "-o", "there", "--"], ["-o", "there", "--", "239"]):
        asked = find_verb("build").parse(words)
        assert (asked.field, str(asked.folder)) == ("239", "there")
    with pytest.raises(UsageError, match="-o needs a value"):
        find_verb("build").parse(["239", "-o", "--"])


def test_python_without_docstrings_is_refused() -> None:
    """Texts that are printed and written come from them: the same command gave other bytes."""
    words = [sys.executable, "-OO", "-m", "fieldc", "list", "algorithms"]
    done = subprocess.run(words, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1 and "leave out -OO" in done.stderr
