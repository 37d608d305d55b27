"""Inversion in the C package: by its proved kernels, and by C where there are none."""

from __future__ import annotations

import hashlib
import json
import random
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from package_c import NO_INVERSE, OK, STRICT, Library, run, tool
from test_studied import ON_X86_64

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.algorithms.representations import MONTGOMERY
from fieldc.artifacts.divsteps import BuiltDivsteps
from fieldc.artifacts.write import build
from fieldc.binary.linkable import functions
from fieldc.catalogue import find_field
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.packages.c.assembly import SYSTEMS, DifferentKernel, divsteps_symbol
from fieldc.packages.c.constants import has_divstep_kernel, has_updates, inversion
from fieldc.packages.c.divsteps import UPDATED_FOR, VARIANT, batch_kernels, update_decisions
from fieldc.packages.c.package import fastest, operations, package
from fieldc.packages.c.texts import package_name
from fieldc.targets.header import symbol_of
from fieldc.targets.registry import TARGETS
from fieldc.targets.target import PROVED, Artifact

PRIMES = ("bls12-381-r", "secp256k1-p", "goldilocks")
"""Kernels update f, g, d and e; C does, because no bit is spare; C does all."""
WAYS = {
    "kernels": ("src/{0}.c", "src/{0}_x86_64.S"),
    "single file": ("single/{0}.c",),
    "in C": ("src/{0}.c", "-DFIELDC_PORTABLE_ONLY"),
    "with digits of 30 bits": ("src/{0}.c", "src/{0}_x86_64.S", "-DFIELDC_NO_INT128"),
}
pytestmark = ON_X86_64


@cache
def kernels(f: Field) -> tuple[list[Artifact], list[BuiltDivsteps]]:
    """What a package is made of: field kernels, which are not proved here, and divsteps."""
    made = []
    for name in ("x86_64-linux", "x86_64-windows", "c"):
        for operation in operations(f, fastest(f)):
            decision = preferred(f, operation, TARGETS[name])
            made += [decision.target.make(decision.target, one) for one in decision.choices()]
    made += [one.target.make(one.target, one.preferred) for one in update_decisions(f)]
    return made, batch_kernels(f, lambda *_: None)


def update_symbols(f: Field) -> set[str]:
    """The names of the kernels that update f, g, d and e."""
    return {symbol_of(one.expression, VARIANT) for one in update_decisions(f)}


@cache
def files_of(f: Field) -> dict[str, bytes]:
    """The files of a package without kernels on arrays."""
    made, batches = kernels(f)
    return package(f, fastest(f), made, "a test", batches=batches)[1]


def written(f: Field, folder: Path) -> dict[str, bytes]:
    """A package in a folder: its files."""
    files = files_of(f)
    for path, data in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_bytes(data)
    return files


@pytest.mark.sweep(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("prime", PRIMES)
def test_inverses_by_each_inner_loop(prime: str, way: str, tmp_path: Path) -> None:
    f = find_field(prime)
    name, made = package_name(f), tmp_path / "library.so"
    written(f, tmp_path)
    words = [word.format(name) for word in WAYS[way]]
    where = "single" if way == "single file" else "include"
    command = (tool("gcc"), "-std=gnu99", "-O1", *STRICT, "-shared", "-fPIC", f"-I{where}")
    run(tmp_path, *command, *words, "-o", made)
    symbols = run(tmp_path, tool("nm"), made)
    has_kernel = has_divstep_kernel(f) and way != "in C"
    assert all((divsteps_symbol(f, order) in symbols) == has_kernel for order in StepOrder)
    assert all((symbol in symbols) == (way != "in C") for symbol in update_symbols(f))
    library = Library(made, f, name)
    draw = random.Random(way)
    for path in (1, 2, 3, 4):
        if library.call("use", path) != OK:
            continue
        for x in (1, 2, 3, f.p - 1, f.p // 2, *(draw.randrange(1, f.p) for _ in range(99))):
            z = library.decode(x)
            assert library.call("invert", z, z) == OK
            assert library.encode(z) == pow(x, -1, int(f.p)), (path, hex(x))
        assert library.call("invert", z, library.decode(0)) == NO_INVERSE and not any(z)


def test_the_manifest_has_the_kernel_of_each_system(tmp_path: Path) -> None:
    f = find_field("secp256k1-p")
    files = written(f, tmp_path)
    rows = json.loads(files["manifest.json"])["divsteps"]
    targets = ["x86_64-windows", "x86_64-macos", "x86_64-linux"]
    assert [row["target"] for row in rows] == [target for target in targets for _ in StepOrder]
    assert {row["symbol"] for row in rows} == {divsteps_symbol(f, order) for order in StepOrder}
    assert {row["status"] for row in rows} == {"PROVED"}
    assert all(row["object"] in files and row["file"] in files for row in rows)
    for row in rows:  # macOS has the bytes, and the certificate, of Linux
        assert hashlib.sha256(files[row["certificate"]]).hexdigest() == row["certificate_digest"]
    assert len({row["certificate"] for row in rows}) == 2 * len(StepOrder)


def test_the_updates_are_proved_for_each_convention() -> None:
    """They are objects of the package, whose bytes are those that were proved."""
    f = find_field("bls12-381-r")
    built = build(update_decisions(f), lambda *_: None)
    found = [(a.expression.kernel.operation, a.target.name, a.status) for a in built]
    assert found == [(o, t, PROVED) for t in UPDATED_FOR for o in ("divstep_fg", "divstep_de_lazy")]
    artifacts, files = package(f, fastest(f), [*kernels(f)[0][:-4], *built], "a test")
    rows = [a.row() for a in artifacts if a.symbol in update_symbols(f)]
    assert len(rows) == 2 * len(SYSTEMS) and {row["status"] for row in rows} == {PROVED}
    assert all(str(row["certificate"]) in files and str(row["object"]) in files for row in rows)
    for a in built:
        code = functions(a.code or b"")[a.symbol].code
        system = next(s for s in SYSTEMS if s.target == a.target.name)
        assert code in files[system.object_file]


@pytest.mark.parametrize("prime", ["secp256k1-p", "goldilocks", "2^190-11"])
def test_other_primes_have_no_updates(prime: str) -> None:
    """Where no bit is spare, or no kernel does a batch."""
    f = find_field(prime)
    assert not has_updates(f) and not update_decisions(f)


def test_small_primes_go_without_a_kernel_and_large_ones_do_few_more_steps() -> None:
    large = [find_field(name) for name in ("bls12-381-p", "p256", "curve25519", "p384", "p521")]
    assert all(map(has_divstep_kernel, large))
    assert not any(has_divstep_kernel(find_field(p)) for p in ("goldilocks", "2^31-1", "2^61-1"))
    assert [*map(has_updates, large)] == [True, False, True, False, True]
    assert inversion(large[0], MONTGOMERY)["batch_62"] == "59"
    assert inversion(find_field("goldilocks"), MONTGOMERY)["batch_62"] == "50"


def test_another_kernel_than_the_proved_one_is_refused() -> None:
    f = find_field("secp256k1-p")
    made, batches = kernels(f)
    code = batches[0].code
    at = code.index(b"\x0f\x44") + 1
    wrong = [replace(batches[0], code=code[:at] + b"\x45" + code[at + 1 :]), *batches[1:]]
    with pytest.raises(DifferentKernel, match="divstep_matrix"):
        package(f, fastest(f), made, "a test", batches=wrong)
