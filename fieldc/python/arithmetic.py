"""What computes with single elements: kernels of this process, or Python's integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from fieldc.field import Field

Binary = Callable[[Any, Any], Any]


class Arithmetic(Protocol):
    """How elements are stored, and what computes with them. What is stored is never changed."""

    def enter(self, value: int) -> Any:
        """Store a value, 0 <= value < p."""

    def leave(self, stored: Any) -> int:
        """The value that is stored."""

    @property
    def add(self) -> Binary:
        """x + y."""

    @property
    def sub(self) -> Binary:
        """x - y."""

    @property
    def mul(self) -> Binary:
        """x * y."""

    @property
    def neg(self) -> Callable[[Any], Any]:
        """-x."""


class PythonArithmetic:
    """Values are stored as Python's integers."""

    def __init__(self, p: int) -> None:
        self.p = p

    def enter(self, value: int) -> int:
        """The value itself."""
        return value

    def leave(self, stored: int) -> int:
        """The value itself."""
        return stored

    def add(self, x: int, y: int) -> int:
        """x + y mod p."""
        return (x + y) % self.p

    def sub(self, x: int, y: int) -> int:
        """x - y mod p."""
        return (x - y) % self.p

    def mul(self, x: int, y: int) -> int:
        """x * y mod p."""
        return x * y % self.p

    def neg(self, x: int) -> int:
        """-x mod p."""
        return -x % self.p


def arithmetic_of(constants: Field, native: bool | None) -> Arithmetic:
    """Choose kernels or Python integers. Raises ProcessorError if kernels are asked for in vain."""
    if native is False:
        return PythonArithmetic(constants.p)
    from fieldc.machine.processor import ProcessorError, host_architecture
    from fieldc.python.native_arithmetic import NativeArithmetic

    if host_architecture():
        return NativeArithmetic(constants)
    if native:
        raise ProcessorError("this host runs no kernels in-process; leave out native=True")
    return PythonArithmetic(constants.p)
