"""Programs that begin others, as cargo and gcc do: all of them end with this one."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from fieldc.signals import deferred_signals

PATIENCE = 1.0
"""Seconds that a program has to end by itself when it is asked to."""


def environment() -> dict[str, str]:
    """What programs that this one begins find: its own, with a temporary folder that can be used.

    Python takes another where TMPDIR's is not there or is read-only; clang and wine fail there.
    """
    return {**os.environ, "TMPDIR": tempfile.gettempdir()}


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
