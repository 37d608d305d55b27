"""Certificates of kernels on arrays: the checker replays them, and refuses what is changed."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from array_certificates import CASES, DOUBLES, MIXED, SUMS, WORDS, built_array, certificate_of_array
from forged import replay

from fieldc.artifacts.arrays import BuiltArray
from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.loop import POINTERS, shape_of

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
Case = tuple[str, ...]
CASE = CASES[0]


@pytest.mark.parametrize("case", [*CASES, *SUMS, *WORDS, *DOUBLES, *MIXED], ids="-".join)
def test_the_checker_accepts_kernels_on_arrays(checker: Path, tmp_path: Path, case: Case) -> None:
    built = built_array(*case)
    status, said = replay(checker, tmp_path, certificate_of_array(built), built.kernel.object)
    assert status == 0, said
    assert said.startswith(f"PROVED {built.kernel.symbol}: "), said


def changed_texts(text: str) -> Iterator[tuple[str, str]]:
    """Kernels of which each has one line less, or another number or register in one line."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        code = line.partition("#")[0].strip()
        if not code or code.startswith((".", "#")) or code.endswith(":"):
            continue
        others = [""]
        if code.startswith("v"):
            others += [re.sub(r", (\d+)$", lambda m: f", {int(m[1]) ^ 1}", code)]
            others += [code.replace("zmm0", "zmm20", 1), code.replace("vpadd", "vpsub")]
            others += [re.sub(r"\+ 64\]", "+ 128]", code), code.replace("[rdx", "[rcx")]
        else:
            others += [re.sub(r"\b512$", "448", code), code.replace("jnz", "jz")]
            others += [code.replace("rdi, 7", "rdi, 8"), code.replace("dec", "inc")]
        for other in dict.fromkeys(others):
            if other != code:
                yield (
                    f"{code} -> {other}",
                    "\n".join([*lines[:number], other, *lines[number + 1 :]]),
                )


@pytest.mark.parametrize("case", [CASE, ("2^127-1", "mul", "array")], ids="-".join)
def test_changed_kernels_on_arrays_are_refused(checker: Path, tmp_path: Path, case: Case) -> None:
    """But those that are as good: an `and` of what is a digit already."""
    built = built_array(*case)
    certificate, refused, kept = certificate_of_array(built), 0, []
    for change, text in changed_texts(built.kernel.text):
        data = assemble(text)
        followed = certificate | {"loop": certificate["loop"] | ends_of(built, certificate, data)}
        status, said = replay(checker, tmp_path, followed, data)
        assert "panicked" not in said, f"{change}: {said}"
        if status == 0:
            certificate_of_array(built, data)  # it is proved
            kept.append(change)
        refused += status
    assert refused > 150
    assert len(kept) <= 2, kept


LAZY = ("bls12-381-r", "butterfly", "digits")
ADDS, COLLECTS, IN_DIGITS, MULTIPLES, COLLECTS_MULTIPLES = SUMS
GOLDILOCKS, _, _, HALVES, _, ADDS_ONE, ADDS_WORDS, ADDS_HALVES, *_, COLLECTS_HALVES = WORDS
BY_DOUBLES = DOUBLES[0]
TO_DIGITS, FROM_DIGITS, _, LEAVE, _, STEP, STEP_BY = MIXED
CHANGES = [
    (TO_DIGITS, "vpshrdq zmm5, zmm4, zmm1, 52", "vpshrdq zmm5, zmm4, zmm1, 51"),
    (TO_DIGITS, "add rsi, 320", "add rsi, 256"),
    (TO_DIGITS, "zmm0 {k1}{z}, zmmword ptr [rdx]", "zmm0, zmmword ptr [rdx]"),
    (TO_DIGITS, "imul rdi, rdi, 4", "imul rdi, rdi, 5"),
    (FROM_DIGITS, "vpmadd52huq", "vpmadd52luq"),
    (FROM_DIGITS, "zmmword ptr [rsi] {k1}, zmm0", "zmmword ptr [rsi], zmm0"),
    (LEAVE, "vpsraq zmm3, zmm1, 52", "vpsraq zmm3, zmm1, 51"),
    (LEAVE, "add rdx, 320", "add rdx, 256"),
    (STEP, "vpcmpltuq k2, zmm0, zmm1", "vpcmpltuq k2, zmm1, zmm0"),
    (STEP, "add r9, 256", "add r9, 320"),
    (STEP, "zmmword ptr [rdx], zmm15", "zmmword ptr [rsi], zmm15"),
    (STEP_BY, "add r8, 320", "add r8, 320\n    add r9, 320"),
    (STEP_BY, "zmm7, zmmword ptr [r9]", "zmm7, zmmword ptr [r8]"),
    (STEP_BY, "add rdi, 7", "add rdi, 8"),
    (ADDS, "vpmadd52luq zmm8", "vpmadd52huq zmm8"),
    (ADDS, "vpshrdq zmm10, zmm9, zmm6, 52", "vpshrdq zmm10, zmm9, zmm6, 51"),
    (ADDS, "vpermi2q zmm4, zmm0, zmm2", "vpermi2q zmm4, zmm2, zmm0"),
    (ADDS, "add rdx, 256", "add rdx, 192"),
    (ADDS, "add rdx, 256", "add rdx, 256\n    add rsi, 640"),
    (ADDS, "zmmword ptr [rsi], zmm8", "zmmword ptr [rsi + 64], zmm8"),
    (ADDS, "{k1}{z}, zmmword ptr [rcx]", ", zmmword ptr [rcx]"),
    (ADDS, "kmovb k1, byte ptr [rax]", "kmovb k1, byte ptr [rax + 1]"),
    (COLLECTS, "add rdx, 640", "add rdx, 576"),
    (COLLECTS, "zmmword ptr [rsi] {k1}", "zmmword ptr [rsi]"),
    (COLLECTS, "imul rdi, rdi, 4", "imul rdi, rdi, 5"),
    (COLLECTS, "vmovdqu64 zmm0, zmmword ptr [rdx]", "vmovdqu64 zmm0, zmmword ptr [rdx + 64]"),
    (IN_DIGITS, "vpmadd52huq", "vpmadd52luq"),
    (IN_DIGITS, "zmmword ptr [rdx]", "zmmword ptr [rdx + 64]"),
    (IN_DIGITS, "add rcx, 512", "add rcx, 448"),
    (MULTIPLES, "zmm31, zmmword ptr [rsi]", "zmm31, zmmword ptr [rsi + 64]"),
    (MULTIPLES, "zmm31, zmmword ptr [rsi]", "zmm31, zmmword ptr [rdx]"),
    (MULTIPLES, "zmm30, zmmword ptr [rsi + 64]", "zmm31, zmmword ptr [rsi + 64]"),
    (MULTIPLES, "zmmword ptr [rsi], zmm31", "zmmword ptr [rsi], zmm30"),
    (MULTIPLES, "zmmword ptr [rsi], zmm31", "zmmword ptr [rsi + 64], zmm31"),
    (MULTIPLES, "    vmovdqu64 zmmword ptr [rsi], zmm31\n", ""),
    (MULTIPLES, "    vmovdqu64 zmm31, zmmword ptr [rsi]\n", ""),
    (MULTIPLES, "vpmadd52luq zmm31", "vpmadd52luq zmm30"),
    (MULTIPLES, "vpmadd52huq", "vpmadd52luq"),
    (MULTIPLES, "add rdx, 512", "add rdx, 448"),
    (MULTIPLES, "add rdx, 512", "add rdx, 512\n    add rsi, 1024"),
    (COLLECTS_MULTIPLES, "add rdx, 1024", "add rdx, 960"),
    (COLLECTS_MULTIPLES, "vpmadd52huq", "vpmadd52luq"),
    (BY_DOUBLES, "{rz-sae}", "{rn-sae}"),
    (BY_DOUBLES, "{rz-sae}", "{rd-sae}"),
    (BY_DOUBLES, ", {rz-sae}", ""),
    (BY_DOUBLES, "vfmadd231pd", "vfmsub231pd"),
    (BY_DOUBLES, "vfmadd231pd", "vfmadd213pd"),
    (BY_DOUBLES, "vsubpd", "vaddpd"),
    (BY_DOUBLES, "vcvtuqq2pd", "vcvtqq2pd"),
    (BY_DOUBLES, "0x4670000000000000", "0x4680000000000000"),
    (BY_DOUBLES, "0x4670000000000000", "0x4660000000000000"),
    (GOLDILOCKS, "vpmuludq", "vpmuldq"),
    (GOLDILOCKS, "vpsrlq", "vpsllq"),
    (GOLDILOCKS, "vpcmpltuq", "vpcmpleuq"),
    (HALVES, "mov eax, 21845", "mov eax, 43690"),
    (HALVES, "mov eax, 21845", "mov eax, 21844"),
    (HALVES, "vmovshdup zmm4 {k2}, zmm2", "vmovshdup zmm2 {k2}, zmm4"),
    (HALVES, "vmovshdup zmm4 {k2}, zmm2", "vmovshdup zmm4 {k2}{z}, zmm2"),
    (HALVES, "vmovshdup zmm4 {k2}, zmm2", "vmovshdup zmm4, zmm2"),
    (HALVES, "vmovshdup zmm4 {k2}, zmm2", "vmovsldup zmm4 {k2}, zmm2"),
    (HALVES, "vpsubd", "vpaddd"),
    (HALVES, "vpsubd", "vpsubq"),
    (HALVES, "vpminud", "vpminsd"),
    (HALVES, "sub rdi, 16", "sub rdi, 8"),
    (HALVES, "imul rdi, rdi, 2", "imul rdi, rdi, 1"),
    (HALVES, "kmovw k1, word ptr [rax]", "kmovw k1, word ptr [rax + 2]"),
    (HALVES, ".word 7\n", ".word 3\n"),
    (HALVES, "vmovdqu32 zmmword ptr [rsi] {k1}", "vmovdqu64 zmmword ptr [rsi] {k1}"),
    (HALVES, "vmovdqu32 zmm0 {k1}{z}", "vmovdqu32 zmm0 {k1}"),
    (ADDS_ONE, "zmm31, zmmword ptr [rsi]", "zmm31, zmmword ptr [rsi + 64]"),
    (ADDS_ONE, "zmmword ptr [rsi], zmm31", "zmmword ptr [rsi], zmm30"),
    (ADDS_ONE, "{k1}{z}, zmmword ptr [rcx]", ", zmmword ptr [rcx]"),
    (ADDS_ONE, "vpmadd52luq", "vpmadd52huq"),
    (ADDS_WORDS, "vpsrlq", "vpsllq"),
    (ADDS_WORDS, "vpmuludq", "vpmuldq"),
    (ADDS_HALVES, "vmovshdup zmm1, zmmword ptr [rcx]", "vmovdqu64 zmm1, zmmword ptr [rcx]"),
    (ADDS_HALVES, "0x00000000ffffffff", "0x000000007fffffff"),
    (ADDS_HALVES, "add rcx, 64", "add rcx, 128"),
    (COLLECTS_HALVES, "vpmuludq", "vpmuldq"),
    (LAZY, "vpcmpltuq k2, zmm0, zmm1", "vpcmpltuq k2, zmm1, zmm0"),
    (LAZY, "vpcmpltuq k2, zmm0, zmm1", "vpcmpleuq k2, zmm0, zmm1"),
    (LAZY, "vpcmpltuq k2, zmm0, zmm1", "vpcmpltq k2, zmm0, zmm1"),
    (LAZY, "vpcmpltuq k2", "vpcmpltuq k3"),
    (LAZY, "vpsubq zmm0 {k2}", "vpsubq zmm0 {k2}{z}"),
    (LAZY, "vpsubq zmm0 {k2}", "vpsubq zmm0"),
    (LAZY, "vpsubq zmm0 {k2}", "vpaddq zmm0 {k2}"),
    (LAZY, "vpsubq zmm0 {k2}", "vpsubq zmm0 {k4}"),
    (LAZY, "[rcx + 256]", "[rcx + 192]"),
    (LAZY, "add rcx, 320", "add rcx, 384"),
    (LAZY, "add rdi, 7", "add rdi, 8"),
]
"""A kernel, and what is changed in it once."""


@pytest.mark.parametrize(("case", "old", "new"), CHANGES)
def test_a_changed_instruction_is_refused(
    checker: Path, tmp_path: Path, case: Case, old: str, new: str
) -> None:
    built = built_array(*case)
    assert old in built.kernel.text, built.kernel.text
    data = assemble(built.kernel.text.replace(old, new, 1))
    certificate = certificate_of_array(built)
    followed = certificate | {"loop": certificate["loop"] | ends_of(built, certificate, data)}
    status, said = replay(checker, tmp_path, followed, data)
    assert status == 1 and "panicked" not in said, said


def ends_of(built: BuiltArray, certificate: dict[str, Any], data: bytes) -> dict[str, Any]:
    """Where a changed block ends, as far as its loop can be read."""
    function, parts = function_of(data, built.kernel.symbol), certificate["loop"]
    masked = certificate["contract"]["words"] if parts["tail"] else 0
    held = len(parts.get("held", ()))
    widths = {at: size // 64 for at, size in zip(POINTERS, parts["advances"], strict=False)}
    try:
        shape = shape_of(function.code, 0, widths, masked, parts["elements"], held)
    except ProofError:
        return {}
    return {"block": [*shape.block_ends], "tail": shape.tail_ends and [*shape.tail_ends]}


def _one_side(c: dict[str, Any]) -> None:
    c["block"] = {"steps": c["block"]["steps"], "canonical": c["block"]["other"]["canonical"]}


def _sides_swapped(c: dict[str, Any]) -> None:
    block = c["block"]
    block["negative"], block["other"] = block["other"], block["negative"]


def _another_split(c: dict[str, Any]) -> None:
    c["block"]["split"][0][0] = hex(int(c["block"]["split"][0][0], 16) + 1)


def _cut_elsewhere(c: dict[str, Any]) -> None:
    c["block"]["steps"][3]["cut"][0] = 51


def _no_cut(c: dict[str, Any]) -> None:
    del c["block"]["steps"][-1]


def _no_reason(c: dict[str, Any]) -> None:
    for bound in c["block"]["other"]["canonical"]:
        bound["signs"], bound["slopes"] = [], []


def _no_scale(c: dict[str, Any]) -> None:
    c["block"]["other"]["canonical"][0]["scale"] = "0x0"


def _unknown_variable(c: dict[str, Any]) -> None:
    c["block"]["split"].append(["0x1", [999]])


def _later_variable(c: dict[str, Any]) -> None:
    c["block"]["steps"][0]["cut"][1].append(["0x1", [18]])


def _unknown_sign(c: dict[str, Any]) -> None:
    c["block"]["other"]["canonical"][0]["signs"] = [[7, "0x1"]]


def _fewer_bounds(c: dict[str, Any]) -> None:
    c["block"]["other"]["canonical"] = []


def _another_prime(c: dict[str, Any]) -> None:
    c["contract"]["p"] = hex(int(c["contract"]["p"], 16) - 2)


def _another_operation(c: dict[str, Any]) -> None:
    c["contract"].update(family="sub", operation="sub_lazy")


def _canonical(c: dict[str, Any]) -> None:
    c["contract"].update(operation="add", parameters={})


def _limbs(c: dict[str, Any]) -> None:
    c["contract"].update(word_bits=64)


def _fewer_words(c: dict[str, Any]) -> None:
    c["contract"]["words"] -= 1


def _another_stride(c: dict[str, Any]) -> None:
    c["loop"]["advances"][0] += 64


def _another_end(c: dict[str, Any]) -> None:
    c["loop"]["block"][1] -= 6


def _a_tail(c: dict[str, Any]) -> None:
    c["tail"] = c["block"]


TAMPERS: list[Callable[[dict[str, Any]], None]] = [
    _one_side,
    _sides_swapped,
    _another_split,
    _cut_elsewhere,
    _no_cut,
    _no_reason,
    _no_scale,
    _unknown_variable,
    _later_variable,
    _unknown_sign,
    _fewer_bounds,
    _another_prime,
    _another_operation,
    _canonical,
    _limbs,
    _fewer_words,
    _another_stride,
    _another_end,
    _a_tail,
]


@pytest.mark.parametrize("tamper", TAMPERS, ids=lambda tamper: tamper.__name__[1:])
def test_a_changed_certificate_of_arrays_is_refused(
    checker: Path, tmp_path: Path, tamper: Callable[[dict[str, Any]], None]
) -> None:
    built = built_array(*CASE)
    certificate = copy.deepcopy(certificate_of_array(built))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, built.kernel.object)
    assert status == 1 and "panicked" not in said, said


CLAIMS: list[tuple[Case, dict[str, Any]]] = [
    (ADDS, {"turns": 1 << 12}),
    (ADDS, {"turns": 1}),
    (ADDS, {"word_bits": 52}),
    (ADDS, {"operation": "collect", "family": "collect"}),
    (COLLECTS, {"turns": 1 << 9}),
    (IN_DIGITS, {"word_bits": 64}),
    (IN_DIGITS, {"multiple": 2}),
    (MULTIPLES, {"multiple": 0}),
    (MULTIPLES, {"turns": 1000}),
    (MULTIPLES, {"word_bits": 64}),
    (HALVES, {"word_bits": 64}),
    (HALVES, {"words": 2}),
    (HALVES, {"family": "square", "operation": "square"}),
    (GOLDILOCKS, {"word_bits": 32}),
    (ADDS_ONE, {"turns": 1 << 14}),
    (ADDS_ONE, {"column_bits": 32}),
    (ADDS_WORDS, {"turns": 1 << 33}),
    (ADDS_WORDS, {"column_bits": 52}),
    (ADDS_WORDS, {"word_bits": 32}),
    (ADDS_HALVES, {"word_bits": 64}),
    (COLLECTS_HALVES, {"word_bits": 64}),
    (COLLECTS_HALVES, {"turns": 1 << 20}),
    (COLLECTS_MULTIPLES, {"multiple": 64}),
    (COLLECTS_MULTIPLES, {"turns": 96}),
    (TO_DIGITS, {"operation": "from_digits", "family": "from_digits"}),
    (TO_DIGITS, {"mixed": {"in_digits": ["x"], "gives_digits": True}}),
    (TO_DIGITS, {"mixed": {"in_digits": [], "gives_digits": False}}),
    (TO_DIGITS, {"parameters": {"lazy": 1}, "operation": "to_digits_lazy"}),
    (FROM_DIGITS, {"operation": "reduce", "family": "reduce"}),
    (MIXED[4], {"operation": "mul_by_8", "parameters": {"factor": 8}}),
    (MIXED[4], {"operation": "mul_by", "parameters": {}}),
    (LEAVE, {"parameters": {"lazy": 64}}),
    (STEP, {"mixed": {"in_digits": ["x"], "gives_digits": True}}),
    (STEP, {"mixed": {"in_digits": ["x", "y", "w"], "gives_digits": True}}),
    (STEP, {"parameters": {"lazy": 30}}),
    (STEP, {"shared": ["w"]}),
    (STEP_BY, {"shared": []}),
    (STEP_BY, {"shared": ["y"]}),
]
"""A kernel, and what another contract says of it."""


@pytest.mark.parametrize(("case", "claim"), CLAIMS)
def test_another_claim_is_refused(
    checker: Path, tmp_path: Path, case: Case, claim: dict[str, Any]
) -> None:
    built = built_array(*case)
    certificate = copy.deepcopy(certificate_of_array(built))
    certificate["contract"].update(claim)
    status, said = replay(checker, tmp_path, certificate, built.kernel.object)
    assert status == 1 and "panicked" not in said, said


def test_a_certificate_of_arrays_is_of_its_kernel_alone(checker: Path, tmp_path: Path) -> None:
    built = built_array(*CASE)
    for case in CASES[1:]:
        other = built_array(*case)
        certificate = certificate_of_array(other) | {"symbol": built.kernel.symbol}
        assert replay(checker, tmp_path, certificate, built.kernel.object)[0] == 1
