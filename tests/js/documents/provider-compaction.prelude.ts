// What the programs of the page on the providers' compaction need: keys in the environment, and a strict local server in place of
// the providers. It makes a compaction of a long request, and refuses one that comes back changed.

import { after } from "node:test";
import { send, serve } from "../loopback.mjs";

interface Block {
  type: string;
  content?: unknown;
}
interface Body {
  messages?: { role: string; content: string | Block[] }[];
  input?: (Block & { role?: string })[];
  context_management?: unknown;
}

/** The numbers of messages or items of the requests, the oldest first. */
export const sent: number[] = [];
const COMPACTION = {
  type: "compaction",
  content: "The customer asked about orders 1 to 3.",
  encrypted_content: "QUJD",
};
const ITEM = { type: "compaction", id: "cmp_1", encrypted_content: "QUJD" };
const LONG = 6;

/** Throws unless a block is the one that was returned, marked for the cache or not. */
function check({ cache_control: _, ...block }: Block & { cache_control?: unknown }, returned: object): void {
  if (JSON.stringify(block) !== JSON.stringify(returned)) throw new Error("the compaction was changed");
}

function answerAnthropic({ messages = [], context_management: management }: Body) {
  const [first] = messages;
  const blocks = messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const compactions = blocks.filter(({ type }) => type === "compaction");
  for (const block of compactions) check(block, COMPACTION);
  if (first?.role !== "user" && compactions.length === 0) throw new Error("first message must use the user role");
  sent.push(messages.length);
  const isCompacting =
    JSON.stringify(management).includes("compact_") && messages.length >= LONG && compactions.length === 0;
  const content = [...(isCompacting ? [COMPACTION] : []), { type: "text", text: "It was sent.", citations: null }];
  const usage = { input_tokens: 100, output_tokens: 20 };
  return { id: "m1", type: "message", role: "assistant", model: "claude", content, stop_reason: "end_turn", usage };
}

function answerResponses({ input = [] }: Body) {
  const compactions = input.filter(({ type }) => type === "compaction");
  for (const item of compactions) check(item, ITEM);
  sent.push(input.length);
  const isCompacting = input.length >= LONG && compactions.length === 0;
  const content = [{ type: "output_text", text: "It was sent.", annotations: [] }];
  const message = { type: "message", id: `msg_${sent.length}`, role: "assistant", status: "completed", content };
  const output = [...(isCompacting ? [ITEM] : []), message];
  return {
    id: "resp_1",
    object: "response",
    status: "completed",
    output,
    usage: { input_tokens: 100, output_tokens: 20 },
  };
}

const server = await serve((request: { url: string }, body: Body, response: unknown) => {
  try {
    send(response, request.url.includes("/messages") ? answerAnthropic(body) : answerResponses(body));
  } catch (error) {
    send(response, { error: { message: (error as Error).message, type: "invalid_request_error" } }, 400);
  }
});
const { fetch } = globalThis;

/** Sends requests for the providers to the local server. */
globalThis.fetch = (url, init) => {
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  return fetch(`${server.origin}${pathname}`, init);
};
Object.assign(process.env, { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" });

after(async () => {
  globalThis.fetch = fetch;
  await server.close();
});
