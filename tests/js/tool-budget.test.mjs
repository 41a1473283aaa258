// Agents and chats with more tools than their budget: what is listed or offered, and how the rest is found.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Step, SubAgent } from "turnfold";
import { describeTools, estimate } from "turnfold/turns";

const VERBS = ["list", "get", "create", "update", "delete", "search", "export", "import", "archive", "restore"];
const NOUNS = [
  "orders",
  "customers",
  "invoices",
  "products",
  "refunds",
  "tickets",
  "users",
  "carts",
  "reviews",
  "taxes",
];

/** Tools with the names `list-orders`, `list-customers`, … */
function shop(
  count,
  tool = (name) => ({ signature: "(query :string) -> [{id :int}]", run: () => [{ id: name.length }] }),
) {
  const names = VERBS.flatMap((verb) => NOUNS.map((noun) => `${verb}-${noun}`));
  const all = Array.from(
    { length: count },
    (_, index) => names[index % 100] + (index < 100 ? "" : `-${Math.floor(index / 100)}`),
  );
  return Object.fromEntries(
    all.map((name) => [name, { description: `Can ${name.replaceAll("-", " ")} of a shop`, ...tool(name) }]),
  );
}

const program = (text) => `\`\`\`clojure\n${text}\n\`\`\``;

suite("programs", () => {
  for (const budget of [0, 200, 500, 1000, 2000])
    test(`a list of a thousand tools has at most ${budget} tokens and the line that says how to find the others`, () => {
      const list = describeTools(shop(1000), { toolBudget: budget });
      const lines = list.split("\n");
      const shown = lines.filter((line) => line.startsWith("tool/")).length;
      assert.match(lines.at(-2), new RegExp(`^;; ${shown} of 1000 tools shown\\. \\(find-doc "word"\\)`));
      const size = estimate.count(list);
      assert.ok(size <= Math.max(budget, 60), `${size} tokens`);
      assert.ok(size >= budget / 2, `${size} tokens`);
    });

  test("a budget that is large enough changes nothing", () => {
    const tools = shop(100);
    const whole = describeTools(tools);
    assert.equal(whole.split("\n").length, 100);
    assert.equal(describeTools(tools, { toolBudget: estimate.count(whole) + 500 }), whole);
  });

  test("a tool that is not listed is found, called, and changes nothing before the turns", async () => {
    const replies = ['(find-doc "archive order")', '(def found (tool/archive-orders "x"))', "(return (count found))"];
    const agent = new SubAgent({
      mission: "Archive the order",
      tools: shop(100),
      toolBudget: 300,
      compression: true,
      llm: () => program(replies.shift()),
    });
    const step = await agent.run();
    assert.equal(step.return, 1);
    const line = "tool/archive-orders(query :string) -> [{id :int}]  ; Can archive orders of a shop";
    assert.equal(step.turns[0].prints[0], line);
    assert.match(step.turns[0].prints.at(-1), /^and \d+ more: \(apropos "archive order"\) gives their names$/);
    const [first, second, third] = [1, 2, 3].map((turn) => step.messagesAt(turn)[1].content);
    const prefix = first.slice(0, first.indexOf("\n\n;; No tool calls made"));
    assert.ok(prefix.includes("tools shown."), prefix);
    assert.ok(!prefix.includes(line));
    for (const message of [second, third]) assert.ok(message.startsWith(prefix), message);
    assert.ok(second.includes(line), second);
    assert.deepEqual(Step.fromJSON(JSON.stringify(step)).messagesAt(3), step.messagesAt(3));
  });

  for (const toolBudget of [-1, 1.5, "1000", null])
    test(`toolBudget: ${JSON.stringify(toolBudget)} is refused`, () => {
      const llm = () => "";
      for (const make of [
        () => new SubAgent({ mission: "x", toolBudget, llm }),
        () => new Agent({ toolBudget, llm }),
        () => describeTools({}, { toolBudget }),
      ])
        assert.throws(make, { code: "invalid_option", message: /^toolBudget must be a whole number from 0 up/ });
    });
});

/** A chat whose model searches, calls what it found, and answers. */
function clerk(more = {}) {
  const requests = [];
  const calls = [];
  const tools = shop(100, (name) => ({
    signature: "(id :int) -> :string",
    run: ({ id }) => calls.push(`${name} ${id}`) && "done",
  }));
  const replies = [
    { toolCalls: [{ id: "s1", name: "tool_search", args: { query: "restore refunds" } }] },
    { toolCalls: [{ id: "c1", name: "restore-refunds", args: { id: 17 } }] },
    "It was restored.",
  ];
  const llm = (request) => {
    requests.push(request);
    return replies[(requests.length - 1) % 3];
  };
  const agent = new Agent({ llm, tools, toolBudget: 500, onWarning: () => {}, ...more });
  return { agent, requests, calls, names: () => requests.map((request) => request.tools.map(({ name }) => name)) };
}

suite("chats", () => {
  test("the first tools that fit are offered with tool_search; what it finds follows them in all later requests", async () => {
    const { agent, requests, calls, names } = clerk();
    await agent.chat("Restore the refund 17.");
    await agent.chat("Again.");
    assert.deepEqual(calls, ["restore-refunds 17", "restore-refunds 17"]);
    const [first, ...later] = names();
    assert.deepEqual(first.slice(0, 2), ["list-orders", "list-customers"]);
    assert.equal(first.at(-1), "tool_search");
    assert.ok(estimate.count(JSON.stringify(requests[0].tools.slice(0, -1))) <= 520);
    const found = JSON.parse(requests[1].messages.at(-1).content).tools.map(({ name }) => name);
    assert.equal(found[0], "restore-refunds");
    assert.equal(found.length, 5);
    for (const each of later) assert.deepEqual(each, [...first, ...found]);
    // A provider's cache begins with the tools.
    for (const { tools } of requests)
      assert.equal(JSON.stringify(tools.slice(0, first.length)), JSON.stringify(requests[0].tools));
    const { description } = requests[0].tools.at(-1);
    assert.match(description, new RegExp(`There are ${101 - first.length} more tools: get-customers, .*, …$`));
  });

  test("what was found is in a checkpoint, and in the records", async () => {
    const records = [];
    const { agent, names } = clerk({ onRecord: (record) => records.push(record) });
    await agent.chat("Restore the refund 17.");
    const expected = names().at(-1);
    for (const saved of [JSON.stringify(agent.checkpoint()), JSON.parse(JSON.stringify(records))]) {
      const other = clerk();
      other.agent.restore(saved);
      await other.agent.chat("Thank you.");
      assert.deepEqual(other.names()[0], expected);
    }
    assert.equal(new Agent({ llm: () => "" }).checkpoint().foundTools, undefined);
  });

  test("a call that ends early keeps what was found", async () => {
    const { agent, requests, names } = clerk({
      llm: undefined,
      ...(() => {
        let asked = 0;
        return {
          llm: (request) => {
            asked++;
            if (asked === 2) throw new Error("no connection");
            request.messages.at(-1);
            return asked === 1
              ? { toolCalls: [{ id: "s", name: "tool_search", args: { query: "taxes" } }] }
              : offer(request);
          },
        };
      })(),
    });
    const offered = [];
    function offer({ tools }) {
      offered.push(...tools.map(({ name }) => name));
      return "ok";
    }
    await assert.rejects(agent.chat("Which taxes?"), { code: "llm_error" });
    await agent.resume();
    assert.deepEqual(
      offered.slice(-5).map((name) => name.split("-")[1]),
      Array(5).fill("taxes"),
    );
    assert.deepEqual([requests, names()], [[], []]);
  });

  test("all tools are offered when they fit, without tool_search", async () => {
    const requests = [];
    const llm = (request) => {
      requests.push(request);
      return "ok";
    };
    await new Agent({ llm, tools: shop(3), toolBudget: 5000 }).chat("Hello");
    assert.deepEqual(
      requests[0].tools.map(({ name }) => name),
      ["list-orders", "list-customers", "list-invoices"],
    );
  });

  test("a tool of the host named tool_search needs another name only with a budget", () => {
    const tools = { tool_search: { signature: "() -> :string", run: () => "" } };
    assert.throws(() => new Agent({ llm: () => "", tools, toolBudget: 10 }), {
      code: "invalid_option",
      message: /tool_search/,
    });
    assert.ok(new Agent({ llm: () => "", tools }));
  });

  test("a search without a result finds nothing, and its words rank names before descriptions", async () => {
    const tools = {
      a: { description: "first", run: () => "" },
      weather: { description: "Forecasts", run: () => "" },
      sun: { description: "The weather of yesterday", run: () => "" },
    };
    const results = [];
    const queries = ["weather", "WEATHERS forecast", "snow", ""];
    const llm = ({ messages }) => {
      if (messages.at(-1).role === "tool")
        results.push(JSON.parse(messages.at(-1).content).tools.map(({ name }) => name));
      const query = queries.shift();
      return query === undefined
        ? "ok"
        : { toolCalls: [{ id: query || "none", name: "tool_search", args: { query } }] };
    };
    await new Agent({ llm, tools, toolBudget: 0 }).chat("?");
    assert.deepEqual(results, [["weather", "sun"], ["weather", "sun"], [], []]);
  });
});
