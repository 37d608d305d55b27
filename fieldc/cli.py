"""The command line: find the verb, run it, print its answer; every failure is one line.

Exit status: the verb's own (0, or 1 for a failed proof or check), 2 for bad input, 1 for an
internal error. A verb of `fieldc.commands` becomes part of the command line by its place in VERBS.
"""

from __future__ import annotations

import io
import os
import sys
import traceback
from collections.abc import Sequence

from fieldc import __version__
from fieldc.catalogue import ERROR_WIDTH, shorten
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
from fieldc.errors import Terminated, UserError, quote

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
INTERRUPTED, TERMINATED = 130, 143


def overview() -> str:
    """The help of the whole command."""
    width = max(map(len, VERBS))
    lines = [f"  {verb.name:{width}}  {verb.help}" for verb in VERBS.values()]
    return "\n".join(
        (
            "usage: fieldc VERB ...",
            "",
            "A compiler for finite fields.",
            "",
            *lines,
            "",
            "fieldc VERB --help says more; fieldc --version prints the version. FIELD is a name,",
            "a number, an expression such as 2^255-19, or a file.",
        )
    )


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit status. Raises UserError."""
    if not words:
        raise UsageError(f"no verb; use {', '.join(VERBS)} or --help")
    name, *rest = words
    if name in ("-h", "--help", "help"):
        print(overview())
        return 0
    if name in ("--version", "-V"):
        if rest:
            raise UsageError(f"unexpected argument {quote(rest[0])} after {name}")
        print(f"fieldc {__version__}")
        return 0
    if name not in VERBS:
        what = "option before the verb:" if name.startswith("-") else "verb"
        raise UsageError(unknown(what, name, list(VERBS)))
    arguments = VERBS[name].parse(rest)
    answer = VERBS[name].run(arguments)
    emit(answer, arguments.json)
    return answer.status


def fail(status: int, message: str) -> int:
    """Say why on one printable line of stderr, and return the status."""
    line = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in message)
    print(f"fieldc: {shorten(line, ERROR_WIDTH)}", file=sys.stderr)
    return status


def described(error: Exception) -> str:
    """What went wrong inside: of the system in its own words, of ours with the kind of error."""
    if isinstance(error, OSError) and error.strerror:
        name = f": {error.filename}" if error.filename else ""
        return f"system error: {error.strerror}{name}"
    return f"internal error: {type(error).__name__}: {error}"


def main(words: Sequence[str] | None = None) -> int:
    """The command `fieldc`. Never raises for bad input."""
    words = sys.argv[1:] if words is None else words
    # A stream that the caller closed is None here.
    sys.stdout = sys.stdout or io.StringIO()
    sys.stderr = sys.stderr or io.StringIO()
    try:
        try:
            status = run(words)
        except SystemExit as end:  # argparse ends the process after it printed a verb's help
            status = int(end.code or 0)
        sys.stdout.flush()
        return status
    except UserError as error:
        return fail(error.status, str(error))
    except BrokenPipeError:
        # Nobody reads: what is still buffered must not raise again when Python exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE
    except Terminated:
        return fail(TERMINATED, "terminated")
    except KeyboardInterrupt:
        return fail(INTERRUPTED, "interrupted")
    except Exception as error:
        if "--traceback" in words:
            traceback.print_exc()
        return fail(1, f"{described(error)}; --traceback shows where")


if __name__ == "__main__":
    sys.exit(main())
