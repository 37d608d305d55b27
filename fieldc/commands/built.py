"""Folders that fieldc build wrote: their files, and their manifest."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from fieldc.catalogue import wrong_label
from fieldc.commands.verb import UsageError
from fieldc.errors import quote
from fieldc.field import Field
from fieldc.reading import json_in, read_bytes

KERNELS, ARRAYS, DIVSTEPS = "kernels", "arrays", "divsteps"
"""The lists of a manifest."""
WORDS = (64, 32)
"""The bits of a word."""
PROVED, TESTED, SKIPPED = "PROVED", "TESTED", "SKIPPED"
OTHERS = (TESTED, "ASSUMED", SKIPPED)
"""What a kernel on single values may be that is not PROVED; SKIPPED has a reason in brackets."""


def read(path: Path) -> bytes:
    """A file's bytes. Raises UsageError."""
    try:
        return read_bytes(path)
    except OSError as error:
        raise UsageError(f"cannot read {quote(str(path))}: {error.strerror}") from None


def manifest_of(folder: Path) -> Any:
    """The JSON value of a folder's manifest. Raises UsageError."""
    if not (folder / "manifest.json").is_file():
        if (folder.absolute().parent / "manifest.json").is_file():
            whole = quote(str(folder.parent if folder.name else folder.absolute().parent))
            raise UsageError(f"{quote(str(folder))} is a part of a build; name all of it: {whole}")
        if not folder.is_dir():
            said = "is a file" if folder.exists() else "is not there"
            raise UsageError(f"{quote(str(folder))} {said}; name a folder of fieldc build")
        is_there = os.path.lexists(folder / "manifest.json")
        what = "a manifest.json that is no regular file" if is_there else "no manifest.json"
        said = f"has {what}, so it is not what fieldc build wrote"
        raise UsageError(f"{quote(str(folder))} {said}; {_instead_of(folder)}")
    try:
        return json_in(read(folder / "manifest.json").decode())
    except (ValueError, RecursionError):
        raise no_manifest(folder) from None


def _instead_of(folder: Path) -> str:
    """What to name in the place of a folder that no build wrote."""
    if (folder / "divsteps.rs").is_file():
        return "for the crate's kernels prove needs --field"
    return "name one that it wrote, or build into another folder"


def is_proved(folder: Path, row: Any, part: str) -> bool:
    """Whether a row of a manifest's list is PROVED.

    Raises UsageError for a row that fieldc build does not write, KeyError, TypeError.
    """
    if why := _fault_of(row, part == KERNELS):
        path, symbol = quote(str(folder / "manifest.json")), quote(str(row["symbol"]))
        raise UsageError(f"{path}: the kernel {symbol} {why}; build the folder again")
    return bool(row["status"] == PROVED)


def _fault_of(row: Any, may_be_others: bool) -> str:
    """What fieldc build never says of a kernel; empty where there is nothing."""
    for path, said in row.get("texts", {}).items():
        if said != TESTED and not said.startswith(f"{SKIPPED}("):
            return f"says {quote(said)} of {quote(path)}, and a text is at most {TESTED}"
    status = row["status"]
    word = status.partition("(")[0] if isinstance(status, str) else ""
    known = OTHERS if may_be_others else ()
    if word not in (PROVED, *known) or (word != status and word != SKIPPED):
        return f"has the status {quote(str(status))}, not {' or '.join((PROVED, *known))}"
    if status != PROVED:
        return "has a certificate and is not PROVED" if row.get("certificate") else ""
    return _fault_of_name(row) if may_be_others else ""


def _fault_of_name(row: Any) -> str:
    """Empty where a symbol ends in operation and variant, after nothing or a `_`."""
    head = _before_operation(row)
    if head is not None and f"_{head}".endswith("_"):
        return ""
    end = f"{row['op']}_{row['variant']}"
    return f"has a name that does not end in {quote(end)}"


def field_of(folder: Path, manifest: Any, in_limbs: bool = False) -> Field:
    """The field of a manifest, in its words, which are limbs of 64 bits if that is asked.

    Raises UsageError if R is not that of the words, or the name that of another prime, and
    KeyError, TypeError, ValueError for what is no field as fieldc build writes it.
    """
    p, word, limbs = int(manifest["p"], 16), manifest["word"], manifest["n"]
    words = WORDS[:1] if in_limbs else WORDS
    if manifest["p"] != hex(p) or {type(word), type(limbs)} != {int} or word not in words:
        raise ValueError("p, word or n is not as fieldc build writes it")
    field = Field(p, word)
    if limbs != field.n:
        raise ValueError("n is not the number of words of p")
    name, said = manifest["field"], ""
    if not isinstance(name, str):
        raise TypeError("a name is no text")
    if manifest["R"] != hex(field.R):
        said = "R is not 2^(word*n); build it again"
    if wrong := wrong_label(name, p):
        said = f"{wrong}; build it again"
    if said:
        raise UsageError(f"{quote(str(folder / 'manifest.json'))}: {said}")
    return field


def check_once(folder: Path, kernels: Iterable[tuple[str, str]]) -> None:
    """Raise UsageError if a manifest has a symbol of an object, as (object, symbol), twice."""
    named = [(os.path.normpath(file), symbol) for file, symbol in kernels]
    if len({*named}) < len(named):
        raise UsageError(f"{quote(str(folder / 'manifest.json'))} names a kernel twice")


def check_inside(folder: Path, manifest: Any) -> None:
    """Raise UsageError if a manifest names a file that is not in its folder, also by a link.

    Raises KeyError, TypeError, AttributeError, ValueError for what is no manifest.
    """
    rows = [row for part in (KERNELS, ARRAYS, DIVSTEPS) for row in manifest.get(part, ())]
    entries = [row["entry"] for row in rows if "entry" in row]
    paths = [row.get(key) for row in (*rows, *entries) for key in ("object", "certificate")]
    whole = Path(os.path.realpath(folder))
    for path in dict.fromkeys([*paths, *manifest.get("files", ())]):
        if not path:
            continue
        is_inside = Path(os.path.realpath(folder / path)).is_relative_to(whole)
        if Path(path).is_absolute() or not is_inside:
            said = f"{quote(path)} is not in the folder; build it again"
            raise UsageError(f"{quote(str(folder / 'manifest.json'))}: {said}")


def check_formulas(folder: Path, manifest: Any) -> None:
    """Raise UsageError if a formula beside operations is called as one of them.

    Raises KeyError, TypeError, AttributeError for what is no manifest.
    """
    from fieldc.formulas.names import FREE
    from fieldc.operations import family_named

    formulas = [row for row in manifest["kernels"] if row.get("formula")]
    operations = [row for row in manifest["kernels"] if not row.get("formula")]
    if not (formulas and (operations or manifest.get("arrays") or manifest.get("divsteps"))):
        return
    free = FREE if str(manifest.get("kind")).endswith(" package") else ()
    # Updates of divsteps are called by their limbs in a Rust package.
    own = [row for row in operations if not str(row["op"]).startswith("divstep_")]
    heads = {head for row in own if (head := _before_operation(row)) is not None}
    for row in formulas:
        name, symbol = row["op"], row["symbol"]
        if family_named(name) not in ("", *free):
            said = f"{symbol} is called as the operation {name}, and is a formula"
        elif not heads <= {_before_operation(row)}:
            said = f"{symbol} is a formula, and is not called as {name} beside the operations"
        else:
            continue
        raise UsageError(f"{quote(str(folder / 'manifest.json'))}: {said}; build it again")


def _before_operation(row: Any) -> str | None:
    """What a symbol has before operation and variant; None where these do not end it.

    Symbols of Rust packages have `prime` between the two. Raises KeyError, TypeError.
    """
    names = [row[key] for key in ("symbol", "op", "variant")]
    if not all(isinstance(name, str) for name in names):
        raise TypeError("a name is no text")
    symbol, operation, variant = names
    ends = [f"{operation}{between}_{variant}" for between in ("", "_prime")]
    return next((symbol.removesuffix(end) for end in ends if symbol.endswith(end)), None)


def no_manifest(folder: Path) -> UsageError:
    """The error for a manifest that lacks what every manifest has."""
    return UsageError(f"{quote(str(folder / 'manifest.json'))} is no manifest")
