"""A program that people start: every failure is one line and an exit status, never a traceback."""

from __future__ import annotations

import errno
import gc
import io
import os
import sys
import traceback as tracebacks
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

from fieldc.errors import (
    ERROR_WIDTH,
    Terminated,
    UserError,
    interruption,
    printable,
    quote,
    shorten,
)
from fieldc.files import OutputError
from fieldc.signals import raise_signals

BROKEN_PIPE = 141
"""What a shell reports for a program that SIGPIPE ends."""
INTERRUPTED = 130


def collect_rarely() -> None:
    """Let Python look for unreachable cycles after 50,000 new objects instead of 700.

    What a build makes has few of them and lives long, so looking for them is mostly in vain.
    """
    gc.set_threshold(50_000, 20, 50)


@contextmanager
def printing() -> Iterator[None]:
    """Print all of a text before the block ends. Raises OutputError where there is no room."""
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        raise OutputError(f"cannot write standard output: {error.strerror or error}") from None


def discard(stream: TextIO) -> None:
    """Print to nowhere from here on: what is still buffered must not fail again at the end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def fill_standard_streams() -> None:
    """Open what the caller closed of input, output and errors, onto nothing.

    Else the next file that is opened takes its number, and is written to as standard error.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free


def replace_unprintable(stream: TextIO) -> None:
    """Print `?` for a character that the stream's encoding lacks, such as ± in ASCII."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")


def fail(status: int, message: str) -> int:
    """Say why on one printable line of stderr, and return the status."""
    try:
        print(f"fieldc: {shorten(printable(message), ERROR_WIDTH)}", file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
    return status


def unforeseen(error: Exception, hint: str) -> tuple[int, str]:
    """The status and the line of an error that no verb expects, with a hint unless it is clear."""
    if isinstance(error, PermissionError) and error.filename:
        return 2, f"no permission for {quote(str(error.filename))}"
    if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG and error.filename:
        return 2, f"the path {quote(str(error.filename))} is too long for this system"
    if isinstance(error, OSError):  # in the system's own words
        name = f": {error.filename}" if error.filename else ""
        return 2, f"system error: {error.strerror or error}{name}{hint}"
    if isinstance(error, MemoryError):
        return 2, f"system error: not enough memory{hint}"
    return 1, f"internal error: {type(error).__name__}: {error}{hint}"


def ended(interrupt: KeyboardInterrupt) -> int:
    """Say that the program was asked to end, and return the status that a shell reports."""
    if isinstance(interrupt, Terminated):
        return fail(interrupt.status, "terminated")
    return fail(INTERRUPTED, "interrupted")


def status_of(run: Callable[[], int], traceback: bool = False) -> int:
    """Run a program and return its exit status; 1 for an internal error, whose trace is shown."""
    fill_standard_streams()
    # A stream that the caller closed is None here.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    replace_unprintable(sys.stdout)
    collect_rarely()
    try:
        return run()
    except SystemExit as end:  # argparse ends the process after it printed a verb's help
        return int(end.code or 0)
    except UserError as error:
        return fail(error.status, str(error))
    except BrokenPipeError:
        discard(sys.stdout)
        return BROKEN_PIPE
    except KeyboardInterrupt as interrupt:
        return ended(interrupt)
    except Exception as error:
        if (cause := interruption(error)) is not None:
            return ended(cause)
        if traceback:
            tracebacks.print_exc()
        return fail(*unforeseen(error, "" if traceback else "; --traceback shows where"))


def module(name: str, run: Callable[[], object], about: str | None) -> int:
    """Run a module that takes no arguments as `python -m NAME`, and return its exit status."""

    def checked() -> int:
        words = sys.argv[1:]
        if words in (["-h"], ["--help"]):
            print(f"usage: python -m {name}\n\n{(about or '').strip()}")
        elif words:
            raise UserError(f"{name} takes no arguments, not {quote(words[0])}")
        else:
            run()
        return 0

    return maintained(checked)


def maintained(run: Callable[[], int]) -> int:
    """Run what only a maintainer starts, and return its exit status: a defect shows its trace."""
    raise_signals()

    def refused() -> int:
        try:
            status = run()
            sys.stdout.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            discard(sys.stdout)
            raise UserError(unforeseen(error, "")[1]) from None
        return status

    return status_of(refused, traceback=True)
