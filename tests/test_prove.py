"""fieldc prove and the cache of proofs, from the command line."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from pathlib import Path

import pytest
from lane_texts import text_of
from outputs import FULL
from unfit_objects import LINUX, WINDOWS

import fieldc.proof
from fieldc.algorithms.lanes import in_lanes_by
from fieldc.artifacts import cache, verify
from fieldc.artifacts.verify import Job
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.assemble import assemble, compile_ir
from fieldc.proof.claims.divsteps import DIVSTEP_MATRIX
from fieldc.proof.divsteps.certificate import FORMAT
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.x86_64.divsteps import compile_divsteps
from fieldc.targets.x86_64.print import GNU

FIELD = "3"
"""2^64 is 1 modulo 3: a number below 3 is its own Montgomery form."""
COPY = "mov rax, [{1}]\nmov [{0}], rax\nret\n"


def written(folder: Path, body: str, triple: str = LINUX) -> str:
    """The path of an object with a function `f`."""
    path = folder / "f.o"
    path.write_bytes(assemble(f".intel_syntax noprefix\n.text\n.globl f\nf:\n{body}", triple))
    return str(path)


def proved(path: str, *more: str, contract: str = "from_montgomery") -> int:
    return main(["prove", path, "--symbol", "f", "--contract", contract, "--field", FIELD, *more])


def test_the_whole_claim_is_printed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, "push rbx\npop rbx\n" + COPY.format("rdi", "rsi"))
    assert proved(path, "--json") == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert row["p"] == "0x3" and row["operation"] == "from_montgomery"
    assert (row["convention"], row["stack"], row["limbs"]) == ("sysv", 8, 1)
    assert proved(path) == 0
    said = " ".join(capsys.readouterr().out.split())
    for part in ("x < p", "z < p", "sysv", "8 bytes", "may be the same", "depends on data"):
        assert part in said


def test_the_convention_is_the_containers(tmp_path: Path) -> None:
    """A kernel that clobbers rsi keeps System V's convention and breaks Windows'."""
    clobbers = "xor esi, esi\n" + COPY.format("rcx", "rdx")
    windows = written(tmp_path, clobbers, WINDOWS)
    assert proved(windows) == 1
    assert proved(written(tmp_path, COPY.format("rcx", "rdx"), WINDOWS)) == 0
    assert (
        proved(written(tmp_path, COPY.format("rdi", "rsi"), WINDOWS), "--convention", "sysv") == 0
    )
    assert proved(written(tmp_path, COPY.format("rcx", "rdx")), "--convention", "win64") == 0


def test_a_convention_of_aarch64_counts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ir = "define void @f(ptr %z, ptr %x) {\n%v = load i64, ptr %x\nstore i64 %v, ptr %z\nret void }"
    code = compile_ir(ir, "aarch64-linux-gnu", "generic", "").object
    through_x8, through_x18 = bytes.fromhex("280040f9080000f9"), bytes.fromhex("320040f9120000f9")
    assert code.count(through_x8) == 1
    path = tmp_path / "f.o"
    path.write_bytes(code.replace(through_x8, through_x18))
    assert proved(str(path)) == 0
    assert proved(str(path), "--convention", "apple") == 1
    assert proved(str(path), "--convention", "sysv") == 2
    assert "no convention sysv of aarch64" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("data", "more", "says"),
    [
        (b"garbage", {}, "no ELF, COFF or Mach-O object"),
        (b"", {}, "no ELF, COFF or Mach-O object"),
        (b"\x7fELF" + bytes(20), {}, "no relocatable object"),
        (None, {"symbol": "g"}, "no function 'g'; the nearest is 'f'"),
        (None, {"contract": "cube"}, "cube"),
        (None, {"contract": 'operation = "mul"\narguments = ["z", "w"]'}, "no argument w"),
        (None, {"contract": "operation = 3"}, "needs operation"),
        (None, {"contract": "not-there.toml"}, "cannot read 'not-there.toml'"),
    ],
)
def test_bad_input_is_one_line(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    data: bytes | None,
    more: dict[str, str],
    says: str,
) -> None:
    path = Path(written(tmp_path, COPY.format("rdi", "rsi")))
    if data is not None:
        path.write_bytes(data)
    contract = more.get("contract", "from_montgomery")
    if " " in contract:
        (tmp_path / "contract.toml").write_text(contract)
        contract = str(tmp_path / "contract.toml")
    words = ["--symbol", more.get("symbol", "f"), "--contract", contract, "--field", FIELD]
    assert main(["prove", str(path), *words]) == 2
    error = capsys.readouterr().err
    assert says in error and error.count("\n") == 1, error


KEY, OTHER = "a" * 64, "b" * 64


@pytest.fixture
def entry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A remembered proof."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv(cache.OFF, raising=False)
    certificate = json.dumps({"format": cache.FORMAT, "cases": [{}], "stack": 8})
    cache.remember(KEY, cache.Record(certificate, "sysv", 8))
    assert cache.recall(KEY) == cache.Record(certificate, "sysv", 8)
    return cache.folder() / KEY


@pytest.mark.parametrize(
    "content",
    [
        *(b"", gzip.compress(b""), gzip.compress(b"{}"), b"damaged"),
        gzip.compress(b"[" * 100_000),
        gzip.compress(b'{"certificate": "", "convention": "sysv", "stack": 1e999}'),
        gzip.compress(b'{"certificate": "", "convention": "sysv", "stack": Infinity}'),
    ],
    ids=["empty", "of nothing", "of no fields", "damaged", "deep", "1e999", "Infinity"],
)
def test_an_entry_that_is_not_whole_is_a_miss(entry: Path, content: bytes) -> None:
    entry.write_bytes(content)
    assert cache.recall(KEY) is None


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without pipes in folders")
def test_what_is_no_file_is_a_miss_that_the_next_proof_replaces(entry: Path) -> None:
    whole = cache.recall(KEY)
    assert whole is not None
    for make in (os.mkfifo, Path.mkdir, lambda path: path.symlink_to("/dev/zero")):
        entry.unlink()
        make(entry)
        assert cache.recall(KEY) is None
        if entry.is_dir():
            entry.rmdir()
        cache.remember(KEY, whole)
        assert cache.recall(KEY) == whole


def test_an_entry_that_unpacks_to_too_much_is_a_miss(
    entry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cache, "MOST_TEXT", 10)
    assert cache.recall(KEY) is None


def test_a_full_disk_leaves_no_part_of_an_entry(
    entry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written(path: Path, data: bytes) -> None:
        with path.open("wb") as file:
            file.write(data[:10])
        raise FULL

    monkeypatch.setattr(Path, "write_bytes", written)
    cache.remember(OTHER, cache.Record("", "sysv", 0))
    assert cache.entries() == [entry]


def test_an_entry_without_its_certificate_is_a_miss(entry: Path) -> None:
    without = [json.dumps({"format": FORMAT, "blocks": [], "stack": 8})]
    for certificate in (*without, "{}", '{"format": "other", "cases": [1], "stack": 8}', "no JSON"):
        cache.remember(KEY, cache.Record(certificate, "sysv", 8))
        assert cache.recall(KEY) is None


def test_an_entry_that_was_changed_is_a_miss(entry: Path) -> None:
    """An emptied certificate, another proof's entry and another field's value."""
    whole = json.loads(gzip.decompress(entry.read_bytes()))
    for change in ({"certificate": ""}, {"stack": 16}, {"convention": "win64"}):
        entry.write_bytes(gzip.compress(json.dumps(whole | change).encode()))
        assert cache.recall(KEY) is None
    entry.write_bytes(gzip.compress(json.dumps(whole).encode()))
    assert cache.recall(KEY) is not None
    shutil.copy(entry, entry.with_name(OTHER))
    assert cache.recall(OTHER) is None


def test_an_entry_that_others_may_write_is_a_miss(entry: Path) -> None:
    entry.chmod(0o666)
    assert cache.recall(KEY) is None
    entry.chmod(0o600)
    assert cache.recall(KEY) is not None
    entry.parent.chmod(0o777)
    assert cache.recall(KEY) is None
    cache.remember(OTHER, cache.Record("", "sysv", 0))
    assert not (entry.parent / "other").exists()


def test_a_link_is_a_miss(entry: Path) -> None:
    entry.rename(entry.with_name("moved"))
    entry.symlink_to(entry.with_name("moved"))
    assert cache.recall(KEY) is None


def test_the_key_has_the_versions_of_the_libraries(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = set()
    for number in ("1", "2"):
        monkeypatch.setattr(cache, "version", lambda name, number=number: number)
        cache.prover_version.cache_clear()
        keys.add(cache.key_of(b"", "f"))
    cache.prover_version.cache_clear()
    assert len(keys) == 2


def test_the_key_has_the_prover_of_every_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy = tmp_path / "proof"
    shutil.copytree(fieldc.proof.__path__[0], copy)
    monkeypatch.setattr(fieldc.proof, "__path__", [str(copy)])
    keys = set()
    for text in ("", "# other"):
        with (copy / "x86_64" / "meanings.py").open("a") as file:
            file.write(text)
        cache.prover_version.cache_clear()
        keys.add(cache.key_of(b"", "f"))
    cache.prover_version.cache_clear()
    assert len(keys) == 2


def test_proofs_of_arrays_and_of_divsteps_are_recalled(
    entry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also for another object with the same section; never for one of another system."""
    f = find_field("2^61-1")
    text = text_of(ARRAY_TARGETS["avx512f"], in_lanes_by(f, "add"))
    more = f"{text}\n.section .text.g\n.globl g\ng:\nret\n"
    jobs = [Job(assemble(compile_divsteps("k").text(GNU)), "k", DIVSTEP_MATRIX, f.p, f.n)]
    for each, system in ((text, LINUX), (more, LINUX), (text, WINDOWS)):
        jobs.append(Job(assemble(each, system), "kernel", "add", f.p, f.n, array_word=64))
    first = verify.prove_new(jobs, lambda *_: None)
    assert [bool(verdict.failure) for verdict in first] == [False, False, False, True]
    asked: list[str] = []
    honest = verify.prove_job
    monkeypatch.setattr(verify, "prove_job", lambda job: asked.append(job.symbol) or honest(job))
    again = verify.prove_new(jobs, lambda *_: None)
    assert asked == ["kernel"] and again[-1].failure == first[-1].failure
    assert [v.certificate for v in again] == [v.certificate for v in first]


def test_what_was_used_longest_ago_is_forgotten(
    entry: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    others = [entry.with_name(f"{k:064x}") for k in range(8)]
    for age, path in enumerate((entry, *reversed(others)), 1):
        path.write_bytes(entry.read_bytes())
        os.utime(path, (1000 - age, 1000 - age))
    size = entry.stat().st_size
    monkeypatch.setattr(cache, "MOST_BYTES", 9 * size)
    monkeypatch.setattr(cache, "LEFT_BYTES", 6 * size)
    cache.trim()
    assert len(cache.entries()) == 9  # no more than may be
    assert cache.recall(KEY) is not None  # which makes it the newest
    monkeypatch.setattr(cache, "MOST_BYTES", 8 * size)
    cache.trim()
    assert cache.entries() == sorted([entry, *others[3:]])


def test_clearing_says_how_far_it_is(entry: Path) -> None:
    (entry.parent / OTHER).write_text("")
    said: list[tuple[str, int, int]] = []
    assert cache.clear(lambda *step: said.append(step)) == 2
    assert said == [("clear", 1, 2), ("clear", 2, 2)]


def test_what_is_no_entry_stays(
    entry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither a file of another name is forgotten, nor what lies where a link leads to."""
    for name in ("holiday.mp4", KEY[1:], f"{KEY}.txt"):
        entry.with_name(name).write_bytes(bytes(100))
    entry.with_name(OTHER).symlink_to(entry.with_name("holiday.mp4"))
    monkeypatch.setattr(cache, "MOST_BYTES", 1)
    monkeypatch.setattr(cache, "LEFT_BYTES", 0)
    cache.trim()
    assert not entry.exists() and len([*entry.parent.iterdir()]) == 4
    elsewhere = tmp_path / "elsewhere"
    entry.parent.rename(elsewhere)
    entry.parent.symlink_to(elsewhere)
    (elsewhere / KEY).write_bytes(bytes(100))
    cache.trim()
    assert cache.clear(lambda *_: None) == 0 and len([*elsewhere.iterdir()]) == 5


def test_the_cache_is_shown_cleared_and_turned_off(
    entry: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["cache", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["folder"] == str(entry.parent)
    assert (shown["proofs"], shown["bytes"]) == (1, entry.stat().st_size)
    assert shown["most_bytes"] == cache.MOST_BYTES > shown["bytes"]
    for said, is_used in (("0", True), ("", True), ("1", False), ("yes", False)):
        monkeypatch.setenv(cache.OFF, said)
        assert (cache.recall(KEY) is not None) is is_used
    assert main(["cache", "clear"]) == 0 and cache.entries() == []
    assert main(["cache", "empty"]) == 2


@pytest.mark.parametrize("verb", ["prove", "certify"])
def test_a_part_of_a_build_names_the_whole(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manifest.json").write_text("{}")
    (tmp_path / "x86_64-linux").mkdir()
    assert main([verb, str(tmp_path / "x86_64-linux")]) == 2
    said = capsys.readouterr().err
    assert "is a part of a build; name all of it: " in said and said.count("\n") == 1


@pytest.mark.parametrize(("old", "new"), [(b"rax", b"rzz"), (b'"', b"'"), (b"fn ", b"fn \xff")])
def test_kernels_of_the_crate_that_were_changed_are_one_line(
    old: bytes, new: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    generated = Path(__file__).parent.parent / "crates/fieldc/src/generated"
    (tmp_path / "n01.rs").write_bytes((generated / "n01.rs").read_bytes().replace(old, new))
    assert main(["prove", str(tmp_path), "--field", "2^61-1"]) == 2
    said = capsys.readouterr().err
    assert said.endswith("are not as `make generate` writes them\n") and said.count("\n") == 1


def test_the_crates_kernels_without_a_field_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    generated = Path(__file__).parent.parent / "crates/fieldc/src/generated"
    assert main(["prove", str(generated)]) == 2
    said = capsys.readouterr().err
    assert said.endswith("for the crate's kernels prove needs --field\n") and said.count("\n") == 1


@pytest.mark.parametrize("verb", ["prove", "certify"])
def test_what_is_advised_of_a_folder_without_a_manifest_works(
    verb: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "out"
    words = ["build", "17", "--op", "add", "--target", "c", "-o"]
    assert main([*words, str(out)]) == 0
    (out / "manifest.json").unlink()
    capsys.readouterr()
    assert main([verb, str(out)]) == 2
    assert "build into another folder" in capsys.readouterr().err
    assert main([*words, str(out)]) == 2  # it may hold what others wrote
    assert main([*words, str(tmp_path / "another")]) == 0


@pytest.mark.parametrize("verb", ["prove", "certify"])
def test_a_build_of_32_bit_words_is_no_damaged_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], verb: str
) -> None:
    """Nothing is proved of it, and its limbs are not those of 64 bits."""
    words = ["2^61-1", "--word", "32", "--op", "add", "--target", "c"]
    assert main(["build", *words, "-o", str(tmp_path / "out")]) == 0
    assert main([verb, str(tmp_path / "out")]) == 2
    assert capsys.readouterr().err.endswith("out' has no kernel that was PROVED\n")
