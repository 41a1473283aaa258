// Calls of whole agents that wait, in the AI SDK's own chat of a page: approved, denied and answered there.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as ai6 from "ai";
import * as ai7 from "ai-7";
import { answersFromMessages, waitingChunks } from "../../dist/adapters/ai-sdk.js";
import { Agent, later, Step, SubAgent } from "../../dist/index.js";
import { chatPage } from "./chat-page.mjs";

function shop() {
  const made = [];
  const refund = {
    signature: "(order :int) -> :string",
    needsApproval: true,
    run: ({ order }) => {
      made.push(order);
      return `refunded ${order}`;
    },
  };
  const review = ["(text :string) -> :string", ({ text }) => later({ ticket: text.length })];
  return { made, tools: { refund, review } };
}

/** The text of the user's newest message. */
const asked = (messages) => messages.findLast(({ role }) => role === "user").parts[0].text;

for (const [name, ai] of [
  ["AI SDK 6", ai6],
  ["AI SDK 7", ai7],
]) {
  /** A stream of the calls that wait, or of a text. */
  const shown = ({ waiting, text }, options) => {
    const chunks = [
      { type: "start" },
      { type: "start-step" },
      ...(waiting.length > 0
        ? waitingChunks(waiting, options)
        : [
            { type: "text-start", id: "t" },
            { type: "text-delta", id: "t", delta: text },
            { type: "text-end", id: "t" },
          ]),
      { type: "finish-step" },
      { type: "finish" },
    ];
    return ai.createUIMessageStream({
      execute: ({ writer }) => {
        for (const chunk of chunks) writer.write(chunk);
      },
    });
  };

  suite(`agents behind the chat of ${name}`, () => {
    /** A page whose server restores its agent for each request. */
    function agentPage(tools, toolCalls) {
      let saved = null;
      return chatPage(ai, async (messages) => {
        await ai.validateUIMessages({ messages });
        let replies = saved === null ? 0 : 1;
        const llm = ({ messages: sent }) =>
          replies++ === 0
            ? { content: "", toolCalls }
            : sent
                .filter(({ role }) => role === "tool")
                .map(({ content }) => content)
                .join(", ");
        const agent = new Agent({ tools, llm });
        if (saved !== null) agent.restore(saved);
        const reply =
          saved === null
            ? await agent.chat(asked(messages))
            : await agent.resume({ answers: (waiting) => answersFromMessages(messages, waiting) });
        saved = JSON.stringify(agent.checkpoint());
        return shown(reply);
      });
    }
    const calls = [7, 8].map((order) => ({ id: `c${order}`, name: "refund", args: { order } }));

    for (const [approved, text] of [
      [true, "refunded 7, refunded 8"],
      [false, "Not today., Not today."],
    ]) {
      test(`a person ${approved ? "approves" : "denies"} the calls of an Agent`, async () => {
        const { made, tools } = shop();
        const page = agentPage(tools, calls);
        await page.say("Refund them.");
        assert.deepEqual(
          page.parts().map(({ type, toolName, state, input }) => [type, toolName, state, input]),
          [7, 8].map((order) => ["dynamic-tool", "refund", "approval-requested", { order }]),
        );
        assert.deepEqual(made, []);
        assert.equal(await page.decide(approved, approved ? undefined : "Not today."), 2);
        assert.equal(page.text(), text);
        assert.deepEqual(made, approved ? [7, 8] : []);
      });
    }

    test("the output of a tool that answers later is its result", async () => {
      const { tools } = shop();
      const page = agentPage(tools, [{ id: "c1", name: "review", args: { text: "Dear Ann" } }]);
      await page.say("Have it reviewed.");
      assert.deepEqual(
        page.parts().map(({ state }) => state),
        ["input-available"],
      );
      await page.answer("c1", "review", "fine");
      assert.equal(page.text(), "fine");
    });

    test("the calls of a SubAgent are approved one after the other, by the id of its run", async () => {
      const { made, tools } = shop();
      const llm = () => "(return [(tool/refund {:order 1}) (tool/refund {:order 2})])";
      let step = null;
      const page = chatPage(ai, async (messages) => {
        const agent = new SubAgent({ mission: "Refund.", tools, llm });
        const options = { run: "run_1" };
        const before = step === null ? null : Step.fromJSON(step);
        const answers = before === null ? {} : answersFromMessages(messages, before.waiting, options);
        const next = before === null ? await agent.run() : await agent.resume(before, { answers });
        step = JSON.stringify(next);
        return shown({ waiting: next.waiting, text: String(next.return) }, options);
      });
      await page.say("Refund them.");
      assert.deepEqual(
        page.parts().map(({ toolCallId }) => toolCallId),
        ["run_1/1.0"],
      );
      await page.decide(true);
      assert.deepEqual(made, [1]);
      await page.decide(true);
      assert.deepEqual(made, [1, 2]);
      assert.equal(page.text(), "refunded 1,refunded 2");
    });
  });
}

test("what a page says of a call is an answer only to what the call waits for", () => {
  const call = (reason) => ({ id: "c1", tool: "refund", args: {}, reason, info: null, path: [] });
  const part = (more) => [{ parts: [{ type: "dynamic-tool", toolCallId: "c1", ...more }] }];
  const forged = part({ state: "output-available", output: "refunded" });
  assert.deepEqual(answersFromMessages(forged, [call("approval")]), {});
  assert.deepEqual(answersFromMessages(forged, [call("later")]), { c1: { result: "refunded" } });
  const failed = part({ state: "output-error", errorText: "lost" });
  assert.deepEqual(answersFromMessages(failed, [call("later")]), { c1: { error: "lost" } });
  const approved = part({ state: "approval-responded", approval: { id: "c1", approved: true } });
  assert.deepEqual(answersFromMessages(approved, [call("later")]), {});
  assert.deepEqual(answersFromMessages(approved, [call("interrupted")]), { c1: true });
  assert.deepEqual(answersFromMessages(approved, [call("approval")], { run: "other" }), {});
  assert.deepEqual(answersFromMessages([], [call("approval")]), {});
});
