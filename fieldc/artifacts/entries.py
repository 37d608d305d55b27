"""Proves the entries by which Windows calls kernels on arrays, from the bytes of an object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fieldc.binary.linkable import KernelCode, function_of, functions
from fieldc.errors import Refusal
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.entry import prove_entry


def entry_of(symbol: str) -> str:
    """The symbol of a kernel's entry."""
    return f"{symbol}_windows"


class UnprovedEntry(Refusal):
    """An entry is not what calls its kernel; names it."""


def check_entries(code: bytes, kernels: Mapping[str, int]) -> None:
    """Prove the entries of kernels in an object, by the numbers of arguments.

    The kernels' own bytes are proved elsewhere. Raises UnprovedEntry.
    """
    found = functions(code)
    for symbol, arguments in kernels.items():
        try:
            entry, kernel = found[entry_of(symbol)], found[symbol]
            prove_entry(entry.code, entry.start, _start_of(entry, kernel), arguments)
        except KeyError as error:
            raise UnprovedEntry(f"there is no plain function {error.args[0]}") from error
        except ProofError as error:
            raise UnprovedEntry(f"{entry_of(symbol)} is not proved: {error}") from error


def check_entry(proved: bytes, row: Mapping[str, Any], code: bytes) -> None:
    """Prove the entry of a manifest's row, of a kernel that is proved in another object.

    Raises UnprovedEntry, also where the kernel has other bytes beside its entry.
    """
    symbol = row["symbol"]
    check_entries(code, {symbol: row["entry"]["arguments"]})
    of, kernel = function_of(proved, symbol), function_of(code, symbol)
    bytes_of_it = of.code[of.start :]
    if kernel.code[kernel.start :][: len(bytes_of_it)] != bytes_of_it:
        raise UnprovedEntry(f"{symbol} for Windows has other bytes than those that are proved")


def _start_of(entry: KernelCode, kernel: KernelCode) -> int:
    """Where a kernel starts in the section of its entry."""
    if kernel.code != entry.code or kernel.container != "coff":
        raise ProofError("an entry and its kernel are in one section of an object for Windows")
    return kernel.start
