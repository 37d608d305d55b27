"""Kernels of one limb, inlined in the crate: proved from its file, and from rustc's bytes."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from crate_object import compiled_crate, using_crate
from primes import random_prime
from sampling import sampled

from fieldc.artifacts.verify import Job, prove_job
from fieldc.binary.functions import functions
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.machine.assemble import host_triple
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.aarch64_kernels import arm_crate_jobs
from fieldc.packages.rust.classes import SHIFTED, class_of, lazy_class_of
from fieldc.packages.rust.crate import FOLDER
from fieldc.packages.rust.inlined import taken
from fieldc.packages.rust.kernels import crate_jobs
from fieldc.packages.rust.written_inline import InlineKernel, inline_kernels_in
from fieldc.proof.constant_time.scan import Depends, scan_function

GENERATED = ROOT / FOLDER
SHIFTS = (32, 34, 40)
"""2^64 - 2^k + 1 is prime for these k from 32 to 63, and for no other."""
AT_LIMITS = (
    3,
    251,
    0x7FFFFFFF,
    0x78000001,
    (1 << 61) - 1,
    0x3FFFFFFFFFFFFFC7,
    0x4000000000000087,
    0x7FFFFFFFFFFFFFE7,
    0x800000000000001D,
    (1 << 64) - 59,
)
"""The smallest prime, known ones, and those beside the limits of classes."""
DRAWN = tuple(random_prime(random.Random(bits), bits) for bits in range(4, 65, 3))
PRIMES = (*((1 << 64) - (1 << k) + 1 for k in SHIFTS), *AT_LIMITS, *DRAWN)
here = pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")


FILES = ("n01.rs", "aarch64_n01.rs")


def kernels(file: str = FILES[0]) -> dict[str, InlineKernel]:
    """Those of a checked-in file."""
    return inline_kernels_in((GENERATED / file).read_text())


def failure(kernel: InlineKernel, operation: str, f: Field) -> str:
    """Why a kernel is not proved; empty where it is."""
    return prove_job(Job(kernel.assembled(f), kernel.symbol, operation, f.p, 1, "sysv")).failure


@pytest.mark.parametrize("file", FILES)
def test_no_kernel_of_a_file_is_missed(file: str) -> None:
    text = (GENERATED / file).read_text()
    assert len(kernels(file)) == text.count("\nfn ") == text.count("asm!(")
    named = set(re.findall(r"^    \w+: (\w+);$", text, re.MULTILINE))
    assert named == kernels(file).keys()
    assert "called!" not in text


def test_the_shifted_class_has_three_primes() -> None:
    for k in range(32, 64):
        p = (1 << 64) - (1 << k) + 1
        is_prime = all(pow(a, p - 1, p) == 1 for a in (2, 3, 5, 7, 11))
        assert is_prime == (k in SHIFTS)
        assert not is_prime or class_of(Field(p)) is SHIFTED


@here
@pytest.mark.sweep(24)
@pytest.mark.parametrize("jobs_of", [crate_jobs, arm_crate_jobs], ids=["x86-64", "AArch64"])
@pytest.mark.parametrize("p", PRIMES)
def test_every_kernel_is_proved(p: int, jobs_of: Callable[[Path, Field], list[Job]]) -> None:
    f = Field(p)
    jobs = jobs_of(GENERATED, f)
    wanted = {"mul", "square", "sum_of_products", "add", "sub"}
    if lazy_class_of(f) is not None:
        wanted |= {"mul_lazy", "add_lazy", "sub_lazy", "reduce_lazy"}
    assert {job.operation for job in jobs} - {"square_lazy"} == wanted
    assert not [verdict.failure for verdict in map(prove_job, jobs) if verdict.failure]


@here
@pytest.mark.parametrize("p", [PRIMES[0], (1 << 61) - 1, (1 << 64) - 59])
def test_a_kernel_without_one_of_its_instructions_is_not_proved(p: int) -> None:
    f = Field(p)
    for operation, symbol in taken(class_of(f), 1).items():
        kernel = kernels()[symbol]
        assert not failure(kernel, operation, f)
        for place in range(len(kernel.lines)):
            lines = kernel.lines[:place] + kernel.lines[place + 1 :]
            assert failure(replace(kernel, lines=lines), operation, f), kernel.lines[place]


@here
def test_a_result_in_another_register_is_not_proved() -> None:
    kernel = kernels()["mul_shifted"]
    assert [o.after for o in kernel.operands if o.place == "rdx"] == ["z0"]
    swapped = {"rdx": "_", "rax": "z0"}
    operands = tuple(replace(o, after=swapped.get(o.place, o.after)) for o in kernel.operands)
    assert failure(replace(kernel, operands=operands), "mul", find_field("goldilocks"))


@pytest.mark.parametrize("file", FILES)
def test_what_a_kernel_changes_is_declared(file: str) -> None:
    """Whatever rustc keeps in other registers stays there."""
    for kernel in kernels(file).values():
        changed = set()
        for line in kernel.lines:
            _, _, operands = line.partition(" ")
            target = operands.split(", ")[0].strip("{}")
            changed |= {"rax", "rdx"} if operands.count(",") == 0 else {target}
        changed -= {"xzr"}
        named = {o.name or o.place: o for o in kernel.operands if o.place}
        assert changed <= named.keys(), kernel.symbol
        for name in changed:
            assert named[name].after, f"{kernel.symbol}: {name}"
        assert not re.search(r"\bptr\b|\brsp\b|call|push|pop", "\n".join(kernel.lines))


BODIES = {
    "mul": ("x: &F, y: &F", "x * y"),
    "square": ("x: &F", "x.square()"),
    "add": ("x: &F, y: &F", "x + y"),
    "sub": ("x: &F, y: &F", "x - y"),
    "neg": ("x: &F", "-x"),
    "double": ("x: &F", "x.double()"),
    "sum_of_products": ("x: &[F; 2], y: &[F; 2]", "F::sum_of_products(x, y)"),
}
COMPILED = (PRIMES[0], PRIMES[1], (1 << 61) - 1, 0x78000001, (1 << 64) - 59)


@here
@pytest.mark.parametrize(
    "target", sampled(["x86_64-unknown-linux-gnu"], ["aarch64-unknown-linux-gnu"])
)
def test_what_rustc_makes_of_them_is_proved(target: str, tmp_path: Path, run_folder: Path) -> None:
    """Whole functions, with rustc's registers, loads and constants; no branch is in them."""
    text = ["#![no_std]"]
    for i, p in enumerate(COMPILED):
        text.append(f'pub mod f{i} {{ fieldc::field! {{ pub struct F(modulus = "{p}"); }}')
        text += [
            f'#[unsafe(export_name = "w{i}_{name}")]\n'
            f'pub extern "C" fn {name}(z: &mut F, {operands}) {{ *z = {body}; }}'
            for name, (operands, body) in BODIES.items()
        ]
        text.append("}")
    (tmp_path / "user.rs").write_text("\n".join(text))
    made = tmp_path / "user.o"
    flags = ("--target", target, "--crate-type", "lib", f"--emit=obj={made}")
    using_crate(compiled_crate(run_folder, target), *flags, tmp_path / "user.rs")
    data = made.read_bytes()
    found = {code.name: code for code in functions(data)}
    for i, p in enumerate(COMPILED):
        for operation in BODIES:
            symbol = f"w{i}_{operation}"
            assert not prove_job(Job(data, symbol, operation, p, 1)).failure, symbol
            met = scan_function(found[symbol])
            assert not [str(one) for one in met if one.depends is not Depends.PUBLIC]
