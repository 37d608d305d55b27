"""The matrix of a batch of divsteps: the text on integers, the kernel's runs, and its proof."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Iterator

from test_divsteps import STEPS, batch
from test_studied import ON_X86_64

from fieldc.algorithms.divstep_matrix import Integers, divstep_matrix
from fieldc.machine.assemble import assemble
from fieldc.machine.load import load
from fieldc.targets.x86_64.divsteps import compile_divsteps
from fieldc.targets.x86_64.print import GNU

States = Iterator[tuple[int, int, int]]


def states(count: int) -> States:
    """zeta, f and g: corners, then any, small and large."""
    draw = random.Random(17)
    for zeta in (-1, 0, -2, 5, -STEPS, (1 << 62) - 1, 1 - (1 << 62)):
        for f in (1, 3, (1 << 63) - 1, (1 << 63) + 1, (1 << 64) - 1):
            yield from ((zeta, f, g) for g in (0, 1, 1 << 63, (1 << 64) - 1, 1 << 58))
    for _ in range(count):
        zeta = draw.choice((draw.randrange(-9, 9), draw.randrange(-(1 << 62) + 1, 1 << 62)))
        yield zeta, draw.getrandbits(64) | 1, draw.getrandbits(64)


def meant(zeta: int, f: int, g: int) -> tuple[int, ...]:
    """What another writing of divsteps says; delta counts in halves there."""
    delta, first, second = batch(-2 * zeta - 1, f, g)
    return -(delta + 1) // 2, *first, *second


def test_the_text_is_the_divsteps() -> None:
    for state in states(300):
        assert divstep_matrix(Integers(), *state) == meant(*state)


@ON_X86_64
def test_the_kernel_computes_it_also_where_z_is_an_operand() -> None:
    kernel = load(assemble(compile_divsteps("k").text(GNU)))
    run = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 4)(kernel.address("k"))
    for number, state in enumerate(states(300)):
        for shared in range(4 if number % 8 == 0 else 1):
            given = [(ctypes.c_uint64 * 5)(value % (1 << 64)) for value in (0, *state)]
            given[0] = given[shared]
            run(*given)
            assert tuple(ctypes.c_int64(word).value for word in given[0]) == meant(*state)
