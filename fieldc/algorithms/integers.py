"""Products of an element with a plain integer of stated size: x*k mod p, in the form of x."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from fieldc.algorithms.pseudo_mersenne import folded
from fieldc.algorithms.reduction import subtract_all
from fieldc.algorithms.shapes import near_power
from fieldc.field import Field
from fieldc.language import DoesNotApply, Kernel, Number, limbs, select, select_all
from fieldc.operations import INTEGER_BITS, mul_integer
from fieldc.polynomial_bounds import tighten


def times_integer(f: Field, x: Number, k: Number, count: int) -> Number:
    """x*k for a plain integer k of so many limbs, row by row."""
    t: Number = 0
    for i, k_i in enumerate(limbs(f, k, count)):
        t = t + (x * k_i << f.word * i)
    return t


def times_signed(f: Field, x: Number, k: Number, bits: int) -> Number:
    """A number below p*2^bits that is x*k modulo p, for k in two's complement of so many bits.

    For a negative k it is p*(2^bits - 1) - x*(-k).
    """
    if bits % f.word:
        raise DoesNotApply(f"an integer of {bits} bits is no whole number of limbs")
    is_negative = ((f.base >> 1) - 1 - (k >> bits - f.word)) < 0
    size, sign = select_all(is_negative, ((0 - k) % (1 << bits), f.base - 1), (k, 0))
    t = times_integer(f, x, size, bits // f.word)
    return select((0 - sign) < 0, f.p * ((1 << bits) - 1) - t, t)


def remainder(f: Field, t: Number, count: int) -> Number:
    """t mod p for t < p * 2^(w*count), by an estimate of t/p; what is left is below 2p.

    Barrett (1986), for a short quotient: its `count` limbs come from `count` + 1 limbs of t.
    """
    w, spare = f.word, f.word * f.n - f.bits
    top = t >> w * (f.n - 1) << spare
    size = w * count
    constant = (1 << size + w * f.n - spare) // f.p - (1 << size)  # 2^size is added as top itself
    q = top + (top * constant >> size) >> w
    return subtract_all(tighten(t - q * f.p), f.p)


def _barrett(f: Field, x: Number, k: Number, bits: int) -> Number:
    count = -(-bits // f.word)
    if count > f.n:
        need = f"x times a number below 2^{bits} needs a prime of {count} limbs or near 2^k"
        raise DoesNotApply(f"{need}; take the number modulo p first")
    return remainder(f, times_integer(f, x, k, count), count)


def _pseudo_mersenne(f: Field, x: Number, k: Number, bits: int) -> Number:
    t = times_integer(f, x, k, -(-bits // f.word))
    return subtract_all(folded(f, t, (f.p - 1) * ((1 << bits) - 1)), f.p)


Method = Callable[[Field, Number, Number, int], Number]
METHODS: dict[str, tuple[Method, str]] = {
    "pseudo-mersenne": (_pseudo_mersenne, "for p = 2^k - c a fold of what is above bit k."),
    "barrett": (_barrett, "a row of p for each limb of k."),
}


def product_with_integer(f: Field, x: Number, k: Number, bits: int) -> Number:
    """x*k mod p for k < 2^bits by the first method that is for p. Raises DoesNotApply."""
    method = METHODS["pseudo-mersenne" if near_power(f).applies else "barrett"][0]
    return method(f, x, k, bits)


def reduced(f: Field, t: Number, high: int, count: int) -> Number:
    """t mod p for t of at most `high`, a few p * 2^(w*count), by the first method that is for p."""
    if near_power(f).applies:
        return subtract_all(folded(f, t, high), f.p)
    return remainder(f, t, count)


def _products(bits: int) -> Iterator[Kernel]:
    for algorithm, (reduced, how) in METHODS.items():

        def function(f: Field, x: Number, k: Number, method: Method = reduced) -> Number:
            return method(f, x, k, bits)

        function.__doc__ = f"x*k mod p for k < 2^{bits}: a row of x for each limb of k, {how}"
        yield Kernel(mul_integer(bits), algorithm, function)


INTEGER_PRODUCTS = tuple(kernel for bits in INTEGER_BITS for kernel in _products(bits))
