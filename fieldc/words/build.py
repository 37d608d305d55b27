"""Emits word steps: folds constants, shares equal steps, and bounds every output exactly."""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.words.operations import (
    ADD,
    AND,
    FUNNEL,
    LOAD,
    MASK,
    MUL,
    MUL_LOW,
    SELECT,
    SUB,
    Kind,
    WordOperation,
)
from fieldc.words.program import Step, Value

StepKey = tuple[str, tuple[int, ...], int, str]


@dataclass
class Builder:
    """Collects the steps of one program. `constant_names` names the field's own words.

    Of `unknown` constants nothing is used but that they are words: another field's may stand there.
    Equal steps are shared; those with a carry only where it `shares_carries`.
    """

    word: int
    constant_names: dict[int, str] = field(default_factory=dict)
    unknown: frozenset[int] = frozenset()
    shares_carries: bool = True
    steps: list[Step] = field(default_factory=list)
    _constants: dict[tuple[Kind, int], Value] = field(default_factory=dict)
    _shared: dict[StepKey, tuple[Value, ...]] = field(default_factory=dict)
    _numbers: int = 0

    @property
    def top(self) -> int:
        """2^w - 1."""
        return (1 << self.word) - 1

    @property
    def no_carry(self) -> Value:
        """Return the flag that is known to be 0."""
        return self._constant(Kind.FLAG, 0, "0")

    def constant(self, value: int) -> Value:
        """Return a word that is known when the kernel is compiled."""
        return self._constant(Kind.WORD, value, self.constant_names.get(value, hex(value)))

    def _constant(self, kind: Kind, value: int, name: str) -> Value:
        key = kind, value
        if key not in self._constants:
            high = self.top if kind is Kind.WORD and value in self.unknown else value
            self._constants[key] = Value(self._next(), kind, high, name, value)
        return self._constants[key]

    def _next(self) -> int:
        self._numbers += 1
        return self._numbers

    def _emit(
        self,
        operation: WordOperation,
        inputs: tuple[Value, ...],
        highs: tuple[int, ...],
        names: tuple[str, ...],
        attribute: int = 0,
        operand: str = "",
    ) -> tuple[Value, ...]:
        known = [v.constant for v in inputs]
        if inputs and None not in known:
            words = operation.compute(
                self.word, tuple(v for v in known if v is not None), attribute
            )
            return tuple(
                self.constant(v) if kind is Kind.WORD else self._constant(kind, v, str(v))
                for kind, v in zip(operation.outputs, words, strict=True)
            )
        key = operation.name, tuple(v.number for v in inputs), attribute, operand
        carries = Kind.FLAG in operation.outputs and highs[1] > 0
        if key not in self._shared or (carries and not self.shares_carries):
            outputs = []
            for kind, high, name in zip(operation.outputs, highs, names, strict=True):
                number = self._next()
                outputs.append(Value(number, kind, high, f"{name}_{number}"))
            self.steps.append(Step(operation, inputs, tuple(outputs), attribute, operand))
            self._shared[key] = tuple(outputs)
        return self._shared[key]

    def load(self, operand: str, index: int, high: int) -> Value:
        """Limb `index` of an operand, at most `high`."""
        if high == 0:
            return self.constant(0)
        highs = (min(high, self.top),)
        return self._emit(LOAD, (), highs, (f"{operand}{index}",), index, operand)[0]

    def add(
        self, a: Value, b: Value, carry: Value, limit: int | None = None, name: str = "t"
    ) -> tuple[Value, Value]:
        """Return (sum, carry_out). `limit` is a bound on a + b + carry that the caller knows."""
        if a.constant is not None and b.constant is None:
            a, b = b, a
        if b.constant == 0 and carry.constant == 0:
            return a, self.no_carry
        total = a.high + b.high + carry.high
        total = total if limit is None else min(total, limit)
        highs = min(total, self.top), min(total >> self.word, 1)
        s, c = self._emit(ADD, (a, b, carry), highs, (name, "carry"))
        return s, c if total > self.top else self.no_carry

    def sub(
        self, a: Value, b: Value, borrow: Value, limit: int | None = None, name: str = "d"
    ) -> tuple[Value, Value]:
        """Return (difference, borrow_out). The caller knows `limit`, a bound on the difference."""
        if b.constant == 0 and borrow.constant == 0:
            return a, self.no_carry
        highs = self.top if limit is None else min(limit, self.top), 1
        return self._pair(self._emit(SUB, (a, b, borrow), highs, (name, "borrow")))

    def one_carry(self) -> Value:
        """Return a flag that is 1, as a step that is not folded: the borrow of 0 - 1."""
        inputs = self.constant(0), self.constant(1), self.no_carry
        outputs = tuple(
            Value(self._next(), kind, high, name)
            for kind, high, name in zip(SUB.outputs, (self.top, 1), ("ones", "one"), strict=True)
        )
        self.steps.append(Step(SUB, inputs, outputs, 0, ""))
        return outputs[1]

    def carry_that_made(self, word: Value) -> Value | None:
        """Return the carry that a word is, if it is 0 + 0 and a carry."""
        made = next((step for step in self.steps if word in step.outputs), None)
        if made is None or made.operation is not ADD:
            return None
        a, b, carry = made.inputs
        return carry if a.constant == b.constant == 0 else None

    def mul(self, a: Value, b: Value) -> tuple[Value, Value]:
        """Return (low, high) of a*b; b is the row's multiplier."""
        for one, other in ((a, b), (b, a)):
            if one.constant in (0, 1):
                return (other if one.constant else one), self.constant(0)
        high = a.high * b.high
        low, rest = self._pair(
            self._emit(MUL, (a, b), (min(high, self.top), high >> self.word), ("lo", "hi"))
        )
        # Of tiny factors, such as 19, the high half stays: shipped schedules count its sum.
        smaller, larger = sorted((a.high, b.high))
        are_halves = smaller >> self.word // 4 and larger < 1 << self.word // 2
        return low, self.constant(0) if are_halves else rest

    @staticmethod
    def _pair(outputs: tuple[Value, ...]) -> tuple[Value, Value]:
        first, second = outputs
        return first, second

    def mul_low(self, a: Value, b: Value, name: str = "q", limit: int | None = None) -> Value:
        """Return a*b mod 2^w. `limit` is a bound on it that the caller knows."""
        for one, other in ((a, b), (b, a)):
            if one.constant in (0, 1):
                return other if one.constant else one
        high = self.top if limit is None else limit
        return self._emit(MUL_LOW, (a, b), (high,), (name,))[0]

    def select(self, flag: Value, a: Value, b: Value, high: int) -> Value:
        """a if flag else b."""
        if a.number == b.number or flag.constant is not None:
            return a if flag.constant else b
        highs = (min(max(a.high, b.high), high),)
        return self._emit(SELECT, (flag, a, b), highs, ("z",))[0]

    def mask(self, flag: Value) -> Value:
        """All ones if flag, else 0."""
        return self._emit(MASK, (flag,), (self.top,), ("mask",))[0]

    def bit_and(self, a: Value, b: Value) -> Value:
        """a & b."""
        for one, other in ((a, b), (b, a)):
            if one.constant in (0, self.top):
                return other if one.constant else one
        return self._emit(AND, (a, b), (min(a.high, b.high),), ("m",))[0]

    def funnel(self, high: Value, low: Value, k: int) -> Value:
        """((high*2^w + low) >> k) mod 2^w."""
        bound = min(((high.high << self.word) + low.high) >> k, self.top)
        return self._emit(FUNNEL, (high, low), (bound,), ("d",), k)[0]
