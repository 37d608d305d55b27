"""Modules with wide arithmetic: right in Python and in wasmtime, and the same as in digits."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from itertools import product
from pathlib import Path

import pytest
from primes import NAMES, cases, expected, named_field, shaped, shapes, small_primes
from wasm_code import run

from fieldc.algorithms import OPERATIONS, choose
from fieldc.cli import main
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.machine.check import CheckError, check
from fieldc.machine.wasm_wide import WasmtimeError, WideKernel, why_not_wasmtime
from fieldc.packages.js.module import DIGITS, WIDE, fastest, field_module
from fieldc.targets.registry import TARGETS
from fieldc.targets.source import WordSizeError
from fieldc.targets.wasm.encode import encode
from fieldc.targets.wasm.wide import ROWS, print_wide
from fieldc.words.build import Builder
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.operations import Kind
from fieldc.words.program import Program

needs_wasmtime = pytest.mark.skipif(
    bool(why_not_wasmtime()), reason=f"SKIPPED: {why_not_wasmtime()}"
)
RUN = ("bls12-381-p", "bn254-p", "secp256k1-p", "p521", "goldilocks", "2^192-237", "3")
"""6, 4, 9, 1 and 3 limbs, without a spare bit, and the smallest."""


def suited(f: Field, operation: str) -> Expression:
    """The operation by the algorithm that the target takes."""
    return preferred(f, operation, TARGETS["wasm32-wide"]).expression


def check_wide(f: Field, count: int) -> None:
    """Each program and its text compute the operation; no value is above its bound."""
    for operation in OPERATIONS:
        expression = suited(f, operation)
        program = lower(expression, ROWS)
        function = print_wide(program, operation)
        for values in cases(expression.kernel, f, count):
            wanted = expected(operation, f, *values)
            assert interpret(program, *values, check_bounds=True) == wanted, (operation, values)
            assert run(function, len(program.results), *values) == wanted, (operation, values)


@pytest.mark.parametrize("name", NAMES)
def test_named_fields(name: str) -> None:
    check_wide(named_field(name), 1)


@pytest.mark.parametrize("limbs", [1, 3])
def test_every_shape_of_prime(limbs: int) -> None:
    for shape in shapes(limbs):
        check_wide(shaped(shape, limbs), 1)


def test_small_primes_exhaustively() -> None:
    for p in small_primes(3, 24):
        f = Field(p)
        for operation in ("add", "sub", "neg", "mul", "square"):
            expression = choose(f, operation)
            function = print_wide(lower(expression, ROWS), operation)
            for values in product(range(p), repeat=len(expression.kernel.operands)):
                assert run(function, 1, *values) == expected(operation, f, *values)


def test_instructions_that_a_product_takes() -> None:
    """What docs/webassembly.md says."""
    found = {}
    for name in ("bls12-381-r", "bls12-381-p"):
        body = print_wide(lower(suited(named_field(name), "mul"), ROWS), "mul").body
        counts = Counter(str(instruction[0]) for instruction in body)
        found[name] = counts["i64.mul_wide_u"] + counts["i64.mul"], counts["i64.add128"]
        assert not {n for n in counts if "lt_u" in n or n.startswith(("br", "if", "select"))}
    assert found == {"bls12-381-r": (36, 55), "bls12-381-p": (73, 131)}


def test_a_borrow_is_a_word_where_one_is_wanted() -> None:
    """No algorithm adds a borrow; a program may."""
    build = Builder(64)
    x, y = (build.load(name, 0, build.top) for name in "xy")
    low, borrow = build.sub(x, y, build.no_carry)
    total, _ = build.add(low, y, borrow)
    assert borrow.kind is Kind.FLAG
    program = Program("odd", 64, (("x", 1), ("y", 1)), tuple(build.steps), (total,))
    for values in ((5, 3), (3, 5), (0, (1 << 64) - 1)):
        assert run(print_wide(program, "odd"), 1, *values) == interpret(program, *values)


def test_words_of_32_bits_are_refused() -> None:
    with pytest.raises(WordSizeError, match="use 64"):
        print_wide(lower(choose(Field(13, 32), "add")), "add")


def test_opcodes_with_a_prefix() -> None:
    codes = {"i64.add128": "fc13", "i64.sub128": "fc14", "i64.mul_wide_u": "fc16"}
    assert {name: encode((name,)).hex() for name in codes} == codes


@needs_wasmtime
@pytest.mark.parametrize("text", RUN)
def test_built_modules_are_tested(text: str, tmp_path: Path, capsys) -> None:
    assert main(["build", text, "--target", "wasm32-wide", "-o", str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("TESTED") == len(OPERATIONS)
    assert len(list(tmp_path.glob("wasm32-wide/*_wide.wasm"))) == len(OPERATIONS)


@needs_wasmtime
def test_a_wrong_kernel_and_a_wrong_module_are_found() -> None:
    f = named_field("goldilocks")
    (artifact,) = TARGETS["wasm32-wide"].produce(choose(f, "add"))
    assert artifact.code is not None
    made = WideKernel(artifact.code, artifact.symbol, (1, 1), 1)
    with made, pytest.raises(CheckError, match="expected"):
        check(made, choose(f, "sub"))
    with pytest.raises(WasmtimeError, match="does not run nothing"):
        WideKernel(b"\0asm\2\0\0\0", "nothing", (1, 1), 1)


@needs_wasmtime
@pytest.mark.parametrize("name", ["bls12-381-p", "secp256k1-p", "goldilocks"])
def test_both_modules_of_a_package_give_the_same_bytes(name: str) -> None:
    """Vectors, a power and the inverses, in one engine."""
    f, memories = named_field(name), []
    for form in (DIGITS, WIDE):
        module = field_module(f, "make it", form, fastest(f)).encode()
        memories.append(vectors_by(partial(WideKernel, module), f))
    assert memories[0] == memories[1]


def vectors_by(kernel, f: Field) -> list[bytes]:
    """What each function on vectors leaves in memory."""
    draw, size, count = random.Random(f.p), 8 * f.n, 5
    values = [draw.randrange(f.p) for _ in range(2 * count)]
    data = b"".join(value.to_bytes(size, "little") for value in values)
    x, y, z, e = 4096, 4096 + count * size, 8192, 12288
    frame = (
        bytes(x)
        + data
        + bytes(z - x - len(data))
        + bytes(e - z)
        + (f.p - 2).to_bytes(200, "little")
    )
    last = (count - 1) * size
    calls = {
        **{f"{op}_vec": (z, x, y, count) for op in ("add", "sub", "mul", "scale")},
        **{f"{op}_vec": (z, x, count) for op in ("neg", "square", "canonical")},
        "unwind": (y + last, x + last, z, count - 1),
        "power": (z, x, e, f.bits),
    }
    return [kernel(name, (f.n, f.n), f.n).call(frame, places) for name, places in calls.items()]
