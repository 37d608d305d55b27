"""Errors for people: each message is one line that says what was wrong and what works nearest."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import SequenceMatcher

ERROR_WIDTH = 200
"""Longest message."""
MOST_NEAREST, LEAST_LIKENESS = 3, 0.5
SHORT, LEAST_OF_SHORT = 3, 0.6
"""A name of so few letters lies in most words: `crandall` is not `all`, though `mull` is `mul`."""
LIST_WIDTH = 140
"""Letters that a message of one line has for names."""
HOLDS, BEGINS = 0.3, 0.18
"""What a name gains in likeness to a text that it holds, or that begins with it."""


class UserError(Exception):
    """The input cannot be used. `status` is the exit status of the command line."""

    status = 2


class Terminated(KeyboardInterrupt):
    """A signal asked the program to end: it ends as after Ctrl-C, and temporary files go.

    `status` is what a shell reports for a program that the signal ends.
    """

    def __init__(self, signal: int) -> None:
        super().__init__()
        self.signal, self.status = signal, 128 + signal


def interruption(error: BaseException | None) -> KeyboardInterrupt | None:
    """What interrupted the program, if an error came of that: Python wraps it in places."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


class Refusal(UserError):
    """A kernel failed a check or a proof: it does not get out."""

    status = 1


def printable(text: str) -> str:
    """The text on one line, with what a terminal would obey written out: `\\n`, `\\x1b`."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def shorten(text: str, width: int = 48) -> str:
    """The text, its middle left out where it is longer than `width`."""
    keep = (width - 3) // 2
    return text if len(text) <= width else f"{text[:keep]}...{text[-keep:]}"


def counted(number: int, what: str) -> str:
    """A number of things: `1 kernel`, `2 kernels`."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def with_article(noun: str) -> str:
    """`a word`, `an Element`, `a U64`, `an Fp2`."""
    is_spelled = noun[:1] == "U" and noun[1:2].isdigit()
    begins_as_vowel = (noun[:1] in "AEIOUaeio" and not is_spelled) or noun.startswith("Fp")
    return f"{'an' if begins_as_vowel else 'a'} {noun}"


def enumerated(names: Iterable[str]) -> str:
    """The names with commas between them; of many the first, and how many more there are."""
    known = list(names)
    shown = known[:]
    while len(shown) > 1 and len(", ".join(shown)) > LIST_WIDTH:
        shown.pop()
    more = len(known) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def nearest(text: str, names: Iterable[str]) -> list[str]:
    """Up to three of the names that resemble the text, nearest first.

    A name that holds the text, or begins it, is nearer than its letters say: `multiply` is `mul`,
    not `mul_lazy`.
    """
    wanted = plain(text[:80])
    likeness = {name: _likeness(wanted, plain(name)) for name in names}
    near = sorted(likeness, key=lambda name: -likeness[name])  # of equal ones, the first
    return [name for name in near if likeness[name] >= LEAST_LIKENESS][:MOST_NEAREST]


def _likeness(wanted: str, name: str) -> float:
    ratio = SequenceMatcher(None, name, wanted).ratio()
    if len(wanted) > 1 and wanted in name:
        return ratio + HOLDS
    if len(name) > 1 and wanted.startswith(name):
        return ratio + BEGINS
    return ratio if len(name) > SHORT or ratio >= LEAST_OF_SHORT else 0.0


def plain(name: str) -> str:
    """A name as people may write it: without its case and its hyphens."""
    return name.lower().replace("-", "").replace("_", "")


def quote(text: str, width: int = 48) -> str:
    """The text as one short line of ASCII, in quotes; its middle left out beyond `width`."""
    return shorten(ascii(shorten(text, width)), width + 32)


def name_in_full(symbol: str) -> str:
    """A function's name in quotes, in full if that is possible: a reader copies it."""
    return quote(symbol, 160)
