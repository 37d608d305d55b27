/* Formulas. An operand of several values is an array of them, and so is a result. Every result may be
 * one of the operands: not a part of one. */

@formulas_declared@
