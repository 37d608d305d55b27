"""The kernels of a package of one prime: those of the compiler's choice, with its constants inside.

A kernel is decided, proved and certified as for every other build. Its object is what the text in
the package assembles to, called as the crate calls it: `kernels.called`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from fieldc.algorithms.lazy import has_room
from fieldc.decisions.preferred import Decision, preferred
from fieldc.decisions.schedule import ScheduleError
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.rust.called_inline import called_inline
from fieldc.packages.rust.classes import (
    CLASSES,
    LAZY_CLASSES,
    PrimeClass,
    class_expressions,
    class_of,
    completed,
    kernels_of,
    lazy_class_of,
)
from fieldc.packages.rust.kernels import kernels_in
from fieldc.packages.rust.schedules import PROCESSOR, TUNED, crate_kernel, schedule_of
from fieldc.targets.artifact import Artifact
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import Choice, Target
from fieldc.targets.x86_64.conventions import CALLED_INLINE
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.targets import plan_of

OPERATIONS = ("mul", "square", "sum_of_products")
"""What the types call. Additions are inline assembly of the crate's."""
LAZY = ("mul_lazy", "square_lazy")
"""What they call too where values below 2p stay there."""
VARIANTS = ("mulx", "adx")
"""The first needs BMI2 only. Processors without it run portable Rust."""
OF = "prime"
"""In the names of the kernels, where the crate's have their class."""


def operations(f: Field) -> tuple[str, ...]:
    """The operations that have kernels."""
    return (*OPERATIONS, *LAZY) if has_room(f) else OPERATIONS


def decisions(f: Field, processor: str | None) -> list[Decision]:
    """What is decided for each operation. Raises UnknownProcessor."""
    return [preferred(f, operation, TARGET, processor) for operation in operations(f)]


def kernel_of(choice: Choice) -> tuple[X86Kernel, str]:
    """The kernel of a choice, and what chose it.

    The crate's schedules were found for kernels that are called as these are. One is taken where
    the prime's own constants save no instruction of the same algorithm.
    """
    expression, plan = choice.expression, plan_of(choice)
    own = replace(plan, choices=plan.choices).compile(expression, OF, CALLED_INLINE)
    if choice.variant.name == TUNED:
        known = scheduled(expression)
        if known is not None and len(known.code) <= len(own.code):
            return known, f"the crate's schedule of {PROCESSOR} for primes of its class"
    return own, choice.chosen_by


def scheduled(expression: Expression) -> X86Kernel | None:
    """The crate's kernel of the same algorithm for a prime, if a search found its schedule."""
    f, operation = expression.field, expression.kernel.operation
    for family in filter(None, (class_of(f), lazy_class_of(f))):
        of = kernels_of(family).get(operation)
        if of is None or schedule_of(of, f.n).entry(operation) is None:
            continue
        for known in class_expressions(of, f.n):
            if known.kernel == expression.kernel:
                return completed(crate_kernel(of, known, OF, TUNED), f)
    return None


def text_of(expression: Expression, kernel: X86Kernel, variant: str) -> str:
    """A kernel as a Rust function."""
    name = f"{expression.kernel.operation}_{OF}_{variant}"
    condition = f"p is {expression.field.label}"
    return called_inline(kernel, expression, name, variant, condition, {})


def _make(target: Target, choice: Choice) -> Artifact:
    kernel, _ = kernel_of(choice)
    text = text_of(choice.expression, kernel, choice.variant.name)
    (found,) = kernels_in(text)
    code = found.assembled(choice.expression.field)
    return Artifact(found.symbol, target, choice, target.proved_as, ".rs", text, code)


_LINUX = TARGETS["x86_64-linux"]
TARGET = _LINUX.named(
    _LINUX.name,
    make=_make,
    variants=tuple(variant for variant in _LINUX.variants if variant.name in VARIANTS),
)
"""x86-64 on every system: the Rust text is for ELF, Mach-O and COFF, the proved object is ELF."""


def module(f: Field, kernels: Sequence[Artifact]) -> Iterator[str]:
    """The parts of the module of kernels after its header: which run for the prime, and their text."""
    yield from dispatch(f, kernels)
    yield from (kernel.text for kernel in kernels)
