"""The checker replays the proofs of formulas, with their routines, and refuses changed ones."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from checked_folder import Copy, said_of
from sampling import sampled

from fieldc.cli import main

EXAMPLES = Path(__file__).parent.parent / "examples"
TEXT = """
from fieldc.formulas import I64, Element, accumulator, extend, formula

Fp2 = extend(Element, 2, -1)
Point = tuple[Element, Element]

@formula
def in_fp2(x: Fp2, y: Fp2) -> Fp2:
    return x * y + x.square()

@formula
def turned(x: Element, k: I64) -> Element:
    return x * k

@formula
def signed_sum(s: accumulator(2, I64), x: Element, k: I64) -> accumulator(3, I64):
    return s.plus(x, k)

@formula
def horner(s: Element, x: Element, c: Element) -> Element:
    return s * x + 3 * c - 5

@formula
def chain(a: Point, b: Point) -> Point:
    u = a[0] * b[0] - 2 * a[1]
    v = (a[1] + b[1]) ** 2 - u
    w = u * v + a[0] * b[1]
    return w * v, 3 * u - w * (u - v)
"""
CHAIN, HORNER = "x86_64-linux/chain_base", "x86_64-linux/horner_base"
SIGNED, SIGNED_SUM = "x86_64-linux/turned_base", "x86_64-linux/signed_sum_base"
PRIMES = {"a spare bit": "2^127-1", "none": "2^128-173", "several bits": "2^125-9"}


def build(folder: Path, prime: str) -> Path:
    source = folder / "formulas.py"
    source.write_text(TEXT)
    words = ["--formula", str(source), "--target", "x86_64-linux,x86_64-windows"]
    assert main(["build", prime, *words, "-o", str(folder / "built")]) == 0
    return folder / "built"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build(tmp_path_factory.mktemp("formulas"), PRIMES["a spare bit"])


def test_a_folder_of_formulas_passes(checker: Path, built: Path, tmp_path: Path) -> None:
    rows = json.loads((built / "manifest.json").read_text())["kernels"]
    assert all(row["status"] == "PROVED" and row["certificate"] for row in rows)
    assert any(row["called"] for row in rows) and not all(row["called"] for row in rows)
    status, said = said_of(checker, built)
    assert status == 0, said
    assert f": {len(rows)} kernels PROVED by their certificates, " in said
    copy = Copy(built, tmp_path)
    copy.sign()
    assert said_of(checker, copy.path)[0] == 0


@pytest.mark.parametrize("prime", sampled(["several bits"], ["none"]))
def test_other_primes_pass(checker: Path, tmp_path: Path, prime: str) -> None:
    status, said = said_of(checker, build(tmp_path, PRIMES[prime]))
    assert status == 0, said


@pytest.mark.sweep(1)
@pytest.mark.parametrize(
    ("prime", "example"),
    [
        ("2^127-1", "add_2007_bl"),
        ("bn254-r", "butterfly"),
        ("bn254-r", "integers"),
        pytest.param("bn254-p", "add_2007_bl", marks=pytest.mark.full),
        *(
            pytest.param("bls12-381-p", name, marks=pytest.mark.full)
            for name in ("add_2007_bl", "tower", "points", "karabina")
        ),
    ],
)
def test_a_build_of_each_example_is_certified(
    checker: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    prime: str,
    example: str,
) -> None:
    """Statements by calls are not multiplied out: those of long formulas have too many terms."""
    monkeypatch.setenv("PATH", str(checker.parent), prepend=":")
    words = ["--formula", str(EXAMPLES / f"{example}.py"), "--target", "x86_64-linux"]
    assert main(["build", prime, *words, "-o", str(tmp_path / "built")]) == 0
    assert " of them formulas, 0 not PROVED" in capsys.readouterr().out


Change = Callable[[dict[str, Any], dict[str, Any]], None]
"""Of a certificate and its row."""


def of_routine(number: int, **parts: object) -> Change:
    def change(certificate: dict[str, Any], row: dict[str, Any]) -> None:
        certificate["routines"][number].update(parts)
        row["called"] = [routine["formula"] for routine in certificate["routines"]]

    return change


def in_text(part: str, value: object) -> Change:
    """Another formula, in the certificate and in the row."""

    def change(certificate: dict[str, Any], row: dict[str, Any]) -> None:
        text = json.loads(row["formula"])
        text[part] = value
        row["formula"] = certificate["contract"]["formula"] = json.dumps(text)

    return change


def turn_routines(certificate: dict[str, Any], row: dict[str, Any]) -> None:
    certificate["routines"].reverse()
    row["called"].reverse()


def weaken_operand(certificate: dict[str, Any], row: dict[str, Any]) -> None:
    """A routine that gives less than the next one asks for."""
    for routine in certificate["routines"]:
        text = json.loads(routine["formula"])
        text["multiple"] += 1
        routine["formula"] = json.dumps(text)
    row["called"] = [routine["formula"] for routine in certificate["routines"]]


def exchange_cases(certificate: dict[str, Any], row: dict[str, Any]) -> None:
    first, second = certificate["routines"][:2]
    first["cases"], second["cases"] = second["cases"], first["cases"]


def say_more(certificate: dict[str, Any], row: dict[str, Any]) -> None:
    certificate["routines"].append(certificate["routines"][0])
    row["called"].append(row["called"][0])


def drop_routines(certificate: dict[str, Any], row: dict[str, Any]) -> None:
    del certificate["routines"]
    row["called"] = []


UNSIGNED = ["k", 1, [1, 0, 64]]
OTHER_STEP = [["mul", 0, 1], ["add", 2, 3]]
CHANGES: dict[str, tuple[str, Change, str]] = {
    "results exchanged": (CHAIN, in_text("results", [6, 7]), "another modulo p"),
    "a result that is an operand": (CHAIN, in_text("results", [0, 1]), "another modulo p"),
    "other steps": (HORNER, in_text("steps", OTHER_STEP), "another modulo p"),
    "another sum": (HORNER, in_text("steps", [["mul", 0, 1], ["sub", 3, 2]]), "another modulo p"),
    "a later value": (HORNER, in_text("results", [99]), "a result is no value"),
    "an unknown part": (HORNER, in_text("more", 1), "unknown field"),
    "larger operands": (
        HORNER,
        in_text("operands", [["s", 1, 2], ["x", 1, 1], ["c", 1, 1]]),
        "its operands or its result",
    ),
    "an unsigned integer for a signed one": (
        SIGNED,
        in_text("operands", [["x", 1, 1], UNSIGNED]),
        "an operand is signed, or is not",
    ),
    "a sum with an unsigned integer": (
        SIGNED_SUM,
        in_text("operands", [["s", 1, [2, 1, 64]], ["x", 1, 1], UNSIGNED]),
        "case 0: ",
    ),
    "a taken name": (
        HORNER,
        in_text("operands", [["z", 1, 1], ["x", 1, 1], ["c", 1, 1]]),
        "cannot be called z",
    ),
    "routines turned": (CHAIN, turn_routines, "routine 0: "),
    "cases exchanged": (CHAIN, exchange_cases, "routine 0: "),
    "no cases": (CHAIN, of_routine(1, cases=[]), "routine 1: "),
    "another stack": (CHAIN, of_routine(0, stack=8), "bytes of stack"),
    "weaker routines": (CHAIN, weaken_operand, "above its bound"),
    "a routine too many": (CHAIN, say_more, "never called"),
    "no routines": (CHAIN, drop_routines, "cases: none has the flags"),
    "routines of a straight line": (
        HORNER,
        lambda certificate, row: certificate.update(
            routines=[{"formula": row["formula"], "stack": 0, "cases": []}]
        ),
        "the certificate is of other routines",
    ),
    "another formula in the row": (
        HORNER,
        lambda certificate, row: row.update(formula="{}"),
        "the certificate is of another formula",
    ),
    "no formula": (
        HORNER,
        lambda certificate, row: certificate["contract"].pop("formula"),
        "the certificate is of another formula",
    ),
}


@pytest.mark.parametrize("name", CHANGES)
def test_the_checker_refuses(checker: Path, built: Path, tmp_path: Path, name: str) -> None:
    stem, change, expected = CHANGES[name]
    copy = Copy(built, tmp_path)
    file = copy.file(f"{stem}.cert.json")
    certificate = json.loads(file.read_text())
    change(certificate, copy.row(stem))
    file.write_text(json.dumps(certificate))
    copy.sign()
    status, said = said_of(checker, copy.path)
    assert status == 1 and expected in said, said


def test_changed_code_is_refused(checker: Path, built: Path, tmp_path: Path) -> None:
    """Some calls to other routines, and some of the caller's addresses."""
    copy = Copy(built, tmp_path)
    file = copy.file(f"{CHAIN}.o")
    right = file.read_bytes()
    calls = [place for place in range(len(right)) if right[place] == 0xE8]
    addresses = [place for place in range(len(right)) if right[place : place + 2] == b"\x48\x8d"]
    assert len(calls) > 3 and len(addresses) > 3
    for place in (*(at + 1 for at in calls[:4]), *(at + 4 for at in addresses[:4])):
        changed = bytearray(right)
        changed[place] ^= 0x40
        file.write_bytes(changed)
        copy.sign()
        assert said_of(checker, copy.path)[0] == 1, place


FLAGS = """
from fieldc.formulas import Element, formula

Four = tuple[Element, Element, Element, Element]

@formula
def mixed(s: Four) -> Four:
    a, b = s[0] + s[1], s[2] + s[3]
    c, d = 2 * s[1] + b, 2 * s[3] + a
    e, f = 4 * b + d, 4 * a + c
    return d + f, f, c + e, e
"""


def test_choices_that_depend_on_many_flags(checker: Path, tmp_path: Path) -> None:
    """Poseidon2's sums: 13 conditional subtractions for one result, which the prover takes."""
    source, out = tmp_path / "mixed.py", tmp_path / "built"
    source.write_text(FLAGS)
    words = ["--formula", str(source), "--target", "x86_64-linux"]
    assert main(["build", "2^127-1", *words, "-o", str(out)]) == 0
    status, said = said_of(checker, out)
    assert status == 0, said
