"""Arithmetic on elements by kernels of this process."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from fieldc.algorithms import choose
from fieldc.artifacts.host import NativeKernel, decide_here, native
from fieldc.field import Field
from fieldc.machine.processor import host_architecture

if TYPE_CHECKING:
    Limbs = ctypes.Array[ctypes.c_uint64]
    Function = Callable[..., Limbs]


def compiled(field: Field, operation: str, algorithm: str | None = None) -> NativeKernel:
    """Compile an operation by the kernel that `fieldc build` would choose for this host.

    Raises NoKernel, BoundError and ProcessorError.
    """
    expression = choose(field, operation, algorithm)
    if host_architecture():
        expression = decide_here(field, operation, algorithm).expression
    return native(expression)


class NativeArithmetic:
    """Stores values in Montgomery form, as n limbs. Compiles each kernel at its first use.

    The arrays are never written after they are made.
    """

    def __init__(self, constants: Field) -> None:
        self.constants = constants
        self.array: type[Limbs] = ctypes.c_uint64 * constants.n

    def enter(self, value: int) -> Limbs:
        """Return the limbs of value*R mod p."""
        form = self.constants.to_montgomery(value)
        return self.array.from_buffer_copy(form.to_bytes(8 * self.constants.n, "little"))

    def leave(self, stored: Limbs) -> int:
        """Return the value that limbs in Montgomery form stand for."""
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
        kernel, array = compiled(self.constants, operation), self.array
        address = kernel.library.address(kernel.symbol)
        kinds = [ctypes.c_void_p] * (1 + len(kernel.expression.kernel.operands))
        call = ctypes.CFUNCTYPE(None, *kinds)(address)

        def run(*operands: Any, _held: NativeKernel = kernel) -> Limbs:
            result = array()
            call(result, *operands)
            return result

        return run
