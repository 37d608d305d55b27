"""Constant time of finished code: a scan of its bytes, and valgrind runs on poisoned operands."""

from __future__ import annotations

import os
import random
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from crate_object import CRATE, compiled_crate, host, rustc, using_crate
from primes import operands

from fieldc.algorithms import OPERATIONS, choose
from fieldc.binary.functions import ObjectError, ScannedCode, functions
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
RUST_TARGETS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
)
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


def test_no_object_and_no_function_are_errors() -> None:
    with pytest.raises(ObjectError, match="no object file"):
        scan(b"nothing")
    ir = print_llvm(lower(traced("bn254-p")["add"]), "add")
    with pytest.raises(LookupError, match="'sub'"):
        scan(compiled(ir, LLVM_TARGETS["riscv64-linux"]), "sub")


FIELDS = {"bls12_381::Fp": 48, "bls12_381::Fr": 32, "bn254::Fp": 32}
BODIES = {
    "add(z: &mut F, x: &F, y: &F)": "x + y",
    "sub(z: &mut F, x: &F, y: &F)": "x - y",
    "mul(z: &mut F, x: &F, y: &F)": "x * y",
    "neg(z: &mut F, x: &F)": "-x",
    "double(z: &mut F, x: &F)": "x.double()",
    "square(z: &mut F, x: &F)": "x.square()",
    "to_limbs(z: &mut [u64; BYTES / 8], x: &F)": "x.to_limbs()",
    "to_bytes_be(z: &mut [u8; BYTES], x: &F)": "x.to_bytes_be()",
    "to_bytes_le(z: &mut [u8; BYTES], x: &F)": "x.to_bytes_le()",
    "is_equal(z: &mut bool, x: &F, y: &F)": "x == y",
    "is_zero(z: &mut bool, x: &F)": "x.is_zero()",
}
LAZY_FIELDS = ("bls12_381::Fp", "bn254::Fp")
"""Those of the fields whose values may be below 2p."""
LAZY_BODIES = {
    "lazy_add(z: &mut Lazy<F>, x: &Lazy<F>, y: &Lazy<F>)": "x + y",
    "lazy_sub(z: &mut Lazy<F>, x: &Lazy<F>, y: &Lazy<F>)": "x - y",
    "lazy_mul(z: &mut Lazy<F>, x: &Lazy<F>, y: &Lazy<F>)": "x * y",
    "lazy_neg(z: &mut Lazy<F>, x: &Lazy<F>)": "-x",
    "lazy_double(z: &mut Lazy<F>, x: &Lazy<F>)": "x.double()",
    "lazy_square(z: &mut Lazy<F>, x: &Lazy<F>)": "x.square()",
    "lazy_enter(z: &mut Lazy<F>, x: &F)": "Lazy::from(*x)",
    "lazy_reduce(z: &mut F, x: &Lazy<F>)": "x.reduce()",
    "lazy_is_equal(z: &mut bool, x: &Lazy<F>, y: &Lazy<F>)": "x == y",
    "lazy_is_zero(z: &mut bool, x: &Lazy<F>)": "x.is_zero()",
}
TAKES_NOTHING = "Kernels7current"
"""The function that finds out what the processor has, as it is called in objects."""
DECODING = "from_limbs(z: &mut Option<F>, x: &[u64; BYTES / 8])", "F::from_limbs(*x)"
"""What may branch on whether its operand is below the modulus."""


def bodies(kind: str) -> dict[str, str]:
    """The operations that a field type has."""
    return BODIES | (LAZY_BODIES if kind in LAZY_FIELDS else {})


def wrapper() -> str:
    """A crate that calls the public operations of `fieldc` from functions with known names."""
    text = ["#![no_std]"]
    for i, (kind, size) in enumerate(FIELDS.items()):
        functions = "".join(
            f'#[unsafe(export_name = "w{i}_{head.split("(")[0]}")]\n'
            f'pub extern "C" fn {head} {{\n    *z = {body};\n}}\n'
            for head, body in (*bodies(kind).items(), DECODING)
        )
        text.append(f"pub mod f{i} {{\nuse fieldc::{kind} as F;\nconst BYTES: usize = {size};")
        text.append("use fieldc::Lazy;\n" if kind in LAZY_FIELDS else "")
        text.append(functions + "}")
    return "\n".join(text)


def rust_functions(folder: Path, target: str, run_folder: Path) -> dict[str, list[ScannedCode]]:
    """The functions of the crate and of the wrapper. Skips where a tool is missing."""
    crate, made = compiled_crate(run_folder, target), folder / "wrapper.o"
    (folder / "wrapper.rs").write_text(wrapper())
    kind = ("--crate-type", "rlib", "--target", target, f"--emit=obj={made}")
    using_crate(crate, *kind, folder / "wrapper.rs")
    found = defaultdict[str, list[ScannedCode]](list)
    for path in (crate / "fieldc.o", made):
        for function in functions(path.read_bytes()):
            found[function.name].append(function)
    return found


def reached(known: dict[str, list[ScannedCode]], first: list[str]) -> dict[str, list[Finding]]:
    """What is found in the functions called from some, and from those.

    Every one is known or only moves bytes.
    """
    found: dict[str, list[Finding]] = {}
    waiting = [*first]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found[name] = [f for function in known.get(name, ()) for f in scan_function(function)]
            waiting += [f.callee for f in found[name] if f.kind is FindingKind.CALL]
    assert found.keys() - known.keys() <= {"memcpy", "memset", "memmove"}, found.keys() - known
    return found


@pytest.mark.parametrize("target", RUST_TARGETS)
def test_the_crate_is_constant_time(target: str, tmp_path: Path, run_folder: Path) -> None:
    """The choice of kernels branches on a static; nothing does on what an operand holds.

    Decoding branches once: its test is a part of this one, for the objects take long to make.
    """
    known = rust_functions(tmp_path, target, run_folder)
    check_decoding(known)
    heads = [(i, head) for i, kind in enumerate(FIELDS) for head in bodies(kind)]
    first = [f"w{i}_{head.split('(')[0]}" for i, head in heads]
    assert known.keys() >= set(first)
    met = [f for found in reached(known, first).values() for f in found]
    # What the registers hold at a call of a function without arguments does not matter.
    met = [f for f in met if TAKES_NOTHING not in f.callee]
    assert [str(f) for f in met if f.depends is not Depends.PUBLIC] == []
    assert {f.kind for f in met} <= {FindingKind.CALL, FindingKind.BRANCH}
    multiply, lazy = (
        {f.kind for f in met if f.function == name} for name in ("w0_mul", "w0_lazy_mul")
    )
    dispatched = "x86_64" in target
    assert multiply == (
        {FindingKind.CALL, FindingKind.BRANCH} if dispatched else {FindingKind.CALL}
    )
    assert not dispatched or lazy == multiply


def check_decoding(known: dict[str, list[ScannedCode]]) -> None:
    """It branches once on whether the number is below the modulus, and on nothing else about it."""
    for i in range(len(FIELDS)):
        (function,) = known[f"w{i}_from_limbs"]
        found = [f for f in scan_function(function) if f.kind is FindingKind.BRANCH]
        loops = [f for f in found if f.depends is Depends.PUBLIC]
        assert len(found) - len(loops) == 1, [*map(str, found)]


def valgrind(program: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """A run under memcheck; 9 says that it found something. Skips without valgrind."""
    tool = shutil.which("valgrind")
    if tool is None:
        pytest.skip("valgrind is not installed: nothing runs on poisoned operands")
    command = [tool, "--quiet", "--error-exitcode=9", str(program), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def needs_a_host() -> None:
    if not is_x86_64() or os.name != "posix":
        pytest.skip("poisoned programs need x86-64 and a POSIX system")


def test_valgrind_sees_no_branch_on_what_the_crate_computes_with(
    tmp_path: Path, run_folder: Path
) -> None:
    needs_a_host()
    program = tmp_path / "poison"
    source = CRATE / "examples" / "poison" / "main.rs"
    using_crate(compiled_crate(run_folder, host()), source, "-o", program)
    done = valgrind(program)
    assert done.returncode == 0, done.stderr
    assert "valgrind: true" in done.stdout and "Portable kernels: every operation" in done.stdout
    for leak, says in (("branch", "Conditional jump"), ("address", "Use of uninitialised value")):
        done = valgrind(program, leak)
        assert done.returncode == 9 and says in done.stderr


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
