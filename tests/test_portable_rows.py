"""Portable Rust whose rows read their limbs anew: the same steps, in the same order."""

from __future__ import annotations

import re

import pytest

from fieldc.algorithms import choose
from fieldc.packages.rust.classes import FOLD, LAZY_FOLD, PrimeClass, class_expressions, class_words
from fieldc.packages.rust.plain import plain_primes
from fieldc.packages.rust.portable import ROWS, portable_products
from fieldc.packages.rust.portable_body import RowBody
from fieldc.packages.rust.portable_plain import ALGORITHM, OPERATIONS, plain_products
from fieldc.targets.rust.flat import PORTABLE, FlatBody, rust_function
from fieldc.words.lower import lower
from fieldc.words.program import Program

AFTER = re.compile(r" *let (\w+) = after\((\w+), \1\);\n")
LOAD = re.compile(r" *let (\w+) = ([a-z]+\[\d+\]);\n")


@pytest.fixture(scope="module")
def programs() -> list[Program]:
    """Products of classes, and of primes with plain residues."""
    classes: tuple[PrimeClass, ...] = (FOLD, LAZY_FOLD)
    of_classes = [class_words(e, ROWS) for c in classes for e in class_expressions(c, 4)]
    plain = [choose(f, o, ALGORITHM) for f in plain_primes() for o in OPERATIONS.values()]
    return [*of_classes, *(lower(expression, ROWS) for expression in plain)]


def test_only_loads_move(programs: list[Program]) -> None:
    for program in programs:
        flat = rust_function(program, "f", None, PORTABLE, FlatBody(program)).text
        rows = rust_function(program, "f", None, PORTABLE, RowBody(program)).text
        for name, limb in LOAD.findall(flat):
            flat = re.sub(rf"\b{name}\b", limb, flat)
        assert AFTER.sub("", rows) == re.sub(r" *let (\w+\[\d+\]) = \1;\n", "", flat), program.name


def test_a_row_waits_for_words_that_are_there(programs: list[Program]) -> None:
    for program in programs:
        text = rust_function(program, "f", None, PORTABLE, RowBody(program)).text
        rows = list(AFTER.finditer(text))
        assert rows, program.name
        for row in rows:
            assert f"let ({row[2]}, " in text[: row.start()], program.name


def test_without_plain_primes_the_macros_find_nothing() -> None:
    text = plain_products([], PORTABLE, ROWS)
    assert text.count("None") == len(OPERATIONS) and "match" not in text
    assert text in portable_products()
