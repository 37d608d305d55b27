"""Our AArch64 code: any word program is compiled, whatever its flags, and computes what it says."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from functools import partial

import capstone
import pytest
from aarch64_code import RET
from aarch64_emulator import PLACES, RADIX, Emulator, limbs
from contracts import contract_named
from primes import STYLES, style_id

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.proof.prove import prove
from fieldc.targets.aarch64.allocate import allocated
from fieldc.targets.aarch64.cancel import cancelled
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.kernel import (
    DISTANCES,
    FAST,
    ROWS,
    SLOW,
    ArmOrder,
    compile_words,
    is_short,
)
from fieldc.targets.aarch64.order import ahead
from fieldc.targets.aarch64.pace import Pace, paced, pieces_of
from fieldc.targets.aarch64.select import selected
from fieldc.targets.aarch64.virtual import ArmCode, number_text
from fieldc.words.build import Builder
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower, without_dead_steps
from fieldc.words.operations import Kind
from fieldc.words.program import Program, Value
from fieldc.words.rows import RowChoice
from fieldc.words.sums import joined_sums
from fieldc.words.table import with_table


def codes(program: Program) -> Iterator[bytes]:
    """The program's bytes with its products at each distance."""
    program = joined_sums(program)
    read, constants = with_table(program, is_short)
    chosen = selected(read if constants else program, cancelled(program))
    table = [".p2align 3", "2:", *(f".quad {value}" for _, value in constants)]
    for distance in DISTANCES:
        lines = allocated(chosen, ahead(chosen.code, distance))
        yield assembled("\n".join([*lines, *(table if constants else [])]))


@pytest.mark.parametrize("rows", ROWS, ids=style_id)
@pytest.mark.parametrize("name", ["bn254-p", "p256"])
def test_every_distance_is_proved(name: str, rows: RowChoice) -> None:
    f = find_field(name)
    contract = contract_named("mul", f.p, f.n)
    for code in dict.fromkeys(codes(lower(choose(f, "mul", "cios"), rows))):
        prove(code, contract, "aapcs64", architecture="aarch64")


@pytest.mark.parametrize("rows", STYLES, ids=style_id)
def test_every_row_style_is_right(rows: RowChoice) -> None:
    """Of two chains, a carry that the other one overwrites waits in a word."""
    f, chance = find_field("p256"), random.Random(3)
    program = lower(choose(f, "mul", "cios"), rows)
    x, y = (chance.randrange(f.p) for _ in "xy")
    for code in dict.fromkeys(codes(program)):
        emulator = Emulator(code, {"x": limbs(x, 4), "y": limbs(y, 4)}, 4)
        emulator.run()
        assert emulator.result() == interpret(program, x, y)


def listed(code: bytes) -> list[str]:
    """The instructions up to the return, as capstone reads them."""
    end = code.index(RET.to_bytes(4, "little"))
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_LITTLE_ENDIAN)
    return [f"{i.mnemonic} {i.op_str}" for i in engine.disasm(code[:end], 0)]


class Chance:
    """A random program, with flags and words read in any order, and constants of every kind."""

    NUMBERS = (0, 1, 5, 4095, 4096, RADIX - 1, RADIX - 19, 1 << 32, 1 << 63, 0x1234_0000_5678)

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.build = Builder(64)
        self.words = [self.build.load(name, i, RADIX - 1) for name in "xy" for i in range(5)]
        self.flags = [self.build.no_carry]

    def word(self) -> Value:
        """A word that was made, or a number."""
        if self.random.randrange(5) == 0:
            return self.build.constant(self.random.choice(self.NUMBERS))
        return self.random.choice(self.words)

    def flag(self) -> Value:
        """Often the last one, so that there are chains."""
        return self.random.choice([self.flags[-1], self.flags[-1], *self.flags])

    def step(self) -> None:
        """One more operation."""
        build, word = self.build, self.word
        made = self.random.choice(
            (
                lambda: build.add(word(), word(), self.flag()),
                lambda: build.add(word(), word(), build.no_carry),
                lambda: build.sub(word(), word(), self.flag()),
                lambda: build.sub(word(), word(), build.no_carry),
                lambda: build.mul(word(), word()),
                lambda: (build.mul_low(word(), word()),),
                lambda: (build.select(self.flag(), word(), word(), RADIX - 1),),
                lambda: (build.mask(self.flag()),),
                lambda: (build.bit_and(word(), word()),),
                lambda: (build.funnel(word(), word(), self.random.randrange(1, 64)),),
            )
        )()
        for value in made:
            (self.words if value.kind is Kind.WORD else self.flags).append(value)

    def program(self, steps: int, results: int) -> Program:
        """The program whose results are some of its last words."""
        for _ in range(steps):
            self.step()
        last = [*self.words[-results - 4 : -1], self.build.constant(7)]
        chosen = tuple(self.random.sample(last, results))
        operands = (("x", 5), ("y", 5))
        return without_dead_steps(Program("k", 64, operands, tuple(self.build.steps), chosen))


@pytest.mark.parametrize("seed", range(90))
def test_random_programs_compute_what_they_say(seed: int) -> None:
    """From ten operations to three hundred, which need far more registers than there are."""
    chance = random.Random(-1 - seed)
    program = Chance(seed).program(10 + 6 * seed, 1 + seed % 7)
    x, y = (chance.getrandbits(320) for _ in "xy")
    wanted = interpret(program, x, y)
    for code in dict.fromkeys(codes(program)):
        emulator = Emulator(code, {"x": limbs(x, 5), "y": limbs(y, 5)}, 1 + seed % 7)
        emulator.run()
        assert emulator.result() == wanted
        used = {int(name) for name in re.findall(r"\bx(\d+)\b", "\n".join(listed(code)))}
        assert not used & {18, 29}
        saved = [f"x{i}" for i in range(18, 31)]
        assert [emulator.register(r) for r in saved] == [emulator.entry[r] for r in saved]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("operand", ["x", "y"])
def test_a_result_may_lie_over_an_operand(operand: str, seed: int) -> None:
    """No limb is read, or read again, after the first store."""
    program = Chance(1000 + seed).program(200, 5)
    operands = {name: random.Random(name).getrandbits(320) for name in "xy"}
    for code in dict.fromkeys(codes(program)):
        emulator = Emulator(code, {name: limbs(v, 5) for name, v in operands.items()}, 5)
        emulator.machine.reg_write(emulator.numbers["x0"], PLACES[operand])
        emulator.run()
        found = emulator.machine.mem_read(PLACES[operand], 40)
        assert int.from_bytes(found, "little") == interpret(program, *operands.values())


@pytest.mark.parametrize("distance", [0, 1, 5, 1000])
def test_moving_ahead_keeps_what_an_instruction_needs(distance: int) -> None:
    chance, code = random.Random(distance), []
    for number in range(1, 300):
        reads = tuple(chance.sample(range(number), min(number, 2)))
        code.append(ArmCode("text", (number,), reads, chance.randrange(2) == 0))
    moved = ahead(code, distance)
    assert sorted(moved, key=code.index) == code
    assert [c for c in moved if c.pinned] == [c for c in code if c.pinned]
    place = {c.writes[0]: i for i, c in enumerate(moved)}
    assert all(place[r] < i for i, c in enumerate(moved) for r in c.reads if r)
    assert distance or moved == code


def test_a_clock_keeps_chains_and_what_an_instruction_needs() -> None:
    """On random code of chains, products and loads; no store passes a load."""
    chance, code = random.Random(4), [ArmCode("ldr {}, [{}]", (n,), (0,)) for n in range(1, 9)]
    made = list(range(1, 9))
    for number in range(9, 400):
        kind = chance.choice(["mul", "umulh", "adds", "adcs", "adcs", "cset"])
        reads = tuple(chance.sample(made, 0 if kind == "cset" else 2))
        code.append(ArmCode(kind, (number,), reads, kind not in ("mul", "umulh")))
        made += [number] * (not code[-1].pinned)  # no chain waits for its own words
    code.append(ArmCode("str {}, [{}]", (), (399, 0), True))
    for pace in (Pace(3, 2, 5, 30), Pace(0.5, 2.5, 2, 4)):
        moved = paced(code, pace)
        assert sorted(moved, key=code.index) == code
        place = {c.writes[0]: i for i, c in enumerate(moved) if c.writes}
        assert all(place[r] < i for i, c in enumerate(moved) for r in c.reads if r)
        assert moved[-1].text.startswith("str") or place[399] < moved.index(code[-1])
        for piece in pieces_of(code):
            first = moved.index(piece.code[0])
            assert tuple(moved[first : first + len(piece.code)]) == piece.code


def test_a_chain_that_waits_for_itself_stays_in_its_order() -> None:
    one, two, three = (
        ArmCode("adds", (1,), (), True),
        ArmCode("mul", (2,), (1,)),
        ArmCode("adcs", (3,), (2,), True),
    )
    assert paced([one, two, three], Pace(3, 2, 5, 30)) == [one, two, three]


@pytest.mark.sweep(4)
@pytest.mark.parametrize("pace", [*SLOW, *FAST], ids=str)
@pytest.mark.parametrize("rows", ROWS, ids=style_id)
def test_every_pace_is_proved(rows: RowChoice, pace: Pace) -> None:
    f = find_field("bn254-p")
    for algorithm in ("cios", "karatsuba-limbs", "half-limbs"):
        lowered = partial(lower, choose(f, "mul", algorithm))
        kernel = compile_words(lowered, order=ArmOrder(rows, pace=pace))
        contract = contract_named("mul", f.p, f.n)
        prove(kernel.code, contract, "aapcs64", architecture="aarch64")


@pytest.mark.parametrize(
    "number", [0, 1, RADIX - 1, 0xFFFF << 48, RADIX - 19, 1 << 32, 0x1234_0000_5678_9ABC, 977]
)
def test_a_number_is_made_in_parts(number: int) -> None:
    emulator = Emulator(assembled(number_text(number).format("x9") + "\nret"), {"x": [0]}, 1)
    emulator.run()
    assert emulator.register("x9") == number


def test_products_further_ahead_win_where_code_is_not_longer() -> None:
    """By one percent at most; what the fewest instructions are does not change."""
    expression = choose(find_field("bls12-381-p"), "mul")
    kernel = compile_words(lambda rows: lower(expression, rows))
    assert len(kernel.lines) <= 335
    early = [i for i, line in enumerate(kernel.lines) if line.startswith(("mul", "umulh"))]
    assert sum(is_read_next(kernel.lines, i) for i in early) < len(early) / 4


def is_read_next(lines: tuple[str, ...], place: int) -> bool:
    """Whether the next instruction waits for a product."""
    register = lines[place].split()[1].rstrip(",")
    return register in lines[place + 1].replace(",", " ").split()[2:]
