// Vectors of field values in a module's memory, in Montgomery form.

const internal = Symbol("fieldc");
const WORD = 64n;
export const ALL = (1n << WORD) - 1n;

/** What a Field says to other files of this folder alone. */
export const inside = Symbol("fieldc");

/** What a Field may do with a vector and its users may not. */
export const access = {
  make: (field, heap, size, length) => new Vector(internal, field, heap, size, length),
  address: (vector) => vector[internal](),
  dispose: (vector) => vector[dispose](),
};
// What `using` calls; engines that lack it have no `using` either.
const dispose = Symbol.dispose ?? Symbol("dispose");

const freed = new FinalizationRegistry(({ heap, at, bytes }) => heap.give(at, bytes));

/** Values side by side. Made by Field.vector and Field.from. */
export class Vector {
  #heap;
  #size;
  #at;
  #bytes;

  constructor(key, field, heap, size, length) {
    if (key !== internal) throw new TypeError("a vector is made by field.vector(length)");
    this.field = field;
    this.length = length;
    this.#heap = heap;
    this.#size = size;
    this.#bytes = size * length;
    this.#at = heap.take(this.#bytes);
    heap.bytes.fill(0, this.#at, this.#at + this.#bytes);
    freed.register(this, { heap, at: this.#at, bytes: this.#bytes }, this);
    Object.freeze(this);
  }

  /** The address of the first value. */
  [internal]() {
    if (this.#at < 0) throw new TypeError("the vector was freed");
    return this.#at;
  }

  /** Give the memory back now; any later use throws a TypeError. */
  free() {
    const at = this[internal]();
    freed.unregister(this);
    this.#heap.give(at, this.#bytes);
    this.#at = -1;
  }

  /** What `using` does at the end of a block: `free`, unless that was done. */
  [dispose]() {
    if (this.#at >= 0) this.free();
  }

  /** One value. */
  get(index) {
    this.#inside(index);
    return this.field.toBigInts(this, index, 1)[0];
  }

  /** Change one value. */
  set(index, value) {
    this.#inside(index);
    this.field.fromBigInts(this, [value], index);
  }

  /** All values. */
  toBigInts() {
    return this.field.toBigInts(this, 0, this.length);
  }

  /** All values as bytes. */
  toBytes() {
    return this.field.toBytes(this);
  }

  #inside(index) {
    checkInteger("an index", index);
    if (index < 0 || index >= this.length) {
      throw new RangeError(`index ${index} is outside a vector of length ${this.length}`);
    }
  }
}

/** Limbs of a number into memory. */
export function writeLimbs(words, place, limbs, value) {
  for (let i = 0; i < limbs; i++) {
    words[place + i] = value & ALL;
    value >>= WORD;
  }
}

/** The number that limbs in memory make. */
export function readLimbs(words, place, limbs) {
  let value = 0n;
  for (let i = limbs - 1; i >= 0; i--) value = (value << WORD) | words[place + i];
  return value;
}

/** Copies `each` bytes `count` times, from places and to places that are so far apart. */
export function spread(each, target, to, targetStep, source, from, sourceStep, count) {
  for (let i = 0; i < count; i++) {
    const [place, start] = [to + i * targetStep, from + i * sourceStep];
    for (let k = 0; k < each; k++) target[place + k] = source[start + k];
  }
}

/** The index of the first value that is 0, of `count` values from a word on. */
export function firstZero(words, at, limbs, count) {
  let i = 0;
  while (i < count && readLimbs(words, at + i * limbs, limbs) !== 0n) i++;
  return i;
}

/** What a value is, for a message; a number itself. */
export function kind(value) {
  if (typeof value === "number") return `the number ${value}`;
  if (value === null || value === undefined) return `${value}`;
  if (value instanceof Vector) return "a Vector";
  if (typeof value !== "object") return `a ${typeof value}`;
  return Array.isArray(value) ? "an array" : "an object";
}

/** The address of a vector of a field. Throws a TypeError for what is none. */
export function addressOf(field, vector) {
  if (!(vector instanceof Vector)) throw new TypeError(`a Vector is needed, not ${kind(vector)}`);
  if (vector.field !== field) throw new TypeError("the vector is of another field or instance");
  return vector[internal]();
}

/** The value, which must be a bigint, or a TypeError that says what it is for. */
export function checkBigint(what, value) {
  if (typeof value !== "bigint") throw new TypeError(`${what} is a bigint, not ${kind(value)}`);
  return value;
}

/** The values of an iterable, or a TypeError that says what they are. */
export function listOf(what, values) {
  if (typeof values?.[Symbol.iterator] !== "function") {
    throw new TypeError(`${what} are an iterable of bigints, not ${kind(values)}`);
  }
  return Array.from(values);
}

/** Throws a TypeError for what is no integer. */
export function checkInteger(what, value) {
  if (!Number.isInteger(value)) throw new TypeError(`${what} is an integer, not ${kind(value)}`);
}
