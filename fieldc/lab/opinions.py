"""The table of second opinions in docs/predictions.md, by the tools that are installed.

python -m fieldc.lab.opinions
"""

from __future__ import annotations

import sys
from collections.abc import Iterator

from fieldc.lab.hand_written import ARM, arm_kernel
from fieldc.machine.processors import find_processor
from fieldc.program import module
from fieldc.simulator.opinions import opinions
from fieldc.simulator.predict import predict

KERNELS = (("bls12-381-p", "mul"), ("bn254-p", "square"))


def rows() -> Iterator[tuple[object, ...]]:
    """Each kernel on each core: our prediction, then what each tool says."""
    for field, operation in KERNELS:
        for key in ARM:
            count, processor = arm_kernel(field, operation), find_processor(key)
            ours = predict(count, processor)
            if ours is None:
                continue
            said = (
                f"{each.tool}: "
                + ("" if each.cycles is None else f"{each.cycles:.1f}, ")
                + each.verdict(ours.throughput)
                for each in opinions(count, processor)
            )
            yield field, operation, key, f"{ours.throughput:.1f}", *said


def main() -> None:
    """Print the table."""
    for row in rows():
        print(f"| {' | '.join(map(str, row))} |")


if __name__ == "__main__":
    sys.exit(module("fieldc.lab.opinions", main, __doc__))
