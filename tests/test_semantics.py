"""The prover's meanings of instructions, against the processor and at small widths."""

from __future__ import annotations

from itertools import product

import pytest
from x86_64_forms import FOREIGN_FORMS, FORMS
from x86_64_runs import RADIX, REGISTERS, entries, instructions, on_processor, thunk

from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import Equation, Polynomial, Select, System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.memory import KernelMemory
from fieldc.proof.x86_64.meanings import MEANINGS
from fieldc.proof.x86_64.processor import SymbolicX86

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")

ALL_FORMS = {**FORMS, **FOREIGN_FORMS}


def symbolic(text: str, is_foreign: bool = False) -> tuple[SymbolicX86, dict[str, int]]:
    """The text run on symbols; the variable of each register and flag on entry."""
    system = System(64, is_foreign=is_foreign)
    memory = KernelMemory(system, {}, b"", 1)
    processor = SymbolicX86(memory, "sysv")
    numbers = {r: system.new(r, RADIX - 1) for r in REGISTERS}
    numbers |= {f: system.new(f, 1) for f in ("cf", "of")}
    if is_foreign:
        words = tuple(numbers[r] for r in REGISTERS)
        inputs = (Input("x", words, (1 << 64 * len(words)) - 1),)
        memory.case = Case(system, inputs, is_foreign=True)
    for register in REGISTERS:
        processor.registers[register] = {(numbers[register],): 1}
    processor.carry, processor.overflow = {(numbers["cf"],): 1}, {(numbers["of"],): 1}
    for instruction in instructions(thunk(text)[2]):
        processor.step(instruction, MEANINGS)
    return processor, numbers


def evaluate(polynomial: Polynomial, values: dict[int, int]) -> int:
    """A polynomial at concrete values."""
    total = 0
    for monomial, coefficient in polynomial.items():
        term = int(coefficient)
        for number in monomial:
            term *= values[number]
        total += term
    return total


def solve(system: System, values: dict[int, int]) -> None:
    """Give every variable the one value that the rows and the exact ranges leave it."""
    for row in system.rows:
        _shift_words(system, values)
        if isinstance(row, Select):
            side = row.when_set if values[row.flag] else row.otherwise
            values[row.word] = evaluate(side, values)
            continue
        right = evaluate(row.right, values)
        values[row.word] = right % RADIX
        if row.carry is None:
            assert 0 <= right < RADIX, f"{row.where}: {right:#x} is no word"
        else:
            values[row.carry] = (right - values[row.word]) // row.factor
            assert 0 <= values[row.carry] <= system.ranges[row.carry][1]
    _shift_words(system, values)
    for number, value in values.items():
        low, high = system.ranges[number]
        assert low <= value <= high


def _shift_words(system: System, values: dict[int, int]) -> None:
    """Give the top bits of known words, and the bits that two have, their values."""
    for (word, shift), number in system.top_bits.items():
        if word in values:
            values[number] = values[word] >> shift
    for (first, second), number in system.common.items():
        if first in values and second in values:
            values[number] = values[first] & values[second]


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [*((text, False) for text in FORMS), *((text, True) for text in ALL_FORMS)],
)
def test_the_processor_satisfies_the_equations(text: str, is_foreign: bool) -> None:
    if lacking := missing(filter(None, [ALL_FORMS[text]])):
        pytest.skip(f"this processor lacks {', '.join(lacking)}")
    processor, numbers = symbolic(text, is_foreign)
    for number, state in enumerate(entries()):
        entry = {**state, "cf": number & 1, "of": number >> 1 & 1}
        found = on_processor(text, entry)
        values = {numbers[name]: value for name, value in entry.items()}
        solve(processor.memory.system, values)
        for register in REGISTERS:
            word = processor.registers[register]
            assert isinstance(word, dict)
            assert evaluate(word, values) == found[register], (text, register, entry)
        for name, flag in (("cf", processor.carry), ("of", processor.overflow)):
            if flag is not None:
                assert evaluate(flag, values) == found[name], (text, name, entry)


def test_every_instruction_on_the_list_is_run() -> None:
    run = {word for text in ALL_FORMS for word in _mnemonics(text)}
    assert MEANINGS.keys() - run <= {
        "ret",
        "repz ret",
        "call",
        "jmp",
        *(name for name in MEANINGS if name.startswith("j")),
    }  # these change the place, not a word


def _mnemonics(text: str) -> set[str]:
    return {i.mnemonic for i in instructions(thunk(text)[2])}


@pytest.mark.parametrize("w", [2, 3, 4])
@pytest.mark.parametrize("sign", [1, -1])
def test_sums_at_small_width_have_one_solution(w: int, sign: int) -> None:
    radix = 1 << w
    row = _row(
        "add" if sign > 0 else "sub",
        {(0,): 1, (1,): sign, (2,): sign},
        sign,
        w,
        (radix - 1, radix - 1, 1),
    )
    for a, b, carry in product(range(radix), range(radix), (0, 1)):
        total = a + sign * (b + carry)
        right = evaluate(row.right, {0: a, 1: b, 2: carry})
        pairs = [(v, c) for v in range(radix) for c in (0, 1) if v + row.factor * c == right]
        assert pairs == [(total % radix, int(not 0 <= total < radix))]


@pytest.mark.parametrize("w", [2, 3, 4])
def test_products_at_small_width_have_one_solution(w: int) -> None:
    radix = 1 << w
    row = _row("mul", {(0, 1): 1}, 1, w, (radix - 1, radix - 1))
    for a, b in product(range(radix), repeat=2):
        right = evaluate(row.right, {0: a, 1: b})
        pairs = [(v, h) for v in range(radix) for h in range(radix) if v + row.factor * h == right]
        assert pairs == [(a * b % radix, a * b // radix)]


@pytest.mark.parametrize("w", [2, 3, 4, 8])
def test_the_low_half_of_a_square_is_within_its_range(w: int) -> None:
    radix = 1 << w
    row, system = _defined({(0, 0): 1}, 1, w, (radix - 1,), "mul")
    assert system.ranges[row.word] == (0, radix - 3)
    assert all(a * a % radix <= radix - 3 for a in range(radix))


@pytest.mark.parametrize("w", [2, 3, 4])
def test_funnels_at_small_width(w: int) -> None:
    radix = 1 << w
    for high, low in product(range(radix), repeat=2):
        for k in range(1, w):
            right = (high << k) - radix * (high >> w - k) + (low >> w - k)
            assert right == (high << k | low >> w - k) % radix


@pytest.mark.parametrize("sign", [1, -1])
def test_ranges_hold_and_are_reached(sign: int) -> None:
    radix = 8
    for highs in product(range(radix), range(radix), (0, 1)):
        row, system = _defined({(0,): 1, (1,): sign, (2,): sign}, sign, 3, highs)
        assert row.carry is not None
        values = [a + sign * (b + c) for a, b, c in product(*(range(h + 1) for h in highs))]
        assert max(v % radix for v in values) <= system.ranges[row.word][1]
        assert max(abs(v // radix) for v in values) == system.ranges[row.carry][1]


def _row(kind: str, right: Polynomial, sign: int, w: int, highs: tuple[int, ...]) -> Equation:
    row, system = _defined(right, sign, w, highs, kind)
    assert row.carry is not None
    assert system.ranges[row.word] == (0, system.radix - 1)
    assert system.ranges[row.carry] == (0, system.radix - 2 if kind == "mul" else 1)
    return row


def _defined(
    right: Polynomial, sign: int, w: int, highs: tuple[int, ...], kind: str = "add"
) -> tuple[Equation, System]:
    system = System(w)
    for index, high in enumerate(highs):
        system.new(f"operand {index}", high)
    system.define(kind, right, sign, "here")
    row = system.rows[-1]
    assert isinstance(row, Equation)
    return row, system
