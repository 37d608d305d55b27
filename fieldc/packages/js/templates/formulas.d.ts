import { Field, FieldModule, FormulaOf, Vector } from "./lib/field.js";

export { Field, FieldModule, Vector };
export declare const module: FieldModule;
/** The formulas of `@formula_file@`. */
export type Formulas = {
@formula_types@};
/** A field with them. */
export interface FieldWithFormulas extends Field {
  readonly formulas: Formulas;
}
/** The field that this package was made for. */
export declare function load(): Promise<FieldWithFormulas>;
