"""Pieces of the crate's generated Rust: signatures as rustfmt has them, arrays and constants."""

from __future__ import annotations

LINE = 100
"""The longest line that rustfmt leaves as it is."""


def signature(head: str, operands: list[str], result: str) -> str:
    """A function's first lines, as rustfmt has them; without `result` it returns nothing."""
    after = f" -> {result}" if result else ""
    line = f"{head}({', '.join(operands)}){after}"
    if len(line) + len(" {") <= LINE:
        return line
    return "\n".join((f"{head}(", *(f"    {x}," for x in operands), f"){after}"))


def array(count: int, limbs: int) -> str:
    """The type of one value of so many limbs, or of several."""
    return f"[u64; {limbs}]" if count == 1 else f"[[u64; {limbs}]; {count}]"


def constant(name: str) -> tuple[str, str]:
    """A constant's operand and its value, from its name: `p[3]`, `mu[0]`, `n0`."""
    if name.startswith("0x"):
        return f"k{name[2:]}", f"{name}_u64"
    return name.replace("[", "").replace("]", ""), f"M::{name.upper()}"
