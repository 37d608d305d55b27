"""A lane's words as exact integers: polynomials over atoms, with bounds.

A word stands for an integer whose bounds fit 64 bits, perhaps in two's complement. Sums are sums of
polynomials then. Where one may leave 64 bits, whether it wraps is a case, as the sign of a mask is.
What cuts bits gives atoms:

    low(w, b)     w modulo 2^b, an atom from 0 to 2^b - 1; w >> b is (w - low(w, b)) / 2^b
    low half      of a product a*b of digits, an atom L; the high half is (a*b - L) / 2^52

So a result is a polynomial with dyadic coefficients. All atoms of carries and halves cancel in it,
but for the digits that a reduction drops: their coefficients are multiples of p.

A quotient q = low(t*n, 52) needs one lemma. With n*m = -1 modulo 2^52, the low half of q*m is -t
modulo 2^52, and low(t + 2^52 - 1, 52) is 2^52 - 1 less that: t may be rounded up instead of added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from fieldc.proof.algebra.dropped import inverse_of
from fieldc.proof.algebra.equations import ONE, Polynomial, Rational, add_to, product, substitute
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.bounds import Bounds, LaneOperand, UpperBound
from fieldc.proof.lanes.quotients import Quotients
from fieldc.proof.lanes.word import (
    DIGIT,
    HALF,
    WORD,
    BitPiece,
    ExcludedCase,
    Word,
    WordKey,
    apart,
    between,
    exact,
    fits,
    modulo,
    only_atom,
    scaled,
    wrapped,
)


@dataclass
class Lane:
    """The words of one lane. `decisions` are the signs of masks, in the order of first use."""

    decisions: Sequence[bool] = ()
    highs: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    operands: list[LaneOperand] = field(default_factory=list)
    signs: dict[WordKey, tuple[Word, bool]] = field(default_factory=dict)
    halves: Quotients = field(default_factory=Quotients)
    lows: dict[tuple[WordKey, int], Polynomial] = field(default_factory=dict)
    cuts: dict[tuple[int, int], int] = field(default_factory=dict)
    _halves: dict[WordKey, int] = field(default_factory=dict)
    _quotients: dict[WordKey, list[tuple[Word, int]]] = field(default_factory=dict)
    _named: dict[WordKey, int] = field(default_factory=dict)
    _meant: dict[int, Polynomial] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._bounds = Bounds(self.highs, self.operands, self.cuts)

    def atom(self, name: str, high: int) -> int:
        """A new atom from 0 to `high`."""
        self.names.append(name)
        self.highs.append(high)
        return len(self.highs) - 1

    def operand(self, name: str, count: int, bits: int, high: int) -> list[Word]:
        """The words of an operand."""
        return self.columns(name, count, bits, high, (1 << bits) - 1)

    def columns(self, name: str, count: int, bits: int, high: int, most: int) -> list[Word]:
        """The same of words that may be up to `most`: their places alone are `bits` apart."""
        tops = [min(most, high >> bits * i) for i in range(count)]
        atoms = tuple(self.atom(f"{name}[{i}]", top) for i, top in enumerate(tops) if top)
        self.operands.append(LaneOperand(name, atoms, bits, high))
        zeros = [self.constant(0)] * (count - len(atoms))
        return [*map(self._whole, atoms), *zeros]

    def _whole(self, atom: int) -> Word:
        high = self.highs[atom]
        return Word({(atom,): 1}, 0, high, ((atom, 0, max(1, high.bit_length()), 0),))

    def constant(self, value: int) -> Word:
        """A known word."""
        return Word({ONE: value} if value else {}, value, value, None if value else ())

    def sum(self, a: Word, b: Word, sign: int = 1) -> Word:
        """a + b or a - b. Raises ProofError where that may not fit a word."""
        if a.sign_of or b.sign_of:
            raise ProofError("a mask in a sum")
        if sign > 0 and a.pieces is not None and b.pieces is not None and apart(a, b):
            return self._of([*a.pieces, *b.pieces])
        total = dict(a.value)
        add_to(total, b.value, sign)
        ends = (b.low, b.high) if sign > 0 else (-b.high, -b.low)
        return self._fitting(Word(total, a.low + ends[0], a.high + ends[1]))

    def _fitting(self, word: Word) -> Word:
        """The word, or that less a multiple of 2^64, which is the same lane."""
        found = wrapped(word)
        if not fits(found):
            found = wrapped(self.tight(word))
        return found if fits(found) else self.unsigned(self.tight(word))

    def unsigned(self, word: Word, bits: int = WORD) -> Word:
        """The word from 0 to 2^bits - 1 that is the same modulo 2^bits: what wraps is a case."""
        top = 1 << bits
        if word.sign_of or not -top <= word.low <= word.high < 2 * top:
            raise ProofError("a sum may not fit a word")
        word = self._without_sign(word, bits)
        if word.high < top:
            return word
        less = dict(word.value)
        add_to(less, {ONE: -top})
        turned = Word(less, word.low - top, word.high - top)
        if self.is_negative(turned):
            return replace(word, high=min(word.high, top - 1))
        return replace(turned, low=max(turned.low, 0))

    def tight(self, word: Word) -> Word:
        """The word with bounds from its polynomial, where these are better.

        Raises ExcludedCase where the signs leave no integer.
        """
        low, high = self.ends(word.value)
        low, high = max(low, word.low), min(high, word.high)
        if low > high:
            raise ExcludedCase("no operands have these signs")
        return replace(word, low=low, high=high)

    def ends(self, value: Polynomial) -> tuple[int, int]:
        """Bounds of an integer by its polynomial."""
        below, above = self._why(value)
        return -int(below.limit // 1), int(above.limit // 1)

    def _why(self, value: Polynomial) -> tuple[UpperBound, UpperBound]:
        """Upper bounds of minus the polynomial, and of it."""
        return self.explained({m: -c for m, c in value.items()}), self.explained(value)

    def low_bits(self, word: Word, bits: int) -> Word:
        """word modulo 2^bits."""
        found = self._low_bits(word, bits)
        if bits == HALF:
            self.halves.low(word, found)
        return found

    def _low_bits(self, word: Word, bits: int) -> Word:
        if word.sign_of:
            raise ProofError("the low bits of a mask")
        if word.number is not None:
            return self.constant(word.number % (1 << bits))
        if (word.key, bits) in self.lows:
            return self._known_low(word.key, bits)
        if not 0 <= word.low <= word.high < 1 << bits and word.pieces is None:
            word = self.tight(word)
        if 0 <= word.low <= word.high < 1 << bits:
            return word
        is_half = bits == HALF and self.halves.are_factors and word.pieces is None
        if is_half and (rest := self._known_half(word)) is not None:
            return rest
        if word.pieces is None and bits < DIGIT:
            word = self.named(self.low_bits(word, DIGIT))
        if word.pieces is not None:
            return self._of(between(word.pieces, 0, bits))
        self.lows[word.key, bits] = self._low(word, bits)
        return self._known_low(word.key, bits)

    def _known_half(self, word: Word) -> Word | None:
        """0 if a quotient clears it; the word without multiples of 2^32 if that has 32 bits."""
        if self.halves.clear(word):
            return self.constant(0)
        low, high = self.ends(rest := modulo(word.value, HALF))
        return Word(rest, low, high) if 0 <= low <= high < 1 << HALF else None

    def _known_low(self, key: WordKey, bits: int) -> Word:
        value = self.lows[key, bits]
        if (atom := only_atom(value)) is not None:
            return self._whole(atom)
        return Word(value, 0, (1 << bits) - 1)

    def named(self, word: Word) -> Word:
        """The word as an atom, whose bits can be taken; it is put back where a claim is made."""
        if word.pieces is not None:
            return word
        if word.low < 0:
            raise ProofError("the bits of a word that may be negative")
        if word.key not in self._named:
            atom = self.atom("a word", self.tight(word).high)
            self._named[word.key] = atom
            self._meant[atom] = word.value
        return self._whole(self._named[word.key])

    def expanded(self, value: Polynomial) -> Polynomial:
        """The polynomial with what named atoms stand for."""
        found = dict(value)
        for atom, meant in reversed(self._meant.items()):
            if any(atom in monomial for monomial in found):
                substitute(found, atom, meant)
        return found

    def known_low(self, atom: int, bits: int, whole: Polynomial) -> None:
        """Learn that low bits are an integer; there is nothing to remember."""

    def _low(self, word: Word, bits: int) -> Polynomial:
        if bits == DIGIT:
            below = dict(word.value)
            add_to(below, {ONE: 1 - (1 << DIGIT)})
            t = frozenset(below.items())
            if (digit := self._known_digit(below)) is not None:
                t = digit.key
                self._quotients.setdefault(t, []).append((digit, 1))
            if t in self._quotients:
                value: Polynomial = {ONE: (1 << DIGIT) - 1}
                add_to(value, self._low_by_quotient(self._quotients[t]).value, -1)
                return value
        return {(self.atom(f"low {bits}", (1 << bits) - 1),): 1}

    def _known_digit(self, value: Polynomial) -> Word | None:
        """The lowest digit of an integer, where it has been taken; of an atom, its lowest bits."""
        key = frozenset(value.items())
        if (key, DIGIT) in self.lows:
            return self._known_low(key, DIGIT)
        atom = only_atom(value)
        return None if atom is None else self._of(between(self._whole(atom).pieces or (), 0, DIGIT))

    def _low_by_quotient(self, found: Sequence[tuple[Word, int]]) -> Word:
        """-t modulo 2^52, as the low half of q*m; of several q the one that has been multiplied.

        Else the first one that is a product: the code may multiply it later.
        """
        products = [(q, self.constant(-inverse_of(n, 1 << DIGIT) % (1 << DIGIT))) for q, n in found]
        for q, m in products:
            if frozenset(product(q.value, m.value).items()) in self._halves:
                return self.low_half(q, m)
        return self.low_half(*products[min(1, len(products) - 1)])

    def shift_right(self, word: Word, bits: int, signed: bool = False) -> Word:
        """word >> bits, of a word that is not negative, or of one in two's complement."""
        if word.sign_of:
            raise ProofError("a mask is shifted")
        if (signed and word.high >= 1 << WORD - 1) or (not signed and word.low < 0):
            word = self.tight(word)
        if signed and word.low >= 1 << WORD - 1:
            value = dict(word.value)
            add_to(value, {ONE: -1 << WORD})
            word = Word(value, word.low - (1 << WORD), word.high - (1 << WORD))
        if (signed and word.high >= 1 << WORD - 1) or (not signed and word.low < 0):
            raise ProofError("a word is shifted whose sign is not known")
        if signed and bits == WORD - 1:
            return self.constant(0) if word.low >= 0 else Word({}, -1, 0, sign_of=word)
        if word.pieces is not None and not signed:
            return self._of(between(word.pieces, bits, WORD))
        value = dict(word.value)
        add_to(value, self.low_bits(word, bits).value, -1)
        return Word(scaled(value, Fraction(1, 1 << bits)), word.low >> bits, word.high >> bits)

    def shift_left(self, word: Word, bits: int) -> Word:
        """word * 2^bits modulo 2^64."""
        kept = self.named(self.low_bits(word, WORD - bits))
        if kept.pieces is not None:
            return self._of([(a, f, e, place + bits) for a, f, e, place in kept.pieces])
        return Word(scaled(kept.value, 1 << bits), kept.low << bits, kept.high << bits)

    def funnel(self, high: Word, low: Word, bits: int) -> Word:
        """(high*2^64 + low) >> bits modulo 2^64."""
        below, above = self.shift_right(low, bits), self.shift_left(high, WORD - bits)
        if below.pieces is not None and above.pieces is not None:
            return self._of([*below.pieces, *above.pieces])
        return self.sum(below, above)

    def half(self, which: int, total: Word, a: Word, b: Word) -> Word:
        """total + the low or high half of the product of two digits."""
        x, y = self.low_bits(a, DIGIT), self.low_bits(b, DIGIT)
        x, y = self._close(x, y.high), self._close(y, x.high)
        low = self.low_half(x, y)
        if which:
            add_to(value := product(x.value, y.value), low.value, -1)
            rest = scaled(value, Fraction(1, 1 << DIGIT))
            return self.sum(total, Word(rest, 0, x.high * y.high >> DIGIT))
        return self.sum(total, low)

    def _close(self, word: Word, factor: int) -> Word:
        """The word, by its polynomial where its product with a factor is a digit then."""
        is_long = word.pieces is None and word.number is None and word.high * factor >= 1 << DIGIT
        is_close = is_long and self.ends(word.value)[1] * factor < 1 << DIGIT
        return self.tight(word) if is_close else word

    def half_product(self, a: Word, b: Word) -> Word:
        """The product of the low halves of two words."""
        self.halves.are_factors = True
        x, y = self.low_bits(a, HALF), self.low_bits(b, HALF)
        found = Word(product(x.value, y.value), 0, x.high * y.high)
        for t, constant in ((a, y), (b, x)):
            if constant.number is not None:
                self.halves.multiple(found, t, constant.number)
        return found

    def low_half(self, x: Word, y: Word) -> Word:
        """The low half of the product of two digits."""
        found = self._low_half(x, y)
        if y.number is not None and y.number % 2:
            known = self._quotients.setdefault(x.key, [(x, 1)])
            known.append((found, y.number))
        return found

    def _low_half(self, x: Word, y: Word) -> Word:
        value = product(x.value, y.value)
        if x.high * y.high < 1 << DIGIT:
            return Word(value, 0, x.high * y.high)
        key = frozenset(value.items())
        if key not in self._halves:
            self._halves[key] = self.atom("low half", (1 << DIGIT) - 1)
        return self._whole(self._halves[key])

    def merge(self, mask: Word, a: Word, b: Word) -> Word:
        """a where the mask is all ones, else b: by the decision on its sign."""
        if not mask.sign_of:
            if not mask.value:
                return b
            raise ProofError("a merge by what is no mask")
        negative = self._decided(mask.sign_of)
        chosen = a if negative else b
        if chosen.key == mask.sign_of.key:
            ends = (chosen.low, -1) if negative else (max(chosen.low, 0), chosen.high)
            chosen = replace(chosen, low=ends[0], high=ends[1])
        return chosen

    def _decided(self, word: Word) -> bool:
        """Whether a word is negative, in this case."""
        if word.key not in self.signs:
            number = len(self.signs)
            decided = self.decisions[number] if number < len(self.decisions) else True
            self.signs[word.key] = word, decided
        return self.signs[word.key][1]

    def smaller(self, a: Word, b: Word) -> Word:
        """The smaller one of two words without signs."""
        return self._without_sign(a if self.is_less(a, b) else b)

    def is_less(self, a: Word, b: Word) -> bool:
        """Whether a is below b, in this case, for words without signs."""
        a, b = self._without_sign(a), self._without_sign(b)
        add_to(difference := dict(a.value), b.value, -1)
        return self.is_negative(Word(difference, a.low - b.high, a.high - b.low))

    def _without_sign(self, word: Word, bits: int = WORD) -> Word:
        """The word, or 2^bits more where it is negative."""
        if word.sign_of:
            raise ProofError("a mask is compared")
        if word.low >= 0:
            return word
        value = dict(word.value)
        if not self.is_negative(word):
            return Word(value, 0, max(word.high, 0))
        add_to(value, {ONE: 1 << bits})
        return Word(value, word.low + (1 << bits), min(word.high, -1) + (1 << bits))

    def is_negative(self, word: Word) -> bool:
        """Whether a word is negative, by its bounds or by this case."""
        if word.low < 0 <= word.high:
            word = self.tight(word)
        return word.high < 0 or (word.low < 0 and self._decided(word))

    def _of(self, pieces: Sequence[BitPiece]) -> Word:
        """A word from bits of atoms."""
        value: Polynomial = {}
        high = 0
        for atom, first, last, place in pieces:
            add_to(value, self._top(atom, first, last), exact(1 << place, 1 << first))
            high += min((1 << last - first) - 1, self.highs[atom] >> first) << place
        return Word({m: exact(c) for m, c in value.items()}, 0, high, tuple(pieces))

    def _top(self, atom: int, first: int, last: int) -> Polynomial:
        """Bits [first, last) of an atom, times 2^first."""
        add_to(value := self._below(atom, last), self._below(atom, first), -1)
        return value

    def _below(self, atom: int, bits: int) -> Polynomial:
        if bits == 0:
            return {}
        if self.highs[atom] < 1 << bits:
            return {(atom,): 1}
        if (atom, bits) not in self.cuts:
            self.cuts[atom, bits] = self.atom(f"{self.names[atom]} mod 2^{bits}", (1 << bits) - 1)
        return {(self.cuts[atom, bits],): 1}

    def upper(self, value: Polynomial, by_rests: bool = False) -> Rational:
        """An upper bound: of the polynomial, and of it with what the signs say added."""
        return self.explained(value, by_rests).limit

    def explained(self, value: Polynomial, by_rests: bool = False) -> UpperBound:
        """The same, and why; if asked, by the rests of words of operands that were cut."""
        said = [(self.expanded(w.value), negative) for w, negative in self.signs.values()]
        return self._bounds.upper(self.expanded(value), said, by_rests)
