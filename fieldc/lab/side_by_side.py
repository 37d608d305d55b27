"""Products in vectors beside one in integer registers, by the simulator.

python -m fieldc.lab.side_by_side

Two streams are made here, each of two independent Montgomery products modulo a prime of 254 bits,
one in each 64-bit lane of a vector. They have no loads, and are simulated alone and merged with our
scalar kernel. They are streams of a model, no code that runs:

- integers: 9 digits of 29 bits; a row is nine products of 32 bits added to 64-bit columns, then a
  quotient and nine more. `DigitProduct` runs the same steps on numbers.
- floats: 5 digits of 52 bits; each product is two fused ones, for its high and its low half, a
  difference between them, and two integer sums (N. Emmart, "Faster Modular Exponentiation using
  Double Precision Floating Point Arithmetic on the GPU", 2018).

Values stay in digits. Conversion from limbs and the last subtraction are left out of both.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from fieldc.counting.instructions import OTHER, DecodedInstruction
from fieldc.lab.hand_written import arm_kernel
from fieldc.machine.processors import Processor, find_processor
from fieldc.program import module
from fieldc.simulator.cores import core_of
from fieldc.simulator.run import CostedInstruction, Simulation, steps_of
from fieldc.simulator.window import steady_cycles

CORES = ("cortex-a76", "neoverse-v1", "neoverse-v2", "apple-m1")
FIELD = "bn254-p"
DIGITS, BITS = 9, 29
FLOAT_DIGITS = 5
BLOCK_SIZES = (
    *((1, ""), (0, "integers"), (0, "floats")),
    *((1, "integers"), (2, "integers"), (3, "integers"), (1, "floats")),
)
"""Blocks of independent products: scalar ones, and the kind of the two in vectors, if any."""


@dataclass
class DigitProduct:
    """x*y/2^(29*9) mod p on digits of 29 bits, in columns of 64 bits: the steps of `integers`."""

    p: int

    def __call__(self, x: int, y: int) -> int:
        """A result below 2p. Raises OverflowError if a column does not fit 64 bits."""
        mask = (1 << BITS) - 1
        n0 = -pow(self.p, -1, 1 << BITS) & mask
        (xs, ys, ps) = ([v >> BITS * i & mask for i in range(DIGITS)] for v in (x, y, self.p))
        columns = [0] * (DIGITS + 1)
        for y_i in ys:
            for j in range(DIGITS):
                columns[j] += xs[j] * y_i
            q = columns[0] * n0 & mask
            for j in range(DIGITS):
                columns[j] += q * ps[j]
            columns[1] += columns[0] >> BITS
            if max(columns) >> 64:
                raise OverflowError("a column has more than 64 bits")
            columns = [*columns[1:], 0]
        return sum(column << BITS * j for j, column in enumerate(columns))


@dataclass
class Stream:
    """Instructions on vectors with the registers that they read and write, any number of them."""

    code: list[DecodedInstruction] = field(default_factory=list)

    def emit(self, timing: str, writes: str, *reads: str) -> str:
        """One more instruction; what it writes."""
        row = f"vector {timing}".strip()
        self.code.append(
            DecodedInstruction(
                *(4 * len(self.code), 4, row, writes, OTHER, row),
                *(frozenset(reads), frozenset((writes,))),
            )
        )
        return writes


def integers() -> list[DecodedInstruction]:
    """Two products on digits of 29 bits."""
    s = Stream()
    columns = [f"v.c{j}" for j in range(DIGITS)]
    for i in range(DIGITS):
        if i:
            columns = [*columns[1:], f"v.c{DIGITS - 1 + i}"]
        for j, column in enumerate(columns):
            begun = (column,) if i and j < DIGITS - 1 else ()
            s.emit("long product", column, f"v.x{j}", f"v.y{i}", *begun)
        low = s.emit("", f"v.low{i}", columns[0])
        quotient = s.emit("product", f"v.q{i}", low, "v.n0")
        masked = s.emit("", f"v.m{i}", quotient, "v.mask")
        for j, column in enumerate(columns):
            s.emit("long product", column, column, masked, f"v.p{j}")
        s.emit("shift and add", columns[1], columns[1], columns[0])
    for j in range(1, DIGITS - 1):
        s.emit("shift and add", columns[j + 1], columns[j + 1], columns[j])
        s.emit("", f"v.z{j}", columns[j], "v.mask")
    return s.code


def floats() -> list[DecodedInstruction]:
    """Two products on digits of 52 bits in floating point."""
    s = Stream()
    columns = [f"v.c{j}" for j in range(2 * FLOAT_DIGITS + 1)]

    def add_product(at: int, a: str, b: str, name: str) -> None:
        high = s.emit("float product", f"v.h{name}", a, b, "v.c1")
        rest = s.emit("", f"v.r{name}", high, "v.c2")
        low = s.emit("float product", f"v.l{name}", a, b, rest)
        s.emit("", columns[at + 1], columns[at + 1], high)
        s.emit("", columns[at], columns[at], low)

    for i in range(FLOAT_DIGITS):
        for j in range(FLOAT_DIGITS):
            add_product(i + j, f"v.x{j}", f"v.y{i}", f"{i}x{j}")
        digit = _as_float(s, columns[i], f"d{i}")
        high = s.emit("float product", f"v.qh{i}", digit, "v.n0", "v.c1")
        rest = s.emit("", f"v.qr{i}", high, "v.c2")
        low = s.emit("float product", f"v.ql{i}", digit, "v.n0", rest)
        quotient = _as_float(s, low, f"q{i}")
        for j in range(FLOAT_DIGITS):
            add_product(i + j, quotient, f"v.p{j}", f"{i}p{j}")
        s.emit("shift and add", columns[i + 1], columns[i + 1], columns[i])
    for j in range(FLOAT_DIGITS, 2 * FLOAT_DIGITS - 1):
        s.emit("shift and add", columns[j + 1], columns[j + 1], columns[j])
        _as_float(s, columns[j], f"z{j}")
    return s.code


def _as_float(s: Stream, column: str, name: str) -> str:
    """The low 52 bits of a column as a float: mask, set the exponent, subtract it."""
    masked = s.emit("", f"v.a{name}", column, "v.mask")
    joined = s.emit("", f"v.b{name}", masked, "v.exponent")
    return s.emit("", f"v.f{name}", joined, "v.one")


STREAMS: dict[str, Callable[[], list[DecodedInstruction]]] = {
    "": list,
    "integers": integers,
    "floats": floats,
}
COLUMNS = ("core", "block", "cycles", "a product", "block / scalar", "product / scalar")


def merged(streams: Sequence[Sequence[CostedInstruction]]) -> Iterator[CostedInstruction]:
    """All instructions, each stream spread evenly over the block."""
    placed = [
        ((number + 0.5) / len(stream), which, step)
        for which, stream in enumerate(streams)
        for number, step in enumerate(stream)
    ]
    return (step for _, _, step in sorted(placed, key=lambda one: one[:2]))


def block_cycles(processor: Processor, scalar: int, vectors: str) -> float:
    """Cycles of a block: so many scalar products, and two of a kind in vectors."""
    core = core_of(processor)
    if core is None:
        raise ValueError(f"{processor.key} is not simulated")
    kernel = arm_kernel(FIELD, "mul")
    own = steps_of(kernel.code, kernel.touches, processor)
    made = STREAMS[vectors]()
    beside = steps_of(made, [()] * len(made), processor)
    shares = [len(beside) * number // max(scalar, 1) for number in range(max(scalar, 1) + 1)]
    parts = [beside[first:last] for first, last in pairwise(shares)]
    streams = [[own, part] if scalar else [part] for part in parts]
    steps = [step for each in streams for step in merged(each)]  # each product beside its share
    run = Simulation(core, processor)

    def block() -> int:
        run.registers.clear()
        return run.call(steps, all_ready=False)

    return steady_cycles(block, len(steps)).cycles


def rows() -> Iterator[tuple[object, ...]]:
    """For each core and block: cycles, those of a product, and both against a scalar product."""
    for key in CORES:
        processor = find_processor(key)
        alone = block_cycles(processor, 1, "")
        for scalar, vectors in BLOCK_SIZES:
            cycles, products = block_cycles(processor, scalar, vectors), scalar + 2 * bool(vectors)
            each = cycles / products
            named = [f"{scalar} scalar"] if scalar else []
            named += [f"2 in {vectors}"] if vectors else []
            yield (
                *(key, ", ".join(named), f"{cycles:.0f}", f"{each:.1f}"),
                *(f"{cycles / alone:.2f}", f"{each / alone:.2f}"),
            )


def main() -> None:
    """Print the table."""
    for row in rows():
        print(f"| {' | '.join(map(str, row))} |", flush=True)


if __name__ == "__main__":
    sys.exit(module("fieldc.lab.side_by_side", main, __doc__))
