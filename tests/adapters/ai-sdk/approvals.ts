// Histories that end with a decision of a person on a call: generateText runs the call, or tells the model of the refusal.

import assert from "node:assert/strict";
import { test } from "node:test";
import { generateText, type ModelMessage, tool } from "ai";
import {
  Conversation,
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  manageHistory,
  type RequestParameters,
  wholeHistory,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { z } from "zod";
import { chat, pairsIn, type Request, scripted } from "./scripted.js";

/** A chat that ends with the decision on a call, and perhaps on another one. */
function decided(approved: boolean, isWithAnother = false): ModelMessage[] {
  const calls = isWithAnother ? ["c1", "c2"] : ["c1"];
  return [
    ...chat(8),
    {
      role: "assistant",
      content: calls.flatMap((id) => [
        { type: "tool-call" as const, toolCallId: id, toolName: "purge", input: { lamp: 7 } },
        { type: "tool-approval-request" as const, approvalId: `approval of ${id}`, toolCallId: id },
      ]),
    },
    {
      role: "tool",
      content: calls.map((id) => ({
        type: "tool-approval-response" as const,
        approvalId: `approval of ${id}`,
        approved,
        ...(approved ? {} : { reason: "keep it" }),
      })),
    },
  ];
}

const parameters: [string, RequestParameters][] = [
  ["wholeHistory()", { compressionStrategy: wholeHistory() }],
  ["wholeHistory(), keepAtLeast 0", { compressionStrategy: wholeHistory(), minMessages: 0, keepAtLeast: 0 }],
  ["lastNMessages(0)", { compressionStrategy: lastNMessages(0), minMessages: 0, keepAtLeast: 0 }],
  ["chunked(2)", { compressionStrategy: chunked(2), minMessages: 0, keepAtLeast: 0 }],
  ["clearToolResults", { compressionStrategy: clearToolResults({ keep: 0 }), minMessages: 0 }],
  ["digest", { compressionStrategy: digest({ keep: 0 }), when: "always", minMessages: 0, keepAtLeast: 0 }],
  ["maxHistorySize 3", { maxHistorySize: 3 }],
  ["maxHistorySize 2, onOverflow send", { maxHistorySize: 2, onOverflow: "send" }],
  ["maxTokens", { maxTokens: 120 }],
];

for (const [name, given] of parameters) {
  for (const approved of [true, false]) {
    for (const isWithAnother of [false, true]) {
      const what = `${isWithAnother ? "two" : "one"} ${approved ? "approved" : "refused"}`;
      test(`with ${name}, ${what} of the managed messages reaches its tool or the model`, async () => {
        const ran: unknown[] = [];
        const tools = {
          purge: tool({
            inputSchema: z.object({ lamp: z.number() }),
            needsApproval: true,
            execute: async (input) => {
              ran.push(input);
              return "gone";
            },
          }),
        };
        const llm = async () => "They spoke about lamps.";
        const history = aiSdk.from(decided(approved, isWithAnother));
        const { conversation } = await manageHistory(history, given, { llm, tools });
        const messages = aiSdk.to(conversation) as ModelMessage[];
        const { model, requests } = scripted(() => ({ text: "Done." }));
        const { text } = await generateText({ model, tools, messages });
        assert.equal(text, "Done.");
        const count = isWithAnother ? 2 : 1;
        assert.equal(ran.length, approved ? count : 0);
        const { calls, results } = pairsIn(requests.at(-1) as Request);
        assert.deepEqual([calls.length, results], [count, calls]);
        if (!approved) assert.match(JSON.stringify(requests.at(-1)?.prompt.at(-1)), /execution-denied.*keep it/);
      });
    }
  }
}

test("a refusal that the model has read stays one when its result is cleared", async () => {
  const messages: ModelMessage[] = [
    ...decided(false),
    {
      role: "tool",
      content: [
        {
          type: "tool-result",
          toolCallId: "c1",
          toolName: "purge",
          output: { type: "execution-denied", reason: `The person said: ${"keep it, ".repeat(40)}` },
        },
      ],
    },
    { role: "assistant", content: "I keep it." },
    { role: "user", content: "And now?" },
  ];
  const given = { compressionStrategy: clearToolResults({ keep: 0, atLeast: 0 }), minMessages: 0 };
  const { conversation } = await manageHistory(aiSdk.from(messages), given);
  const { model, requests } = scripted(() => ({ text: "Done." }));
  await generateText({ model, messages: aiSdk.to(conversation) as ModelMessage[] });
  const contents = requests[0]?.prompt.map(({ content }) => content) ?? [];
  const parts = contents.flat() as { type: string; output?: unknown }[];
  const result = parts.find(({ type }) => type === "tool-result");
  assert.deepEqual(result?.output, { type: "execution-denied", reason: "[an old result of purge (denied), cleared]" });
  assert.ok(new Conversation(conversation).lint().length === 0);
});
