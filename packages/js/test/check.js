// Compares a field with values computed elsewhere; runs in Node and in browsers.

const BINARY = ["add", "sub", "mul"];

function same(what, found, expected) {
  const [a, b] = [found, expected].map((v) => String(v));
  if (a !== b) throw new Error(`${what}: got ${a}, expected ${b}`);
}

/** `cases` has lists of decimal numbers: x, y, and what each operation makes of them. */
export function checkField(F, cases, Ntt) {
  const numbers = Object.fromEntries(
    Object.entries(cases.values).map(([name, list]) => [name, list.map(BigInt)]),
  );
  const { x, y } = numbers;
  const [vx, vy, vz] = [F.from(x), F.from(y), F.vector(x.length)];
  for (const name of BINARY) {
    const expected = numbers[name];
    x.forEach((a, i) => same(`${name}(${a}, ${y[i]})`, F[name](a, y[i]), expected[i]));
    same(`${name}Vec`, F[`${name}Vec`](vz, vx, vy).toBigInts(), expected);
    const over = F.from(x);
    same(`${name}Vec over x`, F[`${name}Vec`](over, over, vy).toBigInts(), expected);
    const other = F.from(y);
    same(`${name}Vec over y`, F[`${name}Vec`](other, vx, other).toBigInts(), expected);
  }
  x.forEach((a, i) => {
    same(`neg(${a})`, F.neg(a), numbers.neg[i]);
    same(`square(${a})`, F.square(a), numbers.square[i]);
    same(`pow(${a}, ${y[i]})`, F.pow(a, y[i]), numbers.pow[i]);
    if (a !== 0n) same(`inv(${a})`, F.inv(a), numbers.inv[i]);
    const root = F.sqrt(a);
    same(`sqrt(${a})`, root === null ? null : F.square(root), numbers.is_square[i] ? a : null);
    same(`isSquare(${a})`, F.isSquare(a), numbers.is_square[i] === 1n);
    same(`sqrt(${a}^2)`, F.sqrt(numbers.square[i]), numbers.root[i]);
  });
  same("negVec", F.negVec(vz, vx).toBigInts(), numbers.neg);
  same("doubleVec", F.doubleVec(vz, vx).toBigInts(), x.map((a) => F.add(a, a)));
  const twice = F.from(x);
  same("doubleVec over x", F.doubleVec(twice, twice).toBigInts(), x.map((a) => F.add(a, a)));
  checkButterflies(F, x, y);
  same("squareVec", F.squareVec(vz, vx).toBigInts(), numbers.square);
  same("scaleVec", F.scaleVec(vz, vx, y[0]).toBigInts(), x.map((a) => F.mul(a, y[0])));
  x.forEach((a, i) => same(`mulAdd(${a}, ${y[i]})`, F.mulAdd(a, y[i], a), F.add(F.mul(a, y[i]), a)));
  const sums = x.map((a, i) => F.add(F.mul(a, y[i]), y[i]));
  same("mulAddVec", F.mulAddVec(vz, vx, vy, vy).toBigInts(), sums);
  for (const over of [0, 1, 2]) {
    const operands = [x, y, y].map((values) => F.from(values));
    same(`mulAddVec over operand ${over}`, F.mulAddVec(operands[over], ...operands).toBigInts(), sums);
  }
  same("bytes", F.fromBytes(vx.toBytes()).toBigInts(), x);
  const some = x.map((a, i) => [a, numbers.inv[i]]).filter(([a]) => a !== 0n);
  const inverted = F.from(some.map(([a]) => a));
  same("batchInverse", F.batchInverse(inverted, inverted).toBigInts(), some.map(([, b]) => b));
  checkSums(F, x, y);
  for (const e of [0n, 1n, y[0], F.p - 1n, 3n * F.p]) {
    same(`powVec by ${e}`, F.powVec(vz, vx, e).toBigInts(), x.map((a) => F.pow(a, e)));
  }
  const over = F.from(some.map(([a]) => a));
  same("powVec over x", F.powVec(over, over, -2n).toBigInts(), some.map(([, b]) => F.square(b)));
  checkTransforms(F, Ntt, cases.roots, x);
  if (cases.exhaustive) checkAll(F);
  return x.length;
}

/** Sums of every length around a power of two, and longer ones than are added side by side. */
function checkSums(F, x, y) {
  for (const count of [0, 1, 2, 3, 5, x.length, 600]) {
    const [a, b] = [x, y].map((values) => Array.from({ length: count }, (_, i) => values[i % x.length]));
    const [va, vb] = [F.from(a), F.from(b)];
    same(`sum of ${count}`, F.sum(va), a.reduce((sum, v) => F.add(sum, v), 0n));
    same(`innerProduct of ${count}`, F.innerProduct(va, vb), a.reduce((sum, v, i) => F.mulAdd(v, b[i], sum), 0n));
    same("a sum changes nothing", va.toBigInts(), a);
  }
}

/** `roots` has Python's roots of unity of orders 1, 2, 4, ... */
function checkTransforms(F, Ntt, roots, x) {
  roots.forEach((root, k) => {
    const count = 1 << k;
    const ntt = new Ntt(F, count);
    same(`the root of order ${count}`, ntt.root, root);
    const values = Array.from({ length: count }, (_, i) => x[i % x.length]);
    const [v, z] = [F.from(values), F.vector(count)];
    const powers = Array.from({ length: count }, (_, i) => F.pow(ntt.root, BigInt(i)));
    const at = (i) => values.reduce((sum, c, j) => F.mulAdd(c, powers[(i * j) % count], sum), 0n);
    const expected = powers.map((_, i) => at(i));
    same(`transform of ${count}`, ntt.forward(z, v).toBigInts(), expected);
    same(`transform of ${count} over x`, ntt.forward(v, v).toBigInts(), expected);
    same(`inverse transform of ${count}`, ntt.inverse(v, z).toBigInts(), values);
    same(`inverse transform of ${count} over x`, ntt.inverse(z, z).toBigInts(), values);
    ntt.free();
  });
}

function checkAll(F) {
  const all = Array.from({ length: Number(F.p) }, (_, i) => BigInt(i));
  const pairs = all.flatMap((a) => all.map((b) => [a, b]));
  const [x, y] = [0, 1].map((i) => F.from(pairs.map((pair) => pair[i])));
  const z = F.vector(pairs.length);
  same("mulVec", F.mulVec(z, x, y).toBigInts(), pairs.map(([a, b]) => (a * b) % F.p));
  same("mulAddVec", F.mulAddVec(z, x, y, y).toBigInts(), pairs.map(([a, b]) => (a * b + b) % F.p));
  same("addVec", F.addVec(z, x, y).toBigInts(), pairs.map(([a, b]) => (a + b) % F.p));
  same("subVec", F.subVec(z, x, y).toBigInts(), pairs.map(([a, b]) => (a - b + F.p) % F.p));
  for (const a of all.slice(1)) same(`1/${a}`, (F.inv(a) * a) % F.p, 1n);
}

/** With roots of their own, and with one of both vectors; of lengths about a part's too. */
function checkButterflies(F, x, y) {
  for (const length of [0, 1, x.length, 256, 257, 600]) {
    const [a, b, c] = [x, y, [...x].reverse()].map((values) =>
      Array.from({ length }, (_, i) => values[(i * 7) % values.length]),
    );
    for (const which of [0, 1, 2]) {
      const vectors = [a, b, c].map((values) => F.from(values));
      const roots = [a, b, c][which];
      const [low, high] = F.butterflyVec(vectors[0], vectors[1], vectors[which]);
      const products = b.map((value, i) => F.mul(value, roots[i]));
      const name = `butterflyVec of ${length} by ${which}`;
      same(name, low.toBigInts(), a.map((value, i) => F.add(value, products[i])));
      same(name, high.toBigInts(), a.map((value, i) => F.sub(value, products[i])));
    }
  }
}
