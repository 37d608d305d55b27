"""AArch64 code for the tests: kernels as LLVM compiles them, and instructions encoded by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache

from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.language import BoundError, Kernel
from fieldc.machine.assemble import compile_ir
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import LLVM_TARGETS
from fieldc.words.lower import lower

RET, NOP = 0xD65F03C0, 0xD503201F


@cache
def code_of(name: str, kernel: Kernel, target_name: str = "aarch64-linux") -> bytes | None:
    """A kernel's code as LLVM compiles it, or None where the field has no such kernel."""
    target = LLVM_TARGETS[target_name]
    processor = target.processor
    try:
        expression = kernel.expression(find_field(name))
    except BoundError:
        return None
    ir = print_llvm(lower(expression, processor.rows), "k", processor.form)
    object_ = compile_ir(ir, target.triple, processor.cpu, processor.features).object
    return function_of(object_, "k").code


def words_of(code: bytes) -> list[int]:
    return [int.from_bytes(code[i : i + 4], "little") for i in range(0, len(code), 4)]


def bytes_of(words: list[int]) -> bytes:
    return b"".join(w.to_bytes(4, "little") for w in words)


# Mutants


def changed(word: int) -> Iterator[tuple[str, int]]:
    """One instruction's mutants."""
    yield "nop", NOP
    top = word >> 21
    if top in (0x9A000000 >> 21, 0xBA000000 >> 21, 0xDA000000 >> 21, 0xFA000000 >> 21):
        yield "carry in dropped", word & ~0x9A000000 | (word & 0xE0000000) | 0x8B000000
        yield "sum for difference", word ^ 0x40000000
    if top == 0x9A800000 >> 21 or word >> 21 == 0x1A800000 >> 21:
        yield "condition inverted", word ^ 0x1000
        yield "another condition", word ^ 0x2000
    if word >> 21 == 0x6A000000 >> 21:
        yield "one operand alone", word & ~(31 << 16) | (word >> 5 & 31) << 16
        yield "the other alone", word & ~(31 << 5) | (word >> 16 & 31) << 5
    if word >> 29 in (4, 5, 6, 7) and word >> 24 & 0x1F in (0x0A, 0x0B, 0x1A):
        rn, rm = word >> 5 & 31, word >> 16 & 31
        yield "operands swapped", word & ~(31 << 5 | 31 << 16) | rm << 5 | rn << 16
        yield "another register", word ^ 1 << 16
    if word >> 23 == 0xF2800000 >> 23:
        yield "constant", word ^ 1 << 5
    if word >> 22 in (0xA9400000 >> 22, 0xA9000000 >> 22):
        yield "offset", word ^ 1 << 15


def mutants(code: bytes) -> Iterator[tuple[str, bytes]]:
    words = words_of(code)
    end = words.index(RET)
    for place in range(end):
        for why, word in changed(words[place]):
            if word != words[place]:
                yield f"{4 * place:#x} {why}", bytes_of([*words[:place], word, *words[place + 1 :]])


# Encodings


def three(base: int) -> Callable[..., int]:
    """An encoding with a target and two operands, and what is or-ed to it."""

    def encode(rd: int, rn: int, rm: int, more: int = 0) -> int:
        return base | more | rm << 16 | rn << 5 | rd

    return encode


ADC, ADCS, SBC, SBCS = (three(b) for b in (0x9A000000, 0xBA000000, 0xDA000000, 0xFA000000))
ADD, ADDS, SUB, SUBS = (three(b) for b in (0x8B000000, 0xAB000000, 0xCB000000, 0xEB000000))
AND, ANDS, BIC, ORR = (three(b) for b in (0x8A000000, 0xEA000000, 0x8A200000, 0xAA000000))
EOR, ORN, EXTR = (three(b) for b in (0xCA000000, 0xAA200000, 0x93C00000))
CSEL, CSINC, CSINV, CSNEG = (three(b) for b in (0x9A800000, 0x9A800400, 0xDA800000, 0xDA800400))
MADD, MSUB, UMULH = (three(b) for b in (0x9B000000, 0x9B008000, 0x9BC07C00))
UMADDL = three(0x9BA00000)
UBFM, SBFM = three(0xD3400000), three(0x93400000)


def ADR(rd: int, distance: int) -> int:
    """The address of a place in the code, from that of the instruction."""
    return 0x10000000 | (distance & 3) << 29 | (distance >> 2 & 0x7FFFF) << 5 | rd


EQ, NE, HS, LO = (c << 12 for c in range(4))
Z = 31
