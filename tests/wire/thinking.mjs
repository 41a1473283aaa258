// Conversations with a model of Anthropic that thinks, with rounds of calls, managed by any strategy within any limit: the
// server has signed all thinking that comes back to it, and checks what is before it.

import {
  Conversation,
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  manageHistory,
  retrieveFacts,
  SummaryStore,
  TurnfoldError,
  wholeHistory,
} from "turnfold/chat";
import { anthropic } from "turnfold/formats/anthropic";
import { seeded } from "../js/random.mjs";
import { Claude } from "./receivers/claude.mjs";
import { Refusal } from "./refusal.mjs";

const WORDS = ["parcel", "Leipzig", "order 7", "/src/app.ts", "größer", "late", "found", "missing"];
const TOOLS = [{ name: "search", description: "Finds parcels.", input_schema: { type: "object" } }];

export const words = ({ below, pick }, most) => Array.from({ length: 1 + below(most) }, () => pick(WORDS)).join(" ");

/**
 * The blocks of a reply.
 *
 * @param isPlain true for at most one block of thinking, with a text, at the beginning.
 */
export function randomReply(random, id, isPlain = false) {
  const { below, chance } = random;
  const thought = () =>
    chance(0.15)
      ? { type: "redacted_thinking" }
      : { type: "thinking", thinking: !isPlain && chance(0.3) ? "" : words(random, 30) };
  const thoughts = () => Array.from({ length: !isPlain && chance(0.2) ? 2 : 1 }, thought);
  const text = () => ({ type: "text", text: words(random, 20) });
  const call = () => ({ type: "tool_use", id: id(), name: "search", input: { query: words(random, 8) } });
  const begin = chance(0.85) ? thoughts() : [];
  if (chance(0.6)) {
    const calls = Array.from({ length: 1 + below(3) }, (_, place) =>
      !isPlain && place > 0 && begin.length > 0 && chance(0.3) ? [...thoughts(), call()] : [call()],
    );
    return [...begin, ...(chance(0.4) ? [text()] : []), ...calls.flat()];
  }
  return [...begin, text()];
}

/** True when a later request may undo a change, which only a store knows: another summary, or a cut. */
function isUndone({ compressionStrategy: given, maxTokens, maxHistorySize }) {
  const last = Array.isArray(given) ? given.at(-1) : given;
  const isPure = [undefined, "clearToolResults", "digest"].includes(last?.name);
  return !isPure || maxTokens !== undefined || maxHistorySize !== undefined;
}

/** The plan of a host: it drops what is before a question in the middle. */
function dropHalf(messages) {
  const isQuestion = ({ role, content }) =>
    role === "user" && (typeof content === "string" || content.every(({ type }) => type === "text"));
  const end = messages.findLastIndex((message, index) => index <= messages.length / 2 && isQuestion(message));
  const isDropped = (index) => index < end && messages[index].role !== "system";
  const indexes = [...messages.keys()];
  return { keep: indexes.filter((index) => !isDropped(index)), drop: indexes.filter(isDropped) };
}

export function randomStrategy({ below, pick, chance }) {
  const clearing = () =>
    clearToolResults({
      keep: below(4),
      ...(chance(0.4) && { atLeast: 60 }),
      ...(chance(0.3) && { clearInputs: true }),
    });
  const summarizing = () =>
    pick([
      () => wholeHistory(),
      () => lastNMessages(1 + below(10)),
      () => chunked(1 + below(5)),
      () => retrieveFacts([{ name: "parcels" }]),
    ])();
  return pick([
    () => undefined,
    clearing,
    clearing,
    () => digest({ keep: 1 + below(4), ...(chance(0.4) && { atLeast: 60 }) }),
    summarizing,
    () => [clearing(), summarizing()],
    () => ({ name: "half", plan: dropHalf }),
  ])();
}

export function randomParameters(random) {
  const { below, pick, chance } = random;
  const limit = (size) => (chance(0.5) ? size : { limit: size, trigger: pick([0.6, 0.9]), target: pick([0.3, 0.5]) });
  const limits = {
    ...(chance(0.5) && { maxTokens: limit(250 + below(900)) }),
    ...(chance(0.25) && { maxHistorySize: limit(6 + below(14)) }),
  };
  const compressionStrategy = randomStrategy(random);
  const isLimited = Object.keys(limits).length > 0;
  return {
    provider: "anthropic",
    minMessages: pick([0, 4]),
    // With more, a cut history may begin with an answer.
    keepAtLeast: 0,
    ...limits,
    ...(compressionStrategy !== undefined && { compressionStrategy }),
    when: pick(["always", "worthIt", ...(isLimited ? ["overLimit", "overLimit"] : [])]),
    onOverflow: pick(["send", "truncateResults"]),
    ...(chance(0.4) && { summaryRequest: "behind" }),
  };
}

/**
 * Lets one host hold a conversation and calls `onRequest` for each of its requests: `{ seed, sender, body, refusal }` or
 * an `error`.
 *
 * @returns the server.
 */
export async function thinkingRequests(seed, onRequest) {
  const random = seeded(seed);
  const { below, pick, chance } = random;
  const type = chance(0.25) ? "enabled" : "adaptive";
  const parameters = { ...randomParameters(random), ...(type === "enabled" && { thinking: "enabled" }) };
  const host = pick(["managed", "whole", ...(isUndone(parameters) ? [] : ["whole, no store"])]);
  const sender = `${host}, ${type}`;
  const claude = new Claude();
  const system = chance(0.7) ? { system: "You help customers." } : {};
  const request = (conversation) => ({
    model: "m",
    max_tokens: 9,
    thinking: type === "enabled" ? { type, budget_tokens: 1024 } : { type },
    tools: TOOLS,
    ...anthropic.to(conversation, chance(0.3) ? { cache: {} } : {}),
  });
  const summaryStore = host === "whole, no store" ? undefined : new SummaryStore();
  /** Sends a request; throws its refusal. */
  const send = (body, blocks) => {
    try {
      const reply = claude.reply(body, blocks);
      onRequest({ seed, sender, body, refusal: null });
      return reply;
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      onRequest({ seed, sender, body, refusal: error });
      throw error;
    }
  };
  const llm = ({ messages, tools }) => {
    // A summary behind the conversation is asked for as its answers are.
    if (tools !== undefined) send(request(new Conversation({ messages })), [{ type: "text", text: "A summary." }]);
    return chance(0.95) ? `A summary of ${words(random, 3)}.` : "A summary. ".repeat(40);
  };
  let count = 0;
  const id = () => `toolu_${++count}`;
  let messages = [];
  let conversation = anthropic.from({ ...system, messages: [] });
  let calibration;
  // A new calibration, or another pause, can undo a change of an earlier request, which only a store knows.
  const isCalibrated = summaryStore !== undefined && chance(0.3);
  for (let questions = 1 + below(6); questions > 0; questions--) {
    let next = [{ role: "user", content: words(random, 20) }];
    for (let rounds = 0; next !== null && rounds < 9; rounds++) {
      messages = [...messages, ...next];
      conversation = conversation.append(...anthropic.from(next).messages);
      const given = host === "managed" ? conversation : anthropic.from({ ...system, messages });
      let sent;
      try {
        const managed = await manageHistory(given, parameters, {
          llm,
          tools: TOOLS,
          summaryStore,
          ...(calibration !== undefined && { calibration }),
          ...(summaryStore !== undefined && chance(0.2) && { idleSeconds: pick([1, 1000]) }),
          onWarning: () => {},
        });
        sent = managed.conversation;
        if (isCalibrated) calibration = { ...managed.calibration, usage: { inputTokens: 100 + below(900) } };
      } catch (error) {
        // A refused request for a summary is reported by itself.
        if (error.cause instanceof Refusal) return claude;
        if (!TurnfoldError.isInstance(error)) throw error;
        onRequest({ seed, sender, messages, error });
        return claude;
      }
      let content;
      try {
        const blocks = randomReply(random, id);
        content = send(
          request(sent),
          type === "enabled" && blocks[0].type !== "thinking"
            ? [{ type: "thinking", thinking: "hm" }, ...blocks.filter(({ type }) => !/thinking/.test(type))]
            : blocks,
        );
      } catch (error) {
        if (error instanceof Refusal) return claude;
        throw error;
      }
      const answer = { role: "assistant", content };
      messages = [...messages, answer];
      conversation = sent.append(...anthropic.from([answer]).messages);
      const calls = content.filter(({ type }) => type === "tool_use");
      const results = calls.map((call) => ({
        type: "tool_result",
        tool_use_id: call.id,
        content: words(random, chance(0.2) ? 200 : 30),
      }));
      next = calls.length === 0 ? null : [{ role: "user", content: results }];
    }
    if (next !== null) {
      // A user interrupts the model: the calls are answered, and the next question follows.
      messages = [...messages, ...next];
      conversation = conversation.append(...anthropic.from(next).messages);
    }
  }
  return claude;
}
