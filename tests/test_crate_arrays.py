"""The crate's kernels on arrays: each is proved from its text, and linked as it was proved."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from crate_object import CRATE, FLAGS, host, rustc, sections_of
from sampling import sampled

from fieldc.algorithms.columns import LANE_TOWERS, columns_of_tower
from fieldc.algorithms.lanes import in_lanes
from fieldc.algorithms.sums import sums_of
from fieldc.algorithms.transforms import ROLES
from fieldc.artifacts.arrays import made_digits, made_moves, made_multiples, made_transforms
from fieldc.artifacts.digit_arrays import DIGIT_ROLES, MOVE_ROLES, MULTIPLE_ROLES
from fieldc.artifacts.promises import of_transforms
from fieldc.artifacts.verify import Job, prove_job
from fieldc.binary.linkable import functions
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.packages.rust.arrays import (
    OPERATIONS,
    SIZE,
    SUM,
    TABLES,
    TOWERS,
    module_name,
    object_of,
)
from fieldc.packages.rust.crate import ON_ARRAYS, STAYING
from fieldc.properties import has_transforms
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.target import VectorTarget

ARRAYS = CRATE / "src" / "generated" / "arrays"
PRODUCTS = ("mul", "square", "mul_add")
"""What saves time for every prime. A scalar addition may be as fast as one of vectors."""
MADE = {
    **dict.fromkeys(DIGIT_ROLES, made_digits),
    **dict.fromkeys(MOVE_ROLES, made_moves),
    **dict.fromkeys(MULTIPLE_ROLES, made_multiples),
}
"""What makes the kernels of a role."""
QUICK = ("vesta", "goldilocks")
KINDS = "array|butterfly|accumulate|collect"
KERNEL = re.compile(rf'(?:{KINDS})_kernel! \{{\n    (\w+),\n    "(\w+)",\n    r"\n([^"]*)"\n\}}')


def kernels(f: Field) -> dict[tuple[str, str], bytes]:
    """The objects of a prime's texts, by the name in Rust and the symbol."""
    text = (ARRAYS / f"{f.name.replace('-', '_')}.rs").read_text()
    found = KERNEL.findall(text)
    sums = text.count("Some(SumKernels {")
    roles = len(ROLES) - 1  # powers take one of two
    several = 2 * sums + roles * text.count("Some(TransformKernels {")
    several += len(DIGIT_ROLES) * text.count("Some(DigitKernels {")
    several += len(MOVE_ROLES) * text.count("Some(MoveKernels {")
    assert len(found) == text.count("_kernel! {") == text.count("Some(ArrayKernel {") + several
    named = {n for n, *_ in found}
    targets = [target for target in TABLES if target.takes(f)]
    assert {f"{op}_{target.name}" for op in PRODUCTS for target in targets} <= named
    adding = [target for target in TABLES if target.has_sums(f)]
    assert {f"{op}_{target.name}" for op in SUM for target in adding} <= named
    return {(name, symbol): object_of(symbol, lines) for name, symbol, lines in found}


@pytest.mark.parametrize("name", sampled(QUICK, [n for n in ON_ARRAYS if n not in QUICK]))
def test_each_text_is_proved(name: str) -> None:
    f = find_field(name)
    for (rust, symbol), code in kernels(f).items():
        operation, _, target = rust.rpartition("_")
        if operation in MADE:
            every = MADE[operation](ARRAY_TARGETS[target], f)
            made = {each.role: each for each in every}[operation]
            assert re.fullmatch(rf"{made.kernel.symbol}_[0-9a-f]{{16}}", symbol)
            assert not prove_job(replace(made.job(), code=code, symbol=symbol)).failure, symbol
            continue
        if operation in ROLES:
            assert symbol.startswith(
                f"fieldc_{f.name.replace('-', '_')}_transform_{operation}_{target}_"
            )
            made = made_transforms(ARRAY_TARGETS[target], f)[operation]
            assert not prove_job(replace(made.job(), code=code, symbol=symbol)).failure, symbol
            continue
        assert symbol.startswith(f"fieldc_{f.name.replace('-', '_')}_{operation}_array_{target}_")
        turns = sums_of(f).columns.turns if operation in SUM else 0
        job = Job(code, symbol, operation, f.p, f.n, array_word=64, turns=turns)
        assert not prove_job(job).failure, symbol


@pytest.mark.parametrize("name", ON_ARRAYS)
def test_the_tables_name_the_kernels_of_the_prime(name: str) -> None:
    f = find_field(name)
    text = (ARRAYS / f"{f.name.replace('-', '_')}.rs").read_text()
    limbs = ", ".join(f"{limb:#018x}" for limb in f.limbs(f.p))
    assert f"const P: &[u64] = &[{limbs}];" in text
    for target, table in TABLES.items():
        (rows,) = re.findall(
            rf"static {table}: ArrayKernels = ArrayKernels {{\n(.*?)}};", text, re.S
        )
        for operation in OPERATIONS:
            row = rf"Some\(ArrayKernel {{ run: {operation}_{target.name}, least: [1-8] }}\)"
            assert len(re.findall(rf"    {operation}: (?:{row}|None),\n", rows)) == 1
        if not target.takes(f):
            assert rows.count("None,\n") == len(OPERATIONS) + 5
            continue
        if not target.has_sums(f):
            assert "    sum: None,\n" in rows
            continue
        columns = sums_of(f).columns
        (sums,) = re.findall(r"    sum: Some\(SumKernels {(.*?) }\),\n", rows)
        named = [f" {operation}: {operation}_{target.name}" for operation in SUM]
        transforms = target in STAYING and has_transforms(f.p) and bool(of_transforms(f))
        assert ("    transform: Some(TransformKernels {" in rows) == transforms
        assert transforms or "    transform: None,\n" in rows
        check_digits(f, target.name, re.findall(r"    digits: (.*),\n", rows))
        check_moves(f, target, re.findall(r"    moves: (.*),\n", rows))
        check_multiples(f, target, re.findall(r"    multiples: (.*),\n", rows))
        limits = [f" columns: {columns.count}", f" most: {8 * columns.turns}", " multiple: 1"]
        assert sums.split(",") == [*named, *limits]
    assert not SIZE.search(text)


def check_digits(f: Field, target: str, rows: list[str]) -> None:
    """The one member of arrays in digits: kernels by their names, the digits, 2^-excess."""
    if f.n == 1 or ARRAY_TARGETS[target] not in STAYING:
        assert rows == ["None"]
        return
    (found,) = re.findall(r"Some\(DigitKernels { (.*), factor: &\[(.*)\] }\)", rows[0])
    members = [f"{role.removesuffix('_digits')}: {role}_{target}" for role in DIGIT_ROLES]
    digits = in_lanes(f).n
    assert found[0].split(", ") == [*members, f"digits: {digits}"]
    limbs = sum(int(limb, 16) << 64 * i for i, limb in enumerate(found[1].split(", ")))
    assert (f.from_montgomery(limbs) << 52 * digits - 64 * f.n) % f.p == 1


def check_moves(f: Field, target: VectorTarget, rows: list[str]) -> None:
    """The one member of moves to digits and back."""
    members = ", ".join(f"{role}: {role}_{target.name}" for role in MOVE_ROLES)
    has_moves = target in STAYING and f.n > 1
    assert rows == [f"Some(MoveKernels {{ {members} }})" if has_moves else "None"]


def check_multiples(f: Field, target: VectorTarget, rows: list[str]) -> None:
    """The one member of products in a tower, as the crate has it."""
    columns = columns_of_tower(f)
    if columns is None or target not in TOWERS:
        assert rows == ["None"]
        return
    add, collect = (f"{role}_{target.name}" for role in MULTIPLE_ROLES)
    limits = f"columns: {columns.count}, most: {8 * columns.turns}, multiple: {columns.multiple}"
    assert rows == [f"Some(SumKernels {{ accumulate: {add}, collect: {collect}, {limits} }})"]
    named = (CRATE / "src" / "tower" / "named.rs").read_text()
    assert f"::Fp, {LANE_TOWERS[f.name]} }}\n    products_in_lanes! {{ {f.n}, " in named


@pytest.mark.parametrize("triple", ["x86_64-pc-windows-msvc", "x86_64-apple-darwin"])
@pytest.mark.parametrize("name", sampled(["bn254-p"], sorted({*ON_ARRAYS} - {"bn254-p"})))
def test_other_systems_have_the_bytes_of_the_texts(triple: str, name: str, tmp_path: Path) -> None:
    """Rust for Windows and macOS makes the kernels that are proved from ELF objects."""
    folder = rustc("--target", triple, "--print", "target-libdir").strip()
    if not Path(folder).is_dir():
        pytest.skip(f"SKIPPED: Rust's library for {triple} is not installed")
    module = module_name(find_field(name))
    (tmp_path / "lib.rs").write_text(ALONE.format(folder=CRATE / "src", module=module))
    code = tmp_path / "object.o"
    kind = ("--target", triple, "--crate-type", "lib", f"--emit=obj={code}")
    rustc(*FLAGS, *kind, tmp_path / "lib.rs")
    data = code.read_bytes()  # each kernel in a section of its own, of which a linker keeps one
    for (_, symbol), text in kernels(find_field(name)).items():
        (wanted,) = functions(text).values()
        assert symbol.encode() in data and wanted.code[wanted.start :] in data, symbol


ALONE = """#![no_std]
#![allow(dead_code, unused_macros, unused_imports)]
#[path = "{folder}/vector_kernels.rs"]
pub(crate) mod vector_kernels;
#[path = "{folder}/generated/arrays/{module}.rs"]
pub mod arrays;
pub fn tables() -> [usize; 3] {{
    [&arrays::AVX2, &arrays::AVX512F, &arrays::AVX512IFMA].map(|table| &raw const *table as usize)
}}
"""


@pytest.mark.full
def test_the_object_has_the_bytes_of_the_texts(tmp_path: Path) -> None:
    if not host().startswith("x86_64") or "linux" not in host():
        pytest.skip("SKIPPED: rustc makes no ELF object for x86-64 here")
    code = tmp_path / "crate.o"
    kind = ("--crate-type", "rlib", "--cfg", 'feature="vectors"', f"--emit=obj={code}")
    rustc(*FLAGS, *kind, CRATE / "src" / "lib.rs")
    here = sections_of(code)
    for name in ON_ARRAYS:
        for (_, symbol), text in kernels(find_field(name)).items():
            (wanted,) = functions(text).values()
            assert here[symbol] == wanted.code[wanted.start :]
