// What is refused, with which exception, and that nothing changes then.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Field, Vector, names } from "../index.js";
import { Ntt } from "../lib/ntt.js";

const F = await Field.named("bn254-p");
const portable = await Field.fromModulus(F.p);

const throwsType = (f, pattern) => assert.throws(f, { name: "TypeError", message: pattern });
const throwsRange = (f, pattern) => assert.throws(f, { name: "RangeError", message: pattern });

test("fields are found by every name, and by no other", async () => {
  assert.ok(names.includes("bls12-381-p") && names.includes("alt-bn128-p"));
  assert.ok(F instanceof Field);
  await assert.rejects(Field.named("bls"), RangeError);
  await assert.rejects(Field.named("toString"), RangeError);
  await assert.rejects(Field.named(7), { message: "a name is a string, not the number 7" });
  await assert.rejects(Field.named(null), { message: "a name is a string, not null" });
});

test("moduli", async () => {
  for (const p of [7, "7", null, undefined]) await assert.rejects(Field.fromModulus(p), TypeError);
  for (const p of [-7n, 0n, 1n, 2n, 4n, 9n, 561n, 2n ** 64n - 1n, 2n ** 1100n + 1n]) {
    await assert.rejects(Field.fromModulus(p), RangeError);
  }
  const primes = [3n, 5n, 7n, 2n ** 61n - 1n, 2n ** 127n - 1n, 2n ** 521n - 1n];
  for (const p of primes) assert.equal((await Field.fromModulus(p)).p, p);
});

test("modules", async () => {
  await assert.rejects(Field.load(null), TypeError);
  await assert.rejects(Field.load({ name: "a", p: 7n, wasm: 7 }), TypeError);
  const { default: made } = await import("../generated/modules/bn254-p.js");
  await assert.rejects(Field.load({ ...made, p: F.p + 2n }), RangeError);
  await assert.rejects(Field.load({ ...made, p: 7n }), RangeError);
  for (const name of [undefined, null, 7]) {
    await assert.rejects(Field.load({ ...made, name }), TypeError);
  }
  const bytes = Buffer.from(made.wasm, "base64");
  for (const wasm of [bytes, new Uint8Array(bytes).buffer, await WebAssembly.compile(bytes)]) {
    assert.equal((await Field.load({ name: "a", p: F.p, wasm })).mul(2n, 3n), 6n);
  }
  for (const wasm of ["not base64!", null, undefined, 7]) {
    await assert.rejects(Field.load({ ...made, wasm }), TypeError);
  }
  await assert.rejects(Field.load({ name: "a", p: F.p, wasm: "AAAA" }), WebAssembly.CompileError);
});

test("chains", async () => {
  const { default: made } = await import("../generated/modules/bn254-p.js");
  const { default: r } = await import("../generated/modules/bn254-r.js");
  const refused = (chain, wanted) => assert.rejects(Field.load({ ...made, chain }), wanted);
  for (const chain of [null, 7, "[]", {}]) {
    await refused(chain, { name: "TypeError", message: /^a chain is an array, not / });
  }
  for (const chain of [[7], [[]], [[1]], [[1, 0.5, 0, 1]]]) await refused(chain, TypeError);
  for (const chain of [[[1, 0]], [[1, 0, 0, -1]]]) {
    await refused(chain, { name: "RangeError", message: /^a step of a chain has a wrong place: / });
  }
  const other = { name: "RangeError", message: "the chain was made for another modulus" };
  for (const chain of [[], [[-1, 0, 0, 1]], made.chain.slice(0, -1), r.chain]) await refused(chain, other);
});

test("a wide module is taken where it is accepted, and no other", async () => {
  const { default: made } = await import("../generated/modules/bn254-p.js");
  for (const wide of ["not base64!", null, 7]) {
    await assert.rejects(Field.load({ ...made, wide }), TypeError);
  }
  assert.equal((await Field.load({ ...made, wide: "AAAA" })).inv(2n), (F.p + 1n) / 2n);
  const bytes = Buffer.from(made.wasm, "base64");
  for (const wide of [made.wasm, bytes, await WebAssembly.compile(bytes)]) {
    assert.equal((await Field.load({ ...made, wasm: "AAAA", wide })).inv(2n), (F.p + 1n) / 2n);
  }
  const alone = Field.load({ name: "a", p: F.p, wasm: made.wide });
  if (WebAssembly.validate(Buffer.from(made.wide, "base64"))) {
    assert.equal((await alone).inv(2n), (F.p + 1n) / 2n);
  } else await assert.rejects(alone, WebAssembly.CompileError);
});

const NO_BIGINTS = [undefined, null, NaN, -0, 1, "1", true, Symbol("1"), {}, Object(1n), () => 1n];
const NO_BIGINT_LISTS = [undefined, null, 1, 1n, true, Symbol("1"), {}, "1", [1], [1n, null]];

/** For each method what is wrong at each of its places. */
function badArguments(vectors, bigints, lists, thrower) {
  return {
    add: [bigints, bigints],
    div: [bigints, bigints],
    pow: [bigints, bigints],
    sqrt: [bigints],
    isSquare: [bigints],
    vector: [[...NO_BIGINTS.filter((n) => typeof n !== "number"), NaN, 0.5, 1n, thrower]],
    from: [lists],
    fromBytes: [[...NO_BIGINTS, 1n, [0], "", new ArrayBuffer(32), new BigUint64Array(4)]],
    fromBigInts: [vectors, lists, [null, NaN, 0.5, "0", 0n, thrower]],
    toBigInts: [vectors, [null, NaN, 0.5, "0", 0n], [null, NaN, 0.5, "0", 0n]],
    toBytes: [vectors],
    mulAdd: [bigints, bigints, bigints],
    mulVec: [vectors, vectors, vectors],
    mulAddVec: [vectors, vectors, vectors, vectors],
    negVec: [vectors, vectors],
    doubleVec: [vectors, vectors],
    butterflyVec: [vectors, vectors, vectors],
    scaleVec: [vectors, vectors, bigints],
    batchInverse: [vectors, vectors],
    sum: [vectors],
    innerProduct: [vectors, vectors],
    powVec: [vectors, vectors, bigints],
  };
}

/** Arguments of methods that take vectors. */
const goodArguments = (v) => ({
  ...{ fromBigInts: [v, [4n], 0], toBigInts: [v, 0, 1], scaleVec: [v, v, 2n] },
  ...{ sum: [v], innerProduct: [v, v], powVec: [v, v, 2n], doubleVec: [v, v], butterflyVec: [v, v, v] },
  ...{ mulVec: [v, v, v], mulAddVec: [v, v, v, v], negVec: [v, v], batchInverse: [v, v], toBytes: [v] },
});

for (const [title, G] of Object.entries({ module: F, portable })) {
  test(`whatever is given where, ${title}`, async () => {
    const v = G.from([1n, 2n, 3n]);
    const other = (await Field.fromModulus(7n)).vector(3);
    const freed = G.vector(3);
    freed.free();
    const forged = Object.create(Vector.prototype, { field: { value: G }, length: { value: 3 } });
    const thrower = { toString: () => assert.fail("asked what it is") };
    const vectors = [...NO_BIGINTS, 1n, [1n, 2n, 3n], new Proxy(v, {}), forged, other, freed];
    const [bigints, lists] = [[...NO_BIGINTS, thrower], [...NO_BIGINT_LISTS, thrower]];
    const [calls, good] = [badArguments(vectors, bigints, lists, thrower), goodArguments(v)];
    for (const [name, places] of Object.entries(calls)) {
      places.forEach((bad, place) => {
        for (const value of bad) {
          const given = [...(good[name] ?? places.map(() => 1n))];
          given[place] = value;
          throwsType(() => G[name](...given), /./);
        }
      });
    }
    for (const index of [...NO_BIGINTS.filter((n) => !Number.isInteger(n)), 0.5, 0n, thrower]) {
      throwsType(() => v.get(index), /an index is an integer/);
      throwsType(() => v.set(index, 1n), /an index is an integer/);
    }
    for (const value of bigints) throwsType(() => v.set(0, value), /a value is a bigint/);
    assert.deepEqual(v.toBigInts(), [1n, 2n, 3n]);
    assert.ok(Object.is(G.vector(-0).length, 0));
    assert.deepEqual([v.get(-0), G.toBigInts(v, -0, 1)], [1n, [1n]]);
  });

  test(`values that act while they are listed, ${title}`, () => {
    const lists = (act) => (function* () {
      yield 1n;
      act();
      yield 2n;
    })();
    const gone = G.vector(2);
    throwsType(() => G.fromBigInts(gone, lists(() => gone.free())), /was freed/);
    const kept = G.vector(2);
    G.fromBigInts(kept, lists(() => G.vector(70000)));
    assert.deepEqual(kept.toBigInts(), [1n, 2n]);
  });
}

for (const [title, G] of Object.entries({ module: F, portable })) {
  test(`messages name what was wrong, ${title}`, () => {
    const v = G.from([1n, 2n, 3n]);
    for (const missing of [undefined, null]) {
      for (const method of ["toBytes", "toBigInts", "sum"]) {
        throwsType(() => G[method](missing), new RegExp(`^a Vector is needed, not ${missing}$`));
      }
    }
    throwsType(() => G.mulVec(v, v, [1n]), /^a Vector is needed, not an array$/);
    throwsType(() => G.mul(v, 1n), /^a value is a bigint, not a Vector$/);
    throwsType(() => G.mul(3, 1n), /^a value is a bigint, not the number 3$/);
    throwsRange(() => G.mul(-1n, 1n), /^a value is at least 0 and below p, not negative$/);
    throwsRange(() => v.set(1, G.p), /^a value is at least 0 and below p, not p or above$/);
    throwsType(() => G.from([1n, 2]), /^a value is a bigint, not the number 2, at index 1$/);
    throwsRange(() => G.fromBigInts(v, [1n, G.p]), /below p, not p or above, at index 1$/);
    throwsType(() => G.toBigInts(v, "0"), /^an offset is an integer, not a string$/);
    throwsType(() => G.toBigInts(v, 0, 0.5), /^a count is an integer, not the number 0.5$/);
    throwsRange(() => G.toBigInts(v, 5), /^offset 5 is not inside a vector of length 3$/);
    throwsRange(() => G.toBigInts(v, 2, 2), /^2 values from 2 on are not inside .* length 3$/);
    const bytes = new Uint8Array(2 * G.byteLength).fill(255, G.byteLength);
    throwsRange(() => G.fromBytes(bytes), /^the value at index 1 is p or above$/);
    assert.deepEqual([G.toBigInts(v, 3), G.toBigInts(v, 1)], [[], [2n, 3n]]);
  });
}

test("constructors are not for users", () => {
  throwsType(() => new Field(), /Field\.load/);
  throwsType(() => new Vector(), /field\.vector/);
});

for (const [title, G] of Object.entries({ module: F, portable })) {
  test(`values, ${title}`, () => {
    for (const operation of ["add", "sub", "mul"]) {
      for (const bad of [1, "1", null, undefined, {}]) {
        throwsType(() => G[operation](bad, 1n), /a value is a bigint/);
        throwsType(() => G[operation](1n, bad), /a value is a bigint/);
      }
      for (const bad of [-1n, G.p, G.p + 1n, 2n ** 300n]) {
        throwsRange(() => G[operation](bad, 1n), /at least 0 and below p/);
        throwsRange(() => G[operation](1n, bad), /at least 0 and below p/);
      }
    }
    for (const operation of ["neg", "square", "inv", "sqrt"]) {
      throwsType(() => G[operation](1), /a value is a bigint/);
      throwsRange(() => G[operation](G.p), /below p/);
    }
    throwsRange(() => G.inv(0n), /0 has no inverse/);
    throwsRange(() => G.div(1n, 0n), /0 has no inverse/);
    throwsRange(() => G.pow(0n, -1n), /0 has no inverse/);
    throwsType(() => G.pow(2n, 3), /an exponent is a bigint/);
    assert.equal(G.pow(0n, 0n), 1n);
    assert.equal(G.mul(G.pow(3n, -2n), 9n), 1n);
    assert.equal(G.pow(3n, G.p - 1n + 5n), 243n);
  });

  test(`vectors, ${title}`, async () => {
    for (const bad of [1.5, "3", null, NaN, Infinity]) throwsType(() => G.vector(bad), /length/);
    throwsRange(() => G.vector(-1), /not negative/);
    throwsRange(() => G.vector(2 ** 40), /no room/);
    const [x, y, z] = [G.from([1n, 2n, 3n]), G.from([4n, 5n, 6n]), G.vector(2)];
    throwsRange(() => G.mulVec(x, x, z), /lengths 3 and 2/);
    throwsRange(() => G.addVec(z, x, y), /lengths 2 and 3/);
    throwsType(() => G.mulVec(x, x, [1n, 2n, 3n]), /a Vector is needed/);
    throwsType(() => G.mulVec(x, x), /a Vector is needed/);
    const other = await Field.named("bn254-p");
    throwsType(() => G.mulVec(x, x, other.vector(3)), /another field/);
    throwsRange(() => G.scaleVec(x, x, G.p), /below p/);
    throwsRange(() => G.from([1n, G.p]), /below p/);
    throwsType(() => G.from([1n, 2]), /bigint/);
    throwsType(() => G.from(3), /./);
    throwsRange(() => G.fromBigInts(x, [1n, 2n], 2), /not inside/);
    throwsRange(() => G.fromBigInts(x, [1n], -1), /not inside/);
    throwsType(() => G.fromBigInts(x, [1n], 0.5), /an offset is an integer/);
    throwsRange(() => G.fromBigInts(x, [9n, G.p]), /below p/);
    throwsRange(() => G.toBigInts(x, 1, 3), /not inside/);
    throwsRange(() => x.get(3), /outside/);
    throwsRange(() => x.set(-1, 1n), /outside/);
    throwsType(() => x.get("0"), /integer/);
    assert.deepEqual(x.toBigInts(), [1n, 2n, 3n]);
    throwsRange(() => G.batchInverse(x, G.from([1n, 0n, 3n])), /index 1 is 0/);
    assert.throws(() => G.batchInverse(x, G.from([1n, 2n, 0n])), { name: "RangeError", index: 2 });
    throwsRange(() => G.butterflyVec(x, x, G.vector(3)), /needs two vectors/);
    const none = G.vector(0);
    throwsRange(() => G.butterflyVec(none, none, none), /needs two vectors/);
    throwsRange(() => G.butterflyVec(x, G.vector(2), x), /lengths 3 and 2/);
    assert.deepEqual(x.toBigInts(), [1n, 2n, 3n]);
    assert.deepEqual(G.batchInverse(G.vector(0), G.vector(0)).toBigInts(), []);
    assert.deepEqual(G.mulVec(G.vector(0), G.vector(0), G.vector(0)).toBytes().length, 0);
  });

  test(`bytes, ${title}`, () => {
    const size = G.byteLength;
    throwsType(() => G.fromBytes([1, 2]), /Uint8Array/);
    throwsRange(() => G.fromBytes(new Uint8Array(size + 1)), /no values of/);
    throwsRange(() => G.fromBytes(new Uint8Array(2 * size).fill(255)), /p or above/);
    const bytes = new Uint8Array(3 * size);
    const p = G.p.toString(16).padStart(2 * size, "0").match(/../g).reverse();
    bytes.set(p.map((digits) => parseInt(digits, 16)), size);
    throwsRange(() => G.fromBytes(bytes), /p or above/);
    bytes[size] -= 1;
    assert.deepEqual(G.fromBytes(bytes).toBigInts(), [0n, G.p - 1n, 0n]);
    assert.equal(G.fromBytes(new Uint8Array(0)).length, 0);
    const lost = new Uint8Array(2 * size);
    structuredClone(lost.buffer, { transfer: [lost.buffer] });
    throwsType(() => G.fromBytes(lost), /detached/);
    const buffer = new ArrayBuffer(3 * size, { maxByteLength: 4 * size });
    const outside = new Uint8Array(buffer, size, 2 * size);
    buffer.resize(size);
    throwsType(() => G.fromBytes(outside), /./);
    class Longer extends Uint8Array {
      get length() {
        return 10 * size;
      }

      subarray() {
        return new Uint8Array(size).fill(7);
      }
    }
    assert.equal(G.fromBytes(new Longer(2 * size)).length, 2);
    const shared = new Uint8Array(new SharedArrayBuffer(2 * size)).fill(1, 0, 1);
    assert.deepEqual(G.fromBytes(shared).toBigInts(), [1n, 0n]);
  });

  test(`memory, ${title}`, () => {
    const freed = G.vector(3);
    freed.free();
    throwsType(() => freed.free(), /was freed/);
    throwsType(() => freed.get(0), /was freed/);
    throwsType(() => G.addVec(freed, freed, freed), /was freed/);
    const kept = G.from([5n, 6n, 7n]);
    const many = [1, 3000, 10, 5000, 1].map((length) => G.vector(length));
    many[1].free();
    many[3].free();
    const large = G.vector(20000);
    large.set(19999, 1n);
    assert.equal(large.get(19998), 0n);
    const again = G.vector(2000);
    again.set(0, 8n);
    assert.ok(again.toBigInts().slice(1).every((value) => value === 0n));
    assert.deepEqual(kept.toBigInts(), [5n, 6n, 7n]);
    for (const vector of [kept, many[0], many[2], many[4], large, again]) vector.free();
  });
}

for (const [title, G] of Object.entries({ module: F, portable })) {
  test(`sums, powers and transforms that cannot be, ${title}`, async () => {
    const other = (await Field.fromModulus(7n)).vector(2);
    const [two, three] = [G.from([0n, 1n]), G.from([1n, 2n, 3n])];
    throwsRange(() => G.innerProduct(two, three), /lengths 2 and 3/);
    throwsRange(() => G.powVec(two, three, 2n), /lengths 2 and 3/);
    throwsRange(() => G.powVec(two, two, -1n), /index 0 is 0/);
    const ntt = new Ntt(G, 2);
    for (const run of [ntt.forward, ntt.inverse]) {
      throwsRange(() => run.call(ntt, two, three), /lengths 2 and 3/);
      throwsRange(() => run.call(ntt, three, three), /length 3 for transforms of 2 values/);
      for (const bad of [null, 1n, [0n, 1n], other, G.vector(2).free()]) {
        throwsType(() => run.call(ntt, two, bad), /Vector is needed|another field/);
        throwsType(() => run.call(ntt, bad, two), /Vector is needed|another field/);
      }
    }
    for (const length of [3, 0, 4, -1, 2 ** 60]) { // 4 does not divide p - 1
      throwsRange(() => new Ntt(G, length), /k up to 1: not/);
    }
    for (const length of [1n, "2", null, NaN, 0.5]) throwsType(() => new Ntt(G, length), /integer/);
    throwsType(() => new Ntt({}, 2), /a Field of this package is needed, not an object$/);
    ntt.free();
    throwsType(() => ntt.forward(two, two), /was freed/);
    assert.deepEqual([two.toBigInts(), three.toBigInts()], [[0n, 1n], [1n, 2n, 3n]]);
  });
}

test("a generator that is none", async () => {
  const { default: made } = await import("../generated/modules/bn254-p.js");
  for (const generator of [3, "3", null]) {
    await assert.rejects(Field.load({ ...made, generator }), TypeError);
  }
  for (const generator of [4n, 0n, -3n, made.p]) {
    const wrong = await Field.load({ ...made, generator });
    throwsRange(() => new Ntt(wrong, 2), /./);
  }
  const none = await Field.load({ ...made, generator: undefined });
  assert.equal(new Ntt(none, 2).root, F.p - 1n);
});

test("transforms of many lengths, and tables that outlive an arena", async () => {
  const { default: made } = await import("../generated/modules/goldilocks.js");
  const G = await Field.load(made);
  for (const count of [1, 8, 1024, 2048]) {
    const values = Array.from({ length: count }, (_, i) => BigInt(i) ** 3n);
    const made = [];
    const z = G.arena(() => {
      made.push(new Ntt(G, count));
      return made[0].forward(G.vector(count), G.from(values));
    });
    assert.deepEqual(made[0].inverse(z, z).toBigInts(), values);
  }
});
