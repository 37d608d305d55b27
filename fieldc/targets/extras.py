"""What a build may add to kernels."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Extras:
    """A landing pad, unwind data, both or neither.

    A landing pad is the instruction that an indirect branch must find where the system checks that.
    Unwind data lets debuggers and profilers walk the stack from inside a kernel.
    """

    landing_pads: bool = False
    unwind: bool = False
    is_windows: bool = False
    """Whether unwind data is what Windows reads: one description for all places of a function."""

    @property
    def options(self) -> tuple[str, ...]:
        """The options of `fieldc build` that ask for them."""
        asked = (("--landing-pads", self.landing_pads), ("--unwind", self.unwind))
        return tuple(option for option, is_asked in asked if is_asked)


ADDS = {"--landing-pads": "landing pads", "--unwind": "unwind data"}
"""What each option adds."""
PLAIN = Extras()
