// Behaviour that all adapters share: options, failed summaries, summary stores, reports, and the host's own objects.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { turnfoldMiddleware as aiSdkMiddleware, turnfoldPrepareStep } from "turnfold/adapters/ai-sdk";
import { turnfoldMiddleware } from "turnfold/adapters/langchain";
import { turnfoldProcessor } from "turnfold/adapters/mastra";
import { turnfoldInputFilter, turnfoldSession } from "turnfold/adapters/openai-agents";
import { clearToolResults, digest, lastNMessages, SummaryStore } from "turnfold/chat";
import { refuses } from "./refuses.mjs";

const text = (content) => [{ type: "text", text: content }];
const result = (id, value) => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "look",
  output: { type: "text", value },
});
const call = (id, input) => ({ type: "tool-call", toolCallId: id, toolName: "look", input });

/** The AI SDK's messages for what a user or an assistant said, and for a call with its result. */
const modelMessages = {
  said: (role, content) => [{ role, content: text(content) }],
  called: (id, value, args = {}) => [
    { role: "assistant", content: [call(id, args)] },
    { role: "tool", content: [result(id, value)] },
  ],
};

const items = {
  said: (role, content) => [
    role === "user"
      ? { role, content }
      : { type: "message", role, status: "completed", content: [{ type: "output_text", text: content }] },
  ],
  called: (id, output, args = {}) => [
    { type: "function_call", callId: id, name: "look", arguments: JSON.stringify(args), status: "completed" },
    { type: "function_call_result", callId: id, name: "look", status: "completed", output },
  ],
};

const description = "Looks at a lamp in the big hall";
const schema = { type: "object", properties: { lamp: { type: "number", description: "Its number in the list" } } };

/**
 * Each adapter as `make(parameters, options)`, which returns a function from the messages of a history to the messages that are
 * sent. The adapter has a system prompt and tools where its requests have them.
 */
const adapters = {
  turnfoldPrepareStep: {
    adapter: turnfoldPrepareStep,
    ...modelMessages,
    make(parameters, options, { system, hasTools } = {}) {
      const tools = hasTools ? { look: { description, inputSchema: schema } } : undefined;
      const step = turnfoldPrepareStep({ ...parameters, ...options, instructions: system, tools });
      return async (messages) => (await step({ messages, model: "none", stepNumber: 0, steps: [] })).messages;
    },
  },
  aiSdkMiddleware: {
    adapter: aiSdkMiddleware,
    ...modelMessages,
    make(parameters, options, { hasTools } = {}) {
      const { transformParams } = aiSdkMiddleware({ ...parameters, ...options });
      const tools = hasTools ? [{ type: "function", name: "look", description, inputSchema: schema }] : undefined;
      return async (prompt) =>
        (await transformParams({ type: "generate", params: { prompt, tools }, model: null })).prompt;
    },
  },
  turnfoldInputFilter: {
    adapter: turnfoldInputFilter,
    ...items,
    make(parameters, options, { system, hasTools } = {}) {
      const filter = turnfoldInputFilter({ ...parameters, ...options });
      const tools = hasTools ? [{ type: "function", name: "look", description, parameters: schema }] : [];
      return async (input) => (await filter({ modelData: { input, instructions: system }, agent: { tools } })).input;
    },
  },
  turnfoldSession: {
    adapter: turnfoldSession,
    ...items,
    make(parameters, options) {
      let given = [];
      const stored = { getItems: async () => given, getSessionId: async () => "one" };
      for (const name of ["addItems", "popItem", "clearSession"]) stored[name] = async () => {};
      const session = turnfoldSession({ ...parameters, ...options, session: stored });
      return async (messages) => {
        given = messages;
        return session.getItems();
      };
    },
  },
  turnfoldMiddleware: {
    adapter: turnfoldMiddleware,
    said: (role, content) => [{ role, content }],
    called: (id, content, args = {}) => [
      { role: "assistant", content: "", tool_calls: [{ id, name: "look", args, type: "tool_call" }] },
      { role: "tool", content, tool_call_id: id },
    ],
    make(parameters, options, { system, hasTools } = {}) {
      const { wrapModelCall } = turnfoldMiddleware({ ...parameters, ...options });
      const tools = hasTools ? [{ name: "look", description, schema }] : [];
      return async (messages) => {
        const request = { model: null, messages, tools, runtime: {}, systemPrompt: system };
        return wrapModelCall(request, (asked) => asked.messages);
      };
    },
  },
  turnfoldProcessor: {
    adapter: turnfoldProcessor,
    ...modelMessages,
    make(parameters, options, { hasTools } = {}) {
      const processor = turnfoldProcessor({ ...parameters, ...options });
      return async (prompt) => {
        const state = {};
        const tools = hasTools ? { look: { id: "look", description, inputSchema: schema } } : {};
        await processor.processInputStep({ messages: [], state, tools, llmRequestStage: true });
        return (await processor.processLLMRequest({ prompt, state, model: null }))?.prompt ?? prompt;
      };
    },
  },
};

const down = () => {
  throw new Error("the summarizer is down");
};

for (const [name, { said, called, make, adapter }] of Object.entries(adapters)) {
  /** A history of `count` questions with their answers, and a last question. */
  const history = (count) => [
    ...Array.from({ length: count }, (_, index) => [
      ...said("user", `Question ${index} about a lamp?`),
      ...said("assistant", `Answer ${index} about that lamp.`),
    ]).flat(),
    ...said("user", "And now?"),
  ];
  const compressed = { compressionStrategy: lastNMessages(4) };
  const quiet = { onWarning: () => {} };

  suite(name, () => {
    test("checks its options when it is created", () => {
      const wrong = (options, option) => {
        const { details, message } = refuses(() => make({}, options), "invalid_option");
        assert.equal(details.option, option, message);
      };
      wrong({ llm: "gpt" }, "llm");
      wrong({ retry: { attempts: 0 } }, "retry.attempts");
      wrong({ summaryStore: {} }, "summaryStore");
      wrong({ onSummaryError: "ignore" }, "onSummaryError");
      wrong({ onReport: 5 }, "onReport");
      wrong({ onWarning: 5 }, "onWarning");
      wrong({ whenSummaryFails: "send" }, "whenSummaryFails");
      refuses(() => make({ maxTokenz: 5 }, {}), "invalid_option");
      refuses(() => make({ compressionStrategy: "digest" }, {}), "invalid_strategy");
      assert.match(refuses(() => make({ compressionStrategy: digest }, {}), "invalid_strategy").hint, /^call it/);
      for (const minMessages of [undefined, 0]) {
        // A strategy of the host is not called with an empty history.
        make({ compressionStrategy: { name: "mine", plan: down }, ...(minMessages === 0 && { minMessages }) }, {});
      }
      const given = { llm: undefined, retry: undefined, summaryStore: undefined, onSummaryError: undefined };
      make({}, { ...given, onReport: undefined, onWarning: undefined });
      for (const options of [undefined, null, 5, "maxTokens"]) refuses(() => adapter(options), "invalid_option");
      const { hint, details } = refuses(() => make({}, { maxTokenz: 5 }), "invalid_option");
      assert.match(hint, /maxTokens.*summaryStore/);
      assert.ok(details.known.includes("maxTokens") && details.known.includes("llm"));
      assert.equal(
        refuses(() => make({ strategy: lastNMessages(4) }, {}), "invalid_option").hint,
        "it is compressionStrategy",
      );
    });

    test("returns the same objects for messages that stay, and requests a summary once", async () => {
      let calls = 0;
      const send = make(compressed, { llm: () => `They talked, ${++calls}.` });
      const messages = history(10);
      for (let time = 0; time < 2; time++) {
        const sent = await send(messages);
        assert.ok(sent.length < messages.length);
        assert.match(JSON.stringify(sent[0]), /They talked, 1\./);
        for (const message of sent.slice(1)) assert.ok(messages.includes(message));
      }
      assert.equal(calls, 1);
    });

    test("shares summaries through summaryStore", async () => {
      let calls = 0;
      for (const summaryStore of [new SummaryStore(), new Map()]) {
        const options = { summaryStore, llm: () => `They talked, ${++calls}.` };
        for (let time = 0; time < 2; time++) await make(compressed, options)(history(10));
      }
      assert.equal(calls, 2);
    });

    test("clears results and keeps their calls", async () => {
      const send = make({ compressionStrategy: clearToolResults({ keep: 1, atLeast: 0 }), minMessages: 0 }, {});
      const messages = ["a", "b", "c"].flatMap((id) => called(id, `result ${id} `.repeat(80)));
      const given = [...said("user", "Look."), ...messages, ...said("assistant", "Done."), ...said("user", "Thanks.")];
      const before = structuredClone(given);
      const sent = await send(given);
      assert.equal(sent.length, given.length);
      assert.deepEqual(given, before);
      const changed = sent.filter((message, index) => message !== given[index]);
      assert.deepEqual(
        changed.map((message) => given[sent.indexOf(message)]),
        [given[2], given[4]],
      );
      for (const id of ["a", "b"]) assert.ok(!JSON.stringify(sent).includes(`result ${id}`));
      assert.ok(JSON.stringify(sent).includes("result c"));
    });

    test("clears arguments and keeps everything else of their calls", async () => {
      const compressionStrategy = clearToolResults({ keep: 1, clearInputs: true });
      const send = make({ compressionStrategy, minMessages: 0 }, {});
      const lamps = "the lamps in the big hall, those in the cellar, and those in the garden";
      const calls = (args) => ["a", "b"].flatMap((id) => called(id, "On.", args));
      const history = (args) => [
        ...said("user", "Look."),
        ...calls(args),
        ...called("c", "Off.", { lamps }),
        ...said("assistant", "Done."),
        ...said("user", "Thanks."),
      ];
      const plain = (messages) => messages.map((message) => ({ ...message }));
      const sent = await send(history({ lamps }));
      assert.deepEqual(plain(sent), plain(history({ cleared: "old arguments" })));
    });

    test("onSummaryError: throw, the default, rejects with compression_failed", async () => {
      for (const onSummaryError of [undefined, "throw"]) {
        const send = make(compressed, { llm: down, onSummaryError });
        await assert.rejects(send(history(10)), { code: "compression_failed" });
      }
    });

    test("onSummaryError: send sends all messages, trim those within the limits; both warn and ask again", async () => {
      const messages = history(10);
      for (const [onSummaryError, limit, max, outcome] of [
        ["send", 8, 21, "unchanged"],
        ["trim", 8, 8, "trimmed"],
        ["trim", undefined, 21, "unchanged"],
      ]) {
        let calls = 0;
        const [warnings, reports] = [[], []];
        const limits = limit === undefined ? {} : { maxHistorySize: limit, when: "always", prices: {} };
        const send = make(
          { ...compressed, ...limits },
          {
            llm: () => (++calls === 1 ? down() : "They talked."),
            onSummaryError,
            onWarning: (warning) => warnings.push(warning),
            onReport: (report) => reports.push(report),
          },
        );
        const sent = await send(messages);
        assert.ok(sent.length <= max && sent.length > 2, `${sent.length} messages`);
        for (const message of sent) assert.ok(messages.includes(message));
        assert.equal(sent.length === messages.length, outcome === "unchanged");
        const failures = warnings.filter((warning) => /because a summary failed: .*summarizer is down/.test(warning));
        assert.equal(failures.length, 1);
        assert.equal(reports[0].outcome, outcome);
        assert.ok(reports[0].warnings.includes(failures[0]));
        assert.match(JSON.stringify((await send(messages))[0]), /They talked\./);
        assert.equal(reports[1].outcome, "applied");
      }
    });

    test("onSummaryError does not apply to other errors", async () => {
      for (const onSummaryError of ["send", "trim"]) {
        const send = make({ maxTokens: 5 }, { onSummaryError, ...quiet });
        await assert.rejects(send(history(10)), { code: "request_over_budget" });
      }
    });

    test("retry asks for a summary again", async () => {
      let calls = 0;
      const llm = () => (++calls === 1 ? down() : "They talked.");
      await make(compressed, { llm, retry: { attempts: 2, delayMs: () => 1 } })(history(10));
      assert.equal(calls, 2);
    });

    test("callbacks that throw do not end the request", async () => {
      const { error } = console;
      const errors = [];
      console.error = (given) => errors.push(given);
      try {
        const options = { llm: down, onSummaryError: "send", onReport: down, onWarning: down };
        assert.equal((await make(compressed, options)(history(10))).length, 21);
        assert.equal(errors.length, 2);
      } finally {
        console.error = error;
      }
    });

    test("a system prompt and tools count towards maxTokens; report indexes are those of the history", async () => {
      const reports = [];
      const onReport = (report) => reports.push(report);
      const system = "You know all about lamps. ".repeat(20);
      for (const request of [{}, { system }, { hasTools: true }]) await make({}, { onReport }, request)(history(2));
      const [plain, prompted, equipped] = reports.map(({ tokens }) => tokens.before);
      // Model prompts contain their system messages; sessions have neither a system prompt nor tools.
      const isPrompt = name === "aiSdkMiddleware" || name === "turnfoldProcessor";
      if (name !== "turnfoldSession") assert.ok(equipped > plain + 15, `${equipped} and ${plain} tokens`);
      if (name !== "turnfoldSession" && !isPrompt) assert.ok(prompted > plain + 50, `${prompted} and ${plain} tokens`);
      for (const { messages } of reports)
        assert.deepEqual(
          messages.map(({ index }) => index),
          [0, 1, 2, 3, 4],
        );
    });

    test("a request with summaryRequest: behind offers the tools in the form that models accept", async () => {
      let request;
      const llm = (asked) => {
        request = asked;
        return "They talked.";
      };
      await make({ ...compressed, summaryRequest: "behind" }, { llm }, { hasTools: true })(history(10));
      assert.match(JSON.stringify(request.messages[0].content), /Question 0/);
      if (name === "turnfoldSession") return;
      assert.deepEqual(request.tools, [{ name: "look", description, schema }]);
      assert.equal(request.toolChoice, undefined, "the cache compares it");
    });
  });
}
