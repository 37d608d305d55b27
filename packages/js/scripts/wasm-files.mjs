// Writes every named prime's module as a file: what `npm pack` puts beside the embedded ones.

import { mkdirSync, writeFileSync } from "node:fs";

import { MODULES } from "../generated/names.js";

const folder = new URL("../wasm/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const load of new Set(Object.values(MODULES))) {
  const { name, wasm } = (await load()).default;
  writeFileSync(new URL(`${name}.wasm`, folder), Buffer.from(wasm, "base64"));
}
