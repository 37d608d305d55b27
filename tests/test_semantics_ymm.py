"""Instructions on vectors of 256 bits: the emulator's meanings and the prover's, by processor."""

from __future__ import annotations

import ctypes
import random

import pytest
from vector_emulator import Emulator, number_of
from vector_words import DIGIT, doubles, evaluate, thunk

from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.block import BlockLayout, BlockRun
from fieldc.proof.lanes.doubles import Double
from fieldc.proof.lanes.four_lanes import YMM_MEANINGS
from fieldc.proof.lanes.step import step
from fieldc.proof.lanes.word import Word
from fieldc.proof.lanes.words import Lane
from fieldc.proof.x86_64.decode import decode

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")

RADIX = 1 << 64
WORDS = (0, 1, RADIX - 1, 1 << 63, (1 << 63) - 1, DIGIT - 1, DIGIT, 0xFFFFFFFF)
FORMS = (
    "vpaddq ymm1, ymm2, ymm3",
    "vpaddq ymm1, ymm2, ymmword ptr [rdi + 64]",
    "vpsubq ymm1, ymm2, ymm3",
    "vpand ymm1, ymm2, ymm3",
    "vpxor ymm1, ymm2, ymm2",
    "vpmuludq ymm1, ymm2, ymm3",
    "vpminud ymm1, ymm2, ymm3",
    "vpcmpgtq ymm1, ymm2, ymm3",
    "vpcmpgtq ymm1, ymm2, ymmword ptr [rdi + 64]",
    "vpsrlq ymm1, ymm2, 52",
    "vpsllq ymm1, ymm2, 12",
    "vblendvpd ymm1, ymm2, ymm3, ymm1",
    "vblendvpd ymm1, ymm2, ymmword ptr [rdi + 64], ymm3",
    "vpunpcklqdq ymm1, ymm2, ymm3",
    "vpunpckhqdq ymm1, ymm2, ymm3",
    "vinserti128 ymm1, ymm2, xmm3, 1",
    "vinserti128 ymm1, ymm2, xmmword ptr [rdi + 72], 1",
    "vextracti128 xmm1, ymm2, 1",
    "vextracti128 xmmword ptr [rdi + 8], ymm2, 1\nvmovdqu ymm1, ymmword ptr [rdi]",
    "vmovdqu xmm1, xmmword ptr [rdi + 24]",
    "vmovdqu xmmword ptr [rdi + 8], xmm2\nvmovdqu ymm1, ymmword ptr [rdi]",
    "vmovdqa ymm1, ymm3",
    "vpbroadcastq ymm1, qword ptr [rdi + 72]",
    "vpmaskmovq ymm1, ymm2, ymmword ptr [rdi + 64]",
    "vpmaskmovq xmm1, xmm2, xmmword ptr [rdi + 72]",
    "vpmaskmovq ymmword ptr [rdi], ymm2, ymm3\nvmovdqu ymm1, ymmword ptr [rdi]",
    "vpmaskmovq xmmword ptr [rdi + 8], xmm2, xmm3\nvmovdqu ymm1, ymmword ptr [rdi]",
)
DOUBLE_FORMS = ("vfmadd231pd ymm1, ymm2, ymm3", "vsubpd ymm1, ymm2, ymm3")
NEAREST, TO_ZERO = 0x1F80, 0x7F80
LOADS = """
    vstmxcsr dword ptr [rsp - 8]
    vldmxcsr dword ptr [rdi + 96]
    vmovdqu ymm1, [rdi]
    vmovdqu ymm2, [rdi + 32]
    vmovdqu ymm3, [rdi + 64]
"""
STORES = """
    vmovdqu [rdi], ymm1
    vldmxcsr dword ptr [rsp - 8]
"""
"""Three vectors and MXCSR are loaded, and the first vector is stored."""


def both(text: str, words: list[int], mxcsr: int = NEAREST) -> tuple[list[int], list[int]]:
    """The first vector after the text, by the processor and by the emulator."""
    routine, _, alone = thunk(LOADS, text, STORES)
    for_emulator, for_processor = ((ctypes.c_uint64 * 13)(*words, mxcsr) for _ in range(2))
    address = ctypes.addressof(for_emulator)
    machine = Emulator(alone, [(address, 96)])
    machine.registers["rdi"], machine.mxcsr = address, mxcsr
    for number in range(3):
        held = tuple(words[4 * number : 4 * number + 4])
        machine.vectors[f"zmm{number + 1}"] = (*held, *held)
    machine.run(0)
    routine(ctypes.addressof(for_processor))
    assert machine.vectors["zmm1"][4:] == (0,) * 4
    return list(for_processor[:4]), list(machine.vectors["zmm1"][:4])


@pytest.fixture
def _has_instructions() -> None:
    if lacking := missing(("avx2", "fma")):
        pytest.skip(f"this processor lacks {lacking}")


@pytest.mark.usefixtures("_has_instructions")
@pytest.mark.parametrize("text", FORMS)
def test_the_emulator_and_the_processor_agree_on_words(text: str) -> None:
    draw = random.Random(text)
    for _ in range(60):
        words = [draw.choice((draw.randrange(RADIX), draw.choice(WORDS))) for _ in range(12)]
        there, here = both(text, words)
        assert there == here, text


@pytest.mark.usefixtures("_has_instructions")
@pytest.mark.parametrize("mxcsr", [NEAREST, TO_ZERO])
def test_the_emulator_and_the_processor_agree_on_products(mxcsr: int) -> None:
    draw = random.Random(mxcsr)
    source = doubles(draw)
    for _ in range(200):
        words = [next(source) for _ in range(12)]
        there, here = both(DOUBLE_FORMS[0], words, mxcsr)
        assert [number_of(w) for w in there] == [number_of(w) for w in here]


@pytest.mark.usefixtures("_has_instructions")
def test_the_emulator_and_the_processor_agree_on_differences() -> None:
    draw = random.Random(2)
    source = doubles(draw)
    for _ in range(200):
        there, here = both(DOUBLE_FORMS[1], [next(source) for _ in range(12)])
        assert [number_of(w) for w in there] == [number_of(w) for w in here]


def test_every_instruction_on_the_list_is_tested() -> None:
    tested = {line.split()[0] for text in (*FORMS, *DOUBLE_FORMS) for line in text.split("\n")}
    assert {*YMM_MEANINGS} == tested


def ran(text: str, lane: Lane, words: list[tuple[object, ...]], to_zero: bool = False) -> BlockRun:
    """A block after an instruction, whose registers ymm1 and so on held some words."""
    layout = BlockLayout(1, False)
    block = BlockRun(lane, b"", {}, ("rsi",), layout, 0, places=4, rounds_to_zero=to_zero)
    for number, held in enumerate(words, 1):
        block.registers[f"ymm{number}"] = held  # type: ignore[assignment]
    data = assemble(f".intel_syntax noprefix\n.text\n.globl alone\nalone:\n{text}\nret\n")
    code = code_of(data, "alone")
    step(block, decode(code.data[code.start :], 0))
    return block


def same(held: object) -> tuple[object, ...]:
    """A register with one thing for four elements."""
    return tuple((held, element) for element in range(4))


def test_a_digits_double_is_what_the_processor_makes() -> None:
    """2^52 is added to a digit's bits, and taken off as a double."""
    lane = Lane()
    (digit,) = lane.operand("x", 1, 52, DIGIT - 1)
    bits = lane.constant(0x433 << 52)
    held = [same(0), same(digit), same(bits)]
    raised = ran("vpaddq ymm1, ymm2, ymm3", lane, held).registers["ymm1"][0][0]
    assert isinstance(raised, Word)
    held = [same(0), same(raised), same(bits)]
    made = ran("vsubpd ymm1, ymm2, ymm3", lane, held).registers["ymm1"]
    double = made[0][0]
    assert isinstance(double, Double)
    for value in (0, 1, DIGIT - 1, 12345678901234):
        assert evaluate(double.value, [value]) == value
        assert number_of((0x433 << 52) + value) - number_of(0x433 << 52) == value


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("vpaddq zmm1, zmm2, zmm3", "not on the list"),
        ("vpaddq ymm17, ymm2, ymm3", "not on the list"),
        ("vpaddq xmm1, xmm2, xmm3", "no known words"),
        ("vpaddd ymm1, ymm2, ymm3", "not on the list"),
        ("vpaddq ymm1, ymm2, ymm5", "no known words"),
        ("vpaddq ymm1, ymm2, ymm4", "different orders"),
        ("vpsrlq ymm1, ymm2, xmm3", "not on the list"),
        ("vpsrlq ymm1, ymm2, 64", "not on the list"),
        ("vinserti128 ymm1, ymm2, xmm3, 0", "not on the list"),
        ("vextracti128 xmm1, ymm2, 0", "not on the list"),
        ("vfmadd231pd ymm1, ymm2, ymm3", "a word for a double"),
        ("vmovdqu ymm1, ymmword ptr [rdx]", "reads at rdx"),
        ("vmovdqu ymmword ptr [rdx], ymm2", "writes at rdx"),
        ("vmovdqu ymmword ptr [rsi + 48], ymm2", "outside the block"),
        ("vmovdqu ymmword ptr [rsi + 32], ymm2", "gets a word of element"),
        ("vpmaskmovq ymm1, ymm2, ymmword ptr [rsi]", "a mask where none"),
        ("vldmxcsr dword ptr [rsp]", "not on the list"),
    ],
)
def test_what_is_not_known_is_refused(text: str, said: str) -> None:
    lane = Lane()
    (word,) = lane.operand("x", 1, 64, RADIX - 1)
    shifted = tuple((word, element) for element in range(1, 5))
    small = lane.low_bits(word, 8)
    held = [same(word), same(small), same(small), tuple((small, e) for _, e in shifted)]
    with pytest.raises(ProofError, match=said):
        ran(text, lane, held)


def test_rounding_is_known_where_mxcsr_says_so() -> None:
    """2^104 and a product: the upper half where results are rounded to zero."""
    for to_zero in (True, False):
        lane = Lane()
        x, y = (lane.operand(name, 1, 52, DIGIT - 1)[0] for name in "xy")
        one = Double({(): 1 << 104}, 1 << 104, 1 << 104, 52)
        a, b = (Double(w.value, w.low, w.high) for w in (x, y))
        held = [same(each) for each in (one, a, b)]
        if not to_zero:
            with pytest.raises(ProofError, match="may be rounded"):
                ran("vfmadd231pd ymm1, ymm2, ymm3", lane, held)
            continue
        made = ran("vfmadd231pd ymm1, ymm2, ymm3", lane, held, to_zero=True).registers["ymm1"][0][0]
        assert isinstance(made, Double) and made.scale == 52
