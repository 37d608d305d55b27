"""From exact integers to words: each expression becomes as many limbs as its bounds need."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from fieldc.field import Field
from fieldc.language import Condition, Integer, LanguageError, Trace
from fieldc.words.build import Builder
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, Sum, add_row

EXCHANGED = {"x": "y", "y": "x"}
FIELD_CONSTANTS = ("p", "mu", "R2")


def lower(
    trace: Trace,
    rows: RowChoice | None = None,
    unknown: frozenset[int] = frozenset(),
    exchanged: bool = False,
) -> Program:
    """The word program of a traced kernel, rows of products added in the chosen style.

    `unknown` constants are taken for any words, as far as bounds of words go. `exchanged` reads x
    where the text has y and y where it has x: for operations where the order is free.
    """
    f = trace.field
    build = Builder(f.word, constant_names(f), unknown)
    names = EXCHANGED if exchanged else {}
    lowering = _Lowering(build, rows or RowChoice(), uses_of(trace.result), names)
    words = lowering.words(trace.result)
    zeros = [build.constant(0)] * (f.n - len(words))
    operands = tuple((name, bound.width(f)) for name, bound in trace.kernel.operands)
    return without_dead_steps(
        Program(trace.kernel.operation, f.word, operands, tuple(build.steps), tuple(words + zeros))
    )


def constant_names(f: Field) -> dict[int, str]:
    """Names for the words of the field's constants, as `p[0]`, `mu[2]`, `n0`."""
    names = {
        limb: f"{constant}[{i}]"
        for constant in reversed(FIELD_CONSTANTS)
        for i, limb in reversed(list(enumerate(f.limbs(getattr(f, constant)))))
    }
    return {**names, f.n0: "n0", 0: "0x0", 1: "0x1"}


def without_dead_steps(program: Program) -> Program:
    """The same results without steps that nothing reads."""
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
    """How many expressions read each node, by identity."""
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
class _Lowering:
    build: Builder
    rows: RowChoice
    uses: Counter[int]
    names: dict[str, str]
    _words: dict[int, list[Value]] = field(default_factory=dict)
    _borrows: dict[int, Value] = field(default_factory=dict)

    def words(self, node: Integer) -> list[Value]:
        """The limbs of a node, least significant first; of a negative one, modulo 2^(w*limbs)."""
        key = id(node)
        if key not in self._words:
            self._words[key] = getattr(self, f"_{node.op}")(node)
        return self._words[key]

    def size(self, node: Integer) -> int:
        """Limbs that hold every value of a node."""
        largest = max(node.high, -node.low)
        return -(-largest.bit_length() // self.build.word)

    def _padded(self, node: Integer, count: int) -> list[Value]:
        words = self.words(node)[:count]
        return words + [self.build.constant(0)] * (count - len(words))

    def _input(self, node: Integer) -> list[Value]:
        w, name = self.build.word, self.names.get(node.name, node.name)
        limbs = range(self.size(node))
        return [self.build.load(name, node.amount + i, node.high >> w * i) for i in limbs]

    def _constant(self, node: Integer) -> list[Value]:
        w, top = self.build.word, self.build.top
        return [self.build.constant(node.high >> w * i & top) for i in range(self.size(node))]

    def _limbs_of(self, node: Integer) -> int:
        if node.amount % self.build.word:
            raise LanguageError(f"{node.op} by {node.amount} bits is not by whole limbs")
        return node.amount // self.build.word

    def _shift_right(self, node: Integer) -> list[Value]:
        return self.words(node.args[0])[self._limbs_of(node) :][: self.size(node)]

    def _shift_left(self, node: Integer) -> list[Value]:
        return [self.build.constant(0)] * self._limbs_of(node) + self.words(node.args[0])

    def _mod(self, node: Integer) -> list[Value]:
        product, count = node.args[0], self._limbs_of(node)
        if product.op == "mul" and count == 1 and self.uses[id(product)] == 1:
            a, b = (self._padded(factor, 1)[0] for factor in product.args)
            return [self.build.mul_low(a, b)]
        return self.words(product)[:count][: self.size(node)]

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
        for total, addend in ((a, b), (b, a)):
            offset = 0
            if addend.op == "shift_left":
                offset, addend = self._limbs_of(addend), addend.args[0]
            if addend.op == "mul":
                return self._add_product(self.words(total), addend, offset, node.high)
        size, carry = self.size(node), self.build.no_carry
        total_words = Sum(self.build, self._padded(a, size), node.high)
        if min(a.low, b.low) < 0:  # the carry out of the top cancels a borrow
            total_words.high = (1 << self.build.word * size) * 2 - 1
        for position, word in enumerate(self._padded(b, size)):
            carry = total_words.add(position, word, carry)
        return total_words.words

    def _add_product(
        self, words: list[Value], product: Integer, offset: int, high: int
    ) -> list[Value]:
        row, multiplier = product.args
        if self.size(multiplier) > 1 or (self.size(row) == 1 and multiplier.op == "constant"):
            row, multiplier = multiplier, row
        for i, factor in enumerate(self.words(multiplier)):
            total = Sum(self.build, words, high)
            words = add_row(self.rows, total, self.words(row), factor, offset + i)
        return words

    def _sub(self, node: Integer) -> list[Value]:
        a, b = node.args
        words, borrow = [], self.build.no_carry
        size = max(self.size(a), self.size(b))
        for x, y in zip(self._padded(a, size), self._padded(b, size), strict=True):
            difference, borrow = self.build.sub(x, y, borrow)
            words.append(difference)
        self._borrows[id(node)] = borrow
        return words

    def _flag(self, condition: Condition) -> Value:
        difference = condition.difference
        if difference.op != "sub":
            raise LanguageError("a condition compares a difference with 0: (a - b) < 0")
        self.words(difference)
        return self._borrows[id(difference)] if difference.low < 0 else self.build.no_carry

    def _condition_of(self, node: Integer) -> Value:
        if node.condition is None:
            raise LanguageError(f"{node.op} needs a condition")
        return self._flag(node.condition)

    def _select(self, node: Integer) -> list[Value]:
        flag, size, w = self._condition_of(node), self.size(node), self.build.word
        a, b = (self._padded(arg, size) for arg in node.args)
        return [
            self.build.select(flag, x, y, node.high >> w * i)
            for i, (x, y) in enumerate(zip(a, b, strict=True))
        ]

    def _masked(self, node: Integer) -> list[Value]:
        mask = self.build.mask(self._condition_of(node))
        return [self.build.bit_and(mask, word) for word in self.words(node.args[0])]
