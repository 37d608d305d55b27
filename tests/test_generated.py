"""The gate: every checked-in generated file is, byte for byte, what the compiler generates."""

from __future__ import annotations

import random
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from contracts import contract_named
from primes import shaped, shapes

from fieldc.algorithms import choose
from fieldc.artifacts.verify import Job, prove_job
from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field, named_primes
from fieldc.field import Field
from fieldc.language import LanguageError
from fieldc.machine.assemble import assemble, host_triple
from fieldc.modulus import is_prime
from fieldc.operations import OPERATIONS, TOWER_OPERATIONS
from fieldc.packages.checked_in import COMMAND, ROOT
from fieldc.packages.rust import race_texts
from fieldc.packages.rust.classes import (
    COMPLEMENT,
    EXTENSION,
    LAZY_FOLD,
    LAZY_FULL,
    LAZY_SPARE,
    LIMBS,
    NEAR,
    class_expressions,
    class_of,
    lazy_class_of,
    representative,
)
from fieldc.packages.rust.crate import FILES, FOLDER, generate, kernel_paths
from fieldc.packages.rust.inlined import LIMBS as INLINED
from fieldc.packages.rust.kernels import HELD, assembled, crate_jobs
from fieldc.packages.rust.plain import (
    is_plain,
    lazy_parts_of,
    own_operations,
    own_parts,
    plain_primes,
    shaped_primes,
)
from fieldc.packages.rust.schedules import crate_kernel
from fieldc.packages.rust.sums import FITTING, as_function, inline_sums
from fieldc.packages.rust.updates import is_updated
from fieldc.packages.rust.written import kernels_in
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.conventions import CALLED_INLINE, GENERAL

NAMED = {find_field(name).n for name in named_primes()}
"""Numbers of limbs that named primes have: from 1 to 12, and every class of primes."""


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    """What is generated for numbers of limbs that named primes have; the full run has all."""
    return generate(NAMED)


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    """Every checked-in file."""
    found = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / FOLDER).rglob("*.rs")}
    return {name: path.read_bytes().decode() for name, path in found.items()}


def test_every_checked_in_file_of_named_primes_is_what_is_generated(files: dict[str, str]):
    others = {path for n in LIMBS if n not in NAMED for path in kernel_paths(n)}
    assert set(replace(FILES, generate=lambda: files).stale(ROOT)) == others, f"run: {COMMAND}"
    assert not race_texts.FILES.stale(ROOT), f"run: {COMMAND}"


def test_every_file_says_how_to_make_it_again(texts: dict[str, str]):
    for path, text in texts.items():
        assert f"`{COMMAND}` (`python -m fieldc.packages.rust.crate`)" in text, path
        assert text.endswith("\n") and "\r" not in text and "\t" not in text


def test_every_named_prime_is_a_type(texts: dict[str, str]):
    text = texts[f"{FOLDER}/fields.rs"]
    for prime in named_primes().values():
        arguments = f'modulus = "{prime.p:#x}", generator = {prime.generator}'
        assert text.count(f"({arguments});") == 1


@pytest.mark.full  # make test compares the files of named primes with what an earlier run gave
def test_two_runs_in_two_processes_give_the_same_bytes(
    tmp_path: Path, files: dict[str, str], texts: dict[str, str]
):
    command = [sys.executable, "-m", "fieldc.packages.rust.crate", "--root", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert {path: (tmp_path / path).read_bytes().decode() for path in texts} == texts | files


def test_unsafe_stands_only_in_assembly(texts: dict[str, str]):
    for path, text in texts.items():
        is_assembly = re.search(r"/(aarch64_)?(n\d\d|divsteps|updates)\.rs$", path)
        assert ("unsafe" in text) == bool(is_assembly), path


def test_assembly_leaves_the_red_zone_alone(texts: dict[str, str]):
    """Windows has none: what lies below the stack pointer may change at any time."""
    for path, text in texts.items():
        assert not re.search(r"\[rsp - ", text), path


def test_check_names_what_is_stale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], texts: dict[str, str]
):
    main = replace(FILES, generate=lambda: texts).main
    FILES.write(tmp_path, texts)
    assert main(["--check", "--root", str(tmp_path)]) == 0
    changed, missing = tmp_path / FOLDER / "mod.rs", tmp_path / FOLDER / "n04.rs"
    changed.write_text(changed.read_text() + "\n")
    missing.unlink()
    (tmp_path / FOLDER / "old.rs").write_text("")
    capsys.readouterr()
    assert main(["--check", "--root", str(tmp_path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    paths = [f"{FOLDER}/mod.rs", f"{FOLDER}/n04.rs", f"{FOLDER}/old.rs"]
    assert lines == [f"{path} is not what fieldc generates; run: {COMMAND}" for path in paths]
    assert main(["--root", str(tmp_path)]) == 0
    assert main(["--check", "--root", str(tmp_path)]) == 0


def test_the_texts_of_the_race_say_what_they_are():
    files = race_texts.generate()
    assert sum(map(len, files.values())) < 512 << 10
    words = files.pop(f"{race_texts.FOLDER}/words.rs")
    assert f"`{COMMAND}` (`python -m fieldc.packages.rust.race_texts`)" in words
    assert words.count("unsafe extern") == words.count("/// # Safety") == 3 * 3
    for path, text in files.items():
        assert f"`{COMMAND}` (`python -m fieldc.packages.rust.race_texts`)" in text, path
        for name in race_texts.FIELDS:
            assert text.count(f"/// {name}: p = ") == len(race_texts.OPERATIONS)
        # LLVM's code is assembly; the Rust that is printed is safe.
        assert text.count("unsafe extern") == text.count("/// # Safety") == 16 * ("llvm" in path)


def test_the_texts_of_the_race_share_their_algorithms():
    for name in race_texts.FIELDS:
        algorithms = {
            t.kernel.operation: t.kernel.algorithm for t in race_texts.expressions(find_field(name))
        }
        square = "product" if name == "secp256k1-p" else "cios"
        assert algorithms == {"add": "add", "sub": "sub", "mul": "cios", "square": square}


def test_more_than_instructions_is_refused():
    straight = "\t.globl\tk\nk:\n\tmovq\t$1, %rax # one\n\tretq\n.Lfunc_end0:\n"
    assert race_texts.instructions(straight) == ["movq\t$1, %rax", "retq"]
    for more in ("\tjmp\t.LBB0_1", "\tmovq\t.LCPI0_0(%rip), %rax", ".LBB0_1:"):
        with pytest.raises(LanguageError, match="more than straight-line code"):
            race_texts.instructions(f"{straight}{more}\n")


here = pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")


@here
@pytest.mark.sweep(8)
@pytest.mark.parametrize("name", sorted(named_primes()))
def test_every_checked_in_kernel_of_a_named_prime_is_proved(name: str):
    jobs = crate_jobs(ROOT / FOLDER, find_field(name))
    assert {job.operation for job in jobs} >= {"mul"}
    f = find_field(name)
    lazy = {job.operation for job in jobs if job.operation.endswith("_lazy")} & {*OPERATIONS}
    wanted = {"mul_lazy", "square_lazy"} if lazy_class_of(f) else set()
    wanted |= {"divstep_de_lazy"} if is_updated(f) else set()
    assert lazy - set(lazy_parts_of(f).values()) == wanted
    assert not [verdict.failure for verdict in map(prove_job, jobs) if verdict.failure]


def test_plain_primes_have_kernels_of_their_own():
    """And Montgomery ones for arkworks."""
    found = {f.name for f in plain_primes()}
    assert found == {"secp256k1-p", "p521", "curve25519", "m-511"}
    for f in plain_primes():
        jobs = [job.operation for job in crate_jobs(ROOT / FOLDER, f)]
        assert {"mul", "square", *own_operations(f)} <= set(jobs)
    assert not is_plain(find_field("p256")) and not is_plain(find_field("bls12-381-r"))


def test_primes_with_a_shape_have_kernels_of_their_own():
    """In Montgomery form, instead of those of their class."""
    assert {f.name for f in shaped_primes()} == {"p256"}
    for f in shaped_primes():
        assert not lazy_class_of(f) and [*own_parts(f)] == own_operations(f)
        jobs = crate_jobs(ROOT / FOLDER, f)
        own = {job.operation for job in jobs if f"_{f.name.replace('-', '')}_" in job.symbol}
        assert own == {"mul", "square"} == {job.operation for job in jobs} - {"sum_of_products"}


def lazy_fields(limbs: int) -> list[Field]:
    """Primes at the limits of the classes for values below 2p: of each the last, or nearly."""
    found = [representative(c, limbs) for c in (LAZY_FOLD, LAZY_SPARE) if limbs in c.limbs]
    quarter = 1 << 64 * limbs - 2
    found.append(Field(next(p for p in range(quarter - 1, 0, -2) if is_prime(p))))
    assert lazy_class_of(found[-1]) is LAZY_FULL
    return found


@here
@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=[pytest.mark.full] * (n > 6)) for n in LIMBS]
)
def test_lazy_kernels_are_proved_at_the_limits_of_their_classes(limbs: int):
    for f in lazy_fields(limbs):
        jobs = crate_jobs(ROOT / FOLDER, f)
        lazy = [job for job in jobs if job.operation.endswith("_lazy")]
        assert lazy and not [v.failure for v in map(prove_job, lazy) if v.failure], f.label


@here
def test_kernels_for_fp2_are_proved_at_the_limits_of_their_class():
    """For a prime with the largest top limb and n0, and a limb of mu near its limit."""
    draw, top, n0 = random.Random(1), EXTENSION.top - 1, EXTENSION.n0[1] - 2
    low, least = -pow(n0, -1, 1 << 64) % (1 << 64), EXTENSION.next_of_mu - (1 << 57)
    while True:
        p = (top << 320) + (draw.getrandbits(256) << 64) + low
        mu = (n0 * p + 1) >> 64
        if least < mu >> 256 & (1 << 64) - 1 <= EXTENSION.next_of_mu and is_prime(p):
            break
    f = Field(p)
    assert EXTENSION.has(f)
    jobs = crate_jobs(ROOT / FOLDER, f)
    assert {job.operation for job in jobs} >= {*TOWER_OPERATIONS, "fp2_mul", "fp2_square"}
    assert not [v.failure for v in map(prove_job, jobs) if v.failure]


@pytest.mark.parametrize(("name", "has"), [("bls12-381-p", True), ("bn254-p", False)])
def test_primes_outside_the_class_have_no_kernels_for_fp2(name: str, has: bool):
    jobs = crate_jobs(ROOT / FOLDER, find_field(name))
    for operation in ("fp2_mul", *TOWER_OPERATIONS):
        assert has == any(job.operation == operation for job in jobs)


def test_a_modulus_without_room_has_no_lazy_class():
    quarter = 1 << 254
    above = Field(next(p for p in range(quarter + 1, 2 * quarter, 2) if is_prime(p)))
    assert lazy_class_of(above) is None


@here
@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=[pytest.mark.full] * (n > 3)) for n in LIMBS]
)
def test_kernels_are_proved_for_other_primes_of_their_class(limbs: int):
    for shape in shapes(limbs):
        jobs = crate_jobs(ROOT / FOLDER, shaped(shape, limbs))
        assert not [v.failure for v in map(prove_job, jobs) if v.failure], shape


@here
@pytest.mark.parametrize(
    "limbs", [pytest.param(n, marks=[pytest.mark.full] * (n > 3)) for n in NEAR.limbs]
)
def test_kernels_near_the_radix_are_proved_at_both_ends(limbs: int):
    """For R - p of 10 bits and of 64: the representative has a small one."""
    for largest in (1 << 64, 1 << 10):
        complement = next(c for c in range(largest - 1, 0, -2) if is_prime((1 << 64 * limbs) - c))
        f = Field((1 << 64 * limbs) - complement)
        jobs = crate_jobs(ROOT / FOLDER, f)
        assert class_of(f) is NEAR and {job.operation for job in jobs} >= {"mul", "square"}
        assert not [v.failure for v in map(prove_job, jobs) if v.failure], f.label
        # No bound in them depends on the complement: the code is that of the representative.
        for of_class in class_expressions(NEAR, limbs):
            operation, algorithm = of_class.kernel.operation, of_class.kernel.algorithm
            mine, other = (
                crate_kernel(NEAR, expression, "k", "adx").code
                for expression in (of_class, choose(f, operation, algorithm))
            )
            assert mine == other


@here
def test_a_word_that_two_constants_share_for_most_primes_is_read_where_it_belongs():
    """For 2 limbs fold_rest is minus_mu + 1, whose upper word differs only after a carry."""
    f = Field(0x3B08F7568D243F9619999E3FA46D6753)
    assert class_of(f) is COMPLEMENT and f.limbs(f.minus_mu)[0] == f.base - 1
    jobs = crate_jobs(ROOT / FOLDER, f)
    assert not [verdict.failure for verdict in map(prove_job, jobs) if verdict.failure]


@pytest.mark.parametrize("limbs", [n for n in LIMBS if n not in INLINED])
def test_calls_of_kernels_name_every_register_once(limbs: int):
    """The proofs see the registers that hold results and those a callee keeps, not the others."""
    named = sorted(set(GENERAL) - set(CALLED_INLINE.preserved))
    text = (ROOT / FOLDER / f"n{limbs:02}.rs").read_text()
    kernels = kernels_in(text).values()
    assert {kernel.limbs for kernel in kernels} == {limbs}
    assert len(kernels) == text.count("\nunsafe fn") == text.count("called!(")
    for kernel in kernels:
        held = HELD.findall(kernel.operands)
        assert sorted(register for register, _ in held) == named, kernel.symbol
        words = (2 if kernel.symbol.startswith(("fp2_", "wide_sum")) else 1) * limbs
        words = 0 if "_mul_wide_" in kernel.symbol else words  # 4n words: it stores them
        assert sorted(int(i) for _, i in held if i) == list(range(words)), kernel.symbol


@here
@pytest.mark.parametrize("other", ["r10", "r11"])
def test_a_register_named_wrongly_is_refused(other: str):
    """Two results exchanged, and one sought where none is."""
    f = find_field("bn254-p")
    kernel = kernels_in((ROOT / FOLDER / "n04.rs").read_text())["mul_fold_mulx"]
    exchanged = {"rcx": other, other: "rcx"}
    wrong = re.sub(
        rf"(?<=\")(rcx|{other})(?=\")", lambda found: exchanged[found[0]], kernel.operands
    )
    for operands, is_right in ((kernel.operands, True), (wrong, False)):
        made = assembled(replace(kernel, operands=operands), f)
        job = Job(made, kernel.symbol, "mul", f.p, f.n, "sysv")
        assert is_right == (not prove_job(job).failure)


@here
@pytest.mark.parametrize("name", sorted(named_primes()))
def test_sums_in_line_are_proved_with_one_choice_of_registers(name: str):
    f = find_field(name)
    for piece in inline_sums(f.n) if f.n in FITTING else ():
        operation = piece.name[:3]
        if piece.name == "reduce":
            if lazy_class_of(f) is not None:
                prove_piece(as_function(piece, f), "reduce_lazy", f)
            continue
        if piece.name != "add_spare" or class_of(f).has_spare_bit:
            prove_piece(as_function(piece, f), operation, f)
        if piece.name != "add_full" and lazy_class_of(f) is not None:
            prove_piece(as_function(piece, f, multiple=2), f"{operation}_lazy", f)


def prove_piece(text: str, operation: str, f: Field) -> None:
    """Proves a piece of inline assembly as a function."""
    function = function_of(assemble(text), "piece")
    prove(function.code, contract_named(operation, f.p, f.n), start=function.start)
