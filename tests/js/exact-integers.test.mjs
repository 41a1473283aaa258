// Integers beyond 2^53 that a model writes: tools, objects and recordings have them exactly, and requests their digits.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { zodSchema } from "ai";
import { Agent, Conversation } from "turnfold";
import { readConversation } from "turnfold/audit";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { z } from "zod";
import { refuses } from "./refuses.mjs";

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
  test("are numbers up to the largest float, and text when a number is larger, which could not be written back", () => {
    const argsOf = (text) => {
      const toolCalls = [{ id: "a", type: "function", function: { name: "f", arguments: text } }];
      return openai.from([{ role: "assistant", content: null, tool_calls: toolCalls }]).messages[0].toolCalls[0].args;
    };
    assert.deepEqual(argsOf('{"x":1e300}'), { x: 1e300 });
    assert.deepEqual(argsOf('{"x":-1e300,"y":[2]}'), { x: -1e300, y: [2] });
    for (const text of ['{"x":1e400}', '{"y":[-1e400]}']) assert.equal(argsOf(text), text);
  });

  const args = `{"order":${ORDER},"small":5,"list":[9007199254740993,-9007199254740993],"text":"${ORDER}","half":1e3}`;

  test("are exact in the type of its signature", async () => {
    const types = "(order :int, small :int, list [:int], text :string, half :float) -> :any";
    const list = [9007199254740993n, -9007199254740993n];
    const { got } = await callWith(types, args);
    assert.deepEqual(got, [{ order: ORDER, small: 5, list, text: String(ORDER), half: 1000 }]);
    assert.deepEqual((await callWith("(order :string) -> :any", `{"order":${ORDER}}`)).got, [{ order: String(ORDER) }]);
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

suite("a recording", () => {
  const data = { id: 0, list: [0, 5], nested: { half: 0.5 } };
  const exact = { id: ORDER, list: [-ORDER, 5], nested: { half: 0.5 } };
  /** The text of a recording, with integers beyond 2^53 in place of 0. */
  const text = (recording) =>
    JSON.stringify(recording).replaceAll('"id":0', `"id":${ORDER}`).replaceAll("[0,", `[-${ORDER},`);
  const user = { role: "user", content: "Refund it." };
  const recordings = {
    anthropic: [user, { role: "assistant", content: [{ type: "tool_use", id: "a", name: "refund", input: data }] }],
    aiSdk: [
      user,
      { role: "assistant", content: [{ type: "tool-call", toolCallId: "a", toolName: "refund", input: data }] },
      {
        role: "tool",
        content: [{ type: "tool-result", toolCallId: "a", toolName: "refund", output: { type: "json", value: data } }],
      },
    ],
    gemini: {
      contents: [
        { role: "user", parts: [{ text: "Refund it." }] },
        { role: "model", parts: [{ functionCall: { name: "refund", args: data } }] },
        { role: "user", parts: [{ functionResponse: { name: "refund", response: data } }] },
      ],
    },
    langchain: [
      { type: "human", content: "Refund it." },
      { type: "ai", content: "", tool_calls: [{ id: "a", name: "refund", args: data }] },
    ],
    atif: {
      schema_version: "ATIF-v1.4",
      steps: [
        { source: "user", message: "Refund it." },
        { source: "agent", message: "", tool_calls: [{ tool_call_id: "a", function_name: "refund", arguments: data }] },
      ],
    },
    "claude-code": [
      {
        type: "assistant",
        sessionId: "s",
        version: "1.0.35",
        message: { id: "m", role: "assistant", content: [{ type: "tool_use", id: "a", name: "refund", input: data }] },
      },
    ],
    turnfold: [user, { role: "assistant", content: "", toolCalls: [{ id: "a", name: "refund", args: data }] }],
  };

  for (const [name, recording] of Object.entries(recordings)) {
    test(`keeps the arguments and results of tools in the format ${name}`, () => {
      const { format, conversation } = readConversation(text(recording));
      assert.equal(format, name === "aiSdk" ? "ai-sdk" : name);
      const { messages } = conversation;
      const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
      const called = messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ args }) => args));
      const calls = [...called, ...parts.filter(({ type }) => type === "tool-call").map(({ input }) => input)];
      assert.deepEqual(calls, [exact]);
      for (const { output } of parts.filter(({ type }) => type === "tool-result"))
        assert.deepEqual(output.value, exact);
      assert.deepEqual(Conversation.fromJSON(JSON.stringify(conversation)).messages, messages);
      for (const to of [anthropic.to, openai.to, openai.responses.to, aiSdk.to]) {
        assert.match(JSON.stringify(to(conversation)), new RegExp(`\\W${ORDER}\\W`));
      }
    });
  }

  test("keeps arguments of LangChain's messages that are texts", () => {
    const called = { id: "a", function: { name: "refund", arguments: text(data) } };
    const messages = [
      { type: "human", content: "Refund it." },
      { type: "ai", content: "", additional_kwargs: { tool_calls: [called] } },
    ];
    const { conversation } = readConversation(JSON.stringify(messages));
    assert.deepEqual(conversation.messages[1].content[0].input, exact);
  });

  test("has numbers in place of other integers, with which hosts calculate", () => {
    const [question, answer] = readConversation(
      text([
        { ...user, id: 0, timestamp: 1.77e18, name: "Ada" },
        { role: "assistant", content: "Done.", usage: data },
      ]),
    ).conversation.messages;
    assert.deepEqual([question.id, question.timestamp], [Number(ORDER), 1.77e18]);
    assert.equal(answer.usage.id, Number(ORDER));
  });

  test("that is a saved conversation keeps floats", () => {
    const saved = new Conversation({
      messages: [{ role: "assistant", content: "", toolCalls: [{ id: "a", name: "f", args: { x: 1e19, y: ORDER } }] }],
    });
    assert.deepEqual(readConversation(JSON.stringify(saved)).conversation.messages, saved.messages);
  });

  test("that is nested too deeply is refused with its path", () => {
    const nested = `${"[".repeat(100_000)}${ORDER}${"]".repeat(100_000)}`;
    const { details } = refuses(() => readConversation(`[{"role":"user","content":${nested}}]`), "invalid_message");
    assert.match(details.path, /^messages\[0\]\.content/);
  });
});

test("messages of a provider with big integers are converted, and back with their digits", () => {
  const given = [{ role: "user", content: "Hello", seed: ORDER }];
  for (const format of [openai, aiSdk]) {
    assert.equal(format.from(given).messages[0].seed, ORDER);
    assert.equal(format.to(format.from(given))[0].seed, String(ORDER));
  }
  const item = { type: "shell_call_output", call_id: "a", output: { at: ORDER } };
  assert.equal(openai.responses.from([item]).messages[0].content, `{"at":"${ORDER}"}`);
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
