// Compares a field with values computed elsewhere; runs in Node and in browsers.

const BINARY = ["add", "sub", "mul"];

function same(what, found, expected) {
  const [a, b] = [found, expected].map((v) => String(v));
  if (a !== b) throw new Error(`${what}: got ${a}, expected ${b}`);
}

/** `cases` has lists of decimal numbers: x, y, and what each operation makes of them. */
export function checkField(F, cases) {
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
  });
  same("negVec", F.negVec(vz, vx).toBigInts(), numbers.neg);
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
  if (cases.exhaustive) checkAll(F);
  return x.length;
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
