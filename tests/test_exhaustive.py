"""All inputs, all odd primes, at 2-, 3- and 4-bit words with 1 to 3 limbs.

The interpreter's operations have no branch, so they run on arrays of inputs. Bounds are checked on
every value of every input.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pytest
from primes import CARRY_STYLES, expected, small_primes, style_id, traces

from fieldc.field import Field
from fieldc.language import Trace
from fieldc.words.interpret import BrokenBound, interpret
from fieldc.words.lower import lower
from fieldc.words.program import Program
from fieldc.words.rows import RowChoice, RowStyle

Array = npt.NDArray[Any]
BLOCK = 8192
MULTIPLYING = ("mul", "square", "redc", "to_montgomery", "from_montgomery")


class Words(np.ndarray[Any, Any]):
    """Many inputs at once, as the interpreter takes a number.

    `%` by a power of two needs no division: 4 times as fast. `>` says whether any element is
    greater, so that the check of bounds works; no word of 4 bits is above 15. Flags are small.
    """

    def __mod__(self, modulus: Any) -> Any:
        return self & (modulus - 1)

    def __gt__(self, bound: Any) -> Any:
        return bound < 15 and int(self.view(np.ndarray).max()) > bound

    def __lt__(self, bound: Any) -> Any:
        return (self.view(np.ndarray) < bound).astype(np.int16).view(Words)

    def __format__(self, spec: str) -> str:
        return format(int(self.view(np.ndarray).max()), spec)


def words(values: Array, dtype: type) -> Words:
    """An array as the interpreter takes it."""
    return values.astype(dtype).view(Words)


def blocks(total: int) -> Iterator[Array]:
    """0, 1, ..., total - 1 in blocks."""
    for start in range(0, total, BLOCK):
        yield np.arange(start, min(start + BLOCK, total), dtype=np.int64)


def operands(trace: Trace) -> Iterator[tuple[Array, ...]]:
    """Every input of a kernel, in blocks."""
    f = trace.field
    if len(trace.inputs) == 2:
        for index in blocks(f.p * f.p):
            yield index // f.p, index % f.p
    else:
        for index in blocks(trace.inputs[0].high + 1):
            yield (index,)


def run(program: Program, *values: Array) -> Array:
    """The program on arrays, with bounds checked."""
    # int16 holds every value of a word program at up to 4 bits, and residues of 3 limbs.
    wide = program.operands[0][1] > 3
    given = (cast(int, words(v, np.int32 if wide else np.int16)) for v in values)
    return np.broadcast_to(
        np.asarray(interpret(program, *given, check_bounds=True), dtype=np.int64), values[0].shape
    )


def wanted(trace: Trace, values: tuple[Array, ...]) -> Array:
    """The expected results, in int64: no product reaches 2^63."""
    f = trace.field
    kind = trace.kernel.operation
    if kind in ("mul", "square", "redc"):
        whole = values[0] if kind == "redc" else values[0] * values[-1]
        return whole % f.p * pow(1 << f.word * f.n, -1, f.p) % f.p
    return cast(Array, expected(kind, f, *cast(tuple[int, ...], values)))


def sweep(p: int, word: int, styles: tuple[RowChoice, ...]) -> int:
    """Every kernel on every input; the number of results compared."""
    f = Field(p, word)
    compared = 0
    for trace in traces.__wrapped__(f):
        multiplies = trace.kernel.operation in MULTIPLYING
        programs = {rows: lower(trace, rows) for rows in (styles if multiplies else styles[:1])}
        for values in operands(trace):
            want = wanted(trace, values)
            for rows, program in programs.items():
                result = run(program, *values)
                if not np.array_equal(result, want):
                    report(trace, rows, values, result, want)
                compared += len(want)
    return compared


def report(
    trace: Trace, rows: RowChoice, values: tuple[Array, ...], result: Array, want: Array
) -> None:
    """Fail with the first wrong result."""
    at = int(np.argmax(result != want))
    f, given = trace.field, [int(v[at]) for v in values]
    pytest.fail(
        f"p = {f.p}, {f.word}-bit words, {trace.kernel.operation} ({trace.kernel.algorithm}), "
        f"{style_id(rows)}: {given} gives {int(result[at])}, not {int(want[at])}"
    )


def primes_of(word: int, limbs: int) -> list[int]:
    """Every odd prime that needs so many limbs."""
    return small_primes(1 << word * (limbs - 1), 1 << word * limbs)


def test_the_primes_are_all_there() -> None:
    assert primes_of(2, 1) == [3]
    assert primes_of(2, 2) == [5, 7, 11, 13]
    assert primes_of(4, 1) == [3, 5, 7, 11, 13]
    assert len(primes_of(2, 3)) == 12
    assert [len(primes_of(3, n)) for n in (1, 2, 3)] == [3, 14, 79]
    assert [len(primes_of(4, n)) for n in (1, 2, 3)] == [5, 48, 510]


@pytest.mark.parametrize("rows", CARRY_STYLES, ids=style_id)
@pytest.mark.parametrize(
    ("word", "limbs"), [(2, 1), (2, 2), (2, 3), (3, 1), (3, 2), (4, 1), (4, 2)]
)
def test_every_prime_and_input(word: int, limbs: int, rows: RowChoice) -> None:
    for p in primes_of(word, limbs):
        assert sweep(p, word, (rows,)) > p * p


def two_styles(i: int) -> tuple[RowChoice, ...]:
    """The default style and one of the others, in turn."""
    others = [rows for rows in CARRY_STYLES if rows.style is not RowStyle.TWO_SUMS]
    return RowChoice(RowStyle.TWO_SUMS), others[i % len(others)]


@pytest.mark.parametrize("part", range(8))
def test_every_prime_and_input_of_three_3_bit_limbs(part: int) -> None:
    for i, p in list(enumerate(primes_of(3, 3)))[part::8]:
        sweep(p, 3, two_styles(i))


SAMPLE = (257, 2053, *random.Random(4).sample(primes_of(4, 3)[1:200], 3))
"""The smallest prime of three 4-bit limbs, the smallest full-bit one, and some between."""


@pytest.mark.parametrize("p", SAMPLE)
def test_some_primes_of_three_4_bit_limbs(p: int) -> None:
    sweep(p, 4, (RowChoice(),))


def test_the_largest_prime_of_three_4_bit_limbs() -> None:
    assert primes_of(4, 3)[-1] == 4093
    sweep(4093, 4, (RowChoice(RowStyle.TWO_SUMS),))


@pytest.mark.full
@pytest.mark.parametrize("part", range(64))
def test_every_prime_and_input_of_three_4_bit_limbs(part: int) -> None:
    for i, p in list(enumerate(primes_of(4, 3)))[part::64]:
        assert sweep(p, 4, two_styles(i)) > p * p


@pytest.mark.full
@pytest.mark.parametrize("part", range(8))
def test_every_style_of_three_3_bit_limbs(part: int) -> None:
    for p in primes_of(3, 3)[part::8]:
        sweep(p, 3, CARRY_STYLES)


def test_a_sweep_finds_a_wrong_bound_and_a_wrong_result() -> None:
    f = Field(5, 2)
    trace = next(t for t in traces(f) if t.kernel.operation == "add")
    program = lower(trace)
    wrong = Program("add", 2, program.operands, program.steps, program.results[::-1])
    values = next(operands(trace))
    result, want = run(wrong, *values), wanted(trace, values)
    assert not np.array_equal(result, want)
    with pytest.raises(pytest.fail.Exception, match="gives"):
        report(trace, RowChoice(), values, result, want)
    beyond = (np.array([15]), np.array([15]))
    with pytest.raises(BrokenBound, match="exceeds"):
        run(program, *beyond)
