"""What each operation means, as a function of integers: the specification every reading is held to.

R = 2^(w*n). Operands and results are as the kernels' contracts say; nothing here knows how an
operation is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import mul

from fieldc.field import Field


@dataclass(frozen=True)
class Meaning:
    """The integer function of one operation, and the same as text."""

    says: str
    compute: Callable[..., int]
    """compute(field, *operands), before it is reduced mod p."""

    def __call__(self, field: Field, *operands: int) -> int:
        """The canonical result, 0 <= result < p."""
        return self.compute(field, *operands) % field.p


def halves(f: Field, x: int) -> tuple[int, int]:
    """The two values that lie side by side in x."""
    return x % f.R, x // f.R


MEANINGS: dict[str, Meaning] = {
    "add": Meaning("x + y mod p", lambda f, x, y: x + y),
    "sub": Meaning("x - y mod p", lambda f, x, y: x - y),
    "neg": Meaning("-x mod p", lambda f, x: -x),
    "double": Meaning("2*x mod p", lambda f, x: 2 * x),
    "mul": Meaning("x*y/R mod p", lambda f, x, y: x * y * f.R_inverse),
    "sum_of_products": Meaning(
        "(x[0]*y[0] + x[1]*y[1])/R mod p",
        lambda f, x, y: sum(map(mul, halves(f, x), halves(f, y))) * f.R_inverse,
    ),
    "square": Meaning("x*x/R mod p", lambda f, x: x * x * f.R_inverse),
    "redc": Meaning("x/R mod p", lambda f, x: x * f.R_inverse),
    "to_montgomery": Meaning("x*R mod p", lambda f, x: x * f.R),
    "from_montgomery": Meaning("x/R mod p", lambda f, x: x * f.R_inverse),
    "mul_plain": Meaning("x*y mod p", lambda f, x, y: x * y),
    "reduce": Meaning("x mod p", lambda f, x: x),
}
