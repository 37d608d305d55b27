"""fieldc cache: where proofs of earlier builds are remembered, how large it is, and clearing it."""

from __future__ import annotations

import argparse

from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, one_of, option, verb

ACTIONS = ("show", "clear")


@verb(
    option(
        "action",
        metavar="show|clear",
        nargs="?",
        type=one_of("action", *ACTIONS),
        default="show",
        help="show the folder and its size (default), or forget every proof",
    ),
)
def cache(arguments: argparse.Namespace) -> Answer:
    """show or clear the proofs that fieldc build remembers"""
    from fieldc.artifacts import cache as proofs

    removed, folder = 0, proofs.folder()
    if arguments.action == "clear":
        try:
            with progress() as show:
                removed = proofs.clear(show)
        except OSError as error:
            raise UsageError(f"cannot clear {folder}: {error.strerror}") from None
    found = proofs.entries()
    size = sum(path.stat().st_size for path in found)
    rows = [("folder", str(folder)), ("proofs", str(len(found))), ("bytes", str(size))]
    rows.append(("most bytes", str(proofs.MOST_BYTES)))
    if arguments.action == "clear":
        rows.append(("removed", str(removed)))
    data = {"folder": str(folder), "proofs": len(found), "bytes": size, "removed": removed}
    data["most_bytes"] = proofs.MOST_BYTES
    return Answer((Table((), rows),), data)
