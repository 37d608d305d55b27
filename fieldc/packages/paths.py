"""Which kernels a package has: for each path those of a processor that runs it, not the host's."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from fieldc.decisions.decision import Decision
from fieldc.decisions.representation import OF_PACKAGES
from fieldc.targets.target import Target

RUNS_ON = {"adx": "zen-4"}
"""The processor that decides for a variant, by its key; for the others it is OF_PACKAGES."""
ARCHITECTURE = "x86_64"
"""Where a package has several paths, of which a program takes one when it runs."""


def by_path(
    target: Target, decide: Callable[[str | None], Decision], processor: str | None = None
) -> Decision:
    """What `decide` says for the processor of each path, or for one that is named.

    Raises what it raises.
    """
    if processor is not None or target.architecture != ARCHITECTURE or target.judge is None:
        return decide(processor)
    made = {key: decide(key) for key in (OF_PACKAGES, *RUNS_ON.values())}
    found = made[OF_PACKAGES]
    names = dict.fromkeys(candidate.choice.variant.name for candidate in found.candidates)
    candidates = tuple(
        candidate
        for name in names
        for candidate in made[RUNS_ON.get(name, OF_PACKAGES)].candidates
        if candidate.choice.variant.name == name
    )
    return replace(found, candidates=candidates)
