"""Certificates of kernels on arrays: the checker replays them, and refuses what is changed."""

from __future__ import annotations

import copy
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from array_certificates import (
    BORDERS,
    CASES,
    DOUBLES,
    MIXED,
    SHORT,
    SHORT_SUMS,
    SUMS,
    WORDS,
    built_array,
    certificate_of_array,
)
from array_changes import CHANGES, CLAIMS, Case
from forged import replay

from fieldc.artifacts.arrays import BuiltArray
from fieldc.binary.linkable import function_of
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.loop import POINTERS, shape_of

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="assembles for x86-64")
CASE = CASES[0]
EVERY = [*CASES, *BORDERS, *SUMS, *SHORT_SUMS, *WORDS, *DOUBLES, *SHORT, *MIXED]


@pytest.mark.parametrize("case", EVERY, ids="-".join)
@pytest.mark.sweep(31)
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


@pytest.mark.sweep(10)
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


@pytest.mark.parametrize("damage", ["bits", "number", "rest", "least", "most", "whole"])
def test_low_bits_are_an_integer_by_its_bounds(checker: Path, tmp_path: Path, damage: str) -> None:
    """Each part of what says so is needed, and checked."""
    built = built_array(*BORDERS[0])
    certificate = copy.deepcopy(certificate_of_array(built))
    steps: list[dict[str, Any]] = certificate["block"]["other"]["steps"]
    (step,) = (step for step in steps if "whole" in step)
    bits, number, rest = step["whole"]
    assert (bits, number) == (52, 2)  # of the first cut, after x and y of one word each
    changed = {
        "bits": [bits - 1, number, rest],
        "number": [bits, number - 1, rest],
        "rest": [bits, number, [*rest, ["0x1", []]]],
    }
    if damage in changed:
        step["whole"] = changed[damage]
    else:
        steps[:] = [step for step in steps if damage not in step]
    status, said = replay(checker, tmp_path, certificate, built.kernel.object)
    assert status == 1 and "panicked" not in said, said
    assert ("whole: " in said) == (damage != "whole"), said


@pytest.mark.parametrize("rests", [[], [["0x1", [5, 99]]], [["0x1", [0, 1]]], [["-0x1", [5]]]])
def test_a_digit_of_one_bit_is_bounded_by_its_word(
    checker: Path, tmp_path: Path, rests: list[Any]
) -> None:
    """Of 53 bits: a column takes three halves, one of them a digit times such a bit."""
    built = built_array(*SHORT_SUMS[0])
    certificate = copy.deepcopy(certificate_of_array(built))
    (bound,) = (each for each in certificate["block"]["canonical"] if "rests" in each)
    bound["rests"] = rests
    status, said = replay(checker, tmp_path, certificate, built.kernel.object)
    assert status == 1 and "panicked" not in said, said
    assert ("at most" if "99" not in str(rests) else "no variable") in said, said


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
