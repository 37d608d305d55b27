"""What signs say of low bits that were cut before they were decided, and of operands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fieldc.proof.algebra.equations import ONE, Polynomial, add_to, substitute
from fieldc.proof.lanes.word import Word
from fieldc.proof.lanes.words import Lane


def in_this_case(lane: Lane, value: Polynomial) -> Polynomial:
    """The polynomial with integers for their low bits, where these are all that they have.

    Where w = (v - low)/2^b is not negative and v is below 2^b, the low bits are v. So the highest
    digit of a number is its carry out of the digits below, which bounds show to be 0. Words of
    operands that can only be 0 are left out.

    Raises ExcludedCase where the signs contradict each other.
    """
    for word, _ in lane.signs.values():
        lane.tight(word)
    found, cuts = dict(value), _cuts(lane)
    for atom in sorted(cuts, reverse=True):
        if (atom,) in found:
            _, bits = cuts[atom]
            for whole in _wholes(lane, cuts, atom):
                low, high = lane.ends(whole)
                if 0 <= low <= high < 1 << bits:
                    lane.known_low(atom, bits, whole)
                    substitute(found, atom, whole)
                    break
    for atom in (atom for operand in lane.operands for atom in operand.words):
        is_there = any(atom in monomial for monomial in found)
        if is_there and not lane.tight(Word({(atom,): 1}, 0, lane.highs[atom])).high:
            substitute(found, atom, {})
    return found


def _cuts(lane: Lane) -> dict[int, tuple[Polynomial, int]]:
    """The integer whose low bits an atom is, and how many they are."""
    found: dict[int, tuple[Polynomial, int]] = {}
    for (atom, bits), piece in lane.cuts.items():
        found[piece] = {(atom,): 1}, bits
    for (key, bits), low in lane.lows.items():
        if len(low) == 1 and ONE not in low:
            found[next(iter(low))[0]] = dict(key), bits
    return found


def _wholes(
    lane: Lane, cuts: Mapping[int, tuple[Polynomial, int]], atom: int
) -> Iterator[Polynomial]:
    """Integers without an atom that differ from it by multiples of 2^bits."""
    of, bits = cuts[atom]
    yield of
    for word, negative in lane.signs.values():
        whole: Polynomial = {(atom,): 1, ONE: int(negative) << bits}
        add_to(whole, lane.expanded(word.value), 1 << bits)
        if not any(atom in monomial for monomial in whole):
            yield whole
    for inner in cuts:
        if of == {(inner,): 1}:
            yield from _wholes(lane, cuts, inner)
