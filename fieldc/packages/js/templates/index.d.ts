import { Field, FieldModule, Vector } from "./lib/field.js";

export { Field, FieldModule, Vector };
export declare const module: FieldModule;
/** The field that this package was made for. */
export declare function load(): Promise<Field>;
