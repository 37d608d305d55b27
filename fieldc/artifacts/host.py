"""Kernels for this very machine: every backend's code, compiled, loaded and called in-process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import index
from typing import SupportsIndex

from fieldc.decisions.decision import Decision
from fieldc.decisions.formulas import decide_formula
from fieldc.decisions.preferred import decide, preferred
from fieldc.errors import UserError, counted
from fieldc.field import Field
from fieldc.formulas.formula import Formula
from fieldc.language import Expression
from fieldc.machine.assemble import assemble, compile_ir, host_triple
from fieldc.machine.load import LoadedKernel, load
from fieldc.machine.processor import ProcessorError, host_architecture, is_x86_64, missing
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.targets import AARCH64_SYSTEMS, ARCHITECTURE, code_of
from fieldc.targets.choice import Choice
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import LLVM_TARGETS
from fieldc.targets.llvm.wide import print_llvm_wide
from fieldc.targets.target import Target, host_system
from fieldc.targets.x86_64.choices import FEATURES
from fieldc.targets.x86_64.conventions import SYSV
from fieldc.targets.x86_64.print import GNU
from fieldc.targets.x86_64.targets import X86_64
from fieldc.targets.x86_64.targets import compiled as compiled_x86
from fieldc.words.lower import lower

SYMBOL = "fieldc_kernel"


@dataclass(frozen=True)
class HostBackend:
    """One way to machine code for this host, and the processor features its code needs."""

    name: str
    features: tuple[str, ...]
    compile: Callable[[Expression], bytes]
    """From an expression to an object file that defines SYMBOL."""
    can: Callable[[Expression], bool] = lambda _: True
    """Whether it makes a kernel of an expression at all."""

    @property
    def missing(self) -> list[str]:
        """Features this processor lacks; where there are any, the code must not run."""
        return missing(self.features)

    def kernel(self, expression: Expression) -> LoadedKernel:
        """The kernel of an expression, compiled and loaded."""
        return loaded(self.compile(expression), expression)


def loaded(made: bytes, expression: Expression) -> LoadedKernel:
    """The kernel of an expression from its object file."""
    operands = tuple(bound.width(expression.field) for _, bound in expression.kernel.operands)
    width = expression.kernel.result.width(expression.field)
    return LoadedKernel(load(made), SYMBOL, operands, width, expression.field.word)


def decide_here(field: Field, operation: str, algorithm: str | None = None) -> Decision:
    """What is decided for this processor, of all algorithms or of one."""
    return preferred(field, operation, _own_target(), algorithm=algorithm)


def decide_formula_here(field: Field, formula: Formula) -> Decision:
    """What is decided of a formula for this processor. Raises FormulaError, BoundError."""
    return decide_formula(field, formula, _own_target())


def _decided(expression: Expression) -> Decision:
    return decide(_own_target(), [expression])


def _own_target() -> Target:
    targets = AARCH64_SYSTEMS if host_architecture() == ARCHITECTURE else X86_64
    return next((t for t in targets if t.system == host_system()), targets[0])


def compiled(choice: Choice) -> bytes:
    """The object file of a choice of our own, with SYMBOL."""
    if host_architecture() == ARCHITECTURE:
        return object_of({SYMBOL: code_of(choice).code}, _own_target().triple)
    return assemble(compiled_x86(choice, SYMBOL, SYSV).text(GNU))


def own_name(variant: str) -> str:
    """The name of the backend of our own for a variant."""
    return ARCHITECTURE if host_architecture() == ARCHITECTURE else f"x86-{variant}"


def _own(variant: str) -> HostBackend:
    def compile_(expression: Expression) -> bytes:
        return compiled(_decided(expression).variant(variant))

    return HostBackend(own_name(variant), FEATURES[variant], compile_)


def _llvm(name: str, target_name: str, features: tuple[str, ...]) -> HostBackend:
    def compile_(expression: Expression) -> bytes:
        target = LLVM_TARGETS[target_name].processor
        text = print_llvm(lower(expression, target.rows), SYMBOL, target.form)
        return compile_ir(text, host_triple(), target.cpu, target.features).object

    return HostBackend(name, features, compile_)


def _llvm_wide() -> HostBackend:
    def compile_(expression: Expression) -> bytes:
        ir = print_llvm_wide(expression, SYMBOL)
        return compile_ir(ir, host_triple(), "x86-64", "+bmi2").object

    return HostBackend("llvm-wide", ("bmi2",), compile_)


def host_backends(word: int) -> list[HostBackend]:
    """The backends whose code this host may run; own ones have 64-bit words."""
    if host_architecture() == ARCHITECTURE and word == 64:
        return [HostBackend(ARCHITECTURE, (), lambda e: compiled(_decided(e).preferred))]
    if not is_x86_64():
        return []
    llvm = [
        _llvm_wide(),
        _llvm("llvm", "x86_64-linux-llvm", ()),
        _llvm("llvm-bmi2", "x86_64-linux-llvm-bmi2", ("bmi2",)),
    ]
    return [*llvm, *(_own(v) for v in ("base", "mulx", "adx"))] if word == 64 else llvm


def find_backend(name: str) -> HostBackend:
    """The backend of a name. Raises LookupError."""
    return next(b for b in host_backends(64) if b.name == name)


class OperandError(UserError, ValueError):
    """An operand is outside the range that the kernel's contract gives."""


class NativeKernel(LoadedKernel):
    """A kernel of this process that takes only what its contract allows."""

    def __init__(self, loaded: LoadedKernel, expression: Expression) -> None:
        f, kernel = expression.field, expression.kernel
        widths = tuple(bound.width(f) for _, bound in kernel.operands)
        super().__init__(loaded.library, loaded.symbol, widths, kernel.result.width(f), f.word)
        self.expression = expression

    def __call__(self, *operands: SupportsIndex) -> int:
        """The kernel's result. Raises OperandError for an operand that its contract excludes."""
        return super().__call__(*check_operands(self.expression, operands))

    def __repr__(self) -> str:
        kernel = self.expression.kernel
        return f"<{kernel.operation} by {kernel.algorithm} modulo {self.expression.field.label}>"

    def __copy__(self) -> NativeKernel:
        return self

    def __deepcopy__(self, _: object) -> NativeKernel:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        raise TypeError("a kernel of this process cannot be pickled; compile it again")


def check_operands(expression: Expression, operands: Sequence[SupportsIndex]) -> list[int]:
    """The operands as integers, if they are what the kernel's contract allows.

    Raises OperandError if they are not, TypeError for what is no integer.
    """
    f, kernel = expression.field, expression.kernel
    if len(operands) != len(kernel.operands):
        needs = " and ".join(name for name, _ in kernel.operands)
        raise OperandError(
            f"{kernel.operation} takes {needs}, not {counted(len(operands), 'operand')}"
        )
    numbers = []
    for (name, bound), operand in zip(kernel.operands, operands, strict=True):
        try:
            number = index(operand)
        except TypeError:
            kind = type(operand).__name__
            said = f"{kernel.operation}: {name} must be an integer, not {kind}"
            raise TypeError(said) from None
        if not all(0 <= value <= bound.high(f) for value in bound.values(f, number)):
            wanted = bound.wanted(number)
            raise OperandError(f"{kernel.operation}: {name} must be {wanted}, not {number:#x}")
        numbers.append(number)
    return numbers


def native(expression: Expression) -> NativeKernel:
    """The kernel of an expression as machine code in this process, called with Python's integers.

    Of 64-bit words the variant that this processor should run, of others what LLVM makes.
    Raises ProcessorError where there is none.
    """
    runnable = [b for b in host_backends(expression.field.word) if not b.missing]
    if not runnable:
        raise ProcessorError("no backend makes code that this host can run in-process")
    if expression.field.word != 64:
        return NativeKernel(runnable[-1].kernel(expression), expression)
    made = compiled(_decided(expression).preferred)
    return NativeKernel(loaded(made, expression), expression)


def native_formula(field: Field, formula: Formula) -> NativeKernel:
    """The kernel of a formula as machine code in this process; its words are 64 bits wide.

    Raises FormulaError, BoundError, and ProcessorError where there is none.
    """
    if not host_architecture():
        raise ProcessorError("no backend makes code that this host can run in-process")
    choice = decide_formula_here(field, formula).preferred
    return NativeKernel(loaded(compiled(choice), choice.expression), choice.expression)
