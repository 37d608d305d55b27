"""Whether the simulator ranks pairs of published AArch64 routines as they were measured.

python -m fieldc.lab.facts

The pairs and their sources are in facts.toml.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import PurePosixPath
from typing import Any

from fieldc.lab.published import arm_object, crate_folder
from fieldc.lab.trace import Request, count_of_call
from fieldc.machine.processors import find_processor
from fieldc.program import module
from fieldc.simulator.predict import predict

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

COLUMNS = ("core", "routines", "measured, ns", "predicted, ns", "measured", "predicted", "")


@dataclass(frozen=True)
class PublishedFact:
    """Two routines that do the same, the faster one first; the fields are those of facts.toml."""

    name: str
    core: str
    routines: tuple[str, str]
    arguments: tuple[str, ...]
    source: str
    nanoseconds: tuple[float, ...] = ()
    gigahertz: float = 0
    held_back: bool = False


@dataclass(frozen=True)
class JudgedFact:
    """A pair with the cycles that are predicted for both."""

    fact: PublishedFact
    cycles: tuple[float, float]

    @property
    def agrees(self) -> bool:
        """Whether the prediction ranks the routines as they were measured."""
        return self.cycles[0] < self.cycles[1]

    @property
    def predicted(self) -> float:
        """The time of the faster routine as a fraction of the other's."""
        return self.cycles[0] / self.cycles[1]

    @property
    def errors(self) -> tuple[float, ...]:
        """How far off each routine's prediction is, where it was measured."""
        hertz = self.fact.gigahertz
        pairs = zip(self.cycles, self.fact.nanoseconds, strict=False)
        return tuple(cycles / (hertz * time) - 1 for cycles, time in pairs)

    def cells(self) -> tuple[object, ...]:
        """The row of the page."""
        fact, hertz = self.fact, self.fact.gigahertz
        times = measured = expected = "-"
        if fact.nanoseconds:
            times = " \\| ".join(f"{time:.1f}" for time in fact.nanoseconds)
            expected = " \\| ".join(f"{cycles / hertz:.1f}" for cycles in self.cycles)
            measured = f"{fact.nanoseconds[0] / fact.nanoseconds[1]:.2f}"
        said = "held back" if fact.held_back else ""
        verdict = ", ".join(filter(None, (said, "" if self.agrees else "WRONG ORDER")))
        name = f"[{fact.name}]({fact.source})"
        return fact.core, name, times, expected, measured, f"{self.predicted:.2f}", verdict


@cache
def _data() -> Mapping[str, Any]:
    text = resources.files("fieldc.lab").joinpath("facts.toml").read_text("utf-8")
    return tomllib.loads(text)


def facts() -> Iterator[PublishedFact]:
    """Every pair of facts.toml."""
    for row in _data()["fact"]:
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
        yield PublishedFact(**values)


def judged(fact: PublishedFact) -> JudgedFact:
    """A pair, predicted. Raises NoPublishedCode."""
    faster, slower = (_cycles(fact, routine) for routine in fact.routines)
    return JudgedFact(fact, (faster, slower))


def _cycles(fact: PublishedFact, routine: str) -> float:
    root = crate_folder(*_data()["package"]) / _data()["folder"]
    code = arm_object(root / "arm" / f"{routine}.S", root / "include")
    count = count_of_call(code, PurePosixPath(routine).name, Request(fact.arguments))
    found = predict(count, find_processor(fact.core))
    if found is None:
        raise ValueError(f"{fact.core} is not simulated")
    return found.throughput


def summary(found: Sequence[JudgedFact]) -> str:
    """How many pairs are ranked as measured, and how far off the predictions are, in words."""
    right = sum(one.agrees for one in found)
    held = [one for one in found if one.fact.held_back]
    errors = [100 * error for one in found for error in one.errors]
    return (
        f"Ranked as measured: {right} of {len(found)} pairs, and {sum(one.agrees for one in held)} "
        f"of the {len(held)} that were held back. The predictions are off by {min(errors):+.0f} % "
        f"to {max(errors):+.0f} %, {sum(errors) / len(errors):+.1f} % on average.\n"
    )


def main() -> None:
    """Print a line for each pair, then the summary."""
    found = []
    for fact in facts():
        found.append(judged(fact))
        print(" | ".join(str(cell).replace("\\|", "/") for cell in found[-1].cells()), flush=True)
    print(summary(found), end="")


if __name__ == "__main__":
    sys.exit(module("fieldc.lab.facts", main, __doc__))
