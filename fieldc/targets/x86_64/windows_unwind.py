"""What Windows must know to unwind a kernel, as directives of an assembler.

Windows describes a function once: what its prolog pushes and takes. It finds an epilog by its
instructions: the stack given back, registers popped in turn, and the return.
https://learn.microsoft.com/en-us/cpp/build/exception-handling-x64
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from fieldc.errors import UserError
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.operands import STACK, Immediate, Placed, Register

FRAME = " FRAME"
"""Ends the line that opens a function with unwind data, in MASM's syntax."""
MOST = 17
"""Instructions of a prolog, which has at most 255 bytes; an instruction has at most 15."""
GROWS = ("push", "sub")
CALL = "call"


class NoUnwindData(UserError):
    """A kernel's stack moves as unwind data for Windows cannot say."""


@dataclass(frozen=True)
class Directives:
    """An assembler's words."""

    begin: str
    """Before a function's name; empty where that stands on another line."""
    pushed: str
    taken: str
    end_of_prolog: str
    end: str


GNU = Directives(".seh_proc", ".seh_pushreg", ".seh_stackalloc", ".seh_endprologue", ".seh_endproc")
MASM = Directives("", ".pushreg", ".allocstack", ".endprolog", "")


def with_frame(
    lines: Sequence[tuple[str, Physical | None]],
    name: str,
    words: Directives,
    text: Callable[[Placed, str], str],
) -> list[str]:
    """Lines of code with what describes its prolog; a line without an instruction is a call.

    `text` writes a register. Raises NoUnwindData.
    """
    size = _prolog_of([instruction for _, instruction in lines])
    found = [f"    {words.begin} {name}"] if words.begin else []
    for line, instruction in lines[:size]:
        found += [line, *_described(instruction, words, text)]
    found += [f"    {words.end_of_prolog}", *(line for line, _ in lines[size:])]
    return [*found, f"    {words.end}"] if words.end else found


def _described(
    instruction: Physical | None, words: Directives, text: Callable[[Placed, str], str]
) -> list[str]:
    if instruction is None or not _move(instruction):
        return []
    *_, last = instruction.operands
    word = words.pushed if instruction.mnemonic == "push" else words.taken
    said = last.value if isinstance(last, Immediate) else text(last, "")
    return [f"    {word} {said}"]


def _prolog_of(code: Sequence[Physical | None]) -> int:
    """How many instructions the prolog has, which ends with its last push. Raises NoUnwindData."""
    moves = [CALL if i is None else _move(i) for i in code]
    first = next((k for k, move in enumerate(moves) if move not in ("", *GROWS)), len(code))
    size = max((k + 1 for k in range(first) if moves[k] in GROWS), default=0)
    tail = next((k for k, move in enumerate(moves) if move == "ret"), len(code))
    while tail > size and moves[tail - 1] == "pop":
        tail -= 1
    if tail > size and moves[tail - 1] == "add":
        tail -= 1
    if size > MOST or any(move not in ("", CALL) for move in moves[size:tail]):
        raise NoUnwindData(
            "a kernel moves the stack outside its prolog and epilog, which unwind data for Windows "
            "cannot say; leave out --unwind or choose another --algorithm"
        )
    return size


def _move(instruction: Physical) -> str:
    """How an instruction moves the stack pointer, or ends the function; empty for neither."""
    name, operands = instruction.mnemonic, instruction.operands
    if name in ("push", "pop", "ret"):
        return name
    return name if name in ("add", "sub") and operands[0] == Register(STACK) else ""
