"""Kernels as functions of Python, and arithmetic on elements by them."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fieldc.algorithms import choose
from fieldc.artifacts.host import NativeKernel, decide_here, native
from fieldc.elements import Field, constants_of
from fieldc.field import Field as Constants
from fieldc.language import Kernel
from fieldc.machine.processor import host_architecture

if TYPE_CHECKING:
    Limbs = ctypes.Array[ctypes.c_uint64]
    Function = Callable[..., Limbs]


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
    expression = choose(constants, operation, algorithm)
    if host_architecture():
        expression = decide_here(constants, operation, algorithm).expression
    return native(expression)


class NativeArithmetic:
    """Values are stored in Montgomery form, as n limbs. A kernel is compiled at its first use.

    The arrays are never written after they were made.
    """

    def __init__(self, constants: Constants) -> None:
        self.constants = constants
        self.array: type[Limbs] = ctypes.c_uint64 * constants.n

    def enter(self, value: int) -> Limbs:
        """Limbs of value*R mod p."""
        form = self.constants.to_montgomery(value)
        return self.array.from_buffer_copy(form.to_bytes(8 * self.constants.n, "little"))

    def leave(self, stored: Limbs) -> int:
        """The value that limbs in Montgomery form stand for."""
        return self.constants.from_montgomery(int.from_bytes(bytes(stored), "little"))

    @cached_property
    def add(self) -> Function:
        """x + y."""
        return self._function("add")

    @cached_property
    def sub(self) -> Function:
        """x - y."""
        return self._function("sub")

    @cached_property
    def mul(self) -> Function:
        """x * y."""
        return self._function("mul")

    @cached_property
    def neg(self) -> Function:
        """-x."""
        return self._function("neg")

    def _function(self, operation: str) -> Function:
        kernel, array = compile(self.constants, operation), self.array
        address = kernel.library.address(kernel.symbol)
        kinds = [ctypes.c_void_p] * (1 + len(kernel.expression.kernel.operands))
        call = ctypes.CFUNCTYPE(None, *kinds)(address)

        def run(*operands: Any, _held: NativeKernel = kernel) -> Limbs:
            result = array()
            call(result, *operands)
            return result

        return run
