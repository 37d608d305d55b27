"""Kernels as functions of Python."""

from __future__ import annotations

from inspect import isfunction
from typing import TYPE_CHECKING, overload

from fieldc.artifacts.host import NativeKernel, native
from fieldc.field import Field as Constants
from fieldc.language import Kernel
from fieldc.python.constants import constants_of
from fieldc.python.elements import Field
from fieldc.python.native_arithmetic import compiled

if TYPE_CHECKING:
    from fieldc.formulas.formula import Formula
    from fieldc.python.formulas import CompiledFormula


@overload
def compile(field: str | int | Field | Constants, operation: Formula) -> CompiledFormula: ...


@overload
def compile(
    field: str | int | Field | Constants,
    operation: str | Kernel = "mul",
    algorithm: str | None = None,
) -> NativeKernel: ...


def compile(
    field: str | int | Field | Constants,
    operation: str | Kernel | Formula = "mul",
    algorithm: str | None = None,
) -> NativeKernel | CompiledFormula:
    """Compile an operation, or a kernel or formula of one's own, to code of this process.

    A formula is called with elements and integers, and gives elements. A kernel is called with
    integers in the form that its contract says: for most operations Montgomery form, a*R mod p.
    The whole is neither proved nor checked; `fieldc build` does that.
    Raises ModulusError for the field, NoKernel for the operation, BoundError for an algorithm
    that the prime does not allow, FormulaError for a formula that makes no sense over the field,
    ProcessorError where this host runs no kernels, TypeError for what is none of these.
    """
    from fieldc.formulas.formula import Formula

    constants = constants_of(field)
    if isinstance(operation, Formula):
        if algorithm is not None:
            raise TypeError("a formula has no algorithm to name; leave it out")
        from fieldc.python.formulas import CompiledFormula

        return CompiledFormula(operation, field if isinstance(field, Field) else Field(constants))
    if isinstance(operation, Kernel):
        return native(operation.expression(constants))
    if not isinstance(operation, str):
        what = "; write @formula before it" if isfunction(operation) else ""
        raise TypeError(f"an operation is a name, a kernel or a formula{what}")
    if algorithm is not None and not isinstance(algorithm, str):
        raise TypeError(f"an algorithm is a name, not {type(algorithm).__name__}")
    return compiled(constants, operation, algorithm)
