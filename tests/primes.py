"""What the tests of the core share: primes of every shape, edge values, expected results.

Nothing here uses a derived constant of `Field`: R, limbs and expected results are written again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import chain, islice, product
from math import gcd, prod

from fieldc.algorithms import KERNELS, every_kernel_for
from fieldc.catalogue import named_primes
from fieldc.field import Field
from fieldc.language import BoundError, Expression, Integer, Kernel
from fieldc.operands import Range
from fieldc.words.rows import RowChoice, RowStyle

SIEVE = tuple(q for q in range(3, 1000, 2) if all(q % d for d in range(3, int(q**0.5) + 1, 2)))
SIEVED = prod(SIEVE)

ALL_STYLES: tuple[RowChoice, ...] = tuple(
    RowChoice(style, lag, ahead) for style in RowStyle for lag in range(3) for ahead in range(4)
)


def distinct(rows: RowChoice) -> RowChoice:
    """The same style without parameters that it does not read."""
    lag = rows.lag if rows.style is RowStyle.TWO_CHAINS else 0
    reads_ahead = rows.style not in (RowStyle.CARRY_WORD, RowStyle.HALVES)
    return RowChoice(rows.style, lag, rows.ahead if reads_ahead else 0)


STYLES: tuple[RowChoice, ...] = tuple(dict.fromkeys(map(distinct, ALL_STYLES)))
"""The row styles that differ."""
CARRY_STYLES: tuple[RowChoice, ...] = (
    *(RowChoice(style) for style in RowStyle),
    RowChoice(RowStyle.TWO_CHAINS, lag=1),
    RowChoice(RowStyle.TWO_CHAINS, lag=2),
)
"""The styles whose additions differ: `ahead` only moves multiplications."""


def style_id(rows: RowChoice) -> str:
    """A test's name for a row style."""
    return f"{rows.style.value}-lag{rows.lag}-ahead{rows.ahead}"


def is_probable_prime(k: int) -> bool:
    """A quick search criterion; Field itself then decides."""
    if k < SIEVE[-1] ** 2:
        return k == 2 or (k > 1 and k % 2 == 1 and all(k % q or k == q for q in SIEVE))
    return k % 2 == 1 and gcd(k, SIEVED) == 1 and pow(3, k - 1, k) == 1


def small_primes(low: int, high: int) -> list[int]:
    """The odd primes p with low <= p < high."""
    return [p for p in range(max(low, 3), high) if is_probable_prime(p)]


def search(candidates: Iterator[int]) -> int:
    """The first odd prime among candidates."""
    return next(k for k in candidates if k > 2 and is_probable_prime(k))


def upwards(start: int, step: int = 2) -> Iterator[int]:
    """start, start + step, ..."""
    while True:
        yield start
        start += step


def random_prime(rng: random.Random, bits: int) -> int:
    """A random prime of exactly `bits` bits, at least 2."""
    if bits < 6:
        return rng.choice(small_primes(1 << bits - 1, 1 << bits))
    return search(rng.getrandbits(bits) | 1 << bits - 1 | 1 for _ in upwards(0))


def _top_ones(rng: random.Random, word: int, limbs: int) -> int:
    """The top limb is all ones."""
    high = ((1 << word) - 1) << word * (limbs - 1)
    if limbs == 1:
        return high
    return search(high | rng.getrandbits(word * (limbs - 1)) | 1 for _ in upwards(0))


def _largest(rng: random.Random, word: int, limbs: int) -> int:
    """The largest prime that fits."""
    return search(upwards((1 << word * limbs) - 1, -2))


def _smallest(rng: random.Random, word: int, limbs: int) -> int:
    """The smallest prime that needs so many limbs: the top limb is 1."""
    return search(upwards(max(3, (1 << word * (limbs - 1)) + 1)))


def _half(rng: random.Random, word: int, limbs: int) -> int:
    """Full bits, but only just: above half of R."""
    return search(upwards((1 << word * limbs - 1) + 1))


def _one_spare(rng: random.Random, word: int, limbs: int) -> int:
    return random_prime(rng, word * limbs - 1)


def _three_spare(rng: random.Random, word: int, limbs: int) -> int:
    return random_prime(rng, word * limbs - 3)


def _full(rng: random.Random, word: int, limbs: int) -> int:
    return random_prime(rng, word * limbs)


def _low_one(rng: random.Random, word: int, limbs: int) -> int:
    """The lowest limb is 1, so n0 is all ones."""
    top = rng.getrandbits(word * (limbs - 1) - 1) | 1 << word * (limbs - 1) - 2
    return search(upwards((top << word) + 1, 1 << word))


def _low_ones(rng: random.Random, word: int, limbs: int) -> int:
    """The lowest limb is all ones, so n0 is 1."""
    top = rng.getrandbits(word * (limbs - 1) - 1) | 1 << word * (limbs - 1) - 2
    return search(upwards(((top + 1) << word) - 1, 1 << word))


def _bit_w_zero(rng: random.Random, word: int, limbs: int) -> int:
    """Bit w (64) is 0: prime-ir #344."""
    bits = word * limbs - 2
    keep = (1 << bits) - 1 - (1 << word)
    return search(rng.getrandbits(bits) & keep | 1 << bits - 1 | 1 for _ in upwards(0))


def _zero_middle(rng: random.Random, word: int, limbs: int) -> int:
    """A limb between the lowest and the highest is 0."""
    top = rng.getrandbits(word - 1) | 1
    return search(
        top << word * (limbs - 1) | rng.getrandbits(word * (limbs - 2)) | 1 for _ in upwards(0)
    )


SHAPES: dict[str, tuple[int, Callable[[random.Random, int, int], int]]] = {
    "largest": (1, _largest),
    "smallest": (1, _smallest),
    "half": (1, _half),
    "full": (1, _full),
    "one-spare": (1, _one_spare),
    "three-spare": (1, _three_spare),
    "top-ones": (2, _top_ones),
    "low-one": (2, _low_one),
    "low-ones": (2, _low_ones),
    "bit-w-zero": (2, _bit_w_zero),
    "zero-middle": (3, _zero_middle),
}
"""Shape -> (the fewest limbs it needs, how to find one)."""


@cache
def shaped(shape: str, limbs: int, word: int = 64) -> Field:
    """The field of one prime of a shape, the same in every run. Needs words of 8 bits or more."""
    fewest, find = SHAPES[shape]
    assert limbs >= fewest
    return Field(find(random.Random(f"{shape} {limbs} {word}"), word, limbs), word)


def shapes(limbs: int) -> list[str]:
    """The shapes that a prime of so many limbs can have."""
    return [shape for shape, (fewest, _) in SHAPES.items() if limbs >= fewest]


@cache
def random_field(seed: int, word: int, bits: int) -> Field:
    """The field of a random prime, the same in every run."""
    return Field(random_prime(random.Random(f"{seed} {word} {bits}"), bits), word)


@cache
def named_field(name: str, word: int = 64) -> Field:
    """A named field."""
    return Field(named_primes()[name].p, word, name)


NAMES: tuple[str, ...] = tuple(named_primes())
OF_EVERY_CLASS: tuple[str, ...] = (
    *("goldilocks", "bn254-p", "secp256k1-p", "curve25519", "bls12-381-r", "bls12-381-p", "p521"),
)
"""A few of them, of every class: one limb, spare bits and none, special ones, an odd size."""


@cache
def expressions(f: Field) -> tuple[Expression, ...]:
    """Every kernel whose bounds hold for the field."""
    return expressions_of(KERNELS, f)


def expressions_of(kernels: Sequence[Kernel], f: Field) -> tuple[Expression, ...]:
    """Those of some kernels whose bounds hold for the field."""
    return tuple(chain.from_iterable(_traced(kernel, f) for kernel in kernels))


def _traced(kernel: Kernel, f: Field) -> list[Expression]:
    try:
        return [kernel.expression(f)]
    except BoundError:
        return []


def expected(operation: str, f: Field, x: int, y: int = 0, a: int = 0) -> int:
    """What an operation returns, by plain modular arithmetic."""
    p, r = f.p, 1 << f.word * -(-f.p.bit_length() // f.word)
    inverse = pow(r, -1, p)
    return {
        "add": x + y,
        "sub": x - y,
        "neg": -x,
        "double": 2 * x,
        "mul": x * y * inverse,
        "mul_add": x * y * inverse + a,
        "square": x * x * inverse,
        "sum_of_products": ((x % r) * (y % r) + (x // r) * (y // r)) * inverse,
        "redc": x * inverse,
        "to_montgomery": x * r,
        "from_montgomery": x * inverse,
        "mul_plain": x * y,
        "square_plain": x * x,
        "sum_of_products_plain": (x % r) * (y % r) + (x // r) * (y // r),
        "reduce": x,
    }[operation] % p


@cache
def edges(f: Field) -> tuple[int, ...]:
    """Residues at which carries, borrows and selections change, in increasing order."""
    p, w, ones = f.p, f.word, (1 << f.word) - 1
    found = {0, 1, 2, p - 1, p - 2, p // 2, p // 2 + 1, (1 << w * f.n) % p, -(1 << w * f.n) % p}
    for i in range(f.n):
        found |= {ones << w * i, (1 << w * (i + 1)) - 1, 1 << w * i, p - (1 << w * i)}
        found.add((p >> w * i) << w * i)
    found.add((1 << p.bit_length() - 1) - 1)
    return tuple(sorted(v for v in found if 0 <= v < p))


@cache
def wide_edges(f: Field) -> tuple[int, ...]:
    """Values below p*R at which carries of a reduction change."""
    r = 1 << f.word * f.n
    found = {f.p * r - 1, f.p * r - f.p, f.p * f.p, (f.p - 1) ** 2, r - 1, r, f.p, 0, 1}
    found |= {high * r + low for high in edges(f) for low in (0, 1, r - 1, r - f.p)}
    return tuple(sorted(v for v in found if 0 <= v < f.p * r))


def cases(kernel: Kernel, f: Field, count: int, seed: int = 0) -> list[tuple[int, ...]]:
    """Operands for a kernel: `count` random ones, and at most 3 * count edge values or pairs."""
    rng = random.Random(f"{f.p} {f.word} {seed} {kernel.operation}")
    given: list[tuple[int, ...]]
    drawn: list[tuple[int, ...]]
    if kernel.operation in ("redc", "reduce"):
        given = [(v,) for v in wide_edges(f)]
        drawn = [(rng.randrange(f.p << f.word * f.n),) for _ in range(count)]
    else:
        arity = sum(bound.count for _, bound in kernel.operands)
        given = list(product(edges(f), repeat=min(arity, 2)))
        if arity > 2:  # each pair of edges with another one
            given = [a + b for a, b in zip(given, rng.sample(given, len(given)), strict=True)]
            given += [edges(f)[:1] * arity, edges(f)[-1:] * arity]
        drawn = [tuple(rng.randrange(f.p) for _ in range(arity)) for _ in range(count)]
    if len(given) > 3 * count:
        corners = [given[0], given[-1]]
        given = corners + rng.sample(given, 3 * count - 2)
    if kernel.operation in ("redc", "reduce"):
        return given + drawn
    return [operands(kernel, f, values) for values in given + drawn]


def operands(kernel: Kernel, f: Field, values: Sequence[int]) -> tuple[int, ...]:
    """A kernel's operands, of which several values may make one."""
    rest = iter(values)
    given = [(bound, list(islice(rest, bound.count))) for _, bound in kernel.operands]
    return tuple(bound.number(f, [_within(bound, f, v) for v in some]) for bound, some in given)


def _within(bound: Range, f: Field, value: int) -> int:
    """The value; of a plain integer, as far below the largest one, so that 0 gives that."""
    high = bound.high(f)
    return value if bound.is_residue else high - value % (high + 1)


def named_kernel(operation: str, algorithm: str) -> Kernel:
    """The kernel of an operation with this algorithm."""
    return next(k for k in every_kernel_for(operation) if k.algorithm == algorithm)


def cios_bound(f: Field) -> int:
    """The largest t of CIOS, by the recurrence on paper."""
    t, ones = 0, f.base - 1
    for limb in largest_limbs(f):
        t = (t + (f.p - 1) * limb + ones * f.p) >> f.word
    return t


def log_jump_bound(f: Field) -> int:
    """The largest t of log-jump, by the recurrence on paper."""
    t, ones = 0, f.base - 1
    mu = pow(f.base, -1, f.p)
    *lower, last = largest_limbs(f)
    for limb in lower:
        t = ((t + (f.p - 1) * limb) >> f.word) + ones * mu
    return (t + (f.p - 1) * last + ones * f.p) >> f.word


def largest_limbs(f: Field) -> list[int]:
    """The largest value of each limb of a residue."""
    return [min(f.base - 1, (f.p - 1) >> f.word * i) for i in range(f.n)]


def ranged(low: int, high: int, name: str = "x") -> Integer:
    """An input with any bounds."""
    return Integer("input", (), (low, high), name=name)
