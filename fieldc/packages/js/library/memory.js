// Room for vectors in a module's memory, and the views of it.

const PAGE = 65536;
const ALIGN = 64;
const LIMIT = 2 ** 32 - PAGE;
// Blocks of up to so many bytes are kept by size: taking one and giving it back takes no search.
const SMALL = 4096;

// Where values wait below the module's own data.
export const [FIRST, SECOND, THIRD, FOURTH] = [0, 256, 512, 768];

const rounded = (size) => Math.max(ALIGN, Math.ceil(size / ALIGN) * ALIGN);

/** The heap of one instance: blocks are handed out and taken back; addresses are in bytes. */
export class Heap {
  #memory;
  #small = Array.from({ length: SMALL / ALIGN + 1 }, () => []); // addresses, by size / ALIGN
  #smallBytes = 0;
  #free = []; // other blocks, by address; no two are adjacent
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
    const wanted = rounded(size);
    if (wanted <= SMALL) {
      const at = this.#small[wanted / ALIGN].pop();
      if (at !== undefined) {
        this.#smallBytes -= wanted;
        return at;
      }
    } else if (this.#smallBytes >= wanted) this.#merge();
    return this.#fitting(wanted) ?? this.#extend(wanted);
  }

  /** Take back what `take(size)` gave. */
  give(at, size) {
    const given = rounded(size);
    if (given <= SMALL) {
      this.#small[given / ALIGN].push(at);
      this.#smallBytes += given;
      return;
    }
    const place = this.#placeOf(at);
    this.#free.splice(place, 0, { at, size: given });
    this.#join(place);
    this.#join(place - 1);
    this.#shrink();
  }

  /** What `use(at, size)` makes of an address of so many bytes, which is lent to it. */
  lend(size, use) {
    const at = this.take(size);
    try {
      return use(at, size);
    } finally {
      this.give(at, size);
    }
  }

  // The address of a free block's first bytes; the first block that is large enough.
  #fitting(wanted) {
    const found = this.#free.findIndex((block) => block.size >= wanted);
    if (found < 0) return undefined;
    const block = this.#free[found];
    const at = block.at;
    if (block.size === wanted) this.#free.splice(found, 1);
    else this.#free[found] = { at: at + wanted, size: block.size - wanted };
    return at;
  }

  #extend(size) {
    const at = this.#end;
    if (at + size > LIMIT) throw new RangeError(`no room for ${size} bytes: a field has 4 GiB`);
    const missing = Math.ceil((at + size - this.#memory.buffer.byteLength) / PAGE);
    if (missing > 0 && !this.#grow(missing)) {
      throw new RangeError(`no room for ${size} bytes: the memory does not grow`);
    }
    this.#end = at + size;
    return at;
  }

  // By half of what there is, or by what is missing where that is more, or all that there is.
  #grow(missing) {
    const half = Math.floor(this.#memory.buffer.byteLength / PAGE / 2);
    const most = Math.floor((LIMIT - this.#memory.buffer.byteLength) / PAGE);
    for (const pages of new Set([Math.max(missing, Math.min(half, most)), missing])) {
      try {
        this.#memory.grow(pages);
        return true;
      } catch {
        // Too much; the next one is less.
      }
    }
    return false;
  }

  // Small blocks become parts of larger ones.
  #merge() {
    const blocks = this.#small.flatMap((list, i) => list.map((at) => ({ at, size: i * ALIGN })));
    for (const list of this.#small) list.length = 0;
    this.#smallBytes = 0;
    for (const block of this.#free) blocks.push(block);
    blocks.sort((a, b) => a.at - b.at);
    this.#free = [];
    for (const block of blocks) {
      const last = this.#free.at(-1);
      if (last !== undefined && last.at + last.size === block.at) last.size += block.size;
      else this.#free.push(block);
    }
    this.#shrink();
  }

  #shrink() {
    const last = this.#free.at(-1);
    if (last !== undefined && last.at + last.size === this.#end) {
      this.#end = last.at;
      this.#free.pop();
    }
  }

  #placeOf(at) {
    let [low, high] = [0, this.#free.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#free[middle].at > at) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #join(place) {
    const block = this.#free[place];
    const next = this.#free[place + 1];
    if (block === undefined || next === undefined || block.at + block.size !== next.at) return;
    this.#free.splice(place, 2, { at: block.at, size: block.size + next.size });
  }
}
