// Square roots on bigints.

/** A square root of a square a, which is not 0: Tonelli and Shanks; one power where p = 3 mod 4. */
export function squareRoot(F, a) {
  if (F.p % 4n === 3n) return F.pow(a, (F.p + 1n) / 4n);
  let odd = F.p - 1n;
  let twos = 0;
  for (; odd % 2n === 0n; odd /= 2n) twos++;
  let other = 2n;
  while (F.pow(other, (F.p - 1n) / 2n) === 1n) other++;
  let c = F.pow(other, odd);
  let root = F.pow(a, (odd + 1n) / 2n);
  let left = F.pow(a, odd);
  while (left !== 1n) {
    let order = 0;
    for (let t = left; t !== 1n; t = F.square(t)) order++;
    for (let i = 0; i < twos - order - 1; i++) c = F.square(c);
    root = F.mul(root, c);
    c = F.square(c);
    left = F.mul(left, c);
    twos = order;
  }
  return root;
}
