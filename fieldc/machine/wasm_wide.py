"""Kernels of WebAssembly with wide arithmetic, run by wasmtime in this process."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from fieldc.errors import UserError
from fieldc.machine.frames import GuardedKernel


class WasmtimeError(UserError):
    """Wasmtime refused the module, or the kernel trapped; one line."""


def why_not_wasmtime() -> str:
    """Return why this host does not run wide arithmetic; empty if it does."""
    if find_spec("wasmtime"):
        return ""
    return "wasmtime is not installed (pip install wasmtime): wasm32-wide is not run here"


class WideKernel(GuardedKernel):
    """A function of a module that imports its memory as "env" "memory", or exports its own.

    Calls use the memory from address 0 on.
    """

    def __init__(
        self, module: bytes, symbol: str, operands: tuple[int, ...], result_limbs: int
    ) -> None:
        import wasmtime

        super().__init__(symbol, operands, result_limbs)
        config = wasmtime.Config()
        config.wasm_wide_arithmetic = True
        self._store = wasmtime.Store(wasmtime.Engine(config))
        memory = wasmtime.Memory(self._store, wasmtime.MemoryType(wasmtime.Limits(1, None)))
        try:
            made = wasmtime.Module(self._store.engine, module)
            instance = wasmtime.Instance(self._store, made, [memory] if made.imports else [])
        except wasmtime.WasmtimeError as error:
            raise self._failure(error) from None
        exports = instance.exports(self._store)
        self._call = exports[symbol]
        self._memory = memory if made.imports else exports["memory"]

    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """A frame after a call whose arguments lie at these places in it. Raises WasmtimeError."""
        import wasmtime

        self._memory.write(self._store, frame)
        try:
            self._call(self._store, *places)
        except wasmtime.Trap as trap:
            raise self._failure(trap) from None
        return bytes(self._memory.read(self._store, 0, len(frame)))

    def __enter__(self) -> WideKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self._store.close()

    def _failure(self, error: Exception) -> WasmtimeError:
        first = str(error).splitlines()[0]
        return WasmtimeError(f"wasmtime does not run {self.symbol}: {first}")
