"""Prints a kernel's looped form as Rust: safe, with a loop over limbs for each row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from fieldc.language import Expression
from fieldc.targets.rust.comments import rust_doc
from fieldc.targets.rust.flat import RustFunction, rust_helpers
from fieldc.targets.source import check_word, contract
from fieldc.words.loops import loops
from fieldc.words.statements import (
    DIFFERENCE,
    QUOTIENT,
    TOTAL,
    AddProduct,
    AddRow,
    Clear,
    Index,
    KeepIfLess,
    Load,
    Loop,
    LoopProgram,
    LoopStatement,
    Quotient,
    Subtract,
)

INDENT = "    "
WIDTH = 85
"""Of what stands between brackets, in a function in a module, so that rustfmt leaves it alone."""
NOTHING = Index(0)


@dataclass
class LoopedBody:
    """The lines of one function while it is printed."""

    program: LoopProgram
    lines: list[str] = field(default_factory=list)
    helpers: set[str] = field(default_factory=set)
    depth: int = 0

    @property
    def word(self) -> str:
        """The word's type."""
        return f"u{self.program.word}"

    def put(self, *lines: str) -> None:
        """Add lines at the present depth."""
        self.lines += (INDENT * self.depth + line for line in lines)

    def part(self, part: LoopStatement | Loop) -> None:
        """Add a statement, or a loop of them."""
        if isinstance(part, Loop):
            grows = any(place.step for s in part.body for place in s.places().values())
            self.put(f"for {'i' if grows else '_'} in 0..{part.turns} {{")
            self.depth += 1
            for statement in part.body:
                self.part(statement)
            self.depth -= 1
            self.put("}")
        else:
            FORMS[type(part)](self, part)

    def each(self, first: Index, count: Index, line: Callable[[Index | None], str]) -> None:
        """A line for `count` limbs: in a loop over j, or for one limb above others without it.

        `line` gets the number of the limb, or None where it is j.
        """
        if count == Index(1) and first != NOTHING:
            self.put(line(first))
        elif count != NOTHING:
            self.put(f"for j in {number(first)}..{number(add(first, count))} {{")
            self.put(INDENT + line(None))
            self.put("}")

    def call(self, helper: str, *arguments: str) -> str:
        """A call of a helper."""
        self.helpers.add(helper)
        return f"{helper}({', '.join(arguments)})"

    def zeros(self, name: str) -> None:
        """A new array of zeros."""
        self.put(f"let mut {name} = [0_{self.word}; {self.program.arrays[name]}];")


def add(*places: Index) -> Index:
    """Their sum."""
    return Index(sum(p.base for p in places), sum(p.step for p in places))


def number(place: Index) -> str:
    """A place in Rust; i counts the turns of the loop around it."""
    turns = "i" if abs(place.step) == 1 else f"{abs(place.step)} * i"
    if not place.step:
        return str(place.base)
    if place.step < 0:
        return f"{place.base} - {turns}"
    return f"{turns} + {place.base}" if place.base else turns


def limb(array: str, at: Index, j: Index | None) -> str:
    """Return limb j of the number at a place; j is a number, or None for the loop variable."""
    if j is not None:
        return f"{array}[{number(add(at, j))}]"
    return f"{array}[j]" if at == NOTHING else f"{array}[{number(at)} + j]"


def _clear(body: LoopedBody, s: Clear) -> None:
    body.zeros(s.total)


def _load(body: LoopedBody, s: Load) -> None:
    if s.count == Index(1):
        body.put(f"{limb(s.total, s.at, NOTHING)} = {limb(s.row, s.row_at, NOTHING)};")
        return
    to, of = (f"{number(at)}..{number(add(at, s.count))}" for at in (s.at, s.row_at))
    body.put(f"{s.total}[{to}].copy_from_slice(&{s.row}[{of}]);")


def _add_product(body: LoopedBody, s: AddProduct) -> None:
    def line(j: Index | None) -> str:
        total, row = limb(s.total, s.at, j), limb(s.row, s.row_at, j)
        return f"({total}, carry) = {body.call('mac', total, row, factor, 'carry')};"

    def above(j: Index | None) -> str:
        total = limb(s.total, s.at, j)
        if s.above == Index(1):
            return f"{total} += carry;"
        return f"({total}, carry) = {body.call('mac', total, '0', '0', 'carry')};"

    factor = s.factor if s.factor == QUOTIENT else limb(s.factor, s.factor_at, NOTHING)
    body.put("let mut carry = 0;")
    body.each(NOTHING, s.count, line)
    body.each(s.count, s.above, above)


def _add_row(body: LoopedBody, s: AddRow) -> None:
    def line(j: Index | None) -> str:
        total, row = limb(s.total, s.at, j), limb(s.row, s.row_at, j)
        row += " & chosen" if s.masked else ""
        return f"({total}, carry) = {body.call('adc', total, row, 'carry')};"

    def above(j: Index | None) -> str:
        total = limb(s.total, s.at, j)
        if s.above == Index(1):
            return f"{total} += {body.word}::from(carry);"
        return f"({total}, carry) = {body.call('adc', total, '0', 'carry')};"

    if s.masked:
        body.put(f"let chosen = {body.call('mask', 'borrow')};")
    body.put("let mut carry = false;")
    body.each(NOTHING, s.count, line)
    body.each(s.count, s.above, above)


def _subtract(body: LoopedBody, s: Subtract) -> None:
    def of(row: Callable[[Index | None], str]) -> Callable[[Index | None], str]:
        def line(j: Index | None) -> str:
            result, total = limb(s.result, s.result_at, j), limb(s.total, s.at, j)
            return f"({result}, borrow) = {body.call('sbb', total, row(j), 'borrow')};"

        return line

    if s.result == DIFFERENCE:
        body.zeros(DIFFERENCE)
    body.put("let mut borrow = false;")
    body.each(NOTHING, s.count, of(lambda j: limb(s.row, s.row_at, j)))
    body.each(s.count, s.above, of(lambda _: "0"))


def _keep_if_less(body: LoopedBody, s: KeepIfLess) -> None:
    def line(j: Index | None) -> str:
        total, other = limb(s.total, s.at, j), limb(s.other, NOTHING, j)
        return f"{total} = {body.call('select', 'less', total, other)};"

    body.put(f"let less = {body.call('mask', 'borrow')};")
    body.each(NOTHING, s.count, line)


def _quotient(body: LoopedBody, s: Quotient) -> None:
    times = f".wrapping_mul({s.times})" if s.times else ""
    sign = "!" if s.complemented else ""
    body.put(f"let {QUOTIENT} = {sign}{limb(s.total, s.at, NOTHING)}{times};")


FORMS: dict[type[LoopStatement], Callable[..., None]] = {
    Clear: _clear,
    Load: _load,
    AddProduct: _add_product,
    AddRow: _add_row,
    Subtract: _subtract,
    KeepIfLess: _keep_if_less,
    Quotient: _quotient,
}
"""How each statement is written."""

ALLOWED = '#[allow(clippy::needless_range_loop, reason = "rows of several arrays")]'


def rust_looped_function(expression: Expression, name: str) -> RustFunction:
    """Return the kernel as a `pub fn` with loops. Raises NoLoops if it is not made of rows."""
    program = loops(expression)
    check_word(program.word, "Rust")
    body = LoopedBody(program, depth=1)
    body.put(*_constants(program))
    body.zeros(TOTAL)
    for part in program.body:
        body.part(part)
    body.put(_result(program))
    word = body.word
    operands = ", ".join(f"{operand}: &[{word}; {count}]" for operand, count in program.operands)
    lines = [
        *(f"/// {rust_doc(line)}" for line in contract(expression)),
        ALLOWED,
        f"pub fn {name}({operands}) -> [{word}; {program.count}] {{",
        *body.lines,
        "}",
    ]
    return RustFunction("\n".join(lines) + "\n", frozenset(body.helpers))


def _constants(program: LoopProgram) -> Iterator[str]:
    word = f"u{program.word}"
    for name, limbs in program.constants.items():
        head, together = f"const {name}: [{word}; {len(limbs)}] =", ", ".join(map(hex, limbs))
        if len(together) < WIDTH - len(head):
            yield f"{head} [{together}];"
        elif len(together) < WIDTH:
            yield from (head, f"{INDENT}[{together}];")
        else:
            yield f"{head} ["
            yield from (f"{INDENT}{limb:#x}," for limb in limbs)
            yield "];"
    for name, value in program.words.items():
        yield f"const {name}: {word} = {value:#x};"


def _result(program: LoopProgram) -> str:
    if program.arrays[TOTAL] == program.count:
        return TOTAL
    return f"core::array::from_fn(|j| {limb(TOTAL, Index(program.at), None)})"


def print_rust_looped(expression: Expression, name: str) -> str:
    """Return a complete Rust file: the helpers, then the kernel as one function with loops."""
    function = rust_looped_function(expression, name)
    return f"{rust_helpers(function.helpers, expression.field.word)}\n{function.text}"
