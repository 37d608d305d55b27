"""The crate's kernels as they stand in its files: read back, completed for a prime, assembled."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldc.artifacts.classes import class_of, kernels_of
from fieldc.artifacts.trust import Job
from fieldc.field import Field
from fieldc.machine.assemble import assemble

KERNEL = re.compile(
    r"fn (?P<operation>[a-z_]+)_(?P<of>[a-z]+)_(?P<variant>[a-z]+)<M: Modulus<(?P<limbs>\d+)>>"
    r'\(.*?naked_asm!\(\s*r"\n(?P<lines>.*?)\n",(?P<constants>.*?)\n    \)',
    re.DOTALL,
)
CONSTANT = re.compile(r"(\w+) = const M::([A-Z]\w*)(?:\[(\d+)\])?,")
LITERAL = re.compile(r"(\w+) = const (0x[0-9a-f]+)_u64,")
NAMED = {"P": "p", "MU": "mu", "MINUS_MU": "minus_mu", "FOLD_REST": "fold_rest"}
"""A modulus' constants in Rust, and those of a Field."""


@dataclass(frozen=True)
class CrateKernel:
    """One naked function of the crate."""

    operation: str
    prime_class: str
    variant: str
    limbs: int
    lines: str
    constants: str

    @property
    def symbol(self) -> str:
        """The function's name in its file."""
        return f"{self.operation}_{self.prime_class}_{self.variant}"

    def assembled(self, f: Field) -> bytes:
        """The object file with a field's constants, as rustc makes them operands."""
        lines = self.lines
        for operand, value in LITERAL.findall(self.constants):
            lines = lines.replace(f"{{{operand}}}", value)
        for operand, name, index in CONSTANT.findall(self.constants):
            value = f.n0 if name == "N0" else f.limbs(getattr(f, NAMED[name]))[int(index)]
            lines = lines.replace(f"{{{operand}}}", f"{value:#x}")
        head = f".intel_syntax noprefix\n.text\n.globl {self.symbol}\n{self.symbol}:\n"
        return assemble(f"{head}{lines}\n")


def kernels_in(text: str) -> Iterator[CrateKernel]:
    """The kernels of one generated file."""
    for found in KERNEL.finditer(text):
        operation, of, variant = found["operation"], found["of"], found["variant"]
        limbs = int(found["limbs"])
        yield CrateKernel(operation, of, variant, limbs, found["lines"], found["constants"])


def crate_jobs(generated: Path, f: Field) -> list[Job]:
    """The proofs of the kernels that the crate runs for a field's prime. Raises OSError."""
    text = (generated / f"n{f.n:02}.rs").read_text()
    classes = {operation: c.name for operation, c in kernels_of(class_of(f)).items()}
    return [
        Job(k.assembled(f), k.symbol, k.operation, f.p, f.n, "sysv")
        for k in kernels_in(text)
        if k.prime_class == classes.get(k.operation)
    ]
