"""What a kernel on arrays promises: in words, and as the rows of a manifest say it."""

from __future__ import annotations

from fieldc.artifacts.columns import row_of_columns, said_of_columns
from fieldc.artifacts.promise import ArrayPromise
from fieldc.artifacts.transforms import row_of_transform, said_of_transform
from fieldc.targets.header import contract


def said_of(promise: ArrayPromise) -> str:
    """The contract in words."""
    if promise.columns is not None:
        return said_of_columns(promise, promise.columns)
    if promise.in_transform:
        return said_of_transform(promise)
    f, result = promise.expression.field, promise.result_field
    if promise.is_conversion:
        _, x = promise.expression.kernel.operands[0]
        return (
            f"{promise.operation} on arrays, {promise.layout}: the same elements, x with"
            f" R = 2^{f.word * f.n} in {f.size}, z with"
            f" R = 2^{result.word * result.n} in {result.size};"
            f" x {x.says}, z < p. z and x must be apart."
        )
    return (
        f"{promise.operation} on arrays, layout {promise.layout}: {contract(promise.expression)},"
        f" R = 2^{f.word * f.n}. An element has {f.size}."
    )


def row_of(promise: ArrayPromise) -> dict[str, object]:
    """What a manifest says of it, apart from the contract in words."""
    kernel, f = promise.expression.kernel, promise.field
    return {
        "op": kernel.operation,
        **kernel.computes.row(),
        "algorithm": kernel.algorithm,
        "layout": promise.layout,
        **row_of_columns(promise),
        **(row_of_transform(promise) if promise.in_transform else {}),
        "word": f.word,
        "n": f.n,
        "R": hex(f.R),
    }
