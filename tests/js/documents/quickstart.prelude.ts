// What the programs of the quickstart need: keys in the environment, and a local server in place of the providers, which
// refuses other keys and unknown models as they do.

import { rmSync } from "node:fs";
import { after } from "node:test";
import { modelServer } from "../model-server.mjs";

interface Asked {
  messages: { role: string; content: unknown }[];
  model: string;
}

const textOf = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content));

const server = await modelServer(({ messages, model }: Asked) => {
  if (model === "gpt-5.4-mimi") {
    const message = "The model `gpt-5.4-mimi` does not exist or you do not have access to it.";
    return { status: 404, refuse: { error: { message, type: "invalid_request_error", code: "model_not_found" } } };
  }
  const last = messages.at(-1);
  if (last?.role === "tool") return { text: "Order 17 was sent on Monday." };
  const text = messages.map(({ content }) => textOf(content)).join("\n");
  if (text.includes("Add up the orders")) {
    return { text: "```clojure\n(return (reduce + (map :euros (tool/orders))))\n```" };
  }
  if (text.includes("order 17")) return { calls: [["c1", "order", { id: 17 }]] };
  return { text: "Hello! What can I do for you?" };
});
const { fetch } = globalThis;

/** Sends requests for the providers to the local server, except those with a wrong key. */
globalThis.fetch = async (url, init) => {
  const headers = new Headers(init?.headers);
  if (headers.get("authorization") === "Bearer wrong") {
    const error = {
      message: "Incorrect API key provided: wrong.",
      type: "invalid_request_error",
      code: "invalid_api_key",
    };
    return Response.json({ error }, { status: 401 });
  }
  const { pathname } = new URL(url instanceof Request ? url.url : url);
  return fetch(`${server.origin}${pathname}`, init);
};
Object.assign(process.env, { OPENAI_API_KEY: "key", ANTHROPIC_API_KEY: "key" });

after(async () => {
  globalThis.fetch = fetch;
  rmSync("chat.json", { force: true });
  await server.close();
});
