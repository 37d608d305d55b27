// node bench/bench.mjs [--quick] [--json FILE]: multiplications of several packages in one run.
//
// Every round measures every row once, in random order; a row's figure is the median of its rounds
// with the 10th and 90th percentile, and a ratio is the median of the rounds' ratios.

import { createRequire } from "node:module";
import { writeFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";

import { groups } from "./rows.mjs";

const words = process.argv.slice(2);
const QUICK = words.includes("--quick");
const ROUNDS = QUICK ? 30 : 300;
const SLICE = QUICK ? 5e5 : 1e6;
const WARM = 150e6;
const PAUSE = 300;
const JSON_FILE = words.includes("--json") ? words[words.indexOf("--json") + 1] : null;

const now = () => Number(process.hrtime.bigint());
const sorted = (list) => [...list].sort((a, b) => a - b);
const percentile = (list, part) => sorted(list)[Math.floor(part * (list.length - 1))];
const median = (list) => percentile(list, 0.5);

function timed(row, turns) {
  const began = now();
  row.run(turns);
  return (now() - began) / (turns * row.each);
}

/** How many turns fill a slice after so many nanoseconds of work. */
function turnsOf(row, work) {
  let turns = 1;
  for (const until = now() + work; now() < until; ) {
    const time = timed(row, turns) * turns * row.each;
    if (time < SLICE / 2) turns *= 2;
  }
  return turns;
}

function shuffled(list) {
  const mixed = [...list];
  for (let i = mixed.length - 1; i > 0; i--) {
    const j = Math.floor(Math.random() * (i + 1));
    [mixed[i], mixed[j]] = [mixed[j], mixed[i]];
  }
  return mixed;
}

async function race(rows) {
  // JavaScript that runs often is compiled once more, beside this thread: it needs a pause.
  for (const row of rows) turnsOf(row, WARM);
  await new Promise((done) => setTimeout(done, PAUSE));
  const turns = new Map(rows.map((row) => [row, turnsOf(row, WARM / 5)]));
  const times = new Map(rows.map((row) => [row, []]));
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of shuffled(rows)) times.get(row).push(timed(row, turns.get(row)));
  }
  return times;
}

const versions = Object.fromEntries(
  ["mcl-wasm", "@noble/curves", "ffjavascript"].map((name) => {
    const require = createRequire(import.meta.url);
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
const about = { node: process.version, v8: process.versions.v8, ...versions };
console.log(Object.entries(about).map((pair) => pair.join(" ")).join(", "));

// WebAssembly is compiled once, with the best compiler: a busy machine is late with a second time.
setFlagsFromString("--no-liftoff");
setFlagsFromString("--no-wasm-tier-up");

const report = [];
for (const { title, rows } of await groups()) {
  const times = await race(rows);
  const ours = times.get(rows[0]);
  console.log(`\n${title}\n${"".padEnd(34)}ns    10% - 90%        x fieldc's time`);
  for (const row of rows) {
    const list = times.get(row);
    const ratios = list.map((time, round) => time / ours[round]);
    const [low, high] = [percentile(list, 0.1), percentile(list, 0.9)];
    const [ns, ratio] = [median(list), median(ratios)];
    const spread = [percentile(ratios, 0.1), percentile(ratios, 0.9)];
    report.push({ title, package: row.name, ns, low, high, ratio, spread });
    const range = `${low.toFixed(0)} - ${high.toFixed(0)}`.padEnd(16);
    const of = `${ratio.toFixed(2)} (${spread.map((r) => r.toFixed(2)).join(" - ")})`;
    console.log(`${row.name.padEnd(26)}${ns.toFixed(1).padStart(10)}    ${range} ${of}`);
  }
}
if (JSON_FILE) writeFileSync(JSON_FILE, JSON.stringify({ about, rows: report }, null, 2));
process.exit(0);
