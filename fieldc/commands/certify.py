"""fieldc certify: replay a build's certificates by the checker that is proved in Coq."""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fieldc.commands.built import manifest_of, no_manifest, read
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, option, verb
from fieldc.errors import quote

CERTIFIED, REFUSED, NONE = "CERTIFIED", "REFUSED", "no certificate"
LEFT_OUT = {
    "arrays": "the proved checker knows no kernels on arrays; `fieldc-check DIR` replays theirs",
    "divsteps": "divsteps have no certificate; `fieldc prove DIR` proves them again",
}
"""What a manifest may also have, and who looks at that."""


@dataclass(frozen=True)
class ManifestRow:
    """What a manifest says of a kernel that is PROVED."""

    symbol: str
    operation: str
    object: str
    certificate: str
    """Empty where there is none."""
    stack: int
    formula: str
    """The text of a user's formula; empty for an operation."""


@verb(option("path", metavar="DIR", help="a folder that fieldc build wrote"))
def certify(arguments: argparse.Namespace) -> Answer:
    """replay a built folder's certificates by the checker that is proved in Coq"""
    if not arguments.path:
        raise UsageError("the path is empty; certify takes a folder")
    from fieldc.artifacts.certify import CERTIFIER, certifier

    folder, rows, data = Path(arguments.path), list[tuple[object, ...]](), []
    kernels, others, p, limbs = kernels_of(folder)
    program = certifier()
    if not program:
        raise UsageError(
            f"{CERTIFIER} is not installed; `make formal` builds it, with Coq and OCaml, and "
            "build/formal or .venv/bin must be on PATH"
        )
    with progress() as show:
        for done, kernel in enumerate(kernels, 1):
            began, status, why = time.perf_counter(), NONE, ""
            if kernel.certificate:
                why = fault_of(folder, kernel, p, limbs, program)
                status = REFUSED if why else CERTIFIED
            show("certify", done, len(kernels))
            seconds = round(time.perf_counter() - began, 2)
            rows.append((kernel.symbol, kernel.operation, status, f"{seconds:.2f}", why))
            data.append(
                {
                    "kernel": kernel.symbol,
                    "operation": kernel.operation,
                    "status": status,
                    "seconds": seconds,
                    "reason": why,
                }
            )
    good = sum(row["status"] == CERTIFIED for row in data)
    said = f"{good} of {len(data)} kernels of {p:#x} are certified by the proved checker"
    said += f"; {others} more do not say PROVED" if others else ""
    manifest = manifest_of(folder)
    notes = (said, *(why for part, why in LEFT_OUT.items() if manifest.get(part)))
    table = Table(("kernel", "operation", "status", "seconds", "why not"), rows)
    return Answer((table,), data, int(good < len(data)), notes)


def kernels_of(folder: Path) -> tuple[list[ManifestRow], int, int, int]:
    """The rows of a manifest that say PROVED, how many others, the prime, and its limbs.

    Raises UsageError.
    """
    manifest = manifest_of(folder)
    try:
        for part, why in LEFT_OUT.items():
            if manifest.get(part) and not manifest["kernels"]:
                raise UsageError(why)
        named = [(row, row["status"] == "PROVED") for row in manifest["kernels"]]
        kernels = [_row(row) for row, is_proved in named if is_proved]
        p, limbs = int(manifest["p"], 16), manifest["n"]
        if type(limbs) is not int or manifest["word"] != 64:
            raise TypeError
    except (ValueError, KeyError, TypeError):
        raise no_manifest(folder) from None
    if not kernels:
        raise UsageError(f"{quote(str(folder))} has no kernel that was PROVED")
    if len({(kernel.object, kernel.symbol) for kernel in kernels}) < len(kernels):
        raise UsageError(f"{quote(str(folder / 'manifest.json'))} names a kernel twice")
    return kernels, len(named) - len(kernels), p, limbs


def _row(row: dict[str, Any]) -> ManifestRow:
    """A row of the manifest. Raises KeyError, TypeError."""
    named = (row["symbol"], row["op"], row["object"])
    texts = (*named, row["certificate"] or "", row.get("formula", ""))
    if not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise TypeError
    if type(row["stack"]) is not int:
        raise TypeError
    symbol, operation, object_, certificate, formula = texts
    return ManifestRow(symbol, operation, object_, certificate, row["stack"], formula)


def fault_of(folder: Path, kernel: ManifestRow, p: int, limbs: int, program: str) -> str:
    """Why a kernel is not certified by its object's bytes; empty if it is."""
    from fieldc.artifacts.certify import BadCertificate, NoAnswer, claim_for, replay
    from fieldc.artifacts.verify import named_operation
    from fieldc.binary.image import ObjectError
    from fieldc.binary.linkable import function_of
    from fieldc.proof.algebra.identity import ProofError

    try:
        code = function_of(read(folder / kernel.object), kernel.symbol)
        family, parameters = ("", {}) if kernel.formula else named_operation(kernel.operation)
        text = read(folder / kernel.certificate)
        claim = claim_for(code, family, parameters, p, limbs, kernel.stack, text, kernel.formula)
        return "" if replay(program, claim) else "the certificate does not prove the claim"
    except (ObjectError, ProofError, BadCertificate, NoAnswer) as error:
        return str(error)
