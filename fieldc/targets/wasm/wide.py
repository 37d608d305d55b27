"""Prints word programs as functions of WebAssembly with arithmetic of 128 bits.

WebAssembly/wide-arithmetic: a product has both of its words, and a sum of two pairs of words keeps
the carry between them. A carry out of one word is the upper word of a sum with 0 above it; a borrow
is the upper word of such a difference, which is the mask that a selection wants.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from fieldc.targets.wasm.encode import Instruction, WasmFunction
from fieldc.targets.wasm.kernel import MASKS, SET, Printer, print_by
from fieldc.words.operations import ADD, SUB, Kind
from fieldc.words.program import Program, Step, Value
from fieldc.words.rows import RowChoice, RowStyle

WIDE_ARITHMETIC = "wide-arithmetic"
"""Return the features that a module needs of its engine."""
ROWS = RowChoice(RowStyle.CARRY_WORD)
"""Each product takes two words in, and two sums of pairs are all there is to it.

Modulo BLS12-381 p 131 sums of pairs; styles that keep flags have 224 and 34 of words, or more.
"""
ALGORITHMS = ("log-jump", "cios")
"""What suits it, the best first. BLS12-381 p: 131 sums of pairs and 73 or 78 products; modulo
BLS12-381 r cios takes 55 sums of pairs, log-jump-complement 62, 15 % slower in Firefox.
"""
ZERO = Value(-1, Kind.WORD, 0, "0", 0)


def print_wide(program: Program, name: str) -> WasmFunction:
    """The function name(z, x, ...) of `print_wasm`, for an engine with wide arithmetic.

    Raises WordSizeError.
    """
    return print_by(WidePrinter, program, name)


@dataclass
class WidePrinter(Printer):
    """A step that alone reads the carry of another one is done together with it, if it can be."""

    uppers: dict[int, Step] = field(default_factory=dict)
    """Such steps by the number of the carry."""
    done: set[int] = field(default_factory=set)
    """Their first outputs."""
    latest: tuple[Value, ...] = ()
    """A pair that was made by the last instruction before its locals were set."""

    def __post_init__(self) -> None:
        super().__post_init__()
        steps = self.program.steps
        made = {v.number: place for place, step in enumerate(steps) for v in step.outputs}
        for step in steps:
            if step.operation not in (ADD, SUB) or self.reads[step.outputs[1].number]:
                continue
            *terms, carry = step.inputs
            maker = made.get(carry.number, -1)
            if maker < 0 or self.reads[carry.number] > 1:
                continue
            if all(made.get(v.number, -1) < maker for v in terms):
                self.uppers[carry.number] = step
                self.done.add(step.outputs[0].number)

    def _get(self, value: Value) -> list[Instruction]:
        if value.number in self.masked:  # a borrow is there as a mask alone
            return [("i64.const", 0), *self._mask_of(value), ("i64.sub",)]
        return super()._get(value)

    def _mul(self, step: Step) -> None:
        (a, b), (low, high) = step.inputs, step.outputs
        self.out += [*self._get(a), *self._get(b), ("i64.mul_wide_u",)]
        self._name_pair(low, high)

    def _add(self, step: Step) -> None:
        total, carry_out = step.outputs
        if total.number in self.done:
            return
        if not self.reads[carry_out.number]:
            super()._add(step)
            return
        (a, b, carry), (c, d, high) = step.inputs, self._above(carry_out)
        (a, b), (c, d) = (sorted(pair, key=self._is_old) for pair in ((a, b), (c, d)))
        self._sum(a, c, b, d, "i64.add128")
        if carry.constant != 0:
            self.out += [*self._get(carry), *self._get(ZERO), ("i64.add128",)]
        self._name_pair(total, high)

    def _sub(self, step: Step) -> None:
        (a, b, borrow), (difference, borrow_out) = step.inputs, step.outputs
        if difference.number in self.done:
            return
        mask = self._mask_of(borrow) if borrow.constant != 0 else []
        if not self.reads[borrow_out.number]:
            code = self._get(a)
            code += [*self._get(b), ("i64.sub",)] if b.constant != 0 else []
            self._put(difference, [*code, *mask, ("i64.add",)] if mask else code)
            return
        c, d, high = self._above(borrow_out)
        self._sum(a, c, b, d, "i64.sub128")
        self.out += [*mask, *mask, ("i64.add128",)] if mask else []
        if high is borrow_out:
            self.masked.add(high.number)
            self.out.append((SET, MASKS + high.number))
            self.out.append((SET, self._local(difference.number)))
        else:
            self._name_pair(difference, high)

    def _above(self, carry: Value) -> tuple[Value, Value, Value]:
        """What is added above a sum, and the result: with nothing to add the carry itself."""
        if carry.number not in self.uppers:
            return ZERO, ZERO, carry
        upper = self.uppers[carry.number]
        return upper.inputs[0], upper.inputs[1], upper.outputs[0]

    def _sum(self, a: Value, c: Value, b: Value, d: Value, operation: str) -> None:
        """The pair (a, c) with (b, d), on the stack; a pair that was just made is there."""
        if (a, c) == self.latest and self.out[-2:] == self._setting(a, c):
            del self.out[-2:]
        else:
            self.out += [*self._get(a), *self._get(c)]
        if (b.constant, d.constant) != (0, 0):
            self.out += [*self._get(b), *self._get(d), (operation,)]

    def _name_pair(self, low: Value, high: Value) -> None:
        self.out += self._setting(low, high)
        read_once = all(self.reads[v.number] == 1 for v in (low, high))
        self.latest = (low, high) if read_once else ()

    def _setting(self, low: Value, high: Value) -> list[Instruction]:
        return [(SET, self._local(high.number)), (SET, self._local(low.number))]

    def _is_old(self, value: Value) -> bool:
        return value not in self.latest
