// What the guide on models takes for given: keys in the environment, and providers that answer, on this machine.

import { after } from "node:test";
import { send, serve } from "../loopback.mjs";

const PROGRAM = "```clojure\n(return (+ 40 2))\n```";

interface Asked {
  model: string;
  messages: { role: string }[];
  stream?: boolean;
  tools?: { function: { name: string } }[];
}

/** A model that calls the first tool it is offered, tells what the tool gave, and else adds up. */
function saidTo({ messages, tools }: Asked) {
  const last = messages.at(-1) as { role: string; content: string };
  if (last.role === "tool") return { content: last.content };
  if (tools?.[0] === undefined) return { content: PROGRAM };
  const called = { name: tools[0].function.name, arguments: '{"id":17}' };
  return { content: null, tool_calls: [{ id: "c1", type: "function", function: called }] };
}

const usage = { prompt_tokens: 100, completion_tokens: 20, total_tokens: 120 };

function answer(request: { url: string }, asked: Asked, response: Response) {
  if (request.url.endsWith("/messages")) {
    const content = [{ type: "text", text: PROGRAM, citations: null }];
    const about = { id: "m1", type: "message", role: "assistant", model: asked.model, stop_reason: "end_turn" };
    return send(response, { ...about, content, usage: { input_tokens: 900, output_tokens: 20 } });
  }
  const about = { id: "c1", created: 0, model: asked.model };
  if (!asked.stream) {
    const message = { role: "assistant", refusal: null, ...saidTo(asked) };
    const choices = [{ index: 0, finish_reason: "tool_calls" in message ? "tool_calls" : "stop", message }];
    return send(response, { ...about, object: "chat.completion", choices, usage });
  }
  const stream = response as unknown as {
    writeHead: (...head: unknown[]) => void;
    write: (text: string) => void;
    end: (text: string) => void;
  };
  stream.writeHead(200, { "content-type": "text/event-stream" });
  const chunk = (more: object) =>
    stream.write(`data: ${JSON.stringify({ ...about, object: "chat.completion.chunk", choices: [], ...more })}\n\n`);
  for (const content of PROGRAM.match(/[\s\S]{1,7}/g) ?? []) {
    chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] });
  }
  chunk({ usage });
  stream.end("data: [DONE]\n\n");
}

const server = await serve(answer);
const { fetch } = globalThis;

/** Whatever is asked of a provider is asked here. */
globalThis.fetch = (url, init) => {
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  return fetch(`${server.origin}${pathname}`, init);
};
Object.assign(process.env, { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" });

after(async () => {
  globalThis.fetch = fetch;
  await server.close();
});

/** The model of a browser, as a page finds it. */
export const LanguageModel = {
  create: async (_options: { initialPrompts: unknown[] }) => ({
    promptStreaming: (_text: string) => new Blob([PROGRAM]).stream().pipeThrough(new TextDecoderStream()),
    destroy: () => {},
  }),
};
