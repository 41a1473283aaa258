// Predict, ChainOfThought and ReAct: calls, histories, and hostile input.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { History, Predict, SubAgent, TurnfoldError } from "turnfold";
import { ChainOfThought, parseSignature, ReAct } from "turnfold/predict";
import { keyword } from "turnfold/turns";
import { seeded } from "./random.mjs";
import { refuses } from "./refuses.mjs";
import { revoked } from "./revoked.mjs";

const QA = "question, history: History -> answer";
const roles = (messages) => messages.map(({ role }) => role[0]).join("");
const never = () => assert.fail("the model is not asked");

/** The error with which a promise rejects, which must be a TurnfoldError. */
async function rejects(promise, code) {
  const error = await promise.then(
    (value) => assert.fail(`expected ${code}, got ${JSON.stringify(value)}`),
    (error) => error,
  );
  assert.ok(TurnfoldError.isInstance(error), `not our error: ${error?.stack}`);
  assert.equal(error.code, code, error.message);
  return error;
}

suite("a history", () => {
  test("is immutable, and does not change its input", () => {
    const turn = { question: "q", answer: { deep: [1] } };
    const list = [turn];
    const history = new History(list);
    turn.answer.deep.push(2);
    list.push({ question: "x", answer: "y" });
    assert.deepEqual(history.messages, [{ question: "q", answer: { deep: [1] } }]);
    const longer = history.append({ question: "r", answer: "b" });
    assert.equal(history.messages.length, 1);
    assert.equal(longer.messages.length, 2);
    assert.ok(
      Object.isFrozen(history) && Object.isFrozen(history.messages) && Object.isFrozen(history.messages[0].answer),
    );
    assert.throws(() => {
      history.messages[0].answer.deep.push(3);
    }, TypeError);
    new Predict(QA).messages({ question: "x", history: longer });
    assert.deepEqual(list, [turn, { question: "x", answer: "y" }]);
  });

  test("can be appended to in several ways independently", () => {
    const start = new History([{ question: "1", answer: "1" }]);
    const left = start.append({ question: "l", answer: "l" });
    const right = start.append({ question: "r", answer: "r" });
    const deep = left.append({ question: "m", answer: "m" });
    const said = (history) => history.messages.map(({ question }) => question).join("");
    assert.deepEqual([start, left, right, deep].map(said), ["1", "1l", "1r", "1lm"]);
  });

  test("is the same from objects, Maps and frozen objects", () => {
    const plain = { question: "q", answer: "a" };
    const forms = [
      plain,
      Object.freeze({ ...plain }),
      Object.assign(Object.create(null), plain),
      new Map(Object.entries(plain)),
      new Map([
        [keyword("answer"), "a"],
        [keyword("question"), "q"],
      ]),
      new Proxy(plain, {}),
      JSON.parse(JSON.stringify(plain)),
      { ...plain, more: undefined, history: undefined },
    ];
    const program = new Predict(QA);
    const rendered = forms.map((turn) => program.messages({ question: "x", history: new History([turn]) }));
    for (const messages of rendered) assert.deepEqual(messages, rendered[0]);
    const history = new History(forms);
    const asMap = program.messages(new Map(Object.entries({ question: "x", history })));
    assert.deepEqual(asMap, program.messages({ question: "x", history }));
    assert.equal(asMap.length, 2 * forms.length + 1);
  });

  test("is saved and restored", () => {
    const history = new History([{ question: "q", answer: "a" }]);
    const saved = JSON.parse(JSON.stringify(history));
    assert.deepEqual(new History(saved.messages).messages, history.messages);
  });

  test("distinguishes undefined from null", () => {
    const program = new Predict(QA);
    const content = (turn) => program.messages({ question: "x", history: new History([turn]) })[1].content;
    assert.equal(content({ question: "q", answer: null }), "Answer: null");
    refuses(() => content({ question: "q", answer: undefined }), "invalid_history_element");
  });

  test("of another copy of the package is accepted", () => {
    const history = new History([{ question: "q", answer: "a" }]);
    const other = Object.create(
      {},
      Object.fromEntries(Object.getOwnPropertySymbols(history).map((key) => [key, { value: history[key] }])),
    );
    assert.ok(other instanceof History);
    assert.equal(new Predict(QA).messages({ question: "x", history: other }).length, 3);
  });

  test("of a hundred thousand turns is appended to and rendered", () => {
    let history = new History();
    for (let turn = 0; turn < 100_000; turn++) history = history.append({ question: `q${turn}`, answer: `a${turn}` });
    assert.equal(new Predict(QA).messages({ question: "x", history }).length, 200_001);
  });
});

suite("an invalid history", () => {
  const values = [
    ["an array", [{ question: "q", answer: "a" }]],
    ["an object", { messages: [] }],
    ["a text", "earlier"],
    ["a number", 5],
    ["false", false],
    ["a class", new (class Past {})()],
  ];
  for (const [name, value] of values) {
    test(`${name} in place of a History is refused`, async () => {
      for (const adapter of ["default", "chat", "json"]) {
        const program = new Predict("question, earlier: History -> answer", { adapter, llm: never });
        const { details, hint } = refuses(
          () => program.messages({ question: "x", earlier: value }),
          "invalid_history_value",
        );
        assert.equal(details.field, "earlier");
        assert.equal(details.expected, "a History");
        assert.equal(typeof details.got, "string");
        assert.match(hint, /new History/);
        await rejects(program.call({ question: "x", earlier: value }), "invalid_history_value");
      }
    });
  }

  test("messages that are not a list are refused", () => {
    for (const messages of [null, {}, "x", 5, new Map()]) {
      const { message, details } = refuses(() => new History(messages), "invalid_history_value");
      assert.equal(details.field, null);
      assert.match(message, /^the messages of a history must be a list of turns, got /);
    }
  });

  test("turns that are not objects are refused", () => {
    const bad = ["x", 5, null, undefined, [], [["question", "x"]], () => {}, new Date(), new (class Turn {})()];
    for (const turn of bad) {
      const { details } = refuses(() => new History([{ question: "q", answer: "a" }, turn]), "invalid_history_element");
      assert.deepEqual(details, { index: 1, reason: "not_a_map" });
      refuses(() => new History().append(turn), "invalid_history_element");
    }
  });

  test("turns of another program are refused before the model is called", async () => {
    const history = new History([{ question: "q", answer: "a" }, { question: "q" }, {}]);
    const program = new Predict(QA, { llm: never });
    const { details, message } = await rejects(program.call({ question: "x", history }), "invalid_history_element");
    assert.deepEqual(details, { index: 1, reason: "missing_output_fields" });
    assert.match(message, /element 1 .*outputs/);
  });
});

suite("hostile values", () => {
  const boom = new RangeError("boom");
  const throwing = () => {
    throw boom;
  };
  const cyclic = { question: "q" };
  cyclic.answer = cyclic;
  let deep = "x";
  for (let level = 0; level < 1200; level++) deep = [deep];
  const bad = [
    [{ question: "q", answer: () => 1 }, "invalid_value"],
    [{ question: "q", answer: Symbol("x") }, "invalid_value"],
    [{ question: "q", answer: new (class Odd {})() }, "invalid_value"],
    [{ question: "q", answer: new WeakMap() }, "invalid_value"],
    [cyclic, "cyclic_value"],
    [{ question: "q", answer: deep }, "nesting_too_deep"],
    [
      {
        question: "q",
        get answer() {
          throw boom;
        },
      },
      "invalid_value",
    ],
    [new Proxy({ question: "q" }, { ownKeys: throwing }), "invalid_value"],
    [new Proxy({ question: "q" }, { get: throwing }), "invalid_value"],
    [new Proxy({ question: "q" }, { getPrototypeOf: throwing }), "invalid_value"],
    [revoked(), "invalid_value"],
  ];

  test("in a turn are refused with their path", () => {
    for (const [turn, reason] of bad) {
      const { details } = refuses(() => new History([{ question: "q", answer: "a" }, turn]), "invalid_history_element");
      assert.equal(details.index, 1);
      assert.equal(details.reason, reason);
    }
  });

  test("in the inputs are refused, and the next call works", async () => {
    const program = new Predict("question: Any, answer: Any, history: History -> said", { llm: never });
    for (const [inputs] of bad) {
      const error = await program.call(inputs).catch((error) => error);
      assert.ok(TurnfoldError.isInstance(error), String(error));
      assert.notEqual(error.code, "internal");
    }
    for (const inputs of [null, undefined, 5, "x", [], () => {}, new (class Inputs {})()]) {
      await rejects(program.call(inputs), "invalid_inputs");
    }
    assert.equal(program.messages({ question: 1n, answer: 2 }).length, 1);
  });

  test("that are readable are accepted; members that begin with _ are hidden", () => {
    const program = new Predict(QA);
    const answer = (value) =>
      program.messages({ question: "x", history: new History([{ question: "q", answer: value }]) })[1].content;
    assert.equal(answer(2n ** 80n), "Answer: 1208925819614629174706176");
    assert.equal(answer(JSON.parse('{"__proto__": {"x": 1}, "constructor": 2}')), 'Answer: {"constructor":2}');
    assert.equal(answer(new Date(0)), 'Answer: "1970-01-01T00:00:00.000Z"');
    assert.equal(
      answer(
        new Map([
          ["b", 1],
          [2, 3],
          ["a", new Set([1])],
        ]),
      ),
      'Answer: {"2":3,"a":[1],"b":1}',
    );
    assert.equal(answer({ toJSON: () => ({ b: 1, a: 2 }) }), 'Answer: {"a":2,"b":1}');
    assert.equal(answer("\uD800x"), "Answer: \uFFFDx");
    assert.equal(answer([Number.NaN, -0, 1e21]), 'Answer: ["##NaN",0,1e21]');
    const own = JSON.parse('{"question": "q", "answer": "a", "__proto__": "p"}');
    assert.equal(program.messages({ question: "x", history: new History([own]) }).length, 3);
    assert.equal({}.x, undefined);
  });
});

suite("a call", () => {
  test("returns the outputs of the signature", async () => {
    const llm = async ({ messages, purpose, signal }) => {
      assert.equal(purpose, "answer");
      assert.equal(signal, undefined);
      assert.match(messages[0].content, /Question: How high\?$/);
      return { content: "Answer: 330 m\nSure: true", usage: { inputTokens: 9, outputTokens: 3 } };
    };
    const program = new Predict("question -> answer: str, sure: bool, why: Optional[str]", { llm });
    assert.deepEqual(await program.call({ question: "How high?" }), { answer: "330 m", sure: true, why: null });
    const { usage, messages, reply } = await program.run({ question: "How high?" });
    assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.calls], [9, 3, 1]);
    assert.deepEqual(messages, program.messages({ question: "How high?" }));
    assert.equal(reply, "Answer: 330 m\nSure: true");
  });

  test("adds up the usage of repairs, up to maxRepairs", async () => {
    let requestCount = 0;
    const llm = () => ({ content: `Answer: ${requestCount++ < 2 ? "high" : 330}`, usage: { outputTokens: 2 } });
    const program = new Predict("question -> answer: int", { llm, maxRepairs: 2 });
    const { outputs, usage } = await program.run({ question: "x" });
    assert.deepEqual([outputs.answer, usage.calls, usage.outputTokens], [330, 3, 6]);
    requestCount = 0;
    const error = await rejects(program.call({ question: "x" }, { maxRepairs: 1 }), "output_parse_failed");
    const { usage: paid, ...details } = error.details;
    assert.deepEqual(details, {
      problems: [{ path: "answer", message: 'expected int, got string "high"' }],
      reply: "Answer: high",
      attempts: 2,
    });
    assert.deepEqual([paid.calls, paid.outputTokens], [2, 4]);
    requestCount = 0;
    await rejects(
      new Predict("question -> answer: int", { llm }).call({ question: "x" }, { maxRepairs: 0 }),
      "output_parse_failed",
    );
    assert.equal(requestCount, 1);
  });

  test("retries a model that fails", async () => {
    let requestCount = 0;
    const llm = async () => {
      if (requestCount++ === 0) throw new Error("busy");
      return "Answer: yes";
    };
    const program = new Predict("question -> answer", { llm, retry: { attempts: 2 } });
    assert.deepEqual(await program.call({ question: "x" }), { answer: "yes" });
    requestCount = 0;
    const error = await rejects(new Predict("question -> answer", { llm }).call({ question: "x" }), "llm_error");
    assert.match(error.message, /busy/);
  });

  test("reads a reply that is streamed", async () => {
    async function* llm() {
      yield "Ans";
      yield { text: "wer: yes" };
    }
    assert.deepEqual(await new Predict("question -> answer", { llm }).call({ question: "x" }), { answer: "yes" });
  });

  test("ends when its signal aborts", async () => {
    const controller = new AbortController();
    const hanging = () => new Promise(() => {});
    const call = new Predict("question -> answer", { llm: hanging }).call(
      { question: "x" },
      { signal: controller.signal },
    );
    controller.abort(new Error("enough"));
    assert.equal((await rejects(call, "aborted")).cause.message, "enough");
    await rejects(new Predict("q -> a", { llm: never }).call({ q: "x" }, { signal: AbortSignal.abort() }), "aborted");
  });

  test("sends a schema to the model only with the json adapter", async () => {
    const schemas = [];
    const llm = ({ schema }) => {
      schemas.push(schema);
      return '{"a": 1}';
    };
    const signature = parseSignature("q -> a: int");
    for (const adapter of ["json", "chat"]) await new Predict(signature, { adapter, llm }).call({ q: "x" });
    assert.deepEqual(schemas, [signature.jsonSchema(), undefined]);
  });

  test("is not affected by a model that changes its request", async () => {
    const program = new Predict(QA, { demos: [{ question: "d", answer: "D" }] });
    const before = program.messages({ question: "x" });
    await program.call(
      { question: "x" },
      {
        llm: ({ messages }) => {
          for (const message of messages) message.content = "gone";
          messages.length = 0;
          return "Answer: y";
        },
      },
    );
    assert.deepEqual(program.messages({ question: "x" }), before);
  });

  test("any number of calls may run concurrently", async () => {
    const program = new Predict("n: int -> twice: int", {
      llm: async ({ messages }) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        return `Twice: ${2 * Number(/N: (\d+)$/.exec(messages[0].content)[1])}`;
      },
    });
    const given = await Promise.all(Array.from({ length: 20 }, (_, n) => program.call({ n })));
    assert.deepEqual(
      given.map(({ twice }) => twice),
      Array.from({ length: 20 }, (_, n) => 2 * n),
    );
  });

  test("warns of inputs that are not declared, and of coerced ones", async () => {
    const program = new Predict("question, limit: int, history: History -> answer", { llm: () => "Answer: x" });
    const { warnings, messages } = await program.run({ question: "And then?", limit: "3", histroy: new History([]) });
    assert.equal(messages.length, 1);
    assert.equal(warnings.length, 2);
    assert.match(warnings.join("\n"), /`histroy` is not declared; did you mean `history`\?/);
    assert.match(warnings.join("\n"), /limit: /);
  });

  test("needs no inputs", () => {
    const [{ content }] = new Predict("() -> {a :int}").messages({});
    assert.match(content, /^Work out `a`\.\n/);
  });

  test("unknown options are refused", async () => {
    const option = (options, name) => {
      const { details } = refuses(() => new Predict("q -> a", options), "invalid_option");
      assert.equal(details.option, name);
    };
    option({ adapter: "xml" }, "adapter");
    option({ instructions: 5 }, "instructions");
    option({ demos: {} }, "demos");
    option({ llm: "gpt" }, "llm");
    option({ maxRepairs: -1 }, "maxRepairs");
    option({ maxRepairs: 1.5 }, "maxRepairs");
    option({ temperature: 1 }, "temperature");
    refuses(() => new Predict("q -> a", 5), "invalid_option");
    const cyclic = {};
    cyclic.q = cyclic;
    refuses(() => new Predict("q -> a", { demos: [cyclic] }), "cyclic_value");
    const program = new Predict("q -> a", { llm: never });
    await rejects(program.call({ q: "x" }, { history: {} }), "invalid_option");
    await rejects(program.call({ q: "x" }, { signal: {} }), "invalid_option");
    await rejects(program.call({ q: "x" }, null), "invalid_option");
    await rejects(new Predict("q -> a").call({ q: "x" }), "missing_llm");
  });

  test("a signature is accepted in every form, and an invalid one is refused with the reason", () => {
    const forms = ["q, n: int -> a", "(q :string, n :int) -> {a :string}", parseSignature("q, n: int -> a")];
    const rendered = forms.map((form) => new Predict(form).messages({ q: "x", n: 1 }));
    assert.deepEqual(rendered[1], rendered[0]);
    assert.deepEqual(rendered[2], rendered[0]);
    const init = {
      inputs: [{ name: "q", type: "str" }],
      outputs: [{ name: "a", type: "str" }],
      instructions: "Do it.",
    };
    assert.match(new Predict(init).messages({ q: "x" })[0].content, /^Do it\.\n/);
    assert.match(new Predict(init, { instructions: "No." }).messages({ q: "x" })[0].content, /^No\.\n/);
    refuses(() => new Predict("(q :string) -> :int"), "invalid_signature");
    refuses(() => new Predict(parseSignature("(q :string) -> :int")), "invalid_signature");
    refuses(() => new Predict(5), "invalid_signature");
  });
});

test("ChainOfThought adds reasoning before the other outputs", async () => {
  const program = new ChainOfThought("question, history: History -> answer: int", {
    llm: () => "Reasoning: easy\nAnswer: 4",
  });
  assert.deepEqual(
    program.signature.outputs.map(({ name }) => name),
    ["reasoning", "answer"],
  );
  const history = new History([
    { question: "1 + 1", answer: 2 },
    { question: "0", reasoning: "hm", answer: 0 },
  ]);
  assert.equal(roles(program.messages({ question: "2 + 2", history })), "uauau");
  assert.deepEqual(await program.call({ question: "2 + 2", history }), { reasoning: "easy", answer: 4 });
  assert.equal(new ChainOfThought("q -> a, reasoning").signature.outputs[0].name, "a");
  refuses(() => new ChainOfThought("reasoning -> a"), "invalid_signature");
});

suite("ReAct", () => {
  const step = (tool, args, thought = "so") =>
    `Next_thought: ${thought}\nNext_tool_name: ${tool}\nNext_tool_args: ${JSON.stringify(args)}`;

  /** A model that gives these replies one after the other, and its requests. */
  function scripted(...replies) {
    const requests = [];
    const llm = (request) => {
      requests.push(request);
      return replies[requests.length - 1] ?? assert.fail("there is no reply to this");
    };
    return { llm, requests };
  }

  const tools = {
    search: {
      signature: "(query :string, limit :int?, _token :string) -> [:string]",
      description: "Finds\ntexts",
      run: ({ query, limit }) => [`about ${query}`, limit ?? null],
    },
    fail: () => {
      throw new Error("no luck");
    },
    odd: () => () => {},
  };

  test("calls tools until finish, with the history before every request", async () => {
    const { llm, requests } = scripted(
      step("search", { query: "bridges", limit: "2" }),
      step("finish", {}),
      "Answer: Eiffel",
    );
    const program = new ReAct(QA, { tools, llm });
    const history = new History([
      { question: "q1", answer: "a1" },
      { question: "q2", answer: "a2" },
    ]);
    const { outputs, steps, usage } = await program.run({ question: "Who?", history });
    assert.deepEqual(outputs, { answer: "Eiffel" });
    assert.equal(usage.calls, 3);
    assert.deepEqual(steps, [
      {
        thought: "so",
        tool: "search",
        args: { query: "bridges", limit: "2" },
        result: ["about bridges", 2],
        error: null,
      },
      { thought: "so", tool: "finish", args: {}, result: null, error: null },
    ]);
    assert.deepEqual(
      requests.map(({ purpose, turn }) => [purpose, turn]),
      [
        ["answer", 1],
        ["answer", 2],
        ["extraction", undefined],
      ],
    );
    const pairs = new Predict(QA).messages({ question: "x", history }).slice(0, -1);
    for (const { messages } of requests) {
      assert.equal(roles(messages), "uauau");
      assert.deepEqual(messages.slice(0, -1), pairs);
      assert.doesNotMatch(messages.at(-1).content, /q1|a1|[Hh]istory/);
    }
    assert.match(requests[0].messages.at(-1).content, /\nQuestion: Who\?\nTrajectory: \[\]$/);
    assert.match(
      requests[0].messages.at(-1).content,
      /\n- search\(query :string, limit :int\?\) -> \[:string\]: Finds texts\n- fail\(\.\.\.\) -> :any\n/,
    );
    const seen =
      '{"args":{"limit":"2","query":"bridges"},"observation":["about bridges",2],"thought":"so","tool":"search"}';
    assert.ok(requests[1].messages.at(-1).content.endsWith(`\nTrajectory: [${seen}]`));
    assert.ok(requests[2].messages.at(-1).content.endsWith(`\nTrajectory: [${seen},{"thought":"so","tool":"finish"}]`));
    assert.deepEqual(program.messages({ question: "Who?", history }), requests[0].messages);
  });

  test("gives the model the error of a tool", async () => {
    const { llm } = scripted(
      step("fail", {}),
      step("nothing", {}),
      step("search", { limit: "many" }),
      step("odd", null),
      step("finish", {}),
      "Answer: none",
    );
    const { steps } = await new ReAct("question -> answer", { tools, llm }).run({ question: "x" });
    assert.deepEqual(
      steps.slice(0, 4).map(({ error }) => error.replace(/result is a function.*/, "…")),
      [
        "no luck",
        'there is no tool "nothing"; the tools are search, fail, odd, finish',
        'the arguments do not fit: query: missing, expected string; limit: expected int, got string "many"',
        "…",
      ],
    );
  });

  test("answers after the last of maxSteps", async () => {
    const { llm, requests } = scripted(
      step("search", { query: "a" }),
      step("search", { query: "b" }),
      "Answer: enough",
    );
    const program = new ReAct("question -> answer", { tools, llm, maxSteps: 2 });
    assert.deepEqual(await program.call({ question: "x" }), { answer: "enough" });
    assert.equal(requests.at(-1).purpose, "extraction");
  });

  test("works with every adapter, demos and instructions", async () => {
    for (const adapter of ["default", "chat", "json"]) {
      const { llm, requests } = scripted(step("finish", {}), "Answer: yes");
      const demos = [{ question: "d", answer: "D" }];
      const program = new ReAct(QA, { tools, llm, adapter, demos, instructions: "Be brief." });
      const history = new History([{ question: "q1", answer: "a1" }]);
      assert.deepEqual(await program.call({ question: "x", history }), { answer: "yes" });
      const system = adapter === "default" ? "" : "s";
      assert.deepEqual(
        requests.map(({ messages }) => roles(messages)),
        [`${system}uau`, `${system}uauau`],
      );
      for (const { messages } of requests)
        assert.match(messages.map(({ content }) => content).join("\n"), /Be brief\./);
    }
  });

  test("refuses an invalid history before the model is asked", async () => {
    const program = new ReAct(QA, { tools, llm: never });
    const history = new History([{ question: "q", next_thought: "n" }]);
    await rejects(program.call({ question: "x", history }), "invalid_history_element");
    await rejects(program.call({ question: "x", history: [] }), "invalid_history_value");
    await rejects(program.call({}), "validation_error");
  });

  test("ends when its signal aborts, also while a tool is running", async () => {
    const controller = new AbortController();
    let given;
    const hanging = (_, { signal }) => {
      given = signal;
      setTimeout(() => controller.abort(), 5);
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    };
    const { llm } = scripted(step("hanging", {}));
    const program = new ReAct("question -> answer", { tools: { hanging }, llm });
    await rejects(program.call({ question: "x" }, { signal: controller.signal }), "aborted");
    assert.deepEqual([given.aborted, given.reason], [true, controller.signal.reason]);
  });

  test("an error has the steps so far, and the usage", async () => {
    const bought = { thought: "so", tool: "buy", args: { n: 1 }, result: 10, error: null };
    const interrupted = { ...bought, args: { n: 2 }, result: null, error: "interrupted: unknown whether it finished" };
    const usage = { inputTokens: 7, outputTokens: 1 };
    const answer = (content) => ({ content, usage });
    const replies = [answer(step("buy", { n: 1 })), answer(step("buy", { n: 2 }))];
    const never = (abort) => new Promise(() => setTimeout(abort, 5));
    const ways = [
      // While the second tool runs, and while the model is asked.
      ["aborted", replies, never, [bought, interrupted], 2],
      ["aborted", replies, () => 20, [bought, { ...interrupted, result: 20, error: null }], 3],
      ["llm_error", replies.slice(0, 1), () => 20, [bought], 2],
      ["output_parse_failed", [replies[0], answer("Next_thought: what?")], () => 20, [bought], 2],
    ];
    for (const [code, given, second, steps, calls] of ways) {
      const controller = new AbortController();
      const abort = () => controller.abort();
      const requests = [];
      const llm = (request) => {
        const reply = given[requests.push(request) - 1];
        if (reply === undefined && code === "llm_error") throw new Error("503");
        return reply ?? never(abort);
      };
      const tools = { buy: ["(n :int) -> :int", ({ n }) => (n === 1 ? 10 : second(abort))] };
      const program = new ReAct("question -> answer", { tools, llm, maxRepairs: 0 });
      const error = await rejects(program.run({ question: "x" }, { signal: controller.signal }), code);
      assert.deepEqual(error.details.steps, steps, code);
      assert.equal(error.details.usage.calls, calls);
      const paid = Math.min(given.length, calls);
      assert.deepEqual([error.details.usage.inputTokens, error.details.usage.outputTokens], [7 * paid, paid]);
    }
  });

  test("the usage has the tokens of agents that run as tools", async () => {
    const llm = () => ({ content: "(return 4)", usage: { inputTokens: 5, outputTokens: 2 } });
    const agent = new SubAgent({ mission: "Count", signature: "(n :int) -> :int", llm });
    const { llm: outer } = scripted(
      { content: step("count", { n: 3 }), usage: { inputTokens: 10, outputTokens: 3 } },
      { content: step("finish", {}), usage: { inputTokens: 20, outputTokens: 4 } },
      "Answer: 4",
    );
    const { usage } = await new ReAct("question -> answer", { tools: { count: agent }, llm: outer }).run({
      question: "x",
    });
    assert.deepEqual([usage.inputTokens, usage.outputTokens, usage.calls], [35, 9, 3]);
  });

  test("agents that are tools take over retry", async () => {
    let attempts = 0;
    const nested = new SubAgent({
      mission: "Count",
      signature: "(n :int) -> :int",
      llm: () => {
        if (attempts++ === 0) throw new Error("busy");
        return "(return 4)";
      },
    });
    const { llm } = scripted(step("count", { n: 3 }), step("finish", {}), "Answer: 4");
    const react = new ReAct("question -> answer", { tools: { count: nested }, llm, retry: { attempts: 2 } });
    const { steps } = await react.run({ question: "x" });
    assert.deepEqual([steps[0].result, attempts], [4, 2]);
  });

  test("runs agents as tools, with its own model where they have none", async () => {
    const agent = new SubAgent({ mission: "Count", signature: "(n :int) -> :int" });
    const { llm } = scripted(
      step("count", { n: 3 }),
      "```clojure\n(return (inc data/n))\n```",
      step("finish", {}),
      "Answer: 4",
    );
    const { steps } = await new ReAct("question -> answer", { tools: { count: agent }, llm }).run({ question: "x" });
    assert.deepEqual([steps[0].result, steps[0].error], [4, null]);
  });

  test("unknown options are refused", () => {
    refuses(() => new ReAct("q -> a", {}), "invalid_option");
    refuses(() => new ReAct("q -> a", { tools, maxSteps: 0 }), "invalid_option");
    refuses(() => new ReAct("q -> a", { tools: { finish: () => 1 } }), "invalid_tool");
    refuses(() => new ReAct("q -> a", { tools: { search: "(q :string) -> :int" } }), "invalid_tool");
    refuses(() => new ReAct("q -> a", { tools: { search: ["(q :strng) -> :int", () => 1] } }), "invalid_signature");
    refuses(() => new ReAct("trajectory -> a", { tools }), "invalid_signature");
    refuses(() => new Predict("q -> a", { tools }), "invalid_option");
  });
});

test("turns of any content are pairs of messages before the same request", () => {
  const { below, pick, chance } = seeded(7);
  const pieces = ["\n", "\r", "\u2028", "Answer: ", "Score: ", "[[ ## answer ## ]]", "x", "é", "  "];
  const value = () =>
    pick([
      () => Array.from({ length: below(6) }, () => pick(pieces)).join(""),
      () => [pick(pieces), null, below(5)],
      () => ({ [pick(["b", "a", "Answer"])]: pick(pieces), z: 1 }),
    ])();
  const names = ["question", "context", "answer", "score"];
  for (let round = 0; round < 200; round++) {
    const adapter = pick(["default", "chat", "json"]);
    const program = new Predict("question, context: Any?, history: History -> answer: Any, score: Any", { adapter });
    const turns = Array.from({ length: below(5) }, () => {
      const shown = names.filter((_, at) => at % 2 === 0 || chance(0.5)).map((name) => [name, value()]);
      if (chance(0.5)) shown.reverse();
      return chance(0.5) ? Object.fromEntries(shown) : new Map(shown);
    });
    const inputs = { question: String(value()), context: chance(0.5) ? value() : undefined };
    const without = program.messages(inputs);
    const all = program.messages({ ...inputs, history: new History(turns) });
    const pairs = all.slice(without.length - 1, -1);
    assert.deepEqual([...all.slice(0, without.length - 1), all.at(-1)], without);
    assert.equal(roles(pairs), "ua".repeat(turns.length));
    const grown = program.messages({ ...inputs, history: new History([...turns, { question: 1, answer: 2 }]) });
    assert.deepEqual(grown.slice(0, all.length - 1), all.slice(0, -1));
    pairs.forEach(({ content }, at) => {
      const fields = content
        .split(/[\n\r\v\f\u0085\u2028\u2029]/)
        .filter((line) => line !== "" && !line.startsWith("  "));
      const side = at % 2 === 0 ? names.slice(0, 2) : names.slice(2);
      const turn = turns[at >> 1];
      const there = side.filter((name) => (turn instanceof Map ? turn.has(name) : name in turn));
      assert.deepEqual(
        fields.map((line) => line.split(":")[0].toLowerCase()),
        there,
      );
    });
  }
});
