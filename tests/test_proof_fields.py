"""Every kernel of every named field is proved from its bytes, and kernels of primes of every shape.

The kernels of crates/fieldc are among them: a gate holds its text to what the compiler prints.
"""

from __future__ import annotations

import pytest
from contracts import contract_named
from primes import OF_EVERY_CLASS, expressions, named_field, shaped, shapes

from fieldc.algorithms import OPERATIONS, choose
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field, named_primes
from fieldc.language import Expression
from fieldc.machine.assemble import assemble, host_triple
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

pytestmark = pytest.mark.skipif("x86_64" not in host_triple(), reason="the kernels are x86-64")
NAMES = sorted(named_primes())


def proved(expression: Expression, variant: str) -> None:
    """Compile, assemble and prove. Raises ProofError."""
    text = compile_expression(expression, "k", VARIANTS[variant]).text(GNU)
    function = function_of(assemble(text), "k")
    contract = contract_named(expression.kernel.operation, expression.field.p, expression.field.n)
    prove(function.code, contract, start=function.start)


def is_left_out(name: str, variant: str) -> bool:
    """Whether make test leaves it to make test-full.

    It proves a prime of every class, and of the longest of them one variant.
    """
    return name not in OF_EVERY_CLASS or (variant != "adx" and named_field(name).n > 6)


CASES = [
    pytest.param(name, variant, marks=[pytest.mark.full] * is_left_out(name, variant))
    for name in NAMES
    for variant in VARIANTS
]


@pytest.mark.parametrize(("name", "variant"), CASES)
def test_every_kernel_of_a_named_field(name: str, variant: str) -> None:
    for expression in expressions(named_field(name)):
        proved(expression, variant)


@pytest.mark.full
@pytest.mark.parametrize("limbs", range(1, 13))
@pytest.mark.parametrize("shape", sorted({s for n in range(1, 13) for s in shapes(n)}))
def test_primes_of_every_shape(shape: str, limbs: int) -> None:
    if shape not in shapes(limbs):
        pytest.skip(f"no prime of {limbs} limbs has this shape")
    for operation in OPERATIONS:
        for variant in VARIANTS:
            proved(choose(shaped(shape, limbs), operation), variant)


SHARED = (
    "2^330-2^169+2^163+1",
    *("2^360-2^273+2^272+1", "2^380-2^177+2^160+1", "2^380-2^265+2^256+1", "2^521-2^278+2^259+1"),
)


@pytest.mark.parametrize(
    "name", [pytest.param(p, marks=[pytest.mark.full] * (p != SHARED[0])) for p in SHARED]
)
def test_rows_of_equal_limbs_that_share_products(name: str) -> None:
    """Two limbs of R^2 are all ones: one product serves both rows, and sums stand between."""
    proved(choose(find_field(name, 64), "to_montgomery"), "base")


POWERS = ("2^238+2^192-1", "2^365+2^64-1", "2^318+2^71+1", "2^357+2^124+1")


@pytest.mark.parametrize("name", POWERS)
def test_a_limb_of_a_power_of_two_is_no_shift_of_a_quotient(name: str) -> None:
    """Low bits of 0 in R^2 and p are 64 together: then 2^k times a digit is 0 modulo 2^64 too."""
    proved(choose(find_field(name, 64), "to_montgomery"), "mulx")
