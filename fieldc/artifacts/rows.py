"""What a manifest's row says beside its proof, held against the object and the operation.

The proof is of bytes. A user reads the row: its target, its convention, what it needs of the
processor, and which values it takes and gives. Each of these must be that of the proof.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import ARRAY_OPERATIONS, DIGIT_BITS, in_lanes
from fieldc.algorithms.representations import representation_of
from fieldc.artifacts.entries import entry_of
from fieldc.artifacts.promises import of_operation, promises_on
from fieldc.artifacts.said import row_of, said_of
from fieldc.binary.features import covered, features_used
from fieldc.binary.features import named as named_feature
from fieldc.binary.image import ObjectError
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.errors import Refusal, printable, quote
from fieldc.field import Field
from fieldc.operands import Range
from fieldc.operations import DIVSTEP_FG, OPERATIONS, TOWER_OPERATIONS, Operation
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.proof.claims.formulas import Size, statement_of
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Target

StatedRow = Mapping[str, Any]
KNOWN = OPERATIONS | TOWER_OPERATIONS | DIVSTEP_FG
LABELS = {"elf": "ELF", "coff": "COFF", "mach-o": "Mach-O"}
"""What `binary` calls containers, and what people do."""
LAYOUTS = ("array", "digits", "canonical-digits")
"""Of operations on elements in one layout."""
RANGES = ("family", "parameters", "operands", "result")
PARTS = {
    RANGES: "its operands or its result are not those",
    ("layout", "turns", "column_bits", "multiple"): "its layout or its columns are not those",
    ("in_digits", "gives_digits", "shared"): "its arrays in digits are not those",
    ("algorithm",): "its algorithm is not that",
    ("contract",): "its contract is not that",
}
"""What a row says of a kernel on arrays, with what is wrong if not."""


class WrongRow(Refusal):
    """A row says what its object or its operation does not; one line."""


def fault_of_row(part: str, row: StatedRow, data: bytes, f: Field) -> str:
    """What a row of a manifest's list says wrongly of its object; empty where there is nothing.

    The field is the manifest's, with its words.

    Raises KeyError, TypeError, ValueError for a row that fieldc build does not write.
    """
    try:
        code = function_of(data, row["symbol"])
        if part == "arrays":
            _check_array(row, code, f)
        else:
            {"kernels": _check_kernel, "divsteps": _check_divsteps}[part](row, code)
    except (WrongRow, ProofError) as error:
        return str(error)
    except ObjectError:
        pass  # the proof says so
    return ""


def _check_kernel(row: StatedRow, code: KernelCode) -> None:
    """Of a kernel on single values. Raises WrongRow, ProofError."""
    target = _target_of(row, code)
    _check_convention(row, "c" if str(row["variant"]).startswith("llvm") else target.proved_as)
    needs = {variant.name: variant.needs for variant in target.variants}
    if row["variant"] not in needs:
        raise WrongRow(f"{target.name} has no variant {quote(str(row['variant']))}")
    _check_needs(row, code, needs[row["variant"]], f"the variant {row['variant']}")
    _check_ranges(row, operation_of(row))
    _check_representation(row, operation_of(row))


def _check_array(row: StatedRow, code: KernelCode, f: Field) -> None:
    """Of a kernel on arrays. Raises WrongRow."""
    target = ARRAY_TARGETS.get(row["target"])
    if target is None:
        raise WrongRow(f"its target {quote(str(row['target']))} is none of arrays")
    _check_convention(row, "sysv")
    _check_needs(row, code, target.features, target.name)
    _check_words(row, f)
    _check_promise(row, f)
    if _is_operation(row):
        _check_name(row)
    if "entry" in row:
        _check_entry(row)


def _is_operation(row: StatedRow) -> bool:
    """Whether a row on arrays is of an operation on elements in one layout."""
    return row["op"] in ARRAY_OPERATIONS and row["layout"] in LAYOUTS


def _check_promise(row: StatedRow, f: Field) -> None:
    """Raise WrongRow unless a row says what a kernel of this name takes and gives."""
    if _is_operation(row):
        known = [of_operation(f, row["op"].removesuffix("_lazy"), row["layout"])]
    else:
        known = [one for one in promises_on(f.p, f.word) if one.operation == row["op"]]
    rows = [row_of(one) | {"contract": said_of(one)} for one in known]
    for keys, wrong in PARTS.items():
        rows = [said for said in rows if all(said.get(key) == row.get(key) for key in keys)]
        if not rows:
            raise WrongRow(f"{wrong} of {row['op']}")


def _check_divsteps(row: StatedRow, code: KernelCode) -> None:
    """Of a kernel that does divsteps. Raises WrongRow."""
    _check_convention(row, _target_of(row, code).proved_as)
    _check_needs(row, code, (), DIVSTEP_MATRIX)
    if (row["op"], row["steps"], row["contract"]) != (DIVSTEP_MATRIX, BATCH.steps, BATCH.says):
        raise WrongRow(f"its row does not say what {DIVSTEP_MATRIX} does")


def _target_of(row: StatedRow, code: KernelCode) -> Target:
    """The target of a row, which makes objects such as the row's. Raises WrongRow."""
    target = TARGETS.get(row["target"])
    if target is None or target.object_format is None:
        raise WrongRow(f"its target {quote(str(row['target']))} is none that makes objects")
    made = target.architecture, target.object_format.label
    found = code.architecture, LABELS[code.container]
    if made != found:
        said = f"{' '.join(found)}, and {target.name} has {' '.join(made)}"
        raise WrongRow(f"{_object(row)} is {said}")
    return target


def _check_convention(row: StatedRow, convention: str) -> None:
    if row["convention"] != convention:
        said = quote(str(row["convention"]))
        raise WrongRow(f"its convention is {said}, and that of {row['target']} is {convention}")


def _check_needs(row: StatedRow, code: KernelCode, needs: Sequence[str], of: str) -> None:
    """Raise WrongRow unless a row names what the code uses, and that is what its name promises."""
    has = covered(row["needs"])
    for feature, name in features_used(code).items():
        if feature not in has:
            said = f"{_object(row)} uses {name} of {named_feature(feature)}"
            raise WrongRow(f"{said}, which its row does not name")
    if row["needs"] != [*needs]:
        raise WrongRow(f"its row needs {_listed(row['needs'])}, and {of} needs {_listed(needs)}")


def _listed(needs: Sequence[str]) -> str:
    return quote(", ".join(map(str, needs))) if needs else "nothing"


def operation_of(row: StatedRow) -> Operation:
    """The operation of a row, or of its formula. Raises WrongRow, ProofError."""
    if not row.get("formula"):
        if row["op"] in KNOWN:
            return KNOWN[row["op"]]
        raise WrongRow(f"there is no operation {quote(str(row['op']))}")
    statement = statement_of(row["formula"])
    operands = tuple((name, _range(count, size)) for name, count, size in statement.operands)
    says = f"{row['op']}({', '.join(name for name, _ in operands)})"
    return Operation(row["op"], operands, _range(len(statement.results), statement.size), says)


def _range(count: int, size: Size) -> Range:
    multiple, powers, bits = size.multiple, size.powers, size.bits
    return Range(count, multiple, powers=powers, bits=bits, is_signed=size.is_signed)


def _check_ranges(row: StatedRow, operation: Operation) -> None:
    """Raise WrongRow unless a row takes and gives what its operation does."""
    stated = operation.row()
    if any(row[key] != stated[key] for key in RANGES):
        raise WrongRow(f"its operands or its result are not those of {row['op']}")
    needs = ", ".join(f"{name} {bound.says}" for name, bound in operation.operands)
    if row["contract"] != f"{needs}; z = {operation.says}, z {operation.result.says}":
        raise WrongRow(f"its contract is not that of {row['op']}")


def _check_representation(row: StatedRow, operation: Operation) -> None:
    """Raise WrongRow unless a row says how its operation's residues stand for numbers."""
    found = representation_of(operation)
    name = found and found.name
    if row["representation"] != name:
        said = f"its representation is {row['representation']}, and that of {row['op']} is {name}"
        raise WrongRow(printable(said))


def _check_words(row: StatedRow, f: Field) -> None:
    """Raise WrongRow unless a row has the words of its field, in limbs or in digits."""
    digits = row["layout"] in ("digits", "canonical-digits")
    of = in_lanes(f) if digits or (row["word"] == DIGIT_BITS and f.word != HALF_BITS) else f
    if (row["word"], row["n"], row["R"]) != (of.word, of.n, hex(of.R)):
        raise WrongRow(f"it has other words than {of.size}")


def _check_name(row: StatedRow) -> None:
    """Raise WrongRow unless a symbol ends in operation, layout and target.

    In a Rust package a digest follows.
    """
    layout = "array32" if row["word"] == HALF_BITS else row["layout"].replace("-", "_")
    end = f"_{row['op'].removesuffix('_lazy')}_{layout}_{row['target']}"
    head, _, digest = row["symbol"].rpartition("_")
    has_digest = len(digest) == 16 and not {*digest} - {*"0123456789abcdef"}
    if not (head if has_digest else row["symbol"]).endswith(end):
        raise WrongRow(f"its symbol does not end in {quote(end)}")


def _check_entry(row: StatedRow) -> None:
    """Raise WrongRow unless an entry is that of its row: by its name, and by its arguments."""
    entry, symbol = row["entry"], entry_of(row["symbol"])
    if entry["symbol"] != symbol:
        raise WrongRow(f"its entry is not {symbol}")
    results = 0 if row["family"] == "accumulate" else row["result"]["values"]
    arguments = 1 + results + len(row["operands"])
    if entry["arguments"] != arguments:
        raise WrongRow(f"its entry has {entry['arguments']} arguments, not {arguments}")


def _object(row: StatedRow) -> str:
    return PurePosixPath(row["object"]).name
