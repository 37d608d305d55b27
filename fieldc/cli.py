"""The command line: find the verb, run it, print its answer; every failure is one line.

Exit status: the verb's own (0, or 1 for a failed proof or check), 2 for bad input and for what the
system refuses, 1 for an internal error. A verb of `fieldc.commands` becomes part of the command
line by its place in VERBS.
"""

from __future__ import annotations

import argparse
import errno
import os
import shutil
import sys
from collections.abc import Sequence
from importlib import import_module

from fieldc import __version__
from fieldc.commands.output import emit
from fieldc.commands.verb import NARROW, UnknownOption, UsageError, Verb, unknown, wrapped
from fieldc.errors import UserError, enumerated, quote
from fieldc.program import printing, status_of

VERBS = (
    "list",
    "show",
    "build",
    "prove",
    "certify",
    "bench",
    "page",
    "plot",
    "count",
    "trace",
    "lab",
    "tune",
    "demo",
    "cache",
)
"""Each is a module of fieldc.commands; only the one that runs is loaded."""

MORE = (
    "fieldc VERB --help says more; fieldc --version prints the version. FIELD is a name, "
    "a number, an expression such as 2^255-19, or a file."
)


def find_verb(name: str) -> Verb:
    """The verb that is the function of its module's name, with `_` after what Python has taken."""
    functions = vars(import_module(f"fieldc.commands.{name}"))
    found = functions.get(f"{name}_") or functions[name]
    if not isinstance(found, Verb):
        raise TypeError(f"{name} is not a verb")
    return found


def overview() -> str:
    """The help of the whole command, as wide as the terminal."""
    verbs = [find_verb(name) for name in VERBS]
    width, room = max(map(len, VERBS)), shutil.get_terminal_size().columns
    if room < NARROW:
        lines = [f"  {verb.name}\n" + indented(verb.help, room, "    ") for verb in verbs]
    else:
        indent = " " * (width + 4)
        lines = [f"  {v.name:{width}}  {indented(v.help, room, indent).lstrip()}" for v in verbs]
    return "\n".join(
        (
            "\n".join(wrapped("usage: fieldc VERB ...", room, "  ")),
            "",
            indented("A compiler for finite fields.", room, ""),
            "",
            *lines,
            "",
            indented(MORE, room, ""),
        )
    )


def indented(text: str, width: int, indent: str) -> str:
    """The lines of a text, each set in."""
    return "\n".join(indent + line for line in wrapped(text, width - len(indent)))


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit status. Raises UserError."""
    if not words:
        raise UsageError(f"no verb; use {', '.join(VERBS)} or --help")
    name, *rest = words
    if name == "help" and rest:
        return run([*rest, "--help"])
    if name in ("-h", "--help", "help"):
        if rest:
            hint = (
                "write it before" if rest[0] in VERBS else f"{name} stands alone, or after a verb"
            )
            raise UsageError(f"unexpected argument {quote(rest[0])} after {name}; {hint}")
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
    check_docstrings()
    check_current_folder()
    check_umask()
    verb = find_verb(name)
    with printing():  # --help
        arguments = parsed(verb, rest)
    answer = verb.run(arguments)
    with printing():
        emit(answer, arguments.json)
    return answer.status


def parsed(verb: Verb, words: Sequence[str]) -> argparse.Namespace:
    """The arguments of a verb. Raises UsageError, which names the verbs that have an option."""
    try:
        return verb.parse(words)
    except UnknownOption as error:
        having = [name for name in VERBS if error.option in find_verb(name).parser().names()]
        if not having:
            raise
        raise UsageError(
            f"{verb.name} has no option {quote(error.option)}; "
            f"verbs that have it: {enumerated(having)}"
        ) from None


def check_docstrings() -> None:
    """Raise UserError if Python dropped them: texts that are printed and written come from them."""
    if sys.flags.optimize > 1:
        raise UserError("Python runs without docstrings, which fieldc prints; leave out -OO")


def check_current_folder() -> None:
    """Raise UserError if the current folder was deleted, or no file in it has a path.

    Processes of a proof, and programs, are given whole paths.
    """
    try:
        folder = os.getcwd()
    except OSError:
        raise UserError("the current folder is gone; change to one that is there") from None
    try:
        os.stat(folder)
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            said = "the path of the current folder is too long for this system; change to another"
            raise UserError(said) from None


def check_umask() -> None:
    """Raise UserError if new files and folders are closed to the user who makes them."""
    mask = os.umask(0o077)  # there is no other way to read it
    os.umask(mask)
    if mask & 0o700:
        raise UserError(f"umask {mask:03o} closes new files to their own user; set umask 022")


def main(words: Sequence[str] | None = None) -> int:
    """The command `fieldc`. Never raises for bad input."""
    words = sys.argv[1:] if words is None else words
    return status_of(lambda: run(words), traceback="--traceback" in words)


if __name__ == "__main__":
    sys.exit(main())
