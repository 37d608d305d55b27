"""Words that wait in z: which do, and that sums of many limbs need no stack for others."""

import pytest
from primes import shaped

from fieldc.algorithms import choose
from fieldc.targets.x86_64.choices import VARIANTS, Choices, choices_on
from fieldc.targets.x86_64.conventions import CONVENTIONS
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression
from fieldc.targets.x86_64.operands import Memory

SUMS = (
    ("add", "add"),
    ("double", "double"),
    ("double", "shifts"),
    ("sub", "sub"),
    ("neg", "neg"),
    ("neg", "masked"),
)
SPARE, FULL = "three-spare", "full"
CHOICES = {"numbers in memory": VARIANTS["mulx"], "many literals": choices_on("mulx", "zen-4")}


def stores(kernel: X86Kernel) -> list[str]:
    """The words of z that are stored, in order."""
    return [
        place.name
        for one in kernel.code
        if one.mnemonic in ("store", "mov")
        and isinstance(place := one.operands[0], Memory)
        and place.name.startswith("z[")
    ]


@pytest.mark.parametrize("limbs", range(1, 13))
@pytest.mark.parametrize(
    ("shape", "operation", "algorithm"),
    [(shape, *one) for shape in (SPARE, FULL) for one in SUMS] + [(SPARE, "sub", "select")],
)
@pytest.mark.parametrize("choices", CHOICES.values(), ids=CHOICES)
def test_sums_need_no_frame(
    shape: str, operation: str, algorithm: str, limbs: int, choices: Choices
) -> None:
    expression = choose(shaped(shape, limbs), operation, algorithm)
    for convention in CONVENTIONS.values():
        assert compile_expression(expression, "k", choices, convention).frame == 0


@pytest.mark.parametrize(("limbs", "waiting"), [(7, 0), (8, 2), (9, 4), (12, 10)])
def test_the_lowest_limbs_wait_that_find_no_register(limbs: int, waiting: int) -> None:
    """A sum of n limbs and a difference of n limbs are alive at once, in 14 registers."""
    expression = choose(shaped(SPARE, limbs), "add", "add")
    stored = stores(compile_expression(expression, "k", VARIANTS["mulx"]))
    assert stored[:waiting] == [f"z[{limb}]" for limb in range(waiting)]
    assert stored[waiting:] == [f"z[{limb}]" for limb in range(limbs)]
