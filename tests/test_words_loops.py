"""The looped form: rows become turns of a loop, and what is not made of rows is refused."""

from __future__ import annotations

import pytest
from test_c import PRIMES

from fieldc.algorithms import KERNELS, choose
from fieldc.algorithms.reduction import subtract_once
from fieldc.field import Field
from fieldc.language import BoundError, Residue, kernel
from fieldc.targets.rust.looped import print_rust_looped
from fieldc.targets.source import WordSizeError
from fieldc.words.loops import NoLoops, has_loops, loops
from fieldc.words.statements import AddProduct, Index, Loop, Quotient

BLS12_381, SECP256K1 = Field(PRIMES[0]), Field(PRIMES[3])


@kernel("sums")
def two_sums(f: Field, x: Residue, y: Residue) -> Residue:
    """2*(x + y) mod p, with two sums at a time."""
    t = (x + y) + ((y + x) << f.word >> f.word)
    return subtract_once(subtract_once(t, 2 * f.p), f.p)


def test_a_multiplication_is_one_loop_of_rows():
    program = loops(choose(BLS12_381, "mul", "cios"))
    loop = next(part for part in program.body if isinstance(part, Loop))
    product, quotient, reduction = loop.body
    assert (loop.turns, program.arrays, program.at) == (6, {"t": 12, "d": 6}, 6)
    assert isinstance(product, AddProduct) and isinstance(reduction, AddProduct)
    assert (product.row, product.factor, reduction.row, reduction.factor) == ("x", "y", "P", "q")
    assert product.at == product.factor_at == reduction.at == Index(0, 1)
    assert quotient == Quotient("t", Index(0, 1), "N0")
    # The bounds show that a row ends in one limb of carry; modulo a prime without spare bits, two.
    assert product.above == Index(1)
    full = next(p for p in loops(choose(SECP256K1, "mul", "cios")).body if isinstance(p, Loop))
    assert {part.above for part in full.body if isinstance(part, AddProduct)} == {Index(2)}


def test_rows_of_a_square_get_shorter():
    program = loops(choose(BLS12_381, "square", "cios"))
    loop = next(part for part in program.body if isinstance(part, Loop))
    rows = [part for part in loop.body if isinstance(part, AddProduct)]
    assert (rows[0].at, rows[0].count) == (Index(0, 2), Index(6, -1))


@pytest.mark.parametrize("field", [BLS12_381, SECP256K1, Field(3), Field(PRIMES[0], 32)])
def test_every_algorithm_is_made_of_rows(field: Field):
    for each in KERNELS:
        try:
            expression = each.expression(field)
        except BoundError:
            continue
        assert has_loops(expression), (each.operation, each.algorithm)


def test_the_text_has_the_loops():
    text = print_rust_looped(choose(BLS12_381, "mul", "cios"), "mul")
    for line in (
        "    for i in 0..6 {\n        let mut carry = 0;\n        for j in 0..6 {\n",
        "            (t[i + j], carry) = mac(t[i + j], x[j], y[i], carry);\n",
        "        let q = t[i].wrapping_mul(N0);\n",
    ):
        assert line in text
    assert text.count("mac(") == 3 and "unsafe" not in text
    assert text == print_rust_looped(choose(BLS12_381, "mul", "cios"), "mul")


def test_what_is_not_rows_is_refused():
    expression = two_sums.expression(BLS12_381)
    assert not has_loops(expression)
    why = r"sums \(sums\) has no looped form, for it adds two sums: use the target rust"
    with pytest.raises(NoLoops, match=why):
        print_rust_looped(expression, "sums")


def test_a_word_that_rust_lacks_is_refused():
    with pytest.raises(WordSizeError, match="Rust has no 8-bit words; use 64 or 32"):
        print_rust_looped(choose(Field(13, 8), "add"), "add")
