"""fieldc certify: replay all certificates of a built folder, by the proved checker where it can."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fieldc.commands.built import (
    ARRAYS,
    DIVSTEPS,
    KERNELS,
    check_formulas,
    check_inside,
    check_once,
    field_of,
    is_proved,
    manifest_of,
    no_manifest,
    read,
)
from fieldc.commands.progress import progress
from fieldc.commands.verb import Answer, Table, UsageError, option, verb
from fieldc.errors import counted, quote
from fieldc.field import Field

if TYPE_CHECKING:
    from fieldc.artifacts.checker import CheckedFolder
    from fieldc.progress import Progress

CERTIFIED, REFUSED, NONE, LEFT = "CERTIFIED", "REFUSED", "no certificate", "not replayed"
UPDATES = ("divstep_fg", "divstep_de_lazy")
"""What the proved checker does not know of the first; nor does it know the others."""
NOT_ACCEPTED = (
    "the certificate does not prove the claim, or code by LLVM has an instruction that this"
    " checker does not know"
)
GET_CHECKER = (
    "fieldc-check is not installed, which replays kernels on arrays and divsteps; in a checkout"
    " `cargo install --path crates/check` puts it on PATH"
)


@dataclass(frozen=True)
class ManifestRow:
    """What a manifest says of a kernel that is PROVED."""

    part: str
    """The list in which it is."""
    symbol: str
    operation: str
    object: str
    certificate: str
    """Empty where there is none."""
    stack: int
    formula: str
    """The text of a user's formula; empty for an operation."""
    fault: str = ""
    """What the row says wrongly of its object, or is wrong in others with the same kernel."""
    called: Sequence[str] = ()
    """The statements of the routines that a formula calls, in the order of their first calls."""

    @property
    def says(self) -> str:
        """What people read of its operation."""
        return f"{self.operation}, a formula" if self.formula else self.operation

    @property
    def is_known(self) -> bool:
        """Whether the proved checker knows its operation."""
        return self.part == KERNELS and (bool(self.formula) or self.operation not in UPDATES)


@dataclass(frozen=True)
class BuiltRows:
    """What a manifest says: its kernels that are PROVED, and how many others there are."""

    kernels: Sequence[ManifestRow]
    others: int
    field: Field

    def known(self, is_known: bool) -> list[ManifestRow]:
        """The kernels that the proved checker knows, or the others."""
        return [kernel for kernel in self.kernels if kernel.is_known is is_known]


@dataclass(frozen=True)
class ReplayedKernel:
    """What became of a kernel, and which checker looked at it; empty where none did."""

    kernel: ManifestRow
    status: str
    checker: str = ""
    seconds: float = 0.0
    why: str = ""

    def row(self) -> dict[str, object]:
        """The row for programs."""
        return {
            "kernel": self.kernel.symbol,
            "operation": self.kernel.operation,
            "formula": self.kernel.formula,
            "status": self.status,
            "checker": self.checker,
            "seconds": round(self.seconds, 2),
            "reason": self.why,
        }

    def shown(self) -> tuple[object, ...]:
        """The row of the table."""
        named = self.kernel.symbol, self.kernel.says
        return *named, self.status, self.checker, f"{self.seconds:.2f}", self.why


@verb(option("path", metavar="DIR", help="a folder that fieldc build wrote"))
def certify(arguments: argparse.Namespace) -> Answer:
    """replay a built folder's certificates, by the checker that is proved in Coq where it can"""
    if not arguments.path:
        raise UsageError("the path is empty; certify takes a folder")
    from fieldc.artifacts.certify import CERTIFIER
    from fieldc.artifacts.checker import CHECKER

    folder = Path(arguments.path)
    built = built_rows(folder)
    scalars, rest = built.known(True), built.known(False)
    program, command = programs_for(scalars, rest)
    with progress() as show:
        found = [*replayed(folder, built, program, show)]
        show("check", 0, len(rest))
        checked, faults = by_checker(folder, rest, command)
        show("check", len(rest), len(rest))
    found += checked
    notes = []
    if scalars:
        good = f"{_good(found, True)} of {counted(len(scalars), 'kernel')} of {built.field.p:#x}"
        notes.append(f"certified by {CERTIFIER}, the checker that is proved: {good}")
    if rest:
        good = f"{_good(found, False)} of {counted(len(rest), 'kernel')} on arrays or of divsteps"
        notes.append(f"certified by {CHECKER}, which is not proved: {good}")
    notes += [f"not said to be PROVED: {counted(built.others, 'kernel')}"] if built.others else []
    notes += [GET_CHECKER] if rest and not command else []
    notes += [f"{CHECKER} finds a fault in the folder: {why}" for why in faults]
    columns = ("kernel", "operation", "status", "checker", "seconds", "why not")
    table = Table(columns, [one.shown() for one in found], optional=("seconds", "operation"))
    is_whole = not faults and all(one.status == CERTIFIED for one in found)
    return Answer((table,), [one.row() for one in found], int(not is_whole), tuple(notes))


def programs_for(
    scalars: Sequence[ManifestRow], rest: Sequence[ManifestRow]
) -> tuple[str, Sequence[str]]:
    """The proved checker, and what runs the other one.

    Raises UsageError where the proved checker is missing, or the other one and no kernel is left.
    """
    from fieldc.artifacts.certify import CERTIFIER, certifier
    from fieldc.artifacts.checker import checker_command

    program = certifier() if scalars else ""
    if scalars and not program:
        raise UsageError(
            f"{CERTIFIER} is not installed; `make formal` builds it, with Coq and OCaml, and "
            "build/formal or .venv/bin must be on PATH"
        )
    command = checker_command() if rest else ()
    if not scalars and not command:
        raise UsageError(GET_CHECKER)
    return program, command


def replayed(
    folder: Path, built: BuiltRows, program: str, show: Progress
) -> Iterator[ReplayedKernel]:
    """What the proved checker says of the kernels that it knows. Each core runs one."""
    kernels = built.known(True)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        show("certify", 0, len(kernels))
        found = pool.map(lambda kernel: _replayed(folder, kernel, built, program), kernels)
        for done, one in enumerate(found, 1):
            yield one
            show("certify", done, len(kernels))


def _replayed(folder: Path, kernel: ManifestRow, built: BuiltRows, program: str) -> ReplayedKernel:
    """What the proved checker says of one of them."""
    from fieldc.artifacts.certify import CERTIFIER, UnknownToChecker

    if not kernel.certificate:
        return ReplayedKernel(kernel, NONE)
    began = time.perf_counter()
    try:
        why = fault_of(folder, kernel, built.field.p, built.field.n, program) or kernel.fault
    except UnknownToChecker as error:
        return ReplayedKernel(kernel, LEFT, why=str(error))
    status, seconds = REFUSED if why else CERTIFIED, time.perf_counter() - began
    return ReplayedKernel(kernel, status, CERTIFIER, seconds, why)


def by_checker(
    folder: Path, kernels: Sequence[ManifestRow], command: Sequence[str]
) -> tuple[list[ReplayedKernel], Sequence[str]]:
    """What fieldc-check says of kernels, and what else is wrong with their folder."""
    from fieldc.artifacts.checker import NotCertified, checked_folder

    try:
        if not (kernels and command):
            return _left(kernels), ()
        checked = checked_folder(command, folder)
    except NotCertified as error:
        return _left(kernels, str(error)), ()
    named = {(kernel.part, kernel.object, kernel.symbol) for kernel in kernels}
    others = [one.reason for at, one in checked.kernels.items() if at not in named and one.reason]
    return [_checked(folder, kernel, checked) for kernel in kernels], [*checked.faults, *others]


def _left(kernels: Sequence[ManifestRow], why: str = "") -> list[ReplayedKernel]:
    """Kernels that no checker looked at."""
    return [ReplayedKernel(k, LEFT if k.certificate else NONE, why=why) for k in kernels]


def _checked(folder: Path, kernel: ManifestRow, checked: CheckedFolder) -> ReplayedKernel:
    """What the report of fieldc-check says of a kernel. Its object must be plain to fieldc too."""
    from fieldc.artifacts.checker import CHECKER, FAILED, PROVED

    one = checked.kernels.get((kernel.part, kernel.object, kernel.symbol))
    if one is None:
        return ReplayedKernel(kernel, LEFT)
    if one.status == FAILED or kernel.fault:
        why = one.reason or kernel.fault
        return ReplayedKernel(kernel, REFUSED, CHECKER, one.seconds, why)
    if one.status == PROVED:
        why = _unfit(folder, kernel)
        return ReplayedKernel(kernel, REFUSED if why else CERTIFIED, CHECKER, one.seconds, why)
    return ReplayedKernel(kernel, NONE)


def _unfit(folder: Path, kernel: ManifestRow) -> str:
    """Why the bytes of a kernel's object may not be those that run; empty if they are."""
    from fieldc.binary.image import ObjectError
    from fieldc.binary.linkable import function_of

    try:
        function_of(read(folder / kernel.object), kernel.symbol)
    except ObjectError as error:
        return str(error)
    return ""


def _good(found: Sequence[ReplayedKernel], is_known: bool) -> int:
    return sum(one.status == CERTIFIED for one in found if one.kernel.is_known is is_known)


def built_rows(folder: Path) -> BuiltRows:
    """What a folder's manifest says. Raises UsageError."""
    manifest = manifest_of(folder)
    try:
        named = [
            (part, row) for part in (KERNELS, ARRAYS, DIVSTEPS) for row in manifest.get(part, ())
        ]
        rows = [(part, row) for part, row in named if is_proved(folder, row, part)]
        kernels = [_row(part, row) for part, row in rows]
        in_limbs = any(kernel.part != ARRAYS for kernel in kernels)
        field = field_of(folder, manifest, in_limbs)
        check_formulas(folder, manifest)
        check_inside(folder, manifest)
    except (ValueError, KeyError, TypeError, AttributeError):
        raise no_manifest(folder) from None
    if not kernels:
        raise UsageError(f"{quote(str(folder))} has no kernel that was PROVED")
    check_once(folder, ((kernel.object, kernel.symbol) for kernel in kernels))
    try:
        kernels = [*_with_faults(folder, manifest, kernels, [row for _, row in rows], field)]
    except (ValueError, KeyError, TypeError, AttributeError):
        raise no_manifest(folder) from None
    return BuiltRows(kernels, len(named) - len(kernels), field)


def _with_faults(
    folder: Path,
    manifest: Mapping[str, Any],
    kernels: Sequence[ManifestRow],
    rows: Sequence[Mapping[str, Any]],
    field: Field,
) -> Iterator[ManifestRow]:
    """The kernels with what their rows say wrongly. Raises KeyError, TypeError, ValueError."""
    from fieldc.artifacts.beside import faults_beside
    from fieldc.artifacts.rows import fault_of_row

    beside = faults_beside(folder, manifest)
    for kernel, row in zip(kernels, rows, strict=True):
        path, why = folder / kernel.object, ""
        if path.is_file():  # that it is missing is said of its certificate
            why = fault_of_row(kernel.part, row, read(path), field)
        if kernel.part == ARRAYS:
            why = why or beside.get((kernel.object, kernel.symbol), "")
        yield replace(kernel, fault=why)


def _row(part: str, row: dict[str, Any]) -> ManifestRow:
    """A row of the manifest. Raises KeyError, TypeError."""
    named = (row["symbol"], row["op"], row["object"])
    certificate = row["certificate"] if part != DIVSTEPS else row.get("certificate")
    texts = (*named, certificate or "", row.get("formula", ""))
    if not all(isinstance(text, str) and "\0" not in text for text in texts):
        raise TypeError
    stack = row["stack"] if part == KERNELS else 0
    if type(stack) is not int:
        raise TypeError
    called = row.get("called", [])
    if not isinstance(called, list):
        raise TypeError
    symbol, operation, object_, certificate, formula = texts
    names = symbol, operation, object_, certificate
    return ManifestRow(part, *names, stack, formula, called=called)


def fault_of(folder: Path, kernel: ManifestRow, p: int, limbs: int, program: str) -> str:
    """Why a kernel is not certified by its object's bytes; empty if it is.

    Raises UnknownToChecker.
    """
    from fieldc.artifacts.certify import (
        BadCertificate,
        NoAnswer,
        UnknownToChecker,
        claim_for,
        replay,
    )
    from fieldc.artifacts.verify import named_operation
    from fieldc.binary.image import ObjectError
    from fieldc.binary.linkable import function_of
    from fieldc.proof.algebra.identity import ProofError

    try:
        code = function_of(read(folder / kernel.object), kernel.symbol)
        family, parameters = ("", {}) if kernel.formula else named_operation(kernel.operation)
        text = read(folder / kernel.certificate)
        claim = claim_for(code, family, parameters, p, limbs, kernel.stack, text, kernel.formula)
        if why := _says_otherwise(json.loads(text), kernel):
            return why
        return "" if replay(program, claim) else NOT_ACCEPTED
    except UnknownToChecker:
        raise
    except (ObjectError, ProofError, BadCertificate, NoAnswer) as error:
        return str(error)


def _says_otherwise(certificate: Mapping[str, Any], kernel: ManifestRow) -> str:
    """What a certificate says other than its row; empty where they agree."""
    if certificate.get("stack") != kernel.stack:
        return f"the certificate's stack is not the {kernel.stack} bytes of its row"
    routines = certificate.get("routines", [])
    is_list = isinstance(routines, list) and all(isinstance(one, dict) for one in routines)
    if not is_list or [one.get("formula") for one in routines] != [*kernel.called]:
        return "the certificate is of other routines than those that its row says are called"
    return ""
