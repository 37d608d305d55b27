"""Libraries that are compiled here: crates with Rust or C, and a module of Go."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from audits.libraries import CRATES, Missing, Source, crates

GNARK, GNARK_VERSION = "github.com/consensys/gnark-crypto", "v0.18.0"
SECP256K1 = "depend/secp256k1"
RUST = """use core::ops::{Add, Mul, Sub};
macro_rules! exported {
    ($t:ty: $add:ident $sub:ident $neg:ident $double:ident $mul:ident $square:ident) => {
        #[no_mangle] pub extern "C" fn $add(z: &mut $t, x: &$t, y: &$t) { *z = <$t>::add(x, y) }
        #[no_mangle] pub extern "C" fn $sub(z: &mut $t, x: &$t, y: &$t) { *z = <$t>::sub(x, y) }
        #[no_mangle] pub extern "C" fn $mul(z: &mut $t, x: &$t, y: &$t) { *z = <$t>::mul(x, y) }
        #[no_mangle] pub extern "C" fn $neg(z: &mut $t, x: &$t) { *z = <$t>::neg(x) }
        #[no_mangle] pub extern "C" fn $double(z: &mut $t, x: &$t) { *z = <$t>::double(x) }
        #[no_mangle] pub extern "C" fn $square(z: &mut $t, x: &$t) { *z = <$t>::square(x) }
    };
}
exported!(halo2curves::bn256::Fq: fq_add fq_sub fq_neg fq_double fq_mul fq_square);
exported!(halo2curves::bn256::Fr: fr_add fr_sub fr_neg fr_double fr_mul fr_square);
"""
"""Its methods are compiled into their callers; these functions call each."""


def _ran(
    command: list[str], folder: Path, what: str, more: Mapping[str, str] | None = None
) -> None:
    """Run a command. Raises Missing."""
    program = shutil.which(command[0])
    if program is None:
        raise Missing(f"there is no {command[0]}")
    ran = subprocess.run(
        [program, *command[1:]],
        cwd=folder,
        env={**os.environ, **(more or {})},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        said = (ran.stderr.strip() or ran.stdout.strip() or "no word").splitlines()[-1]
        raise Missing(f"{what} is not built here: {said}")


@cache
def halo2curves(folder: Path) -> Source:
    """A static library of halo2curves' fields with its assembly. Raises Missing."""
    place = folder / "halo2"
    place.mkdir(exist_ok=True)
    version = CRATES["halo2curves"]
    (place / "Cargo.toml").write_text(
        '[package]\nname = "audited"\nversion = "0.1.0"\nedition = "2021"\n'
        '[lib]\npath = "lib.rs"\ncrate-type = ["staticlib"]\n[workspace]\n[dependencies]\n'
        f'halo2curves = {{ version = "={version}", features = ["asm"] }}\n'
    )
    (place / "lib.rs").write_text(RUST)
    target = {"CARGO_TARGET_DIR": str(place / "target")}
    _ran(["cargo", "build", "--release", "--quiet"], place, "halo2curves", target)
    return Source("halo2curves", version, place / "target" / "release" / "libaudited.a")


@cache
def secp256k1(folder: Path) -> Source:
    """The object of secp256k1-sys, by the options of its build. Raises Missing."""
    root = crates(folder) / f"secp256k1-sys-{CRATES['secp256k1-sys']}" / SECP256K1
    path = folder / "secp256k1.o"
    modules = ("ECDH", "SCHNORRSIG", "EXTRAKEYS", "ELLSWIFT", "MUSIG", "RECOVERY")
    defined = [f"-DENABLE_MODULE_{name}=1" for name in modules]
    defined += ["-DECMULT_WINDOW_SIZE=15", "-DUSE_EXTERNAL_DEFAULT_CALLBACKS=1", "-Dprintf(...)="]
    options = ["-O3", "-fPIC", "-ffunction-sections", *defined, "-I.", "-Isrc", "-Iinclude"]
    command = ["cc", *options, "-c", "src/secp256k1.c", "-o", str(path)]
    _ran(command, root, "secp256k1-sys")
    return Source("secp256k1-sys", CRATES["secp256k1-sys"], path)


@cache
def gnark(package: str, folder: Path) -> Source:
    """The test program of a package of gnark-crypto, as Go compiles it. Raises Missing."""
    place = folder / "gnark"
    place.mkdir(exist_ok=True)
    (place / "go.mod").write_text("module audited\n\ngo 1.23\n")
    whole = f"{GNARK}/{package}"
    (place / "audited.go").write_text(f'package audited\n\nimport _ "{whole}"\n')
    _ran(["go", "get", "-t", f"{whole}@{GNARK_VERSION}"], place, "gnark-crypto")
    path = place / f"{package.replace('/', '-')}.test"
    _ran(["go", "test", "-c", "-o", str(path), whole], place, "gnark-crypto")
    return Source("gnark-crypto", GNARK_VERSION.removeprefix("v"), path)
