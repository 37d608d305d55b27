"""Values of a formula's steps: proved one after the other, written down, and replayed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from forged import Tamper, replay
from formal_checker import answers

from fieldc.artifacts.certify import BadCertificate, claim_for
from fieldc.artifacts.verify import job_of
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.decisions.formulas import decide_formula
from fieldc.formulas import U64, Element, accumulator, formula
from fieldc.formulas.formula import Formula
from fieldc.machine.assemble import host_triple
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.certificate import certificate_of_formula, text
from fieldc.proof.programs import prove_formula
from fieldc.targets.registry import TARGETS

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")


@formula
def difference_by(x: Element, y: Element, k: U64) -> Element:
    """A difference is chosen below p, then its product with a number."""
    return (x - y) * k


@formula
def fourth(x: Element) -> Element:
    return (x**2) ** 2


@formula
def fifth(x: Element) -> Element:
    """The sum's first part is below 2p only."""
    return x**5 + 7


@formula
def and_its_double(x: Element, y: Element) -> tuple[Element, Element]:
    t = x * y
    return t, t + t


@formula
def and_its_square(x: Element, y: Element) -> tuple[Element, Element]:
    """The square is of words below 2p, where there is a spare bit; the difference is below p."""
    t = x - y
    return t**2, t


@formula
def negative_multiple(x: Element) -> Element:
    """17*x first."""
    return -17 * x


@formula
def plus_a_double(x: Element, y: Element, v: Element, w: Element) -> Element:
    """One step is below 7p in words of which the runs show 5p."""
    return x + 2 * ((y + v) ** 2 - w**2)


Sum = accumulator(2)


@formula
def of_a_sum(s: Sum, x: Element) -> Element:
    """A sum's residue is a value by itself."""
    return s.reduced() * x


CASES: list[tuple[str, Formula, str, int]] = [
    ("bn254-p", difference_by, "mulx", 1),
    ("bn254-p", fourth, "adx", 1),
    ("secp256k1-p", and_its_double, "adx", 1),  # no spare bit
    ("2^127-1", fifth, "base", 3),
    ("goldilocks", fourth, "mulx", 1),  # one limb
    ("bls12-381-p", and_its_square, "mulx", 1),
    ("p256", and_its_square, "adx", 1),
    ("bn254-p", negative_multiple, "base", 1),
    ("p256", plus_a_double, "adx", 2),
    ("bn254-r", of_a_sum, "mulx", 1),
]
"""With how many steps some words hold."""
FIRST = CASES[0][:3]


@cache
def made(field: str, one: Formula, variant: str) -> tuple[bytes, str, dict[str, Any]]:
    """The object, its function, and its certificate."""
    f = find_field(field)
    decision = decide_formula(f, one, TARGETS["x86_64-linux"])
    job = job_of(decision.target.make(decision.target, decision.variant(variant)))
    assert job is not None
    function = function_of(job.code, job.symbol)
    given = function.code, job.formula, f.p, f.n
    proved = prove_formula(*given, start=function.start)
    head = job.formula, one.name, f.p, f.n, "sysv", job.symbol
    return job.code, job.symbol, certificate_of_formula(proved, *head)


@pytest.mark.parametrize(("field", "one", "variant", "held"), CASES)
def test_steps_are_proved_and_replayed(
    checker: Path, tmp_path: Path, field: str, one: Formula, variant: str, held: int
) -> None:
    data, _, certificate = made(field, one, variant)
    assert len(certificate["cut_points"]) == held
    steps = [cut["step"] for cut in certificate["cut_points"]]
    assert steps == sorted(steps)
    status, said = replay(checker, tmp_path, certificate, data)
    assert status == 0 and said.startswith("PROVED "), said


def certified(certifier: Path, certificate: dict[str, Any]) -> str:
    """What the checker that is proved says of the first case's code and a certificate for it."""
    data, symbol, _ = made(*FIRST)
    f, stated = find_field(FIRST[0]), certificate["contract"]["formula"]
    what = ("", {}, f.p, f.n, certificate["stack"], text(certificate).encode(), stated)
    try:
        (said,) = answers(certifier, [claim_for(function_of(data, symbol), *what)])
    except (BadCertificate, ProofError):
        return "refused"
    return said


def first_cut(change: Callable[[dict[str, Any]], object]) -> Tamper:
    """A change of the first cut point."""

    def tamper(certificate: dict[str, Any]) -> None:
        change(certificate["cut_points"][0])

    return tamper


def with_step(c: dict[str, Any], step: list[object]) -> None:
    """Another formula, of which the code and the certificate are not."""
    said = json.loads(c["contract"]["formula"])
    said["steps"][0] = step
    c["contract"]["formula"] = json.dumps(said)


TAMPERS: dict[str, Tamper] = {
    "left out": lambda c: c["cut_points"].pop(0),
    "all left out": lambda c: c.pop("cut_points"),
    "twice": lambda c: c["cut_points"].insert(1, {**c["cut_points"][0], "equalities": []}),
    "another step": first_cut(lambda cut: cut.update(step=1)),
    "a step that is not there": first_cut(lambda cut: cut.update(step=2)),
    "the largest step": first_cut(lambda cut: cut.update(step=2**64 - 1)),
    "other words": first_cut(lambda cut: cut["words"].reverse()),
    "no words": first_cut(lambda cut: cut["words"].clear()),
    "unknown words": first_cut(lambda cut: cut["words"].append(10**6)),
    "a lower bound": first_cut(lambda cut: cut.update(high=hex(int(cut["high"], 16) >> 1))),
    "a case left out": first_cut(lambda cut: cut["cases"].pop()),
    "no cases": first_cut(lambda cut: cut["cases"].clear()),
    "another sum": lambda c: with_step(c, ["add", 0, 1]),
    "the other difference": lambda c: with_step(c, ["sub", 1, 0]),
}


@pytest.mark.parametrize("what", TAMPERS)
def test_the_checker_rejects_changed_steps(checker: Path, tmp_path: Path, what: str) -> None:
    data, _, certificate = made(*FIRST)
    changed = copy.deepcopy(certificate)
    TAMPERS[what](changed)
    status, said = replay(checker, tmp_path, changed, data)
    assert status == 1 and said.startswith("FAILED "), said


@pytest.mark.parametrize("what", TAMPERS)
@pytest.mark.sweep(4)
def test_the_proved_checker_rejects_changed_steps(certifier: Path, what: str) -> None:
    changed = copy.deepcopy(made(*FIRST)[2])
    assert certified(certifier, changed) == "accepted"
    TAMPERS[what](changed)
    assert certified(certifier, changed) == "refused"


def test_an_operand_may_be_called_as_a_value_is() -> None:
    """v3 is then a name of words that somebody else holds, so the step is written out."""

    @formula
    def named(x: Element, v3: Element, k: U64) -> Element:
        return (x - v3) * x * k

    f = find_field("secp256k1-p")
    decision = decide_formula(f, named, TARGETS["x86_64-linux"])
    job = job_of(decision.target.make(decision.target, decision.preferred))
    assert job is not None
    function = function_of(job.code, job.symbol)
    found = prove_formula(function.code, job.formula, f.p, f.n, start=function.start)
    assert found.proof.cut_points[0] is None
