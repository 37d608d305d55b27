"""The bounds of the algorithms are those of evidence.md, and errors say what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from primes import (
    NAMES,
    cios_bound,
    log_jump_bound,
    named_field,
    named_kernel,
    random_field,
    ranged,
    shaped,
    shapes,
)
from sampling import sampled

from fieldc.algorithms import KERNELS, OFFERED, STUDIED, choose
from fieldc.errors import ERROR_WIDTH, UserError
from fieldc.field import Field
from fieldc.language import BoundError, Integer, Kernel, Residue, kernel, select

P = 2**61 - 1
EVIDENCE: dict[tuple[str, str], str] = {
    ("bls12-381-p", "cios"): "1.10",
    ("bls12-381-p", "log-jump"): "1.64",
    ("bls12-381-r", "cios"): "1.45",
    ("bls12-381-r", "log-jump"): "2.45",
    ("bn254-p", "cios"): "1.19",
    ("bn254-p", "log-jump"): "1.72",
    ("fp254bnb-p", "cios"): "1.15",
    ("fp254bnb-p", "log-jump"): "1.18",
    ("curve25519", "cios"): "1.50",
    ("curve25519", "log-jump"): "2.03",
    ("bls12-377-p", "cios"): "1.01",
    ("bls12-377-p", "log-jump"): "1.53",
    ("secp256k1-p", "cios"): "2.00",
    ("p256", "cios"): "2.00",
    ("p384", "cios"): "2.00",
}
"""In units of p; the constants of the bounds table, to the nearest hundredth."""


def unreduced(k: Kernel, f: Field) -> Integer:
    """t before the last subtraction, also where the bound does not hold."""
    inputs = (ranged(0, bound.high(f), name) for name, bound in k.operands)
    result = k.function(f, *inputs)
    assert isinstance(result, Integer) and result.op == "select"
    return result.args[0]


def hundredths(value: int, p: int) -> str:
    """value / p, to the nearest hundredth, in exact arithmetic."""
    nearest = (200 * value + p) // (2 * p)
    return f"{nearest // 100}.{nearest % 100:02d}"


@pytest.mark.parametrize(("name", "algorithm"), EVIDENCE)
def test_the_bounds_table_of_the_evidence(name: str, algorithm: str) -> None:
    f = named_field(name)
    t = unreduced(named_kernel("mul", algorithm), f)
    assert hundredths(t.high, f.p) == EVIDENCE[name, algorithm]
    if f.spare_bits == 0:
        assert t.high < 2 * f.p
    if f.spare_bits:
        square = unreduced(named_kernel("square", algorithm), f)
        assert hundredths(square.high, f.p) == EVIDENCE[name, algorithm]


ALL_FIELDS: list[Callable[[], Field]] = [
    *(lambda name=name, w=w: named_field(name, w) for name in NAMES for w in (64, 32)),
    *(lambda s=s, n=n: shaped(s, n) for n in range(2, 7) for s in shapes(n)),
    *(lambda b=b: random_field(1, 64, b) for b in range(50, 400, 7)),
]


@pytest.mark.parametrize("start", range(4))
def test_the_bounds_are_those_of_the_recurrences(start: int) -> None:
    for make in ALL_FIELDS[start::4]:
        f = make()
        assert unreduced(named_kernel("mul", "cios"), f).high == cios_bound(f), f.label
        assert unreduced(named_kernel("mul", "log-jump"), f).high == log_jump_bound(f), f.label


def test_every_trace_keeps_its_contract() -> None:
    for name in NAMES:
        f = named_field(name)
        for k in KERNELS:
            try:
                expression = k.expression(f)
            except BoundError:
                continue
            assert 0 <= expression.result.low <= expression.result.high <= f.p - 1
            assert [i.name for i in expression.inputs] == [
                n for n, r in k.operands for _ in range(r.count)
            ]


# A bound that does not hold


@pytest.mark.parametrize(
    ("name", "operation", "algorithm"),
    [
        ("bls12-381-r", "mul", "log-jump"),
        ("curve25519", "mul", "log-jump"),
        ("secp256k1-p", "mul", "log-jump"),
        ("secp256k1-p", "square", "cios"),
        ("fp254bnb-r", "square", "log-jump"),
    ],
)
def test_a_bound_error_names_kernel_field_bound_and_excess(
    name: str, operation: str, algorithm: str
) -> None:
    f = named_field(name)
    t = unreduced(named_kernel(operation, algorithm), f).high
    excess = t - f.p - (f.p - 1)
    assert excess > 0
    with pytest.raises(BoundError) as error:
        choose(f, operation, algorithm)
    message = str(error.value)
    assert "\n" not in message
    for part in (operation, algorithm, name, "< p", f"{excess:#x}"):
        assert part in message
    said = [float(number) for number in re.findall(r"(\d+\.\d\d)p", message)]
    true = [t / f.p, (t - f.p) / f.p, excess / f.p]
    assert said == pytest.approx(true, abs=0.0101)


def test_a_result_below_zero_is_a_bound_error() -> None:
    @kernel("difference")
    def difference(f: Field, x: Residue, y: Residue) -> Residue:
        return x - y

    with pytest.raises(
        BoundError, match=r"difference .* as low as -(0\.99|1\.00)p, it must be >= 0"
    ):
        difference.expression(Field(P))


def test_a_subtraction_too_few_is_a_bound_error() -> None:
    @kernel("triple", "once")
    def triple(f: Field, x: Residue) -> Residue:
        d = x + x + x - f.p
        return select(d < 0, x + x + x, d)

    with pytest.raises(BoundError, match=r"triple \(once\) for 0x"):
        triple.expression(Field(P))


@pytest.mark.parametrize("word", sampled([64], [32]))
def test_what_does_not_hold_fits_a_line(word: int):
    """No message loses its middle: a long prime and a long excess show their ends.

    This holds below the width of a line too: 2^511 - 187 has 130 digits.
    """
    refused = 0
    for p in (2**768 - 825, 2**511 - 187, 2**128 - 159, 2**1000 + 12346077):
        field = Field(p, word)
        for of in (*KERNELS, *STUDIED, *OFFERED):
            try:
                of.expression(field)
            except UserError as error:
                refused += 1
                assert len(str(error)) <= ERROR_WIDTH, error
                assert f"{p:x}" not in str(error), error
    assert refused
