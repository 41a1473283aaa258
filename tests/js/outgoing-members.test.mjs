// What converters write: the members of a format, those with which a message came from it, and those that a host names.
// Outcomes of calls are written in each format's way.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Conversation } from "turnfold";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { gemini } from "turnfold/formats/gemini";
import { openai } from "turnfold/formats/openai";
import { refuses } from "./refuses.mjs";

const formats = { openai, responses: openai.responses, anthropic, gemini, aiSdk };

const chat = (...messages) => new Conversation({ messages: [{ role: "user", content: "Hello" }, ...messages] });
const call = { role: "assistant", content: null, toolCalls: [{ id: "c1", name: "order", args: {} }] };
const result = (more) => ({ role: "tool", toolCallId: "c1", toolName: "order", content: "no stock", ...more });

/** All names of members in a value. */
function namesIn(value, found = new Set()) {
  if (Array.isArray(value)) for (const item of value) namesIn(item, found);
  else if (typeof value === "object" && value !== null) {
    for (const [name, item] of Object.entries(value)) {
      found.add(name);
      namesIn(item, found);
    }
  }
  return found;
}

const FOREIGN = {
  dynamic: true,
  title: "Order",
  state: "done",
  usage: { input_tokens: 1 },
  stop_reason: "end_turn",
  provider_specific_fields: {},
  reasoning_details: [{ type: "reasoning.text", text: "x" }],
  vendor: 1,
};

suite("members that a format does not have", () => {
  for (const [name, format] of Object.entries(formats)) {
    test(`${name}.to writes none of them, wherever they are`, () => {
      const conversation = chat(
        { role: "user", content: [{ type: "text", text: "x", ...FOREIGN }], ...FOREIGN },
        { ...call, toolCalls: [{ ...call.toolCalls[0], ...FOREIGN }], ...FOREIGN },
        result({ isError: true, ...FOREIGN }),
      );
      const names = namesIn(format.to(conversation));
      const foreign = [...Object.keys(FOREIGN), "isError", ...(name === "aiSdk" ? [] : ["toolName"])];
      assert.deepEqual(
        foreign.filter((member) => names.has(member)),
        [],
      );
      // They stay in the conversation.
      assert.equal(conversation.messages[1].vendor, 1);
    });
  }

  test("they return to the format they came from, also when the message was edited, and to no other", () => {
    const read = openai.from([
      { role: "user", content: "x", vendor: 1 },
      { role: "assistant", content: "y", reasoning_content: "z" },
      { role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] },
    ]);
    const edited = new Conversation({
      messages: read.messages.map((message) =>
        typeof message.content === "string" ? { ...message, content: "edited" } : message,
      ),
    });
    assert.deepEqual(openai.to(edited), [
      { role: "user", content: "edited", vendor: 1 },
      { role: "assistant", content: "edited", reasoning_content: "z" },
      { role: "user", content: [{ type: "text", text: "x", cache_control: { type: "ephemeral" } }] },
    ]);
    assert.ok(!namesIn(anthropic.to(edited)).has("vendor"));
    assert.deepEqual(openai.to(new Conversation({ messages: anthropic.from(anthropic.to(edited)).messages }))[0], {
      role: "user",
      content: "edited",
    });
  });

  test("a part of a type that the format does not have returns to where it came from, and is refused elsewhere", () => {
    const blocks = [{ role: "user", content: [{ type: "hologram", depth: 3 }] }];
    const read = anthropic.from(blocks);
    assert.deepEqual(anthropic.to(read), { messages: blocks });
    for (const other of [openai, openai.responses, gemini, aiSdk]) {
      refuses(() => other.to(read), "unsupported_part", "messages[0].content[0]");
    }
    refuses(() => anthropic.to(new Conversation({ messages: blocks })), "unsupported_part", "messages[0].content[0]");
    const own = { role: "assistant", content: [{ type: "server_tool_use", id: "s", name: "web_search", input: {} }] };
    assert.deepEqual(anthropic.to(new Conversation({ messages: [own] })), { messages: [own] });
    const compacted = openai.responses.from([{ type: "compaction", id: "c", encrypted_content: "QUJD" }]);
    refuses(() => anthropic.to(compacted), "unsupported_part", "messages[0].content[0]");
    const contents = [{ role: "user", parts: [{ executableCode: { language: "PYTHON", code: "1" } }] }];
    assert.deepEqual(gemini.to(gemini.from(contents)), { contents });
    for (const other of [openai, openai.responses, anthropic, aiSdk]) {
      refuses(() => other.to(gemini.from(contents)), "unsupported_part", "messages[0].content[0]");
    }
  });

  test("members that only replies have are not written, at any level, unless `members` names them", () => {
    const citation = { type: "char_location", cited_text: "x", document_index: 0, document_title: null };
    const place = { start_char_index: 0, end_char_index: 1 };
    const reply = {
      id: "msg_1",
      type: "message",
      role: "assistant",
      model: "m",
      stop_reason: "end_turn",
      stop_details: null,
      container: null,
      usage: { input_tokens: 1 },
      content: [{ type: "text", text: "x", citations: [{ ...citation, ...place, file_id: null }] }],
    };
    const user = { role: "user", content: "Hello" };
    const read = anthropic.from([user, reply]);
    const sent = {
      role: "assistant",
      content: [{ type: "text", text: "x", citations: [{ ...citation, ...place }] }],
    };
    assert.deepEqual(anthropic.to(read).messages, [user, sent]);
    assert.deepEqual(anthropic.to(read, { members: ["usage"] }).messages[1], { ...sent, usage: { input_tokens: 1 } });
    // The conversation keeps them.
    assert.equal(read.messages[1].stop_reason, "end_turn");

    const called = { name: "order", arguments: ' {"id": 7}' };
    const completion = {
      role: "assistant",
      content: null,
      refusal: null,
      annotations: [],
      parsed: null,
      audio: { id: "a", data: "UklGRg==", expires_at: 1, transcript: "x" },
      tool_calls: [{ index: 0, id: "c", type: "function", function: { ...called, parsed_arguments: { id: 7 } } }],
    };
    assert.deepEqual(openai.to(openai.from([completion])), [
      {
        role: "assistant",
        content: null,
        refusal: null,
        audio: { id: "a" },
        tool_calls: [{ id: "c", type: "function", function: called }],
      },
    ]);

    const message = {
      type: "message",
      id: "msg_1",
      role: "assistant",
      status: "completed",
      content: [{ type: "output_text", text: "{}", annotations: [], parsed: {} }],
    };
    const call = { type: "function_call", id: "fc_1", call_id: "c", ...called, status: "completed" };
    const custom = { type: "custom_tool_call", id: "ctc_1", call_id: "d", name: "patch", input: "x" };
    const items = [message, { ...call, parsed_arguments: {} }, { ...custom, status: "completed", created_by: "m" }];
    const { parsed: _, ...part } = message.content[0];
    assert.deepEqual(openai.responses.to(openai.responses.from(items)), [
      { ...message, content: [part] },
      call,
      custom,
    ]);
  });

  test("`members` names those that are written all the same, in messages, parts and calls", () => {
    const conversation = chat(
      { role: "assistant", content: "y", reasoning_content: "z", vendor: 1 },
      { role: "user", content: [{ type: "text", text: "x", vendor: 2 }] },
      { ...call, toolCalls: [{ ...call.toolCalls[0], vendor: 3 }] },
      result(),
    );
    const written = openai.to(conversation, { members: ["reasoning_content", "vendor"] });
    assert.deepEqual(written[1], { role: "assistant", content: "y", reasoning_content: "z", vendor: 1 });
    assert.equal(written[2].content[0].vendor, 2);
    assert.equal(written[3].tool_calls[0].vendor, 3);
    assert.ok(!("toolName" in written[4]));
    const items = openai.responses.to(conversation.append({ ...result({ vendor: 4 }) }), { members: ["vendor"] });
    assert.deepEqual(
      items.map(({ vendor, content }) => vendor ?? content?.[0].vendor),
      [undefined, 1, 2, 3, undefined, 4],
    );
    // Members of this package are never sent.
    const pinned = chat({ role: "user", content: "x", pinned: true });
    assert.ok(!("pinned" in openai.to(pinned, { members: ["pinned"] })[1]));
    refuses(() => openai.to(conversation, { members: "vendor" }), "invalid_option");
  });
});

suite("outcomes of calls", () => {
  const errorPart = (output) => ({
    role: "tool",
    content: [{ type: "tool-result", toolCallId: "c1", toolName: "order", output }],
  });
  const written = (message) => {
    const conversation = chat(call, message);
    return {
      openai: openai.to(conversation)[2].content,
      responses: openai.responses.to(conversation)[2].output,
      anthropic: anthropic.to(conversation).messages[2].content[0],
      gemini: gemini.to(conversation).contents[2].parts[0].functionResponse.response,
      aiSdk: aiSdk.to(conversation)[2].content[0].output,
    };
  };

  test("isError is is_error at Anthropic, error-text at the AI SDK, and in the text at OpenAI", () => {
    assert.deepEqual(written(result({ isError: true })), {
      openai: "Error: no stock",
      responses: "Error: no stock",
      anthropic: { type: "tool_result", tool_use_id: "c1", content: "no stock", is_error: true },
      gemini: { error: "no stock" },
      aiSdk: { type: "error-text", value: "no stock" },
    });
  });

  test("a text that says that the tool failed is not changed", () => {
    for (const content of ["Error: no stock", "[cleared] (it failed)"]) {
      assert.equal(written(result({ isError: true, content })).openai, content);
    }
  });

  test("isDenied is execution-denied at the AI SDK, and a text elsewhere", () => {
    assert.deepEqual(written(result({ isDenied: true, content: "The user declined." })), {
      openai: "The user declined.",
      responses: "The user declined.",
      anthropic: { type: "tool_result", tool_use_id: "c1", content: "The user declined.", is_error: true },
      gemini: { error: "The user declined." },
      aiSdk: { type: "execution-denied", reason: "The user declined." },
    });
  });

  test("outputs of the AI SDK that failed or were denied say so at OpenAI", () => {
    assert.equal(written(errorPart({ type: "error-text", value: "no stock" })).openai, "Error: no stock");
    assert.equal(written(errorPart({ type: "error-json", value: { code: 7 } })).responses, 'Error: {"code":7}');
    assert.equal(written(errorPart({ type: "execution-denied" })).openai, "Tool call execution denied.");
    const parts = { type: "content", value: [{ type: "text", text: "no stock" }], isError: true };
    assert.deepEqual(written(errorPart(parts)).openai, [{ type: "text", text: "Error: no stock" }]);
    const empty = { type: "content", value: [], isError: true };
    assert.deepEqual(written(errorPart(empty)).openai, [
      { type: "text", text: "Error: the tool failed without a message." },
    ]);
  });

  test("outputs of the AI SDK are `output` or `error` at Gemini", () => {
    const at = (output) => written(errorPart(output)).gemini;
    assert.deepEqual(at({ type: "json", value: { rows: [1] } }), { output: { rows: [1] } });
    assert.deepEqual(at({ type: "error-json", value: { code: 7 } }), { error: { code: 7 } });
    assert.deepEqual(at({ type: "error-text", value: " " }), { error: "The tool failed without a message." });
    assert.deepEqual(at({ type: "execution-denied" }), { error: "Tool call execution denied." });
    assert.deepEqual(at({ type: "execution-denied", reason: "Not today." }), {
      error: "The call was refused: Not today.",
    });
  });

  test("images of a failed result are named in its text at the AI SDK", () => {
    const value = [
      { type: "text", text: "no stock" },
      { type: "image", image: "iVBORw0KGgo", mediaType: "image/png" },
    ];
    assert.deepEqual(written(errorPart({ type: "content", isError: true, value })).aiSdk, {
      type: "error-text",
      value: 'no stock\n[a part of type "image-data"]',
    });
  });

  test("a result that succeeded is unchanged", () => {
    assert.equal(written(result()).openai, "no stock");
    assert.deepEqual(written(result()).gemini, { output: "no stock" });
    assert.deepEqual(written(result()).aiSdk, { type: "text", value: "no stock" });
  });
});

suite("content that a provider refuses", () => {
  test("images of results follow in a message of the user at OpenAI, behind all results of the round", () => {
    const image = { type: "image-data", data: "iVBORw0KGgo", mediaType: "image/png" };
    const part = (toolCallId, value) => ({
      type: "tool-result",
      toolCallId,
      toolName: "shoot",
      output: { type: "content", value },
    });
    const calls = ["c1", "c2"].map((id) => ({ id, name: "shoot", args: {} }));
    const conversation = chat(
      { role: "assistant", content: null, toolCalls: calls },
      { role: "tool", content: [part("c1", [image]), part("c2", [{ type: "text", text: "dark" }, image])] },
      { role: "assistant", content: "A lamp." },
    );
    const [, , first, second, media, answer] = openai.to(conversation);
    assert.deepEqual(
      [first, second].map(({ role, tool_call_id, content }) => [role, tool_call_id, content[0].text]),
      [
        ["tool", "c1", "(its content follows the results)"],
        ["tool", "c2", "dark"],
      ],
    );
    assert.equal(media.role, "user");
    assert.deepEqual(
      media.content.map(({ type }) => type),
      ["text", "image_url", "image_url"],
    );
    assert.equal(answer.content, "A lamp.");
  });

  test("names of tools that nobody offered are written in the providers' alphabet, for call and result", () => {
    const named = (name) => chat({ ...call, toolCalls: [{ ...call.toolCalls[0], name }] }, result({ toolName: name }));
    for (const [name, valid] of [
      ["functions.search", "functions_search"],
      ["search<|channel|>commentary", "search__channel__commentary"],
      ["", "unknown"],
    ]) {
      assert.equal(openai.to(named(name))[1].tool_calls[0].function.name, valid);
      assert.equal(openai.responses.to(named(name))[1].name, valid);
      assert.equal(anthropic.to(named(name)).messages[1].content[0].name, valid);
    }
    for (const [name, valid] of [
      ["default_api:files.read-all", "default_api:files.read-all"],
      ["search<|channel|>commentary", "search__channel__commentary"],
      ["7z", "_7z"],
      ["", "_"],
    ]) {
      const { contents } = gemini.to(named(name));
      assert.equal(contents[1].parts[0].functionCall.name, valid);
      assert.equal(contents[2].parts[0].functionResponse.name, valid);
    }
    assert.equal(openai.to(named("x".repeat(90)))[1].tool_calls[0].function.name.length, 64);
  });

  test("halves of surrogate pairs become the replacement character, in texts and in arguments", () => {
    const half = "cut \ud83d";
    const conversation = chat({
      ...call,
      content: half,
      toolCalls: [{ id: "c1", name: "order", args: { [half]: half } }],
    });
    for (const [name, format] of Object.entries(formats)) {
      const text = JSON.stringify(format.to(conversation));
      assert.ok(!/\\ud83d/.test(text), name);
      assert.ok(text.includes("cut \ufffd"), name);
    }
  });

  test("a call of a tool that another provider runs is written if it has a result, as a part or as a message", () => {
    const own = { type: "tool-call", toolCallId: "c1", toolName: "order", input: {}, providerExecuted: true };
    const asked = { role: "assistant", content: [{ type: "text", text: "y" }, own] };
    assert.deepEqual(
      anthropic.to(chat(asked, result())).messages[1].content.map(({ type }) => type),
      ["text", "tool_use"],
    );
    assert.deepEqual(anthropic.to(chat(asked)).messages[1].content, [{ type: "text", text: "y" }]);
  });

  test("Anthropic's compaction is a text of the assistant in other formats", () => {
    const read = anthropic.from([
      { role: "user", content: "x" },
      { role: "assistant", content: [{ type: "compaction", content: "They spoke of lamps." }] },
    ]);
    assert.deepEqual(openai.to(read)[1].content, [{ type: "text", text: "They spoke of lamps." }]);
    assert.equal(openai.responses.to(read)[1].content, "They spoke of lamps.");
    assert.deepEqual(gemini.to(read).contents[1].parts, [{ text: "They spoke of lamps." }]);
    assert.deepEqual(aiSdk.to(read)[1].content, [{ type: "text", text: "They spoke of lamps." }]);
  });
});
