"""Runs under valgrind's memcheck, which sees branches and addresses that use poisoned data."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from fieldc.machine.processor import is_x86_64


def valgrind(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run under memcheck; 9 says that it found something. Skips without valgrind."""
    command = [_tool(), "--quiet", "--error-exitcode=9", str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def _tool() -> str:
    tool = shutil.which("valgrind")
    if tool is None:
        pytest.skip("valgrind is not installed: nothing runs on poisoned operands")
    return tool


def needs_a_host() -> None:
    """Skips where nothing would run, before a program is made for it."""
    _tool()
    if not is_x86_64() or os.name != "posix":
        pytest.skip("poisoned programs need x86-64 and a POSIX system")
