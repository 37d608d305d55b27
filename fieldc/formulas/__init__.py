"""Formulas: straight-line programs over field elements, recorded from short Python functions.

    from fieldc.formulas import Element, formula

    @formula
    def mixed(a: Element, b: Element, c: Element) -> Element:
        return a * b - 2 * c

A formula says nothing of residues, bounds or reductions. `plan.py` decides those for a prime.
"""

from __future__ import annotations

from fieldc.formulas.element import Element, square
from fieldc.formulas.errors import FormulaError
from fieldc.formulas.formula import Formula, formula
from fieldc.formulas.sizes import I64, I128, U64, U128, Mask, accumulator, choose
from fieldc.formulas.tower import extend

__all__ = [
    "I64",
    "I128",
    "U64",
    "U128",
    "Element",
    "Formula",
    "FormulaError",
    "Mask",
    "accumulator",
    "choose",
    "extend",
    "formula",
    "square",
]
