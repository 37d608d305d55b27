"""The matrix of a batch of divsteps as an x86-64 kernel."""

from __future__ import annotations

from fieldc.algorithms.divstep_matrix import divstep_matrix
from fieldc.targets.x86_64.choices import PLAIN
from fieldc.targets.x86_64.conventions import SYSV, Convention
from fieldc.targets.x86_64.kernel import X86Kernel, finish
from fieldc.targets.x86_64.signed import SignedCode

ARGUMENTS = ("z", "zeta", "f", "g")
"""Each is an address; z may be that of another."""


def compile_divsteps(symbol: str, convention: Convention = SYSV) -> X86Kernel:
    """`void symbol(z, zeta, f, g)`: z[0] is zeta after all steps, z[1] to z[4] are the matrix."""
    code = SignedCode()
    for name in ARGUMENTS:
        code.pointer(name)
    words = divstep_matrix(code, *(code.load(name) for name in ARGUMENTS[1:]))
    for index, word in enumerate(words):
        code.store(index, word)
    return finish(code, symbol, convention, PLAIN)
