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

test("audit prints the estimated cost, a table of strategies and one recommendation for a chat without usage", () => {
  const { status, stdout, stderr } = turnfold(["audit", coding]);
  assert.deepEqual([status, stderr], [0, ""]);
  assert.match(stdout, /^.*coding\.json: no price known, estimated, \d+ requests, [\d,]+ tokens of input \(/);
  assert.match(stdout, /^- No usage was recorded: tokens are estimates/m);
  assert.match(stdout, /^none +[\d,]+ +[\d,]+ +[\d,]+ +0 of \d+ +0$/m);
  assert.match(stdout, /^digest\(\) +[\d,]+ +[\d,]+ +[−+]?\d+ % /m);
  assert.match(stdout, /^Recommended: \S/m);
  assert.match(stdout, /^What fills the requests, by tool:\n\ntool +calls/m);
});

test("the first line is what was billed for recorded usage, by the price of the model", () => {
  const usage = (read, written, output) => ({
    input_tokens: 0,
    cache_read_input_tokens: read,
    cache_creation_input_tokens: written,
    output_tokens: output,
  });
  const line = (type, message, at) => JSON.stringify({ type, sessionId: "s", uuid: `u${at}`, timestamp: at, message });
  const text = [
    line("user", { role: "user", content: "Hi" }, "2026-01-01T10:00:00Z"),
    line(
      "assistant",
      {
        id: "m1",
        model: "claude-sonnet-4-5",
        role: "assistant",
        content: "Hello",
        usage: usage(0, 1_000_000, 200_000),
      },
      "2026-01-01T10:00:05Z",
    ),
  ].join("\n");
  const { stdout } = turnfold(["audit", "-"], text);
  // Above 200,000 tokens of input Sonnet 4.5 costs 7.5 for a million written tokens and 22.5 for one of output.
  assert.match(
    stdout,
    /^-: \$12\.00 billed, 1 request, 1,000,000 tokens of input \(0 read from the cache, 1,000,000 written/,
  );
  assert.match(stdout, /^Read as a session of Claude Code: one chat\.$/m);
  const given = turnfold(["audit", "-", "--prices", '{"input":1,"cacheWrite":2,"output":10}'], text);
  assert.match(given.stdout, /^-: \$4\.00 billed/);
  assert.match(given.stdout, /^- Prices are those that were given\.$/m);
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
  assert.match(stdout, /estimated, 2 requests, /);
  assert.match(stdout, /^Recommended: change nothing$/m);
});

test("audit says which lines it skipped, and refuses a file without a request", () => {
  const lines = ['{"role":"user","content":"Hello"}', "{cut", '{"role":"assistant","content":"Hello to you."}'];
  const { status, stdout, stderr } = turnfold(["audit", "-"], lines.join("\n"));
  assert.deepEqual([status, stderr], [0, "turnfold: -: line 2 is no JSON, and was skipped\n"]);
  assert.match(stdout, /estimated, 1 request, /);
  const empty = turnfold(["audit", "-"], lines[0]);
  assert.equal(empty.status, 2);
  assert.match(empty.stderr, /- has no request: no reply of a model/);
});

test("--json prints everything, --strategy leaves those whose code has the text", () => {
  const { status, stdout } = turnfold([
    "audit",
    coding,
    "--json",
    "--prices",
    '{"input":2}',
    "--strategy",
    "clearToolResults",
  ]);
  assert.equal(status, 0);
  const { file, unit, requests, strategies, billed } = JSON.parse(stdout);
  assert.deepEqual([file, unit], [coding, "dollars"]);
  assert.ok(requests.length > 5 && billed.requests === requests.length);
  assert.deepEqual(
    strategies.map(({ code }) => code),
    ["none", 'compressionStrategy: clearToolResults({ keep: 3, names: 80 }), when: "worthIt"'],
  );
  assert.ok(strategies.every(({ requests: { cost } }) => cost.length === requests.length));
});

test("audit reads a saved step, and standard input with -", async () => {
  const file = join(folder, "step.json");
  writeFileSync(file, JSON.stringify(await recordedStep(missions[0])));
  assert.match(turnfold(["audit", file]).stdout, /estimated, 5 requests.*^compression: "journal" /ms);
  const input = '{"role":"user","content":"Hi"}\n{"role":"assistant","content":"Hello"}\n';
  assert.match(turnfold(["audit", "-"], input).stdout, /-: .* 1 request, /);
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
  assert.match(turnfold(["audit", "-"], input).stdout, /^-: .* 3 requests, .*: 2 chats\.$/ms);
  assert.match(turnfold(["audit", "-", "--chat", "2"], input).stdout, /^-, chat 2: .* 2 requests, /);
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
    /there is no strategy with "best".*\n {2}compressionStrategy: digest\(\)\n/,
  );
  assert.match(failure("audit", coding, "--prices", "cheap")[1], /prices/);
  assert.match(failure("audit", coding, "--prices", "{")[1], /is no JSON/);
  assert.match(failure("audit", coding, "--fast")[1], /Unknown option '--fast'\n\nturnfold audit FILE/);
  assert.match(failure("audit", coding, "--chat", "2")[1], /there is no chat 2: .*coding\.json holds one chat\n$/);
  assert.match(failure("audit", coding, "--chat", "x")[1], /there is no chat x/);
  assert.match(failure("audit", folder, "--chat", "2")[1], /--chat and --strategy are for one file/);
  assert.match(failure()[1], /there is no command\n\nturnfold audit FILE/);
  assert.match(failure("measure")[1], /there is no command "measure"\n\nturnfold audit FILE/);
  assert.match(failure("audit")[1], /audit takes a file, a folder or --all\n\nturnfold audit FILE/);
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
