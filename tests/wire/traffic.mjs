// Requests as hosts send them: random histories, read from any dialect, managed by any strategy within any limit,
// repaired for a provider and written in its format.

import {
  applyPlan,
  Conversation,
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  planHistory,
  retrieveFacts,
  wholeHistory,
  wholeHistoryMultipleSystemMessages,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";

import { gemini } from "turnfold/formats/gemini";

import { openai } from "turnfold/formats/openai";
import { seeded } from "../js/random.mjs";
import { DIALECTS, randomHistory } from "./histories.mjs";
import { receivers } from "./receivers.mjs";
import { Refusal } from "./refusal.mjs";

export const readers = {
  neutral: (messages) => new Conversation({ messages }),
  openai: openai.from,
  responses: openai.responses.from,
  anthropic: anthropic.from,
  gemini: gemini.from,
  aiSdk: aiSdk.from,
};

/**
 * The formats: the provider whose rules `repair` follows, the request, who receives it, the dialect if it has another name,
 * and whether it has a conversation's content.
 */
export const formats = {
  anthropic: {
    provider: "anthropic",
    write: (conversation, cache) => ({ model: "m", max_tokens: 9, ...anthropic.to(conversation, cache) }),
    accept: receivers.anthropic,
  },
  openai: {
    provider: "openai",
    write: (conversation, cache) => ({ model: "m", messages: openai.to(conversation, cache) }),
    accept: receivers.openai,
  },
  responses: {
    provider: "openai",
    write: (conversation, cache) => ({ model: "m", store: false, input: openai.responses.to(conversation, cache) }),
    accept: receivers.responses,
  },
  aiSdk: {
    // The AI SDK too refuses calls without results.
    provider: "openai",
    write: (conversation, cache) => aiSdk.to(conversation, cache),
    accept: receivers.aiSdk,
  },
  gemini: {
    provider: "gemini",
    write(conversation, cache) {
      const { systemInstruction, contents } = gemini.to(conversation, cache);
      return { model: "m", contents, ...(systemInstruction !== undefined && { config: { systemInstruction } }) };
    },
    accept: receivers.gemini,
  },
};

function randomParameters({ below, pick, chance }, provider) {
  const strategies = [
    wholeHistory,
    () => lastNMessages(below(12)),
    () => chunked(1 + below(6)),
    wholeHistoryMultipleSystemMessages,
    () => retrieveFacts([{ name: "a" }]),
    () =>
      clearToolResults({
        keep: below(4),
        exclude: pick([[], ["search"]]),
        clearInputs: pick([false, true, ["search"]]),
      }),
    () => digest({ keep: below(4), names: below(5), head: below(40) }),
  ];
  const hasMaxTokens = chance(0.4);
  const hasMaxSize = chance(0.4);
  return {
    minMessages: pick([0, 0, 3, 10]),
    keepAtLeast: pick([0, 1, 2, 4]),
    ...(chance(0.9) && { compressionStrategy: pick(strategies)() }),
    ...(hasMaxTokens && { maxTokens: 60 + below(800), onOverflow: pick(["send", "truncateResults"]) }),
    ...(hasMaxSize && { maxHistorySize: 2 + below(12), onOverflow: "send" }),
    when: hasMaxTokens || hasMaxSize ? pick(["always", "overLimit"]) : "always",
    provider,
    // Anthropic's conversations begin with the user.
    ...(provider === "openai" && { summaryRole: pick(["user", "assistant"]) }),
  };
}

/**
 * Makes the requests of one random history and calls `onRequest` for each.
 *
 * @param written the formats.
 * @param onRequest receives what was sent: `{ seed, sender, dialect, messages, body, refusal, error }`, with
 * `refusal` when the receiver refused it, otherwise null, and `error` when nothing was written.
 */
export async function formatRequests(seed, onRequest, written = formats) {
  const random = seeded(seed);
  const dialect = random.pick(DIALECTS);
  const { messages, isOpen } = randomHistory(random, dialect);
  const managedFor = random.pick(["anthropic", "openai", "gemini"]);
  const parameters = randomParameters(random, managedFor);
  const base = { seed, dialect, messages, parameters };
  const request = !isOpen || random.chance(0.1) ? [{ role: "user", content: "And now?" }] : [];
  let conversation;
  let managed;
  try {
    conversation = readers[dialect](messages);
    const plan = planHistory(conversation, parameters, { request });
    managed = applyPlan(
      plan,
      plan.requests.map(({ purpose }) => (purpose === "extraction" ? '{"a": "fact"}' : "A summary.")),
    ).conversation.append(...request);
    conversation = conversation.append(...request);
  } catch (error) {
    onRequest({ ...base, sender: conversation === undefined ? `${dialect} is read` : "managing", error });
    return;
  }
  for (const [format, { provider, write, accept, dialect: own = format, fits }] of Object.entries(written)) {
    if (fits?.(conversation) === false) continue;
    const cache = random.chance(0.2) && format !== "responses" ? { cache: {} } : {};
    // What was well formed for the provider still is after it was managed; but `keepAtLeast` and limits take precedence
    // over the role of the first message.
    const needsNone =
      provider === managedFor &&
      conversation.lint({ provider }).length === 0 &&
      !managed.lint({ provider }).some(({ kind }) => kind === "starts_with_assistant");
    const options = dialect === own ? { known: membersKnownTo(dialect, messages) } : {};
    const variants = needsNone
      ? [managed, managed.repair({ provider }).conversation]
      : [managed.repair({ provider }).conversation];
    for (const [index, sent] of variants.entries()) {
      const isRepaired = index > 0 || !needsNone;
      const sending = { ...base, sender: isRepaired ? `${format}, repaired` : format };
      // A host has something to send.
      if (sent.messages.every(({ role }) => role === "system" || role === "developer")) continue;
      let body;
      try {
        body = write(sent, cache);
      } catch (error) {
        onRequest({ ...sending, error });
        continue;
      }
      let refusal = null;
      try {
        await accept(body, options);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        refusal = error;
      }
      onRequest({ ...sending, body, refusal });
    }
  }
}

/** Members that the providers' replies have and that they refuse in requests. */
const REPLY_MEMBERS = {
  anthropic: ["id", "type", "model", "stop_reason", "stop_sequence", "usage"],
  openai: ["annotations", "index"],
};

/**
 * Returns the names of the members that the server of a host accepts besides those of its dialect: those that its
 * messages have, except those of the provider's replies.
 */
export function membersKnownTo(dialect, messages) {
  const names = memberNames(messages);
  for (const name of REPLY_MEMBERS[dialect] ?? []) names.delete(name);
  return names;
}

/** Returns the names of all members in messages. */
function memberNames(value, names = new Set()) {
  if (Array.isArray(value)) for (const inner of value) memberNames(inner, names);
  else if (typeof value === "object" && value !== null) {
    for (const [name, inner] of Object.entries(value)) memberNames(inner, names.add(name));
  }
  return names;
}
