"""The crate's AArch64 kernels: for every number of limbs those of a few classes of primes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache, cached_property

from fieldc.decisions.model import ModelledCode, modelled
from fieldc.decisions.orders import DOUBT
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.packages.rust.classes import (
    FOLD,
    FULL,
    LAZY_FULL,
    LAZY_SPARE,
    NEAR,
    SPARE,
    PrimeClass,
    class_expressions,
    class_words,
    wider_than,
)
from fieldc.packages.rust.plain import class_name, own_expression
from fieldc.simulator.window import STEADY
from fieldc.targets.aarch64.kernel import ArmKernel, compile_words
from fieldc.targets.aarch64.targets import JUDGE
from fieldc.words.lower import lower
from fieldc.words.program import Program
from fieldc.words.rows import RowChoice

OWN = (FOLD, SPARE, NEAR, FULL, LAZY_SPARE, LAZY_FULL)
"""The classes that have kernels, each family from the narrowest on."""
CALLED = ("mul", "sum_of_products", "square", "mul_lazy", "square_lazy")
"""The operations whose kernels are called."""
LONGER = 1.01
"""Up to which multiple of its instructions a kernel may take the place of one for fewer primes."""


@dataclass(frozen=True)
class ClassKernel:
    """A kernel for all primes of a class; its constants are those of a representative."""

    expression: Expression
    prime_class: PrimeClass
    code: ArmKernel

    @cached_property
    def figure(self) -> ModelledCode:
        """Its cycles on the processor by which AArch64 kernels are chosen."""
        return modelled(self.code.code, JUDGE, JUDGE.stand_in, STEADY)

    def gains_nothing(self, other: ClassKernel) -> bool:
        """Whether another kernel does the same for more primes, as fast up to a doubt."""
        same = self.expression.kernel.operation == other.expression.kernel.operation
        if not same or not other.prime_class.contains(self.prime_class):
            return False
        ours, theirs = self.figure, other.figure
        return (
            theirs.instructions <= LONGER * ours.instructions
            and theirs.throughput <= DOUBT * ours.throughput
            and theirs.latency <= DOUBT * ours.latency
        )

    @property
    def symbol(self) -> str:
        """The name of its function."""
        return f"{self.expression.kernel.operation}_{self.prime_class.suffix}"


def kernels_at(limbs: int) -> Iterator[ClassKernel]:
    """The kernels for a number of limbs.

    One is left out where that of a wider class is as good by the model, and a square that is longer
    than a product.
    """
    kept: list[ClassKernel] = []
    for prime_class in reversed([c for c in OWN if limbs in c.limbs]):
        made = {k.expression.kernel.operation: k for k in _of_class(prime_class, limbs)}
        if "square" in made and len(made["square"].code.lines) >= len(made["mul"].code.lines):
            del made["square"]
        kept[:0] = [kernel for kernel in made.values() if not any(map(kernel.gains_nothing, kept))]
    yield from kept


def kernels_for(prime_class: PrimeClass, limbs: int) -> dict[str, PrimeClass]:
    """For each operation the class whose kernel the primes of a class take."""
    wider = wider_than(prime_class)
    found: dict[str, PrimeClass] = {}
    for kernel in kernels_at(limbs):
        if kernel.prime_class in wider:
            found.setdefault(kernel.expression.kernel.operation, kernel.prime_class)
    return found


@cache
def _of_class(prime_class: PrimeClass, limbs: int) -> tuple[ClassKernel, ...]:
    expressions = class_expressions(prime_class, limbs)
    return tuple(_made(prime_class, e) for e in expressions if e.kernel.operation in CALLED)


def own_kernel(f: Field, operation: str) -> ClassKernel:
    """The kernel of a prime that has its own, as of a class of its own."""
    expression = own_expression(f, operation)
    code = _compiled(lambda rows: lower(expression, rows))
    return ClassKernel(expression, replace(FULL, name=class_name(f)), code)


def _made(prime_class: PrimeClass, expression: Expression) -> ClassKernel:
    code = _compiled(lambda rows: class_words(expression, rows))
    return ClassKernel(expression, prime_class, code)


def _compiled(lowered: Callable[[RowChoice], Program]) -> ArmKernel:
    """A kernel with all its constants after the return.

    Not `tight`: that saves an instruction or two where registers are saved in pairs.
    """
    return compile_words(lowered, is_immediate=lambda _: False, tight=False)
