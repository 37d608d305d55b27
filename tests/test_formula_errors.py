"""Bad formulas: one line with the file's name and the line, exit status 2."""

from __future__ import annotations

import cProfile
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from fieldc.cli import main
from fieldc.formulas import Element, formula
from fieldc.formulas.errors import FormulaError
from fieldc.formulas.formula import TAKEN
from fieldc.formulas.load import load_formulas
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.formulas import statement_of

EXAMPLE = Path(__file__).parent.parent / "examples" / "add_2007_bl.py"

SMALL = "2^127-1"

WRONG = {
    "if x:\n        return x": (5, "no branch"),
    "return x if x == 0 else -x": (5, "no comparison"),
    "return x / 2": (5, "no division"),
    "return x + 1.5": (5, "elements and integers, not with 1.5"),
    "return 'x' * x": (5, "elements and integers, not with a str"),
    "return x - None": (5, "elements and integers, not with a NoneType"),
    "return {x: 1}[x]": (5, "no key of a dictionary"),
    "return x**-1": (5, "from 1 to 64, not -1"),
    "return 'x'": (5, "not an element"),
    "y = x\n    return [y, x]": (6, "returns a list, which is not an element"),
    "return [[1], x] and OSError()": (5, "returns an OSError, which is not an element"),
    "pass": (5, "returns nothing"),
    "return x[0]": (5, "an Element has + - * with elements and integers"),
    "return x & 1": (5, "an Element has + - * with elements and integers"),
    "return 1 << x": (5, "an Element has + - * with elements and integers"),
    "return ~x": (5, "an Element has + - * with elements and integers"),
    "return x.inverse()": (5, "an Element has no 'inverse': it has + - *"),
    "return eval('x.inverse()')": (5, "an Element has no 'inverse'"),
    "import copy\n    return copy.copy(x).inverse()": (6, "an Element has no 'inverse'"),
    "return x.__dict__": (5, "an Element has no '__dict__'"),
    "return None - x": (5, "not with a NoneType"),
    "return 3 % x": (5, "no division"),
    "return divmod(x, 2)": (5, "no division"),
    "return Element(x, x)": (5, "write 3 for what Element(3) would be"),
    "return Element()": (5, "write 3 for what Element(3) would be"),
    "return 1 / 0": (5, "division by zero"),
    "return (": (5, "not Python"),
    "return x**x": (5, "from 1 to 64, not an element"),
    "return pow(x, 2, 7)": (5, "elements have a modulus: leave out"),
    "return x * Element(3)": (5, "write 3 for what Element(3) would be"),
    "return x * (1 << 10**6)": (5, "at most 4096 bits"),
    "return x + (1 << 4096)": (5, "at most 4096 bits"),
    "while True:\n        x = x * x": (6, "more than 4000 steps"),
    "return x * Ellipsis": (5, "not with an ellipsis"),
    "return f(x)": (5, "name 'f' is not defined"),
    "g = lambda y: g(y + 1)\n    return g(x)": (5, "calls itself without end"),
}


@pytest.mark.parametrize("body", WRONG)
def test_bad_input_is_one_line_with_its_line(
    body: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    line, said = WRONG[body]
    head = "from fieldc.formulas import Element, formula\n\n"
    path = tmp_path / "bad.py"
    path.write_text(f"{head}\n@formula\ndef f(x: Element) -> Element:\n    {body}\n")
    line += 1
    assert main(["build", SMALL, "--formula", str(path), "-o", str(tmp_path / "o")]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"bad.py:{line}: " in error and said in error, error


def test_a_tuple_of_another_length_is_said_with_both() -> None:
    with pytest.raises(FormulaError, match="two returns a tuple of 1 value, not of 2 values"):

        @formula
        def two(x: Element) -> tuple[Element, Element]:
            return (x * x,)  # type: ignore[return-value]


@pytest.mark.parametrize(
    ("target", "more"),
    [
        ("x86_64-windows", "--target x86_64-windows"),
        ("x86_64-windows", "--package c"),
        ("x86_64-windows-llvm", "--target x86_64-windows-llvm"),
        ("armv7-linux", "--target armv7-linux --word 32"),
        ("mipsel-linux", "--target mipsel-linux --word 32"),
    ],
)
def test_more_operands_than_registers_are_refused(
    target: str, more: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Windows passes four pointers in registers, and one is z's."""
    path = tmp_path / "four.py"
    operands = ", ".join(f"{name}: Element" for name in "abcd")
    head = "from fieldc.formulas import Element, formula\n\n@formula\n"
    path.write_text(f"{head}def four({operands}) -> Element:\n    return a * b + c * d\n")
    words = ["--formula", str(path), *more.split(), "-o", str(tmp_path / "o")]
    assert main(["build", SMALL, *words]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"four.py:3: four has 4 operands; {target} passes 3 in registers" in error


ONE = "@formula\ndef {}({}) -> Element:\n    return a * a\n"
NO_OUTPUTS = "@formula\ndef f(a: Element) -> {}:\n    return ()\n"
TOWER = "T = extend(Element, 2, -1)\n"
WRONG_FILES = {
    "long-name": (ONE.format("f" * 300, "a: Element"), 4, "f has 300 letters; at most 100 work"),
    "deep": (f"x = {'-' * 100_000}1\n", 1, "this nests too deep for Python"),
    "one-name": (ONE.format("f", "a: Element") * 2, 7, "f is the formula of line 4 already"),
    "one-name-in-capitals": (
        ONE.format("f", "a: Element") + ONE.format("F", "a: Element"),
        7,
        "F (as f) is the formula of line 4 already",
    ),
    "one-made-name": (
        "def of(n):\n    @formula\n    def f(a: Element) -> Element:\n        return a * n\n"
        "    return f\n\nf2, f3 = of(2), of(3)\n",
        5,
        "f is the formula of line 5 already",
    ),
    "one-kept-name": (
        ONE.format("new", "a: Element") + ONE.format("new_", "a: Element"),
        7,
        "new_ is the formula of line 4 already",
    ),
    "one-operand-name": (
        ONE.format("f", "a: Element, new: Element, new_: Element"),
        4,
        "new_ is new_ here, as another operand is",
    ),
    "no-outputs": (NO_OUTPUTS.format("tuple[()]"), 4, "f has no outputs"),
    "no-members": (
        "class P(NamedTuple):\n    pass\n\n" + NO_OUTPUTS.format("P"),
        7,
        "f has no outputs",
    ),
    "no-elements": (
        "class P(NamedTuple):\n    pass\n\n" + ONE.format("f", "a: Element, b: P"),
        7,
        "b of f has no elements: leave it out",
    ),
    "power-of-a-value": (
        TOWER + "@formula\ndef f(x: T) -> T:\n    return x**-1\n",
        7,
        "a power is a whole number from 1 to 64, not -1",
    ),
    "default": (ONE.format("f", "a: Element, b: Element = 3"), 4, "b has a default value"),
    "class": ("@formula\nclass A:\n    pass\n", 4, "write @formula before a function"),
    "call": (ONE.format("f", "a: Element").replace("formula", "formula()"), 4, "before a function"),
    "number": ("formula(3)\n", 4, "write @formula before a function"),
    "async": ("@formula\nasync def f(a: Element) -> Element:\n    return a\n", 4, "f is async"),
    "half-type": (ONE.format("f", "a: 'Elem ent'"), 4, "f: invalid syntax"),
    "no-such-type": ("import math\n" + ONE.format("f", "a: 'math.E2'"), 5, "no attribute 'E2'"),
    "endless-type": (
        "class P(NamedTuple):\n    x: Element\n    y: 'P'\n\n" + ONE.format("f", "a: P"),
        8,
        "P has a member of its own kind",
    ),
    "compared-value": (
        TOWER + "@formula\ndef f(x: T) -> T:\n    return x if x == x else -x\n",
        7,
        "no comparison",
    ),
    "asked-value": (
        TOWER + "@formula\ndef f(x: T) -> T:\n    return x if x else -x\n",
        7,
        "no branch",
    ),
    "chosen-value": (
        TOWER + "@formula\ndef f(x: T, m: Mask) -> T:\n    return choose(m, x, x)\n",
        7,
        "choose takes elements, not an Fp2: choose its members",
    ),
    **{
        f"chosen-{value}": (
            f"@formula\ndef f(x: Element, m: Mask) -> Element:\n    return choose(m, x, {value})\n",
            6,
            said,
        )
        for value, said in {
            "'a'": "not a str",
            "1.5": "not a float",
            "m": "not a Mask",
            "True": "True is not an element",
            "1 << 4096": "at most 4096 bits",
        }.items()
    },
    "asked-sum": (
        "@formula\ndef f(s: accumulator(2)) -> Element:\n    return s.reduced() if s else 1\n",
        6,
        "no branch",
    ),
    "compared-sum": (
        "@formula\ndef f(s: accumulator(2)) -> Element:\n    return 1 if s == s else 0\n",
        6,
        "no comparison",
    ),
    "counted-by-a-flag": ("S = accumulator(True)\n", 4, "1 to 65536 products, not True"),
    "degree": ("T = extend(Element, 2.0, -1)\n", 4, "degree 2 or 3, not 2.0"),
    "power": (
        "@formula\ndef f(x: Element, k: U64) -> Element:\n    return x**k\n",
        6,
        "from 1 to 64, not a U64",
    ),
    "long-result": ("@formula\ndef f(x: Element) -> Element:\n    return 1 << 4096\n", 4, "4096"),
    **{
        f"made-name-{k}": (
            "def f(x: Element) -> Element:\n    return x * x\n\n"
            f"f.__name__ = {name!r}\nf = formula(f)\n",
            4,
            f"{name!r} is a symbol too: name it by ASCII letters",
        )
        for k, name in enumerate(("", "a b", "../up", "1st"))
    },
    **{
        f"two-extensions {sign}": (
            TOWER
            + "@formula\ndef f(x: T, y: extend(Element, 3, 2)) -> T:\n"
            + f"    return x {sign} y\n",
            7,
            "have no sum, difference or product: neither extends the other",
        )
        for sign in "*+-"
    },
    "value-and-text": (
        TOWER + "@formula\ndef f(x: T) -> T:\n    return 'a' - x\n",
        7,
        "an Fp2 has + - * with elements and integers, not with a str",
    ),
    **{
        f"of-{kind}-{k}": (f"@formula\ndef f(k: {kind}) -> Element:\n    return {text}\n", 6, said)
        for k, (kind, text, said) in enumerate(
            (
                ("U64", "-k", "a U64 has * with an element, and nothing else"),
                ("U64", "len(k)", "a U64 has * with an element, and nothing else"),
                ("U64", "U64(3)", "U64 is the type of an operand, not a function: write k: U64"),
                ("Mask", "~k", "a Mask has choose(mask, a, b), and nothing else"),
                ("Mask", "choose(1 - k, 1, 2)", "write choose(m, b, a) for choose(1 - m, a, b)"),
                ("Mask", "{k: 1}", "a mask has no value here"),
                ("Mask", "k * k", "a mask is no factor: write choose(mask, x, 0)"),
                ("U64", "1 - k", "a plain integer is a factor of an element, and nothing else"),
                ("accumulator(2)", "k + k", "has plus(x, y) and reduced(), and nothing else"),
                ("accumulator(2)", "3 * k", "has plus(x, y) and reduced(), and nothing else"),
                ("accumulator(2)", "k.sum()", "no 'sum': it has plus(x, y) and reduced()"),
                ("accumulator(2)", "accumulator(2)()", "the type of a sum is that of an operand"),
            )
        )
    },
    "no-text": (
        "class Odd(Exception):\n    def __str__(self):\n        return 3\n\nraise Odd\n",
        8,
        "this ends with Odd",
    ),
    "lambda": ("formula(lambda x: x * x)\n", 4, "'<lambda>' is a symbol too"),
    "set": ("@formula\ndef f(x: Element) -> Element:\n    x.number = 3\n", 6, "cannot be changed"),
    "text": ("@formula\ndef f(x: Element) -> Element:\n    return int(f'{x}')\n", 6, "<Element>"),
    "constants-of-a-mask": (
        "@formula\ndef f(m: Mask) -> Element:\n    return choose(m, 5, -7)\n",
        6,
        "no element comes before this constant: give the formula one as an operand",
    ),
    "constant-of-a-number": (
        "@formula\ndef f(k: U64) -> Element:\n    return 3\n",
        4,
        "no element comes before this constant",
    ),
    "ended": ("raise SystemExit(3)\n", 4, "this ends with SystemExit: 3"),
}


DECORATED = ("class", "long-result", "constant-of-a-number")
"""Refused where a decorator runs: before 3.11 Python says the line below it."""


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_bad_file_is_one_line_with_its_line(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    text, line, said = WRONG_FILES[name]
    line += sys.version_info < (3, 11) and name in DECORATED
    names = "U64, Element, Mask, accumulator, choose, extend, formula"
    head = f"from typing import NamedTuple\nfrom fieldc.formulas import {names}\n\n"
    path = tmp_path / "bad.py"
    path.write_text(head + text)
    assert main(["show", SMALL, "--formula", str(path)]) == 2
    error = capfd.readouterr().err
    assert error.count("\n") == 1 and f"bad.py:{line}: " in error and said in error, error


def test_a_target_without_formulas_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "f.py"
    path.write_text(
        f"from fieldc.formulas import Element, formula\n{ONE.format('f', 'a: Element')}"
    )
    words = ["build", SMALL, "--formula", str(path), "--target", "c,wasm32"]
    assert main([*words, "-o", str(tmp_path / "o")]) == 2
    assert "target wasm32 makes no formulas" in capsys.readouterr().err


def test_a_formula_of_two_names_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "f.py"
    head = "from fieldc.formulas import Element, formula\n\n"
    path.write_text(head + ONE.format("f", "a: Element") + "g = f\n")
    assert main(["show", SMALL, "--formula", str(path)]) == 0
    assert capsys.readouterr().out.count("routine") == 1


def test_a_name_that_no_symbol_can_have_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.py"
    head = "from fieldc.formulas import Element, formula\n@formula\n"
    path.write_text(f"{head}def \u0444(x: Element) -> Element:\n    return x + x\n", "utf-8")
    assert main(["build", SMALL, "--formula", str(path), "-o", str(tmp_path / "o")]) == 2
    assert "is a symbol too: name it by ASCII letters" in capsys.readouterr().err


def test_formulas_are_read_under_a_profiler() -> None:
    profile = cProfile.Profile()
    (add,) = profile.runcall(load_formulas, EXAMPLE)
    assert add.name == "add_2007_bl"


OF_C = ["int", "void", "uint64_t", "typename", "xor", "static_assert", "constexpr", "co_yield"]
OF_C += ["_Bool", "__func__", "UINT64_MAX", "CHAR_BIT"]
OF_C += ["complex", "imaginary", "noreturn", "math_errhandling", "ERANGE", "PRIx64", "L_tmpnam"]
OF_C += ["int64_t", "int8_t", "uint_fast16_t", "uintptr_t", "size_t", "ptrdiff_t", "max_align_t"]
OF_OTHERS = ["fn", "let", "type", "gen", "macro", "Self", "package", "interface", "eval", "_"]


@pytest.mark.parametrize("name", [*OF_C, *OF_OTHERS])
def test_a_keyword_of_another_language_gets_an_underscore(name: str) -> None:
    found: dict[str, Any] = {}
    text = f"def {name}({name}: Element, other: Element) -> Element:\n    return {name}\n"
    exec(text, {"Element": Element}, found)
    made = formula(found[name])
    assert (made.name, made.operands) == (f"{name}_", ((f"{name}_", 1), ("other", 1)))


@pytest.mark.parametrize("name", ["z", "code", "stack", "é"])
def test_a_taken_name_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bad.py"
    path.write_text(
        "from fieldc.formulas import Element, formula\n"
        f"@formula\ndef f({name}: Element) -> Element:\n    return {name} + {name}\n"
    )
    assert main(["build", SMALL, "--formula", str(path), "-o", str(tmp_path / "o")]) == 2
    said = capsys.readouterr().err
    assert f"no operand can be called {name}: " in said
    assert said.endswith("choose another\n" if name in TAKEN else "use letters from a to z\n")
    if name not in TAKEN:
        return
    text = {"operands": [[name, 1, 1]], "steps": [["add", 0, 0]], "results": [1], "multiple": 1}
    with pytest.raises(ProofError, match="no formula"):
        statement_of(json.dumps(text))


def test_what_a_file_prints_is_no_part_of_the_answer(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "speaking.py"
    path.write_text(
        "from fieldc.formulas import Element, extend, formula\nprint('loaded')\n"
        "Fp2 = extend(Element, 2, -1)\n@formula\ndef power(x: Fp2) -> Fp2:\n"
        "    print('recorded')\n    return x.frobenius()\n"
    )
    assert main(["show", SMALL, "--formula", str(path), "--json"]) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out) and "loaded\nrecorded\n" in captured.err


@pytest.mark.parametrize(
    "line", ["os.chdir('/')", "sys.setrecursionlimit(60)", "del sys.modules[__name__]"]
)
def test_a_file_leaves_the_process_as_it_was(
    line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    limit = sys.getrecursionlimit()
    rest = "from fieldc.formulas import *\n@formula\ndef f(x: Element) -> Element: return x * x\n"
    Path("changing.py").write_text(f"import os, sys\n{rest}{line}\n")
    assert main(["build", "17", "--formula", "changing.py", "--target", "c", "-o", "out"]) == 0
    assert (tmp_path / "out/manifest.json").is_file() and sys.getrecursionlimit() == limit
