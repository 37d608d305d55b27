"""From exact integers to digits of fewer bits than a word: additions without carries.

A number that is made of products is a list of digits, one to a word, which may be larger than the
radix. Their exact bounds say when a carry must be taken before the next row is added. Everything
else, and what is read or written in memory, is in limbs, as in `lower`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.algorithms.unsaturated import in_digits, readings
from fieldc.language import Expression, Integer, LanguageError
from fieldc.words.build import Builder
from fieldc.words.digit_products import fits, product, square
from fieldc.words.lower import Lowering, constant_names, uses_of, without_dead_steps
from fieldc.words.program import Program, Value
from fieldc.words.rows import RowChoice

BitRange = tuple[Integer, int, int]
"""Some bits of an operand: the operand, the place of the lowest bit in it, how many bits."""


def cheapest_in_digits(expression: Expression) -> tuple[Expression, Program]:
    """Return the cheapest expression of a kernel in digits, and its words.

    Raises NotInDigits.
    """
    programs = ((read, lower_in_digits(read)) for read in readings(expression))
    return min(programs, key=lambda made: cost(made[1]))


def cost(program: Program) -> int:
    """Count the steps. A multiplication counts as two: processors have few multipliers."""
    return len(program.steps) + program.count("mul_low")


def lower_in_digits(expression: Expression) -> Program:
    """Lower an expression to a word program with products in digits."""
    f = expression.field
    build = Builder(f.word, constant_names(f))
    names: dict[str, str] = {}
    bits = in_digits(f).word
    lowering = DigitLowering(build, RowChoice(), uses_of(expression.result), names, bits=bits)
    words = lowering.words(expression.result)
    zeros = [build.constant(0)] * (f.n - len(words))
    operands = tuple((name, bound.width(f)) for name, bound in expression.kernel.operands)
    return without_dead_steps(
        Program(expression.kernel.operation, f.word, operands, tuple(build.steps), (*words, *zeros))
    )


@dataclass
class DigitLowering(Lowering):
    """Lowers products, and everything computed from them, to digits of `bits` bits."""

    bits: int = 30
    _digits: dict[int, list[Value]] = field(default_factory=dict)
    _of_products: dict[int, bool] = field(default_factory=dict)
    _carried_digits: dict[int, list[Value]] = field(default_factory=dict)

    def words(self, node: Integer) -> list[Value]:
        """Return the limbs of a node, assembled from its digits if it has any."""
        if id(node) not in self._words and self._is_of_products(node):
            self._words[id(node)] = self._packed(node)
        return super().words(node)

    def digits(self, node: Integer) -> list[Value]:
        """Return the digits of a node, least significant first. No digit may be negative."""
        if id(node) not in self._digits:
            part = part_of(node)
            if part is not None:
                found = self._cut(node, part)
            elif node.op == "constant":
                radix = 1 << self.bits
                count = self._count(node)
                found = [
                    self.build.constant((node.high >> self.bits * i) % radix) for i in range(count)
                ]
            else:
                found = getattr(self, f"_digits_{node.op}")(node)
            self._digits[id(node)] = found[: self._count(node)]
        return self._digits[id(node)]

    def _count(self, node: Integer) -> int:
        return -(-node.high.bit_length() // self.bits)

    def _is_of_products(self, node: Integer) -> bool:
        known = self._of_products
        if id(node) not in known:
            inside = node.op in ("add", "shift_left", "shift_right", "mod", "double")
            known[id(node)] = node.op == "mul" or (
                inside and any(map(self._is_of_products, node.args))
            )
        return known[id(node)]

    def _cut(self, node: Integer, part: BitRange) -> list[Value]:
        """The digits of some bits of an operand."""
        operand, at, bits = part
        count = self._count(node)
        places = [(self.bits * i, min(self.bits, bits - self.bits * i)) for i in range(count)]
        return [self._bits(operand, at + place, width) for place, width in places]

    def _bits(self, operand: Integer, at: int, count: int) -> Value:
        """Return bits of an operand as a word, from bit `at`, which may be below bit 0."""
        below = max(0, -at)
        limbs, start, count = Lowering.words(self, operand), at + below, count - below
        index, shift = divmod(start, self.build.word)
        zero = self.build.constant(0)
        if count <= 0 or index >= len(limbs):
            return zero
        word = limbs[index]
        if shift:
            crosses = shift + count > self.build.word and index + 1 < len(limbs)
            word = self.build.funnel(limbs[index + 1] if crosses else zero, word, shift)
        word = self._low(word, count)
        return self._shifted(word, below)

    def _low(self, word: Value, bits: int) -> Value:
        mask = (1 << bits) - 1
        return self.build.bit_and(word, self.build.constant(mask)) if word.high > mask else word

    def _shifted(self, word: Value, bits: int) -> Value:
        """word * 2^bits mod 2^w."""
        zero = self.build.constant(0)
        return self.build.funnel(word, zero, self.build.word - bits) if bits else word

    def _above(self, word: Value, bits: int) -> Value:
        """The word without its lowest bits."""
        return self.build.funnel(self.build.constant(0), word, bits)

    def _sum(self, a: Value, b: Value, limit: int) -> Value:
        return self.build.add(a, b, self.build.no_carry, min(limit, self.build.top))[0]

    def _limit(self, node: Integer, place: int) -> int:
        """Bound each digit by the whole number: no digit is negative."""
        return node.high >> self.bits * place

    def _first_read(self, node: Integer) -> Integer | None:
        first = super()._first_read(node)
        return None if first is None or self._is_of_products(first) else first

    def _digits_mul(self, node: Integer) -> list[Value]:
        a, b = map(self.digits, node.args)
        if node.args[0] is node.args[1]:
            return square(self.build, a)
        if not fits(self.build, a, b):
            a, b = map(self._carried_through, node.args)
        return product(self.build, a, b)

    def _digits_add(self, node: Integer) -> list[Value]:
        a, b = map(self.digits, node.args)
        size = self._count(node)
        a, b = (self._filled(each, size) for each in (a, b))
        if any(x.high + y.high > self.build.top for x, y in zip(a, b, strict=True)):
            a = self._carried(a, [self.build.top - y.high for y in b])
        pairs = zip(a, b, strict=True)
        return [self._sum(x, y, self._limit(node, i)) for i, (x, y) in enumerate(pairs)]

    def _filled(self, digits: list[Value], size: int) -> list[Value]:
        return digits[:size] + [self.build.constant(0)] * (size - len(digits))

    def _carried(self, digits: list[Value], room: list[int]) -> list[Value]:
        """Pass the carry of each digit that is too large to the next digit, all at once."""
        largest = self.build.top >> self.bits
        above = self.build.constant(0)
        found = []
        for digit, left in zip(digits, room, strict=True):
            carry = self.build.constant(0)
            if digit.high + largest > left:
                digit, carry = self._low(digit, self.bits), self._above(digit, self.bits)
            found.append(self._sum(digit, above, self.build.top))
            above = carry
        return found

    def _digits_double(self, node: Integer) -> list[Value]:
        return self._scaled(self.digits(node.args[0]), 1)

    def _digits_shift_left(self, node: Integer) -> list[Value]:
        (count, bits), inner = divmod(node.amount, self.bits), node.args[0]
        if node.amount == 1 and inner.op == "mul" and inner.args[0] is inner.args[1]:
            return square(self.build, self.digits(inner.args[0]), is_doubled=True)
        return [self.build.constant(0)] * count + self._scaled(self.digits(inner), bits)

    def _scaled(self, digits: list[Value], bits: int) -> list[Value]:
        """Each digit times 2^bits."""
        if any(digit.high << bits > self.build.top for digit in digits):
            raise LanguageError("a digit is larger than a word")
        return [self._shifted(digit, bits) for digit in digits]

    def _digits_shift_right(self, node: Integer) -> list[Value]:
        count, bits = divmod(node.amount, self.bits)
        if bits:
            return self._moved_down(self._carried_through(node.args[0])[count:], bits)
        lowest, *digits = self.digits(node.args[0])
        for _ in range(count):
            carry = self._above(lowest, self.bits)
            lowest, *digits = self._filled(digits, max(1, len(digits)))
            lowest = self._sum(lowest, carry, self.build.top)
        return [lowest, *digits]

    def _digits_mod(self, node: Integer) -> list[Value]:
        whole, (count, bits) = node.args[0], divmod(node.amount, self.bits)
        if bits:
            digits = self._carried_through(whole)
            return [*digits[:count], *(self._low(top, bits) for top in digits[count : count + 1])]
        if whole.op == "mul" and count == 1:  # only its lowest digit is wanted, modulo the word
            a, b = (self.digits(factor)[0] for factor in whole.args)
            return [self._low(self._times(a, b), self.bits)]
        return self._below_radix(self.digits(whole)[:count])

    def _carried_through(self, node: Integer) -> list[Value]:
        """Return the digits of a node after all carries. They are computed once."""
        if id(node) not in self._carried_digits:
            digits = self._filled(self.digits(node), self._count(node))
            self._carried_digits[id(node)] = self._below_radix(digits)
        return self._carried_digits[id(node)]

    def _moved_down(self, digits: list[Value], bits: int) -> list[Value]:
        """Digits below the radix, shifted right by fewer bits than one has."""
        found = []
        for digit, above in zip(digits, [*digits[1:], self.build.constant(0)], strict=True):
            low, high = self._above(digit, bits), self._low(above, bits)
            limit = (digit.high >> bits) + (high.high << self.bits - bits)
            found.append(self._sum(low, self._shifted(high, self.bits - bits), limit))
        return found

    def _times(self, a: Value, b: Value) -> Value:
        """Return a*b for a quotient, of which only the lowest bits are needed."""
        if b.constant == (1 << self.bits) - 1:
            return self.build.sub(self.build.constant(0), a, self.build.no_carry)[0]
        return self.build.mul_low(a, b)

    def _below_radix(self, digits: list[Value]) -> list[Value]:
        """Return the same digits after carries. The last digit keeps its carry."""
        carry, found = self.build.constant(0), []
        for digit in digits:
            whole = self._sum(digit, carry, self.build.top)
            found.append(self._low(whole, self.bits))
            carry = self._above(whole, self.bits)
        return found

    def _packed(self, node: Integer) -> list[Value]:
        """Return the limbs of a number in digits, after its carries."""
        w, words = self.build.word, [self.build.constant(0)] * self.size(node)
        digits = self._filled(self.digits(node), self._count(node))
        for i, digit in enumerate(self._below_radix(digits)):
            index, shift = divmod(self.bits * i, w)
            pieces = [self._shifted(digit, shift)]
            if shift + self.bits > w:
                pieces.append(self._above(digit, w - shift))
            for k, piece in enumerate(pieces[: len(words) - index], index):
                words[k] = self._sum(words[k], piece, self._top_limb(node, k))
        return words

    def _top_limb(self, node: Integer, index: int) -> int:
        return min(self.build.top, node.high >> self.build.word * index)


def part_of(node: Integer) -> BitRange | None:
    """Return the bits of an operand that a node selects; None if it is something else."""
    if node.op == "input":
        return node, 0, node.high.bit_length()
    if node.op == "shift_left" and node.args[0].op == "input":
        return node.args[0], -node.amount, node.high.bit_length()
    if node.op not in ("shift_right", "mod"):
        return None
    inner = part_of(node.args[0])
    if inner is None:
        return None
    operand, at, bits = inner
    if node.op == "mod":
        return operand, at, min(bits, node.amount)
    return operand, at + node.amount, bits - node.amount


def by_top(node: Integer) -> Integer | None:
    """The difference by whose sign a node is x, else x - c: of the highest digits of x; or None."""
    if node.op != "select" or node.condition is None:
        return None
    (x, less), d = node.args, node.condition.difference
    if d.op != "sub" or less.op != "sub" or less.args[0] is not x:
        return None
    return d if d.args[0].op == "shift_right" and d.args[0].args[0] is x else None
