"""AArch64: which row of processors.toml an instruction on vector registers has."""

from __future__ import annotations

import re
from collections.abc import Sequence

from fieldc.counting import instructions as kinds

VECTOR = "vector"
"""The row of what has none of its own: sums, logic and permutations."""
ROWS = {
    "long product": r"[us](mull|mlal|mlsl)2?",
    "product": r"mul|ml[as]",
    "shift": r"shl|shll2?|[us]shll2?|shrn2?|[us]shr|s[lr]i|[us]shl",
    "shift and add": r"[us]r?sra",
    "float product": r"fn?mul|fml[as]|fn?m(add|sub)",
    "conversion": r"[us]cvtf|fcvt\w*",
}
"""Mnemonics by the end of their row's name."""
MOVES = re.compile(r"f?mov|movi|mvni|ins|[us]mov|dup")
_OF = {name: re.compile(mnemonics) for name, mnemonics in ROWS.items()}


def vector_row(mnemonic: str, named: Sequence[str]) -> tuple[str, str]:
    """The kind of an instruction and its row; `named` are its registers, the first one written."""
    if MOVES.fullmatch(mnemonic):
        return kinds.MOVE, _between(named)
    for name, mnemonics in _OF.items():
        if mnemonics.fullmatch(mnemonic):
            return _kind(mnemonic), f"{VECTOR} {name}"
    return _kind(mnemonic), VECTOR


def _between(named: Sequence[str]) -> str:
    """The row of a move: between vectors, or between the two kinds of registers."""
    vectors = [name.startswith("v") for name in named]
    if all(vectors):
        return VECTOR
    return f"{VECTOR} from general" if vectors[0] else f"{VECTOR} to general"


def _kind(mnemonic: str) -> str:
    if re.match(r"[usf]?q?d?(ml|mul)|fn?madd|fn?msub", mnemonic):
        return kinds.MULTIPLICATION
    return kinds.ADDITION if re.match(r"[usf]?add", mnemonic) else kinds.OTHER
