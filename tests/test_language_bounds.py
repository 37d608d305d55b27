"""The bounds of expressions are sound, and exact where the kernels need it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from primes import ranged

from fieldc.integers import Interval
from fieldc.language import Integer, Number, select


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


def _masked_alone(_: int, a: Number, b: Number, c: Number) -> Number:
    return ((a - b) < 0) * (c - b)


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
    "masked alone": _masked_alone,
}
ARITY = {"double": 1, "left": 1, "right": 1, "mod": 1, "select": 3, "masked alone": 3, "cases": 3}

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


THREE_INTERVALS = st.tuples(INTERVALS, INTERVALS, INTERVALS)


@given(TREES, THREE_INTERVALS, st.data())
@settings(max_examples=200)
def test_no_value_leaves_its_bounds(
    tree: Tree, intervals: tuple[Interval, ...], data: st.DataObject
) -> None:
    check_bounds(tree, intervals, data)


@pytest.mark.full
@given(TREES, THREE_INTERVALS, st.data())
@settings(max_examples=2000)
def test_no_value_of_more_expressions_leaves_its_bounds(
    tree: Tree, intervals: tuple[Interval, ...], data: st.DataObject
) -> None:
    check_bounds(tree, intervals, data)


def check_bounds(tree: Tree, intervals: tuple[Interval, ...], data: st.DataObject) -> None:
    """The expression's bounds hold on some values of its inputs."""
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

P = 2**61 - 1


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
