/* Formulas. An operand of several values is an array of them, and so is a result. Every result may be
 * one of the operands: not a part of one. Words are least significant first. A sum that is not reduced
 * is words too, and words of 0 are an empty one; one above its bound gives meaningless results. */

@formulas_declared@
