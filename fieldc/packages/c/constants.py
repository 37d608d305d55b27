"""The constants of a package's C functions: of inversion by divsteps, roots and wide numbers."""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.algorithms.chains import chain
from fieldc.algorithms.representations import MONTGOMERY, Representation
from fieldc.field import Field
from fieldc.proof.claims.divsteps import BATCH

DIGITS = {62: 60, 30: 30}
"""Bits of a digit of an inversion, and the most divsteps of a batch: with 128-bit products, and
with 64-bit ones."""
WITH_KERNEL = 62
"""The digits for which a kernel makes matrices."""
WORD = 64
UPDATED = range(4, 10)
"""Numbers of limbs for which the updates of a batch are kernels: those that were measured."""
MORE = 50
"""A kernel of 59 divsteps is called if it does at most a part of so many more than C would."""


def words(values: Sequence[int]) -> str:
    """Unsigned words as the inside of an array."""
    return ", ".join(f"UINT64_C({value:#x})" for value in values)


def limbs(f: Field, value: int) -> str:
    """A number as the inside of an array of limbs."""
    return words(f.limbs(value))


def divsteps_of(f: Field) -> int:
    """Enough divsteps for an inverse.

    If f is odd, 0 <= g <= f <= 2^b and 9437*b + 1 <= 4096*n, then g = 0 after n divsteps from
    delta = 1/2. Proved in HOL Light: DIVSTEP_ENDTOEND_BITS_SIMPLE, J. Harrison.
    """
    return -(-(9437 * f.bits + 1) // 4096)


def has_divstep_kernel(f: Field) -> bool:
    """Whether a package calls the kernel: not where whole batches of it are many steps more."""
    steps, most = divsteps_of(f), DIGITS[WITH_KERNEL]
    batches = -(-steps // most)
    in_c = batches * -(-steps // batches)
    by_kernel = BATCH.steps * -(-steps // BATCH.steps)
    return by_kernel * MORE <= in_c * (MORE + 1)


def has_updates(f: Field) -> bool:
    """Whether a package has kernels that update f, g, d and e."""
    return has_divstep_kernel(f) and f.n in UPDATED and 2 * f.p <= f.R


def inversion(f: Field, r: Representation) -> dict[str, str]:
    """What the template of the inversion asks, for each size of a digit.

    It computes 1/g times a scale. The inverse of x*R times R^2 is that of x times R.
    """
    is_montgomery = r is MONTGOMERY
    found = {"scale": "R^2" if is_montgomery else "1"}
    steps, kernel = divsteps_of(f), has_divstep_kernel(f)
    found["has_divstep_kernel"] = str(int(kernel))
    found["has_updates"], found["limbs_fg"] = str(int(has_updates(f))), str(f.n + 2)
    batches = -(-steps // BATCH.steps)
    scale = (f.R2 if is_montgomery else 1) << (WORD - BATCH.steps) * batches
    found["batches_of_kernel"], found["scale_words"] = str(batches), limbs(f, scale % f.p)
    for bits, most in DIGITS.items():
        whole = kernel and bits == WITH_KERNEL
        count, batches = -(-(f.bits + 2) // bits), -(-steps // (BATCH.steps if whole else most))
        found |= {
            f"digits_{bits}": str(count),
            f"p_digits_{bits}": _digits(f.p, bits, count),
            f"scale_digits_{bits}": _digits(f.R2 if is_montgomery else 1, bits, count),
            f"p_inverse_{bits}": f"UINT64_C({pow(f.p, -1, 1 << bits):#x})",
            f"batches_{bits}": str(batches),
            f"batch_{bits}": str(BATCH.steps if whole else -(-steps // batches)),
        }
    return found


def _digits(value: int, bits: int, count: int) -> str:
    digits = (value >> bits * i & (1 << bits) - 1 for i in range(count))
    return ", ".join(f"INT64_C({digit:#x})" for digit in digits)


def roots(f: Field, r: Representation) -> dict[str, str]:
    """p - 1 = odd * 2^adicity, and the constants of a square root in constant time.

    The power (odd - 1)/2 takes an addition chain; where that is 0, the power p - 1, which is the
    same for all x but 0, of which every power is 0 in the chain.

    Source: RFC 9380, appendix I.4 (Tonelli and Shanks).
    """
    adicity = (f.p - 1 & -(f.p - 1)).bit_length() - 1
    odd = f.p - 1 >> adicity
    other = next(g for g in range(2, f.p) if pow(g, (f.p - 1) // 2, f.p) == f.p - 1)
    found = chain((odd - 1) // 2 or f.p - 1)
    rows = [
        f"{{{s.to}, {s.of}, {s.squarings}, {-1 if s.by is None else s.by}}}" for s in found.steps
    ]
    return {
        "adicity": str(adicity),
        "chain_squares": str(found.squarings),
        "chain_products": str(found.products),
        "chain_kept": str(found.kept),
        "chain_length": str(len(rows)),
        "chain_rows": ",\n    ".join(", ".join(rows[i : i + 6]) for i in range(0, len(rows), 6)),
        "root_words": limbs(f, r.stored(f, pow(other, odd, f.p))),
    }


def wide(f: Field, r: Representation) -> dict[str, str]:
    """How a number of any length is read: in chunks below p, of whole bytes or of bits."""
    chunk = f.bits - 1 if f.bits <= 8 else (f.bits - 1) // 8 * 8
    return {
        "chunk": str(chunk),
        "unit": "1" if f.bits <= 8 else "8",
        "chunk_words": limbs(f, r.stored(f, 1 << chunk)),
        "random_bytes": str(-(-f.bits // 8) + 16),
    }
