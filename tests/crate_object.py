"""The crate as rustc compiles it for a target, once for all processes of a run of the tests."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

import lief
import pytest
from locks import locked

CRATE = Path(__file__).resolve().parents[1] / "crates" / "fieldc"
FLAGS = ("--edition", "2024", "-C", "opt-level=3", "-C", "panic=abort", "-C", "codegen-units=1")


def rustc(*words: str | Path) -> str:
    """What the compiler prints. Skips where there is none; a failure shows what it said."""
    tool = shutil.which("rustc")
    if tool is None:
        pytest.skip("rustc is not installed: no Rust is compiled")
    command = [tool, *map(str, words)]
    with TemporaryDirectory() as folder:  # for parts that have one name whatever the target is
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


def host() -> str:
    """The target that rustc compiles for by itself."""
    (found,) = re.findall(r"^host: (\S+)$", rustc("-vV"), re.MULTILINE)
    return str(found)


def compiled_crate(run_folder: Path, target: str, *features: str) -> Path:
    """A folder with `libfieldc.rlib` and `fieldc.o`. Skips where Rust lacks the target."""
    if not Path(rustc("--target", target, "--print", "target-libdir").strip()).is_dir():
        pytest.skip(f"Rust's library for {target} is not installed: nothing to scan")
    folder = run_folder / "-".join(("crate", target, *features))
    folder.mkdir(exist_ok=True)
    library = folder / "libfieldc.rlib"
    with locked(folder):
        if not library.exists():
            kind = ["--crate-name", "fieldc", "--crate-type", "rlib", "--target", target]
            kind += [word for name in features for word in ("--cfg", f'feature="{name}"')]
            emitted = f"--emit=obj={folder / 'fieldc.o'},link={folder / 'part'}"
            rustc(*FLAGS, *kind, emitted, CRATE / "src" / "lib.rs")
            (folder / "part").rename(library)
    return folder


def using_crate(folder: Path, *words: str | Path) -> str:
    """Compile what uses the crate in a folder that compiled_crate returned."""
    return rustc(*FLAGS, "--extern", f"fieldc={folder / 'libfieldc.rlib'}", *words)


def sections_of(code: Path) -> dict[str, bytes]:
    """What an ELF object has at each of its symbols that begin a section."""
    binary = lief.ELF.parse(str(code))
    assert binary is not None
    symbols = [s for s in binary.symbols if s.section is not None and not s.value]
    return {str(s.name): bytes(s.section.content) for s in symbols if s.section is not None}


def installed(target: str) -> bool:
    """Whether rustc has the library of a target."""
    command = ["rustc", "--target", target, "--print", "target-libdir"]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode == 0 and Path(done.stdout.strip()).is_dir()
