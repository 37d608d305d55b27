"""The cores of cores.toml: what a simulation needs beside the limits in processors.toml."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources

from fieldc.machine.processors import Processor

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True)
class Core:
    """One core; the fields are explained in cores.toml."""

    window: int
    retire: int
    load: int
    forward: int
    renamed: int = -1
    """-1 where a load that only moves a value waits as every other."""
    scheduler: int = 0
    """0 for one that is never full before the window is."""
    shared: bool = False
    pairs: bool = False
    in_order: bool = False


@cache
def cores() -> Mapping[str, Core]:
    """Every core, by the key of its processor."""
    text = resources.files("fieldc.simulator").joinpath("cores.toml").read_text("utf-8")
    return {key: Core(**row) for key, row in tomllib.loads(text).items()}


def core_of(processor: Processor) -> Core | None:
    """The core of a processor, or None if it is not simulated."""
    return cores().get(processor.key)
