// What the programs of the page on requests of other apps need: requests of a chat that grows, storage by session, and a
// strict stand-in for the provider.

import { acceptAnthropic } from "../../wire/receivers/anthropic.mjs";

const LINES = "src/server.ts:14 listens on port 8443\nsrc/prices.json was not found\n".repeat(40);
const calls = (count: number) =>
  Array.from({ length: count }, (_, call) => [
    {
      role: "assistant",
      content: [{ type: "tool_use", id: `c${call}`, name: "read", input: { path: `src/file${call}.ts` } }],
    },
    { role: "user", content: [{ type: "tool_result", tool_use_id: `c${call}`, content: `${call}\n${LINES}` }] },
  ]).flat();

/** The body of the request after some calls of tools. */
export const bodyAfter = (count: number) =>
  JSON.stringify({
    model: "claude-opus-5-5",
    max_tokens: 1024,
    cache_control: { type: "ephemeral" },
    tools: [{ name: "read", input_schema: { type: "object" } }],
    messages: [{ role: "user", content: "Why does the shop not start?" }, ...calls(count)],
  });

/** An app asks, with its whole history each time. */
export const requests = Array.from(
  { length: 20 },
  (_, index) =>
    new Request("https://gateway.example/v1/messages", {
      method: "POST",
      headers: { "x-session": "s1", "x-api-key": "key", "content-type": "application/json" },
      body: bodyAfter(index + 1),
    }),
);

const stored = new Map<string, string>();
export const env = {
  STATES: {
    get: async (key: string, _: "json") => JSON.parse(stored.get(key) ?? "null"),
    put: async (key: string, value: string) => void stored.set(key, value),
  },
};

/** The bodies that arrived. */
export const arrived: string[] = [];

export async function fetch(_: string, { body }: { body: string }): Promise<Response> {
  acceptAnthropic(JSON.parse(body));
  arrived.push(body);
  return Response.json({ content: [{ type: "text", text: "Done." }], usage: { input_tokens: 900, output_tokens: 20 } });
}
