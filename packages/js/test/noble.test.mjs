// The adapter has the values of @noble/curves' own fields, and its curves compute with it.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Field } from "../index.js";
import { nobleField } from "../lib/noble.js";

const found = async (path) => {
  try {
    return await import(`@noble/curves/${path}`);
  } catch {
    return null;
  }
};
const modular = await found("abstract/modular.js");
const skip = modular ? false : "SKIPPED: no @noble/curves; run: npm install in packages/js";
const NAMES = ["bn254-p", "secp256k1-p", "bls12-381-r", "p521"];

/** Numbers that look random, the same in every run. */
function values(p) {
  let state = p >> 3n;
  const drawn = Array.from({ length: 6 }, () => (state = (state * state + 0x9e3779b97f4a7c15n) % p));
  return [0n, 1n, 2n, p - 1n, p - 2n, ...drawn];
}

for (const name of NAMES) {
  for (const isLE of [false, true]) {
    test(`the same values as noble's field: ${name}, isLE ${isLE}`, { skip }, async () => {
      const F = await Field.named(name);
      const [ours, theirs] = [nobleField(F, { isLE }), modular.Field(F.p, { isLE })];
      modular.validateField(ours);
      const same = (method, ...given) => {
        const answer = (G) => {
          try {
            return G[method](...given);
          } catch (error) {
            return `refused ${error instanceof Error}`;
          }
        };
        assert.deepEqual(answer(ours), answer(theirs), `${method}(${given})`);
      };
      for (const key of ["ORDER", "BITS", "BYTES", "isLE", "ZERO", "ONE"]) {
        assert.equal(ours[key], theirs[key], key);
      }
      const some = values(F.p);
      for (const a of [...some, -1n, F.p, F.p + 5n, -F.p * F.p, F.p * F.p]) {
        for (const method of ["create", "isValid", "is0", "isValidNot0", "isOdd", "neg", "sqr", "sqrN"]) {
          same(method, a);
        }
        same("inv", a);
        for (const b of [some[3], some[6], -3n]) {
          for (const method of ["add", "sub", "mul", "eql", "addN", "subN", "mulN", "div"]) {
            same(method, a, b);
          }
        }
      }
      for (const a of some) {
        for (const e of [0n, 1n, 2n, F.p - 1n, -1n]) same("pow", a, e);
        const bytes = ours.toBytes(a);
        assert.deepEqual(bytes, theirs.toBytes(a));
        const copy = bytes.slice();
        assert.equal(ours.fromBytes(bytes), a);
        assert.deepEqual(bytes, copy);
        same("cmov", a, 5n, true);
        same("cmov", a, 5n, false);
        same("cmov", a, 5n, 1);
        const square = ours.sqr(a);
        assert.equal(ours.sqr(ours.sqrt(square)), square);
      }
      const wrong = some.find((a) => F.sqrt(a) === null);
      assert.throws(() => ours.sqrt(wrong));
      const all = new Uint8Array(F.byteLength).fill(255);
      for (const bytes of [all, new Uint8Array(3), null, [1]]) same("fromBytes", bytes);
      same("fromBytes", all, true);
      for (const a of [-1n, F.p, 1n << BigInt(8 * F.byteLength), null, "1"]) same("toBytes", a);
      for (const a of [undefined, null, 1, "1", {}]) {
        for (const method of ["isValid", "isValidNot0", "add", "mul", "inv"]) same(method, a, 1n);
        same("invertBatch", [1n, a]);
        same("invertBatch", a);
      }
      same("invertBatch", some);
      same("invertBatch", []);
    });
  }
}

test("a curve of noble's computes on it", { skip }, async () => {
  const { weierstrass } = await found("abstract/weierstrass.js");
  const { secp256k1 } = await found("secp256k1.js");
  const p = nobleField(await Field.named("secp256k1-p"));
  const n = nobleField(await Field.named("secp256k1-n"));
  const Point = weierstrass(secp256k1.Point.CURVE(), { Fp: p, Fn: n });
  for (const k of [1n, 2n, 3n, 0x1234567890abcdefn, n.ORDER - 1n]) {
    const [ours, theirs] = [Point.BASE.multiply(k), secp256k1.Point.BASE.multiply(k)];
    assert.equal(ours.toHex(), theirs.toHex());
    assert.equal(ours.add(ours).toHex(), theirs.double().toHex());
    assert.equal(Point.fromHex(theirs.toHex()).toAffine().y, theirs.toAffine().y);
  }
});

test("what is refused", async () => {
  const F = await Field.named("goldilocks");
  for (const G of [null, {}, 7n, "goldilocks"]) assert.throws(() => nobleField(G), TypeError);
  assert.throws(() => nobleField(F, { isLE: 1 }), TypeError);
  for (const options of [null, 1, "LE"]) {
    assert.throws(() => nobleField(F, options), { name: "TypeError", message: /^options are an/ });
  }
  const G = nobleField(F);
  for (const a of [-1n, 2n ** 64n]) {
    assert.throws(() => G.toBytes(a), { name: "RangeError", message: /has at most 8 bytes/ });
  }
  for (const a of [undefined, null, 1, "1"]) assert.throws(() => G.isValidNot0(a), TypeError);
  assert.throws(() => G.invertBatch(7n), { name: "TypeError", message: /^an array is needed/ });
});
