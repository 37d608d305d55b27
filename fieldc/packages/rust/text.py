"""Pieces of the crate's generated Rust: signatures as rustfmt has them, arrays and constants."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping
from hashlib import sha256

LINE = 100
"""The longest line that rustfmt leaves as it is."""


def signature(head: str, operands: list[str], result: str) -> str:
    """A function's first lines, as rustfmt has them; without a result it gives none."""
    given = f" -> {result}" if result else ""
    line = f"{head}({', '.join(operands)}){given}"
    if len(line) + len(" {") <= LINE:
        return line
    return "\n".join((f"{head}(", *(f"    {x}," for x in operands), f"){given}"))


def array(count: int, limbs: int) -> str:
    """The type of one value of so many limbs, or of several."""
    return f"[u64; {limbs}]" if count == 1 else f"[[u64; {limbs}]; {count}]"


def constant(name: str) -> tuple[str, str]:
    """A constant's operand and its value, from its name: `p[3]`, `mu[0]`, `n0`, `p[0].high`."""
    if name.startswith("0x"):
        return f"k{name[2:]}", f"{name}_u64"
    whole, _, half = name.partition(".")
    if half:
        operand, value = constant(whole)
        return f"{operand}_{half}", f"{value} {'>> 32' if half == 'high' else '& 0xffff_ffff'}"
    return name.replace("[", "").replace("]", ""), f"M::{name.upper()}"


def wrapped(operands: Iterable[str]) -> str:
    """Operands of inline assembly, as many on a line as there is room for."""
    margin = " " * 12
    return textwrap.fill(" ".join(operands), LINE, initial_indent=margin, subsequent_indent=margin)


CALLED = """\
            called!(
                "{call}",
                "{name}",
                r"
{lines}
"
            ),
{constants}"""


def called(call: str, symbol: str, lines: str, constants: Mapping[str, str], limbs: int) -> str:
    """The first operands of inline assembly that calls code: its text, and its constants.

    `constants` are the operands that stand for words in `lines`, each with its value in Rust. Code
    with any is for many moduli, so the modulus belongs to its name:
    crates/fieldc/src/machine/called.rs says why.
    """
    p = dict(constant(f"p[{i}]") for i in range(limbs)) if constants else {}
    words = (f"fieldc_{symbol}", sha256(lines.encode()).hexdigest()[:16], *(f"{{{x}}}" for x in p))
    values = {**constants, **p}
    return CALLED.format(
        call=call,
        name="_".join(words),
        lines=lines,
        constants="\n".join((wrapped(f"{x} = const {value}," for x, value in values.items()), ""))
        if values
        else "",
    )
