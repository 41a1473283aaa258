// Converts items of OpenAI's Responses API to conversations and back; keeps items together that the API requires together.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { isDeepStrictEqual } from "node:util";
import {
  Conversation,
  chunked,
  clearToolResults,
  digest,
  lastNMessages,
  manageHistory,
  TurnfoldError,
  wholeHistory,
} from "turnfold";
import { detectFormat, readConversation } from "turnfold/audit";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { accepted } from "./formats-module.mjs";
import { approvedCall } from "./message-fixtures.mjs";
import { seeded, share } from "./random.mjs";
import { conversationOf, factsOf } from "./random-messages.mjs";
import { refuses } from "./refuses.mjs";
import { fixtures, randomItems } from "./responses-fixtures.mjs";

const { responses } = openai;

function roundTrips(items) {
  const before = structuredClone(items);
  const conversation = responses.from(items);
  const expected = accepted.responses(items);
  assert.deepStrictEqual(responses.to(conversation), expected);
  assert.deepStrictEqual(items, before);
  const saved = Conversation.fromJSON(JSON.stringify(conversation));
  assert.deepStrictEqual(responses.to(saved), expected);
  assert.deepStrictEqual(responses.to(responses.from(responses.to(conversation))), expected);
  return conversation;
}

/** The id by which an item is paired with another one, or null. */
const pairOf = ({ type, call_id, id, approval_request_id }) =>
  type === "mcp_approval_request" || type === "local_shell_call_output" ? id : (call_id ?? approval_request_id ?? null);
const isResult = ({ type = "" }) => type.endsWith("_output") || type === "mcp_approval_response";
const isAnswer = (item) => item.role === "assistant" || (item.role === undefined && !isResult(item));

/** Checks the rules of the API: calls and results are pairs, and reasoning is directly before the item that followed it. */
function checkAccepted(items, given) {
  const open = new Set();
  for (const item of items) {
    const id = pairOf(item);
    if (id === null) continue;
    if (isResult(item)) assert.ok(open.delete(id), `the result of ${id} has a call`);
    else open.add(id);
  }
  assert.deepEqual([...open], [], "every call has its result");
  const idsOf = (list) => list.map(({ id }) => id).filter((id) => id !== undefined);
  const kept = new Set(idsOf(items));
  // Items after reasoning in one response stay together with it.
  let from = null;
  for (const item of given) {
    if (item.type === "reasoning") from = item;
    else if (!isAnswer(item)) from = null;
    else if (from !== null && item.id !== undefined) {
      assert.equal(kept.has(item.id), kept.has(from.id), `${from.id} and ${item.id} stay together`);
    }
  }
  for (const [index, item] of items.entries()) {
    if (item.type === "reasoning") assert.ok(isAnswer(items[index + 1] ?? { role: "user" }), `${item.id} is followed`);
  }
}

suite("items are converted back unchanged", () => {
  for (const [title, items] of Object.entries(fixtures)) test(title, () => void roundTrips(items));

  test("random runs are converted back unchanged", () => {
    for (let seed = 1; seed <= share(300); seed++) {
      try {
        roundTrips(randomItems(seeded(seed)));
      } catch (error) {
        error.message = `seed ${seed}: ${error.message}`;
        throw error;
      }
    }
  });

  test("a text, a request and a response are accepted in place of items", () => {
    assert.deepEqual(responses.to(responses.from("Hello")), [{ role: "user", content: "Hello" }]);
    const request = { model: "m", instructions: "Be brief.", input: "Hello" };
    const [reply] = fixtures["a turn with reasoning and a call"].filter(({ type }) => type === "message");
    assert.deepEqual(responses.to(responses.from(request)), [
      { role: "system", content: "Be brief." },
      { role: "user", content: "Hello" },
    ]);
    assert.deepEqual(responses.to(responses.from({ object: "response", output: [reply] })), [reply]);
  });

  test("a host's members stay on the messages and are not sent", () => {
    const [message] = responses.from([{ role: "user", content: "x", pinned: true, timestamp: 5 }]).messages;
    assert.deepEqual([message.pinned, message.timestamp], [true, 5]);
    assert.deepEqual(responses.to(new Conversation({ messages: [message] })), [{ role: "user", content: "x" }]);
  });
});

suite("the messages of converted items", () => {
  const messagesOf = (title) => responses.from(fixtures[title]).messages;

  test("reasoning is in one message with the item after it, and results follow", () => {
    const messages = messagesOf("a turn with reasoning and a call");
    assert.deepEqual(
      messages.map(({ role }) => role),
      ["user", "assistant", "tool", "assistant", "user"],
    );
    const [, asked, answered, lastMessage] = messages;
    assert.deepEqual(asked.content[0].text, "I search.\n\nWith care.");
    assert.deepEqual(
      [asked.toolCalls[0].id, asked.toolCalls[0].name, asked.toolCalls[0].args],
      ["c1", "search", { q: "a" }],
    );
    assert.deepEqual(answered, { role: "tool", content: "result of c1", toolCallId: "c1" });
    assert.deepEqual(
      lastMessage.content.map(({ type, text }) => [type, text]),
      [
        ["reasoning", ""],
        ["text", "Found."],
      ],
    );
    assert.deepEqual(responses.from(fixtures["a turn with reasoning and a call"]).lint(), []);
  });

  test("calls of OpenAI's own tools are parts, each with its reasoning, and images are images", () => {
    const types = messagesOf("tools of OpenAI").map(({ content }) =>
      Array.isArray(content) ? content.map(({ type }) => type) : [],
    );
    assert.deepEqual(types[1], ["reasoning", "web_search_call"]);
    assert.deepEqual(types[2].slice(0, 5), [
      "reasoning",
      "file_search_call",
      "code_interpreter_call",
      "image",
      "image_generation_call",
    ]);
  });

  test("calls of computers, shells and patches are calls, and their outputs are results", () => {
    const conversation = responses.from(fixtures["tools that the host runs"]);
    assert.deepEqual(conversation.lint(), []);
    const calls = conversation.messages.flatMap(({ toolCalls = [] }) => toolCalls.map(({ name }) => name));
    assert.deepEqual(calls, [
      "computer_call",
      "computer_call",
      "shell_call",
      "local_shell_call",
      "apply_patch_call",
      "grammar",
      "mcp_approval_request",
      "tool_search_call",
      "program",
      "search",
      "future_call",
    ]);
    const results = conversation.messages.filter(({ role }) => role === "tool");
    assert.equal(results[0].content[0].type, "image");
    assert.equal(results[2].content, "a\n");
    assert.equal(results[4].content, "no such file");
  });

  test("a compaction item replaces what is before it, and instructions to the server are system messages", async () => {
    const [tools, compaction] = messagesOf("what is for the server");
    assert.deepEqual([tools.role, compaction.role], ["system", "assistant"]);
    for (const type of ["compaction", "compaction_summary"]) {
      const items = [
        { role: "user", content: "Where is order 17?" },
        { role: "assistant", content: "It is on its way." },
        { type, id: "cmp_1", encrypted_content: "secret" },
        { role: "user", content: "And order 18?" },
      ];
      const { conversation, report } = await manageHistory(responses.from(items), {});
      assert.deepEqual(responses.to(conversation), items.slice(2));
      assert.deepEqual(
        report.messages.map(({ fate, reason, tokens }) => `${fate} ${reason} ${tokens > 0}`),
        ["dropped compaction false", "dropped compaction false", "kept compaction true", "kept pending true"],
      );
      assert.doesNotMatch(
        JSON.stringify(conversation.messages.map(({ content }) => content[0].encrypted_content)),
        /secret/,
      );
    }
  });

  test("the refusal of a call of an MCP server stays one, also when it is cleared", async () => {
    const items = [
      { role: "user", content: "Delete them." },
      { type: "mcp_approval_request", id: "mcpr_1", name: "purge", server_label: "shop", arguments: "{}" },
      {
        type: "mcp_approval_response",
        approval_request_id: "mcpr_1",
        approve: false,
        reason: "They are needed until the end of the year, and perhaps longer, says the head of the shop.",
      },
      { role: "assistant", content: "I keep them." },
      { role: "user", content: "Thank you." },
    ];
    const conversation = responses.from(items);
    assert.deepEqual(responses.to(conversation), items);
    assert.equal(conversation.messages[2].isDenied, true);
    const given = { compressionStrategy: clearToolResults({ keep: 0, atLeast: 0 }), minMessages: 0 };
    const { conversation: cleared } = await manageHistory(conversation, given);
    assert.equal(cleared.messages[2].content, "[an old result of mcp_approval_request (denied), cleared]");
    const { approve, approval_request_id: id } = responses.to(cleared)[2];
    assert.deepEqual([approve, id], [false, "mcpr_1"]);
  });

  test("plain items have no member original", () => {
    const items = [
      { role: "system", content: "Be brief." },
      { role: "user", content: [{ type: "input_text", text: "Find" }] },
      { type: "function_call", call_id: "c", name: "f", arguments: '{"a":1}' },
      { type: "function_call_output", call_id: "c", output: "x" },
      { role: "assistant", content: "Done." },
    ];
    assert.doesNotMatch(JSON.stringify(roundTrips(items)), /"original"/);
  });
});

suite("strategies keep paired items together", () => {
  const llm = async () => "They searched for a.";
  const strategies = {
    maxHistorySize: { maxHistorySize: 6 },
    maxTokens: { maxTokens: 400, onOverflow: "send" },
    lastNMessages: { compressionStrategy: lastNMessages(3), minMessages: 0 },
    wholeHistory: { compressionStrategy: wholeHistory(), minMessages: 0 },
    chunked: { compressionStrategy: chunked(3), minMessages: 0 },
    digest: { compressionStrategy: digest(), when: "always", minMessages: 0 },
    clearToolResults: { compressionStrategy: clearToolResults({ keep: 1, atLeast: 0 }), minMessages: 0 },
  };
  for (const [name, parameters] of Object.entries(strategies)) {
    test(name, async () => {
      let changed = 0;
      for (let seed = 1; seed <= 60; seed++) {
        const items = randomItems(seeded(seed));
        if (items.length === 0) continue;
        const { conversation, report } = await manageHistory(responses.from(items), parameters, {
          llm,
          onWarning() {},
        });
        if (report.outcome === "applied" || report.outcome === "trimmed") changed++;
        try {
          checkAccepted(responses.to(conversation), items);
        } catch (error) {
          error.message = `seed ${seed}: ${error.message}\n${JSON.stringify(responses.to(conversation), null, 1)}`;
          throw error;
        }
      }
      assert.ok(changed > 3, `it changed ${changed} runs`);
    });
  }

  test("a cleared result has the form that the API requires", async () => {
    const items = [...fixtures["tools that the host runs"], { role: "user", content: "Go on" }];
    const conversation = responses.from(items);
    const cleared = conversation.messages.map((message) =>
      message.role === "tool" ? { ...message, content: "[cleared]" } : message,
    );
    const sent = responses.to(new Conversation({ messages: cleared }));
    const outputs = Object.fromEntries(sent.filter(isResult).map((item) => [pairOf(item), item]));
    assert.match(outputs.c1.output.image_url, /^data:image\/png;base64,.{80,110}$/);
    assert.deepEqual(outputs.c1.acknowledged_safety_checks, []);
    assert.equal(outputs.c3.output[0].stdout, "[cleared]");
    assert.equal(outputs.c3.max_output_length, 100);
    assert.deepEqual(outputs.c4, { type: "local_shell_call_output", id: "c4", output: "[cleared]" });
    assert.deepEqual([outputs.c5.status, outputs.c5.output], ["failed", "[cleared]"]);
    assert.equal(outputs.c6.output, "[cleared]");
    assert.equal(outputs.ma1.approve, true);
    assert.deepEqual(outputs.c7.tools, []);
    assert.equal(outputs.c8.result, "[cleared]");
    checkAccepted(sent, items);
  });
});

suite("edited messages", () => {
  const items = fixtures["calls at once, and texts around them"];
  const edit = (change) => {
    const { messages } = responses.from(items);
    return responses.to(new Conversation({ messages: messages.map(change) }));
  };

  test("calls and texts keep the members that were not edited", () => {
    const sent = edit((message) =>
      message.role === "assistant" && message.toolCalls?.length === 2
        ? {
            ...message,
            content: message.content.map((part) => (part.type === "text" ? { ...part, text: "I see." } : part)),
            toolCalls: message.toolCalls.map((call) => ({ ...call, args: { q: "b" } })),
          }
        : message,
    );
    const expected = structuredClone(items);
    expected[2].content[0].text = "I see.";
    for (const call of expected.slice(3, 5)) call.arguments = '{"q":"b"}';
    assert.deepEqual(sent, accepted.responses(expected));
  });

  test("an answer whose reasoning was removed loses its ids", () => {
    const sent = edit((message) =>
      Array.isArray(message.content)
        ? { ...message, content: message.content.filter(({ type }) => type !== "reasoning") }
        : message,
    );
    assert.equal(
      sent.some(({ id }) => id === "fc_c1" || id === "m1"),
      false,
    );
    assert.ok(sent.some(({ id }) => id === "fc_c3"));
  });

  test("a citation is removed with its text", () => {
    const [message] = responses.from(fixtures["texts with citations, refusals, several parts"]).messages;
    const content = message.content.map((part) => (part.text === undefined ? part : { ...part, text: "Edited." }));
    const [sent] = responses.to(new Conversation({ messages: [{ ...message, content }] }));
    assert.deepEqual(
      sent.content.map(({ text }) => text),
      ["Edited.", "Edited.", undefined],
    );
    assert.equal(sent.id, "m1");
  });
});

suite("items that the API refuses", () => {
  test("reasoning without an item after it is omitted", () => {
    const [, reasoning] = fixtures["a turn with reasoning and a call"];
    const user = { role: "user", content: "x" };
    assert.deepEqual(responses.to(responses.from([user, reasoning, user])), [user, user]);
    assert.deepEqual(responses.to(responses.from([user, reasoning])), [user]);
  });

  test("long ids are shortened consistently, missing ids are generated, and big integers become text", () => {
    const id = "x".repeat(80);
    const messages = [
      { role: "assistant", content: null, toolCalls: [{ id, name: "f", args: { n: 2n ** 60n } }] },
      { role: "tool", toolCallId: id, content: "x" },
      { role: "assistant", content: null, toolCalls: [{ id: "", name: "f", args: {} }] },
      { role: "tool", toolCallId: "", toolName: "f", content: "x" },
    ];
    const [call, result, second, last] = responses.to(new Conversation({ messages }));
    assert.equal(call.call_id.length, 40);
    assert.equal(call.call_id, result.call_id);
    assert.equal(call.arguments, '{"n":"1152921504606846976"}');
    assert.equal(second.call_id, last.call_id);
    assert.notEqual(second.call_id, "");
  });
});

suite("from one provider to another", () => {
  for (const [name, format] of Object.entries({ openai, anthropic, aiSdk })) {
    test(`${name} to items and back: texts, calls, answers and images stay`, () => {
      for (let seed = 1; seed <= share(150); seed++) {
        const neutral = format.from(conversationOf[name](seeded(seed)));
        const items = responses.to(neutral);
        checkAccepted(items, []);
        assert.deepEqual(factsOf(responses.from(items).messages), factsOf(neutral.messages), `seed ${seed}`);
      }
    });

    test(`items to ${name}`, () => {
      const items = fixtures["a turn with reasoning and a call"];
      const there = format.from(format.to(responses.from(items)));
      assert.deepEqual(factsOf(there.messages), factsOf(responses.from(items).messages));
      const searched = responses.from(fixtures["tools of OpenAI"]);
      refuses(() => format.to(searched), "unsupported_part", "messages[1].content[1]");
    });
  }

  test("messages that items can't express are refused", () => {
    const audio = { role: "user", content: [{ type: "file", data: "UklGRg==", mediaType: "audio/wav" }] };
    const image = { role: "assistant", content: [{ type: "image", image: "iVBORw0KGgo" }] };
    for (const message of [audio, image]) {
      const conversation = new Conversation({ messages: [message] });
      refuses(() => responses.to(conversation), "unsupported_part", "messages[0].content[0]");
    }
  });
});

test("cache marks are at the end of messages and results", () => {
  const [search] = fixtures["a turn with reasoning and a call"];
  const items = [
    { role: "system", content: "Be brief." },
    search,
    ...fixtures["a turn with reasoning and a call"].slice(1, 4),
  ];
  const marked = responses.to(responses.from(items), { cache: {} });
  const mark = { mode: "explicit" };
  assert.deepEqual(marked[0].content, [{ type: "input_text", text: "Be brief.", prompt_cache_breakpoint: mark }]);
  assert.deepEqual(marked.at(-1).output, [{ type: "input_text", text: "result of c1", prompt_cache_breakpoint: mark }]);
});

test("invalid items are refused with their path", () => {
  const wrong = [
    [5, "input"],
    [null, "input"],
    [{}, "input"],
    [{ input: 5 }, "input"],
    [["x"], "input[0]"],
    [[{}], "input[0]"],
    [[{ type: "message", content: "x" }], "input[0].role"],
    [[{ role: "user" }], "input[0].content"],
    [[{ role: "user", content: ["x"] }], "input[0].content[0]"],
    [[{ role: "user", content: [{ type: "input_text" }] }], "input[0].content[0].text"],
    [[{ role: "user", parts: [] }], "input[0].content"],
    [[{ type: "function_call", name: "f", arguments: "{}" }], "input[0].call_id"],
    [[{ type: "function_call", call_id: "c", arguments: "{}" }], "input[0].name"],
    [[{ type: "function_call", call_id: "c", name: "f", arguments: {} }], "input[0].arguments"],
    [[{ type: "function_call_output", output: "x" }], "input[0].call_id"],
    [[{ type: "function_call_output", call_id: "c" }], "input[0].output"],
    [[{ role: "assistant", content: "x", toolCalls: [] }], "input[0].toolCalls"],
    [{ output: [{ role: "assistant", content: 5 }] }, "output[0].content"],
    [{ input: [{ role: "user", content: "x", at: () => 1 }] }, "input[0].at"],
    [{ output: [{ role: "assistant", content: "x", at: new Map() }] }, "output[0].at"],
    [{ input: "x", instructions: [{ role: "system", content: Symbol("x") }] }, "instructions[0].content"],
    [new Map(), "input"],
  ];
  for (const [items, path] of wrong) refuses(() => responses.from(items), "invalid_message", path);
  const tool = new Conversation({ messages: [{ role: "tool", content: "x" }] });
  refuses(() => responses.to(tool), "invalid_message", "messages[0].toolCallId");
});

test("from reads only the items and the instructions of a request", () => {
  const request = { model: "m", input: "Hello", instructions: "Be brief.", tools: [{ execute() {} }] };
  assert.deepEqual(
    responses.from(request).messages.map(({ content }) => content),
    ["Be brief.", "Hello"],
  );
});

test("an invalid value in any place is refused with a TurnfoldError, or converted back", () => {
  const junk = [null, undefined, 5, "", "x", [], {}, [null], [{}], true, { type: "x" }];
  const placesIn = (value) =>
    typeof value !== "object" || value === null
      ? []
      : Object.keys(value).flatMap((key) => [[value, key], ...placesIn(value[key])]);
  const counts = { refused: 0, same: 0, mended: 0 };
  const values = share(2000);
  for (let seed = 1; seed <= values; seed++) {
    const random = seeded(seed);
    const items = structuredClone(random.chance(0.5) ? random.pick(Object.values(fixtures)) : randomItems(random));
    const places = placesIn(items);
    if (places.length === 0) continue;
    const [holder, key] = random.pick(places);
    if (random.chance(0.3) && !Array.isArray(holder)) delete holder[key];
    else holder[key] = structuredClone(random.pick(junk));
    const before = structuredClone(items);
    try {
      const conversation = responses.from(items);
      conversation.lint();
      const isSame = isDeepStrictEqual(responses.to(conversation), accepted.responses(before));
      counts[isSame ? "same" : "mended"]++;
      detectFormat(items);
    } catch (error) {
      assert.ok(TurnfoldError.isInstance(error), `seed ${seed}: ${error.stack}`);
      counts.refused++;
    }
  }
  assert.ok(
    counts.same > values / 7 && counts.refused > values / 7 && counts.mended < values / 30,
    JSON.stringify(counts),
  );
});

test("tens of thousands of items are converted", () => {
  const round = (number) => [
    { role: "user", content: "x" },
    { type: "reasoning", id: `rs${number}`, summary: [], encrypted_content: "x" },
    { type: "function_call", id: `fc${number}`, call_id: `c${number}`, name: "f", arguments: "{}" },
    { type: "function_call_output", call_id: `c${number}`, output: "x" },
  ];
  const items = Array.from({ length: 5000 }, (_, number) => round(number)).flat();
  assert.equal(responses.to(responses.from(items)).length, items.length);
});

test("approvals of calls are dropped, also when a message has nothing else", () => {
  const call = { type: "function_call", call_id: "c1", name: "look", arguments: "{}" };
  assert.deepEqual(responses.to(aiSdk.from(approvedCall)), [
    { role: "user", content: "Look." },
    call,
    { type: "function_call_output", call_id: "c1", output: "It is lit." },
  ]);
});

test("refusals and transcripts beside the content of chat completions are answers", () => {
  const call = { id: "c1", type: "function", function: { name: "f", arguments: "{}" } };
  const said = (more) => responses.to(openai.from([{ role: "assistant", content: null, ...more }]));
  const no = { role: "assistant", content: "No." };
  assert.deepEqual(said({ refusal: "No." }), [no]);
  assert.deepEqual(said({ audio: { id: "a", transcript: "No." } }), [no]);
  assert.deepEqual(said({ content: [{ type: "text", text: "Hm." }], refusal: "No.", tool_calls: [call] }), [
    { role: "assistant", content: "Hm." },
    no,
    { type: "function_call", call_id: "c1", name: "f", arguments: "{}" },
  ]);
  refuses(() => said({ audio: { id: "a" } }), "unsupported_part");
});

test("an empty message of the role tool, as of the AI SDK, is omitted", () => {
  const [question, asked, , result] = approvedCall;
  const conversation = aiSdk.from([question, asked, { role: "tool", content: [] }, result]);
  assert.deepEqual(responses.to(conversation), responses.to(aiSdk.from(approvedCall)));
  assert.deepEqual(anthropic.to(conversation), anthropic.to(aiSdk.from(approvedCall)));
});

test("detectFormat recognizes items, requests and responses", () => {
  for (const [title, items] of Object.entries(fixtures)) {
    const isPlain = title === "no items" || title === "empty texts";
    if (!isPlain) assert.equal(detectFormat(items), "openai-responses", title);
  }
  const items = fixtures["a turn with reasoning and a call"];
  assert.equal(detectFormat({ model: "m", input: items }), "openai-responses");
  assert.equal(detectFormat({ object: "response", output: items.slice(1) }), "openai-responses");
  assert.equal(detectFormat([{ role: "user", content: "Hello" }]), "openai");
  assert.equal(detectFormat([...items, { role: "tool", tool_call_id: "c", content: "x" }]), null);
  assert.equal(detectFormat({ input: "Hello" }), null);
});

test("readConversation reads recordings of items", () => {
  const items = fixtures["calls at once, and texts around them"];
  const { format, conversation } = readConversation(items.map((item) => JSON.stringify(item)).join("\n"));
  assert.equal(format, "openai-responses");
  assert.deepEqual(conversation.messages, responses.from(items).messages);
});
