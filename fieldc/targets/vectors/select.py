"""Instructions for the steps of a lane, and for vectors that come from memory and go there."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import ClassVar

from fieldc.targets.vectors.instructions import (
    INSTRUCTIONS,
    ZMM,
    Fixed,
    Rows,
    VectorSet,
    VirtualVector,
    number,
)
from fieldc.targets.vectors.transpose import Network, Permutation, from_lanes, to_lanes
from fieldc.targets.x86_64.operands import CONSTANTS, Memory, Operand, Virtual
from fieldc.words.lane_steps import PLAIN, LaneStyle
from fieldc.words.operations import ADD, LOAD, SUB
from fieldc.words.program import Program, Step, Value

VECTOR_BYTES = 64
"""Of eight words, one for each element of a block."""
POINTERS = ("rsi", "rdx", "rcx", "r8", "r9")
"""Where the System V convention has the results and x, y, ... after the count in rdi."""
TAIL_MASKS = "rax"
"""Points to the masks of the elements that are left."""
TAIL_MASK, BLEND_MASKS = "k1", ("k2", "k3", "k4", "k5", "k6", "k7")
HELD = tuple(f"zmm{i}" for i in range(31, -1, -1))
"""The registers of columns that a loop holds, in their order."""
FLAG = "k2"
"""The mask of the lanes that a comparison names, where no limbs are blended."""
VECTORS = "vectors"
"""The table of whole vectors: indices of permutations."""
MERGE_BY_MASK_FIRST = 0xCA
"""vpternlogq with operands mask, a, b: a where the mask has ones, b elsewhere."""


@dataclass
class Tables:
    """Constants that all lanes share, whole vectors, and masks of blends."""

    words: dict[int, str] = field(default_factory=dict)
    vectors: list[tuple[int, ...]] = field(default_factory=list)
    masks: list[int] = field(default_factory=list)
    word_bytes: int = 8
    """Between constants: 8, or more where each stands in memory once for every lane."""

    def word(self, value: int, name: str) -> Memory:
        """Where a constant is."""
        self.words.setdefault(value, name)
        return Memory(CONSTANTS, self.word_bytes * list(self.words).index(value), name)

    def vector(self, index: tuple[int, ...]) -> Memory:
        """Where the index of a permutation is."""
        if index not in self.vectors:
            self.vectors.append(index)
        return Memory(VECTORS, VECTOR_BYTES * self.vectors.index(index))

    def blend(self, mask: int) -> str | None:
        """The register of a blend's mask, if one is left."""
        if mask not in self.masks:
            if len(self.masks) == len(BLEND_MASKS):
                return None
            self.masks.append(mask)
        return BLEND_MASKS[self.masks.index(mask)]


def _without_dead(code: list[VirtualVector], results: Iterable[Virtual]) -> list[VirtualVector]:
    """The code without what nothing reads and what is no result."""
    kept, read = list[VirtualVector](), set(results)
    for line in reversed(code):
        if line.write is None or line.write in read:
            kept.append(line)
            read.update(operand for operand in line.reads if isinstance(operand, Virtual))
    return kept[::-1]


@dataclass
class Selection:
    """The code of eight elements; in a tail, of fewer, with masks on what is read and written."""

    rows: ClassVar[Rows] = INSTRUCTIONS
    features: ClassVar[tuple[str, ...]] = ("avx512f", "avx512dq")
    """What the processor must have, by LLVM's names."""
    registers: ClassVar[VectorSet] = ZMM
    constant_bytes: ClassVar[int] = 8
    """Of a constant in memory."""

    program: Program
    tables: Tables
    in_digits: Collection[str]
    """The operands that lie digit by digit, eight to a vector; the others lie side by side."""
    out_array: bool
    """Whether results lie side by side, limb by limb."""
    results: int = 1
    """How many arrays of results there are."""
    tail: bool = False
    columns: str = ""
    """The operand that lies in columns, which is in digits too."""
    adds_to_columns: bool = False
    """Whether the result is the operand in columns."""
    holds_columns: bool = False
    """Whether these stay in registers while the loop runs."""
    shared: Collection[str] = ()
    """The operands in digits that have one element, which serves for all."""
    code: list[VirtualVector] = field(default_factory=list)
    held: dict[Virtual, str] = field(default_factory=dict)
    """What is in a register before the code; `kept` is in these registers after it."""
    kept: dict[Virtual, str] = field(default_factory=dict)
    _known: dict[int, Virtual] = field(default_factory=dict)
    _loaded: dict[tuple[str, int], Virtual] = field(default_factory=dict)
    _count: int = 0
    _tail_vector: int = -1
    """The vector whose mask the tail's register holds."""
    _made: dict[int, Step] = field(default_factory=dict)
    """By a value's number: what made it."""
    _sums: set[int] = field(default_factory=set)
    """The numbers of values that are in the registers of columns."""

    def run(self) -> list[VirtualVector]:
        """Select all: operands, steps, results. Every load comes before the first store."""
        first = 0 if self.adds_to_columns else self.results
        pointers = dict(zip((n for n, _ in self.program.operands), POINTERS[first:], strict=False))
        for step in self.program.steps:
            if step.operation.name == "load":
                self._known[step.outputs[0].number] = self._operand(step, pointers[step.operand])
            elif not self._added_onto(step):
                getattr(self, f"_{step.operation.name}")(step)
            self._made[step.outputs[0].number] = step
        self._results()
        return _without_dead(self.code, self.kept)

    @property
    def _converts(self) -> bool:
        """Whether some arrays are in digits: there an element has the lane of its number."""
        limbs = [self.out_array, *(n not in self.in_digits for n, _ in self.program.operands)]
        return any(limbs) and not all(limbs)

    @property
    def _blends(self) -> bool:
        """Whether limbs are moved by masks of blends, which have the registers of flags."""
        widths = [n for name, n in self.program.operands if name not in self.in_digits]
        widths += [len(self.program.results) // self.results] if self.out_array else []
        networks = [make(n, self._converts) for n in widths for make in (to_lanes, from_lanes)]
        return any(move.mask is not None for network in networks for move in network.moves)

    def _new(self, name: str) -> Virtual:
        self._count += 1
        return Virtual(self._count, name)

    def _put(self, mnemonic: str, name: str, *reads: Operand | Fixed) -> Virtual:
        result = self._new(name)
        self._do(mnemonic, result, *reads)
        return result

    def _do(self, mnemonic: str, write: Virtual | None, *reads: Operand | Fixed) -> None:
        self.code.append(VirtualVector(self.rows[mnemonic], write, reads))

    def _added_onto(self, step: Step) -> bool:
        """Add a word to a column that the loop holds, where the step does that."""
        words = step.inputs[:2]
        column = next((value for value in words if value.number in self._sums), None)
        if step.operation is not ADD or column is None:
            return False
        other = words[words[0] is column]
        self._sums.add(step.outputs[0].number)
        self._set(step, "add_onto", self._in_register(column), self._read(other))
        return True

    def _operand(self, step: Step, pointer: str) -> Virtual:
        name, index = step.operand, step.attribute
        if self.holds_columns and name == self.columns:
            virtual = self._new(f"{name}[{index}]")
            self.held[virtual] = HELD[index]
            self._sums.add(step.outputs[0].number)
            return virtual
        if name in self.shared:
            return self._put("vpbroadcastq", f"{name}[{index}]", Memory(pointer, 8 * index))
        if name in self.in_digits:
            return self._put("vmovdqu64", f"{name}[{index}]", self._digits(pointer, index))
        if (name, index) not in self._loaded:
            count = dict(self.program.operands)[name]
            for limb, virtual in enumerate(self._limbs(pointer, count, name)):
                self._loaded[name, limb] = virtual
        return self._loaded[name, index]

    def _digits(self, pointer: str, index: int, name: str = "") -> Memory:
        """Where a digit of all elements is."""
        return Memory(pointer, VECTOR_BYTES * index, name)

    def _limbs(self, pointer: str, count: int, name: str) -> list[Virtual]:
        """The limbs of all elements, limb by limb."""
        vectors = [self._load(pointer, v, f"{name} vector {v}") for v in range(count)]
        return self._moved(to_lanes(count, self._converts), vectors, name)

    def _load(self, pointer: str, index: int, name: str) -> Virtual:
        memory = Memory(pointer, VECTOR_BYTES * index)
        if not self.tail:
            return self._put("vmovdqu64", name, memory)
        self._tail_mask(index)
        return self._put("load_some", name, memory, Fixed(TAIL_MASK))

    def _tail_mask(self, index: int) -> None:
        if index == self._tail_vector:
            return
        self._tail_vector = index
        self._do("mask", None, Fixed(TAIL_MASK), Memory(TAIL_MASKS, index, "mask"))

    def _moved(self, network: Network, vectors: list[Virtual], name: str) -> list[Virtual]:
        known = dict(enumerate(vectors))
        for move in network.moves:
            known[move.result] = self._move(move, [known[s] for s in move.sources], name)
        return [known[number] for number in network.results]

    def _move(self, move: Permutation, sources: list[Virtual], name: str) -> Virtual:
        mask = None if move.mask is None else self.tables.blend(move.mask)
        if mask is not None:
            return self._put("blend", f"{name} blended", *sources, Fixed(mask))
        index = self._put("vmovdqu64", "index", self.tables.vector(move.index))
        if len(sources) == 1:
            return self._put("vpermq", f"{name} permuted", index, sources[0])
        return self._put("vpermi2q", f"{name} permuted", index, *sources)

    def _results(self) -> None:
        if self.holds_columns:
            known = (self._known[value.number] for value in self.program.results)
            self.kept = dict(zip(known, HELD, strict=False))
            return
        held = [self._in_register(value) for value in self.program.results]
        width = len(held) // self.results
        stores: list[tuple[Memory, int, Virtual]] = []
        for pointer, at in zip(POINTERS, range(0, len(held), width), strict=False):
            stores += self._stores(pointer, held[at : at + width])
        for memory, index, vector in stores:
            self._store(memory, index, vector)

    def _stores(self, pointer: str, words: list[Virtual]) -> list[tuple[Memory, int, Virtual]]:
        """Where vectors of a result go, and the number of each."""
        if self.out_array:
            words = self._moved(from_lanes(len(words), self._converts), words, "z")
        places = (self._digits(pointer, index, f"z {index}") for index in range(len(words)))
        return list(zip(places, range(len(words)), words, strict=True))

    def _store(self, memory: Memory, index: int, vector: Virtual) -> None:
        if self.tail and self.out_array:
            self._tail_mask(index)
            self._do("store_some", None, memory, vector, Fixed(TAIL_MASK))
        else:
            self._do("store", None, memory, vector)

    def _read(self, value: Value) -> Operand:
        if value.constant is not None:
            return self.tables.word(value.constant, value.name)
        return self._known[value.number]

    def _in_register(self, value: Value) -> Virtual:
        if value.constant is None:
            return self._known[value.number]
        if value.constant == 0:
            return self._put("vpxorq", "zero")
        return self._constant(value.constant, value.name)

    def _constant(self, word: int, name: str) -> Virtual:
        return self._put("vpbroadcastq", name, self.tables.word(word, name))

    def _set(self, step: Step, mnemonic: str, *reads: Operand | Fixed) -> None:
        value = step.outputs[0]
        self._known[value.number] = self._put(mnemonic, value.name, *reads)

    def _add(self, step: Step) -> None:
        a, b = step.inputs[:2]
        if a.constant is not None:
            a, b = b, a
        self._set(step, "vpaddq", self._in_register(a), self._read(b))

    def _sub(self, step: Step) -> None:
        a, b = step.inputs[:2]
        self._set(step, "vpsubq", self._in_register(a), self._read(b))

    def _and(self, step: Step) -> None:
        a, b = step.inputs
        if a.constant is not None:
            a, b = b, a
        self._set(step, "vpandq", self._in_register(a), self._read(b))

    def _funnel(self, step: Step) -> None:
        (high, low), k = step.inputs, step.attribute
        if high.constant == 0:
            self._set(step, "vpsrlq", self._in_register(low), number(k))
        elif low.constant == 0:
            self._set(step, "vpsllq", self._in_register(high), number(64 - k))
        else:
            self._shift_pair(step, high, low, k)

    def _shift_pair(self, step: Step, high: Value, low: Value, k: int) -> None:
        """(high*2^64 + low) >> k modulo 2^64, for 0 < k < 64."""
        below = self._put("vpsrlq", "low bits", self._in_register(low), number(k))
        above = self._put("vpsllq", "high bits", self._in_register(high), number(64 - k))
        self._set(step, "vpaddq", above, below)


@dataclass
class DigitSelection(Selection, ABC):
    """The code of numbers in digits. A target says how halves of products are added."""

    _flag: int = -1
    """The number of the mask that is a flag."""
    style: ClassVar[LaneStyle] = PLAIN
    """How numbers become words."""

    @abstractmethod
    def _add_low(self, step: Step) -> None:
        """The third word and the low half of the product of the first two."""

    @abstractmethod
    def _add_high(self, step: Step) -> None:
        """The third word and the high half of the product of the first two."""

    def _shift_signed(self, step: Step) -> None:
        self._set(step, "vpsraq", self._in_register(step.inputs[0]), number(step.attribute))

    def _merge(self, step: Step) -> None:
        mask, kept, less = step.inputs
        compared, taken = self._compared(mask), self._taken(kept, less)
        if compared is not None and taken is not None:
            self._compare(mask, *compared)
            register = self._in_register(kept)
            self._set(step, "sub_where", register, self._read(taken), Fixed(FLAG))
        else:
            by, a, b = map(self._in_register, step.inputs)
            self._set(step, "vpternlogq", by, a, b, number(MERGE_BY_MASK_FIRST))

    def _compared(self, mask: Value) -> tuple[Value, int] | None:
        """A word of an operand and the number of which a mask says that it is no less.

        Only where nothing is blended, so that no mask of blends has the register.
        """
        if self._blends:
            return None
        shift = self._made.get(mask.number)
        difference = shift and self._made.get(shift.inputs[0].number)
        if difference is None or difference.operation is not SUB:
            return None
        word, least = difference.inputs[:2]
        made = self._made.get(word.number)
        if made is None or made.operation is not LOAD or least.constant is None:
            return None
        return word, least.constant

    def _taken(self, kept: Value, less: Value) -> Value | None:
        """The constant that was taken from a word."""
        made = self._made.get(less.number)
        if made is None or made.operation is not SUB or made.inputs[0] != kept:
            return None
        return made.inputs[1] if made.inputs[1].constant is not None else None

    def _compare(self, mask: Value, word: Value, least: int) -> None:
        """Make the flag of the lanes where a word is no less than a number, unless it is there."""
        if self._flag == mask.number:
            return
        self._flag = mask.number
        below = self._constant(least - 1, hex(least - 1))
        self._do("less", None, Fixed(FLAG), below, self._in_register(word))
