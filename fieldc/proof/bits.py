"""Words by their bits: words with two values, masks, low bits and shifts by constants."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fieldc.proof.algebra.equations import Equation, Polynomial, Select, System, add_to, constant
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.memory import KernelMemory


class Machine(Protocol):
    """A processor that runs code on symbolic words."""

    memory: KernelMemory
    where: str
    """The instruction that it runs."""

    def needs_no_certificate(self) -> None:
        """Refuse what certificates cannot say, but in foreign code."""


@dataclass(frozen=True)
class TwoValues:
    """A word that one flag decides. A constant has no flag, and its two values are the same."""

    flag: int | None
    when_set: int
    otherwise: int

    def mapped(self, function: Callable[[int], int]) -> TwoValues:
        """The function of each value."""
        return TwoValues(self.flag, function(self.when_set), function(self.otherwise))


def two_values(system: System, word: Polynomial) -> TwoValues | None:
    """What a word is, if one flag decides it; None for any other word."""
    total = TwoValues(None, *2 * (int(word.get((), 0)),))
    for monomial, factor in word.items():
        if len(monomial) > 1:
            return None
        if not monomial:
            continue
        part = _values_of_variable(system, monomial[0])
        if part is None or (total.flag is not None and part.flag not in (None, total.flag)):
            return None
        total = TwoValues(
            total.flag if part.flag is None else part.flag,
            total.when_set + int(factor) * part.when_set,
            total.otherwise + int(factor) * part.otherwise,
        )
    return total


def _values_of_variable(system: System, number: int) -> TwoValues | None:
    row = system.rows[system.owners[number]] if system.owners[number] >= 0 else None
    if not system.is_foreign:  # certificates know masks
        is_mask = isinstance(row, Select) and row.when_set == {(): system.radix - 1}
        if isinstance(row, Select) and is_mask and not row.otherwise:
            return TwoValues(row.flag, system.radix - 1, 0)
        return None
    if isinstance(row, Select) and row.when_set.keys() | row.otherwise.keys() <= {()}:
        sides = TwoValues(row.flag, int(row.when_set.get((), 0)), int(row.otherwise.get((), 0)))
        flag = _values_of_variable(system, row.flag)
        if flag is None or flag.flag == row.flag:
            return sides
        return flag.mapped(lambda value: sides.when_set if value else sides.otherwise)
    if isinstance(row, Equation) and row.kind == "bits":
        found = two_values(system, row.right)
        if found is not None:
            return found
    return TwoValues(number, 1, 0) if system.ranges[number][1] <= 1 else None


def bit(values: TwoValues) -> Polynomial:
    """A flag, from its two values, which are 0 or 1."""
    if values.flag is None or values.when_set == values.otherwise:
        return {(): 1} if values.when_set else {}
    if values.when_set:
        return {(values.flag,): 1}
    return {(): 1, (values.flag,): -1}


def inverse(flag: Polynomial) -> Polynomial:
    """1 - flag."""
    turned = {m: -c for m, c in flag.items()}
    add_to(turned, {(): 1})
    return turned


def chosen(
    cpu: Machine, flag: Polynomial, when_set: Polynomial, otherwise: Polynomial
) -> Polynomial:
    """One of two words by a flag, which may be known, or the inverse of another one."""
    system = cpu.memory.system
    if flag.keys() <= {()}:
        return when_set if flag else otherwise
    if len(flag) > 1:
        flag, when_set, otherwise = inverse(flag), otherwise, when_set
    if len(flag) > 1 or [*flag.values()] != [1]:
        raise ProofError(f"{cpu.where}: a choice by what is no flag")
    if when_set == otherwise:
        return when_set
    ((number,),) = flag
    return {(system.choose(number, when_set, otherwise, cpu.where),): 1}


def word_of(cpu: Machine, values: TwoValues) -> Polynomial:
    """A word from its two values."""
    first, second = constant(values.when_set), constant(values.otherwise)
    if values.flag is None or first == second:
        return first
    return chosen(cpu, {(values.flag,): 1}, first, second)


def joined(
    a: TwoValues | None, b: TwoValues | None, function: Callable[[int, int], int]
) -> TwoValues | None:
    """A function of two words that one flag decides, if it is one flag."""
    if a is None or b is None or (a.flag != b.flag and a.flag is not None and b.flag is not None):
        return None
    flag = b.flag if a.flag is None else a.flag
    return TwoValues(flag, function(a.when_set, b.when_set), function(a.otherwise, b.otherwise))


def flag_of_mask(cpu: Machine, word: Polynomial) -> int | None:
    """The flag of a word that is all ones if the flag is set, else 0."""
    values = two_values(cpu.memory.system, word)
    ones = cpu.memory.system.radix - 1
    if values is None or (values.when_set, values.otherwise) != (ones, 0):
        return None
    return values.flag


def masked(cpu: Machine, a: Polynomial, b: Polynomial) -> Polynomial:
    """a & b; of two words of which none is a constant or chosen by a flag, a variable."""
    system = cpu.memory.system
    first, second = two_values(system, a), two_values(system, b)
    if (both := joined(first, second, lambda x, y: x & y)) is not None:
        return word_of(cpu, both)
    for mask, word in ((first, b), (second, a)):
        if mask is not None and mask.flag is not None:
            sides = (_masked_by(cpu, word, v) for v in (mask.when_set, mask.otherwise))
            return chosen(cpu, {(mask.flag,): 1}, *sides)
    for mask, word in ((first, b), (second, a)):
        if mask is not None:
            return _masked_by(cpu, word, mask.when_set)
    return dict(a) if a == b else in_common(cpu, a, b)


def in_common(cpu: Machine, a: Polynomial, b: Polynomial) -> Polynomial:
    """The bits of two words that are set in both: one variable for each pair."""
    cpu.needs_no_certificate()
    system = cpu.memory.system
    first, second = sorted((_number_of(cpu, a), _number_of(cpu, b)))
    if (first, second) not in system.common:
        high = min(system.ranges[first][1], system.ranges[second][1])
        name = f"{system.names[first]}&{system.names[second]}"
        system.common[first, second] = system.new(name, high)
    return {(system.common[first, second],): 1}


def _number_of(cpu: Machine, word: Polynomial) -> int:
    """The variable that a word is. Raises ProofError for another word."""
    if len(word) == 1:
        ((monomial, factor),) = word.items()
        if len(monomial) == 1 and factor == 1:
            return monomial[0]
    raise ProofError(f"{cpu.where}: the bits of a word that is no variable")


def _masked_by(cpu: Machine, word: Polynomial, ones: int) -> Polynomial:
    """word & ones, where these are low ones, or all but low ones."""
    system = cpu.memory.system
    if ones in (0, system.radix - 1):
        return word if ones else {}
    bits = ones.bit_length()
    if ones == (1 << bits) - 1:
        return low_bits(cpu, word, bits)
    low = (ones & -ones).bit_length() - 1
    if ones >> low == (1 << bits - low) - 1 and bits < system.word_bits:  # some in the middle
        part = top_bits(cpu, word, system.word_bits - low)
        part = low_bits(cpu, part, bits - low) if part else {}
        middle: Polynomial = {}
        add_to(middle, part, 1 << low)
        return {(system.define_word(middle, cpu.where),): 1} if middle else {}
    zeros = (ones ^ system.radix - 1).bit_length()
    if ones ^ system.radix - 1 == (1 << zeros) - 1:
        high: Polynomial = {}
        add_to(high, top_bits(cpu, word, system.word_bits - zeros), 1 << zeros)
        return {(system.define_word(high, cpu.where),): 1} if high else {}
    return _scattered(cpu, word, ones)


def _scattered(cpu: Machine, word: Polynomial, ones: int) -> Polynomial:
    """word & ones: of each run of ones, the word from there on less the word beyond."""
    cpu.needs_no_certificate()
    system = cpu.memory.system
    total: Polynomial = {}
    for place in range(system.word_bits):
        begins = (ones >> place & 1) - (ones << 1 >> place & 1)
        if begins:
            above = top_bits(cpu, word, system.word_bits - place) if place else word
            add_to(total, above, begins << place)
    return {(system.define_word(total, cpu.where, ones),): 1}


def united(cpu: Machine, a: Polynomial, b: Polynomial) -> Polynomial:
    """a | b where one flag decides both, or where no bit can be set in both."""
    system = cpu.memory.system
    first, second = two_values(system, a), two_values(system, b)
    if (both := joined(first, second, lambda x, y: x | y)) is not None:
        return word_of(cpu, both)
    for mask, word in ((first, b), (second, a)):
        sides = () if mask is None else (mask.when_set, mask.otherwise)
        if mask is not None and {*sides} <= {0, system.radix - 1}:
            values: list[Polynomial] = [{(): v} if v else word for v in sides]
            return chosen(cpu, bit(TwoValues(mask.flag, 1, 0)), *values)
    if (choice := _other_choices(cpu, a, b)) is not None:
        return choice
    if system.largest(a) < 1 << _zeros(system, b) or system.largest(b) < 1 << _zeros(system, a):
        total = dict(a)
        add_to(total, b)
        return {(system.define_word(total, cpu.where),): 1}
    for mask, word in ((first, b), (second, a)):
        if mask is not None and mask.flag is None:
            rest = dict(_masked_by(cpu, word, system.radix - 1 ^ mask.when_set))
            add_to(rest, constant(mask.when_set))
            return {(system.define_word(rest, cpu.where),): 1}
    raise ProofError(f"{cpu.where}: `or` of two words that may have a bit in common")


def _other_choices(cpu: Machine, a: Polynomial, b: Polynomial) -> Polynomial | None:
    """a | b where one is 0 if a flag is set, and the other if it is not."""
    system = cpu.memory.system
    one, other = (_row_of(system, word) for word in (a, b))
    if not isinstance(one, Select) or not isinstance(other, Select) or one.flag != other.flag:
        return None
    for first, second in ((one, other), (other, one)):
        if not first.otherwise and not second.when_set:
            return chosen(cpu, {(one.flag,): 1}, first.when_set, second.otherwise)
    return None


def _row_of(system: System, word: Polynomial) -> Equation | Select | None:
    """The row that defines a word, if the word is one variable."""
    numbers = [m[0] for m, c in word.items() if len(m) == 1 and c == 1]
    if len(numbers) != 1 or len(word) != 1 or system.owners[numbers[0]] < 0:
        return None
    return system.rows[system.owners[numbers[0]]]


def _zeros(system: System, word: Polynomial) -> int:
    """How many low bits of a word are known to be 0."""
    return min((_zeros_of(system, m, int(c)) for m, c in word.items()), default=system.word_bits)


def _zeros_of(system: System, monomial: tuple[int, ...], factor: int) -> int:
    found = (factor & -factor).bit_length() - 1
    for number in monomial:
        row = system.rows[system.owners[number]] if system.owners[number] >= 0 else None
        if isinstance(row, Equation) and row.kind == "bits":
            found += _zeros(system, row.right)
        elif isinstance(row, Select):
            found += min(_zeros(system, row.when_set), _zeros(system, row.otherwise))
    return found


def halved(system: System, word: Polynomial, k: int) -> Polynomial | None:
    """word >> k without what falls out, where the word is made of multiples of 2^k."""
    row = _row_of(system, word)
    if not isinstance(row, Equation) or word != {(row.word,): 1}:
        return None
    value = dict(row.right)
    if row.carry is not None:
        add_to(value, {(row.carry,): -row.factor})
    if any(int(c) % (1 << k) for c in value.values()):
        return None
    return {m: int(c) >> k for m, c in value.items()}


def flipped(cpu: Machine, a: Polynomial, b: Polynomial) -> Polynomial:
    """a ^ b: where no flag makes one 0 or all ones, their sum less twice the bits of both."""
    system = cpu.memory.system
    first, second = two_values(system, a), two_values(system, b)
    if (both := joined(first, second, lambda x, y: x ^ y)) is not None:
        return word_of(cpu, both)
    for mask, word in ((first, b), (second, a)):
        sides = () if mask is None else (mask.when_set, mask.otherwise)
        if mask is not None and {*sides} <= {0, system.radix - 1}:
            values = [complement(cpu, word) if v else word for v in sides]
            return chosen(cpu, bit(TwoValues(mask.flag, 1, 0)), *values)
    total = dict(a)
    add_to(total, b)
    add_to(total, masked(cpu, a, b), -2)
    return {(system.define_word(total, cpu.where, system.radix - 1),): 1}


def complement(cpu: Machine, word: Polynomial) -> Polynomial:
    """2^w - 1 - word."""
    system = cpu.memory.system
    right = {m: -c for m, c in word.items()}
    add_to(right, {(): system.radix - 1})
    return {(system.define_word(right, cpu.where),): 1}


def low_bits(cpu: Machine, word: Polynomial, bits: int) -> Polynomial:
    """word mod 2^bits, 0 < bits < w; of a word that a flag decides, a choice by it."""
    system = cpu.memory.system
    values = two_values(system, word)
    if values is not None and (values.flag is not None or system.is_foreign):
        return word_of(cpu, values.mapped(lambda value: value % (1 << bits)))
    low = dict(word)
    top = top_bits(cpu, word, system.word_bits - bits)
    if cpu.memory.is_foreign:
        if not top:
            return word
        ((number,),) = word
        return {(system.low_bits[number, bits],): 1}
    add_to(low, top, -(1 << bits))
    return {(system.define_word(low, cpu.where, (1 << bits) - 1),): 1}


def shifted(cpu: Machine, high: Polynomial, low: Polynomial, k: int) -> Polynomial:
    """(high << k | low >> (w - k)) mod 2^w."""
    system = cpu.memory.system
    right: Polynomial = {}
    add_to(right, high, 1 << k)
    add_to(right, top_bits(cpu, high, k), -system.radix)
    add_to(right, top_bits(cpu, low, k))
    return {(system.define_word(right, cpu.where),): 1}


def doubled(cpu: Machine, value: Polynomial) -> tuple[Polynomial, Polynomial]:
    """2*value mod 2^w, and the carry, which is the top bit of the value.

    It is a carry as any other where nothing asked for the top bit before: chains go on with it.
    """
    system = cpu.memory.system
    known = len(system.names)
    carry = top_bits(cpu, value, 1)
    if len(system.names) == known:
        return shifted(cpu, value, {}, 1), carry
    ((top,),) = carry
    return {(system.define_sum({m: 2 * c for m, c in value.items()}, top, cpu.where),): 1}, carry


def top_bits(cpu: Machine, value: Polynomial, k: int) -> Polynomial:
    """value >> (w - k): one variable for each word and k."""
    system = cpu.memory.system
    shift = system.word_bits - k
    if value.keys() <= {()}:
        number = int(value.get((), 0)) >> shift
        return {(): number} if number else {}
    if value.keys() & {()} or [*value.values()] != [1]:
        values = two_values(system, value)
        if values is not None:
            return word_of(cpu, values.mapped(lambda word: word >> shift))
    word = _number_of(cpu, value)
    high = system.ranges[word][1] >> shift
    if not high:
        return {}
    if (word, shift) not in system.top_bits:
        system.top_bits[word, shift] = system.new(f"{system.names[word]}>>{shift}", high)
        if cpu.memory.is_foreign:  # the other bits
            low: Polynomial = {(word,): 1, (system.top_bits[word, shift],): -(1 << shift)}
            number = system.define_word(low, cpu.where, (1 << shift) - 1)
            system.low_bits[word, shift] = number
    return {(system.top_bits[word, shift],): 1}


def is_any(cpu: Machine, words: tuple[Polynomial, ...]) -> Polynomial:
    """Whether one of several words is not 0: the borrow of 0 less the number that they make."""
    system = cpu.memory.system
    borrow: Polynomial = {}
    for word in words:
        right = {m: -c for m, c in (*word.items(), *borrow.items())}
        borrow = {(system.define("sub", right, -1, cpu.where)[1],): 1}
    return borrow
