"""What there is to choose of a kernel: its algorithm, and its variant on a target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fieldc.language import Expression


@dataclass(frozen=True)
class Variant:
    """One of several kernels that a target makes of an expression, and what it asks for."""

    name: str
    needs: tuple[str, ...] = ()
    """Features of the processor, by LLVM's names, or of the engine."""


@dataclass(frozen=True)
class Choice:
    """A kernel to be made: an algorithm by its expression, a variant, and a plan.

    The `plan` is the target's own: what its variant leaves open, such as an order of instructions
    that a search found. None stands for the variant's defaults. `chosen_by` says in words what
    chose it, `options` what the command line needs to choose it again.
    """

    expression: Expression
    variant: Variant
    plan: Any = None
    chosen_by: str = ""
    options: tuple[str, ...] = ()
