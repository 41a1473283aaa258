// An option that is undefined is an option that is not given.

import assert from "node:assert/strict";
import { test } from "node:test";
import {
  Agent,
  Conversation,
  chunked,
  clearToolResults,
  digest,
  Lisp,
  lastNMessages,
  manageHistory,
  Predict,
  Renderer,
  SubAgent,
  Turn,
  TurnfoldError,
  toMessages,
  wholeHistory,
} from "turnfold";
import { bill, compareCosts, countMessages } from "turnfold/audit";
import { planHistory, SummaryStore } from "turnfold/chat";
import { openai } from "turnfold/formats/openai";
import { toClojure } from "turnfold/lisp";
import { parseSignature, ReAct } from "turnfold/predict";
import { Fn } from "turnfold/turns";

const messages = Array.from({ length: 24 }, (_, i) => ({
  role: i % 2 === 0 ? "user" : "assistant",
  content: `Message ${i} about the lamps of the shop, in some more words.`,
}));
const conversation = new Conversation({ messages });
const llm = ({ purpose, schema }) => (purpose === "summary" ? "Short." : schema ? '{"answer": "yes"}' : "Answer: yes");
const absent = (...names) => Object.fromEntries(names.map((name) => [name, undefined]));

const PARAMETERS = absent(
  ..."compressionStrategy when minMessages keepAtLeast maxTokens reserveTokens maxHistorySize onOverflow startWith".split(
    " ",
  ),
  ..."mergeRoles counter provider summaryPrompt summaryRole concurrency prices patience summaryRequest".split(" "),
  "summaryMaxTokens",
  "summaryNames",
);
const LIMITS = absent(
  ..."fuel heapBytes depth loopIterations collectionSize prints printLength toolCalls timeoutMs".split(" "),
);
const COALESCED = absent(
  ..."printlnLimit toolCallLimit sampleLimit samplePrintableLimit sampleNames printLength toolResults arrival".split(
    " ",
  ),
);
const PRICES = absent(..."mechanism input cacheRead cacheWrite output lifetime minimum granularity tiers".split(" "));

const turns = Array.from({ length: 12 }, (_, i) =>
  Turn.success({ program: `(def x${i} ${i})`, memory: { [`x${i}`]: i }, result: i, at: 1_700_000_000_000 + i * 1000 }),
);
const rendered = (options) => toMessages(turns, null, { mission: "Go", at: 1_700_000_100_000, ...options }).messages;
const json = (value) => JSON.stringify(value);

/** Pairs of results: with options that are undefined, and without them. */
const cases = {
  RequestParameters: (more) =>
    planHistory(conversation, { ...omit(more, PARAMETERS), compressionStrategy: lastNMessages(4), maxTokens: 300 }),
  "maxTokens and maxHistorySize": (more) =>
    planHistory(conversation, {
      maxTokens: { limit: 300, ...pick(more, "trigger", "target") },
      maxHistorySize: { limit: 9, ...pick(more, "trigger", "target") },
    }),
  HistoryContext: (more) =>
    planHistory(conversation, { maxTokens: 300 }, pick(more, "request", "tools", "schema", "idleSeconds")),
  ManageOptions: async (more) => {
    const options = pick(more, "retry", "signal", "onWarning", "summaryStore");
    const managed = await manageHistory(conversation, { compressionStrategy: wholeHistory() }, { llm, ...options });
    return managed.conversation.messages;
  },
  clearToolResults: (more) => clearToolResults(pick(more, "keep", "exclude", "clearInputs", "atLeast", "names")),
  digest: (more) => digest(pick(more, "keep", "names", "head", "atLeast", "handles")),
  chunked: (more) => planHistory(conversation, { compressionStrategy: chunked(8), ...pick(more, "patience") }),
  SummaryStore: (more) => new SummaryStore(pick(more, "maxEntries")).size,
  countMessages: (more) => countMessages(messages, pick(more, "counter", "tools", "schema", "provider")),
  repair: (more) => conversation.repair(pick(more, "provider")),
  "options of to": (more) => openai.to(conversation, pick(more, "cache", "members")),
  "cache marks": (more) => openai.to(conversation, { cache: pick(more, "breakpoints", "ttl", "at") }),
  Agent: async (more) => {
    const options = pick(more, "system", "tools", "conversation", "maxSteps", "maxRepairs", "approve", "onFailure");
    const others = pick(more, "retry", "calibrate", "onWarning", "summaryStore", "onRecord");
    const agent = new Agent({ llm, ...options, ...others, ...omit(more, PARAMETERS) });
    const call = pick(more, "signal", "maxSteps", "maxRepairs", "approve", "answers", "onRecord");
    const { text, steps } = await agent.chat("Go", { ...call, ...omit(more, PARAMETERS) });
    const { object } = await agent.generateObject("Go", "-> answer: str", call);
    const saved = agent.checkpoint(pick(more, "transcript"));
    return [text, steps.length, object, saved.messages.length];
  },
  Predict: async (more) => {
    const options = pick(more, "adapter", "instructions", "demos", "retry", "maxRepairs", "history", "onWarning");
    const predict = new Predict("question -> answer", { ...options, llm });
    const call = pick(more, "llm", "signal", "maxRepairs", "history", "onWarning");
    return [predict.messages({ question: "?" }), await predict.call({ question: "?" }, call)];
  },
  ReAct: (more) =>
    new ReAct("question -> answer", {
      tools: { f: () => 1 },
      llm,
      ...pick(more, "approve", "maxSteps", "demos", "onRecord"),
    }).messages({
      question: "?",
    }),
  "fields of signatures": (more) => {
    const options = pick(more, "optional", "description", "oneOf", "default");
    const init = {
      inputs: [{ name: "q", type: "str", ...options }],
      outputs: [{ name: "a", type: "int", ...options }],
    };
    const signature = parseSignature({ ...init, ...pick(more, "instructions") });
    return [String(signature), signature.jsonSchema(), signature.jsonSchema("input"), signature.instructions ?? null];
  },
  SubAgent: async (more) => {
    const options = pick(more, "signature", "tools", "approve", "maxTurns", "compression", "systemPrompt", "limits");
    const others = pick(
      more,
      "isolate",
      "retry",
      "description",
      "fieldDescriptions",
      "validation",
      "maxDepth",
      "turnBudget",
    );
    const agent = new SubAgent({ mission: "Go", ...options, ...others });
    const call = pick(more, "data", "approve", "signal", "onEvent");
    const step = await agent.run({ llm: () => "```clojure\n(return 5)\n```", ...call });
    return [agent.preview(pick(more, "data", "turns")).messages, step.return, step.turns.length];
  },
  "systemPrompt of a SubAgent": (more) =>
    new SubAgent({
      mission: "Go",
      systemPrompt: pick(more, "prefix", "suffix", "languageSpec", "outputFormat"),
    }).preview().messages,
  Lisp: async (more) => {
    const options = pick(more, "data", "tools", "approve", "memory", "limits", "keywords", "isolate");
    const { value, fuelUsed } = await new Lisp(options).run("(+ 1 2)", pick(more, "signal"));
    return [value, fuelUsed];
  },
  Limits: (more) =>
    new Lisp({ limits: omit(more, LIMITS) }).runSync("(loop [i 0] (if (< i 99) (recur (inc i)) i))").fuelUsed,
  "tools and their members": (more) => {
    const tool = pick(more, "signature", "description", "fieldDescriptions", "needsApproval");
    return rendered({ tools: { f: { ...tool, run: () => 1 } } });
  },
  RenderOptions: (more) =>
    rendered({
      ...pick(more, "systemPrompt", "tools", "data", "signature", "fieldDescriptions", "maxTurns", "turnsLeft"),
      ...pick(more, "compression", "at"),
      at: 1_700_000_100_000,
      ...omit(more, COALESCED),
    }),
  "rolling-window": (more) =>
    rendered({ compression: ["rolling-window", { ...pick(more, "keep"), ...omit(more, COALESCED) }] }),
  aggressive: (more) => rendered({ compression: ["aggressive", pick(more, "budget", "counter")] }),
  journal: (more) =>
    rendered({ compression: ["journal", pick(more, "keep", "prices", "patience", "budget", "counter")] }),
  PriceList: (more) =>
    planHistory(conversation, {
      compressionStrategy: lastNMessages(4),
      when: "worthIt",
      prices: {
        ...omit(more, PRICES),
        tiers: [{ above: 1000, ...pick(more, "input", "cacheRead", "cacheWrite", "output") }],
      },
    }),
  TurnInit: (more) =>
    Turn.success({
      ...pick(more, "number", "rawResponse", "program", "result", "prints", "memory", "docs", "defined", "at"),
      toolCalls: [{ name: "f", ...pick(more, "args", "result", "error", "durationMs", "step") }],
    }),
  Fn: (more) => new Fn(pick(more, "params", "doc", "returnType")),
  toClojure: (more) => toClojure([1, "a", { b: 2 }], pick(more, "limit", "printableLimit", "filterHidden")),
  bill: (more) =>
    bill([{ messages, output: 5, ...pick(more, "at", "breakpoints") }], { cacheRead: 0.1 }, pick(more, "counter")),
  compareCosts: (more) => compareCosts(conversation, pick(more, "prices", "strategies", "counter")),
  TurnfoldError: (more) => new TurnfoldError("x", "y", pick(more, "details", "hint")),
};

/** The named members as undefined; none without `more`. */
function pick(more, ...names) {
  return more ? absent(...names) : {};
}

function omit(more, members) {
  return more ? members : {};
}

for (const [name, act] of Object.entries(cases)) {
  test(`${name}: options that are undefined are as good as none`, async () => {
    const warn = console.warn;
    console.warn = () => {};
    try {
      const [given, none] = [json(await act(true)), json(await act(false))];
      assert.notEqual(none, undefined);
      assert.equal(given, none);
    } finally {
      console.warn = warn;
    }
  });
}

test("setOptions with an undefined option takes the option away", () => {
  const renderer = new Renderer({ mission: "Go", maxTurns: 9, compression: false, systemPrompt: "Be brief." }, turns);
  const before = json(renderer.render().messages);
  renderer.setOptions({ maxTurns: undefined, compression: undefined, systemPrompt: undefined });
  const after = json(renderer.render().messages);
  assert.notEqual(after, before);
  assert.equal(after, json(new Renderer({ mission: "Go" }, turns).render().messages));
});
