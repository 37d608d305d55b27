"""The Python interface: fields, elements, compiled kernels, and what an import costs."""

from __future__ import annotations

import copy
import pickle
import random
import subprocess
import sys

import pytest

import fieldc
from fieldc import Element, Field, compile
from fieldc.algorithms import choose
from fieldc.artifacts.host import check_operands
from fieldc.catalogue import find_field
from fieldc.errors import UserError
from fieldc.field import Field as Constants
from fieldc.machine.processor import ProcessorError, is_x86_64
from fieldc.python.arithmetic import PythonArithmetic
from fieldc.python.elements import FieldMismatch
from fieldc.python.native_arithmetic import NativeArithmetic

NATIVE = pytest.mark.skipif(not is_x86_64(), reason="this host runs no kernels in-process")
WAYS = [pytest.param(True, marks=NATIVE, id="native"), pytest.param(False, id="python")]
TEXTS = ["bn254-p", "3", "goldilocks", "2^255-19", "p521", "2^61-1", "bw6-761-p"]


@pytest.mark.parametrize("native", WAYS)
@pytest.mark.parametrize("text", TEXTS)
def test_elements_compute_modulo_p(text: str, native: bool) -> None:
    F = Field(text, native=native)
    kind = NativeArithmetic if native else PythonArithmetic
    assert isinstance(F.arithmetic, kind)
    p, draw = F.p, random.Random(1)
    values = [0, 1, p - 1, *(draw.randrange(p) for _ in range(4))]
    for x in values:
        for y in values:
            a, b = F(x), F(y)
            assert int(a + b) == (x + y) % p and int(a - b) == (x - y) % p
            assert int(a * b) == x * y % p and int(-a) == -x % p
            assert (a == b) == (x == y) and bool(a) == (x != 0)
            assert int(a + y) == int(y + a) == (x + y) % p
            assert int(x - b) == (x - y) % p and int(a * -y) == -x * y % p
            if y:
                assert int(a / b) == int(x / b) == x * pow(y, -1, p) % p
                assert b**-1 * b == 1 and b**-2 == 1 / (b * b)
    assert int(F(5) ** 3) == 125 % p and F(2) ** 0 == 1 and F(p + 2) == 2 and F(-1) == p - 1
    assert {F(2 % p), 2 % p} == {2 % p}


def test_what_a_field_is_made_of() -> None:
    by_name = Field("bn254-p")
    p = by_name.p
    made = [Field(p), Field(hex(p)), Field(by_name), Field(Constants(p)), Field(Constants(p, 32))]
    assert all(by_name == F and hash(F) == hash(by_name) for F in made)
    assert made[2].name == "bn254-p" and made[-1].constants.word == 64
    assert repr(by_name) == "Field('bn254-p')" and repr(Field(17)(20)) == "Field(0x11)(3)"
    assert str(Field(17)(20)) == "3" and Field(17) != Field(19)
    assert Field("17")(Field(17)(3)) == 3


@pytest.mark.parametrize(
    ("make", "error", "says"),
    [
        (lambda: Field("bn254-q"), UserError, "the nearest: bn254, bn254-p"),
        (lambda: Field(15), ValueError, "15 is composite"),
        (lambda: Field(1.5), TypeError, "float"),  # type: ignore[arg-type]
        (lambda: Field(17)(1.5), TypeError, "float"),  # type: ignore[arg-type]
        (lambda: Field(17)(1) + Field(19)(1), FieldMismatch, "convert one with int()"),
        (lambda: Field(17)(1) + "1", TypeError, "unsupported operand"),  # type: ignore[operator]
        (lambda: Field(17)(1) / 17, ZeroDivisionError, "0 has no inverse modulo 0x11"),
        (lambda: Field(17)(0) ** -1, ZeroDivisionError, "0 has no inverse"),
        (lambda: fieldc.bogus, AttributeError, "no attribute 'bogus'"),
    ],
)
def test_what_is_refused(make: object, error: type[Exception], says: str) -> None:
    assert callable(make)
    with pytest.raises(error) as caught:
        make()
    assert says in str(caught.value)


@NATIVE
def test_compiled_kernels_take_what_their_contract_says() -> None:
    f = find_field("bn254-p")
    multiply, redc = compile("bn254-p"), compile(f, "redc")
    assert multiply(f.to_montgomery(3), f.to_montgomery(5)) == f.to_montgomery(15)
    assert redc(f.p * f.R - 1) == (f.p * f.R - 1) * f.R_inverse % f.p
    for operands, says in [
        ((f.p, 1), "x must be < p"),
        ((1, f.p), "y must be < p"),
        ((-1, 1), "x must be >= 0 and < p, not -0x1"),
        ((1 << 300, 1), "x must be < p"),
        ((1,), "takes x and y"),
    ]:
        with pytest.raises(ValueError, match=says):
            multiply(*operands)
    with pytest.raises(UserError, match="no algorithm 'fast'"):
        compile("bn254-p", "mul", "fast")
    assert isinstance(Field("bn254-p")(1), Element)


@pytest.mark.parametrize("native", [True, False] if is_x86_64() else [False])
@pytest.mark.parametrize("text", ["bn254-p", "2^61-1"])
def test_what_is_pickled_and_copied_is_the_same(text: str, native: bool) -> None:
    field = Field(text, native=native)
    element, elements = field(-3), field.array([1, -2, 0])
    for same in (lambda x: pickle.loads(pickle.dumps(x)), copy.copy, copy.deepcopy):
        assert same(field) == field and same(field).name == field.name
        assert repr(same(element)) == repr(element) and same(element) * element == 9
        assert same(elements) == elements and same(elements).field == field


def test_another_host_computes_with_integers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fieldc.machine.processor.is_x86_64", lambda: False)
    F = Field("bn254-p")
    assert F(3) * 5 == 15 and isinstance(F.arithmetic, PythonArithmetic)
    with pytest.raises(ProcessorError, match="leave out native=True"):
        Field("bn254-p", native=True)(1)


def test_an_import_loads_no_compiler() -> None:
    text = (
        "import sys, fieldc; from fieldc import Field; F = Field('bn254-p'); "
        "print(F.p % 10, any(m in sys.modules for m in ('llvmlite', 'capstone', 'unicorn')))"
    )
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
    assert done.stdout == "3 False\n"


@pytest.mark.parametrize("words", [("-m", "fieldc"), ("-m", "fieldc.cli")])
def test_the_version(words: tuple[str, ...]) -> None:
    done = subprocess.run([sys.executable, *words, "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"fieldc {fieldc.__version__}\n")


@pytest.mark.parametrize(("operand", "kind"), [("4", "str"), (4.0, "float"), (None, "NoneType")])
def test_an_operand_that_is_no_integer_is_named(operand: object, kind: str) -> None:
    expression = choose(find_field("17"), "mul")
    with pytest.raises(TypeError, match=f"mul: y must be an integer, not {kind}"):
        check_operands(expression, (3, operand))  # type: ignore[arg-type]
