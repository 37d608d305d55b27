"""Constant time of kernels: a scan of their bytes, and a run on poisoned operands."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from crate_object import CRATE, rustc
from primes import operands
from valgrind import needs_a_host, valgrind

from fieldc.algorithms import OPERATIONS, choose
from fieldc.binary.functions import ObjectError, functions
from fieldc.catalogue import find_field, named_primes
from fieldc.cli import main
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.assemble import assemble, compile_ir
from fieldc.machine.processor import is_x86_64
from fieldc.proof.constant_time.scan import Depends, Finding, FindingKind, scan, scan_function
from fieldc.targets.llvm.print import SelectStyle, print_llvm
from fieldc.targets.llvm.processors import LLVM_TARGETS, LlvmTarget
from fieldc.targets.llvm.targets import LLVM
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.registry import TARGETS
from fieldc.words.lower import lower

PRIMES = ("bls12-381-p", "bn254-p", "secp256k1-p")
NOT_WASM = [t.name for t in LLVM if t.object_format is not ObjectFormat.WASM]
needs_x86 = pytest.mark.skipif(not is_x86_64(), reason="this LLVM assembles for its host only")


@cache
def traced(prime: str) -> dict[str, Expression]:
    """Every operation of a named field, traced."""
    f = Field(named_primes()[prime].p, name=prime)
    return {operation: choose(f, operation) for operation in OPERATIONS}


def compiled(ir: str, target: LlvmTarget) -> bytes:
    """A module as the object that LLVM makes for a target."""
    q = target.processor
    return compile_ir(ir, target.triple, q.cpu, q.features).object


def named(prefix: str, target: LlvmTarget) -> Iterator[tuple[str, Expression, str]]:
    """Every operation of every prime: a symbol, the expression, and the module for a target."""
    for prime in PRIMES:
        programs = {o: lower(t, target.processor.rows) for o, t in traced(prime).items()}
        for operation, program in programs.items():
            symbol = f"{prefix}_{prime.replace('-', '_')}_{operation}"
            ir = print_llvm(program, symbol, target.processor.form)
            yield symbol, traced(prime)[operation], ir


def kinds(found: list[Finding]) -> set[tuple[FindingKind, Depends]]:
    return {(finding.kind, finding.depends) for finding in found}


def test_a_wide_selection_on_riscv_is_found() -> None:
    """LLVM makes branches of it: what masks are for."""
    q = LLVM_TARGETS["riscv64-linux"].processor
    program = lower(traced("bls12-381-p")["mul"], q.rows)
    form = replace(q.form, choice=SelectStyle.SELECT)
    found = scan(compiled(print_llvm(program, "mul", form), LLVM_TARGETS["riscv64-linux"]))
    assert (FindingKind.BRANCH, Depends.SECRET) in kinds(found)


EXPRESSION = re.compile(r"\b2\^\d+ ?- ?\d+\b")
README_PRIMES = sorted(
    {
        text.replace(" ", "")
        for text in EXPRESSION.findall((CRATE.parents[1] / "README.md").read_text(encoding="utf-8"))
    }
)


@needs_x86
@pytest.mark.parametrize("text", [*named_primes(), *README_PRIMES, "2^127-1"])
@pytest.mark.sweep(8)
def test_llvm_with_bmi2_is_constant_time_for_every_named_field(text: str) -> None:
    """LLVM chooses instructions by the prime: `bzhi` for those near a power of two."""
    target, f = TARGETS["x86_64-linux-llvm-bmi2"], find_field(text)
    for operation in OPERATIONS:
        for artifact in target.produce(choose(f, operation)):
            assert [*map(str, scan(artifact.code or b""))] == []


@pytest.mark.full
@needs_x86
@pytest.mark.parametrize("text", [*named_primes(), *README_PRIMES, "2^127-1"])
def test_every_named_field_is_built_for_every_target(text: str, tmp_path: Path) -> None:
    assert main(["build", text, "--target", "all", "-o", str(tmp_path / "built")]) == 0


LEAKS = {
    "branch": (
        "%c = icmp eq i64 %v, 0\n br i1 %c, label %a, label %b\n"
        "a:\n store volatile i64 1, ptr %z\n br label %b\nb:\n ret void",
        FindingKind.BRANCH,
    ),
    "address": (
        "%at = getelementptr i64, ptr %y, i64 %v\n %w = load i64, ptr %at\n"
        "store i64 %w, ptr %z\n ret void",
        FindingKind.ADDRESS,
    ),
    "table": (
        "%i = and i64 %v, 3\n %at = getelementptr i64, ptr @table, i64 %i\n"
        "%w = load i64, ptr %at\n store i64 %w, ptr %z\n ret void",
        FindingKind.ADDRESS,
    ),
    "stack": (
        "%s = alloca [4 x i64]\n store volatile i64 %v, ptr %s\n %u = load volatile i64, ptr %s\n"
        "%at = getelementptr i64, ptr %y, i64 %u\n store i64 0, ptr %at\n ret void",
        FindingKind.ADDRESS,
    ),
    "static": ("store i64 %v, ptr @kept\n ret void", FindingKind.STATIC),
    "value passed on": ("call void @other(i64 %v)\n ret void", FindingKind.CALL),
    "call of a secret place": (
        "%at = inttoptr i64 %v to ptr\n call void %at()\n ret void",
        FindingKind.INDIRECT,
    ),
    "division": (
        "%w = udiv i64 %v, 12345\n%q = udiv i64 %v, %w\nstore i64 %q, ptr %z\n ret void",
        FindingKind.TIME,
    ),
}


@pytest.mark.parametrize("leak", LEAKS)
@pytest.mark.parametrize("name", NOT_WASM)
def test_a_leak_is_found(name: str, leak: str) -> None:
    body, kind = LEAKS[leak]
    ir = (
        "@table = constant [4 x i64] [i64 9, i64 2, i64 8, i64 3]\n@kept = global i64 0\n"
        "declare void @other(i64)\n"
        "define void @leak(ptr %z, ptr %x, ptr %y) {\n %v = load i64, ptr %x\n" + body + "\n}\n"
    )
    found = scan(compiled(ir, LLVM_TARGETS[name]), "leak")
    # A division of double words is a call on processors of 32 bits.
    leaks = [f for f in found if f.kind is kind or (kind is FindingKind.TIME and "div" in f.callee)]
    leaks = [f for f in leaks if f.depends is not Depends.PUBLIC]
    assert leaks, [*map(str, found)]
    assert str(leaks[0]).lstrip("_").startswith("leak+0x")


@pytest.mark.parametrize("name", NOT_WASM)
def test_words_that_are_not_aligned(name: str) -> None:
    """MIPS reads and writes them in two parts."""
    reads = "define void @f(ptr %z, ptr %x) {\n %v = load i64, ptr %x, align 1\n"
    rest = " store i64 %v, ptr %z, align 1\n ret void\n}\n"
    assert scan(compiled(reads + rest, LLVM_TARGETS[name])) == []
    leaks = " %at = getelementptr i8, ptr %z, i64 %v\n store i8 0, ptr %at\n ret void\n}\n"
    found = scan(compiled(reads + leaks, LLVM_TARGETS[name]))
    assert (FindingKind.ADDRESS, Depends.SECRET) in kinds(found)


@pytest.mark.parametrize("name", NOT_WASM)
def test_a_branch_on_a_public_byte_is_told_apart(name: str) -> None:
    ir = (
        "@chosen = global i8 0\ndeclare void @fast(ptr, ptr)\n"
        "define void @f(ptr %z, ptr %x) {\n %v = load i8, ptr @chosen\n"
        "%c = icmp eq i8 %v, 2\n br i1 %c, label %a, label %b\n"
        "a:\n call void @fast(ptr %z, ptr %x)\n ret void\nb:\n ret void\n}\n"
    )
    found = scan(compiled(ir, LLVM_TARGETS[name]))
    assert (FindingKind.BRANCH, Depends.PUBLIC) in kinds(found)
    assert {f.callee.lstrip("_") for f in found if f.kind is FindingKind.CALL} == {"fast"}
    assert {f.depends for f in found} == {Depends.PUBLIC}


@needs_x86
def test_what_is_not_understood_is_a_finding() -> None:
    def found(text: str) -> set[tuple[FindingKind, Depends]]:
        return kinds(scan(assemble(f".globl f\nf:\n{text}\n ret\n", "x86_64-unknown-linux-gnu")))

    assert found("movq %rbx, (%rax)") == {(FindingKind.ADDRESS, Depends.UNKNOWN)}
    assert found("aesenc %xmm0, %xmm1") == {(FindingKind.TIME, Depends.UNKNOWN)}
    assert found(".byte 6") == {(FindingKind.BYTES, Depends.UNKNOWN)}
    assert found("jmpq *%rdi") == {
        (FindingKind.INDIRECT, Depends.UNKNOWN),
        (FindingKind.CALL, Depends.PUBLIC),
    }
    # Half a register, or half a word on the stack, keeps what the rest held.
    secret = {(FindingKind.ADDRESS, Depends.SECRET)}
    assert found("movq (%rsi), %rax\nmovb $0, %al\nmovq (%rdi,%rax), %rcx") == secret
    spilled = "movq (%rsi), %rax\nmovq %rax, -8(%rsp)\nmovl $0, -8(%rsp)\nmovq -8(%rsp), %rax"
    assert found(f"{spilled}\nmovq (%rdi,%rax), %rcx") == secret
    assert found("movq (%rsi), %rax\nxorl %eax, %eax\nmovq (%rdi,%rax), %rcx") == set()


@needs_x86
def test_a_register_that_passes_a_secret_is_named_and_can_be_followed() -> None:
    text = ".globl f\nf:\n movq (%rsi), %rsi\n jmp g\n.globl g\ng:\n movq (%rdi,%rsi), %rax\n ret\n"
    caller, callee = functions(assemble(text, "x86_64-unknown-linux-gnu"))
    (call,) = scan_function(caller)
    assert call.callee == "g"
    assert call.secret == {"rsi"}
    assert scan_function(callee) == []
    found = {(f.kind, f.depends) for f in scan_function(callee, call.secret)}
    assert found == {(FindingKind.ADDRESS, Depends.SECRET)}


def test_no_object_and_no_function_are_errors() -> None:
    with pytest.raises(ObjectError, match="no object file"):
        scan(b"nothing")
    ir = print_llvm(lower(traced("bn254-p")["add"]), "add")
    with pytest.raises(LookupError, match="'sub'"):
        scan(compiled(ir, LLVM_TARGETS["riscv64-linux"]), "sub")


def words(value: int) -> str:
    """A number as sixteen limbs."""
    return f"[{', '.join(f'{value >> 64 * i & 2**64 - 1:#x}' for i in range(16))}]"


MAIN = """
#[path = "{memcheck}"]
mod memcheck;
use memcheck::{{is_valgrind, public, secret}};

type Words = [u64; 16];
type Kernel = unsafe extern "sysv64" fn(*mut u64, *const u64, *const u64);
unsafe extern "sysv64" {{
{declared}}}
static KERNELS: &[(&str, Kernel, Words, Words, Words)] = &[
{rows}];

fn main() {{
    assert!(is_valgrind());
    for (name, kernel, x, y, expected) in KERNELS {{
        let (x, y, mut z) = (secret(*x), secret(*y), [0; 16]);
        // SAFETY: a kernel reads and writes at most twelve limbs, and this host has what it needs.
        unsafe {{ kernel(z.as_mut_ptr(), x.as_ptr(), y.as_ptr()) }};
        assert_eq!(public(z), *expected, "{{name}}");
    }}
    println!("{{}} kernels", KERNELS.len());
}}
"""


def host_objects() -> Iterator[tuple[str, Expression, bytes]]:
    """Every kernel of every prime for this host: our own variants, and LLVM's."""
    for prime in PRIMES:
        for expression in traced(prime).values():
            for artifact in TARGETS["x86_64-linux"].produce(expression):
                assert artifact.code is not None
                yield artifact.symbol, expression, artifact.code
    for name in ("x86_64-linux-llvm", "x86_64-linux-llvm-bmi2"):
        for symbol, expression, ir in named(name.replace("-", "_"), LLVM_TARGETS[name]):
            yield symbol, expression, compiled(ir, LLVM_TARGETS[name])


def test_valgrind_sees_no_branch_in_the_kernels_of_this_host(tmp_path: Path) -> None:
    needs_a_host()
    rng, rows, declared, links = random.Random(6), [], [], []
    for symbol, expression, code in host_objects():
        (tmp_path / f"{symbol}.o").write_bytes(code)
        links += ["-C", f"link-arg={tmp_path / symbol}.o"]
        drawn = [rng.randint(0, x.high) for x in expression.inputs]
        values = operands(expression.kernel, expression.field, drawn)
        result = expression.kernel.run(expression.field, *values)
        given = ", ".join(words(v) for v in [*values, 0][:2])
        rows.append(f'    ("{symbol}", {symbol}, {given}, {words(result)}),\n')
        declared.append(f"    fn {symbol}(z: *mut u64, x: *const u64, y: *const u64);\n")
    memcheck = CRATE / "examples" / "poison" / "memcheck.rs"
    text = MAIN.format(memcheck=memcheck, declared="".join(declared), rows="".join(rows))
    (tmp_path / "kernels.rs").write_text(text)
    program = tmp_path / "kernels"
    rustc("--edition", "2024", "-O", tmp_path / "kernels.rs", *links, "-o", program)
    done = valgrind(program)
    assert done.returncode == 0, done.stderr
    assert done.stdout == f"{len(rows)} kernels\n"
