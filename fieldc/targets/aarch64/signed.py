"""Texts on signed words as AArch64 instructions: sums, shifts, flags and choices by flags."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from fieldc.targets.aarch64.virtual import ArmCode, Selected, address_of, number_text

WORD = 64
IMMEDIATE = 1 << 12
"""Sums hold numbers below this."""


@dataclass(frozen=True)
class ArmSignedWord:
    """A word in a virtual register, with Python's operators."""

    code: ArmSignedCode
    place: int

    def __neg__(self) -> ArmSignedWord:
        return self.code.emit("neg {}, {}", self.place)

    def __add__(self, other: ArmSignedWord | int) -> ArmSignedWord:
        if isinstance(other, int) and 0 <= other < IMMEDIATE:
            return self.code.emit(f"add {{}}, {{}}, #{other}", self.place)
        return self.code.emit("add {}, {}, {}", self.place, self.code.place_of(other))

    def __sub__(self, other: ArmSignedWord | int) -> ArmSignedWord:
        if isinstance(other, int) and 0 <= other < IMMEDIATE:
            return self.code.emit(f"sub {{}}, {{}}, #{other}", self.place)
        return self.code.emit("sub {}, {}, {}", self.place, self.code.place_of(other))

    def __rsub__(self, other: int) -> ArmSignedWord:
        return self.code.emit("sub {}, {}, {}", self.code.place_of(other), self.place)

    def __mul__(self, other: ArmSignedWord) -> ArmSignedWord:
        return self.code.emit("mul {}, {}, {}", self.place, other.place)

    def __lshift__(self, count: int) -> ArmSignedWord:
        return self.code.emit(f"lsl {{}}, {{}}, #{count}", self.place)

    def __rshift__(self, count: int) -> ArmSignedWord:
        return self.code.emit(f"asr {{}}, {{}}, #{count}", self.place)


@dataclass(frozen=True)
class ArmSignFlag:
    """A question about words: what sets flags, and the condition of the answer yes."""

    ask: Callable[[], None]
    condition: str


@dataclass
class ArmSignedCode:
    """Virtual code of a text, in its order. A question is asked again where flags changed."""

    code: list[ArmCode] = field(default_factory=list)
    pointers: list[int] = field(default_factory=list)
    again: dict[int, ArmCode] = field(default_factory=dict)
    constants: dict[int, int] = field(default_factory=dict)
    _numbers: int = 0
    _asked: ArmSignFlag | None = None

    def pointer(self) -> int:
        """The register of the next argument."""
        self.pointers.append(self._new())
        return self.pointers[-1]

    def load(self, pointer: int) -> ArmSignedWord:
        """The word to which an argument points."""
        return self.emit(f"ldr {{}}, {address_of(0)}", pointer)

    def store(self, pointer: int, index: int, word: ArmSignedWord) -> None:
        """Word number `index` from a pointer on."""
        text = f"str {{}}, {address_of(index)}"
        self.code.append(ArmCode(text, (), (word.place, pointer), True))

    def selected(self) -> Selected:
        """All of it, to be given registers."""
        return Selected(tuple(self.code), tuple(self.pointers), self.again)

    def emit(self, text: str, *reads: int) -> ArmSignedWord:
        """The word that an instruction makes."""
        place = self._new()
        self.code.append(ArmCode(text, (place,), reads))
        return ArmSignedWord(self, place)

    def place_of(self, value: ArmSignedWord | int) -> int:
        """A word's register; a number is made once, and again where no register kept it."""
        if isinstance(value, ArmSignedWord):
            return value.place
        if value not in self.constants:
            self.constants[value] = self.emit(number_text(value % (1 << WORD))).place
            self.again[self.constants[value]] = self.code[-1]
        return self.constants[value]

    def is_at_least_0(self, x: ArmSignedWord) -> ArmSignFlag:
        """Whether x >= 0."""
        return ArmSignFlag(lambda: self._ask("cmp {}, #0", x.place), "pl")

    def is_odd(self, x: ArmSignedWord) -> ArmSignFlag:
        """Whether x is odd."""
        return ArmSignFlag(lambda: self._ask("tst {}, #1", x.place), "ne")

    def is_below_0_and_odd(self, x: ArmSignedWord, y: ArmSignedWord) -> ArmSignFlag:
        """Whether x < 0 and y is odd: by the bit of the sign, in the place of y's lowest."""
        sign = self.emit(f"lsr {{}}, {{}}, #{WORD - 1}", x.place)
        return ArmSignFlag(lambda: self._ask("tst {}, {}", sign.place, y.place), "ne")

    def choose(self, flag: ArmSignFlag, a: ArmSignedWord, b: ArmSignedWord) -> ArmSignedWord:
        """a if the flag is set, else b."""
        if self._asked is not flag:
            flag.ask()
            self._asked = flag
        return self.emit(f"csel {{}}, {{}}, {{}}, {flag.condition}", a.place, b.place)

    def low(self, x: ArmSignedWord, place: int, bits: int) -> ArmSignedWord:
        """`bits` bits of x from a place on, with the sign that they have alone."""
        return self.emit(f"sbfx {{}}, {{}}, #{place}, #{bits}", x.place)

    def _ask(self, text: str, *reads: int) -> None:
        self._asked = None
        self.code.append(ArmCode(text, (), reads, True))

    def _new(self) -> int:
        self._numbers += 1
        return self._numbers
