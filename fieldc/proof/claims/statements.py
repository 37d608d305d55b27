"""Contracts that a person writes for a routine that fieldc did not make.

A statement is one line, `R*z = x*y`: on the left a number times the result, on the right a
polynomial in the operands, both modulo p. Numbers are made of integers, p and R = 2^(64*limbs) by
`+ - * // % **`. Of operands with several values each value has its number: `x0`, `x1`.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from math import gcd

from fieldc.proof.algebra.equations import Polynomial, add_to, constant, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.arguments import OWN_BASES
from fieldc.proof.claims.contracts import WORD_BITS, Claim, Contract, Operand

NUMBERS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: pow,
}
MOST_POWER = 1 << 14
"""Of an exponent: more bits than any field's numbers have."""
MOST_BITS = 1 << 20
"""Of the power of a number."""
MOST_TERMS = 1 << 14
"""Of two polynomials that are multiplied, the one's times the other's."""
MOST_DEPTH = 500
"""Of operations in each other: Python follows about twice as many."""
MOST_LIMBS = 1 << 8
"""Of an operand, of all values side by side in it together."""
NOTHING = "-"
"""The name of an argument of which nothing is said."""
MOST_SHOWN = 48
"""Letters of a text that a message quotes."""
MOST_NAMES = 8
"""That a message lists."""
TAKEN = ("R", *OWN_BASES)
"""Names that no argument may have."""


@dataclass(frozen=True)
class Statement:
    """What a routine takes and does; bounds and numbers are expressions."""

    arguments: tuple[str, ...]
    """In call order: z, the operands, names of numbers, of tables, or `-`."""
    claims: tuple[str, ...]
    """Of each value of the result."""
    limbs: int
    below: Mapping[str, str] = field(default_factory=dict)
    """What an operand, or z, is below; p where nothing is said."""
    sizes: Mapping[str, int] = field(default_factory=dict)
    """How many limbs an operand has; `limbs` where nothing is said."""
    values: Mapping[str, int] = field(default_factory=dict)
    """How many values stand side by side in an operand, or in z."""
    numbers: Mapping[str, str] = field(default_factory=dict)
    """Arguments that are numbers."""
    tables: Mapping[str, str] = field(default_factory=dict)
    """Arguments that are addresses of numbers, each of `sizes` limbs."""
    overlap: bool = True
    """Whether z may be an operand."""
    between: tuple[str, ...] = ()
    """Values on the way, `R*v1 = x*y`, of which later ones and the claims may speak."""
    before: Mapping[str, int] = field(default_factory=dict)
    """How many words of a table lie below its address."""
    in_place: str = ""
    """The operand that z holds before the call; it is no argument then."""

    @property
    def operands(self) -> tuple[str, ...]:
        """The names of the operands, in call order."""
        known = {"z", "p", "n0", NOTHING, *self.numbers, *self.tables}
        held = (self.in_place,) if self.in_place else ()
        return (*held, *(name for name in self.arguments if name not in known))


def contract_from(statement: Statement, p: int) -> Contract:
    """The contract of a statement for a prime. Raises ProofError where it is none."""
    _check_statement(statement, p)
    limbs = statement.limbs
    known = {"p": p, "R": 1 << WORD_BITS * limbs}
    radix = 1 << WORD_BITS
    operands, names = [], []
    for name in statement.operands:
        size, count = statement.sizes.get(name, limbs), statement.values.get(name, 1)
        high = number(statement.below.get(name, "p"), known) - 1
        if not 0 <= high < 1 << WORD_BITS * size:
            raise ProofError(f"the bound of {name} is not that of {size} limb{'s' * (size > 1)}")
        operands.append(Operand(name, size, high, count))
        names += [name] if count == 1 else [f"{name}{k}" for k in range(count)]
    count = len(statement.claims)
    results = ["z"] if count == 1 else [f"z{k}" for k in range(count)]
    several = {name for name in ("z", *statement.operands) if name not in (*results, *names)}
    taken = [*{*known, "n0", *statement.numbers, *statement.tables}, *several, *results, *names]
    if twice := {name for name in taken if taken.count(name) > 1}:
        raise ProofError(f"there are two values {min(twice)}; choose another name for one")
    n0 = -pow(p, -1, radix) % radix if p % 2 else 0
    constants = {**known, "n0": n0}
    tables = {"p": _limbs("p", p, statement.sizes.get("p", limbs))}
    for name, text in statement.tables.items():
        tables[name] = _limbs(name, number(text, constants), statement.sizes.get(name, 1))
    numbers = {"n0": n0}
    numbers |= {name: _word(name, text, constants) for name, text in statement.numbers.items()}
    between = []
    for text in statement.between:
        name = _name_of(text)
        if name in (*taken, *names):
            raise ProofError(f"there are two values {name}; choose another name for one")
        between.append(claim_in(text, name, names, known))
        names.append(name)
    pairs = [
        claim_in(text, result, names, known)
        for text, result in zip(statement.claims, results, strict=True)
    ]
    if len({factor for factor, _ in pairs}) != 1:
        raise ProofError("the results have different factors")
    claims = [claim for _, claim in pairs]
    high = number(statement.below.get("z", "p"), known) - 1
    if not 0 <= high < 1 << WORD_BITS * limbs:
        raise ProofError(f"the bound of z is not that of {limbs} limb{'s' * (limbs > 1)}")
    return Contract(
        p,
        limbs,
        tuple(operands),
        claims[0],
        pairs[0][0],
        high,
        arguments=statement.arguments,
        tables=tables,
        before=statement.before,
        in_place=statement.in_place,
        numbers=numbers,
        more=tuple(claims[1:]),
        overlap=statement.overlap,
        between=tuple(_times(pairs[0][0], *one) for one in between),
    )


def _quoted(text: str) -> str:
    """The text on one line, in quotes; its middle left out where it is long."""
    said = ascii(text)
    return said if len(said) <= MOST_SHOWN else f"{said[:20]}...{said[-20:]}"


def _short(text: str) -> str:
    """The same without the quotes."""
    return _quoted(text)[1:-1]


def _name_of(text: str) -> str:
    """The value that a statement is about: the last name on its left side."""
    tree = _parsed(text.partition("=")[0])
    names = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
    found = [name for name in names if name not in ("p", "R")]
    if len(found) != 1:
        raise ProofError(f"{_quoted(text)} is no statement like R*v = x*y")
    return found[0]


def _times(wanted: int, factor: int, claim: Claim) -> Claim:
    """A claim as one of another factor, which must be a multiple of its own. Raises ProofError."""
    if wanted % factor:
        raise ProofError("a value between has a factor that is not in that of the results")

    def scaled(values: Sequence[Polynomial]) -> Polynomial:
        return {m: c * (wanted // factor) for m, c in claim(values).items()}

    return scaled


def _check_statement(statement: Statement, p: int) -> None:
    """Raise ProofError where its parts do not fit together, or not the prime."""
    _check_names(statement)
    _check_sizes(statement)
    limbs, least = statement.limbs, -(-p.bit_length() // WORD_BITS)
    if "p" not in statement.arguments and least > limbs:  # at p its table says so
        raise ProofError(f"p has {least} limbs, the contract {limbs}; write limbs = {least}")


def _check_names(statement: Statement) -> None:
    """Raise ProofError where names do not fit together."""
    arguments = [name for name in statement.arguments if name != NOTHING]
    if "z" not in arguments:
        raise ProofError("no argument z, the result")
    if twice := {name for name in arguments if arguments.count(name) > 1}:
        raise ProofError(f"the argument {_quoted(min(twice))} is there twice")
    if statement.in_place in ("z", "p", "n0", NOTHING, *arguments):
        raise ProofError(f"in_place: {statement.in_place} is an argument, or the result")
    arguments += [statement.in_place] if statement.in_place else []
    for name in arguments:
        if name in TAKEN or not name.isascii() or not name.isidentifier() or iskeyword(name):
            said = f"{', '.join(TAKEN)} and words of Python are taken"
            raise ProofError(f"no argument can be called {_quoted(name)}; {said}")
    _check_constants(statement)
    _check_parts(statement, arguments)


def _check_constants(statement: Statement) -> None:
    """Raise ProofError for a number or a table that the contract may not give."""
    for part in ("numbers", "tables"):
        given = getattr(statement, part)
        for name, what in (
            ("p", "the modulus by address"),
            ("n0", "-1/p mod 2^64 by value"),
            ("z", "the result"),
            (statement.in_place, "the operand in place"),
        ):
            if name and name in given:
                said = f"which is always {what}; choose another name"
                raise ProofError(f"{part} is about {name}, {said}")
    if both := statement.numbers.keys() & statement.tables.keys():
        raise ProofError(f"{_quoted(min(both))} is in numbers and in tables; write one of them")


def _check_parts(statement: Statement, arguments: Sequence[str]) -> None:
    """Raise ProofError for a part about what is no argument, or one to which it cannot apply."""
    values = ("z", *statement.operands)
    addresses = (*values, *(name for name in arguments if name == "p"), *statement.tables)
    for part, fit in (
        ("numbers", arguments),
        ("tables", arguments),
        ("below", values),
        ("values", values),
        ("sizes", addresses),
        ("before", tuple(statement.tables)),
    ):
        for name in getattr(statement, part):
            if name not in arguments:
                raise ProofError(f"{part} is about {_quoted(name)}, which is no argument")
            if name not in fit:
                what = f"which is {_kind(statement, name)}"
                said = f"it is for {', '.join(fit[:MOST_NAMES])}" if fit else "it is for tables"
                raise ProofError(f"{part} is about {name}, {what}; {said}")
    for name, words in statement.before.items():
        if not 0 <= words < statement.sizes.get(name, 1):
            raise ProofError(f"before: {name} is no table of more words than lie before it")


def _kind(statement: Statement, name: str) -> str:
    """What an argument is, in words."""
    if name == "p" or name in statement.tables:
        return "the modulus by address" if name == "p" else "a table"
    return "a number" if name == "n0" or name in statement.numbers else "an operand or z"


def _check_sizes(statement: Statement) -> None:
    """Raise ProofError for sizes that are none, or too large, or not those of the result."""
    limbs, sizes, values = statement.limbs, statement.sizes, statement.values
    if sizes.get("z", limbs) != limbs:
        raise ProofError("each value of z has as many limbs as `limbs` says")
    if values.get("z", len(statement.claims)) != len(statement.claims):
        raise ProofError("z has a value for each claim")
    if not all(1 <= size <= MOST_LIMBS for size in (*sizes.values(), *values.values(), limbs)):
        raise ProofError(f"limbs, sizes and values are from 1 to {MOST_LIMBS}")
    for name in ("z", *statement.operands):
        count = len(statement.claims) if name == "z" else values.get(name, 1)
        if (words := sizes.get(name, limbs) * count) > MOST_LIMBS:
            raise ProofError(f"{name} has {words} limbs; {MOST_LIMBS} at most")


def _limbs(name: str, value: int, count: int) -> tuple[int, ...]:
    """The words of a table, of so many limbs. Raises ProofError for another number."""
    if not 0 <= value < 1 << WORD_BITS * count:
        raise ProofError(f"what stands at {name} is no number of {count} limb{'s' * (count > 1)}")
    return tuple(value >> WORD_BITS * i & (1 << WORD_BITS) - 1 for i in range(count))


def _word(name: str, text: str, known: Mapping[str, int]) -> int:
    """The value of a number that an argument is. Raises ProofError where it is no word."""
    if not 0 <= (value := number(text, known)) < 1 << WORD_BITS:
        said = f"the number {_quoted(name)} is {_quoted(text)}, not from 0 to 2**{WORD_BITS} - 1"
        raise ProofError(f"{said}; write ({_short(text)}) % 2**{WORD_BITS} to wrap it")
    return value


def number(text: str, known: Mapping[str, int]) -> int:
    """The value of an expression without operands. Raises ProofError."""
    found = _value(_parsed(text), {name: constant(value) for name, value in known.items()})
    if found.keys() - {()}:
        raise ProofError(f"{_quoted(text)} is no number")
    return int(found.get((), 0))


def claim_in(
    text: str, result: str, names: Sequence[str], known: Mapping[str, int]
) -> tuple[int, Claim]:
    """The factor of the result and what it is, from `factor*result = polynomial`.

    The factor must have an inverse modulo p: `p*z = p*x` holds of every z. Raises ProofError.
    """
    left, equals, right = text.partition("=")
    if not equals:
        raise ProofError(f"{_quoted(text)} is no statement like R*z = x*y")
    numbers = {name: constant(value) for name, value in known.items()}
    (found,) = (_value(_parsed(left), {**numbers, result: {(0,): 1}}),)
    if found.keys() != {(0,)}:
        raise ProofError(f"{_short(left.strip())} is no number times {result}")
    if gcd(factor := int(found[(0,)]), known["p"]) != 1:
        said = f"{_short(left.strip())} does not determine {result}"
        raise ProofError(f"{said}: its factor has no inverse modulo p; use one that has, as 1 or R")
    tree, given = _parsed(right), tuple(names)

    def claim(values: Sequence[Polynomial]) -> Polynomial:
        return _value(tree, {**numbers, **dict(zip(given, values, strict=True))})

    claim([{(k + 1,): 1} for k in range(len(names))])  # every name is known
    return factor, claim


def _parsed(text: str) -> ast.expr:
    """An expression; what Python would read as other letters, or not read, is none."""
    if "#" in text or not text.isascii():
        raise ProofError(f"{_quoted(text.strip())} is no expression: it has a comment, or no ASCII")
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise ProofError(f"{_quoted(text.strip())} is no expression") from None
    if _is_deep(tree):
        said = f"deeper than {MOST_DEPTH} operations; write a shorter one"
        raise ProofError(f"{_quoted(text.strip())} is {said}")
    return tree


def _is_deep(tree: ast.AST) -> bool:
    """Whether operations lie in each other too deep to be followed; a long sum is deep."""
    level: list[ast.AST] = [tree]
    for _ in range(MOST_DEPTH):
        level = [part for one in level for part in ast.iter_child_nodes(one)]
    return bool(level)


def _value(tree: ast.expr, known: Mapping[str, Polynomial]) -> Polynomial:
    if isinstance(tree, ast.Constant) and type(tree.value) is int:
        return constant(tree.value)
    if isinstance(tree, ast.Name):
        if tree.id not in known:
            raise ProofError(f"no value {_short(tree.id)}; there are {', '.join(known)}")
        return dict(known[tree.id])
    if isinstance(tree, ast.UnaryOp) and isinstance(tree.op, ast.USub):
        return {m: -c for m, c in _value(tree.operand, known).items()}
    if isinstance(tree, ast.BinOp) and type(tree.op) in NUMBERS:
        return _combined(type(tree.op), _value(tree.left, known), _value(tree.right, known))
    raise ProofError(f"{_source(tree)} is neither a number nor a polynomial")


def _source(tree: ast.expr) -> str:
    """An expression as text, which Python does not write where it is very long or deep."""
    try:
        return _short(ast.unparse(tree))
    except (ValueError, RecursionError):
        return "a part of a statement"


def _combined(kind: type[ast.operator], a: Polynomial, b: Polynomial) -> Polynomial:
    if a.keys() | b.keys() <= {()}:
        x, y = int(a.get((), 0)), int(b.get((), 0))
        if (kind in (ast.FloorDiv, ast.Mod) and not y) or (
            kind is ast.Pow and not (0 <= y <= MOST_POWER and x.bit_length() * y <= MOST_BITS)
        ):
            raise ProofError("a number that is divided by 0, or raised too high")
        return constant(NUMBERS[kind](x, y))
    if kind in (ast.Add, ast.Sub):
        total = dict(a)
        add_to(total, b, 1 if kind is ast.Add else -1)
        return total
    if kind is ast.Mult:
        if len(a) * len(b) > MOST_TERMS:
            raise ProofError(f"a product of {len(a)} terms by {len(b)}; {MOST_TERMS} pairs at most")
        return product(a, b)
    raise ProofError("operands are only added, subtracted and multiplied")
