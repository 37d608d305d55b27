"""What is tuned: an operation of a field, or of a class of primes of the crate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from fieldc.algorithms import every_kernel_for
from fieldc.decisions.formulas import decide_formula, is_straight_line, straight_lines
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.formulas.errors import wrong
from fieldc.formulas.formula import Formula
from fieldc.language import BoundError, Expression
from fieldc.machine.assemble import assemble
from fieldc.machine.caller import Caller
from fieldc.machine.processor import missing
from fieldc.machine.ring import Layout, OperandMode
from fieldc.machine.timing import layout_of
from fieldc.packages.rust.classes import (
    EXTENSION,
    PrimeClass,
    class_expressions,
    class_program,
    completed,
    representative,
)
from fieldc.packages.rust.kernels import called_kernel
from fieldc.packages.rust.towers import tower_expressions
from fieldc.targets.registry import TARGETS
from fieldc.targets.x86_64.choices import FEATURES, Choices
from fieldc.targets.x86_64.conventions import SYSV, Convention, inline
from fieldc.targets.x86_64.kernel import X86Kernel, lower_for
from fieldc.targets.x86_64.print import GNU
from fieldc.targets.x86_64.timing.called import surroundings
from fieldc.targets.x86_64.timing.loops import loops
from fieldc.words.program import Program


@dataclass(frozen=True)
class Subject:
    """One operation: the texts that may compute it, and how their kernels are called."""

    operation: str
    start: Expression
    """The algorithm that a search starts from."""
    expressions: Mapping[str, Expression]
    """By algorithm."""
    variants: tuple[str, ...]
    """Those that this host runs."""
    program: Callable[[Expression, Choices], Program]
    convention: Convention = SYSV
    completed: Callable[[X86Kernel], X86Kernel] = lambda kernel: kernel
    """A kernel with the constants that it runs with."""
    operands: OperandMode = "moving"
    """What throughput means; always moving where the kernel leaves its words in registers."""

    @property
    def field(self) -> Field:
        """The field, or that of the representative."""
        return self.start.field

    @property
    def layout(self) -> Layout:
        """The lengths of its result and operands."""
        return layout_of(self.start)

    def caller(self, kernel: X86Kernel) -> Caller:
        """The loops that time a kernel. Raises TimingError."""
        if kernel.convention.is_inline:
            return surroundings(kernel.returned, self.layout)
        return loops(self.layout, self.operands)

    def object(self, kernel: X86Kernel) -> bytes:
        """An object with a System V function that is the kernel or calls it."""
        if kernel.convention.is_inline:
            return called_kernel(kernel)
        return assemble(kernel.text(GNU))


def of_field(field: Field, operation: str, operands: OperandMode = "moving") -> Subject:
    """An operation of a field, by every algorithm that holds for its prime.

    A search starts from what a build takes where there is no schedule.
    """
    start = preferred(field, operation, TARGETS["x86_64-linux"]).modelled.expression
    expressions: dict[str, Expression] = {}
    for kernel in every_kernel_for(operation):
        try:
            expressions[kernel.algorithm] = kernel.expression(field)
        except BoundError:
            continue
    return Subject(
        *(operation, start, expressions, _runnable("adx", "mulx"), lower_for),
        operands=operands,
    )


def of_formula(field: Field, formula: Formula, operands: OperandMode = "moving") -> Subject:
    """A formula of one straight line, in each way to divide by R.

    Raises FormulaError for one that calls routines, whose schedules are their own.
    """
    if not is_straight_line(field, formula):
        said = f"{formula.name} calls routines: tune what they compute, such as --op mul"
        raise wrong(said, (formula.file, formula.line))
    start = decide_formula(field, formula, TARGETS["x86_64-linux"]).modelled.expression
    expressions = {e.kernel.algorithm: e for e in straight_lines(field, formula)}
    return Subject(
        *(formula.name, start, expressions, _runnable("adx", "mulx"), lower_for),
        operands=operands,
    )


def of_class(prime_class: PrimeClass, limbs: int, operation: str, variant: str) -> Subject:
    """An operation of a class, or of its towers, for the representative. Raises ValueError."""
    found = [*class_expressions(prime_class, limbs)]
    if prime_class is EXTENSION:
        found += tower_expressions(limbs)
    expression = next((t for t in found if t.kernel.operation == operation), None)
    if expression is None:
        raise ValueError(f"class {prime_class.name} has no {operation} of its own")
    expressions = {expression.kernel.algorithm: expression}
    variants = _runnable(variant)
    f = representative(prime_class, limbs)
    complete = partial(completed, f=f)
    program = partial(class_program, bounded=prime_class.bounded(expression.field))
    convention = inline(expression.kernel.result.width(expression.field))
    return Subject(operation, expression, expressions, variants, program, convention, complete)


def _runnable(*variants: str) -> tuple[str, ...]:
    return tuple(variant for variant in variants if not missing(FEATURES[variant]))
