"""Builds kernels on arrays: each is proved from its bytes, or nothing is written."""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from textwrap import wrap
from typing import Any, TypeVar

from fieldc.algorithms.columns import INNER
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import ARRAY_OPERATIONS, in_lanes
from fieldc.algorithms.sums import sums_of
from fieldc.artifacts.columns import (
    field_of,
    in_pairs,
    job_of_arrays,
    prototype_of_columns,
    row_of_columns,
    said_of_columns,
)
from fieldc.artifacts.verify import Job, prove_job, prove_new
from fieldc.artifacts.write import ELSEWHERE, MANIFEST, check_writable
from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import function_of
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.folders import write_folder
from fieldc.machine.arrays import ArrayFunction, check_arrays, word_bytes
from fieldc.progress import Progress
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.instruction_sets import INSTRUCTION_SETS
from fieldc.proof.lanes.prove import prove_arrays
from fieldc.targets.header import OWNERSHIP, contract, field_symbol
from fieldc.targets.target import PROVED
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array
from fieldc.targets.vectors.offers import array_expression, conversions, layouts_of
from fieldc.targets.vectors.target import VectorTarget

Built = TypeVar("Built", bound="BuiltArray")


class UnprovedArrayKernel(Refusal):
    """A kernel on arrays whose proof failed; names the kernel and the claim."""


@dataclass(frozen=True)
class BuiltArray:
    """A kernel on arrays that was proved, in one layout; `ran` says whether it was run here too."""

    kernel: ArrayKernel
    layout: str
    ran: bool = False

    @property
    def is_conversion(self) -> bool:
        """Whether it changes the layout."""
        return self.kernel.result_field != self.kernel.expression.field

    @property
    def stem(self) -> str:
        """The files' path without the ending."""
        operation = self.kernel.expression.kernel.operation
        return f"{self.kernel.target.name}/{operation}_{self.layout.replace('-', '_')}"

    @property
    def source_file(self) -> str:
        """Path of the text inside the folder."""
        return f"{self.stem}.s"

    @property
    def object_file(self) -> str:
        """Path of the object inside the folder."""
        return f"{self.stem}.o"

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

    def said(self) -> str:
        """The contract in words."""
        if self.kernel.columns is not None:
            return said_of_columns(self.kernel, self.kernel.columns)
        f, kernel = self.kernel.expression.field, self.kernel.expression.kernel
        needs, result = contract(self.kernel.expression), self.kernel.result_field
        if result != f:
            return (
                f"{kernel.operation} on arrays, {self.layout}: the same elements, x with"
                f" R = 2^{f.word * f.n} in {f.size}, z with"
                f" R = 2^{result.word * result.n} in {result.size};"
                " x < p, z < p. z and x must be apart."
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
        return (
            f"fieldc build {f.name or hex(f.p)} --batch{word}{operation} --target {target} -o DIR",
            f"p = {f.p:#x}",
            self.said(),
            *(
                ()
                if self.is_conversion or self.kernel.columns is not None
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
        return "".join(f"# {line}\n" for line in self.head()) + self.kernel.text

    def row(self) -> dict[str, object]:
        """The kernel's entry in manifest.json."""
        f, kernel = self.kernel.expression.field, self.kernel.expression.kernel
        if self.kernel.columns is not None:
            f = field_of(self.kernel, self.kernel.columns)
        said = self.said()
        parts = self.kernel.object, hex(f.p).encode(), said.encode()
        digests = b"".join(hashlib.sha256(part).digest() for part in parts)
        return {
            "symbol": self.kernel.symbol,
            "op": kernel.operation,
            **kernel.computes.row(),
            "algorithm": kernel.algorithm,
            "target": self.kernel.target.name,
            "layout": self.layout,
            **row_of_columns(self.kernel.columns),
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
    two kernels. Raises NoLanes, NoSums, BoundError, OutputError, UnprovedArrayKernel, CheckError,
    before anything is written.
    """
    check_writable(folder, field)
    in_lanes(field)
    converters = conversions(field) if converts and field.word != HALF_BITS else {}
    layouts = [
        (operation, layout)
        for operation in operations
        if operation != INNER
        for layout in layouts_of(field, operation)
    ]
    made = [made_array(t, field, *each) for t in targets for each in layouts]
    if INNER in operations:
        made += [each for target in targets for each in made_sums(target, field)]
    built, failures = proved_arrays(made, progress)
    for symbol, failure in failures.items():
        raise UnprovedArrayKernel(f"{symbol} is not proved: {failure}")
    built += [built_conversion(t, field, name) for t in targets for name in converters]
    files = _files(field, built)
    manifest = {
        "field": field.label,
        "p": hex(field.p),
        "word": field.word,
        "n": field.n,
        "R": hex(field.R),
        "kernels": [],
        "arrays": [each.row() for each in built],
        "files": sorted([*files, MANIFEST]),
    }
    files[MANIFEST] = (json.dumps(manifest, indent=2) + "\n").encode()
    write_folder(folder, files, ELSEWHERE, seal=MANIFEST)
    return built, manifest


def made_array(target: VectorTarget, field: Field, operation: str, layout: str) -> BuiltArray:
    """One kernel, which is not proved yet. Raises NoLanes, BoundError."""
    expression = array_expression(field, operation, layout)
    name = f"{operation}_{layout.replace('-', '_')}{'32' * (field.word == HALF_BITS)}"
    symbol = f"fieldc_{field_symbol(field)}_{name}_{target.name}"
    return BuiltArray(compile_array(target, expression, symbol), layout)


def made_sums(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """The two kernels of sums in columns, which are not proved yet. Raises NoSums, BoundError."""
    sums, symbol = sums_of(field), f"fieldc_{field_symbol(field)}"
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


def proved_arrays(made: Sequence[Built], progress: Progress) -> tuple[list[Built], dict[str, str]]:
    """The kernels that are proved, run where this processor can; why others are not, by symbol.

    A proof that succeeded before is not done again. Raises CheckError.
    """
    verdicts = prove_new([job_of_arrays(each.kernel) for each in made], progress)
    found, failures = [], {}
    for each, verdict in zip(made, verdicts, strict=True):
        kernel, runs = each.kernel, each.kernel.target.runs_here
        if verdict.failure:
            failures[kernel.symbol] = verdict.failure
            continue
        if runs and kernel.columns is None:
            check_arrays(ArrayFunction(kernel.object, kernel.symbol, kernel.expression))
        found.append(replace(each, ran=runs))
    return in_pairs(found), failures


def built_conversion(target: VectorTarget, field: Field, name: str) -> BuiltArray:
    """A kernel that changes the layout, proved. Raises UnprovedArrayKernel, CheckError."""
    expression, result, layout, _ = conversions(field)[name]
    symbol = f"fieldc_{field_symbol(field)}_{name}_{target.name}"
    kernel = compile_array(target, expression, symbol, result)
    _proof(kernel.object, symbol, name, field)
    if ran := target.runs_here:
        check_arrays(ArrayFunction(kernel.object, symbol, expression, result))
    return BuiltArray(kernel, layout, ran)


def _proof_of_sum(code: bytes, row: Mapping[str, Any], f: Field) -> None:
    """Prove a kernel of sums in columns, as its entry says. Raises UnprovedArrayKernel."""
    turns, bits = row["turns"], row["column_bits"]
    job = Job(code, row["symbol"], row["op"], f.p, f.n, array_word=f.word)
    verdict = prove_job(replace(job, turns=turns, column_bits=bits))
    if verdict.failure:
        raise UnprovedArrayKernel(f"{row['symbol']} is not proved: {verdict.failure}")


def _proof(code: bytes, symbol: str, operation: str, f: Field) -> None:
    """Prove an operation on arrays in a field's words, or a conversion of a field in limbs.

    Raises UnprovedArrayKernel.
    """
    result = f
    if operation in ARRAY_OPERATIONS:
        known = ARRAY_OPERATIONS[operation]
        family, parameters = known.family, known.parameters
    else:
        expression, result, _, factor = conversions(f)[operation]
        f, family, parameters = expression.field, "mul_by", {"factor": factor}
    try:
        function = function_of(code, symbol)
        instructions = INSTRUCTION_SETS.get(function.architecture)
        if instructions is None or not instructions.proves_arrays(function.container):
            raise ObjectError("a kernel on arrays is called by System V's convention for x86-64")
        prove_arrays(
            function.code,
            family,
            f.p,
            f.n,
            f.word,
            dict(parameters),
            function.start,
            (result.n, result.word),
        )
    except (ProofError, ObjectError) as error:
        raise UnprovedArrayKernel(f"{symbol} is not proved: {error}") from None


@dataclass(frozen=True)
class ProvedAgain:
    """A kernel of a built folder; `failure` is empty where it is proved."""

    symbol: str
    operation: str
    layout: str
    seconds: float
    failure: str


def prove_folder(folder: Path, manifest: Mapping[str, Any]) -> Iterator[ProvedAgain]:
    """Prove the kernels on arrays of a built folder again, from their objects.

    Raises KeyError, TypeError, ValueError for a manifest that fieldc build did not write.
    """
    field = Field(int(manifest["p"], 16), int(manifest["word"]))
    for row in manifest["arrays"]:
        started, failure = time.perf_counter(), ""
        is_plain = row["word"] == field.word or row["op"] not in ARRAY_OPERATIONS
        f = field if is_plain else in_lanes(field)
        try:
            code = (folder / row["object"]).read_bytes()
            if "turns" in row:
                _proof_of_sum(code, row, field)
            else:
                _proof(code, row["symbol"], row["op"], f)
        except UnprovedArrayKernel as error:
            failure = str(error)
        except OSError as error:
            failure = f"{row['object']}: {error.strerror}"
        seconds = time.perf_counter() - started
        yield ProvedAgain(row["symbol"], row["op"], row["layout"], seconds, failure)


def _files(field: Field, built: Sequence[BuiltArray]) -> dict[str, bytes]:
    files = {f"{each.stem}.s": each.text().encode() for each in built}
    files |= {f"{each.stem}.o": each.kernel.object for each in built}
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
