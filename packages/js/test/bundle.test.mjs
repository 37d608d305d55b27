// One imported field bundles one field: what is reachable from an import, by what the files say.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = new URL("../", import.meta.url);
const { exports } = JSON.parse(readFileSync(new URL("package.json", root), "utf8"));
const IMPORTS = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** A file of the package, by the name that is imported. */
function fileOf(name) {
  for (const [key, { default: path }] of Object.entries(exports)) {
    const [before, after] = `fieldc${key.slice(1)}`.split("*");
    if (name === before) return new URL(path, root);
    if (after !== undefined && path && name.startsWith(before)) {
      return new URL(path.replace("*", name.slice(before.length)), root);
    }
  }
  throw new Error(`${name} is not exported`);
}

/** The files that imports lead to, dynamic ones too, as a bundler puts them together. */
function reached(names) {
  const found = new Map();
  const visit = (url) => {
    if (found.has(url.href)) return;
    const text = readFileSync(fileURLToPath(url), "utf8");
    found.set(url.href, text.length);
    for (const [, path] of text.matchAll(IMPORTS)) visit(new URL(path, url));
  };
  names.map(fileOf).forEach(visit);
  return found;
}

test("one field is one module", () => {
  const found = reached(["fieldc/field", "fieldc/modules/bn254-p", "fieldc/noble"]);
  const modules = [...found.keys()].filter((file) => file.includes("/modules/"));
  assert.deepEqual(modules.map((file) => file.split("/").at(-1)), ["bn254-p.js"]);
  const size = [...found.values()].reduce((a, b) => a + b);
  assert.ok(size < 64_000, `${size} bytes`);
  assert.ok(![...found.keys()].some((file) => file.endsWith("/formulas.js"))); // it has none
  assert.ok(reached(["fieldc"]).size > 20); // names lead to all of them
});

test("formulas come with what makes functions of them", async () => {
  const { Field } = await import(fileOf("fieldc/field"));
  const { default: module } = await import(fileOf("fieldc/modules/bn254-p"));
  const given = { ...module, formulas: { g: [1, 1] } };
  await assert.rejects(Field.load(given), /^TypeError: a module with formulas has formulasOf too$/);
  assert.deepEqual(Object.keys((await Field.load(module)).formulas), []);
});

test("a field by import computes", async () => {
  const { Field } = await import(fileOf("fieldc/field"));
  const { default: module } = await import(fileOf("fieldc/modules/bn254-p"));
  const F = await Field.load(module);
  assert.equal(F.mul(2n, F.inv(2n)), 1n);
});
