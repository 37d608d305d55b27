"""--json takes no word that another argument may mean, and rows have what their table has."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc.cli import main


@pytest.mark.parametrize(
    ("words", "word"),
    [
        (["demo", "--json", "mine"], "mine"),
        (["demo", "-o", "out", "--json", "bn254-p"], "bn254-p"),
        (["demo", "--json", "2^61-1"], "2^61-1"),
        (["bench", "--json", "mine"], "mine"),
        (["cache", "--json", "clear"], "clear"),
        (["cache", "--json", "show"], "show"),
    ],
)
def test_a_word_that_an_argument_may_mean_is_no_file_of_rows(
    words: list[str],
    word: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    mine = tmp_path / "mine"
    mine.write_text("2305843009213693951\n")
    assert main(words) == 2
    assert f"--json takes {word!r} as its FILE; put it last\n" in capsys.readouterr().err
    assert [*tmp_path.iterdir()] == [mine] and mine.read_text() == "2305843009213693951\n"


def test_any_other_word_is_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["cache", "--json", "rows"]) == 0
    assert "proofs" in json.loads(Path("rows").read_text())


def test_representations_have_the_cycles_of_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["show", "2^190-11", "--why", "representation", "--processor", "zen-4"]
    assert main(words) == 0
    table = capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["p"] == hex(2**190 - 11) and len(data["representations"]) == 2
    for row in data["representations"]:
        assert row["residues"] in table and [*row["operations"]] == ["mul", "square"]
        for both in row["operations"].values():
            (throughput, latency) = both.values()
            assert f"{throughput:.1f} | {latency:.1f}" in table


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["--help", "--json"], "--help stands alone, or after a verb"),
        (["--help", "build"], "write it before"),
    ],
)
def test_what_follows_help(words: list[str], hint: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    assert capsys.readouterr().err.endswith(f"; {hint}\n")


@pytest.mark.parametrize("words", [["--op", "redc"], ["--batch", "--op", "mul"]])
def test_what_is_proved_is_in_the_rows_too(
    words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of kernels on arrays as well: prime, ranges and what holds of all of them."""
    out = str(tmp_path / "out")
    assert main(["build", "2^61-1", *words, "-o", out]) == 0
    capsys.readouterr()
    assert main(["prove", out]) == 0
    table = capsys.readouterr().out
    assert main(["prove", out, "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert rows and "what is proved" in table
    for row in rows:
        bounds = ", ".join(f"{name} < {bound}" for name, bound in row.get("bounds", {}).items())
        assert {row["p"]} == {hex(2**61 - 1)} and row["p"] in table and row["promises"] in table
        assert (bounds or row["contract"]) in table
