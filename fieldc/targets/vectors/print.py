"""The text of a kernel on arrays: its loop over blocks, its tail, and its tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from fieldc.targets.vectors.allocate import Allocation
from fieldc.targets.vectors.anchors import Anchor
from fieldc.targets.vectors.instructions import YMM, ZMM, Fixed, Vector, VectorSet
from fieldc.targets.vectors.select import (
    BLEND_MASKS,
    POINTERS,
    TAIL_MASKS,
    VECTOR_BYTES,
    VECTORS,
    Tables,
)
from fieldc.targets.vectors.transpose import LANES
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Placed, Register

WORD_BYTES = 8
WORDS_TABLE, VECTORS_TABLE, MASKS_TABLE = "words", "vectors", "masks"
ROUNDING_TABLE = "rounding"
TO_ZERO = 0x7F80
"""MXCSR: nothing is reported, and results are rounded to zero."""
CONTROL, CONTROL_BYTES = "dword ptr [rbp - 4]", 32
"""Where the caller's MXCSR is kept, and what a frame has for it: vectors stay aligned."""


@dataclass(frozen=True)
class LoopText:
    """What is printed: `block` is the code of eight elements, `tail` that of fewer."""

    block: Allocation
    tail: Allocation | None
    tables: Tables
    widths: Sequence[int]
    """Words of an element of each array, results first; 0 for one that stays where it is."""
    masked: int
    """Words of an element of the arrays that masks are for."""
    elements: int = LANES
    """Of a block: 8, or 16 of 32 bits, whose masks have a bit for each."""
    held: Sequence[str] = ()
    """The registers that the first array has while the loop runs."""
    vectors: VectorSet = ZMM
    anchors: Sequence[Anchor] = ()

    @property
    def rounds(self) -> bool:
        """Whether results are rounded in a way that instructions do not name."""
        return any(line.row.rounds_to_zero for line in self.block.code)


def array_text(loop: LoopText, comment: str, label: Callable[[str], str]) -> Iterator[str]:
    """The lines after the kernel's own label; `label` makes one that stays in the object."""
    printer = _YmmPrinter if loop.vectors is YMM else _Printer
    return printer(loop, comment, label).lines()


@dataclass(frozen=True)
class _Printer:
    loop: LoopText
    comment: str
    label: Callable[[str], str]

    def lines(self) -> Iterator[str]:
        """The whole text."""
        loop, frame = self.loop, self._frame()
        yield from _indented(self._start(frame))
        yield ".p2align 6"
        yield f"{self.label('block')}:"
        yield from map(self._line, loop.block.code)
        yield from _indented(self._advance())
        if loop.tail is not None:
            yield from self._tail_lines(loop.tail)
        yield f"{self.label('end')}:"
        held = self._held()
        yield from _indented(f"vmovdqu64 {place}, {register}" for register, place in held)
        yield from _indented(self._end(frame))
        yield from _indented(("vzeroupper", "ret"))
        yield from self._tables()

    @property
    def _mask_bytes(self) -> int:
        return self.loop.elements // LANES

    @property
    def _move_mask(self) -> str:
        return "kmovb" if self._mask_bytes == 1 else "kmovw"

    def _end(self, frame: int) -> Iterable[str]:
        return ("mov rsp, rbp", "pop rbp") if frame else ()

    def _frame(self) -> int:
        return max(a.frame for a in (self.loop.block, self.loop.tail) if a is not None)

    def _enter(self, frame: int) -> Iterable[str]:
        if frame:
            yield from ("push rbp", "mov rbp, rsp", f"sub rsp, {frame}")
            yield f"and rsp, -{self.loop.vectors.bytes}"

    def _start(self, frame: int) -> Iterable[str]:
        yield from self._enter(frame)
        loop = self.loop
        for register, mask in zip(BLEND_MASKS, loop.tables.masks, strict=False):
            yield from (f"mov eax, {mask}", f"{self._move_mask} {register}, eax")
        yield from (f"vmovdqu64 {register}, {place}" for register, place in self._held())
        if loop.tail is not None:
            yield from (f"sub rdi, {loop.elements}", f"jb {self.label('tail')}")
        else:
            yield from (f"add rdi, {LANES - 1}", f"shr rdi, {LANES.bit_length() - 1}")
            yield f"jz {self.label('end')}"

    def _held(self) -> Sequence[tuple[str, str]]:
        """Registers that the loop holds, and their places in memory."""
        places = (Memory(POINTERS[0], VECTOR_BYTES * i) for i in range(len(self.loop.held)))
        return [(r, self._memory("", p)) for r, p in zip(self.loop.held, places, strict=True)]

    def _advance(self) -> Iterable[str]:
        """On to the next block, if there is one."""
        loop = self.loop
        for pointer, width in zip(POINTERS, self.loop.widths, strict=False):
            if width:
                yield f"add {pointer}, {VECTOR_BYTES * width}"
        if loop.tail is not None:
            yield from (f"sub rdi, {loop.elements}", f"jae {self.label('block')}")
        else:
            yield from ("dec rdi", f"jnz {self.label('block')}")

    def _tail_lines(self, tail: Allocation) -> Iterable[str]:
        """What is left, 0 to 7 elements: the masks of each vector are in a table."""
        yield f"{self.label('tail')}:"
        yield from _indented(
            (
                f"add rdi, {self.loop.elements}",
                f"jz {self.label('end')}",
                f"imul rdi, rdi, {self._mask_step}",
                f"lea {TAIL_MASKS}, [rip + {self.label(MASKS_TABLE)}]",
                f"add {TAIL_MASKS}, rdi",
            )
        )
        yield from map(self._line, tail.code)

    @property
    def _mask_step(self) -> int:
        """How far an element's masks are apart."""
        return self.loop.masked * self._mask_bytes

    def _tables(self) -> Iterable[str]:
        tables = self.loop.tables
        if tables.vectors:
            yield from (".p2align 6", f"{self.label(VECTORS_TABLE)}:")
            yield from (f"    .quad {', '.join(map(str, index))}" for index in tables.vectors)
        if tables.words:
            yield from (".p2align 6", f"{self.label(WORDS_TABLE)}:")
            copies = tables.word_bytes // WORD_BYTES
            for word in tables.words:
                yield f"    .quad {', '.join([f'{word:#018x}'] * copies)}"
        if self.loop.tail is not None:
            yield from self._masks()

    def _masks(self) -> Iterable[str]:
        yield f"{self.label(MASKS_TABLE)}:"
        n, elements = self.loop.masked, self.loop.elements
        for left in range(elements):
            masks = (_mask(left * n - elements * v, elements) for v in range(n))
            size = ".byte" if self._mask_bytes == 1 else ".word"
            yield f"    {size} {', '.join(map(str, masks))}"

    def _line(self, line: Vector) -> str:
        row = line.row
        texts = [self._operand(line, operand) for operand in line.operands]
        lower = {f"x{i}": text.replace("ymm", "xmm", 1) for i, text in enumerate(texts)}
        plain = f"{row.mnemonic} {', '.join(texts)}"
        text = row.text.format(*texts, **lower) if row.text else plain
        return f"    {text:<55} {self.comment} {line.remark}" if line.remark else f"    {text}"

    def _operand(self, line: Vector, operand: Placed | Fixed) -> str:
        if isinstance(operand, Register | Fixed):
            return operand.name
        if isinstance(operand, Immediate):
            return str(operand.value)
        return self._memory(line.row.mnemonic, operand, line.row.bytes)

    def _memory(self, mnemonic: str, memory: Memory, size: int = 0) -> str:
        offset = f" + {memory.offset}" if memory.offset else ""
        if memory.base == CONSTANTS:
            where = f"qword ptr [rip + {self.label(WORDS_TABLE)}{offset}]"
            return where if mnemonic == "vpbroadcastq" else where + "{1to8}"
        if memory.base == VECTORS:
            return f"zmmword ptr [rip + {self.label(VECTORS_TABLE)}{offset}]"
        masks = "byte" if self._mask_bytes == 1 else "word"
        kind = masks if mnemonic == "mask" else "zmmword"
        kind = "qword" if mnemonic == "vpbroadcastq" else kind
        return f"{kind} ptr [{memory.base}{offset}]"


class _YmmPrinter(_Printer):
    """The same for vectors of four lanes, of which two hold a word of all elements."""

    def _frame(self) -> int:
        return super()._frame() + CONTROL_BYTES * self.loop.rounds

    def _enter(self, frame: int) -> Iterable[str]:
        yield from super()._enter(frame)
        if self.loop.rounds:
            yield f"vstmxcsr {CONTROL}"
            yield f"vldmxcsr dword ptr [rip + {self.label(ROUNDING_TABLE)}]"
        constants = f"rip + {self.label(WORDS_TABLE)}"
        for anchor in self.loop.anchors:
            base = constants if anchor.base == CONSTANTS else anchor.base
            yield f"lea {anchor.register}, [{base} + {anchor.offset}]"

    def _end(self, frame: int) -> Iterable[str]:
        if self.loop.rounds:
            yield f"vldmxcsr {CONTROL}"
        yield from super()._end(frame)

    @property
    def _mask_step(self) -> int:
        return -WORD_BYTES * self.loop.masked

    def _tables(self) -> Iterable[str]:
        if self.loop.rounds:
            yield from (".p2align 2", f"{self.label(ROUNDING_TABLE)}:", f"    .long {TO_ZERO:#x}")
        yield from super()._tables()

    def _masks(self) -> Iterable[str]:
        """Ones before the label and zeros after it, for every word of a block."""
        ones, zeros = (f"    .quad {', '.join([word] * LANES)}" for word in ("-1", "0"))
        yield from [ones] * self.loop.masked
        yield f"{self.label(MASKS_TABLE)}:"
        yield from [zeros] * self.loop.masked

    def _memory(self, mnemonic: str, memory: Memory, size: int = 0) -> str:
        offset = f" {'-' if memory.offset < 0 else '+'} {abs(memory.offset)}"
        offset = offset if memory.offset else ""
        kind = {0: self.loop.vectors.word, 4: "dword", 8: "qword", 16: "xmmword"}[size]
        base = memory.base
        if base == CONSTANTS:
            base = f"rip + {self.label(WORDS_TABLE)}"
        return f"{kind} ptr [{base}{offset}]"


def _mask(words: int, elements: int) -> int:
    """The mask of a vector of which so many words count."""
    return (1 << min(max(words, 0), elements)) - 1


def _indented(lines: Iterable[str]) -> Iterable[str]:
    return (f"    {line}" for line in lines)
