"""Words and flags of an AArch64 kernel as polynomials, and what compilers do to them.

A word that an instruction computes is a constant, a variable, or a polynomial in at most six bits
(carries and borrows), which is tabulated: so flags may be added, compared and combined exactly.

A compiler may compute the low half of q*k in other ways than by `mul` (shifts, negations, other
factors) and take the high half from `umulh`. Two words that are congruent modulo 2^w are equal, so
each word's residue, a multiple of an older word, is remembered, and a residue gets one variable.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import product as combinations

from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Polynomial,
    System,
    add_to,
    constant,
    product,
    variable,
)

MOST_BITS = 6
Terms = frozenset[tuple[tuple[int, ...], int]]
Congruence = tuple[int, int]
"""A base variable and its factor modulo 2^w."""
Factors = tuple[str, int, int]
"""A word's base by name, the word's factor of it, and a constant that multiplies the word."""


def atoms(*values: Polynomial) -> list[int]:
    """The variables of polynomials."""
    return sorted({v for value in values for monomial in value for v in monomial})


def evaluate(value: Polynomial, at: dict[int, int]) -> int:
    """A polynomial's value where each variable is 0 or 1."""
    return sum(int(c) for monomial, c in value.items() if all(at[v] for v in monomial))


def table(variables: list[int]) -> Iterator[dict[int, int]]:
    """Every assignment of bits."""
    for bits in combinations((0, 1), repeat=len(variables)):
        yield dict(zip(variables, bits, strict=True))


def tabulate(function: Callable[..., int], *values: Polynomial) -> Polynomial:
    """The polynomial in bits that has a function's values; at most one power of each bit."""
    variables = atoms(*values)
    result: Polynomial = {}
    for at in table(variables):
        chosen = tuple(v for v in variables if at[v])
        known = sum(c for monomial, c in result.items() if set(monomial) <= set(chosen))
        difference = function(*(evaluate(value, at) for value in values)) - known
        if difference:
            result[chosen] = difference
    return result


def is_linear(value: Polynomial) -> bool:
    """Whether a polynomial has no products of variables."""
    return all(len(monomial) <= 1 for monomial in value)


def _terms(value: Polynomial) -> Terms:
    return frozenset((m, int(c)) for m, c in value.items())


@dataclass
class Words:
    """The words that a kernel computes.

    `seen` is what `umulh` multiplied so far; `expected` is that of the whole code, and only chooses
    between rows.
    """

    system: System
    expected: set[Factors] = field(default_factory=set)
    seen: set[Factors] = field(default_factory=set)
    _products: dict[Terms, tuple[Polynomial, Polynomial]] = field(default_factory=dict)
    _residues: dict[int, Congruence] = field(default_factory=dict)
    _congruent: dict[Congruence, int] = field(default_factory=dict)
    _named: dict[Terms, Polynomial] = field(default_factory=dict)
    _zeros: dict[Terms, Polynomial] = field(default_factory=dict)
    """Words, by the flag that says that they are 0."""
    _rows: dict[tuple[int, Terms], tuple[Polynomial, Polynomial]] = field(default_factory=dict)

    def are_bits(self, *values: Polynomial) -> bool:
        """Whether values are polynomials in a few variables that are 0 or 1."""
        variables = atoms(*values)
        if len(variables) > MOST_BITS:
            return False
        return all(self.system.ranges[v][1] <= 1 for v in variables)

    def values(self, value: Polynomial) -> set[int]:
        """Every value of a polynomial in bits."""
        return {evaluate(value, at) for at in table(atoms(value))}

    def largest(self, value: Polynomial) -> int:
        """The largest value of a word."""
        return max(self.values(value)) if self.are_bits(value) else self.system.largest(value)

    def word(self, value: Polynomial, where: str) -> Polynomial:
        """A constant or one variable that is equal to a word.

        A carry is never used as a word: in a sum only the carry in is one, so that a chain of
        carries is found in the rows.
        """
        if not self.are_bits(value) or value.keys() <= {ONE}:
            return value
        key = _terms(value)
        if key not in self._named:
            values = self.values(value)
            size = max(values)
            if values <= {0, size} and size > 1:
                flag: Polynomial = {m: int(c) // size for m, c in value.items()}
                self._named[key] = self.pick(flag, constant(size), {}, where)
            else:
                self._named[key] = variable(self.system.define_word(value, where))
            self._named[_terms(self._named[key])] = self._named[key]  # it is a word already
        return self._named[key]

    def pick(self, flag: Polynomial, yes: Polynomial, no: Polynomial, where: str) -> Polynomial:
        """yes if flag else no, bit by bit of the flag."""
        if flag.keys() <= {ONE}:
            return yes if flag else no
        if yes == no:
            return yes
        last = atoms(flag)[-1]
        sides = []
        for value in (1, 0):
            side: Polynomial = {}
            for monomial, c in flag.items():
                if value or last not in monomial:
                    add_to(side, {tuple(v for v in monomial if v != last): c})
            sides.append(self.pick(side, yes, no, where))
        if sides[0] == sides[1]:
            return sides[0]
        return variable(self.system.choose(last, sides[0], sides[1], where))

    def select(self, flag: Polynomial, yes: Polynomial, no: Polynomial, where: str) -> Polynomial:
        """yes if flag else no."""
        if self.are_bits(flag, yes, no):
            return tabulate(lambda f, a, b: a if f else b, flag, yes, no)
        return self.pick(flag, self.word(yes, where), self.word(no, where), where)

    def product(self, a: Polynomial, b: Polynomial, where: str) -> tuple[Polynomial, Polynomial]:
        """Low and high half: one equation for each pair of factors."""
        a, b = self.word(a, where), self.word(b, where)
        known = [int(f.get(ONE, 0)) for f in (a, b) if f.keys() <= {ONE}]
        if len(known) == 2:
            high, low = divmod(known[0] * known[1], self.system.radix)
            return constant(low), constant(high)
        right = product(a, b)
        key = _terms(right)
        if key not in self._products:
            residue = self._residue_of(right)
            halves = self._shifted(right, residue, where)
            self._products[key] = halves or self._multiplied(a, b, right, where)
            if residue and self._products[key][0]:
                self._remember(self._products[key][0], residue)
        return self._products[key]

    def _shifted(
        self, right: Polynomial, residue: Congruence | None, where: str
    ) -> tuple[Polynomial, Polynomial] | None:
        """The halves of a product whose low half is also that of another multiple of its factor.

        The difference of the two products is a multiple of 2^w, and that of their high halves the
        high half of it.
        """
        if residue not in self._congruent:
            return None
        low = self._congruent[residue]
        row = self.system.rows[self.system.owners[low]] if self.system.owners[low] >= 0 else None
        if not isinstance(row, Equation) or row.kind != "mul" or row.carry is None:
            return None
        if row.right.keys() != right.keys():
            return None
        ((monomial, factor),) = right.items()
        difference = int(factor - row.right[monomial])
        _zero, high = self.product({monomial: 1}, constant(abs(difference)), where)
        total = variable(row.carry)
        add_to(total, high, 1 if difference > 0 else -1)
        return variable(low), variable(self.system.define_word(total, where))

    def _multiplied(
        self, a: Polynomial, b: Polynomial, right: Polynomial, where: str
    ) -> tuple[Polynomial, Polynomial]:
        system = self.system
        if not right:
            return {}, {}
        system.multipliers.update(atoms(a, b))
        if system.largest(right) < system.radix:
            return variable(system.define_word(right, where)), {}
        low, carry = system.define("mul", right, 1, where)
        for factor in (a, b):
            if factor.keys() == {ONE}:  # the low half is a multiple of its power of two, as 2^w is
                number = int(factor[ONE])
                system.narrow(low, system.radix - (number & -number))
        return variable(low), variable(carry)

    def low(self, a: Polynomial, b: Polynomial, where: str) -> Polynomial:
        """a * b mod 2^w."""
        a, b = self.word(a, where), self.word(b, where)
        if self._factors(a, b) not in self.expected:
            found = self.congruent(product(a, b), where)
            if found is not None:
                return found
        return self.product(a, b, where)[0]

    def high(self, a: Polynomial, b: Polynomial, where: str) -> Polynomial:
        """a * b >> w."""
        a, b = self.word(a, where), self.word(b, where)
        if (factors := self._factors(a, b)) is not None:
            self.seen.add(factors)
        return self.product(a, b, where)[1]

    def _factors(self, a: Polynomial, b: Polynomial) -> Factors | None:
        """Of a word and a constant: the word's factor of its base, and the constant."""
        for word, number in ((a, b), (b, a)):
            residue = self._residue_of(word)
            if residue is not None and number.keys() == {ONE}:
                return self.system.names[residue[0]], residue[1], int(number[ONE])
        return None

    def congruent(self, right: Polynomial, where: str) -> Polynomial | None:
        """A word known to be `right` mod 2^w, or half of a product that the code also needs."""
        residue = self._residue_of(right)
        if residue is None:
            return None
        base, wanted = residue
        if wanted == 1:
            return variable(base)
        if residue not in self._congruent:
            self._expect(base, wanted, where)
        if residue not in self._congruent:
            return None
        return variable(self._congruent[residue])

    def _expect(self, base: int, wanted: int, where: str) -> None:
        """Define the product whose low half is the residue, if a umulh of the code names one."""
        for name, factor, number in sorted(self.expected):
            same = name == self.system.names[base]
            if same and factor * number % self.system.radix == wanted:
                middle = variable(self._congruent.get((base, factor), base))
                if factor > 1 and (base, factor) not in self._congruent:
                    middle = self.product(middle, constant(factor), where)[0]
                self.product(middle, constant(number), where)
                return

    def continues(self, flag: Polynomial, sign: int) -> bool:
        """Whether sign * flag is a carry as the next limb of its chain takes it, and a constant."""
        names = atoms(flag)
        row = self.system.row_of_carry(names[0]) if len(names) == 1 else None
        return row is not None and row.factor == sign * int(flag[names[0],]) * self.system.radix

    def row(self, right: Polynomial, sign: int, where: str) -> tuple[Polynomial, Polynomial]:
        """word + sign*2^w*carry = right; word and carry. One row for each right side and sign."""
        key = (sign, _terms(right))
        if key not in self._rows:
            kind = "add" if sign > 0 else "sub"
            word, out = self.system.define(kind, right, sign, where)
            self._rows[key] = variable(word), variable(out)
            self._is_defined(variable(word), right)
        return self._rows[key]

    def is_zero(self, value: Polynomial, where: str) -> Polynomial:
        """Whether a word is 0: the borrow of value - 1."""
        right = dict(value)
        add_to(right, constant(-1))
        _, borrow = self.row(right, -1, where)
        self._zeros[_terms(borrow)] = value
        return borrow

    def both(self, a: Polynomial, b: Polynomial, where: str) -> Polynomial:
        """a & b of bits. A word is 0 and a bit 1 exactly where word - bit borrows."""
        for zero, bit in ((a, b), (b, a)):
            word = self._zeros.get(_terms(zero))
            if word is not None and self.values(bit) <= {0, 1}:
                right = dict(word)
                add_to(right, bit if self.continues(bit, -1) else self.word(bit, where), -1)
                return self.row(right, -1, where)[1]
        return tabulate(operator.and_, a, b)

    def _is_defined(self, value: Polynomial, right: Polynomial) -> None:
        """Remember that a new word is `right` mod 2^w."""
        residue = self._residue_of(right)
        if residue is not None:
            self._remember(value, residue)

    def _remember(self, value: Polynomial, residue: Congruence) -> None:
        ((number,),) = value
        self._residues[number] = residue
        self._congruent.setdefault(residue, number)

    def _residue_of(self, right: Polynomial) -> Congruence | None:
        """A linear polynomial modulo 2^w as a multiple of one base, where it is one."""
        total: dict[int, int] = {}
        for monomial, c in right.items():
            if len(monomial) != 1:
                return None
            base, factor = self._residues.get(monomial[0], (monomial[0], 1))
            total[base] = (total.get(base, 0) + int(c) * factor) % self.system.radix
        found = [(base, factor) for base, factor in total.items() if factor]
        return found[0] if len(found) == 1 else None
