// One tool of many in the loops of the frameworks, with their own tools and fake models.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as ai6 from "ai";
import * as test6 from "ai/test";
import * as ai7 from "ai-7";
import * as test7 from "ai-7/test";
import { z } from "zod";
import { programTool } from "../../dist/index.js";

/** Tools of a framework, and what they were called with. */
function shop(tool) {
  const made = [];
  const noted = (name, result) => async (input, options) => {
    made.push({ name, input, options });
    return result(input);
  };
  return {
    made,
    tools: {
      search: tool({
        description: "Finds orders.",
        inputSchema: z.object({ query: z.string() }),
        execute: noted("search", ({ query }) => [
          { order: 17, what: query, euros: 20 },
          { order: 23, what: query, euros: 900 },
        ]),
      }),
      refund: tool({
        description: "Refunds an order.",
        inputSchema: z.object({ order: z.number(), euros: z.number() }),
        needsApproval: ({ euros }) => euros > 50,
        execute: noted("refund", ({ order }) => `refunded ${order}`),
      }),
    },
  };
}

for (const [name, ai, testing] of [
  ["AI SDK 6", ai6, test6],
  ["AI SDK 7", ai7, test7],
]) {
  suite(`programs in the loop of the ${name}`, () => {
    const isThird = name.endsWith("6");
    const Model = isThird ? testing.MockLanguageModelV3 : testing.MockLanguageModelV4;
    const usage = {
      inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: 1, text: 1, reasoning: 0 },
    };
    /** A model that writes these programs, each reply a list of them, and then says what it read last. */
    function writing(...replies) {
      const prompts = [];
      const model = new Model({
        doGenerate: async ({ prompt }) => {
          const at = prompts.push(prompt) - 1;
          const programs = replies[at];
          const content =
            programs === undefined
              ? [{ type: "text", text: "Done." }]
              : programs.map((program, index) => ({
                  type: "tool-call",
                  toolCallId: `call_${at}_${index}`,
                  toolName: "run_program",
                  input: JSON.stringify({ program }),
                }));
          const unified = programs === undefined ? "stop" : "tool-calls";
          return { content, finishReason: { unified, raw: unified }, usage, warnings: [] };
        },
      });
      return { model, prompts };
    }
    const read = (prompt) =>
      prompt.flatMap(({ role, content }) => (role === "tool" ? content.map(({ output }) => output) : []));
    const until = ai.isStepCount === undefined ? ai.stepCountIs(8) : ai.isStepCount(8);

    test("calls the tools, keeps definitions, and gives each tool the caller's context", async () => {
      const { tools, made } = shop(ai.tool);
      const { model, prompts } = writing(
        ['(def orders (tool/search {:query "lamp"}))'],
        ["(sum-by :euros orders)", "(def n (count orders))"],
        ["[n (nope)]"],
        ["n"],
      );
      const context = { user: "ann" };
      const result = await ai.generateText({
        model,
        prompt: "Look.",
        tools: { run_program: programTool(tools) },
        stopWhen: until,
        experimental_context: context,
        runtimeContext: context,
      });
      assert.equal(result.text, "Done.");
      const outputs = read(prompts.at(-1));
      assert.match(
        outputs[0].value,
        /^;; === user\/ \(your prelude\) ===\norders +; = list\[2\], sample: \[\{:euros 20/,
      );
      assert.equal(outputs[1].value, ";; Value:\n920");
      assert.equal(outputs[3].type, "error-text");
      assert.match(outputs[3].value, /^(TurnfoldError: )?Error: `nope` is not defined/);
      assert.equal(outputs[4].value, ";; Value:\n2");
      assert.equal(made.length, 1);
      const [{ options }] = made;
      assert.equal(options.toolCallId, "call_0_0/0");
      assert.equal(options.messages.at(-1).content[0].text ?? options.messages.at(-1).content, "Look.");
      if (isThird) assert.deepEqual(options.experimental_context, context);
    });

    test("an approval of the program lets its waiting calls go on, after a restart too", async () => {
      const store = new Map();
      const program =
        '(def orders (tool/search {:query "lamp"})) (pmap #(tool/refund (select-keys % [:order :euros])) orders)';
      const first = shop(ai.tool);
      const asking = writing([program]);
      const waiting = [];
      const messages = [{ role: "user", content: "Refund them." }];
      const run_program = programTool(first.tools, { store, onWaiting: (each) => waiting.push(each) });
      const asked = await ai.generateText({ model: asking.model, messages, tools: { run_program }, stopWhen: until });
      const request = asked.content.find(({ type }) => type === "tool-approval-request");
      assert.equal(request.toolCall.toolCallId, "call_0_0");
      assert.deepEqual(
        waiting.map(({ toolCallId, waiting: calls }) => [
          toolCallId,
          calls.map(({ tool, args }) => [tool, args.order]),
        ]),
        [["call_0_0", [["refund", 23]]]],
      );
      assert.deepEqual(
        first.made.map(({ name: tool, input }) => [tool, input.order]),
        [
          ["search", undefined],
          ["refund", 17],
        ],
      );
      messages.push(...asked.response.messages, {
        role: "tool",
        content: [{ type: "tool-approval-response", approvalId: request.approvalId, approved: true }],
      });
      // Another process: the store is all that it has, as JSON.
      const later = new Map(JSON.parse(JSON.stringify([...store])));
      const second = shop(ai.tool);
      const going = writing();
      const tools = { run_program: programTool(second.tools, { store: later }) };
      await ai.generateText({ model: going.model, messages, tools, stopWhen: until });
      assert.deepEqual(
        second.made.map(({ name: tool, input, options }) => [tool, input.order, options.toolCallId]),
        [["refund", 23, "call_0_0/2"]],
      );
      assert.match(read(going.prompts[0])[0].value, /\["refunded 17" "refunded 23"\]/);
    });
  });
}
