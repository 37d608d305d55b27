"""The checks of a case by name, and why one cannot run here."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from campaign import c, commands, javascript, kernels, mistakes, python, rust
from campaign.case import Case
from fieldc.machine.processor import is_x86_64

CHECKS: dict[str, Callable[[Case, Path], None]] = {
    "python": python.check,
    "commands": commands.check,
    "mistakes": mistakes.check,
    "kernels": kernels.check,
    "c": c.check,
    "javascript": javascript.check,
    "rust": rust.check,
}
TOOLS = {"kernels": ("gcc", "rustc"), "c": ("gcc",), "javascript": ("node",), "rust": ("cargo",)}
ON_X86_64 = ("kernels", "commands", "mistakes")
"""Checks that run or read this host's kernels."""


def why_not(name: str) -> str:
    """Why a check is left out here; empty where it runs."""
    if name in ON_X86_64 and not is_x86_64():
        return "this host is no x86-64"
    lacking = [tool for tool in TOOLS.get(name, ()) if shutil.which(tool) is None]
    return f"there is no {lacking[0]}" if lacking else ""
