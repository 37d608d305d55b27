"""Whether the statements of routines, one after the other, compute a formula.

This is known before anything is compiled. The proof of a caller compares the same values in the
same way.
"""

from __future__ import annotations

from collections.abc import Sequence

from fieldc.proof.algebra.identity import ProofError
from fieldc.proof.claims.forms import Forms
from fieldc.proof.claims.formulas import evaluate, statement_of

CalledText = tuple[str, Sequence[int], int]
"""A routine's statement, the numbers of the values that it takes, and that of its result."""


def is_shown(
    text: str, p: int, limbs: int, called: Sequence[CalledText], results: Sequence[int]
) -> bool:
    """Whether the values with these numbers are shown to be the formula's results.

    Inputs have the first numbers.

    Raises ProofError for a text that is no formula.
    """
    statement, forms = statement_of(text), Forms(p)
    inputs = [forms.input() for _, count, _ in statement.operands for _ in range(count)]
    claims = evaluate(statement, forms, p, limbs, inputs)
    values = dict(enumerate(inputs))
    for stated, sources, number in called:
        given = [values[i] for i in sources]
        (values[number],) = evaluate(statement_of(stated), forms, p, limbs, given)
    try:
        return all(
            forms.are_equal(values[number], claim)
            for number, claim in zip(results, claims, strict=True)
        )
    except ProofError:  # too long to multiply out
        return False
