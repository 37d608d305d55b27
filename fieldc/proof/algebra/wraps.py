"""Borrows and carries that nothing reads, because a number is computed modulo 2^(w*m) only.

Barrett's remainder is x - q*p, below a few p. Code takes the lower limbs of x and of q*p, and drops
what is above them. The limbs that are left are the remainder all the same: both are the same modulo
2^(w*m), and their difference is smaller than that. So the borrow equals what the code left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.combinations import Combination
from fieldc.proof.algebra.comparisons import Comparison, comparison_of
from fieldc.proof.algebra.equations import (
    ONE,
    Equation,
    Polynomial,
    Select,
    System,
    add_to,
    product,
    variable,
)
from fieldc.proof.algebra.facts import Bound
from fieldc.proof.algebra.refute import evaluate
from fieldc.proof.algebra.strategies import STRATEGIES
from fieldc.proof.algebra.totals import Total

MOST_TERMS = 10_000
"""Of a number in inputs and quotient digits."""


@dataclass(frozen=True)
class Equality:
    """A carry that always equals a polynomial: their difference is at most 0 and at least 0.

    Or the top bits of a word, `cut` at a bit: word - 2^bit * value is at most 2^bit - 1, and at
    least 0.
    """

    carry: int
    value: Polynomial
    most: Bound
    least: Bound
    factors: Mapping[int, Polynomial]
    """Of the carry, on the left side of each row that had it."""
    cut: tuple[int, int] | None = None
    """The word whose top bits these are, and the bit where they begin."""


def equate_dropped(
    case: Case, claim: Polynomial, p: int, runs: Sequence[Mapping[int, int]]
) -> tuple[Equality, ...]:
    """Find what carries equal that end a chain, and write that into the rows that have them.

    That is 0 first, then what makes the number that the chain ends `claim` modulo p. All variables
    in some `runs` propose which words are digits of a quotient.
    """
    system, found = case.system, []
    flags = {row.flag for row in system.rows if isinstance(row, Select)}
    for row in [r for r in system.rows if isinstance(r, Equation)]:
        carry = row.carry
        if carry is None or carry in flags or row.kind not in ("add", "sub"):
            continue
        factors = factors_of(system, carry)
        is_read = len(factors) > 1
        if is_read and len(row.right) > 2:  # a chain ends where only its carry is added
            continue
        briefly = replace(case, strategies=STRATEGIES[:1]) if is_read else case
        equality = shown(briefly, carry, {}, factors)
        if equality is None and not is_read and (chain := comparison_of(system, carry)):
            values = _proposed(system, chain, claim, p, runs)
            found_to_be = (shown(case, carry, value, factors) for value in values)
            equality = next((one for one in found_to_be if one is not None), None)
        if equality is not None:
            write(system, equality)
            found.append(equality)
    return tuple(found)


def factors_of(system: System, carry: int) -> dict[int, Polynomial]:
    """A carry's factor on the left side of each row that has it by itself."""
    owner = system.owners[carry]
    factors: dict[int, Polynomial] = {owner: {}} if owner >= 0 else {}
    for row in system.rows:
        if isinstance(row, Equation):
            if row.carry == carry:
                factors[row.number] = {ONE: row.factor}
            elif (carry,) in row.right:
                factors[row.number] = {ONE: -row.right[carry,]}
    return factors


def write(system: System, equality: Equality) -> None:
    """Put the value for the carry in every row that has it."""
    for number, factor in equality.factors.items():
        row = system.rows[number]
        if isinstance(row, Equation):
            right, is_its = dict(row.right), row.carry == equality.carry
            add_to(right, product(factor, equality.value), -1)
            if not is_its:
                add_to(right, product(factor, variable(equality.carry)))
            without = replace(row, carry=None, factor=0) if is_its else row
            system.rewrite(number, replace(without, right=right))


def in_given_rows(rows: Combination, equalities: Sequence[Equality]) -> Combination:
    """A sum of multiples of rows with known carries, in rows as the code has them.

    A row with the value is the code's less factor*(carry - value). That difference of the k-th
    equality is numbered -1 - k.
    """
    total = dict(rows)
    for k, equality in enumerate(equalities):
        multiple: Polynomial = {}
        for number, factor in equality.factors.items():
            add_to(multiple, product(rows.get(number, {}), factor), -1)
        total[-1 - k] = multiple
    return total


def shown(
    case: Case,
    carry: int,
    value: Polynomial,
    factors: Mapping[int, Polynomial],
    cut: tuple[int, int] | None = None,
) -> Equality | None:
    """The equality, if bounds show it."""
    word, shift = (carry, 0) if cut is None else cut
    target = variable(word)
    add_to(target, value, -(1 << shift))
    limit = (1 << shift) - 1
    if not all(0 <= evaluate(target, sample) <= limit for sample in case.samples):
        return None
    most = case.shown(target, limit)
    least = case.shown({m: -c for m, c in target.items()}, 0) if most else None
    return Equality(carry, value, most, least, factors, cut) if most and least else None


def _proposed(
    system: System, chain: Comparison, claim: Polynomial, p: int, runs: Sequence[Mapping[int, int]]
) -> Iterator[Polynomial]:
    """What the chain's carry may be: bounds decide."""
    for value in (_left_out(system, chain, claim, p, runs), _by_residues(system, chain, claim, p)):
        if value is not None:
            yield value


def _left_out(
    system: System, chain: Comparison, claim: Polynomial, p: int, runs: Sequence[Mapping[int, int]]
) -> Polynomial | None:
    """What the chain's carry may be, if the chain's words are claim - p*q for some q.

    The operands are that modulo 2^(w*m). What they are more, in multiples of 2^(w*m), is the carry.
    """
    quotients = _quotients(chain, claim, p, runs)
    found = quotients and _in_digits(system, chain, p, runs, quotients)
    if not found:
        return None
    operands, digits = found
    add_to(operands, claim, -1)
    add_to(operands, digits, p)
    more: Polynomial = {m: int(c) // chain.weight for m, c in operands.items()}
    return more if all(more[m] * chain.weight == c for m, c in operands.items()) else None


def _quotients(
    chain: Comparison, claim: Polynomial, p: int, runs: Sequence[Mapping[int, int]]
) -> list[int]:
    """q in each run; nothing where the chain's words are not claim - p*q. Runs only propose."""
    words = {m: c for m, c in chain.words.items() if m != (chain.flag,)}
    found = [divmod(evaluate(claim, run) - evaluate(words, run), p) for run in runs]
    return [] if any(rest or q < 0 for q, rest in found) else [q for q, _ in found]


def _in_digits(
    system: System,
    chain: Comparison,
    p: int,
    runs: Sequence[Mapping[int, int]],
    quotients: Sequence[int],
) -> tuple[Polynomial, Polynomial] | None:
    """The chain's operands without words but for q's digits, and q in these digits.

    A digit has its value in all runs, and -p times its place as its factor modulo 2^(w*m).
    """
    total, size, w = Total(system, chain.operands), abs(chain.weight), system.word_bits
    places = {
        tuple(q >> w * i & system.radix - 1 for q in quotients): i
        for i in range(-(-max(quotients).bit_length() // w))
    }
    digits: Polynomial = {}
    for row in total.backwards():
        if len(total) > MOST_TERMS:
            return None
        place = places.get(tuple(run[row.word] for run in runs))
        if place is not None and (total.terms.get((row.word,), 0) + (p << w * place)) % size == 0:
            digits[row.word,] = 1 << w * place
        if isinstance(row, Select):
            continue
        quotient = {} if (row.word,) in digits else total.split(row.word)
        total.add(product(quotient, row.right))
        if row.carry is not None:
            total.add(product(quotient, variable(row.carry)), -row.factor)
    return total.terms, digits


def _by_residues(system: System, chain: Comparison, claim: Polynomial, p: int) -> Polynomial | None:
    """The same, where residues modulo 2^(w*m) tell which words multiply p.

    Of sparse primes they are ambiguous; of others they find digits that no run has apart.
    """
    if p % 2 == 0:  # it has no inverse modulo a power of two
        return None
    size, inverse = abs(chain.weight), pow(p, -1, abs(chain.weight))
    operands = _digits_by_residues(system, chain, inverse)
    if operands is None:
        return None
    more = {}
    for monomial in operands.keys() | claim.keys():
        got, claimed = int(operands.get(monomial, 0)), int(claim.get(monomial, 0))
        times = _signed((got - claimed) * inverse, size)
        if not _is_small(times, system, size):
            return None
        more[monomial] = (got - claimed - times * p) // chain.weight
    return {monomial: c for monomial, c in more.items() if c}


def _digits_by_residues(system: System, chain: Comparison, inverse: int) -> Polynomial | None:
    """The chain's operands without words, but for those that multiply p: digits of a quotient."""
    total, size = Total(system, chain.operands), abs(chain.weight)
    factors: set[int] = set()
    """Words that constants were multiplied with."""
    for row in total.backwards():
        if len(total) > MOST_TERMS:
            return None
        factor = int(total.terms.get((row.word,), 0))
        times = _signed(factor * inverse, size)
        is_plainer = row.word in factors or abs(times) < abs(_signed(factor, size))
        if isinstance(row, Select) or (is_plainer and _is_small(times, system, size)):
            continue
        quotient = total.split(row.word)
        total.add(product(quotient, row.right))
        if row.carry is not None:
            total.add(product(quotient, variable(row.carry)), -row.factor)
        if row.kind == "mul":
            factors.update(m[0] for m in row.right if len(m) == 1)
    return total.terms


def _signed(number: int, size: int) -> int:
    """The number modulo `size`, the one next to 0."""
    return (number + size // 2) % size - size // 2


def _is_small(number: int, system: System, size: int) -> bool:
    """Whether a residue is a word shorter than the modulus: by chance that is never so."""
    return abs(number) * system.radix <= size
