"""Finished kernels with one class of defect put back in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import lief
from contracts import contract_named

from fieldc.algorithms import choose
from fieldc.catalogue import find_field
from fieldc.machine.assemble import assemble
from fieldc.proof.claims.contracts import Contract
from fieldc.proof.prove import prove
from fieldc.targets.x86_64.choices import VARIANTS
from fieldc.targets.x86_64.instructions import Physical
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression
from fieldc.targets.x86_64.operands import CONSTANTS, Memory
from fieldc.targets.x86_64.print import GNU


def compiled(field: str, operation: str, variant: str = "adx") -> X86Kernel:
    """A kernel as the compiler makes it."""
    return compile_expression(choose(find_field(field), operation), "k", VARIANTS[variant])


def proved(kernel: X86Kernel, field: str, operation: str) -> None:
    """Prove a kernel for a named field, with no run before the proof. Raises ProofError."""
    f = find_field(field)
    prove(code_of(kernel.text(GNU)), contract_named(operation, f.p, f.n), runs=0)


def proved_text(text: str, contract: Contract) -> None:
    """Prove Intel-syntax text. Raises ProofError."""
    code = code_of(".intel_syntax noprefix\n.text\n" + text.replace(";", "\n") + "\n")
    prove(code, contract, runs=0)


def code_of(text: str) -> bytes:
    """The machine code of assembly."""
    return bytes(lief.parse(list(assemble(text))).get_section(".text").content)


def at(kernel: X86Kernel, place: int, *now: Physical) -> X86Kernel:
    """Other instructions in one place; none to delete it."""
    return replace(kernel, code=(*kernel.code[:place], *now, *kernel.code[place + 1 :]))


def renamed(kernel: X86Kernel, place: int, mnemonic: str) -> X86Kernel:
    """Another mnemonic in one place."""
    return at(kernel, place, replace(kernel.code[place], mnemonic=mnemonic))


def places(kernel: X86Kernel, *mnemonics: str) -> list[int]:
    """Where instructions of these kinds stand."""
    return [p for p, i in enumerate(kernel.code) if i.mnemonic in mnemonics]


def other_prime(kernel: X86Kernel, words: Sequence[int]) -> X86Kernel:
    """The table's words, as they stand, replaced."""
    assert len(words) == len(kernel.constants)
    names = (name for name, _ in kernel.constants)
    return replace(kernel, constants=tuple(zip(names, words, strict=True)))


def flipped(kernel: X86Kernel, index: int, bit: int) -> X86Kernel:
    """One bit of one constant."""
    table = list(kernel.constants)
    table[index] = (table[index][0], table[index][1] ^ 1 << bit)
    return replace(kernel, constants=tuple(table))


def store_early(kernel: X86Kernel) -> X86Kernel:
    """The first word that is read goes to z at once."""
    store = kernel.code[places(kernel, "store")[0]]
    loads = (p for p in places(kernel, "mov") if _of_caller(kernel.code[p].operands[1]))
    first = next(loads)
    early = replace(store, operands=(store.operands[0], kernel.code[first].operands[0]))
    return replace(kernel, code=(*kernel.code[: first + 1], early, *kernel.code[first + 1 :]))


def _of_caller(operand: object) -> bool:
    return isinstance(operand, Memory) and operand.base not in (CONSTANTS, "rsp")
