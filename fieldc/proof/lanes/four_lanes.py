"""The meaning of instructions on vectors of 256 bits, which have four places.

The tail's masks are words of vectors here, and come from a table. A lower half of a vector may be
moved alone: the upper half of its register becomes 0 then.
"""

from __future__ import annotations

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.equations import add_to
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.block import WORD_BYTES, BlockRun, TailWord, VectorRegister
from fieldc.proof.lanes.meanings import (
    Meaning,
    broadcast,
    expect,
    lanewise,
    low_ones,
    multiply_add,
    number,
    shift,
    subtract,
    target,
    total,
    zero,
)
from fieldc.proof.lanes.word import HALF, WORD, Word
from fieldc.proof.lanes.words import Lane

PLACES, HALF_PLACES = 4, 2
HALF_BYTES = WORD_BYTES * HALF_PLACES


def _size(block: BlockRun, operand: capstone.x86.X86Op) -> int:
    """The places of an operand: those of a vector, or of half of one."""
    if operand.size not in (block.bytes, HALF_BYTES):
        raise ProofError("moves neither a vector nor half of one")
    return int(operand.size) // WORD_BYTES


def _register(i: capstone.CsInsn, operand: capstone.x86.X86Op) -> str:
    """The name of a whole register, of which an operand is perhaps the lower half."""
    if operand.type != x86.X86_OP_REG:
        raise ProofError("an operand of an unknown kind")
    return str(i.reg_name(operand.reg)).replace("xmm", "ymm")


def _held(block: BlockRun, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> VectorRegister:
    """What a register has, or its lower half."""
    name = _register(i, operand)
    if name not in block.registers:
        raise ProofError(f"reads {name}, which has no known words")
    return block.registers[name][: _size(block, operand)]


def _loaded(block: BlockRun, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> VectorRegister:
    """What memory has, outside arrays that end anywhere."""
    base, offset = block.address(i, operand)
    if block.is_masked(base):
        raise ProofError("reads an array in the tail without a mask")
    return block.load(base, offset, _size(block, operand))


def _write(
    block: BlockRun, i: capstone.CsInsn, operand: capstone.x86.X86Op, words: VectorRegister
) -> None:
    """Write a register; above half of a vector it becomes 0."""
    if len(words) != _size(block, operand):
        raise ProofError("operands of different sizes")
    nothing = block.lane.constant(0)
    above = ((nothing, None),) * (PLACES - len(words))
    block.registers[_register(i, operand)] = (*words, *above)


def _stored(
    block: BlockRun, i: capstone.CsInsn, operand: capstone.x86.X86Op, words: VectorRegister
) -> None:
    """Write memory, outside arrays that end anywhere."""
    base, offset = block.address(i, operand)
    if block.is_masked(base):
        raise ProofError("writes an array in the tail without a mask")
    if len(words) != _size(block, operand):
        raise ProofError("operands of different sizes")
    block.store(base, offset, words)


def _move(block: BlockRun, i: capstone.CsInsn) -> None:
    """A load, a copy or a store."""
    expect(i, 2)
    to, source = i.operands
    memory = next((o for o in (to, source) if o.type == x86.X86_OP_MEM), None)
    if memory is not None and i.mnemonic == "vmovdqa" and block.address(i, memory)[0] != "rsp":
        raise ProofError("needs an alignment that is not known")
    if memory is to:
        _stored(block, i, to, _held(block, i, source))
    else:
        read = _held if memory is None else _loaded
        _write(block, i, to, read(block, i, source))


def _masked_move(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpmaskmovq in the tail, with the masks of the words that it reads or writes."""
    expect(i, 3)
    is_store = i.operands[0].type == x86.X86_OP_MEM
    to, *others = i.operands
    memory = to if is_store else others[1]
    mask = _held(block, i, others[0])
    base, offset = block.address(i, memory)
    if not block.is_masked(base):
        raise ProofError("a mask where none is expected")
    for place, (word, _) in enumerate(mask):
        if not isinstance(word, TailWord) or WORD_BYTES * (word.number - place) != offset:
            raise ProofError("the masks are not those of these words")
    if len(mask) != _size(block, memory):
        raise ProofError("operands of different sizes")
    if not is_store:
        _write(block, i, to, block.load(base, offset, len(mask)))
        return
    words = _held(block, i, others[1])
    if len(words) != len(mask):
        raise ProofError("operands of different sizes")
    block.store(base, offset, words)


def _insert(block: BlockRun, i: capstone.CsInsn) -> None:
    """vinserti128: the upper half of a vector from another one, or from memory."""
    expect(i, 4)
    number(i, 3, HALF_PLACES)
    lower, half = i.operands[1:3]
    read = _loaded if half.type == x86.X86_OP_MEM else _held
    upper = read(block, i, half)
    if len(upper) != HALF_PLACES:
        raise ProofError("operands of different sizes")
    _write(block, i, i.operands[0], (*_held(block, i, lower)[:HALF_PLACES], *upper))


def _extract(block: BlockRun, i: capstone.CsInsn) -> None:
    """vextracti128: the upper half of a vector alone."""
    expect(i, 3)
    number(i, 2, HALF_PLACES)
    to = i.operands[0]
    upper = _held(block, i, i.operands[1])[HALF_PLACES:]
    write = _stored if to.type == x86.X86_OP_MEM else _write
    write(block, i, to, upper)


def _unpack(place: int) -> Meaning:
    """From each half of two vectors the word at a place."""

    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        expect(i, 3)
        a, b = (block.read(i, at) for at in (1, 2))
        places = range(place, PLACES, HALF_PLACES)
        block.registers[target(block, i)] = tuple(v[at] for at in places for v in (a, b))

    return meaning


def _blend(block: BlockRun, i: capstone.CsInsn) -> None:
    """vblendvpd: the third operand where the last one has its top bit, else the second one."""
    expect(i, 4)
    other, taken, sign = (block.word(block.read(i, at)) for at in (1, 2, 3))
    mask = block.lane.shift_right(sign, WORD - 1, signed=True)
    block.registers[target(block, i)] = block.spread(block.lane.merge(mask, taken, other))


def _smaller_halves(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpminud: of two words the smaller lower half, and the smaller upper half.

    One of the words must have no upper half, so that the result has none.
    """
    expect(i, 3)
    lane = block.lane
    words = [lane.tight(block.word(block.read(i, at))) for at in (1, 2)]
    if not any(0 <= word.low <= word.high < 1 << HALF for word in words):
        raise ProofError("both words may have upper halves")
    a, b = (lane.unsigned(word, HALF) for word in words)
    block.registers[target(block, i)] = block.spread(lane.smaller(a, b))


def _greater(lane: Lane, words: list[Word]) -> Word:
    """vpcmpgtq: ones where the first word is above the second one, in two's complement; else 0."""
    a, b = words
    if min(a.low, b.low) < -1 << WORD - 1 or max(a.high, b.high) >= 1 << WORD - 1:
        raise ProofError("a comparison of words whose signs are not known")
    difference = dict(b.value)
    add_to(difference, a.value, -1)
    is_above = lane.is_negative(Word(difference, b.low - a.high, b.high - a.low))
    return lane.constant(-1 if is_above else 0)


def _and(lane: Lane, words: list[Word]) -> Word:
    """`and` with a mask, which is 0 or all ones, or with a constant of low ones."""
    for mask, word in (words, reversed(words)):
        if mask.number in (0, -1):
            return word if mask.number else mask
    return low_ones(lane, words)


YMM_MEANINGS: dict[str, Meaning] = {
    "vmovdqu": _move,
    "vmovdqa": _move,
    "vpbroadcastq": broadcast,
    "vpmaskmovq": _masked_move,
    "vinserti128": _insert,
    "vextracti128": _extract,
    "vpunpcklqdq": _unpack(0),
    "vpunpckhqdq": _unpack(1),
    "vpxor": zero,
    "vfmadd231pd": multiply_add,
    "vsubpd": subtract,
    "vpmuludq": lanewise(2, lambda lane, w: lane.half_product(w[0], w[1])),
    "vpminud": _smaller_halves,
    "vpaddq": total(1),
    "vpsubq": total(-1),
    "vpand": lanewise(2, _and),
    "vpcmpgtq": lanewise(2, _greater),
    "vpsrlq": shift(lambda lane, word, k: lane.shift_right(word, k)),
    "vpsllq": shift(lambda lane, word, k: lane.shift_left(word, k)),
    "vblendvpd": _blend,
}
"""The list for vectors of 256 bits. An instruction that is not here is refused."""
