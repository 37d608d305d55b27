"""The Rust package: it compiles alone, computes on every path, and its proofs are of its text."""

from __future__ import annotations

import json
import os
import random
import re
import runpy
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from crate_object import FLAGS, host, installed, rustc, sections_of
from sampling import sampled

from fieldc.algorithms.pseudo_mersenne import folded_high
from fieldc.algorithms.representations import MONTGOMERY, PLAIN
from fieldc.artifacts import arrays
from fieldc.artifacts.digit_arrays import DIGIT_OPERATIONS
from fieldc.artifacts.verify import Job, Verdict, prove_new
from fieldc.binary.linkable import functions
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.commands.build import FASTEST, in_rust
from fieldc.decisions.preferred import preferred
from fieldc.decisions.representation import OF_PACKAGES
from fieldc.modulus import is_prime
from fieldc.packages.c.package import fastest as fastest_in_c
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.arrays import OPERATIONS, SUM, TABLES
from fieldc.packages.rust.cargo import trait_names
from fieldc.packages.rust.classes import class_expressions, class_of, kernels_of
from fieldc.packages.rust.kernels import assembled
from fieldc.packages.rust.library import sources
from fieldc.packages.rust.own_kernels import TARGET, kernel_of, products
from fieldc.packages.rust.package import package_name, type_name
from fieldc.packages.rust.plain import fastest, why_not_plain
from fieldc.packages.rust.schedules import crate_kernel
from fieldc.packages.rust.updates import OPERATIONS as UPDATES
from fieldc.packages.rust.updates import is_updated
from fieldc.packages.rust.written import kernels_in
from fieldc.packages.rust.written_inline import inline_kernels_in
from fieldc.progress import Progress

CARGO = shutil.which("cargo")
needs_cargo = pytest.mark.skipif(CARGO is None, reason="cargo is not installed: not compiled here")


def drawn(bits: int) -> str:
    """A random prime of some bits, always the same."""
    draw = random.Random(bits)
    while True:
        p = draw.getrandbits(bits) | 1 << bits - 1 | 1
        if is_prime(p):
            return hex(p)


COMPILED = (drawn(250),)  # 4 limbs with room
MORE = (
    "3",
    "secp256k1-p",
    "2^255-19",
    "2^251-9",
    "2^414-17",
    "bls12-381-p",
    "bls12-381-r",
    "p256",
    "7",
    "2^61-1",
    "goldilocks",
    "bw6-761-p",
    "p521",
    drawn(320),
)


def built(text: str, folder: Path, *more: str) -> dict[str, object]:
    """The manifest of a package that was written."""
    assert main(["build", text, "--package", "rust", *more, "-o", str(folder)]) == 0
    found: dict[str, object] = json.loads((folder / "manifest.json").read_text())
    return found


def cargo(folder: Path, *words: str, flags: str = "-D warnings") -> str:
    """What cargo prints in a package, without a network; its errors if it fails."""
    assert CARGO is not None
    environment = {**os.environ, "CARGO_NET_OFFLINE": "true", "RUSTFLAGS": flags}
    environment |= {"CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}
    environment["CARGO_TARGET_DIR"] = str(folder.parent / "target")
    done = subprocess.run(
        [CARGO, *words], cwd=folder, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@needs_cargo
@pytest.mark.parametrize("text", sampled(COMPILED, MORE))
def test_its_own_tests_pass(text: str, tmp_path: Path) -> None:
    folder = tmp_path / "package"
    built(text, folder)
    said = cargo(folder, "test", "--quiet", "--features", "alloc")
    slices, has_room = 3 + (sys.platform == "linux"), 4 * find_field(text).p < find_field(text).R
    counts = sorted(map(int, re.findall(r"test result: ok. (\d+) passed", said)))
    assert [n for n in counts if n > 2] == sorted([slices, 4 + has_room])
    assert said.count("test result: ok. 2 passed") == 2  # arrays in digits, documentation
    assert (folder / "Cargo.lock").read_text().count("[[package]]") == 1
    if shutil.which("cargo-clippy"):
        cargo(folder, "clippy", "--quiet", "--all-targets", "--", "-D", "warnings")


@needs_cargo
@pytest.mark.full
def test_every_other_build_passes(tmp_path: Path) -> None:
    folder = tmp_path / "package"
    built("2^127-1", folder)
    run = f"run --example {next((folder / 'examples').iterdir()).stem}"
    for words in ("test --features portable", run, "doc --no-deps", "fmt --check"):
        cargo(folder, *words.split(), "--quiet")
    for name in filter(installed, ("aarch64-unknown-linux-gnu", "riscv64gc-unknown-linux-gnu")):
        cargo(folder, "check", "--quiet", "--target", name)


PLAIN_ONES = ("2^255-19", "secp256k1-p", "2^521-1", "2^251-9", "2^61-1")


@pytest.mark.parametrize("text", PLAIN_ONES)
def test_residues_are_plain_where_that_is_the_fastest(text: str) -> None:
    f = find_field(text)
    assert fastest(f, TARGET, OF_PACKAGES) is PLAIN and not why_not_plain(f)


def test_a_package_is_the_same_on_every_host() -> None:
    """Processors disagree about 2^127 - 1, so the one that builds is not asked."""
    f = find_field("2^127-1")
    assert (fastest(f, TARGET, "zen-4"), fastest_in_c(f)) == (MONTGOMERY, PLAIN)
    assert (in_rust(f, FASTEST, None), in_rust(f, FASTEST, "zen-4")) == (PLAIN, MONTGOMERY)


def test_residues_of_other_primes_are_not() -> None:
    assert fastest(find_field(drawn(250)), TARGET, "zen-4") is MONTGOMERY
    assert "too much for one fold" in why_not_plain(find_field("2^31-1"))
    assert "more than a limb" in why_not_plain(find_field("p256"))


def test_a_fold_of_any_limbs_stays_below_2p() -> None:
    """What `why_not_plain` asks for is enough, at the largest number of 2n limbs."""
    for text in PLAIN_ONES:
        f = find_field(text)
        most = (1 << 2 * f.word * f.n) - 1
        assert folded_high(f, folded_high(f, most, f.word * f.n), f.bits) < 2 * f.p


def test_the_representation_can_be_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = built("2^61-1", tmp_path, "--representation", "montgomery")["kernels"]
    assert isinstance(rows, list)
    operations = {row["op"] for row in rows}
    assert {"mul", "square", "mul_lazy"} <= operations
    assert not any("plain" in operation for operation in operations)
    assert "--representation montgomery" in (tmp_path / "README.md").read_text()
    for text, reason in (("p256", "2^256 - p"), ("2^31-1", "too much for one fold")):
        words = ["build", text, "--package", "rust", "--representation", "plain"]
        assert main([*words, "-o", str(tmp_path / "none")]) == 2
        assert reason in capsys.readouterr().err


OTHER = """//! A field that is not the package's.

NAME::field! {
    /// Another modulus of two limbs.
    pub struct Other(modulus = "0x7ffffffffffffffffffffffffffffffd", prime);
}
"""


@needs_cargo
def test_another_modulus_is_refused(tmp_path: Path) -> None:
    """The kernels have the constants of their own modulus inside: another would compute wrongly."""
    folder = tmp_path / "package"
    built("2^127-1", folder)
    name = re.findall('name = "(.*)"', (folder / "Cargo.toml").read_text())[0]
    other = OTHER.replace("NAME", name.replace("-", "_"))
    (folder / "tests" / "other.rs").write_text(other)
    with pytest.raises(AssertionError, match="this package is for one modulus"):
        cargo(folder, "check", "--quiet", "--test", "other")
    same = other.replace("fffd", "ffff")
    (folder / "tests" / "other.rs").write_text(same)
    cargo(folder, "check", "--quiet", "--test", "other")


@pytest.mark.parametrize(
    "text", sampled(["secp256k1-p"], [drawn(250), "bls12-381-p", "p256", drawn(320)])
)
def test_what_is_proved_is_its_text(text: str, tmp_path: Path) -> None:
    f, folder = find_field(text), tmp_path / "package"
    rows = built(text, folder)["kernels"]
    assert isinstance(rows, list)
    files = {row["file"] for row in rows}
    found = {k: v for file in files for k, v in kernels_in((folder / file).read_text()).items()}
    wanted = {"mul", "square", "sum_of_products"}
    wanted |= {"mul_lazy", "square_lazy"} if 4 * f.p < f.R else set()
    updates = {*UPDATES} if is_updated(f) else set()
    known = {row["op"].replace("_plain", "") for row in rows}
    assert known == wanted | updates
    assert len(rows) == 2 * len(wanted) + len(updates) == len(found)
    for row in rows:
        assert row["status"] == "PROVED" and (folder / row["certificate"]).is_file()
        assert (folder / row["object"]).read_bytes() == assembled(found[row["symbol"]], f)
        # Constants are numbers, but for updates, which are the crate's: no other kernel is generic.
        assert row["op"] in updates or "M::" not in found[row["symbol"]].operands
    assert main(["prove", str(folder)]) == 0


@pytest.mark.parametrize("text", ["3", "2^61-1", "goldilocks", "2^31-1"])
def test_what_is_proved_of_one_limb_is_its_text(text: str, tmp_path: Path) -> None:
    """Its kernels are inlined, sums and differences too."""
    f, folder = find_field(text), tmp_path / "package"
    rows = built(text, folder)["kernels"]
    assert isinstance(rows, list)
    found = inline_kernels_in((folder / rows[0]["file"]).read_text())
    wanted = {"mul", "square", "sum_of_products", "add", "sub"}
    if 4 * f.p < f.R:
        wanted |= {f"{each}_lazy" for each in ("mul", "square", "add", "sub", "reduce")}
    known = {row["op"].replace("_plain", "") for row in rows}
    assert known == wanted and len(rows) == len(wanted) == len(found)
    for row in rows:
        assert row["status"] == "PROVED" and (folder / row["certificate"]).is_file()
        kernel = found[row["symbol"]]
        assert (folder / row["object"]).read_bytes() == kernel.assembled(f)
        # Constants are numbers: no kernel is generic.
        assert not any("M::" in operand.before for operand in kernel.operands)
    assert main(["prove", str(folder)]) == 0


def test_the_object_has_the_bytes_that_were_proved(tmp_path: Path) -> None:
    """Kernels on arrays: what rustc makes of the text is the object of the proof."""
    rows = built("2^127-1", tmp_path, "--representation", "montgomery")["arrays"]
    assert isinstance(rows, list)
    in_digits = {"to_digits", "from_digits", *(f"{each}_lazy" for each in DIGIT_OPERATIONS)}
    assert {row["op"] for row in rows} <= {*OPERATIONS, *SUM, *in_digits, "mul_by_1", "reduce_lazy"}
    assert in_digits <= {row["op"] for row in rows}
    assert {row["target"] for row in rows} == {target.name for target in TABLES}
    assert "mul" in {row["op"] for row in rows}
    assert {row["status"] for row in rows} == {"PROVED"}
    if not host().startswith("x86_64") or "linux" not in host():
        pytest.skip("SKIPPED: rustc makes no ELF object for x86-64 here")
    made = tmp_path / "library.o"
    kind = ("--crate-type", "rlib", "--cfg", 'feature="vectors"', f"--emit=obj={made}")
    rustc(*FLAGS, *kind, tmp_path / "src" / "lib.rs")
    here = sections_of(made)
    for row in rows:
        (proved,) = functions((tmp_path / row["object"]).read_bytes()).values()
        assert here[row["symbol"]] == proved.code[proved.start :]


def test_a_kernel_that_is_not_proved_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Then a slice is computed one element at a time."""

    def without_products(jobs: Sequence[Job], progress: Progress) -> list[Verdict]:
        found = prove_new(jobs, progress)
        pairs = zip(jobs, found, strict=True)
        return [replace(v, failure="no") if "_mul_array" in j.symbol else v for j, v in pairs]

    monkeypatch.setattr(arrays, "prove_new", without_products)
    rows = built("2^61-1", tmp_path, "--representation", "montgomery")["arrays"]
    assert isinstance(rows, list)
    assert "square" in {row["op"] for row in rows} and "mul" not in {row["op"] for row in rows}
    (place,) = {row["file"] for row in rows}
    text = (tmp_path / place).read_text()
    assert text.count("mul: None,") == len(TABLES)


def test_another_build_is_the_same(tmp_path: Path) -> None:
    for name in ("one", "other"):
        built("secp256k1-p", tmp_path / name, "--processor", "cascade-lake")
    one, other = (
        {p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*.*")}
        for name in ("one", "other")
    )
    assert one == other


def test_examples_of_other_crates_are_left_out(tmp_path: Path) -> None:
    built("2^61-1", tmp_path)
    for path in sorted((tmp_path / "src").rglob("*.rs")):
        lines = path.read_text().splitlines()
        examples = [line for line in lines if "use fieldc::" in line and "//" in line]
        assert not examples, path
    head = (tmp_path / "src/lib.rs").read_text()
    assert head.startswith("//! Arithmetic modulo 0x1fffffffffffffff: 61 bits in 1 limb of 64 bits")


def test_traits_are_dependencies(tmp_path: Path) -> None:
    built("2^61-1", tmp_path, "--traits", "ff,bits")
    text = (tmp_path / "Cargo.toml").read_text()
    assert 'default = ["vectors", "ff", "bits"]\n' in text
    features, _, rest = text.partition("[dependencies]")
    names = [line.partition(" = ")[0] for line in rest.splitlines() if " = {" in line]
    assert names == ["ff", "rand_core", "subtle", "unexpected_cfgs"]
    assert 'ff = ["dep:ff", "rand_core", "subtle"]' in features
    assert 'bits = ["ff?/bits"]' in features
    assert "No generator" in (tmp_path / "README.md").read_text()


@needs_cargo
@pytest.mark.full
def test_traits_compile(tmp_path: Path) -> None:
    """With the crates that this machine has fetched before; without them it skips."""
    folder = tmp_path / "package"
    built("bls12-381-r", folder, "--traits", ",".join(trait_names()))
    try:
        cargo(folder, "generate-lockfile")
    except AssertionError as error:
        pytest.skip(f"the crates are not here: {str(error).splitlines()[-1]}")
    cargo(folder, "test", "--quiet")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("2^61-1", "--traits", "serde,fff"), "no traits are named 'fff'; the nearest: ff"),
        (("2^61-1", "--op", "mul"), "--package rust chooses by itself; leave out --op"),
        (("2^61-1", "--word", "32"), "--package rust has 64-bit limbs; leave out --word"),
        (("2^1024-105",), "up to 768 bits, not 1024; use --package c"),
    ],
)
def test_refusals(
    words: tuple[str, ...], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "package"
    assert main(["build", *words, "--package", "rust", "-o", str(folder)]) == 2
    assert said in capsys.readouterr().err
    assert not folder.exists()


def test_traits_are_for_rust_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["build", "2^61-1", "--traits", "ff", "-o", str(tmp_path / "out")]
    assert main(command) == 2 and main([*command, "--package", "c"]) == 2
    first, second = capsys.readouterr().err.splitlines()
    assert "--traits goes with --package rust" in first and first == second


def test_names() -> None:
    names = {"bls12-381-r": "Fr", "secp256k1-n": "Fr", "p256": "Fp", "2^61-1": "Fp"}
    assert {text: type_name(find_field(text)) for text in names} == names
    assert package_name(find_field("bls12-381-p")) == "fieldc-bls12-381-p"


def test_an_installed_fieldc_has_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    setuptools = pytest.importorskip("setuptools")
    monkeypatch.setattr(setuptools, "setup", lambda **_: None)
    monkeypatch.chdir(ROOT)
    runpy.run_path("setup.py")["copy_crate"](tmp_path)
    folder = tmp_path / "fieldc/packages/rust/library"
    assert (folder / "Cargo.toml").is_file() and (folder / "LICENSE-MIT").is_file()
    found = {p.relative_to(folder / "src").as_posix() for p in folder.rglob("*.rs")}
    assert {*sources(), "lib.rs"} <= found
    assert not (folder / "src/generated").exists()


LABELS = {
    "P-256": "p256",
    "P-521": "p521",
    "2^255 - 19": "curve25519",
    "P-384": "p384",
    "M-511": "m-511",
    "secp256k1 n": "secp256k1-n",
    "Pallas p": "pallas",
    "BLS12-381 p": "bls12-381-p",
    "BN254 p": "bn254-p",
}


@pytest.mark.parametrize("label", LABELS)
def test_the_page_counts_multiplications(label: str) -> None:
    page = (ROOT / "docs/rust-package.md").read_text(encoding="utf-8")
    (row,) = (line for line in page.splitlines() if line.startswith(f"| {label} |"))
    f, cells = find_field(LABELS[label]), row.split(" | ")[1:]
    r = fastest(f, TARGET, "sapphire-rapids")
    for operation, cell in zip(("mul", "square", "sum_of_products"), cells, strict=True):
        decision = preferred(f, r.parts[operation], TARGET, "sapphire-rapids")
        choice = decision.unscheduled.variant("mulx")
        of = kernels_of(class_of(f), f.n)[operation]
        known = {e.kernel.operation: e for e in class_expressions(of, f.n)}[operation]
        before = products(crate_kernel(of, known, "kernel", "mulx"))
        after = products(kernel_of(choice)[0])
        name = choice.expression.kernel.algorithm
        said = f"{before} to {after}, {name}" if after != before else str(before)
        assert cell.rstrip(" |") == said
