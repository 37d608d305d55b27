"""The meaning of the vector instructions: a lane's word in each of eight places.

Each place of a register has a word and the element of the array that the word is of. Instructions
that compute take registers whose places all have the same word, of elements in one order. So what
they do in one lane they do in all. Instructions that move words between places move them here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import capstone
from capstone import x86_const as x86

from fieldc.proof.equations import ONE
from fieldc.proof.identity import ProofError
from fieldc.proof.lanes.words import Lane, Word

LANES = 8
BYTES = 8 * LANES
MASK_REGISTERS = ("k2", "k3", "k4", "k5", "k6", "k7")
TAIL_REGISTER = "k1"
MERGES = {0xCA: (0, 1, 2), 0xE2: (1, 0, 2), 0xB8: (1, 2, 0)}
"""vpternlogq's tables that merge: which operands are the mask, what it takes, what else."""

Place = tuple[Word, int | None]
"""A word, and its element; None for a constant, which is the same for all."""
Register = tuple[Place, ...]


@dataclass(frozen=True)
class BlockLayout:
    """How the words of eight elements lie in memory: limb by limb, or digit by digit."""

    words: int
    """Words of an element."""
    is_array: bool

    def at(self, index: int) -> tuple[int, int]:
        """The element and the word of it at a place."""
        if self.is_array:
            return index // self.words, index % self.words
        return index % LANES, index // LANES


@dataclass
class BlockRun:
    """The state while the code for eight elements runs. `tail` asks for masks everywhere."""

    lane: Lane
    code: bytes
    operands: dict[str, tuple[BlockLayout, list[Word]]]
    """By the register that points to them."""
    result: tuple[str, BlockLayout]
    frame: int
    blends: dict[str, int] = field(default_factory=dict)
    tail: bool = False
    registers: dict[str, Register] = field(default_factory=dict)
    stack: dict[int, Register] = field(default_factory=dict)
    stored: dict[tuple[int, int], Word] = field(default_factory=dict)
    order: tuple[int | None, ...] = ()
    tail_vector: int | None = None
    """Which vector's mask the tail's register holds."""
    where: str = ""

    def step(self, i: capstone.CsInsn) -> None:
        """Run one instruction. Raises ProofError for one that is not on the list."""
        self.where = f"+{i.address:#x} {i.mnemonic} {i.op_str}"
        meaning = MEANINGS.get(i.mnemonic)
        if meaning is None or bytes(i.bytes)[0] not in (0x62, 0xC4, 0xC5):
            raise ProofError(f"{self.where}: this instruction is not on the list")
        try:
            meaning(self, i)
        except ProofError as error:
            message = str(error)
            raise ProofError(
                message if message.startswith("+") else f"{self.where}: {message}"
            ) from None

    def results(self) -> list[Word]:
        """The result's words: every element has the same ones."""
        layout = self.result[1]
        found = []
        for number in range(layout.words):
            words = {self.stored.get((element, number)) for element in range(LANES)}
            word = words.pop()
            if words or word is None:
                raise ProofError(f"word {number} of z is not written alike for all elements")
            found.append(word)
        return found

    def same(self, register: Register) -> Word:
        """The word of a register that has it in all lanes, of elements in the one order."""
        first = register[0][0]
        elements = tuple(element for _, element in register)
        if any(word is not first for word, _ in register):
            raise ProofError("computes with different words in different lanes")
        if any(element is not None for element in elements):
            self.order = self.order or elements
            if elements != self.order:
                raise ProofError("computes with elements in different orders")
        return first

    def spread(self, word: Word) -> Register:
        """A register with a word of every lane's element."""
        if not self.order:
            return tuple((word, None) for _ in range(LANES))
        return tuple((word, element) for element in self.order)

    def read(self, i: capstone.CsInsn, index: int) -> Register:
        """An operand: a register, a vector of memory, or one word for all lanes."""
        operand = i.operands[index]
        if operand.type == x86.X86_OP_REG:
            name = i.reg_name(operand.reg)
            if name not in self.registers:
                raise ProofError(f"reads {name}, which has no known words")
            return self.registers[name]
        if operand.type != x86.X86_OP_MEM or operand.size not in (8, BYTES):
            raise ProofError("an operand of an unknown kind")
        base, offset = self.address(i, operand)
        if operand.size == 8:
            if base != "rip":
                raise ProofError("one word for all lanes that is no constant")
            word = self.lane.constant(self._constant(offset))
            return tuple((word, None) for _ in range(LANES))
        if self.is_masked(base):
            raise ProofError("reads a whole vector of an array in the tail")
        return self.load(base, offset)

    def is_masked(self, base: str) -> bool:
        """Whether accesses at a pointer need the tail's masks: arrays of limbs end anywhere."""
        layouts = {pointer: layout for pointer, (layout, _) in self.operands.items()}
        layouts[self.result[0]] = self.result[1]
        return self.tail and base in layouts and layouts[base].is_array

    def address(self, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> tuple[str, int]:
        """A base and an offset; of code the offset is in it."""
        memory = operand.mem
        if memory.segment or memory.index or not memory.base:
            raise ProofError("an address with an index or a segment")
        base: str = i.reg_name(memory.base)
        offset = memory.disp + (i.address + i.size if base == "rip" else 0)
        return base, offset

    def load(self, base: str, offset: int) -> Register:
        """A vector of memory."""
        if base == "rip":
            words = [self._constant(offset + 8 * lane) for lane in range(LANES)]
            return tuple((self.lane.constant(word), None) for word in words)
        if base == "rsp":
            if offset not in self.stack:
                raise ProofError("reads stack that it never wrote")
            return self.stack[offset]
        if base not in self.operands:
            raise ProofError(f"reads at {base}")
        if self.stored:
            raise ProofError("reads an operand after it wrote z; wrong where z is that operand")
        layout, held = self.operands[base]
        return tuple((held[number], element) for element, number in self._places(layout, offset))

    def _places(self, layout: BlockLayout, offset: int) -> list[tuple[int, int]]:
        if offset % 8 or not 0 <= offset <= 8 * LANES * layout.words - BYTES:
            raise ProofError("outside the block")
        return [layout.at(offset // 8 + lane) for lane in range(LANES)]

    def _constant(self, offset: int) -> int:
        if not 0 <= offset <= len(self.code) - 8:
            raise ProofError("reads outside the object")
        return int.from_bytes(self.code[offset : offset + 8], "little")

    def store(self, base: str, offset: int, register: Register) -> None:
        """Write a vector to z or to the frame."""
        if base == "rsp":
            if offset % BYTES or not 0 <= offset <= self.frame - BYTES:
                raise ProofError("writes outside its frame")
            self.stack[offset] = register
            return
        pointer, layout = self.result
        if base != pointer:
            raise ProofError(f"writes at {base}")
        places = self._places(layout, offset)
        for (element, number), (word, held) in zip(places, register, strict=True):
            if held not in (element, None):
                raise ProofError(f"element {element} of z gets a word of element {held}")
            self.stored[element, number] = word


Meaning = Callable[[BlockRun, capstone.CsInsn], None]


def _operands(i: capstone.CsInsn, count: int) -> None:
    """Raise ProofError for a mask or anything else besides so many operands."""
    if len(i.operands) != count or any(o.avx_zero_opmask for o in i.operands):
        raise ProofError("a mask where none is expected")


def _target(i: capstone.CsInsn) -> str:
    operand = i.operands[0]
    if operand.type != x86.X86_OP_REG or operand.size != BYTES:
        raise ProofError("writes no vector of 512 bits")
    return str(i.reg_name(operand.reg))


def _number(i: capstone.CsInsn, index: int, below: int) -> int:
    operand = i.operands[index]
    if operand.type != x86.X86_OP_IMM or not 0 < operand.imm < below:
        raise ProofError("a number that is not on the list")
    return int(operand.imm)


def _lanewise(count: int, compute: Callable[[Lane, list[Word]], Word]) -> Meaning:
    """Reads `count` operands after the first one."""

    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        _operands(i, count + 1)
        words = [block.same(block.read(i, at)) for at in range(1, count + 1)]
        block.registers[_target(i)] = block.spread(compute(block.lane, words))

    return meaning


def _product(which: int) -> Meaning:
    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        _operands(i, 3)
        total, a, b = (block.same(block.read(i, at)) for at in range(3))
        block.registers[_target(i)] = block.spread(block.lane.half(which, total, a, b))

    return meaning


def _shift(compute: Callable[[Lane, Word, int], Word]) -> Meaning:
    def meaning(block: BlockRun, i: capstone.CsInsn) -> None:
        _operands(i, 3)
        word, bits = block.same(block.read(i, 1)), _number(i, 2, 64)
        block.registers[_target(i)] = block.spread(compute(block.lane, word, bits))

    return meaning


def _funnel(block: BlockRun, i: capstone.CsInsn) -> None:
    _operands(i, 4)
    low, high = (block.same(block.read(i, at)) for at in (1, 2))
    word = block.lane.funnel(high, low, _number(i, 3, 64))
    block.registers[_target(i)] = block.spread(word)


def _merge(block: BlockRun, i: capstone.CsInsn) -> None:
    _operands(i, 4)
    places = MERGES.get(_number(i, 3, 256))
    if places is None:
        raise ProofError("a table of three operands that is no merge")
    words = [block.same(block.read(i, at)) for at in range(3)]
    block.registers[_target(i)] = block.spread(block.lane.merge(*(words[at] for at in places)))


def _and(lane: Lane, words: list[Word]) -> Word:
    for mask, word in (words, reversed(words)):
        bits = mask.low.bit_length()
        if mask.value.keys() == {ONE} and mask.low == (1 << bits) - 1 and bits < 64:
            return lane.low_bits(word, bits)
    raise ProofError("`and` of two words of which none is low ones")


def _move(block: BlockRun, i: capstone.CsInsn) -> None:
    """A load, a copy or a store, with the tail's mask wherever it reads or writes arrays."""
    masked = [i.reg_name(o.reg) for o in i.operands if o.type == x86.X86_OP_REG]
    masked = [name for name in masked if name.startswith("k")]
    operands = [o for o in i.operands if not _is_mask(i, o)]
    if len(operands) != 2:
        raise ProofError("a move of an unknown kind")
    to, source = operands
    memory = next((o for o in operands if o.type == x86.X86_OP_MEM), None)
    if memory is not None:
        base, offset = block.address(i, memory)
        expected = [TAIL_REGISTER] if block.is_masked(base) else []
        if masked != expected or (expected and block.tail_vector != offset // BYTES):
            raise ProofError("the mask is not that of this vector")
        if expected and (offset % BYTES or (memory is source and not _zeroes(i))):
            raise ProofError("a masked move of an unknown kind")
    elif masked:
        raise ProofError("a masked copy")
    if memory is not None and memory.size != BYTES:
        raise ProofError("moves no vector of 512 bits")
    if memory is to:
        name = i.reg_name(source.reg)
        if name not in block.registers:
            raise ProofError(f"stores {name}, which has no known words")
        block.store(base, offset, block.registers[name])
    elif memory is not None:
        block.registers[_target(i)] = block.load(base, offset)
    else:
        block.registers[_target(i)] = block.read(i, 1)


def _is_mask(i: capstone.CsInsn, operand: capstone.x86.X86Op) -> bool:
    return bool(operand.type == x86.X86_OP_REG and i.reg_name(operand.reg).startswith("k"))


def _zeroes(i: capstone.CsInsn) -> bool:
    """Whether places without a mask bit become 0: EVEX.z, the top bit of the fourth byte."""
    code = bytes(i.bytes)
    return code[0] == 0x62 and bool(code[3] & 0x80)


def _broadcast(block: BlockRun, i: capstone.CsInsn) -> None:
    _operands(i, 2)
    if i.operands[1].type != x86.X86_OP_MEM or i.operands[1].size != 8:
        raise ProofError("a broadcast of an unknown kind")
    block.registers[_target(i)] = block.read(i, 1)


def _zero(block: BlockRun, i: capstone.CsInsn) -> None:
    _operands(i, 3)
    if len({o.reg for o in i.operands}) != 1 or i.operands[2].type != x86.X86_OP_REG:
        raise ProofError("`xor` of two different vectors")
    word = block.lane.constant(0)
    block.registers[_target(i)] = tuple((word, None) for _ in range(LANES))


def _index(register: Register) -> list[int]:
    """Constant places."""
    if any(word.value.keys() - {ONE} for word, _ in register):
        raise ProofError("a permutation that depends on data")
    return [word.low for word, _ in register]


def _permute(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpermq by a register: of one vector."""
    _operands(i, 3)
    if i.operands[2].type == x86.X86_OP_IMM:
        raise ProofError("a permutation by a number")
    index, source = _index(block.read(i, 1)), block.read(i, 2)
    block.registers[_target(i)] = tuple(source[at % LANES] for at in index)


def _permute_two(block: BlockRun, i: capstone.CsInsn) -> None:
    """vpermi2q: the index is overwritten; of two vectors."""
    _operands(i, 3)
    index = _index(block.read(i, 0))
    source = (*block.read(i, 1), *block.read(i, 2))
    block.registers[_target(i)] = tuple(source[at % (2 * LANES)] for at in index)


def _blend(block: BlockRun, i: capstone.CsInsn) -> None:
    if len(i.operands) != 4 or not _is_mask(i, i.operands[1]) or _zeroes(i):
        raise ProofError("a blend of an unknown kind")
    name = i.reg_name(i.operands[1].reg)
    if name not in block.blends:
        raise ProofError(f"a blend by {name}, which is not known")
    a, b, mask = block.read(i, 2), block.read(i, 3), block.blends[name]
    block.registers[_target(i)] = tuple(
        (b if mask >> lane & 1 else a)[lane] for lane in range(LANES)
    )


def _tail_mask(block: BlockRun, i: capstone.CsInsn) -> None:
    """kmovb k1, [rax + v] in a tail: the mask of vector v."""
    to, source = i.operands
    if not block.tail or i.reg_name(to.reg) != TAIL_REGISTER or source.type != x86.X86_OP_MEM:
        raise ProofError("a mask that no tail has")
    base, offset = block.address(i, source)
    if base != "rax":
        raise ProofError("a mask that is not in the table")
    block.tail_vector = offset


MEANINGS: dict[str, Meaning] = {
    "vmovdqu64": _move,
    "vmovdqa64": _move,
    "vpbroadcastq": _broadcast,
    "vpxorq": _zero,
    "vpmadd52luq": _product(0),
    "vpmadd52huq": _product(1),
    "vpaddq": _lanewise(2, lambda lane, w: lane.sum(w[0], w[1])),
    "vpsubq": _lanewise(2, lambda lane, w: lane.sum(w[0], w[1], sign=-1)),
    "vpandq": _lanewise(2, _and),
    "vpsrlq": _shift(lambda lane, word, k: lane.shift_right(word, k)),
    "vpsraq": _shift(lambda lane, word, k: lane.shift_right(word, k, signed=True)),
    "vpsllq": _shift(lambda lane, word, k: lane.shift_left(word, k)),
    "vpshrdq": _funnel,
    "vpternlogq": _merge,
    "vpermq": _permute,
    "vpermi2q": _permute_two,
    "vpblendmq": _blend,
    "kmovb": _tail_mask,
}
"""The list. An instruction that is not here is refused."""
