"""Which tests mention a tool: in their own text, or in that of what they use of these folders."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

HERE = Path(__file__).parent
Place = tuple[str, str]
"""A module of the tests, and a name at its top."""


@dataclass
class _Module:
    """What a module of these folders defines and imports, by name."""

    texts: dict[str, str] = field(default_factory=dict)
    nodes: dict[str, list[ast.stmt]] = field(default_factory=dict)
    imported: dict[str, Place] = field(default_factory=dict)
    modules: dict[str, str] = field(default_factory=dict)


@cache
def _module(name: str) -> _Module:
    source = (HERE / f"{name.replace('.', '/')}.py").read_text("utf-8")
    lines, found, tree = source.splitlines(), _Module(), ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _is_here(node.module):
            found.imported |= {a.asname or a.name: (node.module, a.name) for a in node.names}
        elif isinstance(node, ast.Import):
            found.modules |= {a.asname or a.name: a.name for a in node.names if _is_here(a.name)}
    for node in tree.body:
        start = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
        for defined in _names(node):
            found.nodes.setdefault(defined, []).append(node)
            text = "\n".join(lines[start - 1 : node.end_lineno])
            found.texts[defined] = found.texts.get(defined, "") + text
    return found


def _is_here(module: str) -> bool:
    return (HERE / f"{module.replace('.', '/')}.py").is_file()


def _names(node: ast.stmt) -> Iterator[str]:
    """What a statement at the top of a module defines: an `if` defines all within."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        yield node.name
        return
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    inner = (each for target in targets if target is not None for each in ast.walk(target))
    yield from {each.id for each in inner if isinstance(each, ast.Name)}
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            yield from _names(child)


def _used(place: Place) -> Iterator[Place]:
    """What a definition names of its own module and of others."""
    module = _module(place[0])
    for node in (inner for each in module.nodes.get(place[1], ()) for inner in ast.walk(each)):
        if isinstance(node, ast.Name):
            if node.id in module.texts:
                yield place[0], node.id
            elif node.id in module.imported:
                yield module.imported[node.id]
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            owner = module.modules.get(node.value.id)
            if owner is not None:
                yield owner, node.attr


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
            yield _module(place[0]).texts.get(place[1], "")
            waiting += _used(place)


def mentions(item: pytest.Item, pattern: str) -> bool:
    """Whether the test or what it uses matches the pattern somewhere."""
    marks = (str(mark.kwargs.get("reason", "")) for mark in item.iter_markers("skipif"))
    if any(re.search(pattern, reason) for reason in marks):
        return True
    if not isinstance(item, pytest.Function):
        return True
    return any(re.search(pattern, text) for text in _texts(item))
