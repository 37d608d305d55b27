"""fieldc bench --batch: rows, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fieldc import cli
from fieldc.algorithms.sums import NoSums
from fieldc.lab import arrays
from fieldc.machine.processor import is_x86_64
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.offers import BATCHED
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.x86_64.targets import NO_EXECUTABLE_STACK

KEYS = {"op", "target", "layout", "elements", "cycles_per_element", "scalar_cycles"}
here = pytest.mark.skipif(not is_x86_64(), reason="kernels run on x86-64 hosts only")


def run(tmp_path: Path, *words: str) -> list[dict[str, object]]:
    path = tmp_path / "rows.json"
    command = ("bench", "bn254-p", "--batch", "--rounds", "2", "--elements", "24", *words)
    assert cli.main([*command, "--json", str(path)]) == 0
    rows: list[dict[str, object]] = json.loads(path.read_text())
    return rows


@here
def test_rows_of_a_batch(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = run(tmp_path, "--op", "mul,add")
    assert all(row.keys() >= KEYS for row in rows)
    assert all(row["elements"] == 24 for row in rows)
    scalar = [row for row in rows if str(row["target"]).startswith("x86-")]
    assert [row["op"] for row in scalar] == ["mul", "add"]
    assert all(row["cycles_per_element"] == row["scalar_cycles"] for row in scalar)
    layouts = [row["layout"] for row in rows if row["op"] == "mul" and row not in scalar]
    runs = sum(target.runs_here for target in ARRAY_TARGETS.values())
    assert layouts == ["digits", "canonical-digits", "array"] * runs
    assert "mul on arrays of 24, bn254-p" in capsys.readouterr().out


@here
def test_a_butterfly_is_timed_beside_scalar_kernels(tmp_path: Path) -> None:
    rows = run(tmp_path, "--op", "butterfly,mul")
    scalar = {row["op"]: row for row in rows if str(row["target"]).startswith("x86-")}
    assert scalar.keys() == {"butterfly", "mul"}
    assert all(float(str(row["scalar_cycles"])) > 0 for row in scalar.values())
    assert all(row["scalar_cycles"] == scalar[str(row["op"])]["scalar_cycles"] for row in rows)


@here
def test_an_inner_product_has_its_share_of_collect(tmp_path: Path) -> None:
    scalar, *vectors = run(tmp_path, "--op", "inner_product")
    assert scalar["cycles_per_element"] == scalar["scalar_cycles"]
    layouts = [row["layout"] for row in vectors]
    assert layouts == ["array", "digits"] * sum(t.runs_here for t in ARRAY_TARGETS.values())
    bounds = {
        "avx512f": (190 + 280 / 32) / 16,
        "avx512ifma": (75 + 177 / 32) / 16,
        "avx2": (400 + 538 / 32) / 24,
    }
    for row, digits in zip(vectors[::2], vectors[1::2], strict=True):
        # the operations of docs/batch.md, a collect for 256 elements
        assert row["port_bound"] == pytest.approx(bounds[str(row["target"])], rel=0.02)
        assert float(str(digits["port_bound"])) < float(str(row["port_bound"]))


@here
def test_an_operation_without_a_kernel_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def none(*_: object) -> None:
        raise NoSums("there are no inner products of this modulus")

    monkeypatch.setattr(VectorTarget, "sums_of", none)
    rows = run(tmp_path, "--op", "inner_product,add")
    runs = [target.name for target in ARRAY_TARGETS.values() if target.runs_here]
    assert [row["target"] for row in rows if row["op"] == "inner_product"] == [rows[0]["target"]]
    assert {str(row["target"]) for row in rows if row["op"] == "add"} >= {*runs}
    reasons = [f"inner_product on {name}: there are no inner products" for name in runs]
    said, calibration = capsys.readouterr().out, rows[0]["calibration"]
    assert isinstance(calibration, dict)
    for reason in reasons:
        assert reason in said
        assert any(str(each).startswith(reason) for each in calibration["skipped"])


@here
def test_rows_of_words_of_32_bits(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    words = ["bench", "babybear", "--batch", "--word", "32", "--op", "mul", "--rounds", "2"]
    assert cli.main([*words, "--elements", "40", "--json", str(path)]) == 0
    scalar, *vectors = json.loads(path.read_text())
    assert scalar["word"] == 64
    assert all((row["word"], row["layout"]) == (32, "array") for row in vectors)
    assert all(row["port_bound"] == 13 / 32 for row in vectors)


@here
def test_a_processor_without_the_instructions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(arrays, "missing", lambda needed: ["avx512ifma"])
    (row,) = run(tmp_path, "--op", "mul")
    assert row["layout"] == "array" and row["cycles_per_element"] == row["scalar_cycles"]
    assert "avx512ifma: this processor lacks avx512ifma" in capsys.readouterr().out


def test_a_host_that_runs_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(arrays, "is_x86_64", lambda: False)
    assert cli.main(["bench", "bn254-p", "--batch"]) == 2
    assert "x86-64 Linux and Darwin" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["bn254-p", "--batch", "--op", "redc"], "redc has no kernel on arrays; there is add"),
        (["bn254-p", "--batch", "--peers"], "leave out --peers"),
        (["bn254-p", "--op", "butterfly"], "an operation on arrays; add --batch"),
        (["bn254-p", "--op", "inner_product"], "an operation on arrays; add --batch"),
        (["--batch", "--all-goals"], "leave out --batch"),
        (["bn254-p", "--batch", "--operands", "fixed"], "leave out --operands"),
        (["bn254-p", "--batch", "--word", "32"], "32-bit words take a modulus below 2"),
        (["bn254-p", "--elements", "8"], "--elements is the length of the arrays of --batch"),
        (["2^800-105", "--batch"], "up to 768 bits, not of 800"),
    ],
)
def test_what_a_batch_refuses(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["bench", *words]) == 2
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


@pytest.mark.parametrize("target", ["avx512f", "avx2"])
def test_all_is_every_operation_on_arrays(target: str, tmp_path: Path) -> None:
    """Of a target: AVX2 has no inner products modulo a prime of one limb."""
    sums = {"accumulate", "collect"}
    for name in ("babybear", "2^32-5") if target == "avx512f" else ("babybear",):
        words = ["--op", "all", "--target", target, "-o", str(tmp_path / name)]
        assert cli.main(["build", name, "--batch", *words]) == 0
        rows = json.loads((tmp_path / name / "manifest.json").read_text())["arrays"]
        operations = {row["op"].removesuffix("_lazy") for row in rows}
        assert {*BATCHED} <= operations
        assert operations & sums == (sums if target == "avx512f" else set())


@here
def test_a_build_of_kernels_on_arrays(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "built"
    assert (
        cli.main(["build", "goldilocks", "--batch", "--op", "mul,butterfly", "-o", str(folder)])
        == 0
    )
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["kernels"] == []
    rows = manifest["arrays"]
    assert [row["layout"] for row in rows] == ["digits", "canonical-digits", "array"] * 2
    assert {row["status"] for row in rows} == {"PROVED"}
    header = (folder / "fieldc_goldilocks_arrays.h").read_text()
    for row in rows:
        results = "uint64_t *z0, uint64_t *z1" if row["family"] == "butterfly" else "uint64_t *z"
        assert f"void {row['symbol']}(size_t count, {results}, const uint64_t *x" in header
        assert (folder / row["object"]).is_file() and (folder / row["file"]).is_file()
    assert cli.main(["prove", str(folder)]) == 0
    assert cli.main(["build", "goldilocks", "--batch", "-o", str(folder)]) == 0
    texts = [path.read_text("utf-8") for path in folder.rglob("*.s")]
    assert texts and all(NO_EXECUTABLE_STACK in text for text in texts)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert [row["op"] for row in manifest["arrays"][-2:]] == ["to_digits", "from_digits"]
    assert cli.main(["prove", str(folder)]) == 0
    rows = manifest["arrays"]
    damaged = folder / rows[2]["object"]
    code = damaged.read_bytes()
    at = code.index(bytes.fromhex("c5f877c3")) - 40  # before vzeroupper and ret
    damaged.write_bytes(code[:at] + bytes((code[at] ^ 1,)) + code[at + 1 :])
    capsys.readouterr()
    assert cli.main(["prove", str(folder)]) == 1
    assert capsys.readouterr().out.count("FAILED") == 1
    changed = folder / rows[0]["certificate"]
    changed.write_bytes(changed.read_bytes() + b"\n")
    assert cli.main(["prove", str(folder)]) == 1
    assert "is not the one that was written" in capsys.readouterr().out
    with damaged.open("wb") as file:
        file.truncate(1 << 36)  # has no bytes on the disk
    assert cli.main(["prove", str(folder)]) == 1
    assert "it is too long" in capsys.readouterr().out
    damaged.unlink()
    damaged.symlink_to("/dev/zero")  # has no end
    assert cli.main(["prove", str(folder)]) == 2
    assert "is not in the folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--op", "redc"], "redc has no kernel on arrays"),
        (["--target", "avx51"], "no target of kernels on arrays is 'avx51'; the nearest: avx512f"),
        (
            ["--target", "avx2", "--op", "mul,inner_product"],
            "avx2 has no inner products of goldilocks, which has one limb",
        ),
        (["--algorithm", "cios"], "leave out --algorithm"),
        (["--word", "32"], "32-bit words take a modulus below 2"),
    ],
)
def test_what_a_build_of_kernels_on_arrays_refuses(
    tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "built"
    assert cli.main(["build", "goldilocks", "--batch", *words, "-o", str(folder)]) == 2
    assert said in capsys.readouterr().err
    assert not folder.exists()


def test_what_is_not_proved_names_the_targets_that_may_be(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--batch", "--op", "mul", "--target", "all", "-o", str(tmp_path / "built")]
    assert cli.main(["build", "3", *words]) == 1
    said = capsys.readouterr().err
    assert "mul_digits_avx512f is not proved: " in said and said.count("\n") == 1
    assert said.endswith("; another target may have it: avx512ifma\n")
