// Servers from npm, each in its own process.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { Agent, mcpTools, SubAgent } from "turnfold";

const { resolve } = createRequire(import.meta.url);

async function connected(server: string, ...args: string[]): Promise<Client> {
  const main = join(dirname(resolve(`@modelcontextprotocol/${server}/package.json`)), "dist/index.js");
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({ command: process.execPath, args: [main, ...args], stderr: "ignore" });
  await client.connect(transport);
  return client;
}

const folder = mkdtempSync(join(tmpdir(), "turnfold-mcp-"));
const note = join(folder, "note.txt");
writeFileSync(note, "water the plants\ncall Ada\n");
writeFileSync(join(folder, "photo.png"), Buffer.alloc(3000));

const everything = await connected("server-everything", "stdio");
const files = await connected("server-filesystem", folder);
const programs = [
  `(def notes (:content (tool/files_read_text_file {:path data/note})))
   (def media (tool/files_read_media_file data/photo))
   (println media)`,
  "(tool/files_read_text_file {:path data/outside})",
  `(def weather (tool/get-structured-content {:location "Chicago"}))
   (return {:sum (tool/get-sum {:a 1 :b 2}) :length (count notes) :weather (:temperature weather)
            :links (map :uri (rest (tool/get-resource-links {:count 2}))) :image (second (tool/get-tiny-image))})`,
];
const step = await new SubAgent({
  mission: "Use both servers",
  signature: "(note :string, photo :string, outside :string) -> :any",
  tools: { ...(await mcpTools(everything)), ...(await mcpTools(files, { prefix: "files" })) },
  limits: { timeoutMs: 20_000 },
  llm: () => programs.shift() ?? "(fail :script-is-over)",
}).run({ data: { note, photo: join(folder, "photo.png"), outside: join(tmpdir(), "outside.txt") } });

const calls = [
  { id: "c1", name: "write_file", args: { path: join(folder, "new.txt"), content: "hello" } },
  { id: "c2", name: "read_text_file", args: { path: join(folder, "new.txt") } },
  { id: "c3", name: "read_text_file", args: { path: 5 } },
];
const include = ["read_text_file", "write_file"];
const chat = new Agent({
  tools: await mcpTools(files, { include }),
  llm: () => (calls.length > 0 ? { content: "", toolCalls: calls.splice(0, 1) } : "Done."),
});
const { messages, text } = await chat.chat("Write hello");
await Promise.all([everything.close(), files.close()]);
rmSync(folder, { recursive: true });
console.log(
  JSON.stringify({
    listed: step.messagesAt(1)?.[1]?.content,
    turns: step.turns.map(({ success, result }) => success || (result as { message: string }).message),
    prints: step.turns[0]?.prints,
    returned: step.return,
    results: messages.filter(({ role }) => role === "tool").map(({ content }) => content),
    text,
  }),
);
