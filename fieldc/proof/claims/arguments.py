"""What an argument may be called, and contracts of functions that take constants as arguments."""

from __future__ import annotations

from dataclasses import replace

from fieldc.proof.algebra.dropped import ProofError, inverse_of
from fieldc.proof.claims.contracts import WORD_BITS, Contract

OWN_BASES = ("code", "stack")
"""The bases of the prover's own pointers: no operand may have such a name."""


def foreign(contract: Contract, arguments: tuple[str, ...]) -> Contract:
    """The contract of a function that takes its constants as arguments.

    `arguments` names them in call order: z, the operands, `p` (the modulus, by address) and `n0`
    (-1/p mod 2^64, by value). Raises ProofError for other names, a name that is there twice, and
    an operand that is not there.
    """
    needed = ("z", *(operand.name for operand in contract.operands))
    known = (*needed, "p", "n0")
    for name in arguments:
        if name not in known:
            raise ProofError(f"no argument {name}; there are: {', '.join(known)}")
        if arguments.count(name) > 1:
            raise ProofError(f"the argument {name} is named twice")
    for name in needed if arguments else ():
        if name not in arguments:
            raise ProofError(f"the operation takes {name}, which is no argument")
    radix = 1 << WORD_BITS
    p = tuple(contract.p >> WORD_BITS * i & radix - 1 for i in range(contract.limbs))
    n0 = -inverse_of(contract.p, radix) % radix
    return replace(contract, arguments=arguments, tables={"p": p}, numbers={"n0": n0})
