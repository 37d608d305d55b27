"""x86-64: every choice computes the kernel, and a choice changes only what it says."""

from __future__ import annotations

import random
from itertools import product

import pytest
from primes import NAMES, STYLES, distinct, expressions, named_field, shaped, style_id
from x86_64_checks import check_known
from x86_64_kernels import HERE, LIMBS, build, check_run, choices_with, runs_here, sampled_choices

from fieldc.algorithms import choose
from fieldc.language import Expression
from fieldc.targets.x86_64.choices import VARIANTS, Choices
from fieldc.targets.x86_64.flags import FlagError
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.words.rows import RowChoice, RowStyle

pytestmark = HERE


# Results

FEW = ("mul", "square", "redc", "sub")


def small_work(limbs: int) -> list[Expression]:
    """Multiplication and squaring of one, two and three limbs, spare bits and none."""
    spare, full = shaped("three-spare", limbs), shaped("full", limbs)
    if limbs == 2:
        return [choose(full, "mul", "cios"), choose(full, "to_montgomery")]
    return [choose(spare, "mul", "log-jump"), choose(spare, "square"), choose(full, "neg")]


@pytest.mark.parametrize("rows", STYLES, ids=style_id)
@pytest.mark.parametrize("variant", ["adx", "mulx"])
@pytest.mark.sweep(16)
def test_every_choice(variant: str, rows: RowChoice) -> None:
    runs_here(variant)
    for limbs in (1, 2, 3):
        work = small_work(limbs)
        for built in build(product(work, choices_with(variant, rows))):
            check_run(built, 2)


@pytest.mark.parametrize("rows", STYLES, ids=style_id)
def test_every_choice_of_base(rows: RowChoice) -> None:
    runs_here("base")
    imul = [choices for choices in choices_with("base", rows) if choices.quotient == "imul"]
    for limbs in (1, 2, 3):
        for built in build(product(small_work(limbs), imul)):
            check_run(built, 2)


@pytest.mark.parametrize("limbs", [4, 5, 6, 7, 8, 11])
@pytest.mark.sweep(3)
def test_other_choices_at_more_limbs(limbs: int) -> None:
    runs_here("adx")
    f = shaped("full" if limbs % 2 else "three-spare", limbs)
    work = [choose(f, "mul", "cios"), choose(f, "square"), choose(f, "redc"), choose(f, "neg")]
    for built in build(product(work, sampled_choices(limbs))):
        check_run(built, 2, aliased=True)


@pytest.mark.full
@pytest.mark.parametrize("limbs", LIMBS)
@pytest.mark.parametrize("variant", VARIANTS)
def test_all_choices_at_few_limbs_and_many_at_all(variant: str, limbs: int) -> None:
    runs_here(variant)
    quotients = ("imul",) if variant == "base" else ("imul", "mulx")
    every = [c for rows in STYLES for c in choices_with(variant, rows) if c.quotient in quotients]
    work = [t for t in expressions(shaped("one-spare", limbs)) if t.kernel.operation in FEW]
    for expression in work:
        for built in build(
            (expression, c) for c in sampled(every, 600 if limbs < 4 else 30, limbs)
        ):
            check_run(built, 2)


def sampled(every: list[Choices], count: int, seed: int) -> list[Choices]:
    """At most `count` of them, the same in every run."""
    return every if len(every) <= count else random.Random(seed).sample(every, count)


# Choices that lack a flag


def test_which_combinations_lack_a_flag() -> None:
    expression = choose(named_field("bn254-p"), "mul", "cios")
    lacking = {
        (variant, rows.style)
        for variant in VARIANTS
        for rows in STYLES
        for clear in ("needed", "all")
        if raises_flag_error(expression, Choices(variant, rows, clear, quotient="imul"))
    }
    assert lacking == {
        ("mulx", RowStyle.TWO_CHAINS),
        ("mulx", RowStyle.TWO_SUMS),
        ("base", RowStyle.TWO_CHAINS),
        ("base", RowStyle.TWO_SUMS),
        ("base", RowStyle.ONE_CHAIN),
    }


def raises_flag_error(expression: Expression, choices: Choices) -> bool:
    """Whether flags do not suffice; the error is one line that names the way out."""
    try:
        compile_expression(expression, "mul", choices)
    except FlagError as error:
        assert "\n" not in str(error)
        return True
    return False


def test_too_many_chains_name_the_row_style_that_works() -> None:
    expression = choose(named_field("bls12-381-p"), "mul")
    for variant in ("mulx", "base"):
        with pytest.raises(FlagError, match=r"2 carry chains .* only cf; use .* carry-word"):
            compile_expression(expression, "mul", Choices(variant, RowChoice(RowStyle.TWO_CHAINS)))


# What a choice changes in the code


def test_base_has_no_mulx_whatever_is_chosen() -> None:
    code = compile_expression(
        choose(named_field("bn254-p"), "mul"),
        "mul",
        Choices("base", RowChoice(RowStyle.CARRY_WORD), quotient="mulx"),
    )
    check_known(code, "base")


@pytest.mark.parametrize(
    ("variant", "forbidden"), [("mulx", {"adcx", "adox"}), ("base", {"mulx", "adcx", "adox"})]
)
def test_a_variant_uses_only_its_instructions(variant: str, forbidden: set[str]) -> None:
    for name in NAMES:
        for expression in expressions(named_field(name)):
            code = compile_expression(expression, "kernel", VARIANTS[variant])
            assert not forbidden & {i.mnemonic for i in code.code}


def test_adx_uses_both_chains() -> None:
    for rows in (RowChoice(RowStyle.TWO_CHAINS), RowChoice(RowStyle.TWO_SUMS)):
        code = compile_expression(
            choose(named_field("bls12-381-p"), "mul"), "mul", Choices(rows=rows)
        )
        mnemonics = [i.mnemonic for i in code.code]
        assert mnemonics.count("adcx") > 30 and mnemonics.count("adox") > 30
        assert "adc" not in mnemonics and mnemonics.count("mulx") == 2 * 36 + 1


@pytest.mark.parametrize("name", [n for n in NAMES if named_field(n).n in (4, 6)])
def test_base_has_no_spills_at_4_and_6_limbs(name: str) -> None:
    for expression in expressions(named_field(name)):
        # The square of R has equal limbs there: its products are made once and wait in the frame.
        equal = (name, expression.kernel.operation) == ("p384", "to_montgomery")
        # A sum that waits, and a complement that mul does not take from a register that is read.
        waiting = expression.kernel.algorithm == "log-jump-complement" and expression.field.n == 6
        if not equal and not waiting:
            assert compile_expression(expression, "kernel", VARIANTS["base"]).frame == 0


def test_flag_clearing_is_a_choice() -> None:
    expression = choose(named_field("bls12-381-p"), "mul")
    counts = [
        sum(
            i.mnemonic == "test" or (i.mnemonic == "xor" and "clear" in i.remark)
            for i in compile_expression(expression, "mul", Choices(clear=clear)).code
        )
        for clear in ("needed", "product", "all")
    ]
    assert counts == sorted(counts) and counts[0] <= 1 and counts[2] > counts[1] > counts[0]


def test_styles_share_no_parameter_by_accident() -> None:
    assert [distinct(rows) for rows in STYLES] == list(STYLES) and len(STYLES) == 22
