"""Kernels of arrays that stay in digits: which there are, and that a target has all or none."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import Protocol, TypeVar

from fieldc.algorithms.columns import COLLECT
from fieldc.algorithms.lanes import DIGIT_BITS, LIMB_BITS
from fieldc.algorithms.transforms import LOOSE, ROLES
from fieldc.artifacts.columns import HasKernel, check_pair
from fieldc.artifacts.promise import ArrayPromise
from fieldc.artifacts.transforms import roles_of
from fieldc.artifacts.verify import Job
from fieldc.field import Field
from fieldc.proof.lanes.mixed import MixedArrays
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.offers import conversions

DIGIT_OPERATIONS = ("add", "sub", "mul", "square", "mul_add")
"""What arrays in digits compute element by element, on values below 2p."""
TO_DIGITS, FROM_DIGITS, ACCUMULATE_DIGITS = "to_digits", "from_digits", "accumulate_digits"
DIGIT_ROLES = (
    TO_DIGITS,
    FROM_DIGITS,
    *(f"{operation}_digits" for operation in DIGIT_OPERATIONS),
    ACCUMULATE_DIGITS,
)
"""The kernels of an array in digits. `collect` reduces the columns of `accumulate_digits`."""
MOVE_ROLES = ("cut", "join")
"""What moves the same number to digits and back, so that R stays that of limbs: both or none."""
MULTIPLE_ROLES = ("accumulate_multiples", "collect_multiples")
"""The kernels of products in a tower, which a target has both or none of."""


class HasRole(HasKernel, Protocol):
    """A built kernel on arrays that may be one of several."""

    @property
    def role(self) -> str:
        """Its name among kernels that are used together, or empty."""


BuiltWithRole = TypeVar("BuiltWithRole", bound=HasRole)


def job_of_conversion(kernel: ArrayKernel, promise: ArrayPromise) -> Job:
    """The proof of a kernel that changes the layout."""
    operation, p = promise.operation, promise.field.p
    f = Field(p, LIMB_BITS)
    gives = promise.result_field.word == DIGIT_BITS
    parameters = tuple(conversions(f)[operation].parameters.items())
    mixed = MixedArrays("mul_by", parameters, () if gives else ("x",), gives)
    job = Job(kernel.object, kernel.symbol, operation, p, f.n, array_word=LIMB_BITS)
    return replace(job, mixed=mixed)


def in_whole_sets(built: Sequence[BuiltWithRole]) -> list[BuiltWithRole]:
    """The kernels, but of a target's transforms all or none, and so of its arrays in digits.

    Sums of elements in digits are run on vectors where this processor can. Raises CheckError.
    """
    found = all_or_none(all_or_none(built, ROLES), DIGIT_ROLES)
    found = all_or_none(all_or_none(found, MULTIPLE_ROLES), MOVE_ROLES)
    collects = {
        each.kernel.target.name: each
        for each in found
        if each.kernel.expression.kernel.operation == COLLECT and not each.role
    }
    for each in found:
        if each.role == ACCUMULATE_DIGITS and each.kernel.target.name in collects:
            check_pair(each, collects[each.kernel.target.name])
    return found


def all_or_none(built: Sequence[BuiltWithRole], roles: Collection[str]) -> list[BuiltWithRole]:
    """The kernels, but none of those roles of a target for which one of them is missing.

    The step in loose digits may be: another one does what it does.
    """
    targets = {each.kernel.target.name: each.kernel.target for each in built}
    whole = {
        name
        for name, target in targets.items()
        if {*roles_of(target, roles)} - {LOOSE}
        <= {each.role for each in built if each.kernel.target.name == name}
    }
    return [e for e in built if e.role not in roles or e.kernel.target.name in whole]
