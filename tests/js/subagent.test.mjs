import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fork, replay, Step, SubAgent, T, Turn, TurnfoldError } from "turnfold";
import { o200k } from "turnfold/tokens/o200k";
import { float, keyword } from "turnfold/turns";
import { refuses } from "./refuses.mjs";
import { scripted } from "./scripted.mjs";

const fenced = (program) => `\`\`\`clojure\n${program}\n\`\`\``;

suite("a run", () => {
  test("continues until a program returns", async () => {
    const agent = new SubAgent({
      mission: T`Count the {{what}}`,
      signature: "(what :string) -> {count :int}",
      tools: { find: ["(kind :string) -> [:string]", async ({ kind }) => [`red ${kind}`, `blue ${kind}`]] },
      llm: scripted(
        fenced("(def found (tool/find data/what))"),
        fenced("(println (count fuond))"),
        fenced("(return {:count (count found)})"),
      ),
    });
    const step = await agent.run({ data: { what: "lamps" } });
    assert.deepEqual(step.return, { count: 2 });
    assert.deepEqual([step.ok, step.fail, step.turns.length], [true, null, 3]);
    assert.deepEqual(
      step.turns.map(({ success }) => success),
      [true, false, true],
    );
    assert.match(step.turns[1].result.hint, /found/);
    assert.deepEqual({ ...step.memory }, { found: ["red lamps", "blue lamps"] });
    assert.deepEqual(step.turns[0].toolCalls[0].args, { kind: "lamps" });
    assert.equal(step.messagesAt(1)[1].content, agent.preview({ data: { what: "lamps" } }).messages[1].content);
    assert.match(step.messagesAt(3).at(-1).content, /`fuond` is not defined/);
  });

  test("sends the messages of toMessages to the model", async () => {
    const requests = [];
    const agent = new SubAgent({
      mission: "Add",
      compression: true,
      llm: ({ messages }) => {
        requests.push(messages);
        return requests.length === 2 ? "(return x)" : "(def x (+ 1 2))";
      },
    });
    const step = await agent.run();
    assert.deepEqual(requests, [step.messagesAt(1), step.messagesAt(2)]);
    assert.match(requests[1][1].content, /x {29}; = integer, sample: 3\n/);
    assert.deepEqual(step.messages, [...requests[1], { role: "assistant", content: "(return x)" }]);
  });

  test("shows keywords, floats and names that are not keywords in data unchanged", async () => {
    const data = { level: keyword("high"), share: float(1), "a b": [keyword("x")] };
    const requests = [];
    const llm = ({ messages }) => {
      requests.push(messages);
      return "(return data/level)";
    };
    const agent = new SubAgent({ mission: "m", compression: true, llm });
    const step = await agent.run({ data });
    await fork(agent, step, 1);
    assert.match(requests[0][1].content, /data\/level +; keyword, sample: :high\ndata\/share +; float, sample: 1\.0\n/);
    assert.deepEqual(requests, [step.messagesAt(1), step.messagesAt(1)]);
    assert.deepEqual(requests[0], agent.preview({ data }).messages);
  });

  test("reads optional inputs that were not given as nil, in a replay too", async () => {
    const signature = "(what :string, limit :int?) -> :any";
    const llm = scripted("(def n data/limt)", "(return [data/what data/limit])");
    const agent = new SubAgent({ mission: "m", signature, llm });
    const step = await agent.run({ data: { what: "lamp" } });
    assert.deepEqual(step.return, ["lamp", null]);
    assert.match(step.turns[0].result.hint, /data\/limit/);
    assert.deepEqual(step.request.data, { what: "lamp" });
    assert.equal(JSON.stringify(await replay(agent, step)), JSON.stringify(step));
    assert.deepEqual((await fork(agent, step, 2, { program: "(return data/limit)" })).return, null);
    const other = await fork(agent, step, 2, { data: { what: "lamp", limit: 3 }, program: "(return data/limit)" });
    assert.equal(other.return, 3);
    const nested = new SubAgent({ mission: "m", signature, llm: () => "(return [data/what data/limit])" });
    const around = new SubAgent({
      mission: "m",
      tools: { find: nested },
      llm: () => '(return (tool/find {:what "x"}))',
    });
    assert.deepEqual((await around.run()).return, ["x", null]);
  });

  test("refuses names that programs can't write", async () => {
    const llm = () => "(return data/a-b)";
    refuses(() => new SubAgent({ mission: "m", llm, tools: { "weird name": () => 1 } }), "invalid_tool");
    const agent = new SubAgent({ mission: "m", llm });
    assert.equal((await agent.run({ data: { "a b": 5 } })).return, 5);
    await assert.rejects(agent.run({ data: { "": 5 } }), { code: "invalid_value" });
    refuses(() => agent.preview({ data: { "a b": 1, "a-b": 2 } }), "invalid_value");
  });

  test("streams, counts tokens, and reports events", async () => {
    const events = [];
    const agent = new SubAgent({
      mission: "Say one",
      async *llm() {
        yield "(return";
        yield { text: " 1)", usage: { inputTokens: 7, outputTokens: 2 } };
      },
    });
    const step = await agent.run({ onEvent: (event) => events.push(event) });
    assert.deepEqual(
      events.map(({ type }) => type),
      ["messages", "text", "text", "reply", "turn", "done"],
    );
    assert.equal(events[1].text + events[2].text, "(return 1)");
    assert.deepEqual([step.usage.inputTokens, step.usage.outputTokens, step.usage.turns], [7, 2, 1]);
    assert.equal(events.at(-1).step, step);
  });

  test("the events of a tool call have the id with which approve was asked", async () => {
    const events = [];
    const asked = [];
    const replies = ["(tool/refund {:order 1})", "(pmap #(tool/refund {:order %}) [2 3])", "(return 1)"];
    const agent = new SubAgent({
      mission: "Refund",
      tools: { refund: { signature: "(order :int) -> :int", needsApproval: true, run: ({ order }) => order * 10 } },
      approve: (call) => asked.push(call) > 0,
      llm: () => replies.shift(),
    });
    const step = await agent.run({ onEvent: (event) => events.push(event) });
    assert.equal(step.return, 1);
    const calls = events.filter(({ type }) => type === "tool-call").map(({ call }) => call);
    assert.deepEqual(
      calls.map(({ name, args }) => [name, args.order]),
      [1, 2, 3].map((order) => ["refund", order]),
    );
    assert.equal(new Set(calls.map(({ id }) => id)).size, 3);
    assert.deepEqual(asked, calls);
    const results = events.filter(({ type }) => type === "tool-result");
    for (const { call, turn, result } of results) {
      assert.ok(calls.includes(call));
      assert.deepEqual([turn, result], [call.args.order === 1 ? 1 : 2, call.args.order * 10]);
    }
    assert.equal(results.length, 3);
  });

  test("has the reason of its failure", async () => {
    const reasons = [
      [scripted("(+ 1 1)", "(+ 1 1)"), "max_turns_exceeded"],
      [scripted('(fail {:reason :not-found :message "no lamp"})'), "not-found"],
      [scripted('(fail "no lamp")'), "failed"],
      [
        () => {
          throw new Error("offline");
        },
        "llm_error",
      ],
      [() => 5, "llm_error"],
    ];
    for (const [llm, reason] of reasons) {
      const step = await new SubAgent({ mission: "m", maxTurns: 2, llm }).run();
      assert.deepEqual([step.ok, step.return, step.fail.reason], [false, null, reason]);
    }
    const single = await new SubAgent({ mission: "m", maxTurns: 1, llm: () => "I can't." }).run();
    assert.equal(single.fail.reason, "no_code_found");
  });

  test("checks inputs and results by the signature", async () => {
    const agent = new SubAgent({
      mission: "m",
      signature: "(n :int) -> {items [{price :float}]}",
      llm: scripted('(return {:items [{:price "12"}]})', "(return {:items [{:price 12}]})"),
    });
    const step = await agent.run({ data: { n: 1 } });
    assert.deepEqual(step.return, { items: [{ price: 12 }] });
    assert.match(step.turns[0].result.message, /items\[0\]\.price: expected float, got string "12"/);
    const wrong = await agent.run({ data: { n: "one" } });
    assert.deepEqual([wrong.fail.reason, wrong.turns.length], ["validation_error", 0]);
    assert.match(wrong.fail.message, /n: expected int/);
  });

  test("passes the error of a tool to the host unchanged, and to the model as text", async () => {
    const cause = new RangeError("no such page");
    const tools = {
      read: () => {
        throw cause;
      },
    };
    const told = [];
    const onEvent = (event) => event.type === "tool-result" && told.push(event);
    const step = await new SubAgent({ mission: "m", maxTurns: 1, tools, llm: () => "(tool/read {})" }).run({ onEvent });
    assert.deepEqual([told.length, told[0].error, told[0].cause], [1, "no such page", cause]);
    assert.match(step.fail.message, /`read` failed: no such page/);
    assert.match(step.turns[0].toolCalls[0].error, /no such page/);
  });

  test("retry repeats requests that failed", async () => {
    let calls = 0;
    const waits = [];
    const llm = () => {
      calls++;
      if (calls < 3) throw new Error(`broken ${calls}`);
      return "(return 1)";
    };
    const delayMs = (attempt, error) => {
      waits.push([attempt, error.message]);
      return 1;
    };
    const step = await new SubAgent({ mission: "m", llm, retry: { attempts: 3, delayMs } }).run();
    assert.equal(step.return, 1);
    assert.deepEqual(waits, [
      [1, "broken 1"],
      [2, "broken 2"],
    ]);
  });

  test("ends at any abort with the turns so far", async () => {
    const controller = new AbortController();
    const never = new SubAgent({ mission: "m", llm: () => new Promise(() => setTimeout(() => controller.abort(), 1)) });
    assert.equal((await never.run({ signal: controller.signal })).fail.reason, "aborted");

    const calling = new AbortController();
    const tools = {
      wait: () => {
        calling.abort();
        return new Promise(() => {});
      },
    };
    const step = await new SubAgent({ mission: "m", tools, llm: () => '(println "hi") (tool/wait)' }).run({
      signal: calling.signal,
    });
    assert.deepEqual([step.fail.reason, step.turns.length, step.turns[0].success], ["aborted", 1, false]);
    assert.deepEqual([...step.turns[0].prints], ["hi"]);

    const looping = new AbortController();
    setTimeout(() => looping.abort(), 20);
    const loop = await new SubAgent({
      mission: "m",
      limits: { fuel: 1e12, loopIterations: 1e12, timeoutMs: 1e9 },
      llm: () => "(loop [i 0] (recur (inc i)))",
    }).run({ signal: looping.signal });
    assert.equal(loop.fail.reason, "aborted");
  });
});

suite("agents inside agents", () => {
  const square = new SubAgent({ mission: T`Square {{n}}`, signature: "(n :int) -> :int", description: "Squares" });

  test("are tools, and their turns are in the trace", async () => {
    const llm = ({ messages }) =>
      messages[1].content.startsWith("Square") ? "(return (* data/n data/n))" : "(return (mapv tool/square [2 3]))";
    const step = await new SubAgent({ mission: "Two numbers", tools: { square }, llm }).run();
    assert.deepEqual(step.return, [4, 9]);
    const [first] = step.turns[0].toolCalls;
    assert.deepEqual([first.step.return, first.step.turns.length, step.usage.turns], [4, 1, 1]);
    assert.match(step.messagesAt(1)[1].content, /tool\/square\(n :int\) -> :int {2}; Squares/);
    assert.deepEqual(JSON.stringify(Turn.fromJSON(JSON.stringify(step.turns[0]))), JSON.stringify(step.turns[0]));
  });

  test("take over llm and compression unless they have their own", async () => {
    const llm = ({ messages }) => {
      if (!messages[1].content.startsWith("Inner")) return "(return (tool/inner {}))";
      return messages.at(-1).content.includes("Turns left: 2") ? "(return 2)" : "(def a 1)";
    };
    const requestOf = async (outer, inner) => {
      const tools = { inner: new SubAgent({ mission: "Inner", maxTurns: 3, ...inner }) };
      const step = await new SubAgent({ mission: "m", tools, llm, ...outer }).run();
      return step.turns[0].toolCalls[0].step.messagesAt(2).map(({ role }) => role);
    };
    const one = ["system", "user"];
    const whole = ["system", "user", "assistant", "user"];
    assert.deepEqual(await requestOf({ compression: true }, {}), one);
    assert.deepEqual(await requestOf({}, {}), whole);
    assert.deepEqual(await requestOf({ compression: true }, { compression: false }), whole);
    assert.deepEqual(await requestOf({}, { compression: true }), one);
  });

  test("take over retry unless they have their own", async () => {
    const attemptsOf = async (outer, inner) => {
      let attempts = 0;
      const llm = ({ messages }) => {
        if (!messages[1].content.startsWith("Inner")) return "(return (tool/inner {}))";
        attempts++;
        throw new Error("busy");
      };
      const tools = { inner: new SubAgent({ mission: "Inner", ...inner }) };
      await new SubAgent({ mission: "m", maxTurns: 1, tools, llm, ...outer }).run();
      return attempts;
    };
    assert.equal(await attemptsOf({}, {}), 1);
    assert.equal(await attemptsOf({ retry: { attempts: 3 } }, {}), 3);
    assert.equal(await attemptsOf({ retry: { attempts: 3 } }, { retry: { attempts: 2 } }), 2);
    assert.equal(await attemptsOf({ retry: { attempts: 3 } }, { retry: {} }), 1);
    assert.equal(await attemptsOf({}, { retry: { attempts: 2 } }), 2);
  });

  test("get their inputs as language values", async () => {
    const inner = new SubAgent({
      mission: "Inner",
      signature: "(mode :any, share :any) -> :any",
      llm: () => "(return [(= data/mode :fast) (str data/share)])",
    });
    const step = await new SubAgent({
      mission: "m",
      tools: { inner },
      llm: () => "(return (tool/inner {:mode :fast :share 2.0}))",
    }).run();
    assert.deepEqual(step.return, [true, "2.0"]);
  });

  test("share turnBudget, and are nested up to maxDepth", async () => {
    const llm = ({ messages }) =>
      messages[1].content.startsWith("Square") ? "(+ 1 1)" : "(return (tool/square {:n 2}))";
    const step = await new SubAgent({ mission: "m", tools: { square }, turnBudget: 3, llm }).run();
    assert.equal(step.fail.reason, "turn_budget_exhausted");
    assert.match(step.turns[0].toolCalls[0].error, /3 turns/);

    const deep = new SubAgent({ mission: "Outer", tools: { square }, maxDepth: 1, llm });
    const outer = new SubAgent({
      mission: "Outermost",
      tools: { deep },
      maxDepth: 1,
      llm: () => "(tool/deep {})",
      maxTurns: 1,
    });
    const nested = (await outer.run()).turns[0].toolCalls[0];
    assert.match(nested.step?.turns[0].toolCalls[0]?.error ?? nested.error, /deep/);
  });
});

suite("a step", () => {
  const agent = new SubAgent({
    mission: "Count",
    tools: { next: ["() -> :int", async () => 3] },
    llm: scripted(
      "(def f (let [k 2] (fn [x] (* k x))))",
      "(def n (tool/next))",
      '(println n) (def m (f "x"))',
      "(def m (f n))",
      "(return {:m m :at (int (/ (System/currentTimeMillis) 1000))})",
    ),
  });
  let step;

  test("is saved and loaded to the same bytes", async () => {
    step = await agent.run({ data: { _key: 1, "a b": new Set([1n]) } });
    assert.equal(step.return.m, 6);
    const saved = JSON.stringify(step);
    const loaded = Step.fromJSON(saved);
    assert.equal(JSON.stringify(loaded), saved);
    assert.deepEqual(loaded.messages, step.messages);
    assert.deepEqual(loaded.return, step.return);
    assert.deepEqual(loaded.request.data["a b"], new Set([1]));
    assert.deepEqual(
      JSON.parse(saved).turns.map(({ changed }) => Object.keys(changed.values)),
      [["f"], ["n"], [], ["f", "m"], []],
    );
    refuses(() => Step.fromJSON({}), "invalid_step");
    refuses(() => Step.fromJSON({ ...JSON.parse(saved), version: 99 }), "unknown_version");
    let nested = 1;
    for (let depth = 0; depth < 100_000; depth++) nested = [nested];
    const cyclic = [];
    cyclic.push(cyclic);
    for (const part of [nested, cyclic, 1n]) {
      for (const changes of [{ warnings: [part] }, { usage: { ...JSON.parse(saved).usage, durationMs: part } }])
        refuses(() => Step.fromJSON({ ...JSON.parse(saved), ...changes }), "invalid_step");
    }
  });

  test("is replayed to the same bytes, or the error says where it differs", async () => {
    assert.equal(JSON.stringify(await replay(agent, Step.fromJSON(JSON.stringify(step)))), JSON.stringify(step));
    const other = new SubAgent({ mission: "Count", tools: { next: ["() -> :string", () => 3] }, llm: () => "" });
    await assert.rejects(replay(other, step), (error) => {
      assert.deepEqual([TurnfoldError.isInstance(error), error.code], [true, "replay_diverged"]);
      return true;
    });
    const toolless = new SubAgent({ mission: "Count", llm: () => "" });
    await assert.rejects(replay(toolless, step), { message: /false instead of true \(".*next.*"\)$/ });
  });

  test("is forked at any turn", async () => {
    const forked = await fork(agent, step, 4, { program: "(return (f n))" });
    assert.deepEqual([forked.return, forked.turns.length], [6, 4]);
    assert.deepEqual(forked.turns.slice(0, 3), step.turns.slice(0, 3));
    const asked = await fork(agent, step, 3, { llm: () => "(return [n (+ n n)])" });
    assert.deepEqual(asked.return, [3, 6]);
    await assert.rejects(fork(agent, step, 9), { code: "out_of_range" });
    const single = new SubAgent({ mission: "m", maxTurns: 2, llm: () => "(def x 1)" });
    const full = await single.run();
    await assert.rejects(fork(single, full, 3, { program: "(return 1)" }), {
      code: "out_of_range",
      message: "the program would be turn 3, and the agent has 2",
    });
    assert.equal((await fork(single, full, 3)).fail.reason, "max_turns_exceeded");
  });

  test("keeps the usage of its earlier turns when it is forked", async () => {
    const short = new SubAgent({ mission: "m", turnBudget: 3, llm: () => "(def x 2.0)" });
    const spent = await short.run({ data: { k: keyword("open") } });
    assert.deepEqual([spent.fail.reason, spent.turns.length], ["turn_budget_exhausted", 3]);
    assert.equal((await fork(short, spent, 3)).turns.length, 3);
    const ended = await fork(short, spent, 4, { llm: () => assert.fail("nobody is asked") });
    assert.equal(ended.fail.reason, "turn_budget_exhausted");
    const data = await fork(short, spent, 2, { program: "(return [(= data/k :open) (str x)])" });
    assert.deepEqual(data.return, [true, "2.0"]);
  });

  test("has what turnBudget leaves after the turns before a fork and those of their nested agents", async () => {
    const inner = new SubAgent({ mission: "Inner", llm: scripted("(def y 1)", "(return y)") });
    const llm = ({ turn }) => (turn === 1 ? "(def x (tool/inner {}))" : "(def z 1)");
    const agent = new SubAgent({ mission: "m", tools: { inner }, turnBudget: 4, llm });
    const step = await agent.run();
    const forked = await fork(agent, step, 2);
    for (const { fail, turns } of [step, forked])
      assert.deepEqual([fail.reason, turns.length], ["turn_budget_exhausted", 2]);
  });

  test("is forked with any program, and has the next request", async () => {
    const strategy = { name: "short", toMessages: (turns) => [{ role: "user", content: `after ${turns.length}` }] };
    const custom = new SubAgent({ mission: "m", compression: strategy, llm: scripted("(def x 1)", "(return x)") });
    const first = await custom.run();
    const forked = await fork(custom, first, 2, { program: '(return (str "```" x "````"))' });
    assert.equal(forked.return, "```1````");
    assert.deepEqual(
      [1, 2].map((turn) => forked.messagesAt(turn)[0].content),
      ["after 0", "after 1"],
    );
  });

  test("is replayed after a fork with a program, whatever the compression", async () => {
    for (const compression of [false, true, "journal", ["aggressive", { budget: 100, counter: await o200k() }]]) {
      const each = new SubAgent({
        mission: "m",
        compression,
        tools: { one: () => 1 },
        llm: scripted("(def x (tool/one {}))", '(println "x") (def y (tool/one {}))', "(return y)"),
      });
      const first = await each.run();
      for (const turn of [1, 2, 3, 4]) {
        const forked = await fork(each, first, turn, { program: '(println "p") (tool/one {}) (return 7)' });
        assert.equal(forked.return, 7);
        const again = await replay(each, Step.fromJSON(JSON.stringify(forked)));
        assert.equal(JSON.stringify(again), JSON.stringify(forked));
      }
    }
  });

  test("is replayed after a fork behind the turn that ended it", async () => {
    const host = new AbortController();
    const each = new SubAgent({ mission: "m", tools: { stop: () => host.abort() }, llm: () => "(return x)" });
    for (const program of ["(return 1)", "(fail :no)", "(tool/stop {})"]) {
      const llm = scripted("(def x 1)", program);
      const ended = await each.run({ llm, signal: host.signal });
      assert.equal(ended.turns.length, 2);
      const forked = await fork(each, Step.fromJSON(JSON.stringify(ended)), 3);
      assert.deepEqual([forked.return, forked.turns.length], [1, 3]);
      assert.equal(JSON.stringify(await replay(each, Step.fromJSON(JSON.stringify(forked)))), JSON.stringify(forked));
    }
    const shorter = await each.run({ llm: scripted("(def x 1)", "(def y 2)", "(return y)") });
    const once = new SubAgent({ mission: "m", maxTurns: 2, tools: { stop: () => {} } });
    await assert.rejects(replay(once, shorter), { code: "replay_diverged" });
  });

  test("is replayed after an abort between two turns or before the first one", async () => {
    const own = { name: "own", toMessages: (turns) => [{ role: "user", content: `after ${turns.length}` }] };
    for (const compression of [false, true, own]) {
      const each = new SubAgent({
        mission: "m",
        compression,
        tools: { one: () => 1 },
        llm: () => '(println "x") (def x (tool/one {}))',
      });
      for (const [last, type] of [
        [0, null],
        [1, "turn"],
        [2, "turn"],
        [2, "messages"],
      ]) {
        const host = new AbortController();
        if (last === 0) host.abort();
        const aborted = await each.run({
          signal: host.signal,
          onEvent: (event) => {
            if (event.type === type && (event.turn.number ?? event.turn) === last) host.abort();
          },
        });
        assert.deepEqual([aborted.fail.reason, aborted.turns.length], ["aborted", type === "messages" ? 1 : last]);
        const again = await replay(each, Step.fromJSON(JSON.stringify(aborted)));
        assert.equal(JSON.stringify(again), JSON.stringify(aborted));
      }
    }
  });

  test("does not run the program of a fork whose signal is aborted", async () => {
    const forked = await fork(agent, step, 1, { program: "(return 1)", signal: AbortSignal.abort() });
    assert.deepEqual([forked.fail?.reason, forked.turns.length], ["aborted", 0]);
  });

  test("is replayed with concurrent calls in any order", async () => {
    let answers = 0;
    const mixed = new SubAgent({
      mission: "m",
      tools: { next: async () => answers++ },
      llm: () => "(return (pmap (fn [n] (if (= n 1) [(tool/next) (tool/next)] (tool/next))) [1 2 3]))",
    });
    const first = await mixed.run();
    assert.deepEqual(first.return, [[0, 3], 1, 2]);
    assert.equal(JSON.stringify(await replay(mixed, first)), JSON.stringify(first));
  });

  test("is the input of the next agent", async () => {
    const next = new SubAgent({ mission: "Double", llm: () => "(return (* 2 data/m))", maxTurns: 1 });
    assert.equal((await next.run({ data: step })).return, 12);
    const failed = await new SubAgent({ mission: "m", llm: () => "(fail :no)" }).run();
    assert.equal((await next.run({ data: failed })).fail.reason, "chained_failure");
  });
});

suite("an agent", () => {
  test("with invalid options is refused with a hint", () => {
    const says = (options, code, words) => {
      const { message, hint } = refuses(() => new SubAgent(options), code);
      assert.match(`${message} ${hint}`, words);
    };
    says({ prompt: "m" }, "invalid_option", /mission/);
    says({}, "invalid_option", /mission/);
    says({ mission: "m", maxTurns: 0 }, "invalid_option", /maxTurns.*from 1 up/);
    says({ mission: "m", signature: "(" }, "invalid_signature", /signature/);
    says({ mission: "m", tools: { a: "() -> :int" } }, "invalid_tool", /no function/);
    says({ mission: T`Find {{x}}`, signature: "(y :int) -> :int" }, "unknown_placeholder", /x.*the inputs are y/);
    says({ mission: "m", validation: "maybe" }, "invalid_option", /enabled, strict, warn, disabled/);
    says({ mission: "m", compression: "zip" }, "unknown_strategy", /zip/);
    says({ mission: "m", compression: [] }, "invalid_option", /compression must be a pair .* got an empty list/);
  });

  test("with maxTurns 1 returns the value that its program defines last", async () => {
    const step = await new SubAgent({ mission: "m", maxTurns: 1, llm: () => "(def a 1)\n(def b (+ a 41))" }).run();
    assert.deepEqual([step.return, step.memory], [42, { a: 1, b: 42 }]);
  });

  test("does not call a host's strategy before it has a mission and data", async () => {
    const seen = [];
    const own = {
      name: "own",
      toMessages(turns, _memory, { mission, data }) {
        seen.push([turns.length, mission, data]);
        return [{ role: "user", content: mission }];
      },
    };
    const agent = new SubAgent({ mission: T`Find {{what}}`, compression: own, llm: () => "(return data/what)" });
    assert.deepEqual(seen, []);
    assert.equal((await agent.run({ data: { what: "a lamp" } })).return, "a lamp");
    assert.deepEqual(seen[0], [0, "Find a lamp", { what: "a lamp" }]);
  });

  test("lists in the next turn the definitions that a failure undid, also in a fork", async () => {
    const programs = ["(def r 1) (nope)", "(inc r)", "(return 1)"];
    const agent = new SubAgent({ mission: "m", compression: true, llm: scripted(...programs) });
    const step = await agent.run();
    assert.deepEqual(step.turns[0].defined, ["r"]);
    assert.match(step.messagesAt(2)[1].content, /\nNothing that this program defined was kept: r\.\n---/);
    const message = "`r` was defined by a program that failed, so it was not kept";
    assert.equal(step.turns[1].result.message, message);
    const other = await fork(agent, Step.fromJSON(JSON.stringify(step)), 2, { program: "(dec r)" });
    assert.equal(other.turns[1].result.message, message);
  });

  test("maxTurns: Infinity is the largest count", async () => {
    const step = await new SubAgent({ mission: "m", maxTurns: Infinity, llm: () => "(return 1)" }).run();
    assert.equal(step.request.maxTurns, 2 ** 32 - 1);
    assert.match(step.messagesAt(1).at(-1).content, /\nTurns left: 4294967295$/);
    assert.equal(Step.fromJSON(JSON.stringify(step)).request.maxTurns, 2 ** 32 - 1);
  });

  test("without a model fails with a code", async () => {
    await assert.rejects(new SubAgent({ mission: "m" }).run(), { code: "missing_llm" });
    await assert.rejects(new SubAgent({ mission: T`{{x}}`, llm: () => "" }).run(), { code: "missing_placeholder" });
  });

  test("expands optional members of inputs that are absent to nothing", async () => {
    const signature =
      "(user {name :string, nick :string?, home {city :string, zip :string?}?}, items [{n :int, note :string?}]) -> :int";
    const data = { user: { name: "Ann" }, items: [{ n: 1, note: "red" }, { n: 2 }] };
    const missionOf = async (mission) => {
      const agent = new SubAgent({ mission, signature, llm: () => "(return 1)" });
      return (await agent.run({ data })).request.mission;
    };
    assert.equal(
      await missionOf(
        T`{{user.name}} “{{user.nick}}”{{^user.nick}} none{{/user.nick}} {{user.home.zip}}{{#user}}{{home.city}}{{nick}}{{/user}}:{{#items}} {{n}}{{#note}} {{note}} {{user.nick}}{{/note}};{{/items}}`,
      ),
      "Ann “” none : 1 red ; 2;",
    );
    for (const mission of [T`{{user.nack}}`, T`{{#items}}{{m}}{{/items}}`, T`{{#items}}{{n.note}}{{/items}}`]) {
      await assert.rejects(missionOf(mission), { code: "missing_placeholder" });
    }
  });

  test("systemPrompt replaces parts of the system prompt or all of it", () => {
    const prompt = (systemPrompt) => new SubAgent({ mission: "m", systemPrompt }).preview().messages[0].content;
    const own = prompt(undefined);
    assert.equal(prompt("X"), "X");
    assert.equal(
      prompt((text) => `${text}!`),
      `${own}!`,
    );
    assert.equal(prompt({ prefix: "A", suffix: "Z" }), `A\n\n${own}\n\nZ`);
    assert.match(prompt({ languageSpec: "LISP", outputFormat: "OUT" }), /\n\nLISP\n\nOUT$/);
  });

  test("the built-in system prompt has at most 600 tokens", async () => {
    const counter = await o200k();
    for (const maxTurns of [1, 5]) {
      const { content } = new SubAgent({ mission: "m", maxTurns }).preview().messages[0];
      const tokens = counter.count(content);
      assert.ok(tokens <= 600, `${tokens} tokens with maxTurns ${maxTurns}`);
    }
  });
});
