"""Carries that code drops, of which none is constant, but some together are.

A word that is all ones wraps to 0 by a carry and back by a borrow. Code that drops both is right,
because the carry less the borrow is always 0.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.equations import (
    Equation,
    Monomial,
    Polynomial,
    Select,
    System,
    add_to,
    product,
)
from fieldc.proof.algebra.totals import Total

MOST_TERMS = 200
"""Of a polynomial modulo 2^w, of a word that may be 0."""
LARGEST_RATIO = 1 << 16
"""Between the coefficients of carries that may be constant together."""


class ProofError(Exception):
    """A claim that does not follow; the message names the claim and the place."""


def inverse_of(number: int, p: int) -> int:
    """The inverse of number modulo p, in [0, p). Raises ProofError if it has none."""
    try:
        return pow(number, -1, p)
    except ValueError as error:
        raise ProofError(f"function: {number % p:#x} has no inverse modulo {p:#x}") from error


def dropped(row: Equation) -> str:
    """What is said of a row whose carry is lost."""
    if row.carry is None or row.kind == "mul":
        return f"{row.where}: half of a product is dropped"
    what = "carry" if row.kind == "add" else "borrow"
    return f"{row.where}: a {what} is dropped that may be 0 or 1"


def without_dropped(case: Case, total: Total, p: int, carries: Mapping[int, Equation]) -> None:
    """Take sums of dropped carries that are always 0 out of a polynomial modulo p.

    Raises ProofError for a carry that is in none.
    """
    shown: dict[tuple[tuple[int, int], ...], bool] = {}
    terms = total.terms
    for rest in {_rest(m, carries) for m in terms if any(v in carries for v in m)}:
        factors = {
            number: int(terms[m])
            for number in carries
            if (m := tuple(sorted((*rest, number)))) in terms
        }
        for group in _groups(factors, p):
            key = tuple(sorted(group.items()))
            if key not in shown:
                target: Polynomial = {(number,): ratio for number, ratio in group.items()}
                shown[key] = case.at_most(target, 0) and case.at_least(target, 0)
            if not shown[key]:
                raise ProofError(dropped(carries[max(group)]))
            for number in group:
                monomial = tuple(sorted((*rest, number)))
                total.add({monomial: -terms[monomial]})


def _rest(monomial: Monomial, carries: Mapping[int, Equation]) -> Monomial:
    """The monomial without one carry."""
    number = next(v for v in monomial if v in carries)
    rest = list(monomial)
    rest.remove(number)
    return tuple(rest)


def _groups(factors: Mapping[int, int], p: int) -> Iterator[dict[int, int]]:
    """The carries whose coefficients have small ratios modulo p, with these ratios."""
    left = dict(factors)
    while left:
        first = min(left)
        inverse = inverse_of(left[first], p)
        group = {}
        for number, factor in left.items():
            ratio = factor * inverse % p
            ratio = ratio - p if ratio > p // 2 else ratio
            if abs(ratio) <= LARGEST_RATIO:
                group[number] = ratio
        yield group
        for number in group:
            del left[number]


def join_wraps(case: Case) -> None:
    """Take a borrow for the carry before it, where both are dropped and always the same.

    The row of the second one then says word = right + 2^w * carry, without a borrow of its own.
    """
    system = case.system
    read = {v for row in system.rows if isinstance(row, Equation) for m in row.right for v in m}
    read |= {row.flag for row in system.rows if isinstance(row, Select)}
    makers = {row.word: row for row in system.rows if isinstance(row, Equation)}
    for row in system.rows:
        if not isinstance(row, Equation) or not _drops(row, read):
            continue
        for before in (makers[m[0]] for m in row.right if len(m) == 1 and m[0] in makers):
            opposite = before.factor == -row.factor and row.right[before.word,] == 1
            if opposite and _drops(before, read) and _are_equal(case, before, row):
                right = dict(row.right)
                add_to(right, {(before.carry or 0,): -row.factor})
                system.rewrite(row.number, replace(row, right=right, carry=None, factor=0))
                break


def _drops(row: Equation, read: set[int]) -> bool:
    return row.carry is not None and row.kind in ("add", "sub") and row.carry not in read


def _are_equal(case: Case, a: Equation, b: Equation) -> bool:
    """Whether two carries are always the same, and not always 0."""
    if a.carry is None or b.carry is None or case.is_always(a.carry, 0):
        return False
    target: Polynomial = {(a.carry,): 1, (b.carry,): -1}
    runs_agree = all(sample[a.carry] == sample[b.carry] for sample in case.samples)
    return runs_agree and case.at_most(target, 0) and case.at_least(target, 0)


def is_zero_word(system: System, word: int) -> bool:
    """Whether a word is a multiple of 2^w, hence 0, whatever the operands are."""
    total = Total(system, {(word,): 1}, modulus=system.radix)
    for row in total.backwards():
        if not isinstance(row, Equation) or len(total) > MOST_TERMS:
            return False
        if quotient := total.split(row.word):
            total.add(product(quotient, row.right))
    return not total.terms


def low_value(case: Case, word: int, shift: int) -> int | None:
    """What the lowest bits of a word are in a case, if they are always the same."""
    system = case.system
    total = Total(system, {(word,): 1}, modulus=1 << shift)
    for row in total.backwards():
        if len(total) > MOST_TERMS:
            return None
        if isinstance(row, Select):
            if row.word in total.places:
                case.decide(row, total)
        elif quotient := total.split(row.word):
            total.add(product(quotient, row.right))
            if row.carry is not None:
                total.add(product(quotient, {(row.carry,): -row.factor}))
    for number in [*total.places]:
        low = system.low_bits.get((number, shift))
        if low is not None and low in case.fixed:
            total.substitute(number, {(): case.fixed[low]} if case.fixed[low] else {})
    total.put_in_all(case.fixed)
    return None if total.terms.keys() - {()} else int(total.terms.get((), 0))


def equal_word(system: System, word: int) -> int | None:
    """A word that another one always equals, both being the same modulo 2^w.

    Of a product's low half that is dropped: q*p0 is -t0 modulo 2^w, by the choice of q.
    """
    total = Total(system, {(word,): 1}, modulus=system.radix)
    for row in total.backwards():
        if len(total) > MOST_TERMS or not isinstance(row, Equation):
            return None
        if quotient := total.split(row.word):
            total.add(product(quotient, row.right))
        if len(total) == 1:
            ((monomial, factor),) = total.terms.items()
            if len(monomial) == 1 and factor == 1:
                return monomial[0]
            turned = len(monomial) == 1 and factor == system.radix - 1
            found = _negation_of(system, monomial[0]) if turned else None
            if found is not None:
                return found
    return None


def find_equal_words(system: System) -> None:
    """Note what the low halves of products equal that nothing reads."""
    read = {v for row in system.rows if isinstance(row, Equation) for m in row.right for v in m}
    for row in system.rows:
        if isinstance(row, Equation) and row.kind == "mul" and row.word not in read:
            other = equal_word(system, row.word)
            if other is not None:
                system.same[row.word] = other


def _negation_of(system: System, word: int) -> int | None:
    """The word that is 0 less another one."""
    for row in system.rows:
        if isinstance(row, Equation) and row.kind == "sub" and row.right == {(word,): -1}:
            return row.word
    return None
