import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { useLamps } from "./lamps.js";

const client = new Client({ name: "test", version: "1.0.0" });
await client.connect(new StdioClientTransport({ command: process.execPath, args: ["stdio-server.js"] }));
console.log(JSON.stringify(await useLamps(client)));
await client.close();
