// Results as they are sent from the first request on: `arrival`.

import assert from "node:assert/strict";
import { test } from "node:test";
import { Agent, Conversation, clearToolResults, digest, lastNMessages } from "turnfold";
import { manageHistory, planHistory, resultTool } from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { recorded } from "./recorded-chats.mjs";
import { refuses } from "./refuses.mjs";

const call = (id, name, args) => ({ role: "assistant", content: "", toolCalls: [{ id, name, args }] });
const result = (toolCallId, toolName, content) => ({ role: "tool", toolCallId, toolName, content });
const read = (id, path, content) => [call(id, "read", { path }), result(id, "read", content)];

const records = JSON.stringify(
  Array.from({ length: 12 }, (_, id) => ({ id, title: `Issue ${id}`, user: { login: "ada" }, state: "open" })),
  null,
  2,
);
const table = ["12 records:", "id,title,user.login,state"]
  .concat(Array.from({ length: 12 }, (_, id) => `${id},Issue ${id},ada,open`))
  .join("\n");
const lines = (count, from = 1) =>
  Array.from({ length: count }, (_, index) => `const value${from + index} = compute(${from + index});`);
const file = lines(40).join("\n");
const edited = file.replace("compute(20)", "compute(21)");

const contents = (messages) => messages.filter(({ role }) => role === "tool").map(({ content }) => content);

const start = [
  { role: "system", content: "You help." },
  { role: "user", content: "Look." },
];

test("results are sent in shorter forms, and the conversation keeps what the tools returned", async () => {
  const conversation = new Conversation({
    messages: [...start, call("c1", "list", {}), result("c1", "list", records)],
  });
  const managed = await manageHistory(conversation, { arrival: "lossless" });
  assert.deepEqual(contents(managed.messages), [table]);
  assert.equal(managed.conversation, conversation);
  const { before, after } = managed.report.tokens;
  const plain = await manageHistory(conversation, {});
  assert.equal(plain.report.tokens.before, before);
  assert.equal(plain.messages, conversation.messages);
  const alone = new Conversation({ messages: managed.messages });
  assert.equal((await manageHistory(alone, {})).report.tokens.after, after);
  assert.equal(planHistory(conversation, { arrival: "lossless" }).tokens.after, after);
});

test("a list in a result of the AI SDK is a table too", () => {
  const output = { type: "json", value: JSON.parse(records) };
  const messages = [
    { role: "user", content: "Look." },
    { role: "assistant", content: [{ type: "tool-call", toolCallId: "c1", toolName: "list", input: {} }] },
    { role: "tool", content: [{ type: "tool-result", toolCallId: "c1", toolName: "list", output }] },
  ];
  const given = aiSdk.from(messages);
  const plan = (parameters) => planHistory(given, parameters).tokens.after;
  const own = new Conversation({
    messages: [
      { role: "user", content: "Look." },
      call("c1", "list", {}),
      result("c1", "list", JSON.stringify(output.value)),
    ],
  });
  assert.equal(plan({}), planHistory(own, {}).tokens.after);
  assert.equal(plan({ arrival: "lossless" }), planHistory(own, { arrival: "lossless" }).tokens.after);
});

test("lines that an earlier result of the request has are referred to once, and then shown again", async () => {
  const messages = [
    ...start,
    ...read("c1", "a.ts", file),
    ...read("c2", "a.ts", edited),
    ...read("c3", "a.ts", edited),
  ];
  const { messages: sent } = await manageHistory(new Conversation({ messages }), { arrival: "lossless" });
  const [first, second, third] = contents(sent);
  assert.equal(first, file);
  assert.equal(
    second,
    [
      "[19 lines, the same as lines 1-19 of the result of read(a.ts) above, from `const value1 = compute(1);` to `const value19 = compute(19);`; call again to see them here]",
      "const value20 = compute(21);",
      "[20 lines, the same as lines 21-40 of the result of read(a.ts) above, from `const value21 = compute(21);` to `const value40 = compute(40);`; call again to see them here]",
    ].join("\n"),
  );
  assert.equal(third, edited);
});

test("no reference is to what a strategy or a limit has removed", async () => {
  const messages = [...start, ...read("c1", "a.ts", file), ...read("c2", "b.ts", lines(40, 100).join("\n"))];
  messages.push(...read("c3", "a.ts", file));
  const parameters = { arrival: "lossless", when: "always", minMessages: 0, keepAtLeast: 0 };
  const sentWith = async (more) =>
    contents((await manageHistory(new Conversation({ messages }), { ...parameters, ...more }, {})).messages);
  assert.match((await sentWith({})).at(-1), /^\[40 lines/);
  assert.equal((await sentWith({ compressionStrategy: clearToolResults({ keep: 2 }) })).at(-1), file);
  assert.equal((await sentWith({ compressionStrategy: digest({ keep: 1, atLeast: 0 }) })).at(-1), file);
  assert.equal((await sentWith({ maxHistorySize: 6 })).at(-1), file);
});

test("each request begins with the previous one while nothing is folded, also for a host that gives the whole history", async () => {
  for (const { conversation } of recorded.slice(0, 8)) {
    const { messages } = conversation;
    let kept = new Conversation();
    let given = 0;
    let previous = [];
    for (const [index, { role }] of messages.entries()) {
      if (role !== "assistant" || index === 0) continue;
      const fresh = await manageHistory(new Conversation({ messages: messages.slice(0, index) }), {
        arrival: "lossless",
      });
      const { messages: sent, conversation: next } = await manageHistory(kept.append(...messages.slice(given, index)), {
        arrival: "lossless",
      });
      kept = next;
      given = index;
      assert.deepEqual(fresh.messages, sent);
      assert.deepEqual(sent.slice(0, previous.length), previous);
      previous = sent;
    }
  }
});

test("a file is byte for byte what it was, but for the padding of line numbers", async () => {
  const json = JSON.stringify(JSON.parse(records), null, 4);
  const numbered = lines(20).map((line, index) => `${String(index + 1).padStart(6)}\t${line}  `);
  const messages = [
    ...start,
    ...read("c1", "package.json", json),
    call("c2", "shell", { command: "cd app && cat data.json" }),
    result("c2", "shell", json.replaceAll("Issue", "Task")),
    ...read("c3", "b.ts", numbered.join("\n")),
    call("c4", "grep", { pattern: "value", path: "src" }),
    result(
      "c4",
      "grep",
      lines(6)
        .map((line, index) => `src/some/folder/values.ts:${index + 3}:${line}`)
        .join("\n"),
    ),
  ];
  const { messages: sent } = await manageHistory(new Conversation({ messages }), { arrival: "lossless" });
  assert.deepEqual(contents(sent), [
    json,
    json.replaceAll("Issue", "Task"),
    numbered.map((line) => line.trimStart()).join("\n"),
    ["src/some/folder/values.ts", ...lines(6).map((line, index) => `${index + 3}:${line}`)].join("\n"),
  ]);
});

test("pinned messages, failures and results with images keep their form", async () => {
  const content = [
    { type: "tool-result", toolCallId: "c2", toolName: "list", output: { type: "error-text", value: records } },
  ];
  const messages = [
    ...start,
    call("c1", "list", {}),
    { ...result("c1", "list", records), pinned: true },
    call("c2", "list", {}),
    { role: "tool", content },
  ];
  const { messages: sent } = await manageHistory(new Conversation({ messages }), { arrival: { lossless: true } });
  assert.equal(
    sent[3],
    sent.find(({ pinned }) => pinned),
  );
  assert.equal(sent[3].content, records);
  assert.deepEqual(sent[5].content[0].output, { type: "error-text", value: table });
});

test("a long result is shown in part, and the model recalls all of it", async () => {
  const text = lines(900)
    .map((line, index) => `${line} // src/part${index}.ts`)
    .join("\n");
  const requests = [];
  const llm = ({ messages, tools }) => {
    requests.push({ messages: structuredClone(messages), tools: tools.map(({ name }) => name) });
    const last = messages.at(-1);
    if (requests.length === 1) return { toolCalls: [{ id: "c1", name: "read", args: { path: "long.ts" } }] };
    const [, id] = /recall\(\{"id": "(\w+)"\}\)/.exec(last.content) ?? [];
    return id === undefined ? "Done." : { toolCalls: [{ id: "c2", name: "recall", args: { id } }] };
  };
  const tools = { read: { signature: "(path :string) -> :string", run: () => text } };
  const agent = new Agent({ llm, tools, arrival: { above: 4000 } });
  const reply = await agent.chat("Read it.");
  assert.equal(reply.text, "Done.");
  assert.equal(reply.resultReads, 1);
  assert.deepEqual(requests[0].tools, ["read", "recall"]);
  const [shown] = contents(requests[1].messages);
  assert.match(
    shown,
    /^\[the beginning of a result of 900 lines, about \d+ tokens; recall\(\{"id": "\w{6}"\}\) returns all of it\]\nconst value1 /,
  );
  assert.ok(shown.length < 3000, shown);
  assert.match(shown, /\n\[…\]\nnames in the rest: .*src\/part\d/);
  // What is recalled is shown in full, and the conversation has both.
  assert.equal(contents(requests[2].messages).at(-1), text);
  assert.deepEqual(contents(agent.conversation.messages), [text, text]);
  assert.equal(resultTool(agent.conversation).run({ id: /"(\w{6})"/.exec(shown)[1] }), text);
});

test("requests for summaries behind the conversation begin with what was sent", async () => {
  const messages = [
    ...start,
    call("c1", "list", {}),
    result("c1", "list", records),
    { role: "assistant", content: "12." },
  ];
  for (let index = 0; index < 6; index++) {
    messages.push(
      { role: "user", content: `And ${index}? ${"more ".repeat(200)}` },
      { role: "assistant", content: "No." },
    );
  }
  messages.push({ role: "user", content: "Bye." });
  const parameters = {
    arrival: "lossless",
    compressionStrategy: lastNMessages(2),
    minMessages: 0,
    summaryRequest: "behind",
  };
  const conversation = new Conversation({ messages });
  const [{ messages: asked }] = planHistory(conversation, parameters).requests;
  assert.deepEqual(contents(asked), [table]);
});

test("a wrong arrival is refused", async () => {
  const conversation = new Conversation({ messages: start });
  const planned = (arrival) => () => planHistory(conversation, { arrival });
  const { message } = refuses(planned("short"), "invalid_option");
  assert.equal(message, 'arrival must be "lossless" or { lossless, above }, got "short"');
  assert.match(refuses(planned({ above: 0 }), "invalid_option").message, /^arrival\.above must be/);
  assert.match(refuses(planned({ over: 9 }), "invalid_option").message, /arrival has no "over"/);
  const tools = { recall: { signature: "() -> :string", run: () => "" } };
  const agent = new Agent({ llm: () => "", tools });
  await assert.rejects(agent.chat("?", { arrival: { above: 9 } }), { code: "invalid_option", message: /recall/ });
});
