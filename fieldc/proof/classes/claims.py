"""What operations do with values below p, or below 2p, whatever the modulus p is."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.proof.algebra.equations import Polynomial, add_to, product
from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import CLAIMS, Claim


@dataclass(frozen=True)
class ClassClaim:
    """R times the result, or the result where R does not divide, is the claim modulo p."""

    names: str
    """The operands' names, in call order."""
    claim: Claim
    divides: bool = False
    count: int = 1
    """Values of each operand."""
    below: int = 1
    """Operands are below so many times p."""
    result: int = 1
    """The result is below so many times p."""


def _sum_of_products(v: list[Polynomial]) -> Polynomial:
    total = product(v[0], v[2])
    add_to(total, product(v[1], v[3]))
    return total


CLASS_CLAIMS = {
    "add": ClassClaim("xy", CLAIMS["add"]),
    "sub": ClassClaim("xy", CLAIMS["sub"]),
    "neg": ClassClaim("x", CLAIMS["neg"]),
    "double": ClassClaim("x", CLAIMS["double"]),
    "mul": ClassClaim("xy", CLAIMS["mul"], divides=True),
    "square": ClassClaim("x", CLAIMS["square"], divides=True),
    "mul_lazy": ClassClaim("xy", CLAIMS["mul"], divides=True, below=2, result=2),
    "square_lazy": ClassClaim("x", CLAIMS["square"], divides=True, below=2, result=2),
    "reduce_lazy": ClassClaim("x", CLAIMS["value"], below=2),
    "sum_of_products": ClassClaim("xy", lambda v: _sum_of_products([*v]), divides=True, count=2),
}


def class_claim(operation: str) -> ClassClaim:
    """The claim of an operation. Raises ProofError where there is none."""
    try:
        return CLASS_CLAIMS[operation]
    except KeyError:
        raise ProofError(f"there are no theorems of classes for {operation}") from None
