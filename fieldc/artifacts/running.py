"""Where this host runs a target's kernels: in this process, in an emulator, or not at all."""

from __future__ import annotations

import platform
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.artifacts.artifact import Artifact
from fieldc.machine.check import check
from fieldc.machine.emulated import EMULATORS, Program, why_not_emulated
from fieldc.machine.load import Kernel, load
from fieldc.machine.processor import is_x86_64, missing
from fieldc.machine.wasm import WasmKernel, why_not_node
from fieldc.machine.wasm_wide import WideKernel, why_not_wasmtime


@dataclass(frozen=True)
class Engine:
    """What runs modules of WebAssembly: its name, why it is not here, and a kernel that it runs."""

    name: str
    why_not: Callable[[], str]
    kernel: type[WasmKernel] | type[WideKernel]


ENGINES = {
    "wasm32": Engine("node", why_not_node, WasmKernel),
    "wasm32-wide": Engine("wasmtime", why_not_wasmtime, WideKernel),
}


@dataclass(frozen=True)
class Place:
    """Where kernels run: `emulator` is empty for this process. With a `reason` they do not."""

    emulator: str = ""
    reason: str = ""

    @property
    def is_here(self) -> bool:
        """Whether this process runs them."""
        return not self.emulator and not self.reason


def place_of(target: str, needs: Sequence[str] = ()) -> Place:
    """Where this host runs objects of a target that need features of the processor."""
    system = f"x86_64-{platform.system().lower().replace('darwin', 'macos')}"
    if target in ENGINES:
        reason = ENGINES[target].why_not()
        return Place(reason=reason) if reason else Place(ENGINES[target].name)
    native = is_x86_64() and target.startswith(system)
    lacking = missing(needs) if needs and target.startswith("x86_64") else []
    if lacking and (native or target in EMULATORS):
        return Place(reason=f"this processor lacks {' and '.join(lacking)}")
    if native:
        return Place()
    if target not in EMULATORS:
        return Place(reason=f"this host runs no {'-'.join(target.split('-')[:2])} objects")
    reason = why_not_emulated(target)
    return Place(reason=reason) if reason else Place(EMULATORS[target].command)


def place_of_artifact(artifact: Artifact) -> Place:
    """Where this host runs a kernel."""
    if artifact.code is None:
        return Place(reason=f"{artifact.target} source is compiled by its user")
    return place_of(artifact.target, artifact.needs)


def run_here(artifact: Artifact) -> None:
    """Call a kernel in this process on its vectors. Raises CheckError or FrameError."""
    if artifact.code is None:
        return
    f = artifact.expression.field
    kernel = Kernel(
        load(artifact.code), artifact.symbol, _operands(artifact), _results(artifact), f.word
    )
    check(kernel, artifact.expression)


def run_emulated(target: str, artifacts: Sequence[Artifact]) -> None:
    """Call kernels of one target in an emulator on their vectors.

    Raises CheckError or FrameError for a wrong one, EmulatorError, NodeError or WasmtimeError where
    what runs it gives up.
    """
    if target in ENGINES:
        for artifact in artifacts:
            _run_by(ENGINES[target], artifact)
        return
    objects = {a.symbol: a.code for a in artifacts if a.code is not None}
    with Program(EMULATORS[target], objects) as program:
        for artifact in artifacts:
            f = artifact.expression.field
            kernel = program.kernel(
                artifact.symbol, _operands(artifact), _results(artifact), f.word
            )
            check(kernel, artifact.expression)


def _run_by(engine: Engine, artifact: Artifact) -> None:
    if artifact.code is None:
        return
    n = _results(artifact)
    with engine.kernel(artifact.code, artifact.symbol, _operands(artifact), n) as kernel:
        check(kernel, artifact.expression)


def _results(artifact: Artifact) -> int:
    return artifact.expression.kernel.result.width(artifact.expression.field)


def _operands(artifact: Artifact) -> tuple[int, ...]:
    f = artifact.expression.field
    return tuple(bound.width(f) for _, bound in artifact.expression.kernel.operands)
