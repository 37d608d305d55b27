"""The cofactor c for which a polynomial in a kernel's words is p * c, exactly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from fieldc.proof.algebra.dropped import dropped
from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Polynomial,
    Select,
    System,
    add_to,
    product,
)
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.strategies import STRATEGIES
from fieldc.proof.algebra.totals import Total
from fieldc.proof.classes.bounds import ClassCase
from fieldc.proof.classes.modulus import RADIX, Modulus

KnownWords = Mapping[int, Polynomial]
"""What words are, in older words."""

MOST_TERMS = 50
"""Of a polynomial modulo 2^64, of a word that may follow from another one."""


@dataclass
class Elimination:
    """Goes backwards through the rows in one case; dropped carries with one value are noted."""

    modulus: Modulus
    case: ClassCase
    equal_words: KnownWords
    """What `equal_words` finds."""

    @cached_property
    def kept(self) -> set[int]:
        """The flags that stand for another word: they vanish together with it."""
        return {v for of in self.equal_words.values() for m in of for v in m}

    def cofactor(self, target: Polynomial) -> Polynomial:
        """The polynomial c for which target = p * c. Raises ProofError where there is none."""
        system = self.case.system
        known = {v: 0 for v, (_, high) in enumerate(system.ranges) if not high}
        zeros = {word: 0 for word, other in self.equal_words.items() if not other}
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
        for known in self.modulus.equations:
            while of := total.split(known.lowest):
                total.add(product(of, known.of_lowest(p)), Fraction(1, known.divisor))
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
            right = dict(row.right)
            add_to(right, self.equal_words[row.word], -1)
            total.add(product(carries, right), Fraction(1, row.factor))
        elif not words and row.carry in self.kept:
            total.add(product(carries, {(row.carry,): 1}))
        elif (rest := self._consumed(row)) is not None:
            add_to(carries, words, -row.factor)
            total.add(product(words, row.right))
            total.add(product(carries, rest))
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

    def _consumed(self, maker: Equation) -> Polynomial | None:
        """A row's carry as the rest of the sum that it went into, whose word is known to be 0."""
        fixed, carry = self.case.fixed, maker.carry
        assert carry is not None
        for row in self.case.system.rows:
            if not isinstance(row, Equation) or (sign := row.right.get((carry,))) not in (1, -1):
                continue
            if fixed.get(row.word) == 0 and (row.carry is None or row.carry in fixed):
                right = self.case.right_of(row)
                rest = {m: -sign * c for m, c in right.items() if m != (carry,)}
                return self._in_older(rest, maker.number)
        return None

    def _in_older(self, terms: Polynomial, number: int) -> Polynomial:
        """The polynomial without words that are other names for what is older than a row."""
        total = Total(self.case.system, terms)
        for row in total.backwards():
            if not isinstance(row, Equation) or row.number <= number or row.carry is not None:
                break
            total.substitute(row.word, row.right)
        return total.terms

    def _value_of_carry(self, row: Equation) -> int | None:
        """The one value that a dropped carry may have, by bounds."""
        assert row.carry is not None
        for value in (0, 1) if row.kind != "mul" else (0,):
            if self.case.is_always(row.carry, value):
                return value
        return None


def fix_unread(case: ClassCase) -> None:
    """Fix carries and words that are 0 and that nothing reads, the oldest first."""
    read = {v for row in case.system.rows for v in _sources(row)}
    for row in _sums(case.system):
        for number in filter(None, (row.carry, row.word)):
            is_open = number not in read and number not in case.fixed
            if is_open and case.is_always(number, 0):
                case.fixed[number] = 0


def fix_sums(case: ClassCase) -> None:
    """Fix carries that are 0 of sums that no product goes into, which are quickly bounded.

    The next chain may begin with such a carry.
    """
    behind = _behind_products(case.system)
    quick = replace(case, strategies=STRATEGIES[:1], comparisons=())
    for row in _sums(case.system):
        carry = None if row.word in behind else row.carry
        if carry is not None and carry not in case.fixed and quick.is_always(carry, 0):
            case.fixed[carry] = 0


def _sums(system: System) -> Iterator[Equation]:
    """The rows of sums and differences."""
    for row in system.rows:
        if isinstance(row, Equation) and row.kind in ("add", "sub"):
            yield row


def _behind_products(system: System) -> set[int]:
    """The variables that products go into."""
    found: set[int] = set()
    for row in system.rows:
        is_product = isinstance(row, Equation) and row.kind == "mul"
        if is_product or not found.isdisjoint(_sources(row)):
            carry = row.carry if isinstance(row, Equation) else None
            found |= {row.word} if carry is None else {row.word, carry}
    return found


def _sources(row: Equation | Select) -> Iterator[int]:
    """The variables that a row reads."""
    if isinstance(row, Select):
        yield row.flag
    sides = [row.when_set, row.otherwise] if isinstance(row, Select) else [row.right]
    yield from (v for side in sides for monomial in side for v in monomial)


def equal_words(modulus: Modulus, case: ClassCase) -> dict[int, Polynomial]:
    """KnownWords that are 0, and low halves of products that follow from an older word.

    All are words that a quotient's digit was chosen for.
    """
    sums = [r for r in case.system.rows if isinstance(r, Equation)]
    read = {v for row in sums for m in row.right for v in m}
    rows = [r for r in sums if r.kind in ("add", "sub") or (r.kind == "mul" and r.word not in read)]
    found = {row.word: _equal_word(modulus, case, row) for row in rows}
    return {word: other for word, other in found.items() if other is not None}


def _equal_word(modulus: Modulus, case: ClassCase, row: Equation) -> Polynomial | None:
    """What a word is, because it is the same modulo 2^64."""
    total, is_chosen = Total(case.system, {(row.word,): 1}, modulus=RADIX), False
    for step in total.backwards():
        if isinstance(step, Equation) and (quotient := total.split(step.word)):
            total.add(product(quotient, step.right))
        while pair := modulus.without_pairs(total):
            total.add(pair)
            is_chosen = True
        if not total.terms:
            return {}
        if len(total) > MOST_TERMS:
            return None
        (monomial, factor), *others = total.terms.items()
        if row.kind == "mul" and not others and len(monomial) == 1:
            if factor == 1:
                return {monomial: 1}
            flag = _flag_of_zero(case, monomial[0]) if factor == RADIX - 1 else None
            if flag is not None:  # 2^64 - t, but 0 where t is 0
                return {ONE: RADIX, (flag,): -RADIX, monomial: -1}
    return {} if is_chosen and _are_zero_carries(case, total.terms) else None


def _flag_of_zero(case: ClassCase, word: int) -> int | None:
    """The borrow of a word less 1: whether the word is 0."""
    for row in case.system.rows:
        if isinstance(row, Equation) and row.kind == "sub" and row.right == {(word,): 1, ONE: -1}:
            return row.carry
    return None


def _are_zero_carries(case: ClassCase, terms: Polynomial) -> bool:
    """Whether a word is a carry, which is always 0: one with which a chain begins."""
    carries = [m[0] for m in terms if len(m) == 1 and case.system.row_of_carry(m[0])]
    return len(carries) == len(terms) == 1 and case.is_always(carries[0], 0)
