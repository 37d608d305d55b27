"""Assembly text and IR to objects: every triple, and every refusal as a one-line error."""

import os
import signal
import subprocess
import sys
from contextlib import suppress

import pytest

from fieldc.machine.assemble import AssemblyError, assemble, compile_ir

ADD = "define i256 @f(i256 %a, i256 %b) {\n  %c = add i256 %a, %b\n  ret i256 %c\n}\n"
X86_TRIPLES = {
    "x86_64-unknown-linux-gnu": b"\x7fELF",
    "x86_64-pc-windows-msvc": b"\x64\x86",
    "x86_64-apple-darwin": b"\xcf\xfa\xed\xfe",
}
TRIPLES = {
    **X86_TRIPLES,
    "aarch64-unknown-linux-gnu": b"\x7fELF",
    "riscv64-unknown-linux-gnu": b"\x7fELF",
    "mips64-unknown-linux-gnuabi64": b"\x7fELF",
    "mips64el-unknown-linux-gnuabi64": b"\x7fELF",
    "armv7-unknown-linux-gnueabihf": b"\x7fELF",
    "wasm32-unknown-unknown": b"\0asm",
}


def x86_only(triple: str) -> None:
    if os.uname().machine != "x86_64":
        pytest.skip(f"LLVM here has no assembler for {triple}")


@pytest.mark.parametrize("triple", X86_TRIPLES)
def test_assembles_both_syntaxes_for_each_x86_triple(triple: str) -> None:
    x86_only(triple)
    att = assemble("    .globl f\nf:  mulx (%rsi), %rax, %rbx\n    ret\n", triple)
    intel = ".intel_syntax noprefix\n    .globl f\nf:  mulx rbx, rax, [rsi]\n    ret\n"
    assert att.startswith(X86_TRIPLES[triple])
    assert assemble(intel, triple) == att


@pytest.mark.parametrize("triple", TRIPLES)
def test_compiles_for_each_triple(triple: str) -> None:
    compiled = compile_ir(ADD, triple, "", "")
    assert compiled.object.startswith(TRIPLES[triple])
    assert "f:" in compiled.assembly
    assert compile_ir(ADD, triple, "", "") == compiled


def test_features_choose_instructions() -> None:
    ir = "define i128 @f(i64 %a, i64 %b) {\n %x = zext i64 %a to i128\n %y = zext i64 %b to i128\n"
    ir += " %z = mul i128 %x, %y\n ret i128 %z\n}\n"
    triple = "x86_64-unknown-linux-gnu"
    assert "mulx" in compile_ir(ir, triple, "x86-64", "+bmi2").assembly
    assert "mulx" not in compile_ir(ir, triple, "x86-64", "").assembly


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("\n    blurb %rax\n", "line 2, column 5: invalid instruction mnemonic 'blurb': blurb"),
        ("    mov %xyz, %rax\n", "line 1, column 9: invalid register name: mov %xyz, %rax"),
        ("    jmp 1f\n", "Undefined temporary symbol"),
        ('    .ascii "\u00e9\n', "line 1"),
    ],
)
def test_bad_assembly_is_a_typed_one_line_error(
    text: str, message: str, capfd: pytest.CaptureFixture[str]
) -> None:
    x86_only("x86_64")
    with pytest.raises(AssemblyError) as error:
        assemble(text)
    assert str(error.value).startswith(message)
    assert "\n" not in str(error.value)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("ir", "triple", "features", "message"),
    [
        ("define i64 @f() { ret i64 %a }", "x86_64-linux-gnu", "", "undefined value"),
        (ADD, "sparky", "", "sparky"),
        (ADD, "x86_64-linux-gnu", "+bogus", "bogus"),
    ],
)
def test_bad_ir_triple_or_feature(ir: str, triple: str, features: str, message: str) -> None:
    with pytest.raises(AssemblyError, match=message) as error:
        compile_ir(ir, triple, "", features)
    assert "\n" not in str(error.value)


def test_an_abort_inside_llvm_is_an_error_too() -> None:
    with pytest.raises(AssemblyError, match="64-bit"):
        compile_ir(ADD, "x86_64-linux-gnu", "i386", "")


def test_no_assembler_for_a_foreign_architecture() -> None:
    x86_only("x86_64")
    with pytest.raises(AssemblyError, match="no assembler for aarch64"):
        assemble("nop\n", "aarch64-unknown-linux-gnu")


THREADS = """
import threading, time
import llvmlite.binding as llvm
from fieldc.machine.assemble import assemble

def use():
    while True:
        with llvm.ffi.lib._lock:
            time.sleep(0.01)

threading.Thread(target=use, daemon=True).start()
for _ in range(80):
    assemble("nop")
"""
"""Another thread is in LLVM most of the time."""


def test_another_thread_may_be_in_llvm() -> None:
    """The child that assembles got a lock that nobody there opens, and never ended."""
    if not hasattr(os, "fork"):
        pytest.skip("SKIPPED: there is no fork here")
    with subprocess.Popen([sys.executable, "-c", THREADS], start_new_session=True) as process:
        try:
            assert process.wait(60) == 0
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
