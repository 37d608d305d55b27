"""The meanings of vector instructions: the emulator's and the prover's, against the processor."""

from __future__ import annotations

import ctypes
import random
from collections.abc import Callable
from fractions import Fraction
from functools import cache

import pytest
from vector_emulator import TARGETS, Emulator, loaded, number_of, rounded
from vector_words import DIGITS, doubles, evaluate, thunk

from fieldc.algorithms.lanes import in_lanes, in_lanes_by
from fieldc.catalogue import find_field
from fieldc.machine.arrays import packed, size, unpacked
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.load import Library, load
from fieldc.machine.processor import is_x86_64, missing
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.block import BlockLayout, BlockRun
from fieldc.proof.lanes.doubles import bits_of, decoded, difference, from_integer, fused
from fieldc.proof.lanes.meanings import MEANINGS
from fieldc.proof.lanes.step import step
from fieldc.proof.lanes.word import Word
from fieldc.proof.lanes.words import Lane
from fieldc.proof.x86_64.decode import decode
from fieldc.targets.vectors.kernel import compile_array
from fieldc.targets.vectors.target import VectorTarget

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")

RADIX = 1 << 64
WORDS = (0, 1, 2, RADIX - 1, 1 << 63, (1 << 52) - 1, 1 << 52, (1 << 52) + 1, 0xFFFFFFFF)
IFMA, FUNNELS = "avx512ifma", "avx512vbmi2"
FORMS: dict[str, tuple[str, ...]] = {
    "vpaddq zmm1, zmm2, zmm3": (),
    "vpsubq zmm1, zmm2, zmm3": (),
    "vpandq zmm1, zmm2, zmm3": (),
    "vpmuludq zmm1, zmm2, zmm3": (),
    "vpmuludq zmm1, zmm2, qword ptr [rdi + 136]{1to8}": (),
    "vpminuq zmm1, zmm2, zmm3": (),
    "vpaddd zmm1, zmm2, zmm3": (),
    "vpsubd zmm1, zmm2, zmmword ptr [rdi + 128]": (),
    "vpminud zmm1, zmm2, zmm3": (),
    "vmovshdup zmm1 {k1}, zmm2": (),
    "vmovshdup zmm1, zmm2": (),
    "vmovshdup zmm1, zmmword ptr [rdi + 128]": (),
    "vmovdqu32 zmm1 {k1}{z}, [rdi + 64]": (),
    "vpcmpltuq k1, zmm2, zmm3\nvpaddq zmm1 {k1}, zmm2, zmm3": (),
    "vpaddq zmm1 {k1}, zmm1, qword ptr [rdi + 136]{1to8}": (),
    "vpsubq zmm1 {k1}, zmm1, qword ptr [rdi + 136]{1to8}": (),
    "vpcmpltuq k1, zmm2, zmm3\nvpsubq zmm1 {k1}, zmm1, zmm2": (),
    "vpaddq zmm1, zmm2, zmmword ptr [rdi + 128]": (),
    "vpaddq zmm1, zmm2, qword ptr [rdi + 136]{1to8}": (),
    "vpbroadcastq zmm1, qword ptr [rdi + 72]": (),
    "vpxorq zmm1, zmm2, zmm2": (),
    "vpsrlq zmm1, zmm2, 12": (),
    "vpsllq zmm1, zmm2, 51": (),
    "vpsraq zmm1, zmm2, 63": (),
    "vpsraq zmm1, zmm2, 52": (),
    "vpternlogq zmm1, zmm2, zmm3, 0xca": (),
    "vpternlogq zmm1, zmm2, zmm3, 0xe2": (),
    "vpternlogq zmm1, zmm2, zmm3, 0xb8": (),
    "vpermq zmm1, zmm2, zmm3": (),
    "vpermi2q zmm1, zmm2, zmm3": (),
    "vpblendmq zmm1 {k1}, zmm2, zmm3": (),
    "vmovdqu64 zmm1 {k1}{z}, [rdi + 64]": (),
    "vmovdqa64 zmm1, zmm2": (),
    "vpmadd52luq zmm1, zmm2, zmm3": (IFMA,),
    "vpmadd52huq zmm1, zmm2, zmm3": (IFMA,),
    "vpshrdq zmm1, zmm2, zmm3, 12": (FUNNELS,),
    "vcvtuqq2pd zmm1, zmm2": (),
}
DOUBLE_FORMS = (
    "vfmadd231pd zmm1, zmm2, zmm3, {rz-sae}",
    "vfmadd231pd zmm1, zmm2, zmm3",
    "vsubpd zmm1, zmm2, zmm3",
)
MASK = 0b10100110
LOADS = f"""
    mov eax, {MASK}
    kmovb k1, eax
    vmovdqu64 zmm1, [rdi]
    vmovdqu64 zmm2, [rdi + 64]
    vmovdqu64 zmm3, [rdi + 128]
"""


def both(text: str, words: list[int]) -> tuple[list[int], list[int]]:
    """The first vector after the text, by the processor and by the emulator."""
    routine, _, alone = thunk(LOADS, text, "vmovdqu64 [rdi], zmm1")
    memory = (ctypes.c_uint64 * 24)(*words)
    address = ctypes.addressof(memory)
    machine = Emulator(alone, [(address, 192)])
    machine.registers["rdi"] = address
    machine.masks["k1"] = MASK
    machine.vectors |= {f"zmm{i + 1}": tuple(words[8 * i : 8 * i + 8]) for i in range(3)}
    machine.run(0)
    routine(address)
    return list(memory[:8]), list(machine.vectors["zmm1"])


@pytest.mark.parametrize("text", FORMS)
def test_the_emulator_and_the_processor_agree_on_words(text: str) -> None:
    lacking = missing(("avx512f", "avx512dq", *FORMS[text]))
    if lacking:
        pytest.skip(f"this processor lacks {lacking}")
    draw = random.Random(text)
    for _ in range(60):
        words = [draw.choice((draw.randrange(RADIX), draw.choice(WORDS))) for _ in range(24)]
        there, here = both(text, words)
        assert there == here, text


@pytest.mark.parametrize("text", DOUBLE_FORMS)
def test_the_emulator_and_the_processor_agree_on_doubles(text: str) -> None:
    if lacking := missing(("avx512f", "avx512dq")):
        pytest.skip(f"this processor lacks {lacking}")
    draw = random.Random(text)
    source = doubles(draw)
    for _ in range(200):
        there, here = both(text, [next(source) for _ in range(24)])
        assert [number_of(w) for w in there] == [number_of(w) for w in here], text


def test_the_provers_product_of_digits_is_the_emulators() -> None:
    """high and low as a kernel makes them: the bits that the prover says are those of numbers."""
    draw = random.Random(11)
    top, one = 1 << 104, 1 << 52
    for _ in range(300):
        a, b = (draw.choice((draw.randrange(one), draw.choice(DIGITS))) for _ in range(2))
        lane = Lane()
        x, y = (lane.operand(name, 1, 52, one - 1)[0] for name in "ab")
        left, right = from_integer(lane, x), from_integer(lane, y)
        ends = [decoded(lane.constant(rounded(Fraction(n), True))) for n in (top, top + one)]
        high = fused(lane, left, right, ends[0], to_zero=True)
        low = fused(lane, left, right, difference(lane, ends[1], high), to_zero=False)
        atoms = [a, b, a * b % one]
        number = rounded(Fraction(a * b + top), True)
        assert evaluate(bits_of(lane, high).value, atoms) == number
        rest = top + one - number_of(number)
        assert evaluate(bits_of(lane, low).value, atoms) == rounded(a * b + rest, False)


def test_what_is_not_known_of_doubles_is_refused() -> None:
    lane = Lane()
    (x,), (wide,) = lane.operand("x", 1, 52, 2**52 - 1), lane.operand("w", 1, 64, 2**64 - 1)
    digit = from_integer(lane, x)
    top = decoded(lane.constant(rounded(Fraction(1 << 104), True)))
    half = decoded(lane.constant(rounded(Fraction(1 << 103), True)))
    with pytest.raises(ProofError, match="may be rounded"):
        from_integer(lane, wide)
    with pytest.raises(ProofError, match="may be rounded"):
        fused(lane, digit, digit, top, to_zero=False)
    with pytest.raises(ProofError, match="may be rounded"):
        fused(lane, digit, digit, half, to_zero=True)
    with pytest.raises(ProofError, match="no digits"):
        fused(lane, digit, top, top, to_zero=True)
    with pytest.raises(ProofError, match="may be rounded"):
        difference(lane, top, digit)
    with pytest.raises(ProofError, match="exponent is not known"):
        bits_of(lane, digit)
    for bits in (1 << 63, 0x7FF << 52, rounded(Fraction(1, 2), True), 1):
        with pytest.raises(ProofError, match="no integer"):
            decoded(lane.constant(bits))
    with pytest.raises(ProofError, match="a word for a double"):
        decoded(x)


@pytest.mark.parametrize(
    "text",
    [
        "vfmadd231pd zmm1, zmm2, zmm3",
        "vfmadd231pd zmm1, zmm2, zmm3, {rn-sae}",
        "vfmadd231pd zmm1, zmm2, zmm3, {ru-sae}",
        "vfmadd231pd zmm1 {k1}, zmm2, zmm3, {rz-sae}",
        "vfmadd213pd zmm1, zmm2, zmm3, {rz-sae}",
        "vfmsub231pd zmm1, zmm2, zmm3, {rz-sae}",
        "vfmadd231ps zmm1, zmm2, zmm3, {rz-sae}",
        "vfmadd231pd ymm1, ymm2, ymm3",
    ],
)
def test_other_fused_multiplications_are_refused(text: str) -> None:
    lane = Lane()
    x = lane.operand("x", 1, 52, 2**52 - 1)
    digit = from_integer(lane, x[0])
    top = decoded(lane.constant(rounded(Fraction(1 << 104), True)))
    right = "vfmadd231pd zmm1, zmm2, zmm3, {rz-sae}"
    for each, refused in ((right, False), (text, True)):
        layout = BlockLayout(1, False)
        block = BlockRun(lane, b"", {"rdx": (layout, x)}, ("rsi",), layout, 0)
        order = [(digit, lane_number) for lane_number in range(8)]
        block.registers = {"zmm1": ((top, None),) * 8, "zmm2": tuple(order), "zmm3": tuple(order)}
        block.registers |= {f"ymm{i}": block.registers[f"zmm{i}"] for i in (1, 2, 3)}
        instruction = decode(thunk_code(each), 0)
        if refused:
            with pytest.raises(ProofError):
                step(block, instruction)
        else:
            step(block, instruction)


def thunk_code(text: str) -> bytes:
    """The bytes of one instruction."""
    data = assemble(f".intel_syntax noprefix\n.text\n.globl alone\nalone:\n{text}\nret\n")
    code = code_of(data, "alone")
    return code.data[code.start :]


def test_every_instruction_on_the_list_is_tested() -> None:
    lines = [line for text in (*FORMS, *DOUBLE_FORMS) for line in text.split("\n")]
    tested = {line.split()[0] for line in lines} | {"vmovdqu64"}
    assert {*MEANINGS} - tested == {"kmovb", "kmovw"}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("rounding", range(4))
def test_no_kernel_depends_on_the_callers_rounding(target: VectorTarget, rounding: int) -> None:
    """With every exception unmasked none is raised, and none is noted (MXCSR)."""
    if not target.runs_here:
        pytest.skip(f"this processor lacks {missing(target.features)}")
    f = in_lanes(find_field("bls12-381-r", 64))
    function = loaded(compile_array(target, in_lanes_by(f, "mul"), "kernel"))
    draw = random.Random(rounding)
    x, y = ([draw.randrange(f.p) for _ in range(8)] for _ in range(2))
    arrays = [ctypes.create_string_buffer(data, len(data)) for data in (packed(f, x), packed(f, y))]
    z = ctypes.create_string_buffer(size(f, 8))
    places = (ctypes.c_uint64 * 3)(*map(ctypes.addressof, (z, *arrays)))
    routine, _ = with_mxcsr()
    after = routine(function.address, 8, ctypes.addressof(places), rounding << 13)
    assert after == rounding << 13
    wanted = [a * b * f.R_inverse % f.p for a, b in zip(x, y, strict=True)]
    assert unpacked(f, z.raw, 8) == wanted


@cache
def with_mxcsr() -> tuple[Callable[..., int], Library]:
    """Calls a kernel of three pointers with another MXCSR; what MXCSR is after it."""
    library = load(
        assemble("""
        .intel_syntax noprefix
        .text
        .globl called
    called:
        push rbx
        sub rsp, 16
        stmxcsr [rsp]
        mov [rsp + 4], ecx
        ldmxcsr [rsp + 4]
        mov rax, rdi
        mov rdi, rsi
        mov rbx, rdx
        mov rsi, [rbx]
        mov rdx, [rbx + 8]
        mov rcx, [rbx + 16]
        call rax
        stmxcsr [rsp + 4]
        ldmxcsr [rsp]
        mov eax, [rsp + 4]
        add rsp, 16
        pop rbx
        ret
    """)
    )
    kinds = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p, ctypes.c_uint32
    return ctypes.CFUNCTYPE(ctypes.c_uint32, *kinds)(library.address("called")), library


def test_words_keep_their_type() -> None:
    """A mask is no double, and no double is stored in z."""
    lane = Lane()
    (x,) = lane.operand("x", 1, 52, 2**52 - 1)
    mask = lane.shift_right(lane.sum(lane.constant(0), x, -1), 63, signed=True)
    assert isinstance(mask, Word) and mask.sign_of
    with pytest.raises(ProofError, match="mask as a double"):
        from_integer(lane, mask)
    layout = BlockLayout(1, False)
    block = BlockRun(lane, b"", {}, ("rsi",), layout, 0)
    with pytest.raises(ProofError, match="a double to z"):
        block.store("rsi", 0, tuple((from_integer(lane, x), e) for e in range(8)))
