"""What a package's own tests compare with: edge values and random ones, by Python's integers."""

from __future__ import annotations

import random
from collections.abc import Iterator

from fieldc.field import Field

RANDOM = 6
"""Random values beside the edges."""


def vectors(f: Field) -> str:
    """Rows of x, y, x + y, x - y, x * y, x * x and 1/x, or 0 for x = 0: an array's inside."""
    return "".join(f"    [{', '.join(map(_text, row))}],\n" for row in _rows(f))


def _rows(f: Field) -> Iterator[tuple[int, ...]]:
    draw, p = random.Random(f.p), f.p
    edges = {0, 1, 2, p - 1, p - 2, p // 2, f.one, f.R2, f.mu, (1 << f.bits - 1) - 1}
    values = sorted(v for v in edges if v < p) + [draw.randrange(p) for _ in range(RANDOM)]
    for x in values:
        for y in (x, draw.choice(values), draw.randrange(p)):
            inverse = pow(x, -1, p) if x else 0
            yield x, y, (x + y) % p, (x - y) % p, x * y % p, x * x % p, inverse


def _text(value: int) -> str:
    return f'"{value:x}"'
