"""The crate's kernels as they stand in its files: read back, completed for a prime, assembled."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.machine.assemble import assemble
from fieldc.packages.rust.classes import class_of, kernels_of, lazy_class_of, value_of
from fieldc.packages.rust.plain import PLAIN_OPERATIONS, class_name, plain_primes
from fieldc.targets.x86_64.kernel import X86Kernel
from fieldc.targets.x86_64.print import INTEL, print_body
from fieldc.targets.x86_64.timing.called import caller, held_by

KERNEL = re.compile(
    r"fn (?P<operation>[a-z_]+)_(?P<of>[a-z][a-z0-9]*)_(?P<variant>[a-z]+)"
    r"<M: Modulus<(?P<limbs>\d+)>>\("
    r"(?P<call>[^{]*{\n    let mut z.*?)\n#\[unsafe\(naked"
    r'.*?naked_asm!\(\s*r"\n(?P<lines>.*?)\n",(?P<constants>.*?)\n    \)',
    re.DOTALL,
)
HELD = re.compile(r'out\("(\w+)"\)[^,]*?\s(?:z\[(\d+)\]|_),')
CONSTANT = re.compile(r"(\w+) = const M::([A-Z]\w*)(?:\[(\d+)\])?,")
LITERAL = re.compile(r"(\w+) = const (0x[0-9a-f]+)_u64,")


@dataclass(frozen=True)
class CrateKernel:
    """One naked function of the crate."""

    operation: str
    prime_class: str
    variant: str
    limbs: int
    call: str
    """The inline assembly that calls it: what each register holds after the call."""
    lines: str
    constants: str

    @property
    def symbol(self) -> str:
        """The function's name in its file."""
        return f"{self.operation}_{self.prime_class}_{self.variant}"

    def assembled(self, f: Field) -> bytes:
        """The object file of a caller with a field's constants, as rustc makes them operands."""
        return self.called(filled(self.lines, self.constants, f))

    def called(self, lines: str, offset: int = 0) -> bytes:
        """The object file of a System V function (z, x, y) that calls a text, at an offset of it,
        and does what the inline assembly lets a compiler do: saves registers, stores results.
        """
        held = {register: int(i or -1) for register, i in HELD.findall(self.call)}
        return called(self.symbol, held, lines, offset)


def filled(lines: str, constants: str, f: Field) -> str:
    """A kernel's lines with a field's constants in the place of operands."""
    for operand, value in LITERAL.findall(constants):
        lines = lines.replace(f"{{{operand}}}", value)
    for operand, name, index in CONSTANT.findall(constants):
        number = value_of(f"{name.lower()}[{index}]" if index else name.lower(), f)
        lines = lines.replace(f"{{{operand}}}", f"{number:#x}")
    return lines


def called(symbol: str, held: Mapping[str, int], lines: str, offset: int = 0) -> bytes:
    """The object file of a System V function (z, x, y) that calls a text, at an offset of it.

    `held` are the registers that the text changes, each with the number of the word of the result
    that it leaves there, or -1.
    """
    head = [".intel_syntax noprefix", ".text", f".globl {symbol}", f"{symbol}:"]
    return assemble(
        "\n".join((*head, *caller(held, f"code + {offset}"), ".balign 64", "code:", lines, ""))
    )


def called_kernel(kernel: X86Kernel) -> bytes:
    """The same of a kernel with its constants."""
    lines = "\n".join(print_body(kernel.code, kernel.constants, INTEL, "table"))
    return called(kernel.symbol, held_by(kernel.returned), lines)


def kernels_in(text: str) -> Iterator[CrateKernel]:
    """The kernels of one generated file."""
    for found in KERNEL.finditer(text):
        operation, of, variant = found["operation"], found["of"], found["variant"]
        texts = found["call"], found["lines"], found["constants"]
        yield CrateKernel(operation, of, variant, int(found["limbs"]), *texts)


def crate_jobs(generated: Path, f: Field) -> list[Job]:
    """The proofs of the kernels that the crate runs for a field's prime. Raises OSError."""
    text = (generated / f"n{f.n:02}.rs").read_text()
    found = filter(None, (class_of(f), lazy_class_of(f)))
    classes = {operation: c.suffix for of in found for operation, c in kernels_of(of).items()}
    if f in plain_primes():
        classes |= dict.fromkeys(PLAIN_OPERATIONS.values(), class_name(f))
    return [
        Job(k.assembled(f), k.symbol, k.operation, f.p, f.n, "sysv")
        for k in kernels_in(text)
        if k.prime_class == classes.get(k.operation)
    ]
