"""Printed C: every operation has a form, it compiles without a warning, and it computes."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from collections.abc import Iterable
from itertools import product
from pathlib import Path

import pytest
from primes import operands

from fieldc.algorithms import OPERATIONS as KERNEL_OPERATIONS
from fieldc.algorithms import choose
from fieldc.catalogue import named_primes
from fieldc.field import Field
from fieldc.language import Expression
from fieldc.targets.c.print import FORMS, MAC, ROWS, c_function, fuse, print_c, print_c_header
from fieldc.targets.source import WordSizeError, named_constants
from fieldc.words.interpret import interpret
from fieldc.words.lower import lower
from fieldc.words.operations import OPERATIONS
from fieldc.words.rows import RowChoice, RowStyle

GCC = shutil.which("gcc")
needs_gcc = pytest.mark.skipif(GCC is None, reason="gcc is not installed: C is printed, not run")
FLAGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror"]
NAMES = ("bls12-381-p", "bn254-p", "bls12-381-r", "secp256k1-p", "goldilocks", "p521")
PRIMES = [*(named_primes()[name].p for name in NAMES), 3, 5, 2**127 - 1, 2**64 + 13, 2**32 - 5]


def expressions(word: int) -> list[tuple[str, Expression]]:
    """Every operation over every prime, with a symbol."""
    return [
        (f"kernel_{i}_{operation}", choose(Field(p, word), operation))
        for i, p in enumerate(PRIMES)
        for operation in KERNEL_OPERATIONS
    ]


def edge_values(expression: Expression, seed: int, count: int = 6) -> list[tuple[int, ...]]:
    """Every combination of small, largest and all-ones operands, and random ones."""
    rng, columns = random.Random(seed), []
    for node in expression.inputs:
        ones = (1 << node.high.bit_length() - 1) - 1
        columns.append(sorted({0, min(1, node.high), ones, node.high - 1, node.high}))
    values = list(product(*columns))
    values += [tuple(rng.randint(0, x.high) for x in expression.inputs) for _ in range(count)]
    return [operands(expression.kernel, expression.field, v) for v in values]


def words(value: int, word: int, count: int) -> ctypes.Array[ctypes.c_uint64]:
    """A number as an array of 64-bit or 32-bit words."""
    kind = ctypes.c_uint64 if word == 64 else ctypes.c_uint32
    return (kind * count)(*(value >> word * i & (1 << word) - 1 for i in range(count)))


def number(array: ctypes.Array[ctypes.c_uint64], word: int) -> int:
    """The number that an array of words holds."""
    return sum(limb << word * i for i, limb in enumerate(array))


def check_library(
    loaded: ctypes.CDLL, word: int, kernels: Iterable[tuple[str, Expression]]
) -> None:
    """Compare compiled kernels with their texts on Python's integers."""
    for symbol, expression in kernels:
        counts = [bound.width(expression.field) for _, bound in expression.kernel.operands]
        for values in edge_values(expression, seed=1):
            z = words(0, word, expression.field.n)
            loaded[symbol](z, *(words(v, word, c) for v, c in zip(values, counts, strict=True)))
            assert number(z, word) == expression.kernel.run(expression.field, *values), (
                symbol,
                values,
            )


@pytest.fixture(scope="module", params=[64, 32])
def library(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory):
    """(word, library) with every kernel, in one file, so the helpers stand in it many times."""
    word, folder = request.param, tmp_path_factory.mktemp("c")
    kernels = [
        (lower(expression, ROWS), symbol, expression) for symbol, expression in expressions(word)
    ]
    (folder / "kernels.h").write_text(print_c_header((p, s) for p, s, _ in kernels))
    text = '#include "kernels.h"\n' + "\n".join(print_c(*kernel) for kernel in kernels)
    (folder / "kernels.c").write_text(text)
    run_gcc(["-shared", "-fPIC", "kernels.c", "-o", "kernels.so"], folder)
    return word, ctypes.CDLL(str(folder / "kernels.so"))


def run_gcc(arguments: list[str], folder: Path) -> None:
    """Compile in a folder; any warning fails."""
    assert GCC is not None
    done = subprocess.run([GCC, *FLAGS, *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_operation_has_a_form():
    assert set(FORMS) == {*OPERATIONS, MAC.name}


@pytest.mark.parametrize("word", [2, 3])
@pytest.mark.parametrize("operation", ["mul", "square", "redc", "add"])
def test_fused_programs_compute_the_same(word: int, operation: str):
    for p in (5, 13, 29, 37, 61):
        expression = choose(Field(p, word), operation)
        fused = fuse(lower(expression, ROWS))
        for values in product(*(range(0, x.high + 1, 1 + x.high // 64) for x in expression.inputs)):
            assert interpret(fused, *values) == expression.kernel.run(expression.field, *values)


def test_a_multiplication_is_one_mac_a_product():
    program = fuse(lower(choose(Field(PRIMES[0]), "mul"), ROWS))
    assert program.count("mac") + program.count("mul") == 72
    assert program.count("add") == 6


@pytest.mark.parametrize("word", [64, 32])
@pytest.mark.parametrize("operation", ["mul", "square"])
def test_halves_of_constants_have_names(word: int, operation: str):
    expression = choose(Field(named_primes()["bn254-p"].p, word), operation, "half-limbs")
    program = lower(expression, ROWS)
    halves = [name for name in named_constants(program) if name.endswith(("_LOW", "_HIGH"))]
    assert {"N0_LOW", "P_0_LOW", "P_0_HIGH"} <= set(halves)
    assert all(name.isidentifier() for name in named_constants(program))


def test_other_rows_print_too():
    expression = choose(Field(PRIMES[1]), "mul")
    assert "mac64" in c_function(
        lower(expression, RowChoice(RowStyle.ONE_CHAIN)), "mul", expression
    )


def test_a_word_that_c_lacks_is_refused():
    with pytest.raises(WordSizeError, match="C has no 8-bit words; use 64 or 32"):
        c_function(lower(choose(Field(13, 8), "add")), "add")


@needs_gcc
def test_c_computes(library: tuple[int, ctypes.CDLL]):
    word, loaded = library
    check_library(loaded, word, expressions(word))


@needs_gcc
def test_every_aliasing_is_legal(library: tuple[int, ctypes.CDLL]):
    word, loaded = library
    for symbol, expression in expressions(word):
        f, run = expression.field, expression.kernel.run
        for values in edge_values(expression, seed=2, count=2):
            if len(values) == 1:
                z = words(values[0], word, expression.kernel.operands[0][1].width(f))
                loaded[symbol](z, z)
                assert number(z[: f.n], word) == run(f, *values), (symbol, values)
                continue
            width = expression.kernel.operands[0][1].width(f)
            x, y = (words(v, word, width) for v in values)
            loaded[symbol](x, x, y)
            assert number(x[: f.n], word) == run(f, *values), (symbol, values)
            x = words(values[0], word, width)
            loaded[symbol](y, x, y)
            assert number(y[: f.n], word) == run(f, *values), (symbol, values)
            loaded[symbol](x, x, x)
            assert number(x[: f.n], word) == run(f, values[0], values[0]), (symbol, values)


@needs_gcc
def test_no_kernel_branches(tmp_path: Path):
    texts = [print_c(lower(t, ROWS), symbol, t) for symbol, t in expressions(64)[:36]]
    (tmp_path / "kernels.c").write_text("\n".join(texts))
    run_gcc(["-S", "kernels.c", "-o", "kernels.s"], tmp_path)
    jumps = [
        line
        for line in (tmp_path / "kernels.s").read_text().splitlines()
        if line.lstrip().startswith(("j", "b.", "cb", "tb"))
    ]
    assert not jumps
