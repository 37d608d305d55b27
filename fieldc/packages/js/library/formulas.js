// Functions of a package's own formulas, on bigints and on vectors.

import { addressOf, checkBigint, listOf } from "./vector.js";

// The integers that operands may be: from the first one to below the second one.
const INTEGERS = {
  mask: [0n, 2n],
  u64: [0n, 2n ** 64n],
  u128: [0n, 2n ** 128n],
  i64: [-(2n ** 63n), 2n ** 63n],
  i128: [-(2n ** 127n), 2n ** 127n],
};

/**
 * A function for each formula. `counts` has the numbers of elements of the result and of each
 * operand, by name; an integer has its type there. `run` is what the module exports.
 */
export function formulasOf(field, run, counts) {
  const made = Object.create(null);
  for (const [name, sizes] of Object.entries(counts)) {
    made[name] = formula(field, name, run[`formula_${name}_vec`], sizes);
  }
  return Object.freeze(made);
}

function formula(field, name, loop, given) {
  const isCount = (size) => Number.isInteger(size) && size > 0;
  const isType = (size) => Object.hasOwn(INTEGERS, size);
  const sizes = Array.isArray(given) && given.map((size) => (isType(size) ? 1 : size));
  if (!Array.isArray(sizes) || !sizes.every(isCount) || loop?.length !== sizes.length + 1) {
    throw new RangeError(`the module has no formula ${name} of these sizes`);
  }
  const result = sizes[0];

  function vec(...vectors) {
    const addresses = addressesOf(vectors);
    loop(...addresses, vectors[0].length / result);
    return vectors[0];
  }

  function addressesOf(vectors) {
    checkNumber(vectors.length, sizes.length);
    const addresses = vectors.map((vector) => addressOf(field, vector));
    const count = vectors[0].length / result;
    vectors.forEach((vector, i) => {
      if (!Number.isInteger(count) || vector.length !== count * sizes[i]) {
        const wanted = `${sizes[i]} values for each ${result} of the result`;
        throw new RangeError(`a vector of length ${vector.length}, where ${name} has ${wanted}`);
      }
    });
    return addresses;
  }

  function checkNumber(given, wanted) {
    if (given !== wanted) {
      throw new TypeError(`${name} takes ${sizes.length - 1} operands: ${given} of ${wanted} given`);
    }
  }

  // An integer of a type as an element.
  function reduced(value, type) {
    const integer = type === "mask" && typeof value === "boolean" ? BigInt(value) : value;
    checkBigint("an operand", integer);
    const [least, end] = INTEGERS[type];
    if (integer < least || integer >= end) {
      throw new RangeError(`an operand of ${name} is no ${type}: ${least} to ${end - 1n}`);
    }
    const rest = integer % field.p;
    return rest < 0n ? rest + field.p : rest;
  }

  function operand(value, i) {
    const size = sizes[i + 1];
    if (isType(given[i + 1])) return field.from([reduced(value, given[i + 1])]);
    const which = `operand ${i + 1} of ${name}`;
    const listed = size === 1 ? [value] : listOf(`the values of ${which}`, value);
    if (listed.length !== size) {
      throw new RangeError(`${which} has ${size} values, not ${listed.length}`);
    }
    return field.from(listed);
  }

  function onValues(...values) {
    checkNumber(values.length, sizes.length - 1);
    const found = field.arena(() => {
      const z = field.vector(result);
      return vec(z, ...values.map(operand)).toBigInts();
    });
    return result === 1 ? found[0] : found;
  }
  return Object.freeze(Object.assign(onValues, { vec }));
}
