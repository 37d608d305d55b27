"""The command line: find the verb, run it, print its answer; every failure is one line.

Exit status: the verb's own (0, or 1 for a failed proof or check), 2 for bad input and for what the
system refuses, 1 for an internal error. A verb of `fieldc.commands` becomes part of the command
line by its place in VERBS.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import textwrap
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TextIO

from fieldc import __version__
from fieldc.commands.bench import bench
from fieldc.commands.build import build
from fieldc.commands.cache import cache
from fieldc.commands.certify import certify
from fieldc.commands.count import count
from fieldc.commands.demo import demo
from fieldc.commands.lab import lab
from fieldc.commands.list import list_
from fieldc.commands.output import emit
from fieldc.commands.page import page_
from fieldc.commands.plot import plot
from fieldc.commands.prove import prove
from fieldc.commands.show import show
from fieldc.commands.trace import trace
from fieldc.commands.tune import tune
from fieldc.commands.verb import UsageError, Verb, unknown
from fieldc.errors import ERROR_WIDTH, Terminated, UserError, interruption, quote, shorten
from fieldc.files import OutputError

LINE = (
    list_,
    show,
    build,
    prove,
    certify,
    bench,
    page_,
    plot,
    count,
    trace,
    lab,
    tune,
    demo,
    cache,
)
VERBS: dict[str, Verb] = {verb.name: verb for verb in LINE}

BROKEN_PIPE = 141
"""What a shell reports for a program that SIGPIPE ends."""
INTERRUPTED = 130


MORE = (
    "fieldc VERB --help says more; fieldc --version prints the version. FIELD is a name, "
    "a number, an expression such as 2^255-19, or a file."
)


def overview() -> str:
    """The help of the whole command, as wide as the terminal."""
    width, room = max(map(len, VERBS)), shutil.get_terminal_size().columns
    lines = [
        textwrap.fill(
            verb.help,
            max(room, 2 * width),
            initial_indent=f"  {verb.name:{width}}  ",
            subsequent_indent=" " * (width + 4),
            break_on_hyphens=False,
        )
        for verb in VERBS.values()
    ]
    return "\n".join(
        (
            "usage: fieldc VERB ...",
            "",
            "A compiler for finite fields.",
            "",
            *lines,
            "",
            textwrap.fill(MORE, max(room, 2 * width), break_on_hyphens=False),
        )
    )


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit status. Raises UserError."""
    if not words:
        raise UsageError(f"no verb; use {', '.join(VERBS)} or --help")
    name, *rest = words
    if name == "help" and rest:
        return run([*rest, "--help"])
    if name in ("-h", "--help", "help"):
        if rest:
            raise UsageError(f"unexpected argument {quote(rest[0])} after {name}; write it before")
        with printing():
            print(overview())
        return 0
    if name in ("--version", "-V"):
        if rest:
            raise UsageError(f"unexpected argument {quote(rest[0])} after {name}")
        with printing():
            print(f"fieldc {__version__}")
        return 0
    if name not in VERBS:
        if name.startswith("-"):
            raise UsageError(
                f"no verb before the option {quote(name)}; only --help and --version need none"
            )
        raise UsageError(unknown("verb", name, [*VERBS, "--help", "--version"]))
    check_current_folder()
    with printing():  # --help
        arguments = VERBS[name].parse(rest)
    answer = VERBS[name].run(arguments)
    with printing():
        emit(answer, arguments.json)
    return answer.status


def check_current_folder() -> None:
    """Raise UserError if the folder that the command runs in was deleted."""
    try:
        os.getcwd()
    except OSError:
        raise UserError("the current folder is gone; change to one that is there") from None


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
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    try:
        print(f"fieldc: {shorten(line, ERROR_WIDTH)}", file=sys.stderr, flush=True)
    except OSError:
        discard(sys.stderr)
    return status


def refused_by_system(error: OSError) -> str:
    """What the system would not do, in its own words."""
    name = f": {error.filename}" if error.filename else ""
    return f"system error: {error.strerror or error}{name}"


def ended(interrupt: KeyboardInterrupt) -> int:
    """Say that the program was asked to end, and return the status that a shell reports."""
    if isinstance(interrupt, Terminated):
        return fail(interrupt.status, "terminated")
    return fail(INTERRUPTED, "interrupted")


def main(words: Sequence[str] | None = None) -> int:
    """The command `fieldc`. Never raises for bad input."""
    words = sys.argv[1:] if words is None else words
    fill_standard_streams()
    # A stream that the caller closed is None here.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    replace_unprintable(sys.stdout)
    try:
        return run(words)
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
        if "--traceback" in words:
            traceback.print_exc()
        status, said = 1, f"internal error: {type(error).__name__}: {error}"
        if isinstance(error, OSError):
            status, said = 2, refused_by_system(error)
        return fail(status, f"{said}; --traceback shows where")


if __name__ == "__main__":
    sys.exit(main())
