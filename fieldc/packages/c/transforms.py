"""Number-theoretic transforms in a C package: their constants, and those that stay in digits."""

from __future__ import annotations

from collections.abc import Mapping

from fieldc.algorithms.lanes import in_lanes
from fieldc.algorithms.representations import Representation
from fieldc.algorithms.transforms import MOST_LEVELS, ROLES
from fieldc.field import Field
from fieldc.machine.arrays import BLOCK
from fieldc.packages.c.constants import limbs
from fieldc.properties import has_transforms, least_non_residue, properties

REFUSED = (
    "| `FIELDC_NO_TRANSFORM` (8) | ntt_roots, ntt, intt, digits_ntt, digits_intt | the number of"
    " values is no power of two, or too large a one |\n"
)
"""What README says of transforms that refuse a count."""


def transform_words(f: Field, r: Representation) -> dict[str, str]:
    """What the templates of transforms ask: the longest one, its root of unity, and 1/2."""
    facts = properties(f.p)
    none = (
        f"There are no transforms: 2^{facts.two_adicity} is the largest power of two"
        " that divides p - 1."
    )
    some = f"Transforms take arrays of 2^k values, k at most {facts.two_adicity}."
    return {
        "ntt_levels": str(facts.two_adicity if has_transforms(f.p) else 0),
        "ntt_base": str(facts.generator or least_non_residue(f.p)),
        "ntt_root_words": limbs(f, r.stored(f, facts.root_of_unity)),
        "ntt_half_words": limbs(f, r.stored(f, (f.p + 1) // 2)),
        "ntt_status": REFUSED if has_transforms(f.p) else "",
        "ntt_missing": "" if has_transforms(f.p) else f"/* {none} */\n\n",
        "ntt_arrays": some if has_transforms(f.p) else none,
    }


CACHED = 20 << 10
"""Bytes of a tile of values in digits, next to which other data have room in the first cache."""
LEAST = 128
"""The fewest elements of a tile: 16 rows of a block each."""


KINDS_OF_TILES = (*["unary"] * 2, *["binary"] * 2, *["unary"] * 3, "pair", *["butterfly"] * 2)
"""The kinds of the kernels of transforms, in their order."""
TILES = ("tiles_type", "tiles_member", "tiles_none", "tiles_found", "tiles_run")
"""What the templates say of transforms in digits."""


def tile_words(f: Field, name: str, has_tiles: bool) -> dict[str, str]:
    """What the templates say of transforms in digits; nothing where there are none."""
    if not has_tiles:
        return dict.fromkeys(TILES, "")
    digits = in_lanes(f).n
    tile = max(LEAST, 1 << (CACHED // (8 * digits)).bit_length() - 1)
    calls = f"{name}_ntt_in_tiles(tiles, x, roots, count, levels)"
    return {
        "digits": str(digits),
        "tile": str(tile),
        "tile_levels": str(min(MOST_LEVELS, (tile // BLOCK).bit_length() - 1)),
        "tiles_type": _TYPE.replace("NAME", name),
        "tiles_member": f"    {name}_transform_array transform;\n",
        "tiles_none": f", {table_of_tiles({})}",
        "tiles_found": f"    const {name}_transform_array *const tiles ="
        f" &{name}_run()->arrays->transform;\n",
        "tiles_run": f"    if (tiles->enter != NULL && count >= {name.upper()}_TILE_LEAST) {{\n"
        f"        {calls};\n        return FIELDC_OK;\n    }}\n",
    }


def table_of_tiles(symbols: Mapping[str, str]) -> str:
    """The member of transforms in digits, by their roles; there are none without symbols."""
    return f"{{{', '.join(symbols.get(role, 'NULL') for role in ROLES)}}}"


_TYPE = """
typedef void NAME_pair_vectors(size_t count, uint64_t *z0, uint64_t *z1, const uint64_t *x,
                               const uint64_t *y);

/* Kernels of transforms in digits. enter and leave bring values there and back. times multiplies
 * each by a power of a root. next_power multiplies such powers by their roots in rows. Without it
 * powers come from a table, and values enter by move_up. root brings roots to the last one of their
 * rows, and next_row a row to the one before it. step_one is a butterfly with the root 1, step_by
 * one with one root in rows for all values. Both give digits. step_loose gives what the next step
 * only adds to: carries wait. All others are there, or none is. */
typedef struct {
    NAME_unary_vectors *enter, *move_up;
    NAME_binary_vectors *times, *next_power;
    NAME_unary_vectors *leave, *root, *next_row;
    NAME_pair_vectors *step_one;
    NAME_butterfly_vectors *step_by, *step_loose;
} NAME_transform_array;
"""
