"""Products of an element with a plain integer: bounds, words, proofs, and what must be refused."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import pytest
from primes import named_field, shaped
from test_studied import ON_X86_64

from fieldc.algorithms import choose, every_kernel_for
from fieldc.algorithms.integers import remainder, times_integer
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.field import Field
from fieldc.language import BoundError, DoesNotApply, Expression, Kernel, Number
from fieldc.machine.assemble import assemble
from fieldc.operations import OPERATIONS, mul_integer
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract, contract_of
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU

SIZES = (64, 128)


def code_of(expression: Expression) -> tuple[str, KernelCode]:
    """The text of a kernel for adx, and its bytes."""
    text = compile_expression(expression, "k", VARIANTS["adx"]).text(GNU)
    return text, function_of(assemble(text), "k")


def contract(f: Field, bits: int) -> Contract:
    """What the prover is asked to show."""
    return contract_of(f"mul_u{bits}", f.p, f.n)


@pytest.mark.parametrize("bits", SIZES)
def test_the_product_keeps_the_form_of_x(bits: int) -> None:
    draw = random.Random(bits)
    for name in ("bn254-p", "bls12-381-p", "secp256k1-p", "curve25519", "p521"):
        f = named_field(name)
        kernel = choose(f, f"mul_u{bits}").kernel
        for _ in range(20):
            x, k = draw.randrange(f.p), draw.choice((draw.getrandbits(bits), (1 << bits) - 1, 0))
            found = kernel.run(f, f.to_montgomery(x), k)
            assert found == f.to_montgomery(x * k % f.p)


def test_one_limb_of_k_takes_a_row_of_x_one_of_p_and_one_product() -> None:
    for name in ("bn254-p", "bls12-381-p", "bls12-381-r"):
        f = named_field(name)
        expression = choose(f, "mul_u64", "barrett")
        assert expression.subtractions == 1 and expression.unreduced < 2 * f.p
        assert code_of(expression)[0].count("mulx ") == 2 * f.n + 1


def test_where_p_leaves_room_the_estimate_begins_before_carries_are_known() -> None:
    """Below 2p even where the row's carry is left out of the limb that the estimate begins with."""
    for name, is_early in (("bls12-381-r", True), ("bn254-p", False), ("bls12-381-p", False)):
        f, draw = named_field(name), random.Random(2)
        expression = choose(f, "mul_u64", "barrett")
        assert expression.unreduced < 2 * f.p
        assert ("shld" in code_of(expression)[0]) is not is_early
        rest = (1 << f.word * (f.n - 1)) - 1
        for _ in range(200):
            k = draw.choice((draw.getrandbits(64), (1 << 64) - 1, 1 << draw.randrange(64)))
            x = min(draw.randrange(f.p) | draw.choice((0, rest)), f.p - 1)
            assert expression.kernel.run(f, x, k) == x * k % f.p


def test_above_a_power_of_two_a_row_is_as_long_as_what_is_above_it() -> None:
    expression = choose(named_field("pallas"), "mul_u64")
    assert expression.kernel.algorithm == "above-power" and expression.subtractions == 0
    assert code_of(expression)[0].count("mulx ") == 4 + 2
    with pytest.raises(DoesNotApply, match="c of few bits"):
        choose(named_field("bls12-381-r"), "mul_u64", "above-power")


def test_the_bounds_decide_how_often_p_is_subtracted() -> None:
    """Of sums of products too: the estimate stays right, and what is left grows by their count."""
    f, draw = named_field("bls12-381-r"), random.Random(1)
    for terms, most in ((1, 1), (2, 2), (100, 7)):

        def total(f: Field, x: Number, k: Number, terms: int = terms) -> Number:
            return remainder(f, times_integer(f, x, k, 1) * terms, 1)

        kernel = Kernel(mul_integer(64), "sum", total)
        assert kernel.expression(f).subtractions <= most
        for k in (0, draw.getrandbits(64), (1 << 64) - 1):
            for x in (f.p - 1, draw.randrange(f.p)):
                assert kernel.run(f, x, k) == terms * x * k % f.p
    with pytest.raises(BoundError):
        Kernel(mul_integer(64), "none", lambda f, x, k: times_integer(f, x, k, 1)).expression(f)


def test_an_integer_longer_than_p_is_refused_in_a_line() -> None:
    with pytest.raises(DoesNotApply, match="needs a prime of 2 limbs or near") as error:
        choose(find_field("babybear"), "mul_u128", "barrett")
    assert "\n" not in str(error.value)


@pytest.mark.usefixtures("no_progress")
@pytest.mark.parametrize(
    "words", [["show"], ["build", "--target", "c"], ["build", "--package", "c"], ["bench"]]
)
@pytest.mark.parametrize("kind", ["U128", "I128"])
def test_a_formula_with_such_an_integer_names_its_line(
    words: list[str], kind: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "scaled.py"
    text = f"from fieldc.formulas import {kind}, Element, formula\n\n@formula\n"
    path.write_text(f"{text}def f(x: Element, k: {kind}) -> Element:\n    return x + x * k\n")
    to = ["-o", str(tmp_path / "o")] if words[0] == "build" else []
    assert main([words[0], "babybear", *words[1:], "--formula", str(path), *to]) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1 and "scaled.py:5: a product with 2 limbs needs" in error, error


@ON_X86_64
@pytest.mark.sweep(5)
@pytest.mark.parametrize("name", ["bn254-p", "bls12-381-r", "curve25519", "secp256k1-n", "pallas"])
@pytest.mark.parametrize("bits", SIZES)
def test_what_is_proved_and_what_is_not(name: str, bits: int) -> None:
    f = named_field(name)
    code = code_of(choose(f, f"mul_u{bits}"))[1]
    asked = contract(f, bits)
    prove(code.code, asked, start=code.start)
    x, k = asked.operands
    for wrong in (
        replace(asked, high=f.p - 2),
        replace(asked, factor=3),
        replace(asked, operands=(x, replace(k, limbs=k.limbs + 1, high=(k.high << 64) + 1))),
        contract_of("mul", f.p, f.n),
    ):
        with pytest.raises(ProofError):
            prove(code.code, wrong, start=code.start)


@ON_X86_64
def test_x_must_be_as_small_as_the_contract_says() -> None:
    f = named_field("bn254-p")
    code, asked = code_of(choose(f, "mul_u64"))[1], contract(f, 64)
    x, k = asked.operands
    with pytest.raises(ProofError):
        larger = replace(asked, operands=(replace(x, high=2 * f.p - 1), k))
        prove(code.code, larger, start=code.start)


@ON_X86_64
def test_a_flipped_bit_of_the_estimate_or_of_p_is_refused() -> None:
    f = named_field("bn254-p")
    code = code_of(choose(f, "mul_u64"))[1]
    words = [word.to_bytes(8, "little") for word in f.limbs(f.p)]
    estimate = (((1 << 64 * (f.n + 1)) - 1) // (f.p << 2) - (1 << 64)).to_bytes(8, "little")
    for word in (*words, estimate):
        place = code.code.index(word) + 7  # its highest byte
        changed = bytearray(code.code)
        changed[place] ^= 1
        with pytest.raises(ProofError):
            prove(bytes(changed), contract(f, 64), start=code.start)


def test_every_size_has_a_record_and_an_algorithm() -> None:
    for bits in SIZES:
        record = OPERATIONS[f"mul_u{bits}"]
        assert [bound.says for _, bound in record.operands] == ["< p", f"< 2^{bits}"]
        assert len(every_kernel_for(record.name)) == 3
    assert choose(shaped("one-spare", 2), "mul_u128").kernel.algorithm == "barrett"
