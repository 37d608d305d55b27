/* ---- Formulas ---- */

@formulas_defined@
