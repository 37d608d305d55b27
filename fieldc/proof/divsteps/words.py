"""What straight-line code does with words, as a list: each word is made of older ones.

It has no meaning of its own but that on numbers. Instruction sets write it, and the proof reads it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

WORD_BITS = 64
RADIX = 1 << WORD_BITS


def signed_word(word: int) -> int:
    """The number that a word is with a sign."""
    return (word + RADIX // 2) % RADIX - RADIX // 2


@dataclass(frozen=True)
class MadeWord:
    """A word, or a flag, which is 0 or 1: what it is made of, and a constant of the operation."""

    operation: str
    of: tuple[int, ...] = ()
    number: int = 0


OnNumbers = Callable[[Sequence[int], int], int]
OPERATIONS: dict[str, OnNumbers] = {
    "constant": lambda v, k: k,
    "add": lambda v, k: v[0] + v[1],
    "sub": lambda v, k: v[0] - v[1],
    "mul": lambda v, k: v[0] * v[1],
    "and": lambda v, k: v[0] & v[1],
    "shl": lambda v, k: v[0] << k,
    "shr": lambda v, k: v[0] >> k,
    "sar": lambda v, k: signed_word(v[0]) >> k,
    "is_zero": lambda v, k: int(v[0] == 0),
    "is_negative": lambda v, k: v[0] >> WORD_BITS - 1,
    "is_below": lambda v, k: int(v[0] < v[1]),
    "choose": lambda v, k: v[1] if v[0] else v[2],
}
"""Each modulo 2^64. `choose` is the second if the first is 1, else the third."""


@dataclass
class WordCode:
    """All words that code makes, in its order; equal ones are one."""

    words: list[MadeWord] = field(default_factory=list)
    written: dict[int, int] = field(default_factory=dict)
    """The address of the first instruction whose result is a word, by the word's place."""
    _places: dict[MadeWord, int] = field(default_factory=dict)

    def operand(self) -> int:
        """A word of which nothing is known."""
        self.words.append(MadeWord("operand", (), len(self.words)))
        return len(self.words) - 1

    def make(self, operation: str, *of: int, number: int = 0) -> int:
        """The place of a word in the list."""
        word = MadeWord(operation, of, number)
        if word not in self._places:
            self._places[word] = len(self.words)
            self.words.append(word)
        return self._places[word]

    def run(self, operands: Mapping[int, int]) -> list[int]:
        """All words where the operands are numbers."""
        found: list[int] = []
        for place, word in enumerate(self.words):
            if word.operation == "operand":
                found.append(operands[place])
            else:
                given = [found[other] for other in word.of]
                found.append(OPERATIONS[word.operation](given, word.number) % RADIX)
        return found
