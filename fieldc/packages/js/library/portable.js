// The functions of a field's module, on BigInt: for a prime that no module was made for.

import { readLimbs, writeLimbs } from "./vector.js";

const DATA = 1024;
const PAGE = 65536;

/** Memory that grows as that of a WebAssembly module does. */
class Memory {
  buffer = new ArrayBuffer(PAGE);

  grow(pages) {
    const larger = new ArrayBuffer(this.buffer.byteLength + pages * PAGE);
    new Uint8Array(larger).set(new Uint8Array(this.buffer));
    const old = this.buffer;
    this.buffer = larger;
    // Views of what a module's memory was before are empty; so are these.
    structuredClone(old, { transfer: [old] });
  }
}

/** What an instance of the module of p exports, for p of any size. */
export function portableExports(p) {
  const limbs = Math.ceil(p.toString(16).length / 16);
  const size = 8 * limbs;
  const memory = new Memory();
  const R = 1n << BigInt(64 * limbs);
  const places = { one: DATA, r2: DATA + size, unit: DATA + 2 * size, exponent: DATA + 3 * size };
  const heap = DATA + Math.ceil((4 * size) / 64) * 64;
  const inverse = power(R % p, p - 2n, p);
  const view = () => new BigUint64Array(memory.buffer);

  const read = (words, at) => readLimbs(words, at / 8, limbs);
  const write = (words, at, value) => writeLimbs(words, at / 8, limbs, value);

  const binary = (of) => (z, x, y, count, step = size) => {
    const words = view();
    for (let i = 0; i < count; i++) {
      const result = of(read(words, x + i * size), read(words, y + i * step)) % p;
      write(words, z + i * size, result);
    }
  };
  const unary = (of) => (z, x, count) => binary(of)(z, x, x, count);
  const product = (x, y) => ((x * y) % p) * inverse;
  const mul = binary(product);

  const words = view();
  const values = { one: R % p, r2: (R * R) % p, unit: 1n, exponent: p - 2n };
  for (const [name, value] of Object.entries(values)) write(words, places[name], value);

  return {
    memory,
    limbs,
    ...places,
    heap,
    add_vec: binary((x, y) => x + y),
    sub_vec: binary((x, y) => x + p - y),
    mul_vec: mul,
    mul_add_vec(z, x, y, a, count) {
      const words = view();
      for (let i = 0; i < count * size; i += size) {
        const sum = product(read(words, x + i), read(words, y + i)) + read(words, a + i);
        write(words, z + i, sum % p);
      }
    },
    scale_vec: (z, x, y, count) => mul(z, x, y, count, 0),
    neg_vec: unary((x) => p - x),
    square_vec: unary((x) => product(x, x)),
    canonical_vec(z, x, count) {
      const words = view();
      for (let i = 0; i < count; i++) if (read(words, x + i * size) >= p) words[z / 8] = 0n;
    },
    invert(z, x) {
      const words = view();
      write(words, z, (inverted(read(words, x), p) * values.r2) % p);
    },
    unwind(s, x, t, count) {
      for (let i = 0; i < count; i++) {
        mul(s - i * size, t, s - (i + 1) * size, 1);
        mul(t, t, x - i * size, 1);
      }
    },
    power(z, x, e, bits) {
      const bytes = new Uint8Array(memory.buffer);
      for (let bit = bits - 1; bit >= 0; bit--) {
        mul(z, z, z, 1);
        if ((bytes[e + (bit >> 3)] >> (bit & 7)) & 1) mul(z, z, x, 1);
      }
    },
  };
}

/** x^e mod p. */
export function power(x, e, p) {
  let result = 1n % p;
  for (const bit of e.toString(2)) {
    result = (result * result) % p;
    if (bit === "1") result = (result * x) % p;
  }
  return result;
}

/** 1/x mod p by Euclid's algorithm, or 0 for 0. */
function inverted(x, p) {
  let [a, b, u, v] = [x, p, 1n, 0n];
  while (a !== 0n) {
    const q = b / a;
    [a, b, u, v] = [b - q * a, a, v - q * u, u];
  }
  return v < 0n ? v + p : v % p;
}

const SMALL = [2n, 3n, 5n, 7n, 11n, 13n, 17n, 19n, 23n, 29n, 31n, 37n, 41n];

/** Whether n is prime: Miller and Rabin's test to the first primes, then to random bases. */
export function isProbablePrime(n) {
  for (const d of SMALL) if (n % d === 0n) return n === d;
  if (n < 43n * 43n) return n > 1n;
  let odd = n - 1n;
  let twos = 0;
  for (; odd % 2n === 0n; odd /= 2n) twos++;
  const words = crypto.getRandomValues(new BigUint64Array(32));
  return [...SMALL, ...words].every((word) => passes(2n + (word % (n - 3n)), n, odd, twos));
}

function passes(base, n, odd, twos) {
  let x = power(base, odd, n);
  if (x === 1n || x === n - 1n) return true;
  for (let i = 1; i < twos; i++) {
    x = (x * x) % n;
    if (x === n - 1n) return true;
  }
  return false;
}
