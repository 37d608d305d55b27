// Square roots on bigints.

// Of each field p - 1 = odd * 2^twos, and a power of a non-residue whose order is 2^twos.
const known = new WeakMap();

/** A square root of a, which is not 0, or null if there is none: Tonelli and Shanks, one power. */
export function squareRoot(F, a) {
  if (F.p % 4n === 3n) {
    const root = F.pow(a, (F.p + 1n) / 4n);
    return F.square(root) === a ? root : null;
  }
  if (!known.has(F)) known.set(F, factsOf(F));
  let { odd, twos, c } = known.get(F);
  const power = F.pow(a, (odd - 1n) / 2n);
  let root = F.mul(a, power);
  let left = F.mul(root, power); // a^odd, and root^2 = a*left from here on
  while (left !== 1n) {
    let order = 0;
    for (let t = left; t !== 1n && order < twos; t = F.square(t)) order++;
    if (order === twos) return null; // of a non-residue, and only the first time
    for (let i = 0; i < twos - order - 1; i++) c = F.square(c);
    root = F.mul(root, c);
    c = F.square(c);
    left = F.mul(left, c);
    twos = order;
  }
  return root;
}

function factsOf(F) {
  let odd = F.p - 1n;
  let twos = 0;
  for (; odd % 2n === 0n; odd /= 2n) twos++;
  let other = 2n;
  while (F.pow(other, (F.p - 1n) / 2n) === 1n) other++;
  return { odd, twos, c: F.pow(other, odd) };
}
