"""Every input of a kernel at small words, in blocks, and the results wanted for it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from fieldc.language import Expression
from sweep.text import LANES

Array = npt.NDArray[np.int32]
LARGEST = 12
"""Bits of the largest residue: the product of two fits in an int32."""


@dataclass(frozen=True)
class Domain:
    """All inputs of a kernel: the numbers below `count`, or all pairs of them, or all fours.

    Of four each two are one operand, the second one times `beside`.
    """

    arity: int
    count: int
    beside: int

    @property
    def total(self) -> int:
        """The number of inputs."""
        return int(self.count**self.arity)

    def blocks(self, size: int) -> Iterator[tuple[Array, ...]]:
        """The inputs in order, x before y; the last one is repeated up to whole LANES."""
        for start in range(0, self.total, size):
            end = min(start + size, -(-self.total // LANES) * LANES)
            index = np.arange(start, end, dtype=np.int32)
            if end > self.total:
                index = np.minimum(index, self.total - 1)
            if self.arity == 1:
                yield (index,)
                continue
            values = []
            for _ in range(self.arity):
                rest = index // self.count
                values.append(index - rest * self.count)
                index = rest
            half = self.arity // 2
            yield tuple(
                sum(v * np.int32(self.beside**i) for i, v in enumerate(operand))
                for operand in (values[half:], values[:half])
            )


def domain(expression: Expression) -> Domain:
    """The inputs of a kernel."""
    f = expression.field
    assert f.p.bit_length() <= LARGEST
    assert len({(x.low, x.high) for x in expression.inputs}) == 1 and expression.inputs[0].low == 0
    return Domain(len(expression.inputs), expression.inputs[0].high + 1, f.R)


def modulo(values: Array, p: int) -> Array:
    """values % p; numpy divides by a number far faster than it finds remainders."""
    return values - values // p * p


SUMS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, y: x + y,
    "sub": lambda x, y: x - y,
    "neg": lambda x, _: -x,
    "double": lambda x, _: x + x,
}


def wanted(operation: str, p: int, word: int, values: tuple[Array, ...]) -> Array:
    """The right results, by modular arithmetic."""
    x, y = values[0], values[-1]
    r = 1 << word * -(-p.bit_length() // word)
    if operation in SUMS:
        return modulo(SUMS[operation](x, y), p)
    if operation == "to_montgomery":
        return modulo(x * np.int32(r), p)
    if operation == "sum_of_products":
        products = (x % r) * (y % r) + (x // r) * (y // r)
        return modulo(modulo(products, p) * np.int32(pow(r, -1, p)), p)
    if operation == "sum_of_products_plain":
        return modulo((x % r) * (y % r) + (x // r) * (y // r), p)
    if operation in ("mul_plain", "square_plain", "reduce"):
        return modulo(x if operation == "reduce" else x * y, p)
    whole = {"mul": x * y, "square": x * y, "redc": x, "from_montgomery": x}[operation]
    return modulo(modulo(whole, p) * np.int32(pow(r, -1, p)), p)
