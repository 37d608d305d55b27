"""Arrays that stay in digits in a C package: the tables of their kernels, and their constants."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from fieldc.algorithms.columns import ACCUMULATE, COLLECT
from fieldc.algorithms.lanes import MOST_BITS, in_lanes, spare
from fieldc.algorithms.sums import has_sums
from fieldc.artifacts.digit_arrays import (
    ACCUMULATE_DIGITS,
    DIGIT_ROLES,
    FROM_DIGITS,
    MOVE_ROLES,
    TO_DIGITS,
)
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK
from fieldc.packages.c.constants import limbs
from fieldc.packages.c.entries import called
from fieldc.targets.vectors.kernel import ArrayKernel
from fieldc.targets.vectors.target import VectorTarget

KINDS = {
    **dict.fromkeys((TO_DIGITS, FROM_DIGITS, "square_digits"), "unary"),
    "mul_add_digits": "ternary",
}
"""Those that are not of two operands."""
DIGIT_KINDS = tuple((KINDS.get(role, "binary"), role) for role in DIGIT_ROLES)
"""The kernels, with their kinds."""
MOVE_KINDS = tuple(("unary", role) for role in MOVE_ROLES)
"""The kernels of inverses in digits, with their kinds."""


def has_digits(f: Field) -> bool:
    """Whether arrays in digits have kernels; a value of one limb is a digit already."""
    return f.n > 1 and f.bits <= MOST_BITS and has_sums(f)


def digit_words(f: Field, name: str, in_digits: bool, has_moves: bool) -> dict[str, str]:
    """What the templates say of arrays in digits, and of inverses in digits."""
    factor = f.to_montgomery(pow(2, -spare(f), f.p)) if in_digits else 0
    return {
        "digit_words": str(in_lanes(f).n if in_digits else f.n),
        "digit_factor": limbs(f, factor),
        "any_limb": " | ".join(f"x->limbs[{i}]" for i in range(f.n)),
        "any_digit": " | ".join(
            f"block[{BLOCK * i}]" for i in range(in_lanes(f).n if in_digits else 1)
        ),
        "clear_limbs": "".join(f"            limbs[{i}] &= mask;\n" for i in range(f.n)),
        **{
            word: text.replace("NAME", name).replace("UPPER", name.upper()) if has_moves else ""
            for word, text in _CHAINS.items()
        },
    }


def pointer_to_digits(name: str, target: VectorTarget) -> str:
    """Where the table is."""
    return f"&{name}_{target.name}_digits"


def table_of_digits(name: str, target: VectorTarget, found: Mapping[str, ArrayKernel]) -> str:
    """The kernels of a target in the order of the members; nothing unless all are there."""
    columns = found[ACCUMULATE_DIGITS].columns if _are_all_in(found) else None
    if columns is None:
        return ""
    members = ", ".join(called(found[role]) for role in (*DIGIT_ROLES, COLLECT))
    most = BLOCK * columns.terms * columns.turns
    table = pointer_to_digits(name, target).removeprefix("&")
    moves = ", ".join(called(found[role]) if role in found else "NULL" for role in MOVE_ROLES)
    inside = f"{members}, {most}, {moves}"
    return f"static const {name}_digits_kernels {table} = {{\n    {inside}}};\n"


def _are_all_in(found: Collection[str]) -> bool:
    return all(role in found for role in (*DIGIT_ROLES, ACCUMULATE, COLLECT))


_CHAINS = {
    "chains_run": """    const NAME_digits_kernels *const digits = NAME_run()->arrays->digits;
    if (digits != NULL && digits->cut != NULL && count >= UPPER_CHAINS_LEAST) {
        NAME_invert_in_digits(digits, z, x, count);
        return;
    }
""",
    "digit_chains_run": """    const NAME_digits_kernels *const run = x->run;
    const int apart = z->words != x->words;
    if (apart && run != NULL && run->cut != NULL && x->count >= UPPER_CHAINS_LEAST)
        return NAME_digits_invert_apart(run, z->words, x->words, x->count);
""",
}
"""What calls chains of products in digits, where there are kernels that move values."""
