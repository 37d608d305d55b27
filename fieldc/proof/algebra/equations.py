"""Integer equations between words and carries, and eliminating them from a polynomial.

Every instruction that computes gives one exact equation over the integers

    word + radix * carry = right        (add; with a high half for a carry, multiplication)
    word - radix * borrow = right       (subtract)
    word = right                        (moves of bits)

where `right` is a polynomial in older variables. A polynomial in words is simplified by going
through the equations backwards and replacing what each one defines: sums over whole chains
telescope, and at the end only the kernel's inputs are left. No search, no Groebner basis.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod

Monomial = tuple[int, ...]
Rational = int | Fraction
Polynomial = dict[Monomial, Rational]
ONE: Monomial = ()


def variable(number: int, factor: Rational = 1) -> Polynomial:
    """factor * variable."""
    return {(number,): factor}


def constant(value: Rational) -> Polynomial:
    """A number as a polynomial."""
    return {ONE: value} if value else {}


def add_to(total: Polynomial, other: Mapping[Monomial, Rational], factor: Rational = 1) -> None:
    """total += factor * other, in place; zero terms vanish."""
    if factor != 1:
        other = {monomial: factor * coefficient for monomial, coefficient in other.items()}
    for monomial, coefficient in other.items():
        value = total[monomial] + coefficient if monomial in total else coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)


def ratio(a: Rational, b: int) -> Rational:
    """a / b, an integer where it is one."""
    return a // b if isinstance(a, int) and a % b == 0 else Fraction(a, b)


def product(a: Polynomial, b: Polynomial) -> Polynomial:
    """a * b."""
    total: Polynomial = {}
    for left, x in a.items():
        if left:
            add_to(total, {tuple(sorted(left + right)): x * y for right, y in b.items()})
        else:
            add_to(total, b, x)
    return total


class Tops(dict[Monomial, int]):
    """The largest value of each monomial that is asked for, of variables in their ranges.

    Those that are fixed have their values.
    """

    def __init__(self, ranges: Sequence[tuple[int, int]], fixed: Mapping[int, int]) -> None:
        super().__init__()
        self.ranges, self.fixed = ranges, fixed

    def __missing__(self, monomial: Monomial) -> int:
        ranges, fixed = self.ranges, self.fixed
        self[monomial] = prod([fixed[n] if n in fixed else ranges[n][1] for n in monomial])
        return self[monomial]


def by_terms(total: Polynomial, tops: Tops, sure: frozenset[int]) -> Rational:
    """Each term at its largest value; `sure` are the variables with one value, which is not 0."""
    bound: Rational = 0
    for monomial, coefficient in total.items():
        if coefficient > 0:
            bound += coefficient * tops[monomial]
        elif sure.issuperset(monomial):
            bound += coefficient
    return bound


@dataclass(frozen=True)
class Equation:
    """word + factor*carry = right. `carry` is None where nothing leaves the word.

    `kind` is add, sub, mul or bits; `where` names the instruction.
    """

    number: int
    word: int
    carry: int | None
    factor: int
    right: Polynomial
    kind: str
    where: str


@dataclass(frozen=True)
class Select:
    """word = when_set if flag else otherwise."""

    word: int
    flag: int
    when_set: Polynomial
    otherwise: Polynomial
    where: str


def without_choice(row: Select, number: int) -> Equation:
    """The same row for both values of its flag: word = flag*when_set + (1 - flag)*otherwise."""
    difference = dict(row.when_set)
    add_to(difference, row.otherwise, -1)
    right = product(variable(row.flag), difference)
    add_to(right, row.otherwise)
    return Equation(number, row.word, None, 0, right, "bits", row.where)


@dataclass
class System:
    """Variables with their exact ranges, and equations in the order of the code."""

    word_bits: int
    names: list[str] = field(default_factory=list)
    ranges: list[tuple[int, int]] = field(default_factory=list)
    owners: list[int] = field(default_factory=list)
    """For each variable the number of the row that defines it, -1 for inputs."""
    rows: list[Equation | Select] = field(default_factory=list)
    multipliers: set[int] = field(default_factory=set)
    """Words that multiply: quotient digits and folded limbs."""
    top_bits: dict[tuple[int, int], int] = field(default_factory=dict)
    """word >> shift, by the word's variable and the shift."""
    is_foreign: bool = False
    """Whether there is no certificate, which says less than the prover can."""
    same: dict[int, int] = field(default_factory=dict)
    """Words that nothing reads, and the words that they always equal, of foreign routines."""
    expected: frozenset[tuple[str, int, int]] = frozenset()
    """Products that AArch64 code takes (`Words.seen`): a variable's name, a factor, a constant."""
    held: set[int] = field(default_factory=set)
    """Words of values between, which what follows takes as they are."""
    sums: set[int] = field(default_factory=set)
    """Those of values that are sums of multiples of earlier ones."""
    low_bits: dict[tuple[int, int], int] = field(default_factory=dict)
    """word mod 2^shift, where the top bits have a variable, of routines without certificates."""
    common: dict[tuple[int, int], int] = field(default_factory=dict)
    """word & word, by their variables in order, of routines without certificates."""
    written: dict[int, Equation | Select] = field(default_factory=dict)
    """Rows as the code has them, where what was shown stands in their place: that may be said by
    words of later rows, so runs on numbers follow the code."""

    @property
    def radix(self) -> int:
        """2^w."""
        return 1 << self.word_bits

    def new(self, name: str, high: int, owner: int = -1) -> int:
        """A variable with 0 <= value <= high, defined by the row `owner`."""
        self.names.append(name)
        self.ranges.append((0, high))
        self.owners.append(owner)
        return len(self.names) - 1

    def largest(self, polynomial: Polynomial, sign: int = 1) -> int:
        """An upper bound of sign*polynomial: each variable and each monomial by itself."""
        return sum(
            sign * int(c) * prod(self.ranges[v][1] for v in monomial)
            for monomial, c in polynomial.items()
            if monomial == ONE or sign * c > 0
        )

    def hold(self, limbs: Sequence[int], high: int, is_sum: bool) -> None:
        """Take the limbs of a value, which is at most `high`, as an operand's from now on.

        What rows make of them is narrowed, too. A sum of multiples of others can be opened again.
        """
        for index, number in enumerate(limbs):
            self.narrow(number, high >> self.word_bits * index)
        for (word, shift), number in self.top_bits.items():
            self.narrow(number, self.ranges[word][1] >> shift)
        self._narrow_newer(limbs)
        self.held.update(limbs)
        if is_sum:
            self.sums.update(limbs)

    def _narrow_newer(self, limbs: Sequence[int]) -> None:
        """Narrow the words and carries that later rows make of these limbs, and of one another."""
        narrowed = {*limbs, *(top for (word, _), top in self.top_bits.items() if word in limbs)}
        for number in range(max(0, min(self.owners[v] for v in limbs)), len(self.rows)):
            row = self.written.get(number, self.rows[number])
            if isinstance(row, Select) or narrowed.isdisjoint(v for m in row.right for v in m):
                continue
            for made, most in self._at_most(row):
                if made not in narrowed and most < self.ranges[made][1]:
                    self.narrow(made, most)
                    narrowed.add(made)

    def _at_most(self, row: Equation) -> Iterator[tuple[int, int]]:
        """What the word and the carry of a row are at most, in the ranges of what it reads."""
        if row.factor >= 0:
            yield row.word, self.largest(row.right)
        if row.carry is not None and row.factor > 0:
            yield row.carry, self.largest(row.right) // self.radix
        elif row.carry is not None:
            yield row.carry, (self.ranges[row.word][1] + self.largest(row.right, -1)) // self.radix

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Meanwhile ask what made the words of values between that are sums, too."""
        held, self.held = self.held, self.held - self.sums
        try:
            yield
        finally:
            self.held = held

    def narrow(self, number: int, high: int) -> None:
        """Take a variable to be at most `high` from now on."""
        low, most = self.ranges[number]
        self.ranges[number] = low, min(most, high)

    def defining(self, number: int) -> Equation | Select | None:
        """The row that defines a variable, or the word whose top bits it is; inputs have none."""
        if number in self.held:
            return None
        for (word, _), top in self.top_bits.items() if self.owners[number] < 0 else ():
            if top == number:
                return self.defining(word)
        return self.rows[self.owners[number]] if self.owners[number] >= 0 else None

    def read(self) -> set[int]:
        """The variables that rows read."""
        return {v for row in self.rows for side in _sides(row) for m in side for v in m}

    def rewrite(self, number: int, row: Equation) -> None:
        """Let a row say what was shown of its variables."""
        self.written.setdefault(number, self.rows[number])
        self.rows[number] = row

    def row_of_carry(self, number: int) -> Equation | None:
        """The sum or difference whose carry a variable is."""
        row = self.rows[self.owners[number]] if self.owners[number] >= 0 else None
        if isinstance(row, Equation) and row.carry == number and row.kind != "mul":
            return row
        return None

    def define(self, kind: str, right: Polynomial, sign: int, where: str) -> tuple[int, int]:
        """word + sign*radix*carry = right; the two new variables."""
        rounded = 0 if sign > 0 else self.radix - 1
        carry_high = (self.largest(right, sign) + rounded) // self.radix
        high = self.largest(right) if sign > 0 else self.radix
        if kind == "mul" and _is_square(right):
            high = min(high, self.radix - 3)  # a square is 0 or 1 modulo 4
        word = self._word(high, where)
        carry = self.new(f"{where}:carry", carry_high, len(self.rows))
        factor = sign * self.radix
        self.rows.append(Equation(len(self.rows), word, carry, factor, right, kind, where))
        return word, carry

    def define_sum(self, right: Polynomial, carry: int, where: str) -> int:
        """word + radix*carry = right, where the carry has just been made."""
        word = self._word(self.largest(right), where)
        self.owners[carry] = len(self.rows)
        self.rows.append(Equation(len(self.rows), word, carry, self.radix, right, "add", where))
        return word

    def define_word(self, right: Polynomial, where: str, high: int | None = None) -> int:
        """word = right, where `right` is known to be a word, of at most `high`."""
        word = self._word(self.largest(right) if high is None else high, where)
        self.rows.append(Equation(len(self.rows), word, None, 0, right, "bits", where))
        return word

    def choose(self, flag: int, when_set: Polynomial, otherwise: Polynomial, where: str) -> int:
        """word = when_set if flag else otherwise."""
        word = self._word(max(self.largest(when_set), self.largest(otherwise)), where)
        self.rows.append(Select(word, flag, when_set, otherwise, where))
        return word

    def _word(self, high: int, where: str) -> int:
        return self.new(f"{where}:word", min(high, self.radix - 1), len(self.rows))


def _sides(row: Equation | Select) -> tuple[Polynomial, ...]:
    """What a row reads."""
    if isinstance(row, Equation):
        return (row.right,)
    return row.when_set, row.otherwise, variable(row.flag)


def _is_square(polynomial: Polynomial) -> bool:
    return all(c == 1 and len(m) == 2 and m[0] == m[1] for m, c in polynomial.items())


def split(target: Polynomial, number: int) -> Polynomial:
    """Remove every monomial with a variable; the polynomial it was multiplied with.

    target = (that) * variable + (what is left of target). The variable is at most linear here:
    a square keeps one factor in the quotient and is split again by the caller.
    """
    found: Polynomial = {}
    for monomial in [m for m in target if number in m]:
        rest = list(monomial)
        rest.remove(number)
        found[tuple(rest)] = target.pop(monomial)
    return found


def substitute(target: Polynomial, number: int, value: Polynomial) -> Polynomial:
    """Replace a variable by a polynomial, everywhere, in place.

    The multiple of (variable - value) that was taken away.
    """
    multiple: Polynomial = {}
    while quotient := split(target, number):
        add_to(multiple, quotient)
        add_to(target, product(quotient, value))
    return multiple


def put_in(total: Polynomial, number: int, fixed: Mapping[int, int]) -> None:
    """Replace a variable by its value, where it has one."""
    if number in fixed:
        substitute(total, number, {ONE: fixed[number]} if fixed[number] else {})
