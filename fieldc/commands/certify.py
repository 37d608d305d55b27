"""fieldc certify: replay a build's certificates by the checker that is proved in Coq."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldc.catalogue import quote
from fieldc.commands.progress import progress
from fieldc.commands.prove import read
from fieldc.commands.verb import Answer, Table, UsageError, option, verb

if TYPE_CHECKING:
    from fieldc.artifacts.certify import Claim

CERTIFIED, REFUSED, NONE = "CERTIFIED", "REFUSED", "no certificate"


@verb(option("path", metavar="DIR", help="a folder that fieldc build wrote"))
def certify(arguments: argparse.Namespace) -> Answer:
    """replay a built folder's certificates by the checker that is proved in Coq"""
    if not arguments.path:
        raise UsageError("the path is empty; certify takes a folder")
    from fieldc.artifacts.certify import CERTIFIER, certifier, replay

    folder, rows, data = Path(arguments.path), list[tuple[object, ...]](), []
    kernels, p, limbs = kernels_of(folder)
    program = certifier()
    if not program:
        raise UsageError(
            f"{CERTIFIER} is not installed; `make formal` builds it, with Coq and OCaml, and "
            "build/formal or .venv/bin must be on PATH"
        )
    with progress() as show:
        for done, kernel in enumerate(kernels, 1):
            began, status, why = time.perf_counter(), NONE, ""
            if kernel["certificate"]:
                claim, why = claim_of(folder, kernel, p, limbs)
                accepted = claim is not None and replay(program, claim)
                status = CERTIFIED if accepted else REFUSED
                why = why or ("" if accepted else "the certificate does not prove the claim")
            show("certify", done, len(kernels))
            seconds = round(time.perf_counter() - began, 2)
            rows.append((kernel["symbol"], kernel["op"], status, f"{seconds:.2f}", why))
            data.append(
                {
                    "kernel": kernel["symbol"],
                    "operation": kernel["op"],
                    "status": status,
                    "seconds": seconds,
                    "reason": why,
                }
            )
    good = sum(row["status"] == CERTIFIED for row in data)
    refused = any(row["status"] == REFUSED for row in data)
    said = f"{good} of {len(data)} kernels of {p:#x} are certified by the proved checker"
    table = Table(("kernel", "operation", "status", "seconds", "why not"), rows)
    return Answer((table,), data, int(refused or not good), (said,))


def kernels_of(folder: Path) -> tuple[list[dict[str, Any]], int, int]:
    """The rows of a manifest that say PROVED, the prime, and its limbs. Raises UsageError."""
    if not (folder / "manifest.json").is_file():
        said = "has no manifest.json, so fieldc build did not write it or was stopped"
        raise UsageError(f"{quote(str(folder))} {said}; build into it again")
    try:
        manifest = json.loads(read(folder / "manifest.json"))
        if "arrays" in manifest:
            raise UsageError("kernels on arrays have no certificates")
        kernels = [row for row in manifest["kernels"] if row["status"] == "PROVED"]
        for row in kernels:
            _ = row["symbol"], row["op"], row["object"], row["certificate"], row["stack"] + 0
        p, limbs = int(manifest["p"], 16), int(manifest["n"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise UsageError(f"{quote(str(folder / 'manifest.json'))} is no manifest") from None
    if not kernels:
        raise UsageError(f"{quote(str(folder))} has no kernel that was PROVED")
    return kernels, p, limbs


def claim_of(folder: Path, kernel: dict[str, Any], p: int, limbs: int) -> tuple[Claim | None, str]:
    """What the manifest says of a kernel, of the bytes in its object; or why there is no claim."""
    from fieldc.artifacts.certify import BadCertificate, claim_for
    from fieldc.artifacts.verify import named_operation
    from fieldc.binary.image import ObjectError
    from fieldc.binary.linkable import function_of
    from fieldc.proof.identity import ProofError

    try:
        code = function_of(read(folder / kernel["object"]), kernel["symbol"])
        family, parameters = named_operation(kernel["op"])
        text = read(folder / kernel["certificate"])
        return claim_for(code, family, parameters, p, limbs, kernel["stack"], text), ""
    except (ObjectError, ProofError, BadCertificate) as error:
        return None, str(error)
