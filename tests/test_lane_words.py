"""Kernels on arrays whose numbers are whole words: short primes, products of 32 bits, minima."""

from __future__ import annotations

import re

import pytest
from lane_texts import changes, check_refused, lines_of_code, prove_text, text_of
from vector_emulator import check_kernel

from fieldc.algorithms.lane_words import in_halves, is_in_words
from fieldc.algorithms.lanes import in_lanes, in_lanes_by
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import DoesNotApply
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.quotients import Quotients
from fieldc.proof.lanes.words import Lane
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import compile_array

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")
DOUBLES = ARRAY_TARGETS["avx512f"]
SHORT = ARRAY_TARGETS["avx2"]
OPERATIONS = ("add", "sub", "neg", "double", "mul", "square", "mul_add", "butterfly")
PRIMES = ("babybear", "koalabear", "mersenne31", "3", "2^31-19", "2^16+1", "2^61-1")
P = find_field("babybear", 64).p


def field(name: str) -> Field:
    return find_field(name, 64)


@pytest.mark.parametrize("name", PRIMES)
def test_kernels_in_words_are_proved_and_run(name: str) -> None:
    for operation in OPERATIONS:
        expression = in_lanes_by(field(name), operation)
        assert is_in_words(expression.field, expression.kernel)
        made = compile_array(DOUBLES, expression, "kernel")
        assert check_kernel(made, seed=4)
        assert prove_text(made.text, expression).tail > 0


@pytest.mark.parametrize("name", ("babybear", "2^31-19", "3", "2^61-1", "goldilocks"))
def test_words_in_four_lanes_are_proved_and_run(name: str) -> None:
    """Without masks: the smaller lower half is taken, or a sign chooses."""
    for operation in OPERATIONS:
        expression = in_lanes_by(field(name), operation)
        made = compile_array(SHORT, expression, "kernel")
        assert "vmovdqu ymm" in made.text and "zmm" not in made.text
        assert check_kernel(made, seed=4)
        assert prove_text(made.text, expression).tail > 0
    assert not SHORT.takes(field("2^32-5")) and not SHORT.takes(field("2^63-25"))
    assert not SHORT.takes(find_field(name, 32)) and not SHORT.has_sums(field(name))


def test_words_in_four_lanes_take_few_instructions() -> None:
    """Operations on vector ports for eight elements: twice what four take."""
    every = {
        "babybear": (6, 6, 6, 6, 20, 20, 26, 32),
        "2^61-1": (8, 8, 8, 8, 56, 52, 64, 72),
        "goldilocks": (14, 12, 12, 14, 64, 60, 78, 90),
    }
    for name, wanted in every.items():
        for operation, ports in zip(OPERATIONS, wanted, strict=True):
            expression = in_lanes_by(field(name), operation)
            assert compile_array(SHORT, expression, "kernel").ports == ports


FOUR_LANES = (
    ("vpcmpgtq", "vpcmpeqq"),
    ("vpcmpgtq", "vpcmpgtd"),
    ("vblendvpd", "vblendvps"),
    ("vpminud", "vpminuq"),
    ("vpminud", "vpaddq"),
    ("vpmuludq", "vpmuldq"),
    ("vpmuludq", "vpaddq"),
    ("vpsubq", "vpaddq"),
    ("vpaddq", "vpsubq"),
    ("vpsubq", "vpsubd"),
    ("ymmword ptr [rdx + 32]", "ymmword ptr [rdx]"),
    ("ymmword ptr [rsi + 32]", "ymmword ptr [rsi]"),
    ("ymmword ptr [rcx]", "ymmword ptr [rdx]"),
    ("[rax + 32]", "[rax]"),
)


@pytest.mark.parametrize("name", ("goldilocks", "babybear", "2^61-1"))
@pytest.mark.parametrize("operation", ("add", "sub", "mul", "butterfly"))
@pytest.mark.sweep(2)
def test_changed_words_in_four_lanes_are_not_proved(operation: str, name: str) -> None:
    expression = in_lanes_by(field(name), operation)
    text = compile_array(SHORT, expression, "kernel").text
    found = [(old, text.replace(old, new, 1)) for old, new in FOUR_LANES if old in text]
    if "vpcmpgtq" in text:  # 2^63 less and 2^63 more are the same
        found = [(old, changed) for old, changed in found if old != "vpsubq"]
    places = lines_of_code(text)
    lines = text.splitlines()
    found += [
        (f"without {lines[at]}", "\n".join((*lines[:at], *lines[at + 1 :])) + "\n")
        for at in places
        if lines[at].lstrip().startswith("vp")
    ]
    check_refused(text, expression, found, 12)


@pytest.mark.parametrize("operation", OPERATIONS)
def test_kernels_of_goldilocks_are_proved_and_run(operation: str) -> None:
    expression = in_lanes_by(field("goldilocks"), operation)
    assert is_in_words(expression.field, expression.kernel)
    made = compile_array(DOUBLES, expression, "kernel")
    assert check_kernel(made, seed=4)
    proof = prove_text(made.text, expression)
    assert proof.cases > 2


@pytest.mark.parametrize("operation", OPERATIONS[:4])
def test_sums_without_a_spare_bit(operation: str) -> None:
    expression = in_lanes_by(field("2^64-59"), operation)
    made = compile_array(DOUBLES, expression, "kernel")
    assert made.ports == (4 if operation in ("add", "double") else 3)
    assert check_kernel(made, seed=4)
    prove_text(made.text, expression)


@pytest.mark.parametrize("name", ["2^32-5", "2^61-1", "2^63-25"])
@pytest.mark.parametrize("operation", OPERATIONS[:4])
def test_sums_take_words_while_a_bit_is_spare(name: str, operation: str) -> None:
    expression = in_lanes_by(field(name), operation)
    made = compile_array(DOUBLES, expression, "kernel")
    assert made.ports == 3
    assert check_kernel(made, seed=4)
    prove_text(made.text, expression)


def test_ports_of_short_primes() -> None:
    """By hand: four products, a sum after two of them, two shifts, and t or t - p."""
    ports = {
        op: compile_array(DOUBLES, in_lanes_by(field("babybear"), op), "k").ports
        for op in OPERATIONS
    }
    assert (ports["add"], ports["sub"], ports["mul"], ports["square"]) == (3, 3, 10, 10)
    assert (ports["mul_add"], ports["butterfly"]) == (13, 16)


def test_ports_of_longer_primes() -> None:
    """By hand: 17 for both words of a product, and 9 for Goldilocks' sums."""

    def ports(name: str, operation: str) -> int:
        return compile_array(DOUBLES, in_lanes_by(field(name), operation), "k").ports

    assert [ports("goldilocks", op) for op in OPERATIONS] == [4, 3, 3, 4, 26, 24, 30, 33]
    assert [ports("2^61-1", op) for op in ("mul", "square")] == [27, 25]


def test_longer_primes_and_digits_have_no_products_of_words() -> None:
    digits = [in_lanes(field(name)) for name in ("babybear", "goldilocks")]
    for f in (field("2^32-5"), field("2^63-25"), *digits):
        with pytest.raises(DoesNotApply, match=r"below 2\^31, 2\^61 - 1 or 2\^64 - 2\^32 \+ 1"):
            in_halves(f)
        expression = in_lanes_by(f, "mul")
        assert not is_in_words(f, expression.kernel)


CHANGES = (
    ("vpminuq", "vpmaxuq"),
    ("vpminuq", "vpminsq"),
    ("vpmuludq", "vpmuldq"),
    ("vpmuludq", "vpmullq"),
    ("vpaddq", "vpsubq"),
    ("vpsubq", "vpaddq"),
    ("vpsrlq", "vpsllq"),
    ("vpcmpltuq", "vpcmpleuq"),
    ("vpcmpltuq", "vpcmpltq"),
    (" {k2}, ", ", "),
    (" {k2}, ", " {k2}{z}, "),
    (" {k2}, ", " {k1}, "),
    (" {k2}, ", " {k3}, "),
    ("vpcmpltuq k2", "vpcmpltuq k1"),
    (", 32 ", ", 31 "),
    (", 32 ", ", 33 "),
    ("add rdx, 64", "add rdx, 128"),
    ("{k1}{z}", "{k1}"),
    (".byte 1\n", ".byte 3\n"),
    ("imul rdi, rdi, 1", "imul rdi, rdi, 2"),
)


@pytest.mark.parametrize("operation", ["mul", "sub", "add"])
@pytest.mark.parametrize("name", ["babybear", "goldilocks"])
def test_changed_kernels_of_words_are_not_proved(name: str, operation: str) -> None:
    expression = in_lanes_by(field(name), operation)
    text = text_of(DOUBLES, expression)
    bits = (0, 1, 31)  # a product reads the low half alone
    check_refused(text, expression, list(changes(text, CHANGES, bits)), 20)


def test_a_mask_register_that_there_is_not() -> None:
    """The decoder takes these bytes for k2, and the processor for no instruction."""
    expression = in_lanes_by(field("goldilocks"), "sub")
    text = text_of(DOUBLES, expression)
    place = re.search(r"    vpcmpltuq k2, zmm(\d), zmm(\d)\n", text)
    assert place is not None
    a, b = map(int, place.groups())
    for first, is_right in ((0xF3, True), (0xE3, False), (0x73, False), (0x63, False)):
        code = (0x62, first, 0x85 | (~a & 15) << 3, 0x48, 0x1E, 0xD0 | b, 0x01)
        changed = text.replace(place[0], f"    .byte {', '.join(map(hex, code))}\n", 1)
        if is_right:
            prove_text(changed, expression)
            continue
        with pytest.raises(ProofError, match=r"there is not|are no instruction"):
            prove_text(changed, expression)


def test_another_prime_is_not_proved() -> None:
    for operation in ("mul", "add", "double"):
        text = text_of(DOUBLES, in_lanes_by(field("babybear"), operation))
        with pytest.raises(ProofError):
            prove_text(text, in_lanes_by(field("koalabear"), operation))


def test_the_low_half_is_zero_only_for_the_right_multiple() -> None:
    n = field("babybear").n0 % 2**32
    for c, m, is_zero in ((P, n, True), (P, n + 2, False), (P + 2, n, False), (P, n - 1, False)):
        lane = Lane()
        (x,), (y,) = (lane.operand(name, 1, 64, P - 1) for name in "xy")
        t = lane.half_product(x, y)
        q = lane.low_bits(lane.half_product(t, lane.constant(m)), 32)
        cleared = lane.sum(t, lane.half_product(q, lane.constant(c)))
        assert (lane.low_bits(cleared, 32).number == 0) == is_zero
        assert lane.low_bits(lane.sum(cleared, lane.constant(1)), 32).number is None
        assert lane.low_bits(lane.sum(cleared, x), 32).number is None


def test_nothing_is_known_to_be_cleared_at_first() -> None:
    lane = Lane()
    (x,) = lane.operand("x", 1, 64, 2**64 - 1)
    assert not Quotients().clear(x)
    assert not Quotients().clear(lane.constant(0))


def test_the_smaller_word_has_no_sign() -> None:
    """-1 is the largest word, so 5 is the smaller one of both."""
    lane = Lane()
    assert lane.smaller(lane.constant(5), lane.constant(-1)).number == 5
    assert lane.smaller(lane.constant(-1), lane.constant(5)).number == 5
    assert lane.smaller(lane.constant(-1), lane.constant(-2)).number == 2**64 - 2
    (x,) = lane.operand("x", 1, 64, 2**64 - 1)
    assert lane.smaller(x, lane.constant(-1)).key == x.key
    mask = lane.shift_right(lane.sum(lane.low_bits(x, 32), lane.constant(5), -1), 63, signed=True)
    with pytest.raises(ProofError, match="a mask is compared"):
        lane.smaller(mask, x)


def test_both_cases_of_a_minimum_are_asked_for() -> None:
    for negative in (True, False):
        lane = Lane((negative,))
        (x,) = lane.operand("x", 1, 64, 2 * P - 1)
        less = lane.sum(x, lane.constant(P), -1)
        assert lane.smaller(x, less).key == (x.key if negative else less.key)
        assert [sign for _, sign in lane.signs.values()] == [negative]
