"""The crate on AArch64 as rustc compiles it: the bytes that are proved, run by an emulator."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Collection
from pathlib import Path

import pytest
from crate_object import CRATE, compiled_crate, using_crate
from emulated_cargo import LINUX, cargo_for_arm
from primes import OF_EVERY_CLASS
from sampling import sampled

from fieldc.catalogue import find_field, named_primes
from fieldc.field import Field
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.aarch64 import kernels_for
from fieldc.packages.rust.aarch64_kernels import code
from fieldc.packages.rust.classes import class_of
from fieldc.packages.rust.crate import FOLDER, families
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.plain import class_name, own_operations, own_primes, plain_primes
from fieldc.packages.rust.written import kernels_in

GENERATED = ROOT / FOLDER
NOP = 0xD503201F.to_bytes(4, "little")
IN_EVERY_RUN = ("aarch64-apple-darwin",)
TRIPLES = (*IN_EVERY_RUN, "aarch64-pc-windows-msvc", "aarch64-unknown-linux-gnu")


def user(fields: Collection[str]) -> str:
    """A crate that uses some named fields."""
    text = "#![allow(unused_imports)]\n"
    for module, primes in families().items():
        for name in (name for name, prime in primes.items() if prime.name in fields):
            of = f"fieldc::{module}::{name}"
            text += f"pub fn {module}_{name.lower()}(x: {of}, y: {of}) -> {of} "
            text += f"{{ <{of}>::sum_of_products(&[x, y], &[y, x]).square() * y }}\n"
    return text


def test_make_installs_the_targets_that_are_compiled_for() -> None:
    """Without them tests are skipped."""
    (found,) = re.findall(r"^FOREIGN := ((?:.*\\\n)*.*)", (ROOT / "Makefile").read_text(), re.M)
    assert {*TRIPLES, LINUX} < set(found.split())


@pytest.mark.parametrize("triple", sampled(IN_EVERY_RUN, TRIPLES[1:]))
@pytest.mark.parametrize(
    "fields", sampled([OF_EVERY_CLASS], [tuple(named_primes())]), ids=["some", "every"]
)
def test_rustc_makes_the_bytes_that_are_proved(
    triple: str, fields: Collection[str], tmp_path: Path, run_folder: Path
) -> None:
    """An object of the kernels of fields of every class, and in the full run of each field."""
    crate = compiled_crate(run_folder, triple)
    (tmp_path / "user.rs").write_text(user(fields))
    flags = ("--target", triple, "--crate-type", "lib", f"--emit=obj={tmp_path / 'user.o'}")
    using_crate(crate, *flags, tmp_path / "user.rs")
    check_bytes((tmp_path / "user.o").read_bytes(), fields)


def kernels_of_type(f: Field) -> dict[str, str]:
    """What the type of a named prime multiplies by: operations, and the class in their names."""
    found = {op: c.suffix for op, c in kernels_for(class_of(f), f.n).items()}
    if f in own_primes():
        operations = [op for op in own_operations(f) if not op.endswith("_lazy")]
        own = dict.fromkeys(operations, class_name(f))
        return own if f in plain_primes() else found | own
    return found


def check_bytes(data: bytes, fields: Collection[str]) -> None:
    """Each kernel of the fields is there: instructions, filling, and constants."""
    for name in fields:
        f = find_field(name)
        if f.n in INLINED:  # tests/test_inlined.py proves what rustc makes of these
            continue
        kernels = kernels_in((GENERATED / f"aarch64_n{f.n:02}.rs").read_text())
        for operation, of in kernels_of_type(f).items():
            kernel = kernels[f"{operation}_{of}"]
            made = code(kernel, f)
            end = 4 * kernel.lines[: kernel.lines.index(".p2align")].count("\n")
            table = made[end + end % 8 :]
            assert len(table) >= 8 and made[end : end + end % 8] == NOP[: end % 8]
            found = re.escape(made[:end]) + b".{%d}" % (end % 8) + re.escape(table)
            assert re.search(found, data, re.DOTALL), (name, kernel.symbol)
            assert kernel.name_for(f).encode() in data


PROGRAM = """
[package]
name = "on-arm"
version = "0.0.0"
edition = "2024"

[workspace]

[dependencies]
fieldc = {{ path = "{crate}" }}
num-bigint = "0.4"

[profile.dev]
opt-level = 1
debug = "none"
incremental = false
"""
"""A crate of some of the crate's tests, which need less than all of them: little is compiled."""


def crate_of_tests(folder: Path, names: tuple[str, ...]) -> None:
    """Write it, with the versions that the workspace has."""
    (folder / "src").mkdir()
    (folder / "src/lib.rs").write_text("")
    text = PROGRAM.format(crate=CRATE)
    for name in names:
        (path,) = (p for p in (f"{name}.rs", f"{name}/main.rs") if (CRATE / "tests" / p).is_file())
        text += f'\n[[test]]\nname = "{name}"\npath = "{CRATE / "tests" / path}"\n'
    (folder / "Cargo.toml").write_text(text)
    shutil.copy(ROOT / "Cargo.lock", folder)


@pytest.mark.parametrize(
    "tests",
    sampled([("arithmetic", "fp2", "kernels", "one_limb")], [("lazy", "operations")]),
    ids=" ".join,
)
def test_the_crate_computes_on_an_emulated_processor(
    tests: tuple[str, ...], tmp_path: Path
) -> None:
    cargo, environment = cargo_for_arm()
    crate_of_tests(tmp_path, tests)
    command = [cargo, "test", "--quiet", "--target", LINUX]
    command += [word for name in tests for word in ("--test", name)]
    environment |= {"CARGO_TARGET_DIR": str(tmp_path / "target")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert done.stdout.count("test result: ok") == len(tests)
