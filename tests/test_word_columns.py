"""Inner products of primes below 2^31: two columns in registers, words of 64 and of 32 bits."""

from __future__ import annotations

import pytest
from test_columns import call, changes, prove

from fieldc.algorithms.columns import ACCUMULATE, COLLECT
from fieldc.algorithms.sums import NoSums, sums_of
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK, packed, unpacked
from fieldc.machine.code import code_of
from fieldc.machine.columns import ColumnSums, called, check_columns
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.columns import ColumnContract, prove_accumulate
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import ArrayKernel, compile_array
from fieldc.targets.vectors.target import VectorTarget

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")
every_word = pytest.mark.parametrize("word", [64, 32])
EVERY = [target for target in ARRAY_TARGETS.values() if target.least_limbs == 1]
every_target = pytest.mark.parametrize("target", EVERY, ids=lambda target: target.name)
TARGET = ARRAY_TARGETS["avx512f"]
"""The targets that take one limb have the same kernels of words."""


def kernels(f: Field, target: VectorTarget = TARGET) -> tuple[ArrayKernel, ArrayKernel]:
    """Both kernels of a field."""
    sums = sums_of(f)
    add, collect = (
        compile_array(target, expression, name, result, sums.columns)
        for name, (expression, result) in zip((ACCUMULATE, COLLECT), sums.kernels, strict=True)
    )
    return add, collect


def loaded(f: Field, target: VectorTarget = TARGET) -> ColumnSums:
    """Both kernels of a field, to be called."""
    add, collect = kernels(f, target)
    sums, t = sums_of(f), 64 * 2
    one, two = call(f, add, (t, 0, 0)), call(sums.result, collect, (0, t))
    return ColumnSums(f, sums.columns, sums.result, one, two)


@every_target
@every_word
@pytest.mark.parametrize("name", ["babybear", "koalabear", "2^31-1", "3", "65537"])
def test_sums_of_words(name: str, word: int, target: VectorTarget) -> None:
    f = find_field(name, word)
    check_columns(loaded(f, target), () if target.runs_here else (1, 11, 35))
    for made in kernels(f, target):
        proof = prove(made.text, made.symbol, f, sums_of(f).columns)
        assert proof.block > 0 and proof.tail > 0


@every_word
def test_the_longest_sum(word: int) -> None:
    """Columns after all turns but one, of p - 1, take one more block."""
    f = find_field("babybear", word)
    sums = loaded(f)
    turns, terms = sums.columns.turns, sums.columns.terms
    products = terms * (f.p - 1) ** 2
    columns = [(turns - 1) * (products % (1 << 32)), (turns - 1) * (products >> 32)]
    words = find_field("babybear")
    before = b"".join(column.to_bytes(8, "little") * BLOCK for column in columns)
    last = packed(f, [f.p - 1] * BLOCK * terms)
    memory = [bytearray(each) for each in (before, last, last)]
    t, *_ = called(sums.accumulate, BLOCK * terms, *map(bytes, memory))
    z, _ = called(sums.collect, BLOCK, packed(words, [0] * BLOCK), t)
    assert unpacked(words, z, BLOCK) == [turns * products * f.R_inverse % f.p] * BLOCK
    assert sums.most == BLOCK * turns * terms


def test_sums_of_words_take_few_instructions() -> None:
    """Operations on the two vector ports for a block: of eight terms, and of sixteen.

    Seven would do for sixteen if other loads gave the second elements of lanes. On Zen 4 that took
    1.4 times as long where arrays do not begin on a cache line, and 1.1 times where they do.
    """
    wide, short = (kernels(find_field("babybear", word)) for word in (64, 32))
    assert [each.ports for each in wide] == [5, 11]
    assert [each.ports for each in short] == [9, 16]
    assert short[0].elements == 2 * wide[0].elements == 16


@every_word
def test_columns_are_read_and_written_once(word: int) -> None:
    """The loop and its tail touch registers and x and y alone."""
    add, _ = kernels(find_field("babybear", word))
    assert add.held == ("zmm31", "zmm30")
    assert sum("[rsi" in line for line in add.text.splitlines()) == 4


CHANGED = (
    ("zmm31, zmmword ptr [rsi]", "zmm30, zmmword ptr [rsi]"),
    ("zmm31, zmmword ptr [rsi]", "zmm29, zmmword ptr [rsi]"),
    ("zmmword ptr [rsi], zmm31", "zmmword ptr [rsi], zmm30"),
    ("zmmword ptr [rsi + 64], zmm30", "zmmword ptr [rsi + 128], zmm30"),
    ("vpaddq zmm31, zmm31,", "vpaddq zmm31, zmm30,"),
    ("vpaddq zmm31, zmm31,", "vpaddq zmm29, zmm31,"),
    ("vpaddq zmm31, zmm31, zmm0", "vpaddq zmm31, zmm0, zmmword ptr [rsi]"),
    ("    add rdx, 64", "    vmovdqu64 zmmword ptr [rsi], zmm31\n    add rdx, 64"),
    ("vpaddq zmm31, zmm31, zmm2", "vpaddq zmm31, zmm2, zmmword ptr [rsi]"),
    ("vpsrlq zmm0, zmm0, 32", "vpsrlq zmm0, zmm0, 31"),
    ("vpsrlq zmm0, zmm0, 32", "vpsrlq zmm0, zmm1, 32"),
    ("vpsrlq zmm0, zmm0, 32", "vpsrlq zmm0 {k1}, zmm0, 32"),
    ("zmm1, zmmword ptr [rcx]  ", "zmm1, zmmword ptr [rcx + 64]"),
    ("vmovdqu32", "vmovdqu64"),
    ("kmovw", "kmovb"),
    (".word 1\n", ".word 3\n"),
)


@every_word
def test_changed_sums_are_not_proved(word: int) -> None:
    f = find_field("babybear", word)
    add, _ = kernels(f)
    special = [(old, add.text.replace(old, new, 1)) for old, new in CHANGED if old in add.text]
    assert len(special) >= (7 if word == 64 else 14)
    for what, changed in (*special, *changes(add.text)):
        with pytest.raises((ProofError, ValueError)):
            prove(changed, ACCUMULATE, f, sums_of(f).columns)
            pytest.fail(what)


@every_word
def test_loads_and_stores_of_the_loop_have_512_bits(word: int) -> None:
    """EVEX.L'L may name a length that there is not, which the decoder takes for 512 bits."""
    f = find_field("babybear", word)
    columns = sums_of(f).columns
    code = code_of(kernels(f)[0].object, ACCUMULATE)
    contract = ColumnContract(f.p, f.n, columns.turns, columns.bits, word)
    places = [at for at in range(len(code.data)) if code.data[at : at + 4] == b"\x62\x61\xfe\x48"]
    assert len(places) == 4
    for place in places:
        for bit in (0x20, 0x40):
            changed = bytearray(code.data)
            changed[place + 3] ^= bit
            with pytest.raises(ProofError):
                prove_accumulate(bytes(changed), contract, code.start)
                pytest.fail(f"bit {bit:#x} at {place:#x}")


def test_other_columns_are_no_contract() -> None:
    f = find_field("babybear")
    add, _ = kernels(f)
    for words, bits, word_bits in ((2, 32, 64), (1, 31, 64), (1, 52, 32), (1, 32, 16)):
        with pytest.raises(ProofError, match="no columns of"):
            ColumnContract(f.p, words, 16, bits, word_bits).check()
    with pytest.raises(ProofError):
        prove(add.text, ACCUMULATE, find_field("babybear", 32), sums_of(f).columns)


def test_words_of_32_bits_without_a_spare_bit_have_no_sums() -> None:
    for name in ("2^32-5", "2^61-1"):
        with pytest.raises(NoSums, match=r"words of 32 bits take a modulus below 2\^31"):
            sums_of(Field(find_field(name).p, 32, name))
