// The policies that the benchmark compares: parameters of the package, and models of what other systems do, a few lines each.

import { Conversation, clearToolResults, digest, lastNMessages } from "turnfold/audit";
import { manageHistory, wholeHistory } from "turnfold/chat";

/** Tokens of a summary of the models: a share of what it replaces, at most this many. It has no names. */
const [SHARE, LONGEST, SHORTEST] = [0.15, 800, 40];

/** Tokens of a summary of the package's own for each word that its request allows: 4/3 of a token, of three fifths of them. */
const TOKENS_PER_WORD = 0.8;

/** Tokens that a provider counts: those of the system prompt and the tools, and this many for a token of the messages. */
const [FIXED, FACTOR] = [20_000, 1.5];

const worthIt = (compressionStrategy, more) => ({ compressionStrategy, when: "worthIt", ...more });

const ours = [
  { name: "none", parameters: {} },
  { name: "digest", parameters: worthIt(digest()) },
  { name: "clearToolResults", parameters: worthIt(clearToolResults()) },
  { name: "lastNMessages(4)", parameters: worthIt(lastNMessages(4)) },
  { name: "lastNMessages(4), summaryNames: 200", parameters: worthIt(lastNMessages(4), { summaryNames: 200 }) },
  { name: "wholeHistory", parameters: worthIt(wholeHistory()) },
  { name: "lossless", parameters: { arrival: "lossless" } },
  { name: "digest, lossless", parameters: worthIt(digest(), { arrival: "lossless" }) },
];

/** A model that changes its own list of messages: `fold` gets the list with the added messages. */
const keeping = (name, fold) => ({
  name,
  start(tools) {
    let list = [];
    return (added) => {
      list = fold([...list, ...added], tools);
      return list;
    };
  },
});

/** A model that makes each request of all messages. */
const viewing = (name, view) => ({
  name,
  start(tools) {
    let all = [];
    return (added) => {
      all = [...all, ...added];
      return view(all, tools);
    };
  },
});

const isTool = ({ role }) => role === "tool";

/** Replaces the results before an index. The same message gets the same stub. */
const stubs = new WeakMap();
function withStubs(messages, isReplaced, text) {
  return messages.map((message, index) => {
    if (!(isTool(message) && isReplaced(index))) return message;
    let stub = stubs.get(message);
    if (stub?.content !== text) {
      stub = { ...message, content: text };
      stubs.set(message, stub);
    }
    return stub;
  });
}

/** Replaces all messages up to an index, but the system messages and those that `isKept`, by a summary. */
function summarized(list, end, { summary }, { behind = false, limit, isKept = () => false } = {}) {
  // A result is not separated from its call.
  let cut = end;
  while (cut > 0 && cut < list.length && isTool(list[cut])) cut--;
  const stays = (message) => message.role === "system" || isKept(message);
  const [kept, covered] = [list.slice(0, cut).filter(stays), list.slice(0, cut).filter((message) => !stays(message))];
  if (covered.length < 2) return list;
  return [...kept, summary(covered, { behind, limit }), ...list.slice(cut)];
}

/** The index from which on the messages have at most these tokens. */
function indexOfLast(list, limit, tokens) {
  let index = list.length;
  for (let left = limit - tokens(list.at(-1)); index > 0 && left >= 0; ) {
    index--;
    left -= index > 0 ? tokens(list[index - 1]) : 0;
  }
  return index;
}

/** The index of the message after which the model has not answered yet. */
const lastRequest = (list) => list.findLastIndex(({ role }) => role === "assistant") + 1;

const clearedAt = (trigger, keep) => (all, tools) => {
  if (tools.window(all) <= trigger) return all;
  const results = all.flatMap((message, index) => (isTool(message) ? [index] : []));
  const from = results.at(-keep) ?? 0;
  return withStubs(all, (index) => index < from, "[cleared to save context]");
};

const peers = [
  keeping("model of Claude Code's auto-compact at 167k", (list, tools) =>
    tools.window(list) > 167_000 ? summarized(list, lastRequest(list), tools, { behind: true }) : list,
  ),
  keeping("model of OpenAI's compaction at 100k", (list, tools) =>
    tools.window(list) > 100_000
      ? summarized(list, lastRequest(list), tools, {
          behind: true,
          isKept: ({ role, isSummary }) => role === "user" && isSummary !== true,
        })
      : list,
  ),
  viewing("model of Anthropic's clearing at 100k, keep 3", clearedAt(100_000, 3)),
  keeping("model of LangChain's summarization at 170k, keep 20", (list, tools) =>
    tools.window(list) > 170_000 ? summarized(list, list.length - 20, tools, { limit: 4000 }) : list,
  ),
  viewing("model of AI SDK's pruneMessages, last 2", (all) => {
    const from = all.length - 2;
    return all.flatMap((message, index) => {
      if (index >= from) return [message];
      if (isTool(message)) return index + 1 >= from && isTool(all[from]) ? [message] : [];
      if (message.toolCalls === undefined) return [message];
      if (all.slice(index + 1, from + 1).every(isTool)) return [message];
      return message.content === "" ? [] : [withoutCalls(message)];
    });
  }),
  viewing("model of JetBrains' observation masking, last 10", (all) => {
    const answers = all.flatMap(({ role }, index) => (role === "assistant" ? [index] : []));
    const from = answers.at(-10) ?? 0;
    return withStubs(all, (index) => index < from, "Previous output omitted for brevity.");
  }),
  keeping("model of opencode's pruning and compaction", (list, tools) => {
    if (tools.window(list) > 168_000) return summarized(list, lastRequest(list), tools, { behind: true });
    if (list.at(-1)?.role !== "user") return list;
    let [recent, older, from] = [0, 0, 0];
    for (const [index, message] of [...list.entries()].reverse()) {
      if (!isTool(message)) continue;
      if (recent <= 40_000) [recent, from] = [recent + tools.tokens(message), index];
      else older += tools.tokens(message);
    }
    return older > 20_000 ? withStubs(list, (index) => index < from, "[Old tool result content cleared]") : list;
  }),
  keeping("model of Pi's compaction", (list, tools) =>
    tools.window(list) > 200_000 - 16_384
      ? summarized(list, indexOfLast(list, 20_000, tools.tokens), tools, { limit: Number.POSITIVE_INFINITY })
      : list,
  ),
  keeping("model of Letta, 0.7 of 32k", (list, tools) =>
    tools.sum(list) > 32_000 ? summarized(list, indexOfLast(list, 0.7 * 32_000, tools.tokens), tools) : list,
  ),
  keeping("model of Mastra's observational memory at 30k", (list, tools) => {
    const isKept = ({ isSummary }) => isSummary === true;
    const raw = list.filter((message) => message.role !== "system" && !isKept(message));
    if (tools.sum(raw) <= 30_000) return list;
    return summarized(list, indexOfLast(list, 6000, tools.tokens), tools, { isKept });
  }),
];

const bare = new WeakMap();
function withoutCalls(message) {
  let known = bare.get(message);
  if (known === undefined) {
    const { toolCalls: _, ...rest } = message;
    known = rest;
    bare.set(message, known);
  }
  return known;
}

export const POLICIES = [...ours, ...peers];

/** Whether a policy decides by prices. */
export const usesPrices = ({ parameters }) => parameters?.when === "worthIt";

/**
 * Yields the messages that a policy sends for each request of a session, with the requests for summaries before it.
 *
 * @param host `kept`, which continues with the managed conversation, or `whole`, which gives the whole history each time.
 */
export function replay(session, policy, prices, host = "kept") {
  return policy.start === undefined ? replayParameters(session, policy, prices, host) : replayModel(session, policy);
}

/** The tokens of a summary of this many tokens. */
const lengthOf = (covered) => Math.min(LONGEST, Math.max(SHORTEST, Math.ceil(SHARE * covered)));

/** A stand-in for a summary: it has this many tokens of o200k, and differs from other summaries from its beginning on. */
const standIn = (number, tokens) => `${number}.${" of".repeat(tokens - 2)}`;

async function* replayParameters({ messages, requests, texts }, { parameters }, prices, host) {
  const priced = {
    cacheWrite: prices.write,
    cacheRead: prices.read,
    lifetime: prices.lifetime,
    granularity: 1,
  };
  const own = usesPrices({ parameters }) ? { prices: priced, ...parameters } : parameters;
  const stored = new Map();
  let summaries = [];
  let number = 0;
  const llm = ({ messages: request }) => {
    const input = request.reduce((sum, message) => sum + texts.of(message).tokens, 0);
    const [, words] = /Write at most (\d+) words/.exec(request.map(({ content }) => content).join("\n")) ?? [];
    const output = Math.ceil(TOKENS_PER_WORD * Number(words));
    summaries.push({ input, output });
    number++;
    return standIn(number, output);
  };
  let conversation = new Conversation();
  let given = 0;
  for (const { index, idle } of requests) {
    summaries = [];
    conversation = conversation.append(...messages.slice(given, index));
    given = index;
    const { messages: sent, conversation: next } = await manageHistory(conversation, own, {
      llm,
      onWarning() {},
      ...(host === "whole" ? { summaryStore: stored } : {}),
      ...(idle === undefined ? {} : { idleSeconds: idle }),
    });
    if (host === "kept") conversation = next;
    yield { messages: sent, summaries };
  }
}

function* replayModel({ messages, requests, texts }, policy) {
  let summaries = [];
  let number = 0;
  const tokens = (message) => texts.of(message).tokens;
  const sum = (list) => list.reduce((total, message) => total + tokens(message), 0);
  const tools = {
    tokens,
    sum,
    window: (list) => FIXED + FACTOR * sum(list),
    summary(covered, { behind, limit }) {
      const output = lengthOf(sum(covered));
      summaries.push({ input: Math.min(sum(covered), limit ?? Number.POSITIVE_INFINITY), output, behind });
      number++;
      return { role: "user", content: standIn(number, output), isSummary: true };
    },
  };
  const send = policy.start(tools);
  let given = 0;
  for (const { index } of requests) {
    summaries = [];
    const sent = send(messages.slice(given, index));
    given = index;
    yield { messages: sent, summaries };
  }
}
