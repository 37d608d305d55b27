"""Rows as a race leaves them, with figures that nobody measured."""

from __future__ import annotations

CALIBRATION = {
    "processor": "none",
    "ticks_per_cycle": 0.67,
    "tsc_ghz": 2.0,
    "core_ghz": 3.0,
    "canary": 16.5,
    "disturbed": False,
    "rounds": 60,
    "seed": 1,
    "operands": "moving",
}


def row(op: str, cycles: float, **who: object) -> dict[str, object]:
    """A row of the prime of BN254 whose latency is 20 % above its throughput."""
    middle = {"throughput": cycles, "latency": 1.2 * cycles}
    spread = {
        f"{mode}_spread": {"median": x, "low": 0.9 * x, "high": 1.3 * x}
        for mode, x in middle.items()
    }
    figures = {f"{mode}_cycles": x for mode, x in middle.items()}
    nanoseconds = {f"{mode}_ns": x / 3 for mode, x in middle.items()}
    common = {"field": "bn254-p", "op": op, "limbs": 4, "calibration": CALIBRATION}
    common["operands"] = "moving"
    return {**common, **figures, **nanoseconds, **spread, **who}


def peer(op: str, name: str, cycles: float, *kind: str) -> dict[str, object]:
    """A row as crates/race prints it, where ours needs 50 cycles."""
    ratio = {"throughput": 50 / cycles, "latency": 50 / cycles}
    return row(
        op,
        cycles,
        peer=name,
        version="1.2",
        algorithm="assembly",
        kind=list(kind or ("called", "canonical")),
        times_as_fast_as={"fieldc": ratio},
    )
