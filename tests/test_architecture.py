"""The rules of docs/architecture.md: imports run one way, names are clear, files are short."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "fieldc"
ALL, NOTHING = "all above", "nothing"

Rooms = dict[tuple[str, ...], str]
"""The files and folders of each room in the table's order, and what it may import."""


def rooms() -> Rooms:
    """The table of docs/architecture.md."""
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    table = text.partition("| room |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| (`.*?) \| .*? \| (.*?) \|$", table, re.M)
    return {tuple(re.findall(r"`(.*?)`", names)): imports for names, imports in rows}


def modules() -> dict[str, Path]:
    """Every module of fieldc by its dotted name."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = ("fieldc", *path.relative_to(PACKAGE).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def place_of(path: Path) -> str:
    """The name in the table of the file, or of the folder that it is in."""
    first, *rest = path.relative_to(PACKAGE).parts
    return f"{first}/" if rest else first


def imported(path: Path, known: dict[str, Path]) -> Iterator[Path]:
    """The files of fieldc that a file imports: inside functions and for type checkers too."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            while name and name not in known:
                name = name.rpartition(".")[0]
            if name:
                yield known[name]


def allowed(table: Rooms) -> dict[str, set[str]]:
    """For each file or folder of the table, those that it may import."""
    found: dict[str, set[str]] = {}
    above: set[str] = set()
    room_of = {place: room for room in table for place in room}
    for room, imports in table.items():
        if imports == ALL:
            may = set(above)
        else:
            named = [] if imports == NOTHING else imports.split(", ")
            may = {place for name in named for place in room_of[name]}
            assert may <= above, f"{room} may import {imports}, which is not above it"
        for place in room:
            found[place] = may | set(room)
        above.update(room)
    return found


def wrong_imports(known: dict[str, Path]) -> list[str]:
    """Each import that the table does not allow, as one line."""
    may = allowed(rooms())
    return [
        f"{path.relative_to(PACKAGE)} imports {other.relative_to(PACKAGE)}"
        for path in known.values()
        for other in imported(path, known)
        if place_of(other) not in may.get(place_of(path), ())
    ]


def test_each_module_is_in_one_room() -> None:
    places = [place for room in rooms() for place in room]
    assert len(places) == len(set(places))
    assert {place_of(path) for path in modules().values()} == set(places)


def test_imports_run_one_way() -> None:
    assert wrong_imports(modules()) == []


def circles(known: dict[str, Path]) -> set[frozenset[str]]:
    """Files that import one another, directly or through others."""
    reached: dict[Path, set[Path]] = {
        path: {other for other in imported(path, known) if other != path} for path in known.values()
    }
    for middle in reached:
        for others in reached.values():
            if middle in others:
                others |= reached[middle]
    return {
        frozenset(o.relative_to(PACKAGE).as_posix() for o in others if path in reached[o])
        for path, others in reached.items()
        if path in others
    }


def test_no_files_import_one_another() -> None:
    assert circles(modules()) == set()


def test_a_circle_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("test_architecture.PACKAGE", tmp_path)
    only_types = "if TYPE_CHECKING:\n    from fieldc.b import B"
    texts = {"a": only_types, "b": "import fieldc.c", "c": "from fieldc.a import A"}
    known = {f"fieldc.{name}": tmp_path / f"{name}.py" for name in texts}
    for name, text in texts.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert circles(known) == {frozenset(("a.py", "b.py", "c.py"))}


def test_the_prover_imports_nothing_of_the_compiler() -> None:
    may = allowed(rooms())
    assert may["binary/"] == {"binary/", "errors.py", "signals.py", "reading.py"}
    assert may["proof/"] == {"proof/", "binary/"}


KNOW_CAPSTONE = {
    "binary/decode.py": "the only decoder",
    "binary/operands.py": "the only reader of operands, apart from the prover",
    "counting/decode_x86_64.py": "which flags and operands are read and written",
    "proof/constant_time/arm.py": "conditions and shifts of 32-bit ARM",
    "proof/x86_64/": "the prover's meanings, which refuse each form that they do not name",
    "proof/aarch64/": "the same",
    "proof/lanes/": "the same",
    "proof/divsteps/": "the same",
}
"""The files and folders that import capstone, and what for."""


def test_instructions_are_decoded_in_one_place() -> None:
    known = modules().values()
    texts = {path.relative_to(PACKAGE).as_posix(): path.read_text("utf-8") for path in known}
    knowing = {name for name, text in texts.items() if re.search(r"(import|from) capstone", text)}
    assert {name for name in knowing if not name.startswith(tuple(KNOW_CAPSTONE))} == set()
    assert all(any(name.startswith(one) for name in knowing) for one in KNOW_CAPSTONE)
    assert [name for name, text in texts.items() if "capstone.Cs(" in text] == ["binary/decode.py"]


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("from fieldc.lab import race", "decisions/model.py"),
        ("import fieldc.words.lower", "proof/algebra/zeros.py"),
        ("def f():\n    from fieldc.targets.registry import TARGETS", "machine/load.py"),
        ("from fieldc import Field", "field.py"),
    ],
)
def test_a_wrong_import_is_found(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, line: str, place: str
) -> None:
    known = modules()
    monkeypatch.setattr("test_architecture.PACKAGE", tmp_path)
    for path in known.values():
        copy = tmp_path / path.relative_to(ROOT / "fieldc")
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text("")
    (tmp_path / place).write_text(line)
    (found,) = wrong_imports(modules())
    assert found.startswith(f"{place} imports ")


def test_what_the_page_names_is_there() -> None:
    text = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    links = re.findall(r"\]\(([^)#]+)\)", text)
    assert links and all((ROOT / "docs" / link).exists() for link in links)
    named = re.findall(r"`(\w+)` in (?:\[([\w/.]+)\]|`([\w/.]+)`)", text)
    assert len(named) >= 12
    for name, linked, plain in named:
        source = (PACKAGE / (linked or plain)).read_text("utf-8")
        assert re.search(rf"^\s*(def |class )?{name}\b", source, re.M), f"{linked or plain}: {name}"


SAME_IDEA = {
    "Field": "elements.py has the user's field, which holds the constants of field.py's",
    "Element": "an element of the Python interface, and one inside a formula that is recorded",
    "Held": "what a register holds, for each kind of processor that the prover follows",
    "Instruction": "an instruction of the target in whose folder it is",
    "Meaning": "what an instruction does, for each kind of processor that the prover follows",
    "Operand": "of an operation or an instruction; the prover's own, as it imports no compiler",
    "Step": "one operation of a straight-line program: on elements, or on words",
    "Value": "what a word holds; the prover's own, as it imports no compiler",
}
"""Classes and types of one name in several modules, and why that is one idea. The stages of a
target, such as Selection and Allocation, also have the same names in the folder of each target."""


def are_stages(places: list[str]) -> bool:
    """Whether modules are the same stage of different targets."""
    folders = [place.split(".")[2:] for place in places if place.startswith("fieldc.targets.")]
    stages = {tuple(rest) for _, *rest in folders if rest}
    return (
        len(folders) == len(places) == len({folder[0] for folder in folders}) and len(stages) == 1
    )


def names_of_types(path: Path) -> Iterator[str]:
    """The public classes of a file, and the types to which it gives a name."""
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            continue
        yield from (n for n in names if not n.startswith("_") and (n != n.upper()))


def test_the_name_of_a_type_means_one_thing() -> None:
    found: dict[str, list[str]] = {}
    for name, path in modules().items():
        for named in names_of_types(path):
            if named[0].isupper():
                found.setdefault(named, []).append(name)
    several = {
        name: places for name, places in found.items() if len(places) > 1 and not are_stages(places)
    }
    assert several.keys() == SAME_IDEA.keys(), several


MOST_LINES = 400
"""Of a file that a person writes: longer ones are hard to keep in the head."""
FOLDERS = ("fieldc", "tests", "crates", "arkworks", "formal")


def written_by_hand() -> Iterator[Path]:
    """The Python, Rust and C files of the project that no program made."""
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.*")):
            is_built = "target" in path.relative_to(ROOT).parts[:-1]
            if is_built or path.suffix not in (".py", ".rs", ".c", ".v"):
                continue
            if "Generated by fieldc" not in path.read_text("utf-8")[:400]:
                yield path


MOST_LINES_OF_A_FUNCTION = 60
"""A screen: longer ones must be scrolled."""


def test_no_function_must_be_scrolled() -> None:
    too_long = {}
    for path in (*modules().values(), *(ROOT / "tests").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                lines = (node.end_lineno or 0) - node.lineno + 1
                if lines > MOST_LINES_OF_A_FUNCTION:
                    too_long[f"{path.relative_to(ROOT)}: {node.name}"] = lines
    assert not too_long


def test_each_module_says_what_it_is() -> None:
    silent = [n for n, p in modules().items() if not ast.get_docstring(ast.parse(p.read_text()))]
    assert not silent


def test_no_file_is_too_long() -> None:
    lengths = {p: len(p.read_text("utf-8").splitlines()) for p in written_by_hand()}
    assert len(lengths) > 300
    too_long = {str(p.relative_to(ROOT)): n for p, n in lengths.items() if n > MOST_LINES}
    assert not too_long, f"split these by idea: {too_long}"
