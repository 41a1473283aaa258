// A chat with a real model: its server dies, its context is exceeded, and long conversations stay within their limits.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Agent, Conversation, lastNMessages, TurnfoldError } from "turnfold";
import { openaiModel } from "turnfold/models/openai";
import { weights } from "../../scripts/model.mjs";
import { loadCounter } from "./engine/engine.mjs";
import { beginningOf, FIXED, serveModel } from "./served.mjs";

const SYSTEM = "You are a guide in a museum of ships. You answer in one short sentence.";
let counter;

before(async () => {
  counter = await loadCounter(weights);
});

const rolesOf = (messages) => messages.map(({ role, partial }) => (partial ? `${role}, partial` : role));

suite("a server that is killed", () => {
  const question = "Tell me a long story about an old ship.";

  test("in a stream: the streamed text is kept, and resume() asks the next server", async () => {
    const first = await serveModel({ context: 1024 });
    const llm = openaiModel(first.client, { ...FIXED, max_tokens: 60 });
    const agent = new Agent({ system: SYSTEM, llm });
    const call = agent.stream(question);
    const text = await beginningOf(call, 30);
    await first.kill();
    await assert.rejects(call.done, (error) => {
      assert.ok(TurnfoldError.isInstance(error));
      assert.equal(error.code, "llm_error");
      assert.match(error.message, /could not be asked|terminated|connection/i);
      assert.match(error.hint, /agent\.resume\(\)/);
      assert.deepEqual(rolesOf(error.details.messages), ["user", "assistant, partial"]);
      assert.ok(error.cause instanceof Error);
      return true;
    });
    assert.deepEqual(rolesOf(agent.conversation.messages), ["system", "user", "assistant, partial"]);
    assert.ok(agent.conversation.messages.at(-1).content.startsWith(text));
    assert.ok(agent.isUnfinished);

    // With no server a second attempt fails the same way, and still nothing is lost.
    await assert.rejects(agent.resume(), { code: "llm_error" });
    assert.deepEqual(rolesOf(agent.conversation.messages), ["system", "user", "assistant, partial"]);

    const next = await serveModel({ context: 1024, port: first.port });
    try {
      const { text: whole, usage } = await agent.resume();
      assert.ok(whole.startsWith(text), `${whole} begins otherwise than ${text}`);
      assert.equal(usage.inputTokens, counter.prompt(agent.conversation.messages.slice(0, 2)));
      assert.deepEqual(rolesOf(agent.conversation.messages), ["system", "user", "assistant"]);
      assert.deepEqual(rolesOf(agent.transcript), ["system", "user", "assistant"]);
      assert.equal(agent.isUnfinished, false);
    } finally {
      await next.close();
    }
  });

  test("before a whole reply: the question is kept, and retry asks the next server", async () => {
    const first = await serveModel({ context: 1024 });
    let next;
    const errors = [];
    const agent = new Agent({
      system: SYSTEM,
      llm: openaiModel(first.client, { ...FIXED, max_tokens: 60, stream: false }),
      // Enough attempts until the server is back.
      retry: { attempts: 400, when: (error) => errors.push(error.message) > 0, delayMs: () => 250 },
    });
    const asked = agent.chat(question);
    while ((await first.stats()).generated < 5) await pause(10);
    await first.kill();
    try {
      next = await serveModel({ context: 1024, port: first.port });
      const { text } = await asked;
      assert.ok(text.length > 40);
      assert.ok(errors.length > 0);
      assert.ok(
        errors.every((message) => /connection/i.test(message)),
        errors.join(),
      );
      assert.equal((await next.stats()).requests, 1);
    } finally {
      await next?.close();
    }
  });
});

suite("a context that is exceeded", () => {
  const CONTEXT = 384;
  let server;

  before(async () => {
    server = await serveModel({ context: CONTEXT });
  });
  after(() => server?.close());

  /** A conversation of about three times the context. */
  const long = () =>
    Array.from({ length: 40 }, (_, index) => ({
      role: index % 2 === 0 ? "user" : "assistant",
      content: `Number ${index}: the ship in hall ${index} was built in ${1700 + index} and sails no more, alas.`,
    }));
  const agentWith = (parameters, onWarning) =>
    new Agent({
      conversation: new Conversation({ messages: [{ role: "system", content: SYSTEM }, ...long()] }),
      llm: openaiModel(server.client, { ...FIXED, max_tokens: 24, ...parameters }),
      onWarning,
    });

  for (const stream of [true, false]) {
    test(`an agent with maxTokens manages its history to the model's limit, and repeats the request; stream: ${stream}`, async () => {
      const warnings = [];
      const agent = agentWith({ stream }, (text) => warnings.push(text));
      assert.ok(counter.prompt(agent.conversation.messages) > 2 * CONTEXT);
      const { text, reports, usage } = await agent.chat("Which hall is the best?", { maxTokens: 100_000 });
      assert.ok(text.length > 0);
      assert.equal(reports.length, 2);
      assert.ok(usage.inputTokens + 24 <= CONTEXT, String(usage.inputTokens));
      // The limit in the refusal is used: the request is not much shorter than the limit.
      assert.ok(usage.inputTokens > 0.6 * (CONTEXT - 24), String(usage.inputTokens));
      assert.equal(warnings.length, 1);
      assert.match(warnings[0], new RegExp(`refused a request.*it takes ${CONTEXT - 24} tokens`));
      const { messages } = agent.conversation;
      assert.equal(messages[0].content, SYSTEM);
      assert.equal(messages.at(-2).content, "Which hall is the best?");
      assert.equal(agent.transcript.length, 43, "the transcript has all of it");
    });
  }

  test("an agent without maxTokens fails with a hint, and keeps the question", async () => {
    const agent = agentWith({}, () => {});
    await assert.rejects(agent.chat("Which hall is the best?"), (error) => {
      assert.equal(error.code, "llm_error");
      assert.match(error.message, /maximum context length is 384 tokens/);
      assert.match(error.hint, /maxTokens/);
      return true;
    });
    assert.equal(agent.conversation.messages.length, 42);
    const { text, reports } = await agent.resume({ maxTokens: CONTEXT - 64, counter });
    assert.ok(text.length > 0);
    assert.equal(reports.length, 1, "the limit left room for what the template adds");
  });
});

suite("long conversations", () => {
  const QUESTIONS = Array.from({ length: 30 }, (_, index) => {
    const things = ["ship", "anchor", "sail", "map", "captain", "storm"];
    return `Question ${index + 1}: what do you know about the ${things[index % 6]} in hall ${index + 1}?`;
  });
  let server;

  before(async () => {
    server = await serveModel({ context: 1024 });
  });
  after(() => server?.close());

  /** Asks the questions; returns the tokens of each request by the server's tokenizer, and the tokens from its cache. */
  async function talk(agent, questions, parameters) {
    const requests = [];
    let evaluated = (await server.stats()).evaluated;
    for (const question of questions) {
      const { usage, report, text } = await agent.chat(question, parameters);
      const now = (await server.stats()).evaluated;
      requests.push({ ...usage, report, text, evaluated: now - evaluated });
      evaluated = now;
    }
    return requests;
  }

  test("thirty questions stay within maxTokens by the model's tokenizer, and most of each request is cached", async () => {
    const LIMIT = 320;
    const agent = new Agent({ system: SYSTEM, llm: openaiModel(server.client, { ...FIXED, max_tokens: 14 }) });
    const requests = await talk(agent, QUESTIONS, { maxTokens: LIMIT });
    const sent = requests.map(({ inputTokens }) => inputTokens);
    assert.ok(Math.max(...sent) <= LIMIT, `${sent}`);
    assert.ok(Math.max(...sent) > 0.8 * LIMIT, `the limit is used: ${sent}`);
    const trimmed = requests.filter(({ report }) => report.outcome === "trimmed").length;
    assert.ok(trimmed >= 3, String(trimmed));
    assert.equal(agent.transcript.length, 61);
    // The agent's count of a request differs from the server's by a few per cent.
    const { report, inputTokens } = requests.at(-1);
    assert.ok(Math.abs(report.tokens.after / inputTokens - 1) < 0.1, `${report.tokens.after} for ${inputTokens}`);
    for (const { inputTokens, cacheReadTokens, evaluated } of requests) {
      assert.equal(evaluated, inputTokens - cacheReadTokens);
    }
    const total = requests.reduce((sum, { inputTokens }) => sum + inputTokens, 0);
    const cached = requests.reduce((sum, { cacheReadTokens }) => sum + cacheReadTokens, 0);
    console.log(`30 questions: ${total} tokens sent, ${Math.round((100 * cached) / total)} % from the cache`);
    assert.ok(cached / total > 0.6, `${cached} of ${total}`);
  });

  test("a history that is cut to the target of maxTokens is evaluated less than one cut to the limit each time", async () => {
    const evaluated = {};
    for (const target of [0.6, 1]) {
      const agent = new Agent({ system: SYSTEM, llm: openaiModel(server.client, { ...FIXED, max_tokens: 8 }) });
      const requests = await talk(agent, QUESTIONS.slice(0, 12), { maxTokens: { limit: 200, target }, counter });
      assert.ok(requests.every(({ inputTokens }) => inputTokens <= 200));
      evaluated[target] = requests.reduce((sum, { evaluated }) => sum + evaluated, 0);
    }
    console.log(`evaluated with target 0.6: ${evaluated[0.6]}, with 1: ${evaluated[1]}`);
    assert.ok(evaluated[0.6] < 0.75 * evaluated[1], JSON.stringify(evaluated));
  });

  test("the model writes the summaries that replace old messages", async () => {
    const answers = openaiModel(server.client, { ...FIXED, max_tokens: 14 });
    // A summary that is cut off is not used, so the grammar makes it end.
    const sentence = 'root ::= [^.\\n]{20,120} "."';
    const summaries = openaiModel(server.client, { ...FIXED, max_tokens: 120, grammar: sentence });
    const llm = (request) => (request.purpose === "summary" ? summaries(request) : answers(request));
    const agent = new Agent({ system: SYSTEM, llm });
    const parameters = { compressionStrategy: lastNMessages(4), minMessages: 6 };
    const requests = await talk(agent, QUESTIONS.slice(0, 8), parameters);
    const applied = requests.filter(({ report }) => report.outcome === "applied");
    assert.ok(applied.length >= 2, String(applied.length));
    const summary = agent.conversation.messages.find(({ summary }) => summary !== undefined);
    assert.match(summary.content, /^Summary of \d+ earlier messages:\n\n.{20,120}\.$/);
    assert.ok(agent.conversation.messages.length <= 8);
    assert.equal(agent.transcript.filter(({ role }) => role === "user").length, 8);
  });
});
