"""How many multiplications and additions of words each algorithm needs, predicted from n.

For primes with at least two spare bits and no limb of a constant 0 or 1, in words whose rows are
added in one chain: these are the numbers that `lower` then counts, for every n from 2 to 16. An
addition takes two words and a carry. The last subtractions of p are not among them: n each, as many
as the bounds ask for. `paper` is what the source says, `why` where the compiler needs more or less.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction

from fieldc.operations import MOST_TERMS


@dataclass(frozen=True)
class Quadratic:
    """a*n^2 + b*n + c, and for odd n also d*n + e."""

    a: Fraction | int = 0
    b: Fraction | int = 0
    c: Fraction | int = 0
    odd: tuple[Fraction | int, Fraction | int] = (0, 0)

    def __call__(self, n: int) -> int:
        """The value at n."""
        total = self.a * n * n + self.b * n + self.c
        return int(total + (self.odd[0] * n + self.odd[1] if n % 2 else 0))

    def __str__(self) -> str:
        even = _sum((self.a, "n^2"), (self.b, "n"), (self.c, ""))
        if self.odd == (0, 0):
            return even
        return f"{even} (odd n: {_sum((self.odd[0], 'n'), (self.odd[1], ''), first='+')})"


def _sum(*terms: tuple[Fraction | int, str], first: str = "") -> str:
    text = ""
    for factor, power in terms:
        if factor:
            size = "" if abs(factor) == 1 and power else f"{float(abs(factor)):g}"
            sign = "-" if factor < 0 else "+" if text else first
            separator = " " if text else ""
            text += f"{separator}{sign}{separator}{size}{power}"
    return text or "0"


@dataclass(frozen=True)
class Halving:
    """Additions of log-jump by halves: a product, a fold for each halving, one row of p."""

    def __call__(self, n: int) -> int:
        """The value at n."""
        total, limbs, left = PRODUCT_ADDITIONS(n), 2 * n, n - 1
        while left:
            half = (left + 1) // 2
            limbs, left = limbs - half, left - half
            total += sum(n + limbs - row for row in range(half))
        return total + 2 * n + 1

    def __str__(self) -> str:
        return "4n^2 to 4.5n^2, by halvings of n - 1"


Growth = Quadratic | Halving


@dataclass(frozen=True)
class Prediction:
    """Predicted counts; `small` has additions that the formula misses at a small n."""

    products: Growth
    additions: Growth | None
    paper: str = ""
    why: str = ""
    small: dict[int, int] = field(default_factory=dict)

    def additions_of(self, n: int) -> int | None:
        """The additions for n limbs; None where the prime decides."""
        return self.small.get(n, self.additions(n) if self.additions else None)


def _of(a: int = 0, b: int = 0, c: int = 0) -> Quadratic:
    return Quadratic(a, b, c)


def _over(divisor: int, a: int, b: int = 0, c: int = 0, odd: tuple[int, int] = (0, 0)) -> Quadratic:
    """A quadratic whose coefficients are parts of a divisor."""
    a_, b_, c_, d_, e_ = (Fraction(k, divisor) for k in (a, b, c, *odd))
    return Quadratic(a_, b_, c_, (d_, e_))


PRODUCT_ADDITIONS = _of(2, 0, -1)
_MONTGOMERY, _FOLDED, _ADDITIONS = _of(2, 1), _of(2, 0, 1), _of(4, 1, -1)
_SQUARE = _over(2, 3, 3)
_KOC = "Koc, Acar, Kaliski: 2n^2 + n and"
_TO_THE_TOP = "a carry runs to the top word at once, where the paper keeps it for later"
_FULL_PRODUCT = "the product is whole before it is reduced, so carries run through its upper half"
_CONSTANT = "log-jump, and a constant that takes back what complements added"
_LAST = "as by cios, but the last row is subtracted"
_NEAR = "and subtractions of c*q, two words and a borrow to the top for each limb"
_HANDBOOK = "the handbook: n^2 and n^2 + 4n + 1; the article: n^2 + 4n + 2"
_TWO_SPARE = "with two spare bits the remainder has n limbs: a column, n products, is not needed"
_HALF_LIMBS = "products of half limbs, of one word each"
_SIGNED = "for p = R - c; other primes have other limbs that are 0 or 1"
_UNITS = "and a product for the units that carries leave above the top limbs' product"
_BY_PRIME = "as many sums as the prime's powers of two ask for"

PREDICTIONS: dict[tuple[str, str], Prediction] = {
    ("add", "add"): Prediction(_of(), _of(0, 1)),
    ("sub", "sub"): Prediction(_of(), _of(0, 1)),
    ("neg", "neg"): Prediction(_of(), _of(0, 1)),
    ("neg", "masked"): Prediction(_of(), _of()),
    ("neg", "chosen"): Prediction(_of(), _of()),
    ("double", "double"): Prediction(_of(), _of(0, 1)),
    ("double", "shifts"): Prediction(_of(), _of()),
    ("double", "rotation"): Prediction(_of(), _of(0, 0, 1)),
    ("add", "mask"): Prediction(_of(), _of(0, 2)),
    ("double", "mask"): Prediction(_of(), _of(0, 2)),
    ("sub", "select"): Prediction(_of(), _of(0, 1)),
    ("mul", "log-jump"): Prediction(_FOLDED, _ADDITIONS, "Domb: 2n^2 + 1"),
    ("mul", "log-jump-complement"): Prediction(_FOLDED, _of(4, 2), why=_CONSTANT),
    ("mul", "cios"): Prediction(
        _MONTGOMERY,
        _ADDITIONS,
        f"{_KOC} 4n^2 + 4n + 2",
        "bounds leave no overflow word, and nothing is added to 0",
    ),
    ("mul", "last-difference"): Prediction(_MONTGOMERY, _of(4, 1, -2), why=_LAST),
    ("mul", "near-radix"): Prediction(_of(1, 2), _of(2, 3, -2), why=_NEAR),
    ("mul", "sos"): Prediction(
        _MONTGOMERY, _over(2, 9, 1, -2), f"{_KOC} 4n^2 + 4n + 2", _TO_THE_TOP
    ),
    ("mul", "fios"): Prediction(
        _MONTGOMERY,
        _of(8, -5),
        f"{_KOC} 5n^2 + 3n + 2",
        "a product and a carry word are added each by its low and by its high half",
    ),
    ("mul", "fips"): Prediction(
        _MONTGOMERY,
        _of(6, -2, -6),
        f"{_KOC} 6n^2 + 2n + 2",
        "the outer columns do not need the third word",
        {2: 15},
    ),
    ("mul", "cihs"): Prediction(
        _MONTGOMERY, _over(2, 9, 3, -10), f"{_KOC} 4n^2 + 4n + 2", _TO_THE_TOP
    ),
    ("mul", "log-jump-serial"): Prediction(
        _FOLDED, _over(2, 9, -1), "Domb: 2n^2 + 1", _FULL_PRODUCT
    ),
    ("mul", "log-jump-pairs"): Prediction(
        _FOLDED, _over(2, 9, -3, 4, odd=(0, 2)), "Domb: 2n^2 + 1", _FULL_PRODUCT
    ),
    ("mul", "log-jump-halves"): Prediction(_FOLDED, Halving(), "Domb: 2n^2 + 1", _FULL_PRODUCT),
    ("mul", "log-jump-unrolled"): Prediction(_FOLDED, _ADDITIONS, "Domb: 2n^2 + 1"),
    ("mul", "two-limb-quotients"): Prediction(
        _over(2, 4, 3, odd=(0, -1)), _over(2, 8, 5, -2, odd=(0, -3))
    ),
    ("mul", "karatsuba"): Prediction(
        _over(4, 7, 4, odd=(2, 3)),
        _over(8, 33, 30, 16, odd=(10, 23)),
        why="and 3n + 2 subtractions, p's among them",
        small={2: 23, 3: 52},
    ),
    ("mul", "karatsuba-limbs"): Prediction(
        _over(8, 11, 14, odd=(2, 5)), None, why="additions depend on carries that bounds exclude"
    ),
    ("mul", "half-limbs"): Prediction(_of(8, 2), _of(8, 5, -3), why=_HALF_LIMBS),
    ("square", "half-limbs"): Prediction(
        _of(6, 3), None, why="additions depend on carries that bounds exclude"
    ),
    ("square", "log-jump"): Prediction(_over(2, 3, 1, 2), _of(3, 2, -2)),
    ("square", "log-jump-complement"): Prediction(_over(2, 3, 1, 2), _of(3, 3, -1), why=_CONSTANT),
    ("square", "cios"): Prediction(_SQUARE, _of(3, 2, -2)),
    ("square", "last-difference"): Prediction(_SQUARE, _of(3, 2, -3), why=_LAST),
    ("square", "product"): Prediction(_MONTGOMERY, _ADDITIONS),
    ("square", "sos"): Prediction(_SQUARE, _over(2, 7, 3, -6), why=_FULL_PRODUCT),
    ("square", "near-radix"): Prediction(_over(2, 1, 5), _of(1, 2, -2), why=_NEAR),
    ("mul", "signed-limbs"): Prediction(_of(1, 2), _of(2, 3, -2), why=_SIGNED),
    ("square", "signed-limbs"): Prediction(_over(2, 1, 5), _of(1, 4, -3), why=_SIGNED),
    ("sum_of_products", "log-jump"): Prediction(_of(3, 0, 1), _of(6, 2, -1)),
    ("sum_of_products", "cios"): Prediction(_of(3, 1), _of(6, 2, -1)),
    ("sum_of_products", "two-subtractions"): Prediction(_of(3, 1), _of(6, 2, -1)),
    **{
        (f"sum_of_products_{k}", algorithm): Prediction(_of(k + 1, *more), _of(2 * k + 2, k, -1))
        for k in range(3, MOST_TERMS + 1)
        for algorithm, more in (("log-jump", (0, 1)), ("cios", (1,)))
    },
    ("mul_add", "log-jump"): Prediction(_FOLDED, _of(4, 2, -1)),
    ("mul_add", "cios"): Prediction(_MONTGOMERY, _of(4, 2, -1)),
    ("difference_of_products", "log-jump"): Prediction(_of(3, 0, 1), _of(6, 2, -1)),
    ("difference_of_products", "cios"): Prediction(_of(3, 1), _of(6, 2, -1)),
    ("fp2_mul", "log-jump"): Prediction(_of(6, 0, 2), _of(12, 4, -2)),
    ("fp2_mul", "cios"): Prediction(_of(6, 2), _of(12, 4, -2)),
    ("fp2_square", "log-jump"): Prediction(_of(4, 0, 2), _of(8, 5, -2)),
    ("fp2_square", "cios"): Prediction(_of(4, 2), _of(8, 5, -2)),
    ("mul_lazy", "log-jump"): Prediction(_FOLDED, _ADDITIONS, "Domb: 2n^2 + 1"),
    ("mul_lazy", "cios"): Prediction(_MONTGOMERY, _ADDITIONS),
    ("square_lazy", "log-jump"): Prediction(_over(2, 3, 1, 2), _of(3, 2, -2)),
    ("square_lazy", "cios"): Prediction(_SQUARE, _of(3, 2, -2)),
    ("square_lazy", "product"): Prediction(_MONTGOMERY, _ADDITIONS),
    ("redc", "redc"): Prediction(_of(1, 1), _of(2, 2)),
    ("to_montgomery", "to_montgomery"): Prediction(_MONTGOMERY, _ADDITIONS),
    ("from_montgomery", "from_montgomery"): Prediction(_of(1, 1), _of(2, 1)),
    ("mul_plain", "barrett"): Prediction(_of(2, 3, 1), _of(4, 5, -3), _HANDBOOK, _TWO_SPARE),
    ("square_plain", "barrett"): Prediction(_over(2, 3, 7, 2), _of(3, 6, -4), why=_TWO_SPARE),
    ("reduce", "barrett"): Prediction(
        _of(1, 3, 1),
        _of(2, 5, -2),
        "the handbook: n^2 + 4n + 1; the article: n^2 + 4n + 2",
        _TWO_SPARE,
    ),
    ("mul_plain", "pseudo-mersenne"): Prediction(_of(1, 1, 1), _of(2, 3)),
    ("square_plain", "pseudo-mersenne"): Prediction(_over(2, 1, 3, 2), _of(1, 4, -1)),
    ("sum_of_products_plain", "pseudo-mersenne"): Prediction(_of(2, 1, 1), _of(4, 4)),
    ("reduce", "pseudo-mersenne"): Prediction(_of(0, 1, 1), _of(0, 3, 1)),
    ("mul_plain", "next-multiple"): Prediction(_of(1, 1, 1), _of(2, 3, 1)),
    ("square_plain", "next-multiple"): Prediction(_over(2, 1, 3, 2), _of(1, 4)),
    ("sum_of_products_plain", "next-multiple"): Prediction(_of(2, 1, 1), _of(4, 4, 1)),
    ("reduce", "next-multiple"): Prediction(_of(0, 1, 1), _of(0, 3, 2)),
    ("mul_plain", "top-first"): Prediction(_of(1, 1, 2), _of(2, 2, 2), why=_UNITS),
    ("square_plain", "top-first"): Prediction(
        _over(2, 1, 3, 4), _of(1, 3), why=_UNITS, small={2: 11}
    ),
    ("mul_plain", "top-first-next"): Prediction(_of(1, 1, 2), _of(2, 2, 3), why=_UNITS),
    ("square_plain", "top-first-next"): Prediction(
        _over(2, 1, 3, 4), _of(1, 3, 1), why=_UNITS, small={2: 12}
    ),
    ("mul_plain", "solinas"): Prediction(_of(1), None, why=_BY_PRIME),
    ("square_plain", "solinas"): Prediction(_over(2, 1, 1), None, why=_BY_PRIME),
    ("reduce", "solinas"): Prediction(_of(), None, why=_BY_PRIME),
}
"""By operation and algorithm; division has no words. Pseudo-mersenne, next-multiple: for c > 1."""
