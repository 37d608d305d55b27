"""Wrong kernels on arrays, written by hand: each nearly is one that is proved, and is refused."""

from __future__ import annotations

import pytest
from lane_texts import prove_text

from fieldc.algorithms.lanes import in_lanes, in_lanes_by
from fieldc.artifacts.verify import Job, prove_job
from fieldc.catalogue import find_field
from fieldc.language import Expression
from fieldc.machine.assemble import assemble
from fieldc.machine.code import code_of
from fieldc.machine.processor import is_x86_64
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.prove import prove_arrays
from fieldc.proof.x86_64.decode import decode
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.avx512f.select import bits_of
from fieldc.targets.vectors.kernel import compile_array

pytestmark = pytest.mark.skipif(not is_x86_64(), reason="the assembler here is another one")

FIELD = in_lanes(find_field("babybear", 64))
P = FIELD.p
ADD = """
    vmovdqu64 zmm1, [rdx]
    vpaddq zmm1, zmm1, [rcx]
{extra}
"""
SUBTRACT = """
    vmovdqu64 zmm0, [rdx]
    vmovdqu64 zmm1, [rcx]
    vpsubq zmm1, zmm0, zmm1
    vpaddq zmm1, zmm1, qword ptr [rip + p]{{1to8}}
{extra}
"""
REDUCE = """
    vpsubq zmm2, zmm1, qword ptr [rip + p]{1to8}
    vpsraq zmm3, zmm2, 63
    vpternlogq zmm3, zmm1, zmm2, 0xca
    vpxorq zmm4, zmm4, zmm4
    vmovdqu64 [rsi], zmm3
    vmovdqu64 [rsi + 64], zmm4
"""
FRAME = "push rbp\nmov rbp, rsp\nsub rsp, 64\nand rsp, -64"
FRAME_END = "mov rsp, rbp\npop rbp\nvzeroupper\nret"
SPILL = "vmovdqa64 [rsp], zmm1\nvmovdqa64 zmm1, [rsp]"
LOOP = """
    .intel_syntax noprefix
    .text
    .globl kernel
kernel:
{enter}
    add rdi, 7
    shr rdi, 3
    je end
block:
{block}
    add rsi, 128
    add rdx, 128
    add rcx, 128
    dec rdi
    jne block
end:
{leave}
p: .quad {p}
constants: .quad {constants}
"""


def kernel(
    block: str,
    enter: str = "",
    leave: str = "vzeroupper\nret",
    constants: tuple[int, ...] = (0,) * 8,
) -> str:
    """A kernel on digits of two operands: the code of a block, the entry, the end, constants."""
    given = ", ".join(map(str, constants))
    return LOOP.format(enter=enter, block=block, leave=leave, p=P, constants=given)


def by(operation: str) -> Expression:
    return in_lanes_by(FIELD, operation)


def adding(extra: str = "", **parts: str) -> str:
    """x + y, with something between the sum and its reduction."""
    return kernel(ADD.format(extra=extra) + REDUCE, **parts)


def test_the_kernels_without_a_fault_are_proved() -> None:
    prove_text(adding(), by("add"))
    prove_text(kernel(SUBTRACT.format(extra="") + REDUCE), by("sub"))
    prove_text(adding(SPILL, enter=FRAME, leave=FRAME_END), by("add"))


PERMUTED = "vpermq zmm5, zmm4, [rip + constants]\nvpaddq zmm1, zmm1, zmm5"
PERMUTATIONS = {
    "by a mask": (
        "vpsubq zmm4, zmm1, qword ptr [rip + p]{1to8}\nvpsraq zmm4, zmm4, 63",
        (1, 1, 1, 1, 1, 1, 1, 0),
    ),
    "by 0, whose bounds are -15 and 15": (
        "vmovdqu64 zmm4, [rdx]\nvpsrlq zmm4, zmm4, 27\nvpsubq zmm4, zmm4, zmm4",
        (1, 0, 0, 0, 0, 0, 0, 0),
    ),
}


@pytest.mark.parametrize("what", PERMUTATIONS)
def test_a_permutation_takes_the_places_of_its_index(what: str) -> None:
    """Place 0 was taken for another one: these kernels add 1."""
    index, constants = PERMUTATIONS[what]
    block = ADD.format(extra=f"{index}\n{PERMUTED}") + REDUCE
    with pytest.raises(ProofError, match=r"depends on data|do not cancel"):
        prove_text(kernel(block, constants=constants), by("add"))


def test_a_negative_word_is_no_double() -> None:
    """vcvtuqq2pd takes y - x for an integer without a sign, near 2^64 where it is negative."""
    block = """
        vmovdqu64 zmm0, [rdx]
        vmovdqu64 zmm1, [rcx]
        vpsubq zmm1, zmm1, zmm0
        vcvtuqq2pd zmm1, zmm1
        vpbroadcastq zmm2, [rip + constants]
        vsubpd zmm1, zmm2, zmm1
        vpsubq zmm1, zmm1, qword ptr [rip + constants + 8]{1to8}
    """
    constants = (bits_of(2**52 + P), bits_of(2**52), *(0,) * 6)
    with pytest.raises(ProofError, match="may be negative"):
        prove_text(kernel(block + REDUCE, constants=constants), by("sub"))


def test_memory_of_no_known_alignment_is_not_moved_as_if_it_were_aligned() -> None:
    for old in ("vmovdqu64 zmm1, [rdx]", "vmovdqu64 [rsi], zmm3"):
        changed = adding().replace(old, old.replace("u64", "a64"))
        with pytest.raises(ProofError, match="alignment that is not known"):
            prove_text(changed, by("add"))


@pytest.mark.parametrize("register", ["rdi", "rsi", "rbp", "esp"])
def test_the_frame_is_taken_from_the_stack_pointer(register: str) -> None:
    """Otherwise spills overwrite what was saved, and where the function returns to."""
    enter = FRAME.replace("sub rsp", f"sub {register}")
    with pytest.raises(ProofError, match="a frame of an unknown kind"):
        prove_text(adding(SPILL, enter=enter, leave=FRAME_END), by("add"))


def test_a_return_takes_nothing_from_the_stack() -> None:
    with pytest.raises(ProofError, match="the loop has ret"):
        prove_text(adding(leave="vzeroupper\nret 8"), by("add"))


def test_a_length_that_is_none_is_refused() -> None:
    """The decoder takes both for vpsraq of 512 bits. The processor knows the first one only."""
    code = code_of(assemble(adding()), "kernel")
    right, wrong = bytes.fromhex("62f1e54872e23f"), bytes.fromhex("62f1e56872e23f")
    assert code.data.count(right) == 1
    changed = code.data.replace(right, wrong)
    for data in (code.data, changed):
        assert decode(data, code.data.index(right)).op_str == "zmm3, zmm2, 0x3f"
    with pytest.raises(ProofError, match="no instruction on vectors of 512 bits"):
        prove_arrays(changed, "add", P, FIELD.n, FIELD.word, start=code.start)


@pytest.mark.parametrize(
    ("triple", "proved"),
    [("x86_64-unknown-linux-gnu", True), ("x86_64-pc-windows-msvc", False)],
)
def test_an_object_of_another_convention_is_refused(triple: str, proved: bool) -> None:
    """On Windows the count is in rcx, and xmm6 to xmm15 are the caller's."""
    made = compile_array(ARRAY_TARGETS["avx512f"], by("add"), "kernel")
    job = Job(assemble(made.text, triple), "kernel", "add", P, FIELD.n, array_word=FIELD.word)
    failure = prove_job(job).failure
    assert not failure if proved else failure == "kernels on arrays are ELF objects for x86-64"
