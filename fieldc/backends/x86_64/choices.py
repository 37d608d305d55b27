"""What may differ between two kernels of one program: variant, rows, addressing, clearing."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.backends.x86_64.instructions import CF, OF
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
    """Where `xor r, r` clears flags: where `needed`, before `product` rows, before `all` rows."""
    zero: str = "register"
    """Where the 0 that absorbs a carry is kept: `memory` or `register`."""
    constants: str = "rip"
    """How constants are addressed: `rip` or through a base `register`."""
    quotient: str = "mulx"
    """`mulx` keeps the flags, `imul` has one micro-operation less."""

    @property
    def flags(self) -> tuple[str, ...]:
        """The flags that carry chains."""
        return (CF, OF) if self.variant == "adx" else (CF,)


VARIANTS: dict[str, Choices] = {
    "adx": Choices(),
    "mulx": Choices("mulx", RowChoice(RowStyle.ONE_CHAIN), quotient="imul"),
    "base": Choices("base", RowChoice(RowStyle.CARRY_WORD), quotient="imul"),
}
FEATURES: dict[str, tuple[str, ...]] = {"adx": ("adx", "bmi2"), "mulx": ("bmi2",), "base": ()}
