"""The checker that is proved in Coq: what it accepts, what it refuses, and its processor."""

from __future__ import annotations

import copy
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from certificates import BARRETT, certificate_of, object_of
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
    run_question,
    state_of,
)

from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.binary.linkable import function_of
from fieldc.cli import main
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import text
from fieldc.proof.x86_64.decode import decode

ROOT = Path(__file__).parent.parent
P = 2**61 - 1
FUNCTIONS = functions(P)
LINUX, WINDOWS = "x86_64-linux", "x86_64-windows"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every operation modulo 2^61 - 1, for System V and Windows."""
    folder = tmp_path_factory.mktemp("formal") / "built"
    assert main(["build", "2^61-1", "--target", f"{LINUX},{WINDOWS}", "-o", str(folder)]) == 0
    return folder


def rows_of(capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)
    return rows


@pytest.mark.usefixtures("installed")
def test_every_kernel_of_a_build_is_certified(
    built: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["certify", str(built), "--json"]) == 0
    rows = rows_of(capsys)
    assert len(rows) == 60
    assert {row["status"] for row in rows} == {"CERTIFIED"}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("field", "operations"),
    [
        ("bn254-p", "add,mul"),
        ("2^61-1", "mul_add,fp2_square,sub_lazy"),
        ("bn254-p", "square_times_2,mul_u64"),
        ("2^61-1", "divstep_update"),
        pytest.param("2^255-19", "mul_plain,square_plain,reduce", marks=pytest.mark.full),
        pytest.param("curve25519", "square_times_8,mul_u128", marks=pytest.mark.full),
        pytest.param("secp256k1-p", "mul_plain,reduce", marks=pytest.mark.full),
        pytest.param("bn254-p", "fp2_mul,difference_of_products,mul_by_3", marks=pytest.mark.full),
        pytest.param("bls12-381-p", "all", marks=pytest.mark.full),
    ],
)
def test_other_operations_are_certified(
    field: str, operations: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = str(tmp_path / "built")
    assert main(["build", field, "--op", operations, "--target", LINUX, "-o", folder]) == 0
    capsys.readouterr()
    assert main(["certify", folder, "--json"]) == 0
    assert {row["status"] for row in rows_of(capsys)} == {"CERTIFIED"}


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("field", "algorithm"),
    [
        ("2^127-1", "two-limb-quotients"),
        ("2^127-1", "karatsuba"),
        pytest.param("2^255-19", "karatsuba-limbs", marks=pytest.mark.full),
    ],
)
def test_products_that_save_products_are_certified(
    field: str, algorithm: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, words = str(tmp_path / "built"), ["--op", "mul", "--algorithm", algorithm]
    assert main(["build", field, *words, "--target", LINUX, "-o", folder]) == 0
    capsys.readouterr()
    assert main(["certify", folder, "--json"]) == 0
    assert {row["status"] for row in rows_of(capsys)} == {"CERTIFIED"}


@pytest.mark.usefixtures("installed")
def test_kernels_with_landing_pads_are_certified(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, words = str(tmp_path / "built"), ["--op", "add", "--target", LINUX, "--landing-pads"]
    assert main(["build", "2^61-1", *words, "-o", folder]) == 0
    capsys.readouterr()
    assert main(["certify", folder, "--json"]) == 0
    assert {row["status"] for row in rows_of(capsys)} == {"CERTIFIED"}


@pytest.mark.usefixtures("installed")
def test_a_kernel_under_another_name_is_refused(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "built"
    shutil.copytree(built, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    for row in manifest["kernels"]:
        if row["op"] == "add":
            row |= {"op": "sub", "symbol": row["symbol"].replace("_add_", "_sub_")}
            for file in (folder / row["object"], folder / row["certificate"]):
                file.write_bytes(file.read_bytes().replace(b"_add_", b"_sub_"))
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["certify", str(folder), "--json"]) == 1
    rows = rows_of(capsys)
    refused = [place for place, row in enumerate(rows) if row["status"] == "REFUSED"]
    added = [k for k, row in enumerate(manifest["kernels"]) if "/add_" in row["object"]]
    assert len(refused) == 6 and refused == added


def copied(built: Path, folder: Path, change: Callable[[list[dict[str, Any]]], None]) -> str:
    """A copy of a built folder with two of its kernels, whose rows are changed."""
    shutil.copytree(built, folder)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["kernels"] = [k for k in manifest["kernels"] if k["op"] == "add"][:2]
    change(manifest["kernels"])
    (folder / "manifest.json").write_text(json.dumps(manifest))
    return str(folder)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "CERTIFIED"),
        ({"certificate": None}, "no certificate"),
        ({"stack": 8}, "REFUSED"),
        ({"stack": 1 << 20}, "REFUSED"),
        ({"stack": 1 << 64}, "REFUSED"),
    ],
)
def test_what_is_not_certified_fails(
    change: dict[str, Any],
    status: str,
    built: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Where more stack is asked for than there is, the precondition never holds."""
    folder = copied(built, tmp_path / "built", lambda rows: rows[0].update(change))
    assert main(["certify", folder, "--json"]) == int(status != "CERTIFIED")
    assert [row["status"] for row in rows_of(capsys)] == [status, "CERTIFIED"]


@pytest.mark.usefixtures("installed")
def test_a_certificate_that_cannot_be_read_stops_nothing(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(built, tmp_path / "built", lambda rows: None)
    path = tmp_path / "built" / LINUX / "add_adx.cert.json"
    certificate = json.loads(path.read_text())
    certificate["cases"][0]["flags"][0][0] = -5
    path.write_text(json.dumps(certificate))
    assert main(["certify", folder, "--json"]) == 1
    assert [row["status"] for row in rows_of(capsys)] == ["REFUSED", "CERTIFIED"]


@pytest.mark.usefixtures("installed")
def test_kernels_that_are_not_proved_are_counted(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    no_proof = {"status": "TESTED", "certificate": None, "certificate_digest": None}
    folder = copied(built, tmp_path / "built", lambda rows: rows[0].update(no_proof))
    assert main(["certify", folder]) == 0
    said = capsys.readouterr().out
    assert "1 of 1 kernel of" in said and "not said to be PROVED: 1 kernel" in said


ODD: list[dict[str, Any]] = [
    *({"stack": stack} for stack in (1.5, True, None, "0")),
    *({"certificate": certificate} for certificate in (5, ["a"], "a\0b")),
    *({"object": object_} for object_ in (None, 5, "a\0b")),
    {"op": ["add"]},
    {"symbol": 5},
]


@pytest.mark.parametrize("change", ODD)
def test_an_odd_row_is_one_line(
    change: dict[str, Any], built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(built, tmp_path / "built", lambda rows: rows[0].update(change))
    capsys.readouterr()
    assert main(["certify", folder]) == 2
    assert capsys.readouterr().err.endswith("manifest.json' is no manifest\n")


def test_two_rows_of_one_kernel_are_refused(
    built: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = copied(built, tmp_path / "built", lambda rows: rows.append(rows[0]))
    assert main(["certify", folder]) == 2
    assert "names a kernel twice" in capsys.readouterr().err


def test_without_the_checker_one_line_says_how_to_get_it(
    built: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    assert main(["certify", str(built)]) == 2
    assert "`make formal` builds it" in capsys.readouterr().err


# What is refused.


WRONG: dict[str, Callable[[KernelClaim], KernelClaim]] = {
    "another prime": lambda c: replace(c, p=c.p - 2),
    "another operation": lambda c: replace(c, family="mul_plain"),
    "the other convention": lambda c: replace(c, convention="win64"),
    "more limbs": lambda c: replace(c, limbs=2),
    "no cases": lambda c: replace(c, certificate=("0", "0", "0")),
    "no return": lambda c: replace(c, code=c.code[: c.code.index(0xC3)]),
    "no code": lambda c: replace(c, code=b""),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_claim_is_refused(what: str, certifier: Path, built: Path) -> None:
    claim = claim_in(built, f"{LINUX}/mul_mulx")
    assert answers(certifier, [claim, WRONG[what](claim)]) == ["accepted", "refused"]


def test_a_section_may_be_long(certifier: Path, built: Path) -> None:
    claim = claim_in(built, f"{LINUX}/mul_mulx")
    assert answers(certifier, [replace(claim, code=claim.code + bytes(1 << 20))]) == ["accepted"]


def test_less_stack_than_is_used_is_refused(certifier: Path, tmp_path: Path) -> None:
    folder = str(tmp_path / "built")
    assert main(["build", "bn254-p", "--op", "mul", "--target", LINUX, "-o", folder]) == 0
    claim = claim_in(tmp_path / "built", f"{LINUX}/mul_mulx")
    assert claim.stack >= 8
    less = [replace(claim, stack=claim.stack - 8), replace(claim, stack=-8)]
    assert answers(certifier, [claim, *less]) == ["accepted", "refused", "refused"]


def changed_certificates(built: Path, stem: str) -> list[dict[str, Any]]:
    """A certificate less one of its cases, facts or rows, or with another number in it."""
    text = (built / f"{stem}.cert.json").read_text()
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
        one = json.loads(text)
        one["cases"][number]["flags"][0][1] ^= 1
        changed.append(one)
        one = json.loads(text)
        one["cases"][number]["canonical"]["scale"] = "-0x1"
        changed.append(one)
    return changed


@pytest.mark.parametrize("stem", ["mul_mulx", "sub_adx", "redc_base"])
def test_a_changed_certificate_is_refused(stem: str, certifier: Path, built: Path) -> None:
    claim = claim_in(built, f"{LINUX}/{stem}")
    symbol = json.loads((built / LINUX / f"{stem}.cert.json").read_text())["symbol"]
    code = function_of((built / LINUX / f"{stem}.o").read_bytes(), symbol)
    changed = changed_certificates(built / LINUX, stem)
    claims = [
        claim_for(code, claim.family, {}, P, 1, claim.stack, json.dumps(text).encode())
        for text in changed
    ]
    assert len(claims) > 10
    assert answers(certifier, [claim, *claims]) == ["accepted"] + ["refused"] * len(claims)


# Mutants.


def disassembled(code: bytes) -> list[str]:
    """The instructions to the return, as far as they are any."""
    place, found = 0, list[str]()
    while not found or found[-1] != "ret ":
        try:
            instruction = decode(code, place)
        except ProofError:
            return found
        found.append(f"{instruction.mnemonic} {instruction.op_str}")
        place += instruction.size
    return found


def results(certifier: Path, code: bytes, operands: Sequence[tuple[int, int]]) -> list[int | None]:
    """What code of one limb leaves in z, run by the processor of the proof."""
    steps, z, x, y = len(disassembled(code)), 0x20000, 0x30000, 0x40000
    registers = {"rdi": z, "rsi": x, "rdx": y, "rsp": STACK}
    memory = bytes_from(CODE, code) | bytes_from(STACK, RETURN.to_bytes(8, "little"))
    questions = []
    for a, b in operands:
        values = bytes_from(x, a.to_bytes(8, "little")) | bytes_from(y, b.to_bytes(8, "little"))
        shown = range(z, z + 8)
        questions.append(run_question(registers, (0, 0), memory | values, steps, shown))
    states = [state_of(answer) for answer in ask(certifier, questions)]
    return [
        int.from_bytes(s.memory, "little") if s is not None and s.rip == RETURN else None
        for s in states
    ]


@pytest.mark.parametrize("stem", ["add_adx", "sub_base", "mul_mulx", "mul_base"])
def test_kernels_run_right_on_the_processor_of_the_proof(
    stem: str, certifier: Path, built: Path
) -> None:
    claim, pairs = claim_in(built, f"{LINUX}/{stem}"), operand_pairs(P, 40)
    expected = [FUNCTIONS[claim.family](a, b) for a, b in pairs]
    assert results(certifier, claim.code, pairs) == expected


@pytest.mark.parametrize("stem", ["add_adx", "sub_base", "mul_mulx", "mul_base"])
def test_mutants_are_refused_or_right(stem: str, certifier: Path, built: Path) -> None:
    claim, pairs = claim_in(built, f"{LINUX}/{stem}"), operand_pairs(P, 40)
    length = claim.code.index(0xC3) + 1
    mutants = []
    for bit in range(8 * len(claim.code)):
        code = bytearray(claim.code)
        code[bit // 8] ^= 1 << bit % 8
        mutants.append(bytes(code))
    said = answers(certifier, [replace(claim, code=code) for code in mutants])
    assert said[: 8 * length].count("refused") > 0.75 * 8 * length
    as_it_was, unread = disassembled(claim.code), len(claim.code) - length
    accepted = [code for code, word in zip(mutants, said, strict=True) if word == "accepted"]
    assert len(accepted) < 8 * unread + 0.25 * 8 * length
    other = [code for code in accepted if disassembled(code) != as_it_was]
    expected = [FUNCTIONS[claim.family](a, b) for a, b in pairs]
    for code in other:
        assert results(certifier, code, pairs) == expected, disassembled(code)


def of_barrett(certificate: dict[str, Any]) -> KernelClaim:
    """The claim on a kernel by Barrett's reduction, which needs equalities."""
    code = function_of(object_of(*BARRETT[0]), "kernel")
    written = text(certificate).encode()
    return claim_for(code, "mul_plain", {}, (1 << 127) - 1, 2, certificate["stack"], written)


def test_changed_equalities_are_refused(certifier: Path) -> None:
    certificate = certificate_of(*BARRETT[0])
    assert answers(certifier, [of_barrett(certificate)]) == ["accepted"]
    changed = []
    for number in range(len(certificate["equalities"])):
        one = copy.deepcopy(certificate)
        one["equalities"][number]["value"].append(["0x1", []])
        changed.append(of_barrett(one))
    one = copy.deepcopy(certificate)
    del one["equalities"]
    changed.append(of_barrett(one))
    assert len(changed) > 2
    assert answers(certifier, changed) == ["refused"] * len(changed)
