"""Values between operands and result: proved one after the other, written down, and replayed."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from aarch64_code import code_of as llvm_code_of
from certificates import certificate_of, code_of, object_of
from contracts import contract_named
from forged import Tamper, renamed, replay
from formal_checker import answers

from fieldc.algorithms import choose
from fieldc.artifacts.certify import BadCertificate, claim_for
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.machine.assemble import host_triple
from fieldc.proof.algebra.equations import System
from fieldc.proof.algebra.facts import Input
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.algebra.refute import Sample, UnlikelyRuns, samples
from fieldc.proof.certificate import text
from fieldc.proof.prove import prove

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")
LARGE_MU = "0x37c16a59211b896bb26300fa2b5aed9ca77c65daf883ae81"
"""A prime of 190 bits; log-jump multiplies by mu, here more than 0.6p."""
CASES = [
    ("bn254-p", "square_times_4", "log-jump", "mulx"),  # squares above 2p
    ("bn254-p", "square_times_8", "log-jump", "adx"),  # one of them is less p, once
    (LARGE_MU, "square_times_8", "log-jump", "adx"),
    ("bls12-381-p", "square_times_2", "cios", "adx"),
    ("secp256k1-p", "square_times_2", "log-jump", "base"),  # no spare bit
    ("curve25519", "square_times_8", "cios", "mulx"),  # top bits of a limb that are 0
    ("bls12-381-r", "square_times_4", "log-jump-complement", "mulx"),
    ("2^224-2^96+1", "square_times_2", "signed-limbs", "base"),
    ("goldilocks", "square_times_8", "shifted-quotient", "mulx"),
    ("goldilocks", "square_times_4", "cios", "mulx"),  # one limb
    ("0x7f", "square_times_8", "log-jump", "adx"),  # the last value is always the first one
    ("0x3", "square_times_2", "cios", "base"),
]
FIRST = CASES[0]


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_repeated_squarings_are_proved_and_replayed(
    checker: Path, tmp_path: Path, case: tuple[str, str, str, str]
) -> None:
    certificate = certificate_of(*case)
    squarings = certificate["contract"]["parameters"]["squarings"]
    assert len(certificate["cut_points"]) == squarings - 1
    status, said = replay(checker, tmp_path, certificate, object_of(*case))
    assert status == 0 and said.startswith("PROVED "), said


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_every_run_is_in_the_ranges(case: tuple[str, str, str, str]) -> None:
    f = find_field(case[0])
    system = prove(code_of(*case), contract_named(case[1], f.p, f.n)).system
    operands = (Input("x", tuple(range(f.n)), f.p - 1),)
    for run in (*samples(system, operands, 40), *UnlikelyRuns(system, operands).of({})):
        values = run.values if isinstance(run, Sample) else run
        beyond = [v for v, (low, high) in enumerate(system.ranges) if not low <= values[v] <= high]
        assert not beyond, [system.names[v] for v in beyond]


def test_more_or_fewer_squarings_are_refused() -> None:
    f = find_field(FIRST[0])
    for other in ("square", "square_times_2", "square_times_8"):
        with pytest.raises(ProofError, match=r"^function: "):
            prove(code_of(*FIRST), contract_named(other, f.p, f.n))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("target", ["x86_64-linux-llvm", "x86_64-linux-llvm-bmi2"])
def test_a_search_for_words_that_are_0_ends(target: str) -> None:
    """LLVM shifts where a limb of p is a power of two: residues of powers grow without end."""
    f = find_field(name := "2^222+28753")
    code = llvm_code_of(name, choose(f, "square_times_4").kernel, target)
    assert code is not None
    with pytest.raises(ProofError, match="half of a product is dropped"):
        prove(code, contract_named("square_times_4", f.p, f.n))


def test_what_a_value_says_of_its_limbs() -> None:
    system = System(8)
    low, high, other = (system.new(name, 255) for name in ("low", "high", "other"))
    top = system.new("high>>6", 3)
    system.top_bits[high, 6] = top
    system.hold((low, high), 0x4123, is_sum=True)
    assert [system.ranges[v][1] for v in (low, high, other, top)] == [255, 0x41, 255, 1]


def test_what_a_value_says_of_what_is_made_of_it() -> None:
    """A sum, a product and a difference of the value's limbs, and what is made of these."""
    system = System(8)
    low, high, other = (system.new(name, 255) for name in ("low", "high", "other"))
    total = system.define("add", {(low,): 1, (high,): 1}, 1, "add")
    product = system.define("mul", {(low, high): 1}, 1, "mul")
    difference = system.define("sub", {(high,): 1, (total[1],): -1}, -1, "sub")
    onward = system.define("add", {(total[0],): 1, (total[1],): 1}, 1, "add")
    beside = system.define("add", {(other,): 2}, 1, "add")
    system.hold((low, high), 0x7F, is_sum=True)
    made = (*total, *product, *difference, *onward, *beside)
    assert [system.ranges[v][1] for v in made] == [127, 0, 0, 0, 255, 0, 127, 0, 255, 1]


def _one_left_out(c: dict[str, Any]) -> None:
    del c["cut_points"][1]


def _none(c: dict[str, Any]) -> None:
    del c["cut_points"]


def _one_twice(c: dict[str, Any]) -> None:
    c["cut_points"].append(c["cut_points"][-1])


def _in_another_order(c: dict[str, Any]) -> None:
    c["cut_points"].reverse()


def _other_words(c: dict[str, Any]) -> None:
    c["cut_points"][0]["words"].reverse()


def _a_lower_bound(c: dict[str, Any]) -> None:
    c["cut_points"][0]["high"] = hex(int(c["cut_points"][0]["high"], 16) >> 1)


def _no_words(c: dict[str, Any]) -> None:
    c["cut_points"][0]["words"] = []


def _unknown_words(c: dict[str, Any]) -> None:
    c["cut_points"][0]["words"][0] = 10**6


def _a_case_left_out(c: dict[str, Any]) -> None:
    c["cut_points"][1]["cases"].pop()


def _no_cases(c: dict[str, Any]) -> None:
    c["cut_points"][0]["cases"] = []


def _the_claim_of_another(c: dict[str, Any]) -> None:
    c["cut_points"][0]["cases"] = c["cut_points"][2]["cases"]


def _fewer_squarings(c: dict[str, Any]) -> None:
    renamed(c, "square_times", squarings=2)


def _more_squarings(c: dict[str, Any]) -> None:
    renamed(c, "square_times", squarings=5)


def _one_squaring(c: dict[str, Any]) -> None:
    renamed(c, "square")


TAMPERS = (
    *(_one_left_out, _none, _one_twice, _in_another_order, _other_words, _a_lower_bound),
    *(_no_words, _unknown_words, _a_case_left_out, _no_cases),
    *(_the_claim_of_another, _fewer_squarings, _more_squarings, _one_squaring),
)


@pytest.mark.parametrize("tamper", TAMPERS)
def test_the_checker_rejects_changed_cut_points(
    checker: Path, tmp_path: Path, tamper: Tamper
) -> None:
    certificate = copy.deepcopy(certificate_of(*FIRST))
    tamper(certificate)
    status, said = replay(checker, tmp_path, certificate, object_of(*FIRST))
    assert status == 1 and said.startswith("FAILED "), said


def certified(certifier: Path, certificate: dict[str, Any]) -> str:
    """What the checker that is proved says of the first case's code and a certificate for it."""
    f, stated = find_field(FIRST[0]), certificate["contract"]
    code = function_of(object_of(*FIRST), certificate["symbol"])
    what = (stated["family"], stated["parameters"], f.p, f.n, certificate["stack"])
    try:
        claim = claim_for(code, *what, text(certificate).encode())
    except (BadCertificate, ProofError):
        return "refused"
    (said,) = answers(certifier, [claim])
    return said


@pytest.mark.parametrize("tamper", TAMPERS)
@pytest.mark.sweep(4)
def test_the_proved_checker_rejects_changed_cut_points(certifier: Path, tamper: Tamper) -> None:
    certificate = copy.deepcopy(certificate_of(*FIRST))
    assert certified(certifier, certificate) == "accepted"
    tamper(certificate)
    assert certified(certifier, certificate) == "refused"
