// Square roots by Tonelli and Shanks, on residues in a module's memory. Addresses are in bytes.

import { FIRST, FOURTH, SECOND, THIRD } from "./memory.js";
import { kind, writeLimbs } from "./vector.js";

/**
 * What roots modulo p need: p - 1 = odd * 2^twos, and the steps of a chain for (odd - 1)/2, or for
 * p - 1 if that is 0. Without a chain they are the exponent's bits. Throws for another chain.
 */
export function rootPlan(p, chain) {
  let [odd, twos, last] = [p - 1n, 0, 0];
  for (; !(odd & 1n); odd >>= 1n) twos++;
  const exponent = odd >> 1n || p - 1n;
  const given = chain === undefined ? bitsOf(exponent) : chain;
  if (!Array.isArray(given)) throw new TypeError(`a chain is an array, not ${kind(given)}`);
  const made = [1n];
  const steps = given.map(([squarings, by, of = last, to = last]) => {
    if (to < 0 || to === by) throw new RangeError(`a step of a chain has a wrong place: ${to}`);
    made[to] = (made[of] << BigInt(squarings)) + (by < 0 ? 0n : made[by]);
    last = to;
    return { squarings, by, of, to };
  });
  if (made[last] !== exponent) throw new RangeError("the chain was made for another modulus");
  return { odd, twos, steps, places: made.length };
}

function bitsOf(exponent) {
  const rest = [...exponent.toString(2).slice(1)];
  return [[0, -1, 0, 1], ...rest.map((bit) => [1, bit === "1" ? 0 : -1])];
}

/** Whether the residue in FIRST, which is not 0, is a square: by Euler's criterion. */
export function isSquare(run, heap, size, plan) {
  return climb(run, heap, size, plan, (isOne) => isOne(plan.twos - 1));
}

/**
 * Whether the residue in FIRST, which is not 0, has a root; if so, SECOND becomes one. FOURTH has
 * a number of order 2^twos.
 */
export function squareRoot(run, heap, size, plan) {
  return climb(run, heap, size, plan, (isOne) => {
    // If there is a root, isOne(i - 1) in each turn, and SECOND^2 = FIRST * THIRD.
    for (let i = plan.twos; i >= 2; i--) {
      const isDone = isOne(i - 2);
      if (!isDone) run.mul_vec(SECOND, SECOND, FOURTH, 1);
      run.square_vec(FOURTH, FOURTH, 1);
      if (!isDone) run.mul_vec(THIRD, THIRD, FOURTH, 1);
    }
    return isOne(0);
  });
}

// What `use` says of x^((odd + 1)/2) in SECOND and x^odd in THIRD, for x in FIRST; isOne(n) says
// of THIRD^(2^n) whether it is 1. An exponent of 1 makes run.power square and multiply.
function climb(run, heap, size, { steps, places }, use) {
  const copy = (z, x) => heap.bytes.copyWithin(z, x, x + size);
  return heap.lend((places + 1) * size, (at) => {
    const zero = at + places * size;
    writeLimbs(heap.words, zero / 8, size / 8, 0n);
    copy(at, FIRST);
    let z = at;
    for (const { squarings, by, of, to } of steps) {
      const [x, y] = [at + of * size, at + by * size];
      z = at + to * size;
      if (squarings === 0 && by >= 0) run.mul_vec(z, x, y, 1);
      else {
        if (z !== x) copy(z, x);
        run.power(z, y, by < 0 ? zero : run.unit, squarings);
      }
    }
    run.mul_vec(SECOND, z, FIRST, 1);
    run.mul_vec(THIRD, z, SECOND, 1);
    return use((n) => {
      copy(at, THIRD);
      run.power(at, at, zero, n);
      const [words, one] = [heap.words, run.one / 8];
      for (let i = 0; i < size / 8; i++) if (words[at / 8 + i] !== words[one + i]) return false;
      return true;
    });
  });
}
