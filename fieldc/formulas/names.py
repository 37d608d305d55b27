"""Names: those that a file's lines give to values, and those that generated code can have."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from fieldc.formulas.errors import Place, wrong

if TYPE_CHECKING:
    from fieldc.formulas.formula import Formula

OTHER_KEYWORDS = """
    EOF I NULL alignas alignof asm auto bool box case catch char const const_cast crate debugger
    decltype default delete do double dyn enum errno explicit export extends extern false final
    float fn for friend function goto impl inline instanceof int let linux long loop match mod
    move mut mutable namespace new noexcept null nullptr operator override priv private
    protected pub public ref register restrict self short signed sizeof static stderr stdin
    stdout struct super switch template this throw trait true typedef typeid typename typeof
    union unix unsafe unsigned unsized use using var virtual void volatile wchar_t where yield
    """
"""Words of C, C++, Rust and JavaScript that Python does not keep for itself, and macros of C."""


def checked_name(name: str, at: Place) -> str:
    """A name that code in every language can have. Raises FormulaError for one beyond ASCII."""
    if not name.isascii():
        raise wrong(f"{name} has letters that are not ASCII, which other languages lack", at)
    return f"{name}_" if name in OTHER_KEYWORDS.split() else name


def check_names(formulas: Sequence[Formula], taken: Collection[str], made: Sequence[str]) -> None:
    """Raise FormulaError for a formula with a name that a package has already.

    `made` are the endings of the other names that a formula brings along.
    """
    known = dict.fromkeys(taken, "the package")
    for one in formulas:
        names = [one.name, *(one.name + ending for ending in made)]
        found = next((known[name] for name in names if name in known), None)
        if found is not None:
            message = f"{found} has the name {one.name} already: choose another one"
            raise wrong(message, (one.file, one.line))
        known |= dict.fromkeys(names, one.name)


@lru_cache(maxsize=8)
def names_of(file: str) -> dict[int, str]:
    """For each line that assigns to one name, that name; nothing where the file cannot be read."""
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
