"""The assembly text of a C package for AArch64, and its objects: one body for every system.

The kernels have the same instructions on Linux, macOS and Windows. What stands around them is in
two macros, for which the preprocessor asks. Apple's assembler separates statements by `%%`.
"""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import wrap

from fieldc.field import Field
from fieldc.packages.c.assembly import MACOS as X86_MACOS
from fieldc.packages.c.assembly import WINDOWS as X86_WINDOWS
from fieldc.packages.c.assembly import Platform, as_strings, choice, divsteps_symbol
from fieldc.packages.c.constants import has_divstep_kernel
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.targets.aarch64.divsteps import compile_divsteps_for_arm
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.aarch64.targets import kernel_of
from fieldc.targets.header import header
from fieldc.targets.target import Artifact

CONDITION = (
    "!defined(FIELDC_PORTABLE_ONLY) && !defined(_M_ARM64EC) && \\\n    "
    "((defined(__aarch64__) && defined(__AARCH64EL__) && !defined(__ILP32__)) || "
    "defined(_M_ARM64))"
)
"""What the preprocessor asks before it takes assembly."""
KERNEL, END = "FIELDC_KERNEL", "FIELDC_END"


def _system(
    name: str, triple: str, condition: str, begin: str, end: str, suffix: str = ".o"
) -> Platform:
    return Platform(
        f"aarch64-{name}",
        triple,
        condition,
        None,
        ((KERNEL, begin), (END, end)),
        "_" if name == "macos" else "",
        f"objects/aarch64-{name}{suffix}",
    )


WINDOWS = _system(
    "windows",
    "aarch64-pc-windows-msvc",
    X86_WINDOWS.condition,
    ".text; .def name; .scl 2; .type 32; .endef; .globl name; .p2align 6; name:",
    ".text",
    ".obj",
)
MACOS = _system(
    "macos",
    "arm64-apple-macosx11.0.0",
    X86_MACOS.condition,
    ".text %% .globl _##name %% .private_extern _##name %% .p2align 6 %% _##name:",
    ".text",
)
LINUX = _system(
    "linux",
    "aarch64-unknown-linux-gnu",
    "",
    '.pushsection .text.name,"ax",%progbits; .globl name; .hidden name; .type name,%function; '
    ".p2align 6; name:",
    ".size name,.-name; .popsection",
)
ARM_SYSTEMS = (WINDOWS, MACOS, LINUX)
"""In the order in which the preprocessor asks; the last one is every other."""


def of_one_system(kernels: Iterable[Artifact]) -> list[Artifact]:
    """The AArch64 kernels of one system: those of the others have the same instructions."""
    return [a for a in kernels if a.target.name == LINUX.target]


def kernels_text(kernels: Iterable[Artifact]) -> str:
    """The kernels in macros, and that of a batch of divsteps."""
    of = list(kernels)
    return "\n".join((*map(_kernel, of), *map(_divsteps, _with_divsteps(of))))


def _with_divsteps(kernels: Iterable[Artifact]) -> list[Field]:
    """The fields whose packages call the kernel of a batch of divsteps."""
    return [*filter(has_divstep_kernel, dict.fromkeys(a.expression.field for a in kernels))]


def _divsteps(field: Field) -> str:
    symbol = divsteps_symbol(field)
    said = wrap(f"{DIVSTEP_MATRIX}, the same for all primes: {BATCH.says}", 96)
    return _in_macros(symbol, said, compile_divsteps_for_arm().text())


def _kernel(artifact: Artifact) -> str:
    head = header(artifact.target.name, artifact.choice, "of the system")
    return _in_macros(artifact.symbol, head, kernel_of(artifact.choice).text())


def _in_macros(symbol: str, head: Iterable[str], body: Iterable[str]) -> str:
    said = (f"// {line}" for line in head)
    return "\n".join((*said, f"{KERNEL}({symbol})", *body, f"{END}({symbol})", ""))


def arm_assembly_file(head: str, kernels: Iterable[Artifact]) -> str:
    """The whole .S file: macros, then the kernels."""
    macros = {
        s.target: "".join(f"#define {n}(name) {b}\n" for n, b in s.macros) for s in ARM_SYSTEMS
    }
    return f"""{head}
#if {CONDITION}
{choice(macros, ARM_SYSTEMS)}
{kernels_text(kernels)}
#if {MACOS.condition}
.subsections_via_symbols
#endif
#endif
#if defined(__ELF__)
.section .note.GNU-stack,"",%progbits
#endif
"""


def arm_inline_assembly(prefix: str, kernels: Iterable[Artifact]) -> str:
    """The kernels in a C file, for compilers that know GNU's assembly; PREFIX_AARCH64 asks."""
    macros = choice({s.target: "".join(s.string_defines()) for s in ARM_SYSTEMS}, ARM_SYSTEMS)
    return f"""/* ---- Kernels for AArch64 ---- */

#if {prefix}_AARCH64
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
{macros}
{as_strings(kernels_text(kernels), (), ())}
#undef {KERNEL}
#undef {END}
#pragma GCC diagnostic pop
#endif
"""


def arm_objects(kernels: Iterable[Artifact]) -> dict[str, bytes]:
    """The file's kernels as an object for each system, by its target."""
    of = of_one_system(kernels)
    codes = {a.symbol: kernel_of(a.choice).code for a in of}
    for field in _with_divsteps(of):
        codes[divsteps_symbol(field)] = compile_divsteps_for_arm().code
    return {system.target: object_of(codes, system.triple) for system in ARM_SYSTEMS}
