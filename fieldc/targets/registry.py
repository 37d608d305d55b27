"""Every target by name. A folder of targets is registered by one line."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from fieldc.errors import UserError
from fieldc.machine.instruments import Instruments, TimingError
from fieldc.targets.aarch64.targets import AARCH64_SYSTEMS
from fieldc.targets.c.targets import C
from fieldc.targets.llvm.targets import LLVM
from fieldc.targets.rust.targets import RUST
from fieldc.targets.target import Target
from fieldc.targets.wasm.targets import WASM
from fieldc.targets.x86_64.targets import X86_64

TARGETS: dict[str, Target] = {}


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
    nearest = get_close_matches(name, TARGETS, n=1, cutoff=0)[0]
    raise UnknownTarget(f"no target {name!a}; the nearest is {nearest}")


def instruments_here() -> Instruments:
    """Return what times kernels on this host. Raises TimingError."""
    for target in TARGETS.values():
        if target.is_native and target.instruments is not None:
            return target.instruments
    raise TimingError("kernels can be timed on x86-64 Linux and Darwin hosts only")


register(X86_64)
register(AARCH64_SYSTEMS)
register(t for t in LLVM if t.architecture != "aarch64")
register(WASM)
register(C)
register(RUST)
