// Integers beyond 2^53 that a model writes: tools and objects get them exactly, and requests have their digits.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { zodSchema } from "ai";
import { Agent, anthropic, Conversation, openai } from "turnfold";
import { z } from "zod";

const ORDER = 12_345_678_901_234_567_890n;

/** Lets a model call a tool with arguments that are JSON text; returns what the tool got, and the second request. */
async function callWith(tool, args, options = {}) {
  const requests = [];
  const got = [];
  const replies = [{ content: "", toolCalls: [{ id: "a", name: "refund", args }] }, "Done."];
  const llm = ({ messages }) => {
    requests.push(messages);
    return replies.shift();
  };
  const execute = (given) => {
    got.push(given);
    return "ok";
  };
  const refund = typeof tool === "string" ? [tool, execute] : { ...tool, execute };
  const agent = new Agent({ llm, tools: { refund }, ...options });
  await agent.chat("Refund it.");
  return { got, result: agent.conversation.messages[2].content, agent, request: requests[1] };
}

suite("the arguments of a tool", () => {
  const args = `{"order":${ORDER},"small":5,"list":[9007199254740993,-9007199254740993],"text":"${ORDER}","half":1e3}`;

  test("are exact in the type of its signature", async () => {
    const types = "(order :int, small :int, list [:int], text :string, half :float) -> :any";
    const list = [9007199254740993n, -9007199254740993n];
    const { got } = await callWith(types, args);
    assert.deepEqual(got, [{ order: ORDER, small: 5, list, text: String(ORDER), half: 1000 }]);
    assert.deepEqual((await callWith("(order :string) -> :any", args)).got, [{ order: String(ORDER) }]);
  });

  test("are exact for JSON Schema, and checked", async () => {
    const parameters = (type) => ({ parameters: { type: "object", properties: { order: { type } } } });
    assert.deepEqual((await callWith(parameters("integer"), `{"order":${ORDER}}`)).got, [{ order: ORDER }]);
    const { got, result } = await callWith(parameters("string"), `{"order":${ORDER}}`);
    assert.deepEqual(got, []);
    assert.match(result, /order: .*string/);
  });

  test("are exact for a validator that takes big integers, and numbers for others", async () => {
    const inputs = async (schema) =>
      (await callWith({ inputSchema: z.object({ order: schema }) }, `{"order":${ORDER}}`)).got;
    assert.deepEqual(await inputs(z.bigint()), [{ order: ORDER }]);
    assert.deepEqual(await inputs(z.number()), [{ order: Number(ORDER) }]);
    assert.deepEqual(await inputs(z.string()), []);
    const validated = async (schema) =>
      (await callWith({ inputSchema: zodSchema(z.object({ order: schema })) }, `{"order":${ORDER}}`)).got;
    assert.deepEqual(await validated(z.number()), [{ order: Number(ORDER) }]);
  });

  test("are exact when approved, saved and sent again", async () => {
    const approved = [];
    const approve = ({ args: given }) => approved.push(given) > 0;
    const { agent, request } = await callWith("(order :int) -> :any", `{"order":${ORDER}}`, { approve });
    assert.deepEqual(approved, [{ order: ORDER }]);
    const again = Conversation.fromJSON(JSON.stringify(agent.conversation));
    for (const conversation of [agent.conversation, again, new Conversation({ messages: request })]) {
      const [, { tool_calls: calls }] = openai.to(conversation);
      assert.equal(calls[0].function.arguments, `{"order":"${ORDER}"}`);
      assert.deepEqual(anthropic.to(conversation).messages[1].content.at(-1).input, { order: String(ORDER) });
    }
  });
});

test("a provider's messages keep the digits of arguments", () => {
  const call = { id: "a", type: "function", function: { name: "refund", arguments: `{"order": ${ORDER}}` } };
  const conversation = openai.from([
    { role: "user", content: "Refund it." },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "a", content: "ok" },
  ]);
  assert.deepEqual(conversation.messages[1].toolCalls[0].args, { order: ORDER });
  assert.match(openai.to(conversation)[1].tool_calls[0].function.arguments, new RegExp(`"order": ?"?${ORDER}`));
});

test("objects of a model are exact", async () => {
  const object = async (schema) =>
    (await new Agent({ llm: () => `{"ids":[9007199254740993],"id":${ORDER}}` }).generateObject("Which?", schema))
      .object;
  assert.deepEqual(await object("ids: list[int], id: str"), { ids: [9007199254740993n], id: String(ORDER) });
  const json = { type: "object", properties: { id: { type: "integer" } } };
  assert.deepEqual(await object(json), { ids: [9007199254740993n], id: ORDER });
  assert.deepEqual(await object(z.object({ id: z.number() })), { id: Number(ORDER) });
});
