"""The proof of divsteps written down, so that a second program replays it without runs on numbers.

    {format, symbol, steps, convention, stack, blocks}
    block    {begin: [x, y], steps: [[zeta, x, y], ...], sums: [f, g] or []}

The claim is that of `claims/divsteps.py` for so many steps and |zeta| < 2^62. `stack` is how many
bytes below the return address the code uses. Each number in a block is the offset of an instruction
from the function's first byte. It names the word that this instruction gives to its register.

    begin    f + 2^20*u and g + 2^42*v in packed words, for the block's low bits of f and g
    steps    zeta and both packed words after each step
    sums     u*f + v*g and q*f + r*g, for the block's matrix; none after the last block

The checker proves of these words what `prove.py` says in its points 3 to 5. From them z follows.
"""

from __future__ import annotations

from typing import Any

from fieldc.proof.divsteps.prove import ProvedDivsteps

FORMAT = "fieldc-divsteps-1"


def certificate_of_divsteps(
    proved: ProvedDivsteps, steps: int, convention: str, symbol: str
) -> dict[str, Any]:
    """The certificate of a finished proof."""
    blocks = [
        {"begin": of.begin, "steps": of.steps, "sums": of.sums if len(of.sums) == 2 else ()}
        for of in proved.blocks
    ]
    return {
        "format": FORMAT,
        "symbol": symbol,
        "steps": steps,
        "convention": convention,
        "stack": proved.stack,
        "blocks": blocks,
    }
