"""What a formula file imports, which then is forgotten, what it closes and defines too late."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from fieldc.formulas.errors import FormulaError
from fieldc.formulas.load import load_formulas

HEAD = "from fieldc.formulas import Element, formula\n"
USES = f"{HEAD}from beside import g\n@formula\ndef f(a: Element) -> Element: return g(a)\n"


def test_imported_formulas_are_none_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "beside.py").write_text(f"{HEAD}@formula\ndef g(a: Element) -> Element: return a\n")
    (tmp_path / "f.py").write_text("from beside import g\n")
    with pytest.raises(FormulaError, match=r"no formula here: .*; imported ones are not counted$"):
        load_formulas(tmp_path / "f.py")


def test_a_file_imports_those_of_its_folder(tmp_path: Path) -> None:
    path = list(sys.path)
    for power in (2, 3):  # two folders have a file of one name
        folder = tmp_path / str(power)
        folder.mkdir()
        (folder / "beside.py").write_text(
            f"{HEAD}@formula\ndef g(x: Element) -> Element: return x**{power}\n"
        )
        (folder / "uses.py").write_text(USES)
        (one,) = load_formulas(folder / "uses.py")  # g belongs to the other file
        assert (one.name, one(5)) == ("f", 5**power)
    assert sys.path == path and "beside" not in sys.modules


def test_a_file_of_a_librarys_name_does_not_replace_it(tmp_path: Path) -> None:
    (tmp_path / "colorsys.py").write_text("1 / 0\n")
    (tmp_path / "uses.py").write_text(
        f"import colorsys\n{HEAD}@formula\ndef f(a: Element) -> Element: return a * a\n"
    )
    assert [one.name for one in load_formulas(tmp_path / "uses.py")] == ["f"]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "No module named 'beside'"),
        ("def g(x): return x **\n", "invalid syntax (beside.py, line 1)"),
        ("g = None\nfrom .other import g\n", "attempted relative import"),
    ],
)
def test_what_cannot_be_imported_is_one_line(text: str | None, said: str, tmp_path: Path) -> None:
    if text is not None:
        (tmp_path / "beside.py").write_text(text)
    (tmp_path / "uses.py").write_text(USES)
    with pytest.raises(FormulaError) as raised:
        load_formulas(tmp_path / "uses.py")
    assert f"uses.py:2: {said}" in str(raised.value)


CALL = "@formula\ndef f(x: Element) -> Element:\n    return {}(x)\n"
LATER = " yet: a formula is read where it stands, so define what it uses above it"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        (CALL.format("g") + "\n\ndef g(x):\n    return x\n", 4, f"name 'g' is not defined{LATER}"),
        (CALL.format("g") + "\n\ng = lambda x: x\n", 4, f"name 'g' is not defined{LATER}"),
        (CALL.format("g"), 4, "name 'g' is not defined"),
        (
            CALL.format("f"),
            4,
            "name 'f' is not defined: a formula cannot call itself, but a function without "
            "@formula can",
        ),
        (
            "@formula\ndef f(x: 'P') -> Element:\n    return x.x\n\n\nclass P:\n    x: Element\n",
            2,
            "f: name 'P' is not defined; define it above f",
        ),
    ],
)
def test_what_is_defined_below_is_said_to_belong_above(
    text: str, line: int, said: str, tmp_path: Path
) -> None:
    (path := tmp_path / "f.py").write_text(HEAD + text)
    with pytest.raises(FormulaError) as caught:
        load_formulas(path)
    assert str(caught.value) == f"f.py:{line}: {said}"


CLOSING = (
    "sys.stdout.close(); print(3)",
    "sys.__stdout__.close()",
    "sys.stderr.close(); sys.stdout = None",
    "os.close(1); os.close(2)",
    "del sys.stdout",
    "sys.stdout.buffer.write(b'x'); sys.stdout.writelines(['y'])",
)


@pytest.mark.parametrize("line", CLOSING)
def test_a_file_may_close_what_it_prints_to(tmp_path: Path, line: str) -> None:
    path = tmp_path / "closing.py"
    rest = "from fieldc.formulas import *\n@formula\ndef f(x: Element) -> Element: return x * x\n"
    path.write_text(f"import os, sys; {line}\n{rest}")
    words = [sys.executable, "-m", "fieldc", "show", "2^127-1", "--formula", str(path), "--json"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0 and json.loads(done.stdout) and "rror" not in done.stderr
    path.write_text(f"import os, sys; {line}; 1 / 0\n{rest}")
    failed = subprocess.run(words, capture_output=True, text=True, timeout=60)
    said = "fieldc: closing.py:1: division by zero\n"
    assert (failed.returncode, failed.stdout) == (2, "") and failed.stderr.endswith(said)
