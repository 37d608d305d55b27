"""What was decided for an operation on a target: the candidates, and which of them is taken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace

from fieldc.decisions.model import Figure
from fieldc.language import BoundError, Expression
from fieldc.targets.choice import Choice
from fieldc.targets.judge import NotCompiled
from fieldc.targets.target import Target


@dataclass(frozen=True)
class Candidate:
    """A kernel that could be chosen, with its figure where the target has a model."""

    choice: Choice
    figure: Figure | None = None
    runs: bool = True
    """Whether the processor has what the kernel needs."""
    is_scheduled: bool = False
    """Whether a schedule made it, rather than the compiler's own order and registers."""
    is_unproved: bool = False
    """Whether its proof failed; where kernels may be unproved, all others are tried before it."""

    @property
    def algorithm(self) -> str:
        """The algorithm's name."""
        return self.choice.expression.kernel.algorithm


@dataclass(frozen=True)
class Decision:
    """What was decided for one operation on one target: every candidate, the best first."""

    target: Target
    processor: str
    candidates: tuple[Candidate, ...]
    refused: tuple[tuple[str, str], ...] = ()
    """Algorithms whose bounds do not hold, or variants that do not compile, and why."""
    at_last: Callable[[], Decision] | None = field(default=None, compare=False)
    """More candidates, which are made only where none of a variant is proved."""

    @property
    def preferred(self) -> Choice:
        """The kernel that the processor should run."""
        return _first(self.candidates)

    @property
    def expression(self) -> Expression:
        """That of the preferred kernel."""
        return self.preferred.expression

    @property
    def modelled(self) -> Choice:
        """The best that no schedule made, which is where a search for one begins."""
        return self.unscheduled.preferred

    @property
    def unscheduled(self) -> Decision:
        """What is decided without schedules, whose order and registers are for System V."""
        rest = tuple(c for c in self.candidates if not c.is_scheduled)
        return replace(self, candidates=rest)

    def choices(self) -> list[Choice]:
        """The best kernel of each variant, as the target lists them."""
        best: dict[str, Choice] = {}
        for candidate in self.candidates:
            best.setdefault(candidate.choice.variant.name, candidate.choice)
        return [best[v.name] for v in self.target.variants if v.name in best]

    def gives_way(self, choice: Choice) -> bool:
        """Whether another candidate of its variant is taken if a kernel is not proved."""
        of_variant = [c for c in self.candidates if c.choice.variant == choice.variant]
        has_more = len(of_variant) > 1 or self.at_last is not None
        return has_more and not any(
            c.is_unproved and _is_same(c.choice, choice) for c in of_variant
        )

    def without(self, failed: Choice) -> Decision | None:
        """What is decided where one kernel is not proved; None where its variant has no other.

        The next one says so in `chosen_by`. The failed one comes last, if it may be unproved.
        """
        name = failed.expression.kernel.algorithm
        rest = [c for c in self.candidates if not _is_same(c.choice, failed)]
        of_variant = [c for c in rest if c.choice.variant == failed.variant]
        if self.at_last is not None and all(c.is_unproved for c in of_variant):
            return self.with_more().without(failed)
        if not of_variant:
            return None
        after = of_variant[0]
        which = f"{name} in its own rows" if after.algorithm == name else name
        said = f"{after.choice.chosen_by}; {which} is not proved"
        told = replace(after, choice=replace(after.choice, chosen_by=said))
        last = [] if self.target.is_own else [c for c in self.candidates if c not in rest]
        candidates = [told if c is after else c for c in rest]
        candidates += [replace(c, is_unproved=True) for c in last]
        return replace(self, candidates=tuple(candidates))

    def with_more(self) -> Decision:
        """The decision with the candidates that come last, if there are any."""
        more: tuple[Candidate, ...] = ()
        if self.at_last is not None:
            with suppress(NotCompiled, BoundError):
                more = self.at_last().candidates
        return replace(self, candidates=(*self.candidates, *more), at_last=None)

    def variant(self, name: str) -> Choice:
        """The best kernel of a variant. Raises KeyError."""
        return {choice.variant.name: choice for choice in self.choices()}[name]


def _first(candidates: Sequence[Candidate]) -> Choice:
    """The first that runs; where none does, the first."""
    return next((c.choice for c in candidates if c.runs), candidates[0].choice)


def _is_same(one: Choice, other: Choice) -> bool:
    """Whether two choices are of one kernel, whatever chose them."""
    kernels = (one.expression.kernel, other.expression.kernel)
    return kernels[0] == kernels[1] and (one.variant, one.plan) == (other.variant, other.plan)
