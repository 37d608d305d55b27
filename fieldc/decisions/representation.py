"""Decides how the residues of a field should stand on a processor: in Montgomery form, or plain."""

from __future__ import annotations

from dataclasses import dataclass

from fieldc.algorithms import representations
from fieldc.algorithms.representations import MONTGOMERY, Representation
from fieldc.decisions.model import Figure
from fieldc.decisions.preferred import preferred
from fieldc.field import Field
from fieldc.targets.target import Target

JUDGED = ("mul", "square")
"""The parts whose bounds are compared; conversions are rare beside them."""
OF_PACKAGES = "sapphire-rapids"
"""The processor that decides for packages: they are the same wherever they are built."""


@dataclass(frozen=True)
class Judgement:
    """A representation, and the figure of each part that is judged."""

    representation: Representation
    figures: dict[str, Figure | None]

    @property
    def cycles(self) -> float:
        """The sum of the lower bounds on independent calls; 0 where the target has no model."""
        return sum(figure.throughput for figure in self.figures.values() if figure)


def judged(field: Field, target: Target, processor: str | None = None) -> list[Judgement]:
    """Every representation that a prime can have on a target, the best first.

    Where nothing is known of a target, Montgomery form is first. Raises UnknownProcessor.
    """
    found = []
    for offer in representations(field):
        if offer.applies:
            figures = {
                part: preferred(field, offer.representation.parts[part], target, processor)
                .candidates[0]
                .figure
                for part in JUDGED
            }
            found.append(Judgement(offer.representation, figures))
    return sorted(found, key=lambda j: (j.cycles, j.representation is not MONTGOMERY))
