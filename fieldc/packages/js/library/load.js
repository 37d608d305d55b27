// What a field is made from: its modulus, and the module for this engine.

import { checkBigint, kind, readLimbs } from "./vector.js";

const MOST_BITS = 1088;
// What typed arrays really are, whatever a class of them says.
const typed = Object.getPrototypeOf(Uint8Array.prototype);
const lengthOf = Object.getOwnPropertyDescriptor(typed, "length").get;

/** Throws a TypeError or a RangeError for what is no odd number of at most MOST_BITS bits. */
export function checkModulus(p) {
  checkBigint("a modulus", p);
  if (p < 3n || p % 2n === 0n) throw new RangeError("a modulus is an odd prime");
  if (p >= 1n << BigInt(MOST_BITS)) {
    throw new RangeError(`a modulus has at most ${MOST_BITS} bits`);
  }
}

/** The value, a bigint from 0 to p - 1; `index` is its place in a list. Throws for another. */
export function checkValue(p, a, index) {
  if (typeof a === "bigint" && a >= 0n && a < p) return a;
  const where = index === undefined ? "" : `, at index ${index}`;
  if (typeof a !== "bigint") throw new TypeError(`a value is a bigint, not ${kind(a)}${where}`);
  const found = a < 0n ? "negative" : "p or above";
  throw new RangeError(`a value is at least 0 and below p, not ${found}${where}`);
}

/** How many values of `each` bytes some bytes are. Throws a TypeError or a RangeError. */
export function valuesIn(bytes, each) {
  if (!(bytes instanceof Uint8Array)) {
    throw new TypeError(`bytes are a Uint8Array, not ${kind(bytes)}`);
  }
  typed.at.call(bytes, 0); // throws where the buffer was detached: its length is 0 then
  const total = lengthOf.call(bytes);
  if (total % each !== 0) throw new RangeError(`${total} bytes are no values of ${each} bytes each`);
  return total / each;
}

/**
 * What the module of p exports, with numbers for globals: `wide` where the engine accepts it.
 * Throws an Error in an engine without WebAssembly.
 */
export async function instantiate(p, wasm, wide) {
  if (typeof WebAssembly === "undefined") {
    throw new Error("this engine has no WebAssembly: Field.fromModulus(p) computes on bigints");
  }
  const [every, best] = [bytesOf(wasm), wide === undefined ? wide : bytesOf(wide)];
  const compiled = await compile(best !== undefined && isAccepted(best) ? best : every);
  const { exports } = await WebAssembly.instantiate(compiled, {});
  const limbs = Math.ceil(p.toString(2).length / 64);
  const at = exports.exponent?.value;
  const words = at && new BigUint64Array(exports.memory.buffer);
  if (exports.limbs?.value !== limbs || readLimbs(words, at / 8, limbs) !== p - 2n) {
    throw new RangeError("the module was made for another modulus");
  }
  return Object.fromEntries(Object.entries(exports).map(([k, v]) => [k, numberOf(v)]));
}

function bytesOf(wasm) {
  const bytes = typeof wasm === "string" ? decoded(wasm) : wasm;
  const isBytes = ArrayBuffer.isView(bytes) || bytes instanceof ArrayBuffer;
  if (isBytes || bytes instanceof WebAssembly.Module) return bytes;
  throw new TypeError(`wasm is base64, bytes or a WebAssembly.Module, not ${kind(wasm)}`);
}

function decoded(base64) {
  try {
    return Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  } catch {
    throw new TypeError("a module as a string is base64");
  }
}

const isCompiled = (code) => code instanceof WebAssembly.Module;
const isAccepted = (code) => isCompiled(code) || WebAssembly.validate(code);
const compile = async (code) => (isCompiled(code) ? code : WebAssembly.compile(code));

function numberOf(exported) {
  return exported instanceof WebAssembly.Global ? exported.value : exported;
}
