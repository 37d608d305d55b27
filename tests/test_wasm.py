"""WebAssembly: products in digits are right and within their bounds, and so is what Node runs."""

from __future__ import annotations

import re
import shutil
import sys
from itertools import product
from pathlib import Path

import pytest
from primes import NAMES, cases, expected, named_field, shaped, shapes, small_primes
from sampling import sampled
from well_formed import assert_no_waste, assert_well_formed

from fieldc.algorithms import OPERATIONS, choose
from fieldc.algorithms.unsaturated import (
    KERNELS,
    MOST_BITS,
    NotInDigits,
    excess,
    in_digits,
    readings,
)
from fieldc.cli import main
from fieldc.field import Field
from fieldc.language import BoundError, DoesNotApply, Expression
from fieldc.machine import wasm
from fieldc.machine.check import CheckError, check
from fieldc.machine.wasm import NodeError, WasmKernel, why_not_node
from fieldc.targets.registry import TARGETS
from fieldc.targets.source import WordSizeError
from fieldc.targets.wasm.encode import Module, WasmFunction, encode, signed, unsigned
from fieldc.targets.wasm.kernel import print_wasm
from fieldc.words.digits import cheapest_in_digits, lower_in_digits
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.program import Program

needs_node = pytest.mark.skipif(bool(why_not_node()), reason=f"SKIPPED: {why_not_node()}")
RUN = sampled(("bn254-p", "secp256k1-p", "2^192-237", "3"), ("bls12-381-p", "p521", "goldilocks"))
"""4 and 3 limbs, without a spare bit, and the smallest; then 6, 9 and 1."""


def programs(f: Field) -> list[tuple[Expression, Program]]:
    """The kernels that are built."""
    return [cheapest_in_digits(choose(f, operation)) for operation in OPERATIONS]


def check_digits(f: Field, count: int) -> None:
    """Each program and its text compute the operation; no value is above its bound."""
    for expression, program in programs(f):
        kernel = expression.kernel
        assert_well_formed(program)
        assert_no_waste(program)
        for values in cases(kernel, f, count):
            result = interpret(program, *values, check_bounds=True)
            assert result == expected(kernel.operation, f, *values), (kernel.operation, values)
            assert result == kernel.run(f, *values)


@pytest.mark.parametrize("name", NAMES)
def test_named_fields_in_digits(name: str) -> None:
    check_digits(named_field(name), 1)


@pytest.mark.parametrize("limbs", [1, 3])
def test_every_shape_of_prime_in_digits(limbs: int) -> None:
    for shape in shapes(limbs):
        check_digits(shaped(shape, limbs), 1)


def test_small_primes_in_digits_exhaustively() -> None:
    for p in small_primes(3, 24):
        f = Field(p)
        for expression, program in programs(f):
            kernel, arity = expression.kernel, len(expression.kernel.operands)
            if kernel.operation in ("redc", "sum_of_products"):
                continue
            for values in product(range(p), repeat=arity):
                assert interpret(program, *values) == expected(kernel.operation, f, *values)


@pytest.mark.parametrize("k", KERNELS, ids=lambda k: f"{k.operation}-{k.algorithm}")
def test_every_algorithm_in_digits(k) -> None:
    held = 0
    for name in ("bn254-p", "bls12-381-p", "secp256k1-p", "p256"):
        f = named_field(name)
        try:
            expression = k.expression(f)
        except BoundError:
            continue
        held += 1
        program = lower_in_digits(expression)
        for values in cases(k, f, 2):
            result = interpret(program, *values, check_bounds=True)
            assert result == expected(k.operation, f, *values)
    assert held


@pytest.mark.parametrize("limbs", range(1, 18))
def test_digits_hold_r_and_no_more(limbs: int) -> None:
    f = Field(shaped("one-spare", limbs).p)
    digits = in_digits(f)
    assert digits.word <= MOST_BITS and f.R << excess(f) == digits.R
    assert 0 <= excess(f) < digits.n
    assert digits.n == -(-64 * limbs // MOST_BITS)


def test_carries_are_taken_only_where_bounds_ask() -> None:
    """9 digits of 29 bits never need one before the end, 13 digits of 30 bits do."""
    masks = {}
    for name in ("bls12-381-r", "bls12-381-p"):
        (expression,) = (
            k.expression(named_field(name))
            for k in KERNELS
            if k.algorithm == "cios" and k.operation == "mul"
        )
        masks[name] = lower_in_digits(expression).count("and")
    # 8 of each operand, 9 quotients, 8 digits of the result; and 12, 12, 13, 12.
    assert masks["bls12-381-r"] == 33
    assert 49 < masks["bls12-381-p"] <= 49 + 13


def test_parts_and_jumps_save_multiplications() -> None:
    """What docs/webassembly.md says."""
    counts = {
        name: {
            k.algorithm: lower_in_digits(k.expression(named_field(name))).count("mul_low")
            for k in KERNELS
            if k.operation == "mul" and k.algorithm in ("cios", "sos", "sos-jumps")
        }
        for name in ("bn254-p", "bls12-381-p")
    }
    assert counts["bn254-p"] == {"cios": 171, "sos": 144, "sos-jumps": 119}
    assert counts["bls12-381-p"] == {"cios": 351, "sos": 303, "sos-jumps": 256}
    chosen = {name: programs(named_field(name))[4] for name in counts}
    assert {expression.kernel.algorithm for expression, _ in chosen.values()} == {"sos-jumps"}
    # Quotients cost nothing where -1/p mod 2^29 is -1 and p begins with 1.
    assert programs(named_field("bls12-381-r"))[4][0].kernel.algorithm == "sos"


def test_a_column_that_is_too_large_is_refused() -> None:
    f = named_field("bw6-761-p")
    whole = next(k for k in KERNELS if k.algorithm == "sos")
    with pytest.raises(DoesNotApply, match="a column of the whole product is larger than a word"):
        whole.expression(f)


def test_an_operation_without_digits_names_a_target_that_takes_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["build", "17", "--op", "fp2_mul_3", "--target", "wasm32", "-o", "nowhere"]) == 2
    assert capsys.readouterr().err.endswith("; --target wasm32-wide takes it in limbs\n")


def test_an_algorithm_without_digits_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    expression = choose(named_field("bn254-p"), "mul", "karatsuba")
    with pytest.raises(NotInDigits, match="there is: sos-jumps, sos, log-jump, cios"):
        readings(expression)
    built = ["build", "bn254-p", "--op", "mul", "--algorithm", "fips", "--target", "wasm32"]
    assert main([*built, "-o", "nowhere"]) == 2
    assert "there is: sos-jumps, sos, log-jump, cios" in capsys.readouterr().err


def test_words_of_32_bits_are_refused() -> None:
    with pytest.raises(WordSizeError, match="use 64"):
        print_wasm(lower(choose(Field(13, 32), "add")), "add")


@pytest.mark.parametrize(
    ("value", "bytes_"), [(0, "00"), (-1, "7f"), (63, "3f"), (64, "c000"), (-64, "40")]
)
def test_signed_numbers(value: int, bytes_: str) -> None:
    assert signed(value).hex() == bytes_
    assert encode(("i64.const", value)).hex() == f"42{bytes_}"
    assert encode(("i64.const", value % 2**64)).hex() == f"42{bytes_}"


def test_unsigned_numbers() -> None:
    assert [unsigned(v).hex() for v in (0, 127, 128, 624485)] == ["00", "7f", "8001", "e58e26"]


def test_the_text_says_the_same_as_the_module() -> None:
    function = WasmFunction("f", ("i32",), ("i64",), (("local.get", 0), ("i64.load", 8), ("drop",)))
    assert "local.get 0\n    i64.load offset=8\n" in function.text()
    assert '(import "env" "memory" (memory 1))' in Module((function,)).text()


def test_nothing_branches() -> None:
    for _, program in programs(named_field("secp256k1-p")):
        names = {str(name) for name, *_ in print_wasm(program, "kernel").body}
        assert not {n for n in names if re.search(r"^(br|if|loop|block|call|return)|select", n)}


@needs_node
@pytest.mark.parametrize("text", RUN)
def test_built_modules_are_tested(text: str, tmp_path: Path, capsys) -> None:
    assert main(["build", text, "--target", "wasm32", "-o", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.count("TESTED") == len(OPERATIONS)
    modules = sorted(tmp_path.glob("wasm32/*.wasm"))
    assert len(modules) == len(OPERATIONS)
    assert all(module.read_bytes().startswith(b"\0asm\1\0\0\0") for module in modules)


@needs_node
def test_small_primes_in_node_exhaustively() -> None:
    for p in (3, 5, 7, 11, 13):
        f = Field(p)
        for artifact in TARGETS["wasm32"].produce(choose(f, "mul")):
            assert artifact.code is not None
            with WasmKernel(artifact.code, artifact.symbol, (1, 1), 1) as kernel:
                for x, y in product(range(p), repeat=2):
                    assert kernel(x, y) == expected("mul", f, x, y)


@needs_node
def test_a_wrong_kernel_and_a_wrong_module_are_found() -> None:
    f = named_field("goldilocks")
    (artifact,) = TARGETS["wasm32"].produce(choose(f, "add"))
    assert artifact.code is not None
    made = WasmKernel(artifact.code, artifact.symbol, (1, 1), 1)
    with made, pytest.raises(CheckError, match="expected"):
        check(made, choose(f, "sub"))
    broken = WasmKernel(b"\0asm\2\0\0\0", "nothing", (1, 1), 1)
    with pytest.raises(NodeError, match="does not run"):
        broken(1, 1)


@needs_node
def test_what_node_refuses_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its own words, also where they name no error."""
    monkeypatch.setenv("NODE_OPTIONS", "--no-such-option")
    with pytest.raises(NodeError, match=r"does not run nothing: .*--no-such-option"):
        WasmKernel(b"", "nothing", (1, 1), 1)(1, 1)


@pytest.mark.skipif(sys.platform == "win32", reason="a script of sh")
def test_what_node_dies_of_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As where it gets too little memory: its words begin with a frame of #."""
    said = "\n#\n# Fatal process OOM in Failed to reserve memory\n#\n"
    (tmp_path / "node").write_text(f"#!/bin/sh\nprintf '{said}' >&2\nexit 1\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(NodeError, match=r"does not run nothing: Fatal process OOM in Failed"):
        WasmKernel(b"", "nothing", (1, 1), 1)(1, 1)


@needs_node
@pytest.mark.skipif(sys.platform == "win32", reason="a name there has no backslash")
def test_node_runs_kernels_from_a_folder_of_any_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Node loads no module of ES from a path with a backslash."""
    script = tmp_path / "back\\slash #1 %20" / wasm.SCRIPT.name
    script.parent.mkdir()
    shutil.copy(wasm.SCRIPT, script)
    monkeypatch.setattr(wasm, "SCRIPT", script)
    words = ["--op", "add", "--target", "wasm32", "-o", str(tmp_path / "out")]
    assert main(["build", "17", *words]) == 0
