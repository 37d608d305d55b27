"""The checker that is proved in Coq, on kernels of AArch64: what it accepts and refuses."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from formal_checker import (
    CODE,
    RETURN,
    STACK,
    answers,
    ask,
    bytes_from,
    claim_in,
    functions,
    operand_pairs,
)

from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.binary.linkable import function_of
from fieldc.cli import main

P = 2**61 - 1
FUNCTIONS = functions(P)
LINUX, MACOS = "aarch64-linux", "aarch64-macos"
RET = 0xD65F03C0
X, Y, Z = 0x30000, 0x40000, 0x20000


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Some operations modulo 2^61 - 1, for Linux and macOS."""
    folder = tmp_path_factory.mktemp("formal") / "built"
    operations = ["--op", "add,sub,neg,mul,redc", "--target", f"{LINUX},{MACOS}"]
    assert main(["build", "2^61-1", *operations, "-o", str(folder)]) == 0
    return folder


def statuses(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    main(["certify", str(folder), "--json"])
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return [row["status"] for row in rows]


@pytest.mark.usefixtures("installed")
def test_every_kernel_of_a_build_is_certified(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert statuses(built, capsys) == ["CERTIFIED"] * 10


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("field", "operations", "target"),
    [
        ("bn254-p", "add,mul", LINUX),
        ("2^61-1", "divstep_update", MACOS),
        pytest.param("bls12-381-p", "all", LINUX, marks=pytest.mark.full),
        pytest.param("secp256k1-p", "mul_plain,reduce", MACOS, marks=pytest.mark.full),
        pytest.param("goldilocks", "all", "aarch64-windows", marks=pytest.mark.full),
    ],
)
def test_other_fields_are_certified(
    field: str, operations: str, target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "built"
    words = ["--op", operations, "--target", target, "-o", str(folder)]
    assert main(["build", field, *words]) == 0
    assert set(statuses(folder, capsys)) == {"CERTIFIED"}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    "field", ["2^127-1", "bn254-p", pytest.param("bls12-381-p", marks=pytest.mark.full)]
)
def test_products_by_half_limbs_are_certified(
    field: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "built"
    words = ["--op", "mul,square", "--algorithm", "half-limbs", "--target", LINUX]
    assert main(["build", field, *words, "-o", str(folder)]) == 0
    assert statuses(folder, capsys) == ["CERTIFIED"] * 2


def words_of(code: bytes) -> list[int]:
    """The instructions to the first return, or all where there is none."""
    words = [int.from_bytes(code[at : at + 4], "little") for at in range(0, len(code), 4)]
    return words[: words.index(RET) + 1] if RET in words else words


WRONG: dict[str, Callable[[KernelClaim], KernelClaim]] = {
    "another prime": lambda c: replace(c, p=c.p - 2),
    "another operation": lambda c: replace(c, family="mul_plain"),
    "another architecture": lambda c: replace(
        c, convention="sysv", certificate=c.certificate[1 + 3 * int(c.certificate[0], 16) :]
    ),
    "more limbs": lambda c: replace(c, limbs=2),
    "no cases": lambda c: replace(c, certificate=("0", "0", "0", "0")),
    "no return": lambda c: replace(c, code=c.code[: 4 * len(words_of(c.code)) - 4]),
    "no code": lambda c: replace(c, code=b""),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_claim_is_refused(what: str, certifier: Path, built: Path) -> None:
    claim = claim_in(built, f"{LINUX}/mul_aarch64")
    assert answers(certifier, [claim, WRONG[what](claim)]) == ["accepted", "refused"]


def test_registers_that_are_not_the_kernels_stay(certifier: Path, built: Path) -> None:
    """Code that begins with mov x18, x0 is right on Linux only; x19 is always the caller's."""
    claim = claim_in(built, f"{LINUX}/add_aarch64")
    moves = [(0xAA0003E0 | number).to_bytes(4, "little") + claim.code for number in (17, 18, 19)]
    for convention, said in (("aapcs64", "aar"), ("apple", "arr"), ("windows", "arr")):
        asked = [replace(claim, code=code, convention=convention) for code in moves]
        assert "".join(answer[0] for answer in answers(certifier, asked)) == said


def test_less_stack_than_is_used_is_refused(certifier: Path, tmp_path: Path) -> None:
    folder = tmp_path / "built"
    words = ["--op", "mul", "--target", LINUX, "-o", str(folder)]
    assert main(["build", "bls12-381-p", *words]) == 0
    claim = claim_in(folder, f"{LINUX}/mul_aarch64")
    assert claim.stack >= 16
    less = [replace(claim, stack=claim.stack - 16), replace(claim, stack=-16)]
    assert answers(certifier, [claim, *less]) == ["accepted", "refused", "refused"]


def changed_certificates(text: str) -> list[dict[str, Any]]:
    """A certificate less one of its cases or rows, or with another number in it."""
    changed = []
    for number, case in enumerate(json.loads(text)["cases"]):
        one = json.loads(text)
        del one["cases"][number]
        changed.append(one)
        for row in range(len(case["identity"])):
            one, other = json.loads(text), json.loads(text)
            del one["cases"][number]["identity"][row]
            term = other["cases"][number]["identity"][row][1][0]
            term[0] = hex(int(term[0], 16) + 1)
            changed += [one, other]
    return changed


@pytest.mark.parametrize("operation", ["mul", "sub", "redc"])
def test_a_changed_certificate_is_refused(operation: str, certifier: Path, built: Path) -> None:
    stem = f"{LINUX}/{operation}_aarch64"
    claim, text = claim_in(built, stem), (built / f"{stem}.cert.json").read_text()
    code = function_of((built / f"{stem}.o").read_bytes(), json.loads(text)["symbol"])
    claims = [
        claim_for(code, claim.family, {}, P, 1, claim.stack, json.dumps(one).encode())
        for one in changed_certificates(text)
    ]
    assert len(claims) > 3
    assert answers(certifier, [claim, *claims]) == ["accepted"] + ["refused"] * len(claims)


# Mutants.


def results(certifier: Path, code: bytes, operands: Sequence[tuple[int, int]]) -> list[int | None]:
    """What code of one limb leaves in z, run by the processor of the proof."""
    steps = len(words_of(code))
    registers = [0] * 32
    registers[:3] = Z, X, Y
    registers[30:] = RETURN, STACK
    questions = []
    for x, y in operands:
        memory = bytes_from(CODE, code)
        memory |= bytes_from(X, x.to_bytes(8, "little")) | bytes_from(Y, y.to_bytes(8, "little"))
        numbers = [*registers, 0, 0, 0, 0, CODE, len(memory)]
        numbers += [number for item in memory.items() for number in item]
        numbers += [steps, 8, *range(Z, Z + 8)]
        questions.append(" ".join(["aarch64-step", *(f"{number:x}" for number in numbers)]))
    found = list[int | None]()
    for answer in ask(certifier, questions):
        words = answer.split()
        returned = answer != "undefined" and int(words[36], 16) == RETURN
        value = bytes(int(word, 16) for word in words[37:])
        found.append(int.from_bytes(value, "little") if returned else None)
    return found


@pytest.mark.parametrize("operation", FUNCTIONS)
def test_mutants_are_refused_or_right(operation: str, certifier: Path, built: Path) -> None:
    claim, pairs = claim_in(built, f"{LINUX}/{operation}_aarch64"), operand_pairs(P, 20)
    expected = [FUNCTIONS[operation](a, b) for a, b in pairs]
    assert results(certifier, claim.code, pairs) == expected
    length = 32 * len(words_of(claim.code))
    mutants = []
    for bit in range(length):
        code = bytearray(claim.code)
        code[bit // 8] ^= 1 << bit % 8
        mutants.append(bytes(code))
    said = answers(certifier, [replace(claim, code=code) for code in mutants])
    accepted = [code for code, word in zip(mutants, said, strict=True) if word == "accepted"]
    assert len(accepted) < 0.1 * length
    for code in accepted:
        assert results(certifier, code, pairs) == expected, [hex(w) for w in words_of(code)]
