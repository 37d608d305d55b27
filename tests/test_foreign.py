"""Routines that nobody here compiled are proved from their bytes: blst's assembly."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.machine.assemble import assemble
from fieldc.proof.identity import ProofError
from fieldc.proof.objects import function_of
from fieldc.proof.prove import contract_of, foreign, prove

MANIFEST = """
[package]
name = "reader"
version = "0.0.0"
edition = "2021"
[dependencies]
blst = "=0.3.17"
"""
P, R = "bls12-381-p", "bls12-381-r"
MUL, SQUARE = ("z", "x", "y", "p", "n0"), ("z", "x", "p", "n0")
SUM = ("z", "x", "y", "p")
PROVED = (
    ("mulx_mont_384", "mulx_mont_384", "mul", P, MUL),
    ("mulx_mont_384", "sqrx_mont_384", "square", P, SQUARE),
    ("mulx_mont_384", "redcx_mont_384", "redc", P, SQUARE),
    ("mulx_mont_384", "fromx_mont_384", "from_montgomery", P, SQUARE),
    ("mulq_mont_384", "mul_mont_384", "mul", P, MUL),
    ("mulq_mont_384", "sqr_mont_384", "square", P, SQUARE),
    ("mulq_mont_384", "redc_mont_384", "redc", P, SQUARE),
    ("mulq_mont_384", "from_mont_384", "from_montgomery", P, SQUARE),
    ("mulx_mont_256", "mulx_mont_sparse_256", "mul", R, MUL),
    ("mulx_mont_256", "sqrx_mont_sparse_256", "square", R, SQUARE),
    ("mulx_mont_256", "redcx_mont_256", "redc", R, SQUARE),
    ("mulx_mont_256", "fromx_mont_256", "from_montgomery", R, SQUARE),
    ("mulq_mont_256", "mul_mont_sparse_256", "mul", R, MUL),
    ("mulq_mont_256", "sqr_mont_sparse_256", "square", R, SQUARE),
    ("mulq_mont_256", "redc_mont_256", "redc", R, SQUARE),
    ("mulq_mont_256", "from_mont_256", "from_montgomery", R, SQUARE),
    ("add_mod_384", "add_mod_384", "add", P, SUM),
    ("add_mod_384", "sub_mod_384", "sub", P, SUM),
    ("add_mod_256", "add_mod_256", "add", R, SUM),
    ("add_mod_256", "sub_mod_256", "sub", R, SUM),
)
"""File, symbol, operation, field and arguments."""


def _without_conditions(text: str) -> str:
    """What a C preprocessor without definitions keeps of the file's #ifdef blocks."""
    kept, skipping = [], False
    for line in text.splitlines():
        if line.startswith("#ifdef"):
            skipping = True
        elif line.startswith("#else"):
            skipping = not skipping
        elif line.startswith("#endif"):
            skipping = False
        elif not skipping and not line.startswith("#"):
            kept.append(line)
    return "\n".join(kept) + "\n"


@pytest.fixture(scope="module")
def assembly(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """blst's assembly files, fetched by cargo. Skips where there is no cargo or no registry."""
    if shutil.which("cargo") is None:
        pytest.skip("SKIPPED: there is no cargo here to fetch blst with")
    folder = tmp_path_factory.mktemp("reader")
    (folder / "src").mkdir()
    (folder / "src/lib.rs").write_text("")
    (folder / "Cargo.toml").write_text(MANIFEST)
    vendor = ["cargo", "vendor", "--quiet", "vendored"]
    done = subprocess.run(vendor, cwd=folder, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"SKIPPED: cargo cannot fetch blst: {done.stderr.strip().splitlines()[-1]}")
    return folder / "vendored/blst/blst/build/elf"


@cache
def _object(path: Path) -> bytes:
    return assemble(_without_conditions(path.read_text()))


@pytest.mark.parametrize(
    ("file", "symbol", "operation", "field", "arguments"), PROVED, ids=[s for _, s, *_ in PROVED]
)
def test_blst_is_proved(
    file: str, symbol: str, operation: str, field: str, arguments: tuple[str, ...], assembly: Path
) -> None:
    f = find_field(field)
    function = function_of(_object(assembly / f"{file}-x86_64.s"), symbol)
    contract = foreign(contract_of(operation, f.p, f.n), arguments)
    prove(function.code, contract, "sysv", function.start)
    # The routine takes its modulus as an argument: with another one than claimed it is wrong.
    other = {"p": tuple(f.limbs(f.p + 2))}
    with pytest.raises(ProofError):
        prove(function.code, replace(contract, tables=other), "sysv", function.start)


def test_the_command_line_takes_a_contract_file(
    assembly: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "blst.o").write_bytes(_object(assembly / "mulx_mont_384-x86_64.s"))
    said = 'operation = "mul"\narguments = ["z", "x", "y", "p", "n0"]\n'
    (tmp_path / "mul.toml").write_text(said)
    path, contract = str(tmp_path / "blst.o"), str(tmp_path / "mul.toml")
    words = ["prove", path, "--symbol", "mulx_mont_384", "--contract", contract]
    assert main([*words, "--field", "bls12-381-p"]) == 0
    assert "PROVED" in capsys.readouterr().out
    assert main([*words, "--field", "bls12-377-p"]) == 0  # any modulus, it is an argument
    words[words.index(contract)] = "square"
    assert main([*words, "--field", "bls12-381-p"]) == 1


def test_bad_contracts_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.toml").write_text("operation = 3")
    (tmp_path / "x.o").write_bytes(b"\x7fELF")
    for words in (
        [str(tmp_path / "x.o")],
        [str(tmp_path / "none.o"), "--symbol", "s", "--contract", "mul", "--field", "7"],
        [str(tmp_path / "x.o"), "--symbol", "s", "--contract", "mull", "--field", "7"],
        [
            *(str(tmp_path / "x.o"), "--symbol", "s", "--field", "7"),
            *("--contract", str(tmp_path / "bad.toml")),
        ],
        [str(tmp_path)],
    ):
        assert main(["prove", *words]) == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
