"""Bad input over all verbs: one printable line, exit status 2, and nothing written.

Each line of bad_input.txt is a command line. {t} is a folder with the files of `place`, {o} an
object for x86-64 whose function is {s}; {w} has the function {k} of twice the limbs of {half}.
"""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import pytest
from outputs import contents

from fieldc import cli
from fieldc.catalogue import find_field
from fieldc.decisions.schedule import dump, shipped
from fieldc.errors import ERROR_WIDTH

HALF = "2^127-1"
NAN = '[{"field": "x", "op": "mul", "algorithm": "cios", "backend": "b", "throughput_cycles": NaN}]'
CASES = (Path(__file__).parent / "bad_input.txt").read_text("utf-8")
OF_PYTHON: tuple[str, ...] = (
    "invalid literal",
    "codec",
    "Expecting",
    "Extra data",
    "(char ",
    "could not convert",
)
OF_PYTHON += ("NoneType", "object is", "has no attribute", "Errno", "the limit", "unpack")
"""Words by which Python says what it could not read."""
LINES = [line for line in CASES.splitlines() if line.strip()]


def texts() -> dict[str, str]:
    """Files that are not what a verb wants, by their names."""
    spread = {"low": 1.0, "high": 3.0}
    row: dict[str, Any] = {"field": "17", "op": "mul", "algorithm": "cios", "backend": "llvm"}
    for mode in ("throughput", "latency"):
        row |= {f"{mode}_cycles": 2.0, f"{mode}_spread": spread}
    kernel = {"rows": 7, "op": ["mul"], "registers": 3}
    schedule = {
        "schedule": 1,
        "field": "17",
        "p": "0x11",
        "processor": "zen-4",
        "kernels": [kernel],
    }
    return {
        "file": "mine",
        "empty": "",
        "spaces": "  \n ",
        "two-lines": "17\n19\n",
        "prime": "17\n",
        "array.json": "[1, 2]",
        "nan.json": NAN,
        "deep.json": "[" * 100_000,
        "truncated.json": json.dumps(schedule)[:-20],
        "wrong-types.json": json.dumps(schedule),
        "entry-twice.json": json.dumps(entry_twice()),
        "name-twice.json": json.dumps(schedule).replace('"field"', '"p": "0x13", "field"'),
        "no-entries.json": json.dumps(schedule | {"kernels": []}),
        "two.json": json.dumps(schedule) + "}",
        "not-a-number.json": json.dumps(schedule | {"p": "zz"}),
        "long-number.json": json.dumps(schedule).replace("7", "7" * 5000),
        "rows.json": "[{}]",
        "huge.json": json.dumps([row]).replace("2.0", "9" * 5000),
        "infinite.json": json.dumps([row]).replace("2.0", "Infinity"),
        "clock.json": json.dumps([row]),
        "truth.json": json.dumps([row]).replace("2.0", "true"),
        "surrogate.json": json.dumps([row | {"backend": "\ud800"}]),
        "control.json": json.dumps([row | {"field": "a\nb"}]),
        "types.toml": "operation = 7\narguments = 8",
        "number.toml": 'operation = "mul"\narguments = "zxy"',
        "half.toml": 'operation = "mul',
        "unknown.toml": 'operation = "mul"\narguments = ["z", "x", "y", "q"]',
        "text.toml": "mul",
        "truth.toml": 'operation = true\narguments = ["z", "x", "y"]',
        "more.toml": 'operation = "mul"\narguments = ["z", "x", "y"]\nconvention = "win64"',
        "no-y.toml": 'operation = "mul"\narguments = ["z", "x"]',
        "no-names.toml": 'operation = "mul"\narguments = []',
        "x-twice.toml": 'operation = "mul"\narguments = ["z", "x", "y", "x"]',
        "deep.toml": "a = " + "[" * 5000,
        **{f"{name}.toml": text for name, text in claims().items()},
    }


def entry_twice() -> dict[str, Any]:
    """A shipped schedule that has its first operation once more."""
    field = find_field("bn254-p")
    found: dict[str, Any] = json.loads(dump(shipped(field, "zen-5")))
    found["kernels"].append(found["kernels"][0])
    return found


def claims() -> dict[str, str]:
    """Contracts whose claim is none, or is about something else."""
    arguments = 'arguments = ["z", "x", "y"]\n'
    claim = 'claim = "R*z = x*y"\n'
    whole = arguments + claim
    return {
        "claim-half": arguments + 'claim = "R*z = x*"',
        "claim-name": arguments + 'claim = "R*z = x*w"',
        "claim-empty": arguments + 'claim = ""',
        "claim-number": arguments + "claim = 7",
        "claim-power": arguments + 'claim = "z = 2**99999999"',
        "claim-call": arguments + "claim = \"z = __import__('os')\"",
        "below-good": whole,
        "below-name": whole + 'below = {w = "p"}',
        "below-negative": whole + 'below = {x = "-p"}',
        "below-none": whole + 'below = {z = "0"}',
        "below-xor": whole + 'below = {x = "2^9"}',
        "sizes-zero": whole + "sizes = {x = 0}",
        "sizes-huge": whole + "sizes = {x = 99999999999}",
        "limbs-negative": whole + "limbs = -1",
        "values-name": whole + "values = {w = 2}",
        "arguments-twice": claim + 'arguments = ["z", "x", "y", "x"]',
        "arguments-none": claim + "arguments = []",
        "arguments-numbers": claim + "arguments = [1, 2, 3]",
        "arguments-text": claim + 'arguments = "zxy"',
        "overlap-text": whole + 'overlap = "no"',
        "limbs-half": whole + "limbs = 4.5",
        "limbs-text": whole + 'limbs = "four"',
        "below-number": whole + "below = 7",
        "memory-text": whole + 'memory = {"a+1" = "2 of bytes"}',
        "memory-long": whole + 'memory = {"a+1" = "2 of 99999999999 bytes"}',
        "memory-small": whole + 'memory = {"a+z" = "999 of 1 bytes"}',
        "convention-number": whole + "convention = 3",
        "long-digits": whole + "limbs = " + "7" * 5000,
        "no-arguments": claim,
        "claim-twice": whole + 'claims = ["R*z = x*x"]',
        "claim-tower": arguments + 'claim = "((2**16384)**16384)**16384*z = x*y"',
        "claim-terms": arguments + f'claim = "z = {"*".join(["(x+y+1)"] * 300)}"',
        "convention-none": whole + 'convention = "fastcall"',
        "convention-other": whole + 'convention = "aapcs64"',
        "sizes-many": whole + "sizes = {x = 1024}",
        "sizes-values": whole + "sizes = {x = 128}\nvalues = {x = 128}",
        "sizes-result": whole + "sizes = {z = 2}",
        "values-result": whole + "values = {z = 2}",
        "values-twice": 'arguments = ["z", "x", "x1"]\nvalues = {x = 2}\nclaim = "z = x1"',
        "numbers-result": whole + 'numbers = {z = "1"}',
        "name-radix": 'arguments = ["z", "x", "R"]\nclaim = "R*z = x*R"',
        "name-keyword": 'arguments = ["z", "x", "in"]\nclaim = "R*z = x*x"',
        "name-letters": 'arguments = ["z", "x", "\ufb01"]\nclaim = "R*z = x*\ufb01"',
        "name-number": 'arguments = ["z", "x", "y"]\nin_place = 7\nclaim = "R*z = x*y"',
        "memory-twice": whole + 'memory = {"a+1" = "1 of 4 bytes", "a+9" = "1 of 4 bytes"}',
        "memory-unit": whole + 'memory = {"a+1" = "1 of 4 kilobytes"}',
        "memory-name": whole + 'memory = {"+1" = "1 of 4 bytes"}',
        "no-result": claim + 'arguments = ["x", "y"]',
    }


def manifests() -> dict[str, object]:
    """Manifests that fieldc build did not write."""
    kernel = {"symbol": "mul_k", "op": "mul", "object": "k.o", "status": "PROVED"}
    kernel |= {"variant": "k", "certificate": "k.json", "certificate_digest": ""}
    whole = {"p": "0x11", "n": 1, "kernels": [kernel]}
    arrays = {"symbol": "k", "op": "add", "layout": "words", "object": "k.o", "word": 64}
    arrays |= {"status": "PROVED"}
    here = kernel | {"object": "manifest.json"}
    proved = {"stack": 0, "certificate": "manifest.json"}
    return {
        "empty": "",
        "array": [],
        "nan": float("nan"),
        "no-kernels": {"p": "0x11", "n": 1},
        "none-proved": whole | {"kernels": [kernel | {"status": "TESTED", "certificate": None}]},
        "negative": whole | {"p": "-0x11", "n": -1},
        "gone": whole,
        "types": whole | {"kernels": [kernel | {"symbol": 7, "op": {}, "object": []}]},
        "outside": whole | {"kernels": [kernel | {"object": "../../../../../etc/passwd"}]},
        "folder": whole | {"kernels": [kernel | {"object": "."}]},
        "null-byte": whole | {"kernels": [kernel | {"object": "k\0.o"}]},
        "no-symbol": whole | {"kernels": [here | {"symbol": None}]},
        "formula": whole | {"kernels": [here | {"formula": 7}]},
        "certificate": whole
        | {"kernels": [kernel | {"certificate": 7, "object": "manifest.json"}]},
        "operation": whole | {"kernels": [here | {"op": ["mul"]}]},
        "surrogate": whole | {"kernels": [here | {"object": "\ud800"}]},
        "layout": whole | {"word": 64, "kernels": [], "arrays": [{**arrays, "layout": {}}]},
        "array-object": whole
        | {"word": 64, "kernels": [], "arrays": [arrays | {"object": "\ud800"}]},
        "files": {"p": "0x11", "word": 64, "files": [{}, "manifest.json"]},
        "kernel-twice": whole | {"kernels": [here | {"certificate": ""}] * 2},
        "array-twice": whole | {"word": 64, "kernels": [], "arrays": [arrays, arrays]},
        "limbs-of-p": whole | {"p": "0x1" + 20 * "0", "word": 64, "kernels": [here | proved]},
        "limbs": whole | {"n": -1, "kernels": [kernel | {"object": "manifest.json"}]},
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of many kinds."""
    t = tmp_path_factory.mktemp("place")
    for name, text in texts().items():
        (t / name).write_text(text, "utf-8")
    (t / "binary").write_bytes(bytes(range(256)) * 8)
    (t / "latin1").write_bytes("p\u00fcrim".encode("latin-1"))
    (t / "latin1.toml").write_bytes((t / "latin1").read_bytes())
    if hasattr(os, "symlink"):
        for name in ("loop", "loop.svg", "loop.html"):
            (t / name).symlink_to(t / name)
    (t / "elf-none").write_bytes(b"\x7fELF\x02\x01\x01" + bytes(57))
    (t / "full").mkdir()
    (t / "full" / "mine").write_text("mine")
    for name, said in manifests().items():
        folder = t / "manifests" / name
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(json.dumps(said) if said != "" else "")
    once = t / "manifests" / "none-proved" / "manifest.json"
    (t / "manifests" / "name-twice").mkdir()
    text = once.read_text().replace('"n":', '"n": 2, "n":')
    (t / "manifests" / "name-twice" / "manifest.json").write_text(text)
    (t / "manifests" / "deep").mkdir()
    (t / "manifests" / "deep" / "manifest.json").write_text("[" * 100_000)
    return t


@pytest.fixture(scope="module")
def names(place: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What stands for the names in braces."""
    built = tmp_path_factory.mktemp("built")
    found = {"t": str(place), "half": HALF}
    for (path, symbol), field in {("o", "s"): "17", ("w", "k"): "2^255-19"}.items():
        out = built / path
        words = ["--op", "mul", "--target", "x86_64-linux", "-o", str(out)]
        assert cli.main(["build", field, *words]) == 0
        kernel = json.loads((out / "manifest.json").read_text())["kernels"][0]
        found |= {path: str(out / kernel["object"]), symbol: kernel["symbol"]}
    data = Path(found["o"]).read_bytes()
    (place / "half.o").write_bytes(data[: len(data) // 2])
    return found


def words_of(line: str, names: dict[str, str]) -> list[str]:
    """The command line of a case."""
    return [word.format(**names) for word in shlex.split(line.replace("NUL", "\x00"))]


@pytest.mark.parametrize("line", LINES, ids=ascii)
def test_bad_input_is_one_line(
    line: str,
    names: dict[str, str],
    place: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    before = contents(place)
    words = words_of(line, names)
    capsys.readouterr()
    status = cli.main(words)
    captured = capsys.readouterr()
    said = captured.err.removesuffix("\n")
    assert (status, captured.out) == (2, ""), said
    assert said.startswith("fieldc: ") and said.isprintable() and "internal error" not in said
    assert not [words for words in OF_PYTHON if words in said]
    assert len(said) <= ERROR_WIDTH + len("fieldc: ")
    assert contents(place) == before and not list(tmp_path.iterdir())
