"""The prover's meanings of AArch64 instructions agree with an emulator; others are refused."""

from __future__ import annotations

import capstone
import pytest
from aarch64_code import (
    ADC,
    ADCS,
    ADD,
    ADDS,
    ADR,
    AND,
    ANDS,
    BIC,
    CSEL,
    CSINC,
    CSINV,
    CSNEG,
    EOR,
    EQ,
    EXTR,
    HS,
    LO,
    MADD,
    MSUB,
    NE,
    NOP,
    ORN,
    ORR,
    RET,
    SBC,
    SBCS,
    SBFM,
    SUB,
    SUBS,
    UBFM,
    UMADDL,
    UMULH,
    Z,
    bytes_of,
    code_of,
)
from aarch64_emulator import Recorded, samples
from contracts import contract_named

from fieldc.algorithms import KERNELS
from fieldc.catalogue import find_field
from fieldc.proof.aarch64.meanings import MEANINGS
from fieldc.proof.algebra.identity import ProofError


@pytest.mark.parametrize("name", ["goldilocks", "p256"])
def test_semantics_of_kernels(name: str) -> None:
    """Also where operands are above p: rows hold for every input."""
    pytest.importorskip("unicorn")
    for kernel in KERNELS:
        code = code_of(name, kernel)
        if code is None or kernel.algorithm == "log-jump":
            continue
        contract = contract_named(kernel.operation, find_field(name).p, find_field(name).n)
        counts = {o.name: o.count * o.limbs for o in contract.operands}
        recorded = Recorded(code, contract.limbs, counts)
        for operands in samples(counts, 2):
            recorded.agrees(operands)


LOADS = [
    0xA9401023,  # ldp x3, x4, [x1]
    0xA9411825,  # ldp x5, x6, [x1, #16]
    0xF8408047,  # ldur x7, [x2, #8]
    0xF9400048,  # ldr x8, [x2]
]
SNIPPETS = {
    "sums": [ADDS(9, 3, 4), ADCS(10, 5, 6), ADC(11, 7, 8), ADC(12, Z, Z), ADD(13, 3, 8)],
    "differences": [SUBS(9, 3, 4), SBCS(10, 5, 6), SBC(11, 7, 8), SBC(12, Z, 3), SUB(13, 3, 8)],
    "of half words": [UMADDL(9, 3, 4, Z << 10), UMADDL(10, 5, 6, 9 << 10)],
    "carry, then borrow": [ADDS(9, 3, 4), SBCS(10, 5, 6), ADCS(11, 7, 8), SBC(12, 7, Z)],
    "negations": [SUBS(9, Z, 4), SBCS(10, Z, 6), SBC(11, Z, 8), SUB(12, Z, 3, 7 << 10)],
    "compared": [SUBS(Z, 3, 4), SBCS(Z, 5, 6), CSINC(9, Z, Z, HS), ADDS(Z, 3, 4), ADC(10, 3, Z)],
    "shifted": [ADD(9, 3, 4, 5 << 10), ADDS(10, 3, 4, 1 << 22 | 9 << 10), SUB(11, 3, 3, 32 << 10)],
    "selected": [
        *(ADDS(9, 3, 4), CSEL(10, 5, 6, HS), CSEL(11, 5, 6, LO), CSINC(12, 5, 6, LO)),
        *(CSINV(13, 5, 6, HS), CSNEG(14, 5, 6, HS), CSINV(15, Z, Z, LO), CSINC(16, 7, 7, LO)),
    ],
    "bits": [
        *(ADDS(9, 3, 4), CSINC(10, Z, Z, LO), SUBS(9, 5, 6), CSINC(11, Z, Z, HS)),
        *(AND(12, 10, 11), ORR(13, 10, 11), EOR(14, 10, 11), BIC(15, 10, 11), ANDS(11, 10, 11)),
        *(CSEL(16, 3, 4, NE), CSINC(17, Z, Z, NE), ADD(18, 10, 11), ADC(0, 10, 11)),
        *(SUBS(Z, 18, 11), CSEL(1, 5, 6, EQ), ADDS(Z, 10, 11), CSEL(2, 5, 6, EQ)),
    ],
    "zero and a bit": [
        *(SUBS(9, 3, 4), CSINC(10, Z, Z, HS), SUBS(Z, 5, Z), CSINC(11, Z, Z, NE)),
        *(ADD(12, 10, 10), AND(13, 10, 11), AND(14, 11, 12), AND(15, 11, 11)),
        *(ANDS(Z, 11, 10), CSEL(16, 3, 4, NE), ADDS(9, 6, Z), CSINC(17, Z, Z, EQ)),
        *(SUBS(9, 3, 3), SUBS(Z, 9, Z), CSINC(12, Z, Z, NE), AND(0, 17, 12), AND(1, 12, 10)),
    ],
    "a bit less 1": [  # cmp x10, #1
        *(ADDS(9, 3, 4), CSINC(10, Z, Z, LO), 0xF100055F, CSEL(11, 5, 6, EQ), CSEL(12, 5, 6, HS)),
        *(CSINC(13, Z, Z, NE), CSINC(14, Z, Z, EQ)),
    ],
    "masks": [
        *(SUBS(9, 3, 4), CSINV(10, Z, Z, HS), AND(11, 10, 5), SBFM(12, 5, 63, 63 << 10)),
        *(AND(13, 12, 6), CSINC(14, Z, Z, HS), SBFM(15, 14, 0), BIC(16, 15, 14), ORN(17, Z, 5)),
    ],
    "products": [
        *(
            MADD(9, 3, 4, Z << 10),
            UMULH(10, 3, 4),
            MADD(11, 3, 4, 5 << 10),
            MSUB(12, 3, 4, 5 << 10),
        ),
        *(MSUB(13, 5, 5, Z << 10), UMULH(14, 5, 5), MADD(15, 9, 9, Z << 10), UMULH(16, 9, Z)),
    ],
    "constants": [
        *(0x92800009 | 5 << 5, 0xD280000A | 0xFFFF << 5, 0xF2A0000A | 0x1234 << 5),
        *(UMULH(11, 3, 9), MADD(12, 3, 9, Z << 10), UMULH(13, 3, 10), SUB(14, Z, 3, 4 << 10)),
        *(MADD(15, 3, 10, Z << 10), UMULH(16, 15, 9), MSUB(17, 15, 9, Z << 10)),
    ],
    "fields": [
        *(UBFM(9, 3, 31, 63 << 10), UBFM(10, 3, 3, 7 << 10), UBFM(11, 3, 64 - 9, 54 << 10)),
        *(EXTR(12, 3, 4, 63 << 10), EXTR(13, 3, 4, 1 << 10), EXTR(14, 5, 6, 17 << 10)),
    ],
    "saved flags": [ADDS(9, 3, 4), 0xD53B420A, SUBS(9, 5, 6), 0xD51B420A, ADC(11, 7, 8)],
    "code": [
        *(ADR(9, 4), 0xF940052A, ADR(11, -18), 0xA940312B, ADD(13, 10, 12)),  # ldr, ldp by x9
    ],
    "stack": [
        *(0xA9BF13E3, 0xA9400FE9, 0xF81F0FE5, 0xF84107EA, 0xA8C133EB, NOP),
    ],
}


PACIASP, AUTIASP, RETAA = 0xD503233F, 0xD50323BF, 0xD65F0BFF
PACIBSP, AUTIBSP, RETAB = 0xD503237F, 0xD50323FF, 0xD65F0FFF
PUSH, POP = 0xA9BF7BFD, 0xA8C17BFD  # stp x29, x30, [sp, #-16]! and its opposite


def BL(words: int) -> int:
    return 0x94000000 | words & 0x3FFFFFF


def B(words: int) -> int:
    return 0x14000000 | words & 0x3FFFFFF


def B_IF(condition: int, words: int) -> int:
    return 0x54000000 | (words & 0x7FFFF) << 5 | condition >> 12


def CBZ(register: int, words: int, is_not: int = 0) -> int:
    return 0xB4000000 | is_not << 24 | (words & 0x7FFFF) << 5 | register


def TBZ(register: int, bit: int, words: int, is_not: int = 0) -> int:
    place = (bit >> 5) << 31 | (bit & 31) << 19
    return 0x36000000 | is_not << 24 | place | (words & 0x3FFF) << 5 | register


FOREIGN_SNIPPETS = {
    "and, eor of words": [AND(9, 3, 4), EOR(10, 3, 4), AND(11, 9, 5), EOR(12, 10, 6)],
    "calls": [
        *(PACIASP, PUSH, B(3), ADDS(9, 3, 4), RET, BL(-2), ADC(10, 5, 6), BL(-4)),
        *(ADC(11, 9, 6), POP, AUTIASP),
    ],
    "calls that sign": [
        *(PACIBSP, PUSH, B(9), PACIASP, PUSH, ADDS(9, 3, 4), POP, RETAA, PACIBSP, NOP, RETAB),
        *(BL(-8), BL(-4), ADC(10, 5, 6), POP, AUTIBSP),
    ],
    "a loop": [
        *(0xD280006B, 0xAA0303E9, ADDS(9, 9, 4), ADC(10, 5, 6), 0xD100056B, CBZ(11, -3, 1)),
    ],
    "branches by constants": [
        *(0xD28000AB, CBZ(11, 2), TBZ(11, 1, 2), NOP, TBZ(11, 2, 2, 1), ADD(3, 3, 3)),
        *(0xF100157F, B_IF(EQ, 2), ADD(3, 3, 3), B_IF(NE, 2), ADD(9, 3, 4)),
        *(0xF100197F, B_IF(LO, 2), ADD(3, 3, 3), B_IF(HS, 2), ADD(10, 3, 4)),
        *(CBZ(Z, 2), ADD(4, 3, 3), CBZ(Z, 2, 1), TBZ(Z, 40, 2, 1), TBZ(11, 63, 2), ADD(4, 3, 3)),
    ],
    "every condition": [
        word
        for number in (0xD280002B, 0xD280004B, 0xD280006B, 0xD2F0000B)  # mov x11, #1, 2, 3, -2^63
        for condition in range(14)
        for word in (number, 0xF100097F, B_IF(condition << 12, 2), ADD(3, 3, 3))  # cmp x11, #2
    ],
    "bits of words": [
        *(UBFM(9, 3, 31, 63 << 10), UBFM(10, 3, 3, 7 << 10), UBFM(11, 3, 64 - 9, 54 << 10)),
        *(EXTR(12, 3, 4, 63 << 10), EXTR(13, 3, 4, 1 << 10), EXTR(14, 5, 6, 17 << 10)),
        *(ADD(15, 9, 10, 5 << 10), 0x92400469, 0x927FF86A, 0x927C7C6B),  # and with 3, -2, 0xffff0
        *(0x9340006C, SBFM(13, 5, 63, 63 << 10), ORR(14, 13, 3), EOR(15, 13, 4), BIC(16, 4, 13)),
        *(ORR(17, 9, 11), 0xB24107E9, SUB(0, 3, 4, 32 << 10)),
    ],
    "a bit at another place": [
        *(
            AND(9, 3, 4),
            0x92400069,
            EOR(10, 4, 9, 1 << 10),
            EOR(11, 5, 9, 63 << 10),
        ),  # and x9, x3, #1
        *(EOR(12, 10, 9), AND(13, 4, 9, 3 << 10), BIC(14, 5, 9, 3 << 10), ORR(15, 6, 9, 2 << 10)),
    ],
    "any of words": [
        *(ORR(9, 3, 4), ORR(9, 9, 5), SUBS(Z, 9, Z), CSEL(10, 5, 6, EQ), CSEL(11, 5, 6, NE)),
        *(ORR(9, 6, 9), SUBS(Z, 9, Z), CSINC(12, Z, Z, NE), CSINV(13, Z, Z, HS)),
    ],
    "changed": [
        *(ADDS(9, 3, 4), CSNEG(10, 5, 5, HS), CSINV(11, 5, 5, LO), CSNEG(12, 5, 5, LO)),
    ],
    "pages": [0x90000009, 0x91005129, 0xF940012A, 0x5800004B, B(3), RET, NOP],
    "conditions of words": [
        *(SUBS(9, 3, 4), CSEL(10, 5, 6, EQ), CSEL(11, 5, 6, NE), CSEL(12, 5, 6, 4 << 12)),
        *(CSEL(13, 5, 6, 5 << 12), CSEL(14, 5, 6, 8 << 12), CSEL(15, 5, 6, 9 << 12)),
        *(ADDS(9, 3, 4), CSEL(10, 5, 6, EQ), CSEL(11, 5, 6, 4 << 12)),
        *(SUBS(9, 3, 4), SBCS(9, 5, 6), CSEL(12, 5, 6, EQ), CSEL(13, 5, 6, 5 << 12)),
        *(SUBS(9, 3, 4), CSINV(10, Z, Z, HS), ANDS(11, 10, 5), CSEL(12, 5, 6, NE)),
        *(CSEL(14, 5, 6, 4 << 12), CSEL(15, 5, 6, 6 << 12), CSEL(16, 5, 6, 7 << 12)),
    ],
}
"""Of what only routines of other makers may do."""


@pytest.mark.parametrize("name", FOREIGN_SNIPPETS)
def test_semantics_of_foreign_snippets(name: str) -> None:
    pytest.importorskip("unicorn")
    counts = {"x": 4, "y": 2}
    code = bytes_of([*LOADS, *FOREIGN_SNIPPETS[name], RET])
    recorded = Recorded(code, 4, counts, is_foreign=True)
    for operands in samples(counts, 40):
        recorded.agrees(operands)
    with pytest.raises(ProofError):
        Recorded(code, 4, counts)


@pytest.mark.parametrize("name", SNIPPETS)
def test_semantics_of_snippets(name: str) -> None:
    pytest.importorskip("unicorn")
    counts = {"x": 4, "y": 2}
    recorded = Recorded(bytes_of([*LOADS, *SNIPPETS[name], RET]), 4, counts)
    for operands in samples(counts, 60):
        recorded.agrees(operands)


def test_every_instruction_on_the_list_is_simulated() -> None:
    seen: set[str] = set()
    engine = capstone.Cs(capstone.CS_ARCH_ARM64, capstone.CS_MODE_ARM)
    snippets = (*SNIPPETS.values(), *FOREIGN_SNIPPETS.values())
    codes = [bytes_of([*LOADS, *snippet]) for snippet in snippets]
    for name in ("goldilocks", "p256"):
        codes += [code for k in KERNELS if (code := code_of(name, k)) is not None]
    for code in codes:
        seen |= {i.mnemonic for i in engine.disasm(code, 0)}
    assert set(MEANINGS) - seen <= {"movz", "movn", "stur", "bti"}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([0xD65F0020], "returns to an address of its own"),
        ([0x9AC40862], "not on the list"),  # udiv
        ([0x54000040, RET], "certificates do not know"),  # b.eq
        ([PACIASP], "certificates do not know"),
        ([CSEL(9, 3, 4, HS)], "nothing is known"),
        ([SUBS(Z, 3, 4), CSEL(9, 3, 4, EQ)], "nothing is known"),
        ([SUBS(Z, 3, 4), CSEL(9, 3, 4, 11 << 12)], "certificates do not know"),
        ([0xF8656829], "address"),  # ldr x9, [x1, x5]
        ([0xF9400069], "depends on data"),  # ldr x9, [x3]
        ([ADD(19, 3, 4)], "x19 is not restored"),
        ([0xD10043FF], "stack pointer is not restored"),
        ([0xD10023FF], "stack pointer"),  # sub sp, sp, #8
        ([0xF81F83E3], "stack"),  # stur x3, [sp, #-8]
        ([EOR(9, 3, 4)], "combines the bits"),
        ([0xF2A00023], "no constant"),  # movk x3, #1, lsl #16
        ([0x0B040069], "half a register"),  # add w9, w3, w4
        ([0xD51B4203], "never saved"),
        ([0x9E670060], "not on the list"),  # fmov
        *(([UMULH(9, 3, 4) ^ 1 << bit], "must be ones") for bit in range(10, 15)),
    ],
)
def test_refused(words: list[int], why: str) -> None:
    memory_words = [*LOADS, *words, RET]
    with pytest.raises(ProofError, match=why):
        Recorded(bytes_of(memory_words), 4, {"x": 4, "y": 2})


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([CBZ(3, 2), ADD(9, 3, 4)], "branch that depends on data"),
        ([TBZ(3, 5, 2), ADD(9, 3, 4)], "branch that depends on data"),
        ([ADDS(9, 3, 4), B_IF(HS, 2), ADD(9, 3, 4)], "branch that depends on data"),
        ([CBZ(1, 2)], "computes with Pointer"),
        ([B(0)], "does not return"),
        ([B(-10)], "where no instruction can be"),
        ([B(4)], "no instruction"),
        ([0xD61F0060], "not on the list"),  # br x3
        ([0xD63F0060], "not on the list"),  # blr x3
        ([PACIASP], "x30 is not restored"),
        ([AUTIASP], "never signed"),
        ([PACIASP, PACIASP], "no return address"),
        ([PACIASP, AUTIBSP], "another key"),
        ([PACIASP, 0xD10043FF, AUTIASP], "another stack pointer"),  # sub sp, sp, #16
        ([PACIASP, ADD(9, 30, 3)], "computes with Signed"),
        ([BL(1)], "does not return"),
        ([PACIASP, BL(1), AUTIASP], "never signed"),
        ([SUBS(Z, 3, 4), CSEL(9, 3, 4, 10 << 12)], "nothing is known"),
        ([ADDS(Z, 3, 4), CSEL(9, 3, 4, 8 << 12)], "nothing is known"),
        ([SUBS(Z, 3, 4), CSEL(9, 3, 4, 6 << 12)], "nothing is known"),
        ([ORR(9, 3, 4), SUBS(Z, 5, 6), SBCS(Z, 9, Z)], "computes with AnyOf"),
        ([ORR(9, 3, 4), SUBS(Z, 9, 5)], "computes with AnyOf"),
        ([ORR(9, 3, 4), SUBS(9, 9, Z)], "computes with AnyOf"),
        ([ORR(9, 3, 4), CBZ(9, 2), NOP], "computes with AnyOf"),
        ([0x2A040069], "half a register"),  # orr w9, w3, w4
        ([0xD503211F], "not on the list"),  # pacia1716
        ([0xD50320FF], "not on the list"),  # xpaclri
    ],
)
def test_refused_of_foreign_code(words: list[int], why: str) -> None:
    code = bytes_of([*LOADS, *words, RET])
    with pytest.raises(ProofError, match=why):
        Recorded(code, 4, {"x": 4, "y": 2}, is_foreign=True)
