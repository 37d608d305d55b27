"""The rules of docs/architecture.md for Rust: imports run one way, functions fit a screen."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from test_architecture import MOST_LINES_OF_A_FUNCTION, ROOT, written_by_hand

from fieldc.packages.rust.cargo import OWN

CRATES = ("check", "fieldc", "fuzz", "race")
SOURCES = (
    *(ROOT / "crates" / crate / "src" for crate in CRATES),
    ROOT / "arkworks" / "ark-ff-macros" / "src",
)
FUNCTION = re.compile(
    r"""^(\s*)(?:pub(?:\([\w: ]+\))?\s+)?(?:const\s+)?(?:async\s+)?(?:unsafe\s+)?
        (?:extern\s+"\w+"\s+)?fn\s+(\w+)""",
    re.VERBOSE,
)


def functions(text: str) -> Iterator[tuple[str, int]]:
    """Each function of a formatted file with its lines: up to the brace below its first letter."""
    lines = text.splitlines()
    for number, line in enumerate(lines):
        if (found := FUNCTION.match(line)) and not line.rstrip().endswith((";", "}")):
            ends = (i for i in range(number, len(lines)) if lines[i].startswith(f"{found[1]}}}"))
            yield found[2], next(ends, len(lines)) - number + 1


def test_no_function_of_rust_must_be_scrolled() -> None:
    files = [path for path in written_by_hand() if path.suffix == ".rs"]
    lengths = {
        f"{path.relative_to(ROOT)}: {name}": lines
        for path in files
        for name, lines in functions(path.read_text("utf-8"))
    }
    assert len(lengths) > 1000
    assert not {name: n for name, n in lengths.items() if n > MOST_LINES_OF_A_FUNCTION}


def test_a_long_function_is_found() -> None:
    text = (
        "impl A {\n    pub(crate) const unsafe fn f(\n" + "    x\n" * 70 + "    }\n}\nfn g() {\n}\n"
    )
    assert dict(functions(text)) == {"f": 72, "g": 2}


Imports = dict[str, set[str]]
PATH = r"(?<![\w:])\$?((?:crate|super|self)(?:::\w+)*)(::\{[^;]*?\};)?"
"""A path of the crate, with the braces that end a `use`."""


def module_of(path: Path, source: Path) -> str:
    """The path of a file's module inside its crate; nothing for the root."""
    parts = [*path.relative_to(source).with_suffix("").parts]
    return "::".join(parts[:-1] if parts[-1] in ("mod", "lib", "main") else parts)


def paths_in(text: str) -> Iterator[list[str]]:
    """Every path of the crate that code names, those in braces one by one."""
    code = re.sub(r"//[^\n]*", "", text)
    for found in re.finditer(
        r"(?<![\w:])\$?((?:crate|super|self)(?:::\w+)*)(::\{[^;]*?\};)?", code
    ):
        first = found[1].split("::")
        for rest in leaves(found[2][2:-1]) if found[2] else [[]]:
            yield [*first, *(name for name in rest if name != "self")]


def leaves(tree: str) -> list[list[str]]:
    """The paths of `{a, b::{c, d}}`."""
    prefixes: list[list[str]] = [[]]
    found = []
    for word in re.findall(r"[\w:]+(?:\s+as\s+\w+)?|[{},]", tree):
        if word == "{":
            prefixes.append(found.pop() if found and found[-1] is not None else [])
        elif word == "}":
            prefixes.pop()
        elif word != ",":
            names = [name for name in word.split(" as ")[0].strip().split("::") if name]
            found.append([*prefixes[-1], *names])
    return found


def absolute(path: list[str], module: str) -> list[str]:
    """A path from the root of the crate."""
    first, *rest = path
    base = module.split("::") if module else []
    if first == "crate":
        return rest
    while first == "super" and base:
        base.pop()
        if not rest or rest[0] != "super":
            break
        rest.pop(0)
    return [*base, *rest]


def imports_of(source: Path) -> Imports:
    """The modules that each module of a crate names, through what the root exports too.

    The root itself is left out: it gathers what the others define.
    """
    texts = {module_of(path, source): path.read_text("utf-8") for path in source.rglob("*.rs")}
    exported = re.findall(r"\bpub(?:\([\w: ]+\))? use [^;]+;", texts[""])
    where = {path[-1]: path[1:] for one in exported for path in paths_in(one) if path[1:]}

    def module(path: list[str]) -> str:
        if path and path[0] not in texts and path[0] in where:
            path = where[path[0]]
        while path and "::".join(path) not in texts:
            path = path[:-1]
        return "::".join(path)

    return {
        name: {module(absolute(path, name)) for path in paths_in(text)} - {name, ""}
        for name, text in texts.items()
        if name
    }


def circles(imports: Imports) -> set[frozenset[str]]:
    """Modules that name one another, directly or through others."""
    reached = {name: set(others) for name, others in imports.items()}
    for middle in reached:
        for others in reached.values():
            if middle in others:
                others |= reached[middle]
    return {
        frozenset(other for other in others if name in reached[other])
        for name, others in reached.items()
        if name in others
    }


def test_modules_of_rust_import_one_way() -> None:
    found = {source: circles(imports_of(source)) for source in SOURCES}
    assert {str(source): some for source, some in found.items() if some} == {}


def test_a_circle_of_rust_is_found(tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    texts = {
        "lib.rs": "mod a;\nmod b;\nmod d;\npub use crate::d::D;",
        "a.rs": "use crate::{\n    b::c::{C, E},\n    x as y,\n};",
        "b/mod.rs": "mod c;",
        "b/c.rs": "use crate::D; // crate::b",
        "d.rs": "fn f() { super::a::g() }",
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    assert circles(imports_of(tmp_path)) == {frozenset(("a", "b::c", "d"))}
    (tmp_path / "d.rs").write_text("fn f() {}")
    assert circles(imports_of(tmp_path)) == set()


def test_a_package_says_of_vectors_what_the_crate_says() -> None:
    """One feature in two Cargo.toml."""
    crate = (ROOT / "crates/fieldc/Cargo.toml").read_text("utf-8")
    assert f"# {OWN['vectors']}\nvectors = []\n" in crate
