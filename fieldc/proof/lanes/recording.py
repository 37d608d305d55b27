"""A lane that remembers what its proof rests on, as steps that a checker can follow.

The steps speak of integers by polynomials in variables that are integers too: the words of the
operands, then for each cut of an integer v at b bits its low bits and the rest, (v - low)/2^b. A
polynomial over a lane's atoms, which may have fractions, is written in these variables by
replacing low/2^b by v/2^b less the rest, from the last cut to the first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from heapq import heapify, heappop, heappush
from itertools import chain
from math import gcd, lcm
from typing import Any

from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.bounds import UpperBound
from fieldc.proof.lanes.word import (
    DIGIT,
    WORD,
    ExcludedCase,
    Word,
    between,
    in_integers,
    only_atom,
    scaled,
)
from fieldc.proof.lanes.words import Lane

Step = dict[str, Any]
"""JSON of a step; `sign` is none of a certificate but where its cases part."""


@dataclass(frozen=True)
class Cut:
    """An atom that is an integer's lowest bits."""

    atom: int
    of: Polynomial
    bits: int


@dataclass(frozen=True)
class _Noted:
    """A fact, and how many atoms there were."""

    atoms: int
    kind: str
    of: Polynomial
    bits: int = 0
    limit: int = 0
    parts: tuple[tuple[int, Polynomial], ...] = ()
    why: UpperBound | None = None


@dataclass
class RecordingLane(Lane):
    """A lane that notes facts as it finds them."""

    _noted: list[_Noted] = field(default_factory=list)
    _seen: set[object] = field(default_factory=set)
    _last: tuple[Polynomial, tuple[int, int], tuple[UpperBound, UpperBound]] | None = None
    """The polynomial that was bounded last, how much was known then, and why."""

    def low_bits(self, word: Word, bits: int) -> Word:
        """word modulo 2^bits."""
        found = super().low_bits(word, bits)
        if found is not word and word.number is None:
            self._note_low(word.value, bits, found)
        return found

    def shift_right(self, word: Word, bits: int, signed: bool = False) -> Word:
        """word >> bits."""
        found = super().shift_right(word, bits, signed)
        if word.pieces is not None and not signed:
            self._note_low(word.value, bits, self._of(between(word.pieces, 0, bits)))
        return found

    def tight(self, word: Word) -> Word:
        """The word with bounds from its polynomial, where these are better."""
        try:
            found = super().tight(word)
        except ExcludedCase:
            self._note_ends(word, *self.ends(word.value))
            raise
        self._note_ends(word, found.low, found.high)
        return found

    def _why(self, value: Polynomial) -> tuple[UpperBound, UpperBound]:
        known = len(self.signs), len(self.operands)
        if self._last is None or self._last[0] is not value or self._last[1] != known:
            self._last = value, known, super()._why(value)
        return self._last[2]

    def _fitting(self, word: Word) -> Word:
        found = super()._fitting(word)
        if turns := int(word.value.get(ONE, 0) - found.value.get(ONE, 0)) >> WORD:
            self._note("wrap", word.value, limit=turns)
        return found

    def unsigned(self, word: Word, bits: int = WORD) -> Word:
        """The word from 0 to 2^bits - 1 that is the same modulo 2^bits."""
        found = super().unsigned(word, bits)
        if found.value == word.value and found.high < word.high:
            self._note("most", word.value, limit=found.high, why=self.explained(word.value))
        return found

    def _decided(self, word: Word) -> bool:
        known = len(self.signs)
        negative = super()._decided(word)
        if len(self.signs) > known:
            self._note("sign", word.value, limit=int(negative))
        return negative

    def known_low(self, atom: int, bits: int, whole: Polynomial) -> None:
        """Learn that low bits are an integer."""
        self._note_ends(Word(whole, -1 << WORD, 1 << WORD), *self.ends(whole))
        self._note("whole", whole, bits, parts=((0, {(atom,): 1}),))

    def _note_low(self, value: Polynomial, bits: int, found: Word) -> None:
        if found.value == value or (frozenset(value.items()), bits) in self._seen:
            return
        self._seen.add((frozenset(value.items()), bits))
        parts: list[tuple[int, Polynomial]] = [(0, found.value)]
        if found.pieces is not None:
            parts = []
            for atom, first, last, place in found.pieces:
                parts.append((place, scaled(self._top(atom, first, last), Fraction(1, 1 << first))))
        self._note("low", value, bits, parts=tuple(parts))

    def _note_ends(self, word: Word, low: int, high: int) -> None:
        below, above = self._why(word.value)
        if low > word.low:
            self._note("least", word.value, limit=low, why=below)
        if high < word.high:
            self._note("most", word.value, limit=high, why=above)

    def _note(
        self,
        kind: str,
        of: Polynomial,
        bits: int = 0,
        limit: int = 0,
        parts: tuple[tuple[int, Polynomial], ...] = (),
        why: UpperBound | None = None,
    ) -> None:
        self._noted.append(_Noted(len(self.highs), kind, of, bits, limit, parts, why))

    def steps(self) -> list[Step]:
        """What was found, in order; atoms are cut before they are spoken of."""
        writer = _Writer(self, self._cuts())
        waiting = [*writer.cuts]
        steps: list[Step] = []
        for noted in self._noted:
            while waiting and waiting[0].atom < noted.atoms:
                steps.append(writer.cut(waiting.pop(0)))
            if (step := writer.step(noted)) is not None and step not in steps[-1:]:
                steps.append(step)
        return [*steps, *map(writer.cut, waiting)]

    def bound(self, value: Polynomial) -> dict[str, Any]:
        """Why a polynomial is at most its upper bound."""
        why = self.explained(value, by_rests=True)
        variables = _Writer(self, self._cuts()).variables if why.rests else {}
        return bound_of(why, variables)

    def _cuts(self) -> list[Cut]:
        """Every atom that was cut, in the order in which they were."""
        found = [Cut(atom, dict(key), DIGIT) for key, atom in self._halves.items()]
        found += [Cut(next(iter(v))[0], {(a,): 1}, bits) for (a, bits), v in self._bits_of()]
        for (key, bits), value in self.lows.items():
            if (atom := only_atom(value)) is not None:
                found.append(Cut(atom, dict(key), bits))
        known = {operand_atom for operand in self.operands for operand_atom in operand.words}
        first: dict[int, Cut] = {}
        for cut in found:
            if cut.atom not in known:
                first.setdefault(cut.atom, cut)
        return [Cut(atom, self.expanded(cut.of), cut.bits) for atom, cut in sorted(first.items())]

    def _bits_of(self) -> Iterator[tuple[tuple[int, int], Polynomial]]:
        return (((atom, bits), {(low,): 1}) for (atom, bits), low in self.cuts.items())


class _Writer:
    """Writes polynomials over a lane's atoms in the variables of a certificate."""

    def __init__(self, lane: Lane, cuts: Sequence[Cut]) -> None:
        self.lane, self.cuts = lane, cuts
        words = [atom for operand in lane.operands for atom in operand.words]
        self.variables = {atom: number for number, atom in enumerate(words)}
        for number, cut in enumerate(cuts):
            self.variables[cut.atom] = len(words) + 2 * number
        self.cut_at = {(frozenset(cut.of.items()), cut.bits): cut.atom for cut in cuts}
        self.numbers = {cut.atom: number for number, cut in enumerate(cuts)}
        self.lows = [(cut.atom, *self._integers(number, cut)) for number, cut in enumerate(cuts)]

    def _integers(self, number: int, cut: Cut) -> tuple[int, Polynomial]:
        """A scale, and that times low = integer - 2^bits*rest, whose rest has a negative name."""
        low = dict(cut.of)
        add_to(low, {(-number - 1,): 1}, -(1 << cut.bits))
        return in_integers(low)

    def cut(self, cut: Cut) -> Step:
        return {"cut": [cut.bits, self.integer(cut.of)]}

    def step(self, noted: _Noted) -> Step | None:
        """The step of a fact; None where a cut says it."""
        of = self.lane.expanded(noted.of)
        if noted.kind == "sign":
            return {"sign": self.integer(of), "negative": bool(noted.limit)}
        if noted.kind == "low":
            return self._low(of, noted)
        if noted.kind == "whole":
            ((_, low),) = noted.parts
            ((atom,),) = low
            add_to(rest := dict(of), low, -1)
            whole = self.integer(scaled(rest, Fraction(1, 1 << noted.bits)))
            return {"whole": [noted.bits, self.variables[atom], whole]}
        if noted.kind == "wrap":
            return {"wrap": [self.integer(of), hex(noted.limit)]}
        if noted.why is None:
            raise ProofError("a bound without a reason")
        return {noted.kind: [self.integer(of), hex(noted.limit), bound_of(noted.why)]}

    def _low(self, of: Polynomial, noted: _Noted) -> Step | None:
        parts = [(place, self.lane.expanded(part)) for place, part in noted.parts]
        low: Polynomial = {}
        for place, part in parts:
            add_to(low, part, 1 << place)
        known = self.cut_at.get((frozenset(of.items()), noted.bits))
        if known is not None and low == {(known,): 1}:
            return None
        rest = dict(of)
        add_to(rest, low, -1)
        whole = self.integer(scaled(rest, Fraction(1, 1 << noted.bits)))
        return {"low": [noted.bits, [[at, self.integer(part)] for at, part in parts], whole]}

    def integer(self, value: Polynomial) -> list[list[Any]]:
        """An integer as a polynomial in variables. Raises ProofError where it may be none."""
        scale, rest = in_integers(value)
        left = [-self.numbers[name] for name in {*chain(*rest)} if name in self.numbers]
        heapify(left)
        last = -1
        while left:
            number = -heappop(left)
            if number == last:
                continue  # met twice
            last, (atom, low_scale, low) = number, self.lows[number]
            waiting = [m for m in rest if atom in m]
            while waiting:
                monomial = waiting.pop()
                c = rest.get(monomial, 0)
                if c % scale == 0:
                    continue
                if c % low_scale:
                    more = low_scale // gcd(int(c), low_scale)
                    scale, rest = scale * more, scaled(rest, more)
                others = [*monomial]
                others.remove(atom)
                put = product(low, {tuple(others): rest.pop(monomial) // low_scale})
                add_to(rest, put)
                for name in {*chain(*put)} & self.numbers.keys():
                    heappush(left, -self.numbers[name])
                waiting += [m for m in put if atom in m]
        if any(c % scale for c in rest.values()):
            raise ProofError("a polynomial that may be no integer")
        found = {tuple(sorted(map(self._variable, m))): int(c // scale) for m, c in rest.items()}
        return [[hex(c), [*m]] for m, c in sorted(found.items())]

    def _variable(self, name: int) -> int:
        """The number of a variable: of an atom, or of the rest of a cut."""
        return self.variables[name] if name >= 0 else self.variables[self.cuts[-name - 1].atom] + 1


def bound_of(why: UpperBound, variables: Mapping[int, int] | None = None) -> dict[str, Any]:
    """A bound with the least scale at which every number is an integer.

    `variables` has the numbers of atoms, for products by the rest of a cut.
    """
    numbers = [factor for _, factor in why.slopes] + [factor for *_, factor in why.rests]
    numbers += [why.sign[1]] if why.sign else []
    scale = lcm(*(Fraction(n).denominator for n in numbers))
    less = gcd(scale, *(int(n * scale) for n in numbers))
    factor = Fraction(scale, less)
    known = variables or {}
    rests = [
        [hex(int(c * factor)), [*(known[atom] for atom in others), known[low] + 1]]
        for others, low, c in why.rests
    ]
    return {
        "scale": hex(int(factor)),
        "slopes": [[hex(int(slope * factor)), [*names]] for names, slope in why.slopes],
        **({"rests": rests} if rests else {}),
        "signs": [[why.sign[0], hex(int(why.sign[1] * factor))]] if why.sign else [],
    }
