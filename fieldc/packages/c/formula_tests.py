"""The test of formulas in a C package: vectors, and a function for each formula."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate

from fieldc.packages.c.formulas import CFormula

CASES = 8


def tested(one: CFormula) -> str:
    """Whether vectors come out right, with z over each operand of its type too."""
    name, z = one.formula.name, one.result
    rows = vectors(one)
    given = [f"x{i}_{name}[i]" for i in range(len(one.operands))]
    check = f"right &= memcmp(z, z_{name}[i], sizeof z) == 0;"
    steps = [f"{one.symbol}({', '.join(['z', *given])});", check]
    for i, (at, operand) in enumerate(zip(given, one.operands, strict=True)):
        if operand.shape == z.shape:
            shared = ["z", *given[:i], "z", *given[i + 1 :]]
            steps += [f"memcpy(z, {at}, sizeof z);", f"{one.symbol}({', '.join(shared)});", check]
    inside = "".join(f"        {step}\n" for step in steps)
    return (
        f"{''.join(_tables(one, rows))}\nstatic int check_{name}(void)\n{{\n"
        f"    {z.local};\n    int i, right = 1;\n"
        f"    for (i = 0; i < {len(rows)}; i++) {{\n{inside}    }}\n"
        "    return right;\n}\n"
    )


def vectors(one: CFormula) -> list[list[int]]:
    """Values for the operands, in the form of kernels: edges, and random ones."""
    f, draw = one.field, random.Random(one.formula.name)
    tops = [bound.high(f) for _, bound in one.formula.ranges for _ in range(bound.count)]
    edges = [[min(v, top) for top in tops] for v in (0, f.one)]
    return [*edges, tops, *([draw.randrange(top + 1) for top in tops] for _ in range(CASES))]


def _tables(one: CFormula, rows: Sequence[Sequence[int]]) -> Iterator[str]:
    name = one.formula.name
    ends = accumulate((operand.bound.count for operand in one.operands), initial=0)
    for i, (first, operand) in enumerate(zip(ends, one.operands, strict=False)):
        part = [row[first : first + operand.bound.count] for row in rows]
        yield operand.declared(f"x{i}_{name}", part)
    found = [one.formula.evaluate(one.field, row) for row in rows]
    yield one.result.declared(f"z_{name}", found)
