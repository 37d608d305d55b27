"""The table of limits: what is just below is proved, what is just above is refused early."""

from __future__ import annotations

from pathlib import Path

import pytest

from fieldc import cli
from fieldc.artifacts import write
from fieldc.decisions.limits import LIMITS, Limit
from fieldc.field import MAX_BITS

TARGET = ("--target", "x86_64-linux")
PAST = {0: "p384", 256: "p384"}
"""The first modulus that is asked for above a limit; Solinas' shape is P-384's."""
HERE = {256: "2^224-2^96+1"}
ROWS = [
    pytest.param(limit, operation, marks=[pytest.mark.full] if more else [])
    for limit in LIMITS
    for more, operation in enumerate(reversed(limit.operations))
]
"""One operation of each limit, and in the full sweep the others."""


def build(folder: Path, field: str, operation: str, *more: str) -> int:
    """The exit status of a build."""
    words = ["build", field, "--op", operation, *more, *TARGET, "--no-cache", "-o", str(folder)]
    return cli.main(words)


@pytest.mark.parametrize(("limit", "operation"), ROWS, ids=lambda v: getattr(v, "algorithm", v))
def test_a_limit_holds(
    limit: Limit,
    operation: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FIELDC_NO_CACHE", "1")
    algorithm = ("--algorithm", limit.algorithm)
    if limit.bits:
        assert build(tmp_path / "below", HERE[limit.bits], operation, *algorithm) == 0
        assert "PROVED" in capsys.readouterr().out
    monkeypatch.setattr(write, "_made", None)  # nothing is compiled
    assert build(tmp_path / "above", PAST[limit.bits], operation, *algorithm) == 2
    said = capsys.readouterr().err
    assert f"{operation} by {limit.algorithm} is proved " in said and "; use --" in said
    assert said.count("\n") == 1 and not (tmp_path / "above").exists()


def test_the_documents_have_every_limit() -> None:
    text = (Path(__file__).parents[1] / "SOUNDNESS.md").read_text("utf-8")
    table = text.partition("## Not proved yet")[2].partition("\n## ")[0]
    for limit in LIMITS:
        bits = f"{limit.bits} bits" if limit.bits else "none"
        assert f"| {limit.algorithm} | {', '.join(limit.operations)} | {bits} |" in table
    assert f"{MAX_BITS} bits" in table


def test_a_larger_modulus_is_refused_at_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert build(tmp_path / "out", f"2^{MAX_BITS + 1}-1", "mul") == 2
    assert f"at most {MAX_BITS} bits are supported" in capsys.readouterr().err


@pytest.mark.full
@pytest.mark.parametrize("field", ["2^1088-89", "2^1024-105", "2^768-825"])
def test_the_largest_moduli_are_proved(
    field: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FIELDC_NO_CACHE", "1")
    for operation in ("mul,square,redc", "sum_of_products"):
        assert build(tmp_path / operation, field, operation) == 0
        out = capsys.readouterr().out
        assert "PROVED" in out and "SKIPPED" not in out and "TESTED" not in out
