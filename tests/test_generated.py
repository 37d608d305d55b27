"""The gate: every checked-in generated file is, byte for byte, what the compiler generates."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from fieldc.artifacts.crate import (
    ASSEMBLY,
    COMMAND,
    FIELDS,
    FOLDER,
    ROOT,
    generate,
    main,
    stale,
    write,
)
from fieldc.catalogue import find_field, named_primes
from fieldc.field import Field
from fieldc.machine.assemble import assemble, host_triple
from fieldc.proof.objects import function_of
from fieldc.proof.prove import contract_of, prove

CARGO = shutil.which("cargo")
needs_cargo = pytest.mark.skipif(CARGO is None, reason="cargo is not installed: not compiled here")


@pytest.fixture(scope="module")
def files() -> dict[str, str]:
    return generate()


def test_every_checked_in_file_is_what_is_generated():
    assert not stale(ROOT), f"run: {COMMAND}"


def test_every_file_says_how_to_make_it_again(files: dict[str, str]):
    for path, text in files.items():
        assert f"`{COMMAND}` (`python -m fieldc.artifacts.crate`)" in text, path
        assert text.endswith("\n") and "\r" not in text and "\t" not in text


def test_every_field_file_says_its_prime_and_r(files: dict[str, str]):
    for module, name in FIELDS.items():
        field = Field(named_primes()[name].p)
        for part in ("mod", "portable", "x86_64"):
            text = files[f"{FOLDER}/{module}/{part}.rs"]
            assert f"// p = {field.p:#x} ({field.bits} bits), R = 2^{64 * field.n}" in text


def test_two_runs_in_two_processes_give_the_same_bytes(tmp_path: Path, files: dict[str, str]):
    command = [sys.executable, "-m", "fieldc.artifacts.crate", "--root", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    assert {path: (tmp_path / path).read_bytes().decode() for path in files} == files


def test_unsafe_stands_only_in_assembly(files: dict[str, str]):
    for path, text in files.items():
        assert ("unsafe" in text) == path.endswith("x86_64.rs"), path
        # Each block has its line of SAFETY, each unsafe function its section of Safety.
        assert text.count("unsafe {") == text.count("// SAFETY:")
        assert text.count("unsafe extern") == text.count("/// # Safety")


def test_assembly_leaves_the_red_zone_alone(files: dict[str, str]):
    """Windows has none: what lies below the stack pointer may change at any time."""
    for path, text in files.items():
        assert not re.search(r"\[rsp - ", text), path


def test_check_names_what_is_stale(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    write(tmp_path, generate())
    assert main(["--check", "--root", str(tmp_path)]) == 0
    changed, missing = tmp_path / FOLDER / "mod.rs", tmp_path / FOLDER / "bn254_fp/x86_64.rs"
    changed.write_text(changed.read_text() + "\n")
    missing.unlink()
    (tmp_path / FOLDER / "old.rs").write_text("")
    capsys.readouterr()
    assert main(["--check", "--root", str(tmp_path)]) == 1
    lines = capsys.readouterr().err.splitlines()
    paths = [f"{FOLDER}/mod.rs", f"{FOLDER}/bn254_fp/x86_64.rs", f"{FOLDER}/old.rs"]
    assert lines == [f"{path} is not what fieldc generates; run: {COMMAND}" for path in paths]
    assert main(["--root", str(tmp_path)]) == 0
    assert main(["--check", "--root", str(tmp_path)]) == 0


@needs_cargo
def test_cargo_finds_the_crate_formatted():
    assert CARGO is not None
    done = subprocess.run(
        [CARGO, "fmt", "--all", "--check"], cwd=ROOT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


CHECKED_IN = [(module, operation) for module in FIELDS for operation in ASSEMBLY]


@pytest.mark.skipif("x86_64" not in host_triple(), reason="LLVM here assembles no x86-64")
@pytest.mark.parametrize(("module", "operation"), CHECKED_IN)
def test_every_checked_in_kernel_is_proved(module: str, operation: str):
    """The text as it stands in the crate, assembled with its table of constants behind it."""
    text = (ROOT / FOLDER / module / "x86_64.rs").read_text()
    table = re.search(rf"static {operation.upper()}_CONSTANTS: .*?\[(.*?)\]\)", text, re.DOTALL)
    code = re.search(rf'fn {operation}_kernel\(.*?r"\n(.*?)\n",', text, re.DOTALL)
    assert table is not None and code is not None
    words = "".join(f".quad {value}\n" for value in re.findall(r"0x[0-9a-f]{16}", table[1]))
    lines = code[1].replace("{constants}", "constants")
    head = ".intel_syntax noprefix\n.text\n.globl k\nk:\n"
    function = function_of(assemble(f"{head}{lines}\n.balign 64\nconstants:\n{words}"), "k")
    f = find_field(FIELDS[module])
    prove(function.code, contract_of(operation, f.p, f.n), start=function.start)
