// A language model with scripted replies that records requests for summaries separately, and chats and tools about lamps.

import { type ModelMessage, tool } from "ai";
import { z } from "zod";
import { languageModel, type Request, type Reply as Said, textOf } from "../language-model.js";

export { type Request, textOf } from "../language-model.js";

export interface Reply extends Said {
  /** The reply begins when this promise is settled. */
  until?: Promise<unknown>;
  error?: Error;
}

/** The tool's result for a lamp. */
export const REPORT = "The lamp stands in the hall and shines on the table. ".repeat(12);

export const tools = {
  look: tool({
    description: "Looks at a lamp",
    inputSchema: z.object({ lamp: z.number() }),
    execute: async ({ lamp }) => `Lamp ${lamp}: ${REPORT}`,
  }),
};

/** Replies that look at `count` lamps, one in each step, and then answer. */
export const looking =
  (count: number, more: Partial<Reply> = {}) =>
  (_: unknown, number: number): Reply =>
    number < count ? { ...more, calls: [[`c${number}`, "look", { lamp: number }]] } : { text: "Done." };

export const rolesOf = ({ prompt }: Request) => prompt.map(({ role }) => role).join(" ");

const isSummary = ({ prompt }: Request) =>
  prompt.some((message) => /^(?:You write the memory|Now step out of the conversation)/.test(textOf(message)));

/** @param reply is given the number of the request, from 0; requests for summaries are counted separately. */
export function scripted(
  reply: (request: Request, number: number) => Reply,
  summary: (request: Request, number: number) => Reply = (_, number) => ({ text: `Summary ${number + 1}.` }),
) {
  const requests: Request[] = [];
  const summaries: Request[] = [];
  const { model } = languageModel(async (request) => {
    const isAside = isSummary(request);
    const list = isAside ? summaries : requests;
    list.push(request);
    const { until, error, ...said } = (isAside ? summary : reply)(request, list.length - 1);
    await Promise.race([until, aborted(request.abortSignal)]);
    if (error !== undefined) throw error;
    return said;
  });
  return { model, requests, summaries };
}

function aborted(signal: AbortSignal | undefined): Promise<never> | undefined {
  if (signal === undefined) return undefined;
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason);
    else signal.addEventListener("abort", () => reject(signal.reason), { once: true });
  });
}

/** A chat of `count` questions with their answers, and a last question. */
export function chat(count: number): ModelMessage[] {
  const messages: ModelMessage[] = [];
  for (let number = 1; number <= count; number++) {
    messages.push({ role: "user", content: `Question ${number}: what about lamp number ${number} in the big hall?` });
    messages.push({
      role: "assistant",
      content: `Answer ${number}: that lamp costs ${number * 3} euros at the moment.`,
    });
  }
  return [...messages, { role: "user", content: "And now?" }];
}

/** The ids of the calls and of the results in a prompt. */
export function pairsIn({ prompt }: Request): { calls: string[]; results: string[] } {
  const [calls, results]: [string[], string[]] = [[], []];
  for (const { content } of prompt) {
    if (typeof content === "string") continue;
    for (const part of content) {
      if (part.type === "tool-call") calls.push(part.toolCallId);
      if (part.type === "tool-result") results.push(part.toolCallId);
    }
  }
  return { calls, results };
}
