"""The matrix of a batch of divsteps as an x86-64 kernel."""

from __future__ import annotations

from fieldc.algorithms.divstep_matrix import StepOrder, divstep_matrix
from fieldc.machine.assemble import assemble
from fieldc.proof.claims.divsteps import DIVSTEP_MATRIX
from fieldc.targets.object_format import ObjectFormat
from fieldc.targets.target import Target
from fieldc.targets.x86_64.choices import PLAIN
from fieldc.targets.x86_64.conventions import CALLED_INLINE, CONVENTIONS, SYSV, Convention
from fieldc.targets.x86_64.kernel import X86Kernel, finish
from fieldc.targets.x86_64.print import GNU, INTEL
from fieldc.targets.x86_64.signed import SignedCode
from fieldc.targets.x86_64.targets import NO_EXECUTABLE_STACK

OPERANDS = ("zeta", "f", "g")
ARGUMENTS = ("z", *OPERANDS)
"""Each is an address; z may be that of another."""


def ordered_name(order: StepOrder) -> str:
    """What a kernel with an order of a step is called; names without one are of COUNT_FIRST."""
    first = "" if order is StepOrder.COUNT_FIRST else f"{order.name.lower()}_"
    return first + DIVSTEP_MATRIX


def compile_divsteps(
    symbol: str, convention: Convention = SYSV, order: StepOrder = StepOrder.COUNT_FIRST
) -> X86Kernel:
    """`void symbol(z, zeta, f, g)`: z[0] is zeta after all steps, z[1] to z[4] are the matrix."""
    code = _code(order)
    for name in ARGUMENTS:
        code.pointer(name)
    zeta, f, g = map(code.load, OPERANDS)
    words = divstep_matrix(code, zeta, f, g, order)
    for index, word in enumerate(words):
        code.store(index, word)
    return finish(code, symbol, convention, PLAIN)


def called_divsteps(symbol: str, order: StepOrder) -> X86Kernel:
    """The same called out of inline assembly: words come and go in registers, not addresses."""
    code = _code(order)
    zeta, f, g = map(code.take, OPERANDS)
    code.give(divstep_matrix(code, zeta, f, g, order))
    return finish(code, symbol, CALLED_INLINE, PLAIN)


def _code(order: StepOrder) -> SignedCode:
    """Zen, for which SIGN_FIRST is, copies a register faster than it writes a number into one."""
    return SignedCode(keeps_numbers=order is StepOrder.SIGN_FIRST)


def divsteps_for(
    target: Target, symbol: str, header: tuple[str, ...], order: StepOrder
) -> tuple[str, bytes]:
    """The kernel's text and its object, for one of our own targets for x86-64."""
    is_mach_o = target.object_format is ObjectFormat.MACH_O
    prefix, local = ("_", "L") if is_mach_o else ("", ".L")
    kernel = compile_divsteps(prefix + symbol, CONVENTIONS[target.proved_as], order)
    text = kernel.text(INTEL, header, local)
    if target.object_format is ObjectFormat.ELF:
        text += NO_EXECUTABLE_STACK
    return text, assemble(kernel.text(GNU, local=local), target.triple)
