"""The features and the name of this processor."""

from __future__ import annotations

import ctypes
import platform
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path

import llvmlite.binding as llvm

from fieldc.errors import UserError
from fieldc.machine.assemble import assemble
from fieldc.machine.load import Library, load

_CPUID = """
    .globl fieldc_cpuid
fieldc_cpuid:
    push %rbx
    mov %rdx, %r8
    mov %edi, %eax
    mov %esi, %ecx
    cpuid
    mov %eax, (%r8)
    mov %ebx, 4(%r8)
    mov %ecx, 8(%r8)
    mov %edx, 12(%r8)
    pop %rbx
    ret
"""


_MIDR = Path("/sys/devices/system/cpu/cpu0/regs/identification/midr_el1")


class ProcessorError(UserError):
    """This processor cannot run the kernel. The message is one line."""


def is_x86_64() -> bool:
    """Whether this host runs System V x86-64 code."""
    return platform.machine().lower() in ("x86_64", "amd64") and platform.system() != "Windows"


def host_architecture() -> str:
    """The architecture whose kernels this process calls: x86_64 or aarch64; empty for others."""
    if is_x86_64():
        return "x86_64"
    return "aarch64" if platform.machine().lower() in ("aarch64", "arm64") else ""


def cpuid(leaf: int, subleaf: int = 0) -> tuple[int, int, int, int]:
    """Return EAX, EBX, ECX and EDX of the CPUID instruction; zeros if the host has none."""
    if not is_x86_64():
        return 0, 0, 0, 0
    registers = (ctypes.c_uint32 * 4)()
    _cpuid_routine()(leaf, subleaf, ctypes.addressof(registers))
    a, b, c, d = registers
    return a, b, c, d


@cache
def arm_part() -> str:
    """What names an AArch64 core: Linux's implementer and part (`41-d0c`), Darwin's brand.

    Empty on other hosts, and where the system does not say.
    """
    if host_architecture() != "aarch64":
        return ""
    if platform.system() == "Darwin":
        return _darwin_brand()
    try:
        text = _MIDR.read_text("ascii")
        return part_of(int(text, 16))
    except (OSError, ValueError):
        return ""


def part_of(midr: int) -> str:
    """The implementer and the part of the register MIDR_EL1, in hexadecimal digits."""
    return f"{midr >> 24 & 0xFF:02x}-{midr >> 4 & 0xFFF:03x}"


def _darwin_brand() -> str:
    size, text = ctypes.c_size_t(64), ctypes.create_string_buffer(64)
    ask = ctypes.CDLL(None).sysctlbyname
    failed = ask(b"machdep.cpu.brand_string", text, ctypes.byref(size), None, 0)
    return "" if failed else text.value.decode("ascii", "replace")


def features() -> frozenset[str]:
    """LLVM's names of the features that processor and system offer; none on other hosts.

    LLVM reads CPUID and asks the system about vector registers (XGETBV).
    """
    return _features_by_llvm() if is_x86_64() else frozenset()


def missing(needed: Iterable[str]) -> list[str]:
    """Those of the features that this processor lacks, in alphabetical order."""
    return sorted(set(needed) - features())


@cache
def brand() -> str:
    """Return the processor's own name, or the host's architecture if nothing names it."""
    if cpuid(0x80000000)[0] < 0x80000004:
        return arm_part() or platform.processor() or platform.machine()
    registers = [value for leaf in (2, 3, 4) for value in cpuid(0x80000000 + leaf)]
    text = b"".join(value.to_bytes(4, "little") for value in registers)
    return " ".join(text.split(b"\0")[0].decode("ascii", "replace").split())


@cache
def _features_by_llvm() -> frozenset[str]:
    return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)


@cache
def _cpuid_routine() -> Callable[[int, int, int], None]:
    library = load(assemble(_CPUID))
    signature = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_void_p)
    routine = signature(library.address("fieldc_cpuid"))

    def call(leaf: int, subleaf: int, registers: int, _held: Library = library) -> None:
        routine(leaf, subleaf, registers)

    return call
