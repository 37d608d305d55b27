"""How a processor's model judges the kernels of a target: by their code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from fieldc.machine.processors import Processor
from fieldc.targets.choice import Choice, Variant


class NotCompiled(ValueError):
    """A target has no code for these words in this plan; the message is one line."""


@dataclass(frozen=True)
class Judge:
    """What the decision asks of a target whose kernels a model can judge."""

    code: Callable[[Choice], bytes]
    """The bytes of a choice's function. One for all systems of a target's kind.

    Raises NotCompiled.
    """
    architecture: str
    """Of the bytes, as the counts name it."""
    stand_in: str
    """The processor, by its key, whose model serves where the one that is meant is not known."""
    plans: Callable[[Variant, str], Sequence[Any]] = lambda variant, processor: (None,)
    """The plans of a variant's defaults on a processor, by its key.

    A later one is for what the prover does not follow in an earlier one.
    """
    takes_schedules: bool = False
    """Whether schedules that a search found are of its kernels."""
    is_simulated: bool = False
    """Whether the simulator predicts cycles of its kernels, where it has the processor's core."""
    studied: Sequence[str] = ()
    """Algorithms that are offered here besides those that every target is offered."""
    orders: Callable[[Choice, Processor, bool], Sequence[Any]] | None = None
    """Plans that differ only in the order of a kernel's instructions; of a long kernel only few.

    The simulator chooses among them for a processor that is known.
    """
