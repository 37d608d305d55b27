"""Proves that finished words are the integer function a kernel claims, for all inputs.

Modulo p the equations are linear algebra over a field: the output's polynomial, less the claimed
one, goes through the equations backwards and must vanish coefficient by coefficient. Where a carry
or a word was dropped on the way, it must be shown to be what it was taken for: a carry by exact
bounds, a word by its residue modulo 2^w.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.combinations import Combination
from fieldc.proof.algebra.dropped import ProofError as ProofError
from fieldc.proof.algebra.dropped import dropped, inverse_of, low_value, without_dropped
from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Polynomial,
    Rational,
    Select,
    System,
    add_to,
    product,
    put_in,
    without_choice,
)
from fieldc.proof.algebra.facts import Fact
from fieldc.proof.algebra.strategies import STRATEGIES
from fieldc.proof.algebra.totals import Total
from fieldc.proof.algebra.zeros import residue_of, residue_of_two


@dataclass(frozen=True)
class _Onward:
    """What a carry is, by an equation that it went into and whose word is 0: the rest of it."""

    reader: Equation
    rest: Polynomial
    sign: Rational
    """Of the carry where the equation has 0 on one side."""


@dataclass
class Identity:
    """Polynomials modulo p in one case; carries that are shown to be constant are remembered."""

    case: Case
    p: int
    rows: Combination = field(default_factory=dict)
    """The multiples of rows, modulo p, that the target was found to be."""
    dropped: dict[int, Equation] = field(default_factory=dict)
    """Carries that were dropped and are not constant: they may be, several together."""
    asked_older: bool = False
    """Whether all older dropped carries were asked for."""

    @cached_property
    def _read(self) -> set[int]:
        """The variables that rows read."""
        return self.case.system.read()

    def vanishes(self, target: Polynomial) -> None:
        """Raise ProofError unless target is 0 mod p for all inputs."""
        total = Total(self.case.system, target, self.p)
        self._rewrite(total, -1)
        for number in self.case.system.top_bits.values():
            for value in (0, 1):
                if number in total.places and self.case.is_always(number, value):
                    self.case.fixed[number] = value
                    break
        for number in self._bits_in(total):
            for value in (0, 1):
                if number not in self.case.fixed and self.case.is_always(number, value):
                    self.case.fixed[number] = value
        if self.case.is_foreign:
            total = self._with_known_bits(total)
        total.put_in_all(self.case.fixed)
        self._put_in_zeros_of_operands(total)
        if self.dropped:
            without_dropped(self.case, total, self.p, self.dropped)
        if total.terms:
            names = self.case.system.names
            terms = ["*".join(names[v] for v in monomial) or "1" for monomial in total.terms]
            raise ProofError(
                f"function: {len(terms)} terms of the output do not cancel modulo p, among them "
                f"{', '.join(terms[:3])}"
            )

    def _bits_in(self, total: Total) -> Iterator[int]:
        """The operands of one bit: a choice by one of them says in each case what it is."""
        return (i.limbs[0] for i in self.case.inputs if i.high == 1 and i.limbs[0] in total.places)

    def _with_known_bits(self, total: Total) -> Total:
        """The polynomial without top bits whose low bits are known."""
        case = self.case
        for (word, shift), top in sorted(case.system.top_bits.items(), reverse=True):
            if top not in total.places:
                continue
            value = low_value(case, word, shift)
            if value is not None:
                inverse = inverse_of(1 << shift, self.p)
                total.substitute(top, {(word,): inverse, ONE: -value * inverse % self.p})
                total = Total(case.system, total.terms, self.p)
                self._rewrite(total, -1)
        return total

    def _put_in_zeros_of_operands(self, total: Total) -> None:
        """Leave out limbs that are 0 in this case, such as those of x where 0 - x has no borrow."""
        for number in [v for i in self.case.inputs for v in i.limbs if v in total.places]:
            if self.case.is_always(number, 0):
                self.case.fixed[number] = 0
        total.put_in_all(self.case.fixed)

    def _rewrite(self, total: Total, oldest: int) -> None:
        """Go backwards through the rows that are newer than the row `oldest`."""
        for row in total.backwards():
            if self.case.system.owners[row.word] <= oldest:
                return
            if isinstance(row, Select):
                if row.flag not in self.case.fixed and row.word in total.places:
                    raise ProofError(f"{row.where}: a choice whose flag is not decided")
                self._use(row, self.case.decide(row, total))
            else:
                self._eliminate(row, total)

    def _use(self, row: Equation | Select, multiple: Polynomial) -> None:
        add_to(self.rows.setdefault(self.case.system.owners[row.word], {}), multiple)

    def _reduced(self, target: Polynomial) -> Polynomial:
        return {m: r for m, c in target.items() if (r := int(c) % self.p)}

    def _eliminate(self, row: Equation, total: Total) -> None:
        total.put_in(row.word, self.case.fixed)
        if any(monomial.count(row.word) > 1 for monomial in total.places.get(row.word, ())):
            self._substitute(row, total)
            return
        words = total.split(row.word)
        carries = total.split(row.carry) if row.carry is not None else {}
        if not words and not carries:
            return
        lost = dict(carries)
        add_to(lost, words, -row.factor)
        if row.carry is None or row.carry in self.case.fixed or not self._reduced(lost):
            self._replace(row, words, carries, total)
        elif not words and self._is_zero_word(row):
            self._leave_zero(row, carries, total)
        elif self._opens_low_bits(row, words, carries, total):
            self._eliminate(row, total)
        elif (onward := self._unless_constant(row)) is not None:
            # The carry went on into a word that is shown to be 0: there it is known exactly.
            self._replace(row, words, {}, total)
            self._follow(row, onward, lost, total)
        elif self.is_constant(row) or self._is_constant_by_older(row):
            for part in (words, carries):  # the next chain may have begun with this carry
                put_in(part, row.carry, self.case.fixed)
            total.put_in(row.carry, self.case.fixed)
            self._replace(row, words, carries, total)
        elif not words and self._is_zero_of_two(row):
            self._leave_zero(row, carries, total)
        else:
            self._drop(row, words, carries, lost, total)

    def _leave_zero(self, row: Equation, carries: Polynomial, total: Total) -> None:
        """Take right/factor for the carry of a word that is 0."""
        inverse = inverse_of(row.factor, self.p)
        total.add(product(carries, row.right), inverse)
        self._use(row, {m: c * inverse for m, c in carries.items()})

    def _drop(
        self,
        row: Equation,
        words: Polynomial,
        carries: Polynomial,
        lost: Polynomial,
        total: Total,
    ) -> None:
        """Keep a carry that may be constant with others. Raises ProofError for any other."""
        if self._has_known_half(row, words, carries, total):
            return
        if not self.case.is_foreign or row.carry is None or row.kind == "mul":
            raise ProofError(dropped(row))
        self.dropped[row.carry] = row
        total.add_product(words, row.right)
        total.add(product(lost, {(row.carry,): 1}))

    def _opens_low_bits(
        self, row: Equation, words: Polynomial, carries: Polynomial, total: Total
    ) -> bool:
        """Put what older words are that stand beside the high half of a product, if there are any.

        A word's low bits are the word less its high half: as variables they hide what cancels.
        """
        owners, rows = self.case.system.owners, self.case.system.rows
        beside = {v for monomial in carries for v in monomial if 0 <= owners[v] < row.number}
        older = [
            r for v in beside if isinstance(r := rows[owners[v]], Equation) and r.carry is None
        ]
        if row.carry is None or row.kind != "mul" or not older:
            return False
        total.add(product(carries, {(row.carry,): 1}))
        total.add(product(words, {(row.word,): 1}))
        for each in sorted(older, key=lambda r: -r.number):
            self._eliminate(each, total)
        return True

    def _has_known_half(
        self, row: Equation, words: Polynomial, carries: Polynomial, total: Total
    ) -> bool:
        """Take a high half for (product - low half)/2^w, where the low half is another word."""
        if not self.case.is_foreign or row.kind != "mul" or words:
            return False
        other = self.case.system.same.get(row.word)
        if other is None:
            return False
        right = dict(row.right)
        add_to(right, {(other,): -1})
        moved = Total(self.case.system, product(carries, right), self.p)
        self._rewrite(moved, row.number)  # the other word may be newer
        total.add(moved.terms, inverse_of(row.factor, self.p))
        return True

    def _substitute(self, row: Equation, total: Total) -> None:
        """Put right - factor*carry for a word that is squared: its carry vanishes with it.

        (word + factor*carry)^2 is right^2, whatever the carry is. Raises ProofError if it stays.
        """
        right = self.case.right_of(row)
        if row.carry is not None and row.carry not in self.case.fixed:
            add_to(right, {(row.carry,): -row.factor})
        self._use(row, total.substitute(row.word, right))
        if row.carry is None or row.carry not in total.places:
            return
        if self.is_constant(row):
            total.put_in(row.carry, self.case.fixed)
        elif (onward := self._unless_constant(row)) is not None:
            while multiple := total.split(row.carry):  # once for each of its powers
                self._follow(row, onward, multiple, total)
        else:
            raise ProofError(dropped(row))

    def _follow(self, row: Equation, onward: _Onward, multiple: Polynomial, total: Total) -> None:
        """Add a multiple of a dropped carry, as what it is where it went on."""
        moved = Total(self.case.system, product(multiple, onward.rest), self.p)
        self._rewrite(moved, row.number)  # the reader may take words newer than this row
        total.add(moved.terms)
        self._use(onward.reader, {m: onward.sign * c for m, c in multiple.items()})

    def _replace(self, row: Equation, words: Polynomial, carries: Polynomial, total: Total) -> None:
        """Where words and carries stand in proportion, or the carry is known."""
        self._use(row, words)
        known = self.case.fixed.get(row.carry) if row.carry is not None else None
        if known is not None:
            total.add(carries, known)
            total.add(product(words, self.case.right_of(row)))
        else:
            total.add_product(words, row.right)

    def is_constant(self, row: Equation) -> bool:
        """Whether bounds leave a dropped carry one value, which is then remembered."""
        if row.carry is None:
            return False
        if self.case.is_always(row.carry, 0):
            self.case.fixed[row.carry] = 0
        elif row.kind != "mul" and self.case.is_always(row.carry, 1):
            self.case.fixed[row.carry] = 1
        return row.carry in self.case.fixed

    def _is_constant_by_older(self, row: Equation) -> bool:
        """Whether a carry is constant once those that older rows drop are known, the oldest first.

        Of Karatsuba's middle term: that it is no less than one product shows no borrow before the
        other product is subtracted.
        """
        if self.case.is_foreign or row.kind == "mul" or self.asked_older:
            return False
        self.asked_older = True
        rows = [r for r in self.case.system.rows[: row.number] if isinstance(r, Equation)]
        for older in rows:
            if older.kind in ("add", "sub") and self._drops(older):
                self.is_constant(older)
        return self.is_constant(row)

    def _drops(self, row: Equation) -> bool:
        """Whether no other row reads a carry that may not be constant."""
        return row.carry not in self._read and row.carry not in self.case.fixed

    def _unless_constant(self, row: Equation) -> _Onward | None:
        """Where a carry went on, unless one bound shows it to be 0, which is quicker to ask."""
        if row.carry is None:
            return None
        briefly = replace(self.case, comparisons=(), strategies=STRATEGIES[:1])
        if briefly.is_always(row.carry, 0):
            self.case.fixed[row.carry] = 0
            return None
        return self._consumed(row.carry)

    def _consumed(self, carry: int) -> _Onward | None:
        """Where a carry went on: an equation that it went into and whose word is 0."""
        for row in self.case.system.rows:
            if not isinstance(row, Equation) or row.right.get((carry,)) not in (1, -1):
                continue
            if not self.case.may_be(row.word, 0):
                continue
            known = row.carry is None or row.carry in self.case.fixed or self.is_constant(row)
            if known and self.case.is_always(row.word, 0):
                sign = row.right[(carry,)]
                rest = {m: -sign * c for m, c in row.right.items() if m != (carry,)}
                if row.carry is not None:
                    add_to(rest, {ONE: sign * row.factor * self.case.fixed[row.carry]})
                return _Onward(row, rest, -sign)
        return None

    def _is_zero_word(self, row: Equation) -> bool:
        """Whether the row's word is 0 modulo 2^w, hence 0."""
        facts = self.case.facts
        if row.word not in facts and (rows := residue_of(self.case, row.word)) is not None:
            facts[row.word] = Fact(0, None, rows)
        return row.word in facts and facts[row.word].value == 0

    def _is_zero_of_two(self, row: Equation) -> bool:
        """Whether the row's word is 0, because 2^w times it is 0 modulo 2^(2w)."""
        rows = residue_of_two(self.case, row.word)
        if rows is not None:
            self.case.facts[row.word] = Fact(0, None, rows, scale=self.case.system.radix)
        return rows is not None


def value_of(words: Sequence[Polynomial], radix: int) -> Polynomial:
    """The number that words are the limbs of."""
    total: Polynomial = {}
    for index, word in enumerate(words):
        add_to(total, word, radix**index)
    return total


def flags_of(system: System, result: Polynomial, of_flags: bool = False) -> list[int]:
    """The flags of the choices that a result depends on, in order.

    With `of_flags` also those that such flags are made of.
    """
    flags, seen, waiting = set(), set(), {v for monomial in result for v in monomial}
    while waiting:
        number = waiting.pop()
        seen.add(number)
        row = system.defining(number)
        if row is None:
            continue
        read = [row.when_set, row.otherwise] if isinstance(row, Select) else [row.right]
        found = {v for polynomial in read for monomial in polynomial for v in monomial}
        if isinstance(row, Select):
            flags.add(row.flag)
            found.add(row.flag)
            if of_flags:
                flags.update(_made_of(system, row.flag))
        waiting |= found - seen
    if of_flags:
        return sorted(flags)
    chosen = (row.flag for row in system.rows if isinstance(row, Select))
    return [flag for flag in dict.fromkeys(chosen) if flag in flags]


def _made_of(system: System, flag: int) -> Iterator[int]:
    """The flags that a flag is chosen from, or the difference of."""
    row = system.rows[system.owners[flag]] if system.owners[flag] >= 0 else None
    if row is None:
        return
    sides = [row.when_set, row.otherwise] if isinstance(row, Select) else [row.right]
    read = {v for side in sides for monomial in side for v in monomial}
    if isinstance(row, Select):
        read.add(row.flag)
    if all(system.ranges[v][1] <= 1 for v in read):
        for number in read:
            yield number
            yield from _made_of(system, number)


def open_masks(system: System, most: int, results: Sequence[Polynomial]) -> None:
    """Where a result depends on more choices than `most`, take masked words for products.

    A word that is kept or cleared by a flag is the product of both, so no case needs to know the
    flag. A bound that needs it does not find it then.
    """
    if system.is_foreign or all(len(flags_of(system, result)) <= most for result in results):
        return
    for number, row in enumerate(system.rows):
        is_mask = isinstance(row, Select) and not (row.when_set and row.otherwise)
        if isinstance(row, Select) and is_mask and not _masks_its_own_word(system, row):
            system.rows[number] = without_choice(row, number)


def _masks_its_own_word(system: System, row: Select) -> bool:
    """Whether the flag left the word that it masks: their product would need flag^2 = flag."""
    made = system.owners[row.flag]
    read = {v for side in (row.when_set, row.otherwise) for m in side for v in m}
    return any(system.owners[v] == made for v in read)
