"""One case: what one user brings, and how that user runs fieldc."""

from __future__ import annotations

import fcntl
import os
import pty
import random
import struct
import subprocess
import sys
import termios
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from campaign.drawn_formulas import DrawnFormula, drawn_formula, formulas_file
from campaign.drawn_primes import drawn_prime

WIDTH = 80
"""Columns of the terminal."""
LONGEST = 1800
"""Seconds after which a command has no end."""


class Finding(Exception):
    """Something that a user would report."""


@dataclass(frozen=True)
class Case:
    """A prime as it is written and as a number, formulas, and a seed for operands."""

    seed: int
    written: str
    p: int
    formulas: tuple[DrawnFormula, ...]

    def draw(self) -> random.Random:
        """Where operands come from: the same in every check."""
        return random.Random(f"operands {self.seed}")

    def formulas_in(self, folder: Path) -> Path:
        """The file of formulas, in a folder."""
        path = folder / "formulas.py"
        path.write_text(formulas_file(self.formulas))
        return path


def drawn(seed: int) -> Case:
    """The case of a seed."""
    draw = random.Random(f"campaign {seed}")
    written, p = drawn_prime(draw)
    return Case(seed, written, p, tuple(drawn_formula(draw, f"f{i}") for i in range(2)))


def fieldc(folder: Path, *words: str | Path) -> str:
    """What a command prints, run as a user would. Raises Finding if it fails."""
    done = attempt(folder, *words)
    if done.returncode or done.stderr.count("Traceback"):
        raise Finding(f"{shown(words)}: status {done.returncode}: {done.stderr.strip()[-500:]}")
    return done.stdout


def attempt(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """A command's end, whatever it is. Raises Finding if it has none."""
    command = [sys.executable, "-m", "fieldc", *map(str, words)]
    try:
        return subprocess.run(
            command,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise Finding(f"{shown(words)}: no end after {LONGEST} seconds") from None


def on_terminal(folder: Path, *words: str | Path) -> str:
    """What a command shows on a terminal of WIDTH columns. Raises Finding if it fails."""
    ours, its = pty.openpty()
    fcntl.ioctl(its, termios.TIOCSWINSZ, struct.pack("HHHH", 24, WIDTH, 0, 0))
    command = [sys.executable, "-m", "fieldc", *map(str, words)]
    environment = {name: of for name, of in os.environ.items() if name not in ("COLUMNS", "LINES")}
    terminal = {"stdin": its, "stdout": its, "stderr": its}
    with subprocess.Popen(command, cwd=folder, env=environment, **terminal) as process:
        os.close(its)
        said = b"".join(iter(lambda: _read(ours), b"")).decode("utf-8", "replace")
    os.close(ours)
    if process.returncode:
        raise Finding(f"{shown(words)}: status {process.returncode}: {said[-500:]}")
    return said


def _read(terminal: int) -> bytes:
    """What comes next; nothing once the last writer has closed it."""
    try:
        return os.read(terminal, 1 << 16)
    except OSError:
        return b""


def run(folder: Path, *command: str | Path, **variables: str) -> str:
    """What another program prints. Raises Finding if it fails."""
    words = list(map(str, command))
    environment = {**os.environ, **variables}
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise Finding(f"{words[0]}: {(done.stderr or done.stdout)[-1000:]}")
    return done.stdout


def shown(words: Iterable[str | Path]) -> str:
    """A command as a user types it."""
    return " ".join(["fieldc", *map(str, words)])
