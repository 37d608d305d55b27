// Writes every named prime's modules as files: what `npm pack` puts beside the embedded ones.

import { mkdirSync, writeFileSync } from "node:fs";

import { MODULES } from "../generated/names.js";

const folder = new URL("../wasm/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const load of new Set(Object.values(MODULES))) {
  const { name, wasm, wide } = (await load()).default;
  writeFileSync(new URL(`${name}.wasm`, folder), Buffer.from(wasm, "base64"));
  writeFileSync(new URL(`${name}-wide.wasm`, folder), Buffer.from(wide, "base64"));
}
