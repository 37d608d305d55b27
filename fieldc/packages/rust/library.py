"""The crate's own sources, as a package of one prime has them.

The package computes with the same texts as the crate: only its kernels, its named field and the
first page of its documentation differ. An installed fieldc has a copy of the sources beside this
file; a checkout has them in crates/fieldc.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from fieldc.errors import UserError
from fieldc.packages.checked_in import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LEFT_OUT = ("generated", "lib.rs", "texts.rs")
"""What a package has of its own, and what only macros of this repository use."""
EXAMPLE = re.compile(r"^( *//[/!])(?: ```.*\n)((?:\1.*\n)*?)\1 ```\n", re.MULTILINE)
AFTER_HEAD = "#![no_std]"
TEXTS = re.compile(r'#\[cfg\(feature = "texts"\)\]\n#\[doc\(hidden\)\]\npub mod texts;\n')
OWN = ("portable", "static-cpu")
"""Features that need no other crate."""
INTERNAL = ("texts",)


class NoLibrary(UserError):
    """This installation has no sources of the crate."""


class UnknownTrait(UserError):
    """The crate has no such feature; the message lists them."""


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
        if path.parts[0] not in LEFT_OUT
    }


def without_examples(text: str) -> str:
    """The text without the examples of its documentation that name the crate or its fields."""
    return EXAMPLE.sub(lambda m: "" if "fieldc" in m[2] else m[0], text)


def root_module(head: str) -> str:
    """lib.rs with another first page."""
    text = (library() / "src" / "lib.rs").read_text(encoding="utf-8")
    _, mark, rest = without_examples(TEXTS.sub("", text)).partition(AFTER_HEAD)
    return f"{head}{mark}{rest}"


def features() -> dict[str, list[str]]:
    """The crate's features, each with what it turns on."""
    found: dict[str, list[str]] = _cargo()["features"]
    return {name: parts for name, parts in found.items() if name not in INTERNAL}


def trait_names() -> tuple[str, ...]:
    """The features that implement traits of other crates."""
    return tuple(name for name in features() if name not in OWN)


def with_traits(wanted: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, dict[str, Any]]]:
    """The features that are wanted with those that they need, and the crates that these need.

    Raises UnknownTrait.
    """
    every, dependencies = features(), _cargo()["dependencies"]
    names, crates = dict.fromkeys(OWN), dict[str, dict[str, Any]]()
    waiting = list(wanted)
    while waiting:
        name = waiting.pop()
        if name not in every or name in OWN:
            raise UnknownTrait(f"no trait feature {name!r}; there are {', '.join(trait_names())}")
        names[name] = None
        waiting += [part for part in every[name] if part in every and part not in names]
        needed = [part.removeprefix("dep:") for part in every[name] if part.startswith("dep:")]
        crates |= {crate: dependencies[crate] for crate in needed}
    kept = {name: _kept(every[name], crates) for name in every if name in names}
    return kept, dict(sorted(crates.items()))


def _kept(parts: Sequence[str], crates: Mapping[str, object]) -> list[str]:
    """What a feature turns on, without the crates that the package does not have."""
    return [p for p in parts if "?/" not in p or p.partition("?/")[0] in crates]


def _cargo() -> dict[str, Any]:
    return tomllib.loads((library() / "Cargo.toml").read_text(encoding="utf-8"))
