// node cases.mjs PACKAGE < cases.json: the fields of a package, by name, by modulus or its own.

import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

import { checkField } from "./check.js";

const index = pathToFileURL(process.argv[2]);
const { Field, load } = await import(index);
const { Ntt } = await import(new URL("lib/ntt.js", index));
const makers = {
  named: ({ name }) => Field.named(name),
  modulus: ({ p }) => Field.fromModulus(BigInt(p)),
  own: () => load(),
};
for (const cases of JSON.parse(readFileSync(0, "utf8"))) {
  const F = await makers[cases.how](cases);
  if (F.p !== BigInt(cases.p)) throw new Error(`${F.name} has another modulus`);
  console.log(`${cases.how} ${F.name}: ${checkField(F, cases, Ntt)} values`);
}
