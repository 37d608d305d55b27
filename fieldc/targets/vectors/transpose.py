"""Between elements side by side in memory and lanes: permutations of the words of n vectors.

Eight elements of n limbs fill n vectors. Lane vector i holds limb i of each element; which lane an
element has is free, as long as all operands and the result agree. With u = gcd(n, 8) a vector
holds 8/u units of u words, and the eight elements are u sets, each in n/u vectors. Blends collect
unit k of a set's elements in one vector: no two of them have the same place. Then u such vectors,
one from each set, are transposed by halves. For n = 4 this takes 8 permutations, for n = 6 it takes
12 blends and 6 permutations.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from math import gcd

LANES = 8
ElementLimb = tuple[int, int]
"""An element's number among eight, and a limb of it."""


@dataclass(frozen=True)
class Permutation:
    """A vector made of one or two older ones: word j is number `index[j]` of their words."""

    result: int
    sources: tuple[int, ...]
    index: tuple[int, ...]

    @property
    def mask(self) -> int | None:
        """Which places the second source fills, where every word stays in its place."""
        stay = all(at % LANES == place for place, at in enumerate(self.index))
        if not stay or len(self.sources) < 2:
            return None
        return sum((at >= LANES) << place for place, at in enumerate(self.index))


@dataclass(frozen=True)
class Network:
    """Moves from n vectors, numbered from 0, to n others."""

    moves: tuple[Permutation, ...]
    results: tuple[int, ...]

    def run(self, vectors: Sequence[Sequence[int]]) -> list[list[int]]:
        """What the moves make of words."""
        known = {number: list(vector) for number, vector in enumerate(vectors)}
        for move in self.moves:
            words = [word for source in move.sources for word in known[source]]
            known[move.result] = [words[at] for at in move.index]
        return [known[number] for number in self.results]


@dataclass
class _Vectors:
    """Vectors by what their words are."""

    words: list[tuple[ElementLimb, ...]]
    moves: list[Permutation] = field(default_factory=list)

    def make(self, wanted: Sequence[ElementLimb], *sources: int) -> int:
        """A vector of words that the sources have; a source itself where it is that one."""
        for source in sources:
            if self.words[source] == tuple(wanted):
                return source
        places = {
            word: LANES * number + place
            for number, source in enumerate(sources)
            for place, word in enumerate(self.words[source])
        }
        index = tuple(places[word] for word in wanted)
        self.words.append(tuple(wanted))
        self.moves.append(Permutation(len(self.words) - 1, sources, index))
        return len(self.words) - 1

    def collect(self, wanted: Sequence[ElementLimb], sources: Iterable[int]) -> int:
        """A vector whose words keep their places, blended from sources."""
        first, *rest = sources
        for source in rest:
            held = self.words[first]
            mixed = [
                wanted[at] if self.words[source][at] == wanted[at] else held[at]
                for at in range(LANES)
            ]
            first = self.make(mixed, first, source)
        return first

    def network(self, results: Sequence[int]) -> Network:
        return Network(tuple(self.moves), tuple(results))


@dataclass(frozen=True)
class _Shape:
    """How eight elements of n limbs lie in vectors; if ordered, a lane has its number's element."""

    n: int
    ordered: bool = False

    @property
    def unit(self) -> int:
        """Words that stay together: gcd(n, 8). As many sets of elements are there."""
        return gcd(self.n, LANES)

    def memory(self) -> list[tuple[ElementLimb, ...]]:
        """The words of each vector as they lie in memory."""
        words = [(e, i) for e in range(LANES) for i in range(self.n)]
        return [tuple(words[LANES * v : LANES * (v + 1)]) for v in range(self.n)]

    def collected(self, group: int, unit: int) -> list[ElementLimb]:
        """One unit of each element of a set, at the places that they have in memory."""
        found: list[ElementLimb] = [(0, 0)] * LANES
        members = LANES // self.unit
        for element in range(group * members, (group + 1) * members):
            for word in range(self.unit):
                limb = unit * self.unit + word
                found[(self.n * element + limb) % LANES] = element, limb
        return found

    def holders(self, group: int) -> range:
        """The vectors of a set."""
        size = self.n // self.unit
        return range(group * size, (group + 1) * size)

    def lanes(self) -> list[int]:
        """The element of each lane: first units where they lie, the sets in turn."""
        if self.ordered:
            return list(range(LANES))
        first = [self.collected(group, 0) for group in range(self.unit)]
        slots = range(0, LANES, self.unit)
        return [first[group][slot][0] for slot in slots for group in range(self.unit)]

    def halved(self, unit: int, stage: int) -> list[list[ElementLimb]]:
        """The vectors of a stage: 2^stage sets together, each word of u / 2^stage limbs."""
        if 1 << stage == self.unit:
            lanes = self.lanes()
            return [[(e, unit * self.unit + i) for e in lanes] for i in range(self.unit)]
        together, few = 1 << stage, self.unit >> stage
        found = []
        for first in range(0, self.unit, together):
            for low in range(0, self.unit, few):
                groups = [self.collected(g, unit) for g in range(first, first + together)]
                found.append(
                    [
                        group[slot + low + word]
                        for slot in range(0, LANES, self.unit)
                        for group in groups
                        for word in range(few)
                    ]
                )
        return found


@lru_cache(maxsize=32)
def to_lanes(n: int, ordered: bool = False) -> Network:
    """From n vectors in memory to limb 0, 1, ... of eight elements, in their order if asked."""
    shape = _Shape(n, ordered)
    vectors = _Vectors(shape.memory())
    results = []
    for unit in range(n // shape.unit):
        held = [
            _blended(vectors, shape.collected(g, unit), shape.holders(g)) for g in range(shape.unit)
        ]
        results += _transposed(vectors, held, [shape.halved(unit, s) for s in _stages(shape)])
    return vectors.network(results)


@lru_cache(maxsize=32)
def from_lanes(n: int, ordered: bool = False) -> Network:
    """From limb 0, 1, ... of eight elements to n vectors in memory: to_lanes undone."""
    shape = _Shape(n, ordered)
    units = range(n // shape.unit)
    lanes = [tuple(words) for u in units for words in shape.halved(u, shape.unit.bit_length() - 1)]
    vectors = _Vectors(lanes)
    held: list[list[int]] = [[] for _ in range(shape.unit)]
    for unit in units:
        stages = [shape.halved(unit, s) for s in reversed(_stages(shape)[:-1])]
        start = range(shape.unit * unit, shape.unit * (unit + 1))
        stages.append([shape.collected(g, unit) for g in range(shape.unit)])
        for group, vector in enumerate(_transposed(vectors, list(start), stages)):
            held[group].append(vector)
    memory = shape.memory()
    results = [
        _blended(vectors, memory[v], held[g]) for g in range(shape.unit) for v in shape.holders(g)
    ]
    return vectors.network(results)


def _stages(shape: _Shape) -> list[int]:
    return list(range(1, shape.unit.bit_length())) or [0]


def _blended(vectors: _Vectors, wanted: Sequence[ElementLimb], sources: Sequence[int]) -> int:
    needed = [
        s for s in sources if any(w == v for w, v in zip(wanted, vectors.words[s], strict=True))
    ]
    return vectors.collect(wanted, needed)


def _transposed(
    vectors: _Vectors, held: list[int], stages: list[list[list[ElementLimb]]]
) -> list[int]:
    """Each stage's vectors from two of the stage before; one is enough where there is one."""
    for wanted in stages:
        held = [vectors.make(words, *_holding(vectors, words, held)) for words in wanted]
    return held


def _holding(vectors: _Vectors, words: Sequence[ElementLimb], held: Sequence[int]) -> list[int]:
    return [vector for vector in held if not {*words}.isdisjoint(vectors.words[vector])]
