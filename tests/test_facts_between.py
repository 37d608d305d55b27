"""Facts whose value is no end of the variable's range: they need a bound from either side."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from certificates import certificate_of, object_of
from forged import replay
from formal_checker import answers

from fieldc.artifacts.certify import claim_for
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.facts import Input

SHORT = "2^251-9", "square_plain", "next-multiple", "mulx"
"""A top limb of 59 bits: that t is 2^k or more says that t >> k is 1 or more, not that it is 1."""


@pytest.mark.parametrize(("high", "is_one"), [(0, True), (1, False), (2, False)])
def test_a_value_amid_a_range_needs_both_bounds(high: int, is_one: bool) -> None:
    """x + 1 is at least 1 for every x, and is 1 only if x is 0."""
    system = System(8)
    x = system.new("x", high)
    word = system.define_word({(x,): 1, (): 1}, "x + 1", high=5)
    case = Case(system, (Input("x", (x,), high),))
    assert case.at_least({(word,): 1}, 1)
    assert case.is_always(word, 1) == is_one
    assert not case.is_always(word, 0)
    assert not case.is_always(word, 5)


def between(certificate: dict[str, Any]) -> dict[str, Any]:
    """The first fact with two bounds."""
    facts = (fact for case in certificate["cases"] for fact in case["facts"])
    return next(fact for fact in facts if "most" in fact)


def _swap(fact: dict[str, Any]) -> None:
    fact["bound"], fact["most"] = fact["most"], fact["bound"]


FORGED: dict[str, Callable[[dict[str, Any]], object]] = {
    "one bound": lambda fact: fact.pop("most"),
    "a larger value": lambda fact: fact.update(value=2),
    "0": lambda fact: fact.update(value=0),
    "the bounds of each other": _swap,
    "the first bound twice": lambda fact: fact.update(most=fact["bound"]),
    "the second bound twice": lambda fact: fact.update(bound=fact["most"]),
    "no rows below": lambda fact: fact["bound"]["rows"].clear(),
    "no rows above": lambda fact: fact["most"]["rows"].clear(),
    "no scale below": lambda fact: fact["bound"].update(scale="0x0"),
    "no scale above": lambda fact: fact["most"].update(scale="0x0"),
    "another variable": lambda fact: fact.update(variable=fact["variable"] - 1),
}


def forged(change: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
    certificate = copy.deepcopy(certificate_of(*SHORT))
    change(between(certificate))
    return certificate


def test_the_certificate_says_why_the_value_is_no_other() -> None:
    assert between(certificate_of(*SHORT))["value"] == 1


def test_the_checker_accepts_both_bounds(checker: Path, tmp_path: Path) -> None:
    status, said = replay(checker, tmp_path, certificate_of(*SHORT), object_of(*SHORT))
    assert status == 0, said


@pytest.mark.parametrize("what", FORGED)
def test_the_checker_refuses_less(what: str, checker: Path, tmp_path: Path) -> None:
    status, said = replay(checker, tmp_path, forged(FORGED[what]), object_of(*SHORT))
    assert status == 1 and "FAILED" in said


def test_the_checker_of_coq_agrees(certifier: Path) -> None:
    f, code = find_field(SHORT[0]), function_of(object_of(*SHORT), "kernel")
    right = certificate_of(*SHORT)
    claims = [
        claim_for(code, SHORT[1], {}, f.p, f.n, right["stack"], json.dumps(text).encode())
        for text in (right, *map(forged, FORGED.values()))
    ]
    assert answers(certifier, claims) == ["accepted"] + ["refused"] * len(FORGED)
