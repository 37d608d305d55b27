"""The checker that is proved in Coq, on AArch64's code that calls code beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from formal_checker import answers

from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.machine.assemble import assemble
from fieldc.proof.certificate import certify, text

P = 2**61 - 1
SUM = "ldr x4, [x2]; add x3, x3, x4"
REDUCED = f"mov x5, #{P}; subs x6, x3, x5; csel x3, x6, x3, hs"
ENTER, LEAVE = "str x30, [sp, #-16]!", "ldr x30, [sp], #16; ret"
KERNEL = f"{ENTER}; ldr x3, [x1]; bl f; str x3, [x0]; {LEAVE}"


def assembled(lines: Iterable[str]) -> KernelCode:
    listing = "\n".join(lines).replace(";", "\n")
    source = f".globl kernel\n.p2align 2\nkernel:\nentry:\n{listing}\n"
    return function_of(assemble(source, "aarch64-unknown-linux-gnu"), "kernel")


@cache
def addition() -> KernelClaim:
    """The claim that straight code adds modulo P, with its certificate."""
    code = assembled(["ldr x3, [x1];", SUM, REDUCED, "str x3, [x0]; ret"])
    stated = certify(code.code, "add", P, 1, "aapcs64", architecture="aarch64")
    return claim_for(code, "add", {}, P, 1, 64, text(stated).encode())  # the stack of all below


def said(certifier: Path, *lines: str) -> str:
    """What the checker says of other code with that certificate."""
    return answers(certifier, [replace(addition(), code=assembled(lines).code)])[0]


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
    "behind the code": (KERNEL.replace("bl f;", "bl f + 64;"), "f:", SUM, REDUCED, "ret"),
    "before the code": (KERNEL.replace("bl f;", "bl entry - 8;"), "f:", SUM, REDUCED, "ret"),
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
    "a jump": (KERNEL.replace("bl f;", "b f;"), "f:", SUM, REDUCED, "ret"),
    "a call by a register": (KERNEL.replace("bl f;", "adr x9, f; blr x9;"), "f:", SUM, REDUCED,
                             "ret"),
}  # fmt: skip


@pytest.mark.parametrize("what", RIGHT)
def test_calls_are_followed(what: str, certifier: Path) -> None:
    assert said(certifier, *RIGHT[what]) == "accepted"


@pytest.mark.parametrize("what", WRONG)
def test_other_calls_and_returns_are_refused(what: str, certifier: Path) -> None:
    assert said(certifier, *WRONG[what]) == "refused"


def test_another_place_of_a_call_is_refused(certifier: Path) -> None:
    """Each bit of the call's distance and of its kind."""
    claim = replace(addition(), code=assembled(RIGHT["one call"]).code)
    mutants = []
    for bit in range(32):
        code = bytearray(claim.code)
        code[8 + bit // 8] ^= 1 << bit % 8
        mutants.append(replace(claim, code=bytes(code)))
    assert claim.code[11] == 0x94
    assert answers(certifier, [claim, *mutants]) == ["accepted"] + ["refused"] * 32
