import { Field as Base, FieldModule, Vector } from "./lib/field.js";
import { FieldName } from "./generated/names.js";

export { FieldModule, FieldName, Vector };

/** The names that Field.named knows. */
export const names: readonly FieldName[];

/** The integers modulo a prime. */
export class Field extends Base {
  protected constructor();
  /** The field of a named prime. Throws a RangeError for a name that is not in `names`. */
  static named(name: FieldName): Promise<Field>;
}
