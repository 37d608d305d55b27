"""What a verb is, and how its answer is printed.

A verb is one function from parsed arguments to an `Answer`:

    @verb(FIELD, WORD)
    def show(arguments: argparse.Namespace) -> Answer:
        \"\"\"every derived constant of a field\"\"\"

Its name is the function's, its help the docstring's first line. It prints nothing itself.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import textwrap
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from fieldc.errors import UserError, enumerated, nearest, quote
from fieldc.files import check_file

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

NARROW = 60
"""Columns of a terminal below which help stands under what it is about."""
USAGE = "usage: "
JSON_ALONE = "--json alone prints to standard output"


class UsageError(UserError):
    """The command line cannot be used; the message is one line for the user.

    No ValueError: argparse would replace the message of one raised by a type.
    """


class UnknownOption(UsageError):
    """A word that looks like an option and is none of this verb's."""

    def __init__(self, message: str, option: str) -> None:
        super().__init__(message)
        self.option = option


@dataclass(frozen=True)
class Table:
    """Rows under named columns; without column names, a list of properties.

    `best` are the numbers of rows to stand out. A narrow terminal leaves out `optional` columns,
    the first one first.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    title: str = ""
    best: frozenset[int] = frozenset()
    optional: tuple[str, ...] = ()


@dataclass(frozen=True)
class Answer:
    """What a verb found: tables to read, `data` for --json, the exit status.

    `conclusion` is one sentence or more, each on a line of its own, that says what came out.
    `unwritten` says which file could not be written: it is raised after all else is printed, and
    `content` is what the file would hold.
    """

    tables: tuple[Table, ...]
    data: object
    status: int = 0
    conclusion: tuple[str, ...] = ()
    unwritten: UserError | None = None
    content: str = ""


Option = Callable[[argparse.ArgumentParser], object]
VerbFunction = Callable[[argparse.Namespace], Answer]


WORDED = {
    r"argument (\S+): ignored explicit argument .*": r"\1 takes no value",
    r"argument (\S+): expected one argument": r"\1 needs a value",
}
"""Messages of argparse in our words."""


class HelpText(argparse.HelpFormatter):
    """Help that breaks lines between words only, however narrow the terminal is."""

    def __init__(self, prog: str) -> None:
        columns = shutil.get_terminal_size().columns
        super().__init__(prog, max_help_position=4 if columns < NARROW else 24)

    def _split_lines(self, text: str, width: int) -> list[str]:
        return wrapped(" ".join(text.split()), width)

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return "\n".join(indent + line for line in self._split_lines(text, width - len(indent)))

    def _format_action_invocation(self, action: argparse.Action) -> str:
        text = super()._format_action_invocation(action)
        return f"\n{' ' * (self._current_indent + 2)}".join(
            wrapped(text, self._width - self._current_indent)
        )


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """The lines of a text, broken between words only; those after the first one are set in."""
    return textwrap.wrap(
        text,
        max(width, len(indent) + 1),
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


class Parser(argparse.ArgumentParser):
    """A parser that raises UsageError where argparse prints its usage and exits."""

    def names(self) -> dict[str, argparse.Action]:
        """Each option by each of its names."""
        return {name: action for action in self._actions for name in action.option_strings}

    def error(self, message: str) -> NoReturn:
        for theirs, ours in WORDED.items():
            message = re.sub(theirs, ours, message)
        raise UsageError(f"{message}; see {self.prog} --help")

    def _get_value(self, action: argparse.Action, arg_string: str) -> object:
        """Name the option whose value cannot be used, where the message begins with the value."""
        try:
            return super()._get_value(action, arg_string)
        except UsageError as error:
            if action.option_strings and str(error)[:1] in "'\"":
                raise UsageError(f"{action.option_strings[0]}: {error}") from None
            raise

    def format_help(self) -> str:
        """The help; in a narrow terminal its first line does not repeat the options."""
        columns = shutil.get_terminal_size().columns
        if columns < NARROW:
            places = self._get_positional_actions()
            names = [f"[{p.metavar}]" if p.nargs == "?" else str(p.metavar) for p in places]
            words = wrapped(" ".join((self.prog, "[...]", *names)), columns - len(USAGE), "  ")
            self.usage = "\n".join(words)
        return super().format_help()

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help. Raises OSError, which argparse would keep to itself."""
        print(self.format_help(), end="", file=file)


@dataclass(frozen=True)
class Verb:
    """One word of the command line."""

    name: str
    help: str
    options: tuple[Option, ...]
    run: VerbFunction

    def parser(self) -> Parser:
        """The parser of this verb's arguments."""
        parser = Parser(
            prog=f"fieldc {self.name}",
            description=self.help,
            allow_abbrev=False,
            formatter_class=HelpText,
        )
        parser._positionals.title = "arguments"
        for option in self.options:
            option(parser)
        parser.add_argument(
            "--json",
            nargs="?",
            const="-",
            metavar="FILE",
            help="print machine-readable rows, or write them to FILE beside the usual output",
        )
        parser.add_argument(
            "--traceback", action="store_true", help="show where an internal error comes from"
        )
        return parser

    def parse(self, words: Sequence[str]) -> argparse.Namespace:
        """The arguments of this verb. Raises UsageError."""
        parser = self.parser()
        actions = parser.names()
        check_options(words, list(actions))
        check_repeats(words, actions)
        if words[-1:] == ["--"] and words.count("--") == 1:
            words = words[:-1]  # it ends the options, and nothing follows
        try:
            arguments, rest = parser.parse_known_args(words)
        except UsageError as error:
            if "required" in str(error) and "--json" in words[:-1]:
                raise UsageError("--json takes the next word as its FILE; put it last") from None
            raise
        if rest:
            raise UsageError(f"unexpected argument {quote(rest[0])} after {self.name}")
        if arguments.json is not None and not arguments.json.strip():
            raise UsageError(f"--json has an empty FILE; {JSON_ALONE}")
        if arguments.json is not None and arguments.json.endswith(("/", os.sep)):
            raise UsageError(f"cannot write {quote(arguments.json)}: a folder; {JSON_ALONE}")
        if arguments.json not in (None, "-"):
            check_file(Path(arguments.json), JSON_ALONE)
        check_meant(parser, words, arguments)
        check_apart(arguments)
        return arguments


def check_meant(parser: Parser, words: Sequence[str], arguments: argparse.Namespace) -> None:
    """Raise UsageError if --json took a word that an argument which is left out may mean."""
    if "--json" not in words or arguments.json == "-":
        return
    for place in parser._get_positional_actions():
        left_out = getattr(arguments, place.dest) == place.default
        if place.nargs == "?" and left_out and _may_be(place, arguments.json):
            raise UsageError(f"--json takes {quote(arguments.json)} as its FILE; put it last")


def _may_be(place: argparse.Action, word: str) -> bool:
    """Whether an argument takes a word: by its type, or as a field."""
    from fieldc.catalogue import find_field

    takes = place.type if callable(place.type) else find_field
    try:
        takes(word)
    except (UserError, OSError):
        return False
    return True


def check_apart(arguments: argparse.Namespace) -> None:
    """Raise UsageError if --json names a file that another argument names, or one in its folder.

    A folder that `fieldc build` wrote holds nothing else.
    """
    if arguments.json in (None, "-"):
        return
    rows = Path(os.path.realpath(arguments.json))
    for name, value in vars(arguments).items():
        if name == "json" or not isinstance(value, str | Path) or "\0" in str(value):
            continue
        text = str(value)
        files = text, text.rpartition(":")[0]  # PATH:SYMBOL
        folder = Path(text) if name == "path" or isinstance(value, Path) else None
        taken = ""
        if any(Path(os.path.realpath(file)) == rows for file in files):
            taken = f"--json and another argument name {quote(arguments.json)}"
        elif folder and folder.is_dir() and Path(os.path.realpath(folder)) in rows.parents:
            taken = f"--json is in {quote(text)}, which another argument names"
        if taken:
            raise UsageError(f"{taken}; {JSON_ALONE}")


def check_options(words: Sequence[str], options: Sequence[str]) -> None:
    """Raise UsageError for the first word that looks like an option and is none of these."""
    for before, word in pairwise(("", *words)):
        if word == "--":
            return
        name = word.partition("=")[0] if word.startswith("--") else word[:2]
        if word[:1] == "-" and word != "-" and not word[1:].isdigit() and name not in options:
            if is_expression(word) and before not in options:
                raise UsageError(f"{quote(word)} begins like an option; write {quote('0' + word)}")
            file = f"; a file of that name is ./{word}" if before == "-o" else ""
            text = word.partition("=")[0]
            raise UnknownOption(unknown("option", text, alike(word, options)) + file, text)


def is_expression(word: str) -> bool:
    """Whether a word that begins with - is a number's expression, such as -17+34."""
    from fieldc.catalogue import evaluate
    from fieldc.modulus import ModulusError

    with suppress(ModulusError):
        evaluate("0" + word)
        return True
    return False


def alike(word: str, options: Sequence[str]) -> Sequence[str]:
    """The options that a word may mean: `--output` is `-o` where no long name resembles it."""
    if not word.startswith("--"):
        return options
    long = [option for option in options if option.startswith("--")]
    short = [option for option in options if option == word[1:3]]
    return short if short and not nearest(word.partition("=")[0], long) else long


def check_repeats(words: Sequence[str], actions: Mapping[str, argparse.Action]) -> None:
    """Raise UsageError for an option with a value that is given twice: one would be forgotten."""
    seen = set()
    for word in words:
        if word == "--":
            return
        action = actions.get(word.partition("=")[0] if word.startswith("--") else word[:2])
        if word[:1] != "-" or action is None or action.nargs == 0:
            continue
        if action.dest in seen:
            name, several = action.option_strings[0], str(action.metavar).endswith(",..")
            raise UsageError(
                f"{name} is given twice; {f'write {name} A,B' if several else 'give it once'}"
            )
        seen.add(action.dest)


def verb(*options: Option) -> Callable[[VerbFunction], Verb]:
    """Make a function a verb with these arguments; --json and --traceback come with it."""

    def wrap(run: VerbFunction) -> Verb:
        help_line = (run.__doc__ or "").partition("\n")[0]
        return Verb(run.__name__.rstrip("_"), help_line, options, run)

    return wrap


def unknown(what: str, text: str, names: Sequence[str]) -> str:
    """One line for a word that is none of the names."""
    near = nearest(text, names)
    hint = f"the nearest: {', '.join(near)}" if near and text else f"use {enumerated(names)}"
    return f"unknown {what} {quote(text)}; {hint}"


def one_of(what: str, *names: str) -> Callable[[str], str]:
    """A type for argparse: one of the names."""

    def check(text: str) -> str:
        if text not in names:
            raise UsageError(unknown(what, text, names))
        return text

    return check


def option(*flags: str, **settings: object) -> Option:
    """argparse's add_argument, written before there is a parser."""
    return lambda parser: parser.add_argument(*flags, **settings)  # type: ignore[arg-type]


FIELD = option("field", metavar="FIELD", help="a name, a number, an expression or a file")
WORD = option(
    "--word",
    type=one_of("word width", "64", "32"),
    default="64",
    metavar="64|32",
    help="bits of a limb (default 64)",
)
