"""What may differ between two kernels of one program: variant, rows, addressing, clearing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from fieldc.targets.x86_64.instructions import CF, OF
from fieldc.words.rows import RowChoice, RowStyle

ROW_AND_SUM = RowChoice(RowStyle.TWO_SUMS, ahead=1)


@dataclass(frozen=True)
class Choices:
    """One way to turn words into x86-64 instructions. Every combination is correct.

    The defaults were fastest of all combinations on a Golden Cove core (Sapphire Rapids): BLS12-381
    multiplication 90.4 | 106.1 cycles (throughput | latency) against 95.3 | 112.3 with the two
    chains of the classical row; with those two chains, 105.0 | 121.2 when flags are cleared before
    product rows only.
    """

    variant: str = "adx"
    rows: RowChoice = ROW_AND_SUM
    clear: str = "all"
    """When `xor r, r` clears flags: if `needed`, before `product` rows, or before `all` rows."""
    zero: str = "register"
    """Where the 0 that absorbs a carry is kept: `memory` or `register`."""
    constants: str = "rip"
    """How constants are addressed: `rip`, or through a base `register` in kernels with products."""
    quotient: str = "mulx"
    """`mulx` keeps the flags, `imul` has one micro-operation less."""

    scanned: str = "y"
    """The operand whose limbs multiply rows of the other, `x` or `y`, if the order is free."""
    loads: str = "folded"
    """Limbs of an operand in a product: read from memory by it (`folded`), or the `first` time by
    a mov of their own, which can take a word from the store that made it without waiting. Or each
    is loaded and `kept` a while, also for shifts; a square multiplies rdx by itself."""
    selected: str = "difference"
    """What the last selection overwrites: the `difference` (cmovc) or the `sum` (cmovnc)."""
    complements: str = "late"
    """Of sums: made of the sum (`late`), or `early` of an addend, which shortens the wait."""

    literals: str = "memory"
    """Where a mov of a constant finds it, in a kernel without products: in `memory`, or, of `many`
    words, in the instruction. That spares a load and makes code longer."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that carry chains."""
        return (CF, OF) if self.variant == "adx" else (CF,)


@dataclass(frozen=True)
class Refinement:
    """Decisions below the choices, found by search: order, registers and spills of one kernel.

    Empty ones leave what the passes decide by themselves. Positions are those of the code as the
    pass before left it, so a refinement belongs to one program, its choices and a convention.
    """

    order: tuple[tuple[int, int], ...] = ()
    """Moves of virtual instructions, before registers are given."""
    registers: tuple[str, ...] = ()
    """Every register a kernel may use, in order of preference."""
    places: tuple[tuple[int, str], ...] = ()
    """Virtual registers, by number, with the register each takes, if free or by a spill."""
    late: tuple[tuple[int, int], ...] = ()
    """Moves of finished instructions, saving and restoring of registers included."""


PLAIN = Refinement()
VARIANTS: dict[str, Choices] = {
    "adx": Choices(),
    # Of 24 combinations of rows, constants, quotient and loads, on a Golden Cove core: the best or
    # near it for most of 2 to 12 limbs. BLS12-381 multiplication 79.6 | 91.2 cycles (throughput |
    # latency), before, with constants by rip and loads folded, 82.0 | 98.1: a word folded into mulx
    # waits 5 cycles for the store that made it. Of other sizes up to 8 limbs latency is 0 to 19 %
    # lower, throughput from 8 % lower to 5 % higher; at 12 limbs multiplication is 1 to 3 % slower.
    "mulx": Choices(
        "mulx",
        RowChoice(RowStyle.ONE_CHAIN),
        quotient="imul",
        constants="register",
        loads="first",
    ),
    "base": Choices("base", RowChoice(RowStyle.CARRY_WORD), quotient="imul"),
}
# Of 17 combinations of rows, loads, quotient, zero, constants, clear and order of operands, on a
# Zen 4 core: the best or near it for 9 primes of 4 to 8 limbs. BLS12-381 multiplication 102.5 |
# 103.5 cycles, before 123.5 | 128.5; CSIDH-512's 187 | 190, before 200 | 201. A mulx after another
# one costs more there than one after an addition (docs/figures.md).
# Sums of many limbs need more registers than there are, and loads and stores bound them: their
# constants stand in instructions (docs/sums.md). Sums of 4 and 6 limbs take up to a cycle more so.
_ZEN = {
    "adx": replace(
        VARIANTS["adx"],
        rows=RowChoice(RowStyle.TWO_CHAINS),
        loads="first",
        literals="many",
    ),
    "mulx": replace(VARIANTS["mulx"], literals="many"),
    "base": replace(VARIANTS["base"], literals="many"),
}
ON_PROCESSORS: Mapping[str, Mapping[str, Choices]] = {"zen-2": _ZEN, "zen-3": _ZEN, "zen-4": _ZEN}
"""The defaults that differ on a processor, by its key and the variant. Zen 3 has Zen 4's core.

On a Zen 2 core BLS12-381 multiplication takes 99.7 | 103.5 cycles with them, before 114.5 | 110.8.
"""
FEATURES: dict[str, tuple[str, ...]] = {"adx": ("adx", "bmi2"), "mulx": ("bmi2",), "base": ()}


def choices_on(variant: str, processor: str) -> Choices:
    """A variant's defaults on a processor of processors.toml, by its key; any other key is fine."""
    return ON_PROCESSORS.get(processor, {}).get(variant, VARIANTS[variant])
