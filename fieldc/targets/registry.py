"""Every target by name. A folder of targets is registered by one line."""

from __future__ import annotations

import platform
from collections.abc import Iterable

from fieldc.errors import UserError, enumerated, nearest, quote
from fieldc.machine.instruments import Instruments, TimingError
from fieldc.targets.aarch64.targets import AARCH64_SYSTEMS
from fieldc.targets.c.targets import C
from fieldc.targets.llvm.targets import LLVM
from fieldc.targets.rust.targets import RUST
from fieldc.targets.target import Target
from fieldc.targets.wasm.targets import WASM
from fieldc.targets.x86_64.targets import X86_64

TARGETS: dict[str, Target] = {}
OTHER_WORDS = {
    **dict.fromkeys(("amd64", "x86-64", "x64"), "x86_64"),
    **dict.fromkeys(("arm64", "armv8"), "aarch64"),
    **dict.fromkeys(("darwin", "osx"), "macos"),
    **dict.fromkeys(("-unknown", "-apple", "-pc", "-gnu", "-musl", "-msvc"), ""),
}
"""What others call parts of a target's name."""


class UnknownTarget(UserError, LookupError):
    """No target has that name; the message is one line that names the nearest."""


def register(targets: Iterable[Target]) -> None:
    """Add targets. Raises ValueError for a name that is taken."""
    for target in targets:
        if target.name in TARGETS:
            raise ValueError(f"there are two targets {target.name}")
        TARGETS[target.name] = target


def find_target(name: str) -> Target:
    """The target of a name. Raises UnknownTarget."""
    if name in TARGETS:
        return TARGETS[name]
    raise UnknownTarget(unknown_target(name))


def host_target() -> str:
    """The name of the target that is this host."""
    system = {"Darwin": "macos", "Windows": "windows"}.get(platform.system(), "linux")
    machine = {"AMD64": "x86_64", "arm64": "aarch64"}.get(platform.machine(), platform.machine())
    return f"{machine}-{system}"


def unknown_target(name: str) -> str:
    """One line for a name of no target, with the nearest: of equal ones, what suits this host."""
    host = host_target()
    _, _, system = host.rpartition("-")
    meant = {"host": host, "native": host}.get(name.lower(), name.lower())
    for word, ours in OTHER_WORDS.items():
        meant = meant.replace(word, ours)
    likely = sorted(TARGETS, key=lambda target: (target != host, not target.endswith(system)))
    near = nearest(meant, likely)
    hint = f"the nearest: {near[0]}" if near and name else f"use {enumerated(TARGETS)}"
    return f"unknown target {quote(name)}; {hint}"


def instruments_here() -> Instruments:
    """Return what times kernels on this host. Raises TimingError."""
    for target in TARGETS.values():
        if target.is_native and target.instruments is not None:
            return target.instruments
    raise TimingError("kernels can be timed on x86-64 and AArch64 hosts with Linux or Darwin only")


register(X86_64)
register(AARCH64_SYSTEMS)
register(t for t in LLVM if t.architecture != "aarch64")
register(WASM)
register(C)
register(RUST)
