"""The JavaScript package: it computes in Node and in Chromium, and refuses what it must."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from outputs import contents, missing_files

from fieldc.algorithms.representations import REPRESENTATIONS
from fieldc.catalogue import find_field, named_primes
from fieldc.cli import main
from fieldc.field import Field
from fieldc.machine.wasm import why_not_node
from fieldc.machine.wasm_wide import why_not_wasmtime
from fieldc.packages.checked_in import COMMAND, ROOT
from fieldc.packages.js.module import fastest
from fieldc.packages.js.npm import FILES, FOLDER, generate
from fieldc.packages.js.package import LIBRARY, chain_text
from fieldc.properties import least_non_residue, properties

PACKAGE = ROOT / "packages/js"
NAMED = (
    *("bls12-381-p", "bls12-381-r", "bn254-p", "secp256k1-p", "p521", "goldilocks"),
    *("bn254-r", "curve25519"),
)
"""6 limbs, 4, 4, 4 without a spare bit, 9, and 1 without a spare bit; then 2^28 divides p - 1, and
p = 5 modulo 8."""
OWN = (
    ("2^192-237", "plain"),
    ("2^192-237", "montgomery"),
    ("2^125-9", "plain"),
    ("secp256k1-n", "montgomery"),
    ("7", "plain"),
    ("3", "plain"),
    ("2^1000-1245", "montgomery"),
)
"""3 limbs, the same the other way, no spare bit, two that are tested exhaustively, and a long one:
its plain products do not fit digits."""
ANY = ("bn254-p", "2^61-1", "2^285-9", "3", "5", "13", "31")
MODULES = shutil.ignore_patterns("node_modules")
WIDE = "--wasm-wide-arithmetic"
"""What V8 is told to have it."""
node = pytest.mark.skipif(bool(why_not_node()), reason=f"SKIPPED: {why_not_node()}")

SEEN = os.pathsep.join((str(PACKAGE / "node_modules/.bin"), os.environ.get("PATH", os.defpath)))
ESBUILD = shutil.which("esbuild", path=SEEN)


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The npm package with the library in it, as `npm install` leaves it."""
    copy = tmp_path_factory.mktemp("npm") / "js"
    ignored = shutil.ignore_patterns("node_modules", "lib", "wasm")
    shutil.copytree(PACKAGE, copy, ignore=ignored)
    (copy / "lib").mkdir()
    for file in LIBRARY.iterdir():
        (copy / "lib" / file.name).write_bytes(file.read_bytes())
    if (PACKAGE / "node_modules").is_dir() and os.name == "posix":
        (copy / "node_modules").symlink_to(PACKAGE / "node_modules")
    return copy


def run(folder: Path, *command: str | Path, given: str = "") -> str:
    """What a command prints; its errors if it fails."""
    words = list(map(str, command))
    done = subprocess.run(words, cwd=folder, input=given, capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@node
@pytest.mark.parametrize("words", [["--nope"], ["--json"], ["--json", "no/such/folder/rows.json"]])
def test_the_bench_says_in_one_line_what_is_wrong(words: list[str]) -> None:
    command = ["node", str(PACKAGE / "bench/bench.mjs"), *words]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("bench.mjs: ") and done.stderr.count("\n") == 1
    assert run(PACKAGE, "node", "bench/bench.mjs", "--help").startswith("node bench/bench.mjs [")


def cases(f: Field, how: str, count: int = 6) -> dict[str, object]:
    """Edge values and random ones in pairs, and what Python makes of them."""
    draw, p = random.Random(f.p), f.p
    edges = {0, 1, 2, p - 1, p - 2, p // 2, f.one, f.R2, (1 << f.bits - 1) - 1, (1 << 64) - 1}
    some = sorted(v for v in edges if v < p) + [draw.randrange(p) for _ in range(count)]
    x = [a for a in some for _ in range(2)]
    y = [draw.choice(some) for _ in x]
    pairs = list(zip(x, y, strict=True))
    values = {
        "x": x,
        "y": y,
        "add": [(a + b) % p for a, b in pairs],
        "sub": [(a - b) % p for a, b in pairs],
        "mul": [a * b % p for a, b in pairs],
        "pow": [pow(a, b, p) for a, b in pairs],
        "neg": [-a % p for a in x],
        "square": [a * a % p for a in x],
        "inv": [pow(a, -1, p) if a else 0 for a in x],
        "is_square": [int(pow(a, (p - 1) // 2, p) < 2) for a in x],
        "root": [min(a, -a % p) for a in x],
    }
    texts = {name: list(map(str, numbers)) for name, numbers in values.items()}
    return {
        "how": how,
        "name": f.name,
        "p": str(p),
        "values": texts,
        "roots": list(map(str, roots(p, how))),
        "exhaustive": p < 64,
    }


def roots(p: int, how: str) -> list[int]:
    """The roots of unity of orders 1, 2, 4, ... up to 2^7, as every interface has them.

    A field of a modulus alone has no generator: there they are of the least non-residue.
    """
    known, base = properties(p), least_non_residue(p)
    if how != "modulus" and known.generator is not None:
        base = known.generator
    return [pow(base, (p - 1) >> k, p) for k in range(min(known.two_adicity, 7) + 1)]


def check_package(index: Path, given: list[dict[str, object]]) -> None:
    """The fields of a package against Python's integers."""
    said = run(PACKAGE, "node", "test/cases.mjs", index, given=json.dumps(given))
    assert len(re.findall(r"^(named|modulus|own) \S+: \d+ values$", said, re.M)) == len(given)


def test_every_checked_in_file_is_what_is_generated() -> None:
    assert not FILES.stale(ROOT), f"run: {COMMAND}"


def test_checked_in_files_say_how_to_make_them_again_and_are_small() -> None:
    files = generate()
    assert sum(map(len, files.values())) < 520 << 10
    for path, text in files.items():
        assert f"`{COMMAND}`" in text.splitlines()[0], path
    for name, prime in named_primes().items():
        assert f"  p: {prime.p:#x}n,\n" in files[f"{FOLDER}/modules/{name}.js"]


@pytest.mark.parametrize(
    "text", [*NAMED, "p384", "pallas", "3", "7", "257", "2^285-9", "2^1000-1245"]
)
def test_a_module_has_the_chain_of_its_prime(text: str) -> None:
    f = find_field(text)
    steps = [list(map(int, s.split(","))) for s in re.findall(r"\[([-\d,]+)\]", chain_text(f))]
    exponents, last = {0: 1, -1: 0}, 0
    for squarings, by, *places in steps:
        of, to = places or (last, last)
        assert to != by
        exponents[to] = (exponents[of] << squarings) + exponents[by]
        last = to
    even = f.p - 1
    assert exponents[last] == (even // (even & -even) // 2 or even)


@node
def test_named_fields_compute(installed: Path) -> None:
    check_package(installed / "index.js", [cases(find_field(name), "named") for name in NAMED])


@node
def test_fields_of_any_prime_compute(installed: Path) -> None:
    check_package(installed / "index.js", [cases(find_field(text), "modulus") for text in ANY])


@node
@pytest.mark.parametrize(("text", "name"), OWN)
@pytest.mark.sweep(2)
def test_a_field_of_one_s_own_computes(text: str, name: str, tmp_path: Path, capsys) -> None:
    r = next(r for r in REPRESENTATIONS if r.name == name)
    words = () if fastest(find_field(text)) is r else ("--representation", name)
    assert main(["build", text, "--package", "js", *words, "-o", str(tmp_path)]) == 0
    in_engines = 1 + (not why_not_wasmtime())
    assert capsys.readouterr().out.count("TESTED") == 5 * in_engines
    check_package(tmp_path / "index.js", [cases(find_field(text), "own")])
    assert not missing_files(tmp_path)
    kernels = json.loads((tmp_path / "manifest.json").read_text())["kernels"]
    assert {k["op"] for k in kernels} == {"add", "sub", "neg", r.parts["mul"], r.parts["square"]}
    assert {k["representation"] for k in kernels} == {None, name}
    made = {"wasm32": "module.wasm", "wasm32-wide": "module-wide.wasm"}
    assert {(k["target"], k["object"]) for k in kernels} == made.items()
    assert {k["file"] for k in kernels} == {"module.js"} and len(kernels) == 10
    example = (tmp_path / "example.mjs").read_text()
    assert example in (tmp_path / "README.md").read_text()
    assert run(tmp_path, "node", "example.mjs") == "1n\n[ 1n, 1n, 1n ]\n"


WITHOUT_WASM = """
import { Field } from "./index.js";
console.log(typeof WebAssembly, await Field.named("bn254-p").catch(String));
const F = await Field.fromModulus(101n);
console.log(F.squareVec(F.vector(2), F.from([20n, F.inv(2n)])).toBigInts());
"""


@node
def test_an_engine_without_webassembly_computes_on_bigints(installed: Path) -> None:
    said = run(installed, "node", "--jitless", "--input-type=module", "--eval", WITHOUT_WASM)
    assert said.splitlines() == [
        "undefined Error: this engine has no WebAssembly: Field.fromModulus(p) computes on bigints",
        "[ 97n, 76n ]",
    ]


@node
@pytest.mark.parametrize("name", sorted(p.name for p in (PACKAGE / "test").glob("*.test.mjs")))
def test_tests_in_node(name: str, installed: Path) -> None:
    said = run(installed, "node", "--test", "--test-reporter=tap", f"test/{name}")
    assert "# fail 0" in said
    if name == "noble.test.mjs" and "# SKIP" in said:
        pytest.skip("SKIPPED: no @noble/curves; run: npm install in packages/js")


@node
@pytest.mark.parametrize("page", ["README.md", "packages/js/README.md"])
def test_examples_do_what_they_say(page: str, installed: Path, tmp_path: Path) -> None:
    (example,) = re.findall(r"^```js\n(.*?)^```", (ROOT / page).read_text(), re.M | re.S)
    shutil.copytree(installed, tmp_path / "node_modules/fieldc", ignore=MODULES)
    (tmp_path / "example.mjs").write_text(example)
    said = re.findall(r"console\.log.*// (.*)$", example, re.M)
    assert run(tmp_path, "node", "example.mjs").splitlines() == said


@node
def test_modules_as_files(installed: Path, tmp_path: Path) -> None:
    copy = tmp_path / "js"
    shutil.copytree(installed, copy, ignore=MODULES)
    run(copy, "node", "scripts/wasm-files.mjs")
    made = {path.stem: path.read_bytes() for path in (copy / "wasm").glob("*.wasm")}
    assert made.keys() == {f"{name}{wide}" for name in named_primes() for wide in ("", "-wide")}
    assert all(code.startswith(b"\0asm\1\0\0\0") for code in made.values())


@node
def test_types(installed: Path) -> None:
    compiler = PACKAGE / "node_modules/.bin/tsc"
    if not compiler.exists():
        pytest.skip("SKIPPED: no TypeScript; run: npm install in packages/js")
    run(installed, compiler, "-p", "test")
    run(installed, compiler, "-p", "test/tsconfig.plain.json")  # with no library but es2022


@node
@pytest.mark.parametrize("page, flags", [("page.html", ""), ("page.html#wide", WIDE)])
def test_chromium(page: str, flags: str, installed: Path, tmp_path: Path) -> None:
    shutil.copytree(installed, tmp_path / "js", ignore=MODULES)
    given = [cases(find_field(name), "named") for name in NAMED]
    given += [cases(find_field(text), "modulus") for text in ("2^285-9", "7")]
    (tmp_path / "js/test/cases.json").write_text(json.dumps(given))
    said = run(PACKAGE, "node", "scripts/chromium.mjs", tmp_path, f"js/test/{page}", flags).strip()
    if said.startswith("SKIPPED"):
        pytest.skip(said)
    assert said.count(" values") == len(NAMED) + 2 and said.endswith("DONE"), said


@node
@pytest.mark.skipif(ESBUILD is None, reason="SKIPPED: esbuild is not installed")
def test_a_bundle_of_one_field_has_no_other(installed: Path, tmp_path: Path) -> None:
    """The program of the README for bundlers: it computes, and is as small as the README says."""
    said = (PACKAGE / "README.md").read_text("utf-8")
    ((kilobytes, program),) = re.findall(
        r"about (\d+) kB [^\n]*\n\n```js bundle\n(.*?)```", said, re.S
    )
    (tmp_path / "node_modules").mkdir()
    shutil.copytree(installed, tmp_path / "node_modules/fieldc", ignore=MODULES)
    (tmp_path / "entry.mjs").write_text(program + "console.log(F.mul(3n, 5n));\n")
    how = ("--bundle", "--minify", "--format=esm", "--outfile=bundle.mjs")
    run(tmp_path, str(ESBUILD), "entry.mjs", "--log-level=warning", *how)
    bundle = (tmp_path / "bundle.mjs").read_text("utf-8")
    assert abs(len(bundle) / 1000 - int(kilobytes)) < 2
    for name, prime in named_primes().items():
        assert (f"{prime.p:#x}n" in bundle or f"{prime.p}n" in bundle) == (name == "bn254-p")
    (tmp_path / "node_modules").rename(tmp_path / "elsewhere")
    assert run(tmp_path, "node", "bundle.mjs") == "15n\n"


@pytest.mark.skipif(shutil.which("npm") is None, reason="SKIPPED: there is no npm")
def test_a_build_replaces_what_npm_leaves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder, other = tmp_path / "p17", tmp_path / "other"
    words = ("build", "17", "--package", "js", "-o", str(folder))
    assert main([*words]) == 0
    before = contents(folder)
    other.mkdir()
    (other / "package.json").write_text('{"name": "other", "version": "1.0.0"}')
    monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
    run(folder, "npm", "install", "--offline", "--no-audit", str(other))
    packed = [run(folder, "npm", "pack", "--json") for _ in range(2)]
    (first,), (second,) = map(json.loads, packed)  # nothing of npm's own is packed
    assert first["files"] == second["files"] and (folder / first["filename"]).is_file()
    assert main([*words]) == 0
    assert contents(folder) == before
