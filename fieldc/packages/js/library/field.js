// A prime field: arithmetic on bigints, and on vectors in the memory of a WebAssembly module.

import { butterfly, invertAll, powers, total } from "./arrays.js";
import { checkModulus, checkValue, instantiate, valuesIn } from "./load.js";
import { FIRST, FOURTH, Heap, SECOND, THIRD } from "./memory.js";
import { isProbablePrime, portableExports } from "./portable.js";
import { isSquare, rootPlan, squareRoot } from "./root.js";
import { ALL, Vector, access, addressOf, checkBigint, checkInteger } from "./vector.js";
import { inside, kind, listOf, readLimbs, spread, writeLimbs } from "./vector.js";

export { Vector };

const key = Symbol("fieldc");
const NONE = Object.freeze(Object.create(null));

/** The integers modulo a prime. Made by Field.load and Field.fromModulus. */
export class Field {
  #run;
  #heap;
  #limbs;
  #size;
  #arena;
  #plan;
  #unity;

  constructor(given, name, p, exported, generator, chain, formulas, formulasOf) {
    if (given !== key) throw new TypeError("a field is made by Field.load or Field.fromModulus");
    this.name = name;
    this.p = p;
    this.bits = p.toString(2).length;
    this.byteLength = Math.ceil(this.bits / 8);
    this.#run = exported;
    this.#limbs = Math.ceil(this.bits / 64);
    this.#size = 8 * this.#limbs;
    this.#heap = new Heap(exported.memory, exported.heap);
    this.#plan = rootPlan(p, chain);
    this.generator = generator;
    this.formulas = formulasOf?.(this, exported, formulas) ?? NONE;
    Object.freeze(this);
  }

  /** A field from modules of fieldc: `wide`, which may be absent, where the engine takes it. */
  static async load(made) {
    if (made === null || typeof made !== "object") {
      throw new TypeError(`a module is an object with name, p and wasm, not ${kind(made)}`);
    }
    const { name, p, wasm, wide, generator, chain, formulas, formulasOf } = made;
    if (typeof name !== "string") throw new TypeError(`a name is a string, not ${kind(name)}`);
    if (generator !== undefined) checkBigint("a generator", generator);
    checkModulus(p);
    if (formulas && !formulasOf) throw new TypeError("a module with formulas has formulasOf too");
    const exported = await instantiate(p, wasm, wide);
    return new this(key, name, p, exported, generator, chain, formulas, formulasOf);
  }

  /** A field of any prime, on BigInt. */
  static async fromModulus(p) {
    checkModulus(p);
    if (!isProbablePrime(p)) throw new RangeError("the modulus is not a prime");
    return new this(key, `0x${p.toString(16)}`, p, portableExports(p));
  }

  add(a, b) {
    const sum = this.#value(a) + this.#value(b);
    return sum < this.p ? sum : sum - this.p;
  }

  sub(a, b) {
    const difference = this.#value(a) - this.#value(b);
    return difference < 0n ? difference + this.p : difference;
  }

  neg(a) {
    return this.#value(a) === 0n ? 0n : this.p - a;
  }

  mul(a, b) {
    return (this.#value(a) * this.#value(b)) % this.p;
  }

  /** a*b + c. */
  mulAdd(a, b, c) {
    return (this.#value(a) * this.#value(b) + this.#value(c)) % this.p;
  }

  square(a) {
    return (this.#value(a) * a) % this.p;
  }

  /** 1/a. */
  inv(a) {
    if (this.#value(a) === 0n) throw new RangeError("0 has no inverse");
    this.#enter(FIRST, a);
    this.#run.invert(SECOND, FIRST);
    return this.#left(SECOND);
  }

  /** a/b. */
  div(a, b) {
    return this.mul(a, this.inv(b));
  }

  /** a^exponent; a negative exponent inverts. 0^0 is 1. */
  pow(a, exponent) {
    checkBigint("an exponent", exponent);
    if (exponent < 0n) return this.pow(this.inv(a), -exponent);
    if (this.#value(a) === 0n) return exponent === 0n ? 1n : 0n;
    writeLimbs(this.#heap.words, THIRD / 8, this.#limbs, exponent % (this.p - 1n));
    this.#enter(FIRST, a);
    this.#heap.bytes.copyWithin(SECOND, this.#run.one, this.#run.one + this.#size);
    this.#run.power(SECOND, FIRST, THIRD, this.bits);
    return this.#left(SECOND);
  }

  /** The smaller square root of a, or null. */
  sqrt(a) {
    if (this.#value(a) === 0n) return 0n;
    if (this.#plan.twos > 1) this.#enter(FOURTH, this.#rootOfUnity());
    this.#enter(FIRST, a);
    if (!squareRoot(this.#run, this.#heap, this.#size, this.#plan)) return null;
    const root = this.#left(SECOND);
    return root > this.p - root ? this.p - root : root;
  }

  /** Whether a is a square; 0 is one. */
  isSquare(a) {
    if (this.#value(a) === 0n) return true;
    this.#enter(FIRST, a);
    return isSquare(this.#run, this.#heap, this.#size, this.#plan);
  }

  /** A vector of zeros. */
  vector(length) {
    checkInteger("a length", length);
    if (length < 0) throw new RangeError(`a length is not negative: ${length}`);
    const vector = access.make(this, this.#heap, this.#size, length + 0); // -0 becomes 0
    this.#arena?.push(vector);
    return vector;
  }

  /** What `work()` returns, which is not asynchronous. Other vectors that it makes are freed. */
  arena(work) {
    if (typeof work !== "function") throw new TypeError(`work is a function, not ${kind(work)}`);
    const [outer, made] = [this.#arena, []];
    let kept = new Set();
    this.#arena = made;
    try {
      const result = work();
      if (typeof result?.then === "function") throw new TypeError("an arena's work is synchronous");
      kept = new Set(Array.isArray(result) ? result : [result]);
      return result;
    } finally {
      this.#arena = outer;
      for (const vector of made) {
        if (kept.has(vector)) outer?.push(vector);
        else access.dispose(vector);
      }
    }
  }

  /** A vector of these values. */
  from(values) {
    const listed = this.#values(values);
    return this.#write(this.vector(listed.length), listed, 0);
  }

  /** A vector of values in bytes. */
  fromBytes(bytes) {
    const count = valuesIn(bytes, this.byteLength);
    const vector = this.vector(count);
    const at = access.address(vector);
    const memory = this.#heap.bytes;
    if (this.byteLength === this.#size) memory.set(bytes, at);
    else spread(this.byteLength, memory, at, this.#size, bytes, 0, this.byteLength, count);
    if (!this.#isCanonical(at, count)) {
      let i = 0;
      while (this.#isCanonical(at + i * this.#size, 1)) i++;
      vector.free();
      throw new RangeError(`the value at index ${i} is p or above`);
    }
    this.#entered(at, count);
    return vector;
  }

  /** Write bigints into a vector from an index on. */
  fromBigInts(vector, values, offset = 0) {
    const listed = this.#values(values);
    this.#place(vector, offset, listed.length);
    return this.#write(vector, listed, offset);
  }

  /** `count` values of a vector from an index on, as bigints. */
  toBigInts(vector, offset = 0, count = undefined) {
    const [limbs, [from, length]] = [this.#limbs, this.#place(vector, offset, count)];
    return this.#leaving(from, length, (at) => {
      const words = this.#heap.words;
      return Array.from({ length }, (_, i) => readLimbs(words, at / 8 + i * limbs, limbs));
    });
  }

  /** All values of a vector as bytes. */
  toBytes(vector) {
    const [each, from] = [this.byteLength, addressOf(this, vector)];
    return this.#leaving(from, vector.length, (at) => {
      const [memory, total] = [this.#heap.bytes, vector.length * each];
      if (each === this.#size) return memory.slice(at, at + total);
      const bytes = new Uint8Array(total);
      spread(each, bytes, 0, each, memory, at, this.#size, vector.length);
      return bytes;
    });
  }

  /** z = x + y, value by value; z may be x or y. */
  addVec(z, x, y) {
    return this.#vectors("add_vec", z, x, y);
  }

  /** z = x - y. */
  subVec(z, x, y) {
    return this.#vectors("sub_vec", z, x, y);
  }

  /** z = x * y. */
  mulVec(z, x, y) {
    return this.#vectors("mul_vec", z, x, y);
  }

  /** z = x*y + a; z may be any of them. */
  mulAddVec(z, x, y, a) {
    return this.#vectors("mul_add_vec", z, x, y, a);
  }

  /** z = -x. */
  negVec(z, x) {
    return this.#vectors("neg_vec", z, x);
  }

  /** z = 2 * x. */
  doubleVec(z, x) {
    return this.#vectors("add_vec", z, x, x);
  }

  /** z = x^2. */
  squareVec(z, x) {
    return this.#vectors("square_vec", z, x);
  }

  /** z = a * x for one bigint a. */
  scaleVec(z, x, a) {
    const [to, from] = this.#addresses([z, x]);
    this.#enter(FIRST, this.#value(a));
    this.#run.scale_vec(to, from, FIRST, z.length);
    return z;
  }

  /** x + w*y and x - w*y instead of x and y, which are two vectors. Returns both. */
  butterflyVec(x, y, w) {
    const places = this.#addresses([x, y, w]);
    if (x === y) throw new RangeError("a butterfly needs two vectors");
    butterfly(this.#run, this.#heap, this.#size, places, x.length);
    return [x, y];
  }

  /** The sum of all values. */
  sum(x) {
    const from = addressOf(this, x);
    return this.#total(x.length, (sums, i, here) => {
      this.#run.add_vec(sums, sums, from + i, here);
    });
  }

  /** The sum of products of corresponding values. */
  innerProduct(x, y) {
    const [a, b] = this.#addresses([x, y]);
    return this.#total(x.length, (sums, i, here) => {
      this.#run.mul_add_vec(sums, a + i, b + i, sums, here);
    });
  }

  /** z = x^exponent for one bigint; a negative one inverts. 0^0 is 1. */
  powVec(z, x, exponent) {
    const [to, from] = this.#addresses([z, x]);
    checkBigint("an exponent", exponent);
    if (exponent < 0n) return this.powVec(z, this.batchInverse(z, x), -exponent);
    const e = exponent === 0n ? 0n : ((exponent - 1n) % (this.p - 1n)) + 1n; // 0^(p - 1) is 0
    powers(this.#run, this.#heap, this.#size, to, from, z.length, e);
    return z;
  }

  /** z = 1/x, value by value, with one inversion. Throws a RangeError if any value is 0. */
  batchInverse(z, x) {
    const [to, from] = this.#addresses([z, x]);
    if (z.length > 0) invertAll(this.#run, this.#heap, this.#size, to, from, z.length);
    return z;
  }

  /** What a transform of vectors needs, which are checked. */
  [inside](vectors) {
    const addresses = this.#addresses(vectors);
    return { run: this.#run, heap: this.#heap, size: this.#size, addresses };
  }

  // A number of order 2^twos: an odd power of one that is no square.
  #rootOfUnity() {
    if (this.#unity === undefined) {
      let other = 2n;
      while (this.isSquare(other)) other++;
      this.#unity = this.pow(other, this.#plan.odd);
    }
    return this.#unity;
  }

  #total(count, add) {
    return total(this.#run, this.#heap, this.#size, count, add, (at) => this.#left(at));
  }

  #vectors(name, ...vectors) {
    this.#run[name](...this.#addresses(vectors), vectors[0].length);
    return vectors[0];
  }

  #addresses(vectors) {
    const addresses = vectors.map((vector) => addressOf(this, vector));
    for (const { length } of vectors) {
      const first = vectors[0].length;
      if (length !== first) throw new RangeError(`vectors of lengths ${first} and ${length}`);
    }
    return addresses;
  }

  // The address and the number of values from an offset on: `count`, or all.
  #place(vector, offset, count) {
    const [at, { length }] = [addressOf(this, vector), vector];
    checkInteger("an offset", offset);
    const outside = `not inside a vector of length ${length}`;
    if (offset < 0 || offset > length) throw new RangeError(`offset ${offset} is ${outside}`);
    const number = count === undefined ? length - offset : count;
    checkInteger("a count", number);
    if (number < 0 || offset + number > length) {
      throw new RangeError(`${number} values from ${offset} on are ${outside}`);
    }
    return [at + offset * this.#size, number];
  }

  #write(vector, values, offset) {
    const at = access.address(vector) + offset * this.#size;
    const [words, limbs] = [this.#heap.words, this.#limbs];
    values.forEach((value, i) => writeLimbs(words, at / 8 + i * limbs, limbs, value));
    this.#entered(at, values.length);
    return vector;
  }

  #isCanonical(at, count) {
    this.#heap.words[FIRST / 8] = ALL;
    this.#run.canonical_vec(FIRST, at, count);
    return this.#heap.words[FIRST / 8] === ALL;
  }

  // Numbers become residues where they are; plain ones are that already.
  #entered(at, count) {
    if (!this.#run.plain) this.#run.scale_vec(at, at, this.#run.r2, count);
  }

  // What `use` makes of `count` residues as numbers, at an address that is lent to it.
  #leaving(from, count, use) {
    if (this.#run.plain) return use(from);
    return this.#heap.lend(count * this.#size, (at) => {
      this.#run.scale_vec(at, from, this.#run.unit, count);
      return use(at);
    });
  }

  #left(at) {
    if (!this.#run.plain) this.#run.scale_vec(at, at, this.#run.unit, 1);
    return readLimbs(this.#heap.words, at / 8, this.#limbs);
  }

  #enter(at, a) {
    writeLimbs(this.#heap.words, at / 8, this.#limbs, a);
    this.#entered(at, 1);
  }

  #values(values) {
    const listed = listOf("values", values);
    const index = (i) => (listed.length > 1 ? i : undefined);
    listed.forEach((value, i) => checkValue(this.p, value, index(i)));
    return listed;
  }

  #value(a) {
    return checkValue(this.p, a);
  }
}
