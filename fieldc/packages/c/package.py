"""Makes a C package: proved kernels in one assembly text, portable C, and what is around them."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path

from fieldc.algorithms.lazy import has_two_spare_bits
from fieldc.algorithms.representations import MONTGOMERY, SAME, Representation
from fieldc.artifacts.divsteps import BuiltDivsteps
from fieldc.artifacts.entries import check_entries
from fieldc.artifacts.write import build, check_writable, manifest_file, write
from fieldc.decisions.decision import Decision
from fieldc.decisions.formulas import check_operands, decide_formula
from fieldc.decisions.preferred import preferred
from fieldc.decisions.representation import OF_PACKAGES, judged
from fieldc.field import Field
from fieldc.files import MANIFEST
from fieldc.formulas.field_calls import blocks_of
from fieldc.formulas.formula import Formula
from fieldc.formulas.names import check_names
from fieldc.packages.c.aarch64 import ARM_SYSTEMS, arm_objects, of_one_system
from fieldc.packages.c.arrays import (
    PROOFS,
    PackagedArray,
    array_kernels,
    arrays_text,
    entries_of,
)
from fieldc.packages.c.assembly import (
    SYSTEMS,
    WINDOWS,
    Platform,
    check_bytes,
    check_same,
    objects,
)
from fieldc.packages.c.divsteps import batch_kernels, in_package, update_decisions
from fieldc.packages.c.formulas import ENDINGS, step_name
from fieldc.packages.c.names import kernel_names
from fieldc.packages.c.texts import package_name, taken_names, texts
from fieldc.packages.paths import by_path
from fieldc.progress import Progress, shown_choices
from fieldc.targets.aarch64.targets import ARCHITECTURE
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED, Artifact

WORD = 64
KIND = "C package"
PARTS = ("mul", "square", "sum_of_products", "enter", "leave")
"""What the interface calls of a representation, if that has it."""
TERNARY = "mul_add"
"""What it calls too in Montgomery form; of plain residues it is a product and a sum."""
LAZY = ("add_lazy", "sub_lazy", "reduce_lazy")
"""What it calls too where values below 2p stay there, with their products and squares."""
KERNELS_FOR = (
    *("x86_64-linux", "x86_64-windows"),
    *("aarch64-linux", "aarch64-macos", "aarch64-windows"),
    "c",
)
"""Of x86-64 both conventions; macOS has the bytes of Linux. AArch64 has the same bytes everywhere,
proved by each convention."""
WHOLE_FORMULAS_FOR = ("x86_64-linux", "x86_64-windows")
"""Where a formula is one kernel; elsewhere it is C that calls kernels."""
PROVED_AS = {"x86_64-macos": "x86_64-linux"}


@dataclass(frozen=True)
class CPackageKernel(Artifact):
    """A kernel of a package: one of several in its file and object."""

    file: str = ""
    object_name: str | None = None

    @property
    def source_file(self) -> str:
        """Path of the text inside the package."""
        return self.file

    @property
    def other_files(self) -> dict[str, str]:
        """None: the package has one text for all systems."""
        return {}

    @property
    def object_file(self) -> str | None:
        """Path of the object inside the package."""
        return self.object_name

    @property
    def certificate_file(self) -> str | None:
        """Path of the certificate inside the package."""
        folder = PROVED_AS.get(self.target.name, self.target.name)
        return f"{PROOFS}/{folder}/{self.stem}.cert.json" if self.certificate else None


def build_package(
    field: Field,
    folder: Path,
    progress: Progress,
    r: Representation,
    command: str,
    formulas: Sequence[Formula] = (),
) -> tuple[list[CPackageKernel], dict[str, object]]:
    """Build, check and write residues in a representation; the kernels, and the manifest.

    `command` makes the package again. Formulas are of Montgomery form. Raises OutputError,
    FormulaError; for a wrong kernel UnprovedKernel, CheckError, FrameError or DifferentKernel,
    before anything is written.
    """
    check_writable(folder, field, KIND)
    check_names(formulas, taken(field, r, formulas), ENDINGS)
    for name, formula in product(WHOLE_FORMULAS_FOR, formulas):  # before what takes seconds
        formula.check(field)
        check_operands(formula, TARGETS[name])
    operations_for = product(KERNELS_FOR, operations(field, r))
    formulas_for = product(WHOLE_FORMULAS_FOR, formulas)
    choices = [
        *(_for(name, partial(preferred, field, operation)) for name, operation in operations_for),
        *(_for(name, partial(decide_formula, field, one)) for name, one in formulas_for),
    ]
    decisions = shown_choices(choices, progress)
    proved = shipped(build([*decisions, *update_decisions(field)], progress))
    arrays = array_kernels(field, r, proved, progress)
    batches = batch_kernels(field, progress)
    artifacts, files = package(field, r, proved, command, formulas, arrays, batches)
    checked = write(folder, field, files, KIND)
    return artifacts, json.loads(files[MANIFEST]) | checked


def _for(name: str, decide: Callable[..., Decision]) -> Callable[[], Decision]:
    """What `decide` gives for a target, by each of its paths; it takes target and processor."""
    target = TARGETS[name]
    return partial(by_path, target, partial(decide, target))


def shipped(kernels: Sequence[Artifact]) -> list[Artifact]:
    """The kernels without those for AArch64, unless each of these is proved."""
    arm = [a for a in kernels if a.target.architecture == ARCHITECTURE]
    if all(a.status == PROVED for a in arm):
        return [*kernels]
    return [a for a in kernels if a not in arm]


def fastest(f: Field) -> Representation:
    """The representation that is the fastest on x86-64, on every host the same."""
    return judged(f, TARGETS["x86_64-linux"], OF_PACKAGES)[0].representation


def operations(field: Field, r: Representation) -> tuple[str, ...]:
    """What the interface for a field calls."""
    always = (*SAME, *(r.parts[part] for part in PARTS if part in r.parts))
    always += (TERNARY,) if r is MONTGOMERY else ()
    return (*always, *LAZY, *r.lazy.values()) if has_two_spare_bits(field) else always


def taken(field: Field, r: Representation, formulas: Sequence[Formula]) -> set[str]:
    """The names that no formula can have, without the package's own before them."""
    steps = map(step_name, blocks_of(formulas))
    return {*taken_names(formulas), *kernel_names(operations(field, r)), *steps}


def package(
    field: Field,
    r: Representation,
    proved: Sequence[Artifact],
    command: str,
    formulas: Sequence[Formula] = (),
    arrays: Sequence[PackagedArray] = (),
    batches: Sequence[BuiltDivsteps] = (),
) -> tuple[list[CPackageKernel], dict[str, bytes]]:
    """The kernels of a package, and its files by their paths. Raises DifferentKernel.

    `batches` are the proved kernels of divsteps.
    """
    has_arm = bool(of_one_system(proved))
    systems = (*SYSTEMS, *ARM_SYSTEMS) if has_arm else SYSTEMS
    made = objects(proved, arrays_text(arrays)) | (arm_objects(proved) if has_arm else {})
    for system in systems:
        check_same(made[system.target], system, proved)
    for system in SYSTEMS:
        check_bytes(made[system.target], system, {a.kernel.symbol: a.kernel.object for a in arrays})
    check_entries(made[WINDOWS.target], entries_of(arrays))
    artifacts = [a for system in systems for a in _packaged(system, made[system.target], proved)]
    written = texts(field, r, proved, command, formulas, arrays)
    in_c = f"src/{package_name(field)}.c"
    portable = [replace(a, text=written[in_c]) for a in proved if a.target.name == "c"]
    artifacts += [_renamed(a, in_c) for a in portable]
    files = {path: text.encode() for path, text in written.items()}
    files |= {system.object_file: made[system.target] for system in systems}
    for a in proved:  # each certificate is of the object beside it
        if a.certificate_file and a.object_file and a.code:
            files[f"{PROOFS}/{a.certificate_file}"] = a.certificate.encode()
            files[f"{PROOFS}/{a.object_file}"] = a.code
    for kernel in arrays:  # these are of the package's object
        files |= kernel.certificate_files()
    rows = [kernel.row(files[kernel.object_file]) for kernel in arrays]
    called = in_package(batches, made, package_name(field)) if batches else ()
    files |= {each.certificate_file: each.certificate.encode() for each in called}
    files |= manifest_file(field, artifacts, rows, [each.row() for each in called])
    return artifacts, files


def _packaged(system: Platform, code: bytes, proved: Iterable[Artifact]) -> list[CPackageKernel]:
    of = PROVED_AS.get(system.target, system.target)
    return [
        _renamed(
            replace(a, target=TARGETS[system.target], code=code),
            f"src/{package_name(a.expression.field)}_{a.target.architecture}.S",
            system.object_file,
        )
        for a in proved
        if a.target.name == of
    ]


def _renamed(artifact: Artifact, file: str, object_name: str | None = None) -> CPackageKernel:
    return CPackageKernel(**vars(artifact), file=file, object_name=object_name)
