"""How a row of products is added: the choice of carry chains, apart from the algorithm.

Every style computes t + row * multiplier * 2^(w*offset) into a list of words. All carries that
bounds show to be 0 disappear: the final value fits its words, so no chain can carry out of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from fieldc.words.build import Builder
from fieldc.words.program import Value


class RowStyle(Enum):
    """Which carry chains add a row of products."""

    TWO_CHAINS = "two-chains"
    """One chain adds the low halves, another the high halves, interleaved (CF and OF)."""
    ONE_CHAIN = "one-chain"
    """One chain merges low and high halves into the row, then one adds the row."""
    TWO_SUMS = "two-sums"
    """The same two chains interleaved: each limb of the row is added as soon as it is whole."""
    HALVES = "halves"
    """One chain adds all high halves, one all low halves: one flag, and few words wait."""
    CARRY_WORD = "carry-word"
    """Limb by limb with a word of carry: no flag lives past a limb; few live values."""


@dataclass(frozen=True)
class RowChoice:
    """A style; for two chains, how many limbs the high halves lag behind the low ones.

    `ahead` products are made before the first is added.
    """

    style: RowStyle = RowStyle.ONE_CHAIN
    lag: int = 0
    ahead: int = 0


@dataclass
class Sum:
    """An accumulator of words; `high` bounds the final value."""

    build: Builder
    words: list[Value]
    high: int

    def __post_init__(self) -> None:
        size = -(-self.high.bit_length() // self.build.word)
        self.words = [*self.words, *[self.build.constant(0)] * (size - len(self.words))]

    def add(self, position: int, word: Value, carry: Value) -> Value:
        """Add a word and a carry at one position; the carry out. The top word never overflows."""
        top = position == len(self.words) - 1
        limit = self.high >> self.build.word * position if top else None
        self.words[position], carry = self.build.add(self.words[position], word, carry, limit)
        return carry

    def carry_up(self, position: int, carry: Value) -> None:
        """Add a carry at a position and ripple it to the top."""
        while carry.constant != 0 and position < len(self.words):
            carry = self.add(position, self.build.constant(0), carry)
            position += 1


def add_row(
    choice: RowChoice, total: Sum, row: list[Value], multiplier: Value, offset: int
) -> list[Value]:
    """Return the words of total + row * multiplier * 2^(w*offset)."""
    if multiplier.constant == 0:  # such as a limb of R^2 mod p = 2^110, where p = 2^521 - 1
        return total.words
    _STYLES[choice.style](choice, total, row, multiplier, offset)
    return total.words


def _two_chains(
    choice: RowChoice, total: Sum, row: list[Value], multiplier: Value, offset: int
) -> None:
    build = total.build
    low_carry = high_carry = build.no_carry
    waiting: list[tuple[int, Value]] = []
    products: list[tuple[Value, Value]] = []
    for position in range(offset, offset + len(row)):
        for word in row[len(products) : position - offset + 1 + choice.ahead]:
            products.append(build.mul(word, multiplier))
        lo, hi = products[position - offset]
        low_carry = total.add(position, lo, low_carry)
        waiting.append((position + 1, hi))
        if len(waiting) > choice.lag:
            high_carry = _add_high(total, waiting.pop(0), high_carry)
    end = offset + len(row)
    # An absent top word takes a high half before a carry: an addition, not a flag made a word.
    if total.words[-1].constant != 0:
        total.carry_up(end, low_carry)
        low_carry = build.no_carry
    for late in waiting:
        high_carry = _add_high(total, late, high_carry)
    total.carry_up(end + 1, high_carry)
    total.carry_up(end, low_carry)


def _add_high(total: Sum, late: tuple[int, Value], carry: Value) -> Value:
    position, hi = late
    if position < len(total.words):
        return total.add(position, hi, carry)
    return carry


def _one_chain(
    choice: RowChoice, total: Sum, row: list[Value], multiplier: Value, offset: int
) -> None:
    build = total.build
    largest = sum(word.high << build.word * i for i, word in enumerate(row)) * multiplier.high
    product = Sum(build, [], min(largest, total.high >> build.word * offset))
    _two_chains(RowChoice(ahead=choice.ahead), product, row, multiplier, 0)
    carry = build.no_carry
    for position, word in enumerate(product.words, offset):
        carry = total.add(position, word, carry)
    total.carry_up(offset + len(product.words), carry)


def _two_sums(
    choice: RowChoice, total: Sum, row: list[Value], multiplier: Value, offset: int
) -> None:
    build = total.build
    row_carry = sum_carry = build.no_carry
    above = build.constant(0)
    products: list[tuple[Value, Value]] = []
    for position in range(offset, offset + len(row)):
        for word in row[len(products) : position - offset + 1 + choice.ahead]:
            products.append(build.mul(word, multiplier))
        lo, hi = products[position - offset]
        whole, row_carry = build.add(above, lo, row_carry)
        sum_carry = total.add(position, whole, sum_carry)
        above = hi
    end = offset + len(row)
    if end < len(total.words):
        # The row is at most (2^(w*k) - 1) * (2^w - 1): its top limb takes the carry.
        whole, _ = build.add(above, build.constant(0), row_carry, build.top)
        total.carry_up(end + 1, total.add(end, whole, sum_carry))


def _halves(
    choice: RowChoice, total: Sum, row: list[Value], multiplier: Value, offset: int
) -> None:
    products = [total.build.mul(word, multiplier) for word in row]
    lows, highs = ([product[half] for product in products] for half in (0, 1))
    end = offset + len(row)
    if all(high.constant == 0 for high in highs):
        total.carry_up(end, _add_chain(total, lows, offset))
        return
    if end + 1 < len(total.words):
        # Two carries would leave limb `end`. The top high half, 2^w - 2 at most, takes one of them.
        carry = _add_chain(total, lows, offset)
        highs[-1], _ = total.build.add(highs[-1], total.build.constant(0), carry, total.build.top)
        total.carry_up(end + 1, _add_chain(total, highs, offset + 1))
        return
    for half, start in ((highs, offset + 1), (lows, offset)):
        total.carry_up(start + len(row), _add_chain(total, half, start))


def _add_chain(total: Sum, words: list[Value], start: int) -> Value:
    """Add words from a position on; the carry out."""
    carry = total.build.no_carry
    for position, word in enumerate(words[: len(total.words) - start], start):
        carry = total.add(position, word, carry)
    return carry


def _carry_word(
    choice: RowChoice, total: Sum, row: list[Value], multiplier: Value, offset: int
) -> None:
    build = total.build
    none, zero = build.no_carry, build.constant(0)
    carry_word = zero
    for position, word in enumerate(row, offset):
        lo, hi = build.mul(word, multiplier)
        lo, first = build.add(lo, carry_word, none, name="lo")
        hi, _ = build.add(hi, zero, first, build.top, "hi")
        total.words[position], second = build.add(total.words[position], lo, none)
        # x*y + carry + t <= (2^w - 1)^2 + 2*(2^w - 1) = 2^2w - 1: the high half cannot overflow.
        carry_word, _ = build.add(hi, zero, second, build.top, "c")
    end = offset + len(row)
    if end < len(total.words):
        total.carry_up(end + 1, total.add(end, carry_word, none))


_STYLES: dict[RowStyle, Callable[[RowChoice, Sum, list[Value], Value, int], None]] = {
    RowStyle.TWO_CHAINS: _two_chains,
    RowStyle.ONE_CHAIN: _one_chain,
    RowStyle.TWO_SUMS: _two_sums,
    RowStyle.HALVES: _halves,
    RowStyle.CARRY_WORD: _carry_word,
}
