"""Products of an element with a plain integer of stated size: x*k mod p, in the form of x."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass

from fieldc.algorithms.addition import add_if_negative
from fieldc.algorithms.pseudo_mersenne import folded
from fieldc.algorithms.reduction import subtract_all
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
        raise DoesNotApply(
            f"an integer of {bits} bits is no whole number of limbs of {f.word} bits"
        )
    is_negative = ((f.base >> 1) - 1 - (k >> bits - f.word)) < 0
    size, sign = select_all(is_negative, ((0 - k) % (1 << bits), f.base - 1), (k, 0))
    t = times_integer(f, x, size, bits // f.word)
    return select((0 - sign) < 0, f.p * ((1 << bits) - 1) - t, t)


@dataclass(frozen=True)
class Dividend:
    """A number t to be taken modulo p: at most `most`, a few p * 2^(w*count)."""

    value: Number
    most: int
    count: int
    above: Number | None = None
    """t >> w*n or one less, if it is known before t is."""


def remainder(f: Field, t: Number, count: int, above: Number | None = None) -> Number:
    """t mod p for t < p * 2^(w*count), or a few times that, by an estimate of t/p.

    Barrett (1986), for a short quotient: its `count` limbs come from `count` + 1 limbs of t. The
    lowest of them is not multiplied. What is left is mostly below 2p.
    """
    w, spare = f.word, f.word * f.n - f.bits
    top, size = t >> w * (f.n - 1), w * count
    constant = (1 << size + w * f.n - spare) // f.p - (1 << size)  # 2^size is added as top itself
    if above is not None and constant << spare + 1 < 1 << size:  # near enough, without a shift
        factor, constant = above, constant << spare
        top = top + top if spare == 1 else top << spare
    else:
        top = top << spare
        factor = top >> w
    q = top + (factor * constant >> size - w) >> w
    return subtract_all(tighten(t - q * f.p), f.p)


def _barrett(f: Field, t: Dividend) -> Number:
    if t.count > f.n:
        need = f"a product with {t.count} limbs needs a prime of {t.count} limbs or near 2^k"
        raise DoesNotApply(f"{need}; take the number modulo p first")
    return remainder(f, t.value, t.count, t.above)


def _pseudo_mersenne(f: Field, t: Dividend) -> Number:
    return subtract_all(folded(f, t.value, t.most), f.p)


def _above_power(f: Field, t: Dividend) -> Number:
    k, c = f.bits - 1, f.p - (1 << f.bits - 1)
    if (t.most >> k) * c > f.p:
        raise DoesNotApply(f"above-power needs p = 2^k + c with c of few bits, not {f.short}")
    return add_if_negative(t.value % (1 << k) - (t.value >> k) * c, f.p)


Method = Callable[[Field, Dividend], Number]
METHODS: dict[str, tuple[Method, str]] = {
    "pseudo-mersenne": (_pseudo_mersenne, "for p = 2^k - c a fold of what is above bit k."),
    "above-power": (_above_power, "for p = 2^k + c less c times what is above bit k."),
    "barrett": (_barrett, "a row of p for each limb of k."),
}


def reduced(f: Field, t: Dividend) -> Number:
    """t mod p by the first method that is for p. Raises DoesNotApply where none is."""
    *shapes, (any_prime, _) = METHODS.values()
    for method, _ in shapes:
        with suppress(DoesNotApply):
            return method(f, t)
    return any_prime(f, t)


def product_with_integer(
    f: Field, x: Number, k: Number, bits: int, method: Method = reduced
) -> Number:
    """x*k mod p for k < 2^bits. Raises DoesNotApply."""
    count, most = -(-bits // f.word), (f.p - 1) * ((1 << bits) - 1)
    is_short = count == 1 and not isinstance(k, int)
    above = (x >> f.word * (f.n - 1)) * k >> f.word if is_short else None
    return method(f, Dividend(times_integer(f, x, k, count), most, count, above))


def _products(bits: int) -> Iterator[Kernel]:
    for algorithm, (method, how) in METHODS.items():

        def function(f: Field, x: Number, k: Number, method: Method = method) -> Number:
            return product_with_integer(f, x, k, bits, method)

        function.__doc__ = f"x*k mod p for k < 2^{bits}: a row of x for each limb of k, {how}"
        yield Kernel(mul_integer(bits), algorithm, function)


INTEGER_PRODUCTS = tuple(kernel for bits in INTEGER_BITS for kernel in _products(bits))
