"""Shifts in place of multiplications, for cores whose multipliers bind while other units are idle.

t*n0 is a sum of t and t shifted, where n0 or -n0 is 2^k + 1 or 2^k - 1. Shift and sum stay apart: a
sum with a shifted operand would take a multiplier's place on Neoverse V2, and two places on Apple's
M1.

Where p[0] is 2^64 - 2^k + 1 and k is at least 32, the high half of q*p[0] is made so too:

    t + q*p[0] = 2^64 * (q - (q >> 64 - k) + c), where c is the carry of q + t

since q + t and q << k are the same modulo 2^64. The sum takes the place of the comparison that
says whether t is 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from fieldc.targets.aarch64.cancel import Cancelled, cancellations
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


def can_shift_high(n0: int, word: int) -> bool:
    """Whether the high half of a quotient times p[0] can be made by a shift and a difference."""
    by = as_shift(n0, word)
    return by is not None and (by.more, by.sign) == (1, -1) and 2 * by.k >= word


def with_shifted_highs(program: Program, rows: int) -> Program:
    """The program with shifts for high halves, in so many rows of the reduction from the first."""
    maker = _Maker(program.word, _last(program))
    found = [one for one in cancellations(program) if _has_shifted_high(one, program)][:rows]
    sums = {one.step.outputs[1].number: one for one in found}
    products = {one.product.outputs[0].number: one for one in found}
    steps: list[Step] = []
    for step in program.steps:
        if (one := sums.get(step.outputs[-1].number)) is not None:
            steps.append(replace(step, inputs=(one.quotient, one.limb, step.inputs[2])))
        elif (one := products.get(step.outputs[0].number)) is not None:
            steps += maker.high(one)
        else:
            steps.append(step)
    return replace(program, steps=tuple(steps))


def _has_shifted_high(one: Cancelled, program: Program) -> bool:
    """Whether the product's constant is 2^64 - 2^k + 1 for such a k."""
    constants = (v.constant for v in one.product.inputs if v.constant == v.high)
    numbers = (-pow(c, -1, 1 << program.word) for c in constants if c is not None and c % 2)
    return any(can_shift_high(number, program.word) for number in numbers)


def _last(program: Program) -> int:
    """The highest number of a value."""
    values = (v for step in program.steps for v in (*step.inputs, *step.outputs))
    return max(v.number for v in (*values, *program.results))


def with_shifts(program: Program) -> Program:
    """The program with shifts and sums for products with such constants."""
    maker = _Maker(program.word, _last(program))
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

    def high(self, one: Cancelled) -> Iterator[Step]:
        """q - (q >> 64 - k) for the high half of q*p[0], where p[0] is 2^64 - 2^k + 1."""
        q, top = one.quotient, self._new()
        p0 = next(v for v in one.product.inputs if v != q).constant or 0
        k = ((1 << self.word) + 1 - p0).bit_length() - 1
        yield Step(FUNNEL, (self._new(0), q), (top,), self.word - k)
        yield self._sum(SUB, (q, top), one.product.outputs[1])

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
        if factor.sign > 0:
            yield self._sum(ADD, (t, high), result)
            return
        negated = self._new()  # beside the shift, so that q is there a cycle earlier
        yield self._sum(SUB, (zero, t), negated)
        yield self._sum(SUB, (negated, high), result)

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
