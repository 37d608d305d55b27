"""From exact integers to lanes: columns of 64 bits, products of digits of 52 bits by halves.

A number is a list of columns, one for each digit, which may be larger than the radix. A product
adds the low half of each pair of digits to one column and the high half to the next. It reads no
more than 52 bits of a word: a digit needs its carry taken out, but what lies above bit 52 may stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from fieldc.algorithms.columns import SUM, Columns
from fieldc.algorithms.lane_words import is_in_words
from fieldc.algorithms.lanes import DIGIT_BITS, LOOSE_BITS, in_lanes
from fieldc.field import Field
from fieldc.language import Expression, Integer, LanguageError
from fieldc.words.digits import BitRange, by_top, part_of
from fieldc.words.lane_limbs import digit_of, limbs_of
from fieldc.words.lane_patterns import cleared, corrected
from fieldc.words.lane_products import Totals, add_product, constant_less, joined, limit_of, square
from fieldc.words.lane_steps import PLAIN, LaneBuilder, LaneStyle
from fieldc.words.lower import constant_names, lower, uses_of, without_dead_steps
from fieldc.words.program import Program, Value

LANE = 64
WAITING = 10
"""Columns of a sum whose chains take longer than a processor needs for all of their products."""
RADIX = 1 << DIGIT_BITS
MASK = RADIX - 1


def lower_in_lanes(
    expression: Expression,
    result_field: Field | None = None,
    style: LaneStyle = PLAIN,
    columns: Columns | None = None,
    in_digits: Collection[str] = (),
) -> Program:
    """What one lane does. Operands and results are in the field's own words, 52 or 64 bits each.

    Operands that `in_digits` names are in digits of 52 bits all the same. Numbers that are whole
    words are lowered as everywhere else, for all others see above.

    Results are in those of `result_field`, if there is one. The `style` says in which order halves
    of products are added, and how signs move. Where there are `columns`, the operand t has these,
    and so has a result that is no residue.
    """
    f = expression.field
    given = result_field or f
    if is_in_words(f, expression.kernel):
        return lower(expression)
    build = LaneBuilder(LANE, {} if f.word == DIGIT_BITS else constant_names(f), style=style)
    names = [name for name, _ in expression.kernel.operands]
    digits = names if f.word == DIGIT_BITS else in_digits
    loose = {name: b.limbs(f) for name, b in expression.kernel.operands if b.is_loose}
    lowering = LaneLowering(build, uses_of(expression.result), digits, columns, loose)
    results: list[Value] = []
    for value in expression.values:
        count = expression.kernel.result.limbs(given)
        if columns is not None and not expression.kernel.result.is_residue:
            count = columns.count
            words = lowering.columns(value)[:count]
        elif expression.kernel.result.is_loose:
            words = lowering.loose(value)[:count]
        elif given.word == DIGIT_BITS:
            words = [build.cut(word) for word in lowering.digits(value)]
        else:
            words = limbs_of(build, lowering.digits(value), count)
        results += [*words, *[build.constant(0)] * (count - len(words))]
    widths = {name: bound.width(f) for name, bound in expression.kernel.operands}
    widths |= {name: in_lanes(f).n for name in in_digits}
    widths |= {} if columns is None else {SUM: columns.count}
    operands = tuple((name, widths[name]) for name in names)
    name = expression.kernel.operation
    return without_dead_steps(Program(name, LANE, operands, tuple(build.steps), tuple(results)))


@dataclass
class _Carried:
    """How far carries have been taken: words whose lowest 52 bits are digits, and the next carry"""

    words: list[Value] = field(default_factory=list)
    carry: Value | None = None


@dataclass
class LaneLowering:
    """Lowers expressions to columns, each node once."""

    build: LaneBuilder
    uses: Counter[int]
    in_digits: Collection[str]
    """The operands that are digits already; the others are limbs."""
    given: Columns | None = None
    """The columns of the operand t, where it lies in some."""
    loosely: Mapping[str, int] = field(default_factory=dict)
    """The operands in loose digits, with their words: these are columns, whose carries wait."""
    _columns: dict[int, list[Value]] = field(default_factory=dict)
    _digits: dict[int, list[Value]] = field(default_factory=dict)
    _carries: dict[int, _Carried] = field(default_factory=dict)

    def count(self, node: Integer) -> int:
        """The digits that hold every value of a node."""
        return -(-max(node.high, -node.low).bit_length() // DIGIT_BITS)

    def digits(self, node: Integer) -> list[Value]:
        """Words whose lowest 52 bits are the digits of a node, which is not negative."""
        if id(node) not in self._digits:
            self._digits[id(node)] = self._digits_of(node)
        return self._digits[id(node)]

    def _digits_of(self, node: Integer) -> list[Value]:
        count = self.count(node)
        if node.op == "constant":
            return [self.build.constant(node.high >> DIGIT_BITS * i & MASK) for i in range(count)]
        if self._part(node) is not None:
            return self._parts(node)
        if node.op == "mod":
            return self._digits_mod(node)
        if node.op == "select":
            return self._digits_select(node)
        if corrected(node) is not None:
            return self._digits_corrected(node)
        if self._is_signed(node):
            return self.build.with_carries(self._signed_columns(node), node.high)
        return self._carried(node, count)

    def columns(self, node: Integer) -> list[Value]:
        """Words that make a node, each at its place."""
        if id(node) not in self._columns:
            self._columns[id(node)] = self._columns_of(node)
        return self._columns[id(node)]

    def _part(self, node: Integer) -> BitRange | None:
        """The bits of an operand that a node is, where its words have whole bits."""
        found = part_of(node)
        return None if found is None or self._in_columns(found[0]) else found

    def _is_loose(self, node: Integer) -> bool:
        """Whether a node is an operand in loose digits, or its highest words.

        These are less than its highest digits by no more than the carries that wait.
        """
        part = self._part(node)
        return part is not None and part[0].name in self.loosely

    def _in_columns(self, node: Integer) -> bool:
        return self.given is not None and node.op == "input" and node.name == SUM

    def _given_columns(self, node: Integer, given: Columns) -> list[Value]:
        """The columns of the operand, from memory."""
        places = range(min(self.count(node), given.count))
        found = [self.build.load(node.name, i, min(limit_of(node, i), given.most)) for i in places]
        return found + [self.build.constant(0)] * (self.count(node) - len(found))

    def _columns_of(self, node: Integer) -> list[Value]:
        if self.given is not None and self._in_columns(node):
            return self._given_columns(node, self.given)
        if self._is_loose(node):
            return self._parts(node)
        if node.op == "shift_right" and self._part(node) is None:
            return self._columns_shift_right(node)
        is_sum = node.op in ("add", "mul", "double", "shift_left") and self._part(node) is None
        if is_sum and corrected(node) is None:
            return self._sum(node)
        return [self.build.cut(word) for word in self.digits(node)]

    def _sum(self, node: Integer) -> list[Value]:
        """The columns of a sum or a product."""
        low = [self.build.constant(0)] * self.count(node)
        is_in_two = self.build.style.in_two(len(low), self._products(node))
        high = low.copy() if is_in_two else low
        self._onto((low, high), node, 0, node)
        return joined(self.build, low, high, node) if is_in_two else low

    def _products(self, node: Integer) -> int:
        """How many products of operands a sum is of."""
        return sum(map(self._products, node.args)) if node.op == "add" else int(node.op == "mul")

    def _onto(self, total: Totals, node: Integer, place: int, whole: Integer) -> None:
        """Add a node to columns that make `whole` at last, from a place on."""
        is_known = id(node) in self._columns or (self.uses[id(node)] > 1 and node is not whole)
        inner = () if is_known else node.args
        if inner and node.op == "add" and corrected(node) is None:
            for term in sorted(node.args, key=self._turn):
                self._onto(total, term, place, whole)
        elif inner and node.op == "mul":
            self._product(total, node, place, whole)
        elif inner and node.op == "shift_left" and node.amount % DIGIT_BITS == 0:
            self._onto(total, inner[0], place + node.amount // DIGIT_BITS, whole)
        elif inner and node.op == "double":
            for _ in range(2):
                self._add_columns(total[0], self.columns(inner[0]), place, whole)
        elif node is whole:
            raise LanguageError(f"{node.op} has no reading in lanes")
        else:
            self._add_columns(total[0], self.columns(node), place, whole)

    def _turn(self, term: Integer) -> int:
        """Products come after other terms, but columns after them where their sums are waited for.

        Then the chain from one turn of the loop to the next is one addition.
        """
        is_last = self._in_columns(term) and self._waits()
        return 2 if is_last else int(term.op == "mul")

    def _waits(self) -> bool:
        """Whether a turn's products take less time than the chain of sums in a column.

        That is so of one limb, and of few columns where no digits are cut out: one more addition
        for each took 2.6 ns a term instead of 3.1 on Emerald Rapids, of 10 columns. Of 16 columns
        it gained nothing.
        """
        given = self.given
        if given is None or given.multiple:
            return False
        return given.are_held or ("x" in self.in_digits and given.count <= WAITING)

    def _add_columns(
        self, total: list[Value], columns: list[Value], place: int, whole: Integer
    ) -> None:
        for i, column in enumerate(columns[: len(total) - place], place):
            total[i] = self.build.sum(total[i], column, limit_of(whole, i))

    def _product(
        self, total: Totals, node: Integer, place: int, whole: Integer, skipped: int = 0
    ) -> None:
        """Add a product, row by row; the lowest `skipped` columns are left out."""
        a, b = node.args
        if a is b:
            columns = square(self.build, self.digits(a), node, self.count(node))
            self._add_columns(total[0], columns, place, whole)
            return
        if a.op == "constant":
            a, b = b, a
        row, digits = self.digits(b), self.digits(a)
        add_product(self.build, total, (digits, row), (place, skipped), whole)

    def _carried(self, node: Integer, count: int) -> list[Value]:
        """The lowest digits of a node's columns, the carries before each added."""
        known = self._carries.setdefault(id(node), _Carried())
        columns = self.columns(node)
        while len(known.words) < min(count, len(columns)):
            place = len(known.words)
            word = columns[place]
            if known.carry is not None:
                word = self.build.sum(word, known.carry, limit_of(node, place))
            known.words.append(word)
            known.carry = self.build.above(word)
        return known.words[:count]

    def _digits_mod(self, node: Integer) -> list[Value]:
        whole, (count, bits) = node.args[0], divmod(node.amount, DIGIT_BITS)
        if bits:
            raise LanguageError("digits are taken whole")
        if whole.op == "mul" and count == 1:  # only its lowest digit is wanted
            a, b = (self._lowest(factor) for factor in whole.args)
            return [self.build.half(0, self.build.constant(0), a, b, MASK)]
        return self._carried(whole, count)

    def _lowest(self, node: Integer) -> Value:
        """A word whose lowest 52 bits are the lowest digit: no carry comes into it."""
        is_plain = node.op == "constant" or self._part(node) is not None
        return (self.digits(node) if is_plain else self.columns(node))[0]

    def _columns_shift_right(self, node: Integer) -> list[Value]:
        whole, (count, bits) = node.args[0], divmod(node.amount, DIGIT_BITS)
        if bits:
            raise LanguageError("digits are dropped whole")
        is_alone = count == 1 and self.uses[id(whole)] == 1
        if is_alone and (found := cleared(whole)) is not None:
            return self._dropped(whole, *found)
        self._carried(whole, count)
        first, *rest = self.columns(whole)[count:]
        carry = self._carries[id(whole)].carry
        if carry is not None:
            first = self.build.sum(first, carry, limit_of(whole, count))
        return [first, *rest][: self.count(node)]

    def _dropped(self, whole: Integer, t: Integer, product: Integer) -> list[Value]:
        """(t + q*p) >> 52: the lowest column is rounded up, without its product."""
        columns = self.columns(t)
        total = columns + [self.build.constant(0)] * (self.count(whole) - len(columns))
        raised = self.build.sum(total[0], self.build.constant(MASK))
        self._product((total, total), product, 0, whole, skipped=1)
        carry = self.build.funnel(self.build.constant(0), raised, DIGIT_BITS)
        total[1] = self.build.sum(total[1], carry, limit_of(whole, 1))
        return total[1:]

    def _difference(self, node: Integer) -> list[Value]:
        """The columns of a difference, each modulo 2^64 and of less than 63 bits with its sign."""
        a, b = map(self.columns, node.args)
        return [self.build.difference(x, y) for x, y in self._pairs(a, b, max(len(a), len(b)))]

    def _is_signed(self, node: Integer) -> bool:
        """Whether columns of a number may be negative, though the number is not."""
        if node.op == "add":
            return any(by_top(part) is not None or self._is_signed(part) for part in node.args)
        return node.op == "sub" and self._part(node) is None

    def _signed_columns(self, node: Integer) -> list[Value]:
        """The columns of such a number, each modulo 2^64 and of less than 63 bits with its sign."""
        if id(node) not in self._columns and self._is_signed(node):
            a, b = map(self._signed_columns, node.args)
            combined = self.build.wrapped if node.op == "add" else self.build.difference
            return [combined(x, y) for x, y in self._pairs(a, b, max(len(a), len(b)))]
        if (difference := by_top(node)) is not None:
            return self._columns_by_top(node, difference)
        return self.columns(node)

    def loose(self, node: Integer) -> list[Value]:
        """Columns of a number, none negative, whose carries wait."""
        if not self._is_signed(node):
            return self.columns(node)
        if node.op == "sub":
            return constant_less(self.build, node.args[0], self.columns(node.args[1]))
        a, b = map(self.loose, node.args)
        return [self.build.sum(x, y) for x, y in self._pairs(a, b, max(len(a), len(b)))]

    def _columns_by_top(self, node: Integer, difference: Integer) -> list[Value]:
        if id(node) not in self._columns:
            *_, top = self.build.with_carries(self._difference(difference))
            mask = self.build.signed(top, LANE - 1)
            kept = self.columns(node.args[0])
            pairs = self._pairs(kept, self._difference(node.args[1]), len(kept))
            self._columns[id(node)] = [self.build.merge(mask, a, b) for a, b in pairs]
        return self._columns[id(node)]

    def _digits_select(self, node: Integer) -> list[Value]:
        """t or t - c, by the sign of t - c, which is what a selection in lanes can be."""
        t, d = node.args
        condition = node.condition
        is_of_d = condition is not None and condition.difference is d
        if not is_of_d or d.op != "sub" or d.args[0] is not t:
            raise LanguageError("lanes select t - c, or t where that is negative")
        kept = self.build.with_carries(self._difference(d))
        mask = self.build.signed(kept[-1], LANE - 1)
        whole = self._carried(t, self.count(t))
        return self._merged(mask, whole, kept, node)

    def _digits_corrected(self, node: Integer) -> list[Value]:
        found = corrected(node)
        if found is None or found[0].op != "sub":
            raise LanguageError("lanes correct a difference")
        difference = self._difference(found[0])
        constant = self.columns(found[1])
        pairs = self._pairs(difference, constant, max(len(difference), len(constant)))
        kept = self.build.with_carries(difference)
        mask = self.build.signed(kept[-1], LANE - 1)
        sums = self.build.with_carries([self.build.wrapped(x, y) for x, y in pairs])
        return self._merged(mask, sums, kept, node)

    def _merged(self, mask: Value, a: list[Value], b: list[Value], node: Integer) -> list[Value]:
        pairs = self._pairs(a, b, self.count(node))
        return [self.build.merge(mask, x, y) for x, y in pairs]

    def _pairs(self, a: list[Value], b: list[Value], count: int) -> list[tuple[Value, Value]]:
        """So many pairs of words, zeros where there are none."""
        zero = self.build.constant(0)
        return list(islice(zip_longest(a, b, fillvalue=zero), count))

    def _parts(self, node: Integer) -> list[Value]:
        """The digits of some bits of an operand."""
        part = self._part(node)
        if part is None:
            raise LanguageError(f"{node.op} is no part of an operand")
        operand, at, _ = part
        places = range(self.count(node))
        if operand.name in self.loosely:
            places = range(min(len(places), self.loosely[operand.name] - at // DIGIT_BITS))
        if operand.name in self.in_digits:
            if at % DIGIT_BITS or at < 0:
                raise LanguageError("digits of an operand are read whole")
            first = at // DIGIT_BITS
            return [self._load(operand, first + i) for i in places]
        limbs = [self._load(operand, i) for i in range(-(-operand.high.bit_length() // LANE))]
        return [digit_of(self.build, limbs, at + DIGIT_BITS * i) for i in places]

    def _load(self, operand: Integer, index: int) -> Value:
        word = DIGIT_BITS if operand.name in self.in_digits else LANE
        bits = LOOSE_BITS if operand.name in self.loosely else word
        limit = min(operand.high >> word * index, (1 << bits) - 1)
        return self.build.load(operand.name, operand.amount + index, limit)
