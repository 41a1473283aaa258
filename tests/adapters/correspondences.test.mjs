// The rows of the tables in docs/adapters that say what corresponds to a framework's own parts: both sides get the same
// messages, and the tests name what is the same and what is not.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { TokenLimiter, ToolCallFilter } from "@mastra/core/processors";
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, summarizationMiddleware } from "langchain";
import { langchain, turnfoldMiddleware } from "../../dist/adapters/langchain.js";
import { turnfoldProcessor } from "../../dist/adapters/mastra.js";
import { clearToolResults, countMessages, lastNMessages } from "../../dist/chat.js";

const LONG = "It left the depot in Leipzig. ".repeat(20);
const ROUNDS = 8;
const toolOf = (round) => (round === 0 ? "skill" : "find");
const argsOf = (round) => ({ query: `the parcel with the number ${round}, and everything that belongs to it` });
const rounds = (messagesOf) => Array.from({ length: ROUNDS }, (_, round) => messagesOf(round)).flat();

suite("LangChain", () => {
  class Model extends SimpleChatModel {
    asked = [];
    _llmType() {
      return "scripted";
    }
    bindTools() {
      return this;
    }
    async _call(messages) {
      this.asked.push(messages);
      return "They talked about parcels.";
    }
  }

  const history = rounds((round) => [
    new HumanMessage(`Question ${round}`),
    new AIMessage({ content: "", tool_calls: [{ id: `c${round}`, name: toolOf(round), args: argsOf(round) }] }),
    new ToolMessage({ tool_call_id: `c${round}`, name: toolOf(round), content: LONG }),
    new AIMessage(`Answer ${round}`),
  ]);
  const given = [...history, new HumanMessage("And now?")];

  /** What an agent with a middleware sends to its model, and the messages of its state afterwards. */
  async function run(middleware) {
    const model = new Model({});
    const agent = createAgent({ model, systemPrompt: "You help.", middleware: [middleware] });
    const { messages } = await agent.invoke({ messages: given });
    return { sent: model.asked.at(-1), state: messages };
  }

  const texts = (messages) => messages.map((message) => `${message.getType()}: ${message.text}`);
  const callsIn = (messages) => messages.flatMap((message) => message.tool_calls ?? []);
  const isCleared = ({ text }) => text.includes("cleared]");

  /** The indexes of the cleared results among all results. */
  const clearedIn = (messages) =>
    messages
      .filter((message) => message.getType() === "tool")
      .flatMap((message, index) => (isCleared(message) ? [index] : []));

  test("contextEditingMiddleware and clearToolResults with a trigger clear the same results, and drop nothing", async () => {
    const edit = { trigger: { tokens: 1000 }, keep: { messages: 3 } };
    const theirs = await run(contextEditingMiddleware({ edits: [new ClearToolUsesEdit(edit)] }));
    const ours = await run(
      turnfoldMiddleware({
        compressionStrategy: clearToolResults({ keep: 3 }),
        maxTokens: { limit: 128_000, trigger: 1000 },
      }),
    );
    assert.deepEqual(clearedIn(ours.sent), [0, 1, 2, 3, 4]);
    assert.deepEqual(clearedIn(theirs.sent), clearedIn(ours.sent));
    assert.equal(theirs.sent.length, given.length + 1);
    assert.equal(ours.sent.length, given.length + 1);
    assert.deepEqual(callsIn(ours.sent), callsIn(theirs.sent));
    // A limit without a trigger drops messages that still do not fit.
    const limited = await run(
      turnfoldMiddleware({ compressionStrategy: clearToolResults({ keep: 3 }), maxTokens: 700, onWarning() {} }),
    );
    assert.ok(limited.sent.length < given.length);
  });

  test("excludeTools is exclude, and clearToolInputs is clearInputs, whose arguments say that they were cleared", async () => {
    const edit = { trigger: { tokens: 1000 }, keep: { messages: 3 }, excludeTools: ["skill"], clearToolInputs: true };
    const theirs = await run(contextEditingMiddleware({ edits: [new ClearToolUsesEdit(edit)] }));
    const ours = await run(
      turnfoldMiddleware({
        compressionStrategy: clearToolResults({ keep: 3, exclude: ["skill"], clearInputs: true }),
        maxTokens: { limit: 128_000, trigger: 1000 },
      }),
    );
    assert.deepEqual(clearedIn(ours.sent), [1, 2, 3, 4]);
    assert.deepEqual(clearedIn(theirs.sent), clearedIn(ours.sent));
    const args = ({ sent }) => callsIn(sent).map(({ args }) => args);
    const kept = (round) => [0, 5, 6, 7].includes(round);
    const expected = (stub) => rounds((round) => [kept(round) ? argsOf(round) : stub]);
    assert.deepEqual(args(theirs), expected({}));
    assert.deepEqual(args(ours), expected({ cleared: "old arguments" }));
  });

  test("summarizationMiddleware and lastNMessages keep the last messages; ours does not count the question among them", async () => {
    const theirs = await run(
      summarizationMiddleware({ model: new Model({}), trigger: { tokens: 1000 }, keep: { messages: 9 } }),
    );
    const ours = await run(
      turnfoldMiddleware({
        llm: new Model({}),
        compressionStrategy: lastNMessages(8),
        maxTokens: { limit: 128_000, trigger: 1000 },
        persist: true,
      }),
    );
    assert.deepEqual(texts(ours.sent).slice(2), texts(given.slice(-9)));
    assert.deepEqual(texts(theirs.sent).slice(2), texts(ours.sent).slice(2));
    for (const { sent, state } of [theirs, ours]) {
      assert.match(sent[1].text, /They talked about parcels\.$/);
      assert.equal(sent[1].additional_kwargs.lc_source, "summarization");
      assert.equal(state.length, 11);
    }
  });

  test("trimMessages fills its limit, as maxTokens does with a target of 1; the default target leaves room", async () => {
    const tokenCounter = (messages) => countMessages(langchain.from(messages).messages).total;
    const all = [new SystemMessage("You help."), ...given];
    const trimmed = async (options) =>
      texts(await trimMessages(all, { maxTokens: 800, strategy: "last", tokenCounter, ...options }));
    const theirs = await trimmed({ includeSystem: true, startOn: "human" });
    const sent = async (maxTokens) => texts((await run(turnfoldMiddleware({ maxTokens }))).sent);
    assert.deepEqual(await sent({ limit: 800, target: 1 }), theirs);
    const lower = await sent(800);
    assert.ok(lower.length < theirs.length);
    assert.deepEqual(lower.slice(1), theirs.slice(1 - lower.length));
    // Without these options it drops the system message and begins with an answer.
    assert.match((await trimmed())[0], /^ai: Answer/);
  });
});

suite("Mastra", () => {
  const text = (text) => [{ type: "text", text }];
  const prompt = [
    { role: "system", content: "You help." },
    ...rounds((round) => {
      const call = { toolCallId: `c${round}`, toolName: toolOf(round) };
      return [
        { role: "user", content: text(`Question ${round}`) },
        { role: "assistant", content: [...text("I look."), { type: "tool-call", ...call, input: argsOf(round) }] },
        { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: LONG } }] },
        { role: "assistant", content: text(`Answer ${round}`) },
      ];
    }),
    { role: "user", content: text("And now?") },
  ];

  /** What processors one after the other leave of a prompt. */
  async function through(...processors) {
    let now = prompt;
    for (const processor of processors) {
      const asked = { prompt: now, state: {}, steps: [], stepNumber: 0, model: null, messages: [] };
      now = (await processor.processLLMRequest(asked))?.prompt ?? now;
    }
    return now;
  }

  const partsIn = (messages) => messages.flatMap(({ content }) => (typeof content === "string" ? [] : content));
  const toolParts = (messages) => partsIn(messages).filter(({ type }) => type.startsWith("tool-"));
  const isEnd = (messages) =>
    messages.every((message) => prompt.slice(1 - messages.length).includes(message) || message === prompt[0]);

  test("TokenLimiter with contiguous fills its limit with the newest messages, as maxTokens does with a target of 1", async () => {
    const theirs = await through(new TokenLimiter({ limit: 800, trimMode: "contiguous" }));
    const ours = await through(turnfoldProcessor({ maxTokens: { limit: 800, target: 1 } }));
    for (const sent of [theirs, ours]) {
      assert.equal(sent[0], prompt[0]);
      assert.ok(isEnd(sent));
    }
    // They count differently, and ours begins with a question.
    assert.ok(Math.abs(theirs.length - ours.length) <= 4, `${theirs.length} and ${ours.length} messages`);
    assert.equal(ours[1].role, "user");
    const lower = await through(turnfoldProcessor({ maxTokens: 800 }));
    assert.ok(lower.length < ours.length);
  });

  test("TokenLimiter by default sends old short messages in place of longer ones after them", async () => {
    const theirs = await through(new TokenLimiter(800));
    assert.ok(theirs.includes(prompt[1]) && theirs.includes(prompt[4]));
    assert.ok(!theirs.includes(prompt[2]) && !theirs.includes(prompt[3]));
    assert.ok(!isEnd(theirs));
  });

  test("ToolCallFilter removes calls, which clearToolResults keeps; it can be put before turnfoldProcessor", async () => {
    const filtered = await through(new ToolCallFilter());
    assert.deepEqual(toolParts(filtered), []);
    assert.equal(partsIn(filtered).filter((part) => part.text === "I look.").length, ROUNDS);
    const compressionStrategy = clearToolResults({ keep: 0, clearInputs: true });
    const cleared = await through(turnfoldProcessor({ compressionStrategy }));
    assert.equal(cleared.length, prompt.length);
    const isEvery = (type, check) =>
      toolParts(cleared)
        .filter((part) => part.type === type)
        .every(check);
    assert.equal(toolParts(cleared).length, 2 * ROUNDS);
    assert.ok(
      isEvery("tool-result", ({ output }) => /^\[an old result of (skill|find), cleared\]$/.test(output.value)),
    );
    assert.ok(isEvery("tool-call", ({ input }) => input.cleared === "old arguments"));
    const both = await through(new ToolCallFilter(), turnfoldProcessor({ maxHistorySize: 12 }));
    assert.ok(both.length <= 12);
    assert.deepEqual(toolParts(both), []);
  });

  test("the exclude of ToolCallFilter names the tools whose calls are removed, that of clearToolResults those that stay", async () => {
    const tools = (messages) => new Set(toolParts(messages).map(({ toolName }) => toolName));
    assert.deepEqual(tools(await through(new ToolCallFilter({ exclude: ["find"] }))), new Set(["skill"]));
    const compressionStrategy = clearToolResults({ keep: 0, exclude: ["find"] });
    const ours = toolParts(await through(turnfoldProcessor({ compressionStrategy })));
    const changed = ours.filter(({ output }) => output !== undefined && output.value !== LONG);
    assert.deepEqual(new Set(changed.map(({ toolName }) => toolName)), new Set(["skill"]));
  });
});
