import { load } from "./index.js";

const F = await load();
console.log(F.mul(2n, F.inv(2n))); // 1n

const x = F.from([1n, 2n, F.p - 1n]);
const y = F.batchInverse(F.vector(3), x);
F.mulVec(y, y, x);
console.log(y.toBigInts()); // [ 1n, 1n, 1n ]
