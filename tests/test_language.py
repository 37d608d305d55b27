"""Bounds are sound and exact, the table of evidence.md comes out, and errors say what is wrong."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from primes import (
    NAMES,
    cios_bound,
    expected,
    log_jump_bound,
    named_field,
    named_kernel,
    random_field,
    shaped,
    shapes,
)

from fieldc.algorithms import KERNELS, choose
from fieldc.field import Field
from fieldc.language import (
    BoundError,
    Condition,
    Integer,
    Interval,
    Kernel,
    LanguageError,
    Number,
    Residue,
    Trace,
    Wide,
    kernel,
    select,
)

P = 2**61 - 1
SMALL = Field(13, 2)


def ranged(low: int, high: int, name: str = "x") -> Integer:
    """An input with any bounds."""
    return Integer("input", (), (low, high), name=name)


def bounds_of(value: Number) -> Interval:
    """The bounds of an expression, or of a number."""
    return (value, value) if isinstance(value, int) else (value.low, value.high)


# Random expressions


@dataclass(frozen=True)
class Tree:
    """An expression: an operator over others, or input number `amount`, or a constant."""

    op: str
    args: tuple[Tree, ...] = ()
    amount: int = 0

    def on(self, inputs: tuple[Number, ...]) -> Number:
        """The expression on Python's integers or on the language's, by the same operators."""
        if self.op == "input":
            return inputs[self.amount % len(inputs)]
        if self.op == "constant":
            return self.amount
        if self.op == "cases":  # two readers of one condition
            a, b, c = (arg.on(inputs) for arg in self.args)
            negative = (a - b) < 0 if isinstance(a - b, Integer) else bool(a - b < 0)
            return select(negative, a, c) + negative * b
        return OPERATORS[self.op](self.amount, *(arg.on(inputs) for arg in self.args))


def _select(_: int, a: Number, b: Number, c: Number) -> Number:
    return select((a - b) < 0, c, a)


def _masked(_: int, a: Number, b: Number) -> Number:
    d = a - b
    return d + (d < 0) * b


OPERATORS: dict[str, Callable[..., Number]] = {
    "add": lambda _, a, b: a + b,
    "sub": lambda _, a, b: a - b,
    "mul": lambda _, a, b: a * b,
    "double": lambda _, a: 2 * a,
    "left": lambda k, a: a << k,
    "right": lambda k, a: a >> k,
    "mod": lambda k, a: a % (1 << k),
    "select": _select,
    "subtract": lambda _, a, b: select((a - b) < 0, a, a - b),
    "masked": _masked,
}
ARITY = {"double": 1, "left": 1, "right": 1, "mod": 1, "select": 3, "cases": 3}

LEAVES = st.builds(Tree, st.just("input"), amount=st.integers(0, 2)) | st.builds(
    Tree, st.just("constant"), amount=st.integers(-9, 300)
)


def _grow(children: st.SearchStrategy[Tree]) -> st.SearchStrategy[Tree]:
    return st.one_of(
        *(
            st.builds(
                Tree,
                st.just(op),
                st.tuples(*[children] * ARITY.get(op, 2)),
                st.integers(0, 9),
            )
            for op in (*OPERATORS, "cases")
        )
    )


TREES = st.recursive(LEAVES, _grow, max_leaves=12)
INTERVALS = st.tuples(st.integers(-40, 1000), st.integers(0, 1000)).map(lambda v: (v[0], sum(v)))


@given(TREES, st.tuples(INTERVALS, INTERVALS, INTERVALS), st.data())
@settings(max_examples=700)
def test_no_value_leaves_its_bounds(
    tree: Tree, intervals: tuple[Interval, ...], data: st.DataObject
) -> None:
    inputs = tuple(
        ranged(low, high, name) for (low, high), name in zip(intervals, "xyz", strict=True)
    )
    bounded = tree.on(inputs)
    low, high = bounds_of(bounded)
    for _ in range(4):
        values = tuple(data.draw(st.sampled_from(ends) | st.integers(*ends)) for ends in intervals)
        value = tree.on(values)
        assert isinstance(value, int) and low <= value <= high


INTERVALS_OF_3 = [(low, high) for low in range(-3, 4) for high in range(low, 4)]


@pytest.mark.parametrize("op", ["add", "sub", "mul"])
def test_two_operands_reach_both_bounds(op: str) -> None:
    for a, b in product(INTERVALS_OF_3, repeat=2):
        values = [
            OPERATORS[op](0, x, y) for x in range(a[0], a[1] + 1) for y in range(b[0], b[1] + 1)
        ]
        node = OPERATORS[op](0, ranged(*a), ranged(*b))
        assert bounds_of(node) == (min(values), max(values)), (op, a, b)


@pytest.mark.parametrize("op", ["double", "left", "right", "mod"])
@pytest.mark.parametrize("amount", [0, 1, 2, 3])
def test_one_operand_reaches_both_bounds(op: str, amount: int) -> None:
    for low, high in INTERVALS_OF_3:
        values = [OPERATORS[op](amount, x) for x in range(low, high + 1)]
        node = OPERATORS[op](amount, ranged(low, high))
        if op == "mod" and low >> amount != high >> amount:
            assert bounds_of(node) == (0, (1 << amount) - 1)
        else:
            assert bounds_of(node) == (min(values), max(values)), (low, high)


# Bounds by cases


@pytest.mark.parametrize("p", [1, 5, 13])
def test_a_subtraction_that_is_selected_has_exact_bounds(p: int) -> None:
    for low, high in product(range(0, 3 * p), repeat=2):
        if low > high:
            continue
        values = [t if t < p else t - p for t in range(low, high + 1)]
        t = ranged(low, high)
        d = t - p
        result = select(d < 0, t, d)
        assert isinstance(result, Integer)
        assert (result.low, result.high) == (min(values), max(values)), (low, high)


@pytest.mark.parametrize("p", [2, 5, 13])
def test_a_masked_addition_has_exact_bounds(p: int) -> None:
    for xs, ys in product([(0, p), (0, p + 1), (1, p), (2, 3), (0, 2 * p)], repeat=2):
        d = ranged(*xs, "x") - ranged(*ys, "y")
        differences = range(xs[0] - ys[1], xs[1] - ys[0] + 1)
        values = [v + p if v < 0 else v for v in differences]
        for result in (d + (d < 0) * p, d + p * (d < 0), (d < 0) * p + d):
            assert (result.low, result.high) == (min(values), max(values)), (xs, ys)


def test_without_cases_the_bounds_would_not_suffice() -> None:
    t = ranged(0, 2 * P - 1)
    other = ranged(0, 2 * P - 1, "y")
    d = other - P
    loose = select(d < 0, t, t - P)
    assert isinstance(loose, Integer)
    assert (loose.low, loose.high) == (-P, 2 * P - 1)


def test_both_readers_of_a_condition_are_refined_together() -> None:
    x, y = ranged(0, P - 1), ranged(0, P - 1, "y")
    d = x - y
    chosen = select(d < 0, d + P, d)
    assert isinstance(chosen, Integer)
    assert (chosen.low, chosen.high) == (0, P - 1)


# The bounds of the algorithms


EVIDENCE: dict[tuple[str, str], str] = {
    ("bls12-381-p", "cios"): "1.10",
    ("bls12-381-p", "log-jump"): "1.64",
    ("bls12-381-r", "cios"): "1.45",
    ("bls12-381-r", "log-jump"): "2.45",
    ("bn254-p", "cios"): "1.19",
    ("bn254-p", "log-jump"): "1.72",
    ("fp254bnb-p", "cios"): "1.15",
    ("fp254bnb-p", "log-jump"): "1.18",
    ("curve25519", "cios"): "1.50",
    ("curve25519", "log-jump"): "2.03",
    ("bls12-377-p", "cios"): "1.01",
    ("bls12-377-p", "log-jump"): "1.53",
    ("secp256k1-p", "cios"): "2.00",
    ("p256", "cios"): "2.00",
    ("p384", "cios"): "2.00",
}
"""In units of p; the constants of the bounds table, to the nearest hundredth."""


def unreduced(k: Kernel, f: Field) -> Integer:
    """t before the last subtraction, also where the bound does not hold."""
    inputs = (ranged(0, bound.high(f), name) for name, bound in k.operands)
    result = k.text(f, *inputs)
    assert isinstance(result, Integer) and result.op == "select"
    return result.args[0]


def hundredths(value: int, p: int) -> str:
    """value / p, to the nearest hundredth, in exact arithmetic."""
    nearest = (200 * value + p) // (2 * p)
    return f"{nearest // 100}.{nearest % 100:02d}"


@pytest.mark.parametrize(("name", "algorithm"), EVIDENCE)
def test_the_bounds_table_of_the_evidence(name: str, algorithm: str) -> None:
    f = named_field(name)
    t = unreduced(named_kernel("mul", algorithm), f)
    assert hundredths(t.high, f.p) == EVIDENCE[name, algorithm]
    if f.spare_bits == 0:
        assert t.high < 2 * f.p
    if f.spare_bits:
        square = unreduced(named_kernel("square", algorithm), f)
        assert hundredths(square.high, f.p) == EVIDENCE[name, algorithm]


ALL_FIELDS: list[Callable[[], Field]] = [
    *(lambda name=name, w=w: named_field(name, w) for name in NAMES for w in (64, 32)),
    *(lambda s=s, n=n: shaped(s, n) for n in range(2, 7) for s in shapes(n)),
    *(lambda b=b: random_field(1, 64, b) for b in range(50, 400, 7)),
]


@pytest.mark.parametrize("start", range(4))
def test_the_bounds_are_those_of_the_recurrences(start: int) -> None:
    for make in ALL_FIELDS[start::4]:
        f = make()
        assert unreduced(named_kernel("mul", "cios"), f).high == cios_bound(f), f.label
        assert unreduced(named_kernel("mul", "log-jump"), f).high == log_jump_bound(f), f.label


def test_every_trace_keeps_its_contract() -> None:
    for name in NAMES:
        f = named_field(name)
        for k in KERNELS:
            try:
                trace = k.trace(f)
            except BoundError:
                continue
            assert 0 <= trace.result.low <= trace.result.high <= f.p - 1
            assert [i.name for i in trace.inputs] == [name for name, _ in k.operands]


# A bound that does not hold


@pytest.mark.parametrize(
    ("name", "operation", "algorithm"),
    [
        ("bls12-381-r", "mul", "log-jump"),
        ("curve25519", "mul", "log-jump"),
        ("secp256k1-p", "mul", "log-jump"),
        ("secp256k1-p", "square", "cios"),
        ("fp254bnb-r", "square", "log-jump"),
    ],
)
def test_a_bound_error_names_kernel_field_bound_and_excess(
    name: str, operation: str, algorithm: str
) -> None:
    f = named_field(name)
    t = unreduced(named_kernel(operation, algorithm), f).high
    excess = t - f.p - (f.p - 1)
    assert excess > 0
    with pytest.raises(BoundError) as error:
        choose(f, operation, algorithm)
    message = str(error.value)
    assert "\n" not in message
    for part in (operation, algorithm, name, "< p", f"{excess:#x}"):
        assert part in message
    said = [float(number) for number in re.findall(r"(\d+\.\d\d)p", message)]
    true = [t / f.p, (t - f.p) / f.p, excess / f.p]
    assert said == pytest.approx(true, abs=0.0101)


def test_a_result_below_zero_is_a_bound_error() -> None:
    @kernel("difference")
    def difference(f: Field, x: Residue, y: Residue) -> Residue:
        return x - y

    with pytest.raises(
        BoundError, match=r"difference .* as low as -(0\.99|1\.00)p, it must be >= 0"
    ):
        difference.trace(Field(P))


def test_a_subtraction_too_few_is_a_bound_error() -> None:
    @kernel("triple", "once")
    def triple(f: Field, x: Residue) -> Residue:
        d = x + x + x - f.p
        return select(d < 0, x + x + x, d)

    with pytest.raises(BoundError, match=r"triple \(once\) for 0x"):
        triple.trace(Field(P))


# What the language does not have


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (lambda x: x if x < 0 else -1, "straight-line"),
        (lambda x: 1 if x - 3 < 0 else x, "straight-line"),
        (lambda x: x and 1, "straight-line"),
        (lambda x: not x, "straight-line"),
        (lambda x: x % 10, "power of the radix, not 10"),
        (lambda x: x % 3, "power of the radix, not 3"),
        (lambda x: x % -4, "power of the radix.* not -4"),
        (lambda x: x < 5, "compares with 0"),
        (lambda x: x < x, "compare"),
        (lambda x: x >> x, "straight-line"),
    ],
)
def test_a_forbidden_construct_is_a_one_line_error(
    text: Callable[[Integer], object], says: str
) -> None:
    with pytest.raises(LanguageError, match=says) as error:
        text(ranged(-5, 100))
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "text",
    [
        lambda x: 1 if x == 0 else 2,
        lambda x: 1 if x != 0 else 2,
        lambda x: x % 0,
        lambda x: x % x,
        lambda x: x >> -1,
        lambda x: x << -1,
        lambda x: x + 0.5,
    ],
    ids=["equal", "unequal", "mod 0", "mod x", "shift -1", "left -1", "float"],
)
def test_other_constructs_that_must_be_refused(text: Callable[[Integer], object]) -> None:
    with pytest.raises(LanguageError):
        text(ranged(-5, 100))


@pytest.mark.parametrize("text", [lambda x: x // 2, lambda x: x**2, lambda x: x & 1, int, range])
def test_other_operators_do_not_exist(text: Callable[[Integer], object]) -> None:
    with pytest.raises(TypeError):
        text(ranged(-5, 100))


def test_a_kernel_must_say_what_it_returns() -> None:
    def nothing(f: Field, x: Residue):  # type: ignore[no-untyped-def]
        return x

    text: Callable[..., Number] = nothing
    with pytest.raises(LanguageError, match="nothing must say what it returns"):
        kernel("nothing")(text)


def test_a_condition_is_not_a_number() -> None:
    condition = ranged(-1, 1) < 0
    assert isinstance(condition, Condition)
    for wrong in (lambda: bool(condition), lambda: 1 if condition else 2):
        with pytest.raises(LanguageError, match="select"):
            wrong()


# Running on Python's integers


@pytest.mark.parametrize("k", KERNELS, ids=lambda k: f"{k.operation}-{k.algorithm}")
def test_an_operand_out_of_range_is_an_error(k: Kernel) -> None:
    for f in (SMALL, named_field("secp256k1-p"), named_field("bls12-381-p", 32)):
        highest = [f.p * (1 << f.word * f.n) - 1 if k.operation == "redc" else f.p - 1]
        highest = highest * len(k.operands)
        assert k.run(f, *highest) % f.p == expected(k.operation, f, *highest)
        for i, (name, _) in enumerate(k.operands):
            for wrong in (-1, highest[i] + 1, 1 << 2000):
                values = [*highest[:i], wrong, *highest[i + 1 :]]
                with pytest.raises(LanguageError, match=f"{k.operation}: {name} must be <") as e:
                    k.run(f, *values)
                assert "\n" not in str(e.value)


def test_contracts_of_the_operands() -> None:
    f = named_field("bls12-381-p")
    redc = choose(f, "redc")
    assert redc.inputs[0].high == f.p * 2**384 - 1
    assert [bound.limbs(f) for _, bound in redc.kernel.operands] == [12]
    assert {bound.says for k in KERNELS for _, bound in k.operands} == {"< p", "< p*R"}

    @kernel("mixed")
    def mixed(f: Field, x: Wide, y: Residue) -> Residue:
        return y

    assert [(n, bound.limbs(f)) for n, bound in mixed.operands] == [("x", 12), ("y", 6)]
    assert isinstance(mixed.trace(f), Trace)
    assert mixed.run(f, 5, 7) == 7
