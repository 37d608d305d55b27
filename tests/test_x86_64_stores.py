"""Words that wait in z: which do, and that sums of many limbs need no stack for others."""

import pytest
from primes import shaped

from fieldc.algorithms import choose
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.conventions import CONVENTIONS, Convention
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression
from fieldc.targets.x86_64.operands import Memory

SUMS = (
    ("add", "add"),
    ("double", "double"),
    ("sub", "sub"),
    ("sub", "select"),
)


def compiled(operation: str, algorithm: str, limbs: int, convention: Convention) -> X86Kernel:
    f = shaped("three-spare", limbs)
    expression = choose(f, operation, algorithm)
    return compile_expression(expression, "k", VARIANTS["mulx"], convention)


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
@pytest.mark.parametrize(("operation", "algorithm"), SUMS)
@pytest.mark.parametrize("convention", CONVENTIONS.values(), ids=CONVENTIONS)
def test_sums_need_no_frame(
    operation: str, algorithm: str, limbs: int, convention: Convention
) -> None:
    assert compiled(operation, algorithm, limbs, convention).frame == 0


@pytest.mark.parametrize(("limbs", "waiting"), [(7, 0), (8, 2), (9, 4), (12, 10)])
def test_the_lowest_limbs_wait_that_find_no_register(limbs: int, waiting: int) -> None:
    """A sum of n limbs and a difference of n limbs are alive at once, in 14 registers."""
    kernel = compiled("add", "add", limbs, CONVENTIONS["sysv"])
    stored = stores(kernel)
    assert stored[:waiting] == [f"z[{limb}]" for limb in range(waiting)]
    assert stored[waiting:] == [f"z[{limb}]" for limb in range(limbs)]
