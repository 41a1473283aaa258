// Histories that providers refuse: lint({ provider }) reports their problems, repair({ provider }) fixes them.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Agent, Conversation, mergeRoles } from "turnfold/chat";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { share } from "./random.mjs";
import { randomChat } from "./random-chats.mjs";
import { refuses } from "./refuses.mjs";

const PROVIDERS = ["openai", "anthropic", "gemini"];

const hello = { role: "user", content: "Hello" };
const call = (id, name = "f") => ({ role: "assistant", content: null, toolCalls: [{ id, name, args: {} }] });
const result = (id, content = "found", toolName = "f") => ({ role: "tool", toolCallId: id, toolName, content });
const text = (text) => ({ type: "text", text });
const said = (...content) => ({ role: "assistant", content });
const thinking = { type: "reasoning", text: "hm", signature: "s" };
const withArgs = (args) => ({ role: "assistant", content: null, toolCalls: [{ id: "c", name: "f", args }] });
const callPart = (input) => said({ type: "tool-call", toolCallId: "c", toolName: "f", input });
const resultPart = (output) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId: "c", toolName: "f", output }],
});
const marked = { role: "user", content: [{ ...text("Hi"), cache_control: { type: "ephemeral" } }] };
const of = (...messages) => new Conversation({ messages });
const kinds = (conversation, provider) =>
  conversation.lint(provider && { provider }).map(({ kind, index }) => `${index} ${kind}`);

suite("lint({ provider })", () => {
  const cases = [
    ["starts_with_assistant", [{ role: "assistant", content: "Hi" }, hello], ["anthropic", "gemini"]],
    ["starts_with_result", [{ role: "system", content: "x" }, result("c"), hello], PROVIDERS],
    ["consecutive_roles", [hello, { role: "user", content: "Again" }], ["anthropic", "gemini"]],
    ["blank_text_block", [hello, { ...call("c"), content: "\n" }, result("c")], ["anthropic"]],
    ["invalid_call_id", [hello, call("f:0"), result("f:0")], ["anthropic"]],
    ["invalid_call_id", [hello, call("x".repeat(41)), result("x".repeat(41))], ["openai"]],
    ["invalid_call_id", [hello, call(""), result("")], PROVIDERS],
    [
      "unsafe_number",
      [hello, { ...call("c"), toolCalls: [{ id: "c", name: "f", args: { n: 2n ** 60n } }] }, result("c")],
      PROVIDERS,
    ],
    [
      "unsafe_number",
      [hello, { ...call("c"), toolCalls: [{ id: "c", name: "f", args: [2 ** 60] }] }, result("c")],
      PROVIDERS,
    ],
    ["invalid_arguments", [hello, withArgs("{id: "), result("c")], PROVIDERS],
    ["invalid_arguments", [hello, withArgs([7]), result("c")], PROVIDERS],
    ["invalid_arguments", [hello, withArgs('{"id": 7}'), result("c")], ["anthropic", "gemini"]],
    ["invalid_arguments", [hello, callPart(undefined), result("c")], PROVIDERS],
    ["invalid_tool_name", [hello, call("c", "f<|x|>"), result("c")], PROVIDERS],
    ["invalid_tool_name", [hello, call("c", "f".repeat(65)), result("c")], ["openai"]],
    ["invalid_tool_name", [hello, call("c", ""), result("c")], PROVIDERS],
    ["lone_surrogate", [{ role: "user", content: "cut \ud83d" }], PROVIDERS],
    ["lone_surrogate", [hello, withArgs({ text: ["\ude00"] }), result("c")], PROVIDERS],
    ["blank_text_block", [hello, call("c"), result("c", [{ type: "text", text: " " }])], ["anthropic"]],
    ["blank_text_block", [hello, call("c"), resultPart({ type: "content", value: [text(" ")] })], ["anthropic"]],
    ["empty_error", [hello, call("c"), { ...result("c", ""), isError: true }], ["anthropic"]],
    ["empty_error", [hello, call("c"), resultPart({ type: "error-text", value: "" })], ["anthropic"]],
    ["ends_in_thinking", [hello, said(text("Yes."), thinking)], ["anthropic"]],
    ["ends_in_thinking", [hello, said(thinking), hello], ["anthropic"]],
    ["trailing_whitespace", [hello, said(text("It is "))], ["anthropic"]],
    ["trailing_whitespace", [hello, { role: "assistant", content: "It is\n" }], ["anthropic"]],
    ["too_many_cache_marks", Array.from({ length: 5 }, () => marked), ["anthropic"]],
    ["separated_result", [hello, call("c"), { role: "user", content: "Well?" }, result("c")], PROVIDERS],
    ["separated_result", [hello, call("c"), call("d"), result("c"), result("d")], PROVIDERS],
    ["unanswered_call", [hello, call("c")], PROVIDERS],
    ["duplicate_call_id", [hello, call("c"), result("c"), call("c"), result("c")], ["anthropic"]],
  ];
  for (const [kind, messages, refusing] of cases) {
    test(`${kind} is reported for ${refusing.join(" and ")}: ${messages.length} messages`, () => {
      for (const provider of PROVIDERS) {
        const found = of(...messages).lint({ provider });
        const named = found.find((problem) => problem.kind === kind);
        assert.equal(named !== undefined, refusing.includes(provider), JSON.stringify(found));
        if (named !== undefined) assert.ok(named.message.startsWith(`message ${named.index} `));
      }
    });
  }

  test("a valid history has no problems, and without a provider only problems for all providers are reported", () => {
    const parts = {
      role: "user",
      content: [
        { type: "tool-result", toolCallId: "c", toolName: "f", output: { type: "text", value: "x" } },
        { type: "text", text: "And?" },
      ],
    };
    for (const provider of PROVIDERS) {
      assert.deepEqual(of(hello, call("c"), result("c"), { role: "assistant", content: "Yes" }).lint({ provider }), []);
      assert.deepEqual(of(hello, call("c"), parts).lint({ provider }), []);
      assert.deepEqual(of().lint({ provider }), []);
    }
    assert.deepEqual(of({ role: "assistant", content: "Hi" }, call("f:0"), result("f:0")).lint(), []);
  });

  test("other options and providers are refused", () => {
    for (const method of ["lint", "repair"]) {
      refuses(() => of(hello)[method]({ provider: "mistral" }), "invalid_option");
      refuses(() => of(hello)[method]({ vendor: "openai" }), "invalid_option");
      refuses(() => of(hello)[method](5), "invalid_option");
    }
  });
});

/** True for messages that Anthropic has a form for. */
function hasForm({ role, content }) {
  return role !== "critic" && (!Array.isArray(content) || content.every(({ type }) => type.startsWith("t")));
}

/** A message whose results have outputs in the form that converters accept. */
function withOutputs(message) {
  if (!Array.isArray(message.content)) return message;
  const outputs = { string: (value) => ({ type: "text", value }), object: (value) => ({ type: "content", value }) };
  const content = message.content.map((part) => {
    const { output } = part;
    if (part.type !== "tool-result" || output.type !== undefined) return part;
    return { ...part, output: outputs[typeof output](output) };
  });
  return { ...message, content };
}

suite("repair({ provider })", () => {
  test("a valid conversation is returned unchanged, with an empty report", () => {
    const conversation = of(hello, call("c"), result("c"));
    assert.deepEqual(conversation.repair({ provider: "openai" }), { conversation, report: [] });
    assert.equal(conversation.repair().conversation, conversation);
  });

  test("a result without a call becomes text, and a call without a result gets one that says so", () => {
    const { conversation, report } = of(hello, result("gone"), call("c"), { role: "user", content: "And?" }).repair();
    const [, orphan, , answer] = conversation.messages;
    assert.equal(orphan.role, "user");
    assert.match(orphan.content, /gone of f, which is not in this conversation: found$/);
    assert.deepEqual([answer.toolCallId, answer.toolName], ["c", "f"]);
    assert.match(answer.content, /^No result/);
    assert.deepEqual(
      report.map(({ index, kind }) => [index, kind]),
      [
        [1, "orphan_result"],
        [2, "unanswered_call"],
      ],
    );
    assert.deepEqual(conversation.lint(), []);
  });

  test("results move directly after their calls, and duplicate results become text", () => {
    const { conversation } = of(
      hello,
      result("d", "early"),
      call("c"),
      call("d"),
      hello,
      result("c"),
      result("c", "again"),
    ).repair({
      provider: "openai",
    });
    assert.deepEqual(
      conversation.messages.map(({ role, toolCallId, toolCalls }) => toolCallId ?? toolCalls?.[0].id ?? role),
      ["user", "c", "c", "d", "d", "user", "user"],
    );
    assert.equal(conversation.messages[4].content, "early");
    assert.match(conversation.messages[6].content, /again$/);
  });

  test("invalid and duplicate ids are replaced in calls and results", () => {
    const { conversation } = of(
      hello,
      call("f:0"),
      result("f:0"),
      call("f:0"),
      result("f:0", "two"),
      call(""),
      result(""),
    ).repair({
      provider: "anthropic",
    });
    const ids = conversation.messages.map(({ toolCalls, toolCallId }) => toolCallId ?? toolCalls?.[0].id).slice(1);
    assert.deepEqual(ids, ["tfx-f-3a-0", "tfx-f-3a-0", "tfx-f-3a-0-2", "tfx-f-3a-0-2", "tfx--0", "tfx--0"]);
    assert.equal(conversation.messages[4].content, "two");
  });

  test("arguments become an object that has what the model wrote", () => {
    for (const [args, expected] of [
      ["{id: ", { input: "{id: " }],
      [[7, 8], { input: [7, 8] }],
      [null, {}],
      ['{"id": 7}', { id: 7 }],
    ]) {
      const { conversation, report } = of(hello, withArgs(args), result("c")).repair({ provider: "anthropic" });
      assert.deepEqual(conversation.messages[1].toolCalls[0].args, expected);
      assert.deepEqual(
        report.map(({ index, kind }) => [index, kind]),
        [[1, "invalid_arguments"]],
      );
      const { messages } = of(hello, callPart(args), result("c")).repair({ provider: "anthropic" }).conversation;
      assert.deepEqual(messages[1].content[0].input, expected);
    }
  });

  test("a custom tool of OpenAI takes any text, and Anthropic an object with it", () => {
    const custom = { id: "c", type: "custom", custom: { name: "patch", input: "*** Begin" } };
    const item = { type: "custom_tool_call", call_id: "c", name: "patch", input: "*** Begin" };
    const chat = openai.from([
      hello,
      { role: "assistant", content: null, tool_calls: [custom] },
      { role: "tool", tool_call_id: "c", content: "done" },
    ]);
    const output = { type: "custom_tool_call_output", call_id: "c", output: "done" };
    for (const conversation of [chat, openai.responses.from([hello, item, output])]) {
      assert.deepEqual(kinds(conversation, "openai"), []);
      assert.deepEqual(kinds(conversation, "anthropic"), ["1 invalid_arguments"]);
    }
  });

  test("the name of a called tool is changed in the result too", () => {
    const conversation = of(hello, call("c", "f:<x>"), result("c", "found", "f:<x>"));
    const { messages } = conversation.repair({ provider: "openai" }).conversation;
    assert.deepEqual([messages[1].toolCalls[0].name, messages[2].toolName], ["f__x_", "f__x_"]);
  });

  test("a failed call without a text gets one, and a refused one too", () => {
    const conversation = of(hello, call("c"), { ...result("c", []), isError: true }).append(call("d"), {
      ...result("d", " "),
      isDenied: true,
    });
    const { messages } = conversation.repair({ provider: "anthropic" }).conversation;
    assert.match(messages[2].content, /failed/);
    assert.match(messages[4].content, /refused/);
  });

  test("thinking at the end of an answer is removed, and the answer when it was all", () => {
    const { conversation } = of(hello, said(text("Yes."), thinking), hello, said(thinking), hello).repair({
      provider: "anthropic",
    });
    assert.deepEqual(conversation.messages, [hello, said(text("Yes.")), { role: "user", content: "Hello\n\nHello" }]);
    const called = of(hello, { ...said(thinking), toolCalls: call("c").toolCalls }, result("c"));
    assert.deepEqual(kinds(called, "anthropic"), []);
    assert.deepEqual(kinds(of(hello, said(text("Yes."), { type: "reasoning", text: "hm" })), "anthropic"), []);
  });

  test("the last four marks for the cache stay, in parts, calls, results and messages", () => {
    const mark = { cache_control: { type: "ephemeral" } };
    const options = { providerOptions: { anthropic: { cacheControl: { type: "ephemeral" }, other: 1 } } };
    const { conversation, report } = of(
      { role: "system", content: "Be kind.", ...options },
      hello,
      { role: "assistant", content: null, toolCalls: [{ id: "c", name: "f", args: {}, ...options }] },
      { ...result("c", [{ ...text("found"), ...mark }]), ...options },
      { role: "assistant", content: [{ ...text("Yes."), ...mark }], ...options },
    ).repair({ provider: "anthropic" });
    assert.deepEqual(
      report.map(({ index, kind }) => [index, kind]),
      [[0, "too_many_cache_marks"]],
    );
    assert.deepEqual(conversation.messages[0].providerOptions, { anthropic: { other: 1 } });
    assert.equal(JSON.stringify(anthropic.to(conversation)).split("cache_control").length - 1, 4);
  });

  test("repair for Anthropic makes roles alternate and begin with the user", () => {
    const pinned = { role: "user", content: "Mind this", pinned: true };
    const system = { role: "system", content: "Be kind." };
    const { conversation } = of(system, { role: "assistant", content: "Hi" }, hello, pinned, {
      role: "user",
      content: " ",
    }).repair({
      provider: "anthropic",
    });
    assert.deepEqual(conversation.messages, [
      system,
      { role: "user", content: "(The beginning of the conversation is missing.)" },
      { role: "assistant", content: "Hi" },
      { role: "user", content: "Hello\n\nMind this", pinned: true },
    ]);
  });

  test("repairing random chats leaves no problem, is idempotent, and keeps system messages and pins", () => {
    let changes = 0;
    for (let seed = 1; seed <= share(400); seed++) {
      const { messages } = randomChat(seed);
      const conversation = new Conversation({ messages });
      for (const provider of [undefined, ...PROVIDERS]) {
        const options = provider === undefined ? {} : { provider };
        const { conversation: valid, report } = conversation.repair(options);
        const told = `seed ${seed} for ${provider}: ${JSON.stringify(messages, (_, value) => (typeof value === "bigint" ? String(value) : value))}\n${JSON.stringify(valid, null, 1)}`;
        assert.deepEqual(kinds(valid, provider), [], told);
        assert.equal(valid.repair(options).conversation, valid);
        assert.deepEqual(conversation.repair(options).conversation.messages, valid.messages);
        assert.equal(report.length > 0, conversation.lint(options).length > 0, told);
        for (const { index, kind, change } of report) {
          assert.ok(index >= 0 && index < messages.length && kind !== "" && change !== "");
        }
        const texts = JSON.stringify(valid);
        for (const { role, content, pinned } of messages) {
          if (typeof content !== "string" || content.trim() === "") continue;
          const kept = provider === undefined ? content : content.toWellFormed();
          if (role === "system" || pinned) assert.ok(texts.includes(JSON.stringify(kept).slice(1, -1)), told);
        }
        changes += report.length;
      }
    }
    assert.ok(changes > 500);
  });

  test("a repaired conversation is written in whole pairs", () => {
    for (let seed = 1; seed <= share(300); seed++) {
      const messages = randomChat(seed).messages.filter(hasForm).map(withOutputs);
      const { conversation } = new Conversation({ messages }).repair({ provider: "anthropic" });
      const { messages: written } = anthropic.to(conversation);
      for (const [index, { content }] of written.entries()) {
        const uses = Array.isArray(content) ? content.filter(({ type }) => type === "tool_use") : [];
        const next = written[index + 1]?.content ?? [];
        const answers = Array.isArray(next) ? next.filter(({ type }) => type === "tool_result") : [];
        assert.deepEqual(
          answers.map(({ tool_use_id: id }) => id).sort(),
          uses.map(({ id }) => id).sort(),
          `seed ${seed}`,
        );
      }
      openai.to(conversation);
    }
  });
});

test("mergeRoles refuses invalid messages", () => {
  refuses(() => mergeRoles("Hello"), "invalid_message");
  refuses(() => mergeRoles([hello, { content: "x" }]), "invalid_message", "messages[1].role");
});

test("mergeRoles joins consecutive messages of one role, except system messages, results and messages with different names", () => {
  const image = { type: "image", image: "x" };
  const system = { role: "system", content: "Be kind." };
  const merged = mergeRoles([
    system,
    system,
    { role: "user", content: "Hello", timestamp: 1 },
    { role: "user", content: [image], timestamp: 2, pinned: true },
    { role: "assistant", content: "I look." },
    call("c"),
    result("c"),
    result("d"),
    { role: "user", content: "a", name: "ada" },
    { role: "user", content: "b", name: "bob" },
    { role: "user", content: "c", name: "bob" },
  ]);
  assert.deepEqual(merged, [
    system,
    system,
    { role: "user", content: [{ type: "text", text: "Hello" }, image], timestamp: 2, pinned: true },
    { role: "assistant", content: "I look.", toolCalls: [{ id: "c", name: "f", args: {} }] },
    result("c"),
    result("d"),
    { role: "user", content: "a", name: "ada" },
    { role: "user", content: "b\n\nc", name: "bob" },
  ]);
});

test("mergeRoles of an Agent joins the messages that it sends, not its conversation; it is on for Anthropic", async () => {
  const messages = [hello, { role: "user", content: "Are you there?" }];
  for (const [parameters, expected] of [
    [{}, ["Hello", "Are you there?", "Well?"]],
    [{ mergeRoles: true }, ["Hello\n\nAre you there?\n\nWell?"]],
    [{ provider: "anthropic" }, ["Hello\n\nAre you there?\n\nWell?"]],
    [{ provider: "anthropic", mergeRoles: false }, ["Hello", "Are you there?", "Well?"]],
  ]) {
    const requests = [];
    const llm = (request) => {
      requests.push(request);
      return "Yes.";
    };
    const agent = new Agent({ llm, conversation: of(...messages) });
    await agent.chat("Well?", parameters);
    assert.deepEqual(
      requests[0].messages.map(({ content }) => content),
      expected,
    );
    assert.equal(agent.conversation.messages.length, 4);
  }
  const agent = new Agent({ llm: () => "Yes." });
  await assert.rejects(agent.chat("Well?", { mergeRoles: "yes" }), { code: "invalid_option" });
});
