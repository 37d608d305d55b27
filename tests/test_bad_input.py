"""Bad input over all verbs: one printable line, exit status 2, and nothing written.

Each line of CASES is a command line; {t} is a folder with the files of `place`, {o} an object for
x86-64 whose function is {s}, {w} one with the function {k} of twice the limbs of the field {half}.
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
from fieldc.catalogue import ERROR_WIDTH

HALF = "2^127-1"
NAN = '[{"field": "x", "op": "mul", "algorithm": "cios", "backend": "b", "throughput_cycles": NaN}]'
CASES = """
list fields fields
list nothing
list ''
list fields --op
list fields --json {t}
list fields --json {t}/no/rows.json
list fields --json ''
list algorithms --op ''
list algorithms --op ,
list algorithms --op mul,,add
list algorithms --op MUL
list algorithms --op 'mul add'
list algorithms --op mul --op add
list -- fields fields
show ''
show ' '
show 0
show 1
show 2
show 4
show -1
show --5
show 0x
show 0b11
show 0o17
show 1e9
show 1.0
show NaN
show inf
show \u0661\u0667
show \uff11\uff17
show p\u00b2
show 2^
show 2^^3
show 2^-1
show 2^0
show (2^255-19
show 2^255-19)
show ()
show 2^255-19;19
show 2^4097-1
show 2^8192-1
show 17 --word 63
show 17 --word 0
show 17 --word -64
show 17 --word 64 --word 32
show 17 --why
show 17 --why ''
show 17 --why inverse
show 17 --why mul,add
show 17 --why mul --processor
show 17 --why mul --word 32
show 17 --why mul --word 32 --json
show {t}
show {t}/empty
show {t}/nothing-there
show {t}/binary
show {t}/latin1
show {t}/spaces
show {t}/loop
show {t}/two-lines
show /dev/null
show ~/no-such
show bls12_381
show 'bn254-p '--word
show 10/3
show 1/0
build
build 17
build 17 -o
build 17 -o ''
build 17 -o {t}/file
build 17 -o {t}/file/x
build 17 -o {t}/full
build 17 -o /proc/fieldc
build 17 -o /dev/null
build 17 -o {t}/new -o {t}/newer
build 17 -o {t}/new --op mul,
build 17 -o {t}/new --op ,mul
build 17 -o {t}/new --op mul --op add
build 17 -o {t}/new --op all,nothing
build 17 -o {t}/new --op 'mul;add'
build 17 -o {t}/new --target x86
build 17 -o {t}/new --target ''
build 17 -o {t}/new --target c,
build 17 -o {t}/new --target c --target rust
build 17 -o {t}/new --word 32 --target x86_64-linux
build 17 -o {t}/new --algorithm ''
build 17 -o {t}/new --algorithm cios,sos
build 17 -o {t}/new --op mul --algorithm barrett
build 17 -o {t}/new --op add --algorithm cios
build 17 -o {t}/new --op mul --algorithm nothing
build 17 -o {t}/new --schedule ''
build 17 -o {t}/new --schedule {t}
build 17 -o {t}/new --schedule {t}/empty
build 17 -o {t}/new --schedule {t}/binary
build 17 -o {t}/new --schedule {t}/array.json
build 17 -o {t}/new --schedule {t}/nan.json
build 17 -o {t}/new --schedule {t}/deep.json
build 17 -o {t}/new --schedule {t}/truncated.json
build 17 -o {t}/new --schedule {t}/wrong-types.json
build 17 -o {t}/new --schedule {t}/no-entries.json
build bn254-p -o {t}/new --schedule {t}/truncated.json
build 17 -o {t}/new --processor ''
build 17 -o {t}/new --processor pentium
build 17 -o {t}/new --representation ''
build 17 -o {t}/new --representation octal
build bn254-p -o {t}/new --representation plain
build 17 -o {t}/new --representation montgomery --op mul
build 17 -o {t}/new --package ''
build 17 -o {t}/new --package python
build 17 -o {t}/new --package c --op mul
build 17 -o {t}/new --package c --word 32
build 17 -o {t}/new --package c --package js
build 17 -o {t}/new --no-cache=yes
build 15 -o {t}/new
build 2 -o {t}/new
prove
prove ''
prove ' '
prove {t}
prove {t}/nothing-there
prove {t}/empty
prove {t}/empty --symbol k --contract mul --field 17
prove {t}/binary --symbol k --contract mul --field 17
prove {o}
prove {o} --symbol k
prove {o} --symbol k --contract mul
prove {o} --symbol k --contract mul --field 17
prove {o} --symbol '' --contract mul --field 17
prove {o} --symbol {s} --contract '' --field 17
prove {o} --symbol {s} --contract norm --field 17
prove {o} --symbol {s} --contract mul --field ''
prove {o} --symbol {s} --contract mul --field 15
prove {o} --symbol {s} --contract mul --field 17 --convention fastcall
prove {o} --symbol {s} --contract mul --field 17 --convention aapcs64
prove {o} --symbol {s} --contract {t}/empty --field 17
prove {o} --symbol {s} --contract {t}/binary --field 17
prove {o} --symbol {s} --contract {t}/types.toml --field 17
prove {o} --symbol {s} --contract {t}/number.toml --field 17
prove {o} --symbol {s} --contract {t}/half.toml --field 17
prove {o} --symbol {s} --contract {t}/unknown.toml --field 17
prove {o} --symbol {s} --contract {t}/text.toml --field 17
prove {t}/manifests/empty
prove {t}/manifests/array
prove {t}/manifests/nan
prove {t}/manifests/deep
prove {t}/manifests/no-kernels
prove {t}/manifests/none-proved
prove {t}/manifests/negative
prove {t}/manifests/gone
prove {t}/manifests/types
prove {t}/manifests/outside
prove {t}/manifests/folder
prove {t} --field 17
prove {t} --field 2^1024-105
bench
bench 15
bench 17 --op norm
bench 17 --op mul --op add
bench 17 --rounds 0
bench 17 --rounds -3
bench 17 --rounds 1e3
bench 17 --rounds ''
bench 17 --rounds 1000001
bench 17 --rounds \u0663
bench 17 --seed x
bench 17 --seed 1.5
bench 17 --seed ''
bench 17 --operands shaken
bench 17 --plot race.pdf
bench 17 --plot ''
bench 17 --plot {t}
bench 17 --plot {t}/no/race.svg
bench 17 --algorithm ''
bench 17 --algorithm cios,
bench 17 --op add --algorithm cios
bench 17 --all-goals
bench 17 --json {t}
page
page 17
page 17 -o ''
page 17 -o {t}
page 17 -o {t}/no/page.html
page 17 -o {t}/file/page.html
page 15 -o {t}/page.html
page 17 -o {t}/page.html -o {t}/other.html
plot
plot {t}/rows.json
plot {t}/rows.json -o ''
plot {t}/rows.json -o {t}/race.gif
plot {t}/rows.json -o {t}
plot {t}/nothing-there -o {t}/race.svg
plot {t} -o {t}/race.svg
plot {t}/empty -o {t}/race.svg
plot {t}/binary -o {t}/race.svg
plot {t}/latin1 -o {t}/race.svg
plot {t}/nan.json -o {t}/race.svg
plot {t}/deep.json -o {t}/race.svg
plot {t}/array.json -o {t}/race.svg
plot {t}/rows.json -o {t}/race.svg
plot {t}/huge.json -o {t}/race.svg
plot {t}/infinite.json -o {t}/race.svg
plot {t}/truth.json -o {t}/race.svg
count
count ''
count :
count :k
count {t}
count {t}/nothing-there
count {t}/nothing-there:k
count {t}/empty
count {t}/binary
count {o}:
count {o}::
count {o}:no_such_function
count {o}:{s}:{s}
count {o} --processor pentium
count {o} --processor ''
count /dev/null
count {t}/half.o
trace
trace ''
trace {o}
trace {o}:
trace {o}:no_such_function
trace {t}:{s}
trace {t}/empty:{s}
trace {t}/half.o:{s}
trace {o}:{s} --x -1
trace {o}:{s} --x 1.5
trace {o}:{s} --x ''
trace {o}:{s} --x 0x
trace {o}:{s} --x \u0661
trace {o}:{s} --x 1 --x 2
trace {o}:{s} --limbs 0
trace {o}:{s} --limbs 1 --x 0x10000000000000000
trace {o}:{s} --limbs 999999999999
trace {o}:{s} --field 15
trace {o}:{s} --field ''
trace {o}:{s} --field bn254-p
trace {o}:{s} --arguments ''
trace {o}:{s} --arguments z,,x
trace {o}:{s} --arguments z,x,y,a,b,c,d,e,f,g,h,i,j
trace {o}:{s} --arguments z,x,-1
trace {o}:{s} --arguments z,x,p
trace {o}:{s} --arguments z,x,n0
trace {o}:{s} --arguments z,x --y 3
trace {o}:{s} --limit 0
trace {o}:{s} --limit 3
trace {o}:{s} --seed -1
trace {o}:{s} --seed x
trace {o}:{s} --convention fastcall
trace {o}:{s} --convention aapcs64
trace {o}:{s} --arguments 0,0,0
trace {w}:{k} --field {half}
lab --rounds 0
lab --rounds x
lab -o ''
lab -o {t}/file
lab -o {t} --quick
lab --quick=1
lab extra
tune
tune 15
tune 17 --op norm
tune 17 --time 0
tune 17 --time -1
tune 17 --time 1h
tune 17 --seed x
tune 17 --for speed
tune 17 -o ''
tune 17 -o {t}
tune 17 -o {t}/no/schedule.json
tune 17 -o {t}/array.json
tune 17 -o {t}/nan.json
tune 17 -o {t}/truncated.json
tune 17 -o {t}/binary
demo 15
demo 17 -o ''
demo 17 -o {t}/file
demo 17 -o {t}/full
demo 17 19
cache burn
cache clear clear
cache ''
cache --all
''
-
--
--version extra
\x00
version
BUILD 17
"""

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
        "array.json": "[1, 2]",
        "nan.json": NAN,
        "deep.json": "[" * 100_000,
        "truncated.json": json.dumps(schedule)[:-20],
        "wrong-types.json": json.dumps(schedule),
        "no-entries.json": json.dumps(schedule | {"kernels": []}),
        "rows.json": "[{}]",
        "huge.json": json.dumps([row]).replace("2.0", "9" * 5000),
        "infinite.json": json.dumps([row]).replace("2.0", "Infinity"),
        "truth.json": json.dumps([row]).replace("2.0", "true"),
        "types.toml": "operation = 7\narguments = 8",
        "number.toml": 'operation = "mul"\narguments = "zxy"',
        "half.toml": 'operation = "mul',
        "unknown.toml": 'operation = "mul"\narguments = ["z", "x", "y", "q"]',
        "text.toml": "mul",
    }


def manifests() -> dict[str, object]:
    """Manifests that fieldc build did not write."""
    kernel = {"symbol": "k", "op": "mul", "object": "k.o", "status": "PROVED"}
    kernel |= {"certificate": "k.json", "certificate_digest": ""}
    whole = {"p": "0x11", "n": 1, "kernels": [kernel]}
    return {
        "empty": "",
        "array": [],
        "nan": float("nan"),
        "no-kernels": {"p": "0x11", "n": 1},
        "none-proved": whole | {"kernels": [kernel | {"status": "TESTED"}]},
        "negative": whole | {"p": "-0x11", "n": -1},
        "gone": whole,
        "types": whole | {"kernels": [kernel | {"symbol": 7, "op": {}, "object": []}]},
        "outside": whole | {"kernels": [kernel | {"object": "../../../../../etc/passwd"}]},
        "folder": whole | {"kernels": [kernel | {"object": "."}]},
    }


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with files of many kinds."""
    t = tmp_path_factory.mktemp("place")
    for name, text in texts().items():
        (t / name).write_text(text)
    (t / "binary").write_bytes(bytes(range(256)) * 8)
    (t / "latin1").write_bytes("p\u00fcrim".encode("latin-1"))
    if hasattr(os, "symlink"):
        (t / "loop").symlink_to(t / "loop")
    (t / "full").mkdir()
    (t / "full" / "mine").write_text("mine")
    for name, said in manifests().items():
        folder = t / "manifests" / name
        folder.mkdir(parents=True)
        (folder / "manifest.json").write_text(json.dumps(said) if said != "" else "")
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
    return [word.format(**names) for word in shlex.split(line.replace("\\x00", "\x00"))]


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
    assert said.startswith("fieldc: ") and said.isprintable() and "internal" not in said
    assert len(said) <= ERROR_WIDTH + len("fieldc: ")
    assert contents(place) == before and not list(tmp_path.iterdir())
