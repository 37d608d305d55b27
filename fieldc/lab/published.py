"""AArch64 assembly of published crates, which cargo fetches and the C compiler clang assembles."""

from __future__ import annotations

import json
import shutil
from functools import cache
from pathlib import Path

from fieldc.errors import UserError
from fieldc.files import temporary_folder
from fieldc.processes import run_group

TRIPLE = "aarch64-linux-gnu"
PREFIXES = "openssl/boringssl_prefix_symbols_asm.h"
"""A header that aws-lc's build generates to rename symbols; here it is empty."""


class NoPublishedCode(UserError):
    """A crate or what assembles it is not here; the message is one line."""


@cache
def crate_folder(name: str, version: str) -> Path:
    """The folder of a crate's sources. Raises NoPublishedCode."""
    if shutil.which("cargo") is None:
        raise NoPublishedCode(f"{name} {version} comes by cargo, which is not here")
    with temporary_folder() as folder:
        manifest = folder / "Cargo.toml"
        manifest.write_text(
            '[package]\nname = "published"\nversion = "0.1.0"\nedition = "2021"\n[lib]\n'
            f'path = "lib.rs"\n[dependencies]\n{name} = "={version}"\n[workspace]\n',
            encoding="utf-8",
        )
        (folder / "lib.rs").write_text("", encoding="utf-8")
        command = ("cargo", "metadata", "--format-version", "1", "--manifest-path", str(manifest))
        for how in (("--offline",), ()):  # what was fetched before needs no network
            ran = run_group((*command, *how))
            if ran.returncode == 0:
                break
    if ran.returncode:
        said = [line for line in ran.stderr.splitlines() if line.startswith("error")]
        reason = (said or ["no reason given"])[0]
        raise NoPublishedCode(f"cargo cannot fetch {name} {version}: {reason}")
    packages = json.loads(ran.stdout)["packages"]
    return next(Path(p["manifest_path"]).parent for p in packages if p["name"] == name)


@cache
def arm_object(path: Path, include: Path | None = None) -> bytes:
    """An object of an assembly file for AArch64. Raises NoPublishedCode."""
    compiler = shutil.which("clang")
    if compiler is None:
        raise NoPublishedCode("clang assembles published code, and is not here")
    with temporary_folder() as folder:
        empty, made = folder / PREFIXES, folder / "made.o"
        empty.parent.mkdir()
        empty.write_text("", encoding="utf-8")
        places = [f"-I{place}" for place in (folder, include) if place]
        command = (compiler, f"--target={TRIPLE}", "-c", *places, "-o", str(made), str(path))
        ran = run_group(command)
        if ran.returncode:
            raise NoPublishedCode(f"clang does not assemble {path.name}")
        return made.read_bytes()
