import { FieldModule } from "./lib/field.js";

/** The modules of a named prime, for Field.load. */
declare const module: FieldModule;
export default module;
