"""Proves from its bytes that code does divsteps and gives their matrix, for all inputs.

1. The code runs once on words without meaning. A jump or an address that depends on data ends the
   proof, and so does anything outside the frame.
2. Runs on numbers refuse what is plainly wrong, and propose the words that hold the state after
   each step. Nothing is believed of them.
3. Each step by itself: the words of zeta, x and y before it are new numbers, with ranges. In each
   of the four cases of (delta > 0, y odd) every choice of the code must be decided, and the three
   words after the step must be the rule's for this case, as polynomials that are exact by bounds.
4. Where a block of k steps begins, x is a number a that is f modulo 2^k, plus a multiple of
   2^(k + 1), and y is b + another one so. Halves of these are even up to the last step. So steps of
   x and y choose as those of f and g do, with the same matrix (u, v; q, r) times 2^-k, which is
   linear: at the end x is a number within a's bounds plus u and v times known constants.
   A row of the matrix has |u| + |v| <= 2^k, and u + v > -2^k: both hold at first, and each rule
   keeps them. So (u*a + v*b)/2^k is from -h to h - 1 where a and b are.
5. These u, v, q, r are new numbers from then on. The code's products, sums and shifts are read as
   polynomials, and z must be the product of the matrices.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from fieldc.proof.algebra.equations import (
    ONE,
    Polynomial,
    System,
    add_to,
    product,
    ratio,
    variable,
)
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.divsteps import (
    CASES,
    DivstepClaim,
    DivstepRule,
    DivstepState,
    Packing,
    rule_for,
)
from fieldc.proof.divsteps.aarch64 import run_aarch64
from fieldc.proof.divsteps.numbers import Extent, IntegerFacts, MatrixRow, WordReading
from fieldc.proof.divsteps.words import RADIX, WORD_BITS, WordCode
from fieldc.proof.divsteps.x86_64 import run_x86_64
from fieldc.proof.memory import KernelMemory

RUNS = 96
"""Runs that propose words: of these many every step takes each rule."""
MEMBERS = ("zeta", "f", "g")
RunCode = Callable[[KernelMemory, WordCode, bytes, str, int], None]
MACHINES: Mapping[str, RunCode] = {"x86_64": run_x86_64, "aarch64": run_aarch64}
Entries = tuple[tuple[Polynomial, Polynomial], tuple[Polynomial, Polynomial]]
ONES: Entries = (({ONE: 1}, {}), ({}, {ONE: 1}))


@dataclass(frozen=True)
class ProvedBlock:
    """The words of a block's proof, each by the offset of the instruction that makes it."""

    begin: tuple[int, ...]
    """x and y before its steps."""
    steps: tuple[tuple[int, ...], ...]
    """zeta, x and y after each."""
    sums: tuple[int, ...]
    """u*f + v*g and q*f + r*g for its matrix, where they are needed."""


@dataclass(frozen=True)
class ProvedDivsteps:
    """What a finished proof found."""

    stack: int
    """Bytes below the return address."""
    words: int
    """How many different words the code makes."""
    instructions: frozenset[str]
    """The names of the instructions that the code runs."""
    blocks: tuple[ProvedBlock, ...]


def prove_divsteps(
    code: bytes,
    claim: DivstepClaim,
    packing: Packing | None = None,
    convention: str = "sysv",
    start: int = 0,
    architecture: str = "x86_64",
) -> ProvedDivsteps:
    """Run the code from `start` and prove the claim. Raises ProofError."""
    if architecture not in MACHINES:
        raise ProofError(f"proofs of divsteps do not know {architecture}")
    words = WordCode()
    operands: dict[str, tuple[int, ...]] = {name: (words.operand(),) for name in claim.operands}
    memory = KernelMemory(System(WORD_BITS), operands, code, 5)
    MACHINES[architecture](memory, words, code, convention, start)
    z = [_stored(memory, words, index) for index in range(5)]
    proof = _DivstepProof(words, z, claim, packing or Packing())
    proof.check()
    names = frozenset(memory.executed)
    return ProvedDivsteps(memory.deepest, len(words.words), names, (*proof.blocks(start),))


def _stored(memory: KernelMemory, words: WordCode, index: int) -> int:
    if index not in memory.result:
        raise ProofError(f"frame: word {index} of z is never written")
    word = memory.result[index]
    if word.keys() <= {ONE}:
        return words.make("constant", number=int(word.get(ONE, 0)) % RADIX)
    (((number,), _),) = word.items()
    return number


@dataclass
class _DivstepProof:
    """One proof, as far as it has come."""

    words: WordCode
    z: Sequence[int]
    claim: DivstepClaim
    packing: Packing
    facts: IntegerFacts = field(default_factory=IntegerFacts)
    runs: list[tuple[DivstepState, list[int]]] = field(default_factory=list)
    holders: dict[tuple[int, ...], int] = field(default_factory=dict)
    """The first word that has these values in all runs."""
    done: int = 0
    """Steps that are proved."""
    found: list[list[list[int]]] = field(default_factory=list)
    """For each block the words of zeta, x and y before its steps and after each."""
    quotients: list[tuple[int, int]] = field(default_factory=list)
    """The numbers that f and g are after each block."""
    sums: Mapping[int, int] = field(default_factory=dict)
    """The word that is 2^steps times one of these, by its number."""

    def check(self) -> None:
        """Raise ProofError unless the claim holds."""
        self._run()
        most = self.claim.most
        ranges = ((1 - most, most - 1), (0, RADIX - 1), (0, RADIX - 1))
        numbers = [self.facts.new(*interval) for interval in ranges]
        zeta, f, g = numbers
        self.facts.odd[f] = True
        known = {place: variable(number) for place, number in enumerate(numbers)}
        reading = WordReading(self.words, self.facts, known)
        matrix, places, self.sums = ONES, [0], reading.sums
        for steps in self.packing.blocks:
            zeta, f, g, entries, places = self._block(reading, places[0], zeta, f, g, steps)
            matrix = _times(entries, matrix)
        if self.done != self.claim.steps:
            raise ProofError(f"function: {self.done} steps of {self.claim.steps} are proved")
        meant = (variable(zeta), *matrix[0], *matrix[1])
        for index, (place, number) in enumerate(zip(self.z, meant, strict=True)):
            if reading.number(place) != number or not self.facts.is_signed_word(number):
                raise ProofError(f"function: word {index} of z is not what is claimed")

    def blocks(self, start: int) -> Iterator[ProvedBlock]:
        """What a finished proof found. Raises ProofError where no instruction makes a word."""

        def at(places: Sequence[int]) -> tuple[int, ...]:
            if not self.words.written.keys() >= {*places}:
                raise ProofError("a word of a step is the result of no instruction")
            return tuple(self.words.written[place] - start for place in places)

        for (begin, *steps), quotients in zip(self.found, self.quotients, strict=True):
            sums = at([self.sums[number] for number in quotients if number in self.sums])
            yield ProvedBlock(at(begin[1:]), tuple(map(at, steps)), sums)

    def _run(self) -> None:
        """Runs on numbers, which must be right. Raises ProofError."""
        draw = random.Random(1)
        for _ in range(RUNS):
            state = DivstepState(
                draw.randrange(-4, 4), draw.getrandbits(WORD_BITS) | 1, draw.getrandbits(WORD_BITS)
            )
            given = (state.zeta, state.f, state.g)
            found = self.words.run({k: number % RADIX for k, number in enumerate(given)})
            for index, meant in enumerate(self.claim.result(*given)):
                if found[self.z[index]] != meant % RADIX:
                    text = ", ".join(f"{m} = {n:#x}" for m, n in zip(MEMBERS, given, strict=True))
                    raise ProofError(f"function: word {index} of z is wrong for {text}")
            self.runs.append((state, found))
        for place in range(len(self.words.words)):
            values = tuple(found[place] for _, found in self.runs)
            self.holders.setdefault(values, place)

    def _block(
        self, reading: WordReading, zeta_place: int, zeta: int, f: int, g: int, steps: int
    ) -> tuple[int, int, int, Entries, list[int]]:
        """A block's steps: zeta, f and g after them, and their matrix."""
        states = [self.packing.packed(state.after(self.done), steps) for state, _ in self.runs]
        places = self._places(states)
        if places[0] != zeta_place:
            raise ProofError(f"step {self.done + 1}: zeta moved after the last step")
        x = self._start(reading.number(places[1]), f, steps)
        y = self._start(reading.number(places[2]), g, steps)
        ranges = [self.facts.ranges[zeta], *map(self.facts.range_of, (x, y))]
        self.found.append([places])
        for _ in range(steps):
            states = [state.after(1) for state in states]
            later = self._places(states)
            ranges = self._step(places, later, ranges)
            places, self.done = later, self.done + 1
            self.found[-1].append(places)
        return *self._after(reading, places, ranges[0], (x, y), (f, g), steps), places

    def _places(self, states: Sequence[DivstepState]) -> list[int]:
        """The words that hold a state in all runs."""
        found = []
        for member in MEMBERS:
            values = tuple(getattr(state, member) % RADIX for state in states)
            if values not in self.holders:
                raise ProofError(f"step {self.done + 1}: no word holds {member}")
            found.append(self.holders[values])
        return found

    def _start(self, number: Polynomial, meant: int, steps: int) -> Polynomial:
        """x or y where a block begins. Raises ProofError unless it is of f or g as it must be."""
        (low, *others) = [m for m in number if m] or [ONE]
        raised = int(number.get(ONE, 0))
        fits = not others and len(low) == 1 and number[low] == 1 and not raised % (2 << steps)
        if not fits or self.facts.bits_shared(low[0], meant) < steps:
            raise ProofError(f"step {self.done + 1}: a block does not begin with the low bits")
        return number

    def _step(
        self, places: Sequence[int], later: Sequence[int], ranges: Sequence[Extent]
    ) -> list[Extent]:
        """One step in all cases: the ranges after it. Raises ProofError."""
        facts = IntegerFacts(list(ranges), {1: True})
        after: list[list[Extent]] = [[], [], []]
        for is_positive, is_odd in CASES:
            low, high = ranges[0]
            interval = (low, min(high, -1)) if is_positive else (max(low, 0), high)
            if interval[0] > interval[1]:
                continue
            case = facts.where({0: interval}, {2: is_odd})
            said = f"delta {'> 0' if is_positive else '< 0'}, g {'odd' if is_odd else 'even'}"
            rule = rule_for(is_positive, is_odd)
            known = {place: variable(k) for k, place in enumerate(places)}
            reading = WordReading(self.words, case, known)
            for k, meant in enumerate(_ruled(rule)):
                self._is(reading, later[k], meant, f"step {self.done + 1}, {said}: {MEMBERS[k]}")
                after[k].append(case.range_of(meant))
        return [(min(low for low, _ in one), max(high for _, high in one)) for one in after]

    def _is(self, reading: WordReading, place: int, meant: Polynomial, said: str) -> None:
        try:
            found = reading.number(place)
        except ProofError as error:
            raise ProofError(f"{said}: {error}") from None
        if found != meant or not reading.facts.is_signed_word(meant):
            raise ProofError(f"{said} is not what the rule says")

    def _after(
        self,
        reading: WordReading,
        places: Sequence[int],
        zetas: Extent,
        packed: Sequence[Polynomial],
        meant: tuple[int, int],
        steps: int,
    ) -> tuple[int, int, int, Entries]:
        """New numbers where a block ends, and what the words of x and y are then."""
        facts, most = self.facts, 1 << steps
        lows = [next(m for m in number if m)[0] for number in packed]
        half = max(max(-facts.ranges[n][0], facts.ranges[n][1] + 1) for n in lows)
        raised = [int(number.get(ONE, 0)) >> steps for number in packed]
        zeta = facts.new(*zetas)
        f, g = (facts.new(-2 * RADIX, 2 * RADIX) for _ in range(2))
        facts.odd[f] = True
        self.quotients.append((f, g))
        reading.known[places[0]] = variable(zeta)
        rows = []
        for place, quotient in zip(places[1:], (f, g), strict=True):
            low = facts.new(-half, half - 1)
            u, v = (facts.new(-most, most) for _ in range(2))
            facts.rows[u, v] = MatrixRow(steps, *meant, quotient)
            number = variable(low)
            for entry, factor in zip((u, v), raised, strict=True):
                add_to(number, variable(entry), factor)
            reading.known[place] = number
            rows.append((variable(u), variable(v)))
        return zeta, f, g, (rows[0], rows[1])


def _ruled(rule: DivstepRule) -> Iterator[Polynomial]:
    """zeta, f and g after a step, in numbers 0, 1 and 2 before it."""
    zeta: Polynomial = variable(0, rule.zeta[0])
    add_to(zeta, {ONE: rule.zeta[1]})
    yield zeta
    for pair, divisor in ((rule.f, 1), (rule.doubled_g, 2)):
        number: Polynomial = {}
        for k, factor in enumerate(pair):
            add_to(number, variable(k + 1), ratio(factor, divisor))
        yield number


def _times(a: Entries, b: Entries) -> Entries:
    """The product of two matrices."""

    def entry(row: int, column: int) -> Polynomial:
        total = product(a[row][0], b[0][column])
        add_to(total, product(a[row][1], b[1][column]))
        return total

    return (entry(0, 0), entry(0, 1)), (entry(1, 0), entry(1, 1))
