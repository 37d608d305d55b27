"""Words and carries that are 0 in every run, which bounds of other rows may take for 0.

A quotient digit is chosen so that the lowest word of a sum becomes 0. Code that adds to that word
afterwards, instead of leaving it, is understood only once that is known.
"""

from __future__ import annotations

from fieldc.proof.algebra.bounds import Case
from fieldc.proof.algebra.combinations import Combination
from fieldc.proof.algebra.equations import (
    Equation,
    Polynomial,
    Select,
    product,
)
from fieldc.proof.algebra.facts import Fact
from fieldc.proof.algebra.totals import Total, times

MOST_TERMS = 1000
"""Terms of a total after which the search for a multiple of 2^w is given up.

Of 300 multiples of 2^w, each total had at most 5 terms. Others may grow without end.
"""


def residue_of(case: Case, word: int) -> Combination | None:
    """The rows that leave a word a multiple of 2^w, if that is found: then it is 0."""
    system = case.system
    total = Total(system, {(word,): 1}, modulus=system.radix)
    rows: Combination = {}
    for row in total.backwards():
        if not isinstance(row, Equation):
            continue
        if len(total.terms) > MOST_TERMS:
            return None
        total.put_in(row.word, case.fixed)
        if row.carry is not None:
            total.put_in(row.carry, case.fixed)
        if quotient := total.split(row.word):
            total.add(product(quotient, row.right))
            rows[row.number] = quotient
    return rows if _are_zero_carries(case, total.terms) else None


def is_zero(case: Case, word: int) -> bool:
    """Whether a word is 0 because rows leave it a multiple of 2^w; it is fixed then."""
    if word not in case.fixed and (rows := residue_of(case, word)) is not None:
        case.facts[word] = Fact(0, None, rows)
        case.fixed[word] = 0
    return case.fixed.get(word) == 0


def residue_of_two(case: Case, word: int) -> Combination | None:
    """The rows that leave 2^w * word a multiple of 2^(2w), if they do: then it is 0.

    So a quotient of two limbs makes the second word of a sum 0. Carries that the first one left
    stand in the second: 2^w * carry is what made the first word, less this word.
    """
    system = case.system
    total = Total(system, {(word,): system.radix}, modulus=system.radix**2)
    rows: Combination = {}
    for row in total.backwards():
        if not isinstance(row, Equation):
            continue
        if len(total.terms) > MOST_TERMS:
            return None
        total.put_in(row.word, case.fixed)
        words = total.split(row.word)
        if row.word in total.places:
            return None
        carries = {}
        if row.carry is not None:
            total.put_in(row.carry, case.fixed)
            carries = total.split(row.carry)
            total.add(times(carries, row.carry))
        multiple = words
        if not words and all(int(c) % row.factor == 0 for c in carries.values()):
            multiple = {m: int(c) // row.factor for m, c in carries.items()}
            if multiple and not is_zero(case, row.word):
                total.add(times(multiple, row.word), -1)
        if multiple:
            if row.carry is not None:
                total.add(times(multiple, row.carry), -row.factor)
            total.add(product(multiple, row.right))
            rows[row.number] = multiple
    return None if total.terms else rows


def _are_zero_carries(case: Case, total: Polynomial) -> bool:
    """Whether all that is left are carries that are 0, which are fixed then.

    Where two chains share a flag, one begins with the carry that the other one cannot have.
    """
    carries = [m[0] for m in total if len(m) == 1 and case.system.row_of_carry(m[0])]
    if len(carries) < len(total) or not all(case.is_always(carry, 0) for carry in carries):
        return False
    case.fixed.update(dict.fromkeys(carries, 0))
    return True


def fix_unread(case: Case) -> None:
    """Fix carries and borrows that are 0 and that nothing reads, of sums made without a product.

    A row of p - x or of x + x, whose top carry would count for 1 in every bound of its products.
    """
    rows = [row for row in case.system.rows if isinstance(row, Equation)]
    read = {v for row in rows for m in row.right for v in m}
    read |= {row.flag for row in case.system.rows if isinstance(row, Select)}
    made = {limb for operand in case.inputs for limb in operand.limbs}
    for row in rows:
        if row.kind == "mul" or not made.issuperset(v for m in row.right for v in m):
            continue
        made |= {
            row.word,
            *(top for (of, _), top in case.system.top_bits.items() if of == row.word),
        }
        if row.carry is not None:
            made.add(row.carry)
            if row.carry not in read and case.is_always(row.carry, 0):
                case.fixed[row.carry] = 0


def fix_zeros(case: Case) -> bool:
    """Fix top carries and borrows, and words that are 0; whether there are any.

    Nothing reads a top carry or borrow: its sum fits, its difference is never negative. The words
    are sums with a product's low half that go on into other rows.
    """
    rows = [row for row in case.system.rows if isinstance(row, Equation)]
    products = {row.word for row in rows if row.kind == "mul"}
    read = {number for row in rows for monomial in row.right for number in monomial}
    flags = {row.flag for row in case.system.rows if isinstance(row, Select)}
    words = False
    for row in rows:
        carry = row.carry
        is_top = row.kind != "mul" and carry not in read | flags | case.fixed.keys()
        is_asked = carry is not None and (is_top or not case.system.ranges[carry][1])
        if carry is not None and is_asked and case.is_always(carry, 0):
            case.fixed[carry] = 0
            words |= is_top and case.system.ranges[carry][1] > 0
        if row.kind != "add" or row.word not in read or row.word in case.fixed:
            continue
        if products & {number for monomial in row.right for number in monomial}:
            words |= is_zero(case, row.word)
    return words
