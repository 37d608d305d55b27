// node bench/bench.mjs [--quick] [--json FILE] [--chromium [--wide]] [WORD..]: multiplications of
// several packages in one run, of groups whose titles have the words; here, or in Chromium.

import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";

import { inChromium } from "../scripts/chromium.mjs";
import { raceAll } from "./race.mjs";

const SECONDS = 900;
// WebAssembly is compiled once, with the best compiler: a busy machine is late with a second time.
const FLAGS = ["--no-liftoff", "--no-wasm-tier-up"];
const options = Object.fromEntries(
  ["quick", "chromium", "wide"].map((name) => [name, { type: "boolean", default: false }]),
);
const { values, positionals } = parseArgs({
  options: { ...options, json: { type: "string" } },
  allowPositionals: true,
});
const wanted = { quick: values.quick, words: positionals };
const require = createRequire(import.meta.url);

const versions = Object.fromEntries(
  ["mcl-wasm", "@noble/curves", "ffjavascript"].map((name) => {
    const path = require.resolve.paths(name).map((folder) => `${folder}/${name}/package.json`);
    const found = path.find((file) => {
      try {
        return require(file);
      } catch {
        return false;
      }
    });
    return [name, found ? require(found).version : "absent"];
  }),
);

async function here() {
  for (const flag of FLAGS) setFlagsFromString(flag);
  const engine = { node: process.version, v8: process.versions.v8 };
  return { engine, rows: await raceAll(require("mcl-wasm"), wanted, console.log) };
}

async function inPage() {
  const page = `bench/page.html#${encodeURIComponent(JSON.stringify(wanted))}`;
  const flags = [...FLAGS, ...(values.wide ? ["--wasm-wide-arithmetic"] : [])].join();
  const folder = fileURLToPath(new URL("..", import.meta.url));
  const said = await inChromium(folder, page, flags, SECONDS);
  if (said === null) return { engine: { chromium: "SKIPPED: not installed" }, rows: [] };
  const { engine, rows, text, failure } = JSON.parse(said);
  if (failure) throw new Error(failure);
  console.log(text);
  return { engine, rows };
}

const { engine, rows } = await (values.chromium ? inPage() : here());
const about = { ...engine, ...versions };
console.log(`\n${Object.entries(about).map((pair) => pair.join(" ")).join(", ")}`);
if (values.json) writeFileSync(values.json, JSON.stringify({ about, rows }, null, 2));
process.exit(0);
