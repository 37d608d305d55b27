"""Other objects of a folder that have a proved kernel on arrays: their bytes are those proved.

A package has one such kernel in the objects of several systems, and its row names one of them. The
others are compared, and the entries by which Windows calls kernels are proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldc.artifacts.entries import UnprovedEntry, check_entry, entry_of
from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import UnfitCode, function_of
from fieldc.reading import read_bytes

ENDINGS = (".o", ".obj")


def faults_beside(folder: Path, manifest: Mapping[str, Any]) -> dict[tuple[str, str], str]:
    """What is wrong in other objects with kernels on arrays, by their object and symbol.

    Raises KeyError, TypeError for a manifest that fieldc build did not write.
    """
    rows: Sequence[Mapping[str, Any]] = manifest.get("arrays", ())
    if not rows:
        return {}
    found, proved = _objects(folder, manifest), {(row["object"], row["symbol"]) for row in rows}
    faults = {}
    for row in rows:
        own, symbol = row["object"], row["symbol"]
        others = {name: code for name, code in found.items() if (name, symbol) not in proved}
        if own in found and (why := next(_faults(row, found[own], others), "")):
            faults[own, symbol] = why
    return faults


def _objects(folder: Path, manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """The objects of a folder that can be read: those of its rows, and others that it names."""
    rows = [row for part in ("kernels", "arrays", "divsteps") for row in manifest.get(part, ())]
    named = [name for name in manifest.get("files", ()) if name.endswith(ENDINGS)]
    named += [row["object"] for row in rows if row["object"]]
    named += [row["entry"]["object"] for row in rows if "entry" in row]
    found = {}
    for name in dict.fromkeys(named):
        try:
            found[name] = read_bytes(folder / name)
        except OSError:
            continue  # what is missing has no wrong bytes
    return found


def _faults(row: Mapping[str, Any], own: bytes, others: Mapping[str, bytes]) -> Iterator[str]:
    """What is wrong with a kernel in other objects, and with its entry."""
    symbol, entry = row["symbol"], row.get("entry")
    for name, code in others.items():
        if _names(code, symbol) and not _has_bytes(own, code, symbol):
            yield f"{name} has other bytes of {symbol} than those that are proved"
        if entry is None and _names(code, entry_of(symbol)):
            yield f"{name} has {entry_of(symbol)}, which its row does not name"
    if entry is None:
        return
    try:
        if entry["object"] in others:
            check_entry(own, row, others[entry["object"]])
        else:
            yield f"there is no other object {entry['object']}, which has its entry"
    except UnprovedEntry as error:
        yield str(error)


def _names(code: bytes, symbol: str) -> bool:
    """Whether an object may have a symbol: its name is there, and ends."""
    return f"{symbol}\0".encode() in code


def _has_bytes(own: bytes, code: bytes, symbol: str) -> bool:
    """Whether the kernel in another object has the bytes that are proved."""
    try:
        of = function_of(own, symbol)
    except ObjectError:
        return True  # its proof says so
    try:
        other = function_of(code, symbol)
    except UnfitCode:
        return False
    except ObjectError:
        return not _is_object(code)
    wanted = of.code[of.start :]
    return other.code[other.start :][: len(wanted)] == wanted


def _is_object(code: bytes) -> bool:
    return code.startswith((b"\x7fELF", b"\xcf\xfa\xed\xfe", b"\x64\x86", b"\x64\xaa"))
