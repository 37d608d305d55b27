"""Programs that begin others, as cargo and gcc do: all of them end with this one."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from fieldc.signals import deferred_signals

PATIENCE = 1.0
"""Seconds that a program has to end by itself when it is asked to."""

SECONDS = 20
"""A program that takes longer to name its version does not begin."""


def environment() -> dict[str, str]:
    """What programs that this one begins find: its own, with a temporary folder that can be used.

    Python takes another where TMPDIR's is not there or is read-only; clang and wine fail there.
    """
    return {**os.environ, "TMPDIR": tempfile.gettempdir()}


def why_no_program(name: str) -> str:
    """Why a program does not begin here: it is not on PATH, or a shim without a version of it."""
    program = shutil.which(name)
    return _fault(name, program) if program else f"{name} is not installed"


@cache
def _fault(name: str, program: str) -> str:
    """What a program says if it cannot even name its version."""
    try:
        done = run_group([program, "--version"], timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        said = getattr(error, "strerror", None) or f"no answer in {SECONDS} s"
    else:
        said = (done.stderr or "").strip().partition("\n")[0] or f"exit status {done.returncode}"
        if not done.returncode:
            return ""
    return f"{name} does not begin here: {said}"


def run_group(
    command: Sequence[str],
    folder: Path | None = None,
    timeout: float | None = None,
    is_heard: bool = False,
) -> subprocess.CompletedProcess[str]:
    """Run a program, and end it with all that it began where this one is interrupted.

    They have a session of their own: Ctrl-C does not reach them, and they end as one group. What
    the program says on stderr is kept, or goes to this one's. Raises OSError, TimeoutExpired.
    """
    process = None
    try:
        with deferred_signals():
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=None if is_heard else subprocess.PIPE,
                text=True,
                start_new_session=True,
            )
        output, said = process.communicate(timeout=timeout)
    except BaseException:
        with deferred_signals():
            if process is not None:
                _end(process)
        raise
    return subprocess.CompletedProcess(command, process.returncode, output, said)


def _end(process: subprocess.Popen[str]) -> None:
    """End a program and its group; on systems without groups the program alone."""
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(PATIENCE)
            os.killpg(process.pid, signal.SIGKILL)  # whoever is left of the group
    else:
        process.kill()
    with process:  # closes its pipes
        pass
