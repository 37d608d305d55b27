"""The cofactor c for which a polynomial in a kernel's words is p * c, exactly."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from fieldc.proof.algebra.dropped import dropped
from fieldc.proof.algebra.equations import Equation, Polynomial, Select, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.totals import Total
from fieldc.proof.classes.bounds import ClassCase
from fieldc.proof.classes.modulus import RADIX, Modulus

ZERO = -1
"""In the place of a word's variable: the word is 0."""


@dataclass
class Elimination:
    """Goes backwards through the rows in one case; dropped carries with one value are noted."""

    modulus: Modulus
    case: ClassCase
    equal_words: Mapping[int, int]
    """What `equal_words` finds."""

    def cofactor(self, target: Polynomial) -> Polynomial:
        """The polynomial c for which target = p * c. Raises ProofError where there is none."""
        system = self.case.system
        known = {v: 0 for v, (_, high) in enumerate(system.ranges) if not high}
        zeros = {word: 0 for word, other in self.equal_words.items() if other == ZERO}
        self.case.fixed = {**zeros, **known, **self.case.fixed}
        total = Total(system, target)
        cofactor: Polynomial = {}
        for row in total.backwards():
            self._take_multiples(total, cofactor)
            if isinstance(row, Select):
                if row.flag not in self.case.fixed and row.word in total.places:
                    raise ProofError(f"{row.where}: a choice whose flag is not decided")
                self.case.decide(row, total)
            else:
                self._eliminate(row, total)
        total.put_in_all(self.case.fixed)
        self._take_multiples(total, cofactor)
        if total.terms:
            names = system.names
            terms = ["*".join(names[v] for v in monomial) or "1" for monomial in total.terms]
            raise ProofError(f"function: {len(terms)} terms are no multiple of p: {terms[:3]}")
        return cofactor

    def _take_multiples(self, total: Total, cofactor: Polynomial) -> None:
        """Take p times what stands with p's lowest limb to the cofactor."""
        p, lowest = self.modulus.p, self.modulus.lowest
        for quotient in self.modulus.quotients:
            while of := total.split(quotient.lowest):
                total.add(product(of, quotient.of_lowest(p)), Fraction(1, quotient.divisor))
        sign = int(p[lowest,])
        rest: Polynomial = {m: -sign * c for m, c in p.items() if m != (lowest,)}
        while multiple := total.split(lowest):
            add_to(cofactor, multiple, sign)
            total.add(product(multiple, rest))

    def _eliminate(self, row: Equation, total: Total) -> None:
        """Take a multiple of a row away. Raises ProofError."""
        case = self.case
        total.put_in(row.word, case.fixed)
        if row.carry is not None:
            total.put_in(row.carry, case.fixed)
        words = total.split(row.word)
        carries = total.split(row.carry) if row.carry is not None else {}
        lost = dict(carries)
        add_to(lost, words, -row.factor)
        if row.carry is None or row.carry in case.fixed or not lost:
            total.add(product(words, case.right_of(row)))
        elif not words and row.word in self.equal_words:
            right, other = dict(row.right), self.equal_words[row.word]
            if other != ZERO:
                add_to(right, {(other,): -1})
            total.add(product(carries, right), Fraction(1, row.factor))
        elif (value := self._value_of_carry(row)) is not None:
            case.fixed[row.carry] = value
            for part in (words, carries):
                if any(row.carry in monomial for monomial in part):
                    raise ProofError(dropped(row))
            total.add(carries, value)
            total.add(product(words, case.right_of(row)))
            total.put_in(row.carry, case.fixed)
        else:
            raise ProofError(dropped(row))

    def _value_of_carry(self, row: Equation) -> int | None:
        """The one value that a dropped carry may have, by bounds."""
        assert row.carry is not None
        for value in (0, 1) if row.kind != "mul" else (0,):
            if self.case.is_always(row.carry, value):
                return value
        return None


def equal_words(modulus: Modulus, case: ClassCase) -> dict[int, int]:
    """Words that are 0, and low halves of products that an older word equals.

    All are words that a quotient's digit was chosen for.
    """
    rows = [r for r in case.system.rows if isinstance(r, Equation) and r.kind in ("add", "mul")]
    found = {row.word: _equal_word(modulus, case, row) for row in rows}
    return {word: other for word, other in found.items() if other is not None}


def _equal_word(modulus: Modulus, case: ClassCase, row: Equation) -> int | None:
    """What a word is, because it is the same modulo 2^64."""
    total = Total(case.system, {(row.word,): 1}, modulus=RADIX)
    for step in total.backwards():
        if isinstance(step, Equation) and (quotient := total.split(step.word)):
            total.add(product(quotient, step.right))
        while pair := modulus.without_pairs(total.terms):
            total.add(pair)
        if not total.terms:
            return ZERO
        (monomial, factor), *others = total.terms.items()
        if row.kind == "mul" and not others and len(monomial) == 1 and factor == 1:
            return monomial[0]
    return ZERO if _are_zero_carries(case, total.terms) else None


def _are_zero_carries(case: ClassCase, terms: Polynomial) -> bool:
    """Whether a word is a carry, which is always 0: one with which a chain begins."""
    carries = [m[0] for m in terms if len(m) == 1 and case.system.row_of_carry(m[0])]
    return len(carries) == len(terms) == 1 and case.is_always(carries[0], 0)
