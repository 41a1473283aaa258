// `manageRequest`: bodies of requests with shorter histories, which begin as the requests before them did.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { bill, Conversation } from "turnfold/audit";
import { countMessages, manageHistory } from "turnfold/chat";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { clearToolResults, digest, lastNMessages, manageRequest } from "turnfold/gateway";
import { randomHistory } from "../wire/histories.mjs";
import { Claude } from "../wire/receivers/claude.mjs";
import { receivers } from "../wire/receivers.mjs";
import { Refusal } from "../wire/refusal.mjs";
import { membersKnownTo } from "../wire/traffic.mjs";
import { seeded, share } from "./random.mjs";
import { randomMessages } from "./random-messages.mjs";
import { revoked } from "./revoked.mjs";

// ── bodies ───────────────────────────────────────────────────────────────────────────────────────────────────────────

const LINES = "src/server.ts:14 listens on port 8443\nsrc/prices.json was not found\nexit=3\n";

/** Rounds of an agent: a question now and then, calls of tools with long results, and what no format lists. */
function rounds(random, count) {
  return Array.from({ length: count }, (_, number) => ({
    question: number === 0 || random.chance(0.2) ? `Question ${number}: why?` : null,
    thought: random.chance(0.5) ? `I look at ${number}.` : null,
    calls: Array.from({ length: 1 + random.below(3) }, (_, call) => ({
      id: `call_${number}_${call}`,
      args: { path: `src/file${number}.ts`, depth: 1.5 },
      result: `Result ${number}.${call}\n${LINES.repeat(5 + random.below(40))}`,
    })),
  }));
}

/** The histories of {@link rounds} in each API, a list for each request: what the app adds to what it sent before. */
const apis = {
  anthropic: {
    member: "messages",
    others: { model: "claude-opus-5-5", max_tokens: 100, system: "You repair a shop.", metadata: { user_id: "u" } },
    added: ({ question, thought, calls }, before) => [
      ...(question === null ? [] : [{ role: "user", content: question }]),
      {
        role: "assistant",
        content: [
          ...(thought === null ? [] : [{ type: "thinking", thinking: thought, signature: `s${before}` }]),
          { type: "text", text: "Let me see.", vendor: 1 },
          ...calls.map(({ id, args }) => ({ type: "tool_use", id, name: "read", input: args })),
        ],
      },
      {
        role: "user",
        content: calls.map(({ id, result }) => ({ type: "tool_result", tool_use_id: id, content: result, vendor: {} })),
      },
    ],
  },
  openai: {
    member: "messages",
    others: { model: "gpt-5.6", seed: 7, tools: [{ type: "function", function: { name: "read" } }] },
    added: ({ question, calls }, before) => [
      ...(before === 0 ? [{ role: "developer", content: "You repair a shop." }] : []),
      ...(question === null ? [] : [{ role: "user", content: question }]),
      {
        role: "assistant",
        content: null,
        reasoning_content: "hm",
        tool_calls: calls.map(({ id, args }) => ({
          id,
          type: "function",
          function: { name: "read", arguments: JSON.stringify(args, null, 1) },
        })),
      },
      ...calls.map(({ id, result }) => ({ role: "tool", tool_call_id: id, content: result })),
    ],
  },
  "openai-responses": {
    member: "input",
    others: {
      model: "gpt-5.6",
      store: false,
      instructions: "You repair a shop.",
      include: ["reasoning.encrypted_content"],
    },
    added: ({ question, thought, calls }, before) => [
      ...(question === null ? [] : [{ role: "user", content: [{ type: "input_text", text: question }] }]),
      ...(thought === null
        ? []
        : [{ type: "reasoning", id: `rs_${before}`, summary: [], encrypted_content: "c2VjcmV0", status: null }]),
      ...calls.map(({ id, args }) => ({
        type: "function_call",
        id: `fc_${id}`,
        call_id: id,
        name: "read",
        arguments: JSON.stringify(args),
        status: "completed",
      })),
      ...calls.map(({ id, result }) => ({ type: "function_call_output", call_id: id, output: result })),
    ],
  },
};

/** JSON with numbers, escapes and white space that no writer gives: each item has a layout of its own. */
function unusual(random, item) {
  const text = JSON.stringify(item, null, random.pick([undefined, 1, "\t"]));
  return text.replace(/: ?1\.5\b/g, ":1.50e0").replaceAll('"Question', '"\\u0051uestion');
}

/** The bodies of the requests of a chat, with the texts of their items. */
function requestsOf(api, random, count) {
  const { member, others, added } = apis[api];
  const items = [];
  return rounds(random, count).map((round) => {
    items.push(...added(round, items.length).map((item) => unusual(random, item)));
    const [first, ...rest] = Object.entries(others).map(
      ([name, value]) => `${JSON.stringify(name)} : ${JSON.stringify(value)}`,
    );
    const list = `${JSON.stringify(member)}: [\n ${items.join(",\n ")}\n]`;
    return { text: `{ ${[first, list, ...rest].join(", ")} }`, items: [...items] };
  });
}

/** The texts of the items of a body whose items are joined as those of {@link requestsOf}. */
const prefixOf = (text) => text.slice(0, text.lastIndexOf("\n]"));

const strategies = {
  digest: { compressionStrategy: digest() },
  "a digest with shorter results": { compressionStrategy: digest(), arrival: "lossless" },
  "cleared results": { compressionStrategy: clearToolResults({ keep: 2, atLeast: 1000 }) },
  "a limit": { maxTokens: { limit: 30_000, trigger: 8000 }, onOverflow: "truncateResults" },
};

for (const api of Object.keys(apis)) {
  suite(`a growing history of ${api}`, () => {
    for (const [name, parameters] of Object.entries(strategies)) {
      test(`${name}: requests begin as those before them, except at folds`, async () => {
        let folds = 0;
        for (let seed = 1; seed <= share(8); seed++) {
          let state = null;
          let sent = null;
          for (const [number, { text, items }] of requestsOf(api, seeded(seed), 40).entries()) {
            const options = { ...parameters, state, at: 1000 * number };
            const { body, report, ...managed } = await manageRequest(text, options);
            const about = `seed ${seed}, request ${number}`;
            state = JSON.parse(JSON.stringify(managed.state));
            assert.deepEqual(report.warnings, []);
            assert.equal(report.session, number === 0 ? "new" : "continued");
            if (sent !== null && !report.isFolded) assert.ok(body.startsWith(prefixOf(sent)), about);
            if (report.isFolded) folds++;
            // What is around the history, and the items that are not replaced, are the app's text.
            const start = text.indexOf(items[0]);
            assert.ok(
              body.startsWith(text.slice(0, start)) && body.endsWith(text.slice(text.lastIndexOf("\n]"))),
              about,
            );
            const given = new Map(items.map((item) => [JSON.stringify(JSON.parse(item)), item]));
            const kept = JSON.parse(body)[apis[api].member].flatMap((item) => given.get(JSON.stringify(item)) ?? []);
            assert.ok(kept.length > 0 && kept.every((item) => body.includes(item)), about);
            assert.equal(body === text, !report.isChanged);
            // The same request again is sent as it was.
            const again = await manageRequest(text, { ...options, state });
            assert.equal(again.body, body, about);
            assert.deepEqual(again.state.entries, state.entries, about);
            // An object is managed as its text.
            const object = JSON.parse(text);
            const asObject = await manageRequest(object, options);
            assert.deepEqual(asObject.body, JSON.parse(body), about);
            assert.deepEqual(asObject.state, managed.state, about);
            if (!report.isChanged) assert.equal(asObject.body, object);
            sent = body;
          }
        }
        assert.ok(folds > 2, `${folds} folds`);
      });
    }

    test("is billed as manageHistory bills it that keeps the managed conversation", async () => {
      const { member, others } = apis[api];
      const format = api === "anthropic" ? anthropic : api === "openai" ? openai : openai.responses;
      const conversationOf = (data) =>
        format.from(
          api === "anthropic"
            ? { system: data.system, messages: data.messages }
            : api === "openai"
              ? data.messages
              : { instructions: data.instructions, input: data.input },
        );
      const parameters = {
        compressionStrategy: digest(),
        arrival: "lossless",
        provider: api === "anthropic" ? "anthropic" : "openai",
        prices: { granularity: 1 },
      };
      const [given, managed, kept] = [[], [], []];
      let state = null;
      let conversation = new Conversation();
      let count = 0;
      for (const [number, { text }] of requestsOf(api, seeded(3), 60).entries()) {
        const request = await manageRequest(text, { ...parameters, state, at: 1000 * number });
        state = request.state;
        managed.push({ messages: conversationOf(JSON.parse(request.body)).messages });
        const { messages } = conversationOf({ ...others, [member]: JSON.parse(text)[member] });
        given.push({ messages });
        conversation = conversation.append(...messages.slice(count));
        count = messages.length;
        const own = await manageHistory(conversation, parameters, {
          tools: others.tools,
          idleSeconds: number === 0 ? undefined : 1,
        });
        conversation = own.conversation;
        kept.push({ messages: own.messages });
        const { tokens } = request.report;
        const counted = { provider: parameters.provider, tools: others.tools };
        assert.equal(tokens.before, countMessages(messages, counted).total);
        assert.equal(tokens.after, countMessages(managed.at(-1).messages, counted).total);
      }
      const cost = (requests) => bill(requests, parameters.prices).cost;
      assert.ok(cost(managed) < 0.7 * cost(given));
      assert.ok(Math.abs(cost(managed) / cost(kept) - 1) < 0.001, `${cost(managed)} is not ${cost(kept)}`);
    });
  });
}

// ── states ───────────────────────────────────────────────────────────────────────────────────────────────────────────

/** Sends the requests of a chat, and returns the last one with what was made of it. */
async function sentAll(api, seed, count, parameters = strategies.digest) {
  const requests = requestsOf(api, seeded(seed), count);
  let managed = { state: null };
  for (const [number, { text }] of requests.entries()) {
    managed = await manageRequest(text, { ...parameters, state: managed.state, at: 1000 * number });
  }
  return { requests, ...managed, text: requests.at(-1).text };
}

test("the state of another chat does no harm, and neither does anything else", async () => {
  const own = await sentAll("anthropic", 1, 40);
  const anew = await manageRequest(own.text, { ...strategies.digest, at: 0 });
  const other = await sentAll("anthropic", 2, 40);
  const another = await sentAll("openai", 1, 40);
  assert.ok(other.state.count > 0 && own.state.count > 0);
  const wrong = [
    { ...own.state, version: 2 },
    { ...own.state, entries: [[0, 9e9], { message: 1 }] },
    { ...own.state, entries: 3 },
    { ...own.state, entries: [[0, 9e9]] },
    { ...own.state, at: null },
  ];
  for (const state of [other.state, another.state, ...wrong, "state", 1, {}, { version: 1 }]) {
    const managed = await manageRequest(own.text, { ...strategies.digest, at: 0, state });
    assert.equal(managed.report.session, "restarted");
    assert.equal(managed.body, anew.body);
    assert.deepEqual(managed.state, anew.state);
  }
  const several = [other.state, null, own.state, another.state];
  const { report, body } = await manageRequest(own.text, { ...strategies.digest, at: 0, state: several });
  assert.deepEqual([report.session, report.continued, body], ["continued", 2, own.body]);
  const none = await manageRequest(own.text, { ...strategies.digest, at: 0, state: [] });
  assert.equal(none.report.session, "new");
});

test("an edit behind the folds keeps them, an edit or a compaction before them starts anew", async () => {
  const { text, state, report } = await sentAll("anthropic", 1, 40);
  const body = JSON.parse(text);
  const options = { ...strategies.digest, at: 0, state };
  assert.ok(report.tokens.after < report.tokens.before);

  const asked = { ...body, messages: [...body.messages.slice(0, state.count), { role: "user", content: "And now?" }] };
  assert.equal((await manageRequest(asked, options)).report.session, "continued");

  const edited = structuredClone(body);
  edited.messages[2].content[0].content += ".";
  assert.equal((await manageRequest(edited, options)).report.session, "restarted");

  const compacted = {
    ...body,
    messages: [{ role: "user", content: "What happened so far: …" }, ...body.messages.slice(-3)],
  };
  const short = await manageRequest(compacted, options);
  assert.equal(short.report.session, "restarted");
  assert.equal(short.body, compacted);
  assert.equal(short.state.count, 0);
});

test("two chats that begin alike continue their own states", async () => {
  const { requests } = await sentAll("openai", 1, 30);
  const branch = (text, question) => {
    const body = JSON.parse(text);
    return { ...body, messages: [...body.messages, { role: "user", content: question }] };
  };
  const [left, right] = ["Left?", "Right?"].map((question) => branch(requests.at(-1).text, question));
  const states = await Promise.all(
    [left, right].map(async (body) => (await manageRequest(body, { ...strategies.digest, at: 0 })).state),
  );
  for (const [index, body] of [left, right].entries()) {
    const longer = {
      ...body,
      messages: [...body.messages, { role: "assistant", content: "Yes." }, { role: "user", content: "Why?" }],
    };
    const { report } = await manageRequest(longer, { ...strategies.digest, state: states, at: 1 });
    assert.deepEqual([report.session, report.continued], ["continued", index]);
  }
});

// ── marks for the cache ──────────────────────────────────────────────────────────────────────────────────────────────

const mark = { type: "ephemeral" };

/** Marks a message as Claude Code does: a text becomes a block. */
function marked(message, ttl) {
  const { content } = message;
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : content;
  const last = { ...blocks.at(-1), cache_control: ttl === undefined ? mark : { ...mark, ttl } };
  return { ...message, content: [...blocks.slice(0, -1), last] };
}

const marksIn = (body) => JSON.stringify(body).split('"cache_control"').length - 1;

test("marks that a client moves from request to request change no decision and stay where they are", async () => {
  let [state, plainState] = [null, null];
  for (const [number, { text }] of requestsOf("anthropic", seeded(5), 40).entries()) {
    const body = JSON.parse(text);
    const messages = body.messages.map((message, index) =>
      index >= body.messages.length - 3 && index % 2 === 0 ? marked(message) : message,
    );
    const options = { ...strategies["a digest with shorter results"], prices: "anthropic", at: 1000 * number };
    const managed = await manageRequest({ ...body, messages }, { ...options, state });
    const plain = await manageRequest(body, { ...options, state: plainState });
    [state, plainState] = [managed.state, plain.state];
    assert.deepEqual(state, plainState);
    assert.equal(marksIn(managed.body), marksIn(messages));
    assert.deepEqual(
      JSON.parse(JSON.stringify(managed.body).replaceAll(',"cache_control":{"type":"ephemeral"}', "")).messages.map(
        textOf,
      ),
      plain.body.messages.map(textOf),
    );
  }
  assert.ok(state.count > 0);
});

/** The content of a message, a single text as such. */
function textOf({ role, content }) {
  const isText = content.length === 1 && content[0].type === "text" && Object.keys(content[0]).length === 2;
  return { role, content: isText ? content[0].text : content };
}

test("the mark of folded messages is at the end of what replaces them, with its lifetime", async () => {
  const [{ text }] = requestsOf("anthropic", seeded(1), 60).slice(-1);
  const body = JSON.parse(text);
  const isQuestion = ({ role, content }) => role === "user" && typeof content === "string";
  const second = body.messages.findIndex((message, index) => index > 0 && isQuestion(message));
  assert.ok(second > 6);
  const messages = body.messages.map((message, index) => ([1, 4].includes(index) ? marked(message, "1h") : message));
  const options = { compressionStrategy: digest(), when: "always", at: 0 };
  const { body: sent, report } = await manageRequest({ ...body, messages }, options);
  assert.ok(report.isFolded);
  assert.equal(marksIn(sent), 1);
  const question = sent.messages.findIndex((message) => message.content === body.messages[second].content);
  const { role, content } = sent.messages[question - 1];
  assert.deepEqual([role, content.at(-1).cache_control], ["user", { ...mark, ttl: "1h" }]);

  const plain = await manageRequest(body, options);
  assert.deepEqual(sent.messages.map(textOf), plain.body.messages.map(textOf).with(question - 1, { role, content }));
});

test("prices are those of the provider's cache: without marks, nothing of Anthropic's is cached", async () => {
  const [{ text }] = requestsOf("anthropic", seeded(1), 1);
  const body = JSON.parse(text);
  const written = async (given) => {
    const { read, written, fresh, cost } = (await manageRequest(given, { ...strategies.digest, at: 0 })).report.cache;
    return written === 0 ? cost / fresh : Math.round((100 * (cost - 0.1 * read)) / written) / 100;
  };
  const long = { ...body, system: "Be careful. ".repeat(2000) };
  assert.equal(await written(long), 1);
  assert.equal(await written({ ...long, cache_control: mark }), 1.25);
  assert.equal(await written({ ...long, messages: long.messages.map((message) => marked(message)) }), 1.25);
  assert.equal(await written({ ...long, messages: long.messages.map((message) => marked(message, "1h")) }), 2);
});

// ── bodies that are not managed ──────────────────────────────────────────────────────────────────────────────────────

test("a body that is not understood passes unchanged, with a warning, and keeps the state", async () => {
  const [{ text }] = requestsOf("openai-responses", seeded(1), 1);
  const items = JSON.parse(text).input;
  const bodies = {
    "no JSON": ["", "{", "no", undefined, 3, null, [], new Uint8Array(2)],
    "no known format": [{}, { prompt: "Hello" }, { messages: [{ role: "user", parts: [] }] }, '{"contents":[]}'],
    "the server has": [
      { model: "m", input: items, previous_response_id: "resp_1" },
      { model: "m", input: items, conversation: { id: "conv_1" } },
      { model: "m", input: [...items, { type: "item_reference", id: "rs_1" }] },
    ],
    "no list": [
      { model: "m", input: 3 },
      { model: "m", input: [3] },
    ],
    twice: ['{"messages":[],"model":"gpt","messages":[{"role":"user","content":"Hello"}]}'],
    "more than 1000|more than 1,000": [
      `{"messages":[{"role":"user","content":${"[".repeat(2000)}${"]".repeat(2000)}}]}`,
    ],
    "messages\\[0\\]": [{ max_tokens: 1, system: "Be kind.", messages: [{ role: "critic", content: "No." }] }],
  };
  const state = { version: 1 };
  for (const [reason, some] of Object.entries(bodies)) {
    for (const body of some) {
      const managed = await manageRequest(body, { ...strategies.digest, state });
      assert.equal(managed.body, body);
      assert.equal(managed.state, state);
      const { format, isChanged, warnings, tokens } = managed.report;
      assert.deepEqual([format, isChanged, tokens, warnings.length], [null, false, null, 1], JSON.stringify(body));
      assert.match(warnings[0], new RegExp(`^the body passes unchanged: .*(${reason})`), JSON.stringify(body));
    }
  }
  const text2 = { model: "m", input: "Hello" };
  const { body, report } = await manageRequest(text2, strategies.digest);
  assert.equal(body, text2);
  assert.deepEqual(report.warnings, []);
});

test("a body or a state that can't be read is no error", async () => {
  const fail = () => {
    throw new RangeError("boom");
  };
  const body = JSON.parse(requestsOf("openai", seeded(1), 1)[0].text);
  const hostile = [
    new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail }),
    revoked({}),
    { ...body, messages: revoked([]) },
    { ...body, messages: [revoked({})] },
    Object.defineProperty({ model: "m" }, "messages", { get: fail, enumerable: true }),
    { ...body, messages: [Object.defineProperty({ role: "user" }, "content", { get: fail, enumerable: true })] },
  ];
  for (const given of hostile) {
    const { report, ...managed } = await manageRequest(given, strategies.digest);
    assert.equal(managed.body, given);
    assert.match(report.warnings[0], /^the body passes unchanged: /);
  }
  for (const state of hostile.toSpliced(1, 1)) {
    const { report } = await manageRequest(body, { ...strategies.digest, state });
    assert.equal(report.session, "restarted");
  }
});

test("options that are wrong are refused, with any body", async () => {
  for (const body of ["", '{"model":"gpt","messages":[{"role":"user","content":"Hello"}]}']) {
    for (const [options, message] of [
      [{ strategy: digest() }, /compressionStrategy/],
      [{ when: "never" }, /when/],
      [{ format: "gemini" }, /format must be/],
      [{ at: "now" }, /at must be milliseconds/],
      [null, /the options/],
    ])
      await assert.rejects(
        manageRequest(body, options),
        ({ code, message: text, hint }) => code === "invalid_option" && message.test(`${text} ${hint}`),
      );
  }
});

test("options that are undefined are not given", async () => {
  const [{ text }] = requestsOf("openai", seeded(1), 30).slice(-1);
  const given = { compressionStrategy: digest(), at: 0 };
  const names =
    "state isStateLost format llm retry signal onWarning summaryStore when minMessages maxTokens maxHistorySize arrival prices provider thinking counter";
  const absent = Object.fromEntries(names.split(" ").map((name) => [name, undefined]));
  assert.deepEqual(await manageRequest(text, { ...absent, ...given }), await manageRequest(text, given));
  assert.equal((await manageRequest(text)).body, text);
});

test("random messages of a provider pass unchanged, or as a conversion writes them", async () => {
  for (let seed = 1; seed <= share(400); seed++) {
    const random = seeded(seed);
    const isAnthropic = random.chance(0.5);
    const own = isAnthropic ? randomMessages.anthropic(random) : { messages: randomMessages.openai(random) };
    const body = { model: "m", ...own, vendor: [1] };
    const text = JSON.stringify(body, null, random.below(3));
    const format = isAnthropic ? "anthropic" : "openai";
    const none = await manageRequest(text, { format });
    assert.equal(none.body, text);
    const options = {
      format,
      ...random.pick(Object.values(strategies)),
      when: "always",
      minMessages: 0,
      keepAtLeast: 0,
    };
    delete options.maxTokens;
    const managed = await manageRequest(text, options);
    const { messages, ...others } = JSON.parse(managed.body);
    const { messages: _, ...given } = body;
    assert.deepEqual(others, JSON.parse(JSON.stringify(given)));
    assert.ok(Array.isArray(messages));
    assert.equal(managed.report.isChanged, managed.body !== text);
    const again = await manageRequest(text, { ...options, state: managed.state });
    assert.equal(again.body, managed.body, `seed ${seed}`);
  }
});

// ── providers ────────────────────────────────────────────────────────────────────────────────────────────────────────

test("thinking before a fold is removed for good, and that of later answers returns as it came", async () => {
  const hasThought = ({ content }) => Array.isArray(content) && content.some(({ type }) => type === "thinking");
  for (const type of ["adaptive", "enabled"]) {
    let [state, folded, later] = [null, 0, 0];
    for (const [number, { text }] of requestsOf("anthropic", seeded(4), 40).entries()) {
      const body = { ...JSON.parse(text), thinking: { type } };
      const options = { compressionStrategy: clearToolResults(), when: "worthIt", prices: "anthropic" };
      const managed = await manageRequest(body, { ...options, state, at: 1000 * number });
      state = managed.state;
      const thoughts = managed.body.messages.filter(hasThought).length;
      if (type === "enabled") assert.equal(thoughts, body.messages.filter(hasThought).length);
      else if (managed.report.isFolded) {
        folded++;
        assert.equal(thoughts, 0);
      } else if (folded > 0) {
        const added = body.messages.slice(state.count).filter(hasThought).length;
        assert.equal(thoughts, added);
        later += added;
      }
    }
    if (type === "adaptive") assert.ok(folded > 1 && later > 1);
  }
});

for (const type of ["adaptive", "enabled"]) {
  test(`a server that signs ${type} thinking accepts every request of an app that keeps its whole history`, async () => {
    const parameters = [...Object.values(strategies), { compressionStrategy: clearToolResults(), when: "worthIt" }];
    for (const [number, own] of parameters.entries()) {
      const random = seeded(number + 1);
      const claude = new Claude();
      const tools = [{ name: "read", input_schema: { type: "object" } }];
      const body = {
        model: "claude-opus-5-5",
        max_tokens: 99,
        thinking: type === "enabled" ? { type, budget_tokens: 1024 } : { type },
        tools,
      };
      const messages = [{ role: "user", content: "Why does the shop not start?" }];
      let [state, folds] = [null, 0];
      for (let round = 0; round < 30; round++) {
        const given = random.chance(0.5) ? { ...body, messages } : JSON.stringify({ ...body, messages }, null, 1);
        const managed = await manageRequest(given, { ...own, prices: "anthropic", state, at: 1000 * round });
        state = JSON.parse(JSON.stringify(managed.state));
        folds += managed.report.isFolded ? 1 : 0;
        const sent = typeof managed.body === "string" ? JSON.parse(managed.body) : managed.body;
        const isThought = type === "enabled" || random.chance(0.7);
        const reply = claude.reply(sent, [
          ...(isThought ? [{ type: "thinking", thinking: `I think of ${round}.` }] : []),
          { type: "text", text: "Let me see." },
          { type: "tool_use", id: `c${round}`, name: "read", input: { path: `src/f${round}.ts` } },
        ]);
        const content = `${round}\n${LINES.repeat(20 + random.below(30))}`;
        messages.push(
          { role: "assistant", content: reply },
          { role: "user", content: [{ type: "tool_result", tool_use_id: `c${round}`, content }] },
        );
      }
      assert.ok(folds > 1, JSON.stringify(own));
      assert.ok(claude.returned > 0);
    }
  });
}

test("thinking in a history whose state is lost is not sent, and no server refuses what is", async () => {
  const claude = new Claude();
  const body = { model: "claude-opus-5-5", max_tokens: 99, thinking: { type: "adaptive" } };
  const tools = [{ name: "read", input_schema: { type: "object" } }];
  const messages = [{ role: "user", content: "Why does the shop not start?" }];
  const thoughts = (list) => list.filter(({ content }) => content[0]?.type === "thinking").length;
  let state = null;
  for (let round = 0; round < 30; round++) {
    // A pause after which everything is folded, which a history does not show.
    const at = 1000 * round + (round >= 8 ? 1e7 : 0);
    if (round === 10 || round === 20) state = null;
    const given = { ...body, tools, messages };
    const options = { compressionStrategy: digest(), prices: "anthropic", state, isStateLost: true, at };
    const { body: sent, report, ...managed } = await manageRequest(given, options);
    if (state === null && round > 0)
      assert.ok(report.isFolded && thoughts(sent.messages) === 0 && thoughts(messages) > 0);
    state = JSON.parse(JSON.stringify(managed.state));
    assert.equal((await manageRequest(given, { ...options, state })).body.messages.length, sent.messages.length);
    const content = claude.reply(sent, [
      { type: "thinking", thinking: `I think of ${round}.` },
      { type: "tool_use", id: `c${round}`, name: "read", input: { path: `src/f${round}.ts` } },
    ]);
    const result = { type: "tool_result", tool_use_id: `c${round}`, content: `${round}\n${LINES.repeat(30)}` };
    messages.push({ role: "assistant", content }, { role: "user", content: [result] });
  }
  assert.ok(claude.returned > 5);
  const enabled = { ...body, thinking: { type: "enabled", budget_tokens: 1024 }, messages };
  assert.equal((await manageRequest(enabled, { isStateLost: true })).body, enabled);
});

test("isStateLost leaves the thinking of a history that the app edits before its first fold", async () => {
  const thought = { type: "thinking", thinking: "It is known.", signature: "signed" };
  const bodyAfter = (question) => ({
    model: "claude-opus-5-5",
    max_tokens: 9,
    messages: [
      { role: "user", content: "What does tea cost?" },
      { role: "assistant", content: [thought, { type: "text", text: "4." }] },
      { role: "user", content: question },
    ],
  });
  const options = { compressionStrategy: digest(), isStateLost: true, at: 0 };
  const first = { ...bodyAfter(""), messages: bodyAfter("").messages.slice(0, 1) };
  const { state } = await manageRequest(first, options);
  const next = await manageRequest(bodyAfter("And coffee?"), { ...options, state });
  const edited = bodyAfter("And coffee? No: and water?");
  const { body, report } = await manageRequest(edited, { ...options, state: [next.state] });
  assert.equal(body, edited);
  assert.deepEqual([report.session, report.isFolded], ["restarted", false]);
  const restarted = await manageRequest(edited, options);
  assert.equal(restarted.body.messages[1].content.length, 1);
  const folded = await manageRequest(edited, { ...options, state: [next.state, restarted.state] });
  assert.deepEqual(folded.body, restarted.body);
});

for (const [dialect, { format, bodyOf }] of Object.entries({
  anthropic: { format: "anthropic", bodyOf: (given) => ({ model: "m", max_tokens: 9, ...given }) },
  openai: { format: "openai", bodyOf: (messages) => ({ model: "m", messages }) },
  responses: { format: "openai-responses", bodyOf: (input) => ({ model: "m", store: false, input }) },
})) {
  test(`a body that a strict server of ${format} accepts is accepted when it was managed`, async () => {
    let [accepted, changed] = [0, 0];
    for (let seed = 1; seed <= share(600); seed++) {
      const random = seeded(seed);
      const { messages } = randomHistory(random, dialect);
      const body = JSON.parse(
        JSON.stringify(bodyOf(Array.isArray(messages) && dialect === "anthropic" ? { messages } : messages)),
      );
      const known = { known: membersKnownTo(dialect, messages) };
      try {
        receivers[dialect](body, known);
      } catch (error) {
        assert.ok(error instanceof Refusal, error.stack);
        continue;
      }
      accepted++;
      const options = {
        format,
        ...random.pick(Object.values(strategies)),
        when: "always",
        minMessages: random.below(4),
        at: 0,
      };
      delete options.maxTokens;
      const text = JSON.stringify(body, null, random.below(3));
      const managed = await manageRequest(
        text,
        random.chance(0.3) ? { format, maxHistorySize: 6, onOverflow: "send" } : options,
      );
      if (managed.report.isChanged) changed++;
      const sent = JSON.parse(managed.body);
      // Limits take precedence over the role of the first message.
      if (sent.messages?.[0]?.role !== "assistant")
        assert.doesNotThrow(() => receivers[dialect](sent, known), `seed ${seed}`);
    }
    assert.ok(accepted > 20 && changed > 5, `${accepted} accepted, ${changed} changed`);
  });
}

test("summaries are requested from `llm`, once", async () => {
  let calls = 0;
  const llm = async () => `Summary ${++calls}: the prices were not found.`;
  const parameters = { compressionStrategy: lastNMessages(6), when: "worthIt", llm };
  const { body, state, requests } = await sentAll("openai", 1, 40, parameters);
  assert.ok(calls > 0 && calls < 10, `${calls} calls`);
  assert.match(body, new RegExp(`Summary ${calls}`));
  const before = calls;
  await manageRequest(requests.at(-1).text, { ...parameters, state, at: 0 });
  assert.equal(calls, before);
  await assert.rejects(
    manageRequest(requests.at(-1).text, { compressionStrategy: lastNMessages(6), when: "always", at: 0 }),
    {
      code: "missing_llm",
    },
  );
});

test("integers beyond 2^53 in a message that is partly replaced keep their digits", async () => {
  const [{ text }] = requestsOf("anthropic", seeded(1), 40).slice(-1);
  const body = text.replaceAll('"depth"', '"id": 12345678901234567890, "depth"');
  const { body: sent, report } = await manageRequest(body, { ...strategies["cleared results"], at: 0 });
  assert.ok(report.isFolded && sent.includes("12345678901234567890") && !sent.includes("1234567890123456800"));
  assert.ok(!sent.includes('"12345678901234567890"'));
});

test("the usage of replies corrects the counts", async () => {
  const requests = requestsOf("openai", seeded(1), 12);
  let state = null;
  for (const [number, { text }] of requests.entries()) {
    const { report, ...managed } = await manageRequest(text, { ...strategies.digest, state, at: 1000 * number });
    const counted = (report.tokens.after - report.tokens.fixed) / report.tokens.factor;
    const usage = { inputTokens: Math.round(2 * counted), outputTokens: 10 };
    state = JSON.parse(JSON.stringify({ ...managed.state, usage }));
    if (number > 5) assert.ok(Math.abs(report.tokens.factor - 2) < 0.1, String(report.tokens.factor));
  }
});
