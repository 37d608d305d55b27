"""Let `fieldc-check` certify a build before it is written, where that program is installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from fieldc.errors import Refusal
from fieldc.folders import write_folder

CHECKER = "fieldc-check"
"""The program of crates/check."""


class NotCertified(Refusal):
    """The checker refuses a build; says what it found first."""


def certified(files: Mapping[str, bytes]) -> str:
    """What the checker says of a build's files by their paths; empty where it is not on PATH.

    Raises NotCertified, OutputError.
    """
    program = shutil.which(CHECKER)
    if program is None:
        return ""
    with tempfile.TemporaryDirectory(prefix="fieldc.") as scratch:
        folder = Path(scratch) / "built"
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
