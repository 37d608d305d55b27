"""Constants that stand in the instructions that loaded them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from fieldc.targets.x86_64.choices import Choices
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Placed
from fieldc.words.program import Program

WORD_BYTES = 8
MANY = 14
"""Words that do not fit the registers: all limbs of the operands, or those kept at once."""
VERY_MANY = 20
"""Limbs of operands from which on their loads alone keep a processor busy."""
ConstantTable = list[tuple[str, int]]
"""Names and values of constants."""


def are_moved(choices: Choices, program: Program) -> bool:
    """Whether sums, too, get their constants from a `mov`, which `written` makes a number."""
    return choices.literals == "many" and _limbs(program) >= VERY_MANY


def written(
    code: Sequence[Physical], table: ConstantTable, program: Program
) -> tuple[list[Physical], ConstantTable]:
    """The code with a number for each `mov` of a constant, and the constants that it still reads.

    Programs with products or with few words stay as they are, and so do the constants of a class,
    whose values are not known.
    """
    if program.multiplies or max(_limbs(program), program.most_alive()) < MANY:
        return list(code), table
    values = {v for step in program.steps for v in step.inputs if v.constant is not None}
    known = {(v.name, v.constant) for v in values if v.constant == v.high}
    found = [_written(one, table) if _loaded(one, table) in known else one for one in code]
    read = sorted({place for one in found for o in one.operands if (place := _place(o)) >= 0})
    moved = [replace(one, operands=tuple(_moved(o, read) for o in one.operands)) for one in found]
    return moved, [table[place] for place in read]


def _limbs(program: Program) -> int:
    return sum(width for _, width in program.operands)


def _loaded(one: Physical, table: ConstantTable) -> tuple[str, int] | None:
    """The constant that an instruction does nothing but load."""
    place = _place(one.operands[-1]) if one.mnemonic == "mov" else -1
    return table[place] if place >= 0 else None


def _written(one: Physical, table: ConstantTable) -> Physical:
    name, value = table[_place(one.operands[-1])]
    return Physical("movabs", (one.operands[0], Immediate(value)), one.remark or name)


def _place(operand: Placed) -> int:
    """A constant's place in the table; -1 for other operands."""
    if isinstance(operand, Memory) and operand.base == CONSTANTS:
        return operand.offset // WORD_BYTES
    return -1


def _moved(operand: Placed, read: Sequence[int]) -> Placed:
    if not isinstance(operand, Memory) or operand.base != CONSTANTS:
        return operand
    return replace(operand, offset=WORD_BYTES * read.index(operand.offset // WORD_BYTES))
