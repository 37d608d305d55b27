"""The state of a block: a lane's word in each of eight places of a register, and memory.

Each place of a register has a word and the element of the array that the word is of. Instructions
that compute take registers whose places all have the same word, of elements in one order. So what
they do in one lane they do in all. Registers have eight places, or four: then the code computes
the same for four elements and for the other four.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import capstone
from capstone import x86_const as x86

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.doubles import Double, bits_of, decoded
from fieldc.proof.lanes.halves import Halves, joined, split
from fieldc.proof.lanes.word import Word
from fieldc.proof.lanes.words import Lane

LANES = 8
"""Words of a block's array that are of different elements."""


@dataclass(frozen=True)
class TailWord:
    """A word of the tail's table: ones if the word of an array with this number is there, else 0"""

    number: int


WORD_BYTES = 8
Held = Word | Double | Halves | TailWord
LaneWord = tuple[Held, int | None]
"""What a place holds, and its element; None for a constant, which is the same for all."""
VectorRegister = tuple[LaneWord, ...]


@dataclass(frozen=True)
class BlockLayout:
    """How the words of eight elements lie in memory: limb by limb, or digit by digit."""

    words: int
    """Words of an element."""
    is_array: bool
    is_halved: bool = False
    """Whether each of them is two elements of 32 bits, and a block has sixteen."""
    is_single: bool = False
    """Whether there is one element, word by word, which serves for all."""

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
    pointers: tuple[str, ...]
    """Those to the arrays of results."""
    layout: BlockLayout
    """Of each of them."""
    frame: int
    blends: dict[str, int] = field(default_factory=dict)
    tail: bool = False
    registers: dict[str, VectorRegister] = field(default_factory=dict)
    stack: dict[int, VectorRegister] = field(default_factory=dict)
    flags: dict[str, bool] = field(default_factory=dict)
    """Masks of lanes by a comparison: what it gives in this case."""
    stored: dict[tuple[str, int, int], Word | Halves] = field(default_factory=dict)
    order: tuple[int | None, ...] = ()
    tail_vector: int | None = None
    """Which vector's mask the tail's register holds."""
    places: int = LANES
    """Of a register."""
    masks: int = 0
    """The words of a block that the tail's table has masks for, where these are words."""
    rounds_to_zero: bool = False
    """Whether MXCSR says so."""
    anchors: Mapping[str, tuple[str, int]] = field(default_factory=dict)
    """Registers that are another base, and how far from it they are."""
    written: set[int] = field(default_factory=set)
    """The numbers of words of a block that some result has."""

    @property
    def bytes(self) -> int:
        """Of a register."""
        return WORD_BYTES * self.places

    def result(self, pointer: str) -> list[Word]:
        """The words of a result: every element has the same ones. Of halves, both."""
        found: list[Word] = []
        for number in range(self.layout.words):
            words = [self.stored.get((pointer, element, number)) for element in range(LANES)]
            word = words[0]
            if word is None or not all(self._are_same(word, other) for other in words):
                raise ProofError(f"word {number} of z is not written alike for all elements")
            if self.layout.is_halved:
                halves = self._split(word)
                found += [halves.low, halves.high]
            elif isinstance(word, Halves):
                found.append(joined(self.lane, word))
            else:
                found.append(word)
        return found

    def _are_same(self, word: Held, other: Held | None) -> bool:
        """Whether two words are one integer: where registers have four places, by their value."""
        if word is other:
            return True
        if not isinstance(word, Word) or not isinstance(other, Word) or self.places == LANES:
            return False
        return word.key == other.key and not (word.sign_of or other.sign_of)

    @property
    def is_halved(self) -> bool:
        """Whether elements of 32 bits share lanes: masks have sixteen bits then."""
        layouts = (self.layout, *(layout for layout, _ in self.operands.values()))
        return any(layout.is_halved for layout in layouts)

    def enter(self) -> None:
        """From here on what the loop holds in registers is in these alone."""
        (pointer,) = self.pointers
        self.operands = {at: of for at, of in self.operands.items() if at != pointer}
        self.pointers = ()

    def leave(self, pointer: str) -> None:
        """The array may be written again."""
        self.pointers = (pointer,)

    def _split(self, held: Word | Halves) -> Halves:
        return held if isinstance(held, Halves) else split(self.lane, held)

    def word(self, register: VectorRegister) -> Word:
        """The word of a register that has it in all lanes, of elements in the one order."""
        held = self._same(register)
        if isinstance(held, Halves):
            return joined(self.lane, held)
        return bits_of(self.lane, held) if isinstance(held, Double) else held

    def begin(self) -> None:
        """Before an instruction: its operands decide the order of elements."""
        if self.places < LANES:
            self.order = ()

    def halves(self, register: VectorRegister) -> Halves:
        """The same, of words of 32 bits."""
        held = self._same(register)
        return self._split(bits_of(self.lane, held) if isinstance(held, Double) else held)

    def double(self, register: VectorRegister) -> Double:
        """The same, of doubles."""
        held = self._same(register)
        if isinstance(held, Halves):
            raise ProofError("halves of a word for a double")
        return held if isinstance(held, Double) else decoded(held)

    def flag(self, name: str) -> bool:
        """What a mask by a comparison says of every lane, in this case."""
        if name not in self.flags:
            raise ProofError(f"a mask by {name}, which no comparison made")
        return self.flags[name]

    def _same(self, register: VectorRegister) -> Word | Double | Halves:
        first = register[0][0]
        if isinstance(first, TailWord):
            raise ProofError("computes with masks")
        elements = tuple(element for _, element in register)
        if any(word is not first for word, _ in register):
            raise ProofError("computes with different words in different lanes")
        if any(element is not None for element in elements):
            self.order = self.order or elements
            if elements != self.order:
                raise ProofError("computes with elements in different orders")
        return first

    def spread(self, word: Held) -> VectorRegister:
        """A register with a word of every lane's element."""
        if not self.order:
            return tuple((word, None) for _ in range(self.places))
        return tuple((word, element) for element in self.order)

    def read(self, i: capstone.CsInsn, index: int) -> VectorRegister:
        """An operand: a register, a vector of memory, or one word for all lanes."""
        operand = i.operands[index]
        if operand.type == x86.X86_OP_REG:
            name = i.reg_name(operand.reg)
            if name not in self.registers:
                raise ProofError(f"reads {name}, which has no known words")
            return self.registers[name]
        has_one = self.places == LANES or i.mnemonic == "vpbroadcastq"
        sizes = (WORD_BYTES, self.bytes) if has_one else (self.bytes,)
        if operand.type != x86.X86_OP_MEM or operand.size not in sizes:
            raise ProofError("an operand of an unknown kind")
        base, offset = self.address(i, operand)
        if operand.size == WORD_BYTES:
            return ((self._one_word(base, offset), None),) * self.places
        if self.is_masked(base):
            raise ProofError("reads a whole vector of an array in the tail")
        return self.load(base, offset)

    def _one_word(self, base: str, offset: int) -> Word:
        """A word that is the same for all lanes: a constant, or one of an element for all."""
        if base == "rip":
            return self.lane.constant(self._constant(offset))
        layout, held = self.operands.get(base, (self.layout, []))
        number, rest = divmod(offset, WORD_BYTES)
        if not layout.is_single or rest or not 0 <= number < len(held):
            raise ProofError("one word for all lanes that is no constant")
        return held[number]

    def is_masked(self, base: str) -> bool:
        """Whether accesses at a pointer need the tail's masks: arrays of limbs end anywhere."""
        layouts = {pointer: layout for pointer, (layout, _) in self.operands.items()}
        layouts |= dict.fromkeys(self.pointers, self.layout)
        return self.tail and base in layouts and layouts[base].is_array

    def address(self, i: capstone.CsInsn, operand: capstone.x86.X86Op) -> tuple[str, int]:
        """A base and an offset; of code the offset is in it."""
        memory = operand.mem
        if memory.segment or memory.index or not memory.base:
            raise ProofError("an address with an index or a segment")
        base: str = i.reg_name(memory.base)
        if base in self.anchors:
            base, offset = self.anchors[base]
            return base, offset + memory.disp
        return base, memory.disp + (i.address + i.size if base == "rip" else 0)

    def load(self, base: str, offset: int, count: int = 0) -> VectorRegister:
        """A vector of memory, or so many words of it."""
        count = count or self.places
        if base == "rip":
            words = [self._constant(offset + WORD_BYTES * at) for at in range(count)]
            known = {word: self.lane.constant(word) for word in words}
            return tuple((known[word], None) for word in words)
        if base == "rax":
            return self._tail_words(offset, count)
        if base == "rsp":
            if offset not in self.stack or count != self.places:
                raise ProofError("reads stack that it never wrote")
            return self.stack[offset]
        if base not in self.operands:
            raise ProofError(f"reads at {base}")
        layout, held = self.operands[base]
        if layout.is_single:
            raise ProofError("reads vectors of one element")
        numbers = _numbers(layout, offset, count)
        # z may be an operand of its layout, unless a pointer says which one it is.
        can_be_z = layout == self.layout and not self.operands.keys() & {*self.pointers} - {base}
        if can_be_z and not self.written.isdisjoint(numbers):
            raise ProofError("reads an operand after it wrote z; wrong where z is that operand")
        places = map(layout.at, numbers)
        return tuple((held[number], element) for element, number in places)

    def _tail_words(self, offset: int, count: int) -> VectorRegister:
        """Masks of words, from the table of the tail."""
        first = offset // WORD_BYTES
        if not self.tail or offset % WORD_BYTES or not 0 <= first <= self.masks - count:
            raise ProofError("a mask that is not in the table")
        return tuple((TailWord(number), None) for number in range(first, first + count))

    def _constant(self, offset: int) -> int:
        if not 0 <= offset <= len(self.code) - 8:
            raise ProofError("reads outside the object")
        return int.from_bytes(self.code[offset : offset + 8], "little")

    def store(self, base: str, offset: int, register: VectorRegister) -> None:
        """Write a vector to z or to the frame."""
        if base == "rsp":
            size = self.bytes
            if len(register) < self.places or offset % size or not 0 <= offset <= self.frame - size:
                raise ProofError("writes outside its frame")
            self.stack[offset] = register
            return
        if base not in self.pointers:
            raise ProofError(f"writes at {base}")
        numbers = _numbers(self.layout, offset, len(register))
        self.written.update(numbers)
        for (element, number), (word, held) in zip(
            map(self.layout.at, numbers), register, strict=True
        ):
            if isinstance(word, Double):
                raise ProofError("writes a double to z")
            if isinstance(word, TailWord):
                raise ProofError("writes a mask to z")
            if held not in (element, None):
                raise ProofError(f"element {element} of z gets a word of element {held}")
            self.stored[base, element, number] = word


def _numbers(layout: BlockLayout, offset: int, count: int) -> range:
    """The words of a block that so many words from an offset on are."""
    first, rest = divmod(offset, WORD_BYTES)
    if rest or not 0 <= first <= LANES * layout.words - count:
        raise ProofError("outside the block")
    return range(first, first + count)
