"""Modules that maintainers run: they end like the command line, in one line."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from fieldc.errors import UserError
from fieldc.program import BROKEN_PIPE, maintained, module

ROOT = Path(__file__).parents[1]
MODULES = [
    path
    for path in sorted((ROOT / "fieldc").rglob("*.py"))
    if path.name not in ("__main__.py", "cli.py")
    and 'if __name__ == "__main__":' in path.read_text("utf-8")
]


@pytest.fixture
def unsignalled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave the signals of the process of the tests alone."""
    monkeypatch.setattr("fieldc.program.raise_signals", lambda: None)


def run(*words: str, output: int = subprocess.PIPE) -> tuple[int, str, str]:
    """Status, output and errors of Python with these words."""
    command = [sys.executable, *words]
    done = subprocess.run(command, stdout=output, stderr=subprocess.PIPE, text=True, cwd=ROOT)
    return done.returncode, done.stdout or "", done.stderr


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_module_that_is_run_ends_as_a_program(path: Path) -> None:
    last = path.read_text("utf-8").partition('if __name__ == "__main__":\n')[2]
    assert re.fullmatch(r"    sys\.exit\((module|maintained)\(.*\)\)\n", last)
    name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
    status, shown, said = run("-m", name, "--no-such-word")
    assert (status, shown) == (2, "") and "Traceback" not in said


def test_a_module_without_arguments_says_what_it_does() -> None:
    status, shown, said = run("-m", "fieldc.targets.x86_64.timing.probe", "--help")
    assert (status, said) == (0, "") and shown.startswith("usage: python -m fieldc.targets.")


PRINT = """
import sys
from fieldc.program import module
sys.argv[1:] = []
sys.exit(module("m", lambda: print("x" * 100_000), None))
"""


def test_a_reader_that_left_ends_a_module_in_silence() -> None:
    command = [sys.executable, "-c", PRINT]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait() == BROKEN_PIPE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_ends_a_module_in_one_line() -> None:
    with open("/dev/full", "w") as full:
        status, _, said = run("-c", PRINT, output=full.fileno())
    assert (status, said) == (2, "fieldc: system error: No space left on device\n")


@pytest.mark.usefixtures("unsignalled")
def test_a_defect_of_a_module_shows_where(capsys: pytest.CaptureFixture[str]) -> None:
    def broken() -> int:
        raise KeyError("one")

    assert maintained(broken) == 1
    said = capsys.readouterr().err
    assert "in broken" in said and said.endswith("fieldc: internal error: KeyError: 'one'\n")


@pytest.mark.usefixtures("unsignalled")
def test_bad_input_of_a_module_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse() -> None:
        raise UserError("no")

    monkeypatch.setattr(sys, "argv", ["m"])
    assert module("m", refuse, None) == 2
    assert capsys.readouterr().err == "fieldc: no\n"
