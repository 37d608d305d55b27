// Random work on many vectors, beside the same on arrays of bigints: no vector touches another.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Field } from "../index.js";

const STEPS = 400;
const MOST = 40;

/** Numbers below n that look random, the same in every run. */
function generator(seed) {
  let state = seed;
  return (n) => {
    state = (state * 6364136223846793005n + 1442695040888963407n) % (1n << 64n);
    return Number(state >> 33n) % n;
  };
}

const BINARY = {
  addVec: (F, a, b) => (a + b) % F.p,
  subVec: (F, a, b) => (a - b + F.p) % F.p,
  mulVec: (F, a, b) => (a * b) % F.p,
};

function step(F, draw, kept) {
  const value = () => {
    const bits = Array.from({ length: Math.ceil(F.bits / 31) }, () => BigInt(draw(2 ** 31)));
    const edges = [0n, 1n, F.p - 1n];
    return draw(4) ? bits.reduce((a, b) => (a << 31n) + b) % F.p : edges[draw(3)];
  };
  if (kept.length < 2 || draw(4) === 0) {
    const list = Array.from({ length: draw(MOST) }, value);
    kept.push({ vector: F.from(list), list });
    return;
  }
  const [i, j] = [draw(kept.length), draw(kept.length)];
  const [x, y] = [kept[i], kept[j]];
  const choice = draw(7);
  if (choice === 0) {
    x.vector.free();
    kept.splice(i, 1);
  } else if (choice === 1) {
    const inverse = () => F.batchInverse(x.vector, x.vector);
    if (x.list.includes(0n)) assert.throws(inverse, RangeError);
    else x.list = (inverse(), x.list.map((a) => F.inv(a)));
  } else if (choice === 2 && x.list.length) {
    const at = draw(x.list.length);
    x.list[at] = value();
    x.vector.set(at, x.list[at]);
  } else {
    const name = Object.keys(BINARY)[draw(3)];
    const run = () => F[name](x.vector, x.vector, y.vector);
    if (x.list.length !== y.list.length) assert.throws(run, RangeError);
    else x.list = (run(), x.list.map((a, k) => BINARY[name](F, a, y.list[k])));
  }
}

for (const make of [
  () => Field.named("bls12-377-p"),
  () => Field.named("p256"),
  () => Field.fromModulus(2n ** 89n - 1n),
]) {
  test(`random work, ${make}`, async () => {
    const F = await make();
    const [draw, kept] = [generator(F.p), []];
    for (let i = 0; i < STEPS; i++) step(F, draw, kept);
    assert.ok(kept.length > 10);
    for (const { vector, list } of kept) assert.deepEqual(vector.toBigInts(), list);
  });
}
