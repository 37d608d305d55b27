"""What kernels of transforms must do that no other kernels do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from fieldc.proof.algebra.equations import Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import MOST_LOOSE, Claim, Contract, LooseResult, Operand

DIGIT = 52
"""Bits of a digit."""
LIMB = 64
"""Bits of a limb."""
MOST_OF_WORD = (1 << 62) - 1
"""What a word of a number in loose digits is at most."""
GROWTH = 1 << 58
"""What a step in loose digits adds to a word at most: 15 steps leave words below MOST_OF_WORD."""
TRANSFORM_FAMILIES = (
    *("butterfly_rows", "butterfly_loose", "butterfly_one"),
    *("mul_into", "mul_rows", "drop_digit", "move_up"),
)
"""Butterflies by a root in rows and by 1, products whose result is not reduced, and shifts."""
BY_ROWS = ("butterfly_rows", "butterfly_loose")


def transform_contract(
    family: str, p: int, limbs: int, digits: int, parameters: Mapping[str, int]
) -> Contract:
    """The contract of a family over n limbs of 64 bits, R = 2^(64n), and so many digits.

    Operands and results in digits are below (k + 1)*p for k = `lazy`, those of `butterfly_one`
    below k/2*p. `move_up` gives x*2^(52D - 64n) for x in limbs; `mul_into` takes x below p and as
    large a number. In rows a root has a residue for each digit of what it multiplies, which is any
    number in digits.

    x of a butterfly by rows is in loose digits: words of 62 bits, 52 bits apart. Results of
    `butterfly_rows` are below ((k + 1) - k/2 + D + 1)*p, k/2 rounded down, and in digits. Those of
    `butterfly_loose` are in loose digits and at most (D + 2)*p more than x, no word by more than
    2^58.
    Raises ProofError.
    """
    numbers = dict(parameters)
    lazy = numbers.pop("lazy", 0)
    if (
        numbers
        or not 0 <= lazy <= MOST_LOOSE
        or (family in ("drop_digit", "move_up")) != (lazy == 0)
    ):
        raise ProofError(f"there is no contract for {family} with {dict(parameters)}")
    high, radix, excess = (lazy + 1) * p - 1, 1 << DIGIT, DIGIT * digits - LIMB * limbs
    if family in BY_ROWS:
        x = Operand("x", digits, high, most=MOST_OF_WORD)
        operands = x, Operand("y", 1, radix - 1, digits), Operand("w", digits, p - 1, digits)
        both = _rows(digits, 1), _rows(digits, -1)
        if family == "butterfly_loose":
            growth = LooseResult("x", GROWTH, (digits + 2) * p)
            found = _contract(p, digits, operands, both, radix, high + growth.number)
            return replace(found, loose=growth)
        left = (lazy + 1 - lazy // 2 + digits + 1) * p - 1
        return _contract(p, digits, operands, both, radix, left)
    if family == "butterfly_one":
        pair = (Operand("x", digits, lazy // 2 * p - 1), Operand("y", digits, lazy // 2 * p - 1))
        return _contract(p, digits, pair, (_sum(1), _sum(-1)), 1, high)
    if family == "mul_into":
        pair = (Operand("x", digits, p - 1), Operand("w", digits, (p << excess) - 1))
        claims = (lambda v: product(v[0], v[1]),)
        return _contract(p, digits, pair, claims, 1 << DIGIT * digits, high)
    if family == "move_up":
        moved = (lambda v: {m: c << excess for m, c in v[0].items()},)
        return _contract(p, digits, (Operand("x", limbs, p - 1),), moved, 1, (p << excess) - 1)
    if family == "mul_rows":
        pair = (Operand("x", 1, radix - 1, digits), Operand("w", digits, p - 1, digits))
        return _contract(p, digits, pair, (_products(digits),), radix, high)
    if family == "drop_digit":
        residue = (Operand("x", digits, p - 1),)
        return _contract(p, digits, residue, (lambda v: v[0],), radix, p - 1)
    raise ProofError(f"there is no contract for {family} of transforms")


def _contract(
    p: int,
    digits: int,
    operands: tuple[Operand, ...],
    claims: tuple[Claim, ...],
    factor: int,
    high: int,
) -> Contract:
    first, *more = claims
    return Contract(p, digits, operands, first, factor, high, more=tuple(more))


def _sum(sign: int) -> Claim:
    """x + y, or x - y."""

    def claim(v: Sequence[Polynomial]) -> Polynomial:
        total = dict(v[0])
        add_to(total, v[1], sign)
        return total

    return claim


def _products(digits: int) -> Claim:
    """The products of each digit with its row of w."""

    def claim(v: Sequence[Polynomial]) -> Polynomial:
        total: Polynomial = {}
        for i in range(digits):
            add_to(total, product(v[i], v[digits + i]))
        return total

    return claim


def _rows(digits: int, sign: int) -> Claim:
    """2^52*x and the products of each digit of y with its row of w."""

    def claim(v: Sequence[Polynomial]) -> Polynomial:
        total: Polynomial = {}
        add_to(total, v[0], 1 << DIGIT)
        add_to(total, _products(digits)(v[1:]), sign)
        return total

    return claim
