// The rows of the tables in docs/adapters that say what corresponds to a framework's own parts: both sides get the same
// messages, and the tests name what is the same and what is not.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { SimpleChatModel } from "@langchain/core/language_models/chat_models";
import { AIMessage, HumanMessage, SystemMessage, ToolMessage, trimMessages } from "@langchain/core/messages";
import { TokenLimiter, ToolCallFilter } from "@mastra/core/processors";
import { pruneMessages } from "ai";
import { pruneMessages as pruneMessages7 } from "ai-7";
import { ClearToolUsesEdit, contextEditingMiddleware, createAgent, summarizationMiddleware } from "langchain";
import { langchain, turnfoldMiddleware } from "../../dist/adapters/langchain.js";
import { turnfoldProcessor } from "../../dist/adapters/mastra.js";
import { clearToolResults, countMessages, digest, lastNMessages, manageHistory } from "../../dist/chat.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";

const LONG = "It left the depot in Leipzig. ".repeat(20);
const ROUNDS = 8;
const toolOf = (round) => (round === 0 ? "skill" : "find");
const argsOf = (round) => ({ query: `the parcel with the number ${round}, and everything that belongs to it` });
const rounds = (messagesOf) => Array.from({ length: ROUNDS }, (_, round) => messagesOf(round)).flat();

suite("LangChain", () => {
  class Model extends SimpleChatModel {
    asked = [];
    isBroken = false;
    _llmType() {
      return "scripted";
    }
    bindTools() {
      return this;
    }
    async _call(messages) {
      this.asked.push(messages);
      if (this.isBroken) throw new Error("no connection");
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
  async function run(middleware, from = given) {
    const model = new Model({});
    const agent = createAgent({ model, systemPrompt: "You help.", middleware: [middleware] });
    const { messages } = await agent.invoke({ messages: from });
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

  /** The agent with LangChain's summaries after 1,000 tokens, with Turnfold's, and the models that write them. */
  async function summaries({
    from,
    trigger = { tokens: 1000 },
    limits = { maxTokens: { limit: 128_000, trigger: 1000 } },
  }) {
    const writers = [new Model({}), new Model({})];
    for (const writer of writers) Object.defineProperty(writer, "profile", { value: { maxInputTokens: 1250 } });
    const keep = { messages: 5 };
    const theirs = await run(summarizationMiddleware({ model: writers[0], trigger, keep }), from);
    const compressionStrategy = lastNMessages(4);
    const ours = await run(turnfoldMiddleware({ llm: writers[1], compressionStrategy, ...limits }), from);
    const asked = writers.map((writer) =>
      writer.asked
        .flat()
        .map(({ text }) => text)
        .join("\n"),
    );
    return { theirs, ours, asked };
  }

  for (const [name, trigger, limits] of [
    ["messages", { messages: 33 }, { maxHistorySize: { limit: 1000, trigger: 33 } }],
    ["fraction", { fraction: 0.8 }, { maxTokens: { limit: 1250, trigger: 0.8 } }],
  ]) {
    test(`the trigger ${name} of summarizationMiddleware is one of the limits`, async () => {
      const { theirs, ours } = await summaries({ trigger, limits });
      assert.deepEqual(texts(theirs.sent).slice(2), texts(ours.sent).slice(2));
      assert.equal(ours.sent.length, 7);
      const short = await summaries({ from: given.slice(-5), trigger, limits });
      assert.deepEqual(texts(short.ours.sent), texts(short.theirs.sent));
      assert.deepEqual(short.asked, ["", ""]);
    });
  }

  test("maxTokens.target leaves at most that size, for keep.tokens", async () => {
    const tokens = ({ sent }) => countMessages(langchain.from(sent).messages).total;
    const keep = { tokens: 400 };
    const theirs = await run(summarizationMiddleware({ model: new Model({}), trigger: { tokens: 1000 }, keep }));
    const ours = await run(
      turnfoldMiddleware({
        llm: new Model({}),
        compressionStrategy: lastNMessages(30),
        maxTokens: { limit: 128_000, trigger: 1000, target: 400 },
      }),
    );
    assert.ok(tokens(ours) <= 400, `${tokens(ours)} tokens`);
    // LangChain's summary is not among the tokens to keep.
    assert.ok(tokens(theirs) > 400, `${tokens(theirs)} tokens`);
  });

  test("summarizationMiddleware summarizes the last 4,000 tokens of what it removes, lastNMessages all of it", async () => {
    const long = Array.from({ length: 60 }, (_, number) => [
      new HumanMessage(`Question ${number}. ${"word ".repeat(100)}`),
      new AIMessage(`Answer ${number}.`),
    ]).flat();
    const { asked } = await summaries({ from: [...long, new HumanMessage("And now?")] });
    assert.deepEqual(
      asked.map((text) => [text.includes("Question 0."), text.includes("Question 57.")]),
      [
        [false, true],
        [true, true],
      ],
    );
  });

  test("a summary that fails becomes the history in LangChain; lastNMessages throws, or sends the history", async () => {
    const model = Object.assign(new Model({}), { isBroken: true });
    const keep = { messages: 5 };
    const theirs = await run(summarizationMiddleware({ model, trigger: { tokens: 1000 }, keep }));
    assert.match(theirs.sent[1].text, /Error generating summary: .*no connection/);
    assert.equal(theirs.state.length, 7);
    const ours = (options) =>
      run(turnfoldMiddleware({ llm: model, compressionStrategy: lastNMessages(4), onWarning() {}, ...options }));
    await assert.rejects(ours(), ({ cause }) => cause.code === "compression_failed");
    assert.deepEqual(texts((await ours({ onSummaryError: "send" })).sent).slice(1), texts(given));
  });

  test("a system message of the state is summarized by LangChain, and never by lastNMessages", async () => {
    const from = [new SystemMessage("Never name a price."), ...given];
    const { theirs, ours } = await summaries({ from });
    const isKept = ({ sent }) => texts(sent).includes("system: Never name a price.");
    assert.deepEqual([isKept(theirs), isKept(ours)], [false, true]);
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
    return send(prompt, processors);
  }

  async function send(from, processors) {
    let now = from;
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

  test("filterAfterToolSteps removes the calls before the last ones, of which clearToolResults clears the results", async () => {
    const ids = (messages, check) =>
      toolParts(messages)
        .filter(check)
        .map(({ toolCallId }) => toolCallId);
    const isResult = ({ output }) => output?.value === LONG;
    const theirs = await through(new ToolCallFilter({ filterAfterToolSteps: 2 }));
    const ours = await through(turnfoldProcessor({ compressionStrategy: clearToolResults({ keep: 2 }) }));
    assert.deepEqual(ids(theirs, isResult), ["c6", "c7"]);
    assert.deepEqual(ids(ours, isResult), ids(theirs, isResult));
    const isCall = ({ type }) => type === "tool-call";
    assert.deepEqual([ids(theirs, isCall).length, ids(ours, isCall).length], [2, ROUNDS]);
  });

  test("TokenLimiter drops the question of a long loop, which turnfoldProcessor keeps", async () => {
    const loop = prompt.filter(({ role }, index) => index < 2 || role === "tool" || index % 4 === 2);
    const isAsked = (messages) => messages.includes(prompt[1]);
    const limit = 800;
    assert.ok(isAsked(loop) && loop.length === 2 + 2 * ROUNDS);
    assert.ok(!isAsked(await send(loop, [new TokenLimiter({ limit, trimMode: "contiguous" })])));
    const ours = await send(loop, [turnfoldProcessor({ maxTokens: { limit, target: 1 } })]);
    assert.ok(isAsked(ours) && ours.length < loop.length);
  });
});

for (const [version, prune] of [
  [6, pruneMessages],
  [7, pruneMessages7],
]) {
  suite(`AI SDK ${version}`, () => {
    const question = { role: "user", content: "Where are my parcels?" };
    const loop = [
      question,
      ...rounds((round) => {
        const call = { toolCallId: `c${round}`, toolName: toolOf(round) };
        const reasoning = { type: "reasoning", text: `I look for parcel ${round}.` };
        return [
          { role: "assistant", content: [reasoning, { type: "tool-call", ...call, input: argsOf(round) }] },
          { role: "tool", content: [{ type: "tool-result", ...call, output: { type: "text", value: LONG } }] },
        ];
      }),
    ];

    async function managed(compressionStrategy, messages = loop) {
      const parameters = { compressionStrategy, minMessages: 0, keepAtLeast: 1 };
      const { conversation } = await manageHistory(aiSdk.from(messages), parameters);
      return aiSdk.to(conversation);
    }

    const partsIn = (messages, ...types) =>
      messages
        .flatMap(({ content }) => (typeof content === "string" ? [] : content))
        .filter(({ type }) => types.includes(type));
    const callsIn = (messages) => partsIn(messages, "tool-call").map(({ toolCallId }) => toolCallId);
    const wholeIn = (messages) =>
      partsIn(messages, "tool-result").flatMap(({ toolCallId, output }) => (output.value === LONG ? [toolCallId] : []));
    const all = loop.flatMap((message) => callsIn([message]));

    test("before-last-N-messages keeps the rounds whose results clearToolResults keeps, and removes the calls of the others", async () => {
      for (const [count, keep] of [
        [2, 1],
        [4, 2],
      ]) {
        const theirs = prune({ messages: loop, toolCalls: `before-last-${count}-messages` });
        const ours = await managed(clearToolResults({ keep }));
        assert.deepEqual(wholeIn(ours), all.slice(-keep));
        assert.deepEqual(wholeIn(theirs), wholeIn(ours));
        assert.deepEqual(callsIn(theirs), wholeIn(theirs));
        assert.deepEqual(callsIn(ours), all);
        assert.equal(ours.length, loop.length);
      }
    });

    test("before-last-message and keep: 0 leave the last round; toolCalls: all removes it, and leaves the question", async () => {
      const theirs = prune({ messages: loop, toolCalls: "before-last-message" });
      const ours = await managed(clearToolResults({ keep: 0 }));
      assert.deepEqual([wholeIn(theirs), wholeIn(ours)], [["c7"], ["c7"]]);
      assert.deepEqual(prune({ messages: loop, toolCalls: "all" }), [question]);
    });

    test("tools lists the tools that are pruned, exclude of clearToolResults those whose results stay", async () => {
      const theirs = prune({ messages: loop, toolCalls: [{ type: "all", tools: ["skill"] }] });
      const ours = await managed(clearToolResults({ keep: 0, exclude: ["find"] }));
      assert.deepEqual(wholeIn(theirs), all.slice(1));
      assert.deepEqual(wholeIn(ours), all.slice(1));
    });

    test("reasoning is pruned apart from its message; clearToolResults keeps both, and digest removes both", async () => {
      const reasoning = (messages) => partsIn(messages, "reasoning").length;
      const theirs = prune({ messages: loop, reasoning: "all" });
      assert.deepEqual([reasoning(theirs), callsIn(theirs)], [0, all]);
      assert.equal(reasoning(await managed(clearToolResults({ keep: 0 }))), ROUNDS);
      const lines = await managed(digest({ keep: 1, atLeast: 100 }));
      assert.equal(reasoning(lines), callsIn(lines).length);
      assert.ok(reasoning(lines) < ROUNDS);
    });

    test("emptyMessages: keep leaves messages without content; no strategy does", async () => {
      const isEmpty = ({ content }) => content.length === 0;
      const theirs = prune({ messages: loop, toolCalls: "all", reasoning: "all", emptyMessages: "keep" });
      assert.equal(theirs.filter(isEmpty).length, 2 * ROUNDS);
      for (const strategy of [clearToolResults({ keep: 0 }), digest({ keep: 1, atLeast: 100 })])
        assert.deepEqual((await managed(strategy)).filter(isEmpty), []);
    });

    test("digest leaves the beginning of the previous step as it was, which pruneMessages changes", async () => {
      const shared = (one, other) => {
        const index = one.findIndex((message, at) => JSON.stringify(message) !== JSON.stringify(other[at]));
        return index === -1 ? one.length : index;
      };
      const steps = [loop.slice(0, -2), loop];
      const theirs = steps.map((messages) => prune({ messages, toolCalls: "before-last-2-messages" }));
      assert.equal(shared(...theirs), 1);
      const ours = await Promise.all(steps.map((messages) => managed(digest({ keep: 1, atLeast: 100 }), messages)));
      assert.ok(shared(...ours) >= ours[0].length - 4, `${shared(...ours)} of ${ours[0].length} messages`);
    });
  });
}
