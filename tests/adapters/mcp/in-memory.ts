import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
import { Lisp, mcpTools } from "turnfold";
import { useLamps } from "./lamps.js";
import { lampServer } from "./server.js";

/** Calls of the host's own handler of list changes, which mcpTools must not replace. */
let changes = 0;
const client = new Client(
  { name: "test", version: "1.0.0" },
  { listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => changes++ } } },
);
const [here, there] = InMemoryTransport.createLinkedPair();
await lampServer().connect(there);
await client.connect(here);
const used = await useLamps(client);

const hasty = new Lisp({ tools: await mcpTools(client, { timeout: 100 }) });
const timedOut = (await hasty.run("(tool/wait)")).error?.message;

const tools = await mcpTools(client);
await client.close();
const lisp = new Lisp({ tools });
const closed = (await lisp.run('(tool/search {:query "lamp"})')).error?.message;
const unlisted = await mcpTools(client).catch((error: Error & { code?: string }) => error.code);

const [hereAgain, thereAgain] = InMemoryTransport.createLinkedPair();
await lampServer().connect(thereAgain);
await client.connect(hereAgain);
const again = (await lisp.run('(count (:hits (tool/search {:query "lamp"})))')).value;
console.log(JSON.stringify({ ...used, changes, timedOut, closed, unlisted, again }));
await client.close();
