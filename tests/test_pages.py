"""What the pages for people name is there: files, links, verbs and options."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from fieldc.cli import VERBS, find_verb

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ["arkworks", "crates", "docs", "examples", "fieldc", "formal", "packages", "tests"]
MADE = {
    "fieldc/algorithms/norm.py",  # written by the reader of docs/tutorial.md
    "fieldc/proofs",  # in the user's cache
    "tests/formulas.rs",  # in a generated crate
}
"""Paths that are not of this repository, though they begin as its folders do."""
PACKAGE = "fieldc/modules/", "fieldc/field", "fieldc/noble"
"""How imports from the npm package begin."""


def pages() -> list[Path]:
    """Every page of the repository but those that a program fills in."""
    folders = (ROOT, *(ROOT / name for name in FOLDERS))
    found = {path for folder in folders for path in folder.glob("*.md")}
    found |= {path for name in FOLDERS for path in (ROOT / name).glob("*/*.md")}
    return sorted(path for path in found if "target" not in path.parts)


def test_pages_are_short() -> None:
    assert not [page.name for page in pages() if len(text_of(page).splitlines()) > 400]


def text_of(page: Path) -> str:
    return page.read_text("utf-8")


def paths_in(text: str) -> Iterator[str]:
    """Each path within the repository that stands as code."""
    for span in re.findall(r"`([^`\n]+)`", text):
        for path in re.findall(rf"(?<![\w/.@-])(?:{'|'.join(FOLDERS)})/[\w./-]*", span):
            yield path.rstrip("./")


def is_there(path: str) -> bool:
    """Whether a path leads somewhere, from the top or as docs/architecture.md writes it."""
    return (ROOT / path).exists() or (ROOT / "fieldc" / path).exists()


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_paths_and_links_are_there(page: Path) -> None:
    text = text_of(page)
    paths = [p for p in paths_in(text) if p not in MADE and not p.startswith(PACKAGE)]
    assert [path for path in paths if not is_there(path)] == []
    links = re.findall(r"\]\((?!https?:)([^)#\s]+)\)", text)
    assert [link for link in links if not (page.parent / link).exists()] == []


def commands_in(text: str) -> Iterator[list[str]]:
    """The words of each call of fieldc, from blocks of commands and from code within lines."""
    fenced = re.findall(r"^ *```([^\n]*)\n(.*?)^ *```$", text, re.M | re.S)
    blocks = [block for language, block in fenced if language in ("", "sh", "text")]
    spans = re.findall(r"`([^`\n]+)`", re.sub(r"^ *```.*?^ *```$", "", text, flags=re.M | re.S))
    for line in (line for block in (*blocks, *spans) for line in block.splitlines()):
        for command in re.findall(r"(?:^\s*(?:\$ )?|/)fieldc ([^\s|;&#][^|;&#\n]*)", line):
            yield command.split()


def wrong_commands(text: str) -> list[str]:
    """Calls of a verb that does not exist, or with an option that it does not have."""
    wrong = []
    for verb, *words in commands_in(text):
        if verb not in VERBS:
            wrong += [verb] if re.fullmatch(r"[a-z]+", verb) and verb != "help" else []
            continue
        known = {name for a in find_verb(verb).parser()._actions for name in a.option_strings}
        options = [re.match(r"\[?(--?[a-z][a-z-]*)", word) for word in words]
        wrong += [f"{verb} {o[1]}" for o in options if o and o[1] not in known]
    return wrong


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_verbs_and_options_exist(page: Path) -> None:
    assert wrong_commands(text_of(page)) == []


def shared_folders(text: str) -> dict[str, set[str]]:
    """Folders that several commands of a page build into: the last one alone is there then."""
    built: dict[str, set[str]] = {}
    for words in commands_in(text):
        if words[0] == "build" and "-o" in words:
            folder = words[words.index("-o") + 1]
            built.setdefault(folder, set()).add(" ".join(words))
    return {f: all_of for f, all_of in built.items() if len(all_of) > 1 and f != "DIR"}


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_each_build_has_a_folder_of_its_own(page: Path) -> None:
    """So a reader may type a page's commands one after the other."""
    assert shared_folders(text_of(page)) == {}


def test_what_is_not_there_is_found() -> None:
    assert list(paths_in("`fieldc/no/such.py` and tests/prose.py")) == ["fieldc/no/such.py"]
    wrong = "`fieldc bench p --algoritm x`\n```sh\n.venv/bin/fieldc raise 7\n```\n"
    assert wrong_commands(wrong) == ["raise", "bench --algoritm"]
    after = "```python\nprint()\n```\nText.\n```sh\nfieldc build 7 -o a\n```\n`fieldc build 5 -o a`"
    assert list(commands_in(after)) == [["build", "7", "-o", "a"], ["build", "5", "-o", "a"]]
    assert shared_folders(after) == {"a": {"build 7 -o a", "build 5 -o a"}}
    assert sum(len(list(commands_in(text_of(page)))) for page in pages()) > 100
