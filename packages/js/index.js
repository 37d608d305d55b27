// Fields by name, of any prime, or from a module that `fieldc build FIELD --package js` made.

import { Field as Base, Vector } from "./lib/field.js";
import { kind } from "./lib/vector.js";
import { MODULES } from "./generated/names.js";

export { Vector };

/** The names that Field.named knows. */
export const names = Object.freeze(Object.keys(MODULES));

/** The integers modulo a prime. */
export class Field extends Base {
  /** The field of a named prime. Throws a RangeError for a name that is not in `names`. */
  static async named(name) {
    if (typeof name !== "string") throw new TypeError(`a name is a string, not ${kind(name)}`);
    if (!Object.hasOwn(MODULES, name)) {
      throw new RangeError(`no field has the name ${JSON.stringify(name)}; see names`);
    }
    return this.load((await MODULES[name]()).default);
  }
}
