"""The matrix of a batch of divsteps on AArch64: emulated, proved, and mutants refused."""

from __future__ import annotations

import pytest
from aarch64_emulator import RADIX, Emulator
from test_divstep_matrix import states
from test_divstep_proof import CLAIM

from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.divsteps import DivstepClaim
from fieldc.proof.divsteps.aarch64 import ArmWordMeanings, WordArm64
from fieldc.proof.divsteps.prove import ProvedDivsteps, prove_divsteps
from fieldc.proof.divsteps.words import WordCode
from fieldc.proof.memory import KernelMemory
from fieldc.targets.aarch64.divsteps import compile_divsteps_for_arm
from fieldc.targets.aarch64.encode import assembled


def proved(lines: list[str], claim: DivstepClaim = CLAIM) -> ProvedDivsteps:
    code = assembled("\n".join(lines))
    return prove_divsteps(code, claim, convention="aapcs64", architecture="aarch64")


def test_the_kernel_is_emulated() -> None:
    code = compile_divsteps_for_arm().code
    for number, (zeta, f, g) in enumerate(states(20)):
        if number % 5:
            continue
        machine = Emulator(code, {"zeta": [zeta % RADIX], "f": [f], "g": [g]}, 5)
        machine.run()
        words = machine.result()
        found = [words >> 64 * i & RADIX - 1 for i in range(5)]
        assert found == [word % RADIX for word in CLAIM.result(zeta, f, g)]


def test_the_kernel_is_proved() -> None:
    found = proved([*compile_divsteps_for_arm().lines])
    assert found.stack == 16 and "sbfx" in found.instructions


MUTANTS = {
    "the condition of a sum": (", pl", ", mi"),
    "the condition of a swap": (", ne", ", eq"),
    "the bound of delta": ("cmp x1, #0", "cmp x1, #1"),
    "the place of the sign": ("lsr x1, x1, #63", "lsr x1, x1, #62"),
    "a shift by too many": ("asr x5, x5, #1", "asr x5, x5, #2"),
    "the count of steps": ("sub x9, x1, #1", "sub x9, x1, #2"),
    "swapped operands": ("csel x4, x5, x4", "csel x4, x4, x5"),
    "the low bits": ("#0, #20", "#0, #19"),
}


@pytest.mark.parametrize(("old", "new"), MUTANTS.values(), ids=list(MUTANTS))
def test_a_wrong_step_is_refused(old: str, new: str) -> None:
    lines = [*compile_divsteps_for_arm().lines]
    at = next(k for k, line in enumerate(lines) if old in line)
    lines[at] = lines[at].replace(old, new)
    with pytest.raises(ProofError, match=r"function: word . of z is wrong|no word holds"):
        proved(lines)


def test_another_number_of_steps_and_a_large_zeta_are_refused() -> None:
    lines = [*compile_divsteps_for_arm().lines]
    with pytest.raises(ProofError, match="is wrong for"):
        proved(lines, DivstepClaim(58))
    with pytest.raises(ProofError, match="step 2, delta > 0, g even: zeta is not"):
        proved(lines, DivstepClaim(59, 1 << 63))


FORMS = (
    *("neg x9, x3", "sub x9, x3, x4", "sub x9, x3, #17", "add x9, x3, x4", "add x9, x3, #5"),
    *("mul x9, x3, x4", "lsl x9, x3, #44", "lsr x9, x3, #63", "asr x9, x3, #1", "mov x9, x4"),
    *("sbfx x9, x3, #0, #20", "sbfx x9, x3, #20, #44", "sbfx x9, x4, #20, #22", "and x9, x3, x4"),
    *("mov x9, #-2", "mov x9, #2305843009213693952", "neg x9, xzr"),
)
ASKS = ("cmp x3, #0", "cmp x3, x4", "cmp x4, #77", "tst x3, x4", "tst x3, #1")
CONDITIONS = ("eq", "ne", "mi", "pl", "hs", "lo")
CORNERS = (0, 1, 2, (1 << 63) - 1, 1 << 63, RADIX - 1, 77, 0x123456789ABCDEF5)


@pytest.mark.sweep(12)
@pytest.mark.parametrize(
    "text", [*FORMS, *(f"{a}\ncsel x9, x3, x4, {c}" for a in ASKS for c in CONDITIONS)]
)
def test_meanings_are_the_emulators(text: str) -> None:
    body = f"ldr x3, [x1]\nldr x4, [x2]\n{text}\nstr x9, [x0]\nret"
    code, words = assembled(body), WordCode()
    operands = {name: (words.operand(),) for name in "xy"}
    memory = KernelMemory(System(64), {**operands}, code, 1)
    meanings = ArmWordMeanings(words)
    cpu = WordArm64(memory)
    cpu.run_words(code, 0, meanings.table())
    place = meanings.place(cpu, memory.result[0])
    for x in CORNERS:
        for y in CORNERS:
            machine = Emulator(code, {"x": [x], "y": [y]}, 1)
            machine.run()
            assert words.run({0: x, 1: y})[place] == machine.result(), (text, x, y)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("csel x9, x3, x4, ne", "undefined"),
        ("cmp x3, x4\ncsel x9, x3, x4, lt", "another condition"),
        ("add x9, x3, x4, lsl #3", "this form of operand"),
        ("eor x9, x3, x4", "not on the list"),
        ("add x9, x0, x3", "the address depends on data"),
    ],
)
def test_other_forms_are_refused(text: str, says: str) -> None:
    code, words = assembled(f"ldr x3, [x1]\nldr x4, [x2]\n{text}\nret"), WordCode()
    operands = {name: (words.operand(),) for name in "xy"}
    cpu = WordArm64(KernelMemory(System(64), {**operands}, code, 1))
    with pytest.raises(ProofError, match=says):
        cpu.run_words(code, 0, ArmWordMeanings(words).table())
