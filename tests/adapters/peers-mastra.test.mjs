// Message lists in the shapes of Mastra's tests, under every strategy: what Mastra's lists and a model of the AI SDK make
// of what is left is accepted by a strict receiver, and no call or result is alone.

import assert from "node:assert/strict";
import { test } from "node:test";
import { MessageList } from "@mastra/core/agent";
import { mastra, turnfoldProcessor } from "../../dist/adapters/mastra.js";
import { manageHistory } from "../../dist/chat.js";
import { acceptPrompt, mastraPrompt } from "./framework-receivers.mjs";
import { aloneIn, checkEveryStrategy, errorOf, llm, unlessUnfit } from "./peers/every-strategy.mjs";

const next = ["user", "assistant", "user"].map((role, index) => ({
  id: `next-${index}`,
  role,
  createdAt: new Date(Date.UTC(2026, 0, 2, 9, index)),
  content: { format: 2, parts: [{ type: "text", text: "And the floor lamp?" }] },
}));

/** Returns the messages as a list of Mastra stores them, which takes the messages of several formats. */
function stored(messages) {
  const others = messages.filter(({ role }) => role !== "system");
  return [...messages.filter(({ role }) => role === "system"), ...new MessageList().add(others, "memory").get.all.db()];
}

const send = async (prompt) => ({
  "Chat Completions": { fault: await errorOf(() => acceptPrompt(prompt)), alone: aloneIn(prompt) },
});

test("Mastra sends what every strategy leaves of the messages of its memory", async () => {
  const { accepted, problems } = await checkEveryStrategy("mastra", {
    next,
    read: stored,
    async manage(messages, given) {
      const conversation = mastra.from(messages);
      return unlessUnfit(async () => mastra.to((await manageHistory(conversation, given, { llm })).conversation));
    },
    send: async (messages) => send(await mastraPrompt(messages)),
  });
  assert.deepEqual(problems, []);
  assert.ok(accepted > 380, `${accepted} lists were accepted as they are`);
});

test("the model accepts what the processor leaves of Mastra's prompts with every strategy", async () => {
  const { accepted, problems } = await checkEveryStrategy("mastra", {
    next,
    read: (messages) => mastraPrompt(stored(messages)),
    async manage(prompt, given) {
      const processor = turnfoldProcessor({ ...given, llm });
      const request = { prompt, model: null, state: {} };
      return unlessUnfit(async () => (await processor.processLLMRequest(request))?.prompt ?? prompt);
    },
    send,
  });
  assert.deepEqual(problems, []);
  assert.ok(accepted > 380, `${accepted} lists were accepted as they are`);
});
