"""What is written is written whole, and what was there before stays where it is not."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from threading import Event, Thread

import pytest
from outputs import BUILD, FULL, contents, fail_at

from fieldc import cli, folders, reading
from fieldc.artifacts import write as builder
from fieldc.catalogue import find_field
from fieldc.files import MANIFEST, OutputError, check_file, write_file


def test_a_failure_leaves_the_file_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "file"
    write_file(path, "old")
    path.chmod(0o640)
    for method in ("write_bytes", "replace"):
        with monkeypatch.context() as patch:
            fail_at(patch, method, f".file.{os.getpid()}.part", FULL)
            with pytest.raises(OutputError, match="No space left on device; name another file"):
                write_file(path, "new")
        assert contents(tmp_path) == {"file": b"old"}
    link = tmp_path / "link"
    link.symlink_to(path)
    write_file(link, "new")
    assert link.is_symlink() and path.read_text() == "new" and path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("name", ["", ".", "no/such/file", "file/inside", "nul\0"])
def test_a_file_that_cannot_be_is_known_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    for write in (check_file, lambda path: write_file(path, "")):
        with pytest.raises(OutputError, match="cannot write"):
            write(Path(name))


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_folder_that_takes_no_files_is_known_before() -> None:
    with pytest.raises(OutputError, match="name another file"):
        check_file(Path("/proc/page.html"))


@pytest.mark.skipif(sys.platform == "win32", reason="needs /dev")
def test_a_name_may_be_as_long_as_the_system_has_them(tmp_path: Path) -> None:
    for name in ("d" * 255, "\u00fc" * 127):
        write_file(tmp_path / name, "new")
        assert contents(tmp_path) == {name: b"new"}
        (tmp_path / name).unlink()


def test_devices_are_written_to(capfd: pytest.CaptureFixture[str]) -> None:
    write_file(Path("/dev/stdout"), "text")
    assert capfd.readouterr().out == "text"
    with pytest.raises(OutputError, match="No space left"):
        write_file(Path("/dev/full"), "text")


def test_a_build_replaces_its_own_and_nothing_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    to = ("-o", str(out))
    assert cli.main([*BUILD, *to]) == 0
    first = contents(out)
    assert json.loads(first[MANIFEST])["files"] == sorted(first)
    assert cli.main(["build", "17", "--op", "sub", "--target", "rust", *to]) == 0
    assert set(contents(out)) == {MANIFEST, "rust/sub_portable.rs"}
    kept = contents(tmp_path)
    capsys.readouterr()
    for words in (["19", "--op", "add"], ["17", "--word", "32"], ["19", "--package", "js"]):
        assert cli.main(["build", *words, *to]) == 2
        assert "out' holds a build of 0x11, 64-bit words" in capsys.readouterr().err
    assert cli.main(["demo", "19", *to]) == 2
    capsys.readouterr()
    assert cli.main(["build", "17", "--package", "js", *to]) == 2
    assert "out' holds a build of another kind, kernels; name" in capsys.readouterr().err
    (out / "rust" / "mine.rs").write_text("")
    assert cli.main([*BUILD, *to]) == 2
    assert "holds 'rust/mine.rs', which no build there wrote" in capsys.readouterr().err
    (out / "rust" / "mine.rs").unlink()
    assert contents(tmp_path) == kept
    (out / MANIFEST).write_text("{}")
    assert cli.main([*BUILD, *to]) == 2
    assert "holds 'manifest.json', which" in capsys.readouterr().err


def test_no_build_goes_into_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The outer one could not be built again."""
    monkeypatch.chdir(tmp_path)
    assert cli.main([*BUILD, "-o", "out"]) == 0
    Path("link").symlink_to("out")
    kept = contents(tmp_path)
    for words in (BUILD, ["build", "19", "--package", "js"], ["demo", "17"]):
        for place in ("out/in", "link/a/b"):
            assert cli.main([*words, "-o", place]) == 2
            said = capsys.readouterr().err
            assert f"cannot write '{place}': it is in the build '" in said
            assert said.endswith("out'; name another with -o\n")
    files = (["show", "17", "--json", "out/s.json"], ["page", "17", "-o", "link/p.html"])
    for one in (*files, ["tune", "17", "--op", "add", "--time", "1", "-o", "out/t.json"]):
        assert cli.main(one) == 2
        assert "it is in the build '" in capsys.readouterr().err
    assert contents(tmp_path) == kept
    assert cli.main([*BUILD, "-o", "out"]) == 0
    Path("web/manifest.json").parent.mkdir()
    Path("web/manifest.json").write_text('{"files": ["index.html"]}')
    assert cli.main([*BUILD, "-o", "web/kernels"]) == 0


@pytest.mark.parametrize("way", ["not-there", "a-link"])
def test_a_way_through_what_is_not_there_leads_to_the_same_folder(
    way: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Such as `-o build/../mine` before there is a build."""
    monkeypatch.chdir(tmp_path)
    Path("mine").mkdir()
    Path("mine/index.html").write_text("mine")
    Path("a-link").symlink_to("nowhere")
    for words in (BUILD, ["build", "17", "--package", "js"], ["demo", "17"]):
        assert cli.main([*words, "-o", f"{way}/../mine"]) == 2
        said = capsys.readouterr().err
        assert "'mine' holds 'index.html', which no build there wrote" in said
    assert cli.main(["lab", "--quick", "-o", f"{way}/../mine"]) == 2
    assert "fieldc lab did not write" in capsys.readouterr().err
    assert cli.main([*BUILD, "-o", f"{way}/.."]) == 2
    assert "'.' holds " in capsys.readouterr().err
    assert contents(tmp_path) == {"mine/index.html": b"mine"}
    assert cli.main([*BUILD, "-o", f"{way}/../new"]) == 0
    assert (tmp_path / "new" / MANIFEST).exists() and not (tmp_path / "not-there").exists()


@pytest.mark.usefixtures("no_checker")
@pytest.mark.parametrize(
    ("kind", "left", "shows"),
    [
        ("Rust package", "Cargo.lock", ""),
        ("Rust package", "target", "CACHEDIR.TAG"),
        ("C package", "a.out", ""),
        ("C package", "build", "CMakeCache.txt"),
        ("JavaScript package", "package-lock.json", ""),
        ("JavaScript package", "node_modules", ".package-lock.json"),
    ],
)
def test_a_build_replaces_what_tools_made_of_a_package(
    kind: str, left: str, shows: str, tmp_path: Path
) -> None:
    field = find_field("17")
    files = builder.manifest_file(field, ())
    builder.write(tmp_path / "out", field, files, kind)
    made = tmp_path / "out" / left / shows
    made.parent.mkdir(exist_ok=True)
    (made.parent / "more").write_text("") if shows else made.write_text("")
    if shows:  # a folder of that name may be anybody's
        with pytest.raises(OutputError, match=f"holds '{left}/more', which no build there"):
            builder.write(tmp_path / "out", field, files, kind)
        made.write_text("")
    builder.write(tmp_path / "out", field, files, kind)
    assert set(contents(tmp_path / "out")) == {MANIFEST}


@pytest.mark.usefixtures("no_checker")
@pytest.mark.parametrize("name", ["fieldc-p5", "../p5", None, 5])
def test_a_build_replaces_what_npm_packed(name: object, tmp_path: Path) -> None:
    """A file of that name alone, which package.json says: another one may be anybody's."""
    field, out = find_field("17"), tmp_path / "out"
    package = {"package.json": json.dumps({"name": name, "version": "0.1.0"}).encode()}
    files = builder.manifest_file(field, ()) | package
    builder.write(out, field, files, "JavaScript package")
    for left in ("fieldc-p5-0.1.0.tgz", "fieldc-p5-0.2.0.tgz"):
        (out / left).write_text("")
        if name == "fieldc-p5" and "0.1.0" in left:
            builder.write(out, field, files, "JavaScript package")
            assert set(contents(out)) == {MANIFEST, "package.json"}
            continue
        with pytest.raises(OutputError, match=f"holds '{left}', which no build there"):
            builder.write(out, field, files, "JavaScript package")
        (out / left).unlink()


KERNELS_OR_ARRAYS = pytest.mark.parametrize("of", [("--target", "c"), ("--batch",)], ids=" ".join)


@KERNELS_OR_ARRAYS
def test_a_build_that_ends_later_does_not_replace_another_field(
    of: tuple[str, ...],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    to = ("-o", str(tmp_path / "out"))
    whole = builder.certified

    def meanwhile(files: Mapping[str, bytes]) -> str:
        monkeypatch.setattr(builder, "certified", whole)
        assert cli.main([*BUILD, *to]) == 0
        return whole(files)

    monkeypatch.setattr(builder, "certified", meanwhile)
    assert cli.main(["build", "19", "--op", "add", *of, *to]) == 2
    assert "out' holds a build of 0x11, 64-bit words" in capsys.readouterr().err
    assert json.loads(contents(tmp_path / "out")[MANIFEST])["p"] == "0x11"


@pytest.mark.skipif(sys.platform == "win32", reason="no locks of folders here")
@KERNELS_OR_ARRAYS
def test_two_builds_that_end_at_once_take_turns(
    of: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits, status = Event(), list[int]()
    assert cli.main([*BUILD, "-o", str(tmp_path / "first/out")]) == 0
    monkeypatch.setattr("fieldc.folders.time.sleep", lambda _: waits.set())
    monkeypatch.setattr("fieldc.folders.TRIES", 10**9)
    place = tmp_path / "second"
    place.mkdir()
    words = ["build", "19", "--op", "add", *of, "-o", str(place / "out")]
    with folders._locked(place) as is_mine:
        assert is_mine
        later = Thread(target=lambda: status.append(cli.main(words)))
        later.start()
        assert waits.wait(60)
        shutil.copytree(tmp_path / "first/out", place / "out")
    later.join()
    assert status == [2]
    assert json.loads(contents(place / "out")[MANIFEST])["p"] == "0x11"


def test_a_file_is_read_up_to_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "text").write_bytes(b"\xef\xbb\xbf[1]")
    assert reading.read_text(tmp_path / "text") == "[1]"
    monkeypatch.setattr(reading, "MOST", 5)
    with pytest.raises(OSError, match="too long"):
        reading.read_bytes(tmp_path / "text")


def test_a_folder_in_use_stays_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main([*BUILD, "-o", "."]) == 0
    assert cli.main([*BUILD, "-o", "."]) == 0
    assert set(os.listdir()) == {MANIFEST, "c", next(tmp_path.glob("*.h")).name}


@pytest.mark.usefixtures("no_checker")
def test_a_failed_build_leaves_the_earlier_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    assert cli.main([*BUILD, "-o", str(out)]) == 0
    before = contents(tmp_path)
    fail_at(monkeypatch, "write_bytes", MANIFEST, FULL)
    assert cli.main([*BUILD, "-o", str(out)]) == 2
    assert "No space left on device; name another with -o" in capsys.readouterr().err
    assert contents(tmp_path) == before


def test_a_study_keeps_off_other_pages(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("matplotlib")
    (tmp_path / "index.html").write_text("mine")
    assert cli.main(["lab", "--quick", "-o", str(tmp_path)]) == 2
    assert "fieldc lab did not write" in capsys.readouterr().err
    assert contents(tmp_path) == {"index.html": b"mine"}
