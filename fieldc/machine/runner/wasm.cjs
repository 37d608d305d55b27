// Calls a function of a module on memory that it is sent, and sends the memory back.
// Requests: numbers of 32 bits, then bytes. The numbers are how many bytes follow, 1 if they are a
// module or 0 if they are memory, how many arguments a call has, and eight addresses for them.
const PAGES = 64;
const NUMBERS = 11;
const SYMBOL = process.argv[2];
let memory = new WebAssembly.Memory({ initial: PAGES });
let call = null;
let received = Buffer.alloc(0);

function answer(bytes, places) {
  const frame = new Uint8Array(memory.buffer, 0, bytes.length);
  frame.set(bytes);
  call(...places);
  process.stdout.write(Buffer.from(frame));
}

function accept() {
  while (received.length >= 4 * NUMBERS) {
    const [size, module, count, ...places] = Array.from({ length: NUMBERS }, (_, i) =>
      received.readUInt32LE(4 * i),
    );
    const end = 4 * NUMBERS + size;
    if (received.length < end) return;
    const bytes = received.subarray(4 * NUMBERS, end);
    if (module) {
      const made = new WebAssembly.Module(bytes);
      const { exports } = new WebAssembly.Instance(made, { env: { memory } });
      call = exports[SYMBOL];
      memory = exports.memory ?? memory;
    } else answer(bytes, places.slice(0, count));
    received = received.subarray(end);
  }
}

process.stdin.on("data", (chunk) => {
  received = Buffer.concat([received, chunk]);
  accept();
});
