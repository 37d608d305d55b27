"""What runs kernels of targets that this process cannot call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.machine.check import check
from fieldc.machine.emulated import Emulator, RunningProgram, why_not_emulated
from fieldc.machine.load import LoadedKernel, load
from fieldc.machine.wasm import WasmKernel
from fieldc.machine.wasm_wide import WideKernel
from fieldc.targets.target import Artifact


@dataclass(frozen=True)
class EmulatedProgram:
    """One program of all kernels, linked for another processor or system and run there."""

    emulator: Emulator
    on_this_processor: bool = False

    @property
    def name(self) -> str:
        """The command that runs it."""
        return self.emulator.command

    def why_not(self) -> str:
        """The tool that is not installed."""
        return why_not_emulated(self.emulator)

    def run(self, kernels: Sequence[Artifact]) -> None:
        """Call kernels on their vectors.

        Raises CheckError or FrameError for a wrong one, EmulatorError where the program ends.
        """
        objects = {a.symbol: a.code for a in kernels if a.code is not None}
        with RunningProgram(self.emulator, objects) as program:
            for a in kernels:
                word = a.expression.field.word
                check(program.kernel(a.symbol, a.operand_limbs, a.result_limbs, word), a.expression)


@dataclass(frozen=True)
class Engine:
    """What runs modules of WebAssembly, each on its own."""

    name: str
    missing: Callable[[], str]
    kernel: type[WasmKernel] | type[WideKernel]
    on_this_processor: bool = False

    def why_not(self) -> str:
        """What is not installed."""
        return self.missing()

    def run(self, kernels: Sequence[Artifact]) -> None:
        """Call kernels on their vectors.

        Raises CheckError or FrameError for a wrong one, NodeError or WasmtimeError where the
        engine gives up.
        """
        for a in kernels:
            if a.code is not None:
                with self.kernel(a.code, a.symbol, a.operand_limbs, a.result_limbs) as kernel:
                    check(kernel, a.expression)


def run_here(artifact: Artifact) -> None:
    """Call a kernel in this process on its vectors. Raises CheckError or FrameError."""
    if artifact.code is None:
        return
    word = artifact.expression.field.word
    kernel = LoadedKernel(
        load(artifact.code), artifact.symbol, artifact.operand_limbs, artifact.result_limbs, word
    )
    check(kernel, artifact.expression)
