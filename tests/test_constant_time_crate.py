"""Constant time of the Rust crate: a scan of its functions, and a run on poisoned operands."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import pytest
from crate_object import CRATE, FLAGS, compiled_crate, host, rustc, using_crate
from valgrind import needs_a_host, valgrind

from fieldc.binary.functions import ScannedCode, functions
from fieldc.proof.constant_time.scan import Depends, Finding, FindingKind, scan_function

RUST_TARGETS = (
    "x86_64-unknown-linux-gnu",
    "aarch64-unknown-linux-gnu",
    "riscv64gc-unknown-linux-gnu",
)
HAVE_ASSEMBLY = ("x86_64", "aarch64")
"""Where a static says which kernels run."""
FIELDS = {"bls12_381::Fp": 48, "bls12_381::Fr": 32, "bn254::Fp": 32, "goldilocks::Fp": 8}
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
TAKES_NOTHING = "Kernels$GT$7current"
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

    Every one is known or only moves bytes. Where a call passes secrets in registers, the function
    called is scanned with these: such a call is no finding.
    """
    found: dict[str, list[Finding]] = defaultdict(list)
    waiting, scanned = [(name, frozenset[str]()) for name in first], set[object]()
    while waiting:
        call = name, secret = waiting.pop()
        if call in scanned:
            continue
        scanned.add(call)
        met = [f for function in known.get(name, ()) for f in scan_function(function, secret)]
        followed = [f for f in met if f.kind is FindingKind.CALL]
        waiting += [(f.callee, f.secret) for f in followed]
        found[name] += [
            replace(f, depends=Depends.PUBLIC) if f in followed and f.callee in known else f
            for f in met
        ]
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
    # What the registers hold at a call of a function without arguments does not matter, and what
    # it keeps is what the processor says of itself.
    met = [f for f in met if TAKES_NOTHING not in f.callee + f.function]
    assert [str(f) for f in met if f.depends is not Depends.PUBLIC] == []
    assert {f.kind for f in met} <= {FindingKind.CALL, FindingKind.BRANCH}
    multiply, lazy = (
        {f.kind for f in met if f.function == name} for name in ("w0_mul", "w0_lazy_mul")
    )
    dispatched = target.startswith(HAVE_ASSEMBLY)
    # Without assembly nothing is chosen, and a product may be inlined.
    assert multiply - {FindingKind.CALL} == ({FindingKind.BRANCH} if dispatched else set())
    assert not dispatched or lazy == multiply == {FindingKind.CALL, FindingKind.BRANCH}


def check_decoding(known: dict[str, list[ScannedCode]]) -> None:
    """It branches once on whether the number is below the modulus, and on nothing else about it."""
    for i in range(len(FIELDS)):
        (function,) = known[f"w{i}_from_limbs"]
        found = [f for f in scan_function(function) if f.kind is FindingKind.BRANCH]
        loops = [f for f in found if f.depends is Depends.PUBLIC]
        assert len(found) - len(loops) == 1, [*map(str, found)]


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


@pytest.mark.full
def test_valgrind_sees_no_branch_on_points_and_pairings(tmp_path: Path) -> None:
    needs_a_host()
    features = [word for name in ("curves", "pairing") for word in ("--cfg", f'feature="{name}"')]
    library, program = tmp_path / "libfieldc.rlib", tmp_path / "poison"
    kind = ("--crate-name", "fieldc", "--crate-type", "rlib")
    rustc(*FLAGS, *features, *kind, CRATE / "src" / "lib.rs", "-o", library)
    source = CRATE / "examples" / "poison" / "main.rs"
    using_crate(tmp_path, *features, source, "-o", program)
    done = valgrind(program)
    assert done.returncode == 0, done.stderr
    assert "valgrind: true" in done.stdout and "Portable kernels: every operation" in done.stdout
