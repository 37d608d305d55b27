"""How far long work is, for whoever shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

Progress = Callable[[str, int, int], None]
"""progress(what, done, total)."""
PROOFS = "prove, kB of code"
KILOBYTE = 1000
_Result = TypeVar("_Result")


def shown_proofs(
    results: Iterator[_Result], sizes: Sequence[int], progress: Progress
) -> Iterator[_Result]:
    """Results of proofs as they come, and how far they are by the bytes of each code.

    A long kernel takes longer than a short one, so bytes tell the time that is left, not kernels.
    """
    left = sum(sizes)
    total = _kilobytes(left)
    progress(PROOFS, 0, total)
    for size, result in zip(sizes, results, strict=True):
        left -= size
        progress(PROOFS, total - _kilobytes(left), total)
        yield result


def shown_choices(
    choices: Sequence[Callable[[], _Result]], progress: Progress
) -> Iterator[_Result]:
    """What each choice gives, one after the other, and how many are made."""
    for done, choice in enumerate(choices):
        progress("choose", done, len(choices))
        yield choice()
    progress("choose", len(choices), len(choices))


def _kilobytes(size: int) -> int:
    """The kilobytes that hold so many bytes."""
    return -(-size // KILOBYTE)
