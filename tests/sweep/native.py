"""Runs a word program on planes of inputs in native code; one compilation for each word width."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache

import numpy as np
import numpy.typing as npt

from fieldc.machine.assemble import compile_ir, host_triple
from fieldc.machine.load import Library, load
from fieldc.machine.processor import features
from fieldc.words.operations import LOAD
from fieldc.words.program import Program, Step, Value
from sweep.text import COMPARE, FIELDS, LANES, NUMBERS, print_sweep

Bytes = npt.NDArray[np.uint8]
Agreeing = Callable[[int, int, int, int, int, int], int]


@cache
def _agreeing(word: int) -> tuple[Library, Agreeing]:
    """The loop for words of so many bits, with the library that holds it."""
    host = ",".join(f"+{name}" for name in sorted(features()))
    library = load(compile_ir(print_sweep(word), host_triple(), "", host).object)
    pointer, number = ctypes.c_void_p, ctypes.c_uint64
    signature = ctypes.CFUNCTYPE(number, pointer, number, pointer, pointer, number, number)
    return library, signature(library.address("agreeing"))


class NativeProgram:
    """A word program as records, with its frame.

    The operands' limbs are the first planes, in the order of the program's operands; those of the
    wanted result come next.
    """

    def __init__(self, program: Program) -> None:
        self._library, self._run = _agreeing(program.word)
        self._slots: dict[int, int] = {}
        self._constants: dict[int, int] = {}
        self._operands = _planes_of(program)
        self.inputs = sum(count for _, count in program.operands)
        self.planes = self.inputs + len(program.results)
        records = [self._step(step) for step in program.steps]
        records += [self._compare(v, self.inputs + i) for i, v in enumerate(program.results)]
        self._records = np.array(records, dtype=np.int32)
        self._frame = _aligned(len(self._slots))
        for slot, constant in self._constants.items():
            self._frame[slot] = constant

    def agreeing(self, planes: Bytes) -> int:
        """How many inputs come before the first block of LANES in which something is wrong.

        All of them if every value keeps its bound and every result is the wanted one.
        """
        count, stride = planes.shape
        assert count == self.planes and stride % LANES == 0 and planes.flags.c_contiguous
        blocks = self._run(
            self._records.ctypes.data,
            len(self._records),
            self._frame.ctypes.data,
            planes.ctypes.data,
            stride,
            stride // LANES,
        )
        return blocks * LANES

    def _slot(self, value: Value) -> int:
        return self._slots.setdefault(value.number, len(self._slots))

    def _read(self, value: Value) -> int:
        """The slot of a constant, filled once, or of an earlier output."""
        if value.constant is None:
            return self._slots[value.number]
        self._constants[self._slot(value)] = value.constant
        return self._slot(value)

    def _step(self, step: Step) -> tuple[int, ...]:
        if step.operation is not LOAD:
            return self._record(step.operation.name, step.inputs, step.outputs, step.attribute)
        plane = self._operands[step.operand][step.attribute]
        return self._record("load", (), step.outputs, plane)

    def _compare(self, result: Value, plane: int) -> tuple[int, ...]:
        """The difference from the wanted limb is at most 0; it has a slot that nothing reads."""
        difference = Value(-1, result.kind, 0, "difference")
        return self._record(COMPARE, (result,), (difference,), plane)

    def _record(
        self, name: str, inputs: tuple[Value, ...], outputs: tuple[Value, ...], attribute: int
    ) -> tuple[int, ...]:
        read = [*map(self._read, inputs), 0, 0, 0][:3]
        written = [*map(self._slot, outputs), 0][:2]
        bounds = [*(v.high for v in outputs), 0][:2]
        record = NUMBERS[name], *read, *written, *bounds, attribute
        assert len(record) == len(FIELDS) and all(0 <= bound < 256 for bound in bounds)
        return record


def _aligned(slots: int) -> Bytes:
    """A frame that begins with a cache line: vectors across two lines take a fifth more time."""
    memory = np.zeros(slots * LANES + 64, dtype=np.uint8)
    start = -memory.ctypes.data % 64
    return memory[start : start + slots * LANES].reshape(slots, LANES)


def _planes_of(program: Program) -> dict[str, range]:
    """The planes of each operand's limbs."""
    planes, start = {}, 0
    for name, count in program.operands:
        planes[name] = range(start, start + count)
        start += count
    return planes
