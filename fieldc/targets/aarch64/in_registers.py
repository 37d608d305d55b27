"""AArch64 kernels that find operands and constants in registers, and leave their result there.

They are for inline assembly whose registers another compiler chooses. A constant is never changed.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from fieldc.targets.aarch64.allocate import FREE, Allocator
from fieldc.targets.aarch64.cancel import cancelled
from fieldc.targets.aarch64.kernel import ROWS
from fieldc.targets.aarch64.order import ahead
from fieldc.targets.aarch64.select import ArmSelection
from fieldc.targets.aarch64.virtual import ArmCode, Selected, on_registers
from fieldc.targets.judge import NotCompiled
from fieldc.words.program import Program, Value
from fieldc.words.rows import RowChoice
from fieldc.words.sums import joined_sums
from fieldc.words.table import TABLE, with_table

REGISTER = re.compile(r"\bx\d+\b")


@dataclass(frozen=True)
class ArmInlineCode:
    """Straight-line code without memory: it begins and ends among other instructions."""

    lines: tuple[str, ...]
    incoming: dict[str, str]
    """The register of each word of an operand, `x[0]`, and of each constant, `p[0]`."""
    constants: tuple[tuple[str, int], ...]
    returned: tuple[str, ...]
    """The registers that hold the result, lowest word first."""

    @property
    def fixed(self) -> frozenset[str]:
        """Registers that an instruction demands: there are none."""
        return frozenset()

    @property
    def written(self) -> set[str]:
        """The registers that it changes: the first of each line, but of a comparison."""
        targets = (line.split(" ", 1)[1].split(",")[0] for line in self.lines if _writes(line))
        return {target for target in targets if REGISTER.fullmatch(target)}


def _writes(line: str) -> bool:
    return not line.startswith(("cmp ", "cmn "))


class _InRegisters(ArmSelection):
    """Limbs and constants have their places before the first instruction."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.entering: dict[tuple[str, int], int] = {}
        for key, value in self._limbs.items():
            self.entering[key] = self._places[value.number] = self._new()
        self._unread = set()

    def _store_made(self, unstored: dict[int, Value]) -> None:
        """Nothing is stored."""

    def returning(self) -> Selected:
        """The code, and a last line that reads what must be there in the end."""
        made = self.run()
        results = tuple(self._place(value) for value in self.program.results)
        kept = tuple(place for (name, _), place in self.entering.items() if name == TABLE)
        last = ArmCode("", (), (*results, *kept), True)
        return Selected((*made.code, last), tuple(self.entering.values()), made.again)


def compile_in_registers(lowered: Callable[[RowChoice], Program]) -> ArmInlineCode:
    """The shortest code of a program that can be lowered in any row style.

    Raises NotCompiled if it needs more registers than a callee may change.
    """
    made = [_compiled(lowered(rows)) for rows in ROWS]
    return min(made, key=lambda code: len(code.lines))


def _compiled(program: Program) -> ArmInlineCode:
    program = joined_sums(program)
    read, constants = with_table(program)
    selection = _InRegisters(read if constants else program, _zeros(program))
    selected = selection.returning()
    *code, last = selected.code
    allocator = Allocator(selected, (*ahead(tuple(code), 0), last))
    entering = dict(zip(selection.entering, FREE, strict=False))
    allocator.run()
    if allocator.slot_count or not allocator.taken <= {*FREE}:
        raise NotCompiled(f"{program.name} needs more registers than there are")
    *lines, (_, ends, _) = allocator.lines
    names = [constants[i][0] if name == TABLE else f"{name}[{i}]" for name, i in entering]
    return ArmInlineCode(
        tuple(line for text, registers, _ in lines for line in on_registers(text, registers)),
        {name: f"x{register}" for name, register in zip(names, entering.values(), strict=True)},
        constants,
        tuple(f"x{register}" for register in ends[: len(program.results)]),
    )


def _zeros(program: Program) -> set[int]:
    return {step.outputs[1].number for step in cancelled(program)}
