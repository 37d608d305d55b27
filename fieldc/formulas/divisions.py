"""Ways to divide a sum of products by R: a row of mu for a limb, or a quotient and a row of p."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms.lazy import has_two_spare_bits
from fieldc.algorithms.montgomery import reduction
from fieldc.algorithms.products import sum_of
from fieldc.algorithms.reduction import Reduction, drop_limb, fold_limb
from fieldc.algorithms.squaring import square_product
from fieldc.field import Field
from fieldc.language import DoesNotApply, Number


@dataclass(frozen=True)
class Division:
    """`step` drops a limb, and a quotient each of the last ones."""

    step: Reduction
    quotients: int = 1
    is_for_large: bool = False
    """Whether it is only for primes of three limbs or more whose rows of mu are too large: the
    last two quotients bring what the rows before have added below p/2^w."""

    def check(self, f: Field) -> None:
        """Raise DoesNotApply where another way is as good."""
        if self.is_for_large and (has_two_spare_bits(f) or f.n < 3):
            why = "two spare bits" if f.n >= 3 else "fewer than three limbs"
            raise DoesNotApply(f"two quotients after rows of mu save nothing for {f.short}: {why}")

    def sum(self, f: Field, factors: tuple[list[Number], list[Number]]) -> Number:
        """The sum of products of these factors, divided."""
        self.check(f)
        return sum_of(f, *factors, self.step, self.quotients)

    def square(self, f: Field, x: Number, doubled: int) -> Number:
        """2^doubled * x^2, divided."""
        self.check(f)
        return square_product(f, x, self.step, doubled, quotients=self.quotients)

    def whole(self, f: Field, x: Number) -> Number:
        """x, divided."""
        self.check(f)
        return reduction(f, x, self.step, self.quotients)


DIVISIONS: dict[str, Division] = {
    "log-jump": Division(fold_limb),
    "log-jump-last-two": Division(fold_limb, 2, is_for_large=True),
    "cios": Division(drop_limb),
}
"""By the algorithm's name."""
