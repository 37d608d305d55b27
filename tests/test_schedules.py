"""The schedules that come with the package: current, and their kernels proved."""

from __future__ import annotations

from pathlib import Path

import pytest
from contracts import contract_named

from fieldc import decisions
from fieldc.algorithms import choose
from fieldc.artifacts.host import SYMBOL
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field, named_primes
from fieldc.decisions.schedule import file_name, shipped
from fieldc.machine.assemble import assemble, host_triple
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.print import GNU

PROCESSOR = "sapphire-rapids"
FOLDER = Path(decisions.__file__).parent / "schedules"
NONE = ("secp256k1-p",)
"""Searched before near-radix was offered, which is faster than what the search found for cios."""
FIELDS = [n for n in named_primes() if find_field(n).n in (4, 6, 8, 12) and n not in NONE]
PROVED_ALWAYS = ("bn254-p", "secp256k1-n", "bls12-381-p")


def test_every_file_is_of_a_named_field() -> None:
    names = {file_name(find_field(name), PROCESSOR) for name in FIELDS}
    assert {path.name for path in FOLDER.glob("*.json")} == names


@pytest.mark.parametrize("name", FIELDS)
def test_decisions_still_make_the_code_that_was_measured(name: str) -> None:
    """Another code is refused by its digest: then tune again, as docs/tuning.md says."""
    f = find_field(name)
    for entry in shipped(f, PROCESSOR).entries:
        entry.compile(choose(f, entry.operation, entry.decisions.algorithm), SYMBOL)
        assert not entry.measured["disturbed"] and entry.measured["duel_ratio"] < 1


@pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")
@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.full] * (name not in PROVED_ALWAYS)) for name in FIELDS],
)
def test_their_kernels_are_proved(name: str) -> None:
    f = find_field(name)
    for entry in shipped(f, PROCESSOR).entries:
        expression = choose(f, entry.operation, entry.decisions.algorithm)
        made = assemble(entry.compile(expression, SYMBOL).text(GNU))
        function = function_of(made, SYMBOL)
        contract = contract_named(entry.operation, f.p, f.n)
        prove(function.code, contract, start=function.start)
