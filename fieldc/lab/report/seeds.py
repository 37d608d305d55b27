"""The published tables that the study repeats, each beside our own rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.lab.findings import StudyRow, chosen

Cells = tuple[str, ...]
Backend = str | tuple[str, ...]
"""One flavour, or some of which the fastest is taken."""


@dataclass(frozen=True)
class PublishedTable:
    """A published table, and what our rows have at its places."""

    title: str
    source: str
    columns: Cells
    lines: Sequence[Cells]


OWN = ("x86-base", "x86-mulx", "x86-adx")
"""Our own flavours: the best of them stands beside what others wrote by hand."""
MONT2: tuple[tuple[str, str, str, Backend], ...] = (
    ("addition", "3.687", "add", "rust-flat"),
    ("subtraction", "3.124", "sub", "rust-flat"),
    ("multiplication, big integers", "517.7", "mul", "python"),
    ("multiplication, looped Rust", "46.05", "mul", "rust-looped"),
    ("multiplication, flat Rust", "34.74", "mul", "rust-flat"),
    ("multiplication, Rust with intrinsics", "31.50", "mul", "rust-intrinsics"),
    ("multiplication, assembly", "29.58", "mul", OWN),
)
"""Name, nanoseconds on a Core i7-7700K, our operation and flavour."""
TALK: tuple[tuple[str, str, Backend], ...] = (
    ("LLVM", "42.86", "llvm"),
    ("LLVM with mulx", "35.52", "llvm-bmi2"),
    ("by hand (mcl)", "28.93", OWN),
)
"""Name, nanoseconds on a Xeon Platinum 8280 without turbo, our flavour."""
THEORY = (
    ("log-jump, the product first", "33", "326", "82", "log-jump-serial"),
    ("log-jump, row by row", "-", "-", "-", "log-jump"),
    ("CIOS", "36", "280", "36", "cios"),
)
"""Name, multiplications, instructions and memory accesses of the Rust compiler's code."""


def comparisons(rows: Sequence[StudyRow]) -> list[PublishedTable]:
    """Every published table."""
    p = chosen(rows, field="bls12-381-p")
    return [
        PublishedTable(
            "BLS12-381, Montgomery arithmetic in Rust and assembly",
            "E. Schorn, Optimizing Pairing-Based Cryptography: Montgomery Multiplication in "
            "Assembly (2021); Core i7-7700K, Rust 1.53, ns",
            ("row", "published, ns", "ours, ns", "our flavour and algorithm"),
            [
                (name, figure, *_time(chosen(p, op=op, backend=backend), op))
                for name, figure, op, backend in MONT2
            ],
        ),
        PublishedTable(
            "BLS12-381, code that a small language made through LLVM",
            "S. Mitsunari, Low-Level Implementation of Finite Field Operations using LLVM/Asm "
            "(2023); Xeon Platinum 8280 without turbo, ns",
            ("row", "published, ns", "ours, ns", "our flavour and algorithm"),
            [
                (name, figure, *_time(chosen(p, op="mul", backend=backend), "mul"))
                for name, figure, backend in TALK
            ],
        ),
        PublishedTable(
            "BN254, fewer multiplications and more time",
            "A. Biswas, Montgomery Multiplication: Theory Vs Practice (2025); the instructions "
            "that one call of rustc's code executes; ours: rust-flat",
            ("algorithm", *_beside("multiplications", "instructions", "memory accesses"), "ns"),
            [_theory(rows, line) for line in THEORY],
        ),
    ]


def _beside(*names: str) -> Cells:
    return tuple(f"{name}, {whose}" for name in names for whose in ("published", "ours"))


def _time(found: Sequence[StudyRow], op: str) -> Cells:
    """The fastest of some rows: the smaller of throughput and latency is not mixed."""
    if not found:
        return "not run", "-"
    best = min(found, key=lambda row: float(row["throughput_ns"]))
    pair = f"{best['throughput_ns']:.2f} | {best['latency_ns']:.2f}"
    algorithm = "" if best["algorithm"] == op else f", {best['algorithm']}"
    return pair, f"{best['backend']}{algorithm}"


def _theory(rows: Sequence[StudyRow], line: Cells) -> Cells:
    name, *published, algorithm = line
    found = chosen(rows, field="bn254-p", op="mul", algorithm=algorithm, backend="rust-flat")
    if not found:
        return (name, *(cell for figure in published for cell in (figure, "not run")), "-")
    counts = found[0]["counts"]
    read: list[Callable[[], object]] = [
        lambda: counts["multiplications"],
        lambda: counts["instructions"],
        lambda: sum(counts["memory"].values()),
    ]
    ours = [str(value()) for value in read]
    cells = (cell for pair in zip(published, ours, strict=True) for cell in pair)
    return (name, *cells, f"{found[0]['throughput_ns']:.2f} | {found[0]['latency_ns']:.2f}")
