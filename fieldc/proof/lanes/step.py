"""Runs one instruction of a block: the lists of meanings, for each kind of registers."""

from __future__ import annotations

import capstone

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.lanes.block import LANES, BlockRun
from fieldc.proof.lanes.four_lanes import YMM_MEANINGS
from fieldc.proof.lanes.meanings import EVEX, MEANINGS, length_bits, rounding_of

VEX = (0xC4, 0xC5)
"""What opens the other instructions on vectors."""
LENGTH_512 = 2
"""Of EVEX.L'L, as a length."""


def step(block: BlockRun, i: capstone.CsInsn) -> None:
    """Run one instruction. Raises ProofError for one that is not on the list."""
    where = f"+{i.address:#x} {i.mnemonic} {i.op_str}"
    is_short = block.places < LANES
    meaning = (YMM_MEANINGS if is_short else MEANINGS).get(i.mnemonic)
    opening = bytes(i.bytes)[0]
    if meaning is None or opening not in (VEX if is_short else (*VEX, EVEX)):
        raise ProofError(f"{where}: this instruction is not on the list")
    if opening == EVEX and rounding_of(i) is None and length_bits(i) != LENGTH_512:
        raise ProofError(f"{where}: no instruction on vectors of 512 bits, for the processor")
    block.begin()
    try:
        meaning(block, i)
    except ProofError as error:
        message = str(error)
        raise ProofError(message if message.startswith("+") else f"{where}: {message}") from None
