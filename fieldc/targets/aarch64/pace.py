"""An order of instructions by a rough clock: products as fast as the multiplier takes them.

A list schedule. A carry chain stays in one piece, since there is one flag; chains and products
move freely around each other. It fills the multiplier while long sums wait: in kernels of many
hundred instructions a core's window is too small for that.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from fieldc.targets.aarch64.virtual import ArmCode

CONTINUES = {"adcs", "sbcs", "adc", "sbc", "cset", "csetm", "csel"}
"""What reads the flag, and therefore stays behind what made it."""
SHORT = {"umull", "umaddl"}
"""Products of half words."""
PRODUCTS = {"mul", "umulh", "madd", "msub", *SHORT}
UNCOUNTED = ("ld", "st", "adr", "mov")
"""What takes no place of the adders."""
SHORT_LATENCY = 2
LOADED = 4
"""Cycles from an address to its value."""


@dataclass(frozen=True)
class Pace:
    """A rough core: cycles for each product, sums in a cycle, and the latency of a product.

    Where `live` words wait already, what frees registers goes first.
    """

    product: float
    sums: float
    latency: int
    live: int


@dataclass(frozen=True)
class Chunk:
    """An instruction, or a carry chain, that is not divided."""

    number: int
    code: tuple[ArmCode, ...]

    @cached_property
    def name(self) -> str:
        """The mnemonic of the first instruction."""
        return self.code[0].text.split()[0]

    @property
    def is_product(self) -> bool:
        """Whether the multiplier makes it."""
        return self.name in PRODUCTS

    @cached_property
    def reads(self) -> Counter[int]:
        """How often each register is read."""
        return Counter(register for one in self.code for register in one.reads)

    @cached_property
    def writes(self) -> frozenset[int]:
        """The registers that it makes."""
        return frozenset(register for one in self.code for register in one.writes)

    def latency(self, pace: Pace) -> int:
        """Cycles from one instruction's start to its result."""
        if self.name in SHORT:
            return SHORT_LATENCY
        return pace.latency if self.is_product else LOADED if self.name.startswith("ld") else 1


def paced(code: Sequence[ArmCode], pace: Pace) -> list[ArmCode]:
    """The code in the order in which the rough core would start it.

    It stays as it is where a chain waits for what is made of its own words.
    """
    found = [one for piece in Pacing(list(pieces_of(code)), pace).order() for one in piece.code]
    return found if len(found) == len(code) else list(code)


def pieces_of(code: Sequence[ArmCode]) -> Iterator[Chunk]:
    """Each carry chain as a whole, each other instruction alone."""
    groups: list[list[ArmCode]] = []
    chain: list[ArmCode] | None = None
    for one in code:
        if one.pinned and chain is not None and one.text.split()[0] in CONTINUES:
            chain.append(one)
            continue
        groups.append([one])
        if one.pinned and not one.text.startswith("st"):
            chain = groups[-1]
    for number, group in enumerate(groups):
        yield Chunk(number, tuple(group))


@dataclass
class Pacing:
    """The clock, and what has started."""

    pieces: list[Chunk]
    pace: Pace
    multiplier: float = 0.0
    adders: float = 0.0
    """When each is free."""
    ready_at: dict[int, float] = field(default_factory=dict)
    """When each register is there."""
    live: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.uses = sum((piece.reads for piece in self.pieces), Counter[int]())
        makers = {r: piece.number for piece in self.pieces for r in piece.writes}
        loads = {p.number for p in self.pieces if p.name.startswith("ld")}
        self.needs = [
            {makers[r] for r in piece.reads if makers.get(r, piece.number) != piece.number}
            | (loads if piece.name.startswith("st") else set())  # z may lie on an operand
            for piece in self.pieces
        ]
        self.users: dict[int, list[int]] = defaultdict(list)
        for number, needed in enumerate(self.needs):
            for each in needed:
                self.users[each].append(number)
        self.waits = [len(needed) for needed in self.needs]
        self.height = self._heights()

    def _heights(self) -> Counter[int]:
        """Of each piece the cycles from its start to the end of all that waits for it."""
        left, height = [len(self.users[p.number]) for p in self.pieces], Counter[int]()
        ends = [p.number for p in self.pieces if not left[p.number]]
        while ends:
            number = ends.pop()
            piece = self.pieces[number]
            own = max(piece.latency(self.pace), len(piece.code))
            height[number] = own + max((height[u] for u in self.users[number]), default=0)
            for each in self.needs[number]:
                left[each] -= 1
                if not left[each]:
                    ends.append(each)
        return height

    def order(self) -> Iterator[Chunk]:
        """Start one piece after the other."""
        ready = {p.number for p in self.pieces if not self.waits[p.number]}
        while ready:
            number = min(ready, key=self._place)
            ready.remove(number)
            self._start(self.pieces[number])
            yield self.pieces[number]
            for user in self.users[number]:
                self.waits[user] -= 1
                if not self.waits[user]:
                    ready.add(user)

    def _place(self, number: int) -> tuple[bool, float, int, int]:
        """The first to start; of several the one that most waits for."""
        piece = self.pieces[number]
        fills = len(self.live) >= self.pace.live and self._more_live(piece) > 0
        return fills, self._begin(piece), -self.height[number], number

    def _more_live(self, piece: Chunk) -> int:
        """How many words more wait after a piece than before it."""
        made = sum(piece.reads[r] < self.uses[r] for r in piece.writes)
        return made - sum(n == self.uses[r] for r, n in piece.reads.items() if r in self.live)

    def _begin(self, piece: Chunk) -> float:
        """When a piece can start: a chain needs its later operands later."""
        begin = 0.0
        for place, one in enumerate(piece.code):
            for register in one.reads:
                begin = max(begin, self.ready_at.get(register, 0.0) - place)
        if piece.is_product:
            return max(begin, self.multiplier)
        return begin if piece.name.startswith(UNCOUNTED) else max(begin, self.adders)

    def _start(self, piece: Chunk) -> None:
        begin = self._begin(piece)
        if piece.is_product:
            self.multiplier = begin + (1 if piece.name in SHORT else self.pace.product)
        elif not piece.name.startswith(UNCOUNTED):
            self.adders = begin + len(piece.code) / self.pace.sums
        latency = piece.latency(self.pace)
        for place, one in enumerate(piece.code):
            self.ready_at.update(dict.fromkeys(one.writes, begin + place + latency))
        self.uses.subtract(piece.reads)
        self.live.difference_update(r for r in piece.reads if self.uses[r] <= 0)
        self.live.update(r for r in piece.writes if self.uses[r] > 0)
