// What belongs together besides calls of the host's tools and their results: calls that the provider runs, approvals, and
// summaries that the provider made. lint names what is torn, repair removes or completes it.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import {
  Conversation,
  chunked,
  clearToolResults,
  countMessages,
  digest,
  lastNMessages,
  manageHistory,
  planHistory,
  resultTool,
  wholeHistory,
} from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { seeded } from "./random.mjs";

const hello = { role: "user", content: "Hello" };
const bye = { role: "assistant", content: "Bye" };
const parts = (role, ...content) => ({ role, content });
const of = (...messages) => new Conversation({ messages });
const kinds = (conversation) => conversation.lint().map(({ kind, index }) => `${index} ${kind}`);

const serverCall = (id) => ({ type: "server_tool_use", id, name: "web_search", input: { query: "lamps" } });
const serverResult = (id) => ({ type: "web_search_tool_result", tool_use_id: id, content: [] });
const sdkCall = (id) => ({ type: "tool-call", toolCallId: id, toolName: "search", input: {}, providerExecuted: true });
const sdkResult = (id) => ({
  type: "tool-result",
  toolCallId: id,
  toolName: "search",
  output: { type: "json", value: [] },
});
const call = (id) => ({ type: "tool-call", toolCallId: id, toolName: "purge", input: {} });
const request = (id, toolCallId) => ({ type: "tool-approval-request", approvalId: id, toolCallId });
const response = (id, approved = true) => ({ type: "tool-approval-response", approvalId: id, approved });
const text = { type: "text", text: "Found." };

/** A pair of each kind: its call and its result. */
const SERVER_PAIRS = {
  ...Object.fromEntries(
    [
      "web_search",
      "web_fetch",
      "code_execution",
      "bash_code_execution",
      "text_editor_code_execution",
      "tool_search",
      "advisor",
    ].map((name) => [
      name,
      [
        { ...serverCall("s"), name },
        { type: `${name}_tool_result`, tool_use_id: "s", content: { type: `${name}_result` } },
      ],
    ]),
  ),
  mcp: [
    { type: "mcp_tool_use", id: "s", name: "find", server_name: "shop", input: {} },
    { type: "mcp_tool_result", tool_use_id: "s", is_error: false, content: [] },
  ],
  providerExecuted: [sdkCall("s"), sdkResult("s")],
};

suite("pairs other than calls of the host's tools", () => {
  for (const [name, [half, other]] of Object.entries(SERVER_PAIRS)) {
    test(`a call of ${name} stays with its result in a later message`, async () => {
      const history = of(hello, bye, hello, parts("assistant", half), parts("assistant", other, text), hello);
      assert.deepEqual(kinds(history), []);
      for (const keep of [1, 2, 3, 4]) {
        const given = { compressionStrategy: lastNMessages(keep), minMessages: 0, keepAtLeast: 0, when: "always" };
        const plan = planHistory(history, given);
        assert.equal(plan.messages[3].fate, plan.messages[4].fate, `lastNMessages(${keep})`);
        const { report } = await manageHistory(history, { maxHistorySize: keep, startWith: "any" });
        assert.equal(report.messages[3].fate, report.messages[4].fate, `maxHistorySize ${keep}`);
      }
    });

    test(`lint and repair know halves of ${name}`, () => {
      const orphan = of(hello, parts("assistant", other, text), hello);
      assert.deepEqual(kinds(orphan), ["1 orphan_result"]);
      const early = of(hello, parts("assistant", other, text), parts("assistant", half), hello);
      assert.deepEqual(kinds(early), ["1 result_before_call", "2 unanswered_call"]);
      const twice = of(hello, parts("assistant", half, other, other, text), hello);
      assert.deepEqual(kinds(twice), ["1 duplicate_result"]);
      const open = of(hello, parts("assistant", text, half), hello);
      assert.deepEqual(kinds(open), ["1 unanswered_call"]);
      const paused = of(hello, parts("assistant", half));
      assert.deepEqual(kinds(paused), []);
      assert.equal(paused.repair({ provider: "anthropic" }).conversation, paused);
      for (const history of [orphan, early, twice, open]) {
        const { conversation, report } = history.repair();
        assert.deepEqual(kinds(conversation), []);
        assert.ok(kinds(history).every((one) => report.some(({ kind, index }) => one === `${index} ${kind}`)));
        assert.deepEqual(
          conversation.messages[1].content.filter(({ type }) => type === "text"),
          [text],
        );
      }
      assert.deepEqual(twice.repair().conversation.messages[1].content, [half, other, text]);
    });
  }

  test("a response without a request and a request without its call are orphan_approval", () => {
    const history = of(
      hello,
      parts("assistant", text, request("a1", "c1")),
      parts("tool", response("a1"), response("a2")),
      parts("assistant", call("c2"), request("a3", "c2")),
      parts("tool", response("a3")),
    );
    assert.deepEqual(kinds(history), ["1 orphan_approval", "2 orphan_approval"]);
    const { conversation, report } = history.repair();
    assert.deepEqual(kinds(conversation), []);
    assert.deepEqual(conversation.messages, [hello, parts("assistant", text), ...history.messages.slice(3)]);
    assert.deepEqual(
      report.map(({ kind, index }) => `${index} ${kind}`),
      ["1 orphan_approval", "2 orphan_approval", "2 orphan_approval", "2 empty_message"],
    );
  });

  test("approvals between a call and its result do not separate them", () => {
    const history = of(
      hello,
      parts("assistant", call("c1"), request("a1", "c1")),
      parts("tool", response("a1")),
      parts("tool", sdkResult("c1")),
      bye,
    );
    for (const provider of [undefined, "openai", "anthropic"]) {
      assert.deepEqual(history.lint({ provider }), []);
      assert.equal(history.repair({ provider }).conversation, history);
    }
  });

  test("a result in a message of the model answers a call of the host's tools, wherever that is", () => {
    for (const history of [
      of(hello, parts("assistant", call("c1"), sdkResult("c1")), hello),
      of(hello, parts("assistant", call("c1")), parts("assistant", sdkResult("c1"), text), hello),
    ]) {
      assert.deepEqual(kinds(history), []);
      const torn = history.append(parts("assistant", serverResult("s")));
      const { conversation } = torn.repair();
      assert.deepEqual(conversation.messages, history.messages);
    }
  });

  test("a refused call that was never answered gets a result that says so", () => {
    const history = of(
      hello,
      parts("assistant", call("c1"), request("a1", "c1"), call("c2"), request("a2", "c2")),
      parts("tool", { ...response("a1", false), reason: "keep it" }, response("a2")),
      hello,
    );
    assert.deepEqual(kinds(history), ["1 unanswered_call"]);
    const { conversation } = history.repair();
    assert.deepEqual(kinds(conversation), []);
    const results = conversation.messages.filter(({ toolCallId }) => toolCallId !== undefined);
    assert.deepEqual(
      results.map(({ content, isDenied }) => [content.slice(0, 9), isDenied]),
      [
        ["keep it", true],
        ["No result", undefined],
      ],
    );
  });

  test("ids that repair replaces are replaced in approvals too", () => {
    const history = of(
      hello,
      parts("assistant", call("c:1"), request("a1", "c:1")),
      parts("tool", response("a1")),
      parts("tool", sdkResult("c:1")),
      bye,
    );
    const { conversation } = history.repair({ provider: "anthropic" });
    const [first, second] = conversation.messages[1].content;
    assert.equal(first.toolCallId, second.toolCallId);
    assert.notEqual(first.toolCallId, "c:1");
  });

  test("a request to Anthropic may begin with its own summary", async () => {
    const compaction = parts("assistant", { type: "compaction", content: "They greeted each other." }, text);
    const history = of(hello, bye, compaction, hello);
    const { conversation, report } = await manageHistory(history, { maxHistorySize: 2 });
    assert.deepEqual(conversation.messages, [compaction, hello]);
    assert.equal(report.outcome, "trimmed");
    assert.deepEqual(conversation.lint({ provider: "anthropic" }), []);
    assert.deepEqual(anthropic.to(conversation).messages, [compaction, hello]);
    const { total, messages } = countMessages(history.messages);
    assert.deepEqual(messages.slice(0, 2), [0, 0]);
    assert.equal(total, countMessages([compaction, hello]).total);
  });

  test("summaries of providers that the AI SDK returned cover what is before them", async () => {
    const anthropicText = { ...text, providerOptions: { anthropic: { type: "compaction" } } };
    const openaiPart = {
      type: "custom",
      kind: "openai.compaction",
      providerOptions: { openai: { type: "compaction", itemId: "cmp_1", encryptedContent: "x".repeat(9000) } },
    };
    for (const part of [anthropicText, openaiPart]) {
      const history = aiSdk.from([hello, bye, parts("assistant", part), hello]);
      const { conversation, report } = await manageHistory(history, {});
      assert.deepEqual(aiSdk.to(conversation), [parts("assistant", part), hello]);
      assert.ok(report.tokens.after < 1200);
    }
  });

  test("a part before a summary of the provider in the same message is not counted", () => {
    const summary = { type: "compaction", content: "They spoke." };
    const long = { type: "text", text: "word ".repeat(1000) };
    assert.deepEqual(
      countMessages([parts("assistant", long, summary)]).total,
      countMessages([parts("assistant", summary)]).total,
    );
  });
});

suite("random histories with pairs of every kind", () => {
  const ids = ["a", "b", "c"];
  const answers = [
    (id) => serverCall(`s${id}`),
    (id) => serverResult(`s${id}`),
    (id) => sdkCall(`p${id}`),
    (id) => sdkResult(`p${id}`),
    (id) => call(id),
    (id) => request(`q${id}`, id),
    () => text,
  ];
  const replies = [(id) => sdkResult(id), (id, { chance }) => response(`q${id}`, chance(0.5))];

  function history(random) {
    const { below, pick } = random;
    const some = (kinds) => Array.from({ length: 1 + below(3) }, () => pick(kinds)(pick(ids), random));
    const message = () =>
      pick([() => hello, () => parts("assistant", ...some(answers)), () => parts("tool", ...some(replies))])();
    return of(...Array.from({ length: 2 + below(6) }, message));
  }

  const given = { minMessages: 0, keepAtLeast: 0, when: "always" };
  const parameters = [
    ...[0, 1, 2, 3, 4].map((keep) => ({ ...given, compressionStrategy: lastNMessages(keep) })),
    { ...given, compressionStrategy: wholeHistory() },
    { ...given, compressionStrategy: chunked(1) },
    { ...given, compressionStrategy: digest({ keep: 0, atLeast: 0 }) },
    ...[1, 2, 3, 4].map((maxHistorySize) => ({ maxHistorySize, onOverflow: "send" })),
  ];

  test("repair leaves no problem, a second repair changes nothing, and no strategy tears a pair", async () => {
    const onWarning = () => {};
    for (let seed = 0; seed < 300; seed++) {
      const torn = history(seeded(seed));
      const { conversation } = torn.repair();
      const what = `seed ${seed}: ${JSON.stringify(torn.messages)}`;
      assert.deepEqual(kinds(conversation), [], what);
      assert.equal(conversation.repair().conversation, conversation, what);
      for (const one of parameters) {
        const managed = await manageHistory(conversation, one, { llm: async () => "Short.", onWarning });
        assert.deepEqual(kinds(managed.conversation), [], `${JSON.stringify(one)} ${what}`);
      }
    }
  });
});

suite("outcomes", () => {
  const long = "the order service did not answer, and three retries failed too; ".repeat(10);
  const outputs = [
    [
      { type: "error-text", value: long },
      { type: "error-text", value: "[an old result of purge (it failed), cleared]" },
    ],
    [
      { type: "error-json", value: { long } },
      { type: "error-text", value: "[an old result of purge (it failed), cleared]" },
    ],
    [
      { type: "content", isError: true, value: [{ type: "text", text: long }] },
      { type: "error-text", value: "[an old result of purge (it failed), cleared]" },
    ],
    [
      { type: "execution-denied", reason: long },
      { type: "execution-denied", reason: "[an old result of purge (denied), cleared]" },
    ],
    [
      { type: "json", value: { long } },
      { type: "text", value: "[an old result of purge, cleared]" },
    ],
  ];
  for (const [output, cleared] of outputs) {
    test(`a cleared result of type ${output.type} keeps its outcome`, async () => {
      const result = { type: "tool-result", toolCallId: "c1", toolName: "purge", output };
      const history = of(hello, parts("assistant", call("c1")), parts("tool", result), bye, hello);
      const given = { compressionStrategy: clearToolResults({ keep: 0, atLeast: 0 }), minMessages: 0 };
      const { conversation } = await manageHistory(history, given);
      assert.deepEqual(conversation.messages[2].content[0].output, cleared);
    });
  }

  test("recall says that a tool failed or that a call was denied", async () => {
    const because = "because ".repeat(90);
    const result = (id, more) => ({ role: "tool", toolCallId: id, toolName: "purge", content: because, ...more });
    const messages = [
      { role: "assistant", content: null, toolCalls: ["a", "b", "c"].map((id) => ({ id, name: "purge", args: {} })) },
      result("a", { isError: true }),
      result("b", { isDenied: true }),
      result("c"),
    ];
    const recall = resultTool(messages);
    const given = {
      compressionStrategy: digest({ keep: 0, atLeast: 0, handles: true }),
      when: "always",
      minMessages: 0,
      keepAtLeast: 0,
    };
    const { conversation } = await manageHistory(of(hello, ...messages, bye, hello), given);
    const lines = JSON.stringify(conversation.messages[1]);
    assert.match(lines, /purge\(\) → \(it failed\) because.*purge\(\) → \(denied\) because.*purge\(\) → because/);
    assert.deepEqual(
      [...lines.matchAll(/#(\w{6}) /g)].map(([, id]) => recall.run({ id })),
      [`(it failed) ${because}`, `(denied) ${because}`, because],
    );
  });
});

suite("media in texts", () => {
  const png = Buffer.from(Array.from({ length: 60_000 }, (_, index) => (index * 7919) % 251)).toString("base64");
  const holders = {
    "a data URL in a text": { role: "user", content: `see data:image/png;base64,${png} here` },
    "a data URL in a text of JSON": { role: "user", content: JSON.stringify({ shot: `data:image/png;base64,${png}` }) },
    "the image of an MCP result": parts("tool", {
      ...sdkResult("c1"),
      output: { type: "json", value: { content: [{ type: "image", data: png, mimeType: "image/png" }] } },
    }),
    "an MCP result as text": {
      role: "tool",
      toolCallId: "c1",
      content: JSON.stringify({ content: [{ type: "image", data: png, mimeType: "image/png" }] }),
    },
    "a document of web_fetch": parts("assistant", serverCall("s"), {
      type: "web_fetch_tool_result",
      tool_use_id: "s",
      content: {
        type: "web_fetch_result",
        url: "https://a.example",
        content: { type: "document", source: { type: "base64", media_type: "application/pdf", data: png } },
      },
    }),
    "encrypted content": parts("assistant", serverCall("s"), {
      ...serverResult("s"),
      content: [{ type: "web_search_result", title: "A", url: "https://a.example", encrypted_content: png }],
    }),
    "a reasoning file": parts("assistant", { type: "reasoning-file", data: png, mediaType: "image/png" }, text),
    "an output of a code interpreter": parts("assistant", {
      type: "code_interpreter_call",
      id: "ci_1",
      code: "plot()",
      outputs: [{ type: "image", url: `data:image/png;base64,${png}` }],
    }),
    "a computer screenshot": parts("tool", {
      type: "computer_screenshot",
      image_url: `data:image/png;base64,${png}`,
    }),
    "an image with escaped slashes": {
      role: "user",
      content: `{"data":"${png.replaceAll("/", "\\/")}","mimeType":"image\\/png"}`,
    },
  };
  for (const [name, message] of Object.entries(holders)) {
    test(`${name} is an image for counts, and a note for summaries`, () => {
      const { total } = countMessages([message]);
      assert.ok(total > 1000 && total < 1200, String(total));
      const history = of(hello, message, bye, hello);
      const given = { compressionStrategy: wholeHistory(), minMessages: 0, keepAtLeast: 0, when: "always" };
      const { requests } = planHistory(history, given);
      assert.equal(requests.length, 1);
      assert.doesNotMatch(JSON.stringify(requests), /[A-Za-z0-9+/]{200}/);
    });
  }

  test("the length of a text with many data URLs does not matter for the time of a character", () => {
    const short = `data:image/png;base64,${"Ab1+".repeat(20)} ;base64,, "data": "${"A".repeat(70)}`;
    const { messages } = countMessages([{ role: "user", content: short.repeat(20_000) }]);
    assert.ok(messages[0] > 20_000);
  });
});
