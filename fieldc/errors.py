"""Errors for people: each message is one line that says what was wrong and what works nearest."""

from __future__ import annotations


class UserError(Exception):
    """The input cannot be used. `status` is the exit status of the command line."""

    status = 2


class Refusal(UserError):
    """A kernel failed a check or a proof: it does not get out."""

    status = 1
