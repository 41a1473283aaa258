// Failures of tools that programs catch: what programs see, what stays visible, and what can't be caught.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { fork, formatTrace, replay, Step, SubAgent } from "turnfold";
import { Lisp } from "turnfold/lisp";
import { scripted } from "./scripted.mjs";

const fenced = (program) => `\`\`\`clojure\n${program}\n\`\`\``;

const fetch = [
  "(id :int) -> {title :string}",
  async ({ id }) => {
    if (id % 2 === 1) throw new Error(`no document ${id}`);
    return { title: `Document ${id}` };
  },
];

const CATCHING = "(pmap (fn [id] (try (:title (tool/fetch {:id id})) (catch Exception e (ex-message e)))) [6 7 8])";

suite("a caught failure", () => {
  test("gives what catch gives, and stays in toolCalls", async () => {
    const lisp = new Lisp({ tools: { fetch } });
    const { ok, value, toolCalls } = await lisp.run(CATCHING);
    assert.equal(ok, true);
    assert.deepEqual(value, ["Document 6", "`fetch` failed: no document 7", "Document 8"]);
    assert.deepEqual(
      toolCalls.map(({ error }) => error),
      [null, "`fetch` failed: no document 7", null],
    );
  });

  test("leaves the sandbox as an object", async () => {
    const lisp = new Lisp({ tools: { fetch } });
    const { value } = await lisp.run('(def e (try (tool/fetch {:id "7"}) (catch Exception e e))) e');
    const message = "`fetch` failed: no document 7";
    assert.deepEqual({ ...value }, { exception: "tool_error", message, data: { tool: "fetch", args: { id: 7 } } });
    const again = Lisp.fromJSON(JSON.stringify(lisp.toJSON()), { tools: { fetch } });
    assert.deepEqual((await again.run("[(ex-message e) (:args (ex-data e))]")).value, [message, { id: 7 }]);
    assert.equal((await again.run("(throw e)")).error.kind, "tool_error");
  });

  test("of arguments that do not fit is listed too", async () => {
    const lisp = new Lisp({ tools: { fetch } });
    const { value, toolCalls } = await lisp.run('(try (tool/fetch {:id "x"}) (catch Exception e (:tool (ex-data e))))');
    assert.equal(value, "fetch");
    assert.match(toolCalls[0].error, /can't be called/);
    assert.equal((await lisp.run('(tool/fetch {:id "x"})')).toolCalls.length, 0);
  });

  test("is listed as failed in the message and in the trace, and a replay is the same", async () => {
    const requests = [];
    const replies = scripted(fenced(`(def titles ${CATCHING})`), fenced("(return titles)"));
    const agent = new SubAgent({
      mission: "Read",
      tools: { fetch },
      llm: (request) => replies(requests.push(request) && request),
    });
    const step = await agent.run();
    assert.equal(step.return.length, 3);
    assert.match(requests[1].messages.at(-1).content, /fetch\({:id 7}\) {2}; failed: no document 7/);
    assert.match(formatTrace(step), /fetch\({:id 7}\) {2}; failed: no document 7/);
    const again = await replay(agent, Step.fromJSON(JSON.stringify(step)));
    assert.equal(JSON.stringify(again), JSON.stringify(step));
  });
});

suite("a program does not catch", () => {
  const refund = { signature: "(order :int) -> :int", needsApproval: true, run: ({ order }) => order };
  const program = "(try (tool/refund {:order 7}) (catch Throwable e :caught) (finally (println :finally)))";

  test("a call that was denied", async () => {
    for (const [approve, message] of [
      [() => false, "`refund` failed: denied: The call was not approved."],
      [() => "ask Ann", "`refund` failed: denied: ask Ann"],
    ]) {
      const lisp = new Lisp({ tools: { refund }, approve });
      const { ok, error, prints } = await lisp.run(program);
      assert.deepEqual([ok, error.kind, error.message, prints], [false, "tool_denied", message, []]);
    }
  });

  test("a call that nobody can approve where nothing can wait", () => {
    const { error } = new Lisp({ tools: { refund } }).runSync(program);
    const message = "`refund` failed: denied: it needs an approval, and runSync() can't wait; use run()";
    assert.deepEqual([error.kind, error.message], ["tool_denied", message]);
  });

  test("a denied call in a replay", async () => {
    const llm = scripted(fenced(program), fenced("(return 1)"));
    const agent = new SubAgent({ mission: "Refund", tools: { refund }, approve: () => false, llm });
    const step = await agent.run();
    assert.equal(step.turns[0].result.reason, "tool_denied");
    const again = await replay(agent, Step.fromJSON(JSON.stringify(step)));
    assert.equal(JSON.stringify(again), JSON.stringify(step));
  });

  test("an abort, a limit, and a time limit", async () => {
    const abort = new AbortController();
    const stop = () => new Promise((resolve) => setTimeout(() => resolve(abort.abort()), 1));
    const lisp = new Lisp({ tools: { stop }, limits: { timeoutMs: 50, loopIterations: 1e9, fuel: 1e12 } });
    const run = async (body, options) => {
      const caught = `(try ${body} (catch Throwable e :caught) (finally (println :finally)))`;
      const { error, prints } = await lisp.run(caught, options);
      return [error.kind, ...prints];
    };
    assert.deepEqual(await run("(tool/stop)", { signal: abort.signal }), ["aborted"]);
    assert.deepEqual(await run("(loop [] (recur))"), ["timeout"]);
    assert.deepEqual(await run("(range 1e9)"), ["collection_size_exceeded"]);
  });
});

suite("the data of a tool's error", () => {
  const failing = (data) => () => {
    throw Object.assign(new Error("it is gone"), { data });
  };

  test("is the data of the exception, with the tool and its arguments", async () => {
    const lisp = new Lisp({ tools: { read: failing({ status: 410, tool: "other" }) } });
    const { value, toolCalls } = await lisp.run("(try (tool/read {:id 7}) (catch Exception e (ex-data e)))");
    assert.deepEqual(value, { status: 410, tool: "read", args: { id: 7 } });
    assert.deepEqual(toolCalls[0].result, { status: 410, tool: "other" });
    await lisp.run("(tool/read {:id 7})");
    assert.equal((await lisp.run("(:status (:data (first *calls)))")).value, 410);
  });

  test("is only a plain object that is not too long", async () => {
    for (const data of ["text", null, [1], new Map(), { text: "x".repeat(20_000) }, { run() {} }]) {
      const lisp = new Lisp({ tools: { read: failing(data) } });
      const { value } = await lisp.run("(try (tool/read) (catch Exception e (ex-data e)))");
      assert.deepEqual(value, { tool: "read", args: {} });
    }
  });

  test("is the same in a replay", async () => {
    const program = "(return (try (tool/read) (catch Exception e (:status (ex-data e)))))";
    const tools = { read: failing({ status: 410 }) };
    const agent = new SubAgent({ mission: "Read", tools, llm: () => fenced(program) });
    const step = await agent.run();
    assert.equal(step.return, 410);
    const again = await replay(agent, Step.fromJSON(JSON.stringify(step)));
    assert.equal(JSON.stringify(again), JSON.stringify(step));
  });
});

suite("*calls", () => {
  const sums = async (lisp, program) => (await lisp.run(program)).value;

  test("has the calls of the failed programs since the last one that succeeded", async () => {
    const lisp = new Lisp({ tools: { fetch } });
    assert.deepEqual(await sums(lisp, "*calls"), []);
    await lisp.run("(pmap #(tool/fetch {:id %}) [6 7])");
    await lisp.run("(tool/fetch {:id 8}) (inc nil)");
    const saved = JSON.stringify(lisp.toJSON());
    const calls = [
      { tool: "fetch", args: { id: 6 }, result: { title: "Document 6" } },
      { tool: "fetch", args: { id: 7 }, error: "`fetch` failed: no document 7" },
      { tool: "fetch", args: { id: 8 }, result: { title: "Document 8" } },
    ];
    assert.deepEqual(await sums(lisp, "*calls"), calls);
    assert.deepEqual(await sums(lisp, "*calls"), []);
    const again = Lisp.fromJSON(saved, { tools: { fetch } });
    assert.deepEqual(await sums(again, "(map (comp :title :result) *calls)"), ["Document 6", null, "Document 8"]);
  });

  test("has no results after a program that used up its memory", async () => {
    const tools = { fill: () => "x".repeat(600_000) };
    const lisp = new Lisp({ tools, limits: { heapBytes: 2_000_000 } });
    const { error } = await lisp.run("(def all (mapv (fn [_] (tool/fill)) (range 10)))");
    assert.equal(error.kind, "memory_exceeded");
    assert.deepEqual(await sums(lisp, "(distinct (map keys *calls))"), [["tool", "args"]]);
    assert.deepEqual(Lisp.fromJSON(JSON.stringify(lisp.toJSON())).toJSON(), lisp.toJSON());
  });

  test("is the same in a run, in a fork and in a replay", async () => {
    const replies = [
      fenced("(println :begun) (pmap #(tool/fetch {:id %}) [6 7])"),
      fenced("(tool/fetch {:id 8}) (inc nil)"),
      fenced("(return (map :result (filter :result *calls)))"),
    ];
    const requests = [];
    const llm = (request) => replies[requests.push(request.messages.at(-1).content) - 1];
    const agent = new SubAgent({ mission: "Read", tools: { fetch }, llm });
    const step = await agent.run();
    const titles = [{ title: "Document 6" }, { title: "Document 8" }];
    assert.deepEqual(step.return, titles);
    assert.match(requests[1], /failed: no document 7\n; {3}fetch\({:id 6}\) => {:title "Document 6"}/);
    assert.match(requests[1], /;; Output:\n:begun\n/);
    assert.match(requests[2], /`\*calls` has all of them/);
    const saved = Step.fromJSON(JSON.stringify(step));
    assert.equal(JSON.stringify(await replay(agent, saved)), JSON.stringify(step));
    const forked = await fork(agent, saved, 3, { program: "(return (count *calls))" });
    assert.equal(forked.return, 3);
  });
});
