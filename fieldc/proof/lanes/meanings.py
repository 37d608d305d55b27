"""The meaning of the vector instructions: what they do to a lane's words, and where they move them.

Instructions that move words between places move them here, place by place.
"""

from __future__ import annotations

from collections.abc import Callable

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes import halves
from fieldc.proof.lanes.block import LANES, BlockRun, VectorRegister
from fieldc.proof.lanes.doubles import difference, from_integer, fused
from fieldc.proof.lanes.word import Word
from fieldc.proof.lanes.words import Lane

EVEX = 0x62
"""What opens an instruction with vectors of 512 bits."""
TAIL_REGISTER = "k1"
TO_ZERO = 3
"""Of EVEX.L'L, as a way to round."""
MASK_NUMBER = 0x90
"""EVEX.R and R', inverted: the upper bits of a register's number, which mask registers lack."""
MERGES = {0xCA: (0, 1, 2), 0xE2: (1, 0, 2), 0xB8: (1, 2, 0)}
"""vpternlogq's tables that merge: which operands are the mask, what it takes, what else."""

LOWER_HALVES = 0x5555
"""The mask of the lower halves of eight lanes."""

Meaning = Callable[[BlockRun, capstone.CsInsn], None]


def expect(i: capstone.CsInsn, count: int) -> None:
    """Raise ProofError for a mask or anything else besides so many operands."""
    if len(i.operands) != count or any(o.avx_zero_opmask for o in i.operands):
        raise ProofError("a mask where none is expected")


def target(block: BlockRun, i: capstone.CsInsn) -> str:
    """The vector register that an instruction writes."""
    operand = i.operands[0]
    if operand.type != x86.X86_OP_REG or operand.size != block.bytes:
        raise ProofError(f"writes no vector of {8 * block.bytes} bits")
    return str(i.reg_name(operand.reg))


def number(i: capstone.CsInsn, index: int, below: int) -> int:
    """A number in the instruction, from 1 on."""
    operand = i.operands[index]
    if operand.type != x86.X86_OP_IMM or not 0 < operand.imm < below:
        raise ProofError("a number that is not on the list")
    return int(operand.imm)


def lanewise(count: int, compute: Callable[[Lane, list[Word]], Word]) -> Meaning:
    """Reads `count` operands after the first one."""

    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        expect(i, count + 1)
        words = [block.word(block.read(i, at)) for at in range(1, count + 1)]
        block.registers[target(block, i)] = block.spread(compute(block.lane, words))

    return meaning


def _in_halves(block: BlockRun, i: capstone.CsInsn) -> None:
    """What computes in words of 32 bits."""
    expect(i, 3)
    if any(o.type == x86.X86_OP_MEM and o.size != block.bytes for o in i.operands):
        raise ProofError("one half for all lanes")
    a, b = (block.halves(block.read(i, at)) for at in (1, 2))
    block.registers[target(block, i)] = block.spread(halves.compute(block.lane, i.mnemonic, a, b))


def _upper_halves(block: BlockRun, i: capstone.CsInsn) -> None:
    """vmovshdup: upper halves are copied to lower ones; with a mask, where these have its bits."""
    if len(i.operands) == 2 and not any(_is_mask(i, o) for o in i.operands):
        upper = block.halves(block.read(i, 1)).high
        block.registers[target(block, i)] = block.spread(halves.Halves(upper, upper))
        return
    if len(i.operands) != 3 or not _is_mask(i, i.operands[1]) or _zeroes(i):
        raise ProofError("a move of halves of an unknown kind")
    name = i.reg_name(i.operands[1].reg)
    if not block.is_halved or block.blends.get(name) != LOWER_HALVES:
        raise ProofError(f"a move of halves by {name}, which is not known")
    kept, source = (block.halves(block.read(i, at)) for at in (0, 2))
    found = halves.Halves(source.high, kept.high)
    block.registers[target(block, i)] = block.spread(found)


def _product(which: int) -> Meaning:
    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        expect(i, 3)
        total, a, b = (block.word(block.read(i, at)) for at in range(3))
        block.registers[target(block, i)] = block.spread(block.lane.half(which, total, a, b))

    return meaning


def multiply_add(block: BlockRun, i: capstone.CsInsn) -> None:
    """vfmadd231pd: the first operand and the product of the others, rounded to 53 bits."""
    expect(i, 3)
    total, a, b = (block.double(block.read(i, at)) for at in range(3))
    block.registers[target(block, i)] = block.spread(
        fused(block.lane, a, b, total, _rounds_down(block, i))
    )


def _rounds_down(block: BlockRun, i: capstone.CsInsn) -> bool:
    """Whether it rounds to zero, as the instruction itself says or the kernel's MXCSR.

    Otherwise it rounds as the caller's MXCSR says: only exact results are known then.
    """
    rounding = rounding_of(i)
    if rounding is None and block.rounds_to_zero:
        return True
    if rounding not in (None, TO_ZERO):
        raise ProofError("rounds in a way that is not on the list")
    return rounding == TO_ZERO


def rounding_of(i: capstone.CsInsn) -> int | None:
    """EVEX.L'L where it is no length but a way to round: EVEX.b is 1, and all is in registers."""
    code = bytes(i.bytes)
    in_registers = all(o.type == x86.X86_OP_REG for o in i.operands)
    return length_bits(i) if in_registers and code[0] == EVEX and code[3] & 0x10 else None


def length_bits(i: capstone.CsInsn) -> int:
    """EVEX.L'L. The decoder takes 3 for the length of 512 bits; it is none."""
    return bytes(i.bytes)[3] >> 5 & 3


def subtract(block: BlockRun, i: capstone.CsInsn) -> None:
    """vsubpd: a difference of doubles, which must be exact."""
    expect(i, 3)
    a, b = (block.double(block.read(i, at)) for at in (1, 2))
    block.registers[target(block, i)] = block.spread(difference(block.lane, a, b))


def _from_integer(block: BlockRun, i: capstone.CsInsn) -> None:
    expect(i, 2)
    word = block.word(block.read(i, 1))
    block.registers[target(block, i)] = block.spread(from_integer(block.lane, word))


def shift(compute: Callable[[Lane, Word, int], Word]) -> Meaning:
    """A word moved by a number of bits."""

    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        expect(i, 3)
        word, bits = block.word(block.read(i, 1)), number(i, 2, 64)
        block.registers[target(block, i)] = block.spread(compute(block.lane, word, bits))

    return meaning


def _funnel(block: BlockRun, i: capstone.CsInsn) -> None:
    expect(i, 4)
    low, high = (block.word(block.read(i, at)) for at in (1, 2))
    word = block.lane.funnel(high, low, number(i, 3, 64))
    block.registers[target(block, i)] = block.spread(word)


def _merge(block: BlockRun, i: capstone.CsInsn) -> None:
    expect(i, 4)
    places = MERGES.get(number(i, 3, 256))
    if places is None:
        raise ProofError("a table of three operands that is no merge")
    words = [block.word(block.read(i, at)) for at in range(3)]
    block.registers[target(block, i)] = block.spread(
        block.lane.merge(*(words[at] for at in places))
    )


def total(sign: int) -> Meaning:
    """a + b, or a - b; with a mask that a comparison made, it writes the lanes of that alone."""

    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        masks = [o for o in i.operands if _is_mask(i, o)]
        reads = [at for at, o in enumerate(i.operands) if not _is_mask(i, o)]
        if len(masks) > 1 or len(reads) != 3 or _zeroes(i):
            raise ProofError("a mask where none is expected")
        kept = block.word(block.read(i, 0)) if masks else None
        a, b = (block.word(block.read(i, at)) for at in reads[1:])
        if kept is None or block.flag(i.reg_name(masks[0].reg)):
            kept = block.lane.sum(a, b, sign)
        block.registers[target(block, i)] = block.spread(kept)

    return meaning


def _less(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpcmpltuq: a mask of the lanes in which one word is below another."""
    if len(i.operands) != 3 or not _is_mask(i, i.operands[0]):
        raise ProofError("a comparison of an unknown kind")
    if bytes(i.bytes)[1] & MASK_NUMBER != MASK_NUMBER:
        raise ProofError("a mask register that there is not, for the processor")
    name = i.reg_name(i.operands[0].reg)
    if name == TAIL_REGISTER or name in block.blends:
        raise ProofError(f"{name} has another mask")
    a, b = (block.word(block.read(i, at)) for at in (1, 2))
    block.flags[name] = block.lane.is_less(a, b)


def low_ones(lane: Lane, words: list[Word]) -> Word:
    """`and` with a constant of low ones."""
    for mask, word in (words, reversed(words)):
        ones = mask.number or 0
        if 0 < ones < 1 << 63 and not ones & ones + 1:
            return lane.low_bits(word, ones.bit_length())
    raise ProofError("`and` of two words of which none is low ones")


def _move(block: BlockRun, i: capstone.CsInsn) -> None:
    """A load, a copy or a store, with the tail's mask wherever it reads or writes arrays."""
    masked = [i.reg_name(o.reg) for o in i.operands if o.type == x86.X86_OP_REG]
    masked = [name for name in masked if name.startswith("k")]
    in_halves = i.mnemonic == "vmovdqu32"
    if in_halves != (bool(masked) and block.is_halved):
        raise ProofError("a mask for words of another size")
    operands = [o for o in i.operands if not _is_mask(i, o)]
    if len(operands) != 2:
        raise ProofError("a move of an unknown kind")
    to, source = operands
    memory = next((o for o in operands if o.type == x86.X86_OP_MEM), None)
    if memory is not None:
        base, offset = _place(block, i, memory, masked, is_read=memory is source)
    elif masked:
        raise ProofError("a masked copy")
    if memory is to:
        name = i.reg_name(source.reg)
        if name not in block.registers:
            raise ProofError(f"stores {name}, which has no known words")
        block.store(base, offset, block.registers[name])
    elif memory is not None:
        block.registers[target(block, i)] = block.load(base, offset)
    else:
        block.registers[target(block, i)] = block.read(i, 1)


def _place(
    block: BlockRun,
    i: capstone.CsInsn,
    memory: capstone.x86.X86Op,
    masked: list[str],
    is_read: bool,
) -> tuple[str, int]:
    """Where a move reads or writes memory, with the mask that it must have there."""
    base, offset = block.address(i, memory)
    expected = [TAIL_REGISTER] if block.is_masked(base) else []
    if masked != expected or (expected and block.tail_vector != offset // block.bytes):
        raise ProofError("the mask is not that of this vector")
    if expected and (offset % block.bytes or (is_read and not _zeroes(i))):
        raise ProofError("a masked move of an unknown kind")
    if memory.size != block.bytes:
        raise ProofError("moves no vector of 512 bits")
    if base != "rsp" and i.mnemonic == "vmovdqa64":
        raise ProofError("needs an alignment that is not known")
    return base, offset


def _is_mask(i: capstone.CsInsn, operand: capstone.x86.X86Op) -> bool:
    return bool(operand.type == x86.X86_OP_REG and i.reg_name(operand.reg).startswith("k"))


def _zeroes(i: capstone.CsInsn) -> bool:
    """Whether places without a mask bit become 0: EVEX.z, the top bit of the fourth byte."""
    code = bytes(i.bytes)
    return code[0] == EVEX and bool(code[3] & 0x80)


def broadcast(block: BlockRun, i: capstone.CsInsn) -> None:
    """One word of memory in all lanes."""
    expect(i, 2)
    if i.operands[1].type != x86.X86_OP_MEM or i.operands[1].size != 8:
        raise ProofError("a broadcast of an unknown kind")
    block.registers[target(block, i)] = block.read(i, 1)


def zero(block: BlockRun, i: capstone.CsInsn) -> None:
    """`xor` of a vector with itself."""
    expect(i, 3)
    if len({o.reg for o in i.operands}) != 1 or i.operands[2].type != x86.X86_OP_REG:
        raise ProofError("`xor` of two different vectors")
    word = block.lane.constant(0)
    block.registers[target(block, i)] = block.spread(word)


def _index(register: VectorRegister) -> list[int]:
    """Constant places."""
    numbers = [word.number for word, _ in register if isinstance(word, Word)]
    found = [number for number in numbers if number is not None]
    if len(found) < LANES:
        raise ProofError("a permutation that depends on data")
    return found


def _permute(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpermq by a register: of one vector."""
    expect(i, 3)
    if i.operands[2].type == x86.X86_OP_IMM:
        raise ProofError("a permutation by a number")
    index, source = _index(block.read(i, 1)), block.read(i, 2)
    block.registers[target(block, i)] = tuple(source[at % LANES] for at in index)


def _permute_two(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpermi2q: the index is overwritten; of two vectors."""
    expect(i, 3)
    index = _index(block.read(i, 0))
    source = (*block.read(i, 1), *block.read(i, 2))
    block.registers[target(block, i)] = tuple(source[at % (2 * LANES)] for at in index)


def _blend(block: BlockRun, i: capstone.CsInsn) -> None:
    if len(i.operands) != 4 or not _is_mask(i, i.operands[1]) or _zeroes(i):
        raise ProofError("a blend of an unknown kind")
    name = i.reg_name(i.operands[1].reg)
    if name not in block.blends:
        raise ProofError(f"a blend by {name}, which is not known")
    a, b, mask = block.read(i, 2), block.read(i, 3), block.blends[name]
    block.registers[target(block, i)] = tuple(
        (b if mask >> lane & 1 else a)[lane] for lane in range(LANES)
    )


def _tail_mask(block: BlockRun, i: capstone.CsInsn) -> None:
    """kmovb k1, [rax + v] in a tail: the mask of vector v; kmovw k1, [rax + 2*v] for halves."""
    to, source = i.operands
    if not block.tail or i.reg_name(to.reg) != TAIL_REGISTER or source.type != x86.X86_OP_MEM:
        raise ProofError("a mask that no tail has")
    base, offset = block.address(i, source)
    size = 2 if i.mnemonic == "kmovw" else 1
    if base != "rax" or size != (2 if block.is_halved else 1) or offset % size:
        raise ProofError("a mask that is not in the table")
    block.tail_vector = offset // size


MEANINGS: dict[str, Meaning] = {
    "vmovdqu64": _move,
    "vmovdqa64": _move,
    "vpbroadcastq": broadcast,
    "vpxorq": zero,
    "vpmadd52luq": _product(0),
    "vpmadd52huq": _product(1),
    "vfmadd231pd": multiply_add,
    "vsubpd": subtract,
    "vcvtuqq2pd": _from_integer,
    "vpaddq": total(1),
    "vpsubq": total(-1),
    "vpcmpltuq": _less,
    "vpandq": lanewise(2, low_ones),
    "vpmuludq": lanewise(2, lambda lane, w: lane.half_product(w[0], w[1])),
    "vpminuq": lanewise(2, lambda lane, w: lane.smaller(w[0], w[1])),
    "vpsrlq": shift(lambda lane, word, k: lane.shift_right(word, k)),
    "vpsraq": shift(lambda lane, word, k: lane.shift_right(word, k, signed=True)),
    "vpsllq": shift(lambda lane, word, k: lane.shift_left(word, k)),
    "vpshrdq": _funnel,
    "vpternlogq": _merge,
    "vpermq": _permute,
    "vpermi2q": _permute_two,
    "vpblendmq": _blend,
    "vmovdqu32": _move,
    "vmovshdup": _upper_halves,
    **dict.fromkeys(halves.MEANINGS, _in_halves),
    "kmovb": _tail_mask,
    "kmovw": _tail_mask,
}
"""The list. An instruction that is not here is refused."""
