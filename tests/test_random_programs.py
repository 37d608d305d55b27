"""What the prover says of programs that nobody chose is what a processor computes.

They are of all instructions that the prover takes, from routines of others and from fieldc's, of
every width, with any counts, constants and conditions. What the prover refuses is left out.
"""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from aarch64_code import RET, bytes_of
from aarch64_emulator import Recorded, samples
from x86_64_runs import REGISTERS, instructions, thunk
from x86_64_symbolic import Symbolic

from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.x86_64.conditions import CONDITIONS
from fieldc.proof.x86_64.processor import LOW_BYTES, LOW_HALVES

STEPS = {"x86_64": 12, "aarch64": 48}
"""Instructions of a program, with those that are refused: of AArch64 most are."""
LEAST = 40
"""Instructions that are taken of twenty programs: else the test shows little."""
SEEDS = [range(start, start + 20) for start in range(0, 2000, 20)]
"""Of programs that are one test."""


def seeds(programs: range) -> str:
    """The name of a test."""
    return f"{programs.start}-{programs.stop - 1}"


# x86-64

PARTS = {
    64: {name: name for name in REGISTERS},
    32: {whole: name for name, whole in LOW_HALVES.items()},
    8: {whole: name for name, whole in LOW_BYTES.items()},
}
COUNTS = (0, 1, 2, 7, 8, 15, 16, 31, 32, 33, 48, 63)
CONSTANTS = (0, 1, -1, 2, 3, 6, 8, 127, -128, 128, 255, 256, 0xFFFF, 0x7FFFFFFF, -(1 << 31))
ON_TWO = ("add", "adc", "sub", "sbb", "cmp", "and", "or", "xor", "test", "mov")
ON_ONE = ("inc", "dec", "neg", "not")


class Drawn:
    """Instructions of x86-64 by chance."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.kinds: tuple[Callable[[], str], ...] = (
            *3 * (self.on_two,),
            *2 * (self.on_one, self.shift, self.condition, self.set_byte),
            *(self.funnel, self.bmi2, self.bit, self.product, self.address, self.other),
        )

    def line(self) -> str:
        return self.chance.choice(self.kinds)()

    def name(self, bits: int = 64) -> str:
        return PARTS[bits][self.chance.choice(REGISTERS)]

    def bits(self) -> int:
        return self.chance.choice((64, 64, 32, 32, 8))

    def constant(self, bits: int) -> int:
        number = self.chance.choice((*CONSTANTS, self.chance.randrange(1 << 31)))
        return number if bits > 8 else (number + 128) % 256 - 128

    def on_two(self) -> str:
        bits, name = self.bits(), self.chance.choice(ON_TWO)
        second = self.chance.choice((self.name(bits), self.constant(bits)))
        return f"{name} {self.name(bits)}, {second}"

    def on_one(self) -> str:
        return f"{self.chance.choice(ON_ONE)} {self.name(self.bits())}"

    def shift(self) -> str:
        count = self.chance.choice(COUNTS)
        return f"{self.chance.choice(('shl', 'shr', 'sar'))} {self.name(self.bits())}, {count}"

    def funnel(self) -> str:
        bits = self.chance.choice((64, 32))
        both = f"{self.name(bits)}, {self.name(bits)}"
        return f"{self.chance.choice(('shld', 'shrd'))} {both}, {self.chance.choice(COUNTS)}"

    def bmi2(self) -> str:
        bits, name = self.chance.choice((64, 32)), self.chance.choice(("shlx", "shrx", "bzhi"))
        a, b, c = (self.name(bits) for _ in range(3))
        moved = f"rorx {a}, {b}, {self.chance.choice(COUNTS)}"
        return self.chance.choice((moved, f"{name} {a}, {b}, {c}"))

    def bit(self) -> str:
        bits, name = self.chance.choice((64, 32)), self.chance.choice(("bt", "btr", "bts"))
        return f"{name} {self.name(bits)}, {self.chance.choice((*COUNTS, 64, 100, 127))}"

    def condition(self) -> str:
        bits = self.chance.choice((64, 32))
        return f"cmov{self.chance.choice([*CONDITIONS])} {self.name(bits)}, {self.name(bits)}"

    def set_byte(self) -> str:
        name = f"set{self.chance.choice([*CONDITIONS])} {self.name(8)}"
        moved = f"movzx {self.name(self.chance.choice((64, 32)))}, {self.name(8)}"
        return self.chance.choice((name, moved))

    def product(self) -> str:
        a, b, c = (self.name() for _ in range(3))
        products = (f"mul {a}", f"imul {a}, {b}", f"imul {a}, {b}, {self.constant(64)}")
        return self.chance.choice((*products, f"mulx {a}, {b}, {c}"))

    def address(self) -> str:
        bits, scale = self.chance.choice((64, 32)), self.chance.choice((1, 2, 4, 8))
        index = self.chance.choice(("", f" + {scale}*{self.name()}"))
        return f"lea {self.name(bits)}, [{self.name()}{index} + {self.constant(64)}]"

    def other(self) -> str:
        a, b = self.name(), self.name()
        carries = (f"adcx {a}, {b}", f"adox {a}, {b}", "clc", "stc", "cmc")
        place = f"[rsp - {self.chance.choice((8, 16))}]"
        byte = f"set{self.chance.choice([*CONDITIONS])} byte ptr {place}"
        kept = (f"mov {place}, {a}", f"mov {a}, {place}", f"adc {a}, {place}", byte)
        half, part = PARTS[32][a], self.chance.choice((f"dword ptr {place}", f"byte ptr {place}"))
        parts = (
            f"mov {half}, dword ptr {place}",
            f"mov {part}, 5",
            f"movzx {half}, byte ptr {place}",
        )
        return self.chance.choice((*carries, *kept, *parts, f"push {a}; pop {b}", f"xchg {a}, {b}"))


@pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")
@pytest.mark.sweep(10)
@pytest.mark.parametrize("is_foreign", [True, False], ids=["foreign", "own"])
@pytest.mark.parametrize("programs", SEEDS, ids=seeds)
def test_programs_of_x86_64(programs: range, is_foreign: bool) -> None:
    if lacking := missing(("adx", "bmi2")):
        pytest.skip(f"this processor lacks {', '.join(lacking)}")
    assert sum(_runs_on_x86_64(seed, is_foreign) for seed in programs) >= LEAST


def _runs_on_x86_64(seed: int, is_foreign: bool) -> int:
    """How many instructions the prover took."""
    drawn = Drawn(seed)
    lines: list[str] = []
    for _ in range(STEPS["x86_64"]):
        line = drawn.line()
        if _taken([*lines, line], is_foreign) is not None:
            lines.append(line)
    run = _taken(lines, is_foreign)
    assert run is not None
    run.agrees("; ".join(lines))
    return len(lines)


def _taken(lines: list[str], is_foreign: bool) -> Symbolic | None:
    """A run of the lines on symbols; None where one is refused."""
    run = Symbolic(is_foreign)
    try:
        for line in lines:
            for instruction in instructions(thunk(line)[2]):
                run.step(instruction)
    except ProofError:
        return None
    return run


# AArch64: the bits of each class of instructions, and those that may be any.

SF, OP, S = 1 << 31, 1 << 30, 1 << 29
N = 1 << 22
ANY_SHIFT, ANY_CONDITION, ANY_SECOND = 3 << 22 | 63 << 10, 15 << 12, 1 << 10
CLASSES = {
    "add, sub": (0x0B000000, OP | S | ANY_SHIFT),
    "add, sub of half a word": (0x0B204000, OP | S),
    "add, sub a constant": (0x11000000, OP | S | 1 << 22 | 0xFFF << 10),
    "adc, sbc": (0x1A000000, OP | S),
    "and, orr, eor, bic": (0x0A000000, OP | S | 1 << 21 | ANY_SHIFT),
    "and, orr, eor a constant": (0x12000000, OP | S | N | 0xFFF << 10),
    "fields": (0x13000000, OP | N | 0xFFF << 10),
    "extr": (0x13800000, N | 63 << 10),
    "movn, movz, movk": (0x12800000, OP | S | 0x7FFFF << 5 & ~(1 << 23)),
    "csel": (0x1A800000, OP | ANY_CONDITION | ANY_SECOND),
    "madd, msub": (0x1B000000, 1 << 15),
    "umaddl": (0x9BA00000, 0),
    "umulh": (0x9BC07C00, 0),
}
NUMBERS = (*range(3, 18), 31)
"""Registers."""
LOADS = (0xA9401023, 0xA9411825, 0xF8408047, 0xF9400048)
"""ldp x3, x4, [x1]; ldp x5, x6, [x1, #16]; ldur x7, [x2, #8]; ldr x8, [x2]"""
CONSTANT_BITS = (0, 0x3F << 10, 0x1F << 10, 1 << 22 | 0x3F << 16)


def drawn_word(chance: random.Random) -> int:
    """An instruction of AArch64 by chance; perhaps none."""
    name = chance.choice([*CLASSES])
    fixed, free = CLASSES[name]
    word = fixed | chance.getrandbits(32) & free
    if chance.random() < 0.5:  # no shift, or a simple one
        word = word & ~(ANY_SHIFT & free) | chance.choice(CONSTANT_BITS) & free
    if chance.random() < 0.7:
        word |= SF | (N if name in ("fields", "extr") else 0)
    d, a, b, c = (chance.choice(NUMBERS) for _ in range(4))
    if name.startswith("mov"):
        return word & ~0x1F | d
    word |= d | a << 5
    if "constant" not in name and name != "fields":
        word |= b << 16
    if name.startswith(("madd", "umaddl")):
        word |= c << 10
    return word


@pytest.mark.sweep(10)
@pytest.mark.parametrize("is_foreign", [True, False], ids=["foreign", "own"])
@pytest.mark.parametrize("programs", SEEDS, ids=seeds)
def test_programs_of_aarch64(programs: range, is_foreign: bool) -> None:
    pytest.importorskip("unicorn")
    assert sum(_runs_on_aarch64(seed, is_foreign) for seed in programs) >= LEAST


def _runs_on_aarch64(seed: int, is_foreign: bool) -> int:
    """How many instructions the prover took."""
    chance, counts = random.Random(seed), {"x": 4, "y": 2}
    words = [*LOADS]
    recorded = Recorded(bytes_of([*words, RET]), 4, counts, is_foreign)
    for _ in range(STEPS["aarch64"]):
        more = [*words, drawn_word(chance)]
        try:
            recorded = Recorded(bytes_of([*more, RET]), 4, counts, is_foreign)
        except ProofError:
            continue
        words = more
    for operands in samples(counts, 12):
        recorded.agrees(operands)
    return len(words) - len(LOADS)
