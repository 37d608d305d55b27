"""The kernels on arrays that a field has: what each of them takes and gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from fieldc.algorithms.columns import (
    LANE_TOWERS,
    accumulate_digits,
    accumulate_multiples,
    collect,
    columns_of,
    columns_of_tower,
)
from fieldc.algorithms.lane_words import HALF_BITS
from fieldc.algorithms.lanes import cut, in_lanes, join
from fieldc.algorithms.sums import Sums, has_sums, sums_of
from fieldc.algorithms.transforms import NoDigits, transform_kernels
from fieldc.artifacts.digit_arrays import (
    ACCUMULATE_DIGITS,
    DIGIT_OPERATIONS,
    DIGIT_ROLES,
    MOVE_ROLES,
    MULTIPLE_ROLES,
)
from fieldc.artifacts.promise import TRANSFORM, ArrayPromise
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.targets.vectors.offers import DIGITS, array_expression, conversions

COLUMNS = "columns"
"""The layout of sums in columns."""


def of_operation(f: Field, operation: str, layout: str) -> ArrayPromise:
    """An operation on arrays of one layout. Raises NoLanes, BoundError."""
    name = f"{operation}_{layout.replace('-', '_')}{'32' * (f.word == HALF_BITS)}"
    expression = array_expression(f, operation, layout)
    return ArrayPromise(name, expression, expression.field, layout)


def of_sums(f: Field, sums: Sums) -> list[ArrayPromise]:
    """The two kernels of sums in columns."""
    end = f"array{'32' * (f.word == HALF_BITS)}"
    return [
        ArrayPromise(
            f"{expression.kernel.operation}_{end}",
            expression,
            result,
            COLUMNS,
            columns=sums.columns,
        )
        for expression, result in sums.kernels
    ]


def of_conversions(f: Field) -> dict[str, ArrayPromise]:
    """What changes the layout, by name."""
    return {
        name: ArrayPromise(name, made.expression, made.result, made.layout)
        for name, made in conversions(f).items()
    }


def of_digits(f: Field) -> list[ArrayPromise]:
    """What an array in digits needs, as DIGIT_ROLES names it.

    `collect` of `of_sums` reduces the columns of its inner products. Nothing for one limb, whose
    arrays are in lanes as they lie.
    """
    if f.n < 2:
        return []
    made = [*of_conversions(f).values()]
    made += [of_operation(f, operation, DIGITS) for operation in DIGIT_OPERATIONS]
    summing = accumulate_digits(f), in_lanes(f), COLUMNS
    made.append(ArrayPromise(ACCUMULATE_DIGITS, *summing, columns=columns_of(f)))
    return [replace(each, role=role) for each, role in zip(made, DIGIT_ROLES, strict=True)]


def of_moves(f: Field) -> list[ArrayPromise]:
    """What moves the same number to digits and back, as MOVE_ROLES names it.

    Nothing for one limb, nor where 2p exceeds the limbs.
    """
    if f.n < 2 or not f.spare_bits:
        return []
    both = (cut.expression(f), in_lanes(f), ()), (join.expression(f), f, ("x",))
    return [
        ArrayPromise(role, expression, result, TRANSFORM, role, in_digits=in_digits)
        for role, (expression, result, in_digits) in zip(MOVE_ROLES, both, strict=True)
    ]


def of_multiples(f: Field) -> list[ArrayPromise]:
    """What a tower in lanes needs, as MULTIPLE_ROLES names it; or nothing."""
    columns = columns_of_tower(f)
    if columns is None:
        return []
    both = (accumulate_multiples(f, columns), in_lanes(f)), (collect(f, columns), f)
    return [
        ArrayPromise(role, expression, result, "multiples", role, columns)
        for role, (expression, result) in zip(MULTIPLE_ROLES, both, strict=True)
    ]


def of_transforms(f: Field) -> dict[str, ArrayPromise]:
    """The kernels of transforms in digits by role; nothing where values cannot stay there."""
    try:
        made = transform_kernels(f)
    except NoDigits:
        return {}
    return {
        role: ArrayPromise(
            f"{TRANSFORM}_{role}",
            each.expression,
            each.result,
            TRANSFORM,
            role,
            in_digits=each.in_digits,
            shared=each.shared,
        )
        for role, each in made.items()
    }


@lru_cache(maxsize=16)
def promises_on(p: int, word: int) -> tuple[ArrayPromise, ...]:
    """Sums in columns, what changes the layout, and what transforms and towers call."""
    names = (name for name in LANE_TOWERS if find_field(name).p == p)
    return tuple(_beside_operations(Field(p, word, next(names, ""))))


def _beside_operations(f: Field) -> Iterator[ArrayPromise]:
    if has_sums(f):
        yield from of_sums(f, sums_of(f))
    if f.word == HALF_BITS:
        return
    yield from of_conversions(f).values()
    yield from (each for each in of_digits(f) if each.columns is not None)
    yield from of_multiples(f)
    yield from of_moves(f)
    yield from of_transforms(f).values()
