// The command line: `npx turnfold audit FILE`.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { Agent } from "turnfold";
import { missions, recordedStep } from "../../benches/js/missions.mjs";

const command = fileURLToPath(new URL("../../js/cli/turnfold.mjs", import.meta.url));
const coding = fileURLToPath(new URL("../chats/recorded/coding.json", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "turnfold-audit-"));
after(() => rmSync(folder, { recursive: true }));

const turnfold = (args, input = "") => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], { input, encoding: "utf8" });
  return { status, stdout, stderr };
};

test("audit prints a table for a recorded chat, with its most expensive losses", () => {
  const { status, stdout, stderr } = turnfold(["audit", coding]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /coding\.json: \d+ messages, \d+ requests; tokens are estimated/);
  assert.match(stdout, /^none +[\d,]+ +100 % +[\d,]+ +100 % +100 %/m);
  assert.match(stdout, /^digest, worthIt +[\d,]+ +\d+ %/m);
  assert.match(stdout, /The most expensive losses of "[^"]+"/);
  assert.match(stdout, /^ {2}request \d+ needed .+: messages? \d+.*, [\d,]+ tokens$/m);
});

test("audit reads the conversation of an Agent, saved as in the quickstart", async () => {
  const agent = new Agent({
    tools: { order: ["(id :int) -> :string", () => "sent"] },
    llm: ({ messages }) =>
      messages.at(-1).role === "tool" ? "It was sent." : { toolCalls: [{ id: "c1", name: "order", args: { id: 17 } }] },
  });
  await agent.chat("Where is my order 17?");
  const { status, stdout } = turnfold(["audit", "-"], JSON.stringify(agent.conversation));
  assert.equal(status, 0);
  assert.match(stdout, /: 4 messages, 2 requests; tokens are estimated/);
  assert.match(stdout, /^digest, worthIt +\d+ +100 % .* 100 %/m);
});

test("audit says which lines it skipped, and refuses a file without a request", () => {
  const lines = ['{"role":"user","content":"Hello"}', "{cut", '{"role":"assistant","content":"Hello to you."}'];
  const { status, stdout, stderr } = turnfold(["audit", "-"], lines.join("\n"));
  assert.deepEqual([status, stderr], [0, "turnfold: -: line 2 is no JSON, and was skipped\n"]);
  assert.match(stdout, /: 2 messages, 1 request;/);
  const empty = turnfold(["audit", "-"], lines[0]);
  assert.equal(empty.status, 2);
  assert.match(empty.stderr, /has 1 message and no request: no reply of a model/);
});

test("--json prints the figures for the given --prices and --strategy", () => {
  const prices = ["--prices", "deepseek", "--prices", '{"input":2}'];
  const { status, stdout } = turnfold(["audit", coding, "--json", ...prices, "--strategy", "clear results, keep 3"]);
  assert.equal(status, 0);
  const { kind, requests, results } = JSON.parse(stdout);
  assert.equal(kind, "chat");
  assert.ok(requests > 5);
  assert.deepEqual(
    results.map(({ prices }) => prices),
    ["deepseek", { input: 2 }],
  );
  for (const { strategies } of results) {
    assert.deepEqual(
      strategies.map(({ name }) => name),
      ["none", "clear results, keep 3"],
    );
    assert.ok(strategies[1].tokens < strategies[0].tokens);
  }
});

test("audit reads a saved step, and standard input with -", async () => {
  const file = join(folder, "step.json");
  writeFileSync(file, JSON.stringify(await recordedStep(missions[0])));
  assert.match(turnfold(["audit", file]).stdout, /5 turns, 5 requests.*^journal /ms);
  const input = '{"role":"user","content":"Hi"}\n{"role":"assistant","content":"Hello"}\n';
  assert.match(turnfold(["audit", "-"], input).stdout, /-: 2 messages, 1 request;/);
});

test("--chat selects a chat of a file with several", () => {
  const message = (id, role, text) => ({ id, author: { role }, content: { content_type: "text", parts: [text] } });
  const exported = (...texts) => ({
    title: texts[0],
    current_node: String(texts.length - 1),
    mapping: Object.fromEntries(
      texts.map((text, index) => [
        String(index),
        {
          id: String(index),
          message: message(String(index), index % 2 === 0 ? "user" : "assistant", text),
          parent: index === 0 ? null : String(index - 1),
          children: index === texts.length - 1 ? [] : [String(index + 1)],
        },
      ]),
    ),
  });
  const input = JSON.stringify([exported("Hi", "Hello"), exported("One", "Two", "Three", "Four")]);
  assert.match(turnfold(["audit", "-"], input).stdout, /^-, chat 1 of 2: 2 messages, 1 request;/);
  assert.match(turnfold(["audit", "-", "--chat", "2"], input).stdout, /^-, chat 2 of 2: 4 messages, 2 requests;/);
  assert.match(turnfold(["audit", "-", "--chat", "3"], input).stderr, /there is no chat 3: - holds 2 chats\n$/);
});

test("errors are printed without a stack trace", () => {
  const broken = join(folder, "broken.jsonl");
  writeFileSync(broken, "nonsense\nnonsense");
  const failure = (...args) => {
    const { status, stdout, stderr } = turnfold(args);
    assert.equal(stdout, "");
    assert.doesNotMatch(stderr, /\n {4}at /);
    return [status, stderr];
  };
  assert.deepEqual(failure("audit", join(folder, "none.json")), [
    2,
    `turnfold: ${join(folder, "none.json")} can't be read: there is no such file\n`,
  ]);
  const [status, message] = failure("audit", broken);
  assert.deepEqual([status, message.split("\n")[0]], [1, "turnfold: the recording can't be read: no line is JSON"]);
  assert.match(
    failure("audit", coding, "--strategy", "best")[1],
    /there is no strategy "best".*\n {2}clear results, keep 3\n/,
  );
  assert.match(failure("audit", coding, "--prices", "cheap")[1], /prices/);
  assert.match(failure("audit", coding, "--prices", "{")[1], /is no JSON/);
  assert.match(failure("audit", coding, "--fast")[1], /Unknown option '--fast'\n\nturnfold audit FILE/);
  assert.match(failure("audit", coding, "--chat", "2")[1], /there is no chat 2: .*coding\.json holds one chat\n$/);
  assert.match(failure("audit", coding, "--chat", "x")[1], /there is no chat x/);
  assert.match(failure("audit", folder)[1], /can't be read: it is a folder\n$/);
  assert.match(failure()[1], /there is no command\n\nturnfold audit FILE/);
  assert.match(failure("measure")[1], /there is no command "measure"\n\nturnfold audit FILE/);
  assert.match(failure("audit")[1], /audit takes one file, got 0\n\nturnfold audit FILE/);
  assert.match(failure("audit", coding, coding)[1], /audit takes one file, got 2\n\nturnfold audit FILE/);
  assert.match(turnfold(["--help"]).stdout, /--prices/);
});

test("control characters of a recording, and of the name of its file, do not reach the terminal", () => {
  const title = "\x1b]0;owned\x07";
  const messages = [
    { role: "user", content: `Read it ${title}` },
    { role: "assistant", content: "", toolCalls: [{ id: "1", name: "read", args: {} }] },
    { role: "tool", toolCallId: "1", toolName: "read", content: `id_9\x9b31m\u202ec ${"word ".repeat(2000)}` },
    ...["2", "3", "4", "5"].flatMap((id) => [
      { role: "assistant", content: "", toolCalls: [{ id, name: "read", args: {} }] },
      { role: "tool", toolCallId: id, toolName: "read", content: "word ".repeat(2000) },
      { role: "assistant", content: "Done." },
      { role: "user", content: "And now?" },
    ]),
    { role: "assistant", content: "", toolCalls: [{ id: "6", name: "read", args: { id: "id_9\x9b31m\u202ec" } }] },
  ];
  const file = join(folder, "escapes\x1b[31m.json");
  writeFileSync(file, JSON.stringify(messages));
  const unreadable = join(folder, "unreadable.json");
  writeFileSync(unreadable, JSON.stringify([{ role: `user${title}`, parts: 5 }]));
  const outputs = [
    turnfold(["audit", file]),
    turnfold(["audit", file, "--json"]),
    turnfold(["audit", unreadable]),
    turnfold(["audit", `missing${title}`]),
    turnfold([`other${title}`]),
  ];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are looked for.
  for (const { stdout, stderr } of outputs) assert.doesNotMatch(stdout + stderr, /[\0-\x09\x0b-\x1f\x7f-\x9f\u202e]/);
  assert.match(outputs[0].stdout, /needed id_9\\u009b31m\\u202ec/);
  assert.equal(JSON.parse(outputs[1].stdout).file, file);
});
