"""The checker that is proved in Coq, on formulas that call routines."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from formal_checker import answers, claim_in, nothing_shown

from fieldc.artifacts.certify import BadCertificate, KernelClaim, called_places, claim_for
from fieldc.binary.linkable import function_of
from fieldc.cli import main
from fieldc.proof.claims.formulas import Size

EXAMPLES = Path(__file__).parent.parent / "examples"
TEXT = """
from fieldc.formulas import Element, formula

Point = tuple[Element, Element]

@formula
def chain(a: Point, b: Point) -> Point:
    u = a[0] * b[0] - 2 * a[1]
    v = (a[1] + b[1]) ** 2 - u
    w = u * v + a[0] * b[1]
    return w * v, 3 * u - w * (u - v)
"""
DEEP = """
from fieldc.formulas import Element, extend, formula

Fp2 = extend(Element, 2, -1)

@formula
def deep(x: Fp2, y: Fp2) -> Fp2:
    z = x * y + x
    for _ in range(6):
        z = z * z + y * x - z
    return z
"""
STEM = "x86_64-linux/chain_base"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A formula by calls modulo 2^127 - 1, for System V and Windows."""
    folder = tmp_path_factory.mktemp("formal")
    (folder / "chain.py").write_text(TEXT)
    words = ["--formula", str(folder / "chain.py"), "--target", "x86_64-linux,x86_64-windows"]
    assert main(["build", "2^127-1", *words, "-o", str(folder / "built")]) == 0
    return folder / "built"


@pytest.fixture(scope="module")
def claim(built: Path) -> KernelClaim:
    return claim_in(built, STEM)


def statuses(folder: Path, capsys: pytest.CaptureFixture[str]) -> list[str]:
    capsys.readouterr()
    main(["certify", str(folder), "--json"])
    return [row["status"] for row in json.loads(capsys.readouterr().out)]


@pytest.mark.usefixtures("installed")
def test_formulas_by_calls_are_certified(built: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = json.loads((built / "manifest.json").read_text())["kernels"]
    assert len(rows) == 6 and all(len(row["called"]) > 3 for row in rows)
    assert statuses(built, capsys) == ["CERTIFIED"] * 6


@pytest.mark.usefixtures("installed")
@pytest.mark.full
@pytest.mark.parametrize("example", ["add_2007_bl", "points"])
def test_examples_are_certified(
    example: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["--formula", str(EXAMPLES / f"{example}.py"), "--target", "x86_64-linux"]
    assert main(["build", "bn254-p", *words, "-o", str(tmp_path / "built")]) == 0
    assert set(statuses(tmp_path / "built", capsys)) == {"CERTIFIED"}


@pytest.mark.full
@pytest.mark.usefixtures("installed")
def test_nested_products_are_certified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A value of degree 128 in four operands: it is compared by its products."""
    (tmp_path / "deep.py").write_text(DEEP)
    words = ["--formula", str(tmp_path / "deep.py"), "--target", "x86_64-linux"]
    assert main(["build", "2^127-1", *words, "-o", str(tmp_path / "built")]) == 0
    assert set(statuses(tmp_path / "built", capsys)) == {"CERTIFIED"}


def test_what_is_grouped_otherwise_is_multiplied_out(certifier: Path, claim: KernelClaim) -> None:
    """The result w*v, stated as (w + v)^2 - w^2 - v^2 - w*v; and with a wrong sign."""
    assert claim.formula is not None
    steps, product = claim.formula.steps, claim.formula.results[0]
    operands = sum(count for _, count, _ in claim.formula.operands)
    kind, (w, v), _ = steps[product - operands]
    assert kind == "mul"
    at = operands + len(steps)

    def stated(last: str) -> KernelClaim:
        more = [
            ("add", (w, v), 0),
            ("mul", (at, at), 0),
            ("mul", (w, w), 0),
            ("mul", (v, v), 0),
            ("sub", (at + 1, at + 2), 0),
            ("sub", (at + 4, at + 3), 0),
            (last, (at + 5, product), 0),
        ]
        results = (at + 6, *claim.formula.results[1:]) if claim.formula else ()
        return changed(claim, steps=(*steps, *more), results=results)

    assert answers(certifier, [stated("sub"), stated("add")]) == ["accepted", "refused"]


# Another claim, of the same code and certificate.


def changed(claim: KernelClaim, **parts: Any) -> KernelClaim:
    assert claim.formula is not None
    return replace(claim, formula=replace(claim.formula, **parts))


def another_step(claim: KernelClaim) -> KernelClaim:
    assert claim.formula is not None
    kind, taken, integer = claim.formula.steps[0]
    assert kind == "mul"
    return changed(claim, steps=(("mul", (taken[0], taken[0]), integer), *claim.formula.steps[1:]))


def larger_operands(claim: KernelClaim) -> KernelClaim:
    assert claim.formula is not None
    return changed(
        claim, operands=tuple((name, n, Size(2)) for name, n, _ in claim.formula.operands)
    )


WRONG: dict[str, Callable[[KernelClaim], KernelClaim]] = {
    "results exchanged": lambda c: changed(c, results=c.formula.results[::-1] if c.formula else ()),
    "an operand as the result": lambda c: changed(c, results=(0, 1)),
    "no such number": lambda c: changed(c, results=(99, 99)),
    "another step": another_step,
    "larger operands": larger_operands,
    "smaller results": lambda c: changed(c, size=Size(1, 0, 126)),
    "another prime": lambda c: replace(c, p=c.p - 2),
    "the other convention": lambda c: replace(c, convention="win64"),
    "less stack": lambda c: replace(c, stack=c.stack - 8),
    "a line without calls": lambda c: replace(c, calls=False, certificate=nothing_shown(c)),
    "no routines": lambda c: replace(c, certificate=("0",)),
    "no code": lambda c: replace(c, code=b""),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_claim_is_refused(what: str, certifier: Path, claim: KernelClaim) -> None:
    assert answers(certifier, [WRONG[what](claim)]) == ["refused"]


# Another certificate.

Change = Callable[[list[dict[str, Any]]], None]


def in_statement(routine: dict[str, Any], **parts: Any) -> None:
    text = json.loads(routine["formula"])
    routine["formula"] = json.dumps(text | {k: change(text[k]) for k, change in parts.items()})


def weaker(routines: list[dict[str, Any]]) -> None:
    """Results that may be larger than the next routine takes."""
    for routine in routines:
        in_statement(routine, multiple=lambda multiple: multiple + 1)


def exchange(part: str, routines: list[dict[str, Any]]) -> None:
    first, second = routines[:2]
    first[part], second[part] = second[part], first[part]


def exchange_statements(routines: list[dict[str, Any]]) -> None:
    """Of routines whose values between are left out, as one has fewer steps than the other."""
    exchange("formula", routines)
    for routine in routines[:2]:
        routine.pop("cut_points", None)


def signed(routines: list[dict[str, Any]]) -> None:
    in_statement(routines[0], operands=lambda of: [[*of[0][:2], ["signed", 128]], *of[1:]])


CHANGES: dict[str, Change] = {
    "a signed operand": signed,
    "routines turned": lambda routines: routines.reverse(),
    "cases exchanged": partial(exchange, "cases"),
    "statements exchanged": exchange_statements,
    "no cases": lambda routines: routines[1].update(cases=[]),
    "less stack": lambda routines: routines[0].update(stack=routines[0]["stack"] - 8),
    "no room": lambda routines: routines[0].update(stack=4096),
    "weaker routines": weaker,
    "another result": lambda routines: in_statement(routines[0], results=lambda _: [0]),
}


def with_routines(built: Path, change: Change) -> KernelClaim:
    claim, text = claim_in(built, STEM), (built / f"{STEM}.cert.json").read_text()
    row = next(
        row
        for row in json.loads((built / "manifest.json").read_text())["kernels"]
        if row["object"] == f"{STEM}.o"
    )
    certificate = json.loads(text)
    change(certificate["routines"])
    code = function_of((built / f"{STEM}.o").read_bytes(), row["symbol"])
    stated = (claim.p, claim.limbs, claim.stack, json.dumps(certificate).encode(), row["formula"])
    return claim_for(code, "", {}, *stated)


@pytest.mark.parametrize("what", CHANGES)
def test_a_wrong_certificate_is_refused(what: str, certifier: Path, built: Path) -> None:
    assert answers(certifier, [with_routines(built, CHANGES[what])]) == ["refused"]


@pytest.mark.parametrize(
    "change",
    [
        lambda routines: routines.pop(),
        lambda routines: routines.append(routines[0]),
        lambda routines: routines[0].pop("formula"),
        lambda routines: routines.__setitem__(0, 5),
    ],
    ids=["a routine too few", "one too many", "no statement", "a number"],
)
def test_other_routines_are_no_certificate(change: Change, built: Path) -> None:
    with pytest.raises(BadCertificate, match="no certificate"):
        with_routines(built, change)


# Other code.


def test_other_calls_and_addresses_are_refused(certifier: Path, claim: KernelClaim) -> None:
    code = claim.code
    end = code.index(0xC3)
    calls = [place + 1 for place in range(end) if code[place] == 0xE8]
    addresses = [
        place + 4 for place in range(end) if code[place : place + 2] in (b"\x48\x8d", b"\x4c\x8d")
    ]
    assert len(calls) > 3 and len(addresses) > 3
    mutants = []
    for place in calls[:4] + addresses[:4]:
        mutant = bytearray(code)
        mutant[place] ^= 0x40
        mutants.append(replace(claim, code=bytes(mutant)))
    assert set(answers(certifier, mutants)) == {"refused"}


def test_the_places_of_calls_are_found() -> None:
    code = bytes.fromhex("e80a000000 e805000000 e800000000 c3 90 e800000000 c3")
    assert called_places(code, "x86_64") == [15]
    assert called_places(b"\x06", "x86_64") == []
