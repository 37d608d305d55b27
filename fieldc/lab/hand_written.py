"""Our AArch64 kernels beside blst's routines for ARMv8, both by the simulator, and the goals."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from fieldc.catalogue import find_field
from fieldc.counting.count import Count
from fieldc.counting.functions import count_in
from fieldc.counting.limits import lower_bounds
from fieldc.decisions.preferred import preferred
from fieldc.lab.published import arm_object, crate_folder
from fieldc.lab.trace import Request, count_of_call
from fieldc.machine.processors import find_processor
from fieldc.simulator.predict import predict
from fieldc.targets.registry import TARGETS

CHOSEN_FOR = "sapphire-rapids"
"""No AArch64 processor: kernels are those that a core gets which is not known."""
ARM = ("neoverse-n1", "neoverse-v1", "neoverse-v2", "apple-m1", "cortex-a55")
PACKAGE = "blst", "0.3.17"
P, R = "bls12-381-p", "bls12-381-r"


@dataclass(frozen=True)
class HandWritten:
    """A routine of blst that does what an operation of ours does, and what ours must reach."""

    field: str
    operation: str
    file: str
    symbol: str
    most: int = 0
    """Instructions of our kernel; 0 where no goal says."""
    fraction: float = 0
    """Of its cycles, on the cores of JUDGED."""

    @property
    def arguments(self) -> tuple[str, ...]:
        """Those of a call whose result lies over its first operand."""
        factors = {"square": ("x", "p", "n0"), "add": ("x", "y", "p"), "sub": ("x", "y", "p")}
        return "x", *factors.get(self.operation, ("x", "y", "p", "n0"))


ROUTINES = (
    HandWritten(P, "mul", "mul_mont_384", "mul_mont_384", 335, 0.88),
    HandWritten(P, "square", "mul_mont_384", "sqr_mont_384", 275, 0.80),
    HandWritten(P, "fp2_mul", "mul_mont_384", "mul_mont_384x", 0, 0.80),
    HandWritten(P, "add", "add_mod_384", "add_mod_384", 40, 1.0),
    HandWritten(P, "sub", "add_mod_384", "sub_mod_384", 36, 1.0),
    HandWritten(R, "mul", "mul_mont_256", "mul_mont_sparse_256", 160, 0.90),
    HandWritten(R, "square", "mul_mont_256", "sqr_mont_sparse_256", 132, 0.85),
    HandWritten(R, "add", "add_mod_256", "add_mod_256"),
    HandWritten(R, "sub", "add_mod_256", "sub_mod_256"),
)
JUDGED = ("neoverse-n1", "neoverse-v2", "apple-m1")
"""The cores that the goals name."""


@cache
def arm_kernel(text: str, operation: str, chosen_for: str = CHOSEN_FOR) -> Count:
    """The AArch64 kernel of an operation, as `fieldc build --processor` makes it."""
    target = TARGETS["aarch64-linux"]
    choice = preferred(find_field(text), operation, target, chosen_for).preferred
    artifact = target.make(target, choice)
    return count_in(artifact.code or b"", artifact.symbol)


@cache
def routine(of: HandWritten) -> Count:
    """What a call of blst's routine executes. Raises NoPublishedCode."""
    path = crate_folder(*PACKAGE) / f"blst/build/elf/{of.file}-armv8.S"
    request = Request(of.arguments, field=find_field(of.field))
    return count_of_call(arm_object(path), of.symbol, request)


def ratio_cells(of: HandWritten) -> tuple[object, ...]:
    """A row: on each core our cycles as fractions of blst's, of independent and dependent calls."""
    ours, theirs = arm_kernel(of.field, of.operation), routine(of)
    cells: list[object] = [of.field, of.operation, f"{ours.instructions}, {theirs.instructions}"]
    for key in ARM:
        a, b = (predict(count, find_processor(key)) for count in (ours, theirs))
        if a and b:
            fractions = a.throughput / b.throughput, a.latency / b.latency
            cells.append(" \\| ".join(f"{fraction:.2f}" for fraction in fractions))
    return tuple(cells)


def goal_rows() -> Iterator[tuple[object, ...]]:
    """Each goal: what is asked, and on each core the bound, the prediction and the verdict."""
    for of in ROUTINES:
        if of.fraction:
            yield goal_cells(of)


def _sizes(of: HandWritten) -> str:
    """The instructions of the kernel for cores that are not known, and of those for each core."""
    default = arm_kernel(of.field, of.operation).instructions
    size = [arm_kernel(of.field, of.operation, key).instructions for key in JUDGED]
    asked = f"{default} of {of.most}" if of.most else f"{default}"
    over = " **short**" if of.most and default > of.most else ""
    each = f"{min(size)} to {max(size)}" if len(set(size)) > 1 else f"{size[0]}"
    return f"{asked}{over}; by core {each}"


def goal_cells(of: HandWritten) -> tuple[object, ...]:
    """The row of a goal; cycles are of kernels chosen for each core."""
    cells: list[object] = [of.field, of.operation, _sizes(of), f"{of.fraction:.2f}"]
    for key in JUDGED:
        ours, processor = arm_kernel(of.field, of.operation, key), find_processor(key)
        a, b = (predict(count, processor) for count in (ours, routine(of)))
        if a and b:
            least = lower_bounds(ours, processor).binding[1] / b.throughput
            reached = round(a.throughput / b.throughput, 2)
            short = f"short by {100 * (reached / of.fraction - 1):.0f} %"
            verdict = "PASS" if reached <= of.fraction else short
            cells.append(f"{least:.2f}: {reached:.2f} {verdict}")
    return tuple(cells)
