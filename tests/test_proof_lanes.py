"""Proofs of kernels on arrays from their bytes, and changed kernels that must not pass."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator

import pytest
from array_fields import check_takes
from lane_texts import lines_of_code, prove_text, text_of
from sampling import sampled
from test_lanes import forms, multiplication

from fieldc.algorithms.lanes import in_lanes, in_lanes_by
from fieldc.catalogue import find_field
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.word import DIGIT
from fieldc.proof.lanes.words import Lane
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.target import VectorTarget

every_target = pytest.mark.parametrize("target", ARRAY_TARGETS.values(), ids=ARRAY_TARGETS)
pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")
SHORT = ARRAY_TARGETS["avx2"]
PRIMES = ("bls12-381-r", "secp256k1-p", "goldilocks", "babybear", "curve25519", "2^61-1")
PRIMES += ("0x3a0015f8a2cc1", "0x6c02b980dc6ff", "0xb313f8db9b92d", "0xd5eec7ddb57c9881b15c41d5c5")
"""With spare bits and without, of one word and of half a word, a short 2^255 - p, n0 = 1; of 50,
51, 52 and 104 bits: sums need a digit more than p has."""


@every_target
@pytest.mark.parametrize("name", PRIMES)
@pytest.mark.sweep(10)
def test_kernels_on_arrays_are_proved(name: str, target: VectorTarget) -> None:
    check_takes(target, name)
    for expression in forms(name):
        if expression.kernel.operation in ("mul_add", "butterfly") and expression.field.n > 3:
            continue  # long; the sweep has them, and build proves what it writes
        proof = prove_text(text_of(target, expression), expression)
        assert proof.block > 0
        assert (proof.tail > 0) == (expression.field.word == 64)


@every_target
@pytest.mark.full
@pytest.mark.parametrize("name", ["bls12-381-p", "p384", "p521", "bw6-761-p"])
def test_long_kernels_on_arrays_are_proved(name: str, target: VectorTarget) -> None:
    for expression in forms(name):
        prove_text(text_of(target, expression), expression)


@every_target
def test_another_operation_is_not_proved(target: VectorTarget) -> None:
    f = find_field("bls12-381-r", 64)
    with pytest.raises(ProofError, match="do not cancel modulo p"):
        prove_text(text_of(target, in_lanes_by(f, "add")), in_lanes_by(f, "sub"))
    digits = in_lanes(f)
    with pytest.raises(ProofError, match="may exceed its bound"):
        prove_text(text_of(target, in_lanes_by(digits, "mul_lazy")), in_lanes_by(digits, "mul"))


@every_target
@pytest.mark.parametrize("limbs", [True, False])
@pytest.mark.parametrize("many", sampled([8], [40]))
def test_no_instruction_can_be_left_out(limbs: bool, target: VectorTarget, many: int) -> None:
    f = find_field("bls12-381-r", 64)
    expression = multiplication(f if limbs else in_lanes(f))
    lines = text_of(target, expression).splitlines()
    for number in random.Random(7).sample(lines_of_code("\n".join(lines)), many):
        changed = "\n".join((*lines[:number], *lines[number + 1 :])) + "\n"
        with pytest.raises(ProofError):
            prove_text(changed, expression)


def test_the_results_of_a_butterfly_keep_their_places() -> None:
    """Each mutant gives the sum for the difference, or writes one of them twice."""
    f = in_lanes(find_field("babybear", 64))
    expression = in_lanes_by(f, "butterfly")
    text = text_of(ARRAY_TARGETS["avx512f"], expression)
    assert prove_text(text, expression).cases > 2
    sum_, difference = "zmmword ptr [rsi]", "zmmword ptr [rdx]"
    assert sum_ in text and difference in text
    for changed in (
        text.replace(difference, sum_),
        text.replace(sum_, "there").replace(difference, sum_).replace("there", difference),
        text.replace("add rdx, 128", "add rdx, 64"),
    ):
        assert changed != text
        with pytest.raises(ProofError):
            prove_text(changed, expression)


@every_target
def test_a_comparison_by_the_highest_digit_must_be_right(target: VectorTarget) -> None:
    expression = in_lanes_by(in_lanes(find_field("bls12-381-r")), "butterfly_lazy")
    text = text_of(target, expression)
    assert prove_text(text, expression).cases == 2
    least = 2 * expression.field.p >> 208  # one less than what the highest digit is compared with
    wrong = wrong_blends(text, least + 1) if target is SHORT else wrong_comparisons(text, least)
    for changed in wrong:
        assert changed != text
        with pytest.raises(ProofError):
            prove_text(changed, expression)


def wrong_comparisons(text: str, least: int) -> Iterator[str]:
    compared = next(line for line in text.splitlines() if "vpcmpltuq" in line)
    less = [line for line in text.splitlines() if "vpsubq" in line and "{k2}" in line]
    assert f".quad {least:#018x}\n" in text and len(less) == 5
    yield text.replace(f".quad {least:#018x}", f".quad {least - 2:#018x}")
    yield text.replace(f".quad {least:#018x}", f".quad {least * 3:#018x}")
    yield text.replace(compared + "\n", "")
    yield text.replace(less[2] + "\n", "")
    yield text.replace(less[1], less[1].replace("vpsubq", "vpaddq"))
    yield text.replace(less[1], less[1].replace("{k2}", ""))


def wrong_blends(text: str, least: int) -> Iterator[str]:
    blends = [line for line in text.splitlines() if "vblendvpd" in line]
    assert text.count(f"{least:#018x}") == 4 and len(blends) == 10
    yield text.replace(f"{least:#018x}", f"{least - 2:#018x}")
    yield text.replace(f"{least:#018x}", f"{least * 3:#018x}")
    yield text.replace(f"{least:#018x}", f"{least - 2:#018x}", 1)
    yield text.replace(blends[2] + "\n", "")
    to, one, other, sign = re.findall(r"ymm\d+", blends[1])
    for taken in (f"{to}, {other}, {one}, {sign}", f"{to}, {one}, {other}, {one}"):
        yield text.replace(blends[1], f"    vblendvpd {taken}")


CHANGES = (
    ("sub rdi, 8", "sub rdi, 7"),
    ("jae ", "ja "),
    ("add rdx, 256", "add rdx, 192"),
    ("add rsi, 256", "add rsi, 320"),
    ("vpsraq", "vpsrlq"),
    ("vpmadd52luq", "vpmadd52huq"),
    ("vpaddq", "vpsubq"),
    ("{k1}{z}", "{k1}"),
    (".byte 255, 15, 0, 0", ".byte 255, 31, 0, 0"),
    ("imul rdi, rdi, 4", "imul rdi, rdi, 5"),
    ("zmmword ptr [rdx + 64]", "zmmword ptr [rcx + 64]"),
    ("zmmword ptr [rdx + 192]", "zmmword ptr [rdx + 256]"),
    ("vpternlogq", "vpternlogd"),
    (", 52 ", ", 51 "),
    ("mov ", "lea "),
    ("vzeroupper", "nop"),
    (", {rz-sae}", ""),
    ("rz-sae", "rn-sae"),
    ("rz-sae", "ru-sae"),
    ("vfmadd231pd", "vfmadd213pd"),
    ("vfmadd231pd", "vfnmadd231pd"),
    ("vsubpd", "vaddpd"),
    ("vcvtuqq2pd", "vcvtqq2pd"),
    (".long 0x7f80", ".long 0x1f80"),
    (".long 0x7f80", ".long 0x5f80"),
    (".long 0x7f80", ".long 0x7f00"),
    (".long 0x7f80", ".long 0xff80"),
    ("vstmxcsr dword ptr [rbp - 4]", "vstmxcsr dword ptr [rbp - 8]"),
    ("vldmxcsr dword ptr [rbp - 4]", "nop"),
    ("vldmxcsr dword ptr [rip", "vstmxcsr dword ptr [rip"),
    ("and rsp, -32", "and rsp, -64"),
    ("sub rsp, 128", "sub rsp, 96"),
    ("lea r8, [rsp + 128]", "lea r8, [rsp + 144]"),
    ("lea r8, [rsp + 128]", "lea r8, [rsp - 128]"),
    ("lea r8, [rsp + 128]", "lea r8, [rsp + rdi + 128]"),
    ("lea r8, [rsp + 128]", "lea r8, [rbp + 128]"),
    ("lea r8, [rsp + 128]", "lea r8d, [rsp + 128]"),
    ("lea r8, [rsp + 128]", "lea r8, [rsp + 128]\n    lea r8, [rsp + 128]"),
    ("lea r8, [rsp + 128]", "lea rdx, [rsp + 128]"),
    ("words + 128]", "words + 96]"),
    ("imul rdi, rdi, -32", "imul rdi, rdi, -40"),
    ("imul rdi, rdi, -32", "imul rdi, rdi, 32"),
    (".quad -1, -1", ".quad 0, -1"),
    (".quad 0, 0, 0", ".quad -1, 0, 0"),
    ("vpunpcklqdq", "vpunpckhqdq"),
    ("vpand ", "vpor "),
    ("vpaddq ymm", "vpaddd ymm"),
    ("vblendvpd", "vblendvps"),
    ("vmovdqu xmm", "vmovdqa xmm"),
    ("xmmword ptr [rdx + 128], 1", "xmmword ptr [rdx + 128], 0"),
    ("xmmword ptr [rdx + 128], 1", "xmmword ptr [rdx + 136], 1"),
    ("xmmword ptr [rsi + 64]", "xmmword ptr [rsi + 80]"),
    ("xmmword ptr [rax + 64]", "xmmword ptr [rax + 48]"),
    ("xmmword ptr [rax + 64]", "xmmword ptr [rdx + 64]"),
)


def changes(text: str) -> Iterator[tuple[str, str]]:
    for old, new in CHANGES:
        if old in text:
            yield f"{old} -> {new}", text.replace(old, new, 1)
    draw = random.Random(3)
    for word in draw.sample(re.findall(r"\.quad (0x[0-9a-f]{16})", text), 8):
        bit = draw.randrange(DIGIT)  # of a factor no others are read
        changed = f"{int(word, 16) ^ 1 << bit:#018x}"
        yield f"constant {word}, bit {bit}", text.replace(f".quad {word}", f".quad {changed}")
    if index := re.search(r"\.quad ([1-9]\d*|0), ([1-9]\d*), ", text):
        yield "index", text.replace(index[0], f".quad {index[2]}, {index[1]}, ", 1)


@every_target
def test_changed_kernels_are_not_proved(target: VectorTarget) -> None:
    expression = multiplication(find_field("bls12-381-r", 64))
    text = text_of(target, expression)
    found = list(changes(text))
    assert len(found) >= 14
    for what, changed in found:
        with pytest.raises((ProofError, ValueError)):
            prove_text(changed, expression)
            pytest.fail(what)


def test_halves_and_carries_cancel() -> None:
    """(a*b low) + 2^52 * (a*b high) is a*b, though each half is an atom."""
    lane = Lane()
    (a,), (b,) = lane.operand("a", 1, 52, 2**52 - 1), lane.operand("b", 1, 52, 2**52 - 1)
    low = lane.half(0, lane.constant(0), a, b)
    high = lane.half(1, lane.constant(0), a, b)
    total = {m: c for m, c in high.value.items()}
    total = {m: c * 2**52 for m, c in total.items()}
    for m, c in low.value.items():
        total[m] = total.get(m, 0) + c
    assert {m: c for m, c in total.items() if c} == {(0, 1): 1}
    assert high.high == (2**52 - 1) ** 2 >> 52


def test_whether_a_sum_wraps_is_a_case() -> None:
    """a + 1 is 0 where it is not below 2^64, and two more words may not be added."""
    for below, wanted in ((True, {(0,): 1, (): 1}), (False, {(0,): 1, (): 1 - 2**64})):
        lane = Lane((below,))
        (a,) = lane.operand("a", 1, 64, 2**64 - 1)
        found = lane.sum(a, lane.constant(1))
        assert found.value == wanted
        assert 0 <= found.low <= found.high < 2**64
        assert [negative for _, negative in lane.signs.values()] == [below]
    less = lane.sum(lane.constant(0), a, -1)
    assert 0 <= less.low <= less.high < 2**64
