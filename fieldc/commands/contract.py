"""`--contract` of fieldc prove: an operation, or a file, which is read once: it may be a pipe."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from fieldc.algorithms import OPERATIONS, STUDIED_OPERATIONS
from fieldc.commands.verb import UsageError, one_of
from fieldc.errors import quote
from fieldc.reading import read_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

NAMED = (*OPERATIONS, *STUDIED_OPERATIONS)


def contract_text(given: str | None) -> str | None:
    """The text of a contract's file; None for an operation, or for nothing. Raises UsageError."""
    if not given or not _is_path(given):
        return None
    if os.path.isdir(given):
        said = "is a folder, no contract; name an operation or a TOML file"
        raise UsageError(f"{quote(given)} {said}")
    try:
        return read_text(Path(given))
    except OSError as error:
        raise UsageError(f"cannot read {quote(given)}: {error.strerror}") from None
    except ValueError as error:
        raise UsageError(f"cannot read {quote(given)}: {error}") from None


def _is_path(given: str) -> bool:
    """Whether this is no operation's name: a path has a slash, ends in .toml, or leads somewhere.

    A file may be called as an operation is: it is ./add.
    """
    if given in NAMED:
        return False
    return "/" in given or os.sep in given or given.endswith(".toml") or os.path.lexists(given)


def contract_in(given: str, text: str | None) -> tuple[str, tuple[str, ...]]:
    """An operation's name, or what a file's text says of a foreign function. Raises UsageError.

    operation = "mul"
    arguments = ["z", "x", "y", "p", "n0"]
    """
    if text is None:
        return one_of("operation", *NAMED)(given), ()
    try:
        said = tomllib.loads(text)
        operation, names = said.pop("operation"), said.pop("arguments")
        if not (names and isinstance(names, list) and all(isinstance(s, str) for s in names)):
            raise TypeError
        if not isinstance(operation, str):
            raise TypeError
    except (ValueError, RecursionError) as error:
        is_read = isinstance(error, tomllib.TOMLDecodeError)
        why = error if is_read else "it has a number too long, or lists too deep"
        raise UsageError(f"{quote(given)} is not TOML: {why}") from None
    except (KeyError, TypeError):
        raise UsageError(f'{quote(given)} needs operation = "..." and arguments = [...]') from None
    if said:
        more = ", ".join(map(quote, sorted(said)))
        raise UsageError(f"{quote(given)}: a contract that names an operation has no {more}")
    return one_of("operation", *NAMED)(operation), tuple(names)
