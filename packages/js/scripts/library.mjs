// Copies the library, which `fieldc build --package js` writes too, into lib/. Runs at npm install.

import { cpSync } from "node:fs";

const from = new URL("../../../fieldc/packages/js/library/", import.meta.url);
cpSync(from, new URL("../lib/", import.meta.url), { recursive: true });
