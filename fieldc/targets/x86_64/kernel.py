"""From a word program to a finished x86-64 kernel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Protocol

from fieldc.language import Expression
from fieldc.targets.extras import PLAIN as NOTHING
from fieldc.targets.extras import Extras
from fieldc.targets.judge import NotCompiled
from fieldc.targets.x86_64.allocate import Allocation, allocate
from fieldc.targets.x86_64.choices import FEATURES, PLAIN, VARIANTS, Choices, Refinement
from fieldc.targets.x86_64.conventions import SYSV, Convention
from fieldc.targets.x86_64.encode import encode, linked
from fieldc.targets.x86_64.instructions import Physical, VirtualCode
from fieldc.targets.x86_64.literals import written
from fieldc.targets.x86_64.operands import STACK, Immediate, Memory, Register, Virtual
from fieldc.targets.x86_64.order import ordered
from fieldc.targets.x86_64.print import INTEL, Syntax, print_body, print_kernel
from fieldc.targets.x86_64.select import Selection
from fieldc.words.carries import differences_as_sums
from fieldc.words.complements import early_complements
from fieldc.words.lower import constant_names, lower, reads_a_carry_twice
from fieldc.words.program import Program
from fieldc.words.shifts import highest_first

WORD = 64


class X86Error(NotCompiled):
    """This backend cannot compile the program; the message is one line for the user."""


@dataclass(frozen=True)
class X86Kernel:
    """Straight-line code for one function `void symbol(z, x, y)` and its table of constants.

    `returned` are the registers that hold the result, lowest word first, where the convention
    leaves it in registers; there is no z then.
    """

    symbol: str
    code: tuple[Physical, ...]
    constants: tuple[tuple[str, int], ...]
    convention: Convention
    features: tuple[str, ...]
    frame: int
    returned: tuple[str, ...] = ()

    def text(
        self,
        syntax: Syntax = INTEL,
        header: tuple[str, ...] = (),
        local: str = ".L",
        extras: Extras = NOTHING,
    ) -> str:
        """The kernel as assembly; `local` begins a label that stays inside the object."""
        return print_kernel(self.symbol, self.code, self.constants, syntax, header, local, extras)

    def machine_code(self) -> bytes:
        """The instructions and the table of constants. Raises EncodeError."""
        return linked([encode(one) for one in self.code], [word for _, word in self.constants])

    def lines(self, syntax: Syntax, name: Callable[[str], str]) -> list[str]:
        """The code and its table of constants; `name` makes a label of its own."""
        return print_body(self.code, self.constants, syntax, name("constants"))


def compile_expression(
    expression: Expression,
    symbol: str,
    choices: Choices | None = None,
    convention: Convention = SYSV,
    refinement: Refinement = PLAIN,
) -> X86Kernel:
    """Lower a expressed kernel in the choices' row style and compile it."""
    choices = choices or VARIANTS["adx"]
    program = lower_for(expression, choices)
    return compile_program(program, symbol, choices, convention, refinement)


def lower_for(expression: Expression, choices: Choices) -> Program:
    """The words that the choices ask for, in which one sum at most reads a carry."""
    exchanged = choices.scanned == "x"
    program = lower(expression, choices.rows, exchanged=exchanged)
    if reads_a_carry_twice(program):
        program = lower(expression, choices.rows, exchanged=exchanged, shares_carries=False)
    if not program.multiplies:
        return highest_first(differences_as_sums(program, constant_names(expression.field)))
    return complemented(program, choices)


def complemented(program: Program, choices: Choices) -> Program:
    """The program with complements as the choices ask for."""
    return early_complements(program) if choices.complements == "early" else program


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
    selection = Selection(program, choices, convention.returns_words)
    return finish(selection, symbol, convention, refinement)


class SelectedCode(Protocol):
    """Virtual code before it is ordered: what selection made of a program or of a text."""

    choices: Choices
    code: list[VirtualCode]
    constants: list[tuple[str, int]]
    pointers: dict[str, Virtual]


def finish(
    selection: SelectedCode, symbol: str, convention: Convention, refinement: Refinement
) -> X86Kernel:
    """Order, allocate and frame selected code; `order` of the refinement included.

    Raises X86Error for more operands than the convention passes in registers.
    """
    pointers, arguments = selection.pointers.values(), convention.arguments
    if len(pointers) > len(arguments):
        raise X86Error(
            f"{convention.name} passes {len(arguments)} pointers in registers, not {len(pointers)}"
        )
    incoming = dict(zip(pointers, arguments, strict=False))
    code = ordered(selection.code, refinement.order) if refinement.order else selection.code
    allocation = allocate(code, incoming, convention, refinement)
    returned: tuple[str, ...] = ()
    if convention.returns_words:
        allocation, returned = returning(allocation, convention)
    framed, constants = _framed(allocation, convention), selection.constants
    if isinstance(selection, Selection) and selection.choices.literals == "many":
        framed, constants = written(framed, constants, selection.program)
    return X86Kernel(
        symbol,
        tuple(ordered(framed, refinement.late) if refinement.late else framed),
        tuple(constants),
        convention,
        FEATURES[selection.choices.variant],
        allocation.frame,
        returned,
    )


def returning(allocation: Allocation, convention: Convention) -> tuple[Allocation, tuple[str, ...]]:
    """The code without its last line, and the registers that this line names.

    A word in a register that the callee restores changes places with a register that is free:
    throughout the code, for none of these is an instruction's own. Where none of these is free, the
    word moves at the end. Raises X86Error if there are more words than registers.
    """
    *code, last = allocation.code
    words = [operand.name for operand in last.operands if isinstance(operand, Register)]
    used = {*words, *convention.preserved}
    free = [f"r{number}" for number in range(15, 7, -1) if f"r{number}" not in used]
    others = [register for register in convention.order if register not in {*used, *free}]
    taken = [word for word in words if word in convention.preserved]
    swapped = dict(zip(taken, free, strict=False))
    moved = dict(zip(taken[len(swapped) :], others, strict=False))
    if len(taken) > len(swapped) + len(moved):
        raise X86Error(f"{len(words)} words do not fit the registers that a call may leave them in")
    names = tuple({**swapped, **moved}.get(word, word) for word in words)
    swapped |= {new: old for old, new in swapped.items()}
    renamed = [
        replace(line, operands=tuple(_renamed(o, swapped) for o in line.operands)) for line in code
    ]
    renamed += [Physical("mov", (Register(new), Register(old))) for old, new in moved.items()]
    written = {swapped.get(register, register) for register in allocation.written} | {
        *moved.values()
    }
    return Allocation(renamed, allocation.frame, written), names


def _renamed(
    operand: Register | Memory | Immediate, names: dict[str, str]
) -> Register | Memory | Immediate:
    if isinstance(operand, Register):
        return Register(names.get(operand.name, operand.name))
    if isinstance(operand, Memory):
        return replace(operand, base=names.get(str(operand.base), operand.base))
    return operand


def _framed(allocation: Allocation, convention: Convention) -> list[Physical]:
    kept = [Register(r) for r in convention.preserved if r in allocation.written]
    stack, frame = Register(STACK), Immediate(allocation.frame)
    before = [Physical("push", (r,)) for r in kept]
    after = [Physical("pop", (r,)) for r in reversed(kept)]
    if allocation.frame:
        before.append(Physical("sub", (stack, frame), "spills"))
        after.insert(0, Physical("add", (stack, frame)))
    return [*before, *allocation.code, *after, Physical("ret", ())]
