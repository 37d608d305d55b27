"""x86-64: the finished kernels, run in this process, at every number of limbs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from primes import NAMES, OF_EVERY_CLASS, cases, expressions, named_field, shaped
from x86_64_kernels import HERE, LIMBS, Built, build, check_run, runs_here

from fieldc.algorithms import choose
from fieldc.field import Field
from fieldc.language import Number, Residue, kernel
from fieldc.machine.aliasing import Aliasing
from fieldc.targets.x86_64.choices import VARIANTS, Choices
from fieldc.targets.x86_64.kernel import X86Error, compile_expression, compile_program
from fieldc.targets.x86_64.operands import Memory
from fieldc.words.lower import lower
from fieldc.words.rows import RowChoice, RowStyle

pytestmark = HERE


FEWER_LIMBS = (*range(1, 8), 9, 12, 17)
"""What a run of make test has: small sizes, one that is odd, and the largest."""


@pytest.mark.parametrize(
    "limbs",
    [n if n in FEWER_LIMBS else pytest.param(n, marks=pytest.mark.full) for n in (*LIMBS, 17)],
)
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.sweep(14)
def test_every_kernel_at_every_number_of_limbs(variant: str, limbs: int) -> None:
    runs_here(variant)
    shapes_here = ["full", "three-spare"] if limbs < 9 else ["full" if limbs % 2 else "one-spare"]
    shapes_here += ["smallest", "top-ones", "low-one", "zero-middle"] if limbs in (3, 4) else []
    wanted = [
        (expression, VARIANTS[variant])
        for s in shapes_here
        for expression in expressions(shaped(s, limbs))
    ]
    for built in build(wanted):
        check_run(built, 6 if limbs < 9 else 3, aliased=True)


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    "name",
    [
        name if name in OF_EVERY_CLASS else pytest.param(name, marks=pytest.mark.full)
        for name in NAMES
    ],
)
def test_named_fields(name: str, variant: str) -> None:
    runs_here(variant)
    for built in build(
        (expression, VARIANTS[variant]) for expression in expressions(named_field(name))
    ):
        check_run(built, 12, aliased=True)


def test_only_64_bit_words() -> None:
    with pytest.raises(X86Error, match="32-bit words"):
        compile_expression(choose(named_field("bn254-p", 32), "mul"), "mul")
    program = lower(choose(Field(13, 4), "add"))
    with pytest.raises(X86Error, match="4-bit words"):
        compile_program(program, "add", VARIANTS["base"])


# Kernels that a user might write


def mask_first(f: Field, x: Residue, y: Residue) -> Residue:
    """A masked sum before rows of products: its carry out is 1 where x < y."""
    d = x - y
    return choose(f, "mul", "cios").kernel.function(f, (d < 0) * f.p + d, y)


def mask_last(f: Field, x: Residue, y: Residue) -> Residue:
    """The same with the terms exchanged."""
    d = x - y
    return choose(f, "mul", "cios").kernel.function(f, d + (d < 0) * f.p, y)


def early(f: Field, x: Residue, y: Residue) -> Residue:
    """The lowest limb of the result is known before the last limb of x is read."""
    return x % f.base + y % f.base + ((x >> f.word) % f.base << f.word)


def crossed(f: Field, x: Residue) -> Residue:
    """The two lowest limbs change places, untouched."""
    return (x % f.base << f.word) + (x >> f.word) % f.base


def reused(f: Field, x: Residue, y: Residue) -> Residue:
    """A quotient between two products with one multiplier."""
    y_0 = y % f.base
    q = (x % f.base) * y_0 * f.n0 % f.base
    return q + (y >> f.word * (f.n - 1)) * y_0


def user_kernels(text: Callable[..., Number]) -> list[Built]:
    """A user's kernel in several choices, loaded."""
    expression = kernel(text.__name__)(text).expression(named_field("bls12-381-p"))
    rows = RowChoice(RowStyle.TWO_CHAINS)
    choices = [*VARIANTS.values(), *(Choices(rows=rows, clear=c) for c in ("needed", "product"))]
    return build((expression, c) for c in choices)


@pytest.mark.parametrize(
    "text",
    [
        mask_first,
        mask_last,
        early,
        reused,
        crossed,
    ],
)
def test_kernels_of_a_user(text: Callable[..., Number]) -> None:
    runs_here("adx")
    for built in user_kernels(text):
        k = built.expression.kernel
        for values in cases(k, built.expression.field, 10):
            want = k.run(built.expression.field, *values)
            assert built.run(*values) == want
            assert built.run.aliased(Aliasing((1, 1, 2)[: 1 + len(values)]), *values) == want


def test_a_doubling_reads_each_limb_once() -> None:
    f = named_field("bls12-381-p")
    for variant in VARIANTS.values():
        code = compile_expression(choose(f, "double"), "double", variant).code
        read = [o for line in code for o in line.operands if isinstance(o, Memory)]
        assert sum(o.name.startswith("x[") for o in read) == f.n
