"""A kernel on arrays: the loop over blocks of eight elements, and its text.

    void symbol(size_t count, uint64_t *z, const uint64_t *x, ...)

An operation of two results has z0 and z1. In the layout `array` elements lie side by side, n limbs
of 64 bits each, and `count` elements are read and written, no byte more: masks cover what is left
after whole blocks. For words of 32 bits `uint64_t` is `uint32_t` above, and a block has sixteen
elements. In the layouts of digits a block of eight elements has digit i of all of them
side by side, 64 bits each, and whole blocks are read and written, as many as hold `count` elements.
A result may be any operand; other overlaps are not allowed. No branch and no address depends on
anything but `count`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from fieldc.algorithms.columns import ACCUMULATE, SUM, Columns
from fieldc.algorithms.lane_words import HALF_BITS, is_in_words
from fieldc.algorithms.lanes import DIGIT_BITS, NoLanes
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.assemble import assemble
from fieldc.targets.vectors.allocate import Allocation, allocate
from fieldc.targets.vectors.anchors import Anchor, anchored
from fieldc.targets.vectors.halves import HalfSelection
from fieldc.targets.vectors.instructions import YMM
from fieldc.targets.vectors.print import LoopText, array_text
from fieldc.targets.vectors.select import HELD, POINTERS, Selection, Tables
from fieldc.targets.vectors.sums import PairSumSelection
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.vectors.transpose import LANES
from fieldc.targets.vectors.words import WordSelection
from fieldc.words.lanes import lower_in_lanes
from fieldc.words.program import Program


@dataclass(frozen=True)
class ArrayKernel:
    """A finished kernel on arrays: `block` is the code of eight elements, `tail` that of fewer."""

    symbol: str
    target: VectorTarget
    expression: Expression
    program: Program
    block: Allocation
    tail: Allocation | None
    tables: Tables
    result_field: Field
    columns: Columns | None = None
    """Those of the operand t, where it lies in some."""
    in_digits: tuple[str, ...] = ()
    """The operands that are in digits, of a field in limbs."""
    shared: tuple[str, ...] = ()
    """The operands that have one element, which serves for all."""
    anchors: tuple[Anchor, ...] = ()
    """The registers that point near what the loop reads most."""

    @property
    def in_array(self) -> bool:
        """Whether elements lie side by side in limbs."""
        return self.tail is not None

    @property
    def element_words(self) -> int:
        """Words of 64 bits of one element."""
        return len(self.program.results) // self.results

    @property
    def results(self) -> int:
        """How many arrays of results there are."""
        return 1 if self.adds else self.expression.kernel.result.count

    @property
    def masked_words(self) -> int:
        """Words of an element of the arrays in limbs, which masks are for."""
        if self.held:
            return 1
        f = self.expression.field if self.result_field.word == DIGIT_BITS else self.result_field
        return f.n

    @property
    def elements(self) -> int:
        """Elements of a block: one for each lane, or two of 32 bits."""
        if self.columns is not None and self.adds:
            return self.columns.terms * LANES
        return 2 * LANES if self.result_field.word == HALF_BITS else LANES

    @property
    def adds(self) -> bool:
        """Whether it adds to columns, which stay where they are."""
        return self.expression.kernel.operation == ACCUMULATE

    @property
    def held(self) -> Sequence[str]:
        """The registers that columns have while the loop runs."""
        if self.columns is None or not (self.adds and self.columns.are_held):
            return ()
        return HELD[: self.columns.count]

    @property
    def ports(self) -> int:
        """Micro-operations on vector ports for a block."""
        return sum(line.row.ports for line in self.block.code)

    @property
    def products(self) -> int:
        """Multiplications of eight lanes each, for a block."""
        return sum(line.row.is_product for line in self.block.code)

    @property
    def rounds(self) -> bool:
        """Whether products are by doubles that MXCSR rounds, which instructions do not name."""
        return any(line.row.rounds_to_zero for line in self.block.code)

    def lines(self, comment: str, label: Callable[[str], str]) -> list[str]:
        """The code and its tables in Intel's syntax; `label` makes a label of its own."""
        masked = self.masked_words if self.tail is not None else 0
        parts = self.block, self.tail, self.tables, self.widths, masked, self.elements, self.held
        loop = LoopText(*parts, self.target.selection.registers, self.anchors)
        return list(array_text(loop, comment, label))

    @property
    def widths(self) -> list[int]:
        """Words of an element of each array, results first; 0 for one that stays where it is."""
        if self.columns is not None and self.adds:
            given = (width for name, width in self.program.operands if name != SUM)
            return [0, *(width // self.columns.terms for width in given)]
        operands = [0 if n in self.shared else width for n, width in self.program.operands]
        return [self.element_words] * self.results + operands

    def with_anchors(self) -> ArrayKernel:
        """The same kernel, whose registers of 256 bits are loaded by shorter instructions."""
        if self.target.selection.registers is not YMM:
            return self
        pointers = POINTERS[: len(self.widths)]
        found = anchored(self.block, self.tail, self.tables, pointers)
        kernel = replace(self, block=found.block, tail=found.tail)
        return replace(kernel, tables=found.tables, anchors=found.anchors)

    @cached_property
    def text(self) -> str:
        """The kernel as a file of assembly in Intel's syntax."""
        start = (".intel_syntax noprefix", ".text", f".globl {self.symbol}", ".p2align 6")
        body = self.lines("#", lambda name: f".L{self.symbol}_{name}")
        return "\n".join((*start, f"{self.symbol}:", *body, ".att_syntax prefix")) + "\n"

    @cached_property
    def object(self) -> bytes:
        """The object file."""
        return assemble(self.text)


def compile_array(
    target: VectorTarget,
    expression: Expression,
    symbol: str,
    result_field: Field | None = None,
    columns: Columns | None = None,
    in_digits: Collection[str] = (),
    shared: Collection[str] = (),
) -> ArrayKernel:
    """A target's kernel on arrays of an expression, in limbs or digits as its field's words say.

    Operands that `in_digits` names are in digits whatever the field's words are. Operands in digits
    that `shared` names have one element, which serves for all.
    Its results are in the words of `result_field`, if there is one. Where there are `columns`, the
    operand t lies in them. A result in digits then is t, which stays in its place.
    Raises NoLanes where the target does not take the field.
    """
    if not target.takes(expression.field):
        raise NoLanes(f"{target.name} has no kernels for a modulus of {expression.field.bits} bits")
    given = result_field or expression.field
    style = target.selection.style
    program = lower_in_lanes(expression, given, style, columns, in_digits)
    select = _selection(target, expression, columns)
    names = [name for name, _ in expression.kernel.operands]
    digits = {*(names if expression.field.word == DIGIT_BITS else in_digits)}
    named = SUM if columns is not None else ""
    digits |= {named} & {*names}
    tables, out = Tables(word_bytes=select.constant_bytes), given.word != DIGIT_BITS
    count, adds = expression.kernel.result.count, expression.kernel.operation == ACCUMULATE
    holds = adds and columns is not None and columns.are_held

    def part(tail: bool) -> Allocation:
        given = program, tables, digits, out, count, tail, named, adds, holds, shared
        selected = select(*given)
        code = selected.run()
        return allocate(code, selected.held, selected.kept, select.rows, select.registers)

    block = part(tail=False)
    tail = part(tail=True) if out or len(digits) < len(names) else None
    parts = program, block, tail, tables, given, columns
    made = ArrayKernel(symbol, target, expression, *parts, (*in_digits,), (*shared,))
    return made.with_anchors()


def _selection(
    target: VectorTarget, expression: Expression, columns: Columns | None
) -> type[Selection]:
    """What selects the instructions of an expression."""
    if expression.field.word == HALF_BITS:
        return HalfSelection
    if not is_in_words(expression.field, expression.kernel):
        return target.selection
    if target.words is not None:
        return target.words
    if columns is None or expression.kernel.operation != ACCUMULATE or columns.terms == 1:
        return WordSelection
    return PairSumSelection


def layouts(kernel: ArrayKernel) -> Sequence[str]:
    """The layouts that the kernel's arrays have."""
    if kernel.in_array:
        return ("array",)
    return ("digits",) if kernel.expression.kernel.computes.is_lazy else ("canonical-digits",)
