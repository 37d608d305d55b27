"""Proves kernels on arrays in limbs and in digits, of which some operands may serve for all."""

from __future__ import annotations

from dataclasses import dataclass, replace

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.contracts import Contract, contract_of
from fieldc.proof.claims.transforms import TRANSFORM_FAMILIES, transform_contract
from fieldc.proof.lanes.loop import POINTERS, shape_of
from fieldc.proof.lanes.prove import ArrayProof, ArrayRecorder, prove_shape, task_of
from fieldc.proof.lanes.word import DIGIT, WORD


@dataclass(frozen=True)
class MixedArrays:
    """An operation, and where digits stand.

    A value in limbs is below p. One in digits is below (k + 1)*p, where `lazy` among the parameters
    is k, else below p. Families of transforms say themselves how large values are.
    """

    family: str
    parameters: tuple[tuple[str, int], ...]
    in_digits: tuple[str, ...]
    """The operands in digits."""
    gives_digits: bool
    """Whether results are in digits."""
    shared: tuple[str, ...] = ()
    """The operands in digits that have one element, which serves for all."""

    def contract(self, p: int, limbs: int) -> Contract:
        """The contract over a field of n limbs of 64 bits, R = 2^(64n). Raises ProofError.

        Digits have 52 bits, and as many of them hold an element as hold its limbs.
        """
        digits = digits_of(limbs)
        if self.family in TRANSFORM_FAMILIES:
            return self._of_transform(p, limbs, digits)
        whole = contract_of(self.family, p, limbs, dict(self.parameters))
        if any(o.count > 1 for o in whole.operands):
            raise ProofError("each array has elements of one value")
        operands = tuple(
            replace(o, limbs=digits) if o.name in self.in_digits else replace(o, high=p - 1)
            for o in whole.operands
        )
        words, high = (digits, whole.high) if self.gives_digits else (limbs, p - 1)
        return replace(whole, operands=operands, limbs=words, high=high)

    def _of_transform(self, p: int, limbs: int, digits: int) -> Contract:
        """The same for a family that says which operands are in digits."""
        found = transform_contract(self.family, p, limbs, digits, dict(self.parameters))
        names = () if self.family == "move_up" else tuple(o.name for o in found.operands)
        if self.in_digits != names or not self.gives_digits:
            raise ProofError(f"{self.family} has other arrays in digits")
        return found

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
    if not names.issuperset(of.in_digits) or not {*of.in_digits}.issuperset(of.shared):
        raise ProofError(f"{of.family} has no such operands in digits")
    moved = [0 if o.name in of.shared else o.limbs * o.count for o in contract.operands]
    arrays = [contract.limbs] * len(contract.claims) + moved
    if len(arrays) > len(POINTERS):
        raise ProofError(f"results and operands are up to {len(POINTERS)} arrays")
    masked = limbs if of.has_limbs(names) else 0
    shape = shape_of(code, start, dict(zip(POINTERS, arrays, strict=False)), masked)
    bits = {name: DIGIT if name in of.in_digits else WORD for name in names}
    task = task_of(contract, bits, DIGIT if of.gives_digits else WORD, of.shared)
    return prove_shape(code, shape, task, record)
