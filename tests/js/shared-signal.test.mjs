// One AbortSignal for many concurrent calls: Node warns of a leak when a signal has more than ten listeners.

import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { after, before, suite, test } from "node:test";
import { setImmediate } from "node:timers/promises";
import { Agent, Conversation, chunked, Lisp, manageHistory, Predict, SubAgent } from "turnfold";
import { ReAct } from "turnfold/predict";

const warnings = [];
const hear = (warning) => warnings.push(warning);

const PARALLEL = 100;
const parallel = (act) => Promise.all(Array.from({ length: PARALLEL }, (_, index) => act(index)));

/** A reply after a turn of the event loop, from a client that listens to its signal. */
async function later(reply, { signal }) {
  const stop = () => {};
  signal.addEventListener("abort", stop);
  await setImmediate();
  signal.removeEventListener("abort", stop);
  return reply;
}

const long = new Conversation({
  messages: Array.from({ length: 240 }, (_, index) => ({
    role: index % 2 ? "assistant" : "user",
    content: `${index}. The parcel left the depot in Leipzig yesterday and comes before noon.`,
  })),
});

/** The calls that run a hundred times concurrently with one signal. */
const calls = {
  chats: (signal) =>
    new Agent({
      tools: { now: (_, options) => later("12:00", options) },
      llm: async (request) =>
        later(
          request.messages.at(-1).role === "tool"
            ? "Noon."
            : { content: "", toolCalls: [{ id: "1", name: "now", args: {} }] },
          request,
        ),
    })
      .chat("What time is it?", { signal })
      .then(({ text }) => text),
  "streamed chats": async (signal) => {
    const llm = async function* (request) {
      yield "It is ";
      yield await later("noon.", request);
    };
    let text = "";
    for await (const piece of new Agent({ llm }).stream("What time is it?", { signal })) text += piece;
    return text;
  },
  summaries: async (signal) => {
    const llm = (request) => later("Parcels are late.", request);
    const parameters = { compressionStrategy: chunked(10) };
    return (await manageHistory(long, parameters, { llm, signal, onWarning: () => {} })).report;
  },
  "agents in turns with tools and sub-agents": async (signal) => {
    const wait = (_, options) => later(1, options);
    const sub = new SubAgent({
      mission: "n",
      tools: { wait },
      llm: (request) => later("(return (tool/wait))", request),
    });
    const llm = (request) => later("(return (pcalls #(tool/sub) #(tool/sub) #(tool/wait)))", request);
    const step = await new SubAgent({ mission: "m", tools: { sub, wait: () => 1 }, llm }).run({ signal });
    assert.equal(step.fail, null);
    return step.return;
  },
  programs: (signal) =>
    new Predict("question -> answer", { llm: (request) => later('{"answer": "noon"}', request) }).call(
      { question: "What time is it?" },
      { signal },
    ),
  "programs with tools": (signal) => {
    const step = (tool) => `Next_thought: so\nNext_tool_name: ${tool}\nNext_tool_args: {}`;
    const replies = [step("now"), step("finish"), "Answer: noon"];
    return new ReAct("question -> answer", {
      tools: { now: (_, options) => later("12:00", options) },
      llm: (request) => later(replies.shift(), request),
    }).call({ question: "What time is it?" }, { signal });
  },
  "retries that wait": (signal) => {
    let requestCount = 0;
    const llm = (request) => {
      if (++requestCount === 1) throw new Error("busy");
      return later("Noon.", request);
    };
    return new Agent({ llm, retry: { attempts: 2, delayMs: () => 1 } })
      .chat("What time is it?", { signal })
      .then(({ text }) => text);
  },
  "programs of the sandbox": async (signal) =>
    (
      await new Lisp({ tools: { wait: (...given) => later(1, given.at(-1)) } }).run("(tool/wait)", {
        signal,
      })
    ).value,
};

suite("an AbortSignal shared by a hundred calls", () => {
  before(() => process.on("warning", hear));
  after(() => process.off("warning", hear));

  for (const [what, call] of Object.entries(calls)) {
    test(`causes no warning in ${what}, and has no listener afterwards`, async () => {
      const { signal } = new AbortController();
      const results = await parallel(() => call(signal));
      assert.equal(results.length, PARALLEL);
      assert.ok(results.every((result) => result !== undefined && result !== null));
      await setImmediate();
      assert.deepEqual(warnings, []);
      assert.equal(getEventListeners(signal, "abort").length, 0);
    });
  }

  test("aborts all of them with its reason", async () => {
    const controller = new AbortController();
    const reason = new Error("enough");
    const seen = [];
    const all = parallel(() => {
      const llm = ({ signal }) =>
        new Promise(() => signal.addEventListener("abort", () => seen.push(signal.reason), { once: true }));
      return new Agent({ llm }).chat("Hello", { signal: controller.signal }).catch((error) => error);
    });
    await setImmediate();
    assert.ok(getEventListeners(controller.signal, "abort").length <= 1);
    controller.abort(reason);
    for (const error of await all) assert.deepEqual([error.code, error.cause], ["aborted", reason]);
    assert.deepEqual([seen.length, new Set(seen).size, seen[0]], [PARALLEL, 1, reason]);
    assert.equal(getEventListeners(controller.signal, "abort").length, 0);
    assert.deepEqual(warnings, []);
  });

  test("can be used again after its calls ended", async () => {
    const controller = new AbortController();
    const agent = new Agent({ llm: (request) => later("Noon.", request) });
    for (let round = 0; round < 30; round++) await agent.chat("And now?", { signal: controller.signal });
    const never = new Agent({ llm: () => new Promise(() => {}) }).chat("Hello", { signal: controller.signal });
    await setImmediate();
    controller.abort();
    await assert.rejects(never, { code: "aborted" });
  });
});
