"""fieldc build and fieldc prove: what is written, what is proved, and what never gets out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import pytest
from outputs import missing_files

from fieldc import language
from fieldc.algorithms import choose
from fieldc.artifacts import cache, verify
from fieldc.binary.linkable import function_of, functions
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64
from fieldc.progress import Progress
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import contract_of
from fieldc.proof.prove import prove
from fieldc.targets.choice import Choice
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Artifact
from fieldc.targets.x86_64 import kernel as x86_kernel
from fieldc.targets.x86_64 import plan as x86_plan
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.operands import Memory

COLUMNS = {
    *("symbol", "op", "algorithm", "target", "variant", "convention"),
    *("file", "object", "contract", "status", "certificate", "certificate_digest", "digest"),
}


def built(folder: Path, *words: str) -> dict[str, object]:
    assert main(["build", *words, "-o", str(folder)]) == 0
    assert not missing_files(folder)
    manifest: dict[str, object] = json.loads((folder / "manifest.json").read_text())
    return manifest


def test_manifest_says_what_is_there(tmp_path: Path) -> None:
    manifest = built(tmp_path, "bn254-p", "--op", "mul,sub", "--target", "x86_64-linux,c,rust")
    assert (manifest["field"], manifest["word"], manifest["n"]) == ("bn254-p", 64, 4)
    kernels = manifest["kernels"]
    assert isinstance(kernels, list) and len(kernels) == 10
    for row in kernels:
        assert row.keys() >= COLUMNS
        assert (tmp_path / row["file"]).read_text()
        if row["target"] == "x86_64-linux":
            assert row["status"] == "PROVED"
            function_of((tmp_path / row["object"]).read_bytes(), row["symbol"])
            certificate = (tmp_path / row["certificate"]).read_bytes()
            assert row["certificate"] == row["object"].removesuffix(".o") + ".cert.json"
            assert row["certificate_digest"] == sha256(certificate).hexdigest()
            assert json.loads(certificate)["symbol"] == row["symbol"]
        else:
            assert row["certificate"] is row["certificate_digest"] is None
            assert row["status"].startswith("SKIPPED(")


def test_rust_comes_in_three_flavours(tmp_path: Path) -> None:
    targets = ("rust", "rust-looped", "rust-intrinsics")
    manifest = built(tmp_path, "bn254-p", "--op", "mul,add", "--target", ",".join(targets))
    kernels = manifest["kernels"]
    assert isinstance(kernels, list) and not list(tmp_path.glob("*.h"))
    assert [(k["op"], k["target"]) for k in kernels] == [
        (op, target) for target in targets for op in ("mul", "add")
    ]
    for row in kernels:
        command, *_ = (tmp_path / row["file"]).read_text().splitlines()
        of = f"--op {row['op']} --algorithm {row['algorithm']} --target {row['target']} -o DIR"
        assert command == f"// fieldc build bn254-p {of}"
        asked = ["bmi2"] if (row["target"], row["op"]) == ("rust-intrinsics", "mul") else []
        assert row["needs"] == asked


@pytest.fixture(autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))


def test_a_proof_is_done_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    honest = verify.prove_all
    monkeypatch.setattr(
        verify, "prove_all", lambda jobs, show: asked.append(len(jobs)) or honest(jobs, show)
    )
    words = ("bn254-p", "--op", "mul")
    first = built(tmp_path / "a", *words)
    assert built(tmp_path / "b", *words) == first
    monkeypatch.setattr(cache, "prover_version", lambda: "another prover")
    built(tmp_path / "c", *words)
    built(tmp_path / "d", "bn254-r", "--op", "mul")
    assert asked == [3, 0, 3, 3]


def test_the_same_bytes_for_two_systems_are_proved_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    honest = verify.prove_all

    def counted(jobs: Sequence[verify.Job], show: Progress) -> list[verify.Verdict]:
        asked.extend(job.symbol for job in jobs)
        return honest(jobs, show)

    monkeypatch.setattr(verify, "prove_all", counted)
    targets = "x86_64-linux,x86_64-macos,x86_64-windows"
    manifest = built(tmp_path, "2^61-1", "--op", "mul", "--target", targets)
    rows = manifest["kernels"]
    assert isinstance(rows, list) and [row["status"] for row in rows] == ["PROVED"] * 9
    assert sorted(asked) == sorted([row["symbol"] for row in rows][:3] * 2)
    assert len({row["certificate_digest"] for row in rows}) == 6
    assert main(["prove", str(tmp_path)]) == 0


def test_other_claims_on_the_same_bytes_are_not_taken_for_proved() -> None:
    target, f = TARGETS["x86_64-linux"], find_field("2^61-1")
    job = verify.job_of(next(iter(target.produce(choose(f, "mul")))))
    assert job is not None
    first = function_of(job.code, job.symbol).code[:16]
    wrong = [
        replace(job, operation="add"),
        replace(job, convention="win64"),
        replace(job, p=f.p - 30),
        replace(job, code=job.code.replace(first, bytes(16))),
    ]
    jobs = [*wrong, job, *wrong, replace(job, convention="sysv")]
    verdicts = verify.prove_new(jobs, lambda *_: None)
    assert [verdict.failure == "" for verdict in verdicts] == [*[False] * 4, True] * 2


def test_same_input_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    words = ("secp256k1-p", "--op", "mul", "--target", "x86_64-linux,x86_64-windows,c")
    built(tmp_path / "a", *words)
    built(tmp_path / "b", *words)
    monkeypatch.setattr(cache, "recall", lambda key: None)  # and proved again
    built(tmp_path / "c", *words)
    names = sorted(p.relative_to(tmp_path / "a") for p in (tmp_path / "a").rglob("*.*"))
    assert sum(name.suffixes == [".cert", ".json"] for name in names) == 6
    for name in names:
        content = (tmp_path / "a" / name).read_bytes()
        assert content == (tmp_path / "b" / name).read_bytes()
        assert content == (tmp_path / "c" / name).read_bytes()


def test_a_relative_name_of_a_cache_is_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # so its specification says
    assert cache.folder() == Path.home() / ".cache/fieldc/proofs"


def without_a_home(name: str) -> str:
    raise KeyError(name)


@pytest.mark.parametrize("home", [None, "relative", "~"])
def test_a_build_without_a_home_remembers_nothing(
    home: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A user of a container that its system does not know has none."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.delenv("HOME", raising=False)
    monkeypatch.setattr("pwd.getpwuid", without_a_home)
    if home is not None:
        monkeypatch.setenv("HOME", home)
    built(tmp_path / "a", "goldilocks", "--op", "add")
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    capsys.readouterr()
    assert main(["cache"]) == main(["cache", "clear"]) == 2
    assert "HOME is not the path of a folder; set it" in capsys.readouterr().err


def test_a_damaged_cache_is_not_believed(tmp_path: Path) -> None:
    words = ("goldilocks", "--op", "add")
    first = built(tmp_path / "a", *words)
    for path in cache.folder().iterdir():
        path.write_bytes(path.read_bytes()[:-9])
    assert built(tmp_path / "b", *words) == first


def test_the_digest_covers_the_certificate(tmp_path: Path) -> None:
    target = TARGETS["x86_64-linux"]
    choice = Choice(choose(find_field("goldilocks"), "add"), target.variants[0])
    artifact = Artifact("s", target, choice, "sysv", ".s", "", b"", "PROVED")
    assert artifact.digest != replace(artifact, certificate="{}").digest


def test_every_object_format_is_proved(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    targets = "x86_64-linux,x86_64-macos,x86_64-windows"
    manifest = built(tmp_path, "p256", "--op", "mul,add", "--target", targets)
    kernels = manifest["kernels"]
    assert isinstance(kernels, list) and {row["status"] for row in kernels} == {"PROVED"}
    assert main(["prove", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("texts and headers beside them are not") == 1


def test_prove_finds_a_changed_byte(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    manifest = built(tmp_path, "bn254-p", "--op", "mul")
    kernels = manifest["kernels"]
    assert isinstance(kernels, list)
    path = tmp_path / kernels[0]["object"]
    data = path.read_bytes()
    code = function_of(data, kernels[0]["symbol"]).code
    place = data.index(code) + len(code) // 2
    path.write_bytes(data[:place] + bytes([data[place] ^ 0x10]) + data[place + 1 :])
    capsys.readouterr()
    assert main(["prove", str(tmp_path), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    assert [row["status"] for row in rows] == ["FAILED", "PROVED", "PROVED"]


def test_prove_finds_a_changed_certificate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    built(tmp_path, "bn254-p", "--op", "add")
    first, second = sorted(tmp_path.rglob("*.cert.json"))[:2]
    first.write_text(first.read_text() + " ")
    second.unlink()
    capsys.readouterr()
    assert main(["prove", str(tmp_path), "--json"]) == 1
    rows = json.loads(capsys.readouterr().out)
    reasons = [row["reason"] for row in rows]
    assert reasons == [
        "certificate: x86_64-linux/add_adx.cert.json is not the one that was written",
        "",
        "certificate: cannot read x86_64-linux/add_base.cert.json: No such file or directory",
    ]
    assert [row["status"] for row in rows] == ["FAILED", "PROVED", "FAILED"]


def test_a_folder_for_windows_by_llvm_is_proved_again(tmp_path: Path) -> None:
    built(tmp_path, "goldilocks", "--op", "sub", "--target", "x86_64-windows-llvm")
    assert main(["prove", str(tmp_path)]) == 0


@pytest.mark.skipif(not is_x86_64(), reason="this LLVM assembles for its host only")
def test_windows_has_text_for_both_kinds_of_assemblers(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    manifest = built(tmp_path, "bn254-p", "--op", "mul,neg", "--target", "x86_64-windows")
    said = capsys.readouterr().out
    assert "x86_64-windows/mul_adx.o " in said and ".asm" not in said  # what is PROVED
    kernels = manifest["kernels"]
    assert isinstance(kernels, list)
    for row in kernels:
        (gnu,) = row["other_files"]
        assert (row["file"], gnu) == (f"{row['object'][:-2]}.asm", f"{row['object'][:-2]}.s")
        statuses = ["SKIPPED(no assembler of its syntax is run)", "TESTED"]
        assert row["status"] == "PROVED" and [*row["texts"].values()] == statuses
        assert [*row["texts"]] == [row["file"], gnu]
        assert "PROC" in (tmp_path / row["file"]).read_text()
        text = (tmp_path / gnu).read_text()
        made = functions(assemble(text, "x86_64-pc-windows-msvc"))[row["symbol"]]
        proved = functions((tmp_path / row["object"]).read_bytes())[row["symbol"]]
        assert (made.code, made.start) == (proved.code, proved.start)


def _lose_a_carry(code: tuple[Physical, ...]) -> tuple[Physical, ...]:
    last = max(i for i, c in enumerate(code) if c.mnemonic in ("adc", "adcx"))
    return (*code[:last], replace(code[last], mnemonic="add"), *code[last + 1 :])


def _flip_a_select(code: tuple[Physical, ...]) -> tuple[Physical, ...]:
    return tuple(replace(c, mnemonic="cmovnc") if c.mnemonic == "cmovc" else c for c in code)


def _skip_a_limb_of_p(code: tuple[Physical, ...]) -> tuple[Physical, ...]:
    def changed(c: Physical) -> Physical:
        operands = tuple(
            replace(o, offset=o.offset + 8) if isinstance(o, Memory) and o.name == "p[1]" else o
            for o in c.operands
        )
        return replace(c, operands=operands)

    return tuple(changed(c) for c in code)


@pytest.fixture
def compiled_anew() -> Iterator[None]:
    """What is compiled in a test with a changed compiler: nothing from before, and not kept."""
    caches = (language._expressed, x86_plan._compiled)
    for cached in caches:
        cached.cache_clear()
    yield
    for cached in caches:
        cached.cache_clear()


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize("sabotage", [_lose_a_carry, _flip_a_select, _skip_a_limb_of_p])
def test_a_wrong_kernel_never_gets_out(
    sabotage: object,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    honest = x86_kernel._framed
    assert callable(sabotage)
    monkeypatch.setattr(x86_kernel, "_framed", lambda *args: list(sabotage(tuple(honest(*args)))))
    folder = tmp_path / "out"
    assert main(["build", "bn254-p", "--op", "mul", "-o", str(folder)]) == 1
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("fieldc: fieldc_bn254_p_mul_")
    assert not folder.exists()


@pytest.mark.usefixtures("compiled_anew")
@pytest.mark.parametrize(
    ("target", "named"),
    [("x86_64-linux", "fieldc_bls12_381_r_mul_"), ("c", "mul (cios) for"), ("rust", "mul (cios)")],
)
def test_a_wrong_constant_never_gets_out(
    target: str,
    named: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    honest = Field.__post_init__

    def wrong_n0(self: Field) -> None:
        honest(self)
        object.__setattr__(self, "n0", self.n0 ^ 4)

    monkeypatch.setattr(Field, "__post_init__", wrong_n0)
    folder = tmp_path / "out"
    words = ["--op", "mul", "--algorithm", "cios", "--target", target]
    assert main(["build", "bls12-381-r", *words, "-o", str(folder)]) == 1
    assert named in capsys.readouterr().err.splitlines()[-1]
    assert not folder.exists()


def test_wrong_claims_are_refused(tmp_path: Path) -> None:
    built(tmp_path, "bn254-p", "--op", "add")
    data = (tmp_path / "x86_64-linux/add_base.o").read_bytes()
    code = function_of(data, "fieldc_bn254_p_add_base").code
    p = Field(0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47).p
    prove(code, contract_of("add", p, 4))
    for operation, modulus in (("sub", p), ("mul", p), ("add", p + 2)):
        with pytest.raises(ProofError):
            prove(code, contract_of(operation, modulus, 4))
    with pytest.raises(ProofError, match=r"not restored|not its own|reads|writes|address"):
        prove(code, contract_of("add", p, 4), "win64")
