"""Kernels as functions of Python."""

from __future__ import annotations

from fieldc.artifacts.host import NativeKernel, native
from fieldc.elements import Field, constants_of
from fieldc.field import Field as Constants
from fieldc.language import Kernel
from fieldc.native_arithmetic import compiled


def compile(
    field: str | int | Field | Constants,
    operation: str | Kernel = "mul",
    algorithm: str | None = None,
) -> NativeKernel:
    """Compile an operation, or a kernel of one's own, to machine code of this process.

    The result is called with integers in the form that its contract says: for most operations
    Montgomery form, a*R mod p. It is neither proved nor checked; `fieldc build` does that.
    Raises ModulusError for the field, NoKernel for the operation, BoundError for an algorithm
    that the prime does not allow, ProcessorError where this host runs no kernels.
    """
    constants = constants_of(field)
    if isinstance(operation, Kernel):
        return native(operation.expression(constants))
    return compiled(constants, operation, algorithm)
