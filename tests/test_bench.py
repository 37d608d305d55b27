"""fieldc bench with the peers of crates/race, whose cargo is a script here."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace

import pytest
from races import peer

from fieldc import cli
from fieldc.lab import peers
from fieldc.machine import results, ring, timing
from fieldc.machine.processor import is_x86_64
from fieldc.targets.x86_64.timing import clock

ROWS = [
    peer("inverse", "fieldc", 50.0),
    peer("inverse", "blst", 100.0, "inlined", "lazy"),
    peer("add", "fieldc", 50.0),
]

IN_PYTHON = ("python", "words")
HOMES = (
    *((timing, name) for name in ("HALF_CYCLES", "CALIBRATION_TURNS", "CANARY_TURNS")),
    *((timing, name) for name in ("CALIBRATION_LIMIT", "HALVES_LIMIT")),
    *((results, name) for name in ("CANARY_LIMIT", "FEWEST")),
    (clock, "CYCLES_PER_TURN"),
    (ring, "RING"),
)
"""Where the constants of the protocol stand in Python."""


@pytest.fixture
def cargo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cargo that writes down its arguments and prints ROWS."""
    (tmp_path / "rows.json").write_text(json.dumps(ROWS))
    script = tmp_path / "cargo"
    script.write_text(f"#!/bin/sh\necho $PWD $@ > {tmp_path}/said\ncat {tmp_path}/rows.json\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    return tmp_path


def output(capsys: pytest.CaptureFixture[str], *words: str, status: int = 0) -> tuple[str, str]:
    assert cli.main(words) == status
    captured = capsys.readouterr()
    return captured.out, captured.err


def test_rows_of_the_peers(cargo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bench", "bn254-p", "--op", "inverse", "--peers", "--seed", "7")
    text, _ = output(capsys, *words)
    ours, lazy = [line for line in text.splitlines() if re.match(r"(fieldc|blst) 1\.2", line)][:2]
    assert ours.startswith("fieldc 1.2  ") and ours.endswith("1.00 | 1.00")
    assert lazy.startswith("blst 1.2, inlined, lazy  ") and lazy.endswith("0.50 | 0.50")
    assert "100.0 | 120.0" in lazy
    assert "peers' run" in text and "core 3.00 GHz" in text
    said = (cargo / "said").read_text()
    assert said.startswith(f"{peers.FOLDER} bench --bench race -- ")
    assert "--field bn254-p --op inverse --operands moving --rounds 60 --seed 7 --json" in said


def test_a_prime_by_another_name(cargo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    prime = "21888242871839275222246405745257275088696311157297823662689037894645226208583"
    words = ("bench", prime, "--op", "inverse", "--peers", "--json")
    assert json.loads(output(capsys, *words)[0]) == ROWS
    assert "--field bn254-p" in (cargo / "said").read_text()


@pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")
def test_peers_beside_backends(cargo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bench", "bn254-p", "--op", "add", "--rounds", "2", "--peers")
    file = cargo / "all.json"
    text, _ = output(capsys, *words, "--json", str(file))
    (table,) = (part for part in text.split("\n\n") if part.startswith("add, "))
    assert "llvm-wide" in table and "fieldc 1.2" in table and "x fieldc" in table
    assert re.search(r"x86-mulx .* [0-9.]+ +[0-9.]+ [a-zA-Z ]+ +-?[0-9]+% ", table)
    rows = json.loads(file.read_text())
    (mulx,) = (row for row in rows if row.get("backend") == "x86-mulx")
    if mulx["placements"] > 1:  # on a busy machine one place of two may be all that is left
        assert re.search(r"x86-mulx .* [+-][0-9]+% \| [+-][0-9]+% ", table) and "worst" in table
    assert rows[-3:] == ROWS and all("backend" in row for row in rows[:-3])
    assert all(bool(row["bounds"]) == (row["backend"] not in IN_PYTHON) for row in rows[:-3])
    assert all({"latency_ns", "throughput_cycles", "calibration"} <= row.keys() for row in rows)
    for row in rows[:-3]:
        assert row["operands"] == "moving"
        worst = (row["throughput_worst_cycles"], row["latency_worst_cycles"])
        assert (None in worst) == (row["placements"] == 1)


@pytest.mark.skipif(not is_x86_64(), reason="a race is timed on x86-64 only")
def test_fixed_operands(cargo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("bench", "bn254-p", "--op", "add", "--rounds", "2", "--operands", "fixed")
    text, _ = output(capsys, *words, "--peers", "--json", str(cargo / "fixed.json"))
    assert "fixed operands" in text and "--operands fixed" in (cargo / "said").read_text()
    rows = json.loads((cargo / "fixed.json").read_text())
    assert {row["operands"] for row in rows if "backend" in row} == {"fixed"}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["2^127-1", "--op", "inverse"], "the fields bls12-381-p,"),
        (["bn254-p", "--op", "inverse", "--word", "32"], "limbs of 64 bits"),
    ],
)
def test_what_has_no_peers(
    cargo: Path, capsys: pytest.CaptureFixture[str], words: list[str], reason: str
) -> None:
    text, _ = output(capsys, "bench", *words, "--peers")
    assert text.startswith("SKIPPED peers") and reason in text
    assert not (cargo / "said").exists()


def test_no_cargo(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PATH", "")
    words = ("bench", "bn254-p", "--op", "inverse", "--peers")
    assert "there is no cargo command" in output(capsys, *words)[0]
    monkeypatch.setattr(peers, "FOLDER", Path("nowhere"))
    assert "no folder crates/race" in output(capsys, *words)[0]


def test_a_race_that_fails(cargo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (cargo / "cargo").write_text("#!/bin/sh\nexit 101\n")
    words = ("bench", "bn254-p", "--op", "inverse", "--peers")
    text, error = output(capsys, *words, status=1)
    assert text == "" and error.startswith("fieldc: the race of the peers failed")


def test_bad_words(capsys: pytest.CaptureFixture[str]) -> None:
    for words, message in [
        (["--op", "inverse"], "add --peers"),
        (["--op", "inverse", "--peers", "--seed", "0"], "a seed is from 1 to 100000000"),
        (["--op", "invers"], "the nearest: inverse"),
        (["--operands", "still"], "moving"),
        (["--plot", "race.gif"], "its name ends in .svg or .png"),
    ]:
        assert message in output(capsys, "bench", "bn254-p", *words, status=2)[1]


def test_names_are_those_of_the_crate() -> None:
    files = ("fields", "towers", "curves")
    source = {name: (peers.FOLDER / f"src/{name}.rs").read_text() for name in files}
    assert re.findall(r'^ +[A-Z0-9_]+ = "([^"]+)", ', source["fields"], re.M) == list(peers.FIELDS)
    lists = re.compile(r"OPERATIONS: [^=]*= \[(.*?)\]", re.S)
    of = {
        name: [op for found in lists.findall(text) for op in re.findall(r'"(\w+)"', found)]
        for name, text in source.items()
    }
    towers = [op for op in of["towers"] if op not in of["curves"]]
    assert [*of["fields"], *towers, *of["curves"]] == list(peers.OPERATIONS)


ROOT = Path(__file__).resolve().parents[1]
PROTOCOL = (ROOT / "docs/measuring.md").read_text("utf-8").partition("## The protocol")[2]
STEPS = re.findall(r"^\d\. (calibration|canary|\w+ half)", PROTOCOL, re.M)
CONSTANTS = {
    name: float(value)
    for name, value in re.findall(r"^\| `([A-Z_]+)` \| ([\d.]+) \|", PROTOCOL, re.M)
}


def rust_race() -> str:
    return "".join(path.read_text() for path in sorted((peers.FOLDER / "src").rglob("*.rs")))


def test_all_races_have_the_constants_of_the_page() -> None:
    """The limits of a slice, and the ring, stand in three programs and in docs/measuring.md."""
    python = {name: getattr(module, name) for module, name in HOMES}
    assert python == CONSTANTS
    rust = rust_race()
    found = {
        name: float(re.search(rf"const {name}: \w+ = ([0-9._]+);", rust)[1].replace("_", ""))  # type: ignore[index]
        for name in CONSTANTS
    }
    assert found == CONSTANTS
    go = (peers.FOLDER / "go/main.go").read_text()
    fixed, warm = (re.search(rf"const {name}: \w+ = (\d+);", rust) for name in ("FIXED", "WARM"))
    assert fixed and warm
    assert f"const ring, fixed, warm = {ring.RING}, {fixed[1]}, {warm[1]}\n" in go
    assert all(f'=> "{mode}"' in rust for mode in ring.OPERANDS)


def test_a_slice_has_the_steps_of_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(STEPS) == 6
    wanted = [step.replace("first ", "").replace("second ", "") for step in STEPS]
    seen: list[str] = []

    def seeing(step: str) -> Callable[..., float]:
        return lambda *_: seen.append(step) or 1.0  # type: ignore[func-returns-value]

    monkeypatch.setattr(timing.Track, "_ticks", seeing("half"))
    track = object.__new__(timing.Track)
    track.clock = SimpleNamespace(  # type: ignore[assignment]
        calibrate=seeing("calibration"), canary=seeing("canary")
    )
    track._slice(0, timing.TimedMode("latency", timing.PythonCandidate("python", int)))
    assert seen == wanted
    (body,) = re.findall(r"^fn slice\(.*?^}", rust_race(), re.M | re.S)
    body = body.replace("[(); 2].map(|()| runner.run", "half() half()")
    calls = re.findall(r"(calibrate|canary|half)\(", body)
    assert [call.replace("calibrate", "calibration") for call in calls] == wanted
