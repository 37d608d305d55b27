// Square roots by Tonelli and Shanks.

const known = new WeakMap();

/** A root of a != 0, or null. */
export function squareRoot(F, a) {
  let [odd, twos, c] = known.get(F) ?? found(F);
  const power = F.pow(a, odd >> 1n);
  let root = F.mul(a, power);
  for (let left = F.mul(root, power); left !== 1n; left = F.mul(left, c)) {
    let order = 0;
    for (let t = left; t !== 1n; t = F.square(t)) if (++order === twos) return null;
    for (; twos > order + 1; twos--) c = F.square(c);
    root = F.mul(root, c);
    c = F.square(c);
    twos = order;
  }
  return root;
}

// p - 1 = odd * 2^twos, and a c of order 2^twos.
function found(F) {
  let [odd, twos, other] = [F.p - 1n, 0, 2n];
  for (; !(odd & 1n); odd >>= 1n) twos++;
  while (F.pow(other, F.p >> 1n) === 1n) other++;
  return known.set(F, [odd, twos, F.pow(other, odd)]).get(F);
}
