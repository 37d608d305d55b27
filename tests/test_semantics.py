"""The prover's meanings of instructions, against the processor and at small widths."""

from __future__ import annotations

from itertools import product

import pytest
from x86_64_forms import FOREIGN_FORMS, FORMS
from x86_64_runs import instructions, thunk
from x86_64_symbolic import Symbolic, evaluate

from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.algebra.equations import Equation, Polynomial, System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.x86_64.meanings import MEANINGS

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")

ALL_FORMS = {**FORMS, **FOREIGN_FORMS}


@pytest.mark.parametrize(
    ("text", "is_foreign"),
    [*((text, False) for text in FORMS), *((text, True) for text in ALL_FORMS)],
)
def test_the_processor_satisfies_the_equations(text: str, is_foreign: bool) -> None:
    if lacking := missing(filter(None, [ALL_FORMS[text]])):
        pytest.skip(f"this processor lacks {', '.join(lacking)}")
    run = Symbolic(is_foreign)
    for instruction in instructions(thunk(text)[2]):
        run.step(instruction)
    run.agrees(text)


@pytest.mark.parametrize("text", ["shr eax, 33", "mov ecx, 1; shr ecx, 32", "shr rax, 64"])
@pytest.mark.parametrize("is_foreign", [False, True])
def test_counts_that_the_processor_takes_modulo_the_width_are_refused(
    text: str, is_foreign: bool
) -> None:
    run = Symbolic(is_foreign)
    with pytest.raises(ProofError, match=r"shifts by what is no constant from 1 to (31|63)"):
        for instruction in instructions(thunk(f"mov eax, 5; {text}")[2]):
            run.step(instruction)


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
