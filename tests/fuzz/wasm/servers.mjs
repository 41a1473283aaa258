// Hostile MCP servers and endpoints of models; `SIZE` is the size of their largest texts.

import { Fault, hostileEndpoint, hostileServer } from "../../js/hostile-servers.mjs";
import { sizeOf } from "../../js/random.mjs";
import { finding, fuzz, memories } from "./watch.mjs";

const LARGEST = Number(process.env.SIZE ?? 10_000_000);
/** Bytes of the wasm's memory that no input of that size needs. */
const MAX_MEMORY = 512 << 20;

const endpoint = await hostileEndpoint();
await fuzz("servers", async (random, seed) => {
  // Most servers are small, so that there are many.
  const most = random.below(50) === 0 ? LARGEST : sizeOf(random, 2000);
  try {
    const outcome = await hostileServer(random, endpoint, most);
    const byteLength = memories.at(-1)?.buffer.byteLength ?? 0;
    if (byteLength > MAX_MEMORY) finding(`the memory has ${byteLength} bytes`, `size ${most}`, seed);
    return outcome;
  } catch (error) {
    finding(error instanceof Fault ? error.message : `it throws ${error?.stack}`, `size ${most}`, seed);
  }
});
await endpoint.close();
