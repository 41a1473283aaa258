// Measures how the time of each export that takes a text or data grows with it: a hostile text of each shape, and lists of
// many small items, at n and 2n up to 4 MB. Time that grows faster than its input lets one tenant hold up all others.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { threadTime } from "../../../benches/js/thread-time.mjs";
import { finding } from "./watch.mjs";

setFlagsFromString("--expose-gc");
const gc = runInNewContext("gc");

const turnfold = await import("../../js/everything.mjs");
const { Agent, Conversation, Lisp, Predict, Renderer, SubAgent, Turn } = turnfold;
const { anthropic, openai, aiSdk } = turnfold;

const [budget = "60", only = ""] = process.argv.slice(2);
const END = performance.now() + Number(budget) * 1000;
const SMALLEST = 32 * 1024;
const MIDDLE = 512 * 1024;
const LARGEST = 4 * 2 ** 20;
/** The most that the time may grow when the input is doubled, with what garbage collection and caches add. */
const MAX_RATIO = 2.5;
/** Shorter times are not compared with those of half the input. */
const MEASURABLE_MS = 40;
/** An input that takes longer is not doubled. */
const LONG_MS = 2500;
/** An input that takes less is quadrupled, not doubled. */
const SHORT_MS = 5;

/** Repeats a unit, which stays whole: half a surrogate pair at the end would need other work than the rest. */
const repeat = (unit) => (bytes) => unit.repeat(Math.ceil(bytes / unit.length));
/** Joins numbered items until there are enough bytes. */
const numbered = (item, separator, start, end) => (bytes) => {
  const items = [];
  for (let length = 0; length < bytes; ) {
    const next = item(items.length);
    items.push(next);
    length += next.length + separator.length;
  }
  return start + items.join(separator) + end;
};

const TEXTS = {
  letters: repeat("a"),
  words: repeat("the order left "),
  digits: repeat("9"),
  spaces: repeat(" "),
  lines: repeat("\n"),
  "line ends": repeat("\r\n"),
  "two kinds of line ends": (bytes) => `${"\n".repeat(bytes - 1)}\r`,
  quotes: repeat('"'),
  "escaped quotes": repeat('\\"'),
  backslashes: repeat("\\"),
  "open brackets": repeat("["),
  "open braces": repeat('{"a":'),
  "open parentheses": repeat("("),
  "closed brackets": repeat("]"),
  // Garbage collection takes longer for each level of one value that is nested more deeply.
  brackets: numbered(() => "[".repeat(8192) + "]".repeat(8192), ",", "[", "]"),
  fences: repeat("```\n"),
  backticks: repeat("`"),
  emoji: repeat("👩‍🚀"),
  halves: repeat("\ud83d"),
  accents: repeat("é"),
  combining: repeat("\u0301"),
  paths: repeat("/src/a.ts "),
  path: repeat("/a"),
  dots: repeat("a."),
  handles: repeat("#a1 "),
  colons: repeat("a: "),
  arrows: repeat("-> "),
  commas: repeat(","),
  placeholders: repeat("{{a}} "),
  braces: repeat("{{"),
  sections: repeat("{{#a}} {{/a}}"),
  angles: repeat("<"),
  events: repeat('data: {"a":1}\n\n'),
  log: numbered((index) => `[2024-02-29 12:00:${index % 60}] "GET /orders/${index}" 200`, "\n", "", ""),
  // An odd number of quotes: the last one is open.
  "log of quotes": (bytes) => {
    const text = numbered((index) => `[${index}] said "hello`, "\n", "", "")(bytes);
    return text.split('"').length % 2 === 0 ? text : `${text}"`;
  },
  names: numbered((index) => `src/module_${index}.ts`, " ", "", ""),
  base64: repeat("QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo0"),
  numbers: numbered((index) => String(index), ",", "[", "]"),
  "long numbers": numbered((index) => `1234567890123456789${index}`, ",", "[", "]"),
  rows: numbered((index) => `{"id":${index},"name":"row ${index}","tags":["a","b"]}`, ",", "[", "]"),
  members: numbered((index) => `"key${index}":${index}`, ",", "{", "}"),
  "one text": (bytes) => JSON.stringify({ text: "x".repeat(bytes) }),
  "escaped text": (bytes) => JSON.stringify({ text: "\n".repeat(bytes / 2) }),
  "JSON lines": numbered((index) => `{"role":"user","content":"message ${index}"}`, "\n", "", ""),
  forms: numbered((index) => `(def a${index} ${index})`, "\n", "", ""),
  unknowns: numbered((index) => `(unknown-${index} ${index})`, "\n", "", ""),
  fields: numbered((index) => `field_${index}: int`, ", ", "question -> ", ""),
  maps: numbered((index) => `:k${index} ${index}`, " ", "{", "}"),
};

const quiet = { onWarning: () => {} };
const question = { role: "user", content: "Where?" };
const call = (id, args = {}) => ({ id, name: "search", args });
/** Calls of the same tool with their results, and text between them. */
const rounds = (text) => [
  question,
  { role: "assistant", content: text, toolCalls: [call("1", { text })] },
  { role: "tool", toolCallId: "1", toolName: "search", content: text },
  { role: "assistant", content: "Done." },
  question,
  { role: "assistant", content: text },
  question,
];
const conversationOf = (text) => new Conversation({ messages: rounds(text) });
const plan =
  (compressionStrategy, more = {}) =>
  (text) =>
    turnfold.planHistory(conversationOf(text), { compressionStrategy, minMessages: 0, ...more });
const formats = { openai, "openai.responses": openai.responses, anthropic, aiSdk };

/** What `act` returns, or its error if it is one of the package. */
async function outcome(act) {
  try {
    return await act();
  } catch (error) {
    if (!turnfold.TurnfoldError.isInstance(error)) throw error;
    return error;
  }
}

const turnOf = (text) =>
  Turn.success({
    program: text,
    rawResponse: text,
    prints: [text],
    result: text,
    memory: { text },
    toolCalls: [{ name: "search", args: { text }, result: text }],
  });
const client = (text) => ({
  listTools: async () => ({ tools: [{ name: "search", inputSchema: { type: "object" } }] }),
  callTool: async () => ({ content: [{ type: "text", text }] }),
});
const pieces = (text, length = 64) => {
  const all = [];
  for (let at = 0; at < text.length; at += length) all.push(text.slice(at, at + length));
  return all;
};
async function* streamed(text) {
  yield* pieces(text);
}
const eventsOf = (text) =>
  `${pieces(text)
    .map((content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\n\n`)
    .join("")}data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n`;
const respond = (body) => async () => new Response(body, { headers: { "content-type": "text/event-stream" } });
const recursive = {
  $defs: { node: { anyOf: [{ type: "array", items: { $ref: "#/$defs/node" } }, { type: "object" }] } },
  $ref: "#/$defs/node",
};

/** Functions of a text. */
const OF_TEXT = {
  countMessages: (text) => turnfold.countMessages([{ role: "user", content: text }]),
  estimate: (text) => turnfold.estimate.count(text),
  estimateCl100k: (text) => turnfold.estimateCl100k.count(text),
  "Conversation and lint": (text) => conversationOf(text).lint({ provider: "anthropic" }),
  "Conversation as JSON": (text) => Conversation.fromJSON(JSON.stringify(conversationOf(text))),
  "plan of digest": plan(turnfold.digest()),
  "plan of clearToolResults": plan(turnfold.clearToolResults({ keep: 0, names: 20 })),
  "plan of lastNMessages": plan(turnfold.lastNMessages(1)),
  "plan of chunked": plan(turnfold.chunked(2)),
  "plan of a limit": plan(undefined, { maxTokens: { limit: 1000 } }),
  foldAdvice: (text) => turnfold.foldAdvice(conversationOf(text)),
  resultTool: (text) => turnfold.resultTool(conversationOf(text)).execute?.({ handle: text }),
  detectFormat: (text) => turnfold.detectFormat(rounds(text)),
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [
      `${name} there and back`,
      (text) => format.from(format.to(conversationOf(text))),
    ]),
  ),
  "arguments of OpenAI": (text) =>
    openai.from([
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "search", arguments: text } }],
      },
    ]),
  readConversation: (text) => turnfold.readConversation(text),
  needRecall: (text) =>
    turnfold.needRecall(conversationOf(text), { strategies: { digest: { compressionStrategy: turnfold.digest() } } }),
  "result of an MCP tool": async (text) => (await turnfold.mcpTools(client(text))).search.execute({}, {}),
  "reply of generateObject": (text) =>
    new Agent({ llm: () => text, ...quiet }).generateObject("Go", { type: "object" }, { maxRepairs: 0 }),
  "reply by the schema of itself": (text) =>
    new Agent({ llm: () => text, ...quiet }).generateObject("Go", recursive, { maxRepairs: 0 }),
  streamObject: async (text) => {
    const stream = new Agent({ llm: () => streamed(text), ...quiet }).streamObject(
      "Go",
      { type: "object" },
      { maxRepairs: 0 },
    );
    stream.done.catch(() => {});
    for await (const _ of stream);
  },
  "stream of chat": async (text) => {
    for await (const _ of new Agent({ llm: () => streamed(text), ...quiet }).stream("Go"));
  },
  "events of fetchModel": (text) =>
    new Agent({
      llm: turnfold.fetchModel("http://localhost/v1", { model: "m", fetch: respond(eventsOf(text)) }),
      ...quiet,
    }).chat("Go"),
  "body of fetchModel": (text) =>
    new Agent({ llm: turnfold.fetchModel("http://localhost/v1", { model: "m", fetch: respond(text) }), ...quiet }).chat(
      "Go",
    ),
  "reply of Predict": (text) =>
    new Predict("question -> answer: str, score: int", { llm: () => text, maxRepairs: 0 }).call({ question: "?" }),
  "inputs of Predict": (text) =>
    new Predict("question -> answer", { llm: () => "{}", maxRepairs: 0 }).call({ question: text }),
  "reply of SubAgent": (text) =>
    new SubAgent({ mission: "Go", maxTurns: 1, llm: () => text, limits: { fuel: 1000 } }).run(),
  "mission of SubAgent": (text) =>
    new SubAgent({ mission: text, maxTurns: 1, llm: () => "```clojure\n(return 1)\n```" }).run({ data: { a: 1 } }),
  check: (text) => turnfold.check(text),
  complete: (text) => turnfold.complete(text, text.length),
  "Lisp.runSync": (text) => new Lisp({ limits: { fuel: 1000 } }).runSync(text),
  readClojure: (text) => turnfold.readClojure(text),
  toClojure: (text) => turnfold.toClojure({ text }),
  parseSignature: (text) => turnfold.parseSignature(text),
  Template: (text) => new turnfold.Template(text),
  "Turn and toMessages": (text) => turnfold.toMessages([turnOf(text)], null, { mission: text }),
  "Turn as JSON": (text) => Turn.fromJSON(JSON.stringify(turnOf(text))),
  "Turn.fromJSON": (text) => Turn.fromJSON(text),
  "Conversation.fromJSON": (text) => Conversation.fromJSON(text),
  "Lisp.fromJSON": (text) => Lisp.fromJSON(text),
  "Step.fromJSON": (text) => turnfold.Step.fromJSON(text),
  "pattern of a schema": (text) =>
    new Agent({ llm: () => JSON.stringify({ a: text }), ...quiet }).generateObject(
      "Go",
      { type: "object", properties: { a: { type: "string", pattern: "^(\\w+\\s?)*$" } } },
      { maxRepairs: 0 },
    ),
};

/** Makes a list of about so many bytes. */
const list = (item, bytesEach) => (bytes) =>
  Array.from({ length: Math.ceil(bytes / bytesEach) }, (_, index) => item(index));
const chat = (each) => list((index) => ({ role: index % 2 === 0 ? "user" : "assistant", content: each(index) }), 40);
const calls = (idOf) => (bytes) =>
  list(
    (index) => [
      { role: "assistant", content: "", toolCalls: [call(idOf(index))] },
      { role: "tool", toolCallId: idOf(index), toolName: "search", content: `found ${index}` },
    ],
    160,
  )(bytes).flat();
const callsAtOnce = (idOf) => (bytes) => {
  const ids = list(idOf, 160)(bytes);
  return [
    question,
    { role: "assistant", content: "", toolCalls: ids.map((id) => call(id)) },
    ...ids.map((toolCallId) => ({ role: "tool", toolCallId, toolName: "search", content: "found" })),
  ];
};
const schemaReply = (schema, value) => (bytes) => ({ schema, text: JSON.stringify(value(bytes)) });
const generate = ({ schema, text }) =>
  new Agent({ llm: () => text, ...quiet }).generateObject("Go", schema, { maxRepairs: 0 });
const ofObject = (properties) => ({ type: "object", properties });

const MESSAGES = {
  "short messages": chat((index) => `message ${index}`),
  "equal messages": chat(() => "the same"),
  "messages of one role": list((index) => ({ role: "user", content: `message ${index}` }), 40),
  "pinned messages": list((index) => ({ role: "user", content: `message ${index}`, pinned: true }), 60),
  rounds: calls((index) => `call-${index}`),
  "rounds with equal ids": calls(() => "call"),
  "rounds without ids": calls(() => ""),
  "calls at once": callsAtOnce((index) => `call-${index}`),
  "calls at once with equal ids": callsAtOnce(() => "call"),
  "calls without results": list((index) => ({ role: "assistant", content: "", toolCalls: [call(`c${index}`)] }), 80),
  "results without calls": list(
    (index) => ({ role: "tool", toolCallId: `c${index}`, toolName: "search", content: "found" }),
    80,
  ),
};
const OF_MESSAGES = {
  countMessages: (messages) => turnfold.countMessages(messages),
  lint: (messages) => new Conversation({ messages }).lint({ provider: "anthropic" }),
  repair: (messages) => new Conversation({ messages }).repair(),
  "repair for Anthropic": (messages) => new Conversation({ messages }).repair({ provider: "anthropic" }),
  "repair for OpenAI": (messages) => new Conversation({ messages }).repair({ provider: "openai" }),
  mergeRoles: (messages) => turnfold.mergeRoles(messages),
  bill: (messages) => turnfold.bill([{ messages }]),
  foldAdvice: (messages) => turnfold.foldAdvice(new Conversation({ messages })),
  "plan of digest": (messages) =>
    turnfold.planHistory(new Conversation({ messages }), { compressionStrategy: turnfold.digest(), minMessages: 0 }),
  "plan of a limit": (messages) => turnfold.planHistory(new Conversation({ messages }), { maxTokens: 2000 }),
  "plan of lastNMessages": (messages) =>
    turnfold.planHistory(new Conversation({ messages }), {
      compressionStrategy: turnfold.lastNMessages(10),
      minMessages: 0,
    }),
  "plan of chunked": (messages) =>
    turnfold.planHistory(new Conversation({ messages }), { compressionStrategy: turnfold.chunked(5), minMessages: 0 }),
  ...Object.fromEntries(
    Object.entries(formats).map(([name, format]) => [
      `${name} there and back`,
      (messages) => format.from(format.to(new Conversation({ messages }))),
    ]),
  ),
  readConversation: (messages) => turnfold.readConversation(JSON.stringify(messages)),
  "JSON of a conversation": (messages) => Conversation.fromJSON(JSON.stringify(new Conversation({ messages }))),
  chat: (messages) =>
    new Agent({ llm: () => "Done.", conversation: new Conversation({ messages }), ...quiet }).chat("Where?"),
};

/** Functions of data of one kind, with the maker of the data. */
const OF_DATA = {
  "uniqueItems of numbers": [
    schemaReply({ ...ofObject({ a: { uniqueItems: true } }) }, (bytes) => ({
      a: list((index) => index, 7)(bytes),
    })),
    generate,
  ],
  "uniqueItems of equal items": [
    schemaReply(ofObject({ a: { uniqueItems: true } }), (bytes) => ({
      a: list(() => [1, { a: 1 }], 11)(bytes),
    })),
    generate,
  ],
  "uniqueItems of a signature": [
    (bytes) => ({ schema: "-> a: list[int]", text: JSON.stringify({ a: list((index) => index, 7)(bytes) }) }),
    generate,
  ],
  "many problems": [
    schemaReply(ofObject({ a: { items: { type: "string" } } }), (bytes) => ({
      a: list((index) => index, 7)(bytes),
    })),
    generate,
  ],
  "undeclared members": [
    schemaReply({ ...ofObject({}), additionalProperties: false }, (bytes) =>
      Object.fromEntries(list((index) => [`key${index}`, index], 15)(bytes)),
    ),
    generate,
  ],
  "a large enum": [
    (bytes) => {
      const values = list((index) => `value ${index}`, 14)(bytes / 2);
      return {
        schema: ofObject({ a: { items: { enum: values } } }),
        text: JSON.stringify({ a: [...values].reverse() }),
      };
    },
    generate,
  ],
  "large properties": [
    (bytes) => {
      const properties = Object.fromEntries(list((index) => [`key${index}`, { type: "integer" }], 33)(bytes / 2));
      const items = list(() => ({ key1: 1 }), 11)(bytes / 2);
      return { schema: ofObject({ a: { items: { type: "object", properties } } }), text: JSON.stringify({ a: items }) };
    },
    generate,
  ],
  "checks with many problems": [
    list((index) => `(unknown-${index} ${index})`, 20),
    (forms) => turnfold.check(forms.join("\n")),
  ],
  ...Object.fromEntries(
    ["", "tool/", "data/", "Math/"].map((prefix) => [
      `checks of ${prefix || "bare "}names with known names`,
      [
        (bytes) => {
          const known = list((index) => `known-${index}`, 24)(bytes);
          return { forms: known.map((name) => `(${prefix}un${name})`), known };
        },
        ({ forms, known }) => turnfold.check(forms.join("\n"), { tools: known, data: known, memory: known }),
      ],
    ]),
  ),
  "replay of a turn with many calls": [
    async (bytes) => {
      const count = Math.ceil(bytes / 200);
      const limits = { toolCalls: 1e9, loopIterations: 1e9, fuel: 1e12, timeoutMs: 600_000 };
      const agent = new SubAgent({
        mission: "Go",
        maxTurns: 1,
        limits,
        tools: { search: ["(n :int) -> :int", ({ n }) => n] },
        llm: () => `\`\`\`clojure\n(return (count (map (fn [n] (tool/search {:n n})) (range ${count}))))\n\`\`\``,
      });
      return { agent, step: await agent.run() };
    },
    ({ agent, step }) => turnfold.replay(agent, step),
  ],
  "calls of one program": [
    (bytes) => Math.ceil(bytes / 200),
    (count) =>
      new Lisp({
        limits: { toolCalls: 1e9, loopIterations: 1e9, fuel: 1e12, timeoutMs: 600_000 },
        tools: { search: ["(n :int) -> :int", ({ n }) => n] },
      }).run(`(count (map (fn [n] (tool/search {:n n})) (range ${count})))`),
  ],
  "turns of a renderer": [
    list((index) => Turn.success({ program: `(def x${index} 1)`, memory: { x: index } }), 200),
    (turns) => {
      const renderer = new Renderer({ mission: "Go", maxTurns: 1e6 }, turns);
      renderer.render();
      renderer.dispose();
    },
  ],
  "tools of an agent": [
    (bytes) =>
      Object.fromEntries(
        list((index) => [`tool-${index}`, { signature: "(a :int) -> :int", run: () => 1 }], 60)(bytes),
      ),
    (tools) => new Agent({ llm: () => "Done.", tools, ...quiet }).chat("Where?"),
  ],
  calibrate: [
    list((index) => ({ text: `text ${index}`, tokens: index + 1 }), 30),
    (samples) => turnfold.calibrate(samples),
  ],
};

/** The smallest of several processor times of this thread, in milliseconds; other processes hardly change it. */
async function time(run, input, times) {
  let least = Number.POSITIVE_INFINITY;
  for (let count = 0; count < times; count++) {
    const begun = threadTime();
    await outcome(() => run(input));
    least = Math.min(least, threadTime() - begun);
  }
  return least;
}

const measured = [];

/**
 * Doubles the input until it has `most` bytes or takes long.
 *
 * @param reached the size of the last input and its time.
 * @returns the same for a later call; null when no larger input is to be measured.
 */
async function measure([name, make, run], most, reached) {
  let { bytes: last, milliseconds: before } = reached;
  while (last < most) {
    const bytes = Math.min(before < SHORT_MS ? 4 * last : 2 * last, most);
    /** By what the time grew with each doubling. */
    const ratio = () => (own / before) ** (1 / Math.log2(bytes / last));
    const input = await make(bytes);
    let own = await time(run, input, 1);
    if (own >= MEASURABLE_MS && ratio() > MAX_RATIO) {
      // Compilers and garbage collection may have slowed it down.
      const half = await make(bytes / 2);
      [last, own, before] = [bytes / 2, Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      for (let again = 0; again < 3; again++) {
        gc();
        before = Math.min(before, await time(run, half, 1));
        gc();
        own = Math.min(own, await time(run, input, 1));
      }
      if (own >= MEASURABLE_MS && ratio() > MAX_RATIO) {
        const times = `${bytes / 1024} kB take ${own.toFixed(0)} ms, ${bytes / 2048} kB ${before.toFixed(0)} ms`;
        report(`time grows faster than the input: ${times}`, name);
        return null;
      }
    }
    measured.push({ name, bytes, ratio: ratio(), milliseconds: own });
    if (own > LONG_MS) return null;
    [last, before] = [bytes, own];
  }
  return { bytes: last, milliseconds: before };
}

/** Ends the process, or with GROWTH_ALL only prints the finding. */
function report(what, name) {
  if (process.env.GROWTH_ALL === undefined) finding(what, name, 0);
  console.log(`${name}: ${what}`);
}

const cases = [
  ...Object.entries(OF_TEXT).flatMap(([name, run]) =>
    Object.entries(TEXTS).map(([shape, make]) => [`${name}, ${shape}`, make, run]),
  ),
  ...Object.entries(OF_MESSAGES).flatMap(([name, run]) =>
    Object.entries(MESSAGES).map(([shape, make]) => [`${name}, ${shape}`, make, run]),
  ),
  ...Object.entries(OF_DATA).map(([name, [make, run]]) => [name, make, run]),
].filter(([name]) => name.includes(only));
// Another order each time, so that short runs reach all of them in the end.
for (let index = cases.length - 1; index > 0; index--) {
  const other = Math.floor(Math.random() * (index + 1));
  [cases[index], cases[other]] = [cases[other], cases[index]];
}
// All cases with inputs of medium size, and then those with large ones.
const counts = [];
let left = cases.map((one) => ({ one, reached: { bytes: SMALLEST / 2, milliseconds: Number.POSITIVE_INFINITY } }));
for (const most of [MIDDLE, LARGEST]) {
  const next = [];
  let count = 0;
  for (const { one, reached } of left) {
    if (performance.now() > END) break;
    const further = await measure(one, most, reached);
    if (further !== null) next.push({ one, reached: further });
    count++;
  }
  counts.push(`${count} of ${left.length} functions and shapes up to ${most / 1024} kB`);
  left = next;
}
measured.sort((left, right) => right.milliseconds - left.milliseconds);
for (const { name, bytes, ratio, milliseconds } of measured.slice(0, 15)) {
  console.log(
    `${milliseconds.toFixed(0).padStart(6)} ms ${String(bytes / 1024).padStart(5)} kB, ${ratio.toFixed(1)} times  ${name}`,
  );
}
console.log(`growth: ${counts.join(", ")}.`);
