// A field with the interface of @noble/curves' fields (IField), for code that is written for those.

import { Field } from "./field.js";
import { checkValue, valuesIn } from "./load.js";
import { checkBigint, kind } from "./vector.js";

/**
 * The field as @noble/curves' abstract code takes it. Its values are bigints; like noble's own, its
 * methods take any bigint, and what ends in N does not reduce. `isLE` is the order of bytes.
 */
export function nobleField(F, options = {}) {
  if (!(F instanceof Field)) {
    throw new TypeError(`a Field of this package is needed, not ${kind(F)}`);
  }
  if (options === null || typeof options !== "object") {
    throw new TypeError(`options are an object such as { isLE: true }, not ${kind(options)}`);
  }
  const { isLE = false } = options;
  if (typeof isLE !== "boolean") throw new TypeError(`isLE is a boolean, not ${kind(isLE)}`);
  const p = F.p;
  const mod = (a) => {
    const rest = a % p;
    return rest >= 0n ? rest : rest + p;
  };
  const inRange = (a) => 0n <= checkBigint("a value", a) && a < p;
  const ordered = (bytes) => (isLE ? bytes : bytes.reverse());

  function sqrt(a) {
    const root = F.sqrt(mod(a));
    if (root === null) throw new Error("Cannot find square root");
    return root;
  }

  // As noble does: a value need not be below p.
  function toBytes(a) {
    if (checkBigint("a value", a) < 0n || a >> BigInt(8 * F.byteLength)) {
      throw new RangeError(`a value is at least 0 and has at most ${F.byteLength} bytes`);
    }
    const byte = (_, i) => Number((a >> BigInt(8 * i)) & 255n);
    return ordered(Uint8Array.from({ length: F.byteLength }, byte));
  }

  function fromBytes(bytes, skipValidation = false) {
    const count = valuesIn(bytes, F.byteLength);
    if (count !== 1) throw new RangeError(`${count} values where one is expected`);
    const a = ordered(bytes.slice()).reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n);
    return skipValidation ? a : checkValue(p, a);
  }

  // As noble does: the inverse of 0 is 0 here.
  function invertBatch(values) {
    if (!Array.isArray(values)) throw new TypeError(`an array is needed, not ${kind(values)}`);
    const listed = values.map((a) => mod(checkBigint("a value", a)));
    const known = listed.filter((a) => a !== 0n);
    const vector = F.from(known);
    const inverses = F.batchInverse(vector, vector).toBigInts();
    vector.free();
    let next = 0;
    return listed.map((a) => (a === 0n ? 0n : inverses[next++]));
  }

  return Object.freeze({
    ORDER: p,
    BITS: F.bits,
    BYTES: F.byteLength,
    isLE,
    ZERO: 0n,
    ONE: 1n,
    create: mod,
    isValid: inRange,
    is0: (a) => a === 0n,
    isValidNot0: (a) => a !== 0n && inRange(a),
    isOdd: (a) => (a & 1n) === 1n,
    neg: (a) => mod(-a),
    inv: (a) => F.inv(mod(a)),
    sqrt,
    sqr: (a) => mod(a * a),
    eql: (a, b) => a === b,
    add: (a, b) => mod(a + b),
    sub: (a, b) => mod(a - b),
    mul: (a, b) => mod(a * b),
    pow(a, exponent) {
      if (exponent < 0n) throw new RangeError("an exponent is not negative");
      return F.pow(mod(a), exponent);
    },
    div: (a, b) => mod(a * F.inv(mod(b))),
    addN: (a, b) => a + b,
    subN: (a, b) => a - b,
    mulN: (a, b) => a * b,
    sqrN: (a) => a * a,
    toBytes,
    fromBytes,
    invertBatch,
    cmov(a, b, condition) {
      if (typeof condition !== "boolean") {
        throw new TypeError(`a condition is a boolean, not ${kind(condition)}`);
      }
      return condition ? b : a;
    },
  });
}
