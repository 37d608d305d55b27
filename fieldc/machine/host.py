"""Kernels for this very machine: every backend's code, compiled, loaded and called in-process."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fieldc.backends.llvm import print_llvm
from fieldc.backends.llvm_wide import print_llvm_wide
from fieldc.backends.targets import find_target
from fieldc.backends.x86_64.choices import FEATURES, VARIANTS
from fieldc.backends.x86_64.kernel import compile_trace
from fieldc.backends.x86_64.print import GNU
from fieldc.language import Trace
from fieldc.machine.assemble import assemble, compile_ir, host_triple
from fieldc.machine.load import Kernel, load
from fieldc.machine.processor import ProcessorError, is_x86_64, missing
from fieldc.words.lower import lower

SYMBOL = "fieldc_kernel"


@dataclass(frozen=True)
class HostBackend:
    """One way to machine code for this host, and the processor features its code needs."""

    name: str
    features: tuple[str, ...]
    compile: Callable[[Trace], bytes]
    """From a trace to an object file that defines SYMBOL."""
    can: Callable[[Trace], bool] = lambda _: True
    """Whether it makes a kernel of a trace at all."""

    @property
    def missing(self) -> list[str]:
        """Features this processor lacks; where there are any, the code must not run."""
        return missing(self.features)

    def kernel(self, trace: Trace) -> Kernel:
        """The kernel of a trace, compiled and loaded."""
        return loaded(self.compile(trace), trace)


def loaded(made: bytes, trace: Trace) -> Kernel:
    """The kernel of a trace from its object file."""
    operands = tuple(bound.width(trace.field) for _, bound in trace.kernel.operands)
    width = trace.kernel.result.width(trace.field)
    return Kernel(load(made), SYMBOL, operands, width, trace.field.word)


def _own(variant: str) -> HostBackend:
    def compile_(trace: Trace) -> bytes:
        return assemble(compile_trace(trace, SYMBOL, VARIANTS[variant]).text(GNU))

    return HostBackend(f"x86-{variant}", FEATURES[variant], compile_)


def _llvm(name: str, target_name: str, features: tuple[str, ...]) -> HostBackend:
    def compile_(trace: Trace) -> bytes:
        target = find_target(target_name).processor
        text = print_llvm(lower(trace, target.rows), SYMBOL, target.form)
        return compile_ir(text, host_triple(), target.cpu, target.features).object

    return HostBackend(name, features, compile_)


def _llvm_wide() -> HostBackend:
    def compile_(trace: Trace) -> bytes:
        ir = print_llvm_wide(trace, SYMBOL)
        return compile_ir(ir, host_triple(), "x86-64", "+bmi2").object

    return HostBackend("llvm-wide", ("bmi2",), compile_)


def host_backends(word: int) -> list[HostBackend]:
    """The backends whose code this host may run, slowest first; own ones have 64-bit words."""
    if not is_x86_64():
        return []
    llvm = [
        _llvm_wide(),
        _llvm("llvm", "x86_64-linux-llvm", ()),
        _llvm("llvm-bmi2", "x86_64-linux-llvm-bmi2", ("bmi2",)),
    ]
    return [*llvm, *(_own(v) for v in ("base", "mulx", "adx"))] if word == 64 else llvm


def find_backend(name: str) -> HostBackend:
    """The backend of a name. Raises LookupError."""
    return next(b for b in host_backends(64) if b.name == name)


def native(trace: Trace) -> Kernel:
    """The kernel of a trace as machine code in this process, called with Python's integers.

    The last of `host_backends` that this processor runs. Raises ProcessorError where there is none.
    """
    runnable = [b for b in host_backends(trace.field.word) if not b.missing]
    if not runnable:
        raise ProcessorError("no backend makes code that this host can run in-process")
    return runnable[-1].kernel(trace)
