// Misbehaving models, tools, listeners and options give a failed step, or an error with a hint.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fork, formatTrace, replay, Step, SubAgent, TurnfoldError } from "turnfold";
import { refuses } from "./refuses.mjs";
import { memoryBytes } from "./wasm-memory.mjs";

const returning = (program) => () => `(return ${program})`;

/** The error of a promise, which must be a TurnfoldError with this code. */
async function rejected(promise, code) {
  const error = await promise.then(
    (given) => assert.fail(`expected ${code}, got ${JSON.stringify(given)}`),
    (thrown) => thrown,
  );
  assert.ok(TurnfoldError.isInstance(error), `not our error: ${error?.stack}`);
  assert.equal(error.code, code, error.message);
  return error;
}

/** Runs `run` with a console that only records warnings and errors. */
async function withQuietConsole(run) {
  const { error } = console;
  const complaints = [];
  console.error = (...all) => complaints.push(all.map(String).join(" "));
  try {
    return [await run(), complaints];
  } finally {
    console.error = error;
  }
}

suite("a model that misbehaves", () => {
  const fails = async (llm, words, options = {}) => {
    const step = await new SubAgent({ mission: "m", llm, ...options }).run();
    assert.deepEqual([step.ok, step.fail?.reason, step.turns.length], [false, "llm_error", 0]);
    assert.match(step.fail.message, words);
  };

  test("returns no text", async () => {
    for (const junk of [
      undefined,
      null,
      5,
      5n,
      true,
      Symbol("s"),
      () => "",
      [],
      ["(return 1)"],
      {},
      new Map(),
      { content: 5 },
    ]) {
      await fails(() => junk, /a model gives a text, got/);
      await fails(async () => junk, /a model gives a text, got/);
    }
    await fails(() => ({ content: "", toolCalls: 5 }), /toolCalls must be a list/);
    assert.equal(
      (await new SubAgent({ mission: "m", maxTurns: 1, llm: () => ({ content: null }) }).run()).fail.reason,
      "no_code_found",
    );
  });

  test("throws a value that is not an error", async () => {
    const thrown = [
      [undefined, /undefined/],
      [null, /null/],
      ["offline", /offline/],
      ["", /asked: ""/],
      [{ message: "429", code: 7 }, /429/],
      [{ error: 1 }, /an object/],
      [new Error(""), /Error/],
      [Object.assign(new Error("x"), { message: { deep: 1 } }), /Error/],
      [
        new Proxy(
          {},
          {
            get() {
              throw new Error("trap");
            },
          },
        ),
        /can't be read/,
      ],
      [() => 1, /a function/],
    ];
    for (const [value, words] of thrown) {
      await fails(() => {
        throw value;
      }, words);
      await fails(() => Promise.reject(value), words);
    }
    const getter = {
      get content() {
        throw new Error("from a getter");
      },
    };
    await fails(() => getter, /from a getter/);
  });

  test("streams invalid chunks, breaks off, or returns a stream later", async () => {
    for (const junk of [5, null, undefined, { text: 5 }, { toolCalls: [{}] }, Symbol("s")]) {
      await fails(async function* () {
        yield "(return";
        yield junk;
      }, /got/);
    }
    await fails(async function* () {
      yield "(return 1";
      throw new Error("cut off");
    }, /cut off/);
    // Pieces as clients of providers give them.
    for (const piece of [
      { id: "1", model: "m", choices: [{ delta: { content: "(return 1)" } }], usage: null },
      { type: "content_block_delta", delta: { type: "text_delta", text: "(return 1)" } },
      { content: "(return 1)" },
    ]) {
      let calls = 0;
      const raw = async function* () {
        calls++;
        yield piece;
        yield { usage: { inputTokens: 5 }, choices: [] };
      };
      const { fail } = await new SubAgent({ mission: "m", retry: { attempts: 3 }, llm: raw }).run();
      assert.deepEqual([fail.reason, calls], ["llm_error", 1]);
      assert.match(
        fail.message,
        /no piece of the stream has a text; they have (id, model, choices|type, delta|content)/,
      );
    }
    const full = async function* () {
      yield { type: "start" };
      yield { type: "text-delta", text: "(return 3)" };
    };
    assert.equal((await new SubAgent({ mission: "m", llm: full }).run()).return, 3);
    await fails(() => ({ [Symbol.asyncIterator]: () => 5 }), /model could not be asked/);
    await fails(() => ({ [Symbol.asyncIterator]: () => ({ next: () => 5 }) }), /model could not be asked/);
    const later = async () =>
      (async function* () {
        yield {
          text: "(return 1)",
          usage: { inputTokens: Number.NaN, outputTokens: Number.POSITIVE_INFINITY, cacheReadTokens: -1 },
        };
      })();
    const step = await new SubAgent({ mission: "m", llm: later }).run();
    assert.deepEqual(
      [step.return, step.usage.inputTokens, step.usage.outputTokens, step.usage.cacheReadTokens],
      [1, undefined, undefined, undefined],
    );
    const stream = () => new Blob(["(return 2)"]).stream().pipeThrough(new TextDecoderStream());
    assert.equal((await new SubAgent({ mission: "m", llm: stream }).run()).return, 2);
  });

  test("never ends its stream, which is closed when the run is aborted", async () => {
    const left = [];
    const hanging = {
      iterator: () => ({
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise(() => {}),
          return: async () => {
            left.push("iterator");
            throw new Error("nobody hears it");
          },
        }),
      }),
      stream: () => new ReadableStream({ cancel: () => void left.push("stream") }),
    };
    for (const llm of Object.values(hanging)) {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), 5);
      const step = await new SubAgent({ mission: "m", llm }).run({ signal: controller.signal });
      assert.equal(step.fail.reason, "aborted");
    }
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.deepEqual(left, ["iterator", "stream"]);
  });

  test("is called again by a retry option that misbehaves", async () => {
    const broken = () => {
      throw new Error("offline");
    };
    const retry = (delayMs) => ({ retry: { attempts: 2, delayMs } });
    await fails(
      broken,
      /offline; and retry\.delayMs threw: no delay/,
      retry(() => {
        throw new Error("no delay");
      }),
    );
    for (const delay of [Number.NaN, -1, "x", undefined, null])
      await fails(
        broken,
        /offline/,
        retry(() => delay),
      );
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 5);
    const agent = new SubAgent({ mission: "m", llm: broken, ...retry(() => Number.POSITIVE_INFINITY) });
    assert.equal((await agent.run({ signal: controller.signal })).fail.reason, "aborted");
  });

  test("changes the messages that it got", async () => {
    const requests = [];
    const llm = ({ messages }) => {
      requests.push(structuredClone(messages));
      for (const message of messages) message.content = "changed";
      messages.length = 0;
      return requests.length === 3 ? "(return 1)" : "(def x 1)";
    };
    for (const compression of [false, true]) {
      requests.length = 0;
      const step = await new SubAgent({ mission: "m", llm, compression }).run();
      for (const [index, messages] of requests.entries()) assert.deepEqual(step.messagesAt(index + 1), messages);
    }
  });

  test("writes very large replies", async () => {
    const prose = "All work and no play. ".repeat(400_000);
    const step = await new SubAgent({ mission: "m", llm: () => `${prose}\n\`\`\`clojure\n(return 1)\n\`\`\`` }).run();
    assert.deepEqual([step.return, step.turns[0].rawResponse.length > prose.length], [1, true]);
    for (const reply of [
      "(".repeat(1_000_000),
      "```\n".repeat(200_000),
      "\n(".repeat(300_000),
      `${"`".repeat(1_000_000)}`,
      "\uD800(return 1)",
    ]) {
      const { fail } = await new SubAgent({ mission: "m", maxTurns: 1, llm: () => reply }).run();
      assert.match(
        fail.reason,
        /^(parse_error|nesting_too_deep|several_programs|no_code_found|unclosed_code_block|unbound_var|not_callable)$/,
      );
    }
  });
});

suite("a tool that misbehaves", () => {
  const shownAfter = async (run, words) => {
    const replies = ["(tool/run)", "(return 1)"];
    const step = await new SubAgent({ mission: "m", tools: { run }, llm: () => replies.shift() }).run();
    assert.deepEqual([step.return, step.turns[0].success, step.turns[0].result.reason], [1, false, "tool_error"]);
    assert.match(step.messagesAt(2).at(-1).content, words);
    assert.equal(JSON.stringify(Step.fromJSON(JSON.stringify(step))), JSON.stringify(step));
  };

  test("returns a value that the language can't represent", async () => {
    const cyclic = { name: "a" };
    cyclic.self = [cyclic];
    let deep = [];
    for (let level = 0; level < 2000; level++) deep = [deep];
    await shownAfter(() => cyclic, /`run` failed: result\.self\[0\] /);
    await shownAfter(() => deep, /1,?000/);
    await shownAfter(() => () => 1, /result is a function/);
    await shownAfter(() => ({ a: [Symbol("s")] }), /result\.a\[0\] is a symbol/);
    await shownAfter(() => new (class Connection {})(), /a Connection/);
    await shownAfter(
      () =>
        new Proxy(
          {},
          {
            ownKeys() {
              throw new Error("trap");
            },
          },
        ),
      /could not be read/,
    );
    await shownAfter(() => new Date(Number.NaN), /invalid Date/);
  });

  test("throws a value that is not an error", async () => {
    for (const [thrown, words] of [
      [undefined, /failed: undefined/],
      ["no stock", /failed: no stock/],
      [{ message: "from elsewhere" }, /failed: from elsewhere/],
      [Object.create(null), /failed: an object/],
      [new AggregateError([], ""), /failed: AggregateError/],
    ]) {
      await shownAfter(() => Promise.reject(thrown), words);
      await shownAfter(() => {
        throw thrown;
      }, words);
    }
    // biome-ignore lint/suspicious/noThenProperty: a tool of the host may return a thenable.
    await shownAfter(() => ({ then: (_, reject) => reject("late") }), /failed: late/);
    await shownAfter(() => {
      throw new Error("<p>".repeat(100_000));
    }, /^Error: .{1990,2100}\.\.\.\n/m);
  });

  test("runs the agent that it is a tool of, and others concurrently", async () => {
    let depth = 0;
    const agent = new SubAgent({
      mission: "m",
      tools: { again: async () => (depth++ < 3 ? (await agent.run()).return : depth) },
      llm: () => "(return [(tool/again)])",
    });
    assert.deepEqual((await agent.run()).return, [[[[4]]]]);

    const shared = new SubAgent({
      mission: "m",
      tools: {
        wait: ["(n :int) -> :int", async ({ n }) => new Promise((resolve) => setTimeout(() => resolve(n), n % 7))],
      },
      llm: async ({ turn }) =>
        turn === 1 ? "(def x (tool/wait data/n))" : turn === 2 ? "(def y (+ x 1))" : "(return [x y data/n])",
    });
    const steps = await Promise.all(Array.from({ length: 20 }, (_, n) => shared.run({ data: { n } })));
    assert.deepEqual(
      steps.map((step) => step.return),
      Array.from({ length: 20 }, (_, n) => [n, n + 1, n]),
    );
  });

  test("is still running when the run is aborted", async () => {
    const controller = new AbortController();
    const events = [];
    let finish;
    const tools = {
      slow: () => {
        setTimeout(() => controller.abort(), 1);
        return new Promise((resolve) => (finish = resolve));
      },
    };
    const agent = new SubAgent({ mission: "m", tools, llm: () => "(tool/slow)" });
    const step = await agent.run({ signal: controller.signal, onEvent: ({ type }) => events.push(type) });
    assert.equal(step.fail.reason, "aborted");
    const saved = JSON.stringify(step);
    finish(1);
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(events.at(-1), "done");
    assert.equal(JSON.stringify(step), saved);
    assert.equal(JSON.stringify(await replay(agent, step)), saved);
  });

  test("has ended when the run is aborted during another call: its result is in the turn", async () => {
    const controller = new AbortController();
    const tools = {
      pay: ["(n :int) -> :int", async ({ n }) => n * 10],
      slow: () => new Promise(() => setTimeout(() => controller.abort(), 5)),
      // Its own run is aborted too.
      inner: new SubAgent({ mission: "m", llm: () => new Promise(() => {}) }),
    };
    const program = "(pcalls #(tool/pay 1) #(tool/slow) #(tool/inner {}) #(tool/pay 2))";
    const agent = new SubAgent({ mission: "m", tools, llm: () => program });
    const step = await agent.run({ signal: controller.signal });
    assert.equal(step.fail.reason, "aborted");
    const [{ toolCalls }] = step.turns;
    assert.deepEqual(
      toolCalls.map(({ name, result, error }) => [name, result, error]),
      [
        ["pay", 10, null],
        ["slow", null, "the program ended before it answered"],
        ["inner", null, "`inner` failed: the run was aborted by the host"],
        ["pay", 20, null],
      ],
    );
    assert.equal(toolCalls[2].step.fail.reason, "aborted");
    assert.equal(JSON.stringify(await replay(agent, step)), JSON.stringify(step));
  });
});

suite("listeners and options", () => {
  test("a listener that throws or rejects does not fail the run", async () => {
    for (const onEvent of [
      () => {
        throw new Error("from the listener");
      },
      async () => {
        throw new Error("from the listener");
      },
    ]) {
      const agent = new SubAgent({ mission: "m", llm: returning(1) });
      const [step, complaints] = await withQuietConsole(async () => {
        const given = await agent.run({ onEvent });
        await new Promise((resolve) => setTimeout(resolve, 1));
        return given;
      });
      assert.equal(step.return, 1);
      assert.equal(complaints.length, 1);
      assert.match(complaints[0], /onEvent failed, and the run goes on: Error: from the listener/);
    }
  });

  test("a listener that changes its event does not change the run", async () => {
    let asked;
    const llm = ({ messages }) => {
      asked = messages;
      return "(return 1)";
    };
    await new SubAgent({ mission: "mission", llm }).run({
      onEvent: (event) => {
        if (event.type !== "messages") return;
        event.messages[1].content = "changed";
        event.messages.push("more");
      },
    });
    assert.deepEqual([asked.length, asked[1].content.startsWith("mission")], [2, true]);
    const events = [];
    const double = (args) => {
      args.n *= 2;
      return args.n;
    };
    const calls = new SubAgent({ mission: "m", tools: { double }, llm: () => "(return (tool/double {:n 3}))" });
    const { return: doubled } = await calls.run({
      onEvent: (event) => {
        if (event.type !== "tool-call") return;
        events.push(event.call);
        event.call.args.other = 1;
      },
    });
    assert.deepEqual([doubled, events[0].args], [6, { n: 3, other: 1 }]);
  });

  test("options that can't be read are refused", async () => {
    const throwing = (name) => ({
      mission: "m",
      get [name]() {
        throw new Error("from a getter");
      },
    });
    for (const name of ["mission", "tools", "llm", "limits", "signature", "compression", "systemPrompt"]) {
      const error = refuses(() => new SubAgent(throwing(name)), "invalid_option");
      assert.match(error.cause.message, /from a getter/);
    }
    refuses(() => new SubAgent(null), "invalid_option");
    refuses(() => new SubAgent("m"), "invalid_option");
    refuses(
      () =>
        new SubAgent({
          mission: "m",
          tools: {
            get a() {
              throw new Error("x");
            },
          },
        }),
      "invalid_option",
    );
    const agent = new SubAgent({ mission: "m", llm: returning(1) });
    const trap = new Proxy(
      {},
      {
        get() {
          throw new Error("trap");
        },
        has() {
          throw new Error("trap");
        },
        ownKeys() {
          throw new Error("trap");
        },
      },
    );
    for (const options of [
      null,
      5,
      "data",
      [],
      trap,
      {
        get llm() {
          throw new Error("x");
        },
      },
      { onEvent: 5 },
      { llm: "gpt" },
      { signal: {} },
      { signal: { addEventListener() {} } },
      { inputs: {} },
    ]) {
      await rejected(agent.run(options), "invalid_option");
    }
    const cyclic = {};
    cyclic.me = cyclic;
    await rejected(agent.run({ data: cyclic }), "cyclic_value");
    await rejected(agent.run({ data: { a: { b: () => 1 } } }), "invalid_value");
    await rejected(agent.run({ data: trap }), "invalid_value");
    await rejected(agent.run({ data: [1] }), "invalid_value");
    refuses(() => agent.preview(null), "invalid_option");
    refuses(() => agent.preview({ turn: [] }), "invalid_option");
    refuses(() => agent.preview({ turns: 5 }), "invalid_turn");
    const step = await agent.run();
    for (const junk of [null, undefined, {}, 5, trap]) {
      refuses(() => formatTrace(junk), "invalid_argument");
      await rejected(replay(agent, junk), "invalid_argument");
      await rejected(fork(agent, junk, 1), "invalid_argument");
      await rejected(replay(junk, step), "invalid_argument");
    }
    await rejected(fork(agent, step, 1, null), "invalid_option");
    await rejected(fork(agent, step, 1, { program: 5 }), "invalid_option");
    await rejected(fork(agent, step, 0), "out_of_range");
    for (const saved of [
      "no json",
      "null",
      "[]",
      '{"version":1,"turns":[]}',
      { ...step.toJSON(), usage: null },
      { ...step.toJSON(), log: 5 },
    ]) {
      refuses(() => Step.fromJSON(saved), "invalid_step");
    }
    refuses(() => Step.fromJSON({ ...step.toJSON(), turns: [5] }), "invalid_turn");
    for (const entry of [null, 5, { nested: null }, { nested: 5 }, { order: 5 }, { warnings: "x" }]) {
      refuses(() => Step.fromJSON({ ...step.toJSON(), log: [entry] }), "invalid_step");
    }
    const inner = new SubAgent({ mission: "in", llm: () => "(return 1)" });
    const outer = await new SubAgent({ mission: "m", tools: { inner }, llm: () => "(return (tool/inner {}))" }).run();
    for (const [change, code] of [
      [(nested) => (nested.version = 2), "unknown_version"],
      [(nested) => (nested.turns = 5), "invalid_step"],
    ]) {
      const saved = outer.toJSON();
      change(saved.turns[0].toolCalls[0].step);
      refuses(() => Step.fromJSON(saved), code);
    }
  });

  test("a strategy or counter that throws ends the run and keeps its turns", async () => {
    const strategy = {
      name: "brittle",
      toMessages: (turns, _, { mission }) => {
        if (turns.length === 2) throw new Error("too long for me");
        return [{ role: "user", content: mission }];
      },
    };
    const agent = new SubAgent({ mission: "m", compression: strategy, llm: () => "(def x 1)" });
    const step = await agent.run();
    assert.deepEqual([step.fail.reason, step.turns.length], ["invalid_strategy", 2]);
    assert.equal(JSON.stringify(await replay(agent, Step.fromJSON(JSON.stringify(step)))), JSON.stringify(step));
    let broken = false;
    const breaks = { name: "breaks", toMessages: () => (broken ? 5 : [{ role: "user", content: "m" }]) };
    const early = new SubAgent({ mission: "m", compression: breaks, llm: () => "" });
    broken = true;
    const nothing = await early.run();
    assert.deepEqual([nothing.fail.reason, nothing.messages, nothing.turns.length], ["invalid_strategy", [], 0]);
    refuses(() => nothing.messagesAt(1), "out_of_range");
  });

  test("a step can't be changed", async () => {
    const step = await new SubAgent({ mission: "m", llm: returning("{:a [1]}") }).run({ data: { d: [1] } });
    const saved = JSON.stringify(step);
    assert.throws(() => (step.ok = false), TypeError);
    assert.throws(() => (step.usage.turns = 9), TypeError);
    assert.throws(() => step.turns.push(1), TypeError);
    step.return.a.push(2);
    step.warnings.push("x");
    step.messages.length = 0;
    assert.deepEqual(step.return, { a: [1] });
    assert.equal(JSON.stringify(step), saved);
  });
});

suite("the memory of a run", () => {
  test("is freed in the wasm, after thousands of runs", { timeout: 120_000 }, async () => {
    const { setFlagsFromString } = await import("node:v8");
    const { runInNewContext } = await import("node:vm");
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc");
    const big = "x".repeat(1000);
    const agent = new SubAgent({
      mission: "m",
      compression: true,
      tools: { get: async () => big },
      llm: ({ turn }) => (turn < 3 ? "(def x (tool/get)) (println (subs x 0 9))" : "(return (count x))"),
    });
    const some = async (count) => {
      for (let run = 0; run < count; run++) {
        assert.equal((await agent.run({ data: { big } })).return, big.length);
        if (run % 200 === 0) {
          collect();
          await new Promise((resolve) => setTimeout(resolve, 0));
        }
      }
      return memoryBytes();
    };
    const before = await some(500);
    const after = await some(1500);
    assert.ok(after <= before, `${before} bytes became ${after}`);
  });
});
