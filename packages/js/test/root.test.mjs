// Square roots: all values of small primes, of each residue modulo 8, and some of named primes.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Field, names } from "../index.js";
import { MODULES } from "../generated/names.js";

const SMALL = [3n, 5n, 7n, 11n, 13n, 17n, 41n, 97n, 193n, 257n];
const NAMES = ["secp256k1-p", "curve25519", "bls12-381-r", "bls12-381-p", "bn254-r", "goldilocks"];

test("the smaller root, or null, for all values of small primes", async () => {
  for (const p of SMALL) {
    const F = await Field.fromModulus(p);
    const roots = new Map();
    for (let x = (p - 1n) / 2n; x >= 0n; x--) roots.set((x * x) % p, x);
    for (let a = 0n; a < p; a++) {
      assert.equal(F.sqrt(a), roots.get(a) ?? null, `${a} mod ${p}`);
      assert.equal(F.isSquare(a), roots.has(a), `${a} mod ${p}`);
    }
  }
});

for (const name of NAMES) {
  test(`squares have roots, and their multiples by a non-residue have none: ${name}`, async () => {
    const F = await Field.named(name);
    let other = 2n;
    while (F.pow(other, (F.p - 1n) / 2n) === 1n) other++;
    for (let x = 1n, i = 0; i < 12; x = (x * x + 0x9e3779b97f4a7c15n) % F.p, i++) {
      const square = F.square(x);
      assert.equal(F.sqrt(square), x <= F.p - x ? x : F.p - x);
      assert.equal(F.sqrt(F.mul(square, other)), null);
      assert.deepEqual([square, F.mul(square, other)].map((a) => F.isSquare(a)), [true, false]);
    }
  });
}

test("every named prime has a chain, which gives the same as the exponent's bits", async () => {
  for (const name of names) {
    const { default: made } = await MODULES[name]();
    assert.ok(made.chain.length > 0);
    const [F, G] = await Promise.all([made, { ...made, chain: undefined }].map((m) => Field.load(m)));
    for (let a = 2n; a < 6n; a++) assert.equal(F.sqrt(a), G.sqrt(a), `${a} mod ${name}`);
  }
});
