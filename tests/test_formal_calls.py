"""The checker that is proved in Coq, on kernels that call code beside them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from formal_checker import CODE, STACK, answers, ask, bytes_from, claim_in, run_question, state_of
from x86_64_runs import REGISTERS, entries, on_processor, thunk

from fieldc.artifacts.certify import KernelClaim, claim_for
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.cli import main
from fieldc.machine.assemble import assemble
from fieldc.machine.processor import is_x86_64
from fieldc.proof.certificate import certify, text

P = 2**61 - 1


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Rust package: all its kernels call their code."""
    folder = tmp_path_factory.mktemp("formal") / "package"
    assert main(["build", "2^127-1", "--package", "rust", "-o", str(folder)]) == 0
    return folder


@pytest.mark.usefixtures("installed")
def test_every_kernel_of_a_rust_package_is_certified(
    package: Path,
    checker: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PATH", str(checker.parent), prepend=":")  # else a release is compiled
    capsys.readouterr()
    assert main(["certify", str(package), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert len(rows) > 5 and {row["status"] for row in rows} == {"CERTIFIED"}


def test_a_package_kernel_that_calls_another_place_is_refused(
    certifier: Path, package: Path
) -> None:
    claim = claim_in(package, "proofs/mul_plain_mulx")
    place = claim.code.index(0xE8) + 1
    assert claim.code[claim.code.index(0xC3) :].count(0xC3) > 1  # returns twice
    mutants = []
    for bit in range(32):
        code = bytearray(claim.code)
        code[place + bit // 8] ^= 1 << bit % 8
        mutants.append(replace(claim, code=bytes(code)))
    assert answers(certifier, [claim, *mutants]) == ["accepted"] + ["refused"] * 32


# A kernel written by hand, and others whose calls and returns differ.

KERNEL = "mov rax, [rsi]; call f; mov [rdi], rax; ret"
SUM = "add rax, [rdx]"
REDUCED = f"mov rcx, rax; mov r8, {P}; sub rcx, r8; cmovae rax, rcx"


def assembled(lines: Iterable[str]) -> KernelCode:
    listing = "\n".join(lines).replace(";", "\n")
    text = f".intel_syntax noprefix\n.globl kernel\nkernel:\nentry:\n{listing}\n"
    return function_of(assemble(text, "x86_64-unknown-linux-gnu"), "kernel")


@cache
def addition() -> KernelClaim:
    """The claim that the kernel adds modulo P, with its certificate."""
    code = assembled([KERNEL, "f:", SUM, REDUCED, "ret"])
    certificate = text(certify(code.code, "add", P, 1)).encode()
    return claim_for(code, "add", {}, P, 1, 32, certificate)  # the stack that they may all use


def said(certifier: Path, *lines: str) -> str:
    """What the checker says of other code with that certificate."""
    return answers(certifier, [replace(addition(), code=assembled(lines).code)])[0]


RIGHT = {
    "one call": (KERNEL, "f:", SUM, REDUCED, "ret"),
    "a call backwards": ("mov rax, [rsi]; call g; mov [rdi], rax; ret", "f:", SUM, "ret",
                         "g: call f;", REDUCED, "ret"),
    "two calls": ("mov rax, [rsi]; call f; call g; mov [rdi], rax; ret", "f:", SUM, "ret", "g:",
                  REDUCED, "ret"),
    "one routine called twice": ("mov rax, [rsi]; call f; call f;", SUM, REDUCED,
                                 "mov [rdi], rax; ret", "f: mov r9, rax; mov rax, r9; ret"),
    "a frame": (KERNEL, "f: push rbx; mov rbx, rax; pop rbx;", SUM, REDUCED, "ret"),
    "the address stored again": (KERNEL, "f:", SUM, REDUCED, "mov r9, [rsp]; mov [rsp], r9; ret"),
    "the address below the stack": (KERNEL, "f: pop r9; push r9;", SUM, REDUCED, "ret"),
}  # fmt: skip
WRONG = {
    "recursion": (KERNEL, "f: call f;", SUM, REDUCED, "ret"),
    "a circle": (KERNEL, "f: call entry;", SUM, REDUCED, "ret"),
    "a place in an instruction": (KERNEL.replace("f;", "f + 1;"), "f:", SUM, REDUCED, "ret"),
    "a place after the sum": (KERNEL.replace("f;", "g;"), "f:", SUM, "g:", REDUCED, "ret"),
    "behind the code": (KERNEL.replace("f;", "f + 64;"), "f:", SUM, REDUCED, "ret"),
    "before the code": (KERNEL.replace("f;", "entry - 8;"), "f:", SUM, REDUCED, "ret"),
    "no return": (KERNEL, "f:", SUM, REDUCED),
    "a word that is no address": (KERNEL, "f:", SUM, REDUCED, "mov [rsp], rax; ret"),
    "another place of the code": (KERNEL, "f:", SUM, REDUCED,
                                  "lea r9, [rip - 1]; mov [rsp], r9; ret"),
    "a pushed word": (KERNEL, "f: push rax;", SUM, REDUCED, "ret"),
    "straight to the kernel's caller": (KERNEL, "f:", SUM, REDUCED,
                                        "mov [rdi], rax; add rsp, 8; ret"),
    "a return without a call": ("mov rax, [rsi];", SUM, REDUCED,
                                "lea r9, [rip + 3]; push r9; ret; mov [rdi], rax; ret"),
    "a kept register": (KERNEL, "f: mov rbx, rax;", SUM, REDUCED, "ret"),
    "too much stack": (KERNEL, "f: sub rsp, 32;", SUM, REDUCED, "add rsp, 32; ret"),
    "a return that frees stack": (KERNEL, "f:", SUM, REDUCED, "ret 8"),
    "a call by a register": ("mov rax, [rsi]; lea r9, [rip + f]; call r9; mov [rdi], rax; ret",
                             "f:", SUM, REDUCED, "ret"),
}  # fmt: skip


@pytest.mark.parametrize("what", RIGHT)
def test_calls_are_followed(what: str, certifier: Path) -> None:
    assert said(certifier, *RIGHT[what]) == "accepted"


@pytest.mark.parametrize("what", WRONG)
def test_other_calls_and_returns_are_refused(what: str, certifier: Path) -> None:
    assert said(certifier, *WRONG[what]) == "refused"


# The processor.

RUNS = {
    "call 1f; adc rax, rcx; call 2f; 1: mov rcx, rdx; ret; 2: pop rdx; lea rsi, [rip]; "
    "sub rdx, rsi; mov rsi, rcx": 9,
    "call 2f; 1: adc rcx, rsi; ret; 2: mov r15, rax; call 1b; adc rdx, r15; pop rsi; "
    "lea r15, [rip - 5]; sub rsi, r15; mov r15, rax": 10,
    "push rcx; call 1f; 1: mov rax, [rsp]; lea rcx, [rip - 9]; sub rax, rcx; "
    "mov rcx, [rsp + 8]; add rsp, 16": 7,
    "lea rcx, [rip + 5]; push rcx; adc rax, rdx; ret; mov rdx, rax; mov rcx, rsi": 6,
}
"""Texts with calls and returns, and how many instructions a run of each has."""


@pytest.mark.skipif(not is_x86_64(), reason="the processor is no x86-64")
@pytest.mark.parametrize("run", RUNS)
def test_calls_and_returns_do_what_the_processor_does(run: str, certifier: Path) -> None:
    code, questions, found = thunk(run)[2], [], []
    memory = bytes_from(CODE, code)
    for number, state in enumerate(entries()):
        flags = (number & 1, number >> 1 & 1)
        found.append(on_processor(run, {**state, "cf": flags[0], "of": flags[1]}))
        questions.append(run_question({**state, "rsp": STACK}, flags, memory, RUNS[run]))
    for answer, real in zip(ask(certifier, questions), found, strict=True):
        model = state_of(answer)
        assert model is not None
        assert {r: model.registers[r] for r in REGISTERS} == {r: real[r] for r in REGISTERS}
        assert model.carry in (None, real["cf"])
        assert model.overflow in (None, real["of"])
        assert model.rip == CODE + len(code) - 1
        assert model.registers["rsp"] == STACK
