"""What tests of files and folders share: a small build, a full disk, contents of a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

BUILD = ("build", "17", "--op", "add", "--target", "c")


PATHS = ("file", "other_files", "object", "certificate", "files")
"""Keys of a manifest whose values are files."""


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def missing_files(folder: Path) -> set[str]:
    """What the rows of a built folder's manifest name and the folder lacks."""
    manifest = json.loads((folder / "manifest.json").read_text("utf-8"))
    return {name for name in _named_files(manifest) if not (folder / name).is_file()}


def _named_files(value: object, key: str = "") -> Iterator[str]:
    """Each path in a manifest: values of these keys, and keys of `texts`."""
    if isinstance(value, dict):
        yield from value if key == "texts" else ()
        for name, one in value.items():
            yield from _named_files(one, name)
    elif isinstance(value, list):
        for one in value:
            yield from _named_files(one, key)
    elif isinstance(value, str) and key in (
        "file",
        "other_files",
        "object",
        "certificate",
        "files",
    ):
        yield value


def fail_at(monkeypatch: pytest.MonkeyPatch, method: str, name: str, error: BaseException) -> None:
    """Let a method of Path fail for paths of one name."""
    honest = getattr(Path, method)

    def failing(self: Path, *rest: object, **named: object) -> object:
        if self.name == name:
            raise error
        return honest(self, *rest, **named)

    monkeypatch.setattr(Path, method, failing)


FULL = OSError(28, "No space left on device")
