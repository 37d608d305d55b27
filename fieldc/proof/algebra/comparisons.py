"""What a flag that ends a chain of carries says: two numbers compared."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fieldc.proof.algebra.equations import Equation, Polynomial, System, add_to


@dataclass(frozen=True)
class Comparison:
    """A chain of carries that ends in a flag: operands = words + sign * 2^(w*m) * flag.

    `operands` and `words` are two forms of one number; `rows` are the chain's equations.
    """

    flag: int
    operands: Polynomial
    words: Polynomial
    rows: frozenset[int]
    weight: int
    """sign * 2^(w*m)."""


def comparison_of(system: System, flag: int) -> Comparison | None:
    """The chain of equations that ends in a flag, as one comparison.

    A carry telescopes where the next row takes it with the sign that the row before gave it: not a
    sum's carry that a difference subtracts.
    """
    makers = {row.carry: row for row in system.rows if isinstance(row, Equation)}
    row = makers.get(flag)
    if row is None or row.kind not in ("add", "sub"):
        return None
    chain = [row]
    links: list[int] = []
    while (link := _link(chain[0], makers, system.radix)) is not None:
        links.insert(0, link)
        chain.insert(0, makers[link])
    operands: Polynomial = {}
    words: Polynomial = {}
    for index, (row, taken) in enumerate(zip(chain, [None, *links], strict=True)):
        weight = system.radix**index
        add_to(operands, {m: c for m, c in row.right.items() if m != (taken,)}, weight)
        add_to(words, {(row.word,): 1}, weight)
    weight = chain[-1].factor * system.radix ** (len(chain) - 1)
    add_to(words, {(flag,): 1}, weight)
    return Comparison(flag, operands, words, frozenset(row.number for row in chain), weight)


def _link(row: Equation, makers: Mapping[int | None, Equation], radix: int) -> int | None:
    """The carry that a row takes so that both rows' sum has it no more.

    Of a sum's and a difference's carry, that of the row's own kind.
    """
    found: list[tuple[bool, int]] = []
    for monomial, coefficient in row.right.items():
        maker = makers.get(monomial[0]) if len(monomial) == 1 else None
        if maker is None or maker.kind not in ("add", "sub") or monomial[0] != maker.carry:
            continue
        if coefficient * radix == maker.factor:
            found.append((maker.kind != row.kind, monomial[0]))
    return min(found, key=lambda link: link[0])[1] if found else None


def comparison_by_top(system: System, flag: int) -> tuple[Comparison, int] | None:
    """The chain whose last word's top bit is a flag, and its carry, which must be 0."""
    found = [key for key, top in system.top_bits.items() if top == flag]
    if not found or found[0] not in system.low_bits:
        return None
    word, shift = found[0]
    row = system.rows[system.owners[word]] if system.owners[word] >= 0 else None
    if not isinstance(row, Equation) or row.word != word or row.carry is None:
        return None
    chain = comparison_of(system, row.carry)
    if chain is None:
        return None
    words = {m: c for m, c in chain.words.items() if m not in ((row.carry,), (word,))}
    weight = abs(chain.weight) // system.radix
    words[system.low_bits[word, shift],] = weight
    words[flag,] = weight << shift
    return Comparison(flag, chain.operands, words, chain.rows, weight << shift), row.carry


def carries_in(system: System, target: Polynomial) -> frozenset[int]:
    """The rows whose carries go into the sum of which the target is the carry."""
    carries = [m[0] for m in target if len(m) == 1]
    row = system.row_of_carry(carries[0]) if carries and len(target) == 1 else None
    if row is None:
        return frozenset()
    makers = (system.row_of_carry(m[0]) for m in row.right if len(m) == 1)
    return frozenset(maker.number for maker in makers if maker is not None)
