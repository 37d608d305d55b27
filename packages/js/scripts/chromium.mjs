// node scripts/chromium.mjs FOLDER PAGE [FLAGS]: opens a page of a folder in headless Chromium and
// prints what it posts. Flags are V8's, as "--a,--b".

import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const NAMES = ["chromium", "chromium-browser", "google-chrome"];
const FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0"];
const KINDS = { ".html": "text/html", ".json": "application/json" };
// Alone in its process a page has a clock of 5 microseconds, otherwise of 100.
const ALONE = {
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
};

function serve(folder, received) {
  return createServer(async (request, response) => {
    if (request.method === "POST") {
      received(Buffer.concat(await request.toArray()).toString());
      response.writeHead(204).end();
      return;
    }
    const path = normalize(new URL(request.url, "http://localhost").pathname);
    try {
      const bytes = await readFile(join(folder, path));
      const kind = KINDS[extname(path)] ?? "text/javascript";
      response.writeHead(200, { "content-type": kind, ...ALONE }).end(bytes);
    } catch {
      response.writeHead(404).end();
    }
  });
}

async function opened(words) {
  for (const name of NAMES) {
    const running = spawn(name, words, { stdio: "ignore" });
    const started = once(running, "spawn").then(() => true);
    if (await started.catch(() => false)) return running;
  }
  return null;
}

/** What a page posts, or null where there is no Chromium. Rejects after so many seconds. */
export async function inChromium(folder, page, flags = "", seconds = 60) {
  let received;
  const said = new Promise((resolve) => (received = resolve));
  const server = serve(folder, received).listen(0, "127.0.0.1");
  await once(server, "listening");
  const profile = await mkdtemp(join(tmpdir(), "fieldc-chromium-"));
  const url = `http://127.0.0.1:${server.address().port}/${page}`;
  const own = [`--user-data-dir=${profile}`, `--js-flags=${flags}`];
  const running = await opened([...FLAGS, ...own, url]);
  let timer;
  const late = new Promise((_, reject) => {
    const failed = () => reject(new Error(`${page} posted nothing in ${seconds} seconds`));
    timer = setTimeout(failed, 1000 * seconds);
  });
  try {
    return running && (await Promise.race([said, late]));
  } finally {
    clearTimeout(timer);
    server.close();
    server.closeAllConnections();
    if (running && running.kill()) await once(running, "exit");
    await rm(profile, { recursive: true, force: true, maxRetries: 5 });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [folder, page, flags] = process.argv.slice(2);
  console.log((await inChromium(folder, page, flags)) ?? "SKIPPED: chromium is not installed");
}
