// Calls that end early, in every way and at every await of a loop with three tools: all results are kept, no tool runs twice, and
// a resumed call gives the same messages as an undisturbed call, byte for byte.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, wholeHistory } from "turnfold";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";

const QUESTION = "Refund order 17.";
const ANSWER = '{"refunded": 17, "euros": 30}';
const RECEIPT = `30 euros. ${"The money arrives within five days. ".repeat(6)}`;
const SCHEMA = "-> refunded: int, euros: int";
const UNKNOWN = "interrupted: unknown whether it finished";
const NOT_RUN = "interrupted: it was not run";
const boom = new Error("the connection broke");

const earlier = new Conversation({
  messages: Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `${index}. The parcel left the depot in Leipzig yesterday and comes before noon.`,
  })),
});

/** A shop whose model reads two records, then refunds, then answers. The results in the messages alone decide its reply. */
function shop(more = {}) {
  const made = { started: [], finished: [], gates: 0, at: -1, disturb: () => {} };
  /** Every callback of the host awaits this function. */
  const gate = async (place) => {
    await null;
    if (made.gates++ === made.at) await made.disturb(place);
  };
  const tool = (name, result) => async () => {
    made.started.push(name);
    await gate(`tool ${name}`);
    made.finished.push(name);
    return result;
  };
  const rounds = [
    { text: "I look. ", calls: ["order", "stock"] },
    { text: "", calls: ["refund"] },
  ];
  const llm = async function* ({ messages, purpose }) {
    await gate(`${purpose} begins`);
    if (purpose === "summary") {
      yield "They talked about parcels.";
      return;
    }
    assert.ok(
      messages.every((message) => !("unfinished" in message)),
      "a mark was sent",
    );
    assert.notEqual(messages.at(-1).role, "assistant", "an answer was sent to be continued");
    assert.equal(messages.filter(({ content }) => content === QUESTION).length, 1, "the question was asked twice");
    const results = messages.filter(({ toolCallId }) => toolCallId !== undefined).length;
    const round = [0, 2].includes(results) ? rounds[results / 2] : undefined;
    const text = round?.text ?? ANSWER;
    for (const piece of [text.slice(0, 5), text.slice(5)]) {
      if (piece === "") continue;
      yield piece;
      await gate(`${purpose} goes on`);
    }
    if (round === undefined) return;
    yield { toolCalls: round.calls.map((name) => ({ id: `${name}-1`, name, args: {} })) };
    await gate(`${purpose} ends`);
  };
  const agent = new Agent({
    system: "You help.",
    conversation: earlier,
    llm,
    tools: { order: tool("order", "open"), stock: tool("stock", { left: 3 }), refund: tool("refund", RECEIPT) },
    approve: async () => {
      await gate("approve");
      return true;
    },
    ...more,
  });
  return Object.assign(made, { agent });
}

const parameters = { compressionStrategy: wholeHistory() };

const MODES = {
  chat: (agent, options) => agent.chat(QUESTION, { ...parameters, ...options }),
  stream: async (agent, options) => {
    const stream = agent.stream(QUESTION, { ...parameters, ...options });
    try {
      for await (const _ of stream);
    } catch {
      // `done` rejects with the same error.
    }
    return stream.done;
  },
  generateObject: (agent, options) => agent.generateObject(QUESTION, SCHEMA, { ...parameters, ...options }),
  streamObject: async (agent, options) => {
    const stream = agent.streamObject(QUESTION, SCHEMA, { ...parameters, ...options });
    try {
      for await (const _ of stream.events);
    } catch {
      // `done` rejects with the same error.
    }
    return stream.done;
  },
};

const bare = (messages) => messages.map(({ timestamp: _, ...message }) => message);
const unmarked = (messages) => bare(messages).map(({ unfinished: _, ...message }) => message);

async function rejected(promise) {
  return promise.then(
    () => assert.fail("it did not reject"),
    (error) => error,
  );
}

/** Replaces interrupted results with those of the undisturbed run. */
function mended(messages, undisturbed) {
  return messages.map((message, index) => {
    const isInterrupted = message.content === UNKNOWN || message.content === NOT_RUN;
    if (!isInterrupted) return message;
    assert.equal(message.isError, true);
    assert.equal(message.toolCallId, undisturbed[index].toolCallId);
    return undisturbed[index];
  });
}

/** Checks the state after a call that ended early. */
function checkKept({ agent, started, finished }, error, where) {
  const { messages } = error.details;
  assert.equal(messages.filter(({ content }) => content === QUESTION).length, 1, where);
  const calls = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name));
  for (const name of started) assert.ok(calls.includes(name), `${where}: ${name} ran, and nobody knows`);
  for (const name of calls) {
    const [result, ...others] = messages.filter(({ toolName }) => toolName === name);
    assert.equal(others.length, 0, where);
    if (result.content === NOT_RUN) assert.ok(!started.includes(name), `${where}: ${name} was run`);
    else assert.ok(started.includes(name), `${where}: ${name} was not run`);
    if (result.isError === undefined) assert.ok(finished.includes(name), `${where}: ${name} has not finished`);
  }
  assert.deepEqual(
    agent.transcript.slice(-messages.length).map(({ content }) => content),
    contentsOf(messages),
    where,
  );
  assert.deepEqual(unmarked(agent.conversation.messages).slice(-messages.length), bare(messages), where);
  assert.deepEqual(agent.conversation.lint(), [], where);
  assert.equal(agent.isUnfinished, true, where);
  assert.match(error.hint, /the conversation keeps the question.*: agent\.resume\(\) continues from there$/, where);
}

const contentsOf = (messages) => messages.map(({ content }) => content);

/** The same agent, restored from JSON. */
function reloaded(made, options) {
  const saved = JSON.stringify(made.agent.checkpoint(options));
  const fresh = shop();
  fresh.agent.restore(JSON.parse(saved));
  return Object.assign(fresh, { started: made.started, finished: made.finished });
}

/** Ways to end a call at a gate. An error of a tool does not end the call: it is a result. */
const WAYS = {
  "an error": () => () => {
    throw boom;
  },
  "an abort": (controller) => () => controller.abort(),
  "an abort and no more": (controller) => () => {
    controller.abort();
    return new Promise(() => {});
  },
};

for (const [mode, call] of Object.entries(MODES)) {
  suite(`${mode} that ends early`, () => {
    test("keeps what ran and is resumed, at every await and for every way to end it", async () => {
      const calm = shop();
      await call(calm.agent);
      const undisturbed = bare(calm.agent.conversation.messages);
      const said = bare(calm.agent.transcript);
      assert.ok(calm.gates >= 14, `only ${calm.gates} places`);
      assert.deepEqual(calm.started, ["order", "stock", "refund"]);
      let ended = 0;
      for (const [way, disturbance] of Object.entries(WAYS)) {
        for (let at = 0; at < calm.gates; at++) {
          const made = shop();
          const controller = new AbortController();
          let place = "nowhere";
          made.at = at;
          made.disturb = (here) => {
            place = here;
            return disturbance(controller)(here);
          };
          const error = await call(made.agent, { signal: controller.signal }).then(
            () => null,
            (error) => error,
          );
          if (error === null) {
            assert.ok(way === "an error" && /^(?:tool|approve)/.test(place), `${way} at ${place} was no end`);
            continue;
          }
          const where = `${way} at ${at}, ${place}: ${error.message}`;
          const code =
            way !== "an error" ? "aborted" : place.startsWith("summary") ? "compression_failed" : "llm_error";
          assert.equal(error.code, code, where);
          checkKept(made, error, where);
          ended++;

          const again = [made, reloaded(made), reloaded(made, { transcript: true })];
          for (const [index, one] of again.entries()) {
            const before = [...one.started];
            const { messages } =
              index === 0 && mode !== "chat" ? await call(one.agent) : await one.agent.resume(parameters);
            assert.equal(new Set(one.started).size, one.started.length, `${where}: a tool ran twice`);
            one.started.splice(0, Infinity, ...before);
            const now = bare(one.agent.conversation.messages);
            assert.deepEqual(mended(now, undisturbed), undisturbed, where);
            assert.equal(one.agent.isUnfinished, false, where);
            assert.deepEqual(mended(bare(messages), undisturbed.slice(-messages.length)), said.slice(12 + 1), where);
            if (index !== 1) assert.deepEqual(mended(bare(one.agent.transcript), said), said, where);
          }
        }
      }
      assert.ok(ended > 30, `only ${ended}`);
    });

    test("can end early once more while it is resumed", async () => {
      const calm = shop();
      await call(calm.agent);
      const undisturbed = bare(calm.agent.conversation.messages);
      for (let first = 0; first < calm.gates; first++) {
        for (let second = 0; second < calm.gates; second += 2) {
          const made = shop();
          for (const at of [first, second]) {
            const controller = new AbortController();
            made.gates = 0;
            made.at = at;
            made.disturb = () => controller.abort();
            const error = await call(made.agent, { signal: controller.signal }).then(
              () => null,
              (error) => error,
            );
            if (error !== null) checkKept(made, error, `${first}, ${second}`);
            else break;
          }
          made.at = -1;
          if (made.agent.isUnfinished) await call(made.agent);
          assert.equal(new Set(made.started).size, made.started.length);
          assert.deepEqual(mended(bare(made.agent.conversation.messages), undisturbed), undisturbed);
        }
      }
    });

    test("by maxSteps resumes where it ended", async () => {
      const calm = shop();
      await call(calm.agent);
      for (const maxSteps of [1, 2]) {
        const made = shop();
        const error = await rejected(call(made.agent, { maxSteps }));
        assert.equal(error.code, "max_steps_exceeded");
        assert.equal(error.details.maxSteps, maxSteps);
        checkKept(made, error, `${maxSteps} steps`);
        await made.agent.resume({ ...parameters, maxSteps: 3 - maxSteps });
        assert.deepEqual(bare(made.agent.conversation.messages), bare(calm.agent.conversation.messages));
        assert.deepEqual(made.started, calm.started);
      }
    });

    test("by maxTokens resumes with a larger limit", async () => {
      const make = () => shop({ conversation: new Conversation() });
      const calm = make();
      await call(calm.agent);
      const places = new Set();
      for (let maxTokens = 20; maxTokens < 400; maxTokens += 5) {
        const made = make();
        const error = await call(made.agent, { compressionStrategy: undefined, maxTokens }).then(
          () => null,
          (error) => error,
        );
        if (error === null) continue;
        assert.ok(["request_over_budget", "max_tokens_below_system"].includes(error.code), error.code);
        checkKept(made, error, `${maxTokens} tokens`);
        places.add(made.started.length);
        await call(made.agent);
        assert.deepEqual(bare(made.agent.transcript), bare(calm.agent.transcript));
        assert.deepEqual(made.started, calm.started);
      }
      assert.deepEqual([...places].sort(), [0, 2, 3]);
    });

    test("with onFailure: discard leaves its messages in details.messages and not in the conversation", async () => {
      const calm = shop();
      await call(calm.agent);
      for (let at = 0; at < calm.gates; at++) {
        const made = shop({ onFailure: "discard" });
        const controller = new AbortController();
        made.at = at;
        made.disturb = () => controller.abort();
        const error = await rejected(call(made.agent, { signal: controller.signal }));
        const { messages } = error.details;
        assert.equal(messages[0].content, QUESTION);
        for (const name of made.started) assert.ok(messages.some(({ toolName }) => toolName === name));
        // The managed history is kept.
        const kept = bare(calm.agent.conversation.messages).slice(0, at === 0 ? 0 : 2);
        const before = at === 0 ? ["system", ...earlier.messages.map(({ role }) => role)] : ["system", "user"];
        assert.deepEqual(
          made.agent.conversation.messages.map(({ role }) => role),
          before,
        );
        assert.deepEqual(bare(made.agent.conversation.messages).slice(0, kept.length), kept);
        assert.match(error.hint, /nothing of this exchange is in the conversation, all of it in details\.messages$/);
        assert.equal(made.agent.isUnfinished, false);
        await assert.rejects(made.agent.resume(), { code: "nothing_to_resume" });
        assert.deepEqual(contentsOf(made.agent.transcript.slice(-messages.length)), contentsOf(messages));
      }
    });
  });
}

suite("breaking out of a stream", () => {
  test("at any chunk or event keeps what ran, and the call can be resumed", async () => {
    const calm = shop();
    await calm.agent.chat(QUESTION, parameters);
    const undisturbed = bare(calm.agent.conversation.messages);
    for (const what of ["pieces", "events"]) {
      for (let last = 1; ; last++) {
        const made = shop();
        const stream = made.agent.stream(QUESTION, parameters);
        let read = 0;
        for await (const _ of what === "pieces" ? stream : stream.events) if (++read === last) break;
        const error = await stream.done.then(
          () => null,
          (error) => error,
        );
        if (error === null) {
          assert.ok(read > 3);
          break;
        }
        assert.equal(error.code, "aborted");
        checkKept(made, error, `after ${last} ${what}`);
        await made.agent.resume(parameters);
        assert.deepEqual(mended(bare(made.agent.conversation.messages), undisturbed), undisturbed);
        assert.equal(new Set(made.started).size, made.started.length);
      }
    }
  });
});

suite("an answer that was cut off", () => {
  const half = async function* () {
    yield "half a ";
    yield "sentence";
    yield { toolCalls: [{ id: "a", name: "order", args: {} }] };
    throw boom;
  };
  const failing = (...answers) => {
    const requests = [];
    const llm = (request) => {
      requests.push(request.messages);
      return (answers.shift() ?? (() => "whole"))(request);
    };
    return { agent: new Agent({ llm, tools: { order: () => assert.fail("it was called") } }), requests };
  };

  test("is kept as partial, without the tool calls that were streamed", async () => {
    const { agent, requests } = failing(half);
    const error = await rejected(agent.chat("Go"));
    assert.match(error.hint, /keeps the question and a partial answer/);
    assert.deepEqual(unmarked(error.details.messages), [
      { role: "user", content: "Go" },
      { role: "assistant", content: "half a sentence", partial: true },
    ]);
    assert.deepEqual(bare(agent.conversation.messages), [
      { role: "user", content: "Go", unfinished: true },
      { role: "assistant", content: "half a sentence", partial: true },
    ]);
    for (const format of [openai, anthropic, aiSdk]) {
      assert.doesNotMatch(JSON.stringify(format.to(agent.conversation)), /partial|unfinished/);
    }
    await agent.resume();
    assert.deepEqual(bare(requests[1]), [{ role: "user", content: "Go" }]);
    const whole = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "whole" },
    ];
    assert.deepEqual(bare(agent.conversation.messages), whole);
    assert.deepEqual(bare(agent.transcript), whole);
  });

  test("is kept when resuming fails before any text, and is replaced by newer text", async () => {
    const fails = () => {
      throw boom;
    };
    const shorter = async function* () {
      yield "other";
      throw boom;
    };
    const { agent } = failing(half, fails, shorter);
    for (const content of ["half a sentence", "half a sentence", "other"]) {
      await rejected(agent.chat("Go"));
      assert.deepEqual(contentsOf(agent.conversation.messages), ["Go", content]);
      assert.deepEqual(contentsOf(agent.transcript), ["Go", content]);
    }
  });

  test("is ordinary text when another question is asked", async () => {
    const { agent, requests } = failing(half);
    await rejected(agent.chat("Go"));
    await agent.chat("Something else");
    assert.deepEqual(contentsOf(requests[1]), ["Go", "half a sentence", "Something else"]);
    assert.deepEqual(bare(agent.conversation.messages)[0], { role: "user", content: "Go" });
    assert.equal(agent.conversation.messages[1].partial, true);
    assert.equal(agent.isUnfinished, false);
    await assert.rejects(agent.resume(), { code: "nothing_to_resume" });
    for (const format of [openai, anthropic, aiSdk]) {
      assert.doesNotMatch(JSON.stringify(format.to(agent.conversation)), /partial|unfinished/);
    }
  });

  test("is converted to a provider's message and back with its member partial", () => {
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "half a", partial: true },
    ];
    assert.deepEqual(openai.to(openai.from(messages)), messages);
  });
});

suite("an unfinished exchange", () => {
  const broken = () => {
    let isBroken = true;
    const requests = [];
    const llm = ({ messages }) => {
      requests.push(messages);
      if (isBroken) throw boom;
      return "yes";
    };
    return { llm, requests, mend: () => (isBroken = false) };
  };

  test("is resumed by the same question, by an empty input and by resume()", async () => {
    const image = { type: "image", image: new Uint8Array([1, 2, 3]) };
    for (const question of ["Go", [{ role: "user", content: [{ type: "text", text: "Go" }, image] }]]) {
      for (const again of [(agent) => agent.chat(question), (agent) => agent.chat([]), (agent) => agent.resume()]) {
        const { llm, requests, mend } = broken();
        const agent = new Agent({ llm });
        await rejected(agent.chat(question));
        await rejected(again(agent));
        const [first] = agent.conversation.messages;
        mend();
        const { messages } = await again(agent);
        assert.equal(requests.at(-1).length, 1);
        assert.equal(messages.length, 2);
        assert.equal(agent.conversation.messages.length, 2);
        assert.equal(agent.conversation.messages[0].timestamp, first.timestamp);
      }
    }
  });

  test("is not resumed by a question with another role or more messages", async () => {
    const { llm, mend } = broken();
    const agent = new Agent({ llm });
    await rejected(agent.chat("Go"));
    await rejected(agent.chat([{ role: "critic", content: "Go" }]));
    assert.equal(agent.conversation.messages.length, 2);
    await rejected(
      agent.chat([
        { role: "critic", content: "Go" },
        { role: "user", content: "Go" },
      ]),
    );
    assert.equal(agent.conversation.messages.length, 4);
    mend();
    await agent.resume();
    assert.equal(agent.conversation.messages.length, 5);
  });

  test("after an empty input marks the question that was pending", async () => {
    for (const onFailure of ["keep", "discard"]) {
      const { llm, mend } = broken();
      const conversation = new Conversation({ messages: [{ role: "user", content: "Still there?" }] });
      const agent = new Agent({ llm, conversation, onFailure });
      await rejected(agent.chat([]));
      assert.equal(agent.isUnfinished, onFailure === "keep");
      assert.deepEqual(unmarked(agent.conversation.messages), conversation.messages);
      mend();
      await agent.chat([]);
      assert.deepEqual(contentsOf(agent.conversation.messages), ["Still there?", "yes"]);
      assert.deepEqual(contentsOf(agent.transcript), ["Still there?", "yes"]);
    }
  });

  test("has the results that arrived, and marks the calls that were running", async () => {
    const controller = new AbortController();
    const requests = [];
    const llm = ({ messages }) => {
      requests.push(messages);
      if (messages.at(-1).role === "tool") return "I see.";
      return { content: "", toolCalls: ["slow", "fast", "broken"].map((name) => ({ id: name, name, args: {} })) };
    };
    const tools = {
      fast: () => "soon",
      broken: () => {
        throw boom;
      },
      slow: (_, { signal }) =>
        new Promise((_, reject) => {
          signal.addEventListener("abort", () => reject(new Error("I stop")));
          setTimeout(() => controller.abort(), 5);
        }),
    };
    const agent = new Agent({ llm, tools });
    const stream = agent.stream("Go", { signal: controller.signal });
    const events = [];
    const error = await rejected(
      (async () => {
        for await (const event of stream.events) events.push(event);
      })(),
    );
    const results = [
      ["slow", UNKNOWN, true],
      ["fast", "soon", undefined],
      ["broken", `Error: ${boom.message}`, true],
    ];
    const resultsOf = (messages) =>
      messages
        .filter(({ role }) => role === "tool")
        .map((message) => [message.toolName, message.content, message.isError]);
    assert.deepEqual(resultsOf(error.details.messages), results);
    assert.deepEqual(
      new Set(events.filter(({ type }) => type === "tool-result").map(({ call }) => call.name)),
      new Set(["fast", "broken"]),
    );
    assert.equal((await agent.resume()).text, "I see.");
    assert.deepEqual(resultsOf(requests[1]), results);
    assert.equal(requests.length, 2);
  });

  test("is resumed in a new agent with its conversation", async () => {
    const { llm, mend } = broken();
    const agent = new Agent({ llm });
    await rejected(agent.chat("Go"));
    mend();
    const other = new Agent({ llm, conversation: agent.conversation, system: "You help." });
    assert.equal((await other.resume()).text, "yes");
    assert.deepEqual(contentsOf(other.conversation.messages), ["You help.", "Go", "yes"]);
  });

  test("does not exist: resume() is refused", async () => {
    const agent = new Agent({ llm: () => "yes" });
    for (const _ of [1, 2]) {
      assert.equal(agent.isUnfinished, false);
      await assert.rejects(agent.resume(), { code: "nothing_to_resume" });
      await agent.chat("Go");
    }
    await assert.rejects(agent.resume({ maxSteps: 0 }), { code: "invalid_option" });
  });

  test("of an object that never fit is requested again by the same call", async () => {
    let object = '{"price": "dear"}';
    const agent = new Agent({ llm: () => object });
    const schema = "-> price: int";
    const error = await rejected(agent.generateObject("How much?", schema, { maxRepairs: 0 }));
    assert.equal(error.code, "invalid_object");
    assert.deepEqual(contentsOf(error.details.messages), ["How much?", object]);
    object = '{"price": 7}';
    assert.deepEqual((await agent.generateObject("How much?", schema)).object, { price: 7 });
    assert.deepEqual(contentsOf(agent.conversation.messages), ["How much?", object]);
  });

  test("of a schema that throws has its error as the cause", async () => {
    const validate = () => {
      throw boom;
    };
    const agent = new Agent({ llm: () => "{}" });
    const error = await rejected(agent.generateObject("Go", { "~standard": { version: 1, vendor: "test", validate } }));
    assert.deepEqual([error.code, error.cause], ["invalid_object", boom]);
    assert.equal(error.details.messages.length, 2);
  });

  test("has no calls whose arguments have no form in a message", async () => {
    const order = () => assert.fail("it was called");
    const agent = new Agent({
      llm: () => ({ content: "", toolCalls: [{ id: "a", name: "order", args: { when: () => {} } }] }),
      tools: { order },
    });
    const error = await rejected(agent.chat("Go"));
    assert.equal(error.code, "llm_error");
    assert.match(error.message, /toolCalls\[0\]\.args\.when is a function/);
    assert.deepEqual(contentsOf(agent.conversation.messages), ["Go"]);
  });

  test("keeps the arguments of a call unchanged when the tool changes them", async () => {
    const replies = [{ content: "", toolCalls: [{ id: "a", name: "order", args: { id: 17 } }] }, "done"];
    const agent = new Agent({
      llm: () => replies.shift(),
      tools: {
        order: (args) => {
          args.id = 18;
          return "open";
        },
      },
    });
    const { messages } = await agent.chat("Go");
    assert.deepEqual(messages[1].toolCalls[0].args, { id: 17 });
    assert.equal(messages[2].content, "open");
  });
});

suite("results of tools that the host runs", () => {
  const asked = new Conversation({
    messages: [
      { role: "user", content: "q" },
      { role: "assistant", content: "", toolCalls: [{ id: "c1", name: "ask_user", args: {} }] },
    ],
  });
  const input = [{ role: "tool", toolCallId: "c1", toolName: "ask_user", content: "long text ".repeat(500) }];
  const parameters = { maxTokens: 300, onOverflow: "truncateResults" };
  /** A model that calls a tool once; `fails` is the number of the request that fails. */
  const agentOf = (onFailure, fails) => {
    let count = 0;
    const llm = ({ messages }) => {
      if (count++ === fails) throw boom;
      return messages.at(-1).toolCallId === "c1"
        ? { content: "", toolCalls: [{ id: "c2", name: "g", args: {} }] }
        : "done";
    };
    return new Agent({
      conversation: asked,
      onFailure,
      onWarning() {},
      tools: { g: ["() -> :string", () => "ok"] },
      llm,
    });
  };
  const roles = (agent) => agent.conversation.messages.map(({ role }) => role).join();

  test("may be cut to fit, before tools are called", async () => {
    const agent = agentOf("keep", -1);
    const { text, reports } = await agent.chat(input, parameters);
    assert.equal(text, "done");
    assert.ok(reports[0].warnings.some((warning) => /1 tool result/.test(warning)));
    assert.equal(roles(agent), "user,assistant,tool,assistant,tool,assistant");
    assert.equal(agent.transcript.find(({ toolCallId }) => toolCallId === "c1").content, input[0].content);
  });

  test("are whole again when the call fails, and the call can be resumed", async () => {
    const agent = agentOf("keep", 1);
    await assert.rejects(agent.chat(input, parameters), { code: "llm_error" });
    assert.equal(agent.isUnfinished, true);
    assert.equal(agent.conversation.messages[2].content, input[0].content);
    const { text } = await agent.resume(parameters);
    assert.equal(text, "done");
    assert.equal(roles(agent), "user,assistant,tool,assistant,tool,assistant");
  });

  test("are discarded with the exchange", async () => {
    const agent = agentOf("discard", 1);
    await assert.rejects(agent.chat(input, parameters), { code: "llm_error" });
    assert.deepEqual(agent.conversation.messages, asked.messages);
  });
});

test("an input of any length is sent", async () => {
  const input = Array.from({ length: 130_000 }, () => ({ role: "user", content: "a" }));
  const agent = new Agent({ llm: () => "x" });
  assert.equal((await agent.chat(input)).text, "x");
  assert.equal(agent.conversation.messages.length, input.length + 1);
});
