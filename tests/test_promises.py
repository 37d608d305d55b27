"""Rows of kernels on arrays say what such a kernel takes and gives."""

from __future__ import annotations

from typing import Any

import pytest

from fieldc.artifacts.arrays import made_array
from fieldc.artifacts.digit_arrays import MOVE_ROLES, MULTIPLE_ROLES
from fieldc.artifacts.promise import ArrayPromise
from fieldc.artifacts.promises import promises_on
from fieldc.artifacts.rows import fault_of_row
from fieldc.artifacts.said import row_of, said_of
from fieldc.catalogue import find_field
from fieldc.machine.processor import is_x86_64
from fieldc.targets.array_targets import ARRAY_TARGETS

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
FIELD = find_field("bn254-p")
PROMISES = promises_on(FIELD.p, FIELD.word)
NAMES = [promise.name for promise in PROMISES]
LAYOUT = "its layout or its columns are not those of "
DIGITS = "its arrays in digits are not those of "
Row = dict[str, Any]


@pytest.fixture(scope="module")
def any_kernel() -> tuple[Row, bytes]:
    """The row and the object of a kernel whose target has them all."""
    made = made_array(ARRAY_TARGETS["avx512ifma"], FIELD, "add", "array")
    return made.row(), made.kernel.object


def changes(promise: ArrayPromise, row: Row) -> dict[str, tuple[str, object]]:
    """A key of a row, with what it must not be, by what is said of it."""
    found: dict[str, tuple[str, object]] = {
        LAYOUT: ("layout", "array-to-array"),
        "its contract is not that of ": ("contract", row["contract"].replace("p", "2p", 1)),
        "its operands or its result are not those of ": ("result", row["operands"]),
        "it has other words than ": ("R", "0x1"),
    }
    if promise.columns is not None:
        found[f" {LAYOUT}"] = ("turns", row["turns"] + 1)
    if promise.in_transform:
        found[DIGITS] = ("shared", ["x", "y"])
    return found


OPERATIONS = [
    ("mul", "array"),
    ("mul", "digits"),
    ("square", "canonical-digits"),
    ("butterfly", "array"),
]
TAILS = {
    "another R": (", R = 2^", ", R = 2^1"),
    "one sentence more": (".", ". x may be any number."),
    "other words": ("An element has ", "An element has 1"),
    "nothing of it": (", R = 2^", ""),
}


@pytest.mark.parametrize(("operation", "layout"), OPERATIONS)
def test_all_of_a_contract_in_words_is_compared(operation: str, layout: str) -> None:
    made = made_array(ARRAY_TARGETS["avx512ifma"], FIELD, operation, layout)
    row, code = made.row(), made.kernel.object
    assert not fault_of_row("arrays", row, code, FIELD)
    for old, new in TAILS.values():
        said = str(row["contract"])
        more = said.replace(old, new, 1) if new else said.partition(old)[0]
        assert more != said
        why = fault_of_row("arrays", row | {"contract": more}, code, FIELD)
        assert why == f"its contract is not that of {row['op']}"
    why = fault_of_row("arrays", row | {"algorithm": "lanes "}, code, FIELD)
    assert why == f"its algorithm is not that of {row['op']}"


def test_there_are_rows_of_every_part() -> None:
    assert {*MOVE_ROLES, *MULTIPLE_ROLES, "to_digits", "accumulate_array"} < {*NAMES}
    assert "transform_step_by" in NAMES and "accumulate_digits" in NAMES
    assert len({said_of(promise) for promise in PROMISES}) == len(PROMISES)


@pytest.mark.parametrize("promise", PROMISES, ids=NAMES)
def test_another_promise_is_refused(promise: ArrayPromise, any_kernel: tuple[Row, bytes]) -> None:
    plain, code = any_kernel
    row = plain | row_of(promise) | {"contract": said_of(promise)}
    assert not fault_of_row("arrays", row, code, FIELD)
    for why, (key, value) in changes(promise, row).items():
        assert why.strip() in fault_of_row("arrays", row | {key: value}, code, FIELD)
