"""Builds kernels on arrays: each is proved from its bytes, or nothing is written."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import TypeVar

from fieldc.algorithms.columns import INNER, accumulate_digits, columns_of
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import ARRAY_OPERATIONS, in_lanes
from fieldc.artifacts.array_proofs import UnprovedArrayKernel
from fieldc.artifacts.columns import (
    field_of,
    in_pairs,
    job_of_arrays,
    prototype_of_columns,
    reads_digits,
    row_of_columns,
    said_of_columns,
)
from fieldc.artifacts.digit_arrays import (
    ACCUMULATE_DIGITS,
    DIGIT_OPERATIONS,
    DIGIT_ROLES,
    in_whole_sets,
    job_of_conversion,
    moves,
)
from fieldc.artifacts.transforms import (
    LAYOUT,
    job_of_transform,
    kernels_of,
    row_of_transform,
    said_of_transform,
)
from fieldc.artifacts.verify import Job, prove_new
from fieldc.artifacts.write import check_writable, manifest, manifest_file, write
from fieldc.field import Field
from fieldc.machine.arrays import ArrayFunction, check_arrays, word_bytes
from fieldc.progress import Progress
from fieldc.targets.header import OWNERSHIP, contract, field_symbol
from fieldc.targets.target import PROVED
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array
from fieldc.targets.vectors.offers import DIGITS, array_expression, conversions, layouts_of
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.x86_64.targets import NO_EXECUTABLE_STACK

KIND = "kernels on arrays"
Built = TypeVar("Built", bound="BuiltArray")


@dataclass(frozen=True)
class BuiltArray:
    """A kernel on arrays that was proved, in one layout; `ran` says whether it was run here too."""

    kernel: ArrayKernel
    layout: str
    ran: bool = False
    role: str = ""
    """Its name among the kernels of transforms, if it is one of them."""
    certificate: str = ""
    """Its proof, where that is written down."""

    @property
    def is_conversion(self) -> bool:
        """Whether it changes the layout."""
        is_other = self.kernel.result_field != self.kernel.expression.field
        return is_other and not self.in_transform

    @property
    def in_transform(self) -> bool:
        """Whether it is one of the kernels of transforms."""
        return self.layout == LAYOUT

    @property
    def _transform(self) -> str:
        """Its name where it is a kernel of transforms, else empty."""
        return f"{LAYOUT}_{self.role}" if self.in_transform else ""

    @property
    def stem(self) -> str:
        """The files' path without the ending."""
        of = "_of_digits" if reads_digits(self.kernel) else ""
        name = f"{self.kernel.expression.kernel.operation}_{self.layout}{of}".replace("-", "_")
        return f"{self.kernel.target.name}/{self._transform or name}"

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
        if self.kernel.columns is not None:
            return prototype_of_columns(self.kernel, self.kernel.columns)
        names = [name for name, _ in self.kernel.expression.kernel.operands]
        word = f"uint{8 * word_bytes(self.kernel.expression.field)}_t"
        operands = "".join(f", const {word} *{name}" for name in names)
        results = "".join(f", {word} *{name}" for name in self._results)
        return f"void {self.kernel.symbol}(size_t count{results}{operands});"

    @property
    def _results(self) -> Sequence[str]:
        """The names of the arrays of results."""
        count = self.kernel.results
        return ["z"] if count == 1 else [f"z{i}" for i in range(count)]

    def job(self) -> Job:
        """The proof that it needs."""
        if self.is_conversion and self.kernel.columns is None:
            return job_of_conversion(self.kernel)
        return job_of_transform(self.kernel) if self.in_transform else job_of_arrays(self.kernel)

    def said(self) -> str:
        """The contract in words."""
        if self.kernel.columns is not None:
            return said_of_columns(self.kernel, self.kernel.columns)
        if self.in_transform:
            return said_of_transform(self.kernel, self.role)
        f, kernel = self.kernel.expression.field, self.kernel.expression.kernel
        needs, result = contract(self.kernel.expression), self.kernel.result_field
        if result != f:
            return (
                f"{kernel.operation} on arrays, {self.layout}: the same elements, x with"
                f" R = 2^{f.word * f.n} in {f.size}, z with"
                f" R = 2^{result.word * result.n} in {result.size};"
                f" x {kernel.operands[0][1].says}, z < p. z and x must be apart."
            )
        return (
            f"{kernel.operation} on arrays, layout {self.layout}: {needs},"
            f" R = 2^{f.word * f.n}. An element has {f.size}."
        )

    def head(self) -> Sequence[str]:
        """The lines that open its text: how to make it again, and what it promises."""
        f = self.kernel.expression.field
        computes = self.kernel.expression.kernel.computes
        operation = f" --op {computes.family}" if computes.name in ARRAY_OPERATIONS else ""
        if self.kernel.columns is not None:
            f, operation = field_of(self.kernel, self.kernel.columns), f" --op {INNER}"
        target = self.kernel.target.name
        word = " --word 32" if f.word == HALF_BITS else ""
        how = f"--batch{word}{operation} --target {target}"
        if self.in_transform:
            how = "--package c"
        return (
            f"fieldc build {f.name or hex(f.p)} {how} -o DIR",
            f"p = {f.p:#x}",
            self.said(),
            *(
                ()
                if self.is_conversion or self.in_transform or self.kernel.columns is not None
                else (
                    f"{' and '.join(self._results)} may be any operands; other overlaps are not"
                    " allowed",
                )
            ),
            f"convention sysv; needs {' and '.join(self.kernel.target.features)}",
            OWNERSHIP,
        )

    def text(self) -> str:
        """The assembly, with what it promises at its head."""
        head = "".join(f"# {line}\n" for line in self.head())
        return head + self.kernel.text + NO_EXECUTABLE_STACK

    def row(self, code: bytes = b"") -> dict[str, object]:
        """The entry in manifest.json; `code` is the object in which it lies with others."""
        f, kernel = self.kernel.expression.field, self.kernel.expression.kernel
        if self.kernel.columns is not None:
            f = field_of(self.kernel, self.kernel.columns)
        said = self.said()
        proof = self.certificate.encode()
        parts = code or self.kernel.object, hex(f.p).encode(), said.encode(), proof
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return {
            "symbol": self.kernel.symbol,
            "op": kernel.operation,
            **kernel.computes.row(),
            "algorithm": kernel.algorithm,
            "target": self.kernel.target.name,
            "layout": self.layout,
            **row_of_columns(self.kernel),
            **(row_of_transform(self.kernel) if self.in_transform else {}),
            "word": f.word,
            "n": f.n,
            "R": hex(f.R),
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
        raise UnprovedArrayKernel(f"{symbol} is not proved: {failure}")
    rows = [each.row() for each in built]
    files = _files(field, built) | manifest_file(field, (), rows)
    return built, manifest(field, (), rows) | write(folder, field, files, KIND)


def made_array(target: VectorTarget, field: Field, operation: str, layout: str) -> BuiltArray:
    """One kernel, which is not proved yet. Raises NoLanes, BoundError."""
    expression = array_expression(field, operation, layout)
    name = f"{operation}_{layout.replace('-', '_')}{'32' * (field.word == HALF_BITS)}"
    symbol = f"fieldc_{field_symbol(field)}_{name}_{target.name}"
    return BuiltArray(compile_array(target, expression, symbol), layout)


def made_sums(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The two kernels of sums in columns, which are not proved yet. Raises NoSums, BoundError."""
    sums, symbol = target.sums_of(field), f"fieldc_{field_symbol(field)}"
    end = f"array{'32' * (field.word == HALF_BITS)}_{target.name}"
    return [
        BuiltArray(
            compile_array(
                target,
                expression,
                f"{symbol}_{expression.kernel.operation}_{end}",
                result,
                sums.columns,
            ),
            "columns",
        )
        for expression, result in sums.kernels
    ]


def made_conversion(target: VectorTarget, field: Field, name: str) -> BuiltArray:
    """A kernel that changes the layout, which is not proved yet."""
    found = conversions(field)[name]
    symbol = f"fieldc_{field_symbol(field)}_{name}_{target.name}"
    return BuiltArray(compile_array(target, found.expression, symbol, found.result), found.layout)


def made_digits(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """What an array in digits needs, as DIGIT_ROLES names it, not proved yet.

    `collect` of `made_sums` reduces the columns of its inner products. Nothing for one limb, whose
    arrays are in lanes as they lie.
    """
    if field.n < 2:
        return []
    made = [made_conversion(target, field, name) for name in conversions(field)]
    made += [made_array(target, field, operation, DIGITS) for operation in DIGIT_OPERATIONS]
    symbol = f"fieldc_{field_symbol(field)}_{ACCUMULATE_DIGITS}_{target.name}"
    expression, columns = accumulate_digits(field), columns_of(field)
    summing = compile_array(target, expression, symbol, in_lanes(field), columns)
    made.append(BuiltArray(summing, "columns"))
    return [replace(each, role=role) for each, role in zip(made, DIGIT_ROLES, strict=True)]


def made_moves(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The kernels of MOVE_ROLES, not proved yet, or nothing."""
    symbol = f"fieldc_{field_symbol(field)}"
    return [
        BuiltArray(
            compile_array(
                target, expression, f"{symbol}_{role}_{target.name}", result, in_digits=in_digits
            ),
            LAYOUT,
            role=role,
        )
        for role, (expression, result, in_digits) in moves(field).items()
    ]


def made_transforms(target: VectorTarget, field: Field) -> dict[str, BuiltArray]:
    """The kernels of transforms in digits by name, not proved yet; nothing where there are none."""
    symbol = f"fieldc_{field_symbol(field)}_transform"
    return {
        name: BuiltArray(
            compile_array(
                target,
                each.expression,
                f"{symbol}_{name}_{target.name}",
                each.result,
                in_digits=each.in_digits,
                shared=each.shared,
            ),
            LAYOUT,
            role=name,
        )
        for name, each in kernels_of(field, target).items()
    }


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
