// Agent: every call method manages the history, and a failed call leaves a consistent conversation.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  Agent,
  Conversation,
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  SubAgent,
  TurnfoldError,
  wholeHistory,
} from "turnfold";
import { z } from "zod";

const quiet = { onWarning: () => {} };

/** A model that gives these replies one after the other, and records its requests. */
function scripted(...replies) {
  const requests = [];
  const llm = (request) => {
    requests.push(request);
    if (request.purpose !== "answer") return "a short summary";
    const reply = replies.shift();
    return typeof reply === "function" ? reply(request) : (reply ?? "yes");
  };
  return { llm, requests, answers: () => requests.filter(({ purpose }) => purpose === "answer") };
}

async function* stream(...chunks) {
  for (const chunk of chunks) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    yield chunk;
  }
}

function history(pairs, system = "You help.") {
  const messages = [{ role: "system", content: system }];
  for (let i = 0; i < pairs; i++) {
    messages.push({
      role: "user",
      content: `Question ${i}: what does part number ${i} of the catalogue cost in euros?`,
    });
    messages.push({
      role: "assistant",
      content: `Answer ${i}: it costs ${i * 10} euros, and there are ${i} left in stock.`,
    });
  }
  return new Conversation({ messages });
}

const roles = (messages) => messages.map(({ role }) => role[0]).join("");
const contents = (messages) => messages.map(({ content }) => content);

const METHODS = {
  invoke: async (agent, input, parameters) => ({ text: await agent.invoke(input, parameters) }),
  chat: (agent, input, parameters) => agent.chat(input, parameters),
  stream: async (agent, input, parameters) => {
    const streamed = agent.stream(input, parameters);
    for await (const piece of streamed) assert.equal(typeof piece, "string");
    return streamed.done;
  },
  generateObject: (agent, input, parameters) => agent.generateObject(input, "-> price: int", parameters),
  streamObject: async (agent, input, parameters) => {
    const streamed = agent.streamObject(input, "-> price: int", parameters);
    for await (const piece of streamed) assert.equal(typeof piece, "object");
    return streamed.done;
  },
};

for (const [name, call] of Object.entries(METHODS)) {
  const replied = name.endsWith("Object") ? '{"price": 7}' : "seven";

  suite(name, () => {
    test("without parameters the history is never compressed", async () => {
      const { llm, requests } = scripted(replied);
      const agent = new Agent({ llm, conversation: history(250) });
      await call(agent, "And now?");
      assert.equal(requests.length, 1);
      assert.equal(requests[0].messages.length, 502);
      assert.equal(agent.conversation.messages.length, 503);
    });

    test("compressionStrategy applies before the model is asked", async () => {
      const { llm, requests } = scripted(replied);
      const agent = new Agent({ llm, conversation: history(25) });
      await call(agent, "And now?", { compressionStrategy: wholeHistory() });
      assert.deepEqual(
        requests.map(({ purpose }) => purpose),
        ["summary", "answer"],
      );
      assert.equal(roles(requests[1].messages), "suu");
      assert.match(requests[1].messages[1].content, /^Summary of 50 earlier messages:\n\na short summary$/);
      assert.equal(requests[1].messages[2].content, "And now?");
      assert.equal(roles(agent.conversation.messages), "suua");
      assert.equal(agent.transcript.length, 53, "the transcript keeps everything");
    });

    test("maxHistorySize holds on every call", async () => {
      const { llm, requests } = scripted(...Array(30).fill(replied));
      const agent = new Agent({ llm, system: "You help." });
      for (let i = 0; i < 30; i++) await call(agent, `Question ${i}`, { maxHistorySize: 20 });
      assert.ok(requests.every(({ messages }) => messages.length <= 20));
      assert.equal(requests.at(-1).messages.length, 20);
      assert.equal(requests.at(-1).messages[0].role, "system");
      assert.equal(requests.at(-1).messages.at(-1).content, "Question 29");
      assert.equal(agent.transcript.length, 61);
    });

    test("a failed model call keeps the question and the managed history", async () => {
      const agent = new Agent({
        llm: ({ purpose }) => {
          if (purpose === "summary") return "short";
          throw new Error("no connection");
        },
        conversation: history(25),
      });
      const before = agent.conversation;
      const given = JSON.stringify(before);
      await assert.rejects(call(agent, "And now?", { compressionStrategy: lastNMessages(4) }), (error) => {
        assert.equal(error.code, "llm_error");
        assert.deepEqual(contents(error.details.messages), ["And now?"]);
        assert.match(error.hint, /the conversation keeps the question: agent\.resume\(\) continues from there$/);
        return true;
      });
      assert.equal(JSON.stringify(before), given);
      assert.equal(roles(agent.conversation.messages), "suuauau");
      assert.equal(agent.conversation.messages[1].summary.covers, 46);
      assert.equal(agent.conversation.messages.at(-1).unfinished, true);
      assert.equal(agent.transcript.length, 52);
      const kept = JSON.stringify(agent.conversation);
      agent.restore(agent.checkpoint());
      assert.equal(JSON.stringify(agent.conversation), kept);
    });

    test("a second concurrent call is refused", async () => {
      let answer;
      const agent = new Agent({
        llm: () =>
          new Promise((resolve) => {
            answer = resolve;
          }),
      });
      const first = call(agent, "one");
      await new Promise((resolve) => setTimeout(resolve, 5));
      await assert.rejects(call(agent, "two"), { code: "busy" });
      assert.throws(() => agent.restore(agent.checkpoint()), { code: "busy" });
      answer(replied);
      await first;
      assert.equal(agent.conversation.messages.length, 2);
    });

    test("an abort ends the call, and with an aborted signal the model is not called", async () => {
      const controller = new AbortController();
      let requestCount = 0;
      const agent = new Agent({
        llm: () => {
          requestCount++;
          return new Promise(() => {});
        },
        conversation: history(3),
      });
      const running = call(agent, "one", { signal: controller.signal });
      setTimeout(() => controller.abort(new Error("enough")), 5);
      await assert.rejects(running, { code: "aborted" });
      assert.equal(roles(agent.conversation.messages), "suauauau");
      await assert.rejects(call(agent, "two", { signal: AbortSignal.abort() }), { code: "aborted" });
      assert.deepEqual(contents(agent.conversation.messages.slice(-2)), ["one", "two"]);
      assert.deepEqual(
        agent.conversation.messages.slice(-2).map(({ unfinished }) => unfinished),
        [undefined, true],
      );
      assert.equal(requestCount, 1);
    });

    test("invalid parameters are refused before the model is called", async () => {
      const { llm, requests } = scripted();
      const agent = new Agent({ llm });
      for (const [parameters, code] of [
        [{ maxHistorySize: 0 }, "invalid_option"],
        [{ maxTokens: -1 }, "invalid_option"],
        [{ compressionStrategy: "wholeHistory" }, "invalid_strategy"],
        [{ strategy: wholeHistory() }, "invalid_option"],
        [{ signal: 5 }, "invalid_option"],
        [{ maxRepairs: -1 }, "invalid_option"],
        [{ maxSteps: 0 }, "invalid_option"],
        [{ approve: true }, "invalid_option"],
        [{ compressionStrategy: [wholeHistory(), clearToolResults()] }, "invalid_option"],
      ]) {
        await assert.rejects(async () => call(agent, "one", parameters), { code });
      }
      await assert.rejects(async () => call(agent, [{ role: "user", content: 5 }]), { code: "invalid_message" });
      await assert.rejects(async () => call(agent, []), { code: "invalid_message" });
      await assert.rejects(async () => call(agent, ""), {
        code: "invalid_message",
        message: "there is no text to send",
      });
      await assert.rejects(async () => call(agent, "one", { maxToken: 5 }), {
        hint: /^did you mean `maxTokens`\? there are /,
      });
      assert.equal(requests.length, 0);
    });
  });
}

suite("tools", () => {
  const search = ["(query :string, limit :int?) -> [:string]", ({ query, limit = 2 }) => Array(limit).fill(query)];
  const calls = (...names) => ({
    content: "Let me look.",
    toolCalls: names.map((name, i) => ({ id: `call-${i}`, name, args: { query: `q${i}` } })),
  });

  test("the model calls tools until it answers; all calls and results are in the messages", async () => {
    const { llm, requests } = scripted(calls("search", "search"), "two found");
    const agent = new Agent({ llm, tools: { search } });
    const reply = await agent.chat("Look!");
    assert.equal(reply.text, "two found");
    assert.equal(roles(reply.messages), "uatta");
    assert.deepEqual(
      requests[0].tools.map(({ name }) => name),
      ["search"],
    );
    assert.deepEqual(Object.keys(requests[0].tools[0].schema.properties), ["query", "limit"]);
    assert.deepEqual(reply.messages[2].content, '["q0","q0"]');
    assert.equal(reply.messages[3].toolCallId, "call-1");
    assert.deepEqual(agent.conversation.lint(), []);
  });

  test("the history and the rounds of the loop are managed before each request; the question stays", async () => {
    const { llm, requests } = scripted(calls("search"), calls("search"), calls("search"), "done");
    const agent = new Agent({ llm, tools: { search }, conversation: history(20) });
    const reply = await agent.chat("Look!", { maxHistorySize: 12 });
    assert.ok(requests.every(({ messages }) => messages.length <= 12));
    assert.equal(requests.at(-1).messages.length, 12);
    assert.equal(requests.at(-1).messages.filter(({ content }) => content === "Look!").length, 1);
    assert.equal(reply.reports.length, 4);
    assert.equal(agent.transcript.length, 41 + 8);
  });

  test("summaries are made once, not with every request of the loop", async () => {
    const { llm, requests } = scripted(calls("search"), calls("search"), "done");
    const agent = new Agent({ llm, tools: { search }, conversation: history(20) });
    const reply = await agent.chat("Look!", { compressionStrategy: wholeHistory() });
    assert.equal(requests.filter(({ purpose }) => purpose === "summary").length, 1);
    assert.equal(reply.report.outcome, "applied");
    assert.deepEqual(
      reply.reports.map(({ outcome }) => outcome),
      ["applied", "skipped", "skipped"],
    );
  });

  test("the model gets the error of a tool", async () => {
    const { llm } = scripted(
      {
        content: null,
        toolCalls: [
          { id: "a", name: "broken", args: {} },
          { id: "b", name: "nowhere", args: {} },
          { id: "c", name: "search", args: { limit: "many" } },
          { id: "d", name: "search", args: '{"query": "x", "limit": "1"}' },
          { id: "e", name: "search", args: "{query" },
          { id: "f", name: "cyclic", args: null },
        ],
      },
      "I see",
    );
    const cyclic = () => {
      const value = {};
      value.self = value;
      return value;
    };
    const broken = () => {
      throw new TypeError("the disk is full");
    };
    const agent = new Agent({ llm, tools: { search, broken, cyclic } });
    const { messages } = await agent.chat("Look!");
    const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content);
    assert.equal(results[0], "Error: the disk is full");
    assert.match(results[1], /^Error: there is no tool "nowhere"; there are: search, broken, cyclic$/);
    assert.match(results[2], /^Error: .*query/);
    assert.equal(results[3], '["x"]', "arguments as text, an integer as text");
    assert.match(results[4], /^Error: the arguments are not JSON/);
    assert.match(results[5], /^Error: /);
  });

  test("maxSteps stops a model that never stops calling tools, and keeps all messages", async () => {
    const agent = new Agent({ llm: () => calls("search"), tools: { search }, maxSteps: 3 });
    await assert.rejects(agent.chat("Look!"), (error) => {
      assert.equal(error.code, "max_steps_exceeded");
      assert.equal(roles(error.details.messages), "uatatat");
      assert.match(error.hint, /keeps the question and 3 rounds of tool calls: agent\.resume\(\)/);
      return true;
    });
    assert.equal(roles(agent.conversation.messages), "uatatat");
    await assert.rejects(agent.resume({ maxSteps: 1 }), { code: "max_steps_exceeded" });
    assert.equal(roles(agent.conversation.messages), "uatatatat");
  });

  test("tools of the AI SDK, and agents, are accepted as tools", async () => {
    const foreign = {
      description: "Adds",
      inputSchema: { type: "object", properties: { a: { type: "number" } }, required: ["a"] },
      execute: ({ a }, { toolCallId, messages }) => `${a + 1} ${toolCallId} ${messages.length}`,
    };
    const nested = new SubAgent({
      mission: "Double it",
      signature: "(n :int) -> :int",
      description: "Doubles a number",
      llm: () => "```clojure\n(return (* 2 data/n))\n```",
    });
    const { llm, requests } = scripted(
      {
        content: "",
        toolCalls: [
          { id: "1", name: "add", args: { a: 4 } },
          { id: "2", name: "double", args: { n: 21 } },
        ],
      },
      "done",
    );
    const agent = new Agent({ llm, tools: { add: foreign, double: nested } });
    const { messages } = await agent.chat("Go");
    assert.deepEqual(
      messages.filter(({ role }) => role === "tool").map(({ content }) => content),
      ["5 1 1", "42"],
    );
    assert.deepEqual(requests[0].tools[0], { name: "add", description: "Adds", schema: foreign.inputSchema });
    assert.equal(requests[0].tools[1].description, "Doubles a number");
  });

  test("agents that are tools take over llm and retry unless they have their own", async () => {
    const resultOf = async (options, retry) => {
      let attempts = 0;
      const busyOnce = (reply) => () => {
        if (attempts++ === 0) throw new Error("busy");
        return reply;
      };
      const ask = busyOnce("(return :chat)");
      const llm = ({ purpose, messages }) => {
        if (purpose === "turn") return ask();
        return messages.at(-1).role === "tool"
          ? "done"
          : { content: "", toolCalls: [{ id: "1", name: "nested", args: {} }] };
      };
      const own = options.llm === undefined ? {} : { llm: busyOnce("(return :own)") };
      const nested = new SubAgent({ mission: "Nested", maxTurns: 1, ...options, ...own });
      const { messages } = await new Agent({ llm, tools: { nested }, retry }).chat("Go");
      return messages.find(({ role }) => role === "tool").content;
    };
    const failed = "Error: the model could not be asked: busy";
    const retry = { attempts: 2 };
    assert.equal(await resultOf({}, retry), "chat");
    assert.equal(await resultOf({}, undefined), failed);
    assert.equal(await resultOf({ retry: {} }, retry), failed);
    assert.equal(await resultOf({ retry }, undefined), "chat");
    assert.equal(await resultOf({ llm: true }, retry), "own");
  });

  test("the usage has the tokens of agents that run as tools, also of those that fail", async () => {
    const used = (inputTokens, outputTokens) => ({ inputTokens, outputTokens });
    const nested = (content) =>
      new SubAgent({
        mission: "Double it",
        signature: "(n :int) -> :int",
        llm: () => ({ content, usage: used(5, 2) }),
        maxTurns: 1,
      });
    const toolCalls = ["double", "fails"].map((name) => ({ id: name, name, args: { n: 21 } }));
    const { llm } = scripted(
      { content: "", toolCalls, usage: used(100, 10) },
      { content: "done", usage: used(200, 20) },
    );
    const tools = { double: nested("(return (* 2 data/n))"), fails: nested("(fail {:reason :no})") };
    const streamed = new Agent({ llm, tools }).stream("Go");
    const totals = [];
    for await (const event of streamed.events) if (event.type === "usage") totals.push(event.total.inputTokens);
    const { usage, steps } = await streamed.done;
    assert.deepEqual([usage, totals], [used(310, 34), [100, 105, 110, 310]]);
    assert.deepEqual(
      steps.map(({ usage }) => usage.inputTokens),
      [100, 200],
    );
  });

  test("an abort while tools run ends the call", async () => {
    const controller = new AbortController();
    const hang = () => new Promise(() => {});
    const agent = new Agent({ llm: () => calls("hang"), tools: { hang } });
    setTimeout(() => controller.abort(), 5);
    await assert.rejects(agent.chat("Go", { signal: controller.signal }), { code: "aborted" });
    assert.equal(roles(agent.conversation.messages), "uat");
    assert.deepEqual(agent.conversation.lint(), []);
  });

  test("tools and schemas count towards maxTokens", async () => {
    const { llm } = scripted("yes", "yes");
    const small = await new Agent({ llm }).chat("Go", { maxTokens: 1000 });
    const large = await new Agent({ llm, tools: { search } }).chat("Go", { maxTokens: 1000 });
    assert.ok(large.report.tokens.before > small.report.tokens.before + 20);
  });
});

suite("streams", () => {
  test("chunks arrive as the model writes them, and the whole text enters the history", async () => {
    const { llm } = scripted(() => stream("one ", { text: "two " }, { text: "three", usage: { inputTokens: 5 } }));
    const agent = new Agent({ llm });
    const streamed = agent.stream("Count");
    const pieces = [];
    for await (const piece of streamed) pieces.push(piece);
    assert.deepEqual(pieces, ["one ", "two ", "three"]);
    const { text, usage } = await streamed.done;
    assert.equal(text, "one two three");
    assert.deepEqual(usage, { inputTokens: 5 });
    assert.equal(agent.conversation.messages.at(-1).content, "one two three");
  });

  test("the history is managed before the first chunk of a stream", async () => {
    const order = [];
    const agent = new Agent({
      llm: ({ purpose }) => {
        order.push(purpose);
        return purpose === "summary" ? "short" : stream("a", "b");
      },
      conversation: history(25),
    });
    for await (const piece of agent.stream("Go", { compressionStrategy: chunked(10) })) order.push(piece);
    assert.deepEqual(order, ["summary", "summary", "summary", "summary", "summary", "answer", "a", "b"]);
  });

  test("a stream that is not read runs to its end", async () => {
    const { llm } = scripted(() => stream("a", "b"));
    const agent = new Agent({ llm });
    assert.equal((await agent.stream("Go").done).text, "ab");
  });

  test("an aborted answer is kept and marked as partial", async () => {
    const controller = new AbortController();
    const agent = new Agent({
      llm: async function* () {
        yield "half a ";
        yield "sentence";
        await new Promise(() => {});
      },
    });
    const pieces = [];
    const streamed = agent.stream("Go", { signal: controller.signal });
    await assert.rejects(
      async () => {
        for await (const piece of streamed) {
          pieces.push(piece);
          if (pieces.length === 2) controller.abort();
        }
      },
      { code: "aborted" },
    );
    await assert.rejects(streamed.done, { code: "aborted" });
    assert.deepEqual(pieces, ["half a ", "sentence"]);
    const [question, answer] = agent.conversation.messages;
    assert.equal(question.content, "Go");
    assert.deepEqual([answer.content, answer.partial], ["half a sentence", true]);
    agent.restore(agent.checkpoint());
    assert.equal(agent.conversation.messages[1].partial, true);
  });

  test("breaking out of the loop aborts the stream", async () => {
    let isOver = false;
    const agent = new Agent({
      llm: async function* ({ signal }) {
        try {
          for (let i = 0; ; i++) {
            yield `${i} `;
            await new Promise((resolve) => setTimeout(resolve, 1));
            if (signal.aborted) return;
          }
        } finally {
          isOver = true;
        }
      },
    });
    const streamed = agent.stream("Go");
    for await (const piece of streamed) if (piece === "3 ") break;
    await assert.rejects(streamed.done, { code: "aborted" });
    await new Promise((resolve) => setTimeout(resolve, 10));
    assert.ok(isOver);
    assert.match(agent.conversation.messages.at(-1).content, /^0 1 2 3 /);
  });

  test("retry repeats a streamed request before its first chunk, not after it", async () => {
    let requestCount = 0;
    const retry = { attempts: 3 };
    const failsLate = new Agent({
      retry,
      llm: async function* () {
        requestCount++;
        yield "half";
        throw new Error("cut");
      },
    });
    await assert.rejects(failsLate.stream("Go").done, { code: "llm_error" });
    assert.equal(requestCount, 1);
    requestCount = 0;
    const failsEarly = new Agent({
      retry,
      llm: () => {
        requestCount++;
        if (requestCount < 3) throw new Error("busy");
        return stream("fine");
      },
    });
    assert.equal((await failsEarly.stream("Go").done).text, "fine");
    assert.equal(requestCount, 3);
  });

  test("a stream runs rounds of tool calls", async () => {
    const { llm } = scripted(
      () => stream("I look. ", { toolCalls: [{ id: "1", name: "now", args: {} }] }),
      () => stream("It is ", "noon."),
    );
    const agent = new Agent({ llm, tools: { now: () => "12:00" } });
    const streamed = agent.stream("What time?");
    let all = "";
    for await (const piece of streamed) all += piece;
    assert.equal(all, "I look. It is noon.");
    assert.equal((await streamed.done).text, "It is noon.");
    assert.equal(roles(agent.conversation.messages), "uata");
  });
});

suite("approval", () => {
  const calls = (...names) => ({
    content: "",
    toolCalls: names.map((name) => ({ id: `${name}-1`, name, args: { order: "17" } })),
  });
  const refund = (ran) => ["(order :int) -> :string", ({ order }) => ran.push(order) && "refunded"];
  const resultsOf = ({ messages }) =>
    messages.filter(({ role }) => role === "tool").map(({ content, isError }) => [content, isError]);

  test("approve gets the arguments of the tool, and a text that it returns is the result", async () => {
    for (const [answer, result, runs] of [
      [true, ["refunded", undefined], [17]],
      [Promise.resolve(true), ["refunded", undefined], [17]],
      ["The manager declined.", ["The manager declined.", undefined], []],
      [Promise.resolve(""), ["", undefined], []],
      [false, ["The call was not approved.", undefined], []],
      [
        undefined,
        ["Error: refund was not run: approve must return true, false, a text or later(), got undefined", true],
        [],
      ],
      [Promise.reject(new Error("nobody is there")), ["Error: nobody is there", true], []],
    ]) {
      const ran = [];
      const requests = [];
      const { llm } = scripted(calls("refund"), "done");
      const agent = new Agent({
        llm,
        tools: { refund: refund(ran) },
        approve: (...given) => {
          requests.push(given);
          return answer;
        },
      });
      const reply = await agent.chat("Go");
      assert.deepEqual(requests, [[{ id: "refund-1", name: "refund", args: { order: 17 } }, {}]]);
      assert.deepEqual(resultsOf(reply), [result]);
      assert.deepEqual(ran, runs);
      assert.deepEqual(agent.conversation.lint(), []);
    }
  });

  test("the option approve of a call replaces that of the agent", async () => {
    const ran = [];
    const { llm } = scripted(calls("refund"), "done", calls("refund"), "done");
    const agent = new Agent({ llm, tools: { refund: refund(ran) }, approve: () => "no" });
    await agent.chat("Go", { approve: () => true });
    await agent.chat("Again");
    assert.deepEqual(ran, [17]);
  });

  test("approve is not called for calls that can't run", async () => {
    const { llm } = scripted({ content: "", toolCalls: [{ id: "a", name: "nowhere", args: {} }] }, "done");
    const agent = new Agent({ llm, tools: { refund: refund([]) }, approve: () => assert.fail("asked") });
    assert.match(resultsOf(await agent.chat("Go"))[0][0], /^Error: there is no tool/);
  });

  test("an abort while approve waits runs no tool", async () => {
    const ran = [];
    const controller = new AbortController();
    const agent = new Agent({
      llm: () => calls("refund"),
      tools: { refund: refund(ran) },
      approve: (_, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => setTimeout(() => resolve(true)));
          controller.abort();
        }),
    });
    await assert.rejects(agent.chat("Go", { signal: controller.signal }), { code: "aborted" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(ran, []);
    assert.equal(agent.conversation.messages.at(-1).content, "interrupted: it was not run");
  });

  test("a tool that aborts the call prevents the calls after it", async () => {
    const ran = [];
    const controller = new AbortController();
    const first = () => controller.abort();
    const agent = new Agent({ llm: () => calls("first", "refund"), tools: { first, refund: refund(ran) } });
    await assert.rejects(agent.chat("Go", { signal: controller.signal }), { code: "aborted" });
    assert.deepEqual(ran, []);
    assert.deepEqual(contents(agent.conversation.messages.slice(-2)), [
      "interrupted: unknown whether it finished",
      "interrupted: it was not run",
    ]);
  });
});

suite("steps and events", () => {
  const usage = (inputTokens) => ({ inputTokens, outputTokens: 1 });
  const look = { toolCalls: [{ id: "1", name: "now", args: {} }], usage: usage(10), finishReason: "tool_use" };
  const make = (more) => {
    const { llm } = scripted(
      () => stream("I look. ", look),
      () => stream("It is ", { text: "noon.", usage: usage(20), finishReason: "end_turn" }),
    );
    return new Agent({ llm, tools: { now: () => "12:00" }, ...more });
  };

  test("a reply has its steps with their messages, usage and finish reasons", async () => {
    const { steps, finishReason, messages, usage: total } = await make().chat("What time?");
    assert.equal(finishReason, "stop");
    assert.deepEqual(
      steps.map((step) => [roles(step.messages), step.usage, step.finishReason]),
      [
        ["at", usage(10), "tool-calls"],
        ["a", usage(20), "stop"],
      ],
    );
    assert.deepEqual(
      steps.flatMap((step) => step.messages),
      messages.slice(1),
    );
    assert.deepEqual(total, { inputTokens: 30, outputTokens: 2 });
  });

  test("the repair of an object is a step of its own", async () => {
    const { llm } = scripted("no", { content: '{"a": 1}', finishReason: "length" });
    const { steps, finishReason } = await new Agent({ llm }).generateObject("Go", "-> a: int");
    assert.deepEqual(
      steps.map((step) => contents(step.messages)),
      [["no"], ['{"a": 1}']],
    );
    assert.equal(finishReason, "length");
  });

  test("events report every step in order, beside the text", async () => {
    const streamed = make().stream("What time?");
    const events = [];
    for await (const event of streamed.events) events.push(event);
    const reply = await streamed.done;
    const [callMessage, result, answer] = reply.messages.slice(1);
    const [call] = callMessage.toolCalls;
    assert.deepEqual(events, [
      { type: "text", text: "I look. " },
      { type: "usage", usage: usage(10), total: usage(10) },
      { type: "tool-call", call },
      { type: "tool-result", call, message: result },
      { type: "step", step: reply.steps[0] },
      { type: "text", text: "It is " },
      { type: "text", text: "noon." },
      { type: "usage", usage: usage(20), total: { inputTokens: 30, outputTokens: 2 } },
      { type: "step", step: reply.steps[1] },
      { type: "done", reply },
    ]);
    assert.equal(answer.content, "It is noon.");
    const pieces = [];
    for await (const piece of streamed) pieces.push(piece);
    assert.deepEqual(pieces, ["I look. ", "It is ", "noon."], "what one reads, the other has too");
  });

  test("events report summaries and results as they arrive", async () => {
    const { llm } = scripted(
      { content: "", toolCalls: ["slow", "fast"].map((name) => ({ id: name, name, args: {} })) },
      "done",
    );
    const slow = () => new Promise((resolve) => setTimeout(() => resolve("late"), 5));
    const agent = new Agent({ llm, tools: { slow, fast: () => "soon" }, conversation: history(10) });
    const { events } = agent.stream("Go", { compressionStrategy: wholeHistory() });
    const told = [];
    for await (const event of events) told.push(event);
    assert.deepEqual(
      told.map(({ type }) => type),
      "summary usage usage tool-call tool-call tool-result tool-result step text usage step done".split(" "),
    );
    assert.equal(told[0].report.inserted, 1);
    assert.deepEqual(
      told.filter(({ type }) => type === "tool-result").map(({ message }) => message.content),
      ["soon", "late"],
    );
    assert.deepEqual(contents(agent.conversation.messages.slice(-3)), ["late", "soon", "done"]);
  });

  test("events report the usage of a summary that is not shorter, but not the summary", async () => {
    const llm = ({ purpose }) =>
      purpose === "summary"
        ? { content: "word ".repeat(2000), usage: usage(500) }
        : { content: "yes", usage: usage(5) };
    const agent = new Agent({ llm, conversation: history(10), onWarning: () => {} });
    const told = [];
    for await (const event of agent.stream("Go", { compressionStrategy: wholeHistory() }).events) told.push(event);
    assert.deepEqual(
      told.map(({ type }) => type),
      ["usage", "text", "usage", "step", "done"],
    );
    assert.deepEqual(told.at(-1).reply.usage, { inputTokens: 505, outputTokens: 2 });
  });

  test("events end with the error of the call, after the events before it", async () => {
    const agent = make({ maxSteps: 1 });
    const { events } = agent.stream("What time?");
    const told = [];
    await assert.rejects(
      async () => {
        for await (const event of events) told.push(event.type);
      },
      { code: "max_steps_exceeded" },
    );
    assert.deepEqual(told, ["text", "usage", "tool-call", "tool-result", "step"]);
  });

  test("breaking at the last event does not abort the call", async () => {
    const streamed = make().stream("What time?");
    for await (const { type } of streamed.events) if (type === "done") break;
    assert.equal((await streamed.done).text, "It is noon.");
  });

  test("streamObject has events", async () => {
    const { llm } = scripted(() => stream('{"a"', ": 1}"));
    const streamed = new Agent({ llm }).streamObject("Go", "-> a: int");
    const told = [];
    for await (const event of streamed.events) told.push(event);
    assert.deepEqual(told.at(-1).reply.object, { a: 1 });
  });

  test("the option maxSteps of a call replaces that of the agent", async () => {
    await assert.rejects(make().chat("What time?", { maxSteps: 1 }), ({ code, details }) => {
      assert.deepEqual([code, details.usage], ["max_steps_exceeded", usage(10)]);
      return true;
    });
    assert.equal((await make({ maxSteps: 1 }).chat("What time?", { maxSteps: 2 })).text, "It is noon.");
  });
});

suite("defaults of the parameters", () => {
  const size = (limit) => ({ limit, target: 1 });
  const sent = async (options, parameters, call = (agent) => agent.chat("now", parameters)) => {
    const { llm, requests } = scripted("a", "b", "c", "d", "e");
    const agent = new Agent({ llm, ...options });
    for (const question of ["one", "two", "three"]) await agent.chat(question, { maxHistorySize: 100 });
    await call(agent);
    return requests.at(-1).messages.length;
  };

  test("maxHistorySize of the agent holds for a call without it", async () => {
    assert.equal(await sent({}, {}), 7);
    assert.equal(await sent({ maxHistorySize: 3 }, {}), 3);
    assert.equal(await sent({ maxHistorySize: 3 }, undefined), 3);
    assert.equal(await sent({ maxHistorySize: 3 }, { maxHistorySize: undefined }), 3);
    assert.equal(await sent({ maxHistorySize: 3 }, { minMessages: 4 }), 3);
  });

  test("maxHistorySize of a call replaces that of the agent, for this call", async () => {
    assert.equal(await sent({ maxHistorySize: size(3) }, { maxHistorySize: size(5) }), 5);
    const { llm, requests } = scripted("a", "b", "c", "d");
    const agent = new Agent({ llm, maxHistorySize: size(3) });
    for (const question of ["one", "two"]) await agent.chat(question);
    await agent.chat("three", { maxHistorySize: size(5) });
    await agent.chat("four");
    assert.deepEqual(
      requests.map(({ messages }) => messages.length),
      [1, 3, 5, 3],
    );
  });

  test("defaults hold for invoke, stream, streamObject, generateObject and resume", async () => {
    for (const call of [
      (agent) => agent.invoke("now"),
      (agent) => agent.stream("now").done,
      (agent) => agent.streamObject("now", {}).done.catch(() => {}),
      (agent) => agent.generateObject("now", {}).catch(() => {}),
    ]) {
      assert.equal(await sent({ maxHistorySize: 3, maxRepairs: 0 }, {}, call), 3, String(call));
    }
    let isDown = false;
    const sizes = [];
    const agent = new Agent({
      maxHistorySize: 3,
      llm: ({ messages }) => {
        if (isDown) throw new Error("down");
        sizes.push(messages.length);
        return "yes";
      },
    });
    for (const question of ["one", "two", "three"]) await agent.chat(question);
    isDown = true;
    await assert.rejects(agent.chat("four"), { code: "llm_error" });
    isDown = false;
    await agent.resume();
    assert.deepEqual(sizes, [1, 3, 3, 3]);
  });

  test("an empty list as compressionStrategy switches the strategy of the agent off", async () => {
    const { llm, requests } = scripted("a", "b", "c", "a summary");
    const agent = new Agent({ llm, compressionStrategy: wholeHistory(), minMessages: 0 });
    const long = "one two three ".repeat(50);
    for (let i = 0; i < 2; i++) await agent.chat(long, { compressionStrategy: [] });
    assert.ok(requests.every(({ purpose }) => purpose !== "summary"));
    await agent.chat("three");
    assert.ok(requests.some(({ purpose }) => purpose === "summary"));
  });

  test("maxRepairs of the agent is the default of its calls", async () => {
    const calls = async (options, parameters) => {
      let count = 0;
      const agent = new Agent({ llm: () => String(count++ && "no"), ...options });
      await assert.rejects(agent.generateObject("Go", "-> a: int", parameters), { code: "invalid_object" });
      return count;
    };
    assert.equal(await calls({}, {}), 2);
    assert.equal(await calls({ maxRepairs: 3 }, {}), 4);
    assert.equal(await calls({ maxRepairs: 3 }, { maxRepairs: undefined }), 4);
    assert.equal(await calls({ maxRepairs: 3 }, { maxRepairs: 0 }), 1);
  });

  test("defaults are checked together with the parameters of a call", async () => {
    const agent = new Agent({ llm: () => "", maxTokens: 100 });
    await assert.rejects(agent.chat("Go", { reserveTokens: 100 }), { code: "invalid_option" });
  });

  test("defaults are copied when the agent is made", async () => {
    const maxHistorySize = { limit: 3, target: 1 };
    const changed = await sent({ maxHistorySize }, {}, (agent) => {
      maxHistorySize.limit = 100;
      return agent.chat("now");
    });
    assert.equal(changed, 3);
  });

  test("a checkpoint contains no parameters, and an agent that restores it keeps its own", async () => {
    const agent = new Agent({ llm: scripted("a", "b").llm, maxHistorySize: 100, calibrate: false });
    for (const question of ["one", "two"]) await agent.chat(question);
    const checkpoint = JSON.parse(JSON.stringify(agent.checkpoint()));
    assert.deepEqual(Object.keys(checkpoint).sort(), ["messages", "version"]);
    const { llm, requests } = scripted("c");
    const later = new Agent({ llm, maxHistorySize: 3 });
    later.restore(checkpoint);
    await later.chat("three");
    assert.equal(requests[0].messages.length, 3);
  });
});

suite("objects", () => {
  const reply = '{"name": "Ada", "tags": ["a", "b"], "age": 36}';

  test("generateObject takes a signature, a JSON Schema or a Standard Schema", async () => {
    const json = {
      type: "object",
      properties: { name: { type: "string", minLength: 2 }, age: { type: "integer" } },
      required: ["name", "age"],
    };
    const standard = {
      "~standard": {
        version: 1,
        vendor: "test",
        validate: async (value) =>
          value.age > 18 ? { value: { ...value, adult: true } } : { issues: [{ message: "too young", path: ["age"] }] },
      },
    };
    for (const [schema, expected, hasJson] of [
      ["-> name: str, age: int", { name: "Ada", age: 36 }, true],
      [json, { name: "Ada", tags: ["a", "b"], age: 36 }, true],
      [standard, { name: "Ada", tags: ["a", "b"], age: 36, adult: true }, false],
    ]) {
      const { llm, requests } = scripted(`Here it is:\n\`\`\`json\n${reply}\n\`\`\``);
      const { object, text } = await new Agent({ llm }).generateObject("Who?", schema);
      assert.deepEqual(object, expected);
      assert.ok(text.includes("```"));
      assert.equal(requests[0].schema !== undefined, hasJson);
    }
  });

  test("the schema of Zod is sent to the model and validates the object", async () => {
    const schema = z.object({ name: z.string(), role: z.enum(["admin", "guest"]).default("guest") });
    const { llm, requests } = scripted('{"name": "Ada", "role": "owner"}', '{"name": "Ada"}');
    const { object } = await new Agent({ llm }).generateObject("Who?", schema);
    assert.deepEqual(object, { name: "Ada", role: "guest" });
    const sent = requests[0].schema;
    assert.deepEqual(sent.properties.role, { type: "string", enum: ["admin", "guest"], default: "guest" });
    assert.deepEqual(sent.required, ["name"]);
    assert.deepEqual(structuredClone(sent), sent);
    assert.match(requests[1].messages.at(-1).content, /role: /);
  });

  test("an object that does not fit is requested once more, and the history has only the request and the valid object", async () => {
    const { llm, requests } = scripted('{"name": "Ada"}', reply);
    const agent = new Agent({ llm });
    const { object } = await agent.generateObject("Who?", "-> name: str, age: int");
    assert.deepEqual(object, { name: "Ada", age: 36 });
    assert.equal(roles(requests[1].messages), "uau");
    assert.match(requests[1].messages[2].content, /age/);
    assert.equal(roles(agent.conversation.messages), "ua");
    assert.equal(agent.conversation.messages[1].content, reply);
  });

  test("an object that never fits ends the call with an error that lists its problems", async () => {
    const { llm, requests } = scripted("no", "no", "no", "no");
    const agent = new Agent({ llm });
    await assert.rejects(
      agent.generateObject("Who?", { type: "object", required: ["a"] }, { maxRepairs: 2 }),
      (error) => {
        assert.equal(error.code, "invalid_object");
        assert.deepEqual([error.details.text, error.details.problems], ["no", ["it is not JSON"]]);
        return true;
      },
    );
    assert.equal(requests.length, 3);
    assert.equal(roles(agent.conversation.messages), "ua");
    assert.equal(agent.conversation.messages[1].partial, true);
  });

  test("JSON Schema is checked strictly, and problems name their path", async () => {
    const schema = {
      type: "object",
      properties: {
        items: { type: "array", items: { type: "object", properties: { price: { type: "number", minimum: 1 } } } },
      },
    };
    const { llm } = scripted('{"items": [{"price": 2}, {"price": 0}]}');
    await assert.rejects(new Agent({ llm }).generateObject("Go", schema, { maxRepairs: 0 }), (error) => {
      assert.match(error.details.problems.join(), /^items\[1\]\.price: 0 is less than 1$/);
      return true;
    });
  });

  test("the schema counts towards maxTokens", async () => {
    const { llm } = scripted("yes", reply);
    const plain = await new Agent({ llm }).chat("Who?", { maxTokens: 1000 });
    const schema = "-> name: str, age: int, tags: list[str]";
    const object = await new Agent({ llm }).generateObject("Who?", schema, { maxTokens: 1000 });
    assert.ok(object.report.tokens.before > plain.report.tokens.before + 20);
    await assert.rejects(new Agent({ llm }).generateObject("Who?", schema, { maxTokens: 30 }), {
      code: "request_over_budget",
    });
  });

  test("invalid schemas are refused", async () => {
    const { llm } = scripted();
    for (const schema of [5, null, undefined, () => {}, [], new Map()]) {
      await assert.rejects(async () => new Agent({ llm }).generateObject("Go", schema), { code: "invalid_schema" });
    }
    await assert.rejects(async () => new Agent({ llm }).generateObject("Go", "-> name: strong"), {
      code: "invalid_signature",
    });
    const reference = { type: "object", properties: { id: { $ref: "#/$defs/none" } }, $defs: { some: {} } };
    await assert.rejects(async () => new Agent({ llm }).generateObject("Go", reference), {
      code: "invalid_schema",
      message: 'the JSON Schema refers to "#/$defs/none", which it does not have',
    });
  });

  test("errors of a signature have the positions in the text that was given", async () => {
    const { llm } = scripted();
    for (const [text, type] of [
      ["id: intt", "intt"],
      ["-> id: intt", "intt"],
      ["  {id :intt}", ":intt"],
      ["question -> id: intt", "intt"],
      ["id: int,\n  name: intt", "intt"],
    ]) {
      const error = await new Agent({ llm }).generateObject("Go", text).catch((error) => error);
      const { start: from, end, line, column, signature } = error.details;
      assert.deepEqual([error.code, signature, text.slice(from, end)], ["invalid_signature", text, type]);
      assert.ok(
        text
          .split("\n")
          [line - 1].slice(column - 1)
          .startsWith(type),
      );
    }
  });

  test("a signature may be an object, with descriptions and without inputs", async () => {
    const outputs = [{ name: "count", type: "int", description: "how many" }];
    const { llm, requests } = scripted('{"count":"two"}', '{"count":"2"}');
    const { object } = await new Agent({ llm }).generateObject("How many?", { outputs });
    assert.deepEqual(object, { count: 2 });
    assert.equal(requests.length, 2);
    assert.equal(requests[0].schema.properties.count.description, "how many");
    const inputs = [{ name: "mail", type: "str" }];
    const again = await new Agent({ llm: () => '{"count":3}' }).generateObject("How many?", { inputs, outputs });
    assert.deepEqual(again.object, { count: 3 });
  });

  test("streamObject yields partial objects", async () => {
    const { llm } = scripted(() => stream('Sure: {"name"', ': "A', 'da", "ta', 'gs": ["a', '", "b"], "age": 3', "6}"));
    const streamed = new Agent({ llm }).streamObject("Who?", "-> name: str, tags: list[str], age: int");
    const pieces = [];
    for await (const piece of streamed) pieces.push(piece);
    assert.deepEqual(pieces, [
      {},
      { name: "A" },
      { name: "Ada" },
      { name: "Ada", tags: ["a"] },
      { name: "Ada", tags: ["a", "b"] },
      { name: "Ada", tags: ["a", "b"], age: 36 },
    ]);
    assert.deepEqual((await streamed.done).object, { name: "Ada", tags: ["a", "b"], age: 36 });
  });
});

suite("checkpoints and the conversation", () => {
  test("a checkpoint contains only the messages", async () => {
    const { llm } = scripted("yes");
    const agent = new Agent({ llm, conversation: history(25), ...quiet });
    await agent.chat("Go", { compressionStrategy: wholeHistory() });
    const saved = JSON.parse(JSON.stringify(agent.checkpoint()));
    assert.deepEqual(Object.keys(saved), ["version", "messages"]);
    assert.deepEqual(saved.messages.map(({ role }) => role[0]).join(""), "suua");
    const other = new Agent({ llm });
    other.restore(saved);
    assert.equal(JSON.stringify(other.conversation), JSON.stringify(agent.conversation));
    other.restore(JSON.stringify(saved));
    assert.equal(JSON.stringify(other.checkpoint()), JSON.stringify(agent.checkpoint()));
  });

  test("a checkpoint with a transcript restores both, and saves shared messages once", async () => {
    const { llm } = scripted("yes", "no");
    const agent = new Agent({ llm, conversation: history(10) });
    await agent.chat("Go", { compressionStrategy: wholeHistory() });
    const saved = agent.checkpoint({ transcript: true });
    assert.deepEqual(saved.transcript.slice(-2), [2, 3]);
    const other = new Agent({ llm });
    other.restore(JSON.parse(JSON.stringify(saved)));
    assert.deepEqual(other.conversation.messages, agent.conversation.messages);
    assert.deepEqual(other.transcript, agent.transcript);
    await other.chat("More?");
    assert.equal(other.transcript.length, agent.transcript.length + 2);
    assert.deepEqual(Conversation.fromJSON(saved).messages, agent.conversation.messages);
    other.restore(JSON.stringify(agent.checkpoint()));
    assert.deepEqual(other.transcript, agent.conversation.messages);
    for (const options of [5, { transcript: 1 }, { all: true }]) {
      assert.throws(() => agent.checkpoint(options), { code: "invalid_option" });
    }
    for (const transcript of [5, {}, [99], [-1], [null], ["x"]]) {
      assert.throws(
        () => other.restore({ ...saved, transcript }),
        ({ code }) => code === "invalid_conversation" || code === "invalid_message",
      );
    }
    const message = "the text of the conversation is not JSON";
    assert.throws(() => other.restore('{"version":1,'), { code: "invalid_conversation", message });
  });

  test("restore keeps the system message that the agent was created with", async () => {
    const { llm } = scripted("yes");
    const old = new Agent({ llm, system: "Old." });
    await old.chat("Go");
    for (const transcript of [false, true]) {
      const checkpoint = old.checkpoint({ transcript });
      const own = new Agent({ llm, system: "New." });
      own.restore(checkpoint);
      assert.deepEqual(contents(own.conversation.messages), ["New.", "Go", "yes"]);
      assert.deepEqual(contents(own.transcript), ["New.", "Go", "yes"]);
      const none = new Agent({ llm });
      none.restore(checkpoint);
      assert.deepEqual(contents(none.conversation.messages), ["Old.", "Go", "yes"]);
      assert.deepEqual(contents(none.transcript), ["Old.", "Go", "yes"]);
    }
  });

  test("a checkpoint with unpaired calls or results causes a warning", () => {
    const warnings = [];
    const agent = new Agent({ llm: () => "", onWarning: (text) => warnings.push(text) });
    const unpaired = new Conversation({ messages: [{ role: "tool", toolCallId: "x", content: "5" }] });
    agent.restore(unpaired.toJSON());
    assert.deepEqual(warnings, ["the checkpoint is not whole: message 0 answers x, which was never called"]);
  });

  test("the agent's system message replaces a stored one", async () => {
    const { llm, requests } = scripted("yes");
    const agent = new Agent({ llm, system: "New.", conversation: history(1, "Old.") });
    await agent.chat("Go");
    assert.deepEqual(requests[0].messages.map(({ content }) => content).slice(0, 1), ["New."]);
    assert.equal(roles(requests[0].messages), "suau");
  });

  test("an empty input sends the messages that have no answer yet", async () => {
    const { llm, requests } = scripted("here");
    const messages = [...history(20).messages, { role: "user", content: "Still there?" }];
    const agent = new Agent({ llm, conversation: new Conversation({ messages }) });
    await agent.chat([], { compressionStrategy: wholeHistory() });
    assert.equal(requests.at(-1).messages.at(-1).content, "Still there?");
    assert.equal(roles(agent.conversation.messages), "suua");
  });

  test("messages get a timestamp, so that fromTimestamp applies to them", async () => {
    const agent = new Agent({ llm: () => "yes" });
    const before = Date.now();
    await agent.chat("Go");
    for (const { timestamp } of agent.conversation.messages) assert.ok(timestamp >= before && timestamp <= Date.now());
  });

  test("warnings reach onWarning, whose errors are ignored", async () => {
    const warnings = [];
    const { llm } = scripted("yes", "yes");
    const make = (onWarning) =>
      new Agent({ llm, conversation: new Conversation({ messages: history(10).messages.slice(1) }), onWarning });
    const parameters = {
      compressionStrategy: { name: "forget", plan: (messages) => ({ keep: [], drop: [...messages.keys()] }) },
      keepAtLeast: 0,
    };
    const { report } = await make((text) => warnings.push(text)).chat("Go", parameters);
    assert.deepEqual(warnings, ["forget left 1 message in the conversation, and context may be lost"]);
    assert.deepEqual(report.warnings, warnings);
    const { error } = console;
    console.error = () => {};
    try {
      const agent = make(() => {
        throw new Error("no");
      });
      assert.equal((await agent.chat("Go", parameters)).text, "yes");
    } finally {
      console.error = error;
    }
  });

  test("options are checked", () => {
    for (const options of [
      undefined,
      {},
      { llm: 5 },
      { llm: () => "", system: 5 },
      { llm: () => "", maxSteps: 0 },
      { llm: () => "", approve: "yes" },
      { llm: () => "", onFailure: "throw" },
      { llm: () => "", tools: [] },
      { llm: () => "", conversation: [] },
      { llm: () => "", onWarning: 5 },
      { llm: () => "", instructions: "" },
      { llm: () => "", retry: 5 },
      { llm: () => "", maxTokens: -1 },
      { llm: () => "", maxMessages: 5 },
      { llm: () => "", counter: {} },
      { llm: () => "", compressionStrategy: "wholeHistory" },
      { llm: () => "", maxRepairs: -1 },
      { llm: () => "", signal: new AbortController().signal },
      { llm: () => "", tools: { recall: () => "" }, compressionStrategy: digest({ handles: true }) },
    ]) {
      assert.throws(
        () => new Agent(options),
        (error) => TurnfoldError.isInstance(error) && error.code !== "internal",
      );
    }
    assert.throws(() => new Agent({}), { code: "missing_llm" });
    const named = { maxSteps: 0, concurrency: 0, minMessages: -1, maxRepairs: -1, maxTokens: -1 };
    for (const [option, value] of Object.entries(named))
      assert.throws(
        () => new Agent({ llm: () => "", [option]: value }),
        ({ code, message, details }) =>
          code === "invalid_option" && message.includes(option) && details.option === option,
        option,
      );
    new Agent({ llm: () => "", maxSteps: 1, concurrency: 1, minMessages: 0, maxRepairs: 0, maxTokens: 1000 });
  });
});

suite("toModelOutput of a tool", () => {
  /** The message with a result that the model reads, without its time. */
  async function resultOf(output, result = { rows: 3 }) {
    const { llm } = scripted({ content: "", toolCalls: [{ id: "a", name: "find", args: { id: 1 } }] }, "Done.");
    const given = [];
    const find = {
      inputSchema: { type: "object" },
      execute: () => result,
      toModelOutput: (about) => {
        given.push(about);
        return output;
      },
    };
    const agent = new Agent({ llm, tools: { find }, ...quiet });
    await agent.chat("Find it.");
    assert.equal(given.length, 1);
    const { timestamp: _, ...message } = agent.conversation.messages.find(({ role }) => role === "tool");
    return message;
  }

  const about = { role: "tool", toolCallId: "a", toolName: "find" };

  for (const [output, expected] of [
    [{ type: "text", value: "three" }, { content: "three" }],
    [
      { type: "error-text", value: "none" },
      { content: "none", isError: true },
    ],
    [{ type: "json", value: { n: 3 } }, { content: '{"n":3}' }],
    [
      { type: "error-json", value: { n: 0 } },
      { content: '{"n":0}', isError: true },
    ],
    [
      { type: "execution-denied", reason: "Not now." },
      { content: "Not now.", isDenied: true },
    ],
    [{ type: "execution-denied" }, { content: "The call was not approved.", isDenied: true }],
    [undefined, { content: '{"rows":3}' }],
    [{ n: 3 }, { content: '{"n":3}' }],
  ]) {
    test(`is what the model reads: ${JSON.stringify(output)}`, async () => {
      assert.deepEqual(await resultOf(output), { ...about, ...expected });
    });
  }

  test("may have parts, which name their call", async () => {
    const output = { type: "content", value: [{ type: "text", text: "three" }] };
    const part = { type: "tool-result", toolCallId: "a", toolName: "find", output };
    assert.deepEqual(await resultOf(output), { role: "tool", content: [part] });
  });

  test("is an error of the call when its text is no text", async () => {
    const { content, isError } = await resultOf({ type: "text", value: 3 });
    assert.match(content, /^Error: it was run, and its toModelOutput gave .* as its text$/);
    assert.equal(isError, true);
  });
});

test("saved conversations have values that JSON lacks, and members with the name of their mark", () => {
  const saved = (content) => {
    const conversation = new Conversation({ messages: [{ role: "user", content }] });
    const json = JSON.parse(JSON.stringify(conversation));
    return { json, again: Conversation.fromJSON(json).messages[0].content };
  };
  const values = {
    url: new URL("https://x.example/a?b=c"),
    date: new Date(1_709_210_096_789),
    bytes: new Uint8Array([0, 1, 255]),
    buffer: new Uint8Array([7, 8]).buffer,
    floats: new Float32Array([1.5, -2]),
    big: 12_345_678_901_234_567_890n,
    nan: Number.NaN,
    infinite: Number.NEGATIVE_INFINITY,
    zero: -0,
    list: [undefined, 1],
    nested: { deep: [new URL("https://y.example/")] },
  };
  const part = { type: "text", text: "See", values };
  assert.deepEqual(saved([part]).again, [part]);
  const [{ at: noDate }] = saved([{ type: "text", text: "x", at: new Date(Number.NaN) }]).again;
  assert.ok(noDate instanceof Date && Number.isNaN(Number(noDate)));
  const [mark] = Object.keys(saved([{ type: "text", text: "x", at: values.date }]).json.messages[0].content[0].at);
  const marked = { type: "text", text: "x", own: { [mark]: "url", value: "no address" } };
  assert.deepEqual(saved([marked]).again, [marked]);
});
