// Summaries that a provider makes of a conversation: an agent keeps them, sends them back as they came, and sends nothing
// that they cover.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation } from "turnfold";
import { anthropicModel } from "turnfold/models/anthropic";
import { openaiResponsesModel } from "turnfold/models/openai";
import { receivers } from "../wire/receivers.mjs";

const usage = { input_tokens: 100, output_tokens: 20 };
const BLOCK = {
  type: "compaction",
  content: "They talked.",
  encrypted_content: "QUJD",
  signature: "s",
  tool_changes: [],
};
const ITEM = { type: "compaction", id: "cmp_1", encrypted_content: "QUJD" };

/** The providers: how a reply of blocks or items is given, at once and in pieces, and what a request has. */
const PROVIDERS = {
  anthropic: {
    compaction: BLOCK,
    text: (text) => ({ type: "text", text }),
    call: (id) => ({ type: "tool_use", id, name: "find", input: { order: 7 } }),
    sent: ({ messages }) => messages.flatMap(({ content }) => (typeof content === "string" ? [content] : content)),
    make(reply, options) {
      const create = async ({ stream, ...body }) => {
        receivers.anthropic(body);
        const content = reply(body);
        const message = { model: "m", role: "assistant", stop_reason: "end_turn", usage };
        if (!stream) return { ...message, content };
        return ReadableStream.from([
          { type: "message_start", message: { ...message, content: [] } },
          ...content.flatMap((block, index) => [
            { type: "content_block_start", index, content_block: startOf(block) },
            ...deltasOf(block).map((delta) => ({ type: "content_block_delta", index, delta })),
            { type: "content_block_stop", index },
          ]),
          { type: "message_delta", delta: { stop_reason: "end_turn" }, usage },
          { type: "message_stop" },
        ]);
      };
      return anthropicModel({ messages: { create } }, { model: "m", max_tokens: 9, cache: null, ...options });
    },
  },
  openai: {
    compaction: ITEM,
    text: (text) => ({
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text, annotations: [] }],
    }),
    call: (id) => ({ type: "function_call", id: `fc_${id}`, call_id: id, name: "find", arguments: '{"order": 7}' }),
    sent: ({ input }) => input,
    make(reply, options) {
      const create = async ({ stream, ...body }) => {
        receivers.responses(body);
        const output = reply(body);
        const response = { model: "m", status: "completed", output, usage };
        if (!stream) return response;
        return ReadableStream.from([
          ...output.flatMap((item) => [
            ...(item.content ?? []).map(({ text }) => ({ type: "response.output_text.delta", delta: text })),
            { type: "response.output_item.done", item },
          ]),
          { type: "response.completed", response },
        ]);
      };
      return openaiResponsesModel({ responses: { create } }, { model: "m", ...options });
    },
  },
};

const startOf = (block) => {
  if (block.type === "text") return { ...block, text: "" };
  return block.type === "compaction" ? { ...block, content: null, encrypted_content: null } : block;
};

const deltasOf = ({ type, text, content, encrypted_content }) => {
  if (type === "text") return [{ type: "text_delta", text }];
  return type === "compaction" ? [{ type: "compaction_delta", content, encrypted_content }] : [];
};

for (const [name, { compaction, text, call, sent, make }] of Object.entries(PROVIDERS)) {
  suite(name, () => {
    for (const stream of [false, true]) {
      test(`a compaction of a ${stream ? "streamed " : ""}reply comes back as it was, and nothing that it covers`, async () => {
        const bodies = [];
        const llm = make(
          (body) => {
            bodies.push(body);
            return [...(bodies.length === 2 ? [compaction] : []), text(`Answer ${bodies.length}.`)];
          },
          { stream },
        );
        const agent = new Agent({ llm, system: "You help." });
        for (const question of ["One?", "Two?", "Three?", "Four?"]) await agent.chat(question);
        const [, , third, fourth] = bodies.map(sent);
        for (const blocks of [third, fourth]) {
          assert.deepEqual(
            blocks.filter(({ type }) => type === "compaction"),
            [compaction],
          );
          assert.doesNotMatch(JSON.stringify(blocks), /One\?|Answer 1/);
        }
        assert.match(JSON.stringify(fourth), /Answer 2.*Three\?.*Answer 3.*Four\?/);
        assert.deepEqual(
          agent.transcript.filter(({ role }) => role === "user").map(({ content }) => content),
          ["One?", "Two?", "Three?", "Four?"],
        );
        // It is part of the conversation that is saved.
        const restored = Conversation.fromJSON(JSON.stringify(agent.conversation));
        const next = new Agent({ llm, conversation: restored });
        await next.chat("Five?");
        assert.deepEqual(
          sent(bodies.at(-1)).filter(({ type }) => type === "compaction"),
          [compaction],
        );
      });
    }

    test("a compaction before calls stays before them, also when the call ends early", async () => {
      const bodies = [];
      let fails = true;
      const llm = make(
        (body) => {
          bodies.push(body);
          if (bodies.length === 2) return [compaction, call("c1")];
          if (bodies.length === 3 && fails) throw Object.assign(new Error("away"), { status: 400 });
          return [text("It was sent.")];
        },
        { stream: false },
      );
      const tools = {
        find: { description: "Finds an order.", signature: "(order :int) -> :string", run: () => "sent" },
      };
      const agent = new Agent({ llm, tools, retry: { attempts: 1 } });
      await agent.chat("Hi.");
      await assert.rejects(agent.chat("Where is order 7?"), { code: "llm_error" });
      fails = false;
      const { text: answer, messages } = await agent.resume();
      assert.equal(answer, "It was sent.");
      assert.deepEqual(
        messages.map(({ role }) => role),
        ["user", "assistant", "assistant", "tool", "assistant"],
      );
      const kinds = sent(bodies.at(-1)).map((block) => block.type ?? block.role ?? "text");
      const position = kinds.indexOf("compaction");
      assert.ok(
        position >= 0 && position < kinds.findIndex((kind) => /tool_use|function_call$/.test(kind)),
        kinds.join(),
      );
      assert.doesNotMatch(JSON.stringify(bodies.at(-1)), /Hi\./);
    });
  });
}

test("a compaction that failed is not kept", async () => {
  const llm = PROVIDERS.anthropic.make(
    () => [
      { ...BLOCK, content: null },
      { type: "text", text: "Yes." },
    ],
    {},
  );
  const agent = new Agent({ llm });
  await agent.chat("Hi.");
  assert.equal(agent.conversation.messages.length, 2);
});
