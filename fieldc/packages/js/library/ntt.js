// The number-theoretic transform of vectors, by the loops that a module exports.

import { Field } from "./field.js";
import { access, checkInteger, inside, kind, writeLimbs } from "./vector.js";

// Values that are computed together.
const PART = 256;

/** Transforms of vectors of one length 2^k: a table of roots of unity for each direction. */
export class Ntt {
  #field;
  #tables;

  constructor(field, length) {
    if (!(field instanceof Field)) {
      throw new TypeError(`a Field of this package is needed, not ${kind(field)}`);
    }
    this.length = length;
    this.root = rootOfUnity(field, length);
    this.#field = field;
    this.#tables = [this.root, field.inv(this.root)].map((root) => table(field, length, root));
    Object.freeze(this);
  }

  /** z = the values at 1, r, r^2, ... of the polynomial whose coefficients x has; r is the root. */
  forward(z, x) {
    return this.#run(0, z, x);
  }

  /** z = the coefficients of the polynomial whose values x has: undoes forward. */
  inverse(z, x) {
    const factor = this.#field.inv(BigInt(this.length) % this.#field.p);
    return this.#field.scaleVec(z, this.#run(1, z, x), factor);
  }

  /** Give the tables' memory back at once. */
  free() {
    for (const each of this.#tables) each.free();
  }

  #run(direction, z, x) {
    const roots = access.address(this.#tables[direction]);
    const { run, heap, size, addresses } = this.#field[inside]([z, x]);
    if (z.length !== this.length) {
      throw new RangeError(`vectors of length ${z.length} for transforms of ${this.length} values`);
    }
    const [to, from] = addresses;
    if (to !== from) heap.bytes.copyWithin(to, from, from + size * z.length);
    transform(run, heap, size, to, z.length, roots);
    return z;
  }
}

/** A root of unity of an order 2^k: a power of the module's generator, else of the least non-residue. */
function rootOfUnity(field, order) {
  checkInteger("a length", order);
  const { p } = field;
  let twos = 0;
  for (let odd = p - 1n; odd % 2n === 0n; odd /= 2n) twos++;
  const k = order > 0 ? Math.log2(order) : -1;
  if (!Number.isInteger(k) || k < 0 || k > twos) {
    throw new RangeError(`a transform takes 2^k values, k up to ${twos}: not ${order}`);
  }
  const isSquare = (a) => field.pow(a, (p - 1n) / 2n) !== p - 1n;
  let base = field.generator ?? 2n;
  while (field.generator === undefined && isSquare(base)) base++;
  if (isSquare(base)) throw new RangeError("the module's generator is a square");
  return field.pow(base, (p - 1n) >> BigInt(k));
}

/** From place h on h powers of the root of order 2h; then room for values that wait. */
function table(field, count, root) {
  const { run, heap, size } = field[inside]([]);
  const made = access.make(field, heap, size, count + PART);
  const at = access.address(made);
  const one = (place, value) => {
    writeLimbs(heap.words, place / 8, size / 8, value);
    if (!run.plain) run.scale_vec(place, place, run.r2, 1);
  };
  for (let half = count / 2; half >= 1; half /= 2) {
    const first = at + half * size;
    one(first, 1n);
    for (let [have, power] = [1, root]; have < half; have *= 2) {
      one(at, power);
      run.scale_vec(first + have * size, first, at, have);
      power = field.square(power);
    }
    root = field.square(root);
  }
  return made;
}

/** Transforms values in place: halves of blocks that share a root, then halves with a root each. */
function transform(run, heap, size, at, count, roots) {
  const room = roots + count * size;
  // x + w*y and x - w*y instead of x and y, for halves that lie side by side.
  const join = (low, half, multiply) => {
    for (let i = 0; i < half; i += PART) {
      const here = Math.min(PART, half - i);
      const [x, y] = [low + i * size, low + (half + i) * size];
      multiply(y, here);
      run.sub_vec(y, x, room, here);
      run.add_vec(x, x, room, here);
    }
  };
  let blocks = 1;
  for (; 2 * blocks * blocks <= count; blocks *= 2) {
    const half = count / (2 * blocks);
    for (let i = 0; i < blocks; i++) {
      const w = roots + (blocks + reversed(i, blocks)) * size;
      join(at + 2 * half * i * size, half, (y, here) => run.scale_vec(room, y, w, here));
    }
  }
  putInOrder(new Uint32Array(heap.bytes.buffer), at / 4, size / 4, count);
  for (let half = blocks; half < count; half *= 2) {
    for (let low = at; low < at + count * size; low += 2 * half * size) {
      const away = roots - low; // of a root from its value: both lie h places after these
      join(low, half, (y, here) => run.mul_vec(room, y, y + away, here));
    }
  }
}

/** A number below 2^k = count with its bits in the other order. */
function reversed(number, count) {
  let result = 0;
  for (let bit = 1; bit < count; bit *= 2) {
    result = 2 * result + (number & 1);
    number >>= 1;
  }
  return result;
}

/** Values of `each` words change places with those whose numbers have the bits in the other order. */
function putInOrder(words, at, each, count) {
  for (let i = 1, j = 0; i < count; i++) {
    let bit = count >> 1;
    for (; j & bit; bit >>= 1) j ^= bit;
    j ^= bit;
    for (let k = 0; i < j && k < each; k++) {
      const [a, b] = [at + i * each + k, at + j * each + k];
      const kept = words[a];
      words[a] = words[b];
      words[b] = kept;
    }
  }
}
