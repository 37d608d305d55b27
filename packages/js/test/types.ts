// Compiled by tsc --noEmit: what the types allow, and what they refuse.

import type { IField } from "@noble/curves/abstract/modular.js";

import { Field, FieldName, Vector, names } from "../index.js";
import { NobleField, nobleField } from "../lib/noble.js";
import { Ntt } from "../lib/ntt.js";

const F: Field = await Field.named("bls12-381-r");
const G: Field = await Field.fromModulus(7n);
const product: bigint = F.mul(2n, F.inv(2n));
const root: bigint | null = G.sqrt(2n);
const hasRoot: boolean = G.isSquare(2n);
const x: Vector = F.from([1n, 2n]);
const values: bigint[] = F.mulVec(F.vector(2), x, x).toBigInts();
const bytes: Uint8Array = F.batchInverse(x, x).toBytes();
const sums: [bigint, bigint] = [F.sum(x), F.innerProduct(x, x)];
const ntt: Ntt = new Ntt(F, 2);
const both: [Vector, Vector] = F.butterflyVec(F.vector(2), F.doubleVec(x, x), x);
const transformed: Vector = ntt.inverse(x, ntt.forward(x, F.powVec(x, x, 3n)));
const unity: bigint = ntt.root;
console.log(both, sums, transformed, unity);
const known: readonly FieldName[] = names;
const kept: Vector = F.arena(() => F.from([1n]));
const two: readonly Vector[] = F.arena(() => [F.vector(1), F.vector(2)]);
const field: NobleField = nobleField(F, { isLE: true });
const other: IField<bigint> = field;
console.log(kept, two, field.mul(2n, 3n), other.ORDER);
console.log(product, root, hasRoot, values, bytes, known);

// @ts-expect-error: no field has this name
await Field.named("bls12-381");
// @ts-expect-error: a value is a bigint
F.add(1, 2n);
// @ts-expect-error: an operand is a vector
F.addVec(x, x, [1n]);
// @ts-expect-error: vectors are made by fields
new Vector();
// @ts-expect-error: a length does not change
x.length = 3;
