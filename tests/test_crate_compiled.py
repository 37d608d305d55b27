"""What cargo and rustc make of the crate: formatted text, and the bytes that are proved."""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Collection
from itertools import product
from pathlib import Path

import lief
import pytest
from contracts import contract_named
from crate_object import compiled_crate, host, rustc, using_crate
from primes import OF_EVERY_CLASS

from fieldc.binary.functions import functions
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field, named_primes
from fieldc.machine.assemble import host_triple
from fieldc.operations import OPERATIONS, TOWER_OPERATIONS
from fieldc.packages.checked_in import ROOT
from fieldc.packages.rust.classes import EXTENSION, lazy_class_of
from fieldc.packages.rust.crate import FOLDER, families
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.kernels import caller_of
from fieldc.packages.rust.towers import SUFFIX
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.prove import prove

CARGO = shutil.which("cargo")
here = pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")


@pytest.mark.skipif(CARGO is None, reason="cargo is not installed: not compiled here")
def test_cargo_finds_the_crate_formatted():
    assert CARGO is not None
    done = subprocess.run(
        [CARGO, "fmt", "--all", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


@here
@pytest.mark.parametrize(
    "names", [OF_EVERY_CLASS, pytest.param(tuple(named_primes()), marks=pytest.mark.full)]
)
def test_what_rustc_makes_of_them_is_proved(
    names: tuple[str, ...], tmp_path: Path, run_folder: Path
):
    """What uses named fields has each kernel of theirs, in a section of its own, called.

    Those of one limb are not called: tests/test_inlined.py.
    """
    crate = compiled_crate(run_folder, host())
    called = {name for name in named_primes() if find_field(name).n not in INLINED}
    lazy = {name for name in named_primes() if lazy_class_of(find_field(name)) is not None}
    extended = {name for name in named_primes() if EXTENSION.has(find_field(name))}
    for users, kind, body, count in (
        (called, "{}", "<{}>::sum_of_products(&[x, y], &[y, x]).square() * y", 3),
        (lazy, "Lazy<{}>", "x.square() * y", 2),
        (extended, "Fp2<{}>", "x.square() * y", 4),
        ({"bls12-381-p"}, "Fp12<{}>", "x * y", 12),  # and fp2_mul
    ):
        (tmp_path / "user.rs").write_text(user_of(users, kind, body))
        flags = ("--crate-type", "lib", f"--emit=obj={tmp_path / 'user.o'}")
        using_crate(crate, *flags, tmp_path / "user.rs")
        found = kernels_of((tmp_path / "user.o").read_bytes(), names)
        assert found.keys() == users and min(found.values()) == count


@here
@pytest.mark.parametrize("kind", ["Fp", "fieldc::Lazy<Fp>"])
def test_operands_by_value_are_not_copied_by_vectors(kind: str, tmp_path: Path, run_folder: Path):
    """A load of two limbs waits for both stores of a product that was just made."""
    text = f"""use fieldc::bn254::Fp;
    #[unsafe(no_mangle)]
    pub fn chain(x: &mut {kind}, y: &{kind}) {{
        for _ in 0..9 {{
            let z = *x * *y;
            *x = z;
        }}
    }}"""
    (tmp_path / "user.rs").write_text(text)
    flags = ("--crate-type", "lib", f"--emit=asm={tmp_path / 'user.s'}")
    using_crate(compiled_crate(run_folder, host()), *flags, tmp_path / "user.rs")
    made = (tmp_path / "user.s").read_text()
    chain = made[made.index("\nchain:") : made.index(".cfi_endproc", made.index("\nchain:"))]
    assert "mulq" in chain or "mulx" in chain
    assert "movups" not in chain and "movaps" not in chain


@here
def test_no_instruction_of_a_vector_is_a_call(tmp_path: Path, run_folder: Path):
    """A closure is not compiled for AVX2 where its function is. What it asks of AVX2 is called."""
    text = "use fieldc::Fp12;\n"
    power = "x.cyclotomic_pow(&[1 << 63])"
    texts = ("x * y", "x.square()", "x.cyclotomic_square()", power)
    lines = [f"x.mul_by_0{line}(&y.c0.c0, &y.c0.c1, &y.c1.c0)" for line in (14, 34)]
    for n, (field, body) in enumerate(product(("bls12_381", "bn254"), (*texts, *lines))):
        of = f"Fp12<fieldc::{field}::Fp>"
        text += f"pub fn f{n}(x: &{of}, y: &{of}) -> {of} {{ let _ = y; {body} }}\n"
    (tmp_path / "user.rs").write_text(text)
    flags = ("--crate-type", "lib", f"--emit=obj={tmp_path / 'user.o'}")
    using_crate(compiled_crate(run_folder, host(), "vectors"), *flags, tmp_path / "user.rs")
    binary = lief.ELF.parse(str(tmp_path / "user.o"))
    assert binary is not None
    names = [str(symbol.name) for symbol in binary.symbols]
    assert any("Lanes" in name for name in names)
    assert not [name for name in names if "core_arch" in name]


@here
@pytest.mark.parametrize("edition", ["2015", "2018", "2021"])
def test_a_program_of_an_older_edition_makes_fields(run_folder, tmp_path, edition):
    """`TryFrom` is no name of the first two; the crate is of the edition 2024."""
    text = """#![deny(warnings)]
    extern crate fieldc;
    fieldc::field! { pub struct Byte(modulus = "251"); }
    """
    (tmp_path / "user.rs").write_text(text)
    crate = compiled_crate(run_folder, host()) / "libfieldc.rlib"
    flags = ("--edition", edition, "--crate-type", "lib", "--extern", f"fieldc={crate}")
    rustc(*flags, f"--emit=metadata={tmp_path / 'user.rmeta'}", tmp_path / "user.rs")


def kernels_of(data: bytes, names: tuple[str, ...]) -> Counter[str]:
    """How many kernels of each named field an object has; those of some are proved."""
    found, counted = {code.name: code for code in functions(data)}, Counter[str]()
    for f in map(find_field, named_primes()):
        text = (ROOT / FOLDER / f"n{f.n:02}.rs").read_text()
        for symbol, kernel in kernels_in(text).items():
            code = found.get(kernel.name_for(f))
            if code is None or (f"_{SUFFIX}_" in symbol and not EXTENSION.has(f)):
                continue
            counted[f.name] += 1
            if f.name in names:
                bytes_of_rustc = f".byte {', '.join(map(str, code.code))}"
                function = function_of(caller_of(kernel, bytes_of_rustc), symbol)
                contract = contract_named(operation_of(symbol), f.p, f.n)
                prove(function.code, contract, start=function.start)
    return counted


def operation_of(symbol: str) -> str:
    """What a kernel of the crate computes."""
    return max(filter(symbol.startswith, OPERATIONS | TOWER_OPERATIONS), key=len)


def user_of(names: Collection[str], kind: str, body: str) -> str:
    """A crate that computes with values of some named fields, or of a kind made of each."""
    text = "#![allow(unused_imports)]\nuse fieldc::{Fp2, Fp12, Lazy};\n"
    for module, primes in families().items():
        for name, prime in primes.items():
            if prime.name in names:
                of = kind.format(f"fieldc::{module}::{name}")
                head = f"pub fn {module}_{name.lower()}(x: {of}, y: {of}) -> {of}"
                text += f"{head} {{ {body.format(of)} }}\n"
    return text
