"""What each operation must do, said once more for the prover: operands, and results modulo p.

An operation is a family and the numbers that choose one of its functions. Nothing here reads a
name, and nothing is taken from the compiler's own record of the operation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError

WORD_BITS = 64
Claim = Callable[[Sequence[Polynomial]], Polynomial]
"""What a result is, as a polynomial in the operands' values."""
MOST_SQUARINGS = 64


@dataclass(frozen=True)
class Operand:
    """One operand: `count` values side by side, each of so many limbs and at most `high`.

    A signed one is in two's complement: a value is the limbs' number, less 2^(64*limbs) where their
    top bit is set.
    """

    name: str
    limbs: int
    high: int
    count: int = 1
    is_signed: bool = False
    most: int = 0
    """What a word is at most, where carries wait: then places alone say how far words are apart."""


@dataclass(frozen=True)
class LooseResult:
    """By how much words of a result, and their number, are at most more than an operand."""

    operand: str
    word: int
    number: int


@dataclass(frozen=True)
class Contract:
    """What a kernel must do: its operands, and its results as polynomials in their values mod p.

    `factor` times the result is claimed to be `claim(values)` mod p, 0 <= result <= high. The
    values are those of all operands, in call order.
    """

    p: int
    limbs: int
    operands: tuple[Operand, ...]
    claim: Claim
    factor: int
    high: int
    arguments: tuple[str, ...] = ()
    """Names in call order where they are not z and the operands."""
    tables: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Constants passed by address, as words."""
    before: Mapping[str, int] = field(default_factory=dict)
    """How many words of a table lie below its address; 0 where nothing is said."""
    numbers: Mapping[str, int] = field(default_factory=dict)
    """Constants passed by value."""
    more: tuple[Claim, ...] = ()
    """The claims of further results, which lie after the first one."""
    between: tuple[Claim, ...] = ()
    """Values between operands and results: `factor` times each is its claim mod p.

    A claim takes the operands' values and those of the claims before it.
    """
    may_be_written: bool = False
    """Whether a value between that no words hold is the polynomial that its claim writes."""
    unread: frozenset[int] = frozenset()
    """Values between, by number, that no later one takes: no words are looked for."""
    overlap: bool = True
    """Whether z may be an operand."""
    in_place: str = ""
    """The operand that lies in z, if one does."""
    width: int = 0
    """Limbs of each result where it is no residue."""
    loose: LooseResult | None = None
    """Of results whose carries wait."""

    @property
    def result_limbs(self) -> int:
        """Limbs of each result."""
        return self.width or self.limbs

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claim of each result."""
        return self.claim, *self.more


def _total(*terms: tuple[Polynomial, int]) -> Polynomial:
    total: Polynomial = {}
    for term, factor in terms:
        add_to(total, term, factor)
    return total


@dataclass(frozen=True)
class Function:
    """What an operation does with values modulo p.

    Each result is its claim, divided by R where `divides` says so.
    """

    names: str
    """The operands' names, one letter each, in call order."""
    claims: tuple[Claim, ...]
    divides: bool = True
    count: int = 1
    """Values of each operand."""
    undivided: Claim | None = None
    """What is added to each result after the division."""
    between: tuple[Claim, ...] = ()
    """Values between operands and results, divided as results are."""
    canonical: str = ""
    """Operands that are below p where the others are lazy."""
    integers: tuple[tuple[str, int, int], ...] = ()
    """Operands after the others that are plain integers, no residues: names, bits and values."""
    radix: int = 0
    """What results are divided by, if they are and it is not R."""


CLAIMS: dict[str, Claim] = {
    "add": lambda v: _total((v[0], 1), (v[1], 1)),
    "sub": lambda v: _total((v[0], 1), (v[1], -1)),
    "neg": lambda v: _total((v[0], -1)),
    "double": lambda v: _total((v[0], 2)),
    "mul": lambda v: product(v[0], v[1]),
    "square": lambda v: product(v[0], v[0]),
    "value": lambda v: v[0],
}
"""Polynomials in one value or two."""


def _sum_of_products(count: int, divides: bool = True) -> Function:
    """Of x and y with `count` values each."""
    if count < 1:
        raise ProofError(f"there is no sum of {count} products")

    def claim(v: Sequence[Polynomial]) -> Polynomial:
        return _total(*((product(v[i], v[count + i]), 1) for i in range(count)))

    return Function("xy", (claim,), divides, count)


def _difference() -> Function:
    def claim(v: Sequence[Polynomial]) -> Polynomial:
        return _total((product(v[0], v[2]), 1), (product(v[1], v[3]), -1))

    return Function("xy", (claim,), count=2)


def _fp2_mul(beta: int) -> Function:
    """(x0 + x1*u)*(y0 + y1*u) with u^2 = beta."""
    claims: tuple[Claim, ...] = (
        lambda v: _total((product(v[0], v[2]), 1), (product(v[1], v[3]), beta)),
        lambda v: _total((product(v[0], v[3]), 1), (product(v[1], v[2]), 1)),
    )
    return Function("xy", claims, count=2)


def _fp2_square(beta: int) -> Function:
    """(x0 + x1*u)^2 with u^2 = beta."""
    claims: tuple[Claim, ...] = (
        lambda v: _total((product(v[0], v[0]), 1), (product(v[1], v[1]), beta)),
        lambda v: _total((product(v[0], v[1]), 2)),
    )
    return Function("x", claims, count=2)


def _wide_sum(plus: int, minus: int) -> Function:
    """So many numbers are added, and so many are subtracted."""
    if plus < 1 or minus < 0 or plus + minus > len(WIDE_NAMES):
        raise ProofError(f"there is no sum of {plus} wide numbers less {minus}")

    def claim(v: Sequence[Polynomial]) -> Polynomial:
        return _total(*((value, 1 if i < plus else -1) for i, value in enumerate(v)))

    return Function(WIDE_NAMES[: plus + minus], (claim,), divides=False)


def _mul_by(factor: int) -> Function:
    return Function("x", (lambda v: _total((v[0], factor)),), divides=False)


def _square_times(squarings: int) -> Function:
    """x^(2^k)/R^(2^k - 1): each value but the last one is between."""
    if not 0 < squarings <= MOST_SQUARINGS:
        raise ProofError(f"there are no {squarings} squarings")

    def squared(v: Sequence[Polynomial]) -> Polynomial:
        return product(v[-1], v[-1])

    return Function("x", (squared,), between=(squared,) * (squarings - 1))


def _mul_integer(bits: int) -> Callable[[], Function]:
    """x*k for a plain integer k."""
    return lambda: Function("x", (CLAIMS["mul"],), divides=False, integers=(("k", bits, 1),))


def _divstep_update() -> Function:
    """(x0*(u - 2^61) + x1*(v - 2^61))/2^64."""

    def claim(v: Sequence[Polynomial]) -> Polynomial:
        products = ((product(v[0], v[2]), 1), (product(v[1], v[3]), 1))
        return _total(*products, (v[0], -(1 << 61)), (v[1], -(1 << 61)))

    entries = (("u", 62, 1), ("v", 62, 1))
    return Function("x", (claim,), count=2, integers=entries, radix=1 << 64)


def _divstep_de() -> Function:
    """A row (m0 - 2^59, m1 - 2^59) on x, divided by 2^64, and the same of m2 and m3."""

    def row(k: int) -> Claim:
        return lambda v: _total(
            *((product(v[i], v[2 + k + i]), 1) for i in range(2)),
            *((v[i], -(1 << 59)) for i in range(2)),
        )

    entries = (("m", 61, 4),)
    return Function("x", (row(0), row(2)), count=2, integers=entries, radix=1 << 64)


def _divstep_fg(limbs: int) -> Contract:
    """2^64 times 11*R/2 + ((2^63 - m0)*(x - R/2) + (2^63 - m1)*(y - R/2))/2^63, and of m2 and m3.

    Modulo 2^128*R + 1, for any x and y below R. Multiplied out it is the polynomial below.
    """
    R, radix = 1 << WORD_BITS * limbs, 1 << 64

    def row(k: int) -> Claim:
        return lambda v: _total(
            *((product(v[i], v[2 + k + i]), -2) for i in range(2)),
            *((v[i], radix) for i in range(2)),
            *((v[2 + k + i], R) for i in range(2)),
            ({ONE: 1}, 9 * R // 2 * radix),
        )

    operands = (*(Operand(x, limbs, R - 1) for x in "xy"), Operand("m", 1, radix - 1, 4))
    most = (R << 128) - 1
    return Contract(
        *(most + 2, limbs, operands, row(0), radix, most), more=(row(2),), width=limbs + 2
    )


def _simple(names: str, claim: str, divides: bool) -> Callable[[], Function]:
    return lambda: Function(names, (CLAIMS[claim],), divides)


FAMILIES: dict[str, Callable[..., Function]] = {
    "add": _simple("xy", "add", False),
    "sub": _simple("xy", "sub", False),
    "neg": _simple("x", "neg", False),
    "double": _simple("x", "double", False),
    "mul": _simple("xy", "mul", True),
    "butterfly": lambda: Function(
        "xyw",
        (
            lambda v: _total((product(v[1], v[2]), 1)),
            lambda v: _total((product(v[1], v[2]), -1)),
        ),
        undivided=lambda v: v[0],
        canonical="w",
    ),
    "mul_add": lambda: Function("xya", (CLAIMS["mul"],), undivided=lambda v: v[2]),
    "square": _simple("x", "square", True),
    "redc": _simple("x", "value", True),
    "to_montgomery": _simple("x", "value", False),
    "from_montgomery": _simple("x", "value", True),
    "mul_plain": _simple("xy", "mul", False),
    "square_plain": _simple("x", "square", False),
    "sum_of_products_plain": lambda count: _sum_of_products(count, divides=False),
    "reduce": _simple("x", "value", False),
    "sum_of_products": _sum_of_products,
    "difference_of_products": _difference,
    "fp2_mul": _fp2_mul,
    "fp2_square": _fp2_square,
    "mul_by": _mul_by,
    "square_times": _square_times,
    "mul_u64": _mul_integer(64),
    "mul_u128": _mul_integer(128),
    "divstep_update": _divstep_update,
    "divstep_de": _divstep_de,
}
"""What each family computes; it takes the parameters, `lazy` aside, by name."""
MOST_LAZY = 32
MOST_LOOSE = 128
"""The same of values in transforms, where carries wait for several levels."""
WIDE_NAMES = "xyab"
LAZY = {
    **dict.fromkeys(("add", "sub", "mul", "square", "mul_add", "sum_of_products"), 1),
    **dict.fromkeys(("mul_plain", "square_plain", "mul_by", "divstep_de"), 1),
    **{"redc": MOST_LAZY, "butterfly": MOST_LAZY, "reduce": MOST_LOOSE},
}
"""Families that may be lazy, and up to which k: they take values below (k + 1)*p.

All but those of REDUCING give such values too; `redc` takes a value below (k + 1)*p*R.
"""
REDUCING = ("reduce", "redc", "mul_by")
"""Families whose results are below p, lazy or not."""
WIDE = ("redc", "reduce")
"""Families that take a value below p*R of 2n limbs, unless they are lazy."""
EXACT: dict[str, Callable[..., Function]] = {
    "fp2_mul_wide": lambda: replace(_fp2_mul(-1), divides=False),
    "wide_sum": _wide_sum,
}
"""Families whose results are integers of 2n limbs, modulo R^2 and not modulo p.

They take the parameters, `lazy` aside. Operands are wide numbers too, or residues if lazy.
"""


def contract_of(
    family: str,
    p: int,
    limbs: int,
    parameters: Mapping[str, int] | None = None,
    word_bits: int = WORD_BITS,
) -> Contract:
    """The contract of an operation over a field of n 64-bit limbs, R = 2^(64n).

    Digits of kernels on arrays have other `word_bits`, w: R = 2^(w*n) then. Raises ProofError where
    there is none.
    """
    numbers = dict(parameters or {})
    lazy = numbers.pop("lazy", 0)
    if family in EXACT:
        return _exact(family, p, limbs, lazy, numbers)
    if family == "divstep_fg" and not parameters:
        return _divstep_fg(limbs)
    try:
        function = FAMILIES[family](**numbers)
    except (KeyError, TypeError):
        said = "".join(f" {name} = {number}" for name, number in (parameters or {}).items())
        raise ProofError(f"there is no contract for {family}{said}") from None
    if lazy and not 0 < lazy <= LAZY.get(family, 0):
        raise ProofError(f"there is no contract for {family} of values below {lazy + 1}p")
    R = 1 << word_bits * limbs
    width, high = limbs, p - 1
    if family in WIDE and (family == "redc" or not lazy):
        width, high = 2 * limbs, (lazy + 1) * p * R - 1
    elif lazy:
        high = (lazy + 1) * p - 1
    factor = (function.radix or R) if function.divides else 1
    if family == "to_montgomery":
        factor = inverse_of(R, p)
    operands = tuple(
        Operand(name, width, p - 1 if name in function.canonical else high, function.count)
        for name in function.names
    )
    operands += tuple(
        Operand(name, -(-bits // word_bits), (1 << bits) - 1, count)
        for name, bits, count in function.integers
    )
    claim, *more = (_with(claim, function.undivided, R) for claim in function.claims)
    largest = high if lazy and family not in REDUCING else p - 1
    return Contract(
        p, limbs, operands, claim, factor, largest, more=tuple(more), between=function.between
    )


def _exact(family: str, p: int, limbs: int, lazy: int, numbers: Mapping[str, int]) -> Contract:
    """The contract of an operation on integers modulo R^2, which takes the place of p.

    Raises ProofError where there is none.
    """
    try:
        function = EXACT[family](**numbers)
    except TypeError:
        raise ProofError(f"there is no contract for {family} with {dict(numbers)}") from None
    if not 0 <= lazy <= MOST_LAZY:
        raise ProofError(f"there is no contract for {family} of values below {lazy + 1}p")
    modulus = 1 << 2 * WORD_BITS * limbs
    width, high = (limbs, (lazy + 1) * p - 1) if lazy else (2 * limbs, modulus - 1)
    operands = tuple(Operand(name, width, high, function.count) for name in function.names)
    claim, *more = function.claims
    return Contract(
        *(modulus, limbs, operands, claim, 1, modulus - 1),
        more=tuple(more),
        width=2 * limbs,
    )


def _with(claim: Claim, undivided: Claim | None, R: int) -> Claim:
    """The claim on R times a result to which something is added after the division by R."""
    if undivided is None:
        return claim
    return lambda v: _total((claim(v), 1), (undivided(v), R))
