// What is raced: the same multiplication by several packages, checked to be the same first.

import { bls12_381 } from "@noble/curves/bls12-381.js";
import { getCurveFromName } from "ffjavascript";

import { Field } from "../index.js";
import { loops } from "./loops.js";

const COUNT = 4096;

/** What a field's modules export that this engine accepts: in digits, then wide. */
async function instancesOf(name) {
  const { default: made } = await import(`../generated/modules/${name}.js`);
  const codes = [made.wasm, made.wide].map((text) =>
    Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)),
  );
  const accepted = codes.filter((code) => WebAssembly.validate(code));
  const all = await Promise.all(accepted.map((code) => WebAssembly.instantiate(code, {})));
  return all.map(({ instance }) => instance.exports);
}

/** A row's work: one thing so many times. */
const times = (one) => (n) => {
  for (let i = 0; i < n; i++) one();
};

function bytesOf(value, length) {
  const hex = value.toString(16).padStart(2 * length, "0");
  return Uint8Array.from(hex.match(/../g).reverse(), (digits) => parseInt(digits, 16));
}

function numberOf(bytes) {
  return bytes.reduceRight((value, byte) => (value << 8n) + BigInt(byte), 0n);
}

function agree(title, found, expected) {
  if (found !== expected) throw new Error(`${title}: got ${found}, expected ${expected}`);
}

/** Values that look random, the same in every run. */
function values(p, count) {
  let state = p >> 3n;
  return Array.from({ length: count }, () => (state = (state * state + 0x9e3779b97f4a7c15n) % p));
}

const FIELDS = [
  { name: "bls12-381-p", mcl: "Fp", curve: "F1", prefix: "f1m", noble: bls12_381.fields.Fp },
  { name: "bls12-381-r", mcl: "Fr", curve: "Fr", prefix: "frm", noble: bls12_381.fields.Fr },
];

/** [{ title, rows: [{ name, each, run(turns) }] }]; `each` multiplications a turn. */
export async function groups(mcl) {
  await mcl.init(mcl.BLS12_381);
  const curve = await getCurveFromName("bls12381", { singleThread: true });
  const made = [];
  for (const field of FIELDS) {
    const F = await Field.named(field.name);
    const given = { mcl, field, F, curve, x: values(F.p, COUNT), y: values(F.p - 2n, COUNT) };
    made.push(...(await inside(given)), perCall(given), vectors(given), endToEnd(given));
    made.push(oneInverse(given), inverses(given));
  }
  return made;
}

async function inside({ mcl, field, curve, F, x, y }) {
  const { exports } = curve.tm.instance;
  const sources = [
    ...(await instancesOf(field.name)).map((own, i) => [
      ["fieldc", "fieldc, wide"][i],
      ...[own.mul, "zxy", [64, 256, 512], own.memory],
    ]),
    [
      "ffjavascript (raw export)",
      exports[`${field.prefix}_mul`],
      "xyz",
      [0, 1, 2].map(() => curve.tm.alloc(64)),
      curve.tm.memory,
    ],
    [
      "mcl-wasm (raw export)",
      mcl.mod[`_mclBn${field.mcl}_mul`],
      "zxy",
      [0, 1, 2].map(() => mcl.mod._malloc(64)),
      mcl.getMemory(),
    ],
  ];
  const length = F.byteLength;
  const rows = { chain: [], many: [] };
  for (const [name, f, order, [pz, px, py], memory] of sources) {
    const calls = await loops(f, order);
    const bytes = () => new Uint8Array(memory.buffer);
    for (const place of [pz, px]) bytes().set(bytesOf(x[5], length), place);
    bytes().set(bytesOf(y[5], length), py);
    calls.many(pz, px, py, 1);
    const product = numberOf(bytes().slice(pz, pz + length));
    const R = 1n << BigInt(8 * Math.ceil(length / 8) * 8);
    agree(name, F.mul(product, R % F.p), F.mul(x[5], y[5]));
    rows.chain.push({ name, each: 100, run: (n) => calls.chain(pz, px, 100 * n) });
    rows.many.push({ name, each: 100, run: (n) => calls.many(pz, px, py, 100 * n) });
  }
  return [
    { title: `${field.name}, inside WebAssembly, each product needs the last`, rows: rows.chain },
    { title: `${field.name}, inside WebAssembly, independent products`, rows: rows.many },
  ];
}

/** An element of mcl. */
function mclValue(mcl, field, value, length) {
  const element = new mcl[field.mcl]();
  element.setLittleEndian(bytesOf(value, length));
  return element;
}

const fromMcl = (element) => BigInt(element.getStr(10));

function perCall({ mcl, field, curve, F, x, y }) {
  const [a, b] = [x[7], y[7]];
  const [ma, mb] = [a, b].map((value) => mclValue(mcl, field, value, F.byteLength));
  const Q = curve[field.curve];
  const [fa, fb] = [a, b].map((value) => Q.e(value));
  agree("mcl-wasm", fromMcl(mcl.mul(ma, mb)), F.mul(a, b));
  agree("@noble/curves", field.noble.mul(a, b), F.mul(a, b));
  agree("ffjavascript", Q.toObject(Q.mul(fa, fb)), F.mul(a, b));
  const rows = [
    { name: "fieldc, bigint", each: 1, run: times(() => F.mul(a, b)) },
    { name: "@noble/curves, bigint", each: 1, run: times(() => field.noble.mul(a, b)) },
    { name: "mcl-wasm, its elements", each: 1, run: times(() => mcl.mul(ma, mb)) },
    { name: "ffjavascript, bytes", each: 1, run: times(() => Q.mul(fa, fb)) },
  ];
  return { title: `${field.name}, one product a call`, rows };
}

function oneInverse({ mcl, field, F, x }) {
  const a = x[7];
  const ma = mclValue(mcl, field, a, F.byteLength);
  agree("mcl-wasm", fromMcl(mcl.inv(ma)), F.inv(a));
  agree("@noble/curves", field.noble.inv(a), F.inv(a));
  const rows = [
    { name: "fieldc, inv", each: 1, run: times(() => F.inv(a)) },
    { name: "@noble/curves, inv", each: 1, run: times(() => field.noble.inv(a)) },
    { name: "mcl-wasm, its elements", each: 1, run: times(() => mcl.inv(ma)) },
  ];
  return { title: `${field.name}, one inverse a call`, rows };
}

function vectors({ mcl, field, curve, F, x, y }) {
  const [vx, vy, vz] = [F.from(x), F.from(y), F.vector(COUNT)];
  const [mx, my] = [x, y].map((list) => list.map((v) => mclValue(mcl, field, v, F.byteLength)));
  const Q = curve[field.curve];
  const [fx, fy] = [x, y].map((list) => list.map((value) => Q.e(value)));
  const array = (name, one) => ({ name: `${name}, an array`, each: COUNT, run: times(one) });
  const rows = [
    { name: "fieldc, mulVec", each: COUNT, run: times(() => F.mulVec(vz, vx, vy)) },
    array("mcl-wasm", () => mx.map((v, i) => mcl.mul(v, my[i]))),
    array("ffjavascript", () => fx.map((v, i) => Q.mul(v, fy[i]))),
    array("@noble/curves", () => x.map((v, i) => field.noble.mul(v, y[i]))),
  ];
  return { title: `${field.name}, ${COUNT} products of values that are there`, rows };
}

function endToEnd({ mcl, field, F, x, y }) {
  const length = F.byteLength;
  const [bx, by] = [F.from(x).toBytes(), F.from(y).toBytes()];
  const [px, py] = [new mcl[field.mcl](), new mcl[field.mcl]()];
  const slice = (bytes, i) => bytes.subarray(i * length, (i + 1) * length);
  const own = () => {
    const [vx, vy] = [F.fromBytes(bx), F.fromBytes(by)];
    const out = F.mulVec(vx, vx, vy).toBytes();
    vx.free();
    vy.free();
    return out;
  };
  const theirs = () => {
    const out = new Uint8Array(bx.length);
    for (let i = 0; i < COUNT; i++) {
      px.setLittleEndian(slice(bx, i));
      py.setLittleEndian(slice(by, i));
      out.set(mcl.mul(px, py).serialize(), i * length);
    }
    return out;
  };
  agree("fieldc", numberOf(slice(own(), 9)), F.mul(x[9], y[9]));
  const rows = [
    { name: "fieldc, bytes to bytes", each: COUNT, run: times(own) },
    { name: "mcl-wasm, bytes to bytes", each: COUNT, run: times(theirs) },
  ];
  return { title: `${field.name}, ${COUNT} products end to end`, rows };
}

function inverses({ mcl, field, F, x }) {
  const [vx, vz] = [F.from(x), F.vector(COUNT)];
  const mx = x.map((value) => mclValue(mcl, field, value, F.byteLength));
  agree("mcl-wasm", fromMcl(mcl.invVec(mx)[3]), F.batchInverse(vz, vx).get(3));
  const rows = [
    { name: "fieldc, batchInverse", each: COUNT, run: times(() => F.batchInverse(vz, vx)) },
    { name: "mcl-wasm, invVec", each: COUNT, run: times(() => mcl.invVec(mx)) },
  ];
  return { title: `${field.name}, ${COUNT} inverses`, rows };
}
