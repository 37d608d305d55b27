"""The Python interface given what strangers give it: numpy, slices, buffers of other words."""

from __future__ import annotations

import copy
import operator
import pickle
from array import array
from collections.abc import Callable

import pytest

from fieldc import Element, Field, compile
from fieldc.formulas import Element as Recorded
from fieldc.formulas import formula
from fieldc.machine.processor import is_x86_64
from fieldc.python.arrays import LengthMismatch

NATIVE = pytest.mark.skipif(not is_x86_64(), reason="this host runs no kernels in-process")
F = Field("bn254-p")
SLICES = [slice(None), slice(1, 3), slice(None, None, -1), slice(5, 2, -1), slice(0, 99, 4)]
SLICES += [slice(-3, None), slice(10, 0, -3), slice(50, 60), slice(2, 2), slice(None, None, 99)]


@pytest.mark.parametrize("name", ["bn254-p", "goldilocks", "babybear"])
@pytest.mark.parametrize("count", [0, 1, 10])
@pytest.mark.parametrize("in_digits", [False, True])
def test_a_slice_is_a_copy(name: str, count: int, in_digits: bool) -> None:
    field, values = Field(name), list(range(1, count + 1))
    given = field.array(values)
    given = given.to_digits() if in_digits else given
    for part in SLICES:
        assert given[part].tolist() == values[part]
        assert (given[part] * 2).tolist() == [2 * value for value in values[part]]
    with pytest.raises(ValueError, match="step"):
        given[::0]


@pytest.mark.parametrize("in_digits", [False, True])
def test_quotients_of_arrays(in_digits: bool) -> None:
    a, b = F.array([6, 0, 20]), F.array([2, 7, 5])
    if in_digits:
        a, b = a.to_digits(), b.to_digits()
    assert (a / b).tolist() == [3, 0, 4] and (a / 2 * 2) == (a / F(2) * 2) == F.array([6, 0, 20])
    assert (1 / b * b).tolist() == [1, 1, 1]
    with pytest.raises(ZeroDivisionError, match="element 1 is 0"):
        b / a
    with pytest.raises(TypeError, match="unsupported operand"):
        a / "2"  # type: ignore[operator]


def test_powers_by_exponents_much_longer_than_p() -> None:
    values = [0, 1, 2, F.p - 1]
    given = F.array(values)
    for exponent in (1 << 20000, F.p - 1, 2 * (F.p - 1), F.p):
        assert (given**exponent).tolist() == [pow(v, exponent, F.p) for v in values]
    assert (given[1:] ** -(1 << 300)).tolist() == [pow(v, -(1 << 300), F.p) for v in values[1:]]


@pytest.mark.parametrize("operate", [operator.add, operator.sub, operator.mul, operator.truediv])
def test_numbers_of_numpy_on_either_side(operate: Callable[..., object]) -> None:
    numpy = pytest.importorskip("numpy")
    given, three = F.array([1, 2, 5]), F.array([3, 3, 3])
    for number in (numpy.int64(3), numpy.uint8(3), numpy.array(3)):
        assert operate(given, number) == operate(given, three)
        assert operate(number, given) == operate(three, given)
        assert operate(number, F(5)) == operate(F(3), F(5)) == operate(F(3), numpy.int64(5))
    for other in (numpy.array([1, 2, 3]), numpy.float64(3), numpy.array([1.0])):
        for pair in ((given, other), (other, given)):
            with pytest.raises(TypeError, match=r"what numpy has are no elements; F\.array"):
                operate(*pair)
    assert (given == numpy.array([1, 2, 5])) is False and (given == numpy.int64(1)) is False
    with pytest.raises(TypeError, match="unsupported operand"):
        operate(F(5), numpy.float64(3))


def test_a_buffer_has_words_or_bytes() -> None:
    words = F.array([1, 2, 3]).words.cast("B").cast("Q").tolist()
    for kind in "Qq":
        made = array(kind, [word - (word >> 63 << 64) * (kind == "q") for word in words])
        assert F.array_of(made).tolist() == F.array_of(bytearray(made)).tolist() == [1, 2, 3]
    for kind in "dfIH":
        with pytest.raises(TypeError, match=f"integers of 64 bits .* not items of format '{kind}'"):
            F.array_of(array(kind, [0] * 16))
    with pytest.raises(TypeError, match="integers of 32 bits"):
        Field("babybear", word=32).array_of(array("Q", [0] * 8))


def test_buffers_of_numpy_in_another_order_or_shape() -> None:
    numpy = pytest.importorskip("numpy")
    given = F.array(range(8))
    view = numpy.asarray(given.words)
    for other in (view.astype(">u8"), view.astype(float), view.view("c16"), view == 0):
        with pytest.raises(TypeError, match="not items of format"):
            F.array_of(other)
    for other in (numpy.ascontiguousarray(view.T), view[:, :2], view.reshape(16, 2)):
        with pytest.raises(LengthMismatch, match="is no element of 4 words"):
            F.array_of(other)
    assert F.array_of(view.ravel()) == F.array_of(view.reshape(2, 4, 4)) == given


def test_fields_elements_and_arrays_do_not_change() -> None:
    given, other = Field(17), Field(19)
    for thing, name in [
        (given, "constants"),
        (given, "p"),
        (given(3), "field"),
        (given.array([3]), "field"),
    ]:
        with pytest.raises(AttributeError):
            setattr(thing, name, getattr(other, name, other))
    assert given(16) + 1 == 0 and given == Field(17)


def test_an_element_prints_as_its_integer() -> None:
    assert f"{F(255):x} {F(255):>5} {F(255)} {F(255):#06x}" == "ff   255 255 0x00ff"


@pytest.mark.parametrize("order", [2.0, "2", None])
def test_an_order_is_an_integer(order: object) -> None:
    with pytest.raises(TypeError, match="cannot be interpreted as an integer"):
        F.root_of_unity(order)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [17.0, None, b"17", [17]])
def test_another_type_is_no_field_and_the_message_says_what_is(given: object) -> None:
    kind = type(given).__name__
    with pytest.raises(TypeError, match=f"an integer, a field, or text with a prime, not a {kind}"):
        Field(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("native", ["no", 1.5, 0])
def test_native_is_a_boolean(native: object) -> None:
    with pytest.raises(TypeError, match="native is True, False or None"):
        Field(17, native=native)  # type: ignore[arg-type]


@NATIVE
def test_kernels_take_integers_of_numpy_and_are_copied_but_not_stored() -> None:
    numpy = pytest.importorskip("numpy")
    multiply = compile(17, "mul")
    assert multiply(numpy.int64(3), numpy.uint8(4)) == multiply(3, 4)
    assert repr(multiply).startswith("<mul by ") and copy.deepcopy(multiply) is multiply
    with pytest.raises(TypeError, match="x must be an integer, not ndarray"):
        multiply(numpy.array([3]), 4)
    with pytest.raises(TypeError, match="an algorithm is a name, not int"):
        compile(17, "mul", 5)  # type: ignore[call-overload]

    @formula
    def twice(a: Recorded) -> Recorded:
        return a + a

    doubled = compile(F, twice)
    assert copy.copy(doubled) is copy.deepcopy(doubled) is doubled
    assert isinstance(doubled(numpy.int64(4)), Element) and doubled(numpy.int64(4)) == 8
    for thing in (multiply, doubled):
        with pytest.raises(TypeError, match="cannot be pickled; compile it again"):
            pickle.dumps(thing)


def test_pow_takes_no_modulus() -> None:
    for value in (F(3), F.array([3])):
        assert pow(value, 2, None) == value * value
        with pytest.raises(TypeError, match="elements have a modulus"):
            pow(value, 2, 97)  # type: ignore[misc]


@pytest.mark.parametrize("other", [3, True, F(3)], ids=["integer", "bool", "element"])
def test_an_inner_product_is_of_two_arrays(other: object) -> None:
    values = F.array([1, 2])
    for left, right in ((values, other), (other, values)):
        with pytest.raises(TypeError, match="unsupported operand type"):
            left @ right  # type: ignore[operator]


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 2), (1, 1)], ids=str)
def test_an_array_has_one_dimension(shape: tuple[int, ...]) -> None:
    numpy = pytest.importorskip("numpy")
    with pytest.raises(TypeError, match=f"one dimension, not {len(shape)}"):
        F.array(numpy.ones(shape, dtype="u8"))
