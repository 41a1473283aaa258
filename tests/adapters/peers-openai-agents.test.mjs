// Lists of items in the shapes of the tests of OpenAI's Agents SDK, under every strategy: its schema and a run accept what
// is left, a strict receiver accepts the request of its model, and no call or result is alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, protocol, run, setTracingDisabled } from "@openai/agents";
import { OpenAIResponsesModel } from "@openai/agents-openai";
import OpenAI from "openai";
import { turnfoldInputFilter } from "../../dist/adapters/openai-agents.js";
import { receivers } from "../wire/receivers.mjs";
import { checkEveryStrategy, errorOf, llm, unlessUnfit } from "./peers/every-strategy.mjs";

setTracingDisabled(true);

const next = [
  { type: "message", role: "user", content: "Which is the smallest?" },
  {
    type: "message",
    id: "msg_9",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "The desk lamp." }],
  },
  { type: "message", role: "user", content: [{ type: "input_text", text: "And the cheapest?" }] },
];

const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const content = [{ type: "output_text", text: "ok", annotations: [] }];
const output = [{ type: "message", id: "msg_1", role: "assistant", status: "completed", content }];

/** The results of calls by their types. */
const RESULTS = {
  function_call: "function_call_result",
  computer_call: "computer_call_result",
  shell_call: "shell_call_output",
  apply_patch_call: "apply_patch_call_output",
  program: "program_output",
};

let body = null;
const fetch = async (_url, request) => {
  body = JSON.parse(request.body);
  return Response.json({ id: "resp_1", object: "response", status: "completed", output, usage });
};
const client = new OpenAI({ apiKey: "k", maxRetries: 0, fetch });
const agent = new Agent({ name: "clerk", model: new OpenAIResponsesModel(client, "m") });

/** Members that the SDK writes into messages without an id, and into calls of programs. */
const known = new Set(["status", "caller"]);

/** Checks the body of a request. The SDK writes an empty list of tools. */
const accept = ({ tools: _, ...given }) => receivers.responses(given, { known });

async function manage(input, given) {
  const filtered = await unlessUnfit(() => turnfoldInputFilter({ ...given, llm })({ modelData: { input }, agent }));
  return filtered?.input ?? null;
}

async function send(input) {
  const alone = aloneItems(input);
  const fault = await errorOf(async () => {
    for (const item of input) protocol.ModelItem.parse(item);
    await run(agent, input);
  });
  const refusal = fault === undefined ? await errorOf(() => accept(body)) : "not sent";
  return { run: { fault, alone }, "Responses API": { fault: refusal, alone: [] } };
}

/** The calls without a result, the results without a call before them, and reasoning without an item after it. */
function aloneItems(items) {
  const open = new Set();
  const alone = [];
  for (const [index, { type, callId, id }] of items.entries()) {
    if (Object.hasOwn(RESULTS, type)) open.add(`${RESULTS[type]} of ${callId}`);
    if (Object.values(RESULTS).includes(type) && !open.delete(`${type} of ${callId}`)) alone.push(`${type} ${callId}`);
    if (type === "reasoning" && index === items.length - 1) alone.push(`reasoning ${id}`);
  }
  return [...alone, ...[...open].map((result) => `no ${result}`)];
}

test("a run accepts what every strategy leaves of its items", async () => {
  const { accepted, problems } = await checkEveryStrategy("openai-agents", { next, manage, send });
  assert.deepEqual(problems, []);
  assert.ok(accepted > 300, `${accepted} lists were accepted as they are`);
});
