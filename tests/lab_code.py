"""Objects for the tests of counting and tracing: one text, compiled for every container."""

from __future__ import annotations

from functools import cache

from fieldc.algorithms import choose
from fieldc.binary.read import find_routine, read_image
from fieldc.binary.relocate import link
from fieldc.catalogue import find_field
from fieldc.lab.trace import Request, Trace, trace
from fieldc.machine.assemble import assemble, compile_ir
from fieldc.targets.llvm.print import print_llvm
from fieldc.targets.llvm.processors import LLVM_TARGETS
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.kernel import compile_expression
from fieldc.targets.x86_64.print import GNU
from fieldc.words.lower import lower

MULX = ("mulx", "adx", "base")
COMPILED = (
    *("x86_64-linux-llvm-bmi2", "x86_64-windows-llvm-bmi2", "x86_64-macos-llvm-bmi2"),
    *("aarch64-linux", "aarch64-macos"),
)
TRIPLES = {
    "x86_64-unknown-linux-gnu": "x86-64",
    "x86_64-apple-macosx10.15.0": "x86-64",
    "x86_64-pc-windows-msvc": "x86-64",
    "aarch64-unknown-linux-gnu": "generic",
    "arm64-apple-macosx11.0.0": "generic",
    "aarch64-pc-windows-msvc": "generic",
}
CALLER = """
@table = internal constant [4 x i64] [i64 11, i64 22, i64 33, i64 44]
@other = external global i64
declare i64 @outside(i64)
define internal i64 @helper(i64 %x) noinline {
  %k = mul i64 %x, 7
  ret i64 %k }
define i64 @looks_up(i64 %x, i64 %i) {
  %p = getelementptr [4 x i64], ptr @table, i64 0, i64 %i
  %v = load i64, ptr %p
  %h = call i64 @helper(i64 %v)
  %s = add i64 %h, %x
  ret i64 %s }
define i64 @calls_out(i64 %x) {
  %t = call i64 @outside(i64 %x)
  %u = add i64 %t, 1
  ret i64 %u }
define i64 @reads_out() {
  %o = load i64, ptr @other
  ret i64 %o }
define void @loops() {
  br label %again
again:
  br label %again }
"""
"""Constants, a call inside, a call and a read outside, and no end."""


@cache
def caller(triple: str) -> bytes:
    """The object of CALLER."""
    return compile_ir(CALLER, triple, TRIPLES[triple], "").object


@cache
def kernel(name: str, field: str = "bls12-381-p", operation: str = "mul") -> bytes:
    """A kernel's object, with the symbol `kernel`: own code, or LLVM's for a target."""
    made = choose(find_field(field), operation)
    if name in MULX:
        return assemble(compile_expression(made, "kernel", VARIANTS[name]).text(GNU))
    target = LLVM_TARGETS[name]
    processor = target.processor
    ir = print_llvm(lower(made, processor.rows), "kernel", processor.form)
    return compile_ir(ir, target.triple, processor.cpu, processor.features).object


def trace_of(data: bytes, symbol: str, request: Request) -> Trace:
    """One call of a function of an object."""
    image = read_image(data)
    _, routine = find_routine({"": image}, symbol)
    return trace(link(image), routine, request)
