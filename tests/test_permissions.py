"""Files that may not be read, have too long a path, or are closed by umask: one line says so."""

from __future__ import annotations

import ctypes
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldc import cli

VERSION = 0x20080522
"""Of the structures that capset takes: two words for each of three sets."""
OVERRIDES = 0b110
"""The capabilities of root by which modes of files do not count."""

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="capabilities of Linux")
FOLDERS = ("closed", "closed/build", "half")


@pytest.fixture
def modes_count() -> Iterator[None]:
    """Let root obey modes of files, as others do."""
    libc = ctypes.CDLL(None, use_errno=True)
    header, before = (ctypes.c_uint32 * 2)(VERSION, 0), (ctypes.c_uint32 * 6)()
    assert libc.capget(header, before) == 0
    fewer = (ctypes.c_uint32 * 6)(*before)
    fewer[0] &= ~OVERRIDES
    assert libc.capset(header, fewer) == 0
    yield
    assert libc.capset(header, before) == 0


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Folders that may not be searched, or whose manifest may not be read."""
    for name in FOLDERS:
        (tmp_path / name).mkdir()
        (tmp_path / name / "manifest.json").write_text('{"files": []}')
        (tmp_path / name / "index.html").write_text("a page")
    (tmp_path / "half" / "manifest.json").chmod(0)
    (tmp_path / "half" / "index.html").chmod(0)
    (tmp_path / "closed").chmod(0)
    monkeypatch.chdir(tmp_path)
    yield tmp_path
    (tmp_path / "closed").chmod(0o700)


@pytest.mark.usefixtures("modes_count")
@pytest.mark.parametrize("folder", FOLDERS)
@pytest.mark.parametrize(
    "words",
    [
        "build 17 --op add -o {}",
        "build 17 --package js -o {}",
        "demo 17 -o {}",
        "lab --quick -o {}",
        "prove {}",
        "certify {}",
        "prove {}/manifest.json --symbol k --contract add --field 17",
        "count {}/manifest.json",
        "show {}/manifest.json",
        "build 17 --schedule {}/manifest.json -o new",
        "build 17 --formula {}/manifest.json -o new",
        "tune 17 -o {}/manifest.json",
    ],
)
def test_what_may_not_be_read_is_named(
    place: Path, capsys: pytest.CaptureFixture[str], words: str, folder: str
) -> None:
    status = cli.main(words.format(folder).split())
    said = capsys.readouterr().err
    assert (status, said.count("\n")) == (2, 1)
    assert "ermission" in said and folder.partition("/")[0] in said, said
    assert "--traceback" not in said
    assert sorted(os.listdir(place)) == ["closed", "half"]


@pytest.mark.parametrize("verb", ["prove", "certify", "count"])
def test_a_name_that_is_too_long_is_said(verb: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([verb, "a" * 300]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "too long" in said and "aaa...aaa" in said, said
    assert "--traceback" not in said


@pytest.mark.parametrize("words", ["show 17", "build 17 --op add -o o", "certify o"])
def test_a_current_folder_with_too_long_a_path_is_said(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(21):
        os.mkdir("a" * 200)
        os.chdir("a" * 200)
    assert cli.main(words.split()) == 2
    said = "the path of the current folder is too long for this system; change to another"
    assert capsys.readouterr().err == f"fieldc: {said}\n"
    assert not os.listdir()
    shutil.rmtree(tmp_path / ("a" * 200))


@pytest.mark.parametrize("mask", [0o777, 0o100])
@pytest.mark.parametrize("words", ["build 17 --op add -o o", "page 17 -o p.html", "demo 17 -o d"])
def test_a_umask_that_closes_files_to_their_user_is_said(
    words: str,
    mask: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = os.umask(mask)
    try:
        assert cli.main(words.split()) == 2
    finally:
        assert os.umask(before) == mask
    said = f"fieldc: umask {mask:03o} closes new files to their own user; set umask 022\n"
    assert capsys.readouterr().err == said
    assert not os.listdir()
