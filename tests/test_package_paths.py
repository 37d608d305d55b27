"""Packages have for each path the kernels of a processor that runs it, whatever the host is."""

from __future__ import annotations

from functools import partial

import pytest

from fieldc.catalogue import find_field
from fieldc.decisions import preferred as decisions
from fieldc.decisions.decision import Decision
from fieldc.decisions.preferred import preferred
from fieldc.machine.processors import find_processor
from fieldc.packages.paths import by_path
from fieldc.targets.registry import TARGETS

FIELD = find_field("bls12-381-p")


def decided(target: str, processor: str | None = None) -> Decision:
    one = TARGETS[target]
    return by_path(one, partial(preferred, FIELD, "mul", one), processor)


def reasons(decision: Decision) -> dict[str, str]:
    """What chose the kernel of each variant."""
    return {choice.variant.name: choice.chosen_by for choice in decision.choices()}


def test_each_path_has_kernels_of_a_processor_that_runs_it() -> None:
    found = reasons(decided("x86_64-linux"))
    assert found["mulx"].startswith("the schedule of sapphire-rapids")
    assert found["adx"].startswith("the schedule of zen-4")
    assert found["base"].startswith("the model of sapphire-rapids")


@pytest.mark.parametrize("target", ["x86_64-linux", "x86_64-windows", "c"])
def test_the_host_does_not_decide(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found = reasons(decided(target))
    for host in (None, find_processor("zen-5"), find_processor("cascade-lake")):
        monkeypatch.setattr(decisions, "host_processor", lambda host=host: host)
        assert reasons(decided(target)) == found


def test_a_processor_that_is_named_decides_for_every_path() -> None:
    found = reasons(decided("x86_64-linux", "zen-5"))
    assert all("zen-5" in reason for reason in found.values())
