"""The tool that puts calls of fieldc into ark-ff, on a crate that has its places and no more."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

VERSION = "0.6.0"
TOOL = Path(__file__).resolve().parents[1] / "arkworks" / "patched" / "write.py"


@pytest.fixture(scope="module")
def patched() -> ModuleType:
    spec = importlib.util.spec_from_file_location("write", TOOL)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["write"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def published(patched: ModuleType, tmp_path: Path) -> Path:
    """What stands where lines go in ark-ff, and nothing else."""
    return with_places(patched.CRATES[0], tmp_path)


def with_places(crate: Any, tmp_path: Path) -> Path:
    """The places of a crate where lines go, in their files."""
    head = f'name = "{crate.name}"\nversion = "{VERSION}"'
    texts = {"Cargo.toml": [head, "[dependencies.ark-ff-asm]"]}
    for insertion in crate.insertions:
        texts.setdefault(insertion.file, []).append(insertion.at)
    for name, places in texts.items():
        path = tmp_path / "published" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("\n".join(places) + "\n")
    return tmp_path / "published"


@pytest.mark.parametrize("number", [0, 1, 2], ids=["ark-ff", "ark-ec", "ark-ec-0.5"])
def test_every_line_is_put_in_its_place(patched: ModuleType, tmp_path: Path, number: int) -> None:
    crate, made = patched.CRATES[number], tmp_path / "new" / "copy"
    patched.write(crate, with_places(crate, tmp_path), VERSION, made)
    for insertion in crate.insertions:
        both = [insertion.at, insertion.lines]
        if insertion.before:
            both.reverse()
        assert "\n".join(both) in (made / insertion.file).read_text()
    assert (made / crate.ours).read_text() == crate.text.read_text()


def test_the_copy_of_ark_ff_uses_this_fieldc(
    patched: ModuleType, published: Path, tmp_path: Path
) -> None:
    made = tmp_path / "new" / "ark-ff"
    patched.write(patched.CRATES[0], published, VERSION, made)
    manifest = (made / "Cargo.toml").read_text()
    (path,) = (line for line in manifest.splitlines() if line.startswith("path = "))
    assert (made / path.split('"')[1]).resolve() == TOOL.parents[2] / "crates" / "fieldc"


def test_what_is_there_already_is_left_alone(
    patched: ModuleType, published: Path, tmp_path: Path
) -> None:
    made = tmp_path / "ark-ff"
    patched.write(patched.CRATES[0], published, VERSION, made)
    before = (made / "Cargo.toml").stat().st_mtime_ns
    patched.write(patched.CRATES[0], published, VERSION, made)
    assert (made / "Cargo.toml").stat().st_mtime_ns == before
    (published / "more.rs").write_text("// changed\n")
    patched.write(patched.CRATES[0], published, VERSION, made)
    assert (made / "more.rs").is_file()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["ark-ff", "published"]


def test_another_version_is_refused(patched: ModuleType, published: Path, tmp_path: Path) -> None:
    manifest = published / "Cargo.toml"
    manifest.write_text(manifest.read_text().replace("0.6.0", "0.6.1"))
    with pytest.raises(patched.PatchError, match=r"is not ark-ff 0\.6\.0$"):
        patched.write(patched.CRATES[0], published, VERSION, tmp_path / "ark-ff")
    assert not (tmp_path / "ark-ff").exists()


@pytest.mark.parametrize("times", [0, 2])
def test_a_place_that_is_not_there_once_is_refused(
    patched: ModuleType, published: Path, tmp_path: Path, times: int
) -> None:
    place = patched.ARK_FF[0]
    path = published / place.file
    path.write_text(path.read_text().replace(place.at, place.at * times))
    with pytest.raises(patched.PatchError, match="has no single place"):
        patched.write(patched.CRATES[0], published, VERSION, tmp_path / "ark-ff")
    assert not (tmp_path / "ark-ff").exists()


def test_a_folder_of_others_is_refused(
    patched: ModuleType, published: Path, tmp_path: Path
) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes").write_text("keep me")
    with pytest.raises(patched.PatchError, match="holds something else"):
        patched.write(patched.CRATES[0], published, VERSION, tmp_path / "mine")
    assert (tmp_path / "mine" / "notes").read_text() == "keep me"


@pytest.mark.parametrize("words", [[], ["a", "b"], ["--release", "0.4", "a"]])
def test_it_says_how_it_is_used(
    patched: ModuleType, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit:
        patched.main(words)
    assert exit.value.code == 2
    assert capsys.readouterr().err.startswith("usage: write.py [-h] [--release {0.5,0.6}] FOLDER")


def test_it_says_that_cargo_is_missing(
    patched: ModuleType,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert patched.main([str(tmp_path / "ark-ff")]) == 2
    assert capsys.readouterr().err == "there is no cargo, which fetches ark-ff\n"
