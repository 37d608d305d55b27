"""Assembly text and LLVM IR to object files, through LLVM in this process: no system compiler.

LLVM answers bad assembly by ending the process (llvmlite 0.50 offers no way to set a diagnostic
handler). So the work runs in a forked child (1-2 ms): the child's death, and anything LLVM says,
warnings included, becomes an AssemblyError. Hosts without fork run it unguarded.
"""

from __future__ import annotations

import faulthandler
import os
import re
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import NoReturn

import llvmlite.binding as llvm

SYSTEM = 100
"""Added to the number of a system error, it is the status that a child ends with."""


class AssemblyError(ValueError):
    """LLVM refused a text, a target or a feature. The message is one line."""


@dataclass(frozen=True)
class Compiled:
    """One compiled module: the object file, and the same code as assembly text."""

    object: bytes
    assembly: str


def assemble(text: str, triple: str = "", features: str = "") -> bytes:
    """The object file of GNU-as text, AT&T or `.intel_syntax noprefix`.

    `triple` is the host's unless given. llvmlite carries the assembler of the host's architecture
    only, so on x86-64 the triples are x86-64 ones (Linux, Windows, Darwin). `features` is LLVM's
    list (`-sse2,+adx`); x86 needs none to assemble any instruction. Raises AssemblyError with
    line, column and the offending line.
    """
    target = triple or host_triple()
    if _architecture(target) != _architecture(host_triple()):
        raise AssemblyError(f"no assembler for {target} here; the host is {host_triple()}")
    module = f'target triple = "{_escape(target)}"\nmodule asm "{_escape(text)}"\n'

    def work() -> bytes:
        machine = _machine(target, "", features, 0)
        return bytes(machine.emit_object(_parse(module, machine)))

    return _guarded(work)


def compile_ir(ir: str, triple: str, cpu: str, features: str, level: int = 2) -> Compiled:
    """LLVM IR, optimised at `level` (0 to 3) and compiled for any triple LLVM was built with.

    The triple and data layout replace those of the IR. Code is position independent. Raises
    AssemblyError for bad IR, an unknown triple, processor or feature, and wherever LLVM gives up.
    """

    def work() -> bytes:
        machine = _machine(triple, cpu, features, level)
        module = _parse(ir, machine)
        options = llvm.create_pipeline_tuning_options(speed_level=level)
        builder = llvm.create_pass_builder(machine, options)
        builder.getModulePassManager().run(module, builder)
        # Printing changes the module, so the object is emitted from a copy.
        data: bytes = machine.emit_object(module.clone())
        assembly: str = machine.emit_assembly(module)
        return b"".join((len(data).to_bytes(8, "little"), data, assembly.encode()))

    answer = _guarded(work)
    end = 8 + int.from_bytes(answer[:8], "little")
    return Compiled(answer[8:end], answer[end:].decode())


@cache
def initialise() -> None:
    """Register all of LLVM's targets; later calls do nothing."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    llvm.initialize_native_asmparser()


def host_triple() -> str:
    """The triple of this process, as LLVM writes it."""
    return str(llvm.get_process_triple())


def _architecture(triple: str) -> str:
    return triple.split("-", 1)[0]


def _machine(triple: str, cpu: str, features: str, level: int) -> llvm.TargetMachine:
    target = llvm.Target.from_triple(triple)
    return target.create_target_machine(
        cpu=cpu, features=features, opt=level, reloc="pic", codemodel="default"
    )


def _parse(ir: str, machine: llvm.TargetMachine) -> llvm.ModuleRef:
    module = llvm.parse_assembly(ir)
    module.triple = machine.triple
    module.data_layout = str(machine.target_data)
    module.verify()
    return module


def _escape(text: str) -> str:
    return _UNPRINTED.sub(lambda m: "".join(f"\\{b:02X}" for b in m[0].encode()), text)


_UNPRINTED = re.compile(r'[^ -~]|["\\]')
"""What a string of LLVM's IR holds as numbers: quotes, backslashes, and all that is not ASCII."""


def _guarded(work: Callable[[], bytes]) -> bytes:
    initialise()
    if not hasattr(os, "fork"):
        return _unguarded(work)
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        # Other threads may use LLVM: its lock is not theirs when the child gets it.
        with llvm.ffi.lib._lock:
            child = os.fork()
        if child == 0:
            _child(work, output.fileno(), errors.fileno())
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        output.seek(0)
        errors.seek(0)
        said = errors.read().decode(errors="replace")
        if status > SYSTEM:
            raise OSError(status - SYSTEM, os.strerror(status - SYSTEM), tempfile.gettempdir())
        if status or said:
            raise AssemblyError(_one_line(said) or f"LLVM ended with status {status}")
        return output.read()


def _unguarded(work: Callable[[], bytes]) -> bytes:
    try:
        return work()
    except RuntimeError as error:
        raise AssemblyError(_one_line(str(error))) from None


def _child(work: Callable[[], bytes], output: int, errors: int) -> NoReturn:
    status = 1
    try:
        faulthandler.disable()
        os.dup2(errors, 2)
        with open(output, "wb", closefd=False) as file:
            file.write(work())
        status = 0
    except OSError as error:
        status = SYSTEM + (error.errno or 0)
    except BaseException as error:
        os.write(errors, (str(error) or repr(error)).encode())
    finally:
        os._exit(status)


_PLACE = re.compile(r"<inline asm>:(\d+):(\d+): (.*)")


def _one_line(said: str) -> str:
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    if not lines:
        return ""
    message = re.sub(r"^(LLVM ERROR: |error: |warning: |<unknown>:0: )*", "", lines[0])
    place = _PLACE.search(message)
    if not place:
        return ": ".join(lines[:2]) if "parsing error" in message else message
    source = f": {lines[1]}" if len(lines) > 1 else ""
    return f"line {place[1]}, column {place[2]}: {place[3]}{source}"
