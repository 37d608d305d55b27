// Sums, powers and inverses of vectors, by the loops that a module exports. Addresses are in bytes.

import { FIRST, SECOND, THIRD } from "./memory.js";
import { firstZero, readLimbs, writeLimbs } from "./vector.js";

// Values that are computed together.
const PART = 256;

/**
 * The address of a sum, which is lent to `use`. `add(sums, i, here)` adds `here` values, the first
 * of them i bytes after a vector's start, to as many sums side by side.
 */
export function total(run, heap, size, count, add, use) {
  let width = Math.max(1, Math.min(PART, count));
  const [sums, bytes] = [heap.take(width * size), width * size];
  try {
    heap.bytes.fill(0, sums, sums + bytes);
    for (let i = 0; i < count; i += width) add(sums, i * size, Math.min(width, count - i));
    while (width > 1) {
      const half = width >> 1;
      width -= half;
      run.add_vec(sums, sums, sums + width * size, half);
    }
    return use(sums);
  } finally {
    heap.give(sums, bytes);
  }
}

/** x^e for each of `count` values; e is at least 0 and has no more limbs than they. */
export function powers(run, heap, size, to, from, count, e) {
  const bits = e === 0n ? 0 : e.toString(2).length;
  writeLimbs(heap.words, THIRD / 8, size / 8, e);
  for (let i = 0; i < count * size; i += size) {
    heap.bytes.copyWithin(SECOND, run.one, run.one + size);
    run.power(SECOND, from + i, THIRD, bits);
    heap.bytes.copyWithin(to + i, SECOND, SECOND + size);
  }
}

/** 1/x for each of `count` values, one at least, with one inversion. Throws a RangeError for a 0. */
export function invertAll(run, heap, size, to, from, count) {
  const [last, limbs] = [(count - 1) * size, size / 8];
  const products = heap.take(count * size);
  const copy = (z, x, bytes) => heap.bytes.copyWithin(z, x, x + bytes);
  try {
    copy(products, from, size);
    run.mul_vec(products + size, products, from + size, count - 1);
    copy(FIRST, products + last, size);
    if (readLimbs(heap.words, FIRST / 8, limbs) === 0n) {
      const zero = firstZero(heap.words, from / 8, limbs, count);
      throw new RangeError(`the value at index ${zero} is 0: no inverse`);
    }
    run.invert(SECOND, FIRST);
    run.unwind(products + last, from + last, SECOND, count - 1);
    copy(products, SECOND, size);
    copy(to, products, count * size);
  } finally {
    heap.give(products, count * size);
  }
}
