"""Builds kernels on arrays: each is proved from its bytes, or nothing is written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import TypeVar

from fieldc.algorithms.columns import INNER
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import ARRAY_OPERATIONS, in_lanes
from fieldc.artifacts.array_proofs import UnprovedArrayKernel
from fieldc.artifacts.columns import arrays_of_columns, in_pairs, job_of_arrays
from fieldc.artifacts.digit_arrays import in_whole_sets, job_of_conversion
from fieldc.artifacts.promise import TRANSFORM, ArrayPromise
from fieldc.artifacts.promises import (
    of_conversions,
    of_digits,
    of_moves,
    of_multiples,
    of_operation,
    of_sums,
    of_transforms,
)
from fieldc.artifacts.said import row_of, said_of
from fieldc.artifacts.transforms import job_of_transform, roles_of
from fieldc.artifacts.verify import Job, prove_new
from fieldc.artifacts.write import check_writable, manifest, manifest_file, write
from fieldc.field import Field
from fieldc.machine.arrays import ArrayFunction, check_arrays, word_bytes
from fieldc.progress import Progress
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.header import OWNERSHIP, field_symbol
from fieldc.targets.target import PROVED
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array
from fieldc.targets.vectors.offers import conversions, layouts_of
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.x86_64.targets import NO_EXECUTABLE_STACK

KIND = "kernels on arrays"
Built = TypeVar("Built", bound="BuiltArray")


@dataclass(frozen=True)
class BuiltArray:
    """A kernel on arrays that was proved, in one layout; `ran` says whether it was run here too."""

    kernel: ArrayKernel
    promise: ArrayPromise
    ran: bool = False
    certificate: str = ""
    """Its proof, where that is written down."""

    @property
    def layout(self) -> str:
        """How its arrays lie in memory."""
        return self.promise.layout

    @property
    def role(self) -> str:
        """Its name among kernels that are used together, if it is one of them."""
        return self.promise.role

    @property
    def stem(self) -> str:
        """The files' path without the ending."""
        promise, of = self.promise, "_of_digits" if self.promise.reads_digits else ""
        name = f"{promise.operation}_{promise.layout}{of}".replace("-", "_")
        if promise.in_transform:
            name = f"{TRANSFORM}_{promise.role}"
        return f"{self.kernel.target.name}/{name}"

    @property
    def source_file(self) -> str:
        """Path of the text inside the folder."""
        return f"{self.stem}.s"

    @property
    def object_file(self) -> str:
        """Path of the object inside the folder."""
        return f"{self.stem}.o"

    @property
    def certificate_file(self) -> str | None:
        """Path of the certificate inside the folder, if there is one."""
        return f"{self.stem}.cert.json" if self.certificate else None

    def certificate_files(self) -> dict[str, bytes]:
        """The certificate by its path; nothing where there is none."""
        path = self.certificate_file
        return {path: self.certificate.encode()} if path else {}

    def prototype(self) -> str:
        """The C declaration."""
        promise, columns = self.promise, self.promise.columns
        if columns is not None:
            arrays = arrays_of_columns(promise, columns)
        else:
            word = f"uint{8 * word_bytes(promise.field)}_t"
            named = [f"{word} *{name}" for name in promise.results]
            named += [f"const {word} *{name}" for name in promise.operands]
            arrays = ", ".join(named)
        return f"void {self.kernel.symbol}(size_t count, {arrays});"

    def job(self) -> Job:
        """The proof that it needs."""
        kernel, promise = self.kernel, self.promise
        if promise.is_conversion and promise.columns is None:
            return job_of_conversion(kernel, promise)
        of = job_of_transform if promise.in_transform else job_of_arrays
        return of(kernel, promise)

    def said(self) -> str:
        """The contract in words."""
        return said_of(self.promise)

    def head(self) -> Sequence[str]:
        """The lines that open its text: how to make it again, and what it promises."""
        promise, target = self.promise, self.kernel.target
        f, computes = promise.field, promise.expression.kernel.computes
        operation = f" --op {computes.family}" if computes.name in ARRAY_OPERATIONS else ""
        if promise.columns is not None:
            operation = f" --op {INNER}"
        word = " --word 32" if f.word == HALF_BITS else ""
        how = f"--batch{word}{operation} --target {target.name}"
        if promise.in_transform:
            how = "--package c"
        is_plain = not (promise.is_conversion or promise.in_transform or promise.columns)
        results = " and ".join(promise.results)
        overlaps = f"{results} may be any operands; other overlaps are not allowed"
        return (
            f"fieldc build {f.name or hex(f.p)} {how} -o DIR",
            f"p = {f.p:#x}",
            self.said(),
            *((overlaps,) if is_plain else ()),
            f"convention sysv; needs {' and '.join(target.features)}",
            OWNERSHIP,
        )

    def text(self) -> str:
        """The assembly, with what it promises at its head."""
        head = "".join(f"# {line}\n" for line in self.head())
        return head + self.kernel.text + NO_EXECUTABLE_STACK

    def row(self, code: bytes = b"") -> dict[str, object]:
        """The entry in manifest.json; `code` is the object in which it lies with others."""
        said, proof = self.said(), self.certificate.encode()
        p = hex(self.promise.field.p).encode()
        parts = code or self.kernel.object, p, said.encode(), proof
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return {
            "symbol": self.kernel.symbol,
            "target": self.kernel.target.name,
            **row_of(self.promise),
            "convention": "sysv",
            "needs": list(self.kernel.target.features),
            "file": self.source_file,
            "object": self.object_file,
            "contract": said,
            "status": PROVED,
            "ran": self.ran,
            "certificate": self.certificate_file,
            "certificate_digest": hashlib.sha256(proof).hexdigest() if proof else None,
            "digest": hashlib.sha256(digests).hexdigest(),
        }


def build_arrays(
    targets: Sequence[VectorTarget],
    field: Field,
    operations: Sequence[str],
    folder: Path,
    progress: Progress,
    converts: bool = True,
) -> tuple[list[BuiltArray], dict[str, object]]:
    """Build, prove and write some operations in every layout; the kernels and the manifest.

    With them come the kernels that change the layout, unless `converts` is False.

    Kernels run on vectors as well where the processor has the instructions. An inner product has
    two kernels. What the checker said is `checked`, where it is installed. Raises NoLanes, NoSums,
    BoundError, OutputError, UnprovedArrayKernel, CheckError, NotCertified, before anything is
    written.
    """
    check_writable(folder, field, KIND)
    in_lanes(field)
    layouts = [
        (operation, layout)
        for operation in operations
        if operation != INNER
        for layout in layouts_of(field, operation)
    ]
    made = [made_array(t, field, *each) for t in targets for each in layouts]
    if INNER in operations:
        several = [t for t in targets if t.has_sums(field)] or targets
        made += [each for target in several for each in made_sums(target, field)]
    if converts and field.word != HALF_BITS:
        made += [made_conversion(t, field, name) for t in targets for name in conversions(field)]
    built, failures = proved_arrays(made, progress)
    for symbol, failure in failures.items():
        failing = {each.kernel.target.name for each in made if each.kernel.symbol in failures}
        others = " or ".join(name for name in ARRAY_TARGETS if name not in failing)
        hint = f"; another target may have it: {others}" if others else ""
        raise UnprovedArrayKernel(f"{symbol} is not proved: {failure}{hint}")
    rows = [each.row() for each in built]
    files = _files(field, built) | manifest_file(field, (), rows)
    return built, manifest(field, (), rows) | write(folder, field, files, KIND)


def compiled(target: VectorTarget, promise: ArrayPromise) -> BuiltArray:
    """A target's kernel, which is not proved yet. Raises NoLanes, BoundError."""
    kernel = compile_array(
        target,
        promise.expression,
        promise.symbol(target.name),
        promise.result_field,
        promise.columns,
        promise.in_digits,
        promise.shared,
    )
    return BuiltArray(kernel, promise)


def made_array(target: VectorTarget, field: Field, operation: str, layout: str) -> BuiltArray:
    """One kernel, which is not proved yet. Raises NoLanes, BoundError."""
    return compiled(target, of_operation(field, operation, layout))


def made_sums(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The two kernels of sums in columns, which are not proved yet. Raises NoSums, BoundError."""
    return [compiled(target, each) for each in of_sums(field, target.sums_of(field))]


def made_conversion(target: VectorTarget, field: Field, name: str) -> BuiltArray:
    """A kernel that changes the layout, which is not proved yet."""
    return compiled(target, of_conversions(field)[name])


def made_digits(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The kernels of DIGIT_ROLES, not proved yet; nothing for one limb."""
    return [compiled(target, each) for each in of_digits(field)]


def made_moves(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The kernels of MOVE_ROLES, not proved yet, or nothing."""
    return [compiled(target, each) for each in of_moves(field)]


def made_multiples(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The kernels of MULTIPLE_ROLES, not proved yet, or nothing."""
    return [compiled(target, each) for each in of_multiples(field)]


def made_transforms(target: VectorTarget, field: Field) -> dict[str, BuiltArray]:
    """The kernels of transforms in digits by role, not proved yet; nothing where there are none."""
    made = of_transforms(field)
    return {role: compiled(target, made[role]) for role in roles_of(target) if role in made}


def proved_arrays(made: Sequence[Built], progress: Progress) -> tuple[list[Built], dict[str, str]]:
    """The kernels that are proved, run where this processor can; why others are not, by symbol.

    A proof that succeeded before is not done again. Raises CheckError.
    """
    verdicts = prove_new([each.job() for each in made], progress)
    found, failures = [], {}
    for each, verdict in zip(made, verdicts, strict=True):
        kernel, runs = each.kernel, each.kernel.target.runs_here
        if verdict.failure:
            failures[kernel.symbol] = verdict.failure
            continue
        if runs and kernel.columns is None:
            check_arrays(loaded(kernel))
        found.append(replace(each, ran=runs, certificate=verdict.certificate))
    return in_whole_sets(in_pairs(found)), failures


def loaded(kernel: ArrayKernel) -> ArrayFunction:
    """The kernel, to be called."""
    of = kernel.expression, kernel.result_field, kernel.in_digits, kernel.shared
    return ArrayFunction(kernel.object, kernel.symbol, *of)


def _files(field: Field, built: Sequence[BuiltArray]) -> dict[str, bytes]:
    files = {f"{each.stem}.s": each.text().encode() for each in built}
    files |= {f"{each.stem}.o": each.kernel.object for each in built}
    for each in built:
        files |= each.certificate_files()
    name = field_symbol(field)
    guard = f"FIELDC_{name.upper()}_ARRAYS_H"
    lines = [f"/* {OWNERSHIP} */", f"#ifndef {guard}", f"#define {guard}", ""]
    lines += ["#include <stddef.h>", "#include <stdint.h>", ""]
    lines += ["#ifdef __cplusplus", 'extern "C" {', "#endif"]
    for each in built:
        lines += ["", "/* " + "\n * ".join(wrap(each.said(), 90)) + " */", each.prototype()]
    lines += ["", "#ifdef __cplusplus", "}", "#endif", "#endif", ""]
    files[f"fieldc_{name}_arrays.h"] = "\n".join(lines).encode()
    return files
