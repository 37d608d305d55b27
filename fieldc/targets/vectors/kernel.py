"""A kernel on arrays: the loop over blocks of eight elements, and its text.

    void symbol(size_t count, uint64_t *z, const uint64_t *x, ...)

An operation of two results has z0 and z1. In the layout `array` elements lie side by side, n limbs
of 64 bits each, and `count` elements are read and written, no byte more: masks cover what is left
after whole blocks. In the layouts of digits a block of eight elements has digit i of all of them
side by side, 64 bits each, and whole blocks are read and written, as many as hold `count` elements.
A result may be any operand; other overlaps are not allowed. No branch and no address depends on
anything but `count`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fieldc.algorithms.lanes import DIGIT_BITS
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.assemble import assemble
from fieldc.targets.vectors.allocate import Allocation, allocate
from fieldc.targets.vectors.instructions import Fixed, Vector
from fieldc.targets.vectors.select import (
    BLEND_MASKS,
    POINTERS,
    TAIL_MASKS,
    VECTOR_BYTES,
    VECTORS,
    Tables,
)
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.vectors.transpose import LANES
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Placed, Register
from fieldc.words.lanes import lower_in_lanes
from fieldc.words.program import Program

WORDS_TABLE, VECTORS_TABLE, MASKS_TABLE = "words", "vectors", "masks"


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
        return self.expression.kernel.result.count

    @property
    def masked_words(self) -> int:
        """Words of an element of the arrays in limbs, which masks are for."""
        is_result = self.result_field.word != DIGIT_BITS
        return self.element_words if is_result else self.program.operands[0][1]

    @property
    def ports(self) -> int:
        """Micro-operations on the two vector ports for eight elements."""
        return sum(line.row.ports for line in self.block.code)

    @property
    def products(self) -> int:
        """Multiplications of eight lanes each, for eight elements."""
        return sum(line.row.is_product for line in self.block.code)

    @cached_property
    def text(self) -> str:
        """The kernel as assembly in Intel's syntax."""
        return "\n".join(_Printer(self).lines()) + "\n"

    @cached_property
    def object(self) -> bytes:
        """The object file."""
        return assemble(self.text)


def compile_array(
    target: VectorTarget, expression: Expression, symbol: str, result_field: Field | None = None
) -> ArrayKernel:
    """A target's kernel on arrays of an expression, in limbs or digits as its field's words say.

    Its results are in the words of `result_field`, if there is one.
    """
    given = result_field or expression.field
    select = target.selection
    program = lower_in_lanes(expression, given, select.halves_together)
    into, out = (f.word != DIGIT_BITS for f in (expression.field, given))
    tables = Tables()
    count = expression.kernel.result.count

    def part(tail: bool) -> Allocation:
        return allocate(select(program, tables, into, out, count, tail).run())

    block = part(tail=False)
    tail = part(tail=True) if into or out else None
    return ArrayKernel(symbol, target, expression, program, block, tail, tables, given)


@dataclass(frozen=True)
class _Printer:
    kernel: ArrayKernel

    def lines(self) -> Iterable[str]:
        """The whole text."""
        k, frame = self.kernel, self._frame()
        yield from (".intel_syntax noprefix", ".text", f".globl {k.symbol}", ".p2align 6")
        yield f"{k.symbol}:"
        yield from _indented(self._start(frame))
        yield ".p2align 6"
        yield f"{self._label('block')}:"
        yield from map(self._line, k.block.code)
        yield from _indented(self._advance())
        if k.tail is not None:
            yield from self._tail_lines(k.tail)
        yield f"{self._label('end')}:"
        yield from _indented(("mov rsp, rbp", "pop rbp") if frame else ())
        yield from _indented(("vzeroupper", "ret"))
        yield from self._tables()
        yield ".att_syntax prefix"

    def _frame(self) -> int:
        frames = [a.frame for a in (self.kernel.block, self.kernel.tail) if a is not None]
        return max(frames)

    def _start(self, frame: int) -> Iterable[str]:
        if frame:
            yield from ("push rbp", "mov rbp, rsp", f"sub rsp, {frame}")
            yield f"and rsp, -{VECTOR_BYTES}"
        for register, mask in zip(BLEND_MASKS, self.kernel.tables.masks, strict=False):
            yield from (f"mov eax, {mask}", f"kmovb {register}, eax")
        if self.kernel.tail is not None:
            yield from (f"sub rdi, {LANES}", f"jb {self._label('tail')}")
        else:
            yield from (f"add rdi, {LANES - 1}", f"shr rdi, {LANES.bit_length() - 1}")
            yield f"jz {self._label('end')}"

    def _advance(self) -> Iterable[str]:
        """On to the next block, if there is one."""
        widths = [self.kernel.element_words] * self.kernel.results
        widths += [width for _, width in self.kernel.program.operands]
        for pointer, width in zip(POINTERS, widths, strict=False):
            yield f"add {pointer}, {VECTOR_BYTES * width}"
        if self.kernel.tail is not None:
            yield from (f"sub rdi, {LANES}", f"jae {self._label('block')}")
        else:
            yield from ("dec rdi", f"jnz {self._label('block')}")

    def _tail_lines(self, tail: Allocation) -> Iterable[str]:
        """What is left, 0 to 7 elements: the masks of each vector are in a table."""
        yield f"{self._label('tail')}:"
        yield from _indented(
            (
                f"add rdi, {LANES}",
                f"jz {self._label('end')}",
                f"imul rdi, rdi, {self.kernel.masked_words}",
                f"lea {TAIL_MASKS}, [rip + {self._label(MASKS_TABLE)}]",
                f"add {TAIL_MASKS}, rdi",
            )
        )
        yield from map(self._line, tail.code)

    def _tables(self) -> Iterable[str]:
        tables = self.kernel.tables
        if tables.vectors:
            yield from (".p2align 6", f"{self._label(VECTORS_TABLE)}:")
            yield from (f"    .quad {', '.join(map(str, index))}" for index in tables.vectors)
        if tables.words:
            yield from (".p2align 6", f"{self._label(WORDS_TABLE)}:")
            yield from (f"    .quad {word:#018x}" for word in tables.words)
        if self.kernel.tail is not None:
            yield f"{self._label(MASKS_TABLE)}:"
            n = self.kernel.masked_words
            for left in range(LANES):
                masks = (_mask(left * n - LANES * v) for v in range(n))
                yield f"    .byte {', '.join(map(str, masks))}"

    def _label(self, name: str) -> str:
        return f".L{self.kernel.symbol}_{name}"

    def _line(self, line: Vector) -> str:
        row = line.row
        texts = [self._operand(line, operand) for operand in line.operands]
        text = row.text.format(*texts) if row.text else f"{row.mnemonic} {', '.join(texts)}"
        return f"    {text:<55} # {line.remark}" if line.remark else f"    {text}"

    def _operand(self, line: Vector, operand: Placed | Fixed) -> str:
        if isinstance(operand, Register | Fixed):
            return operand.name
        if isinstance(operand, Immediate):
            return str(operand.value)
        return self._memory(line.row.mnemonic, operand)

    def _memory(self, mnemonic: str, memory: Memory) -> str:
        offset = f" + {memory.offset}" if memory.offset else ""
        if memory.base == CONSTANTS:
            where = f"qword ptr [rip + {self._label(WORDS_TABLE)}{offset}]"
            return where if mnemonic == "vpbroadcastq" else where + "{1to8}"
        if memory.base == VECTORS:
            return f"zmmword ptr [rip + {self._label(VECTORS_TABLE)}{offset}]"
        size = "byte" if mnemonic == "mask" else "zmmword"
        return f"{size} ptr [{memory.base}{offset}]"


def _mask(words: int) -> int:
    """The mask of a vector of which so many words count."""
    return (1 << min(max(words, 0), LANES)) - 1


def _indented(lines: Iterable[str]) -> Iterable[str]:
    return (f"    {line}" for line in lines)


def layouts(kernel: ArrayKernel) -> Sequence[str]:
    """The layouts that the kernel's arrays have."""
    if kernel.in_array:
        return ("array",)
    return ("digits",) if kernel.expression.kernel.computes.is_lazy else ("canonical-digits",)
