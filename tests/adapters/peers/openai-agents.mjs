// Sends items through a run of OpenAI's Agents SDK, whose model asks a strict receiver.

import { Agent, protocol, run, setTracingDisabled } from "@openai/agents";
import { OpenAIResponsesModel } from "@openai/agents-openai";
import OpenAI from "openai";
import { manageInput } from "../../../dist/adapters/openai-agents.js";
import { receivers } from "../../wire/receivers.mjs";
import { llm, unlessUnfit } from "./every-strategy.mjs";

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

export const openaiAgents = {
  next,
  async manage(input, given) {
    const filtered = await unlessUnfit(() => manageInput(given, { llm })({ modelData: { input }, agent }));
    return filtered?.input ?? null;
  },
  async send(input) {
    try {
      for (const item of input) protocol.ModelItem.parse(item);
      await run(agent, input);
    } catch (error) {
      return { refusal: error.message };
    }
    return { alone: aloneIn(input), fault: faultOf(body) };
  },
};

/** The calls without a result, the results without a call before them, and reasoning without an item after it. */
function aloneIn(items) {
  const open = new Set();
  const alone = [];
  for (const [index, { type, callId, id }] of items.entries()) {
    if (Object.hasOwn(RESULTS, type)) open.add(`${RESULTS[type]} of ${callId}`);
    if (Object.values(RESULTS).includes(type) && !open.delete(`${type} of ${callId}`)) alone.push(`${type} ${callId}`);
    if (type === "reasoning" && index === items.length - 1) alone.push(`reasoning ${id}`);
  }
  return [...alone, ...[...open].map((result) => `no ${result}`)];
}

/** Members that the SDK writes into messages without an id, and into calls of programs. */
const known = new Set(["status", "caller"]);

/** The error of OpenAI for a request. The SDK writes an empty list of tools. */
function faultOf({ tools: _, ...body }) {
  try {
    receivers.responses(body, { known });
    return undefined;
  } catch (error) {
    return error.message;
  }
}
