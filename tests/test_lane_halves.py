"""Kernels on arrays of 32-bit words: sixteen elements, two of them in each lane."""

from __future__ import annotations

import ctypes
import random
from pathlib import Path

import pytest
from lane_texts import changes, check_refused, prove_text, text_of
from test_lanes import Pages
from vector_emulator import EmulatedFunction, check_kernel, loaded

from fieldc import cli
from fieldc.algorithms.lanes import in_lanes_by
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import DoesNotApply
from fieldc.machine.arrays import check_arrays, packed, size, unpacked
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.halves import Halves, compute, split
from fieldc.proof.lanes.words import Lane
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import compile_array

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")
TARGET = ARRAY_TARGETS["avx512f"]
OPERATIONS = ("add", "sub", "neg", "double", "mul", "square", "mul_add", "butterfly")
PRIMES = ("babybear", "koalabear", "mersenne31", "3", "2^31-19", "2^16+1")


def field(name: str) -> Field:
    return find_field(name, 32)


@pytest.mark.parametrize("name", PRIMES)
def test_kernels_on_short_words_are_proved_and_run(name: str) -> None:
    for operation in OPERATIONS:
        expression = in_lanes_by(field(name), operation)
        made = compile_array(TARGET, expression, "kernel")
        assert made.elements == 16
        assert check_kernel(made, seed=6)
        if operation != "butterfly" or name == "babybear":  # of many cases
            assert prove_text(made.text, expression).tail > 0


@pytest.mark.parametrize("operation", ["mul", "sub"])
def test_the_emulator_runs_them_at_every_length(operation: str) -> None:
    expression = in_lanes_by(field("babybear"), operation)
    made = compile_array(TARGET, expression, "kernel")
    assert check_arrays(EmulatedFunction(made.object, "kernel", expression), 7, (1, 15, 16, 33))


def test_ports_of_sixteen_elements() -> None:
    """By hand: six products, two shifts, two sums, one move of halves, and t or t - p."""
    made = [compile_array(TARGET, in_lanes_by(field("babybear"), op), "k") for op in OPERATIONS]
    assert [each.ports for each in made] == [3, 3, 3, 3, 13, 12, 16, 19]
    assert not any(each.block.spills for each in made)


def test_arrays_of_short_words_lie_side_by_side() -> None:
    f = field("babybear")
    values = [1, 2, f.p - 1]
    data = packed(f, values)
    assert data == b"".join(value.to_bytes(4, "little") for value in values)
    assert size(f, 3) == 12
    assert unpacked(f, data, 3) == values


@pytest.mark.parametrize("name", ["2^32-5", "goldilocks", "bls12-381-r"])
def test_longer_primes_are_refused(name: str) -> None:
    for operation in OPERATIONS:
        with pytest.raises(DoesNotApply, match="32-bit words take a modulus below 2"):
            in_lanes_by(field(name), operation)


@pytest.mark.skipif(not TARGET.runs_here, reason="this processor lacks AVX-512 F")
def test_nothing_beside_the_arrays_is_touched() -> None:
    f = field("babybear")
    function = loaded(compile_array(TARGET, in_lanes_by(f, "mul"), "kernel"))
    draw = random.Random(5)
    for count in range(36):
        x, y = ([draw.randrange(f.p) for _ in range(count)] for _ in range(2))
        for at_end in (True, False):
            areas = [Pages(max(1, size(f, count))) for _ in range(3)]
            arrays = (bytes(size(f, count)), packed(f, x), packed(f, y))
            places = [a.put(data, at_end) for a, data in zip(areas, arrays, strict=True)]
            function.at(count, *places)
            found = unpacked(f, ctypes.string_at(places[0], size(f, count)), count)
            assert found == [a * b * f.R_inverse % f.p for a, b in zip(x, y, strict=True)]


CHANGES = (
    ("vpminud", "vpmaxud"),
    ("vpminud", "vpminsd"),
    ("vpminud", "vpminuq"),
    ("vpmuludq", "vpmuldq"),
    ("vpaddq", "vpaddd"),
    ("vpsubd", "vpsubq"),
    ("vpsubd", "vpaddd"),
    ("vmovshdup", "vmovsldup"),
    (" {k2}, ", " {k2}{z}, "),
    (" {k2}, ", ", "),
    (" {k2}, ", " {k1}, "),
    ("21845", "43690"),
    ("21845", "21844"),
    ("kmovw k2", "kmovb k2"),
    ("kmovw k1", "kmovb k1"),
    ("vmovdqu32", "vmovdqu64"),
    ("vmovdqu64 zmm0, zmmword", "vmovdqu64 zmm0 {k1}{z}, zmmword"),
    ("sub rdi, 16", "sub rdi, 8"),
    ("add rdi, 16", "add rdi, 8"),
    ("imul rdi, rdi, 2", "imul rdi, rdi, 1"),
    ("add rcx, 64", "add rcx, 32"),
    ("{k1}{z}", "{k1}"),
    (".word 7\n", ".word 15\n"),
    (".word 32767\n", ".word 65535\n"),
    (", 32 ", ", 31 "),
)


@pytest.mark.parametrize("operation", ["mul", "sub", "add"])
def test_changed_kernels_are_not_proved(operation: str) -> None:
    expression = in_lanes_by(field("babybear"), operation)
    text = text_of(TARGET, expression)
    bits = (0, 31) if "vpmuludq" in text else (0, 31, 32, 63)
    check_refused(text, expression, list(changes(text, CHANGES, bits)), 30)


def test_a_kernel_of_another_width_is_not_proved() -> None:
    short, long = field("babybear"), find_field("babybear", 64)
    for this, other in ((short, long), (long, short)):
        with pytest.raises(ProofError):
            prove_text(text_of(TARGET, in_lanes_by(this, "add")), in_lanes_by(other, "add"))


def test_halves_wrap_alone() -> None:
    lane = Lane()
    a = split(lane, lane.constant(2**32 - 1))
    b = split(lane, lane.constant(2**32 + 1))
    total = compute(lane, "vpaddd", a, b)
    assert (total.low.number, total.high.number) == (0, 1)
    less = compute(lane, "vpsubd", total, b)
    assert (less.low.number, less.high.number) == (2**32 - 1, 0)
    least = compute(lane, "vpminud", less, Halves(lane.constant(5), lane.constant(7)))
    assert (least.low.number, least.high.number) == (5, 0)
    with pytest.raises(ProofError, match="may not fit"):
        lane.unsigned(lane.constant(2**34), 32)


def test_build_and_prove_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "made"
    words = ["build", "babybear", "--batch", "--word", "32"]
    assert cli.main([*words, "--op", "add,mul", "-o", str(folder)]) == 0
    header = (folder / "fieldc_babybear_arrays.h").read_text()
    assert "fieldc_babybear_mul_array32_avx512" in header
    assert "size_t count, uint32_t *z, const uint32_t *x, const uint32_t *y" in header
    assert cli.main(["prove", str(folder)]) == 0
    assert capsys.readouterr().out.count("PROVED") >= 4
    assert cli.main(["build", "goldilocks", *words[2:], "-o", str(tmp_path / "no")]) == 2
    assert "below 2^31, not goldilocks" in capsys.readouterr().err
