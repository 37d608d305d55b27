"""The crate in programs: the oldest Rust compiles it, and a kernel is there once if it is used."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import lief
import pytest
from crate_object import CRATE, FLAGS, host

from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.packages.rust.package import RUST, fill, values

KERNEL = re.compile(r"fieldc_(\w+)_[0-9a-f]{16}((?:_\d+)*)")
PROGRAM = """
use one::bn254::Fp;
fn main() {{
    let x = one::bn254::Fp::from_limbs([2, 3, 5, 7]).unwrap();
    let y = {other}::bn254::Fp::from_limbs([2, 3, 5, 7]).unwrap();
    let z: Fp = (0..9).fold(x, |z, _| z * x);
    assert_eq!(z.to_limbs(), (y * y * y * y * y * y * y * y * y * y).to_limbs());
    println!("{{:x?}}", z.to_limbs());
}}
"""


def oldest() -> str:
    """The toolchain of the version that the crate says it needs. Skips where it is missing."""
    found = re.search(r'^rust-version = "([\d.]+)"', (CRATE / "Cargo.toml").read_text(), re.M)
    assert found
    if (rustup := shutil.which("rustup")) is None:
        pytest.skip("SKIPPED: rustup is not installed")
    listed = subprocess.run([rustup, "toolchain", "list"], capture_output=True, text=True).stdout
    versions = re.findall(rf"^{re.escape(found[1])}(?:\.\d+)?-\S+", listed, re.M)
    if not versions:
        pytest.skip(f"SKIPPED: no Rust {found[1]}; rustup toolchain install {found[1]}")
    return f"+{versions[0]}"


def rustc(*words: str | Path, toolchain: str = "") -> None:
    """Compile with the default toolchain, or another one."""
    if (tool := shutil.which("rustc")) is None:
        pytest.skip("SKIPPED: rustc is not installed")
    command = [tool, *filter(None, [toolchain]), *map(str, words)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def library(folder: Path, name: str, source: Path, toolchain: str = "") -> str:
    """Compile a crate; the argument that names it to a program."""
    file = folder / f"lib{name}.rlib"
    kind = ("--crate-type", "rlib", "--crate-name", "fieldc", "-C", f"metadata={name}")
    rustc(*FLAGS, *kind, source / "src" / "lib.rs", "-o", file, toolchain=toolchain)
    return f"{name}={file}"


def linked(folder: Path, *crates: str, other: str, toolchain: str = "", lto: str = "off") -> Path:
    """A program of some crates, which ran and gave what it should."""
    source, made = folder / "program.rs", folder / "program"
    source.write_text(PROGRAM.format(other=other))
    externs = [word for crate in crates for word in ("--extern", crate)]
    rustc(*FLAGS, "-C", f"lto={lto}", *externs, source, "-o", made, toolchain=toolchain)
    f = find_field("bn254-p")
    wanted = pow(sum(limb << 64 * i for i, limb in enumerate((2, 3, 5, 7))), 10, f.p)
    said = subprocess.run([made], capture_output=True, text=True, check=True).stdout
    assert said.strip() == f"[{', '.join(f'{limb:x}' for limb in f.limbs(wanted))}]"
    return made


def kernels_of(program: Path) -> list[tuple[str, str]]:
    """The kernels in a program: what each is called, and the limbs of its modulus."""
    binary = lief.parse(str(program))
    assert binary is not None
    found = (KERNEL.fullmatch(str(symbol.name)) for symbol in binary.symbols)
    return [(kernel[1], kernel[2]) for kernel in found if kernel]


def runs_assembly() -> bool:
    """Whether the crate has kernels for this machine, and objects are ELF."""
    return host().startswith(("x86_64", "aarch64")) and "linux" in host()


@pytest.mark.full
@pytest.mark.parametrize("lto", ["off", "fat"])
def test_two_copies_of_the_crate_share_the_kernels_that_are_used(tmp_path: Path, lto: str) -> None:
    """The linker keeps one of equal kernels, and none of those that nothing calls."""
    crates = [library(tmp_path, name, CRATE) for name in ("one", "two")]
    program = linked(tmp_path, *crates, other="two", lto=lto)
    if runs_assembly():
        f = find_field("bn254-p")
        symbols = ("mul_fold_mulx", "mul_fold_adx") if "x86_64" in host() else ("mul_spare",)
        limbs = "".join(f"_{limb}" for limb in f.limbs(f.p))
        assert sorted(kernels_of(program)) == sorted((symbol, limbs) for symbol in symbols)


def test_the_oldest_rust_compiles_the_crate_and_a_package(tmp_path: Path) -> None:
    toolchain, package = oldest(), tmp_path / "package"
    assert main(["build", "2^127-1", "--package", "rust", "-o", str(package)]) == 0
    library(tmp_path, "package", package, toolchain)
    crate = library(tmp_path, "one", CRATE, toolchain)
    linked(tmp_path, crate, other="one", toolchain=toolchain)


def test_a_package_says_the_same_version_as_the_crate() -> None:
    assert f'rust-version = "{RUST}"' in (CRATE / "Cargo.toml").read_text()
    assert f"Rust {RUST} or newer" in (CRATE / "README.md").read_text()
    f = find_field("2^61-1")
    assert f'rust-version = "{RUST}"' in fill("Cargo.toml", values(f, []) | {"command": ""})
