// Tool calls of chats that wait: for a decision, for a result, and after a crash; checkpoints and records at every moment.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, clearToolResults, later, SubAgent } from "turnfold";

const bare = (messages) => messages.map(({ timestamp: _, ...message }) => message);
const json = (data) => JSON.parse(JSON.stringify(data));
const rejected = (promise) =>
  promise.then(
    () => assert.fail("it did not reject"),
    (error) => error,
  );
const contents = (messages) => messages.map(({ content }) => content);
const resultsOf = (messages) =>
  messages
    .filter(({ toolCallId }) => toolCallId !== undefined)
    .map(({ toolCallId, content, isError, isDenied }) => [
      toolCallId,
      content,
      ...(isError ? ["error"] : []),
      ...(isDenied ? ["denied"] : []),
    ]);

const call = (name, args = {}, id = name) => ({ id, name, args });
const REFUND = { order: "17", euros: 120 };
const ROUND = [call("order", { id: 17 }), call("refund", REFUND), call("review", { text: "sorry" }), call("stock")];

/** A shop whose model calls four tools at once; two of them wait. */
function shop(more = {}, from = {}) {
  const made = { ran: [], requests: [], callIds: {}, records: [], ...from };
  const tool =
    (name, result) =>
    (args, { callId }) => {
      made.ran.push([name, args]);
      made.callIds[name] = callId;
      return typeof result === "function" ? result(args) : result;
    };
  const llm = ({ messages }) => {
    made.requests.push(messages);
    const last = messages.at(-1);
    if (last.role === "user") return { content: "I look.", toolCalls: ROUND };
    return `I see ${messages.filter(({ toolCallId }) => toolCallId !== undefined).length} results.`;
  };
  const agent = new Agent({
    system: "You help.",
    llm,
    tools: {
      order: ["(id :int) -> :string", tool("order", "open")],
      refund: {
        signature: "(order :int, euros :int) -> :string",
        needsApproval: true,
        run: tool("refund", ({ euros }) => `${euros} euros`),
      },
      review: ["(text :string) -> :string", tool("review", () => later({ ticket: 5 }))],
      stock: tool("stock", { left: 3 }),
    },
    ...more,
  });
  return Object.assign(made, { agent });
}

const WAITING = [
  { id: "refund", tool: "refund", args: REFUND, reason: "approval", info: null, path: [] },
  { id: "review", tool: "review", args: { text: "sorry" }, reason: "later", info: { ticket: 5 }, path: [] },
];

suite("a reply that waits", () => {
  test("has what waits, the text beside the calls, and no torn round", async () => {
    const { agent, ran, requests } = shop();
    const reply = await agent.chat("Refund order 17.");
    assert.equal(reply.status, "waiting");
    assert.deepEqual(reply.waiting, WAITING);
    assert.deepEqual(agent.waiting, WAITING);
    assert.equal(reply.text, "I look.");
    assert.equal(reply.finishReason, "tool-calls");
    assert.deepEqual(contents(reply.messages), ["Refund order 17."]);
    assert.deepEqual(reply.steps, []);
    assert.deepEqual(ran.map(([name]) => name).sort(), ["order", "review", "stock"]);
    assert.equal(requests.length, 1);
    assert.equal(agent.isUnfinished, true);
    assert.deepEqual(contents(agent.conversation.messages), ["You help.", "Refund order 17."]);
    assert.deepEqual(agent.conversation.lint(), []);
  });

  test("a reply that does not has the status done, and nothing in waiting", async () => {
    const { agent } = shop({ tools: {}, llm: () => "yes" });
    const reply = await agent.chat("Go");
    assert.deepEqual([reply.status, reply.waiting, agent.waiting], ["done", [], []]);
  });

  test("approve may return later()", async () => {
    const asked = [];
    const approve = ({ name, args }) => asked.push([name, args]) && (name !== "order" || later("the manager"));
    const { agent, ran } = shop({ approve });
    const { waiting } = await agent.chat("Go");
    assert.deepEqual(
      waiting.map(({ tool, reason, info }) => [tool, reason, info]),
      [
        ["order", "approval", "the manager"],
        ["review", "later", { ticket: 5 }],
      ],
    );
    assert.deepEqual(asked.length, 4);
    await agent.resume({ answers: { order: true } });
    assert.equal(asked.length, 4, "an approved call was asked about again");
    assert.deepEqual(
      ran.filter(([name]) => name === "order"),
      [["order", { id: 17 }]],
    );
  });

  test("needsApproval may be a function, which decides by the arguments", async () => {
    const needsApproval = ({ euros }) => euros > 100;
    for (const [euros, status] of [
      [50, "done"],
      [120, "waiting"],
    ]) {
      const { agent } = shop({
        tools: { refund: { signature: "(euros :int) -> :int", needsApproval, run: () => 1 } },
        llm: ({ messages }) =>
          messages.at(-1).role === "user" ? { content: "", toolCalls: [call("refund", { euros })] } : "yes",
      });
      assert.equal((await agent.chat("Go")).status, status);
    }
  });

  test("invoke has no text to return: calls_waiting, and nothing is lost", async () => {
    const { agent } = shop();
    const error = await rejected(agent.invoke("Go"));
    assert.equal(error.code, "calls_waiting");
    assert.deepEqual(error.details.waiting, WAITING);
    const { text } = await agent.resume({ answers: { refund: true, review: { result: "fine" } } });
    assert.equal(text, "I see 4 results.");
  });

  test("a call for an object throws, and asks for it after the answers", async () => {
    for (const method of ["generateObject", "streamObject"]) {
      const object = '{"seen": 4}';
      const made = shop();
      const { agent } = made;
      const llm = ({ messages }) => (messages.at(-1).role === "user" ? { content: "", toolCalls: ROUND } : object);
      const other = shop({ llm }).agent;
      const ask = async (...given) => {
        const asked = other[method](...given);
        return method === "generateObject" ? asked : asked.done;
      };
      const error = await rejected(ask("Go", "-> seen: int"));
      assert.deepEqual([error.code, error.details.waiting.length, other.waiting.length], ["calls_waiting", 2, 2]);
      const answers = { refund: true, review: { result: "fine" } };
      const done = await ask([], "-> seen: int", { answers });
      assert.deepEqual([done.status, done.object], ["done", { seen: 4 }]);
      assert.equal(agent.isUnfinished, false);
    }
  });

  test("a stream ends with the event waiting", async () => {
    const { agent } = shop();
    const stream = agent.stream("Go");
    const events = [];
    for await (const event of stream.events) events.push(event);
    const reply = await stream.done;
    assert.deepEqual(events.at(-1), { type: "waiting", reply });
    assert.equal(events.filter(({ type }) => type === "tool-call").length, 4);
    assert.equal(events.filter(({ type }) => type === "tool-result").length, 2);
    assert.equal(
      events.some(({ type }) => type === "step" || type === "done"),
      false,
    );
    const again = agent.stream([], { answers: { refund: true, review: { result: "fine" } } });
    const types = [];
    for await (const { type } of again.events) types.push(type);
    assert.deepEqual(
      types.filter((type) => type !== "usage"),
      ["tool-result", "tool-result", "step", "text", "step", "done"],
    );
    const { steps } = await again.done;
    assert.equal(steps[0].messages.length, 5);
  });
});

suite("resume with answers", () => {
  test("asks the model when all calls have results, in the order of the calls", async () => {
    const { agent, requests, ran } = shop();
    await agent.chat("Go");
    const first = await agent.resume({ answers: { review: { result: "fine" } } });
    assert.deepEqual([first.status, first.waiting.map(({ id }) => id), first.report], ["waiting", ["refund"], null]);
    assert.equal(requests.length, 1);
    const reply = await agent.resume({ answers: { refund: true } });
    assert.equal(reply.status, "done");
    assert.equal(reply.text, "I see 4 results.");
    assert.equal(requests.length, 2);
    assert.deepEqual(resultsOf(requests[1]), [
      ["order", "open"],
      ["refund", "120 euros"],
      ["review", "fine"],
      ["stock", '{"left":3}'],
    ]);
    assert.deepEqual(ran.at(-1), ["refund", { order: 17, euros: 120 }]);
    assert.equal(ran.length, 4);
    assert.equal(agent.isUnfinished, false);
    assert.deepEqual(agent.conversation.lint(), []);
    assert.deepEqual(contents(reply.messages).slice(0, 2), ["Go", "I look."]);
    await assert.rejects(agent.resume(), { code: "nothing_to_resume" });
  });

  test("runs, denies, edits a call, or is its result", async () => {
    for (const [answer, result, args] of [
      [true, ["refund", "120 euros"], REFUND],
      [false, ["refund", "The call was not approved.", "denied"], REFUND],
      ["Too much.", ["refund", "Too much.", "denied"], REFUND],
      [{ args: { order: 17, euros: 50 }, by: "Ada" }, ["refund", "50 euros"], { order: 17, euros: 50 }],
      [{ result: { paid: 7 } }, ["refund", '{"paid":7}'], REFUND],
      [{ error: "no money" }, ["refund", "Error: no money", "error"], REFUND],
    ]) {
      const records = [];
      const { agent, ran } = shop({ onRecord: (record) => records.push(record) });
      await agent.chat("Go");
      await agent.resume({ answers: { refund: answer, review: false } });
      const { messages } = agent.conversation;
      assert.deepEqual(resultsOf(messages)[1], result);
      assert.deepEqual(resultsOf(messages)[2], ["review", "The call was not approved.", "denied"]);
      assert.deepEqual(messages[2].toolCalls[1].args, args, "the model reads the arguments with which it ran");
      const runs = answer === true || answer.args !== undefined;
      assert.equal(ran.length, runs ? 4 : 3);
      assert.deepEqual(records.find(({ type, id }) => type === "answer" && id === "refund").answer, answer);
      const recorded = records.find(({ type, id }) => type === "result" && id === "refund");
      assert.deepEqual(recorded.args, answer.args);
    }
  });

  test("refuses answers that don't fit before anything is called", async () => {
    for (const [answers, message] of [
      [{ nothing: true }, /no call "nothing" waits/],
      [{ order: true }, /no call "order" waits/],
      [{ review: true }, /the answer to review/],
      [{ refund: { args: { order: 17, euros: "many" } } }, /the arguments for refund \(refund\): .*euros/],
      [{ refund: { args: { order: 17, euros: 1 }, result: 1 } }, /the answer to refund/],
      [{ refund: 7 }, /the answer to refund/],
      [[], /answers/],
    ]) {
      const { agent, ran } = shop();
      await agent.chat("Go");
      const before = json(agent.checkpoint());
      const given = Array.isArray(answers) ? answers : { review: { result: "fine" }, ...answers };
      const error = await rejected(agent.resume({ answers: given }));
      assert.equal(error.code, "invalid_answer", error.message);
      if (!Array.isArray(answers)) assert.match(error.message, message);
      assert.equal(ran.length, 3);
      assert.deepEqual(json(agent.checkpoint()), before);
    }
  });

  test("a schema of the AI SDK checks edited arguments, and its output is converted", async () => {
    const z = await import("zod");
    const made = [];
    const refund = {
      description: "Refunds.",
      inputSchema: z.object({ euros: z.number().max(100) }),
      needsApproval: true,
      execute: ({ euros }) => made.push(euros) && { euros },
      toModelOutput: ({ output }) => ({ type: "text", value: `refunded ${output.euros}` }),
    };
    const llm = ({ messages }) =>
      messages.at(-1).role === "user" ? { content: "", toolCalls: [call("refund", { euros: 20 })] } : "yes";
    const make = async () => {
      const agent = new Agent({ llm, tools: { refund } });
      assert.equal((await agent.chat("Go")).status, "waiting");
      return agent;
    };
    const agent = await make();
    const error = await rejected(agent.resume({ answers: { refund: { args: { euros: 500 } } } }));
    assert.equal(error.code, "invalid_answer");
    assert.deepEqual(made, []);
    await agent.resume({ answers: { refund: { args: { euros: 50 } } } });
    assert.deepEqual(made, [50]);
    assert.deepEqual(resultsOf(agent.conversation.messages), [["refund", "refunded 50"]]);
    const other = await make();
    await other.resume({ answers: { refund: { result: { euros: 7 } } } });
    assert.deepEqual(resultsOf(other.conversation.messages), [["refund", "refunded 7"]]);
  });

  test("without answers it waits on, and so does the same question", async () => {
    const { agent, requests, ran } = shop();
    await agent.chat("Go");
    for (const again of [() => agent.resume(), () => agent.chat("Go"), () => agent.chat([])]) {
      const reply = await again();
      assert.deepEqual([reply.status, reply.waiting, reply.text], ["waiting", WAITING, "I look."]);
    }
    assert.deepEqual([requests.length, ran.length], [1, 3]);
  });

  test("a tool that was approved may answer later", async () => {
    const { agent } = shop({
      tools: { refund: { needsApproval: true, run: () => later("bank") } },
      llm: ({ messages }) => (messages.at(-1).role === "user" ? { content: "", toolCalls: [call("refund")] } : "yes"),
    });
    await agent.chat("Go");
    const { waiting } = await agent.resume({ answers: { refund: true } });
    assert.deepEqual(
      waiting.map(({ reason, info }) => [reason, info]),
      [["later", "bank"]],
    );
    assert.equal((await agent.resume({ answers: { refund: { result: "paid" } } })).text, "yes");
  });

  test("names calls to which the server gave no ids", async () => {
    const callIds = [];
    const pay = { needsApproval: true, run: ({ n }, { callId }) => callIds.push(callId) && n };
    const llm = ({ messages }) => {
      const results = messages.filter(({ role }) => role === "tool").length;
      return results < 4 ? { content: "", toolCalls: [call("pay", { n: 1 }, ""), call("pay", { n: 2 }, "")] } : "yes";
    };
    const agent = new Agent({ llm, tools: { pay } });
    for (const start of [() => agent.chat("Go"), () => agent.resume()]) {
      const { waiting } = await start();
      await agent.resume({ answers: Object.fromEntries(waiting.map(({ id }) => [id, true])) });
    }
    assert.equal(agent.isUnfinished, false);
    assert.deepEqual(contents(agent.conversation.messages.filter(({ role }) => role === "tool")), ["1", "2", "1", "2"]);
    assert.equal(new Set(callIds).size, 4);
  });

  test("an abort keeps what waits", async () => {
    const controller = new AbortController();
    const { agent, ran } = shop({ onRecord: ({ type }) => type === "waiting" && controller.abort() });
    await assert.rejects(agent.chat("Go", { signal: controller.signal }), { code: "aborted" });
    assert.equal(agent.isUnfinished, true);
    assert.deepEqual(agent.waiting.map(({ id }) => id).includes("refund"), true);
    const reply = await agent.resume({ onRecord: () => {} });
    assert.equal(reply.status, "waiting");
    assert.equal(new Set(ran.map(([name]) => name)).size, ran.length);
  });
});

suite("another question while calls wait", () => {
  test("gives them results that say so, and the chat goes on", async () => {
    const records = [];
    const { agent, requests } = shop({ onRecord: (record) => void records.push(record) });
    await agent.chat("Go");
    const copies = [shop().agent, shop().agent];
    copies[0].restore(json(agent.checkpoint({ transcript: true })));
    copies[1].restore(json(records));
    for (const each of [agent, ...copies]) {
      assert.equal((await each.chat("Forget it.")).status, "waiting");
      const expected = [
        ["order", "open"],
        ["refund", "not decided: it was not run", "error"],
        ["review", "not decided: it has no result", "error"],
        ["stock", '{"left":3}'],
      ];
      assert.deepEqual(resultsOf(each.conversation.messages), expected);
      assert.deepEqual(resultsOf(each.transcript), expected);
      assert.deepEqual(each.conversation.lint(), []);
      assert.deepEqual(
        each.waiting.map(({ id }) => id),
        ["refund-2", "review-2"],
      );
    }
    assert.deepEqual(contents(requests[1]).at(-1), "Forget it.");
    assert.equal("unfinished" in requests[1].at(-6), false);
  });
});

/** Runs until nothing waits: approvals are given, interrupted calls get the results that the outside world knows. */
async function finish(agent, world, options = {}) {
  let reply = agent.isUnfinished ? await agent.resume(options) : null;
  while (reply?.status === "waiting") {
    const answers = Object.fromEntries(reply.waiting.map((each) => [each.id, world(each)]));
    reply = await agent.resume({ ...options, answers });
  }
  return reply;
}

const world = ({ reason, tool }) =>
  reason === "approval"
    ? true
    : { result: { review: "fine", refund: "120 euros", order: "open", stock: { left: 3 } }[tool] };

/** The messages and the transcript of the run that nothing disturbs. */
async function undisturbed(more) {
  const { agent } = shop(more);
  await agent.chat("Go");
  await finish(agent, world);
  return [bare(agent.conversation.messages), bare(agent.transcript)];
}

suite("live checkpoints", () => {
  test("at every event another process resumes, and no tool that answered is called again", async () => {
    const [messages, transcript] = await undisturbed();
    const { agent } = shop();
    const saved = [];
    const save = (events) => {
      const finished = new Set(events.filter(({ type }) => type === "tool-result").map(({ call: { name } }) => name));
      saved.push([
        events.at(-1).type,
        finished,
        json(agent.checkpoint({ transcript: true })),
        json(agent.checkpoint()),
      ]);
    };
    const events = [];
    for (const start of [
      () => agent.stream("Go"),
      () => agent.stream([], { answers: { refund: true, review: { result: "fine" } } }),
    ]) {
      for await (const event of start().events) {
        events.push(event);
        save(events);
      }
    }
    assert.ok(saved.length > 14, `${saved.length} events`);
    for (const [type, finished, ...checkpoints] of saved) {
      for (const [index, checkpoint] of checkpoints.entries()) {
        const other = shop();
        other.agent.restore(checkpoint);
        assert.deepEqual(other.agent.conversation.lint(), []);
        await finish(other.agent, world);
        for (const [name] of other.ran) assert.ok(!finished.has(name), `after ${type} ${name} ran twice`);
        assert.deepEqual(bare(other.agent.conversation.messages), messages, type);
        if (index === 0) assert.deepEqual(bare(other.agent.transcript), transcript, type);
      }
    }
  });

  test("have calls that began: they wait as interrupted, idempotent ones run again with the same callId", async () => {
    for (const idempotent of [false, true]) {
      const callIds = [];
      let release;
      let began;
      const hasBegun = new Promise((resolve) => {
        began = resolve;
      });
      const tools = (runs) => ({
        pay: {
          signature: "(euros :int) -> :string",
          idempotent,
          needsApproval: true,
          run: (_, { callId }) => {
            callIds.push(callId);
            began();
            return runs
              ? "paid"
              : new Promise((resolve) => {
                  release = resolve;
                });
          },
        },
      });
      const llm = ({ messages }) =>
        messages.at(-1).role === "user" ? { content: "", toolCalls: [call("pay", { euros: 1 })] } : "done";
      const agent = new Agent({ llm, tools: tools(false) });
      await agent.chat("Go");
      const running = agent.resume({ answers: { pay: true } });
      await hasBegun;
      const checkpoint = json(agent.checkpoint());
      const other = new Agent({ llm, tools: tools(true) });
      other.restore(checkpoint);
      assert.equal(other.isUnfinished, true);
      if (idempotent) {
        assert.deepEqual(other.waiting, []);
        assert.equal((await other.resume()).text, "done");
      } else {
        const waiting = [{ id: "pay", tool: "pay", args: { euros: 1 }, reason: "interrupted", info: null, path: [] }];
        assert.deepEqual(other.waiting, waiting);
        assert.deepEqual((await other.resume()).waiting, waiting);
        assert.equal(callIds.length, 1);
        assert.equal((await other.resume({ answers: { pay: true } })).text, "done");
      }
      assert.deepEqual(callIds, [callIds[0], callIds[0]]);
      assert.match(callIds[0], /^.+\/pay$/);
      release("late");
      await running;
    }
  });

  test("have the calibration", async () => {
    const llm = ({ messages }) => ({
      content: "yes",
      usage: { inputTokens: 500 + messages.length * 100, outputTokens: 1 },
    });
    const records = [];
    const agent = new Agent({ llm, onRecord: (record) => void records.push(record) });
    for (const question of ["a", "b", "c"]) await agent.chat(question);
    const { calibration } = agent.checkpoint();
    assert.ok(calibration.state !== undefined);
    const other = new Agent({ llm });
    other.restore(json(records));
    assert.deepEqual(json(other.checkpoint()), json(agent.checkpoint()));
  });
});

suite("records", () => {
  test("of every kind are stored before their effects, one after the other", async () => {
    const log = [];
    let storing = 0;
    const onRecord = async (record) => {
      assert.equal(storing++, 0, "two records at once");
      await new Promise((resolve) => setTimeout(resolve, 1));
      storing--;
      log.push(record.type === "result" || record.type === "call" ? `${record.type} ${record.tool}` : record.type);
    };
    const { agent } = shop({
      onRecord,
      tools: {
        pay: { needsApproval: true, run: () => log.push("pay runs") && "paid" },
        look: () => log.push("look runs") && "seen",
      },
      llm: ({ messages }) => {
        log.push("model");
        return messages.at(-1).role === "user" ? { content: "", toolCalls: [call("look"), call("pay")] } : "yes";
      },
    });
    await agent.chat("Go");
    const first = ["start", "model", "reply", "call look", "look runs", "waiting", "result look", "suspended"];
    assert.deepEqual(log.splice(0), first);
    await agent.resume({ answers: { pay: true } });
    assert.deepEqual(log, ["start", "answer", "call pay", "pay runs", "result pay", "step", "model", "reply", "end"]);
  });

  test("that can't be stored end the call, and no tool runs that nobody would know of", async () => {
    const types = [];
    const { agent: calm } = shop({ onRecord: ({ type }) => types.push(type) });
    await calm.chat("Go");
    await finish(calm, world);
    const full = new Error("the disk is full");
    for (let failing = 0; failing < types.length; failing++) {
      const stored = [];
      const onRecord = (record) => {
        if (stored.length === failing) throw full;
        stored.push(record);
      };
      const made = shop({ onRecord });
      const error = await rejected(made.agent.chat("Go").then(() => finish(made.agent, world)));
      assert.deepEqual([error.code, error.cause], ["record_failed", full]);
      const begun = new Set(stored.filter(({ type }) => type === "call").map(({ tool }) => tool));
      for (const [name] of made.ran) assert.ok(begun.has(name), `${name} ran, and nobody would know`);
      // It can be resumed in the same process.
      await finish(made.agent, world, { onRecord: () => {} });
      assert.equal(new Set(made.ran.map(([name]) => name)).size, made.ran.length);
    }
  });

  test("give the state after any of them, alone and after a checkpoint", async () => {
    const strategy = { maxHistorySize: 8 };
    const script = (agent) => async (options) => {
      await agent.chat("Go", options);
      await finish(agent, world, options);
      await agent.chat("And now?", options);
      await agent.chat("Forget it.", options);
      await finish(agent, world, options);
    };
    const records = [];
    const checkpoints = [];
    const made = shop(strategy);
    const onRecord = (record) => {
      records.push(json(record));
      checkpoints.push(json(made.agent.checkpoint({ transcript: true })));
    };
    await script(made.agent)({ onRecord });
    assert.deepEqual(
      new Set(records.map(({ type }) => type)),
      new Set(["start", "reply", "history", "call", "waiting", "answer", "result", "step", "suspended", "end"]),
    );
    const state = (agent) => {
      const { calibration: _, ...saved } = json(agent.checkpoint({ transcript: true }));
      return saved;
    };
    for (const count of records.keys()) {
      const other = shop(strategy).agent;
      other.restore(records.slice(0, count + 1));
      const { calibration: _, ...checkpoint } = checkpoints[count];
      // Tools run concurrently: a checkpoint may know more of the calls than the records before it.
      if (["start", "history", "suspended", "end", "step"].includes(records[count].type)) {
        assert.deepEqual(state(other), checkpoint, `after record ${count}, ${records[count].type}`);
      }
      const third = shop(strategy).agent;
      third.restore(checkpoints[count]);
      third.restore(records.slice(count + 1));
      assert.deepEqual(state(third), state(made.agent), `after the checkpoint at record ${count}`);
      other.restore(records.slice(count + 1));
      assert.deepEqual(state(other), state(made.agent));
    }
  });

  test("of a chat that failed or was discarded give its state too", async () => {
    for (const onFailure of ["keep", "discard"]) {
      const records = [];
      let fails = true;
      const llm = async function* ({ messages }) {
        if (messages.at(-1).role === "user" && messages.at(-1).content === "Go") {
          yield { toolCalls: [call("look")] };
          return;
        }
        yield "The answer ";
        if (fails) throw new Error("no connection");
        yield "is 7.";
      };
      const make = (more) => new Agent({ llm, onFailure, tools: { look: () => "seen" }, ...more });
      const agent = make({ onRecord: (record) => void records.push(json(record)) });
      await assert.rejects(agent.chat("Go"), { code: "llm_error" });
      const other = make();
      other.restore(records);
      const saved = json(agent.checkpoint());
      assert.deepEqual(json(other.checkpoint()), saved);
      assert.equal(other.isUnfinished, onFailure === "keep");
      fails = false;
      for (const each of [agent, other]) {
        if (onFailure === "keep") await each.resume();
        else await each.chat("Again");
        assert.equal(each.conversation.messages.at(-1).content, "The answer is 7.");
      }
      assert.deepEqual(bare(other.conversation.messages), bare(agent.conversation.messages));
      const third = make();
      third.restore(records);
      assert.deepEqual(json(third.checkpoint()), json(agent.checkpoint()));
    }
  });

  test("grow with what happened, not with the history", async () => {
    let bytes = 0;
    let changes = 0;
    const sizes = [];
    const llm = ({ messages }) =>
      messages.at(-1).role === "user"
        ? { content: "", toolCalls: [call("read", {}, `c${messages.length}-${sizes.length}`)] }
        : "yes";
    const agent = new Agent({
      llm,
      tools: { read: () => "a line of the file\n".repeat(50) },
      compressionStrategy: clearToolResults({ keep: 3 }),
      when: "always",
      minMessages: 0,
      onRecord: (record) => {
        bytes += JSON.stringify(record).length;
        changes += record.type === "history";
      },
    });
    for (let exchange = 0; exchange < 60; exchange++) {
      bytes = 0;
      await agent.chat(`Question ${exchange}`);
      sizes.push(bytes);
    }
    const [early, late] = [sizes.slice(5, 15), sizes.slice(-10)].map(
      (some) => some.reduce((sum, size) => sum + size, 0) / 10,
    );
    assert.ok(changes > 50);
    assert.ok(late < early * 1.2, `${early} bytes, then ${late}`);
  });

  test("have edited arguments, and values that JSON lacks", async () => {
    const records = [];
    const llm = ({ messages }) =>
      messages.at(-1).role === "user" ? { content: "", toolCalls: [call("pay", { id: 2n ** 60n })] } : "yes";
    const make = (more) =>
      new Agent({ llm, tools: { pay: { needsApproval: true, run: ({ id }) => String(id) } }, ...more });
    const agent = make({ onRecord: (record) => void records.push(json(record)) });
    await agent.chat("Go");
    assert.deepEqual(agent.waiting[0].args, { id: 2n ** 60n });
    for (const saved of [json(records), json(agent.checkpoint())]) {
      const other = make();
      other.restore(saved);
      assert.deepEqual(other.waiting, agent.waiting);
      await other.resume({ answers: { pay: true } });
      assert.deepEqual(resultsOf(other.conversation.messages), [["pay", String(2n ** 60n)]]);
    }
  });

  test("and checkpoints that were changed are refused, and change nothing", async () => {
    const records = [];
    const made = shop({ onRecord: (record) => void records.push(json(record)) });
    await made.agent.chat("Go");
    const half = json(made.agent.checkpoint());
    await made.agent.resume({ answers: { refund: true } });
    const agent = shop().agent;
    agent.restore(half);
    const before = json(agent.checkpoint());
    const junk = [null, 7, "x", [], {}, -1, true, [7], { type: "reply" }];
    let refused = 0;
    const mutate = (value, make) => {
      if (typeof value !== "object" || value === null) return;
      for (const key of Object.keys(value)) {
        const own = value[key];
        for (const bad of junk) {
          value[key] = bad;
          make();
        }
        delete value[key];
        make();
        value[key] = own;
        mutate(own, make);
      }
    };
    const attempt = (saved) => {
      const other = shop();
      other.agent.restore(half);
      try {
        other.agent.restore(saved);
      } catch (error) {
        refused++;
        assert.equal(error.name, "TurnfoldError", String(error.stack));
        assert.deepEqual(json(other.agent.checkpoint()), before);
      }
      assert.deepEqual(other.ran, []);
      // What was accepted can be used.
      void other.agent.waiting;
      other.agent.checkpoint({ transcript: true });
    };
    const list = json(records);
    mutate(list, () => attempt(json(list)));
    const { round, ...rest } = json(half);
    mutate(round, () => attempt({ ...rest, round: json(round) }));
    assert.ok(refused > 300, `${refused} were refused`);
    assert.throws(() => agent.restore([{ ...records[0], version: 99 }]), { code: "unknown_version" });
    assert.throws(() => agent.restore([{ type: "nothing" }]), /records\[0\]\.type/);
  });
});

suite("a SubAgent as a tool", () => {
  const PROGRAM = `(let [a (tool/look {:n 1}) b (tool/pay {:euros 120})] (return (str a " and " b)))`;

  /** A chat whose tool is an agent, one of whose tools needs an approval. */
  function desk(more = {}, own = {}) {
    const made = { ran: [], asked: 0 };
    const clerk = new SubAgent({
      mission: "Pay",
      signature: "(order :int) -> :string",
      tools: {
        look: ["(n :int) -> :int", ({ n }, { callId }) => made.ran.push(`look ${callId}`) && n + 1],
        pay: {
          signature: "(euros :int) -> :string",
          needsApproval: true,
          run: ({ euros }, { callId }) => made.ran.push(`pay ${callId}`) && `${euros} euros`,
        },
      },
      llm: () => {
        made.asked++;
        return PROGRAM;
      },
      ...own,
    });
    const agent = new Agent({
      llm: ({ messages }) =>
        messages.at(-1).role === "user"
          ? { content: "", toolCalls: [call("clerk", { order: 17 }, "c1"), call("order", {}, "c2")] }
          : `It says: ${messages.find(({ toolCallId }) => toolCallId === "c1").content}`,
      tools: { clerk, order: () => "open" },
      ...more,
    });
    return Object.assign(made, { agent });
  }

  test("waits with its calls, by their path, and continues with their answers, also elsewhere", async () => {
    const records = [];
    const made = desk({ onRecord: (record) => void records.push(json(record)) });
    const { agent } = made;
    const reply = await agent.chat("Go");
    assert.equal(reply.status, "waiting");
    const [only, ...others] = reply.waiting;
    assert.deepEqual(others, []);
    assert.match(only.id, /^c1\/./);
    assert.deepEqual([only.tool, only.args, only.reason, only.path], ["pay", { euros: 120 }, "approval", ["clerk"]]);
    assert.deepEqual(agent.waiting, reply.waiting);
    const saves = [[json(agent.checkpoint())], [json(records)], [json(agent.checkpoint()), []]];
    for (const saved of saves) {
      const other = desk();
      for (const each of saved) other.agent.restore(each);
      assert.deepEqual(other.agent.waiting, reply.waiting);
      const error = await rejected(other.agent.resume({ answers: { [only.id]: { args: { euros: "many" } } } }));
      assert.equal(error.code, "invalid_answer");
      assert.equal((await other.agent.resume()).status, "waiting");
      assert.deepEqual(other.ran, []);
      const { text } = await other.agent.resume({ answers: { [only.id]: true } });
      assert.equal(text, "It says: 2 and 120 euros");
      assert.deepEqual([other.ran.length, other.asked], [1, 0], "it did something again");
      assert.deepEqual(other.agent.conversation.lint(), []);
    }
    assert.equal(
      (await agent.resume({ answers: { [only.id]: { args: { euros: 5 } } } })).text,
      "It says: 2 and 5 euros",
    );
    assert.deepEqual([made.ran.length, made.asked], [2, 1]);
    assert.equal(new Set(made.ran.map((each) => each.split(" ")[1])).size, 2);
    for (const each of made.ran) assert.match(each, /^\w+ .+\/c1\//);
  });

  test("that was interrupted goes on where it was, at every record and every checkpoint", async () => {
    const calm = desk();
    const { waiting } = await calm.agent.chat("Go");
    await calm.agent.resume({ answers: { [waiting[0].id]: true } });
    const messages = bare(calm.agent.conversation.messages);
    const records = [];
    const checkpoints = [];
    const made = desk();
    const onRecord = (record) => {
      records.push(json(record));
      checkpoints.push([json(made.agent.checkpoint()), made.ran.length]);
    };
    await made.agent.chat("Go", { onRecord });
    await made.agent.resume({ answers: { [waiting[0].id]: true }, onRecord });
    assert.ok(records.some((record) => record.in === "c1" && record.type === "result"));
    for (const count of records.keys()) {
      const finished = records
        .slice(0, count + 1)
        .filter((record) => record.in === "c1" && record.type === "result")
        .map(({ tool }) => tool);
      const [checkpoint] = checkpoints[count];
      const whole = desk();
      whole.agent.restore(checkpoint);
      whole.agent.restore(records.slice(count + 1));
      assert.deepEqual(bare(whole.agent.conversation.messages), messages);
      for (const saved of [records.slice(0, count + 1), checkpoint]) {
        const other = desk();
        other.agent.restore(saved);
        const answer = ({ reason, tool }) =>
          reason === "approval" ? true : { result: { look: 2, pay: "120 euros", order: "open" }[tool] };
        if (other.agent.isUnfinished) await finish(other.agent, answer);
        const where = `after record ${count}, ${records[count].type}`;
        assert.deepEqual(bare(other.agent.conversation.messages), messages, where);
        for (const each of other.ran) assert.ok(!finished.includes(each.split(" ")[0]), `${where}: ${each} ran twice`);
      }
    }
  });

  test("tells its tokens once", async () => {
    const usage = { inputTokens: 5, outputTokens: 2 };
    const made = desk({}, { llm: () => ({ content: PROGRAM, usage }) });
    const reply = await made.agent.chat("Go");
    assert.deepEqual(reply.usage, usage);
    assert.deepEqual((await made.agent.resume({ answers: { [reply.waiting[0].id]: true } })).usage, {
      inputTokens: 0,
      outputTokens: 0,
    });
  });

  test("may need an approval itself", async () => {
    const made = desk({}, { needsApproval: true });
    const { waiting } = await made.agent.chat("Go");
    assert.deepEqual(
      waiting.map(({ id, tool, path }) => [id, tool, path]),
      [["c1", "clerk", []]],
    );
    assert.equal(made.asked, 0);
    const reply = await made.agent.resume({ answers: { c1: true } });
    assert.deepEqual(
      reply.waiting.map(({ tool, path }) => [tool, path]),
      [["pay", ["clerk"]]],
    );
    assert.equal((await made.agent.resume({ answers: { [reply.waiting[0].id]: true } })).status, "done");
  });

  test("gets a result when another question is asked", async () => {
    const { agent } = desk();
    await agent.chat("Go");
    await agent.chat("Forget it.", { maxSteps: 1 });
    assert.deepEqual(resultsOf(agent.conversation.messages).slice(0, 2), [
      ["c1", "not decided: it was not finished", "error"],
      ["c2", "open"],
    ]);
  });
});
