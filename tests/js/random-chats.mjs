// Random histories, parameters and requests from a seed: tool calls that are parallel, nested, partly answered, without ids
// or with repeated ids, results without calls, pins, system messages and summaries.

import {
  chunked,
  clearToolResults,
  digest,
  fromTimestamp,
  lastNMessages,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";
import { seeded } from "./random.mjs";

const TEXTS = [
  "",
  "Yes.",
  "Where is it?",
  "The parcel left the depot in Leipzig and comes before noon.",
  "größer 物 😀 \ud800",
];
/** Arguments that are longer than those in place of cleared ones. */
const LONG_ARGS = { orders: [77, 78, 79, 80, 81, 82, 83, 84, 85, 86], note: TEXTS[3] };
const IDS = ["c1", "c2", "c3", "", "__proto__"];

export function randomChat(seed) {
  const random = seeded(seed);
  const { below, pick, chance } = random;
  const content = () => {
    const text = pick(TEXTS);
    if (chance(0.7)) return text;
    const others = [
      { type: "image", image: new Uint8Array(3) },
      { type: "mine", value: [1n, null] },
      { type: "reasoning", text: "hm" },
    ];
    return [{ type: "text", text }, ...(chance(0.5) ? [pick(others)] : [])];
  };
  const call = () => ({ id: pick(IDS), name: pick(["f", "g"]), args: pick([{ order: below(9) }, LONG_ARGS]) });
  const result = ({ id, name }) => {
    const output = pick([
      TEXTS[3],
      { type: "text", value: TEXTS[3] },
      { type: "json", value: { a: [TEXTS[3]] } },
      [{ type: "text", text: TEXTS[3] }],
    ]);
    const part = { type: "tool-result", toolCallId: id, toolName: name, output };
    return pick([
      { role: "tool", content: TEXTS[3], toolCallId: id, toolName: name },
      {
        role: "tool",
        content: [
          { type: "text", text: TEXTS[3] },
          { type: "image", image: "x" },
        ],
        toolCallId: id,
        toolName: name,
      },
      { role: "tool", content: [part] },
      { role: "user", content: [part, { type: "text", text: "Look." }] },
    ]);
  };
  const calling = (calls) =>
    chance(0.5)
      ? { role: "assistant", content: pick([null, "I look it up."]), toolCalls: calls }
      : {
          role: "assistant",
          content: calls.map(({ id, name, args }) => ({
            type: "tool-call",
            toolCallId: id,
            toolName: name,
            input: args,
          })),
        };
  const messages = [];
  for (let left = below(22); left > 0; left--) {
    const kind = below(12);
    if (kind < 5)
      messages.push({ role: pick(["user", "assistant", "user", "assistant", "critic"]), content: content() });
    else if (kind === 5) messages.push({ role: pick(["system", "developer"]), content: content() });
    else if (kind === 6) {
      messages.push({
        role: "user",
        content: "Summary of some.",
        summary: { covers: 1 + below(30), strategy: "chunked" },
      });
    } else if (kind === 7) messages.push(result(call()));
    else {
      const calls = Array.from({ length: 1 + below(3) }, call);
      messages.push(...(chance(0.7) ? [calling(calls)] : calls.map((one) => calling([one]))));
      if (chance(0.2)) messages.push({ role: "user", content: content() });
      for (const one of calls)
        if (chance(0.8)) messages.splice(messages.length - (chance(0.2) ? 1 : 0), 0, result(one));
    }
  }
  let now = 1_700_000_000_000;
  const withTimes = chance(0.8);
  const stamped = messages.map((message) => {
    now += below(3) * 60_000;
    const timestamp = pick([now, new Date(now), new Date(now).toISOString()]);
    return { ...message, ...(withTimes ? { timestamp } : {}), ...(chance(0.07) ? { pinned: true } : {}) };
  });
  const clearing = () =>
    clearToolResults({
      keep: below(4),
      exclude: pick([[], [], ["g"]]),
      clearInputs: pick([false, true, ["f"]]),
      names: below(3),
    });
  const strategies = [
    wholeHistory,
    () => lastNMessages(below(12)),
    () => chunked(1 + below(6)),
    () => fromTimestamp(1_700_000_000_000 + below(40) * 60_000),
    wholeHistoryMultipleSystemMessages,
    () => retrieveFacts([{ name: "a" }, { name: "b", description: "B" }]),
    clearing,
    () => digest({ keep: below(4), names: below(5), head: below(40), atLeast: pick([0, 0, 50]), handles: chance(0.5) }),
  ];
  const parameters = { minMessages: pick([0, 0, 3, 10]), keepAtLeast: pick([0, 2, 5]) };
  const first = chance(0.2) ? [clearing()] : [];
  const last = chance(0.85) ? [pick(strategies)()] : [];
  // digest must be the only strategy.
  const listed = last[0]?.name === "digest" ? last : [...first, ...last];
  if (listed.length > 0) parameters.compressionStrategy = listed.length === 1 ? listed[0] : listed;
  const limited = (limit) => (chance(0.3) ? { limit, trigger: pick([0.5, 0.8]), target: pick([0.3, 0.5]) } : limit);
  if (chance(0.5)) parameters.maxTokens = limited(20 + below(400));
  if (chance(0.5)) parameters.maxHistorySize = limited(1 + below(25));
  const hasLimit = parameters.maxTokens !== undefined || parameters.maxHistorySize !== undefined;
  if (chance(0.4)) parameters.when = hasLimit ? pick(["always", "overLimit"]) : "always";
  if (chance(0.2)) parameters.summaryMaxTokens = 1 + below(400);
  if (chance(0.2)) parameters.summaryNames = below(40);
  const context = {};
  if (chance(0.5)) context.request = pick([{ role: "user", content: "And now?" }, [result(call())], []]);
  if (chance(0.2)) context.tools = [{ name: "f", parameters: {} }];
  return { random, messages: stamped, parameters, context };
}

/** Pairs each result with its call: the newest call with its id, or without ids the oldest open call of its tool. */
export function pairsOf(messages) {
  const waiting = new Map();
  const pairs = [];
  const queue = (id, name) => {
    const key = id === "" ? `tool ${name}` : `id ${id}`;
    if (!waiting.has(key)) waiting.set(key, []);
    return waiting.get(key);
  };
  messages.forEach(({ content, toolCalls = [], toolCallId, toolName = "" }, index) => {
    const answered = (id, name) => {
      const calls = queue(id, name);
      if (calls.length > 0) pairs.push([id === "" ? calls.shift() : calls.pop(), index]);
    };
    if (toolCallId !== undefined) answered(toolCallId, toolName);
    for (const part of Array.isArray(content) ? content : []) {
      if (part.type === "tool-call") queue(part.toolCallId, part.toolName).push(index);
      if (part.type === "tool-result") answered(part.toolCallId, part.toolName);
    }
    for (const { id, name } of toolCalls) queue(id, name).push(index);
  });
  return pairs;
}
