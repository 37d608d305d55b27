"""From a word program to a finished x86-64 kernel."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.backends.x86_64.allocate import Allocation, allocate
from fieldc.backends.x86_64.choices import FEATURES, PLAIN, VARIANTS, Choices, Refinement
from fieldc.backends.x86_64.conventions import SYSV, Convention
from fieldc.backends.x86_64.instructions import STACK, Immediate, Physical, Register
from fieldc.backends.x86_64.order import ordered
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
    trace: Trace,
    symbol: str,
    choices: Choices | None = None,
    convention: Convention = SYSV,
    refinement: Refinement = PLAIN,
) -> X86Kernel:
    """Lower a traced kernel in the choices' row style and compile it."""
    choices = choices or VARIANTS["adx"]
    program = lower_for(trace, choices)
    return compile_program(program, symbol, choices, convention, refinement)


def lower_for(trace: Trace, choices: Choices) -> Program:
    """The words that the choices ask for."""
    return lower(trace, choices.rows, exchanged=choices.scanned == "x")


def compile_program(
    program: Program,
    symbol: str,
    choices: Choices,
    convention: Convention = SYSV,
    refinement: Refinement = PLAIN,
) -> X86Kernel:
    """Select, allocate and frame.

    Raises X86Error for words that are not 64 bits wide, OrderError for a refinement of another
    program.
    """
    if program.word != WORD:
        raise X86Error(f"x86-64 has 64-bit words; this program has {program.word}-bit words")
    selection = Selection(program, choices)
    return finish(selection, symbol, convention, refinement)


def finish(
    selection: Selection, symbol: str, convention: Convention, refinement: Refinement
) -> X86Kernel:
    """Order, allocate and frame selected code; `order` of the refinement included."""
    incoming = dict(zip(selection.pointers.values(), convention.arguments, strict=False))
    code = ordered(selection.code, refinement.order) if refinement.order else selection.code
    allocation = allocate(code, incoming, convention, refinement)
    framed = _framed(allocation, convention)
    return X86Kernel(
        symbol,
        tuple(ordered(framed, refinement.late) if refinement.late else framed),
        tuple(selection.constants),
        convention,
        FEATURES[selection.choices.variant],
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
