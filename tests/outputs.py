"""What tests of files and folders share: a small build, a full disk, contents of a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

BUILD = ("build", "17", "--op", "add", "--target", "c")


def contents(folder: Path) -> dict[str, bytes]:
    """Every file in a folder."""
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def fail_at(monkeypatch: pytest.MonkeyPatch, method: str, name: str, error: BaseException) -> None:
    """Let a method of Path fail for paths of one name."""
    honest = getattr(Path, method)

    def failing(self: Path, *rest: object, **named: object) -> object:
        if self.name == name:
            raise error
        return honest(self, *rest, **named)

    monkeypatch.setattr(Path, method, failing)


FULL = OSError(28, "No space left on device")
