// Tools of frameworks that ask for an approval, given unchanged: they never run without one. The tables of the members
// of tools know every member of each framework's own type.

import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import { createTool } from "@mastra/core/tools";
import { tool as agentsTool } from "@openai/agents";
import { tool as aiTool } from "ai";
import { tool as aiTool7 } from "ai-7";
import { z } from "zod";
import { Agent, Lisp, SubAgent } from "../../dist/index.js";
import { bundled } from "../js/bundled.mjs";
import { pack } from "../packaging/tarball.mjs";
import { app } from "./frameworks.mjs";

/** The same tool of each framework; `asks` is its policy: a value or a function. */
const frameworks = {
  "AI SDK 6": (asks, execute) =>
    aiTool({ description: "d", inputSchema: z.object({ id: z.number() }), needsApproval: asks, execute }),
  "AI SDK 7": (asks, execute) =>
    aiTool7({ description: "d", inputSchema: z.object({ id: z.number() }), needsApproval: asks, execute }),
  "Agents SDK": (asks, execute) =>
    agentsTool({
      name: "refund",
      description: "d",
      parameters: z.object({ id: z.number() }),
      needsApproval: asks,
      execute,
    }),
  Mastra: (asks, execute) =>
    createTool({
      id: "refund",
      description: "d",
      inputSchema: z.object({ id: z.number() }),
      requireApproval: asks,
      execute,
    }),
};

/** A model that calls the tool once, then answers. */
function calling() {
  let replies = 0;
  return () => {
    replies++;
    return replies === 1 ? { content: "", toolCalls: [{ id: "c1", name: "refund", args: { id: 7 } }] } : "Done.";
  };
}

for (const [name, make] of Object.entries(frameworks)) {
  suite(`a tool of ${name} that asks for an approval`, () => {
    for (const [kind, asks] of [
      ["a value", true],
      ["a function", async () => true],
      [
        "a function that throws",
        () => {
          throw new Error("no policy");
        },
      ],
    ]) {
      test(`with ${kind}, does not run in Lisp, SubAgent and Agent without approve`, async () => {
        let runs = 0;
        const tools = { refund: make(asks, () => ++runs) };
        const isWaiting = kind !== "a function that throws";
        const toolsOf = ({ waiting }) => waiting.map(({ tool, reason, args }) => [tool, reason, args]);
        const expected = isWaiting ? [["refund", "approval", { id: 7 }]] : [];
        const lisp = new Lisp({ tools });
        const program = await lisp.run("(tool/refund {:id 7})");
        assert.equal(program.ok, false);
        assert.deepEqual(toolsOf(program), expected);

        let turn = 0;
        const step = await new SubAgent({
          mission: "Refund",
          tools,
          maxTurns: 2,
          llm: () => (turn++ === 0 ? "```clojure\n(tool/refund {:id 7})\n```" : "```clojure\n(return 1)\n```"),
        }).run();
        assert.deepEqual(toolsOf(step), expected);
        if (!isWaiting) assert.match(String(step.turns[0].result?.message), /no policy/);

        const agent = new Agent({ llm: calling(), tools });
        const reply = await agent.chat("Refund it.");
        assert.deepEqual(toolsOf(reply), expected);
        assert.equal(runs, 0);
        if (isWaiting) await agent.resume({ answers: { c1: true } });
        const result = agent.conversation.messages.find(({ toolCallId }) => toolCallId === "c1");
        assert.deepEqual([result.isError, runs], isWaiting ? [undefined, 1] : [true, 0]);
        if (!isWaiting) assert.match(result.content, /no policy/);
      });
    }

    test("runs when approve returns true, and a refusal is isDenied", async () => {
      let runs = 0;
      const tools = { refund: make(true, () => ++runs) };
      const asked = [];
      const approve = (call) => {
        asked.push(call.args);
        return asked.length > 1 ? "Not today." : true;
      };
      const program = await new Lisp({ tools, approve }).run("(tool/refund {:id 7})");
      assert.equal(program.ok, true, JSON.stringify(program));
      assert.equal(runs, 1);
      const agent = new Agent({ llm: calling(), tools });
      await agent.chat("Refund it.", { approve });
      const result = agent.conversation.messages.find(({ toolCallId }) => toolCallId === "c1");
      assert.deepEqual([result.isDenied, result.content], [true, "Not today."]);
      assert.equal(runs, 1);
      assert.deepEqual(asked, [{ id: 7 }, { id: 7 }]);
    });

    test("with a policy that returns false, runs without a question", async () => {
      let runs = 0;
      const tools = {
        refund: make(
          () => false,
          () => ++runs,
        ),
      };
      const program = await new Lisp({ tools }).run("(tool/refund {:id 7})");
      assert.equal(program.ok, true, JSON.stringify(program));
      assert.equal(runs, 1);
    });
  });
}

suite("members of tools", () => {
  let turnfold;
  before(() => {
    turnfold = pack();
  });
  after(() => turnfold.remove());

  test("no member of a framework's type is unknown to its table", async () => {
    const tables = await bundled("tools", ["tool-members"]);
    const types = [
      ["AI_SDK_MEMBERS", 'import type { Tool } from "ai";', "Tool<any, any>"],
      ["AI_SDK_MEMBERS", 'import type { Tool as Tool7 } from "ai-7";', "Tool7<any, any>"],
      ["AGENTS_SDK_MEMBERS", 'import type { FunctionTool } from "@openai/agents";', "FunctionTool<any, any, any>"],
      ["MASTRA_MEMBERS", 'import type { ToolAction } from "@mastra/core/tools";', "ToolAction<any, any, any, any>"],
    ];
    const imports = types.map(([, line]) => line);
    const checks = types.map(([table, , type], index) => {
      const known = Object.keys(tables[table])
        .map((member) => JSON.stringify(member))
        .join(" | ");
      return [
        `type Keys${index} = ${type} extends infer T ? (T extends T ? keyof T : never) : never;`,
        `type Unknown${index} = Exclude<Keys${index}, ${known} | symbol | number>;`,
        `export const known${index}: [Unknown${index}] extends [never] ? true : Unknown${index} = true;`,
      ].join("\n");
    });
    app(turnfold, "members", { "members.ts": [...imports, ...checks].join("\n") });
    // The check can fail: a table without a member is found.
    const broken = checks[0].replace('"needsApproval" | ', "");
    assert.throws(() => app(turnfold, "broken", { "broken.ts": [imports[0], broken].join("\n") }), /needsApproval/);
  });
});
