"""The operations: what a kernel computes, as integer functions. The specification of everything.

An operation is a record: a family, parameters that choose one function of the family, operands and
a result. Its name is made from the family and the parameters, and is never taken apart again: a
name is looked up in OPERATIONS. R = 2^(w*n). Nothing here knows how an operation is computed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from fieldc.field import Field
from fieldc.operands import (
    WIDE,
    Range,
    integers_below_radix,
    lazily,
    plain_integer,
    residues,
)

Operands = tuple[tuple[str, Range], ...]
Compute = Callable[..., int | tuple[int, ...]]
"""compute(field, *operands), before it is reduced mod p. Several values are a tuple."""

BETAS = (-1, -2, -5, 2, 3, 5, 7, 11, 13, 17)
"""u^2 of the quadratic extensions that are offered; the first one has the plain names.

-5 is BLS12-377's, 5 that of Pallas and Vesta, 13 and 17 are those of MNT4-753 and MNT4-298.
"""
SQUARINGS = (2, 4, 8)
"""Squarings in one kernel."""
FACTORS = (3, 4, 5, 8, 12)
"""Small constants that have a kernel."""
INTEGER_BITS = (64, 128)
"""Sizes of plain integers that have a product with an element."""
DIVSTEP_BITS, DIVSTEP_SHIFT = 62, 64
"""Bits of an entry of a matrix of divsteps, with its sign, and of what an update is divided by."""
DIVSTEP_STEPS = 59
"""Divsteps of a batch, whose matrix has entries from -2^59 to 2^59."""
MOST_TERMS = 6
"""The most products that one kernel adds."""

UNNAMED = {"beta": -1, "count": 2, "lazy": 0}
"""Values of parameters that leave no mark on the name."""


@dataclass(frozen=True)
class Operation:
    """One integer function of residues.

    `parameters` are integers by name: `beta` (u^2 of an extension), `count` (products in a sum),
    `factor`, `squarings`, and `lazy`, which is k where values below (k + 1)*p are taken and given.
    """

    family: str
    operands: Operands
    result: Range
    says: str = ""
    """The function as text."""
    compute: Compute | None = field(default=None, compare=False)
    """None for an operation whose algorithm is its only specification."""
    parameters: Mapping[str, int] = field(default_factory=dict, hash=False)
    formula: str = ""
    """Of a user's formula: its text, which is what a proof is about."""

    @property
    def name(self) -> str:
        """The name users know: fp2_mul, fp2_mul_minus_5, sum_of_products_3, mul_lazy."""
        said = (_said(k, v) for k, v in self.parameters.items() if UNNAMED.get(k) != v)
        return "_".join((self.family, *said))

    @property
    def is_lazy(self) -> bool:
        """Whether values of p and more are taken and given."""
        return bool(self.parameters.get("lazy"))

    def __call__(self, f: Field, *numbers: int) -> int:
        """The canonical result: each of its values is below p, or below R^2 where it is wide.

        An operand of several values is the one number that they make, and so is a result.
        """
        if self.compute is None:
            raise LookupError(f"{self.name} has no specification but its algorithm")
        pairs = zip(self.operands, numbers, strict=True)
        given = [bound.values(f, number) for (_, bound), number in pairs]
        found = self.compute(f, *(v if len(v) > 1 else v[0] for v in given))
        values = found if isinstance(found, tuple) else (found,)
        modulus = self.result.modulus(f)
        return self.result.number(f, [value % modulus for value in values])

    def row(self) -> dict[str, object]:
        """The record as JSON values, for manifests."""
        return {
            "family": self.family,
            "parameters": dict(self.parameters),
            "operands": [_described(name, bound) for name, bound in self.operands],
            "result": _described("z", self.result),
        }


def _said(parameter: str, value: int) -> str:
    """A parameter in a name."""
    if parameter == "lazy":
        return parameter
    return f"minus_{-value}" if value < 0 else str(value)


def _described(name: str, bound: Range) -> dict[str, object]:
    return {"name": name, "values": bound.count, "below": bound.bound}


SIMPLE: dict[str, tuple[str, str, Compute]] = {
    "add": ("xy", "x + y mod p", lambda f, x, y: x + y),
    "sub": ("xy", "x - y mod p", lambda f, x, y: x - y),
    "neg": ("x", "-x mod p", lambda f, x: -x),
    "double": ("x", "2*x mod p", lambda f, x: 2 * x),
    "mul": ("xy", "x*y/R mod p", lambda f, x, y: x * y * f.R_inverse),
    "mul_add": ("xya", "x*y/R + a mod p", lambda f, x, y, a: x * y * f.R_inverse + a),
    "square": ("x", "x*x/R mod p", lambda f, x: x * x * f.R_inverse),
    "to_montgomery": ("x", "x*R mod p", lambda f, x: x * f.R),
    "from_montgomery": ("x", "x/R mod p", lambda f, x: x * f.R_inverse),
    "mul_plain": ("xy", "x*y mod p", lambda f, x, y: x * y),
    "square_plain": ("x", "x*x mod p", lambda f, x: x * x),
}
"""Families of operations on single values: operands, the function as text, and the function."""
LAZY = ("add", "sub", "mul", "square", "mul_plain", "square_plain")
"""Those of them that also take and give values below 2p."""


def simple(family: str, lazy: int = 0) -> Operation:
    """An operation of a family in SIMPLE."""
    names, says, compute = SIMPLE[family]
    bound = lazily(1) if lazy else residues(1)
    operands = tuple((name, bound) for name in names)
    return Operation(family, operands, bound, says, compute, {"lazy": 1} if lazy else {})


def redc() -> Operation:
    """x/R for a wide x."""
    return Operation("redc", (("x", WIDE),), residues(1), "x/R mod p", lambda f, x: x * f.R_inverse)


def reduce(lazy: int = 0) -> Operation:
    """The canonical value of a wide number, or of one below 2p."""
    operand, parameters = (lazily(1), {"lazy": 1}) if lazy else (WIDE, {})
    return Operation(
        "reduce", (("x", operand),), residues(1), "x mod p", lambda f, x: x, parameters
    )


def sum_of_products(count: int, lazy: int = 0) -> Operation:
    """x[0]*y[0] + x[1]*y[1] + ..., `count` products, with one reduction."""

    def compute(f: Field, x: Sequence[int], y: Sequence[int]) -> int:
        return sum(a * b for a, b in zip(x, y, strict=True)) * f.R_inverse

    many, one = (lazily(count), lazily(1)) if lazy else (residues(count), residues(1))
    says = " + ".join(f"x[{i}]*y[{i}]" for i in range(count))
    parameters = {"count": count} | ({"lazy": 1} if lazy else {})
    operands = (("x", many), ("y", many))
    return Operation("sum_of_products", operands, one, f"({says})/R mod p", compute, parameters)


def sum_of_products_plain(count: int) -> Operation:
    """The same without the division by R."""

    def compute(f: Field, x: Sequence[int], y: Sequence[int]) -> int:
        return sum(a * b for a, b in zip(x, y, strict=True))

    says = " + ".join(f"x[{i}]*y[{i}]" for i in range(count))
    operands = (("x", residues(count)), ("y", residues(count)))
    parameters = {"count": count}
    return Operation(
        "sum_of_products_plain", operands, residues(1), f"{says} mod p", compute, parameters
    )


def difference_of_products() -> Operation:
    """x[0]*y[0] - x[1]*y[1] with one reduction."""
    return Operation(
        "difference_of_products",
        (("x", residues(2)), ("y", residues(2))),
        residues(1),
        "(x[0]*y[0] - x[1]*y[1])/R mod p",
        lambda f, x, y: (x[0] * y[0] - x[1] * y[1]) * f.R_inverse,
    )


def fp2_mul(beta: int) -> Operation:
    """The product in Fp[u]/(u^2 - beta)."""

    def compute(f: Field, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, ...]:
        (a, b), (c, d) = x, y
        return (a * c + beta * b * d) * f.R_inverse, (a * d + b * c) * f.R_inverse

    says = f"x*y/R for x[0] + x[1]*u, u^2 = {beta}, mod p"
    operands = (("x", residues(2)), ("y", residues(2)))
    return Operation("fp2_mul", operands, residues(2), says, compute, {"beta": beta})


def fp2_square(beta: int) -> Operation:
    """The square in Fp[u]/(u^2 - beta)."""

    def compute(f: Field, x: tuple[int, int]) -> tuple[int, ...]:
        a, b = x
        return (a * a + beta * b * b) * f.R_inverse, 2 * a * b * f.R_inverse

    says = f"x*x/R for x[0] + x[1]*u, u^2 = {beta}, mod p"
    pair = residues(2)
    return Operation("fp2_square", (("x", pair),), pair, says, compute, {"beta": beta})


def mul_by(factor: int) -> Operation:
    """A small constant times x."""
    one = residues(1)
    return Operation(
        "mul_by",
        (("x", one),),
        one,
        f"{factor}*x mod p",
        lambda f, x: factor * x,
        {"factor": factor},
    )


def mul_integer(bits: int) -> Operation:
    """x times a plain integer: the result is in the form of x."""
    operands = (("x", residues(1)), ("k", plain_integer(bits)))
    return Operation(f"mul_u{bits}", operands, residues(1), "x*k mod p", lambda f, x, k: x * k)


def divstep_update() -> Operation:
    """A row of a matrix of divsteps on d and e, which are x. An entry is 2^61 less than u or v."""
    raised = 1 << DIVSTEP_BITS - 1

    def compute(f: Field, x: Sequence[int], u: int, v: int) -> int:
        return (x[0] * (u - raised) + x[1] * (v - raised)) * pow(2, -DIVSTEP_SHIFT, int(f.p))

    entry = plain_integer(DIVSTEP_BITS)
    operands = (("x", residues(2)), ("u", entry), ("v", entry))
    says = "(x[0]*(u - 2^61) + x[1]*(v - 2^61))/2^64 mod p"
    return Operation("divstep_update", operands, residues(1), says, compute)


def divstep_de() -> Operation:
    """A matrix of divsteps on d and e, which are x. An entry is 2^59 less than in m."""
    raised = 1 << DIVSTEP_STEPS

    def compute(f: Field, x: Sequence[int], m: Sequence[int]) -> tuple[int, ...]:
        u, v, q, r = (entry - raised for entry in m)
        over = pow(2, -DIVSTEP_SHIFT, int(f.p))
        return (u * x[0] + v * x[1]) * over, (q * x[0] + r * x[1]) * over

    entries = plain_integer(DIVSTEP_STEPS + 2, count=4)
    says = "((m[0] - 2^59)*x[0] + (m[1] - 2^59)*x[1])/2^64, the same of m[2] and m[3], mod p"
    operands = (("x", lazily(2)), ("m", entries))
    return Operation("divstep_de", operands, lazily(2), says, compute, {"lazy": 1})


def divstep_fg() -> Operation:
    """A matrix of divsteps on f and g, which are R/2 less than x and y.

    For an entry u of the matrix m has 2^63 - 16*u. The division by 2^59 is modulo 2^128*R + 1:
    where it is exact it gives the next f. Then a value is 11*R/2 + f; its low limbs are R/2 + f.
    """

    def compute(f: Field, x: int, y: int, m: Sequence[int]) -> tuple[int, ...]:
        modulus = integers_below_radix(1, bits=2 * f.word).modulus(f)
        half, over = f.R // 2, pow(2, -DIVSTEP_STEPS - 4, modulus)
        u, v, q, r = ((1 << DIVSTEP_STEPS + 4) - entry for entry in m)
        rows = (u * (x - half) + v * (y - half), q * (x - half) + r * (y - half))
        return rows[0] * over + 11 * half, rows[1] * over + 11 * half

    one, entries = integers_below_radix(1), plain_integer(DIVSTEP_STEPS + 5, count=4)
    says = "11*R/2 + ((2^63 - m[0])*(x - R/2) + (2^63 - m[1])*(y - R/2))/2^63, and of m[2] and m[3]"
    operands = (("x", one), ("y", one), ("m", entries))
    result = integers_below_radix(1, 2, bits=128)
    return Operation("divstep_fg", operands, result, f"{says}, mod 2^128*R + 1", compute)


def square_times(squarings: int) -> Operation:
    """x squared so many times."""
    power, one = 1 << squarings, residues(1)
    return Operation(
        "square_times",
        (("x", one),),
        one,
        f"x^{power}/R^{power - 1} mod p",
        lambda f, x: pow(x, power, f.p) * pow(f.R_inverse, power - 1, f.p),
        {"squarings": squarings},
    )


def _offered() -> Iterator[Operation]:
    """Every operation that has a kernel, in the order of listings."""
    for family in ("add", "sub", "neg", "double", "mul"):
        yield simple(family)
    yield sum_of_products(2)
    yield simple("square")
    yield redc()
    for family in ("to_montgomery", "from_montgomery", "mul_plain", "square_plain"):
        yield simple(family)
    yield sum_of_products_plain(2)
    yield reduce()
    yield simple("mul_add")
    yield from (sum_of_products(count) for count in range(3, MOST_TERMS + 1))
    yield difference_of_products()
    yield from map(fp2_mul, BETAS)
    yield from map(fp2_square, BETAS)
    yield from (simple(family, lazy=1) for family in LAZY)
    yield sum_of_products(2, lazy=1)
    yield reduce(lazy=1)
    yield from map(mul_by, FACTORS)
    yield from map(square_times, SQUARINGS)
    yield from map(mul_integer, INTEGER_BITS)
    yield divstep_update()
    yield divstep_de()


OPERATIONS: dict[str, Operation] = {operation.name: operation for operation in _offered()}
"""By name: the one way from a name to its record."""


def redc_lazy(lazy: int) -> Operation:
    """x/R for x below (lazy + 1)*p*R."""
    operands = (("x", Range(multiple=lazy + 1, is_wide=True)),)
    parameters = {"lazy": lazy}
    return replace(redc(), operands=operands, parameters=parameters)


def fp2_mul_wide(lazy: int) -> Operation:
    """The product in Fp[u]/(u^2 + 1) over the integers, modulo R^2: nothing is reduced.

    x and y have values below (lazy + 1)*p.
    """

    def compute(f: Field, x: tuple[int, int], y: tuple[int, int]) -> tuple[int, ...]:
        (a, b), (c, d) = x, y
        return a * c - b * d, a * d + b * c

    operands = (("x", lazily(2, lazy)), ("y", lazily(2, lazy)))
    says = "x*y for x[0] + x[1]*u, u^2 = -1, mod R^2"
    parameters = {"lazy": lazy}
    result = integers_below_radix(2, 2)
    return Operation("fp2_mul_wide", operands, result, says, compute, parameters)


def wide_sum(plus: int, minus: int) -> Operation:
    """The sum of so many wide numbers less that of so many others, modulo R^2."""

    def compute(f: Field, *values: int) -> int:
        return sum(values[:plus]) - sum(values[plus:])

    names, wide = "xyab"[: plus + minus], integers_below_radix(2)
    operands = tuple((name, wide) for name in names)
    says = " - ".join((" + ".join(names[:plus]), *names[plus:])) + " mod R^2"
    parameters = {"plus": plus, "minus": minus}
    return Operation("wide_sum", operands, wide, says, compute, parameters)


DIVSTEP_FG: dict[str, Operation] = {divstep_fg().name: divstep_fg()}
"""By name: what inverts beside the operations of a field, on integers."""

WIDE_SUMS = ((2, 0), (1, 1), (3, 0), (2, 1), (1, 2), (2, 2))
"""Of each sum of wide numbers how many are added and how many are subtracted."""
TOWER_OPERATIONS: dict[str, Operation] = {
    operation.name: operation
    for operation in (
        fp2_mul_wide(lazy=3),
        redc_lazy(lazy=1),
        *(wide_sum(*counts) for counts in WIDE_SUMS),
    )
}
"""Parts of the crate's towers, by name: numbers of 2n limbs that are reduced later.

They are no operations of a field: a wide number means itself, not a residue, and is negative where
it is written modulo R^2.
"""

NUMBERED = (
    *("mul_by", "square_times", "sum_of_products", "sum_of_products_plain"),
    *("fp2_mul", "fp2_square", "wide_sum"),
)
"""Families whose operations have numbers in their names."""


def family_named(name: str) -> str:
    """The family that has an operation of this name, whatever its numbers; empty if none has."""
    base = name.removesuffix("_lazy")
    stem = re.sub(r"(_minus)?(_[0-9]+)+$", "", base)
    if stem in NUMBERED:
        return stem
    families = {one.family for one in (OPERATIONS | TOWER_OPERATIONS | DIVSTEP_FG).values()}
    return base if base in families else ""
