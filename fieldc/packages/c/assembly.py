"""One assembly text for every system of x86-64, and what its preprocessor makes of it.

Kernels are written once for each calling convention. What systems differ in stands in three macros,
which are expanded here too, so that the text is assembled and compared without a C compiler.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import wrap

from fieldc.algorithms.divstep_matrix import StepOrder
from fieldc.binary.linkable import functions
from fieldc.errors import Refusal
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.packages.c.constants import has_divstep_kernel
from fieldc.proof.claims.divsteps import BATCH, DIVSTEP_MATRIX
from fieldc.targets.header import field_symbol, header
from fieldc.targets.target import Artifact
from fieldc.targets.x86_64.calls import CallingKernel
from fieldc.targets.x86_64.conventions import CONVENTIONS, SYSV, WIN64, Convention
from fieldc.targets.x86_64.divsteps import compile_divsteps, ordered_name
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.print import INTEL
from fieldc.targets.x86_64.targets import compiled

PREPROCESSED = replace(INTEL, name="preprocessed", comment="//")
"""`#` at the start of a line would be a directive of the preprocessor."""
START, END = ".intel_syntax noprefix", ".att_syntax prefix"


class DifferentKernel(Refusal):
    """The package's assembly is not the text that was proved; names the symbol and the system."""


@dataclass(frozen=True)
class Platform:
    """A system: its macros, with `name` as parameter, and what the preprocessor asks.

    `convention` is that of our own x86-64.
    """

    target: str
    triple: str
    condition: str
    convention: Convention | None
    macros: tuple[tuple[str, str], ...]
    prefix: str
    object_file: str

    def expand(self, text: str) -> str:
        """The text as the preprocessor leaves it."""
        return MACRO.sub(lambda m: PARAMETER.sub(m[2], dict(self.macros)[m[1]]), text)

    def string_defines(self) -> Iterator[str]:
        """The macros as strings of C, a statement on a line."""
        for name, body in self.macros:
            quoted = PARAMETER.sub('" #name "', body.replace('"', '\\"').replace(" %% ", "\\n"))
            yield f'#define {name}(name) "{quoted}"\n'.replace(' ""', "")


@dataclass(frozen=True)
class ArrayText:
    """Kernels on arrays in macros, and the entries by which Windows calls them."""

    kernels: str = ""
    entries: str = ""


MACRO = re.compile(r"(FIELDC_KERNEL|FIELDC_END|FIELDC_LOCAL)\((\w+)\)")
ALIGN = ".p2align 6, 0x90"


PARAMETER = re.compile(r"(?:##|\b)name\b")


WINDOWS = Platform(
    "x86_64-windows",
    "x86_64-pc-windows-msvc",
    "defined(_WIN32) || defined(__CYGWIN__)",
    WIN64,
    (
        ("FIELDC_LOCAL", ".L##name"),
        ("FIELDC_KERNEL", f".text; .globl name; {ALIGN}; name:"),
        ("FIELDC_END", ".text"),
    ),
    "",
    "objects/x86_64-windows.obj",
)
MACOS = Platform(
    "x86_64-macos",
    "x86_64-apple-macosx10.15.0",
    "defined(__APPLE__)",
    SYSV,
    (
        ("FIELDC_LOCAL", "L##name"),
        ("FIELDC_KERNEL", f".text; .globl _##name; .private_extern _##name; {ALIGN}; _##name:"),
        ("FIELDC_END", ".text"),
    ),
    "_",
    "objects/x86_64-macos.o",
)
LINUX = Platform(
    "x86_64-linux",
    "x86_64-unknown-linux-gnu",
    "",
    SYSV,
    (
        ("FIELDC_LOCAL", ".L##name"),
        (
            "FIELDC_KERNEL",
            '.pushsection .text.name,"ax",@progbits; .globl name; .hidden name; '
            f".type name,@function; {ALIGN}; name:",
        ),
        ("FIELDC_END", ".size name,.-name; .popsection"),
    ),
    "",
    "objects/x86_64-linux.o",
)
SYSTEMS = (WINDOWS, MACOS, LINUX)
"""In the order in which the preprocessor asks; the last one is every other."""


def kernels_text(artifacts: Iterable[Artifact], convention: Convention) -> str:
    """The kernels of one convention, in macros, and those of a batch of divsteps."""
    of = [a for a in artifacts if CONVENTIONS.get(a.convention) is convention]
    fields = filter(has_divstep_kernel, dict.fromkeys(a.expression.field for a in of))
    batches = (_divsteps(f, convention, order) for f in fields for order in StepOrder)
    return "\n".join((*map(_kernel, of), *batches))


def divsteps_symbol(field: Field, order: StepOrder = StepOrder.COUNT_FIRST) -> str:
    """The name of a package's kernel of divsteps with an order of a step."""
    return f"fieldc_{field_symbol(field)}_{ordered_name(order)}"


def _divsteps(field: Field, convention: Convention, order: StepOrder) -> str:
    symbol = divsteps_symbol(field, order)
    kernel = compile_divsteps(symbol, convention, order)
    said = wrap(f"{DIVSTEP_MATRIX}, the same for all primes: {BATCH.says}", 96)
    return _in_macros(symbol, kernel, said)


def _kernel(artifact: Artifact) -> str:
    symbol, convention = artifact.symbol, CONVENTIONS[artifact.convention]
    kernel = compiled(artifact.choice, symbol, convention)
    return _in_macros(
        symbol, kernel, header(artifact.target.name, artifact.choice, convention.name)
    )


def _in_macros(symbol: str, kernel: X86Kernel | CallingKernel, head: Iterable[str]) -> str:
    lines = [
        *(f"// {line}" for line in head),
        f"FIELDC_KERNEL({symbol})",
        *kernel.lines(PREPROCESSED, lambda label: f"FIELDC_LOCAL({symbol}_{label})"),
        f"FIELDC_END({symbol})",
    ]
    return "\n".join(lines) + "\n"


def choice(of: dict[str, str], systems: Sequence[Platform] = SYSTEMS) -> str:
    """Lines for each system, chosen by the preprocessor."""
    lines = []
    for i, system in enumerate(systems):
        condition = f"{'el' if i else ''}if {system.condition}" if system.condition else "else"
        lines += [f"#{condition}", of[system.target].rstrip("\n")]
    return "\n".join([*lines, "#endif"]) + "\n"


def assembly_file(
    head: str, condition: str, artifacts: Iterable[Artifact], arrays: ArrayText, with_arrays: str
) -> str:
    """The whole .S file: macros, then the kernels of the system's convention.

    Kernels on arrays come where `with_arrays` holds.
    """
    kernels = list(artifacts)
    return f"""{head}
#if {condition}
{choice({s.target: _defines(s) for s in SYSTEMS})}
{START}
#if {WINDOWS.condition}
{kernels_text(kernels, WIN64)}
#else
{kernels_text(kernels, SYSV)}
#endif
{_where(with_arrays, arrays.kernels + _where(WINDOWS.condition, arrays.entries))}{END}
#if {MACOS.condition}
.subsections_via_symbols
#endif
#endif
#if defined(__ELF__)
.section .note.GNU-stack,"",%progbits
#endif
"""


def _where(condition: str, text: str) -> str:
    """A text that the preprocessor takes where a condition holds."""
    return f"#if {condition}\n{text}#endif\n" if text else ""


def _defines(system: Platform) -> str:
    return "".join(f"#define {name}(name) {body}\n" for name, body in system.macros)


def objects(artifacts: Iterable[Artifact], arrays: ArrayText) -> dict[str, bytes]:
    """The file assembled for each system, by its target."""
    kernels = list(artifacts)
    return {system.target: _assembled(system, kernels, arrays) for system in SYSTEMS}


def _assembled(system: Platform, kernels: list[Artifact], arrays: ArrayText) -> bytes:
    convention = system.convention or SYSV
    body = kernels_text(kernels, convention) + arrays.kernels
    body += arrays.entries if system is WINDOWS else ""
    text = f"{START}\n{system.expand(body)}{END}\n"
    if system is MACOS:
        text += ".subsections_via_symbols\n"
    if system is LINUX:
        text += '.section .note.GNU-stack,"",@progbits\n'
    return assemble(text, system.triple)


def _is_for(system: Platform, artifact: Artifact) -> bool:
    """Whether a system has the bytes of a kernel; those of one convention are the same."""
    if system.convention is None:
        return artifact.target.name == system.target
    return CONVENTIONS.get(artifact.convention) is system.convention


def check_same(code: bytes, system: Platform, proved: Iterable[Artifact]) -> None:
    """Raise DifferentKernel unless an object has the very bytes that were proved."""
    objects = {a.symbol: a.code for a in proved if a.code is not None and _is_for(system, a)}
    check_bytes(code, system, objects)


def check_bytes(code: bytes, system: Platform, proved: Mapping[str, bytes]) -> None:
    """Raise DifferentKernel unless an object has the kernels of others, which have one each."""
    found = functions(code)
    for symbol, object_of_it in proved.items():
        (wanted,) = functions(object_of_it).values()
        here = found.get(system.prefix + symbol)
        bytes_here = b"" if here is None else here.code[here.start :][: len(wanted.code)]
        if here is None or bytes_here != wanted.code[wanted.start :]:
            raise DifferentKernel(f"{symbol} for {system.target} is not what was proved")


def inline_assembly(prefix: str, artifacts: Iterable[Artifact], arrays: ArrayText) -> str:
    """The kernels in a C file, for compilers that know GNU's assembly; PREFIX_ASSEMBLY asks.

    PREFIX_VECTORS asks for kernels on arrays, if there are any.
    """
    kernels = list(artifacts)
    macros = choice({s.target: "".join(s.string_defines()) for s in SYSTEMS})
    undefine = "".join(f"#undef {name}\n" for name, _ in LINUX.macros)
    in_vectors = as_strings(arrays.kernels) if arrays.kernels else ""
    in_vectors += _where(WINDOWS.condition, as_strings(arrays.entries) if arrays.entries else "")
    return f"""/* ---- Kernels for x86-64 ---- */

#if {prefix}_ASSEMBLY
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
{macros}
#if {WINDOWS.condition}
{as_strings(kernels_text(kernels, WIN64))}
#else
{as_strings(kernels_text(kernels, SYSV))}
#endif
{_where(f"{prefix}_VECTORS", in_vectors)}{undefine}
#pragma GCC diagnostic pop
#endif
"""


def as_strings(text: str, start: Sequence[str] = (START,), end: Sequence[str] = (END,)) -> str:
    """Assembly in macros as statements of GNU C, one for each kernel; comments stay outside."""
    statements = []
    for kernel in text.split("\n\n"):
        lines = [line for line in kernel.splitlines() if not line.startswith("//")]
        strings = map(_string, (*start, *lines, *end))
        statements.append("__asm__(\n" + "\n".join(strings) + ");\n")
    return "\n".join(statements)


def _string(line: str) -> str:
    bare = line.split("//")[0].strip()
    return f'    "{MACRO.sub(_outside, bare)}\\n"'.replace('"" ', "")


def _outside(macro: re.Match[str]) -> str:
    return f'" {macro[0]} "'
