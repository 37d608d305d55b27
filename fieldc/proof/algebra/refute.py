"""Runs the equations on numbers: a wrong kernel is refused at once, with operands that show it.

Nothing is proved here. A kernel that a run contradicts needs no attempt at a proof. All others go
on to the proof, also where a carry that is seldom 1 is wrong.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import prod

from fieldc.proof.algebra.equations import Equation, Polynomial, Select, System
from fieldc.proof.algebra.facts import Input


def evaluate(polynomial: Polynomial, values: Mapping[int, int]) -> int:
    """A polynomial's value."""
    return sum(int(c) * prod(values[v] for v in monomial) for monomial, c in polynomial.items())


def complete(system: System, values: dict[int, int]) -> None:
    """Give every variable its value, from those of the operands' limbs.

    What has a value keeps it: limbs of values between are as free as operands.
    """
    tops = {number: of for of, number in system.top_bits.items()}
    common = {number: of for of, number in system.common.items()}
    for number, owner in enumerate(system.owners):
        if number in values:
            continue
        if number in tops:
            word, shift = tops[number]
            values[number] = values[word] >> shift
            continue
        if number in common:
            a, b = common[number]
            values[number] = values[a] & values[b]
            continue
        row = system.written.get(owner, system.rows[owner])
        if isinstance(row, Select):
            values[row.word] = evaluate(row.when_set if values[row.flag] else row.otherwise, values)
        else:
            _define(row, evaluate(row.right, values), values, system.radix)


def _define(row: Equation, right: int, values: dict[int, int], radix: int) -> None:
    word = right if row.carry is None else right % radix
    values.setdefault(row.word, word)
    if row.carry is not None:
        values[row.carry] = (right - word) // row.factor


def runs(inputs: Sequence[Input], count: int) -> Iterator[tuple[int, ...]]:
    """Values of the operands: first the largest ones, then any; always the same ones."""
    draw = random.Random(1)
    for number in range(count):
        yield tuple(i.high if number == 0 else draw.randrange(i.high + 1) for i in inputs)


@dataclass(frozen=True)
class Sample:
    """One run: the operands' values, and those of all variables."""

    operands: tuple[int, ...]
    values: Mapping[int, int]


def samples(system: System, inputs: Sequence[Input], count: int) -> Iterator[Sample]:
    """Runs of the equations."""
    for operands in runs(inputs, count):
        values = {
            limb: value >> system.word_bits * index & system.radix - 1
            for operand, value in zip(inputs, operands, strict=True)
            for index, limb in enumerate(operand.limbs)
        }
        complete(system, values)
        meant = (evaluate(i.value(system.word_bits), values) for i in inputs)
        yield Sample(tuple(meant), values)


UNLIKELY = 24
"""Runs on operands near an end of their range, or with limbs of 0 and ones."""


@dataclass
class UnlikelyRuns:
    """Runs that show rare carries: made when they are first asked for, and always the same."""

    system: System
    inputs: tuple[Input, ...]
    _made: list[Mapping[int, int]] = field(default_factory=list)
    _known: int = 0
    """The number of variables when they were made."""

    def contradict(self, target: Polynomial, limit: int, fixed: Mapping[int, int]) -> bool:
        """Whether target > limit in a run in which variables have the values that are fixed."""
        return any(evaluate(target, run) > limit for run in self.of(fixed))

    def of(self, fixed: Mapping[int, int]) -> tuple[Mapping[int, int], ...]:
        """The runs in which variables have the values that are fixed."""
        if self._known != len(self.system.owners):
            self._made, self._known = [*self._runs()], len(self.system.owners)
        return tuple(run for run in self._made if all(run[v] == fixed[v] for v in fixed))

    def _runs(self) -> Iterator[Mapping[int, int]]:
        draw, w = random.Random(1), self.system.word_bits
        for _ in range(UNLIKELY):
            values: dict[int, int] = {}
            for operand in self.inputs:
                if self.system.owners[operand.limbs[0]] < 0:  # else it is computed
                    value = self._unlikely(operand, draw)
                    for index, limb in enumerate(operand.limbs):
                        values[limb] = value >> w * index & self.system.radix - 1
            complete(self.system, values)
            yield values

    def _unlikely(self, operand: Input, draw: random.Random) -> int:
        high, ones = operand.high, self.system.radix - 1
        small = draw.randrange(1 << draw.randrange(high.bit_length() + 1))
        limbs = [draw.choice((0, 1, ones, draw.randrange(ones))) for _ in operand.limbs]
        number = sum(limb << self.system.word_bits * i for i, limb in enumerate(limbs))
        return draw.choice((small, high - small, number)) % (high + 1)
