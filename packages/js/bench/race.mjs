// Every round measures every row once, in random order; a row's figure is the median of its rounds
// with the 10th and 90th percentile, and a ratio is the median of the rounds' ratios.

import { groups } from "./rows.mjs";

const WARM = 150e6;
const PAUSE = 300;

const now = () => 1e6 * performance.now();
const sorted = (list) => [...list].sort((a, b) => a - b);
const percentile = (list, part) => sorted(list)[Math.floor(part * (list.length - 1))];
const median = (list) => percentile(list, 0.5);

function timed(row, turns) {
  const began = now();
  row.run(turns);
  return (now() - began) / (turns * row.each);
}

/** How many turns fill a slice after so many nanoseconds of work. */
function turnsOf(row, work, slice) {
  let turns = 1;
  for (const until = now() + work; now() < until; ) {
    const time = timed(row, turns) * turns * row.each;
    if (time < slice / 2) turns *= 2;
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

async function race(rows, rounds, slice) {
  // JavaScript that runs often is compiled once more, beside this thread: it needs a pause.
  for (const row of rows) turnsOf(row, WARM, slice);
  await new Promise((done) => setTimeout(done, PAUSE));
  const turns = new Map(rows.map((row) => [row, turnsOf(row, WARM / 5, slice)]));
  const times = new Map(rows.map((row) => [row, []]));
  for (let round = 0; round < rounds; round++) {
    for (const row of shuffled(rows)) times.get(row).push(timed(row, turns.get(row)));
  }
  return times;
}

/** Races every group whose title has these words, and says each figure; the figures as rows. */
export async function raceAll(mcl, { quick, words }, say) {
  const [rounds, slice] = quick ? [30, 5e5] : [300, 1e6];
  const report = [];
  for (const { title, rows } of await groups(mcl)) {
    if (!words.every((word) => title.includes(word))) continue;
    const times = await race(rows, rounds, slice);
    const ours = times.get(rows[0]);
    say(`\n${title}\n${"".padEnd(34)}ns    10% - 90%        x fieldc's time`);
    for (const row of rows) {
      const list = times.get(row);
      const ratios = list.map((time, round) => time / ours[round]);
      const [low, high] = [percentile(list, 0.1), percentile(list, 0.9)];
      const [ns, ratio] = [median(list), median(ratios)];
      const spread = [percentile(ratios, 0.1), percentile(ratios, 0.9)];
      report.push({ title, package: row.name, ns, low, high, ratio, spread });
      const range = `${low.toFixed(0)} - ${high.toFixed(0)}`.padEnd(16);
      const of = `${ratio.toFixed(2)} (${spread.map((r) => r.toFixed(2)).join(" - ")})`;
      say(`${row.name.padEnd(26)}${ns.toFixed(1).padStart(10)}    ${range} ${of}`);
    }
  }
  return report;
}
