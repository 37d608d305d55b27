"""The file of a schedule: another tune may write it meanwhile, and rows are not put there."""

from __future__ import annotations

from pathlib import Path
from shutil import copy

import pytest

from fieldc import cli
from fieldc.catalogue import find_field
from fieldc.commands import tune as tuning
from fieldc.decisions.schedule import read
from fieldc.machine.processor import is_x86_64

HOST = pytest.mark.skipif(not is_x86_64(), reason="this host does not run System V x86-64 code")


@HOST
@pytest.mark.parametrize(("other", "kept"), [("2^61-1", ["add", "sub"]), ("bn254-p", ["add"])])
def test_what_another_tune_keeps_meanwhile_stays(
    other: str,
    kept: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    written, file = tmp_path / "other.json", tmp_path / "tuned.json"
    assert cli.main(["tune", other, "--op", "add", "--time", "1", "-o", str(written)]) == 0
    monkeypatch.setattr(tuning, "prove_entry", lambda *_: copy(written, file))
    capsys.readouterr()
    status = cli.main(["tune", "2^61-1", "--op", "sub", "--time", "1", "-o", str(file)])
    shown = capsys.readouterr()
    entries = read(file.read_text(), find_field(other)).entries
    assert [entry.operation for entry in entries] == kept
    assert {path.name for path in tmp_path.iterdir()} == {"other.json", "tuned.json"}
    if "sub" in kept:
        assert status == 0
    else:  # then what the search found is printed
        assert status == 2 and "the schedule is for 'bn254-p', not" in shown.err
        assert '"op": "sub"' in shown.out


def test_rows_and_the_default_schedule_are_two_files(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    name = tuning.default_name(find_field("17"))
    assert cli.main(["tune", "17", "--json", name]) == 2
    assert "--json and another argument name" in capsys.readouterr().err
    assert not any(tmp_path.iterdir())


@HOST
def test_an_entry_of_an_algorithm_that_there_is_not_is_started_afresh(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tuned.json"
    words = ["tune", "2^61-1", "--op", "add", "--time", "1", "-o", str(file)]
    assert cli.main(words) == 0
    (entry,) = read(file.read_text(), find_field("2^61-1")).entries
    file.write_text(file.read_text().replace(f'm": "{entry.decisions.algorithm}"', 'm": "older"'))
    capsys.readouterr()
    assert cli.main(words) == 0
    said = "tune add: starts afresh: there is no algorithm 'older' of this operation here\n"
    assert said in capsys.readouterr().err
