"""Tighter bounds from polynomials. Intervals forget that two values depend on the same part.

A value becomes a polynomial in inputs and low parts: v >> s is (v - v mod 2^s) / 2^s. Terms that
cancel in the polynomial also cancel in the bounds. Two examples: x - q*p is small if the quotient q
was computed from x, and limbs that were computed one by one form a number of known size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, floor

from fieldc.field import Field
from fieldc.integers import Integer, Interval, Number, with_bounds

Atom = tuple[int, int]
"""An expression by its identity, and s: (v, 0) is v, (v, s) is v mod 2^s, (v, -s) is v >> s.

(v, SIGN) is 1 where v is negative, else 0.
"""
SIGN = -(1 << 30)
Exact = int | Fraction
"""An integer wherever it is one: fractions are slow."""
Monomials = dict[tuple[Atom, ...], Exact]
"""A polynomial: coefficient of each product of atoms."""


def joined(f: Field, parts: Sequence[Number]) -> Number:
    """Return the number with these limbs."""
    return sum(part << f.word * i for i, part in enumerate(parts))


def tighten(value: Number) -> Number:
    """Return the same value with bounds that its polynomial gives too."""
    if not isinstance(value, Integer):
        return value
    low, high = value.low, value.high
    for other in _Forms().bounds(value):
        low, high = max(low, other[0]), min(high, other[1])
    return with_bounds(value, (low, high))


def tighten_below(value: Number, parts: Sequence[Number]) -> Number:
    """Return the same value with the lower bound that its polynomial gives, if that is higher.

    Also by its polynomial in these parts, each a number of its own: that x1 = (x - x0) / 2^s is not
    negative is lost where x and x0 are all that is known.
    """
    if not isinstance(value, Integer):
        return value
    wholes = frozenset(id(part) for part in parts)
    lows = (low for forms in (_Forms(), _Forms(wholes)) for low, _ in forms.bounds(value))
    return with_bounds(value, (max(value.low, *lows), value.high))


@dataclass
class _Forms:
    """The polynomials of one expression, with the expressions that its atoms name."""

    wholes: frozenset[int] = frozenset()
    """Nodes that are no polynomials in low parts, by identity."""
    nodes: dict[int, Integer] = field(default_factory=dict)
    known: dict[int, Monomials] = field(default_factory=dict)
    """The polynomials of factors, by identity of the node."""

    def bounds(self, node: Integer) -> Iterator[Interval]:
        """Bounds of a node: by low parts, and by high parts in place of wholes."""
        form = self.form(node)
        yield self._interval(form)
        yield self._interval(self._with_high_parts(form))

    def form(self, node: Integer) -> Monomials:
        """The polynomial of a node."""
        total: Monomials = {}
        waiting: list[tuple[Integer, Exact]] = [(node, 1)]
        while waiting:
            node, factor = waiting.pop()
            waiting += self._step(total, node, factor)
        return total

    def _factor(self, node: Integer) -> Monomials:
        """The polynomial of a factor: the same one in every product."""
        if id(node) not in self.known:
            self.known[id(node)] = self.form(node)
        return self.known[id(node)]

    def _step(self, total: Monomials, node: Integer, factor: Exact) -> list[tuple[Integer, Exact]]:
        """Add factor * node to total; what is left to be added."""
        if node.is_whole or id(node) in self.wholes:
            _put(total, (self._atom(node, 0),), factor)
            return []
        if node.op in ("add", "sub"):
            sign = 1 if node.op == "add" else -1
            return [(node.args[0], factor), (node.args[1], sign * factor)]
        if node.op in ("double", "shift_left"):
            bits = 1 if node.op == "double" else node.amount
            return [(node.args[0], factor * (1 << bits))]
        if node.op == "shift_right":
            part = _shifted(factor, node.amount)
            return [(node.args[0], part), *self._low_part(total, node.args[0], node.amount, -part)]
        if node.op == "mod":
            return self._low_part(total, node.args[0], node.amount, factor)
        if node.op == "constant":
            _put(total, (), factor * node.low)
        elif (factors := _factors(node)) is not None:
            self._multiply(total, self._factor(factors[0]), factors[1], factor)
        elif node.op == "masked" and node.condition is not None:
            is_negative: Monomials = {(self._atom(node.condition.difference, SIGN),): 1}
            self._multiply(total, is_negative, node.args[0], factor)
        else:
            _put(total, (self._atom(node, 0),), factor)
        return []

    def _low_part(
        self, total: Monomials, node: Integer, bits: int, factor: Exact
    ) -> list[tuple[Integer, Exact]]:
        """Add factor * (node mod 2^bits), as low parts of what the node is a part of."""
        if node.low >= 0 and node.high >> bits == 0:
            return [(node, factor)]
        if node.is_whole:
            _put(total, (self._atom(node, bits),), factor)
            return []
        amount = node.amount
        if node.op == "mod" and bits <= amount:
            return self._low_part(total, node.args[0], bits, factor)
        if -1 << bits <= node.low < 0 and node.high >> bits == 0:
            _put(total, (self._atom(node, SIGN),), factor * (1 << bits))
            return [(node, factor)]
        if node.op == "shift_right":
            whole, part = node.args[0], _shifted(factor, amount)
            return [
                *self._low_part(total, whole, amount + bits, part),
                *self._low_part(total, whole, amount, -part),
            ]
        _put(total, (self._atom(node, bits),), factor)
        return []

    def _multiply(self, total: Monomials, a: Monomials, b: Integer, factor: Exact) -> None:
        second = self._factor(b)
        for left, x in a.items():
            scaled = factor * x
            for right, y in second.items():
                _put(total, tuple(sorted((*left, *right))), scaled * y)

    def _atom(self, node: Integer, bits: int) -> Atom:
        self.nodes[id(node)] = node
        return id(node), bits

    def _with_high_parts(self, form: Monomials) -> Monomials:
        """v = v mod 2^s + 2^s * (v >> s) for every v of which a low part is there."""
        splits: dict[int, int] = {}
        for node, bits in (atom for monomial in form for atom in monomial):
            splits[node] = max(bits, splits.get(node, 0))  # SIGN is below all others
        total: Monomials = {}
        for monomial, coefficient in form.items():
            parts: Monomials = {(): coefficient}
            for node, bits in monomial:
                s = 0 if bits else splits[node]
                choices = [((node, s), 1), ((node, -s), 1 << s)] if s else [((node, bits), 1)]
                parts = {
                    (*left, atom): c * weight
                    for left, c in parts.items()
                    for atom, weight in choices
                }
            for product, c in parts.items():
                _put(total, tuple(sorted(product)), c)
        return total

    def _interval(self, form: Monomials) -> Interval:
        low: Exact = 0
        high: Exact = 0
        for monomial, coefficient in form.items():
            ends = [coefficient]
            for atom in monomial:
                ends = [end * limit for end in ends for limit in self._range(atom)]
            low, high = low + min(ends), high + max(ends)
        return ceil(low), floor(high)

    def _range(self, atom: Atom) -> Interval:
        node, bits = self.nodes[atom[0]], atom[1]
        if bits == SIGN:
            return int(node.high < 0), int(node.low < 0)
        if bits > 0:
            top = (1 << bits) - 1
            return 0, min(top, node.high) if node.low >= 0 else top
        return node.low >> -bits, node.high >> -bits


def _factors(node: Integer) -> tuple[Integer, Integer] | None:
    """The factors of a product; of a masked number, a bit and the number."""
    if node.op == "mul":
        return node.args[0], node.args[1]
    if node.op == "masked" and node.condition is not None:
        difference = node.condition.difference
        if difference.op == "sub" and difference.args[0].is_constant(0):
            bit = difference.args[1]
            if bit.low >= 0 and bit.high <= 1:  # 0 - bit is negative exactly where the bit is 1
                return bit, node.args[0]
    return None


def _shifted(factor: Exact, bits: int) -> Exact:
    """A coefficient divided by 2^bits."""
    return _whole(Fraction(factor, 1 << bits))


def _whole(number: Exact) -> Exact:
    return number.numerator if number.denominator == 1 else number


def _put(total: Monomials, monomial: tuple[Atom, ...], coefficient: Exact) -> None:
    signs = {atom for atom in monomial if atom[1] == SIGN}
    if signs:  # the square of a sign is the sign
        monomial = tuple(sorted([*(a for a in monomial if a[1] != SIGN), *signs]))
    if new := total.get(monomial, 0) + coefficient:
        total[monomial] = _whole(new)
    else:
        total.pop(monomial, None)
