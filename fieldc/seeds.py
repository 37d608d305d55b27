"""Seeds of random draws, as users write them."""

from __future__ import annotations

from fieldc.errors import UserError, quote

MOST_DIGITS = 640
"""Of a seed: int() reads it whatever its limit is set to."""


def seed(text: str) -> int:
    """A seed for argparse: a whole number from 0 on. Raises UserError.

    Python's generator drops the sign of its seed, so -1 would draw what 1 draws.
    """
    if not text.isascii() or not text.isdigit() or len(text) > MOST_DIGITS:
        said = f"is no seed: a whole number from 0 on, of at most {MOST_DIGITS} digits"
        raise UserError(f"{quote(text)} {said}")
    return int(text)
