// Message lists in the shapes of the AI SDK's own tests, under every strategy: the AI SDK accepts what is left, runs the
// same approved calls, and no call or result is alone. `tests/adapters/peers` has the lists, one on each line; their texts
// are ours.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { suite, test } from "node:test";
import { generateText, jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import {
  chunked,
  clearToolResults,
  digest,
  fromTimestamp,
  lastNMessages,
  manageHistory,
  vercel,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "../../dist/chat.js";

/** The parameters of every strategy, with 0 to 4 messages, rounds or results that it keeps. */
const parameters = [
  ...[0, 1, 2, 3, 4].flatMap((keep) => [
    { compressionStrategy: lastNMessages(keep) },
    { compressionStrategy: digest({ keep, atLeast: 1 }), keepAtLeast: 0 },
    { compressionStrategy: clearToolResults({ keep, atLeast: 1 }) },
    { maxHistorySize: keep + 1 },
  ]),
  ...[1, 2, 3].map((size) => ({ compressionStrategy: chunked(size) })),
  { compressionStrategy: wholeHistory() },
  { compressionStrategy: wholeHistory(), keepAtLeast: 0 },
  { compressionStrategy: wholeHistoryMultipleSystemMessages() },
  { compressionStrategy: fromTimestamp(2) },
].map((each) => ({ minMessages: 0, ...each }));

const llm = () => "They spoke of lamps.";

/** Gives messages times, which `fromTimestamp` needs. */
const timed = (list) => list.map((message, timestamp) => ({ ...message, timestamp }));

/** Manages a history; null when the messages that must stay are already beyond the limit. */
async function managed(conversation, given) {
  try {
    return (await manageHistory(conversation, given, { llm })).conversation;
  } catch (error) {
    if (["pins_over_limit", "request_over_budget"].includes(error.code)) return null;
    throw error;
  }
}

const describe = (given) => JSON.stringify(given.compressionStrategy ?? given);

/** Reads the lists of a peer; `$url`, `$bytes` and `$date` are values that JSON lacks. */
function listsOf(peer) {
  const revive = (_, value) => {
    if (typeof value !== "object" || value === null) return value;
    if (value.$url !== undefined) return new URL(value.$url);
    if (value.$bytes !== undefined) return new Uint8Array([137, 80, 78, 71]);
    return value.$date === undefined ? value : new Date(value.$date);
  };
  const text = readFileSync(join(import.meta.dirname, "peers", `${peer}.jsonl`), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line, revive));
}

/** The calls without a result, and the results without a call before them. */
function aloneIn(messages) {
  const open = new Map();
  const alone = [];
  for (const { content } of messages) {
    for (const part of Array.isArray(content) ? content : []) {
      if (part.type === "tool-call") open.set(part.toolCallId, part);
      if (part.type === "tool-result" && !open.has(part.toolCallId)) alone.push(`result ${part.toolCallId}`);
      if (part.type === "tool-result") open.delete(part.toolCallId);
    }
  }
  return [...alone, ...[...open.keys()].map((id) => `call ${id}`)].sort();
}

/** Calls `generateText`; returns the messages that the model got, or the name of the error. */
async function generated(messages) {
  let prompt = null;
  const model = new MockLanguageModelV3({
    supportedUrls: { "*/*": [/./] },
    doGenerate: (options) => {
      prompt = options.prompt;
      return {
        content: [{ type: "text", text: "ok" }],
        finishReason: { unified: "stop", raw: "stop" },
        usage: { inputTokens: {}, outputTokens: {} },
        warnings: [],
      };
    },
  });
  const names = messages.flatMap(({ content }) => (Array.isArray(content) ? content.map((part) => part.toolName) : []));
  const ran = [];
  const tools = Object.fromEntries(
    names
      .filter((name) => typeof name === "string")
      .map((name) => [
        name,
        tool({
          inputSchema: jsonSchema({}),
          needsApproval: true,
          execute: (_, { toolCallId }) => {
            ran.push(toolCallId);
            return "done";
          },
        }),
      ]),
  );
  try {
    await generateText({
      model,
      messages,
      tools,
      stopWhen: stepCountIs(1),
      maxRetries: 0,
      allowSystemInMessages: true,
    });
    return { prompt, ran };
  } catch (error) {
    return { refusal: `${error.name}: ${error.message}` };
  }
}

suite("lists of the AI SDK", () => {
  test("generateText accepts what is left of each, runs the same approved calls, and gets no call or result alone", async () => {
    const problems = [];
    let accepted = 0;
    for (const [index, list] of listsOf("ai-sdk").entries()) {
      const before = await generated(list);
      if (before.refusal !== undefined) continue;
      accepted++;
      for (const given of parameters) {
        const left = await managed(vercel.from(timed(list)), given);
        // A list without a question, which is one pair as a whole, is beyond a limit of fewer messages.
        if (left === null || left.messages.length === 0) continue;
        const after = await generated(vercel.to(left));
        const at = `${index} ${describe(given)}`;
        if (after.refusal !== undefined) problems.push(`${at}: ${after.refusal}`);
        else {
          const known = new Set(aloneIn(before.prompt));
          const alone = aloneIn(after.prompt).filter((one) => !known.has(one));
          if (alone.length > 0) problems.push(`${at}: ${alone}`);
          if (String(after.ran) !== String(before.ran)) problems.push(`${at}: ran ${after.ran}, not ${before.ran}`);
        }
      }
    }
    assert.deepEqual(problems, []);
    assert.ok(accepted > 100, `${accepted} lists were accepted as they are`);
  });
});
