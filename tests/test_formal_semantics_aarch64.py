"""The instructions of formal/aarch64/Machine.v, decoded from words, against an emulator."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from aarch64_code import bytes_of
from formal_checker import CODE, STACK, ask, bytes_from

RADIX = 1 << 64
NAMES = (*(f"x{number}" for number in range(31)), "sp")
CORNERS = (0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, RADIX - 2, RADIX - 1)
PATTERNS = {
    "adr": (0x9F000000, 0x10000000),
    "add, sub of an immediate": (0x1F800000, 0x11000000),
    "and, orr, eor of an immediate": (0x1F800000, 0x12000000),
    "movn": (0x7F800000, 0x12800000),
    "movz": (0x7F800000, 0x52800000),
    "movk": (0x7F800000, 0x72800000),
    "sbfm": (0xFFC00000, 0x93400000),
    "ubfm": (0xFFC00000, 0xD3400000),
    "extr": (0xFFE00000, 0x93C00000),
    "and, orr, eor": (0x9F000000, 0x8A000000),
    "and, orr, eor of 32 bits": (0x9F008000, 0x0A000000),
    "add, sub": (0x9F200000, 0x8B000000),
    "add, sub of 32 bits": (0x9F208000, 0x0B000000),
    "add, sub of a half": (0x9FE0FC00, 0x8B204000),
    "adc, sbc": (0x1FE0FC00, 0x1A000000),
    "csel, csinc, csinv, csneg": (0x3FE00800, 0x1A800000),
    "madd, msub": (0xFFE00000, 0x9B000000),
    "umaddl": (0xFFE08000, 0x9BA00000),
    "umulh": (0xFFE0FC00, 0x9BC07C00),
    "ldr, str": (0xFF800000, 0xF9000000),
    "ldur, stur": (0xFFA00C00, 0xF8000000),
    "ldr, str, then move": (0xFFA00C00, 0xF8000400),
    "ldr, str, moved before": (0xFFA00C00, 0xF8000C00),
    "ldp, stp": (0xFF800000, 0xA9000000),
    "ldp, stp, then move": (0xFF800000, 0xA8800000),
    "ldp, stp, moved before": (0xFF800000, 0xA9800000),
    "mrs": (0xFFFFFFE0, 0xD53B4200),
    "msr": (0xFFFFFFE0, 0xD51B4200),
    "nop": (0xFFFFFFFF, 0xD503201F),
    "bl": (0xFFFE0000, 0x94000000),
    "bl backwards": (0xFFFFF000, 0x97FFF000),
    "ret": (0xFFFFFFFF, 0xD65F03C0),
}
"""Masks, and what the masked bits are: what the model knows lies in these."""
NO_INSTRUCTIONS = (
    0x8BC20020,  # add with a shift that is none
    0x0B028020,  # add of 32 bits, shifted by 32
    0x12C00020,  # movn of 32 bits to bit 32
    0x9240FC20,  # and with a mask of ones
    0x12400020,  # and of 32 bits with a mask of 64
    0xA9400421,  # ldp x1, x1, [x1]
    0xF8408421,  # ldr x1, [x1], #8
    0xF81F8C21,  # str x1, [x1, #-8]!
    0xA8C10821,  # ldp x1, x2, [x1], #16
    0xA9810841,  # stp x1, x2, [x2, #16]!
    0xFC408420,  # ldr of a vector register
    0xB9400020,  # ldr of 32 bits
    0x9BC00C20,  # umulh with wrong bits
    0x9B200C20,  # smaddl
    0x9BA08C20,  # umsubl
    0xD65F0020,  # ret x1
    0xD61F0020,  # br x1
    0x54000040,  # b.eq
    0x14000002,  # b
    0xD63F0020,  # blr x1
    0xD53BD040,  # mrs of another register
    0xD503233F,  # paciasp
    0x1AC20820,  # udiv
    0x00000000,
)


@dataclass
class Snapshot:
    """Registers, flags, the next place, and the bytes that were accessed."""

    registers: list[int]
    nzcv: int
    here: int
    memory: dict[int, int]


class OneStep:
    """Unicorn, with a page of zeros around every address that the tests use."""

    def __init__(self) -> None:
        self.unicorn = pytest.importorskip("unicorn")
        arm = pytest.importorskip("unicorn.arm64_const")
        self.numbers = [getattr(arm, f"UC_ARM64_REG_X{i}") for i in range(31)]
        self.numbers.append(arm.UC_ARM64_REG_SP)
        self.nzcv, self.pc = arm.UC_ARM64_REG_NZCV, arm.UC_ARM64_REG_PC
        self.machine = self.unicorn.Uc(self.unicorn.UC_ARCH_ARM64, self.unicorn.UC_MODE_ARM)
        self.machine.ctl_set_cpu_model(arm.UC_CPU_ARM64_MAX)
        self.machine.mem_map(0, 0x200000)
        self.accessed: list[int] = []
        kinds = self.unicorn.UC_HOOK_MEM_READ | self.unicorn.UC_HOOK_MEM_WRITE
        self.machine.hook_add(kinds, self.noted)

    def noted(
        self, _uc: object, _kind: int, place: int, size: int, _value: int, _d: object
    ) -> None:
        self.accessed += range(place, place + size)

    def run(self, code: bytes, before: Snapshot) -> Snapshot | None:
        """The state after one instruction, or None where it is none."""
        self.machine.mem_write(before.here, code)
        self.machine.ctl_remove_cache(before.here, before.here + 4)
        for place, byte in before.memory.items():
            self.machine.mem_write(place, bytes([byte]))
        for number, value in zip(self.numbers, before.registers, strict=True):
            self.machine.reg_write(number, value)
        self.machine.reg_write(self.nzcv, before.nzcv << 28)
        self.accessed = []
        try:
            self.machine.emu_start(before.here, 0x1FFFF0, count=1)
        except self.unicorn.UcError:
            return None
        registers = [self.machine.reg_read(number) for number in self.numbers]
        memory = {place: self.machine.mem_read(place, 1)[0] for place in self.accessed}
        flags, here = self.machine.reg_read(self.nzcv) >> 28, self.machine.reg_read(self.pc)
        return Snapshot(registers, flags, here, memory)


def words_like(mask: int, bits: int, chance: random.Random, many: int) -> Iterator[int]:
    """Instructions of a pattern, with registers that are often the same ones, or the last."""
    for _ in range(many):
        word = chance.getrandbits(32) & ~mask & 0xFFFFFFFF | bits
        for place in (0, 5, 10, 16):
            if not mask >> place & 31 and chance.random() < 0.4:
                word = word & ~(31 << place) | chance.choice((31, 31, 3, 4)) << place
        yield word


def snapshot(chance: random.Random, is_access: bool) -> Snapshot:
    if is_access:
        registers = [0x100000 + chance.getrandbits(12) for _ in range(31)]
    else:
        registers = [
            chance.choice(CORNERS) if chance.random() < 0.5 else chance.getrandbits(64)
            for _ in range(31)
        ]
    registers[30] = registers[30] & ~3 if is_access else 0x8000
    return Snapshot([*registers, STACK], chance.getrandbits(4), CODE, {})


def question(code: bytes, before: Snapshot, shown: list[int]) -> str:
    flags = [before.nzcv >> bit & 1 for bit in (3, 2, 1, 0)]
    memory = bytes_from(CODE, code) | before.memory
    numbers = [*before.registers, *flags, before.here, len(memory)]
    numbers += [number for item in memory.items() for number in item]
    numbers += [1, len(shown), *shown]
    return " ".join(["aarch64-step", *(f"{number:x}" for number in numbers)])


def snapshot_of(answer: str, shown: list[int]) -> Snapshot:
    words = [int(word, 16) for word in answer.split()]
    nzcv = sum(flag << bit for flag, bit in zip(words[32:36], (3, 2, 1, 0), strict=True))
    return Snapshot(words[:32], nzcv, words[36], dict(zip(shown, words[37:], strict=True)))


@pytest.mark.parametrize("name", PATTERNS)
def test_the_model_does_what_an_emulator_does(name: str, certifier: Path) -> None:
    chance, emulator = random.Random(name), OneStep()
    is_access = name.startswith(("ldr", "ldp", "ldur"))
    questions, found = [], []
    for word in words_like(*PATTERNS[name], chance, 400):
        before, code = snapshot(chance, is_access), bytes_of([word])
        first = emulator.run(code, before)
        if first is not None:
            before.memory = {place: chance.getrandbits(8) for place in first.memory}
        after = emulator.run(code, before)
        shown = sorted(before.memory)
        questions.append(question(code, before, shown))
        found.append((word, shown, after))
    known = 0
    for answer, (word, shown, after) in zip(ask(certifier, questions), found, strict=True):
        if answer == "undefined":
            continue
        known += 1
        assert after is not None and snapshot_of(answer, shown) == after, f"{word:#x}"
    assert known > 100, name


def test_other_words_are_no_instructions(certifier: Path) -> None:
    before = snapshot(random.Random(1), is_access=True)
    questions = [question(bytes_of([word]), before, []) for word in NO_INSTRUCTIONS]
    assert set(ask(certifier, questions)) == {"undefined"}


@pytest.mark.parametrize(("sp", "here"), [(STACK + 8, CODE), (STACK, CODE + 2)])
def test_what_is_not_aligned_is_undefined(sp: int, here: int, certifier: Path) -> None:
    before = snapshot(random.Random(1), is_access=True)
    load = bytes_of([0xF94003E1])  # ldr x1, [sp]
    good = question(load, before, [])
    before.registers[31], before.here = sp, here
    before.memory = bytes_from(here, load)
    answers = ask(certifier, [good, question(load, before, [])])
    assert answers[0] != "undefined" and answers[1] == "undefined"
