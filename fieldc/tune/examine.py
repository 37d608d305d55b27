"""Candidates are checked against Python's integers before they are timed."""

from __future__ import annotations

import ctypes
import random

from fieldc.language import Expression
from fieldc.machine.check import agrees, vectors

QUICK = 12
"""Calls that a candidate must get right before its first duel, of all vectors in random order."""


class Examination:
    """Edge values and random ones with the results that Python gives, as words in memory."""

    def __init__(self, expression: Expression, seed: int) -> None:
        f, meaning = expression.field, expression.kernel.meaning
        every = list(vectors(expression, seed))
        random.Random(seed).shuffle(every)
        self._expression = expression
        self._size = expression.kernel.result.width(f) * f.word // 8
        widths = [bound.width(f) * f.word // 8 for _, bound in expression.kernel.operands]
        self._inputs = [
            ctypes.create_string_buffer(
                b"".join(o[i].to_bytes(width, "little") for o in every), width * len(every)
            )
            for i, width in enumerate(widths)
        ]
        self._wanted = b"".join(meaning(f, *o).to_bytes(self._size, "little") for o in every)
        self._results = ctypes.create_string_buffer(len(self._wanted))
        places = [(self._results, self._size), *zip(self._inputs, widths, strict=True)]
        self._calls = [
            tuple(ctypes.addressof(buffer) + size * i for buffer, size in places)
            for i in range(len(every))
        ]
        self._kind = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * len(places))

    def right(self, address: int, calls: int = QUICK) -> bool:
        """Whether the code at an address computes these many results; 0 for all there are."""
        chosen = self._calls[: calls or None]
        size = self._size * len(chosen)
        ctypes.memset(self._results, 0x5C, size)
        function = self._kind(address)
        for call in chosen:
            function(*call)
        found = ctypes.string_at(self._results, size)
        return found == self._wanted[:size] or self._agrees(found)

    def _agrees(self, found: bytes) -> bool:
        """Whether results that are not Python's are as good: of those below 2p there are two."""
        contract, f = self._expression.kernel.result, self._expression.field
        if contract.high(f) < f.p:
            return False
        places = (slice(at, at + self._size) for at in range(0, len(found), self._size))
        pairs = ((found[place], self._wanted[place]) for place in places)
        return all(
            agrees(self._expression, *(int.from_bytes(data, "little") for data in pair))
            for pair in pairs
        )
