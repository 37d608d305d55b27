"""Lanes: digits of 52 bits by the interpreter, transpositions, and kernels on arrays."""

from __future__ import annotations

import ctypes
import mmap
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from array_fields import check_takes
from sampling import sampled
from vector_emulator import TARGETS, check_kernel, loaded

from fieldc.algorithms.lanes import LANES, MOST_BITS, NoLanes, in_lanes, in_lanes_by, jumps
from fieldc.catalogue import find_field
from fieldc.field import Field
from fieldc.language import DoesNotApply, Expression
from fieldc.machine.arrays import packed, size, unpacked
from fieldc.machine.check import CheckError, vectors
from fieldc.targets.array_targets import ARRAY_TARGETS
from fieldc.targets.vectors.kernel import compile_array
from fieldc.targets.vectors.offers import conversions
from fieldc.targets.vectors.target import VectorTarget
from fieldc.targets.vectors.transpose import LANES as WIDTH
from fieldc.targets.vectors.transpose import from_lanes, to_lanes
from fieldc.words.interpret import interpret
from fieldc.words.lanes import lower_in_lanes
from fieldc.words.operations import LANE_OPERATIONS

KINDS = ("bls12-381-p", "secp256k1-p", "goldilocks", "babybear", "p521")
ALIKE = ("bls12-381-r", "p384")
"""One with spare bits and one without, as the first two."""
PRIMES = (*KINDS, *ALIKE)
every_target = pytest.mark.parametrize("target", TARGETS)
IFMA, DOUBLES, SHORT = (ARRAY_TARGETS[name] for name in ("avx512ifma", "avx512f", "avx2"))


def fields(name: str) -> list[Field]:
    """A field in limbs and in digits."""
    f = find_field(name, 64)
    return [f, in_lanes(f)]


def forms(name: str) -> Iterator[Expression]:
    """Every operation in each of its layouts; values below 2p stay in digits."""
    limbs, digits = fields(name)
    for k in dict.fromkeys(k.computes for k in LANES):
        yield in_lanes_by(digits, k.name)
        if not k.is_lazy:
            yield in_lanes_by(limbs, k.name)


def multiplication(f: Field) -> Expression:
    """The product in the layout of the field's words."""
    return in_lanes_by(f, "mul")


def words_of(f: Field, value: int) -> int:
    """A number in words of 64 bits, each with one of the field's words."""
    return sum((value >> f.word * i & f.base - 1) << 64 * i for i in range(f.n))


BORDERS = ("0x3a0015f8a2cc1", "0x6c02b980dc6ff", "0xb313f8db9b92d", "0x3fdaca3c06f5ff0c03bb5d7385")
"""5p, 2p or p just fill digits of 52 bits, and a sum needs one more."""


@pytest.mark.parametrize("name", [*PRIMES, *BORDERS])
def test_a_lane_computes_the_operation_within_its_bounds(name: str) -> None:
    for expression in forms(name):
        k, f = expression.kernel, expression.field
        program = lower_in_lanes(expression)
        every = list(vectors(expression, seed=1))
        for operands in random.Random(1).sample(every, min(60, len(every))):
            given = [words_of(f, operand) for operand in operands]
            words = interpret(program, *given, check_bounds=True)
            each = [words >> 64 * i & (1 << 64) - 1 for i in range(k.result.width(f))]
            found = k.result.values(f, sum(word << f.word * i for i, word in enumerate(each)))
            wanted = k.result.values(f, k.meaning(f, *operands))
            for value, right in zip(found, wanted, strict=True):
                assert value <= k.result.high(f)
                assert (value - right) % f.p == 0, (k.operation, f.word, operands)


def test_the_halves_of_a_product_make_it() -> None:
    draw = random.Random(3)
    low, high = LANE_OPERATIONS["add_low"], LANE_OPERATIONS["add_high"]
    for _ in range(200):
        a, b = draw.randrange(1 << 64), draw.randrange(1 << 64)
        (x,), (y,) = low.compute(64, (a, b, 0), 52), high.compute(64, (a, b, 0), 52)
        assert x + (y << 52) == a % 2**52 * (b % 2**52)
        (shifted,) = LANE_OPERATIONS["shift_signed"].compute(64, (a,), 7)
        assert (shifted - (a - (a >> 63 << 64) >> 7)) % 2**64 == 0
        (merged,) = LANE_OPERATIONS["merge"].compute(64, (2**64 - 2**32, a, b), 0)
        assert merged == a >> 32 << 32 | b % 2**32


def test_jumps_leave_two_digits_to_quotients() -> None:
    made = {digits: jumps(Field(17, 52, "17", digits)) for digits in range(2, 16)}
    assert (made[8], made[5], made[12]) == ([3, 2, 1], [2, 1], [3, 3, 3, 1])
    for digits, found in made.items():
        assert sum(found) == digits - 2
        left = digits - 2
        for jump in found:
            assert jump < left or jump == left == 1
            left -= jump


@pytest.mark.parametrize("name", ["2^521-2^278+2^259+1", "2^445-2^186+2^169+1"])
def test_a_prime_whose_constants_are_almost_p(name: str) -> None:
    """Jumps of three digits left it above 2p, so that nothing could be built."""
    f = find_field(name, 64)
    assert f.p - pow(in_lanes(f).mu, 3, f.p) < f.p >> 52
    for expression in forms(name):
        lower_in_lanes(expression)
    assert 3 not in jumps(in_lanes(f))[-2:]


@pytest.mark.parametrize("name", ["2^760-2^281+2^34+1"])
def test_a_prime_whose_constants_leave_no_room_for_lazy_products(name: str) -> None:
    """p - mu^3 is p*2^-20, a product of values below 2p adds p*2^-18: more than 2p."""
    digits = in_lanes(find_field(name, 64))
    for operation in ("mul_lazy", "square_lazy", "mul_add_lazy", "butterfly_lazy"):
        lower_in_lanes(in_lanes_by(digits, operation))


def test_products_of_a_kernel_are_those_of_the_plan() -> None:
    """2D^2 halves of products, as many of the reduction less one for each quotient's carry."""
    for name, digits in (("bls12-381-p", 8), ("bls12-381-r", 5)):
        program = lower_in_lanes(multiplication(find_field(name, 64)))
        jumped = 2 * digits * (digits - 2)
        quotients = 2 * (1 + 2 * digits - 1)
        halves = program.count("add_low") + program.count("add_high")
        assert halves == 2 * digits**2 + jumped + quotients


def test_a_modulus_that_is_too_long() -> None:
    p = (1 << MOST_BITS) + 183
    with pytest.raises(DoesNotApply, match="up to 768 bits"):
        in_lanes(_Long(p))  # type: ignore[arg-type]


def test_an_operation_that_has_no_kernel_on_arrays() -> None:
    with pytest.raises(NoLanes, match="redc has no kernel on arrays; there is add, sub"):
        in_lanes_by(find_field("bn254-p", 64), "redc")


def test_full_bit_primes_divide_by_quotients_in_limbs_alone() -> None:
    limbs, digits = fields("secp256k1-p")
    assert multiplication(limbs).kernel.algorithm == "lanes-quotients"
    assert multiplication(digits).kernel.algorithm == "lanes"


class _Long:
    """As much of a field as in_lanes asks before it refuses."""

    word, n, name = 64, 13, ""

    def __init__(self, p: int) -> None:
        self.p, self.bits = p, p.bit_length()


@pytest.mark.parametrize("n", range(1, 13))
def test_transpositions(n: int) -> None:
    words = list(range(WIDTH * n))
    memory = [words[WIDTH * v : WIDTH * (v + 1)] for v in range(n)]
    lanes = to_lanes(n).run(memory)
    order = [word // n for word in lanes[0]]
    assert sorted(order) == list(range(WIDTH))
    assert lanes == [[n * element + limb for element in order] for limb in range(n)]
    assert from_lanes(n).run(lanes) == memory
    ordered = to_lanes(n, ordered=True).run(memory)
    assert ordered == [[n * element + limb for element in range(WIDTH)] for limb in range(n)]
    assert from_lanes(n, ordered=True).run(ordered) == memory


def test_the_counts_of_transpositions() -> None:
    def counts(n: int) -> tuple[int, int]:
        blends = sum(move.mask is not None for move in to_lanes(n).moves)
        return blends, len(to_lanes(n).moves) - blends

    assert counts(6) == (12, 6)
    assert counts(4) == (0, 8)


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 16, 17])
def test_arrays_are_packed_and_unpacked(count: int) -> None:
    for f in fields("bls12-381-p"):
        draw = random.Random(count)
        values = [draw.randrange(f.p) for _ in range(count)]
        data = packed(f, values)
        assert len(data) == size(f, count)
        assert unpacked(f, data, count) == values


@every_target
def test_compiling_twice_gives_the_same_text(target: VectorTarget) -> None:
    expression = multiplication(find_field("bls12-381-p", 64))
    kernel = compile_array(target, expression, "mul")
    assert kernel.text == compile_array(target, expression, "mul").text
    assert (kernel.block.spills == 0) == (target is not SHORT)  # it has half the registers


@pytest.mark.parametrize(
    ("target", "counts"),
    [(IFMA, (292, 324, 400)), (DOUBLES, (706, 738, 864)), (SHORT, (1458, 1536, 1740))],
    ids=["avx512ifma", "avx512f", "avx2"],
)
def test_ports_of_the_multiplication(target: VectorTarget, counts: tuple[int, ...]) -> None:
    """By hand: 295 with IFMA, 338 canonical, 429 for arrays; 5 for a product by doubles."""

    def ports(operation: str, f: Field) -> int:
        return compile_array(target, in_lanes_by(f, operation), "k").ports

    limbs, digits = fields("bls12-381-p")
    found = ports("mul_lazy", digits), ports("mul", digits), ports("mul", limbs)
    assert found == counts


@every_target
@pytest.mark.parametrize("name", sampled(KINDS, ALIKE))
@pytest.mark.sweep(3)
def test_kernels_on_arrays(name: str, target: VectorTarget) -> None:
    check_takes(target, name)
    for expression in forms(name):
        assert check_kernel(compile_array(target, expression, "kernel"), seed=2)


@every_target
@pytest.mark.full
def test_kernels_on_arrays_of_12_limbs(target: VectorTarget) -> None:
    for expression in forms("bw6-761-p"):
        assert check_kernel(compile_array(target, expression, "kernel"), seed=2)


@every_target
@pytest.mark.parametrize("name", PRIMES)
def test_conversions(name: str, target: VectorTarget) -> None:
    f = check_takes(target, name)
    for made in conversions(f).values():
        kernel = compile_array(target, made.expression, "kernel", made.result)
        assert check_kernel(kernel, seed=2)


def test_a_conversion_keeps_the_element() -> None:
    f = find_field("bls12-381-p", 64)
    digits = in_lanes(f)
    into, back = (each.expression.kernel for each in conversions(f).values())
    assert into.meaning(f, f.to_montgomery(5)) == digits.to_montgomery(5)
    assert back.meaning(digits, digits.to_montgomery(5)) == f.to_montgomery(5)


@every_target
def test_a_wrong_kernel_is_found(target: VectorTarget) -> None:
    f = find_field("bls12-381-r", 64)
    made = compile_array(target, in_lanes_by(f, "add"), "kernel")
    with pytest.raises(CheckError, match="element"):
        check_kernel(replace(made, expression=in_lanes_by(f, "sub")), seed=2)


class Pages:
    """Memory between two pages that nothing may touch."""

    def __init__(self, room: int) -> None:
        page = mmap.PAGESIZE
        self.room = -(-room // page) * page
        self._map = mmap.mmap(-1, self.room + 2 * page)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._map)) + page
        libc = ctypes.CDLL(None, use_errno=True)
        for edge in (self.start - page, self.start + self.room):
            assert libc.mprotect(ctypes.c_void_p(edge), ctypes.c_size_t(page), 0) == 0

    def put(self, data: bytes, at_end: bool) -> int:
        """Write data at one end; where it is."""
        place = self.start + (self.room - len(data) if at_end else 0)
        ctypes.memmove(place, data, len(data))
        return place


@every_target
@pytest.mark.parametrize("name", ["bls12-381-p", "bls12-381-r", "p521"])
def test_nothing_beside_the_arrays_is_touched(name: str, target: VectorTarget) -> None:
    """Arrays end where memory ends, then begin where it begins."""
    for f in fields(name):
        function = loaded(compile_array(target, multiplication(f), "kernel"))
        draw = random.Random(5)
        for count in range(20) if target.runs_here else (1, 9):
            x, y = ([draw.randrange(f.p) for _ in range(count)] for _ in range(2))
            for at_end in (True, False):
                areas = [Pages(max(1, size(f, count))) for _ in range(3)]
                arrays = (bytes(size(f, count)), packed(f, x), packed(f, y))
                places = [a.put(data, at_end) for a, data in zip(areas, arrays, strict=True)]
                function.at(count, *places)
                found = unpacked(f, ctypes.string_at(places[0], size(f, count)), count)
                wanted = [a * b * f.R_inverse % f.p for a, b in zip(x, y, strict=True)]
                assert found == wanted
