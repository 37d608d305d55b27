"""From a word program to a finished x86-64 kernel."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.backends.x86_64.allocate import Allocation, allocate
from fieldc.backends.x86_64.choices import FEATURES, VARIANTS, Choices
from fieldc.backends.x86_64.conventions import SYSV, Convention
from fieldc.backends.x86_64.instructions import STACK, Immediate, Physical, Register
from fieldc.backends.x86_64.print import INTEL, Syntax, print_kernel
from fieldc.backends.x86_64.select import Selection
from fieldc.language import Trace
from fieldc.words.lower import lower
from fieldc.words.program import Program

WORD = 64


class X86Error(ValueError):
    """This backend cannot compile the program; the message is one line for the user."""


@dataclass(frozen=True)
class X86Kernel:
    """Straight-line code for one function `void symbol(z, x, y)` and its table of constants."""

    symbol: str
    code: tuple[Physical, ...]
    constants: tuple[tuple[str, int], ...]
    convention: Convention
    features: tuple[str, ...]
    frame: int

    def text(self, syntax: Syntax = INTEL, header: tuple[str, ...] = (), local: str = ".L") -> str:
        """The kernel as assembly; `local` begins a label that stays inside the object."""
        return print_kernel(self.symbol, self.code, self.constants, syntax, header, local)


def compile_trace(
    trace: Trace, symbol: str, choices: Choices | None = None, convention: Convention = SYSV
) -> X86Kernel:
    """Lower a traced kernel in the choices' row style and compile it."""
    choices = choices or VARIANTS["adx"]
    return compile_program(lower(trace, choices.rows), symbol, choices, convention)


def compile_program(
    program: Program, symbol: str, choices: Choices, convention: Convention = SYSV
) -> X86Kernel:
    """Select, allocate and frame. Raises X86Error for words that are not 64 bits wide."""
    if program.word != WORD:
        raise X86Error(f"x86-64 has 64-bit words; this program has {program.word}-bit words")
    selection = Selection(program, choices)
    incoming = dict(zip(selection.pointers.values(), convention.arguments, strict=False))
    allocation = allocate(selection.code, incoming, convention)
    return X86Kernel(
        symbol,
        tuple(_framed(allocation, convention)),
        tuple(selection.constants),
        convention,
        FEATURES[choices.variant],
        allocation.frame,
    )


def _framed(allocation: Allocation, convention: Convention) -> list[Physical]:
    kept = [Register(r) for r in convention.preserved if r in allocation.written]
    stack, frame = Register(STACK), Immediate(allocation.frame)
    before = [Physical("push", (r,)) for r in kept]
    after = [Physical("pop", (r,)) for r in reversed(kept)]
    if allocation.frame:
        before.append(Physical("sub", (stack, frame), "spills"))
        after.insert(0, Physical("add", (stack, frame)))
    return [*before, *allocation.code, *after, Physical("ret", ())]
