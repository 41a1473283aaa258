// Manages Mastra's messages, and sends them through its lists and a model of the AI SDK to a strict receiver.

import { MessageList } from "@mastra/core/agent";
import { mastra, turnfoldProcessor } from "../../../dist/adapters/mastra.js";
import { manageHistory } from "../../../dist/chat.js";
import { acceptPrompt, mastraPrompt } from "../framework-receivers.mjs";
import { aloneIn } from "./ai-sdk.mjs";
import { llm, unlessUnfit } from "./every-strategy.mjs";

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

async function send(prompt) {
  try {
    await acceptPrompt(prompt);
    return { alone: aloneIn(prompt) };
  } catch (error) {
    if (error.cause !== undefined) return { refusal: error.message };
    return { alone: aloneIn(prompt), fault: error.message };
  }
}

/** Messages of Mastra's memory. */
export const mastraMessages = {
  next,
  read: stored,
  async manage(messages, given) {
    const conversation = mastra.from(messages);
    return unlessUnfit(async () => mastra.to((await manageHistory(conversation, given, { llm })).conversation));
  },
  send: async (messages) => send(await mastraPrompt(messages)),
};

/** Prompts, which the processor manages. */
export const mastraPrompts = {
  next,
  read: (messages) => mastraPrompt(stored(messages)),
  async manage(prompt, given) {
    const processor = turnfoldProcessor({ ...given, llm });
    const request = { prompt, model: null, state: {} };
    return unlessUnfit(async () => (await processor.processLLMRequest(request))?.prompt ?? prompt);
  },
  send,
};
