"""Formulas of plain integers, masks and sums that wait: meaning, proofs, refusals, errors."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from capstone import CS_ARCH_X86, CS_MODE_64, Cs
from primes import named_field
from sampling import sampled
from test_studied import ON_X86_64

from fieldc import Field as ElementField
from fieldc import compile as compile_formula
from fieldc.artifacts.host import OperandError
from fieldc.binary.linkable import KernelCode, function_of
from fieldc.decisions.formulas import decide_formula, straight_lines
from fieldc.field import Field
from fieldc.formulas import I64, U64, Element, Mask, accumulator, choose, formula
from fieldc.formulas.errors import FormulaError
from fieldc.formulas.formula import Formula
from fieldc.formulas.kernels import kernel_of
from fieldc.formulas.load import load_formulas
from fieldc.formulas.plan import planned
from fieldc.formulas.ranges import ranged
from fieldc.machine.assemble import assemble
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.programs import prove_formula
from fieldc.targets.registry import find_target
from fieldc.targets.x86_64.print import GNU

EXAMPLE = Path(__file__).parents[1] / "examples" / "integers.py"
DEEP = """
from fieldc.formulas import U64, Element, Mask, accumulator, choose, formula
One, Three = accumulator(1), accumulator(3)
@formula
def deep(x: Element, y: Element, k: U64, m: Mask) -> Element:
    t = (x * y - x) * k
    return choose(m, t, x + y) * t
@formula
def three(s: One, x: tuple[Element, Element], y: tuple[Element, Element]) -> Three:
    return s.plus(x[0], y[0]).plus(x[1], y[1])
@formula
def whole(s: Three, k: U64) -> Element:
    return s.reduced() * k
"""


def formulas(tmp_path: Path) -> dict[str, Formula]:
    """Those of the example and of DEEP, by name."""
    (tmp_path / "deep.py").write_text(DEEP, "utf-8")
    found = [*load_formulas(EXAMPLE), *load_formulas(tmp_path / "deep.py")]
    return {one.name: one for one in found}


def meant(f: Field, name: str, given: list[int]) -> int:
    """What each of them computes, written again, with elements in Montgomery form."""
    i, (a, b, c, d) = f.R_inverse, [*given, 0, 0, 0][:4]
    if name == "deep":
        t = (a * b * i - a) * c
        return (t if d else a + b) * t * i
    if "signed" in name and name != "signed_ended":
        bits = 128 if name.endswith("128") else 64
        *_, x, k = given
        return sum(given[:-2]) + x * (k - (k >> bits - 1 << bits))
    pairs = {
        **dict.fromkeys(("scaled", "scaled_128"), a * b),
        **dict.fromkeys(("step", "scaled_step"), a + b * c),
        "chosen": b if a else c,
        "ended": a * i,
        **dict.fromkeys(("scaled_ended", "signed_ended"), a),
        "whole": a * i * b,
    }
    return pairs[name]


@pytest.mark.parametrize("field", ["bn254-r", "secp256k1-p", "bls12-381-p"])
def test_the_text_on_integers_is_what_it_means(tmp_path: Path, field: str) -> None:
    f, draw = named_field(field), random.Random(1)
    for name, one in formulas(tmp_path).items():
        if name in ("three", "two_steps"):
            continue
        kernel = kernel_of(ranged(planned(one), f))
        assert kernel.expression(f).result.high <= one.result.high(f)
        for largest in (True, False, False):
            tops = [bound.high(f) for _, bound in one.ranges]
            given = tops if largest else [draw.randrange(top + 1) for top in tops]
            for found in (kernel.run(f, *given), kernel.computes(f, *given)):
                assert (found - meant(f, name, given)) % f.p == 0, name


Pair = tuple[Element, Element]
Signed1, Signed3 = accumulator(1, I64), accumulator(3, I64)
Plain1, Plain3 = accumulator(1, U64), accumulator(3, U64)


@formula
def signed_sum(s: Signed1, x: Pair, k: I64, i: I64) -> Signed3:
    """Two products with signed integers in one sum."""
    return s.plus(x[0], k).plus(x[1], i)


@formula
def plain_sum(s: Plain1, x: Pair, k: U64, i: U64) -> Plain3:
    """Two products with integers in one sum."""
    return s.plus(x[0], k).plus(x[1], i)


@pytest.mark.parametrize("word", [64, 32])
@pytest.mark.parametrize("p", [2**31 - 1, 2**61 - 1, named_field("bls12-381-r").p])
def test_a_sum_of_several_products_with_integers(p: int, word: int) -> None:
    """They are no products of elements, which are joined limb by limb."""
    f = Field(p, word)
    for one in (signed_sum, plain_sum):
        kernel = straight_lines(f, one)[0].kernel
        for k, i in ((1, 2**63), (2**64 - 1, 2**32), (2**63, 2**64 - 1), (5, 7)):
            given = (3, f.p - 1 << f.n * word | 2, k, i)
            assert (kernel.run(f, *given) - kernel.meaning(f, *given)) % f.p == 0


def code_of(f: Field, one: Formula, is_called: bool = False) -> tuple[KernelCode, tuple[str, ...]]:
    decision = decide_formula(f, one, find_target("x86_64-linux"))
    if is_called and decision.at_last is not None:
        decision = decision.at_last()
    choice = decision.candidates[0].choice
    text = choice.plan.compile(choice.expression, "k").text(GNU)
    return function_of(assemble(text), "k"), getattr(choice.plan, "called", ())


def changed(text: str, operand: int, size: object) -> str:
    """A statement with another size of an operand, or of the result where that is -1."""
    data = json.loads(text)
    if operand < 0:
        data["multiple"] = size
    else:
        data["operands"][operand][2] = size
    return json.dumps(data)


@ON_X86_64
@pytest.mark.parametrize("field", sampled(["secp256k1-p"], ["bn254-r"]))
def test_all_are_proved_and_no_other_statement_is(tmp_path: Path, field: str) -> None:
    f = named_field(field)
    wrong = {
        "scaled": (1, ["signed", 64]),
        "scaled_signed": (1, [1, 0, 64]),
        "scaled_signed_128": (1, [1, 0, 128]),
        "signed_step": (2, [1, 0, 64]),
        "chosen": (0, [1, 0, 2]),
        "step": (-1, [7, 2, 0]),
        "scaled_step": (0, [8, 1, 64]),
        "deep": (2, [1, 0, 128]),
        "whole": (0, [1 << 10, 2, 0]),
    }
    for name, one in formulas(tmp_path).items():
        code, called = code_of(f, one)
        prove_formula(code.code, one.text(), f.p, f.n, start=code.start, called=called)
        if name in wrong:
            text = changed(one.text(), *wrong[name])
            with pytest.raises(ProofError):
                prove_formula(code.code, text, f.p, f.n, start=code.start, called=called)


@ON_X86_64
@pytest.mark.parametrize(
    "field", sampled(["bls12-381-r", "pallas"], ["vesta", "p256", "p384", "bw6-761-p"])
)
def test_remainders_are_proved_for_primes_of_many_shapes(field: str) -> None:
    """By an estimate of the quotient; for p = 2^k + c by c times what is above bit k."""
    f = named_field(field)
    known = {one.name: one for one in load_formulas(EXAMPLE)}
    for name in ("scaled", "scaled_128", "scaled_ended", "signed_ended"):
        one = known[name]
        code, called = code_of(f, one)
        prove_formula(code.code, one.text(), f.p, f.n, start=code.start, called=called)


@ON_X86_64
def test_a_choice_of_the_other_side_is_refused(tmp_path: Path) -> None:
    f = named_field("bn254-r")
    one = formulas(tmp_path)["chosen"]
    code, _ = code_of(f, one)
    data = json.loads(one.text())
    assert data["steps"] == [["sub", 1, 2], ["times", 3, 0], ["add", 2, 4]]
    data["steps"] = [["sub", 2, 1], ["times", 3, 0], ["add", 1, 4]]
    with pytest.raises(ProofError, match="function"):
        prove_formula(code.code, json.dumps(data), f.p, f.n, start=code.start)
    at = code.code.index(b"\x0f\x42")  # cmovc becomes cmovnc
    turned = bytearray(code.code)
    turned[at + 1] = 0x43
    with pytest.raises(ProofError):
        prove_formula(bytes(turned), one.text(), f.p, f.n, start=code.start)


WEAKER = {
    **{0x19: 0x29, 0x1B: 0x2B, 0x11: 0x01, 0x13: 0x03},  # without the borrow or carry before it
    0x42: 0x43,  # the other side of a choice
}
"""Opcodes, each with a wrong one of the same length; of choices the second byte."""


@ON_X86_64
@pytest.mark.parametrize("name", ["signed_step", "scaled_signed"])
def test_a_signed_product_without_a_borrow_or_a_sign_is_refused(tmp_path: Path, name: str) -> None:
    """Each carry chain cut at each place, each choice turned, and other constants."""
    f = named_field("bn254-r")
    one = formulas(tmp_path)[name]
    code, called = code_of(f, one)
    wrong = []
    for i in Cs(CS_ARCH_X86, CS_MODE_64).disasm(code.code, code.start):
        at = i.address + (i.bytes[0] >> 4 == 4)  # after REX
        at += code.code[at] == 0x0F
        if code.code[at] in WEAKER and i.mnemonic in ("sbb", "adc", "cmovb"):
            wrong.append((at, WEAKER[code.code[at]]))
        if i.mnemonic == "mov" and "rip" in i.op_str:  # a word of the constants
            place = i.address + i.size + int.from_bytes(i.bytes[-4:], "little")
            wrong.append((place + 7, code.code[place + 7] ^ 0x80))
            wrong.append((place, code.code[place] ^ 0x01))
    assert len(wrong) > 20
    for at, byte in wrong:
        turned = bytearray(code.code)
        turned[at] = byte
        with pytest.raises(ProofError):
            prove_formula(bytes(turned), one.text(), f.p, f.n, start=code.start, called=called)


HEAD = (
    "from fieldc.formulas import *\n"
    "from fieldc.formulas import I64, U64, Mask, accumulator, choose\n"
)


@pytest.mark.parametrize(
    ("body", "line", "says"),
    [
        ("def g(x: Element, k: U64) -> Element: return x + k", 4, "is a factor of an element"),
        ("def g(x: Element, k: U64) -> Element: return k + k", 4, "is a factor of an element"),
        ("def g(x: Element, k: U64) -> U64: return k", 4, "which is no result"),
        ("def g(x: Element, k: Mask) -> Element: return x * k", 4, "is no factor"),
        ("def g(x: Element, k: U64) -> Element: return choose(k, x, x)", 4, "takes a Mask"),
        ("def g(x: Element, k: U64) -> Element: return x if k else x", 4, "no branch"),
        ("def g(x: tuple[Element, U64]) -> Element: return x[0]", 3, "operand by itself"),
        ("def g(s: B, x: Element) -> A: return s", 4, "3 products, 1 more than"),
        ("def g(s: B, x: Element) -> A: return s.plus(x, x)", 4, "4 products, 2 more than"),
        (
            "def g(s: A, x: Element) -> A: return s.plus(x, x).plus(x, x)",
            3,
            "no room for 2 products more",
        ),
        ("def g(s: A, x: Element, k: U64) -> B: return s.plus(x, k)", 4, "of Element and Element"),
        ("def g(s: A, x: Element) -> Element: return s", 4, "not an element"),
        ("def g(x: Element, s: A) -> Element: return x * s", 4, ""),
        ("def g(x: Element, k: I64) -> Element: return x + k", 4, "is a factor of an element"),
        ("def g(s: A, x: Element, k: I64) -> B: return s.plus(x, k)", 4, "of Element and Element"),
    ],
)
def test_bad_input_is_one_line_with_the_line_of_the_file(
    tmp_path: Path, body: str, line: int, says: str
) -> None:
    path = tmp_path / "bad.py"
    path.write_text(f"{HEAD}A, B = accumulator(2), accumulator(3); f = formula\n@f\n{body}\n")
    with pytest.raises(FormulaError) as error:
        load_formulas(path)
    assert "\n" not in str(error.value) and says in str(error.value)
    assert str(error.value).startswith((f"bad.py:{line}:", f"bad.py:{line + 1}:")), error.value


def test_terms_are_whole_and_not_too_many(tmp_path: Path) -> None:
    for number in ("0", "1 << 20", "'8'"):
        path = tmp_path / "bad.py"
        path.write_text(f"{HEAD}A = accumulator({number})\n")
        with pytest.raises(FormulaError, match=r"bad\.py:3: an accumulator holds 1 to"):
            load_formulas(path)


@ON_X86_64
def test_python_computes_with_them() -> None:
    F, draw = ElementField("bn254-r"), random.Random(2)
    made = {one.name: compile_formula(F, one) for one in load_formulas(EXAMPLE)}
    xs, ys = ([F(draw.randrange(F.p)) for _ in range(8)] for _ in range(2))
    k, low = (1 << 64) - 1, -(1 << 63)
    total, scaled, signed = 0, 0, 0
    for i, (x, y) in enumerate(zip(xs, ys, strict=True)):
        total, scaled = made["step"](total, x, y), made["scaled_step"](scaled, x, k)
        signed = made["signed_step"](signed, x, low if i % 2 else -1 - low)
    pairs = 0
    for i in range(0, 8, 2):
        pairs = made["two_steps"](pairs, xs[i : i + 2], ys[i : i + 2])
    assert pairs == total
    assert made["ended"](pairs) == sum((x * y for x, y in zip(xs, ys, strict=True)), F(0))
    assert made["signed_ended"](signed) == sum(
        ((low if i % 2 else -1 - low) * x for i, x in enumerate(xs)), F(0)
    )
    for number in (0, 1, -1, low, -1 - low):
        assert made["scaled_signed"](xs[0], number) == number * xs[0]
        assert made["scaled_signed"](0, number) == 0
        assert made["scaled_signed_128"](xs[0], number << 64) == (number << 64) * xs[0]
    assert made["ended"](total) == sum((x * y for x, y in zip(xs, ys, strict=True)), F(0))
    assert made["scaled_ended"](scaled) == k * sum(xs, F(0))
    assert made["scaled"](xs[0], k) == k * xs[0]
    assert made["scaled_128"](xs[0], k << 64) == (k << 64) * xs[0]
    assert [made["chosen"](m, 3, 4) for m in (1, 0, True)] == [3, 4, 3]


@ON_X86_64
@pytest.mark.parametrize(
    ("name", "operands", "says"),
    [
        ("scaled", (5, 1 << 64), "k must be < 2\\^64"),
        ("scaled", (5, -1), "k must be >= 0 and < 2\\^64"),
        ("chosen", (2, 1, 1), "m must be < 2"),
        ("scaled_signed", (5, 1 << 63), r"k must be from -2\^63 to 2\^63 - 1"),
        ("scaled_signed", (5, -(1 << 63) - 1), r"k must be from -2\^63 to 2\^63 - 1"),
        ("step", (1 << 512, 1, 1), r"s must be < 7p\*p"),
        ("step", (-1, 1, 1), r"s must be >= 0 and < 7p\*p"),
    ],
)
def test_python_refuses_integers_beyond_their_size(
    name: str, operands: tuple[int, ...], says: str
) -> None:
    (one,) = (one for one in load_formulas(EXAMPLE) if one.name == name)
    with pytest.raises(OperandError, match=says):
        compile_formula("bn254-r", one)(*operands)


def test_a_choice_of_values_that_are_computed_builds_in_every_variant() -> None:
    """The mask's borrow waited in CF while the products asked for it."""

    @formula
    def picked(m: Mask, a: Element, b: Element) -> Element:
        return choose(m, a * b, a) - 3

    f, target = named_field("bn254-r"), find_target("x86_64-linux")
    for candidate in decide_formula(f, picked, target).candidates:
        choice = candidate.choice
        code = function_of(assemble(choice.plan.compile(choice.expression, "k").text(GNU)), "k")
        prove_formula(code.code, picked.text(), f.p, f.n, start=code.start)


def test_choices_between_sums_build_in_every_variant() -> None:
    """Two choices by one mask: its borrow waited in CF while the sums between asked for it."""

    @formula
    def two(m: Mask, a: Element, b: Element) -> tuple[Element, Element]:
        return choose(m, a, 4 * b), choose(m, b, 4 * a)

    f, target = named_field("bn254-r"), find_target("x86_64-linux")
    for candidate in decide_formula(f, two, target).candidates:
        choice = candidate.choice
        code = function_of(assemble(choice.plan.compile(choice.expression, "k").text(GNU)), "k")
        called = getattr(choice.plan, "called", ())
        prove_formula(code.code, two.text(), f.p, f.n, start=code.start, called=called)


BETWEEN = """
from fieldc.formulas import U64, Element, accumulator, formula
Two = accumulator(2, U64)
@formula
def between(x: Element, y: Element, k: U64, s: Two) -> Element:
    t = x * y - 1
    return s.plus(t * t + x, k).reduced() * t
"""


@ON_X86_64
def test_a_sum_between_calls_has_room_in_the_frame(tmp_path: Path) -> None:
    """Slots had the size of an element, so a sum was written over what the frame saves."""
    (tmp_path / "between.py").write_text(BETWEEN, "utf-8")
    (between,) = load_formulas(tmp_path / "between.py")
    f = named_field("secp256k1-p")
    code, called = code_of(f, between, is_called=True)
    assert called
    prove_formula(code.code, between.text(), f.p, f.n, start=code.start, called=called)


@pytest.mark.parametrize(
    ("text", "algorithms"),
    [("m, a, b", {"none"}), ("m, a * b, a", {"log-jump", "cios"})],
)
def test_only_what_is_divided_by_r_names_a_way_to_do_it(
    tmp_path: Path, text: str, algorithms: set[str]
) -> None:
    path = tmp_path / "f.py"
    head = "@formula\ndef f(m: Mask, a: Element, b: Element) -> Element:\n"
    path.write_text(f"{HEAD}{head}    return choose({text})\n")
    (one,) = load_formulas(path)
    found = straight_lines(named_field("bn254-r"), one)
    assert {expression.kernel.algorithm for expression in found} == algorithms
