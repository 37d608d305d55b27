"""cargo for AArch64: it links without a cross compiler and runs by qemu."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

QEMU, LINUX = "qemu-aarch64", "aarch64-unknown-linux-musl"
"""musl's C library comes with rustup's target, so no cross compiler is needed."""


def cargo_for_arm() -> tuple[str, dict[str, str]]:
    """cargo, and an environment in which it links for AArch64 and runs by qemu, or skip."""
    cargo, qemu, rustc = (shutil.which(tool) for tool in ("cargo", QEMU, "rustc"))
    if cargo is None or qemu is None or rustc is None:
        pytest.skip(f"SKIPPED: cargo or {QEMU} is not installed")
    command = [rustc, "--target", LINUX, "--print", "target-libdir"]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode or not Path(found.stdout.strip()).is_dir():
        pytest.skip(f"SKIPPED: rustup has not installed {LINUX}")
    key = f"CARGO_TARGET_{LINUX.upper().replace('-', '_')}"
    return cargo, os.environ | {f"{key}_LINKER": "rust-lld", f"{key}_RUNNER": qemu}
