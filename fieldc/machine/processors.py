"""The processors of processors.toml, with the limits on the speed of code on each."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from typing import Any

from fieldc.errors import UserError, enumerated, nearest, quote
from fieldc.machine.processor import arm_part, cpuid, features

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


class UnknownProcessor(UserError, LookupError):
    """No processor has that name; the message is one line."""


@dataclass(frozen=True)
class InstructionCost:
    """What one kind of instruction takes: slots, ports of each micro-operation, latencies."""

    slots: int = 1
    ports: tuple[str, ...] = ()
    latency: int = 0
    high: int = 0
    """The latency of a product's high half."""


@dataclass(frozen=True)
class Processor:
    """One processor; the fields are explained in processors.toml."""

    key: str
    name: str
    architecture: str
    cpuid: tuple[str, ...]
    telling: tuple[str, ...]
    measured: tuple[str, ...]
    slots: int
    fuses: bool
    read_modify_write: int
    load: str
    store_address: str
    store_data: str
    load_latency: int
    forward_latency: int
    units: Mapping[str, str]
    timings: Mapping[str, InstructionCost]
    factors: Mapping[str, float] = field(default_factory=dict)
    close: float = 1.0
    parts: tuple[str, ...] = ()

    def timing(self, name: str) -> InstructionCost | None:
        """Return the row of an instruction's kind, or None; `add shifted` has that of `add`
        where it has none of its own."""
        return self.timings.get(name) or self.timings.get(name.partition(" ")[0])


@cache
def processors() -> Mapping[str, Processor]:
    """Every processor, by its key."""
    text = resources.files("fieldc.machine").joinpath("processors.toml").read_text("utf-8")
    rows: dict[str, dict[str, Any]] = tomllib.loads(text)
    return {key: _processor(key, _whole(rows, key)) for key in rows}


def processors_of(architecture: str) -> list[Processor]:
    """The processors that run an architecture, `x86_64` or `aarch64`."""
    return [p for p in processors().values() if p.architecture == architecture]


def find_processor(key: str) -> Processor:
    """A processor by its key. Raises UnknownProcessor."""
    known = processors()
    if key in known:
        return known[key]
    near = nearest(key, known)
    hint = f"the nearest: {', '.join(near)}" if near else f"use {enumerated(known)}"
    raise UnknownProcessor(f"no processor {quote(key)}; {hint}")


def host_processor() -> Processor | None:
    """Return the processor of this host, or None if what it says of itself names none of them.

    A hypervisor may show an older model; it cannot hide the instructions that a guest may use.
    """
    telling = (p for p in processors().values() if p.telling and features() >= set(p.telling))
    if part := arm_part():
        return processor_of_part(part)
    signature = cpuid(1)[0]
    return next(telling, processor_of_signature(signature) if signature else None)


def processor_of_part(part: str) -> Processor | None:
    """The AArch64 processor that a system names, in the words of `arm_part`."""
    return next((p for p in processors().values() if p.parts and part.startswith(p.parts)), None)


def processor_of_signature(signature: int) -> Processor | None:
    """The processor that CPUID names, by EAX of its leaf 1."""
    family, model = signature >> 8 & 15, signature >> 4 & 15
    if family in (6, 15):
        model += (signature >> 16 & 15) << 4
    if family == 15:
        family += signature >> 20 & 255
    text = f"{family:x}-{model:02x}"
    return next((p for p in processors().values() if text.startswith(p.cpuid)), None)


def _whole(rows: dict[str, dict[str, Any]], key: str) -> dict[str, Any]:
    """Return a row completed from the row that it is `like`."""
    row = rows[key]
    if "like" not in row:
        return row
    base = _whole(rows, row["like"])
    timings = {**base["timings"], **row.get("timings", {})}
    return {**base, **row, "timings": timings}


def _processor(key: str, row: dict[str, Any]) -> Processor:
    values = {name: value for name, value in row.items() if name != "like"}
    values["timings"] = {name: _timing(each) for name, each in row["timings"].items()}
    values |= {name: tuple(row.get(name, ())) for name in ("measured", "cpuid", "telling", "parts")}
    return Processor(key=key, **values)


def _timing(row: dict[str, Any]) -> InstructionCost:
    latency = row["latency"]
    slots, high = row.get("slots", 1), row.get("high", latency)
    return InstructionCost(slots, tuple(row["ports"]), latency, high)
