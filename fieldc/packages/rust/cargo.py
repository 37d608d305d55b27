"""The features and dependencies of a package of one prime: those of the crate that are wanted."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from fieldc.errors import UserError, nearest, quote
from fieldc.packages.rust.library import cargo_toml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN = {
    "portable": "Leaves the x86-64 assembly out: portable Rust only.",
    "static-cpu": "Takes what the compiler's target has for what the processor has.",
    "vectors": "Kernels on arrays for processors with AVX-512 or AVX2, which `slices` runs.",
    "alloc": "`DigitArray`, which owns memory of an allocator.",
}
"""Features that need no other crate, and what they do."""
ON = ("vectors",)
"""Those that are on."""
INTERNAL = ("default", "sources", "curves", "group", "group-0-13", "pairing")
"""Features for macros of this repository, and for fields that the crate names."""


class UnknownTrait(UserError):
    """The crate has no such feature; the message lists them."""


def trait_names() -> tuple[str, ...]:
    """The features of the crate that implement traits of other crates."""
    return tuple(name for name in _crate()["features"] if name not in (*OWN, *INTERNAL))


def check_traits(wanted: Sequence[str]) -> None:
    """Raise UnknownTrait for a feature that the crate has not."""
    known = trait_names()
    for name in wanted:
        if name not in known:
            near = ", ".join(nearest(name, known))
            hint = f"the nearest: {near}" if near else f"use some of {', '.join(known)}"
            raise UnknownTrait(f"no traits are named {quote(name)}; {hint}")


def features_text(wanted: Sequence[str]) -> str:
    """The tables of features, dependencies and lints. Raises UnknownTrait."""
    kept, crates = _closure(wanted)
    default = f"default = {_value([*ON, *wanted])}\n"
    own = "".join(f"# {says}\n{name} = []\n" for name, says in OWN.items())
    rest = "".join(f"{name} = {_value(parts)}\n" for name, parts in kept.items())
    needed = "".join(f"{name} = {_value(spec)}\n" for name, spec in crates.items())
    dependencies = f"\n[dependencies]\n{needed}" if needed else ""
    return f"[features]\n{default}{own}{rest}{dependencies}\n{_lints(kept)}"


def _closure(wanted: Sequence[str]) -> tuple[dict[str, list[str]], dict[str, Any]]:
    """The wanted features and those that they need, and the crates that all these need."""
    every, known = _crate()["features"], trait_names()
    kept: dict[str, list[str]] = {}
    check_traits(wanted)
    waiting = list(wanted)
    while waiting:
        name = waiting.pop(0)
        kept[name] = every[name]
        waiting += [part for part in every[name] if part in known and part not in kept]
    parts = [part for some in kept.values() for part in some]
    names = sorted(part.removeprefix("dep:") for part in parts if part.startswith("dep:"))
    crates = {name: _crate()["dependencies"][name] for name in names}
    return {name: list(_present(some, crates)) for name, some in kept.items()}, crates


def _present(parts: Sequence[str], crates: Mapping[str, object]) -> Iterator[str]:
    """What a feature turns on, but for crates that the package does not have."""
    return (part for part in parts if "?/" not in part or part.partition("?/")[0] in crates)


def _lints(kept: Mapping[str, object]) -> str:
    """The sources ask for features that this package does not have."""
    others = ", ".join(f'"{name}"' for name in (*trait_names(), *INTERNAL) if name not in kept)
    check = f"check-cfg = ['cfg(feature, values({others}))']" if others else "check-cfg = []"
    return f'[lints.rust]\nunexpected_cfgs = {{ level = "warn", {check} }}\n'


def _value(value: object) -> str:
    """A value as TOML: what stands in the tables of a Cargo.toml."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{name} = {_value(v)}" for name, v in value.items()) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return f'"{value}"'


def _crate() -> dict[str, Any]:
    return tomllib.loads(cargo_toml())
