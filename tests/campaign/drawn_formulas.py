"""Formulas drawn from a seed: one text that fieldc compiles, and that Python runs on integers."""

from __future__ import annotations

import random
from dataclasses import dataclass

HEAD = '''"""Formulas that were drawn."""

from fieldc.formulas import U64, Element, Mask, choose, formula

Pair = tuple[Element, Element]
'''
KINDS = ("Element", "Pair", "U64", "Mask")
NAMES = ("x", "y", "w")
"""Operands that hold elements."""
FACTORS = (2, 3, 4, 5, 6, 8, 9, 12, 13, 27, 100, 486662)
Operand = int | bool | tuple[int, int]


@dataclass(frozen=True)
class DrawnFormula:
    """One function: `kinds` of its operands, its text, whether it returns two elements."""

    name: str
    kinds: tuple[str, ...]
    text: str
    returns_pair: bool

    def computed(self, p: int, operands: tuple[Operand, ...]) -> list[int]:
        """What Python's integers say."""
        names: dict[str, object] = dict.fromkeys(KINDS, object)
        names["choose"] = lambda mask, x, y: x if mask else y
        exec(self.text, names)
        found = names[self.name](*operands)  # type: ignore[operator]
        return [value % p for value in (found if self.returns_pair else (found,))]

    def operands(self, draw: random.Random, p: int) -> tuple[Operand, ...]:
        """Operands for one call, with edges more often than by chance."""
        return tuple(_operand(draw, p, kind) for kind in self.kinds)


def _operand(draw: random.Random, p: int, kind: str) -> Operand:
    if kind == "Mask":
        return draw.random() < 0.5
    if kind == "U64":
        return draw.choice((0, 1, (1 << 64) - 1, draw.getrandbits(64)))
    return (element(draw, p), element(draw, p)) if kind == "Pair" else element(draw, p)


def element(draw: random.Random, p: int) -> int:
    """A residue, an edge more often than by chance."""
    edges = (0, 1, 2, p - 1, p - 2, p // 2, (1 << p.bit_length() - 1) - 1)
    return draw.choice(edges) if draw.random() < 0.3 else draw.randrange(p)


def drawn_formula(draw: random.Random, name: str) -> DrawnFormula:
    """A formula of one to three operands, of which the first holds elements."""
    elements = NAMES[: draw.choice((1, 2, 2, 2))]
    kinds = [draw.choice(("Element", "Element", "Pair")) for _ in elements]
    places = [
        f"{of}[{i}]" if kind == "Pair" else of
        for of, kind in zip(elements, kinds, strict=True)
        for i in range(1 + (kind == "Pair"))
    ]
    more = {"Mask": "m", "U64": "k"}.get(last := draw.choice(("Element", "Element", "Mask", "U64")))
    operands = [*zip(elements, kinds, strict=True), *([(more, last)] if more else [])]
    lines = []
    for local in ("s", "t")[: draw.randrange(3)]:
        lines.append(f"{local} = {_expression(draw, places, 2, more)}")
        places.append(local)
    results = [_expression(draw, places, 3, more) for _ in range(draw.choice((1, 1, 2)))]
    head = ", ".join(f"{of}: {kind}" for of, kind in operands)
    result = "Pair" if len(results) == 2 else "Element"
    lines.append(f"return {', '.join(results)}")
    body = "".join(f"    {line}\n" for line in lines)
    text = f"def {name}({head}) -> {result}:\n{body}"
    return DrawnFormula(name, tuple(kind for _, kind in operands), text, len(results) == 2)


def _expression(draw: random.Random, places: list[str], depth: int, more: str | None) -> str:
    def inner() -> str:
        return _expression(draw, places, depth - 1, more)

    if depth == 0 or draw.random() < 0.1:
        return draw.choice(places)
    ways = ["sum", "sum", "difference", "difference", "product", "product", "multiple"]
    way = draw.choice([*ways, "negated", "power", "constant", *([more] * 2 if more else [])])
    if way == "m":
        return f"choose(m, {inner()}, {draw.choice((inner(), '7'))})"
    if way == "k":
        return f"({inner()}) * k"
    if way in ("multiple", "constant"):
        factor = draw.choice(FACTORS)
        return f"{factor} * ({inner()})" if way == "multiple" else f"({inner()} + {factor})"
    if way in ("negated", "power"):
        return f"(-({inner()}))" if way == "negated" else f"({inner()}) ** {draw.choice((2, 3))}"
    sign = {"sum": "+", "difference": "-", "product": "*"}[way]
    return f"({inner()} {sign} {inner()})"


def formulas_file(formulas: tuple[DrawnFormula, ...]) -> str:
    """The text of a file of formulas."""
    return HEAD + "".join(f"\n\n@formula\n{one.text}" for one in formulas)
