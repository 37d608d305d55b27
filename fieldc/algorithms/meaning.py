"""What each operation means, as a function of integers: the specification every reading is held to.

R = 2^(w*n). Operands and results are as the kernels' contracts say; nothing here knows how an
operation is computed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from operator import mul

from fieldc.algorithms.names import BETAS, FACTORS, MOST_TERMS, SQUARINGS, named
from fieldc.field import Field


@dataclass(frozen=True)
class Meaning:
    """The integer function of one operation, and the same as text.

    An operand of several values is the one number that they make, and so is a result.
    """

    says: str
    compute: Callable[..., int | tuple[int, ...]]
    """compute(field, *operands), before it is reduced mod p."""

    def __call__(self, field: Field, *operands: int) -> int:
        """The canonical result: each of its values is below p."""
        found = self.compute(field, *operands)
        values = found if isinstance(found, tuple) else (found,)
        return sum(value % field.p * field.R**i for i, value in enumerate(values))


def parts(f: Field, x: int, count: int = 2) -> list[int]:
    """The values that lie side by side in x."""
    return [x // f.R**i % f.R for i in range(count)]


def _sum_of_products(count: int) -> Meaning:
    says = " + ".join(f"x[{i}]*y[{i}]" for i in range(count))
    return Meaning(
        f"({says})/R mod p",
        lambda f, x, y: sum(map(mul, parts(f, x, count), parts(f, y, count))) * f.R_inverse,
    )


def _fp2_product(beta: int) -> Meaning:
    def compute(f: Field, x: int, y: int) -> tuple[int, ...]:
        (a, b), (c, d) = parts(f, x), parts(f, y)
        return (a * c + beta * b * d) * f.R_inverse, (a * d + b * c) * f.R_inverse

    return Meaning(f"x*y/R for x[0] + x[1]*u, u^2 = {beta}, mod p", compute)


def _fp2_square(beta: int) -> Meaning:
    def compute(f: Field, x: int) -> tuple[int, ...]:
        a, b = parts(f, x)
        return (a * a + beta * b * b) * f.R_inverse, 2 * a * b * f.R_inverse

    return Meaning(f"x*x/R for x[0] + x[1]*u, u^2 = {beta}, mod p", compute)


def _squarings(count: int) -> Meaning:
    power = 1 << count
    return Meaning(
        f"x^{power}/R^{power - 1} mod p",
        lambda f, x: pow(x, power, f.p) * pow(f.R_inverse, power - 1, f.p),
    )


MEANINGS: dict[str, Meaning] = {
    "add": Meaning("x + y mod p", lambda f, x, y: x + y),
    "sub": Meaning("x - y mod p", lambda f, x, y: x - y),
    "neg": Meaning("-x mod p", lambda f, x: -x),
    "double": Meaning("2*x mod p", lambda f, x: 2 * x),
    "mul": Meaning("x*y/R mod p", lambda f, x, y: x * y * f.R_inverse),
    "sum_of_products": _sum_of_products(2),
    "square": Meaning("x*x/R mod p", lambda f, x: x * x * f.R_inverse),
    "redc": Meaning("x/R mod p", lambda f, x: x * f.R_inverse),
    "to_montgomery": Meaning("x*R mod p", lambda f, x: x * f.R),
    "from_montgomery": Meaning("x/R mod p", lambda f, x: x * f.R_inverse),
    "mul_plain": Meaning("x*y mod p", lambda f, x, y: x * y),
    "reduce": Meaning("x mod p", lambda f, x: x),
    **{f"sum_of_products_{count}": _sum_of_products(count) for count in range(3, MOST_TERMS + 1)},
    "difference_of_products": Meaning(
        "(x[0]*y[0] - x[1]*y[1])/R mod p",
        lambda f, x, y: (x % f.R * (y % f.R) - x // f.R * (y // f.R)) * f.R_inverse,
    ),
    **{named("fp2_mul", beta): _fp2_product(beta) for beta in BETAS},
    **{named("fp2_square", beta): _fp2_square(beta) for beta in BETAS},
}
MEANINGS |= {
    f"{name}_lazy": MEANINGS[name]
    for name in ("add", "sub", "mul", "square", "sum_of_products", "reduce")
}
MEANINGS |= {
    f"mul_by_{factor}": Meaning(f"{factor}*x mod p", lambda f, x, factor=factor: factor * x)
    for factor in FACTORS
}
MEANINGS |= {f"square_times_{count}": _squarings(count) for count in SQUARINGS}
