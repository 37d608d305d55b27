// Every formula computes what Python's integers say: node --test test/formulas.test.mjs
import { deepEqual, throws } from "node:assert/strict";
import { test } from "node:test";

import { Field, load, module } from "../index.js";

// For each formula numbers for the operands, one after the other, and the results.
const VECTORS = {
@formula_vectors@};
const F = await load();
// Without the module for engines with wide arithmetic.
const narrow = await Field.load({ ...module, wide: undefined });

// As vectors have it.
function residue(value) {
  return ((value % F.p) + F.p) % F.p;
}

function parts(values, sizes) {
  let at = 0;
  return sizes.map((size) => values.slice(at, (at += size)));
}

for (const [name, rows] of Object.entries(VECTORS)) {
  const [result, ...given] = module.formulas[name];
  const sizes = given.map((size) => (Number.isInteger(size) ? size : 1));
  test(name, () => {
    for (const field of [F, narrow]) {
      for (const [given, wanted] of rows) {
        const operands = parts(given, sizes).map((part, i) => (sizes[i] === 1 ? part[0] : part));
        deepEqual([field.formulas[name](...operands)].flat(), wanted);
      }
    }
  });
  test(`${name} on vectors`, () => {
    const columns = sizes.map((_, i) => rows.flatMap(([given]) => parts(given, sizes)[i]).map(residue));
    const wanted = rows.flatMap(([, values]) => values);
    const z = F.vector(result * rows.length);
    deepEqual(F.formulas[name].vec(z, ...columns.map((column) => F.from(column))).toBigInts(), wanted);
    sizes.forEach((size, i) => {
      if (size !== result) return;
      const vectors = columns.map((column) => F.from(column));
      deepEqual(F.formulas[name].vec(vectors[i], ...vectors).toBigInts(), wanted);
    });
    throws(() => F.formulas[name].vec(F.vector(result * 2), ...columns.map(() => F.vector(0))), RangeError);
    throws(() => F.formulas[name](), TypeError);
  });
}
