// A field with the interface of @noble/curves' fields (IField), for code that is written for those.

import { Field } from "./field.js";
import { kind } from "./vector.js";

/**
 * The field as @noble/curves' abstract code takes it. Its values are bigints; like noble's own, its
 * methods take any bigint, and what ends in N does not reduce. `isLE` is the order of bytes.
 */
export function nobleField(F, { isLE = false } = {}) {
  if (!(F instanceof Field)) throw new TypeError(`a Field is needed, not ${kind(F)}`);
  if (typeof isLE !== "boolean") throw new TypeError(`isLE is a boolean, not ${kind(isLE)}`);
  const p = F.p;
  const mod = (a) => {
    const rest = a % p;
    return rest >= 0n ? rest : rest + p;
  };
  const inRange = (a) => 0n <= a && a < p;
  const ordered = (bytes) => (isLE ? bytes : bytes.reverse());

  function sqrt(a) {
    const root = F.sqrt(mod(a));
    if (root === null) throw new Error("Cannot find square root");
    return root;
  }

  function toBytes(a) {
    let rest = a;
    const bytes = Uint8Array.from({ length: F.byteLength }, () => {
      const byte = Number(rest & 255n);
      rest >>= 8n;
      return byte;
    });
    return ordered(bytes);
  }

  function fromBytes(bytes, skipValidation = false) {
    if (!(bytes instanceof Uint8Array)) {
      throw new TypeError(`bytes are a Uint8Array, not ${kind(bytes)}`);
    }
    if (bytes.length !== F.byteLength) {
      throw new RangeError(`expected ${F.byteLength} bytes, got ${bytes.length}`);
    }
    const hex = Array.from(ordered(bytes.slice()), (byte) => byte.toString(16).padStart(2, "0"));
    const a = BigInt(`0x${hex.reverse().join("")}`);
    if (!skipValidation && !inRange(a)) throw new RangeError("a value is at least 0 and below p");
    return a;
  }

  // As noble does: the inverse of 0 is 0 here.
  function invertBatch(values) {
    const listed = values.map(mod);
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
    isValid(a) {
      if (typeof a !== "bigint") throw new TypeError(`a value is a bigint, not ${kind(a)}`);
      return inRange(a);
    },
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
