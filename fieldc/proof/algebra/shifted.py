"""What a comparison says of words that were shifted, and of numbers of which it is the top."""

from __future__ import annotations

from fieldc.proof.algebra.comparisons import Comparison
from fieldc.proof.algebra.equations import Polynomial, System


def top_scale(system: System, target: Polynomial, size: int) -> tuple[int, ...]:
    """What a word's top bits are worth in a number below `size` of which it is the last limb."""
    tops = {(number,): shift for (_, shift), number in system.top_bits.items()}
    shifts = [tops[m] for m in target if len(target) == 1 and m in tops]
    return tuple(size >> system.word_bits - shift for shift in shifts)


def times_in_top(system: System, target: Polynomial, comparison: Comparison) -> tuple[int, ...]:
    """How often a compared number is in a number whose upper limbs are it, or are twice it."""
    upper = system.radix * max(abs(int(c)) for c in target.values())
    size = abs(comparison.weight)
    return tuple(times // size for times in (2 * upper, upper) if times % size == 0)
