import { Field, Vector } from "./lib/field.js";
import module from "./module.js";

export { Field, Vector, module };

/** The field that this package was made for. */
export const load = () => Field.load(module);
