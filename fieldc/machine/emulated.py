"""Kernels of other targets, run on this host: linked to one program that an emulator runs.

The program (machine/runner) calls a kernel on memory that it is sent, and sends the memory back:
what is right is decided here. It also says when a call lost a register that it had to keep.
"""

from __future__ import annotations

import os
import select
import struct
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from fieldc.errors import UserError
from fieldc.files import temporary_folder
from fieldc.machine.frames import FrameError, GuardedKernel
from fieldc.processes import environment, why_no_program

RUNNER = Path(__file__).with_name("runner") / "runner.c"
SECONDS = 60
"""A program that says nothing for so long is stopped."""
ROOM = 1 << 22
"""Bytes of memory that one request may bring."""
ARGUMENTS = 8
"""The most arguments of a kernel that is run here, z among them."""


class EmulatorError(UserError):
    """A program could not be linked or did not answer; the message is one line."""


@dataclass(frozen=True)
class Emulator:
    """What links a program for a system and runs it; `sources` are its parts for the processor."""

    command: str
    compiler: tuple[str, ...]
    sources: tuple[Path, ...]
    """Beside the runner: the first one, in assembly, numbers the registers."""
    order: str = "little"
    """Of the bytes of a word."""


_WINE = {"WINEDEBUG": "-all", "WINEDLLOVERRIDES": "winedbg.exe=d"}
"""Without it a program that crashes answers with the registers' names."""


def why_not_emulated(emulator: Emulator) -> str:
    """Return why this host cannot link and run programs for an emulator; empty if it can."""
    linker = ("ld.lld",) if "-fuse-ld=lld" in emulator.compiler else ()
    for tool in (emulator.command, emulator.compiler[0], *linker):
        if why := why_no_program(tool):
            return why
    return why_no_wine() if emulator.command == "wine" else ""


def why_no_wine() -> str:
    """Return why wine cannot begin here; empty if it can.

    It keeps its settings in a folder of the user's own, which it makes in a home of theirs.
    """
    prefix = Path(os.environ.get("WINEPREFIX") or os.path.expanduser("~/.wine"))
    place = prefix if prefix.exists() else prefix.parent
    try:
        usable = os.access(place, os.W_OK) and place.stat().st_uid == os.getuid()
    except OSError:
        usable = False
    return "" if usable else "wine has no folder for its settings, which WINEPREFIX would name"


class RunningProgram:
    """A running program that has kernels, by their symbols, from object files."""

    def __init__(self, emulator: Emulator, objects: Mapping[str, bytes]) -> None:
        self.emulator = emulator
        self.symbols = tuple(objects)
        sign = "<" if emulator.order == "little" else ">"
        self._request, self._answer = (
            struct.Struct(f"{sign}{4 + ARGUMENTS}I"),
            struct.Struct(f"{sign}i"),
        )
        with temporary_folder() as folder:
            made = _linked(emulator, objects, folder)
            command = [emulator.command, str(made)]
            pipe, nothing, found = subprocess.PIPE, subprocess.DEVNULL, environment() | _WINE
            self._process = subprocess.Popen(
                command, stdin=pipe, stdout=pipe, stderr=nothing, bufsize=0, env=found
            )
            # Once it has answered, its file is not needed any more.
            try:
                self._call(0, bytes(8), 8, 0, (0,))
            except EmulatorError:
                self.close()
                raise

    def __enter__(self) -> RunningProgram:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the program."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.close()
        self._process.stdout.close()
        self._process.kill()
        self._process.wait()

    def kernel(
        self, symbol: str, operands: tuple[int, ...], result_limbs: int, word: int = 64
    ) -> EmulatedKernel:
        """One of the kernels, as GuardedKernel has it."""
        return EmulatedKernel(self, symbol, operands, result_limbs, word)

    def calls(
        self, symbol: str, frames: bytes, size: int, start: int, places: Sequence[int]
    ) -> bytes:
        """Frames of `size` bytes after a call of a kernel on each.

        The first lies `start` bytes beyond a line of 64. Raises FrameError where a register is not
        as it was, EmulatorError where the program ends or does not answer.
        """
        most = ROOM // size * size
        number = 1 + self.symbols.index(symbol)
        parts = (frames[i : i + most] for i in range(0, len(frames), most))
        return b"".join(self._call(number, part, size, start, places) for part in parts)

    def _call(
        self, number: int, frames: bytes, size: int, start: int, places: Sequence[int]
    ) -> bytes:
        unused = [places[0]] * (ARGUMENTS - len(places))
        count = len(frames) // size
        request = self._request.pack(number, start, size, count, *places, *unused)
        try:
            self._send(request + frames)
            answer = self._receive(self._answer.size + len(frames))
        except BrokenPipeError:
            raise self._ended() from None
        (changed,) = self._answer.unpack_from(answer)
        if changed >= 0:
            table = self.emulator.sources[0].name
            lost = f"did not restore the register that {table} numbers {changed}"
            raise FrameError(f"{self.symbols[number - 1]} {lost}")
        return answer[self._answer.size :]

    def _send(self, data: bytes) -> None:
        assert self._process.stdin is not None
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._process.stdin.fileno(), rest) :]

    def _receive(self, size: int) -> bytes:
        assert self._process.stdout is not None
        place, parts, left = self._process.stdout.fileno(), [], size
        while left:
            if not select.select([place], [], [], SECONDS)[0]:
                raise EmulatorError(f"{self.emulator.command} said nothing for {SECONDS} s")
            part = os.read(place, left)
            if not part:
                raise self._ended()
            parts.append(part)
            left -= len(part)
        return b"".join(parts)

    def _ended(self) -> EmulatorError:
        status = self._process.wait()
        return EmulatorError(f"the program under {self.emulator.command} ended with {status}")


class EmulatedKernel(GuardedKernel):
    """A kernel of a program that an emulator runs."""

    def __init__(
        self,
        program: RunningProgram,
        symbol: str,
        operands: tuple[int, ...],
        result_limbs: int,
        word: int,
    ) -> None:
        super().__init__(symbol, operands, result_limbs, word, program.emulator.order)
        if len(operands) >= ARGUMENTS:
            raise EmulatorError(
                f"{symbol}: emulators run kernels of at most {ARGUMENTS - 1} operands here"
            )
        self.program = program

    def call(self, frame: bytes, places: Sequence[int]) -> bytes:
        """The frame, or frames side by side, after calls; one word past a line of 64 bytes."""
        return self.program.calls(self.symbol, frame, self.frame_bytes, self.word_bytes, places)


def _linked(emulator: Emulator, objects: Mapping[str, bytes], folder: Path) -> Path:
    """The program in a folder. Raises EmulatorError."""
    for i, code in enumerate(objects.values()):
        (folder / f"{i}.o").write_bytes(code)
    declared = "".join(f"void {symbol}(void);\n" for symbol in objects)
    listed = "".join(f", {symbol}" for symbol in objects)
    (folder / "table.c").write_text(
        f"{declared}static void nothing(void) {{}}\n"
        f"extern void (*const kernels[])(void);\n"
        f"void (*const kernels[])(void) = {{nothing{listed}}};\n"
    )
    (folder / "objects").write_text("".join(f"{i}.o\n" for i in range(len(objects))))
    sources = [str(path) for path in (RUNNER, *emulator.sources)]
    command = [*emulator.compiler, *sources, "table.c", "@objects", "-o", "program"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, env=environment())
    if done.returncode:
        raise EmulatorError(
            f"{emulator.compiler[0]}: {(done.stderr.strip() or '?').splitlines()[0]}"
        )
    return next(path for path in (folder / "program", folder / "program.exe") if path.exists())
