"""Kernels for every prime of a class: one text for a number of limbs and for bounds.

A class is all primes of n limbs whose top limb and n0 are within limits. Its kernels are compiled
for a representative, a prime at the limits: every bound in them grows with p, and with
mu = (n0*p + 1) / 2^64 or with p - mu, so it holds for the whole class; fold_rest is taken for
almost p. Other limbs are taken for any words, R - p of primes near R among them: of its product
with a quotient only that it has two words is used.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain

from fieldc.algorithms import choose
from fieldc.algorithms.shapes import shift_of_quotient, shifted_quotient
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.modulus import is_prime
from fieldc.targets.x86_64.choices import Choices
from fieldc.targets.x86_64.kernel import X86Kernel, complemented
from fieldc.words.lower import lower
from fieldc.words.program import Program
from fieldc.words.rows import RowChoice

WORD = 64
TOP = (1 << WORD) - 1
LIMBS = range(1, 13)
"""What the crate has kernels for."""
SHIFT = 34
"""That of the representative of SHIFTED: its text tells a shift by 34 from one by 64 - 34."""


@dataclass(frozen=True)
class PrimeClass:
    """Primes whose top limb is below `top`, with n0 and the number of limbs in ranges."""

    name: str
    says: str
    top: int
    algorithms: tuple[tuple[str, str], ...]
    """Operation and algorithm of each kernel; for the rest its primes take a wider class's."""
    n0: tuple[int, int] = (0, TOP)
    """The least and the most."""
    limbs: range = LIMBS
    """Of one limb there is nothing to fold."""
    near: bool = False
    """Whether p is above R - 2^64."""
    has_root: bool = True
    """Whether -1 may be a square modulo p, where p is 1 modulo 4."""
    one_limb: tuple[tuple[str, str], ...] = ()
    """The same of one limb, where that is not the same."""
    shifted: bool = False
    """Whether p is 2^64 - 2^k + 1 with k at least 32."""
    next_of_mu: int = TOP
    """The most that the limb of mu below its top one may be. A small one saves a carry a row."""

    @property
    def suffix(self) -> str:
        """Its part of a kernel's name; that of the operation says `lazy` already."""
        return self.name.removeprefix("lazy_")

    @property
    def has_spare_bit(self) -> bool:
        """Whether each of its primes has one."""
        return self.top <= 1 << WORD - 1

    def contains(self, other: PrimeClass) -> bool:
        """Whether every prime of another class is of this one too."""
        (low, high), (least, most) = self.n0, other.n0
        wider = self.top >= other.top and low <= least and most <= high
        shaped = (other.near or not self.near) and (other.shifted or not self.shifted)
        return wider and {*other.limbs} <= {*self.limbs} and shaped

    def has(self, f: Field) -> bool:
        """Whether a field's prime is of the class."""
        low, high = self.n0
        is_small = f.p >> WORD * (f.n - 1) < self.top
        is_near = not self.near or f.complement < f.base
        is_in_ranges = f.n in self.limbs and is_small and is_near and low <= f.n0 <= high
        return is_in_ranges and self._has_rest(f)

    def kernels(self, limbs: int) -> tuple[tuple[str, str], ...]:
        """Operation and algorithm of each kernel for a number of limbs."""
        return self.one_limb if limbs == 1 and self.one_limb else self.algorithms

    def _has_rest(self, f: Field) -> bool:
        """Whether the limits hold that only some classes have."""
        if self.shifted and not shifted_quotient(f).applies:
            return False
        if not self.has_root and f.p % 4 == 1:
            return False
        return self.next_of_mu == TOP or f.limbs(f.mu)[-2] <= self.next_of_mu

    def bounded(self, f: Field) -> frozenset[int]:
        """The words of a field's constants that are bounds of the class, the top ones aside."""
        return frozenset() if self.next_of_mu == TOP else frozenset([f.limbs(f.mu)[-2]])


FOLD = PrimeClass(
    "fold",
    "mu/p + p/R < 0.993: constant rows of mu, 2n^2 + 1 products",
    0x3200_0000_0000_0000,
    (("mul", "log-jump"), ("square", "log-jump")),
    (0, 0xCBFF_FFFF_FFFF_FFFF),
    LIMBS[1:],
)
COMPLEMENT = PrimeClass(
    "complement",
    "a spare bit and mu/p > 0.508: constant rows of -mu for complements, 2n^2 + 1 products",
    0x7FFF_FFFF_FFFF_FF00,
    (("mul", "log-jump-complement"), ("square", "log-jump-complement")),
    (0x8200_0000_0000_0001, TOP),
    LIMBS[1:8],
)
SPARE = PrimeClass(
    "spare",
    "at least one spare bit: no carry leaves the top limb",
    COMPLEMENT.top,
    (("mul", "cios"), ("square", "cios"), ("sum_of_products", "cios")),
    one_limb=(("sum_of_products", "high-limbs"), ("add", "add")),
)
NEAR = PrimeClass(
    "near",
    "R - p has one limb: two products for a limb of the quotient",
    TOP + 1,
    (("mul", "near-radix"), ("square", "near-radix")),
    limbs=LIMBS[1:8],
    near=True,
)
SHIFTED = PrimeClass(
    "shifted",
    "2^64 - 2^k + 1, k at least 32: the quotient by shifts",
    TOP + 1,
    (("mul", "shifted-quotient"), ("square", "shifted-quotient")),
    limbs=LIMBS[:1],
    shifted=True,
)
FULL = PrimeClass(
    "full",
    "every odd prime",
    TOP + 1,
    (("mul", "cios"), ("sum_of_products", "two-subtractions"), ("square", "product")),
    one_limb=(
        ("mul", "high-limbs"),
        ("sum_of_products", "high-limbs"),
        ("square", "high-limbs"),
        ("add", "difference"),
        ("sub", "select"),
    ),
)
CLASSES = (FOLD, COMPLEMENT, SPARE, NEAR, SHIFTED, FULL)
"""The narrowest first."""

LAZY_FOLD = PrimeClass(
    "lazy_fold",
    "mu/p + 4p/R < 0.97: values below 2p, constant rows of mu, 2n^2 + 1 products",
    0x1B00_0000_0000_0000,
    (("mul_lazy", "log-jump"), ("square_lazy", "log-jump")),
    (0, 0x8BFF_FFFF_FFFF_FFFF),
    LIMBS[1:],
)
LAZY_SPARE = PrimeClass(
    "lazy_spare",
    "4p < R, by so much that a sum of rows closes: squares below 2p",
    0x3FFF_FFFF_FFFF_FF00,
    (("square_lazy", "cios"),),
)
LAZY_FULL = PrimeClass(
    "lazy_full",
    "4p < R: values below 2p",
    0x4000_0000_0000_0000,
    (("mul_lazy", "cios"),),
    one_limb=(("mul_lazy", "cios"), ("reduce_lazy", "reduce_lazy")),
)
LAZY_CLASSES = (LAZY_FOLD, LAZY_SPARE, LAZY_FULL)
"""Those of kernels for values below 2p, the narrowest first; not every prime has one."""

EXTENSION = PrimeClass(
    "extension",
    "as lazy_fold, mu small for its top limb, p = 3 modulo 4: products in Fp2, constant rows of mu",
    LAZY_FOLD.top,
    (("fp2_mul", "log-jump"), ("fp2_square", "log-jump")),
    LAZY_FOLD.n0,
    LIMBS[5:6],
    has_root=False,
    next_of_mu=0x3FFF_FFFF_FFFF_FFFF,
)
"""That of kernels for Fp2, of which towers and pairings are made. They leave 2n words in registers.

Products in Fp12 are made of the kernels in `algorithms/towers.py`, for the same class: products of
double width, their sums, and one reduction for each part of a result. On Emerald Rapids a product
in Fp2 takes about 240 cycles, one of double width 140, a reduction 70, and a sum of two to four
wide numbers 13 to 23. Four reductions for six products gain nothing in a square of the cyclotomic
subgroup.
"""


def class_of(f: Field) -> PrimeClass:
    """The narrowest class of a field."""
    return next(c for c in CLASSES if c.has(f))


def lazy_class_of(f: Field) -> PrimeClass | None:
    """The narrowest class of a field for values below 2p, if it has room for them."""
    return next((c for c in LAZY_CLASSES if c.has(f)), None)


@cache
def representative(prime_class: PrimeClass, limbs: int) -> Field:
    """A prime of n limbs at the limits of a class, its other limbs like those of any prime."""
    return next(_candidates(prime_class, limbs))


def _candidates(prime_class: PrimeClass, limbs: int) -> Iterator[Field]:
    draw = random.Random(limbs)
    top = prime_class.top - 1
    least, most = prime_class.n0
    for n0 in range(least, TOP, 2) if least else range(most, 0, -2):
        low = -pow(n0, -1, 1 << WORD) % (1 << WORD)
        if prime_class.shifted:
            words = [(1 << WORD) - (1 << SHIFT) + 1]
        elif limbs == 1:
            words = [top - (TOP - n0) - 1 | 1]
        elif prime_class.near:
            words = [n0, *[TOP] * (limbs - 1)]
        elif (least, most) != (0, TOP):
            words = [low, *(draw.getrandbits(WORD) for _ in range(limbs - 2)), top]
        else:
            lower = (draw.getrandbits(WORD) for _ in range(limbs - 2))
            words = [draw.getrandbits(WORD) | 1, *lower, top]
        p = sum(word << WORD * i for i, word in enumerate(words))
        if (prime_class.has_root or p % 4 == 3) and is_prime(p):
            yield Field(p)


def kernels_of(prime_class: PrimeClass, limbs: int) -> dict[str, PrimeClass]:
    """For each operation the class whose kernel the primes of a class take."""
    return {op: c for c in reversed(wider_than(prime_class)) for op, _ in c.kernels(limbs)}


def wider_than(prime_class: PrimeClass) -> list[PrimeClass]:
    """The class, and those of its family that contain it, the narrowest first."""
    family = CLASSES if prime_class in CLASSES else LAZY_CLASSES
    return [c for c in family if c.contains(prime_class)]


def class_expressions(prime_class: PrimeClass, limbs: int) -> Iterator[Expression]:
    """The kernels of a class at a number of limbs."""
    f = with_bounds(representative(prime_class, limbs), prime_class)
    for operation, algorithm in prime_class.kernels(limbs):
        yield choose(f, operation, algorithm)


def with_bounds(f: Field, prime_class: PrimeClass) -> Field:
    """The field with a fold_rest of almost p, none of whose words is another constant's.

    Where the class limits a lower limb of mu, this limb is the limit.

    Its own is no limit of the class, and has words of minus_mu where p has two limbs: constants go
    by their values, so a kernel would read these words from minus_mu for every prime.
    """
    bounded, lower = copy(f), WORD * (f.n - 1)
    below = random.Random(f.n).getrandbits(lower) if lower else 0
    object.__setattr__(bounded, "fold_rest", ((f.p >> lower) - 1 << lower) + below)
    if prime_class.next_of_mu != TOP:
        *rest, _, top = f.limbs(f.mu)
        words = [*rest, prime_class.next_of_mu, top]
        mu = sum(word << WORD * i for i, word in enumerate(words))
        object.__setattr__(bounded, "mu", mu)
    return bounded


def class_program(
    expression: Expression, choices: Choices, bounded: frozenset[int] = frozenset()
) -> Program:
    """The words of an x86-64 kernel, bounded by the limits of its class only; see class_words."""
    program = class_words(expression, choices.rows, choices.scanned == "x", bounded)
    return complemented(program, choices)


def class_words(
    expression: Expression,
    rows: RowChoice,
    exchanged: bool = False,
    bounded: frozenset[int] = frozenset(),
) -> Program:
    """The words of a kernel, bounded by the limits of its class only; `lower` says the rest.

    `bounded` are words of constants that are limits, as top limbs are.

    Raises ValueError for a representative of which two constants have a word in common.
    """
    f = expression.field
    raised = f.limbs(f.raised_p, f.n + 1)
    constants = [*(map(f.limbs, (f.p, f.mu, f.minus_mu))), raised, f.limbs(f.fold_rest)]
    words = [f.n0, *chain(*constants)]
    is_near = f.complement < f.base and f.n > 1
    alike = f.complement in {f.R2, *words} if is_near else f.n > 1 and len({*words}) < len(words)
    if alike:
        raise ValueError(f"{f.label} is no representative: two of its constants have a word alike")
    growing = [limbs[:-1] for limbs in constants[:-1]]
    unknown = frozenset([f.n0, f.p_inverse, *chain(*growing), *constants[-1]]) - bounded
    if is_near:  # the upper words of p are known, and p[1] is a name for all
        unknown = (unknown | {f.complement}) - {TOP}
    if TOP in unknown:  # its bound would say that every field has it
        raise ValueError(f"{f.label} is no representative: a word that others have is all ones")
    return lower(expression, rows, unknown, exchanged)


def completed(kernel: X86Kernel, f: Field) -> X86Kernel:
    """The kernel with the constants of a field: those of an expression may be bounds of a class."""
    return replace(
        kernel, constants=tuple((name, value_of(name, f)) for name, _ in kernel.constants)
    )


def value_of(name: str, f: Field) -> int:
    """A constant from its name: `p[3]`, `n0`, `0x1`, `quotient_shift`."""
    if name == "quotient_shift":
        return shift_of_quotient(f)
    constant, _, index = name.rstrip("]").partition("[")
    if constant.startswith("0x"):
        return int(constant, 16)
    value: int = getattr(f, constant)
    return f.limbs(value, f.n + 1)[int(index)] if index else value
