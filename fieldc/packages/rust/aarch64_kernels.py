"""The crate's AArch64 kernels as they stand in its files: read back, with a prime's constants."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.packages.rust.aarch64 import kernels_for
from fieldc.packages.rust.classes import class_of, lazy_class_of
from fieldc.packages.rust.kernels import filled
from fieldc.packages.rust.plain import PLAIN_OPERATIONS, class_name, plain_primes
from fieldc.targets.aarch64.encode import assembled
from fieldc.targets.aarch64.objects import object_of
from fieldc.targets.llvm.processors import LLVM_TARGETS

KERNEL = re.compile(
    r'extern "C" fn (?P<operation>[a-z_]+)_(?P<of>[a-z][a-z0-9]*)<M: Modulus<(?P<limbs>\d+)>>\('
    r'[^{]*\{\s*naked_asm!\(\s*r"\n(?P<lines>.*?)\n",(?P<constants>.*?)\n    \)',
    re.DOTALL,
)
SYSTEMS = ("aarch64-linux", "aarch64-macos", "aarch64-windows")
"""The targets that have the same bytes, each by its own convention."""


@dataclass(frozen=True)
class ArmText:
    """One naked function of the crate."""

    operation: str
    prime_class: str
    limbs: int
    lines: str
    constants: str

    @property
    def symbol(self) -> str:
        """The function's name in its file."""
        return f"{self.operation}_{self.prime_class}"

    def code(self, f: Field) -> bytes:
        """Return its bytes with a field's constants after them, as rustc makes them operands."""
        return assembled(filled(self.lines, self.constants, f))


def arm_kernels_in(text: str) -> Iterator[ArmText]:
    """The kernels of one generated file."""
    for found in KERNEL.finditer(text):
        limbs, texts = int(found["limbs"]), (found["lines"], found["constants"])
        yield ArmText(found["operation"], found["of"], limbs, *texts)


def arm_crate_jobs(generated: Path, f: Field, system: str = SYSTEMS[0]) -> list[Job]:
    """The proofs of the kernels that the crate runs for a field's prime. Raises OSError."""
    text = (generated / f"aarch64_n{f.n:02}.rs").read_text()
    found = filter(None, (class_of(f), lazy_class_of(f)))
    classes = {op: c.suffix for of in found for op, c in kernels_for(of, f.n).items()}
    if f in plain_primes():
        classes |= dict.fromkeys(PLAIN_OPERATIONS.values(), class_name(f))
    triple = LLVM_TARGETS[system].triple
    return [
        Job(object_of({k.symbol: k.code(f)}, triple), k.symbol, k.operation, f.p, f.n)
        for k in arm_kernels_in(text)
        if k.prime_class == classes.get(k.operation)
    ]
