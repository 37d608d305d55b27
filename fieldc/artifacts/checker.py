"""Let `fieldc-check`, the program of crates/check, replay the certificates of a build."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldc.errors import Refusal
from fieldc.files import temporary_folder
from fieldc.folders import write_folder
from fieldc.processes import run_group

CHECKER = "fieldc-check"
"""The program of crates/check."""
CHECKOUT = Path(__file__).resolve().parents[2]
PROVED, FAILED, NO_CERTIFICATE = "proved", "failed", "no_certificate"
"""What it says of a kernel that says PROVED."""


class NotCertified(Refusal):
    """The checker refuses a build; says what it found first."""


@dataclass(frozen=True)
class CheckedKernel:
    """What the checker says of a kernel."""

    status: str
    seconds: float
    reason: str


@dataclass(frozen=True)
class CheckedFolder:
    """What the checker says of each kernel of a folder, by part, object and symbol."""

    kernels: Mapping[tuple[str, str | None, str], CheckedKernel]
    faults: Sequence[str] = ()
    """What is wrong with the folder as a whole."""


def certified(files: Mapping[str, bytes]) -> str:
    """What the checker says of a build's files by their paths; empty where it is not on PATH.

    Raises NotCertified, OutputError.
    """
    program = shutil.which(CHECKER)
    if program is None:
        return ""
    with temporary_folder() as scratch:
        folder = scratch / "built"
        write_folder(folder, files, "set TMPDIR to another folder")
        try:
            done = subprocess.run(
                [program, "."], cwd=folder, capture_output=True, text=True, check=False
            )
        except OSError as error:
            raise NotCertified(f"{CHECKER} does not run: {error.strerror}") from None
    if done.returncode:
        first, _, rest = done.stderr.strip().partition("\n")
        more = f" (and {rest.count(chr(10)) + 1} more)" if rest else ""
        said = first.removeprefix("FAILED .: ") or f"exit status {done.returncode}"
        raise NotCertified(f"{CHECKER} refuses the build: {said}{more}")
    said, _, _ = done.stdout.partition("\n")  # below it are kernels without certificates
    return f"{CHECKER}: {said.strip().removeprefix('CHECKED .: ')}"


def checker_command() -> tuple[str, ...]:
    """What runs the checker: the program on PATH or beside this Python, else cargo in a checkout.

    Empty where there is none of them.
    """
    beside = Path(sys.executable).parent / CHECKER
    if program := shutil.which(CHECKER) or (str(beside) if beside.is_file() else ""):
        return (program,)
    cargo, manifest = shutil.which("cargo"), CHECKOUT / "crates" / "check" / "Cargo.toml"
    if cargo is None or not manifest.is_file():
        return ()
    return (cargo, "run", "--quiet", "--release", f"--manifest-path={manifest}", "--")


def checked_folder(command: Sequence[str], folder: Path) -> CheckedFolder:
    """What the checker says of a folder that fieldc build wrote. Raises NotCertified."""
    words = [*command, "--json", str(folder.absolute())]
    try:
        done = run_group(words)
        found = json.loads(done.stdout)
        kernels = {
            (row["part"], row["object"], row["symbol"]): CheckedKernel(
                row["status"], row["seconds"], "; ".join(row["reasons"])
            )
            for row in found["kernels"]
        }
        return CheckedFolder(kernels, tuple(found["faults"]))
    except OSError as error:
        raise NotCertified(f"{CHECKER} does not run: {error.strerror}") from None
    except (ValueError, KeyError, TypeError):
        why = done.stderr.strip().partition("\n")[0] or f"exit status {done.returncode}"
        raise NotCertified(f"{CHECKER} gives no answer: {why}") from None
