"""Kernels of WebAssembly, run by Node in a process of its own."""

from __future__ import annotations

import shutil
import struct
import subprocess
from collections.abc import Sequence
from pathlib import Path

from fieldc.errors import UserError
from fieldc.machine.frames import GuardedKernel
from fieldc.processes import why_no_program

SCRIPT = Path(__file__).with_name("runner") / "wasm.cjs"
ARGUMENTS = 8
"""The most arguments of a kernel that is run here, z among them."""
_REQUEST = struct.Struct(f"<{3 + ARGUMENTS}I")


class NodeError(UserError):
    """Node did not answer: it refused the module, or the kernel trapped; one line."""


def why_not_node() -> str:
    """Return why this host does not run WebAssembly; empty if it does."""
    why = why_no_program("node")
    return f"{why}: wasm32 is not run here" if why else ""


class WasmKernel(GuardedKernel):
    """A function of a module that imports its memory as "env" "memory", or exports its own.

    Calls use the memory from address 0 on.
    """

    def __init__(
        self, module: bytes, symbol: str, operands: tuple[int, ...], result_limbs: int
    ) -> None:
        super().__init__(symbol, operands, result_limbs)
        if len(operands) >= ARGUMENTS:
            raise NodeError(f"{symbol}: node runs kernels of at most {ARGUMENTS - 1} operands here")
        pipe = subprocess.PIPE
        node = shutil.which("node") or "node"
        self._process = subprocess.Popen(
            [node, str(SCRIPT), symbol], stdin=pipe, stdout=pipe, stderr=pipe
        )
        self._send(_REQUEST.pack(len(module), 1, *[0] * (1 + ARGUMENTS)) + module)

    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """A frame after a call whose arguments lie at these places in it. Raises NodeError."""
        unused = [0] * (ARGUMENTS - len(places))
        self._send(_REQUEST.pack(len(frame), 0, len(places), *places, *unused) + frame)
        stdout = self._process.stdout
        found = stdout.read(len(frame)) if stdout else b""
        if len(found) != len(frame):
            raise self._failure()
        return found

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()

    def __enter__(self) -> WasmKernel:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, data: bytes) -> None:
        stdin = self._process.stdin
        try:
            if stdin is not None:
                stdin.write(data)
                stdin.flush()
        except BrokenPipeError:
            raise self._failure() from None

    def _failure(self) -> NodeError:
        _, errors = self._process.communicate()
        lines = [line.strip(" #") for line in errors.decode(errors="replace").splitlines()]
        said = [line for line in lines if "Error" in line or "Fatal" in line]
        said += [*filter(None, lines), "it ended"]
        return NodeError(f"node does not run {self.symbol}: {said[0]}")
