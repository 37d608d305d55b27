"""The AArch64 instructions of kernels: one row each, with its operands and its encoding.

Arm, "Architecture Reference Manual for A-profile", C6. A row is a form of a mnemonic: `adds` of
registers and `adds` with a number are two rows. Of an alias, such as `cmp`, the row has the word of
what it stands for. Text is GNU's, which Apple's and LLVM's assemblers read too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from fieldc.errors import Refusal

ZERO = 31
"""The number of `xzr`, or of `sp` where an operand may be the stack pointer."""
CONDITIONS = ("eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le")
HALF = 1 << 31
"""The bit of most words that says that registers have 64 bits."""


class TextError(Refusal):
    """A line that is no instruction of the table; the message names it."""


@dataclass(frozen=True)
class ArmLine:
    """A line of text in its parts: `adds x1, x2, x3, lsl #1` has four operands."""

    mnemonic: str
    operands: tuple[str, ...]
    place: int
    """Bytes before it in its text."""
    labels: dict[str, int]
    """The places of all labels."""


Reader = Callable[[ArmLine, str], "int | None"]
"""From an operand's text to its bits, or None where the operand is of another kind."""


def _register(shift: int, stack: bool = False) -> Reader:
    def read(line: ArmLine, text: str) -> int | None:
        if text in ("xzr", "wzr", "sp"):
            return ZERO << shift if (text == "sp") == stack else None
        if text[:1] not in ("x", "w") or not text[1:].isdigit() or not int(text[1:]) < ZERO:
            return None
        return int(text[1:]) << shift

    return read


def _half(shift: int) -> Reader:
    whole = _register(shift)
    return lambda line, text: whole(line, text) if text.startswith("w") else None


def _both(line: ArmLine, text: str) -> int | None:
    """One register as both operands."""
    number = _register(0)(line, text)
    return None if number is None else number << 5 | number << 16


def _stack(line: ArmLine, text: str) -> int | None:
    return 0 if text == "sp" else None


def _condition(flip: int) -> Reader:
    def read(line: ArmLine, text: str) -> int | None:
        return (CONDITIONS.index(text) ^ flip) << 12 if text in CONDITIONS else None

    return read


def _number(text: str) -> int | None:
    try:
        return int(text.removeprefix("#"), 0) if text.startswith("#") else None
    except ValueError:
        return None


def _immediate(limit: int, bits: Callable[[int], int]) -> Reader:
    """A number from 0 up to a limit."""

    def read(line: ArmLine, text: str) -> int | None:
        value = _number(text)
        return bits(value) if value is not None and 0 <= value < limit else None

    return read


def _moved(line: ArmLine, text: str) -> int | None:
    """A number that movz can make, or movn: 16 bits at a multiple of 16, or their complement."""
    value, width = _number(text), 32 if line.operands[0].startswith("w") else 64
    if value is None:
        return None
    for word, number in ((0x40000000, value), (0, ~value)):
        number %= 1 << width
        for half in range(width // 16):
            if number == number & 0xFFFF << 16 * half:
                return word | half << 21 | (number >> 16 * half) << 5
    return None


def _kept(line: ArmLine, text: str) -> int | None:
    """`lsl #16`, `#32` or `#48` of movk."""
    value = _number(text.removeprefix("lsl ")) if text.startswith("lsl ") else None
    return value // 16 << 21 if value in (0, 16, 32, 48) else None


def _shifted(line: ArmLine, text: str) -> int | None:
    """`lsl #3` or `lsr #3` of the last register."""
    kind, _, amount = text.partition(" ")
    value = _number(amount)
    if kind not in ("lsl", "lsr") or value is None or not 0 <= value < 64:
        return None
    return ("lsl", "lsr").index(kind) << 22 | value << 10


def _width(line: ArmLine, text: str) -> int | None:
    """How many bits a field has, after the number of its first."""
    first, count = _number(line.operands[-2]), _number(text)
    if first is None or count is None or not 0 < count <= 64 - first:
        return None
    return first + count - 1 << 10


def _address(count: int, indexed: bool = False) -> Reader:
    """`[x1, #16]` for one register or two; with `indexed` `[x1, #-16]!`."""

    def read(line: ArmLine, text: str) -> int | None:
        if text.endswith("!") != indexed:
            return None
        base, _, offset = text.rstrip("!").removeprefix("[").removesuffix("]").partition(", ")
        number = _register(5, base == "sp")(line, base)
        value = _number(offset or "#0")
        if not text.startswith("[") or number is None or value is None:
            return None
        bits = _offset(count, value, indexed)
        return None if bits is None else number | bits

    return read


def _offset(count: int, value: int, indexed: bool) -> int | None:
    if count == 2:
        return (value // 8 & 127) << 15 if value % 8 == 0 and -512 <= value < 512 else None
    if indexed:
        return (value & 511) << 12 if -256 <= value < 256 else None
    return value // 8 << 10 if value % 8 == 0 and 0 <= value < 8 << 12 else None


def _after(count: int) -> Reader:
    """What is added to the base after an access."""

    def read(line: ArmLine, text: str) -> int | None:
        value = _number(text)
        return None if value is None else _offset(count, value, True)

    return read


def _label(line: ArmLine, text: str) -> int | None:
    """The distance to a label, for adr."""
    if text not in line.labels:
        return None
    distance = line.labels[text] - line.place
    return (distance & 3) << 29 | (distance >> 2 & (1 << 19) - 1) << 5


def _called(line: ArmLine, text: str) -> int | None:
    """The distance to a label, for bl."""
    if text not in line.labels:
        return None
    distance = line.labels[text] - line.place
    return None if distance % 4 else distance >> 2 & (1 << 26) - 1


def _saved(line: ArmLine, text: str) -> int | None:
    return 0 if text.lower() == "nzcv" else None


HALVES = {"wn": "n", "wm": "m"}
"""Operands that are always registers of 32 bits."""
READERS: dict[str, Reader] = {
    "d": _register(0),
    "n": _register(5),
    "m": _register(16),
    "a": _register(10),
    "wn": _half(5),
    "wm": _half(16),
    "nm": _both,
    "D": _register(0, stack=True),
    "N": _register(5, stack=True),
    "if": _condition(0),
    "unless": _condition(1),
    "12": _immediate(1 << 12, lambda value: value << 10),
    "bit0": lambda line, text: 0 if _number(text) == 1 else None,
    "mov": _moved,
    "hint": _immediate(1 << 7, lambda value: value << 5),
    "16": _immediate(1 << 16, lambda value: value << 5),
    "at": _kept,
    "shifted": _shifted,
    "left": _immediate(64, lambda value: -value % 64 << 16 | 63 - value << 10),
    "right": _immediate(64, lambda value: value << 16 | 63 << 10),
    "first": _immediate(64, lambda value: value << 16),
    "width": _width,
    "lowest": _immediate(64, lambda value: value << 10),
    "[]": _address(1),
    "[2]": _address(2),
    "[]!": _address(1, indexed=True),
    "[2]!": _address(2, indexed=True),
    "+": _after(1),
    "+2": _after(2),
    "[n]": lambda line, text: _address(2)(line, text) if ", " not in text else None,
    "label": _label,
    "called": _called,
    "nzcv": _saved,
}
"""The kinds of operands. `D` and `N` are the stack pointer; `if` and `unless` are conditions."""


@dataclass(frozen=True)
class Row:
    """A form of an instruction: its operands' kinds, and its word without them."""

    mnemonic: str
    operands: tuple[str, ...]
    word: int
    halves: bool = False
    """Whether it may have registers of 32 bits: all of them, or none."""

    def encode(self, line: ArmLine) -> int | None:
        """The word of a line, or None where it is of another form."""
        if len(line.operands) != len(self.operands):
            return None
        word = self.word
        for kind, text in zip(self.operands, line.operands, strict=True):
            bits = READERS[kind](line, text)
            if bits is None:
                return None
            word |= bits
        pairs = zip(self.operands, line.operands, strict=True)
        if any(text.startswith("w") for kind, text in pairs if kind not in HALVES):
            return word & ~HALF if self.halves else None
        return word


def _row(text: str, word: int, halves: bool = False) -> Row:
    mnemonic, *operands = text.split()
    return Row(mnemonic, tuple(operands), word, halves)


def _sums() -> Iterator[Row]:
    for name, word in (("add", 0x8B000000), ("sub", 0xCB000000)):
        immediate = word + 0x06000000
        for suffix, bit in (("", 0), ("s", 1 << 29)):
            yield _row(f"{name}{suffix} d n m", word | bit)
            yield _row(f"{name}{suffix} d n m shifted", word | bit)
            yield _row(f"{name}{suffix} d n 12", immediate | bit)
        yield _row(f"{name} D N 12", immediate)
    for name, word in (("cmn", 0xAB00001F), ("cmp", 0xEB00001F)):
        yield _row(f"{name} n m", word)
        yield _row(f"{name} n 12", word + 0x06000000)
    for name, word in (("adc", 0x9A000000), ("sbc", 0xDA000000)):
        yield _row(f"{name} d n m", word)
        yield _row(f"{name}s d n m", word | 1 << 29)
    for name, word in (("neg", 0xCB0003E0), ("negs", 0xEB0003E0), ("ngc", 0xDA0003E0)):
        yield _row(f"{name} d m", word)
    yield _row("ngcs d m", 0xFA0003E0)


def _products_and_bits() -> Iterator[Row]:
    for name, word in (("mul", 0x9B007C00), ("mneg", 0x9B00FC00), ("umulh", 0x9BC07C00)):
        yield _row(f"{name} d n m", word)
    yield _row("madd d n m a", 0x9B000000)
    yield _row("umull d wn wm", 0x9BA07C00)
    yield _row("umaddl d wn wm a", 0x9BA00000)
    yield _row("msub d n m a", 0x9B008000)
    for name, word in (("csel", 0x9A800000), ("csinc", 0x9A800400), ("csinv", 0xDA800000)):
        yield _row(f"{name} d n m if", word)
    yield _row("cset d unless", 0x9A9F07E0, halves=True)
    yield _row("csetm d unless", 0xDA9F03E0)
    yield _row("csneg d n m if", 0xDA800400)
    yield _row("cinc d nm unless", 0x9A800400)
    yield _row("cneg d nm unless", 0xDA800400)
    for name, word in (("and", 0x8A000000), ("orr", 0xAA000000), ("eor", 0xCA000000)):
        yield _row(f"{name} d n m", word, halves=True)
    yield _row("bic d n m", 0x8A200000)
    yield _row("ands d n m", 0xEA000000)
    yield _row("eor d n bit0", 0x52000000, halves=True)
    yield _row("tst n m", 0xEA00001F, halves=True)
    yield _row("tst n bit0", 0xF240001F)
    yield _row("mvn d m", 0xAA2003E0)
    yield _row("mov d m", 0xAA0003E0)
    yield _row("mov d mov", 0x92800000, halves=True)
    yield _row("movz d 16", 0xD2800000)
    yield _row("movk d 16", 0xF2800000)
    yield _row("movk d 16 at", 0xF2800000)
    yield _row("lsl d n left", 0xD3400000)
    yield _row("lsr d n right", 0xD3400000)
    yield _row("asr d n right", 0x93400000)
    yield _row("sbfx d n first width", 0x93400000)
    yield _row("ubfx d n first width", 0xD3400000)
    yield _row("extr d n m lowest", 0x93C00000)


def _memory() -> Iterator[Row]:
    for name, bit in (("st", 0), ("ld", 1 << 22)):
        yield _row(f"{name}r d []", 0xF9000000 | bit)
        yield _row(f"{name}r d []!", 0xF8000C00 | bit)
        yield _row(f"{name}r d [n] +", 0xF8000400 | bit)
        yield _row(f"{name}p d a [2]", 0xA9000000 | bit)
        yield _row(f"{name}p d a [2]!", 0xA9800000 | bit)
        yield _row(f"{name}p d a [n] +2", 0xA8800000 | bit)
    yield _row("adr d label", 0x10000000)
    yield _row("mrs d nzcv", 0xD53B4200)
    yield _row("msr nzcv d", 0xD51B4200)
    yield _row("nop", 0xD503201F)
    yield _row("hint hint", 0xD503201F)
    yield _row("bl called", 0x94000000)
    yield _row("ret", 0xD65F03C0)


INSTRUCTIONS: dict[str, tuple[Row, ...]] = {}
"""The forms of each mnemonic."""
for _one in (*_sums(), *_products_and_bits(), *_memory()):
    INSTRUCTIONS[_one.mnemonic] = (*INSTRUCTIONS.get(_one.mnemonic, ()), _one)
