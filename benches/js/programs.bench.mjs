// One tool of many beside those that a user would pick instead: the time of a program with 0, 10 and 100 calls, in sequence and in
// parallel; the tokens of the description with 10, 100 and 1,000 tools; and the tokens of the history after twelve programs.
//
// The peers: `@ai-sdk/code-mode` and the package `run` under it, Monty, QuickJS without a library around it, and Cloudflare's
// codemode, whose programs run in their workers only, so that it is in the table of descriptions alone.
//
//   npm run bench -- programs [ROUNDS]

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire, register } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { getQuickJS } from "quickjs-emscripten";
import { Conversation, digest, manageHistory, programTool, Turn, toMessages } from "turnfold";
import { Lisp } from "turnfold/lisp";
import { o200k } from "turnfold/tokens/o200k";
import { run as runCommand } from "../../scripts/process.mjs";

const ROUNDS = Number(process.argv[2] ?? 41);

const peers = join(import.meta.dirname, "lisp", "peers");
if (!existsSync(join(peers, "node_modules", "@ai-sdk", "code-mode")))
  runCommand("npm", ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: peers });

/** Imports a file of a package that is installed for the benchmarks. */
const importFile = (...path) => import(pathToFileURL(join(peers, "node_modules", ...path)).href);
const importPeer = (name) => import(pathToFileURL(createRequire(join(peers, "package.json")).resolve(name)).href);

// Its module runs in workers; its description does not need what only they have.
const stub =
  "data:text/javascript,export class RpcTarget {} export class WorkerEntrypoint {} export class DurableObject {}";
const hooks = `export const resolve = (name, context, next) =>
  name === "cloudflare:workers" ? { url: ${JSON.stringify(stub)}, shortCircuit: true } : next(name, context);`;
register(`data:text/javascript,${encodeURIComponent(hooks)}`);

const { Monty, MontySnapshot, MontyNameLookup } = await importPeer("@pydantic/monty");
const { createRunner } = await importFile("run", "dist", "index.js");
const codeMode = await importFile("@ai-sdk", "code-mode", "dist", "index.js");
const { buildCodeModeToolDescription } = await importFile("@ai-sdk", "code-mode", "dist", "tool-prompt.js");
const { generateTypes } = await importFile("@cloudflare", "codemode", "dist", "ai.js");
const { tool } = await importFile("ai", "dist", "index.js");
const { z } = await importFile("zod", "index.js");
const quickJs = await getQuickJS();
const { count: tokens } = await o200k();

const get = (n) => ({ id: n, price: n / 10 });
const execute = async ({ n }) => get(n);

/** Programs that call `get` for 0 to `count` and return the sum of the prices, by language and kind. */
const sources = {
  clojure: {
    sequence: (count) => `(reduce (fn [sum n] (+ sum (:price (tool/get {:n n})))) 0 (range ${count}))`,
    parallel: (count) => `(sum-by :price (pmap (fn [n] (tool/get {:n n})) (range ${count})))`,
  },
  javascript: {
    sequence: (count) =>
      `let sum = 0; for (let n = 0; n < ${count}; n++) sum += (await tools.get({ n })).price; return sum;`,
    parallel: (count) =>
      `const items = await Promise.all(Array.from({ length: ${count} }, (_, n) => tools.get({ n }))); return items.reduce((sum, item) => sum + item.price, 0);`,
  },
  python: { sequence: (count) => `total = 0\nfor n in range(${count}):\n    total += get(n)["price"]\ntotal` },
};

const definition = tool({ description: "Gets an item.", inputSchema: z.object({ n: z.number() }), execute });
const limits = { maxBridgeRequests: 10_000, timeoutMs: 60_000 };
const runner = createRunner({ limits });
const ours = programTool({ get: definition });

/** Each runs a program and returns its result; a new sandbox for each program, as an agent's requests need one. */
const systems = {
  Turnfold: (kind, count) => {
    const program = sources.clojure[kind](count);
    return async () => Number(/-?[\d.]+$/.exec(await ours.execute({ program }, { conversation: "bench" }))[0]);
  },
  "its sandbox alone": (kind, count) => {
    const program = sources.clojure[kind](count);
    return async () => (await new Lisp({ tools: { get: definition } }).run(program)).value;
  },
  run: (kind, count) => {
    const source = sources.javascript[kind](count);
    return async () => (await runner.run({ source, hostFunctions: { tools: { get: execute } } })).value;
  },
  "AI SDK code mode": (kind, count) => {
    const js = sources.javascript[kind](count);
    return () =>
      codeMode.experimental_runCodeMode({ js, tools: { get: definition }, executionPolicy: { timeoutMs: 60_000 } });
  },
  Monty: (kind, count) => {
    const source = sources.python[kind]?.(count);
    return source === undefined ? null : () => runMonty(source);
  },
  QuickJS: (kind, count) => {
    const source = sources.javascript[kind](count);
    return () => runQuickJs(source);
  },
};

function runMonty(source) {
  let progress = new Monty(source).start();
  while (progress instanceof MontySnapshot || progress instanceof MontyNameLookup) {
    progress =
      progress instanceof MontySnapshot
        ? progress.resume({ returnValue: get(progress.args[0]) })
        : progress.resume({ value: { __function__: progress.name } });
  }
  return progress.output;
}

/** A context with a function that returns a promise of it, as its users write it. */
async function runQuickJs(source) {
  const vm = quickJs.newContext();
  const tools = vm.newObject();
  const call = vm.newFunction("get", (handle) => {
    const input = vm.dump(handle);
    const promise = vm.newPromise();
    execute(input).then((value) => {
      const json = vm.newString(JSON.stringify(value));
      const parse = vm.unwrapResult(vm.evalCode("JSON.parse"));
      const result = vm.unwrapResult(vm.callFunction(parse, vm.undefined, json));
      promise.resolve(result);
      for (const each of [json, parse, result]) each.dispose();
      vm.runtime.executePendingJobs();
    });
    return promise.handle;
  });
  vm.setProp(tools, "get", call);
  vm.setProp(vm.global, "tools", tools);
  call.dispose();
  tools.dispose();
  const promise = vm.unwrapResult(vm.evalCode(`(async () => { ${source} })()`));
  const ended = vm.resolvePromise(promise);
  promise.dispose();
  vm.runtime.executePendingJobs();
  const result = vm.unwrapResult(await ended);
  const value = vm.dump(result);
  result.dispose();
  vm.dispose();
  return value;
}

const cell = (text, width = 18) => String(text).padStart(width);
const row = (name, cells) => console.log(name.padEnd(26) + cells.map((each) => cell(each)).join(""));

console.log(`\nA program with calls of a tool, in ms (median of ${ROUNDS}, the systems take turns)`);
const shapes = [
  ["sequence", 0],
  ["sequence", 10],
  ["sequence", 100],
  ["parallel", 10],
  ["parallel", 100],
];
const names = Object.keys(systems);
row("", names);
for (const [kind, count] of shapes) {
  const runs = names.map((name) => systems[name](kind, count));
  const times = names.map(() => []);
  const expected = Array.from({ length: count }, (_, n) => n / 10).reduce((sum, each) => sum + each, 0);
  for (let round = -2; round < ROUNDS; round++) {
    for (const [index, run] of runs.entries()) {
      if (run === null) continue;
      const start = performance.now();
      const value = await run();
      if (round >= 0) times[index].push(performance.now() - start);
      assert.ok(Math.abs(value - expected) < 1e-6, `${names[index]} gave ${value}, not ${expected}`);
    }
  }
  const median = (list) => list.sort((left, right) => left - right)[list.length >> 1];
  row(
    `${count} calls in ${kind}`,
    times.map((list) => (list.length === 0 ? "–" : median(list).toFixed(2))),
  );
}

const fields = {
  id: z.string().describe("Its identifier."),
  limit: z.number().int().optional(),
  state: z.enum(["open", "paid", "late"]).optional(),
  since: z.string().optional().describe("The first day."),
};
const things = ["order", "customer", "invoice", "product", "ticket", "shipment", "payment", "refund", "user", "team"];
const verbs = ["get", "list", "create", "update", "delete", "search", "archive", "export", "count", "notify"];

/** Tools as apps have them: a name, a sentence, one to four parameters, a result. */
function catalogue(size) {
  const tools = {};
  for (let index = 0; index < size; index++) {
    const [verb, thing] = [verbs[index % 10], things[Math.floor(index / 10) % 10]];
    const some = Object.entries(fields).slice(0, 1 + (index % 4));
    tools[`${verb}_${thing}${index < 100 ? "" : `_${Math.floor(index / 100)}`}`] = tool({
      description: `${verb[0].toUpperCase()}${verb.slice(1)}s a ${thing} of the shop, as its clerks do.`,
      inputSchema: z.object(Object.fromEntries(some)),
      outputSchema: z.object({ id: z.string(), state: z.string(), euros: z.number() }),
      execute: async () => ({ id: "1", state: "open", euros: 1 }),
    });
  }
  return tools;
}

/** Native tools as a provider gets them. */
const natively = (tools) =>
  JSON.stringify(
    Object.entries(tools).map(([name, { description, inputSchema }]) => ({
      type: "function",
      function: { name, description, parameters: z.toJSONSchema(inputSchema) },
    })),
  );

/** Cloudflare's description of its tool, in which it replaces the types. */
const cloudflare = (tools) => `Execute code to achieve a goal.\n\nAvailable:\n${generateTypes(tools)}`;

console.log("\nThe description of the tools, in tokens (o200k), with the language where it has one");
const described = {
  "native tools": natively,
  Turnfold: (tools) => programTool(tools).description,
  "Turnfold, toolBudget 2000": (tools) => programTool(tools, { toolBudget: 2000 }).description,
  "AI SDK code mode": buildCodeModeToolDescription,
  "Cloudflare codemode": cloudflare,
};
const sizes = [10, 100, 1000];
row("", sizes);
for (const [name, describe] of Object.entries(described)) {
  row(
    name,
    sizes.map((size) => tokens(describe(catalogue(size)))),
  );
}

const orders = Array.from({ length: 240 }, (_, index) => ({
  id: `ord-${1000 + index}`,
  customer: `cus-${index % 37}`,
  euros: 10 + ((index * 37) % 900),
  state: ["open", "paid", "late", "void"][index % 4],
  day: `2026-0${1 + (index % 9)}-1${index % 9}`,
}));
const shop = {
  orders: [
    "(state :string?) -> [{id :string, customer :string, euros :int, state :string, day :string}]",
    ({ state }) => orders.filter((order) => !state || order.state === state),
  ],
  customer: ["(id :string) -> :any", ({ id }) => ({ id, name: `Customer ${id.slice(4)}`, email: `${id}@example.com` })],
  mail: ["(to :string, text :string) -> :string", ({ to }) => `sent to ${to}`],
};
/** Twelve programs of one task; each ends with the value that it is about. */
const programs = [
  '(def late (tool/orders {:state "late"}))\nlate',
  "(def by-customer (group-by :customer late))\nby-customer",
  "(def totals (map (fn [[c os]] {:customer c :euros (sum-by :euros os) :n (count os)}) by-customer))\ntotals",
  "(def top (take 5 (sort-by :euros > totals)))\ntop",
  "(def people (pmap (fn [t] (tool/customer {:id (:customer t)})) top))\npeople",
  '(def paid (tool/orders {:state "paid"}))\npaid',
  "(def months (group-by (fn [o] (subs (:day o) 0 7)) late))\nmonths",
  "(def sums (into {} (map (fn [[m os]] [m (sum-by :euros os)]) months)))\nsums",
  '(def texts (map (fn [p] {:to (:email p) :text (str "Dear " (:name p) ", please pay.")}) people))\ntexts',
  "(def sent (pmap tool/mail texts))\nsent",
  '(println "late:" (count late) "sum:" (sum-by :euros late))\n(println "top:" (map :customer top))',
  "{:late (count late) :top (map :customer top) :mailed (count sent)}",
];

const inConversation = programTool(shop);
const lisp = new Lisp({ tools: shop });
const [asValues, asTexts, turns] = [[], [], []];
for (const [index, program] of programs.entries()) {
  const call = {
    role: "assistant",
    content: "",
    toolCalls: [{ id: `c${index}`, name: "run_program", args: { program } }],
  };
  const result = (content) => ({ role: "tool", content, toolCallId: `c${index}` });
  asTexts.push(call, result(await inConversation.execute({ program }, { conversation: "bench" })));
  const outcome = await lisp.run(program);
  assert.ok(outcome.ok);
  asValues.push(call, result([...outcome.prints, JSON.stringify(outcome.value)].join("\n")));
  const { prints, toolCalls, memory, defined, docs, value } = outcome;
  turns.push(Turn.success({ number: index + 1, program, prints, toolCalls, memory, defined, docs, result: value }));
}
const counted = (messages) =>
  tokens(
    messages
      .map(({ content, toolCalls = [] }) => content + toolCalls.map(({ args }) => args.program).join("\n"))
      .join("\n"),
  );
const asked = { role: "user", content: "And now?" };
const digested = await manageHistory(
  new Conversation({ messages: [...asTexts, { role: "assistant", content: "Done." }, asked] }),
  {
    compressionStrategy: digest(),
    when: "always",
  },
);
const folded = toMessages(turns, null, { mission: "", maxTurns: 30 }).messages.at(-1);
console.log("\nThe history after twelve programs of one task, in tokens (o200k)");
row("values come back", [counted(asValues)]);
row("Turnfold", [counted(asTexts)]);
row("Turnfold, with digest()", [counted(digested.messages)]);
row("as folded turns", [counted([folded])]);
process.exit(0);
