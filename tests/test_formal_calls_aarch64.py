"""The checker that is proved in Coq, on AArch64's code that calls code beside it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from formal_checker import answers

from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.binary.linkable import KernelCode
from fieldc.proof.certificate import certify, text
from fieldc.targets.aarch64.encode import assembled

P = 2**61 - 1
SUM = "ldr x4, [x2]; add x3, x3, x4"
REDUCED = "mov x5, #-1; lsr x5, x5, #3; subs x6, x3, x5; csel x3, x6, x3, hs"
ENTER, LEAVE = "str x30, [sp, #-16]!", "ldr x30, [sp], #16; ret"
KERNEL = f"{ENTER}; ldr x3, [x1]; bl f; str x3, [x0]; {LEAVE}"


def code_of(lines: Iterable[str]) -> bytes:
    """Code by its text; a number stands for an instruction that kernels do not have."""
    parts = re.sub(r"(\w+):", r";\1:;", ";".join(["entry:", *lines])).split(";")
    listed = [part.strip() for part in parts if part.strip()]
    raw = [part for part in listed if not part.endswith(":")]
    code = bytearray(assembled("\n".join("nop" if p.startswith("0x") else p for p in listed)))
    for place, part in enumerate(raw):
        if part.startswith("0x"):
            code[4 * place : 4 * place + 4] = int(part, 16).to_bytes(4, "little")
    return bytes(code)


@cache
def addition() -> KernelClaim:
    """The claim that straight code adds modulo P, with its certificate."""
    code = code_of(["ldr x3, [x1];", SUM, REDUCED, "str x3, [x0]; ret"])
    stated = certify(code, "add", P, 1, "aapcs64", architecture="aarch64")
    kernel = KernelCode("kernel", code, 0, "aarch64", "elf")
    return claim_for(kernel, "add", {}, P, 1, 64, text(stated).encode())  # the stack of all below


def said(certifier: Path, *lines: str) -> str:
    """What the checker says of other code with that certificate."""
    return answers(certifier, [replace(addition(), code=code_of(lines))])[0]


TWO = f"{ENTER}; ldr x3, [x1]; bl f; bl g; str x3, [x0]; {LEAVE}"
ONE_INNER = f"{ENTER}; ldr x3, [x1]; bl g; str x3, [x0]; {LEAVE}"
RIGHT = {
    "no call": ("ldr x3, [x1];", SUM, REDUCED, "str x3, [x0]; ret"),
    "one call": (KERNEL, "f:", SUM, REDUCED, "ret"),
    "a call backwards": (ONE_INNER, "f:", SUM, "ret", f"g: {ENTER}; bl f;", REDUCED, LEAVE),
    "two calls": (TWO, "f:", SUM, "ret", "g:", REDUCED, "ret"),
    "one routine called twice": (f"{ENTER}; ldr x3, [x1]; bl f; bl f;", SUM, REDUCED,
                                 f"str x3, [x0]; {LEAVE}", "f: mov x9, x3; mov x3, x9; ret"),
    "a frame": (KERNEL, "f: str x19, [sp, #-16]!; mov x19, x3; ldr x19, [sp], #16;", SUM, REDUCED,
                "ret"),
    "the address in another register": (KERNEL, "f: mov x9, x30; mov x30, x3; mov x30, x9;", SUM,
                                        REDUCED, "ret"),
    "the address of the caller in another register": (
        f"mov x10, x30; {KERNEL[len(ENTER) + 1:-len(LEAVE)]} mov x30, x10; ret", "f:", SUM,
        REDUCED, "ret"),
}  # fmt: skip
WRONG = {
    "recursion": (KERNEL, f"f: {ENTER}; bl f;", SUM, REDUCED, LEAVE),
    "a circle": (KERNEL, "f: bl entry;", SUM, REDUCED, "ret"),
    "a place after the sum": (KERNEL.replace("bl f;", "bl g;"), "f:", SUM, "g:", REDUCED, "ret"),
    "behind the code": (KERNEL.replace("bl f;", "bl end;"), "f:", SUM, REDUCED, "ret; end:"),
    "before the code": (KERNEL.replace("bl f;", "0x97fffffb;"), "f:", SUM, REDUCED, "ret"),
    "no return": (KERNEL, "f:", SUM, REDUCED),
    "the kernel's own address is lost": ("ldr x3, [x1]; bl f; str x3, [x0]; ret", "f:", SUM,
                                         REDUCED, "ret"),
    "the kernel's own address is not restored": (
        f"{ENTER}; ldr x3, [x1]; bl f; str x3, [x0]; add sp, sp, #16; ret", "f:", SUM, REDUCED,
        "ret"),
    "an address that another call left": (
        TWO, f"f: {ENTER}; bl h;", SUM, "add sp, sp, #16; ret", "g:", REDUCED, "ret", "h: ret"),
    "an address of the code": (KERNEL, "f:", SUM, REDUCED, "adr x30, entry; ret"),
    "a word that is no address": (KERNEL, "f:", SUM, REDUCED, "mov x30, x3; ret"),
    "straight to the kernel's caller": (KERNEL, "f:", SUM, REDUCED, f"str x3, [x0]; {LEAVE}"),
    "a return without a call": (f"{ENTER}; ldr x3, [x1];", SUM, REDUCED,
                                f"adr x30, f; ret; f: str x3, [x0]; {LEAVE}"),
    "a kept register": (KERNEL, "f: mov x19, x3;", SUM, REDUCED, "ret"),
    "the stack pointer": (KERNEL, "f:", SUM, REDUCED, "sub sp, sp, #16; ret"),
    "too much stack": (KERNEL, "f: sub sp, sp, #64; str x3, [sp];", SUM, REDUCED,
                       "add sp, sp, #64; ret"),
    "a jump": (KERNEL.replace("bl f;", "0x14000004;"), "f:", SUM, REDUCED, "ret"),
    "a call by a register": (KERNEL.replace("bl f;", "adr x9, f; 0xd63f0120;"), "f:", SUM,
                             REDUCED, "ret"),
}  # fmt: skip


@pytest.mark.parametrize("what", RIGHT)
def test_calls_are_followed(what: str, certifier: Path) -> None:
    assert said(certifier, *RIGHT[what]) == "accepted"


@pytest.mark.parametrize("what", WRONG)
def test_other_calls_and_returns_are_refused(what: str, certifier: Path) -> None:
    assert said(certifier, *WRONG[what]) == "refused"


def test_another_place_of_a_call_is_refused(certifier: Path) -> None:
    """Each bit of the call's distance and of its kind."""
    claim = replace(addition(), code=code_of(RIGHT["one call"]))
    mutants = []
    for bit in range(32):
        code = bytearray(claim.code)
        code[8 + bit // 8] ^= 1 << bit % 8
        mutants.append(replace(claim, code=bytes(code)))
    assert claim.code[11] == 0x94
    assert answers(certifier, [claim, *mutants]) == ["accepted"] + ["refused"] * 32
