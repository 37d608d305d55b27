"""The crate's own sources, as a package of one prime has them.

The package computes with the same texts as the crate: only its kernels, its named field and the
first page of its documentation differ. An installed fieldc has a copy of the sources beside this
file; a checkout has them in crates/fieldc.
"""

from __future__ import annotations

import re
from pathlib import Path

from fieldc.errors import UserError
from fieldc.packages.checked_in import ROOT

LEFT_OUT = ("generated", "lib.rs", "sources.rs")
"""What a package has of its own, and what only macros of this repository use."""
NAMED = ("curves", "pairing", "tower")
"""Modules for fields that the crate names."""
EXAMPLE = re.compile(
    r"^( *)(?://[/!] ```.*|#\[doc = \$fence\])\n((?:\1//[/!].*\n)*?)\1//[/!] ```\n", re.MULTILINE
)
AFTER_HEAD = "#![no_std]"
NOT_THERE = re.compile(
    r"(?:#\[.*\]\n)*pub (?:mod (?:sources|" + "|".join(NAMED) + r");|use tower::.*;)\n"
)
"""What lib.rs says of modules that a package does not have."""


class NoLibrary(UserError):
    """This installation has no sources of the crate."""


def library() -> Path:
    """The crate: its folder `src` and its Cargo.toml. Raises NoLibrary."""
    for folder in (Path(__file__).with_name("library"), ROOT / "crates" / "fieldc"):
        if (folder / "Cargo.toml").is_file():
            return folder
    raise NoLibrary("this installation of fieldc has no sources of the Rust crate; reinstall it")


def sources() -> dict[str, str]:
    """The crate's files but for its kernels and lib.rs, by their paths in src."""
    folder = library() / "src"
    paths = (path.relative_to(folder) for path in sorted(folder.rglob("*.rs")))
    return {
        path.as_posix(): without_examples((folder / path).read_text(encoding="utf-8"))
        for path in paths
        if path.parts[0] not in LEFT_OUT and path.parts[0].removesuffix(".rs") not in NAMED
    }


def without_examples(text: str) -> str:
    """The text without the examples of its documentation that name the crate or its fields."""
    return EXAMPLE.sub(lambda m: "" if "fieldc" in m[2] else m[0], text)


def root_module(head: str) -> str:
    """lib.rs with another first page."""
    text = (library() / "src" / "lib.rs").read_text(encoding="utf-8")
    _, mark, rest = without_examples(NOT_THERE.sub("", text)).partition(AFTER_HEAD)
    return f"{head}{mark}{rest}"


def licence(name: str) -> str:
    """One of the crate's licences, by the name of its file."""
    return (library() / name).read_text(encoding="utf-8")


def cargo_toml() -> str:
    """The crate's Cargo.toml."""
    return (library() / "Cargo.toml").read_text(encoding="utf-8")
