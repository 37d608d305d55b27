// Room for vectors in a module's memory, and the views of it.

const PAGE = 65536;
const ALIGN = 64;
const LIMIT = 2 ** 32 - PAGE;

/** The heap of one instance: blocks are handed out and taken back; addresses are in bytes. */
export class Heap {
  #memory;
  #free = [];
  #end;
  #words;
  #bytes;

  constructor(memory, start) {
    this.#memory = memory;
    this.#end = start;
  }

  /** The memory in limbs. Not to be kept: the memory may grow. */
  get words() {
    if (this.#words === undefined || this.#words.length === 0) {
      this.#words = new BigUint64Array(this.#memory.buffer);
    }
    return this.#words;
  }

  /** The memory in bytes. Not to be kept. */
  get bytes() {
    if (this.#bytes === undefined || this.#bytes.length === 0) {
      this.#bytes = new Uint8Array(this.#memory.buffer);
    }
    return this.#bytes;
  }

  /** The address of `size` bytes. Throws a RangeError where there is no room. */
  take(size) {
    const wanted = Math.max(ALIGN, Math.ceil(size / ALIGN) * ALIGN);
    const found = this.#free.findIndex((block) => block.size >= wanted);
    if (found < 0) return this.#extend(wanted);
    const block = this.#free[found];
    const at = block.at;
    if (block.size === wanted) this.#free.splice(found, 1);
    else this.#free[found] = { at: at + wanted, size: block.size - wanted };
    return at;
  }

  #extend(size) {
    const at = this.#end;
    const missing = at + size - this.#memory.buffer.byteLength;
    if (at + size > LIMIT) throw new RangeError(`no room for ${size} bytes: a field has 4 GiB`);
    if (missing > 0) {
      try {
        this.#memory.grow(Math.ceil(missing / PAGE));
      } catch {
        throw new RangeError(`no room for ${size} bytes: the memory does not grow`);
      }
    }
    this.#end = at + size;
    return at;
  }

  /** Take back what `take(size)` gave. */
  give(at, size) {
    const wanted = Math.max(ALIGN, Math.ceil(size / ALIGN) * ALIGN);
    const next = this.#free.findIndex((block) => block.at > at);
    const place = next < 0 ? this.#free.length : next;
    this.#free.splice(place, 0, { at, size: wanted });
    this.#join(place);
    this.#join(place - 1);
    const last = this.#free.at(-1);
    if (last !== undefined && last.at + last.size === this.#end) {
      this.#end = last.at;
      this.#free.pop();
    }
  }

  #join(place) {
    const block = this.#free[place];
    const next = this.#free[place + 1];
    if (block === undefined || next === undefined || block.at + block.size !== next.at) return;
    this.#free.splice(place, 2, { at: block.at, size: block.size + next.size });
  }
}
