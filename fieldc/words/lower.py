"""From exact integers to words: each expression becomes as many limbs as its bounds need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fieldc.field import Field
from fieldc.integers import Condition
from fieldc.language import Expression, Integer, LanguageError
from fieldc.words.build import Builder
from fieldc.words.operations import ADD, SUB
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, Sum, add_row

EXCHANGED = {"x": "y", "y": "x"}
NO_SIGN = "a sign is known only of a difference of two numbers that are not negative"
FIELD_CONSTANTS = ("p", "mu", "minus_mu", "fold_rest", "R2", "complement")


def lower(
    expression: Expression,
    rows: RowChoice | None = None,
    unknown: frozenset[int] = frozenset(),
    exchanged: bool = False,
    shares_carries: bool = True,
) -> Program:
    """Lower an expression to a word program that adds rows of products in the chosen style.

    `unknown` constants are taken for any words, as far as bounds of words go. `exchanged` reads x
    where the text has y and y where it has x: for operations where the order is free. Two sums may
    read one carry unless the program `shares_carries` no more.
    """
    f = expression.field
    build = Builder(f.word, constant_names(f), unknown, shares_carries)
    names = EXCHANGED if exchanged else {}
    lowering = Lowering(build, rows or RowChoice(), uses_of(expression.result), names)
    words = lowering.words(expression.result)
    zeros = [build.constant(0)] * (expression.kernel.result.width(f) - len(words))
    operands = tuple((name, bound.width(f)) for name, bound in expression.kernel.operands)
    return without_dead_steps(
        Program(
            expression.kernel.operation, f.word, operands, tuple(build.steps), tuple(words + zeros)
        )
    )


def reads_a_carry_twice(program: Program) -> bool:
    """Whether two sums or differences read one carry: the first of them destroys a flag."""
    sums = [step for step in program.steps if step.operation in (ADD, SUB)]
    read = Counter(s.inputs[2].number for s in sums if s.inputs[2].constant is None)
    return any(count > 1 for count in read.values())


def interface(expression: Expression) -> Program:
    """Return a program with the expression's operands and result, without any step."""
    f, kernel = expression.field, expression.kernel
    operands = tuple((name, bound.width(f)) for name, bound in kernel.operands)
    zero = Builder(f.word, {}, frozenset()).constant(0)
    return Program(kernel.operation, f.word, operands, (), (zero,) * kernel.result.width(f))


def constant_names(f: Field) -> dict[int, str]:
    """Return names for the words of the field's constants, such as `p[0]`, `mu[2]` and `n0`."""
    names = {
        limb: f"{constant}[{i}]"
        for constant in reversed(FIELD_CONSTANTS)
        for i, limb in reversed(list(enumerate(f.limbs(getattr(f, constant)))))
    }
    halves = {
        limb >> shift & (1 << f.word // 2) - 1: f"{name}.{part}"
        for name, limb in (
            ("n0", f.n0),
            *((f"p[{i}]", limb) for i, limb in enumerate(f.limbs(f.p))),
        )
        for part, shift in (("low", 0), ("high", f.word // 2))
    }
    raised = {limb: f"raised_p[{i}]" for i, limb in enumerate(f.limbs(f.raised_p, f.n + 1))}
    return {**raised, **halves, f.p_inverse: "p_inverse", **names, f.n0: "n0", 0: "0x0", 1: "0x1"}


def without_dead_steps(program: Program) -> Program:
    """Return the program without steps that nothing reads."""
    live = {v.number for v in program.results}
    kept: list[Step] = []
    for step in reversed(program.steps):
        if any(v.number in live for v in step.outputs):
            live.update(v.number for v in step.inputs)
            kept.append(step)
    return Program(
        program.name, program.word, program.operands, tuple(reversed(kept)), program.results
    )


def uses_of(result: Integer) -> Counter[int]:
    """Count how many expressions read each node, by identity."""
    uses: Counter[int] = Counter()
    seen, waiting = {id(result)}, [result]
    while waiting:
        node = waiting.pop()
        compared = () if node.condition is None else (node.condition.difference,)
        read = (*node.args, *compared)
        for arg in read:
            uses[id(arg)] += 1
            if id(arg) not in seen:
                seen.add(id(arg))
                waiting.append(arg)
    return uses


@dataclass
class Lowering:
    """Lowers expressions to words, each node once."""

    build: Builder
    rows: RowChoice
    uses: Counter[int]
    names: dict[str, str]
    _words: dict[int, list[Value]] = field(default_factory=dict)
    _borrows: dict[int, Value] = field(default_factory=dict)

    def words(self, node: Integer) -> list[Value]:
        """Return the limbs of a node, lowest first; of a negative one, modulo 2^(w*limbs)."""
        chain = [node]
        while (first := self._first_read(chain[-1])) is not None:
            chain.append(first)
        for each in reversed(chain):  # in the order of a recursion, which could be too deep
            if id(each) not in self._words:
                self._words[id(each)] = getattr(self, f"_{each.op}")(each)
        return self._words[id(node)]

    def _first_read(self, node: Integer) -> Integer | None:
        """Yield the nodes that must be lowered before this one."""
        if id(node) in self._words or node.op in ("select", "masked"):
            return None
        if node.op == "add":
            return self._total_and_addend(node)[0]
        if node.op == "mul":
            return self._row_and_multiplier(node)[1]
        made_of = node.args[0].args if self._is_low_product(node) else node.args
        return made_of[0] if made_of else None

    def size(self, node: Integer) -> int:
        """Return how many limbs hold every value of a node."""
        largest = max(node.high, -node.low)
        return -(-largest.bit_length() // self.build.word)

    def _padded(self, node: Integer, count: int) -> list[Value]:
        """The lowest limbs of a node. Above its own a negative one has all ones."""
        words, above = self.words(node)[:count], self.build.constant(0)
        if node.low < 0 and len(words) < count:
            above = self.build.mask(self._sign(node))
        return words + [above] * (count - len(words))

    def _sign(self, node: Integer) -> Value:
        """The flag that a node is negative, after its words."""
        if node.low >= 0:
            return self.build.no_carry
        if id(node) not in self._borrows:
            raise LanguageError(NO_SIGN)
        return self._borrows[id(node)]

    def _input(self, node: Integer) -> list[Value]:
        w, name = self.build.word, self.names.get(node.name, node.name)
        limbs = range(self.size(node))
        return [self.build.load(name, node.amount + i, node.high >> w * i) for i in limbs]

    def _constant(self, node: Integer) -> list[Value]:
        w, top = self.build.word, self.build.top
        return [self.build.constant(node.high >> w * i & top) for i in range(self.size(node))]

    def _shift_right(self, node: Integer) -> list[Value]:
        if node.args[0].low < 0:
            raise LanguageError("a number that may be negative is not shifted to the right")
        count, bits = divmod(node.amount, self.build.word)
        words = self.words(node.args[0])[count:]
        if bits:
            words = self._funneled([*words, self.build.constant(0)], bits)
        return words[: self.size(node)]

    def _shift_left(self, node: Integer) -> list[Value]:
        count, bits = divmod(node.amount, self.build.word)
        zero, (part,) = self.build.constant(0), node.args
        words = self.words(part)
        if part.low < 0:
            words = self._padded(part, self.size(node) - count)
            if id(part) in self._borrows:
                self._borrows[id(node)] = self._borrows[id(part)]
        if bits:
            words = self._funneled([zero, *words, zero], self.build.word - bits)
        return ([zero] * count + words)[: self.size(node)]

    def _funneled(self, words: list[Value], bits: int) -> list[Value]:
        """Shift the words right by `bits`, joining the parts of neighbouring words."""
        pairs = zip(words[1:], words, strict=False)
        return [self.build.funnel(high, low, bits) for high, low in pairs]

    def _mod(self, node: Integer) -> list[Value]:
        whole, (count, bits) = node.args[0], divmod(node.amount, self.build.word)
        if self._is_low_product(node):
            a, b = (self._padded(factor, 1)[0] for factor in whole.args)
            return [self.build.mul_low(a, b)]
        most, mask = count + (bits > 0), (1 << bits) - 1
        words = self._padded(whole, most) if whole.low < 0 else self.words(whole)[:most]
        if len(words) > count and words[count].high > mask:
            cut = self.build.bit_and(words[count], self.build.constant(mask))
            words = [*words[:count], cut]
        return words[: self.size(node)]

    def _is_low_product(self, node: Integer) -> bool:
        """Return whether only the lowest limb of a product is read."""
        if node.op != "mod" or node.amount != self.build.word:
            return False
        return node.args[0].op == "mul" and self.uses[id(node.args[0])] == 1

    def _double(self, node: Integer) -> list[Value]:
        words = self._padded(node.args[0], self.size(node))
        below = [self.build.constant(0), *words]
        return [
            self.build.funnel(high, low, self.build.word - 1)
            for high, low in zip(words, below, strict=False)
        ]

    def _mul(self, node: Integer) -> list[Value]:
        return self._add_product([], node, 0, node.high)

    def _add(self, node: Integer) -> list[Value]:
        a, b = node.args
        total, addend = self._total_and_addend(node)
        product, offset = self._product_at(addend)
        if product is not None:
            return self._add_product(self.words(total), product, offset, node.high)
        size, carry = self.size(node), self.build.no_carry
        if self._is_next(b):
            b = b.args[0]
            self.words(b)  # first, because it is made by shifts
            carry = self.build.one_carry()
        total_words = Sum(self.build, self._padded(a, size), node.high)
        if min(a.low, b.low) < 0:  # the carry out of the top cancels a borrow
            total_words.high = (1 << self.build.word * size) * 2 - 1
        for position, word in enumerate(self._padded(b, size)):
            carry = total_words.add(position, word, carry)
        if self._carries_as_borrows(a, b, size):
            self._borrows[id(a)] = carry
        return total_words.words

    def _is_next(self, b: Integer) -> bool:
        """Whether a term is some number of several limbs and 1, which may then be a carry."""
        is_sum = b.op == "add" and self.uses[id(b)] == 1 and id(b) not in self._words
        return is_sum and b.args[1].is_constant(1) and self.size(b) > 1 and b.low > 0

    def _carries_as_borrows(self, a: Integer, b: Integer, size: int) -> bool:
        """Whether a + b has a carry exactly where the difference a has a borrow."""
        fits = a.high + b.high < 1 << self.build.word * size
        is_whole = id(a) in self._borrows and len(self.words(a)) == size
        return is_whole and a.low + b.low >= 0 > a.low and fits

    def _product_at(self, addend: Integer) -> tuple[Integer | None, int]:
        """Return the product in an addend and its limb; None if the addend is no product."""
        offset = 0
        if addend.op == "shift_left" and addend.amount % self.build.word == 0:
            offset, addend = addend.amount // self.build.word, addend.args[0]
        return (addend if addend.op == "mul" else None), offset

    def _total_and_addend(self, node: Integer) -> tuple[Integer, Integer]:
        """Return the terms of a sum, a product last."""
        a, b = node.args
        is_product = [self._product_at(term)[0] is not None for term in (a, b)]
        return (b, a) if is_product == [True, False] else (a, b)

    def _row_and_multiplier(self, product: Integer) -> tuple[Integer, Integer]:
        """Return the factors: the row, and the multiplier whose limbs multiply it."""
        row, multiplier = product.args
        if self.size(multiplier) > 1 or (self.size(row) == 1 and multiplier.op == "constant"):
            return multiplier, row
        return row, multiplier

    def _add_product(
        self, words: list[Value], product: Integer, offset: int, high: int
    ) -> list[Value]:
        row, multiplier = self._row_and_multiplier(product)
        if min(row.low, multiplier.low) < 0:
            raise LanguageError("a number that may be negative is no factor")
        for i, factor in enumerate(self.words(multiplier)):
            total = Sum(self.build, words, high)
            words = add_row(self.rows, total, self.words(row), factor, offset + i)
        return words

    def _sub(self, node: Integer) -> list[Value]:
        a, b = node.args
        words, borrow = [], self.build.no_carry
        # A difference that is never negative is right modulo any power of the radix above it.
        size = self.size(node) if node.low >= 0 else max(self.size(a), self.size(b))
        for x, y in zip(self._padded(a, size), self._padded(b, size), strict=True):
            difference, borrow = self.build.sub(x, y, borrow)
            words.append(difference)
        if min(a.low, b.low) >= 0:
            self._borrows[id(node)] = borrow
        return words

    def _flag(self, condition: Condition) -> Value:
        difference = condition.difference
        if difference.op != "sub":
            raise LanguageError("a condition compares a difference with 0: (a - b) < 0")
        self.words(difference)
        return self._sign(difference)

    def _condition_of(self, node: Integer) -> Value:
        if node.condition is None:
            raise LanguageError(f"{node.op} needs a condition")
        return self._flag(node.condition)

    def _select(self, node: Integer) -> list[Value]:
        if self._is_choice_of_constants(node):
            return self._less_a_choice(node)
        together = node.condition.choices if node.condition is not None else []
        nodes = together if any(one is node for one in together) else [node]
        sides = [[self._padded(arg, self.size(one)) for arg in one.args] for one in nodes]
        flag = self._condition_of(node)  # last: other carry chains would need a flag of their own
        for one, (a, b) in zip(nodes, sides, strict=True):
            self._words[id(one)] = [
                self.build.select(flag, x, y, one.high >> self.build.word * i)
                for i, (x, y) in enumerate(zip(a, b, strict=True))
            ]
        return self._words[id(node)]

    @staticmethod
    def _is_choice_of_constants(node: Integer) -> bool:
        """Whether both sides are one number less a constant: t - a or t - b."""
        a, b = node.args
        if a.op != "sub" or b.op != "sub" or a.args[0] is not b.args[0] or node.low < 0:
            return False
        return a.args[1].op == "constant" == b.args[1].op

    def _less_a_choice(self, node: Integer) -> list[Value]:
        """Return t less a or b by one subtraction, of the constant that is chosen."""
        build, size = self.build, self.size(node)
        t, a, b = (
            self._padded(part, size)
            for part in (node.args[0].args[0], node.args[0].args[1], node.args[1].args[1])
        )
        flag, is_inverse = self._flag_or_carry(node)
        if is_inverse:
            a, b = b, a
        borrow, chosen, mask = build.no_carry, [], build.top
        for i, (x, y) in enumerate(zip(a, b, strict=True)):
            power = (x.constant or 0) ^ (y.constant or 0)
            is_bit = power & power - 1 == 0 and 0 in (x.constant, y.constant)
            if i == size - 1 and is_bit and node.high >> build.word * i < power:
                # What is taken off is all there is from that bit on.
                mask, x, y = power - 1, build.constant(0), build.constant(0)
            chosen.append(build.select(flag, x, y, build.top))
        words = []
        for x, y in zip(t, chosen, strict=True):
            difference, borrow = build.sub(x, y, borrow)
            words.append(difference)
        return [*words[:-1], build.bit_and(words[-1], build.constant(mask))]

    def _flag_or_carry(self, node: Integer) -> tuple[Value, bool]:
        """The flag of a selection's condition, and whether it is set where the condition is not.

        t - 2^(w*i) is negative exactly where no carry goes into limb i, if that is t's highest.
        """
        condition = node.condition
        difference = None if condition is None else condition.difference
        if difference is not None and difference.op == "sub" and difference.args[1].is_constant(1):
            top = self.words(difference.args[0])
            carry = self.build.carry_that_made(top[0]) if len(top) == 1 else None
            if carry is not None:
                return carry, True
        return self._condition_of(node), False

    def _masked(self, node: Integer) -> list[Value]:
        mask = self.build.mask(self._condition_of(node))
        words = self.words(node.args[0])[: self.size(node)]
        return [self.build.bit_and(mask, word) for word in words]
