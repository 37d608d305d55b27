"""Names: those that a file's lines give to values, and those that a package has already."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from functools import lru_cache
from itertools import count
from pathlib import Path

from fieldc.formulas.errors import wrong
from fieldc.formulas.formula import Formula
from fieldc.operations import family_named

FREE = ("fp2_mul", "fp2_square")
"""Families that no package has, so that its formulas may have their names."""


def check_names(
    formulas: Sequence[Formula],
    taken: Collection[str],
    made: Sequence[str],
    are_kernels: bool = True,
) -> None:
    """Raise FormulaError for a formula with a name that a package has already.

    `made` are the endings of the other names that a formula brings along. Where kernels
    have the names of their operations, no formula has that of an operation.
    """
    known = dict.fromkeys(taken, "the package")
    for one in formulas:
        names = _made(one.name, made)
        found = next((name for name in names if name in known), None)
        if found is not None:
            brought = "" if found == one.name else f", which {one.name} brings along"
            other = _free(one.name, {*known, *(f.name for f in formulas)}, made)
            message = f"{known[found]} has the name {found} already{brought}: choose another one"
            raise wrong(f"{message}, such as {other}", (one.file, one.line))
        if are_kernels and family_named(one.name) not in ("", *FREE):
            other = _free(one.name, {*known, *(f.name for f in formulas)}, made)
            message = f"{one.name} is an operation of fieldc: choose another name, such as {other}"
            raise wrong(message, (one.file, one.line))
        known |= dict.fromkeys(names, one.name)


def _made(name: str, endings: Sequence[str]) -> list[str]:
    """All names that a formula of this name has in a package."""
    return [name, *(name + ending for ending in endings)]


def _free(name: str, known: set[str], made: Sequence[str]) -> str:
    """The name with the first number that makes it free."""
    if family_named(f"{name}_2"):  # with any number it is an operation
        name = f"own_{name}"
    numbered = (f"{name}_{number}" for number in count(2))
    return next(one for one in numbered if known.isdisjoint(_made(one, made)))


def operand_names(formula: Formula, taken: Collection[str]) -> list[str]:
    """The names of the operands; a name that is taken gets underscores until it is free."""
    return free_names([name for name, _ in formula.operands], taken)


def free_names(given: Sequence[str], taken: Collection[str]) -> list[str]:
    """Names, different as before; one that is taken gets underscores until it is free."""
    names = [*given]
    for i, name in enumerate(given):
        while names[i] in taken or (names[i] != name and names.count(names[i]) > 1):
            names[i] += "_"
    return names


@lru_cache(maxsize=8)
def names_of(file: str) -> dict[int, str]:
    """For each line that assigns to one name, that name; nothing where the file cannot be read."""
    if not Path(file).is_file():  # a pipe is read once
        return {}
    try:
        tree = ast.parse(Path(file).read_bytes())
    except (OSError, SyntaxError, ValueError):
        return {}
    found = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                found[line] = node.targets[0].id
    return found
