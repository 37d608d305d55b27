// Multiplications of several packages in one run, here or in Chromium.

import { createRequire } from "node:module";
import { accessSync, constants, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";

import { inChromium } from "../scripts/chromium.mjs";

const USAGE = `node bench/bench.mjs [--quick] [--json FILE] [--chromium [--wide]] [WORD..]

multiplications of several packages in one run, of the groups whose titles have the words
  --quick      fewer rounds
  --json FILE  write the rows too
  --chromium   in headless Chromium instead of here
  --wide       with wide arithmetic, which Chromium has behind a flag`;
const SECONDS = 900;
// WebAssembly is compiled once, with the best compiler: a busy machine is late with a second time.
const FLAGS = ["--no-liftoff", "--no-wasm-tier-up"];
const require = createRequire(import.meta.url);
const { values, positionals } = read();
const wanted = { quick: values.quick, words: positionals };

function read() {
  const flags = ["help", "quick", "chromium", "wide"];
  const options = flags.map((name) => [name, { type: "boolean", default: false }]);
  try {
    const read = parseArgs({
      options: { ...Object.fromEntries(options), json: { type: "string" } },
      allowPositionals: true,
    });
    if (read.values.help) end(0, USAGE);
    if (read.values.json !== undefined) accessSync(dirname(resolve(read.values.json)), constants.W_OK);
    return read;
  } catch (error) {
    return end(2, `bench.mjs: ${error.message.split("\n")[0]}`);
  }
}

function end(status, line) {
  (status ? console.error : console.log)(line);
  process.exit(status);
}

// The packages that it races, which npm install puts there.
async function peers() {
  try {
    return { mcl: require("mcl-wasm"), ...(await import("./race.mjs")) };
  } catch (error) {
    if (!["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND"].includes(error.code)) throw error;
    const what = error.message.split("\n")[0];
    return end(2, `bench.mjs: ${what}; npm install in packages/js brings it`);
  }
}
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
  const { mcl, raceAll } = await peers();
  return { engine, rows: await raceAll(mcl, wanted, console.log) };
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
