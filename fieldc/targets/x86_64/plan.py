"""A plan: the choices and the refinement that make one kernel of one expression."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

from fieldc.language import Expression
from fieldc.targets.x86_64.choices import FEATURES, PLAIN, VARIANTS, Choices, Refinement, choices_on
from fieldc.targets.x86_64.conventions import SYSV, Convention
from fieldc.targets.x86_64.kernel import X86Kernel, compile_expression


@dataclass(frozen=True)
class Plan:
    """Everything that x86-64 code of an expression depends on, but its symbol and convention."""

    choices: Choices
    refinement: Refinement = PLAIN

    @property
    def is_refined(self) -> bool:
        """Whether a search changed order or registers."""
        return self.refinement != PLAIN

    @property
    def needs(self) -> tuple[str, ...]:
        """Return the processor features that the code needs."""
        return FEATURES[self.choices.variant]

    def compile(
        self, expression: Expression, symbol: str, convention: Convention = SYSV
    ) -> X86Kernel:
        """The kernel. A refinement counts instructions as System V has them: others go without."""
        refinement = self.refinement if convention.counts_as_sysv else PLAIN
        return replace(_compiled(expression, self.choices, convention, refinement), symbol=symbol)


@lru_cache(maxsize=256)
def _compiled(
    expression: Expression, choices: Choices, convention: Convention, refinement: Refinement
) -> X86Kernel:
    """The code without a name: what judges a kernel, each system and each text of it share it."""
    return compile_expression(expression, "", choices, convention, refinement)


DEFAULTS = {variant: Plan(choices) for variant, choices in VARIANTS.items()}
"""What each variant is without a search."""


def defaults_on(variant: str, processor: str) -> tuple[Plan, ...]:
    """What a variant is on a processor without a search, by its key, and then what it is elsewhere.

    The prover follows the latter in a few sums of products that it does not follow in two chains.
    """
    plans = (Plan(choices_on(variant, processor)), DEFAULTS[variant])
    return tuple(dict.fromkeys(plans))
