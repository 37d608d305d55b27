"""What the tests of targets share: kernels of a target, and programs of them that run here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
import pytest

from fieldc.algorithms import OPERATIONS
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.machine.emulated import EmulatedKernel, RunningProgram
from fieldc.operations import OPERATIONS as RECORDS
from fieldc.targets.registry import TARGETS
from fieldc.targets.running import EmulatedProgram
from fieldc.targets.target import Artifact

SMALL = "251"
FIELDS = ("bn254-p", "bls12-381-p", "secp256k1-p", "2^160-47", SMALL)
"""4 limbs, 6 limbs, no spare bit, 3 limbs of 64 bits that are 5 of 32, every input of one limb."""
OTHER_FIELDS = (
    *("bls12-381-r", "p521", "p384", "curve25519", "goldilocks", "2^127-1", "csidh-512"),
    "bw6-761-p",
)


PROCESSOR = "cascade-lake"
"""For it kernels are chosen, on every host; on AArch64 for the processor that stands in."""


@cache
def kernels(target: str, text: str, word: int = 0) -> tuple[Artifact, ...]:
    """What is built, and mul_add, of a field, in the target's words unless others are asked for."""
    made = TARGETS[target]
    f = find_field(text, word or made.words[0])
    decided = (preferred(f, o, made, PROCESSOR).expression for o in (*OPERATIONS, "mul_add"))
    return tuple(a for expression in decided for a in made.produce(expression))


def objects(artifacts: Sequence[Artifact]) -> dict[str, bytes]:
    """Object files by symbol."""
    return {a.symbol: a.code for a in artifacts if a.code is not None}


def program(target: str, made: dict[str, bytes]) -> RunningProgram:
    """A program of objects for a target, or the test is skipped and says why."""
    runner, needs = TARGETS[target].runner, TARGETS[target].variants[0].needs
    reason = TARGETS[target].place(needs).reason
    if not isinstance(runner, EmulatedProgram):
        reason = reason or "no emulator is known for it"
    if reason or not isinstance(runner, EmulatedProgram):
        pytest.skip(f"SKIPPED: {target}: {reason}")
    return RunningProgram(runner.emulator, made)


def kernel(running: RunningProgram, artifact: Artifact) -> EmulatedKernel:
    """An artifact of a program."""
    f = artifact.expression.field
    operands = tuple(bound.width(f) for _, bound in artifact.expression.kernel.operands)
    return running.kernel(artifact.symbol, operands, f.n, f.word)


def check_every_input(one: EmulatedKernel, artifact: Artifact) -> int:
    """Call a kernel of one limb on everything below a small p; the number of calls."""
    f, operation = artifact.expression.field, artifact.expression.kernel.operation
    arity = len(artifact.expression.kernel.operands)
    values = np.indices((f.p,) * arity).reshape(arity, -1)
    frame = np.frombuffer(one.frame(*(0,) * arity), np.uint8)
    before = np.tile(frame, (values.shape[1], 1))
    for operand, span in zip(values, one.spans[1:], strict=True):
        before[:, _low_byte(one, span)] = operand
    wanted = before.copy()
    wanted[:, one.spans[0]] = 0
    wanted[:, _low_byte(one, one.spans[0])] = _meant(operation, f, values)
    after = np.frombuffer(one.call(before.tobytes(), one.places()), np.uint8)
    wrong = np.flatnonzero((after.reshape(wanted.shape) != wanted).any(axis=1))
    assert not wrong.size, (artifact.symbol, values[:, wrong[0]])
    return int(values.shape[1])


def _low_byte(one: EmulatedKernel, span: slice) -> int:
    return span.start + (one.word_bytes - 1 if one.is_big_endian else 0)


def _meant(operation: str, f: Field, values: np.ndarray) -> list[int]:
    meaning = RECORDS[operation]
    return [meaning(f, *map(int, given)) for given in values.T]
