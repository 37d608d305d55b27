"""Proves kernels on arrays of which some are in limbs and others in digits."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract, contract_of
from fieldc.proof.lanes.loop import POINTERS, shape_of
from fieldc.proof.lanes.prove import ArrayProof, ArrayRecorder, prove_shape, task_of
from fieldc.proof.lanes.word import DIGIT, WORD


@dataclass(frozen=True)
class MixedArrays:
    """An operation, and where digits stand.

    A value in limbs is below p. One in digits is below (k + 1)*p, where `lazy` among the parameters
    is k, else below p.
    """

    family: str
    parameters: tuple[tuple[str, int], ...]
    in_digits: tuple[str, ...]
    """The operands in digits."""
    gives_digits: bool
    """Whether results are in digits."""

    def contract(self, p: int, limbs: int) -> Contract:
        """The contract over a field of n limbs of 64 bits, R = 2^(64n). Raises ProofError.

        Digits have 52 bits, and as many of them hold an element as hold its limbs.
        """
        whole, digits = contract_of(self.family, p, limbs, dict(self.parameters)), digits_of(limbs)
        operands = tuple(
            replace(o, limbs=digits) if o.name in self.in_digits else replace(o, high=p - 1)
            for o in whole.operands
        )
        words, high = (digits, whole.high) if self.gives_digits else (limbs, p - 1)
        return replace(whole, operands=operands, limbs=words, high=high)

    def has_limbs(self, names: set[str]) -> bool:
        """Whether some array is in limbs, so that its tail has masks."""
        return not self.gives_digits or not names.issubset(self.in_digits)


def digits_of(limbs: int) -> int:
    """The digits that hold some limbs."""
    return -(-WORD * limbs // DIGIT)


def prove_mixed(
    code: bytes,
    of: MixedArrays,
    p: int,
    limbs: int,
    start: int = 0,
    record: ArrayRecorder | None = None,
) -> ArrayProof:
    """Prove `void (count, z, x, ...)` for every count, with z0, z1 instead of z for two results.

    It holds for arrays that are apart, or where a result is an operand of the same layout. Raises
    ProofError.
    """
    contract = of.contract(p, limbs)
    names = {o.name for o in contract.operands}
    arrays = [contract.limbs] * len(contract.claims) + [o.limbs for o in contract.operands]
    if not names.issuperset(of.in_digits) or len(arrays) > len(POINTERS):
        raise ProofError(f"{of.family} has no such operands in digits")
    if any(o.count > 1 for o in contract.operands) or not of.has_limbs(names):
        raise ProofError("some arrays are in limbs, and each has elements of one value")
    shape = shape_of(code, start, dict(zip(POINTERS, arrays, strict=False)), limbs)
    bits = {name: DIGIT if name in of.in_digits else WORD for name in names}
    task = task_of(contract, bits, DIGIT if of.gives_digits else WORD)
    return prove_shape(code, shape, task, record)
