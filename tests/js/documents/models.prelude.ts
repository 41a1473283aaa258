// What the programs of the guide on models need: keys in the environment, and a local server in place of the providers.

import { after } from "node:test";
import { modelServer } from "../model-server.mjs";

const PROGRAM = "```clojure\n(return (+ 40 2))\n```";

interface Asked {
  messages?: { role: string; content: unknown }[];
  /** In a request to the Responses API, whose tools have their names as members. */
  input?: { type?: string; output?: unknown }[];
  tools?: { name?: string; function?: { name: string } }[];
}

/** A model that calls the first offered tool and repeats its result; without tools it adds up. */
const server = await modelServer(({ messages, input, tools }: Asked) => {
  const last = messages?.at(-1);
  if (last?.role === "tool") return { text: String(last.content) };
  const item = input?.at(-1);
  if (item?.type === "function_call_output") return { text: String(item.output) };
  const name = tools?.[0]?.name ?? tools?.[0]?.function?.name;
  return name === undefined ? { text: PROGRAM } : { calls: [["c1", name, { id: 17 }]] };
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

/** The built-in model of a browser, as pages access it. */
export const LanguageModel = {
  create: async (_options: { initialPrompts: unknown[] }) => ({
    promptStreaming: (_text: string) => new Blob([PROGRAM]).stream().pipeThrough(new TextDecoderStream()),
    destroy: () => {},
  }),
};
