"""Where the audited routines come from: packages of Debian and crates, as they are built."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from fieldc.binary.image import Image, ObjectError
from fieldc.binary.read import open_images

CRATES = {
    "aws-lc-sys": "0.47.0",
    "blst": "0.3.17",
    "halo2curves": "0.10.0",
    "mcl_rust": "1.2.0",
    "ring": "0.17.14",
    "secp256k1-sys": "0.14.1",
    "semolina": "0.1.5",
}
PREFIXES = ("openssl/boringssl_prefix_symbols_asm.h", "ring_core_generated/prefix_symbols_asm.h")
"""Headers that a build generates to rename symbols; here they are empty."""
DEBIAN = {
    "libssl-dev": "libcrypto.a",
    "nettle-dev": "libhogweed.a",
}


class Missing(Exception):
    """A library that is not here; the message says why."""


@dataclass(frozen=True)
class Source:
    """A library's name, its version, and one of its files."""

    library: str
    version: str
    path: Path


def debian(package: str) -> Source:
    """A static library of a Debian package that is installed. Raises Missing."""
    if shutil.which("dpkg-query") is None:
        raise Missing("this system has no packages of Debian")
    form = "${Version}"
    asked = subprocess.run(
        ["dpkg-query", "--show", f"--showformat={form}", package],
        capture_output=True,
        text=True,
        check=False,
    )
    listed = subprocess.run(["dpkg", "-L", package], capture_output=True, text=True, check=False)
    paths = [Path(p) for p in listed.stdout.splitlines() if p.endswith("/" + DEBIAN[package])]
    if asked.returncode or not paths:
        raise Missing(f"the package {package} is not installed")
    return Source(package, f"Debian {asked.stdout.strip()}", paths[0])


@cache
def crates(folder: Path) -> Path:
    """The folder of the crates' sources, fetched by cargo. Raises Missing."""
    if shutil.which("cargo") is None:
        raise Missing("there is no cargo")
    wanted = "\n".join(f'{name} = "={version}"' for name, version in CRATES.items())
    head = '[package]\nname = "audited"\nversion = "0.1.0"\nedition = "2021"\n'
    (folder / "Cargo.toml").write_text(
        f'{head}[lib]\npath = "lib.rs"\n[dependencies]\n{wanted}\n[workspace]\n'
    )
    (folder / "lib.rs").write_text("")
    ran = subprocess.run(
        ["cargo", "vendor", "--quiet", "--versioned-dirs", "vendor"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise Missing("cargo fetches no crates: " + ran.stderr.strip().splitlines()[-1])
    return folder / "vendor"


COMPILERS = {"x86_64": ("cc",), "aarch64": ("clang", "--target=aarch64-linux-gnu")}
"""What assembles for an architecture, on x86-64."""


def crate(name: str, file: str, folder: Path, architecture: str, *include: str) -> Source:
    """An assembly file of a crate, assembled by a C compiler. Raises Missing."""
    program, *options = COMPILERS[architecture]
    compiler = shutil.which(program)
    if compiler is None:
        raise Missing(f"there is no {program}")
    root = crates(folder) / f"{name}-{CRATES[name]}"
    for header in PREFIXES:
        (folder / "include" / header).parent.mkdir(parents=True, exist_ok=True)
        (folder / "include" / header).write_text("")
    path = folder / f"{name}-{Path(file).stem}-{architecture}.o"
    places = [f"-I{folder / 'include'}", *(f"-I{root / place}" for place in include)]
    ran = subprocess.run(
        [compiler, *options, "-c", *places, "-o", str(path), str(root / file)],
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode:
        raise Missing(f"{name}: {file} is not assembled here")
    return Source(name, CRATES[name], path)


def image_of(source: Source, symbol: str) -> Image:
    """The member of a file that has a function. Raises ObjectError."""
    for image in _images(source.path).values():
        if symbol in image.routines():
            return image
    raise ObjectError(f"no function {symbol} in {source.path.name}")


@cache
def _images(path: Path) -> dict[str, Image]:
    return open_images(path)
