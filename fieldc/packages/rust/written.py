"""Kernels as they stand in a generated file: their texts, read back.

Proofs are of what the checked-in file says, whoever wrote it, so they begin with its text. Tests
hold that no kernel of a file is missed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from fieldc.field import Field
from fieldc.packages.rust.classes import value_of

KERNEL = re.compile(
    r"\n(?:unsafe|pub\(crate\)) fn (?P<symbol>\w+)(?:<M: Modulus<(?P<limbs>\d+)>>)?\("
    r"(?:(?!\n}\n).)*?"
    r'called!\(\s*"\w+",\s*"(?P<name>\w[^"]*)",\s*r"\n(?P<lines>[^"]*)\n"\s*\),\n'
    r"(?P<operands>.*?)\n {8}\);",
    re.DOTALL,
)
CONSTANT = re.compile(r"(\w+)\s+=\s+const\s+M::([A-Z]\w*)(?:\[(\d+)\])?,")
LITERAL = re.compile(r"(\w+)\s+=\s+const\s+(0x[0-9a-f]+)_u64,")


@dataclass(frozen=True)
class WrittenKernel:
    """A function whose inline assembly calls a kernel, and the kernel's text."""

    symbol: str
    """The function's name in its file."""
    limbs: int
    """Those of its modulus; 0 where it has none."""
    name: str
    """The name of the code in an object; constants of a modulus are parts of it."""
    lines: str
    """The code."""
    operands: str
    """What stands after it: constants, and what each register holds before and after the call."""

    def name_for(self, f: Field) -> str:
        """The name of its code with a field's constants."""
        return self._filled(self.name, f, "d")

    def lines_for(self, f: Field) -> str:
        """Its code with a field's constants, as rustc puts them in the place of operands."""
        return self._filled(self.lines, f, "#x")

    def _filled(self, text: str, f: Field, form: str) -> str:
        for operand, value in LITERAL.findall(self.operands):
            text = text.replace(f"{{{operand}}}", value)
        for operand, name, index in CONSTANT.findall(self.operands):
            number = value_of(f"{name.lower()}[{index}]" if index else name.lower(), f)
            text = text.replace(f"{{{operand}}}", f"{number:{form}}")
        return text


def kernels_in(text: str) -> dict[str, WrittenKernel]:
    """The kernels of a generated file by their symbols."""
    return {
        found["symbol"]: WrittenKernel(
            found["symbol"],
            int(found["limbs"] or 0),
            found["name"],
            found["lines"],
            found["operands"],
        )
        for found in KERNEL.finditer(text)
    }
