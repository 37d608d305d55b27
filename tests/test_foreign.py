"""Routines that nobody here compiled are proved from their bytes: blst's assembly."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from contracts import contract_named

from fieldc.binary.linkable import function_of
from fieldc.catalogue import find_field
from fieldc.cli import main
from fieldc.lab.foreign import NoForeignCode, foreign_text
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.arguments import foreign
from fieldc.proof.prove import prove

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


@cache
def _object(file: str) -> bytes:
    """One of blst's assembly files, as an object. Skips where there is no cargo or no registry."""
    try:
        return assemble(foreign_text(file))
    except NoForeignCode as error:
        pytest.skip(f"SKIPPED: {error}")


@pytest.mark.sweep(8)
@pytest.mark.parametrize(
    ("file", "symbol", "operation", "field", "arguments"), PROVED, ids=[s for _, s, *_ in PROVED]
)
def test_blst_is_proved(
    file: str, symbol: str, operation: str, field: str, arguments: tuple[str, ...]
) -> None:
    f = find_field(field)
    function = function_of(_object(file), symbol)
    contract = foreign(contract_named(operation, f.p, f.n), arguments)
    prove(function.code, contract, "sysv", function.start)
    # The routine takes its modulus as an argument: with another one than claimed it is wrong.
    other = {"p": tuple(f.limbs(f.p + 2))}
    with pytest.raises(ProofError):
        prove(function.code, replace(contract, tables=other), "sysv", function.start)


def test_the_command_line_takes_a_contract_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "blst.o").write_bytes(_object("mulx_mont_384"))
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
