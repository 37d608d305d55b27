// What the loops of a module make of vectors. Addresses are in bytes.

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
  return heap.lend(width * size, (sums, bytes) => {
    heap.bytes.fill(0, sums, sums + bytes);
    for (let i = 0; i < count; i += width) add(sums, i * size, Math.min(width, count - i));
    while (width > 1) {
      const half = width >> 1;
      width -= half;
      run.add_vec(sums, sums, sums + width * size, half);
    }
    return use(sums);
  });
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
  const copy = (z, x, bytes) => heap.bytes.copyWithin(z, x, x + bytes);
  heap.lend(count * size, (products, bytes) => {
    copy(products, from, size);
    run.mul_vec(products + size, products, from + size, count - 1);
    copy(FIRST, products + last, size);
    if (readLimbs(heap.words, FIRST / 8, limbs) === 0n) {
      const index = firstZero(heap.words, from / 8, limbs, count);
      throw Object.assign(new RangeError(`the value at index ${index} is 0: no inverse`), { index });
    }
    run.invert(SECOND, FIRST);
    run.unwind(products + last, from + last, SECOND, count - 1);
    copy(products, SECOND, size);
    copy(to, products, bytes);
  });
}

/** x + w*y and x - w*y instead of x and y. */
export function butterfly(run, heap, size, [x, y, w], count) {
  heap.lend(count * size, (products) => {
    run.mul_vec(products, y, w, count);
    run.sub_vec(y, x, products, count);
    run.add_vec(x, x, products, count);
  });
}
