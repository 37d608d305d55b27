"""Small formulas that stand in inner loops."""

from fieldc.formulas import Element, formula


@formula
def butterfly(x: Element, y: Element, w: Element) -> tuple[Element, Element]:
    """x + w*y and x - w*y, a step of a number-theoretic transform."""
    t = w * y
    return x + t, x - t


@formula
def horner(s: Element, x: Element, c: Element) -> Element:
    """s*x + c, a step of the evaluation of a polynomial."""
    return s * x + c
