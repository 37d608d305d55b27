"""What operations do with values below p, or below 2p, whatever the modulus p is."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import CLAIMS, FAMILIES, WORD_BITS, Claim


@dataclass(frozen=True)
class ClassClaim:
    """R times each result, or the result where R does not divide, is its claim modulo p."""

    names: str
    """The operands' names, in call order."""
    claims: tuple[Claim, ...]
    """Of each result. The results lie side by side."""
    divides: bool = False
    count: int = 1
    """Values of each operand."""
    below: int = 1
    """Operands are below so many times p."""
    result: int = 1
    """Each result is below so many times p."""
    is_wide: bool = False
    """Whether operands have 2n limbs, and are below R times that."""

    def multiple(self, limbs: int) -> int:
        """The multiple of p that operands are below."""
        return self.below << WORD_BITS * limbs if self.is_wide else self.below


def _of_two_values(names: str, claims: tuple[Claim, ...]) -> ClassClaim:
    """Each operand has two values, and results are divided by R."""
    return ClassClaim(names, claims, divides=True, count=2)


CLASS_CLAIMS = {
    "add": ClassClaim("xy", (CLAIMS["add"],)),
    "sub": ClassClaim("xy", (CLAIMS["sub"],)),
    "neg": ClassClaim("x", (CLAIMS["neg"],)),
    "double": ClassClaim("x", (CLAIMS["double"],)),
    "mul": ClassClaim("xy", (CLAIMS["mul"],), divides=True),
    "square": ClassClaim("x", (CLAIMS["square"],), divides=True),
    "mul_lazy": ClassClaim("xy", (CLAIMS["mul"],), divides=True, below=2, result=2),
    "square_lazy": ClassClaim("x", (CLAIMS["square"],), divides=True, below=2, result=2),
    "reduce_lazy": ClassClaim("x", (CLAIMS["value"],), below=2),
    "redc_lazy": ClassClaim("x", (CLAIMS["value"],), divides=True, below=2, is_wide=True),
    "sum_of_products": _of_two_values("xy", FAMILIES["sum_of_products"](2).claims),
    "fp2_mul": _of_two_values("xy", FAMILIES["fp2_mul"](-1).claims),
    "fp2_square": _of_two_values("x", FAMILIES["fp2_square"](-1).claims),
}


def class_claim(operation: str) -> ClassClaim:
    """The claim of an operation. Raises ProofError where there is none."""
    try:
        return CLASS_CLAIMS[operation]
    except KeyError:
        raise ProofError(f"there are no theorems of classes for {operation}") from None
