"""Kernels of products in a tower in lanes: sums of residues moved up, times multiples of p."""

from __future__ import annotations

from fieldc.algorithms.columns import accumulate_multiples, collect, columns_of_tower
from fieldc.algorithms.lanes import in_lanes
from fieldc.artifacts.arrays import BuiltArray
from fieldc.artifacts.digit_arrays import MULTIPLE_ROLES
from fieldc.field import Field
from fieldc.targets.header import field_symbol
from fieldc.targets.vectors.kernel import compile_array
from fieldc.targets.vectors.target import VectorTarget


def made_multiples(target: VectorTarget, field: Field) -> list[BuiltArray]:
    """What a tower in lanes needs, as MULTIPLE_ROLES names it, not proved yet; or nothing."""
    columns = columns_of_tower(field)
    if columns is None:
        return []
    both = (accumulate_multiples(field, columns), in_lanes(field)), (collect(field, columns), field)
    start = f"fieldc_{field_symbol(field)}"
    return [
        BuiltArray(
            compile_array(target, expression, f"{start}_{role}_{target.name}", result, columns),
            "multiples",
            role=role,
        )
        for role, (expression, result) in zip(MULTIPLE_ROLES, both, strict=True)
    ]
