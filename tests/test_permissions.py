"""Files and folders that may not be read: one line says which, with exit status 2."""

from __future__ import annotations

import ctypes
import os
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
