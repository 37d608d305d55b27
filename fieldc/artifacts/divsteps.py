"""Builds, proves and writes the kernel of a batch of divsteps, which is the same for all primes."""

from __future__ import annotations

import ctypes
import hashlib
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.artifacts.verify import Job, prove_new
from fieldc.artifacts.write import check_writable, manifest, write
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.files import MANIFEST
from fieldc.machine.check import CheckError
from fieldc.machine.load import load
from fieldc.progress import Progress
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.targets.aarch64.divsteps import arm_divsteps_for
from fieldc.targets.aarch64.targets import AARCH64_SYSTEMS
from fieldc.targets.header import OWNERSHIP
from fieldc.targets.target import PROVED, Target
from fieldc.targets.x86_64.divsteps import divsteps_for, ordered_name
from fieldc.targets.x86_64.targets import X86_64

MAKERS = {"x86_64": divsteps_for, "aarch64": arm_divsteps_for}
"""What makes its text and object for the targets of an architecture."""
DIVSTEP_TARGETS = tuple(target.name for target in (*X86_64, *AARCH64_SYSTEMS))
RUNS = 40
KIND = "a batch of divsteps"
SYMBOL = f"fieldc_{DIVSTEP_MATRIX}"
GUARD = "FIELDC_DIVSTEPS_H"
PROTOTYPE = (
    f"void {SYMBOL}(int64_t z[5], const int64_t *zeta, const uint64_t *f, const uint64_t *g);"
)
SHARING = "z may begin where zeta, f or g lies; it must not overlap them otherwise"


class UnprovedDivsteps(Refusal):
    """The kernel is not proved; says why."""


@dataclass(frozen=True)
class BuiltDivsteps:
    """The kernel for one target, proved, in a file and an object, which may have others too."""

    symbol: str
    target: Target
    text: str
    code: bytes
    stack: int
    file: str
    object_file: str
    certificate: str
    certificate_file: str

    def row(self) -> dict[str, object]:
        """The entry in manifest.json."""
        certificate = self.certificate.encode()
        parts = self.code, BATCH.says.encode(), certificate
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return {
            "symbol": self.symbol,
            "op": DIVSTEP_MATRIX,
            "steps": BATCH.steps,
            "target": self.target.name,
            "convention": self.target.proved_as,
            "needs": [],
            "file": self.file,
            "object": self.object_file,
            "contract": BATCH.says,
            "status": PROVED,
            "stack": self.stack,
            "certificate": self.certificate_file,
            "certificate_digest": hashlib.sha256(certificate).hexdigest(),
            "digest": hashlib.sha256(digests).hexdigest(),
        }


def build_divsteps(
    field: Field, targets: Sequence[Target], folder: Path, progress: Progress
) -> tuple[list[BuiltDivsteps], dict[str, object]]:
    """Build, prove and write the kernel for some targets; the kernels, and the manifest.

    Raises OutputError, UnprovedDivsteps, CheckError, before anything is written.
    """
    check_writable(folder, field, KIND)
    built = proved_divsteps(field, targets, SYMBOL, progress)
    found = manifest(field, (), divsteps=[each.row() for each in built])
    files = {each.file: each.text.encode() for each in built}
    files |= {each.object_file: each.code for each in built}
    files |= {each.certificate_file: each.certificate.encode() for each in built}
    files |= {"fieldc_divsteps.h": _c_header().encode(), MANIFEST: json.dumps(found).encode()}
    return built, found | write(folder, field, files, KIND)


def proved_divsteps(
    field: Field,
    targets: Sequence[Target],
    symbol: str,
    progress: Progress,
    order: StepOrder = StepOrder.COUNT_FIRST,
) -> list[BuiltDivsteps]:
    """The kernel for some targets, run where this host can. Raises UnprovedDivsteps, CheckError."""
    made = []
    for target in targets:
        make, stem = MAKERS[target.architecture], f"{target.name}/{ordered_name(order)}"
        text, code = make(target, symbol, _header(field, target), order)
        files = f"{stem}.s", f"{stem}.o", "", f"{stem}.cert.json"
        made.append(BuiltDivsteps(symbol, target, text, code, 0, *files))
    return proved_as_made(field, made, progress)


def proved_as_made(
    field: Field, made: Sequence[BuiltDivsteps], progress: Progress
) -> list[BuiltDivsteps]:
    """Kernels proved, and run where this host can. Raises UnprovedDivsteps, CheckError."""
    jobs = [Job(each.code, each.symbol, DIVSTEP_MATRIX, field.p, field.n) for each in made]
    built = []
    for each, verdict in zip(made, prove_new(jobs, progress), strict=True):
        if verdict.failure:
            raise UnprovedDivsteps(f"{each.symbol} is not proved: {verdict.failure}")
        if each.target.is_native:
            check_divsteps(each.code, each.symbol)
        built.append(replace(each, stack=verdict.stack, certificate=verdict.certificate))
    return built


def check_divsteps(code: bytes, symbol: str = SYMBOL) -> None:
    """Run an object of this host on some numbers. Raises CheckError."""
    library, draw = load(code), random.Random(1)
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(library.address(symbol))
    for _ in range(RUNS):
        given = draw.randrange(-9, 9), draw.getrandbits(64) | 1, draw.getrandbits(64)
        words = [(ctypes.c_int64 * 5)(number) for number in (0, *given)]
        run(*words)
        if (*words[0],) != BATCH.result(*given):
            text = ", ".join(f"{n} = {v:#x}" for n, v in zip(BATCH.operands, given, strict=True))
            raise CheckError(f"{DIVSTEP_MATRIX}, {text}: z is not the matrix")


def _header(field: Field, target: Target) -> tuple[str, ...]:
    return (
        f"fieldc build {field.name or hex(field.p)} --op {DIVSTEP_MATRIX} --target {target.name}"
        " -o DIR",
        *wrap(f"{DIVSTEP_MATRIX}, the same for all primes: {BATCH.says}", 96),
        f"convention {target.proved_as}; needs no extension",
        SHARING,
        OWNERSHIP,
    )


def _c_header() -> str:
    said = "\n * ".join(wrap(f"{BATCH.says}. {SHARING}.", 90))
    lines = (
        *(f"/* {OWNERSHIP} */", f"#ifndef {GUARD}", f"#define {GUARD}", "", "#include <stdint.h>"),
        *("", "#ifdef __cplusplus", 'extern "C" {', "#endif", "", f"/* {said} */", PROTOTYPE, ""),
        *("#ifdef __cplusplus", "}", "#endif", "#endif", ""),
    )
    return "\n".join(lines)
