"""x86-64 kernels for the tests: every choice there is, many at once compiled, loaded and run."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import pytest
from primes import CARRY_STYLES, cases, expected, expressions, shaped
from x86_64_checks import check_code

from fieldc.language import Expression
from fieldc.machine.aliasing import apart
from fieldc.machine.assemble import assemble, host_triple
from fieldc.machine.load import Library, LoadedKernel, load
from fieldc.machine.processor import is_x86_64, missing
from fieldc.targets.x86_64.choices import FEATURES, VARIANTS, Choices
from fieldc.targets.x86_64.conventions import WIN64
from fieldc.targets.x86_64.flags import FlagError
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.rows import RowChoice, RowStyle

HERE = pytest.mark.skipif("x86_64" not in host_triple(), reason="no x86-64 assembler here")

LIMBS = range(1, 17)


def runs_here(variant: str) -> None:
    """Skip, saying why, where this processor cannot run a variant's kernels."""
    if not is_x86_64():
        pytest.skip("this host does not run System V x86-64 code")
    if lacking := missing(FEATURES[variant]):
        pytest.skip(f"this processor lacks {' and '.join(lacking)}, which {variant} kernels need")


# Every choice


def _clears(variant: str) -> Iterable[tuple[str, str]]:
    """Where flags are cleared, where the 0 is: only two chains read these choices."""
    if variant != "adx":
        return [("all", "register")]
    return product(("needed", "product", "all"), ("memory", "register"))


def choices_with(variant: str, rows: RowChoice) -> list[Choices]:
    """Every combination of the other choices."""
    return [
        Choices(variant, rows, clear, zero, constants, quotient)
        for clear, zero in _clears(variant)
        for constants in ("rip", "register")
        for quotient in ("mulx", "imul")
    ]


def sampled_choices(seed: int) -> list[Choices]:
    """A few combinations that no default has."""
    rng = random.Random(seed)
    every = [c for rows in CARRY_STYLES for c in choices_with("adx", rows)]
    others = [c for rows in CARRY_STYLES for v in ("mulx",) for c in choices_with(v, rows)]
    return rng.sample(every, 8) + rng.sample(others, 2)


def needs_a_second_flag(choices: Choices) -> bool:
    """Whether a row style may need two flags at once, in a variant with one."""
    one_at_a_time = (
        (RowStyle.CARRY_WORD,)
        if choices.variant == "base"
        else (
            RowStyle.CARRY_WORD,
            RowStyle.ONE_CHAIN,
        )
    )
    return choices.variant != "adx" and choices.rows.style not in one_at_a_time


# Building and running many kernels at once


@dataclass(frozen=True)
class Built:
    """A compiled kernel of an expression, loaded."""

    expression: Expression
    code: X86Kernel
    run: LoadedKernel


def loaded(
    texts: Iterable[str], codes: Sequence[tuple[Expression, X86Kernel]], suffix: str = ""
) -> list[Built]:
    """All kernels in one object, loaded."""
    library = load(assemble("\n".join(texts)))
    return [Built(t, code, callable_of(library, t, code.symbol + suffix)) for t, code in codes]


def callable_of(library: Library, expression: Expression, symbol: str) -> LoadedKernel:
    """The loaded kernel as a function of integers."""
    f = expression.field
    operands = tuple(bound.width(f) for _, bound in expression.kernel.operands)
    return LoadedKernel(library, symbol, operands, f.n)


def build(wanted: Iterable[tuple[Expression, Choices]]) -> list[Built]:
    """Compile and load; a combination that has too few flags is left out."""
    codes: list[tuple[Expression, X86Kernel]] = []
    for expression, choices in wanted:
        code = compiled(expression, f"kernel{len(codes)}", choices)
        if code is not None:
            codes.append((expression, code))
    return loaded([code.text(GNU) for _, code in codes], codes)


def compiled(expression: Expression, symbol: str, choices: Choices) -> X86Kernel | None:
    """The kernel, or None where a typed error of one line says that flags do not suffice."""
    try:
        code = compile_expression(expression, symbol, choices)
    except FlagError as error:
        assert needs_a_second_flag(choices), (choices, error)
        assert "\n" not in str(error) and str(error)
        return None
    check_code(code, choices.variant)
    return code


def check_run(built: Built, count: int, aliased: bool = False) -> None:
    """Results on edge and random operands, in separate buffers or in every aliasing."""
    f, k = built.expression.field, built.expression.kernel
    for values in cases(k, f, count):
        want = expected(k.operation, f, *values)
        assert k.run(f, *values) == want
        for aliasing in built.run.aliasings() if aliased else (apart(len(values)),):
            given = aliasing.merged(values)
            if given != values:
                want = expected(k.operation, f, *given)
            result = built.run.aliased(aliasing, *given)
            assert result == want, (f.label, k.operation, k.algorithm, aliasing, given)


@cache
def win64_kernels() -> tuple[tuple[str, X86Kernel], ...]:
    """Every kernel for Windows, at several numbers of limbs."""
    return tuple(
        (variant, compile_expression(expression, "kernel", VARIANTS[variant], WIN64))
        for variant, limbs in product(VARIANTS, (1, 2, 4, 6, 9))
        for expression in expressions(shaped("full" if limbs == 6 else "three-spare", limbs))
    )
