"""Addition, subtraction, negation and doubling: the same in and out of Montgomery form."""

from __future__ import annotations

from fieldc.algorithms.reduction import subtract_once
from fieldc.algorithms.shapes import near_power
from fieldc.field import Field
from fieldc.integers import Integer, with_bounds
from fieldc.language import DoesNotApply, Number, Residue, kernel, select
from fieldc.polynomial_bounds import joined


@kernel("add")
def add(f: Field, x: Residue, y: Residue) -> Residue:
    """x + y mod p."""
    return subtract_once(x + y, f.p)


@kernel("add", "mask")
def add_by_mask(f: Field, x: Residue, y: Residue) -> Residue:
    """x + y mod p as x + y - p, and p where that is negative: no copy of the sum waits.

    For p = 2^k - c with a spare bit, where the mask itself is most limbs of p.
    """
    check_masks(f)
    return add_if_negative(x + y - f.p, f.p)


@kernel("add", "difference")
def add_by_difference(f: Field, x: Residue, y: Residue) -> Residue:
    """x + y mod p as x - (p - y), and x + y where that is negative, for p of one full limb.

    No carry is kept in a word, and the sum need not wait for the difference.
    """
    check_full_limb(f, "difference")
    return sum_or_difference(f, x, y)


@kernel("double", "difference")
def double_by_difference(f: Field, x: Residue) -> Residue:
    """2*x mod p as x - (p - x), and 2*x where that is negative, for p of one full limb."""
    check_full_limb(f, "difference")
    return sum_or_difference(f, x, x)


@kernel("double")
def double(f: Field, x: Residue) -> Residue:
    """2*x mod p."""
    return subtract_once(x + x, f.p)


@kernel("double", "shifts")
def double_by_shifts(f: Field, x: Residue) -> Residue:
    """2*x mod p by shifts of pairs of limbs: no chain of carries before the subtraction."""
    return subtract_once(2 * x, f.p)


@kernel("double", "mask")
def double_by_mask(f: Field, x: Residue) -> Residue:
    """2*x mod p as 2*x - p, and p where that is negative, for the primes of add_by_mask."""
    check_masks(f)
    return add_if_negative(x + x - f.p, f.p)


@kernel("double", "rotation")
def double_by_rotation(f: Field, x: Residue) -> Residue:
    """2*x mod p for p = 2^k - 1: the bits of x, turned by one. As x is not p, not all are ones."""
    if f.p & f.p + 1:
        raise DoesNotApply(f"rotation needs p = 2^k - 1, not {f.short}")
    rest, top = x % (1 << f.bits - 1), x >> f.bits - 1
    lowest = (rest % (f.base >> 1) << 1) + top
    upper = [(rest >> f.word * i - 1) % f.base for i in range(1, f.n)]
    turned = joined(f, [lowest, *upper])
    return with_bounds(turned, (0, f.p - 1)) if isinstance(turned, Integer) else turned


@kernel("double", "half")
def double_by_half(f: Field, x: Residue) -> Residue:
    """2*x mod p as 2*x, or 2*(x - h) + 1 for x from h = (p + 1)/2 on: shifts after the choice.

    No limb is added for a carry. Low limbs of h are 0: they are neither subtracted nor chosen.
    """
    half = (f.p + 1) // 2
    if half % f.base:
        raise DoesNotApply(
            f"half needs p whose (p + 1)/2 has a lowest limb of 0, not {half % f.base:#x}"
        )
    d = x - half
    rest = known(select(d < 0, x, d), 0, half - 1)
    even = x % (f.base >> 1) << 1
    upper = [(rest >> f.word * i - 1) % f.base for i in range(1, f.n)]
    return known(joined(f, [select(d < 0, even, even + 1), *upper]), 0, f.p - 1)


@kernel("sub")
def sub(f: Field, x: Residue, y: Residue) -> Residue:
    """x - y mod p."""
    return add_if_negative(x - y, f.p)


@kernel("sub", "select")
def sub_by_selection(f: Field, x: Residue, y: Residue) -> Residue:
    """x - y mod p, one of x - y and x - y + p, which is made before its sign is known."""
    if not has_spare_bit(f) and f.n > 1:
        raise DoesNotApply(f"select needs a spare bit, so that 2p < R, or one limb, not {f.short}")
    return either(x - y, f.p)


@kernel("neg")
def neg(f: Field, x: Residue) -> Residue:
    """-x mod p; the negative of 0 is 0, never p."""
    return add_if_negative(0 - x, f.p)


@kernel("neg", "masked")
def neg_by_masked_difference(f: Field, x: Residue) -> Residue:
    """-x mod p as p - x where x is not 0: no sum waits for the mask."""
    return (0 - x < 0) * (f.p - x)


@kernel("neg", "chosen")
def neg_of_chosen_modulus(f: Field, x: Residue) -> Residue:
    """-x mod p as p - x, or 0 - x where x is 0: p is masked first, then there is one chain.

    For p of which at most half the limbs are other than 0 or all ones, whose mask is another word.
    """
    made = sum(limb not in (0, f.base - 1) for limb in f.limbs(f.p))
    if 2 * made > f.n:
        need = f"p with at least half of its limbs 0 or 2^{f.word} - 1"
        raise DoesNotApply(f"chosen needs {need}, not {f.short}")
    return known((0 - x < 0) * f.p - x, 0, f.p - 1)


def add_if_negative(d: Number, p: Number) -> Number:
    """d mod p for -p <= d < p: the borrow of d is the mask on p."""
    return d + (d < 0) * p


def sum_or_difference(f: Field, x: Number, y: Number) -> Number:
    """x + y mod p for x and y below p: of the sum only its lower limbs are made."""
    d = x - (f.p - y)
    return known(select(d < 0, (x + y) % f.R, d), 0, f.p - 1)


def either(d: Number, p: Number) -> Number:
    """d mod p for -p <= d < p, one of d and d + p, which is made before the sign of d is known."""
    return select(d < 0, d + p, d)


def known(value: Number, low: int, high: int) -> Number:
    """The value with bounds that hold for other reasons than those of its parts."""
    return with_bounds(value, (low, high)) if isinstance(value, Integer) else value


def check_full_limb(f: Field, name: str) -> None:
    """Raise DoesNotApply unless p has one limb, and no spare bit."""
    if f.n > 1 or has_spare_bit(f):
        why = f"{f.n} limbs" if f.n > 1 else "a spare bit"
        raise DoesNotApply(f"{name} needs p of one limb without a spare bit, not {f.short}: {why}")


def check_masks(f: Field) -> None:
    """Raise DoesNotApply unless p = 2^k - c, c of one limb, with a spare bit."""
    near = near_power(f)
    if not (near.applies and has_spare_bit(f)):
        why = "it has no spare bit" if near.applies else near.reason
        raise DoesNotApply(f"mask needs p = 2^k - c with a spare bit, not {f.short}: {why}")


def has_spare_bit(f: Field) -> bool:
    """Whether sums of two residues fit the limbs of p."""
    return 2 * f.p < f.R


ALTERNATIVES = (
    double_by_rotation,
    double_by_shifts,
    double_by_mask,
    double_by_difference,
    double_by_half,
    add_by_mask,
    add_by_difference,
    sub_by_selection,
    neg_by_masked_difference,
    neg_of_chosen_modulus,
)
"""Other texts, of which some are faster for some primes on some processors."""
