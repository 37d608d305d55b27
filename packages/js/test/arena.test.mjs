// Vectors that are freed early, and memory that is used again and grows by halves.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Field, Vector } from "../index.js";
import { Heap } from "../lib/memory.js";

const PAGE = 65536;
const freed = (vector) => assert.throws(() => vector.get(0), { message: /was freed/ });

for (const [title, F] of Object.entries({
  module: await Field.named("bn254-p"),
  portable: await Field.fromModulus(2n ** 127n - 1n),
})) {
  test(`an arena frees what it does not return, ${title}`, () => {
    const outside = F.from([1n]);
    let [inside, nested] = [];
    const kept = F.arena(() => {
      inside = F.from([2n, 3n]);
      const two = F.arena(() => {
        nested = F.from([7n]);
        return [F.from([4n]), F.from([5n])];
      });
      assert.deepEqual(two.map((v) => v.get(0)), [4n, 5n]);
      freed(nested);
      nested = two[0];
      inside.free();
      return two[1];
    });
    assert.ok(kept instanceof Vector);
    assert.equal(kept.get(0) + outside.get(0), 6n);
    for (const vector of [inside, nested]) freed(vector);
    assert.equal(F.arena(() => 7), 7);
  });

  test(`an arena that fails frees everything, ${title}`, () => {
    let made;
    const fail = () => {
      made = F.from([1n]);
      throw new RangeError("on purpose");
    };
    assert.throws(() => F.arena(fail), /on purpose/);
    freed(made);
    const later = async () => (made = F.from([1n]));
    assert.throws(() => F.arena(later), { name: "TypeError", message: /synchronous/ });
    freed(made);
    for (const work of [null, undefined, 1, F]) assert.throws(() => F.arena(work), TypeError);
    F.vector(1).free(); // no arena is left open
  });

  test(`dispose frees once, ${title}`, { skip: Symbol.dispose ? false : "no Symbol.dispose" }, () => {
    const vector = F.from([1n]);
    vector[Symbol.dispose]();
    freed(vector);
    vector[Symbol.dispose]();
  });

  test(`many small vectors use little memory, ${title}`, () => {
    const made = [];
    for (let i = 0; i < 20000; i++) made.push(F.from([BigInt(i)]));
    assert.ok(made.every((vector, i) => vector.get(0) === BigInt(i)));
    for (const vector of made) vector.free();
    F.arena(() => {
      for (let i = 0; i < 20000; i++) F.vector(2);
    });
  });
}

test("memory is used again, in every size, and grows by halves", () => {
  const memory = new WebAssembly.Memory({ initial: 2 });
  const heap = new Heap(memory, 1024);
  const grown = [];
  memory.grow = (pages) => (grown.push(pages), WebAssembly.Memory.prototype.grow.call(memory, pages));
  const blocks = Array.from({ length: 2 ** 14 }, () => heap.take(64));
  assert.equal(new Set(blocks).size, blocks.length);
  const pages = memory.buffer.byteLength / PAGE;
  assert.ok(grown.length <= 6 && pages <= 1.5 * (2 ** 20 / PAGE + 2), `${grown}`);
  for (const at of blocks) heap.give(at, 64);
  const large = heap.take(2 ** 20); // of the small ones, joined
  assert.equal(large, Math.min(...blocks));
  assert.equal(memory.buffer.byteLength / PAGE, pages);
  heap.give(large, 2 ** 20);
  const mixed = [100, 5000, 64, 70000, 4096].map((size) => ({ size, at: heap.take(size) }));
  mixed.sort((a, b) => a.at - b.at);
  for (const [i, block] of mixed.slice(1).entries()) {
    assert.ok(mixed[i].at + mixed[i].size <= block.at);
  }
});

test("memory that cannot grow by half grows by what is missing", () => {
  const memory = new WebAssembly.Memory({ initial: 10, maximum: 12 });
  const heap = new Heap(memory, 0);
  heap.take(11 * PAGE);
  assert.equal(memory.buffer.byteLength, 11 * PAGE);
  assert.throws(() => heap.take(2 * PAGE), { name: "RangeError", message: /does not grow/ });
  heap.take(PAGE);
});
