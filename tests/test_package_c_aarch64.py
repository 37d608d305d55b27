"""The C package for AArch64: its text, its objects, and a program under an emulator."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from package_c import Packages, run, tool
from sampling import sampled

from fieldc.artifacts.verify import Job, prove_job
from fieldc.binary.linkable import functions
from fieldc.field import Field
from fieldc.packages.c import package
from fieldc.packages.c.aarch64 import ARM_SYSTEMS, LINUX
from fieldc.packages.c.assembly import Platform
from fieldc.packages.c.package import fastest, operations
from fieldc.targets.registry import TARGETS

PROGRAM = Path(__file__).with_name("package_c_aarch64.c")
FREE = ("-ffreestanding", "-fno-builtin", "-fno-stack-protector", "-nostdlib", "-static")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory, packages: Packages) -> tuple[Path, Field, str]:
    """A package of one limb: its folder, field and name."""
    folder = tmp_path_factory.mktemp("arm") / "package"
    return folder, *packages("goldilocks", folder)


@pytest.mark.parametrize("system", ARM_SYSTEMS, ids=lambda system: system.target)
def test_the_text_assembles_to_what_was_proved(
    system: Platform, built: tuple[Path, Field, str], tmp_path: Path
) -> None:
    """One text by clang for every system, and the objects beside it: both are proved."""
    folder, f, name = built
    made = tmp_path / "made.o"
    run(
        folder,
        tool("clang"),
        f"--target={system.triple}",
        "-c",
        f"src/{name}_aarch64.S",
        "-o",
        made,
    )
    convention = TARGETS[system.target].proved_as
    for data in (made.read_bytes(), (folder / system.object_file).read_bytes()):
        found = functions(data)
        assert len(found) == len(operations(f, fastest(f)))
        for symbol in (one.removeprefix(system.prefix) for one in found):
            operation = symbol.removeprefix(f"{name}_").rpartition("_")[0]
            assert prove_job(Job(data, symbol, operation, f.p, f.n, convention)).failure == ""


@pytest.mark.parametrize("text", ["aarch64", "x86_64"])
def test_on_another_processor_the_text_is_empty(
    text: str, built: tuple[Path, Field, str], tmp_path: Path
) -> None:
    """An assembler for 32-bit ARM takes what follows an @ for a comment."""
    folder, _, name = built
    words = ("--target=armv7a-linux-gnueabi", "-c", f"src/{name}_{text}.S")
    run(folder, tool("clang"), *words, "-o", tmp_path / "made.o")
    assert name.encode() not in (tmp_path / "made.o").read_bytes()


@pytest.mark.parametrize("text", sampled(["bn254-p"], ["goldilocks", "secp256k1-p"]))
@pytest.mark.parametrize("parts", ["src", "single"])
def test_a_program_computes_under_an_emulator(
    text: str, parts: str, tmp_path: Path, packages: Packages
) -> None:
    compiler, qemu, _ = tool("clang"), tool("qemu-aarch64"), tool("ld.lld")
    _, name = packages(text, tmp_path)
    sources = {
        "src": ("-Iinclude", f"src/{name}.c", f"src/{name}_aarch64.S"),
        "single": ("-Isingle", f"single/{name}.c"),
    }
    words = (f"-DNAME(x)={name}##x", f'-DHEADER="{name}.h"', "--target=aarch64-linux-gnu")
    flags = ("-std=c99", "-O1", "-Wall", "-Wextra", "-Werror", "-fuse-ld=lld", *FREE)
    run(tmp_path, compiler, *flags, *words, *sources[parts], PROGRAM, "-o", "program")
    done = subprocess.run([qemu, str(tmp_path / "program")])
    assert done.returncode == 0


def test_without_a_proof_the_package_has_no_kernels_for_it(
    built: tuple[Path, Field, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(package, "PROVED", "something else")
    _, f, _ = built
    decided = [package.preferred(f, "add", TARGETS[name]) for name in (LINUX.target, "c")]
    kernels = package.shipped(package.build(decided, lambda *_: None))
    assert [a.target.name for a in kernels] == ["c"]
