"""Proves sums of products in columns: a kernel that adds a product in each turn, one that reduces.

A lane has 2D columns of 64 bits, 52 bits apart, for D digits that hold R. Their sum T is

    T = 2^e * (x*y of turn 1 + x*y of turn 2 + ...),    e = 52*D - 64*n

A turn adds at most 2D*(2^52 - 1) to a column; where there are fewer columns, so many times
2^52 - 1. So after k turns no column is above k times that, and T is at most k*(p - 1)^2*2^e. Both
hold of columns that are 0 with k = 0. `prove_accumulate` shows that they stay true from turn k to
turn k + 1, for every k below `turns`: it takes columns with the bounds of turns - 1, which are the
largest ones, and bounds what the turn adds.

Elements may be in digits instead, below 2p, where R is 2^(52*D): then a turn adds x*y alone. It is
at most (2p - 1)^2, which must not be more than (p - 1)^2*2^e.

Or one factor in digits is an element times 2^e, and the other one is below m*p. Then T is at most
k*m*p^2*2^e.

For one limb, e is 0, and there are as many columns as T has digits of 52 bits: up to three. The
loop holds them in registers. z*2^64 is T modulo p.

Of a prime below 2^32 in one word, a lane may have two columns instead, 32 bits apart: they take the
halves of x*y, or of the sum of two products, where elements of 32 bits share a lane. Then e is 0
too, and a turn adds at most 2^32 - 1 to a column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.proof.algebra.equations import Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import CLAIMS, Contract, Operand
from fieldc.proof.lanes.block import LANES, BlockLayout
from fieldc.proof.lanes.loop import POINTERS, shape_of
from fieldc.proof.lanes.prove import (
    ArrayProof,
    ArrayRecorder,
    Task,
    check_result,
    prove_shape,
    shared_word,
)
from fieldc.proof.lanes.word import DIGIT, HALF, WORD, Word
from fieldc.proof.lanes.words import Lane

SUM = "t"


@dataclass(frozen=True)
class ColumnContract:
    """A field of n limbs, and how often a lane adds at most.

    Columns are 52 bits apart; or they are two, 32 bits apart, for elements of one word of 64 bits,
    or of 32, of which two share a lane. Elements have words of 64 bits, or digits of 52.
    """

    p: int
    words: int
    turns: int
    bits: int = DIGIT
    """How far columns are apart."""
    word_bits: int = WORD
    """Bits of an element's words."""
    multiple: int = 0
    """Of sums of x*y with x < p*2^e and y below so many p, both in digits; else 0."""

    @property
    def digits(self) -> int:
        """D, the digits that hold R."""
        return -(-WORD * self.words // DIGIT)

    @property
    def in_words(self) -> bool:
        """Whether there are two columns, of words."""
        return self.bits == HALF

    @property
    def in_digits(self) -> bool:
        """Whether elements are in digits, below 2p."""
        return self.word_bits == DIGIT

    @property
    def moved(self) -> int:
        """By how many bits a product is moved up before it is added."""
        return 0 if self.in_digits or self.multiple else self.excess

    @property
    def largest(self) -> tuple[int, int]:
        """The largest values of both factors."""
        if self.multiple:
            return (self.p << self.excess) - 1, self.multiple * self.p - 1
        return (2 * self.p - 1 if self.in_digits else self.p - 1,) * 2

    @property
    def held(self) -> int:
        """The columns that the loop holds in registers: of one limb and of multiples all."""
        return self.count if self.words == 1 or self.multiple else 0

    @property
    def count(self) -> int:
        """Columns of a lane."""
        if self.in_words:
            return 2
        if self.words > 1:
            return 2 * self.digits
        return -(-self.highest(self.turns).bit_length() // DIGIT)

    @property
    def excess(self) -> int:
        """By how many bits the digits exceed the limbs."""
        return 0 if self.words == 1 else DIGIT * self.digits - WORD * self.words

    @property
    def growth(self) -> int:
        """The most that a turn adds to a column."""
        return (1 if self.in_words else self.count) * ((1 << self.bits) - 1)

    @property
    def terms(self) -> int:
        """The elements that share a lane."""
        return WORD // self.word_bits

    @property
    def factor(self) -> int:
        """What the result is multiplied by, to be the sum modulo p."""
        return 1 << (self.word_bits if self.words == 1 else DIGIT * self.digits)

    def check(self) -> None:
        """Raise ProofError where a column may be more than a word, or there are no such columns."""
        halved = self.in_words and self.words == 1 and self.word_bits in (HALF, WORD)
        whole = self.bits == DIGIT and self.word_bits in (DIGIT, WORD)
        if not (halved or whole) or (self.in_digits and self.words == 1):
            raise ProofError(f"no columns of {self.bits} bits for words of {self.word_bits}")
        if self.multiple and self.words == 1:
            raise ProofError("multiples have no sums of one limb")
        if self.largest[0] * self.largest[1] << self.moved > self.highest(1):
            raise ProofError("a turn may add more than columns are made for")
        if self.turns < 2 or self.turns * self.growth >= 1 << WORD:
            raise ProofError(f"a column does not take {self.turns} products")

    def highest(self, turns: int) -> int:
        """The largest sum after some turns."""
        once = self.multiple * self.p**2 if self.multiple else (self.p - 1) ** 2
        return turns * self.terms * once << self.excess

    def columns(self, lane: Lane, turns: int) -> list[Word]:
        """The columns of a lane after some turns, as an operand."""
        high, most = self.highest(turns), turns * self.growth
        return lane.columns(SUM, self.count, self.bits, high, most)

    def factors(self, lane: Lane, name: str) -> tuple[BlockLayout, list[Word]]:
        """The first factor x or the second one y."""
        largest = self.largest[name == "y"]
        if self.terms > 1:
            return BlockLayout(1, True, True), [shared_word(lane, name, self.p - 1)]
        words = self.digits if self.in_digits else self.words
        found = lane.operand(name, words, self.word_bits, largest)
        return BlockLayout(words, not self.in_digits), found


def prove_accumulate(
    code: bytes, of: ColumnContract, start: int = 0, record: ArrayRecorder | None = None
) -> ArrayProof:
    """Prove `void (count, t, x, y)`, which adds x*y*2^e of each element to its lane of t.

    Of elements in digits it adds x*y. It holds for x and y below p, in digits below 2p, apart from
    t, and for columns that took k turns before, if k and the blocks that hold `count` elements are
    at most `turns` together. Columns lie as digits do: column 0 of all lanes, then column 1. What
    the loop holds of t in registers, it loads once and stores at its end; so a turn is a load, a
    block and a store. Raises ProofError.
    """
    of.check()
    t, x, y = POINTERS[:3]
    width, masked = (of.digits, 0) if of.in_digits else (of.words, of.words)
    widths = {t: 0, x: width, y: width}
    shape = shape_of(code, start, widths, masked, LANES * of.terms, of.held)
    layout = BlockLayout(of.count, False)

    def operands(lane: Lane) -> dict[str, tuple[BlockLayout, list[Word]]]:
        columns = {t: (layout, of.columns(lane, of.turns - 1))}
        return columns | {at: of.factors(lane, name) for name, at in (("x", x), ("y", y))}

    def check(lane: Lane, results: Sequence[Sequence[Word]]) -> list[Polynomial]:
        (columns,) = results
        return _check_sum(lane, of, columns)

    return prove_shape(code, shape, Task((t,), layout, operands, check), record)


def _check_sum(lane: Lane, of: ColumnContract, columns: Sequence[Word]) -> list[Polynomial]:
    """What one turn adds to each column.

    Raises ProofError unless the columns are t + x*y*2^e, and none of it is more than it may be.
    """
    if lane.signs:
        raise ProofError("a sum in columns asks for no sign")
    values = {operand.name: operand for operand in lane.operands}
    rest: Polynomial = {}
    add_to(rest, values[SUM].value, -1)
    for term in [""] if of.terms == 1 else map(str, range(of.terms)):
        added = product(values[f"x{term}"].value, values[f"y{term}"].value)
        add_to(rest, added, -(1 << of.moved))
    before, growths = values[SUM].words, []
    for number, word in enumerate(columns):
        if word.sign_of or not 0 <= word.low <= word.high < 1 << WORD:
            word = lane.tight(word)
        if word.sign_of or not 0 <= word.low <= word.high < 1 << WORD:
            raise ProofError(f"column {number} may not fit a word")
        added = dict(word.value)
        if number < len(before):
            add_to(added, {(before[number],): 1}, -1)
        if lane.upper(added, by_rests=True) > of.growth:
            raise ProofError(f"a turn may add too much to column {number}")
        growths.append(added)
        add_to(rest, word.value, 1 << of.bits * number)
    if rest := lane.expanded(rest):
        said = ", ".join("*".join(lane.names[a] for a in m) or "1" for m in list(rest)[:3])
        raise ProofError(f"function: {len(rest)} terms of the sum do not cancel, among them {said}")
    return growths


def prove_collect(
    code: bytes, of: ColumnContract, start: int = 0, record: ArrayRecorder | None = None
) -> ArrayProof:
    """Prove `void (count, z, t)`: z is below p, and z*2^(52*D) is the sum in columns modulo p.

    For one limb, z*R is that sum, and z is in words of 64 bits. It holds for columns of at
    most `turns` turns, apart from z. Raises ProofError.
    """
    of.check()
    if of.in_digits:
        raise ProofError("sums are collected to limbs")
    z, t = POINTERS[:2]
    shape = shape_of(code, start, {z: of.words, t: of.count}, of.words)
    given = Operand(SUM, of.count, of.highest(of.turns))
    contract = Contract(of.p, of.words, (given,), CLAIMS["value"], of.factor, of.p - 1)

    def operands(lane: Lane) -> dict[str, tuple[BlockLayout, list[Word]]]:
        return {t: (BlockLayout(of.count, False), of.columns(lane, of.turns))}

    def check(lane: Lane, results: Sequence[Sequence[Word]]) -> list[Polynomial]:
        (words,) = results
        return [check_result(lane, contract, contract.claim, words, WORD)]

    return prove_shape(
        code, shape, Task((z,), BlockLayout(of.words, True), operands, check), record
    )


COLUMN_PROOFS = {"accumulate": prove_accumulate, "collect": prove_collect}
"""What proves each operation on columns."""
