"""What a user's formula must do: its text read as a contract.

A text is JSON with these parts.

    operands   [[name, values, size], ...]
    steps      [[kind, ...], ...]: each gives a value; values are numbered, the operands' first
               ["add", i, j]  ["sub", i, j]  ["mul", i, j]: i * j / R  ["times", i, j]: i * j
               ["scale", i, c]: c * i for an integer c;  ["constant", c]: c * R
               ["divide", i]: i / R
    results    [i, ...]
    multiple   the size of each result

A size is an integer m, for values below m * p of n limbs, or [m, k, b], for values below
m * p^k * 2^b of the limbs that these need, or, of an operand, ["signed", b], for one integer of b
bits in two's complement, where b is 64 or 128. An integer c is a hexadecimal string. All of it is
modulo p. The text is the statement; what made it is not asked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.arguments import OWN_BASES
from fieldc.proof.claims.contracts import WORD_BITS, Claim, Contract, Operand

MOST_VALUES = 100_000
MOST_TERMS = 50_000
"""Terms of a polynomial that is multiplied out."""
ARITY = {
    **{kind: (2, 0) for kind in ("add", "sub", "mul", "times")},
    **{"scale": (1, 1), "constant": (0, 1), "divide": (1, 0)},
}
"""For each kind of step how many values and how many integers it names."""
MOST_FACTORS = 16
"""In terms that may cancel before a formula is proved at once."""
MOST_DEGREE = 2
"""Up to which a formula is proved at once; a product of products has more."""
MOST_POWERS = 2
"""Of p, in the size of a value."""
MOST_BITS = 128
SIGNED_BITS = (64, 128)
"""Of signed integers."""
TAKEN = ("z", *OWN_BASES)
"""What an operand cannot be called: these name memory that is no operand."""
Step = tuple[str, tuple[int, ...], int]
"""Kind, the values it takes, its integer."""
_Value = TypeVar("_Value")


@dataclass(frozen=True)
class Size:
    """Values below multiple * p^powers * 2^bits; with one power and no bits, residues."""

    multiple: int
    powers: int = 1
    bits: int = 0
    is_signed: bool = False

    def high(self, p: int) -> int:
        """The largest value."""
        return (self.multiple * int(p**self.powers) << self.bits) - 1

    def limbs(self, p: int, limbs: int) -> int:
        """The limbs of a value, where residues have so many. Raises ProofError if it has none."""
        high = self.high(p)
        if (self.powers, self.bits) != (1, 0):
            return -(-high.bit_length() // WORD_BITS)
        if high >= 1 << WORD_BITS * limbs:
            raise ProofError(f"values below {self.multiple}p do not fit {limbs} limbs")
        return limbs


MASK = Size(1, powers=0, bits=1)
"""0 or 1."""


@dataclass(frozen=True)
class FormulaStatement:
    """A formula: operands with their ranges, steps, and which values are the results."""

    operands: tuple[tuple[str, int, Size], ...]
    steps: tuple[Step, ...]
    results: tuple[int, ...]
    size: Size


def statement_of(text: str) -> FormulaStatement:
    """Read a text. Raises ProofError for one that is no formula."""
    try:
        data = json.loads(text)
        operands = tuple((str(n), _number(count), _size(m)) for n, count, m in data["operands"])
        known = sum(count for _, count, _ in operands)
        steps = []
        for number, (kind, *rest) in enumerate(data["steps"]):
            values, integers = ARITY[kind]
            taken = tuple(rest[:values])
            if len(rest) != values + integers:
                raise ValueError(kind)
            if not all(type(i) is int and 0 <= i < known + number for i in taken):
                raise ValueError(kind)
            steps.append((kind, taken, int(rest[-1], 16) if integers else 0))
        names = [*TAKEN, *(name for name, _, _ in operands)]
        if len({*names}) < len(names):
            raise ValueError("names")
        results = tuple(data["results"])
        if not results or not all(type(i) is int and 0 <= i < known + len(steps) for i in results):
            raise ValueError("results")
        size = _size(data["multiple"])
        if size.is_signed or any(one.is_signed and count > 1 for _, count, one in operands):
            raise ValueError("signed")
        return FormulaStatement(operands, tuple(steps), results, size)
    except (ValueError, KeyError, TypeError):
        raise ProofError("the text is no formula") from None


def _size(size: Any) -> Size:
    if not isinstance(size, list):
        return Size(_number(size))
    if size[0] == "signed":
        (bits,) = size[1:]
        if type(bits) is not int or bits not in SIGNED_BITS:
            raise ValueError("a size")
        return Size(1, 0, bits, is_signed=True)
    multiple, powers, bits = size
    if type(powers) is not int or type(bits) is not int:
        raise ValueError("a size")
    if not (0 <= powers <= MOST_POWERS and 0 <= bits <= MOST_BITS and powers + bits):
        raise ValueError("a size")
    return Size(_number(multiple), powers, bits)


def _number(number: Any) -> int:
    if type(number) is not int or not 0 < number <= MOST_VALUES:
        raise ValueError("a number")
    return number


class Algebra(Protocol[_Value]):
    """Values modulo p that a formula may be evaluated on."""

    def constant(self, number: int) -> _Value:
        """An integer modulo p."""
        ...

    def total(self, terms: Sequence[tuple[_Value, int]]) -> _Value:
        """A sum of multiples."""
        ...

    def product(self, a: _Value, b: _Value, factor: int) -> _Value:
        """factor * a * b."""
        ...


def evaluate(
    statement: FormulaStatement,
    algebra: Algebra[_Value],
    p: int,
    limbs: int,
    values: Sequence[_Value],
) -> list[_Value]:
    """The results of a formula for values of its operands."""
    known = values_of(statement, algebra, p, limbs, values)
    return [known[i] for i in statement.results]


def values_of(
    statement: FormulaStatement,
    algebra: Algebra[_Value],
    p: int,
    limbs: int,
    values: Sequence[_Value],
) -> list[_Value]:
    """The values of a formula's operands, then that of each step."""
    known = list(values)
    for step in statement.steps:
        known.append(_made(step, algebra, p, limbs, known))
    return known


def _made(
    step: Step, algebra: Algebra[_Value], p: int, limbs: int, known: Sequence[_Value]
) -> _Value:
    """The value that a step gives, of those before it."""
    kind, taken, number = step
    R = 1 << WORD_BITS * limbs
    inverse = inverse_of(R, p)
    args = [known[i] for i in taken]
    if kind == "constant":
        return algebra.constant(number * R % p)
    if kind == "scale":  # by 1 the same integer, for values that are no residues
        return args[0] if number == 1 else algebra.total([(args[0], number)])
    if kind == "divide":
        return algebra.total([(args[0], inverse)])
    if kind in ("mul", "times"):
        return algebra.product(args[0], args[1], inverse if kind == "mul" else 1)
    return algebra.total([(args[0], 1), (args[1], 1 if kind == "add" else -1)])


@dataclass(frozen=True)
class Polynomials:
    """Polynomials modulo p, multiplied out."""

    p: int

    def constant(self, number: int) -> Polynomial:
        """A number."""
        return {ONE: number % self.p} if number % self.p else {}

    def total(self, terms: Sequence[tuple[Polynomial, int]]) -> Polynomial:
        """A sum of multiples."""
        found: Polynomial = {}
        for term, factor in terms:
            add_to(found, term, factor)
        return self._reduced(found)

    def product(self, a: Polynomial, b: Polynomial, factor: int) -> Polynomial:
        """A product. Raises ProofError for one with too many terms."""
        if len(a) * len(b) > MOST_TERMS:
            raise ProofError("function: the formula has too many terms to multiply out")
        return self.total([(product(a, b), factor)])

    def _reduced(self, found: Polynomial) -> Polynomial:
        return {m: r for m, c in found.items() if (r := int(c) % self.p)}


@dataclass(frozen=True)
class _OfLowDegree(Polynomials):
    """Those that are soon multiplied out: a square of squares has long terms, however few."""

    def product(self, a: Polynomial, b: Polynomial, factor: int) -> Polynomial:
        """A product. Raises ProofError for one of a high degree."""
        if sum(max(map(len, one), default=0) for one in (a, b)) > MOST_FACTORS:
            raise ProofError("function: the formula has products of too many factors")
        return super().product(a, b, factor)


def contract_of_formula(
    statement: FormulaStatement, p: int, limbs: int, by_steps: bool = False
) -> Contract:
    """The contract of a kernel that computes a formula.

    By steps, the value of each is one between operands and results.
    """
    polynomials = Polynomials(p)

    def made(step: Step) -> Claim:
        return lambda known: _made(step, polynomials, p, limbs, known)

    def result(number: int) -> Claim:
        if by_steps:
            return lambda known: known[statement.results[number]]
        return lambda values: evaluate(statement, polynomials, p, limbs, values)[number]

    operands = tuple(
        Operand(name, size.limbs(p, limbs), size.high(p), count, size.is_signed)
        for name, count, size in statement.operands
    )
    first, *more = map(result, range(len(statement.results)))
    between = tuple(map(made, statement.steps)) if by_steps else ()
    first_step = sum(count for _, count, _ in statement.operands)
    taken = {i - first_step for _, values, _ in statement.steps for i in values}
    width, high = statement.size.limbs(p, limbs), statement.size.high(p)
    return Contract(
        *(p, limbs, operands, first, 1, high),
        more=tuple(more),
        between=between,
        may_be_written=by_steps,
        unread=frozenset(range(len(between))) - taken,
        width=width,
    )


def may_be_proved_at_once(
    statement: FormulaStatement, p: int, limbs: int, if_it_cancels: bool
) -> bool:
    """Whether each result is a sum of products of two operands' values; masks do not count.

    `if_it_cancels` asks besides whether a sum is 0, or one operand, because the rest cancels. Words
    that hold a part of the rest hide that.
    """
    sizes = [size for _, count, size in statement.operands for _ in range(count)]
    masks = {number for number, size in enumerate(sizes) if size == MASK}
    operands: list[Polynomial] = [{(number,): 1} for number in range(len(sizes))]
    try:
        values = values_of(statement, _OfLowDegree(p), p, limbs, operands)
    except ProofError:
        return False
    made = zip(statement.steps, values[len(operands) :], strict=True)
    sums = (value for (kind, _, _), value in made if kind in ("add", "sub"))
    if if_it_cancels and not any(not value or value in operands for value in sums):
        return False
    results = (values[i] for i in statement.results)
    degrees = (sum(i not in masks for i in monomial) for value in results for monomial in value)
    return max(degrees, default=0) <= MOST_DEGREE
