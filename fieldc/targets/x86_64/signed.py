"""Texts on signed words as x86-64 instructions: sums, shifts, flags and choices by flags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from fieldc.targets.x86_64.choices import VARIANTS, Choices
from fieldc.targets.x86_64.instructions import INSTRUCTIONS, RETURNED, SIGNS, VirtualCode
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Operand, Virtual

WORD, WORD_BYTES = 64, 8
IMMEDIATE = 1 << 31
"""Instructions hold numbers from minus this to below it."""


@dataclass(frozen=True)
class SignedWord:
    """A word in a virtual register, with Python's operators."""

    code: SignedCode
    place: Virtual

    def __neg__(self) -> SignedWord:
        return self.code.emit("neg", self.place)

    def __add__(self, other: SignedWord | int) -> SignedWord:
        if isinstance(other, int) and abs(other) == 1:  # flags stay, and no copy is made
            return self.code.emit("lea", Memory(self.place, other))
        return self.code.emit("add", self.place, self.code.operand(other))

    def __sub__(self, other: SignedWord | int) -> SignedWord:
        if isinstance(other, int):
            return self + -other
        return self.code.emit("sub", self.place, other.place)

    def __rsub__(self, other: int) -> SignedWord:
        return self.code.emit("sub", self.code.number(other), self.place)

    def __mul__(self, other: SignedWord) -> SignedWord:
        return self.code.emit("imul", self.place, other.place)

    def __lshift__(self, count: int) -> SignedWord:
        return self.code.emit("shl", self.place, Immediate(count))

    def __rshift__(self, count: int) -> SignedWord:
        return self.code.emit("sar", self.place, Immediate(count))


@dataclass(frozen=True)
class SignFlag:
    """A question about words: what sets flags, and the move where the answer is yes."""

    ask: Callable[[], None]
    move: str


@dataclass
class SignedCode:
    """Virtual code of a text, in its order. A question is asked again where flags changed."""

    choices: Choices = VARIANTS["base"]
    keeps_numbers: bool = False
    """Whether a number from which words are subtracted stays in a register, to be copied."""
    code: list[VirtualCode] = field(default_factory=list)
    constants: list[tuple[str, int]] = field(default_factory=list)
    pointers: dict[str, Virtual] = field(default_factory=dict)
    _kept: dict[int, Virtual] = field(default_factory=dict)
    _signs: dict[Virtual, Virtual] = field(default_factory=dict)
    """The word that is 1 where another is below 0, else 0."""
    _numbers: int = 0
    _asked: SignFlag | None = None
    """The question that the flags answer now."""

    def pointer(self, name: str) -> Virtual:
        """The register of the next argument."""
        return self.pointers.setdefault(name, self._new(f"{name}*"))

    def take(self, name: str) -> SignedWord:
        """The word that is the next argument."""
        return SignedWord(self, self.pointer(name))

    def load(self, name: str) -> SignedWord:
        """The word to which an argument points."""
        return self.emit("mov", Memory(self.pointer(name), 0, name))

    def store(self, index: int, word: SignedWord) -> None:
        """Word number `index` of z."""
        place = Memory(self.pointer("z"), WORD_BYTES * index, f"z[{index}]")
        self._run("store", (), place, word.place)

    def give(self, words: Iterable[SignedWord]) -> None:
        """Leave the words of the result in registers."""
        self.code.append(VirtualCode(RETURNED, (), tuple(word.place for word in words)))

    def emit(self, mnemonic: str, *reads: Operand) -> SignedWord:
        """The word that an instruction makes."""
        place = self._new(mnemonic)
        self._run(mnemonic, (place,), *reads)
        return SignedWord(self, place)

    def operand(self, value: SignedWord | int) -> Operand:
        """A word, or a number in the instruction or in the table of constants."""
        if isinstance(value, SignedWord):
            return value.place
        if -IMMEDIATE <= value < IMMEDIATE:
            return Immediate(value)
        entry = hex(value), value % (1 << WORD)
        if entry not in self.constants:
            self.constants.append(entry)
        return Memory(CONSTANTS, WORD_BYTES * self.constants.index(entry), entry[0])

    def number(self, value: int) -> Operand:
        """A number in an instruction, or in the register that keeps it."""
        if not self.keeps_numbers:
            return Immediate(value)
        if value not in self._kept:
            self._kept[value] = self.emit("mov", Immediate(value)).place
        return self._kept[value]

    def is_at_least_0(self, x: SignedWord) -> SignFlag:
        """Whether x >= 0: by the shift that finds its sign, which leaves a flag too.

        Flags of a shift reach a move sooner than those of `test` on Golden Cove.
        """
        return SignFlag(lambda: self._find_sign(x), "cmove")

    def is_odd(self, x: SignedWord) -> SignFlag:
        """Whether x is odd."""
        return SignFlag(lambda: self._run("test_low", (), x.place, Immediate(1)), "cmovne")

    def is_below_0_and_odd(self, x: SignedWord, y: SignedWord) -> SignFlag:
        """Whether x < 0 and y is odd: by the bit of the sign, in the place of y's lowest."""
        if x.place not in self._signs:
            self._find_sign(x)
        sign = self._signs[x.place]
        return SignFlag(lambda: self._run("test", (), sign, y.place), "cmovne")

    def choose(self, flag: SignFlag, a: SignedWord, b: SignedWord) -> SignedWord:
        """a if the flag is set, else b."""
        if self._asked is not flag:
            flag.ask()
            self._asked = flag
        return self.emit(flag.move, b.place, a.place)

    def low(self, x: SignedWord, place: int, bits: int) -> SignedWord:
        """`bits` bits of x from a place on, with the sign that they have alone."""
        above = WORD - place - bits
        left = x << above if above else x
        return left >> WORD - bits

    def _find_sign(self, x: SignedWord) -> None:
        """Let a word be 1 if x < 0, else 0, and the flags say which."""
        self._signs[x.place] = self.emit("shr", x.place, Immediate(WORD - 1)).place

    def _new(self, name: str) -> Virtual:
        self._numbers += 1
        return Virtual(self._numbers, name)

    def _run(self, mnemonic: str, writes: tuple[Virtual, ...], *reads: Operand) -> None:
        row = INSTRUCTIONS[mnemonic]
        if SIGNS in row.writes_flags:
            self._asked = None
        self.code.append(VirtualCode(row, writes, reads))
