"""Sums that are not computed yet: what the planner builds before it decides on a block."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fieldc.formulas.blocks import ONE, Block, Linear, Product
from fieldc.formulas.formula import MOST_OPERANDS

MOST_PRODUCTS = 4
"""Products with one reduction in one block."""
LARGEST = 12
"""The largest coefficient that additions make; a larger one is a product with a constant."""


@dataclass(frozen=True)
class Open:
    """A value that is not computed yet: products and a combination of values that are."""

    products: tuple[Product, ...] = ()
    linear: Linear = ()
    wide: Linear = ()
    """A combination of wide values."""

    @property
    def has_products(self) -> bool:
        """Whether it is divided by R when it is computed."""
        return bool(self.products or self.wide)

    @property
    def sources(self) -> list[int]:
        """The values it needs, in an order that makes equal sums of other values equal blocks.

        What is added comes before what is subtracted.
        """
        forms = [form for _, *two in self.products for form in two]
        forms += [self.wide, self.linear]
        ordered = (sorted(form, key=lambda term: (-term[1], term[0])) for form in forms)
        return list(dict.fromkeys(i for form in ordered for i, _ in form if i != ONE))

    @property
    def is_small(self) -> bool:
        """Whether one block can compute it."""
        return (
            len(self.products) <= MOST_PRODUCTS
            and len(self.sources) <= MOST_OPERANDS
            and all(abs(c) <= LARGEST for c, _, _ in self.products)
            and all(abs(c) <= LARGEST for _, c in self.wide)
            and all(abs(c) <= LARGEST for i, c in self.linear if i != ONE)
        )

    def scaled(self, factor: int) -> Open:
        """A multiple."""
        if not factor:
            return Open()
        products = tuple((c * factor, x, y) for c, x, y in self.products)
        linear, wide = (
            tuple((i, c * factor) for i, c in form) for form in (self.linear, self.wide)
        )
        return Open(products, linear, wide)

    def plus(self, other: Open) -> Open:
        """The sum, with equal terms as one."""
        products: dict[tuple[Linear, Linear], int] = {}
        for c, x, y in (*self.products, *other.products):
            products[x, y] = products.get((x, y), 0) + c
        return Open(
            tuple((c, x, y) for (x, y), c in products.items() if c),
            added(self.linear, other.linear),
            added(self.wide, other.wide),
        )


def added(a: Linear, b: Linear) -> Linear:
    """The sum of two combinations."""
    total: dict[int, int] = {}
    for i, c in (*a, *b):
        total[i] = total.get(i, 0) + c
    return tuple((i, c) for i, c in sorted(total.items()) if c)


def is_value(x: Open) -> bool:
    """Whether it is a value that lies somewhere, reduced."""
    return (
        not x.has_products and len(x.linear) == 1 and x.linear[0][1] == 1 and x.linear[0][0] != ONE
    )


def product_of(first: Linear, second: Linear) -> Open:
    """A product, its longer factor first."""
    if (len(second), second) > (len(first), first):
        first, second = second, first
    return Open(((1, first, second),))


def block_of(x: Open, sources: Sequence[int], is_wide: bool = False) -> Block:
    """A block with operands in the order of the sources."""
    place = {ONE: ONE, **{value: index for index, value in enumerate(sources)}}

    def moved(form: Linear) -> Linear:
        return tuple(sorted((place[i], c) for i, c in form))

    products = tuple((c, moved(first), moved(second)) for c, first, second in x.products)
    return Block(
        (1,) * len(sources), products, moved(x.linear), wide=moved(x.wide), is_wide=is_wide
    )
