"""Words that are a polynomial of others: top bits of sums, and high halves of products.

Both begin as a variable of which little is known. What a word is modulo a power of two tells what
its low part is; the rest of the word is the variable.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.ends import equate_ends
from fieldc.proof.algebra.equations import (
    Equation,
    Polynomial,
    Select,
    System,
    add_to,
    product,
    variable,
)
from fieldc.proof.algebra.strategies import FIRST
from fieldc.proof.algebra.totals import Total
from fieldc.proof.algebra.wraps import Equality, factors_of, shown, write

MOST_ROWS = 60
"""Code up to which words are compared with each other: that of one limb has 30 rows at most."""
MOST_REPLACED = 6
"""Words between a quotient and the limb that it was made of: one for a product, more for shifts."""


def equate_tops(case: Case) -> tuple[Equality, ...]:
    """Find what the top bits of words equal, and write that down.

    Of 2^k*(the low bits of a) + (the top bits of b) the bits above 2^k are the low bits of a. Of
    a + (a << k), less its carry c, those from bit k on are (a >> k) + a - 2^k*((a >> k) + c).
    """
    system, found = case.system, []
    for (word, shift), top in system.top_bits.items():
        row = system.defining(word)
        if not isinstance(row, Equation) or row.word != word:
            continue
        value = _without_low_bits(system, _definition(system, row), shift)
        if not value:
            continue
        equality = shown(case, top, value, factors_of(system, top), (word, shift))
        if equality is not None:
            write(system, equality)
            found.append(equality)
    return tuple(found)


def equate_zero_tops(case: Case) -> tuple[Equality, ...]:
    """Find what is 0 by bounds, and write that down.

    Asked are top bits, carries of shifts to the left, and high halves of products that nobody
    reads. Ranges do not say so of differences, nor where they were made before a value between was
    shown. What carries such sums drop is asked before their top bits.
    """
    system = case.system
    found = [*equate_ends(case, [word for word, _ in system.top_bits])]
    briefly = replace(case, strategies=FIRST)
    cuts = {top: of for of, top in system.top_bits.items()}
    shifted = [row.carry for row in system.rows if _is_shift(row) and row.carry is not None]
    asked = [(number, briefly) for number in (*cuts, *shifted)]
    asked += [(number, case) for number in _unread_high_halves(system)]
    for number, of in asked:
        if system.ranges[number][1] and (factors := factors_of(system, number)):
            equality = shown(of, number, {}, factors, cuts.get(number))
            if equality is not None:
                write(system, equality)
                found.append(equality)
    return tuple(found)


def _unread_high_halves(system: System) -> list[int]:
    """High halves that no row reads: the low half may be the whole product."""
    products = [r for r in system.rows if isinstance(r, Equation) and r.kind == "mul"]
    read = system.read() if products else set()
    return [r.carry for r in products if r.carry is not None and r.carry not in read]


def _definition(system: System, row: Equation) -> Polynomial:
    """What a row's word is; of a sum, with what words are that were put together from bits."""
    value = dict(row.right)
    if row.carry is None:
        return value
    add_to(value, variable(row.carry), -row.factor)
    for monomial in [m for m in value if len(m) == 1]:
        of = system.defining(monomial[0])
        if isinstance(of, Equation) and of.kind == "bits" and of.word == monomial[0]:
            add_to(value, of.right, value.pop(monomial))
    return value


def _without_low_bits(system: System, value: Polynomial, shift: int) -> Polynomial:
    """value >> shift, where what is no multiple of 2^shift is a word whose top bits are known.

    Anything else, too, is taken for low bits where the value is made of bits only.
    """
    size = 1 << shift
    found: Polynomial = {m: int(c) // size for m, c in value.items() if int(c) // size}
    rest = [m for m, c in value.items() if int(c) % size]
    words = [m[0] for m in rest if len(m) == 1 and int(value[m]) % size == 1]
    top = system.top_bits.get((words[0], shift)) if len(words) == len(rest) == 1 else None
    if top is not None:
        add_to(found, variable(top))
    return found if top is not None or not rest or _has_bits_only(system, value) else {}


def _has_bits_only(system: System, value: Polynomial) -> bool:
    """Whether no carry or borrow is in a number."""
    return all(system.row_of_carry(v) is None for m in value for v in m)


def equate_high_halves(case: Case) -> tuple[Equality, ...]:
    """Find what high halves of products equal whose low halves nobody reads, and write that down.

    Where the low half is a word w for certain, the high half is (the product - w) / 2^64. So it is
    for q*p, if q is w/p modulo 2^64.
    """
    system, found = case.system, []
    read = system.read()
    for row in system.rows:
        if not isinstance(row, Equation) or row.kind != "mul" or row.carry is None:
            continue
        if row.word in read or row.carry not in read:
            continue
        value = _high_half(system, row)
        if value is None:
            continue
        equality = shown(case, row.carry, value, factors_of(system, row.carry))
        if equality is not None:
            write(system, equality)
            found.append(equality)
    return tuple(found)


def equate_wrapped(case: Case) -> tuple[Equality, ...]:
    """Find what the carries of sums equal that leave a word shifted to the left, and write it down.

    Nothing reads the sum: q + t is q << k modulo 2^64, by the choice of q. So 2^64 times the carry
    is q + t less 2^k * q and 2^64 times q's upper bits.
    """
    system, found = case.system, []
    shifted = {next(iter(r.right))[0]: r for r in system.rows if _is_shift(r)}
    read = system.read() if shifted else set()
    for row in system.rows:
        if not isinstance(row, Equation) or row.kind != "add" or row.carry is None:
            continue
        if row.word in read or row.carry not in read:
            continue
        products = [shifted[m[0]] for m in row.right if len(m) == 1 and m[0] in shifted]
        if products and _quotient(system, row.right, MOST_REPLACED) is not None:
            continue  # the word is 0, as in other reductions, where the carry is better kept
        for value in filter(None, (_beside(system, row, other) for other in products)):
            equality = shown(case, row.carry, value, factors_of(system, row.carry))
            if equality is not None:
                write(system, equality)
                found.append(equality)
                break
    return tuple(found)


def equate_doubled(case: Case) -> tuple[Equality, ...]:
    """Find carries of x + x + c that are the top bit of x, which 2*x says too; write that down."""
    system, found = case.system, []
    shifted = {next(iter(r.right))[0]: r for r in system.rows if _is_shift(r, most=2)}
    for row in system.rows:
        if not isinstance(row, Equation) or row.kind != "add" or row.carry is None:
            continue
        doubled = [m[0] for m, c in row.right.items() if len(m) == 1 and c == 2]
        top = shifted[doubled[0]].carry if doubled and doubled[0] in shifted else None
        if top is None or len(row.right) != 2:
            continue
        older, newer = sorted((row.carry, top))
        equality = shown(case, newer, variable(older), factors_of(system, newer))
        if equality is not None:
            write(system, equality)
            found.append(equality)
    return tuple(found)


def _is_shift(row: Equation | Select, most: int = 0) -> TypeGuard[Equation]:
    """Whether a row shifts a word to the left: its product with a power of two, up to `most`."""
    if not isinstance(row, Equation) or row.kind != "mul" or len(row.right) != 1:
        return False
    ((monomial, factor),) = row.right.items()
    is_power = len(monomial) == 1 and int(factor) & int(factor) - 1 == 0
    return is_power and (not most or factor <= most)


def _beside(system: System, row: Equation, product: Equation) -> Polynomial | None:
    """What the carry of a sum is if its word is a product's low half; None if that is unlikely."""
    target = dict(row.right)
    add_to(target, product.right, -1)
    if product.carry is not None:
        add_to(target, variable(product.carry, product.factor))
    return _quotient(system, target, MOST_REPLACED)


def _high_half(system: System, row: Equation) -> Polynomial | None:
    """(the product - w) / 2^64 for a word w that makes it whole; None where none is found."""
    word = _same_word(system, row)
    if word is None:
        return None
    target = dict(row.right)
    add_to(target, variable(word, -1))
    return _quotient(system, target, len(system.rows))


def _quotient(system: System, target: Polynomial, most: int) -> Polynomial | None:
    """A number divided by 2^64, once at most so many rows have made it whole."""
    total = Total(system, target)
    replaced = 0
    for other in total.backwards():
        if replaced == most or _is_whole(total.terms, system.radix):
            break
        if isinstance(other, Equation):
            replaced += other.word in total.places
            _replace(total, other)
    if not _is_whole(total.terms, system.radix):
        return None
    return {m: int(c) // system.radix for m, c in total.terms.items()}


def _same_word(system: System, row: Equation) -> int | None:
    """An older word that is the same as a row's modulo 2^64; None where there is none.

    In long code only a word is found from which the row's factors are made by a few others.
    """
    is_long = len(system.rows) > MOST_ROWS
    residue = _residue(system, row.word, MOST_REPLACED if is_long else None)
    if (single := _single(residue)) is not None or is_long:
        return single
    older = (other for other in system.rows[: row.number] if isinstance(other, Equation))
    return next((o.word for o in older if _residue(system, o.word) == residue), None)


def _single(residue: Polynomial) -> int | None:
    """The word that a residue is, if it is one."""
    single = [m[0] for m, c in residue.items() if len(m) == 1 and c == 1]
    return single[0] if len(residue) == len(single) == 1 else None


def _residue(system: System, word: int, most: int | None = None) -> Polynomial:
    """A word modulo 2^64, without words that sums and products make.

    With `most`, that many are replaced, and none once the residue is another word.
    """
    total = Total(system, variable(word), modulus=system.radix)
    replaced = 0
    for row in total.backwards():
        if most is not None and (
            replaced > most or (replaced and _single(total.terms) is not None)
        ):
            break
        if isinstance(row, Equation):
            replaced += 1
            _replace(total, row)
    return total.terms


def _replace(total: Total, row: Equation) -> None:
    """Put what a row says for its word."""
    factor = total.split(row.word)
    total.add(product(factor, row.right))
    if row.carry is not None:
        total.add(product(factor, variable(row.carry)), -row.factor)


def _is_whole(terms: Polynomial, size: int) -> bool:
    return not any(int(c) % size for c in terms.values())
