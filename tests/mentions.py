"""Which tests mention a tool: in their own text, or in that of what they use of these folders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
Place = tuple[str, str]
"""A module of the tests, and a name at its top."""


@cache
def _module(name: str) -> tuple[dict[str, str], dict[str, Place], dict[str, str]]:
    """Texts of what a module defines, by name; names it imports from other modules; modules."""
    texts: dict[str, str] = {}
    imported: dict[str, Place] = {}
    modules: dict[str, str] = {}
    source = (HERE / f"{name.replace('.', '/')}.py").read_text("utf-8")
    for node in ast.walk(tree := ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and node.module and _is_here(node.module):
            imported |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, ast.Import):
            modules |= {a.asname or a.name: a.name for a in node.names if _is_here(a.name)}
    for node in tree.body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            continue
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        text = "\n".join(source.splitlines()[start - 1 : node.end_lineno])
        for defined in _names(node):
            texts[defined] = texts.get(defined, "") + text + "\n"
    return texts, imported, modules


def _is_here(module: str) -> bool:
    return (HERE / f"{module.replace('.', '/')}.py").is_file()


def _names(node: ast.stmt) -> Iterator[str]:
    """What a statement at the top of a module defines: an `if` defines all within."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
        return
    for inner in ast.walk(node):
        if isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            yield inner.id


def _used(place: Place) -> Iterator[Place]:
    """What a definition names of its own module and of others."""
    module, name = place
    texts, imported, modules = _module(module)
    for word, after in re.findall(r"\b([A-Za-z_]\w*)(?:\.(\w+))?", texts.get(name, "")):
        if word in texts:
            yield module, word
        elif word in imported:
            yield imported[word]
        elif word in modules and after:
            yield modules[word], after


def _texts(item: pytest.Function) -> Iterator[str]:
    """The test, its fixtures, and all that these name, each once."""
    waiting = [(item.function.__module__, item.function.__name__)]
    for defined in item._fixtureinfo.name2fixturedefs.values():
        waiting += [(each.func.__module__, each.func.__name__) for each in defined]
    seen: set[Place] = set()
    while waiting:
        place = waiting.pop()
        if place not in seen and _is_here(place[0]):
            seen.add(place)
            yield _module(place[0])[0].get(place[1], "")
            waiting += _used(place)


def mentions(item: pytest.Item, pattern: str) -> bool:
    """Whether the test or what it uses matches the pattern somewhere."""
    marks = (str(mark.kwargs.get("reason", "")) for mark in item.iter_markers("skipif"))
    if any(re.search(pattern, reason) for reason in marks):
        return True
    if not isinstance(item, pytest.Function):
        return True
    return any(re.search(pattern, text) for text in _texts(item))
