"""Prints a kernel as text: GNU syntax, Intel syntax for GNU-compatible assemblers, or MASM."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from fieldc.targets.extras import PLAIN, Extras
from fieldc.targets.x86_64 import unwind, windows_unwind
from fieldc.targets.x86_64.instructions import INSTRUCTIONS, OperandForm, Physical
from fieldc.targets.x86_64.operands import CONSTANTS, Immediate, Memory, Placed, Register

CACHE_LINE = 64
LOW_HALF = {
    **{f"r{x}x": f"e{x}x" for x in "abcd"},
    **{f"r{x}": f"e{x}" for x in ("si", "di", "bp", "sp")},
    **{f"r{i}": f"r{i}d" for i in range(8, 16)},
}


@dataclass(frozen=True)
class Syntax:
    """How one assembler writes operands and directives."""

    name: str
    comment: str
    operand: Callable[[Placed, str], str]
    reverse: bool
    begin: Callable[[str], list[str]]
    end: Callable[[str], list[str]]
    word: str


LONG = 1 << 31
"""Numbers from here on are written in hexadecimal."""


def _literal(operand: Immediate) -> str:
    return f"{operand.value:#018x}" if operand.value >= LONG else str(operand.value)


def _plus(offset: int, sign: str = " + ") -> str:
    return f"{sign}{offset}" if offset else ""


def _gnu_operand(operand: Placed, table: str) -> str:
    if isinstance(operand, Register):
        return f"%{operand.name}"
    if isinstance(operand, Immediate):
        return f"${_literal(operand)}"
    if operand.base == CONSTANTS:
        return f"{table}{_plus(operand.offset, '+')}(%rip)"
    return f"{operand.offset or ''}(%{operand.base})"


def _intel_operand(operand: Placed, table: str) -> str:
    if isinstance(operand, Register):
        return operand.name
    if isinstance(operand, Immediate):
        return _literal(operand)
    if operand.base == CONSTANTS:
        return f"qword ptr [rip + {table}{_plus(operand.offset)}]"
    return f"qword ptr [{operand.base}{_plus(operand.offset)}]"


def _masm_operand(operand: Placed, table: str) -> str:
    if isinstance(operand, Memory) and operand.base == CONSTANTS:
        return f"qword ptr [{table}{_plus(operand.offset)}]"
    if isinstance(operand, Immediate) and operand.value >= LONG:
        return _number(operand.value, MASM)
    return _intel_operand(operand, table)


GNU = Syntax(
    "gnu",
    "#",
    _gnu_operand,
    True,
    lambda s: [".text", f".globl {s}", ".p2align 6, 0x90", f"{s}:"],
    lambda s: [],
    ".quad",
)
INTEL = Syntax(
    "intel",
    "#",
    _intel_operand,
    False,
    lambda s: [".intel_syntax noprefix", ".text", f".globl {s}", ".p2align 6, 0x90", f"{s}:"],
    lambda s: [".att_syntax prefix"],
    ".quad",
)
MASM = Syntax(
    "masm",
    ";",
    _masm_operand,
    False,
    lambda s: ["_TEXT SEGMENT ALIGN(64) 'CODE'", "ALIGN 64", f"{s} PROC"],
    lambda s: ["_TEXT ENDS"],
    "DQ",
)
MASM_SPELLING = {"movabs": "mov"}
SYNTAXES = {s.name: s for s in (GNU, INTEL, MASM)}


def print_instruction(instruction: Physical, syntax: Syntax, table: str) -> str:
    """One line of assembly, with the names of what it touches as a comment."""
    row, operands = INSTRUCTIONS[instruction.mnemonic], list(instruction.operands)
    # Of a memory operand alone GNU's assembler does not know the size.
    mnemonic = row.spelling + "q" * (syntax is GNU and row.needs_size)
    if syntax is MASM:
        mnemonic = MASM_SPELLING.get(mnemonic, mnemonic)
    if row.form in (OperandForm.DOUBLED, OperandForm.SUM):
        return _line(f"{mnemonic} {_summed(operands, syntax)}", instruction, syntax)
    if row.form is OperandForm.TWICE_LOW:
        operands = [_low_half(operands[0])] * 2
    elif row.form is OperandForm.LOW:
        operands[0] = _low_half(operands[0])
    elif row.form is OperandForm.TWICE:
        operands = operands * 2
    texts = [syntax.operand(o, table) for o in operands]
    text = ", ".join(reversed(texts) if syntax.reverse else texts)
    return _line(f"{mnemonic} {text}".rstrip(), instruction, syntax)


def _low_half(operand: Placed) -> Placed:
    return Register(LOW_HALF[operand.name]) if isinstance(operand, Register) else operand


def _summed(operands: list[Placed], syntax: Syntax) -> str:
    target, *sources = (syntax.operand(o, "") for o in operands)
    one, other = sources[0], sources[-1]
    return f"({one},{other}), {target}" if syntax.reverse else f"{target}, [{one} + {other}]"


def _line(text: str, instruction: Physical, syntax: Syntax) -> str:
    named = [o.name for o in instruction.operands if isinstance(o, Memory) and o.name]
    remark = "; ".join([*named, *([instruction.remark] if instruction.remark else [])])
    return f"    {text:<43} {syntax.comment} {remark}" if remark else f"    {text}"


Constants = tuple[tuple[str, int], ...]


Lines = Sequence[tuple[str, Physical | None]]


def print_code(lines: Lines, extras: Extras, syntax: Syntax, name: str) -> list[str]:
    """Lines of instructions with what is added: a landing pad before them, unwind data between.

    `name` is the function's. Raises NoUnwindData.
    """
    pad = ["    endbr64"] if extras.landing_pads else []
    if not extras.unwind:
        return [*pad, *(line for line, _ in lines)]
    if not extras.is_windows:
        found = [
            text
            for line, instruction in lines
            for text in (line, *(unwind.directives(instruction) if instruction else ()))
        ]
        return [unwind.BEGIN, *pad, *found, unwind.END]
    words = windows_unwind.MASM if syntax is MASM else windows_unwind.GNU
    return windows_unwind.with_frame(lines, name, words, syntax.operand)


def print_begin(name: str, syntax: Syntax, extras: Extras) -> list[str]:
    """What opens a function."""
    lines = syntax.begin(name)
    if syntax is MASM and extras.unwind:
        lines[-1] += windows_unwind.FRAME
    return lines


def print_body(
    code: Iterable[Physical],
    constants: Constants,
    syntax: Syntax,
    table: str,
    extras: Extras = PLAIN,
    name: str = "",
) -> list[str]:
    """The instructions and the table of constants, without directives that name a section.

    Unwind data for Windows is of the function of this name.
    """
    printed = [(print_instruction(i, syntax, table), i) for i in code]
    lines = print_code(printed, extras, syntax, name)
    if constants:
        align = f"ALIGN {CACHE_LINE}" if syntax is MASM else ".p2align 6"
        lines += [f"    {align}", f"{table}:"]
        lines += [
            f"    {syntax.word} {_number(value, syntax):<40}{syntax.comment} {name}"
            for name, value in constants
        ]
    return lines


def _number(value: int, syntax: Syntax) -> str:
    return f"0{value:016x}h" if syntax is MASM else f"{value:#018x}"


def print_kernel(
    symbol: str,
    code: Iterable[Physical],
    constants: Constants,
    syntax: Syntax,
    header: tuple[str, ...] = (),
    local: str = ".L",
    extras: Extras = PLAIN,
) -> str:
    """A whole source file's worth for one kernel: header, symbol, instructions, constants.

    `local` begins a label that stays in the object: `.L` for ELF and COFF, `L` for Mach-O.
    """
    table = f"{symbol}_constants" if syntax is MASM else f"{local}{symbol}_constants"
    lines = [f"{syntax.comment} {line}".rstrip() for line in header]
    lines += print_begin(symbol, syntax, extras)
    lines += print_body(code, constants, syntax, table, extras, symbol)
    if syntax is MASM:
        lines.append(f"{symbol} ENDP")
    lines += syntax.end(symbol)
    return "\n".join(lines) + "\n"
