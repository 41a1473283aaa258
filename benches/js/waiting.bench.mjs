// What it takes to save, load and resume a program that waits for an approval after 10, 100 and 1,000 answered calls, beside Monty,
// which saves its interpreter, `run`, which signs a record of the calls and runs the program again, and RunState of OpenAI's
// Agents SDK, whose model makes the same calls itself. Medians over the rounds; the systems take turns. RunState
// has one round for 1,000 calls.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Lisp } from "turnfold/lisp";
import { readSignedState, signState } from "turnfold/turns";
import { run as runCommand } from "../../scripts/process.mjs";
import { root } from "../../scripts/tools.mjs";

const ROUNDS = Number(process.env.ROUNDS ?? 5);
const KEY = "a key of thirty-two characters, or more";

const peers = join(import.meta.dirname, "lisp", "peers");
if (!existsSync(join(peers, "node_modules", "run")))
  runCommand("npm", ["install", "--no-package-lock", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: peers });

/** Imports a package that is installed in a folder. */
const importFrom = (folder, name) =>
  import(pathToFileURL(createRequire(join(folder, "package.json")).resolve(name)).href);

const { Monty, MontySnapshot } = await importFrom(peers, "@pydantic/monty");
const { createRunner, getHostFunctionContext } = await import(
  pathToFileURL(join(peers, "node_modules", "run", "dist", "index.js")).href
);
const agents = await importFrom(join(root, "tests", "adapters"), "@openai/agents");

const item = (n) => ({ id: n, name: `item ${n}`, price: n / 10 });

/** Each makes a state that waits after `count` calls, saves it, and goes on from what was saved. */
const systems = {
  turnfold: (count) => {
    const tools = {
      get: ["(n :int) -> :any", ({ n }) => item(n)],
      refund: { signature: "(order :int) -> :string", needsApproval: true, run: () => "refunded" },
    };
    const limits = { toolCalls: 10_000 };
    const program = `(def items (mapv (fn [n] (tool/get {:n n})) (range ${count}))) [(count items) (tool/refund {:order 7})]`;
    return {
      begin: () => new Lisp({ tools, limits }).run(program),
      save: (result) => signState(result.records, KEY),
      resume: async (saved) => {
        const records = await readSignedState(saved, KEY);
        const { value } = await new Lisp({ tools, limits }).resume(records, { answers: { [count]: true } });
        assert.deepEqual(value, [count, "refunded"]);
      },
    };
  },
  Monty: (count) => ({
    begin: () => {
      const code = `items = [get(n) for n in range(${count})]\n[len(items), refund(7)]`;
      let progress = new Monty(code).start();
      while (!(progress instanceof MontySnapshot) || progress.functionName !== "refund") {
        progress =
          progress instanceof MontySnapshot
            ? progress.resume({ returnValue: item(progress.args[0]) })
            : named(progress);
      }
      return progress;
    },
    save: (snapshot) => snapshot.dump(),
    resume: (saved) => {
      const { output } = MontySnapshot.load(saved).resume({ returnValue: "refunded" });
      assert.deepEqual(output, [count, "refunded"]);
    },
  }),
  run: (count) => {
    const runner = createRunner({
      continuationSecret: KEY,
      limits: { maxBridgeRequests: 10_000 },
    });
    const hostFunctions = {
      tools: {
        get: (n) => item(n),
        refund: () => {
          const { interrupt, resume } = getHostFunctionContext();
          return resume === undefined ? interrupt({ order: 7 }) : "refunded";
        },
      },
    };
    const source = `const items = []; for (let n = 0; n < ${count}; n++) items.push(await tools.get(n)); return [items.length, await tools.refund(7)];`;
    return {
      begin: () => runner.run({ source, hostFunctions }),
      save: (result) => {
        assert.equal(result.status, "interrupted");
        return JSON.stringify([result.continuation, result.interruptions.map(({ id }) => id)]);
      },
      resume: async (saved) => {
        const [continuation, [interruptionId]] = JSON.parse(saved);
        const result = await runner.run({
          source,
          hostFunctions,
          continuation,
          resolutions: [{ interruptionId, value: true }],
        });
        assert.deepEqual(result.value, [count, "refunded"]);
      },
    };
  },
  "RunState of Agents": (count) => {
    const { Agent, RunState, Runner, tool, Usage } = agents;
    const parameters = (name) => ({
      type: "object",
      properties: { [name]: { type: "number" } },
      required: [name],
      additionalProperties: false,
    });
    const calls = (name, list) =>
      list.map((argument, index) => ({
        type: "function_call",
        callId: `${name}${index}`,
        name,
        status: "completed",
        arguments: JSON.stringify(argument),
      }));
    const replies = [
      calls(
        "get",
        Array.from({ length: count }, (_, n) => ({ n })),
      ),
      calls("refund", [{ order: 7 }]),
      [
        {
          type: "message",
          role: "assistant",
          status: "completed",
          content: [{ type: "output_text", text: "refunded" }],
        },
      ],
    ];
    let asked = 0;
    const model = { getResponse: async () => ({ usage: new Usage(), output: replies[asked++] }) };
    const agent = new Agent({
      name: "shop",
      model,
      tools: [
        tool({
          name: "get",
          description: "Gets.",
          parameters: parameters("n"),
          strict: true,
          execute: ({ n }) => JSON.stringify(item(n)),
        }),
        tool({
          name: "refund",
          description: "Refunds.",
          parameters: parameters("order"),
          strict: true,
          needsApproval: true,
          execute: () => "refunded",
        }),
      ],
    });
    const runner = new Runner({ tracingDisabled: true });
    return {
      begin: async () => {
        asked = 0;
        return (await runner.run(agent, "Refund.")).state;
      },
      save: (state) => state.toString(),
      resume: async (saved) => {
        asked = 2;
        const state = await RunState.fromString(agent, saved);
        for (const interruption of state.getInterruptions()) state.approve(interruption);
        assert.equal((await runner.run(agent, state)).finalOutput, "refunded");
      },
    };
  },
};

/** A name of Monty's host functions. */
const named = (lookup) => lookup.resume({ value: globalThis[lookup.name] ?? ((..._args) => undefined) });

async function timed(work) {
  const start = performance.now();
  const result = await work();
  return [result, performance.now() - start];
}

const median = (values) => values.sort((left, right) => left - right)[Math.floor(values.length / 2)];

for (const count of (process.argv[2] ?? "10,100,1000").split(",").map(Number)) {
  const rows = Object.fromEntries(
    Object.keys(systems).map((name) => [name, { bytes: 0, begin: [], save: [], resume: [] }]),
  );
  for (let round = 0; round <= ROUNDS; round++) {
    for (const [name, system] of Object.entries(systems)) {
      // It takes a minute for 1,000 calls.
      if (name === "RunState of Agents" && count > 100 && round !== 1) continue;
      const { begin, save, resume } = system(count);
      const [state, beginTime] = await timed(begin);
      const [saved, saveTime] = await timed(() => save(state));
      const [, resumeTime] = await timed(() => resume(saved));
      // The first round warms up.
      if (round === 0) continue;
      const row = rows[name];
      row.bytes = typeof saved === "string" ? Buffer.byteLength(saved) : saved.length;
      row.begin.push(beginTime);
      row.save.push(saveTime);
      row.resume.push(resumeTime);
    }
  }
  const own = rows.turnfold;
  console.log(`\n${count} answered calls            bytes     run ms    save ms  resume ms   resume, ratio`);
  const ownResume = median([...own.resume]);
  for (const [name, { bytes, begin, save, resume }] of Object.entries(rows)) {
    const cells = [median(begin), median(save), median(resume)].map((time) => time.toFixed(2).padStart(10));
    console.log(
      `${name.padEnd(24)}${String(bytes).padStart(10)} ${cells.join(" ")} ${(median(resume) / ownResume).toFixed(1).padStart(12)}`,
    );
  }
}
process.exit(0);
