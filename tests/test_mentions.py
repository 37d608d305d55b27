"""Our options of pytest: --mentions, tests that match a pattern, and --part, each Nth test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def chosen(pattern: str, file: str) -> set[str]:
    """The names of the tests of a file that pytest would run."""
    command = [sys.executable, "-m", "pytest", "--co", "-q", "-p", "no:xdist", "-m", "not full"]
    command += ["-o", "addopts=", "--mentions", pattern, str(HERE / file)]
    said = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True).stdout
    lines = (line for line in said.splitlines() if "::" in line)
    return {line.partition("::")[2].partition("[")[0] for line in lines}


FILES = "test_host_aarch64.py", "test_formal_wide.py", "test_constant_time_crate.py"
CHOSEN = {
    "its own text": (FILES[0], "why_not", {"test_they_compute_under_an_emulator"}),
    "a fixture": (
        FILES[1],
        '"ocamlopt"',
        {
            "test_each_is_certified_and_no_other_carry_is",
            "test_another_sum_is_refused",
            "test_a_wider_operand_is_refused",
        },
    ),
    "a helper of another file": (
        FILES[2],
        "runs on poisoned",
        {"test_valgrind_sees_no_branch_on_what_the_crate_computes_with"},
    ),
    "nothing": (FILES[0], "no such tool", set[str]()),
}
"""Where it is mentioned: a file, a pattern, and the tests that are chosen of it."""


@pytest.mark.parametrize(("file", "pattern", "names"), CHOSEN.values(), ids=CHOSEN)
def test_what_mentions_a_tool_is_chosen(file: str, pattern: str, names: set[str]) -> None:
    assert chosen(pattern, file) == names


def listed(*words: str) -> list[str]:
    """The tests marked full of a file, by pytest's own words."""
    command = [sys.executable, "-m", "pytest", "--co", "-q", "-p", "no:xdist", "-m", "full"]
    command += ["-o", "addopts=", *words, str(HERE / "test_chains.py")]
    done = subprocess.run(command, cwd=HERE.parent, capture_output=True, text=True)
    return [line for line in (done.stdout + done.stderr).splitlines() if line]


def test_the_parts_are_all_tests_each_once() -> None:
    every = {line for line in listed() if "::" in line}
    parts = [{line for line in listed("--part", f"{k}/3") if "::" in line} for k in (1, 2, 3)]
    assert len(every) > 3 and set().union(*parts) == every
    assert sum(map(len, parts)) == len(every) and all(parts)


@pytest.mark.parametrize("text", ["0/3", "4/3", "3", "a/b", "1/0"])
def test_no_part(text: str) -> None:
    assert (
        f"--part is K/N with 1 <= K <= N, such as 3/20, not {text!r}" in listed("--part", text)[-1]
    )
