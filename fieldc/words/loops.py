"""From exact integers to loops over limbs: a kernel as statements on arrays, rows rolled up.

Where `lower` makes words and flags of an expression, this keeps its rows: a number lies in an array
from some limb on, a row of products is one statement, and dividing by the radix moves the place
where the number begins. Statements that repeat become turns of a loop (`roll`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from fieldc.errors import UserError
from fieldc.field import Field
from fieldc.language import Expression, Integer
from fieldc.words.lower import FIELD_CONSTANTS, uses_of
from fieldc.words.roll import extents, roll
from fieldc.words.statements import (
    DIFFERENCE,
    QUOTIENT,
    ROW,
    TOTAL,
    AddProduct,
    AddRow,
    Clear,
    Index,
    KeepIfLess,
    Load,
    LoopProgram,
    LoopStatement,
    Quotient,
    Subtract,
)


class NoLoops(UserError):
    """The kernel is not a sequence of rows. The message is one line for the user."""


def loops(expression: Expression) -> LoopProgram:
    """Return the looped form of an expression. Raises NoLoops if it is not made of rows."""
    f, kernel = expression.field, expression.kernel
    reader = _Reader(f, f"{kernel.operation} ({kernel.algorithm})", uses_of(expression.result))
    if len(expression.values) > 1:
        raise reader.refuse("for it has several results")
    at = reader.into(TOTAL, expression.result)
    body = roll(reader.statements)
    arrays = extents(body)
    arrays[TOTAL] = max(arrays.get(TOTAL, 0), at + f.n)
    operands = tuple((name, bound.width(f)) for name, bound in kernel.operands)
    return LoopProgram(
        kernel.operation,
        f.word,
        operands,
        reader.constants,
        reader.words,
        arrays,
        body,
        at,
        f.n,
    )


def has_loops(expression: Expression) -> bool:
    """Whether a kernel has a looped form."""
    try:
        loops(expression)
    except NoLoops:
        return False
    return True


LimbSlice = tuple[str, int, int]
"""Some limbs of an operand or constant: its name, the first limb, how many."""


@dataclass
class _Reader:
    f: Field
    what: str
    uses: Counter[int]
    statements: list[LoopStatement] = field(default_factory=list)
    constants: dict[str, tuple[int, ...]] = field(default_factory=dict)
    words: dict[str, int] = field(default_factory=dict)
    _held: dict[str, tuple[Integer, int]] = field(default_factory=dict)
    _written: dict[str, int] = field(default_factory=dict)
    """A bit for each limb of an array that may not be 0."""
    _quotient: Integer | None = None

    def refuse(self, why: str) -> NoLoops:
        """The error for an expression that no statement computes."""
        return NoLoops(f"{self.what} has no looped form, {why}: use the target rust")

    def size(self, node: Integer) -> int:
        """Return how many limbs hold every value of a node."""
        return -(-max(node.high, -node.low).bit_length() // self.f.word)

    def limbs_of(self, node: Integer) -> int:
        """A shift or modulus in limbs."""
        return node.amount // self.f.word

    def into(self, total: str, node: Integer, at: int = 0) -> int:
        """Make an array hold a node, from limb `at` on where it begins anew; where it is then."""
        held = self._held.get(total)
        if held is not None and held[0] is node:
            return held[1]
        row = self.slice_of(node)
        if row is not None:
            self._begin(total)
            self._load(total, at, row)
        elif node.op in _READERS:
            at = _READERS[node.op](self, total, node, at)
        else:
            raise self.refuse(f"for {node.op} of a sum is not a row")
        self._held[total] = node, at
        return at

    def _begin(self, total: str) -> None:
        if self._held.get(total) is not None:
            raise self.refuse("for it keeps two sums at a time")

    def _load(self, total: str, at: int, row: LimbSlice) -> None:
        name, start, count = row
        self.statements.append(Load(total, Index(at), name, Index(start), Index(count)))
        self._write(total, at, count)

    def _write(self, total: str, at: int, count: int) -> None:
        self._written[total] = self._written.get(total, 0) | ((1 << count) - 1) << at

    def slice_of(self, node: Integer) -> LimbSlice | None:
        """The limbs that a node is, if it is limbs of an operand or a constant."""
        if node.op == "input":
            return node.name, node.amount, self.size(node)
        if node.op == "constant" and node.high > 0:
            return self._constant(node.high)
        below = self.slice_of(node.args[0]) if node.op in ("shift_right", "mod") else None
        if below is None:
            return None
        dropped = self.limbs_of(node) if node.op == "shift_right" else 0
        return below[0], below[1] + dropped, self.size(node)

    def _constant(self, value: int) -> LimbSlice:
        """A field's constant or one of its limbs; another number has a name of its own."""
        f = self.f
        named = {name: tuple(f.limbs(getattr(f, name))) for name in FIELD_CONSTANTS}
        limbs = tuple(f.limbs(value, -(-value.bit_length() // f.word)))
        for name, known in named.items():
            if limbs == known[: len(limbs)] and not any(known[len(limbs) :]):
                self.constants[name.upper()] = known
                return name.upper(), 0, len(limbs)
        if value in named["R2"]:
            self.constants["R2"] = named["R2"]
            return "R2", named["R2"].index(value), 1
        name = f"C{value:X}"
        self.constants[name] = limbs
        return name, 0, len(limbs)

    def word_of(self, node: Integer) -> tuple[str, int]:
        """A factor of one limb: an array and an index, or the quotient."""
        limb = self.slice_of(node)
        if limb is not None and limb[2] == 1:
            return limb[:2]
        complemented = node.op == "sub" and node.args[0].is_constant(self.f.base - 1)
        lowest = node.args[1] if complemented else node
        if lowest.op != "mod" or self.limbs_of(lowest) != 1:
            raise self.refuse("for a factor is more than a limb")
        if self._quotient is not node and complemented:
            at = self._limb_in_total(lowest.args[0])
            self.statements.append(Quotient(TOTAL, Index(at), "", complemented))
            self._quotient = node
        elif self._quotient is not node:
            factor, times = node.args[0], ""
            if factor.op == "mul" and self.uses[id(factor)] == 1:
                # A product that nothing else reads: what n0 is multiplied by lies in TOTAL.
                if factor.args[1].op != "constant":
                    raise self.refuse("for a quotient is a product of sums")
                times = self._word(factor.args[1].high)
                factor = factor.args[0]
            at = self._limb_in_total(factor)
            self.statements.append(Quotient(TOTAL, Index(at), times))
            self._quotient = node
        return QUOTIENT, 0

    def _word(self, value: int) -> str:
        name = "N0" if value == self.f.n0 else f"K{value:X}"
        self.words[name] = value
        return name

    def _limb_in_total(self, node: Integer) -> int:
        """Where the lowest limb of a node lies: it is TOTAL, or what begins some limbs above it."""
        above = 0
        while not self._is_at_hand(node) and node.op in ("shift_right", "mod"):
            above += self.limbs_of(node) if node.op == "shift_right" else 0
            node = node.args[0]
        return self.into(TOTAL, node) + above

    def _is_at_hand(self, node: Integer) -> bool:
        held = self._held.get(TOTAL)
        return self.slice_of(node) is not None or (held is not None and held[0] is node)

    def add_product(
        self, total: str, node: Integer, product: Integer, before: Integer | None, at: int
    ) -> int:
        """total = before + product, both parts of `node`; where it begins."""
        offset = 0
        if product.op == "shift_left":
            offset, product = self.limbs_of(product), product.args[0]
        row, multiplier = product.args
        if self.size(multiplier) > 1 or (self.size(row) == 1 and multiplier.op == "constant"):
            row, multiplier = multiplier, row
        for i, (factor, index) in enumerate(self._factors(multiplier)):
            if i == 0:
                quotient = self._quotient
                at = self._start(total, before, at)
                name, start, count = self._row(row)
                if factor == QUOTIENT and self._quotient is not quotient:
                    raise self.refuse("for it keeps two quotients at a time")
            place = at + offset + i
            above = max(0, at + self.size(node) - place - count)
            if before is None:
                above = min(above, 1)
            self.statements.append(
                AddProduct(
                    total,
                    Index(place),
                    name,
                    Index(start),
                    Index(count),
                    factor,
                    Index(index),
                    Index(above),
                )
            )
            self._write(total, place, count + above)
        return at

    def _factors(self, multiplier: Integer) -> list[tuple[str, int]]:
        limbs = self.slice_of(multiplier)
        if limbs is None:
            return [self.word_of(multiplier)]
        return [(limbs[0], limbs[1] + i) for i in range(limbs[2])]

    def _start(self, total: str, before: Integer | None, at: int) -> int:
        if before is not None:
            return self.into(total, before, at)
        self._begin(total)
        return at

    def _row(self, row: Integer) -> LimbSlice:
        """The limbs of a row: of an operand, a constant, or of an array that it is computed in."""
        found = self.slice_of(row)
        if found is None:
            self.statements.append(Clear(ROW))
            self._held.pop(ROW, None)
            self._written[ROW] = 0
            found = ROW, self.into(ROW, row), self.size(row)
        return found

    def add_row(
        self, total: str, node: Integer, row: LimbSlice, before: Integer, at: int, masked: bool
    ) -> int:
        """total = before + row."""
        at = self.into(total, before, at)
        name, start, count = row
        if not masked and not self._written[total] >> at & ((1 << count) - 1):
            self._load(total, at, row)
            return at
        above = max(0, self.size(node) - count)
        if masked and self.size(before) != count + above:
            raise self.refuse("for its mask is not as wide as the difference")
        self.statements.append(
            AddRow(total, Index(at), name, Index(start), Index(count), Index(above), masked)
        )
        self._write(total, at, count + above)
        return at

    def subtract(self, result: str, total: str, node: Integer, at: int) -> int:
        """result = total - row, for a node that is such a difference; its limbs."""
        row = self.slice_of(node.args[1])
        if row is None:
            raise self.refuse("for it subtracts a sum")
        name, start, count = row
        size = max(self.size(arg) for arg in node.args)
        result_at = at if result == total else 0
        self.statements.append(
            Subtract(
                result,
                Index(result_at),
                total,
                Index(at),
                name,
                Index(start),
                Index(count),
                Index(size - count),
            )
        )
        self._write(result, result_at, size)
        return size


def _zero(reader: _Reader, total: str, node: Integer, at: int) -> int:
    reader._begin(total)
    if node.high:
        raise reader.refuse("for it begins with a negative number")
    reader._write(total, at, 0)
    return at


def _add(reader: _Reader, total: str, node: Integer, at: int) -> int:
    for before, addend in (node.args, node.args[::-1]):
        product = addend.args[0] if addend.op == "shift_left" else addend
        if product.op == "mul":
            return reader.add_product(total, node, addend, before, at)
    for before, addend in (node.args, node.args[::-1]):
        masked = addend.condition is not None and addend.condition.difference is before
        row = reader.slice_of(addend.args[0] if masked else addend)
        if row is not None and addend.op != "select":
            return reader.add_row(total, node, row, before, at, masked)
    before, addend = node.args
    if addend.op == "add":
        return reader.into(total, before + addend.args[0] + addend.args[1], at)
    raise reader.refuse("for it adds two sums")


def _mul(reader: _Reader, total: str, node: Integer, at: int) -> int:
    return reader.add_product(total, node, node, None, at)


def _double(reader: _Reader, total: str, node: Integer, at: int) -> int:
    at = reader.into(total, node.args[0], at)
    row = total, at, reader.size(node.args[0])
    return reader.add_row(total, node, row, node.args[0], at, False)


def _shift_right(reader: _Reader, total: str, node: Integer, at: int) -> int:
    return reader.into(total, node.args[0], at) + reader.limbs_of(node)


def _shift_left(reader: _Reader, total: str, node: Integer, at: int) -> int:
    limbs = reader.limbs_of(node)
    below = reader.into(total, node.args[0], at + limbs) - limbs
    if below < 0:
        raise reader.refuse("for it makes room below a sum")
    return below


def _sub(reader: _Reader, total: str, node: Integer, at: int) -> int:
    at = reader.into(total, node.args[0], at)
    reader.subtract(total, total, node, at)
    return at


def _select(reader: _Reader, total: str, node: Integer, at: int) -> int:
    """The number before a subtraction where it borrows, else the difference."""
    before, difference = node.args
    of = None if node.condition is None else node.condition.difference
    if of is not difference or difference.op != "sub" or difference.args[0] is not before:
        raise reader.refuse("for it chooses between two sums")
    at = reader.into(total, before, at)
    size = reader.subtract(DIFFERENCE, total, difference, at)
    reader.statements.append(KeepIfLess(total, Index(at), DIFFERENCE, Index(size)))
    return at


_READERS: dict[str, Callable[[_Reader, str, Integer, int], int]] = {
    "constant": _zero,
    "add": _add,
    "mul": _mul,
    "double": _double,
    "shift_right": _shift_right,
    "shift_left": _shift_left,
    "sub": _sub,
    "select": _select,
}
"""What puts an expression into an array; those that are missing are rows or single limbs."""
