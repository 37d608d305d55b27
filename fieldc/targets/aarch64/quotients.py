"""Shifts in place of multiplications, for cores whose multipliers bind while other units are idle.

t*n0 is a sum of t and t shifted, where n0 or -n0 is 2^k + 1 or 2^k - 1. Shift and sum stay apart: a
sum with a shifted operand would take a multiplier's place on Neoverse V2, and two places on Apple's
M1. The high half of q*p[0] by a shift was tried too, for BLS12-381 r: the two more sums with a
borrow cost more than the product there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from fieldc.words.operations import ADD, FUNNEL, MUL_LOW, SUB, Kind, WordOperation
from fieldc.words.program import Program, Step, Value


@dataclass(frozen=True)
class ShiftedFactor:
    """The number sign * (2^k + more), where `more` is 1 or -1."""

    k: int
    more: int
    sign: int


def as_shift(number: int, word: int) -> ShiftedFactor | None:
    """A number modulo 2^w as a shift and a sum, if it is that."""
    for sign in (1, -1):
        for more in (1, -1):
            power = (sign * number - more) % (1 << word)
            k = power.bit_length() - 1
            if k > 0 and power == 1 << k:
                return ShiftedFactor(k, more, sign)
    return None


def with_shifts(program: Program) -> Program:
    """The program with shifts and sums for products with such constants."""
    values = (v for step in program.steps for v in (*step.inputs, *step.outputs))
    last = max(v.number for v in (*values, *program.results))
    maker = _Maker(program.word, last)
    steps = tuple(made for step in program.steps for made in maker.steps_for(step))
    return Program(program.name, program.word, program.operands, steps, program.results)


@dataclass
class _Maker:
    """Makes the steps of a product, with values of new numbers."""

    word: int
    number: int

    def steps_for(self, step: Step) -> Iterator[Step]:
        """The steps that do what a step does."""
        if step.operation is MUL_LOW:
            for t, n in (step.inputs, step.inputs[::-1]):
                if (factor := self._factor(n)) is not None:
                    yield from self._low(t, factor, step.outputs[0])
                    return
        yield step

    def _factor(self, value: Value) -> ShiftedFactor | None:
        """A constant that is known, as a shift and a sum."""
        known = value.constant if value.constant == value.high else None
        return as_shift(known, self.word) if known is not None else None

    def _low(self, t: Value, factor: ShiftedFactor, result: Value) -> Iterator[Step]:
        """t * factor modulo 2^w."""
        zero, high = self._new(0), self._new()
        yield Step(FUNNEL, (t, zero), (high,), self.word - factor.k)
        if factor.more < 0:
            yield self._sum(SUB, (high, t) if factor.sign > 0 else (t, high), result)
            return
        total = result if factor.sign > 0 else self._new()
        yield self._sum(ADD, (t, high), total)
        if factor.sign < 0:
            yield self._sum(SUB, (zero, total), result)

    def _sum(self, operation: WordOperation, pair: tuple[Value, Value], result: Value) -> Step:
        carries = self._flag(0), self._flag()
        return Step(operation, (*pair, carries[0]), (result, carries[1]))

    def _new(self, constant: int | None = None) -> Value:
        self.number += 1
        high = (1 << self.word) - 1 if constant is None else constant
        return Value(self.number, Kind.WORD, high, f"s_{self.number}", constant)

    def _flag(self, constant: int | None = None) -> Value:
        self.number += 1
        return Value(self.number, Kind.FLAG, 1 if constant is None else 0, "0", constant)
