"""Errors for people: each message is one line that says what was wrong and what works nearest."""

from __future__ import annotations


class UserError(Exception):
    """The input cannot be used. `status` is the exit status of the command line."""

    status = 2


class Terminated(KeyboardInterrupt):
    """SIGTERM asked the program to end: it ends as after Ctrl-C, and temporary files go."""


def interruption(error: BaseException | None) -> KeyboardInterrupt | None:
    """What interrupted the program, if an error came of that: Python wraps it in places."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__cause__ or error.__context__
    return error


class Refusal(UserError):
    """A kernel failed a check or a proof: it does not get out."""

    status = 1


def shorten(text: str, width: int = 48) -> str:
    """The text, its middle left out where it is longer than `width`."""
    keep = (width - 3) // 2
    return text if len(text) <= width else f"{text[:keep]}...{text[-keep:]}"


def quote(text: str) -> str:
    """The text as one short line of ASCII, in quotes."""
    return shorten(ascii(shorten(text)), 80)
