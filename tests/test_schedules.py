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
from fieldc.machine.processors import processors
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.print import GNU

FOLDER = Path(decisions.__file__).parent / "schedules"
FILES = {
    (name, processor): FOLDER / file_name(find_field(name), processor)
    for name in named_primes()
    for processor in processors()
}
SHIPPED = [key for key, path in FILES.items() if path.is_file()]
PROVED_ALWAYS = ("bn254-p", "secp256k1-n", "bls12-381-p")
SEARCHED = {"sapphire-rapids", "zen-3", "zen-4", "zen-5"}


def test_every_file_is_of_a_named_field_and_a_known_processor() -> None:
    assert {path.name for path in FOLDER.glob("*.json")} == {FILES[key].name for key in SHIPPED}
    assert {processor for _, processor in SHIPPED} == SEARCHED


@pytest.mark.parametrize(("name", "processor"), SHIPPED)
def test_decisions_still_make_the_code_that_was_measured(name: str, processor: str) -> None:
    """Another code is refused by its digest: then tune again, as docs/tuning.md says."""
    f = find_field(name)
    for entry in shipped(f, processor).entries:
        assert entry.measured["operands"] == "moving"
        entry.compile(choose(f, entry.operation, entry.decisions.algorithm), SYMBOL)
        assert not entry.measured["disturbed"] and entry.measured["duel_ratio"] < 1


@pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")
@pytest.mark.parametrize(
    ("name", "processor"),
    [pytest.param(*k, marks=[pytest.mark.full] * (k[0] not in PROVED_ALWAYS)) for k in SHIPPED],
)
def test_their_kernels_are_proved(name: str, processor: str) -> None:
    f = find_field(name)
    for entry in shipped(f, processor).entries:
        expression = choose(f, entry.operation, entry.decisions.algorithm)
        made = assemble(entry.compile(expression, SYMBOL).text(GNU))
        function = function_of(made, SYMBOL)
        contract = contract_named(entry.operation, f.p, f.n)
        prove(function.code, contract, start=function.start)
