"""The constants of number-theoretic transforms in a C package."""

from __future__ import annotations

from fieldc.algorithms.representations import Representation
from fieldc.field import Field
from fieldc.packages.c.constants import limbs
from fieldc.properties import has_transforms, least_non_residue, properties


def transform_words(f: Field, r: Representation) -> dict[str, str]:
    """What the templates of transforms ask: the longest one, its root of unity, and 1/2."""
    facts = properties(f.p)
    return {
        "ntt_levels": str(facts.two_adicity if has_transforms(f.p) else 0),
        "ntt_base": str(facts.generator or least_non_residue(f.p)),
        "ntt_root_words": limbs(f, r.stored(f, facts.root_of_unity)),
        "ntt_half_words": limbs(f, r.stored(f, (f.p + 1) // 2)),
        "ntt_missing": (
            ""
            if has_transforms(f.p)
            else f"/* There are no transforms: 2^{facts.two_adicity} is the largest power of two"
            " that divides p - 1. */\n\n"
        ),
    }
