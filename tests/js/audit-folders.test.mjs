// `npx turnfold audit FOLDER`: many recordings, each request of which is billed once, and the page that shows them.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";
import { audit, readConversation } from "turnfold/audit";
import { plotsOf } from "../../js/cli/report.mjs";
import { costsOf } from "../../js/cli/session-facts.mjs";
import { visible, withoutSecrets } from "../../js/cli/terminal.mjs";

const command = fileURLToPath(new URL("../../js/cli/turnfold.mjs", import.meta.url));
const root = mkdtempSync(join(tmpdir(), "turnfold-folders-"));
after(() => rmSync(root, { recursive: true }));

function turnfold(args, env = {}) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [command, ...args], {
    encoding: "utf8",
    env: { ...process.env, ...env },
  });
  return { status, stdout, stderr };
}

const audited = (...args) => {
  const { status, stdout, stderr } = turnfold(["audit", "--json", ...args]);
  assert.equal(status, 0, stderr);
  return JSON.parse(stdout);
};

/** A folder of its own for a test, with these files. */
function folderOf(files) {
  const folder = mkdtempSync(join(root, "case-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const PRICE = { input: 5, output: 25 };
const DAY = 86_400_000;

/** The lines of a session of Claude Code: exchanges with these ids, each with the recorded usage of its request. */
function session(
  ids,
  { at = Date.parse("2026-02-01"), model = "claude-opus-4-6", question = "Where is my lamp?" } = {},
) {
  const lineOf = (type, message, index) => ({
    type,
    sessionId: "s1",
    uuid: `${type}-${at}-${index}`,
    timestamp: new Date(at + 1000 * index).toISOString(),
    message,
  });
  return ids
    .flatMap((id, index) => [
      lineOf("user", { role: "user", content: `${question} ${index}` }, 2 * index),
      lineOf(
        "assistant",
        {
          id: `msg_${id}`,
          role: "assistant",
          model,
          content: [{ type: "text", text: `Answer to it ${"word ".repeat(100)}` }],
          usage: { input_tokens: 1000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 200 },
        },
        2 * index + 1,
      ),
    ])
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
}

const ids = (from, to) => Array.from({ length: to - from }, (_, index) => `request${from + index}`);
const dollars = (requests) => (requests * (1000 * PRICE.input + 200 * PRICE.output)) / 1_000_000;
const isNear = (actual, expected) => assert.ok(Math.abs(actual - expected) < 1e-9, `${actual} is not ${expected}`);

test("requests that several files have are billed once: copies, earlier states and resumed sessions", () => {
  const whole = session(ids(0, 6));
  const folder = folderOf({
    "whole.jsonl": whole,
    "earlier.jsonl": session(ids(0, 3)),
    "inner/copy.jsonl": whole,
    // Shorter than the first one, and it goes on from its last request.
    "resumed.jsonl": session(["request5", "request6", "request7"]),
  });
  const { files, copies, billed, sessions, models } = audited(folder);
  assert.deepEqual([files, copies, sessions.length], [4, 2, 2]);
  assert.equal(billed.requests, 8);
  isNear(billed.dollars, dollars(8));
  assert.deepEqual(
    sessions.map((each) => [each.billed.requests, each.left]),
    [
      [6, 0],
      [2, 1],
    ],
  );
  assert.deepEqual(
    models.map(({ model, requests }) => [model, requests]),
    [["claude-opus-4-6", 8]],
  );
});

test("requests without an id are billed once for files that are equal", () => {
  const line = (role, content) => `${JSON.stringify({ role, content })}\n`;
  const chat = `${line("user", "Hello")}${line("assistant", "Hello to you.")}`;
  const folder = folderOf({ "a.jsonl": chat, "b.jsonl": chat, "c.jsonl": `${chat}${line("user", "Thanks")}` });
  const { billed, copies, sessions } = audited(folder);
  assert.deepEqual([billed.requests, copies, sessions.length], [2, 1, 2]);
});

test("a file that can't be read is named, and does not stop the others", () => {
  const folder = folderOf({ "a.jsonl": session(ids(0, 2)), "b.json": "{}", "c.jsonl": "no session", "d.txt": "text" });
  const { status, stdout, stderr } = turnfold(["audit", folder]);
  assert.equal(status, 0);
  assert.match(stderr, /^turnfold: .*b\.json: the recording can't be read: .*nothing/m);
  assert.match(stderr, /^turnfold: .*c\.jsonl: the recording can't be read: no line is JSON/m);
  assert.doesNotMatch(stderr, /d\.txt/);
  assert.match(stdout, /^1 session in 3 files: \$0\.020 billed, 2 requests, 2,000 tokens of input/);
});

test("a cut line of one file is named", () => {
  const folder = folderOf({ "a.jsonl": `${session(ids(0, 2))}{"type":"user"`, "b.jsonl": session(ids(2, 4)) });
  const { status, stderr } = turnfold(["audit", folder]);
  assert.equal(status, 0);
  assert.match(stderr, /^turnfold: .*a\.jsonl: line 5 is no JSON, and was skipped$/m);
});

test("--since counts only requests from then on, also those of a session that began before", () => {
  const now = Date.now();
  const folder = folderOf({
    "old.jsonl": session(ids(0, 2), { at: now - 40 * DAY }),
    "new.jsonl": session(ids(2, 5), { at: now - DAY }),
    "both.jsonl": session(ids(5, 7), { at: now - 10 * DAY }) + session(ids(7, 8), { at: now - DAY }),
  });
  utimesSync(join(folder, "old.jsonl"), new Date(now - 40 * DAY), new Date(now - 40 * DAY));
  const { billed, files } = audited(folder, "--since", "7d");
  assert.deepEqual([files, billed.requests], [2, 4]);
  assert.equal(audited(folder, "--since", "12w").billed.requests, 8);
  assert.equal(audited(folder, "--since", new Date(now - 2 * DAY).toISOString()).billed.requests, 4);
});

test("the summary has totals by model and by tool, with the options that all sessions could have used", () => {
  const folder = folderOf({
    "a.jsonl": session(ids(0, 3)),
    "b.jsonl": session(ids(3, 4), { model: "claude-haiku-4-5" }),
    "c.json": JSON.stringify([
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello to you." },
    ]),
  });
  const { models, byTool, strategies, unit } = audited(folder);
  assert.equal(unit, "dollars");
  assert.deepEqual(
    models.map(({ model, requests }) => [model, requests]),
    [
      ["claude-opus-4-6", 3],
      ["claude-haiku-4-5", 1],
      [null, 1],
    ],
  );
  assert.deepEqual(
    byTool.map(({ tool, sessions, requests }) => [tool, sessions, requests]),
    [
      ["Claude Code", 2, 4],
      [byTool[1].tool, 1, 1],
    ],
  );
  assert.equal(strategies[0].code, "none");
  assert.ok(strategies.length > 4);
  const { stdout } = turnfold(["audit", folder]);
  assert.match(stdout, /^model +requests +input +output +cost$/m);
  assert.match(stdout, /^program +sessions +requests/m);
  assert.match(stdout, /^digest\(\) +\$/m);
});

test("--all audits the sessions of the known tools of this machine", () => {
  const home = folderOf({
    ".claude/projects/-work/a.jsonl": session(ids(0, 2)),
    ".claude/history.jsonl": session(ids(7, 9)),
  });
  const env = {
    HOME: home,
    USERPROFILE: home,
    CLAUDE_CONFIG_DIR: undefined,
    CODEX_HOME: undefined,
    APPDATA: undefined,
  };
  for (const name of Object.keys(env)) if (env[name] === undefined) delete env[name];
  const { stdout, status } = turnfold(["audit", "--all"], { ...env, CLAUDE_CONFIG_DIR: join(home, ".claude") });
  assert.equal(status, 0);
  assert.match(stdout, /^1 session in 1 file: \$0\.020 billed, 2 requests/);
});

test("a page plots the requests of all parts of a session, with the compactions between them", () => {
  const boundary = { type: "system", subtype: "compact_boundary", sessionId: "s1" };
  const parts = [ids(0, 5), ids(5, 7), ids(7, 12), ids(12, 13)].map((own, index) =>
    session(own, { at: Date.parse("2026-02-01") + index * 60_000 }),
  );
  const recording = readConversation(
    parts.map((part, index) => `${part}${JSON.stringify({ ...boundary, uuid: `boundary-${index}` })}\n`).join(""),
  );
  const whole = audit(recording);
  const { numbers, compacted: marks, costs } = plotsOf(whole);
  assert.deepEqual([numbers.length, marks], [13, [5, 7, 12]]);
  isNear(costs[0].values.at(-1), Number(costsOf(whole).cost.toPrecision(6)));
});

test("mistakes of the command line are told", () => {
  const folder = folderOf({ "a.jsonl": session(ids(0, 2)) });
  const empty = folderOf({});
  const file = join(folder, "a.jsonl");
  for (const [args, message] of [
    [[], /audit takes a file, a folder or --all/],
    [["--all", file], /--all takes no files/],
    [[folder, "--since", "yesterday"], /--since takes a date or a time such as 7d, 12h or 2w, got yesterday/],
    [[file, "--since", "2999-01-01"], /no recording is as new as that/],
    [[empty], /no recording was found in /],
    [[file, join(folder, "gone.jsonl")], /gone\.jsonl can't be read: there is no such file/],
    [[folder, "--chat", "2"], /--chat and --strategy are for one file/],
    [[folder, "--prices", "{"], /--prices \{ is no JSON/],
    [[file, "--html", join(folder, "gone", "x.html")], /x\.html can't be written: /],
  ]) {
    const { status, stderr } = turnfold(["audit", ...args]);
    assert.equal(status, 2, args.join(" "));
    assert.match(stderr, message);
  }
});

test("the result does not depend on the threads", () => {
  const folder = folderOf(
    Object.fromEntries(
      Array.from({ length: 12 }, (_, index) => [`${index}.jsonl`, session(ids(index, index + 3 + (index % 4)))]),
    ),
  );
  const sessionsOf = () =>
    audited(folder)
      .sessions.map(({ file, billed, left }) => [file, billed.requests, left])
      .sort();
  assert.deepEqual(sessionsOf(), sessionsOf());
});

/** The data of a page. */
function dataOf(path) {
  const page = readFileSync(path, "utf8");
  const [, json] = /<script type="application\/json" id="data">(.*?)<\/script>/s.exec(page);
  return { page, data: JSON.parse(json) };
}

test("--html writes one file that loads nothing, for a folder and for a file", () => {
  const folder = folderOf({ "a.jsonl": session(ids(0, 4)), "b.jsonl": session(ids(4, 6)) });
  const path = join(folder, "report.html");
  const { status, stdout } = turnfold(["audit", folder, "--html", path]);
  assert.equal(status, 0);
  assert.match(stdout, /The report is .*report\.html: one file, which any browser opens\./);
  const { page, data } = dataOf(path);
  assert.match(page, /default-src 'none'; script-src 'sha256-[\w+/]+=*';/);
  assert.doesNotMatch(page, /(?:src|href)="|url\((?!data:)|@import/);
  assert.equal(data.sessions.length, 2);
  assert.deepEqual(data.sessions[0].plots.numbers, [1, 2, 3, 4]);
  assert.equal(turnfold(["audit", join(folder, "a.jsonl"), "--html", path]).status, 0);
  const { data: one } = dataOf(path);
  assert.equal(one.sessions.length, 1);
  isNear(one.billed.dollars, dollars(4));
  assert.deepEqual(one.sessions[0].plots.bill.fresh, [1000, 1000, 1000, 1000]);
});

const SECRETS = {
  "sk-ant-api03-Abc123Def456Ghi789Jkl": "sk-…(redacted)",
  "sk-proj-1234567890abcdefghij": "sk-…(redacted)",
  ghp_abcdefghij1234567890ABCDEFGHIJ123456: "ghp_…(redacted)",
  github_pat_11ABCDEFG0abcdefghijkl: "github_pat_…(redacted)",
  AKIAIOSFODNN7EXAMPLE: "AKIA…(redacted)",
  "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc123_DEF": "eyJ…(redacted)",
  q7Rz2LmW9xTbV4nKc8YpD3sHf6GjA1eU: "q7R…(redacted)",
};
const NAMES = [
  "src/components/UserProfileV2Controller.ts",
  "8f14e45fceea167a5a36dedd4bea2543f14e45fc",
  "550e8400-e29b-41d4-a716-446655440000",
  "compressionStrategy: digest({ keep: 4 })",
  "task-management-service-configuration",
  "W2378156",
];

test("keys, tokens and random texts are hidden, and names of files, hashes and identifiers are not", () => {
  for (const [secret, shown] of Object.entries(SECRETS)) {
    assert.equal(withoutSecrets(secret), shown);
    assert.equal(withoutSecrets(`/home/me/${secret}/notes.md`), `/home/me/${shown}/notes.md`);
    assert.equal(visible(`"${secret}"`), `"${shown}"`);
  }
  for (const name of NAMES) assert.equal(withoutSecrets(name), name);
});

test("escape sequences and secrets in titles, names of files and calls reach neither the terminal nor the page", () => {
  const secret = "ghp_abcdefghij1234567890ABCDEFGHIJ123456";
  const evil = `\u001b]0;owned\u0007 </script><script>alert(1)</script> ${secret}`;
  const text = session(ids(0, 3), { question: evil });
  const call = {
    type: "assistant",
    sessionId: "s1",
    timestamp: "2026-02-01T01:00:00Z",
    message: {
      id: "msg_call0000",
      role: "assistant",
      model: "claude-opus-4-6",
      content: [{ type: "tool_use", id: "toolu_1", name: "Read\u001b[2J", input: { file_path: `/home/${evil}` } }],
      usage: { input_tokens: 10, output_tokens: 10 },
    },
  };
  const result = {
    type: "user",
    sessionId: "s1",
    timestamp: "2026-02-01T01:00:01Z",
    message: { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "text ".repeat(50) }] },
  };
  const last = JSON.parse(session(["last00000"], { at: Date.parse("2026-02-01T01:00:02Z") }).split("\n")[1]);
  const folder = folderOf({
    "a.jsonl": text + [call, result, last].map((line) => `${JSON.stringify(line)}\n`).join(""),
    [`${secret}.jsonl`]: "no session",
  });
  const path = join(folder, "report.html");
  const { status, stdout, stderr } = turnfold(["audit", folder, "--html", path]);
  assert.equal(status, 0, stderr);
  for (const printed of [stdout, stderr]) {
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not be printed
    assert.doesNotMatch(printed, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.ok(!printed.includes(secret.slice(4)), "a secret was printed");
  }
  assert.match(stderr, /ghp_…\(redacted\)\.jsonl/);
  const { page, data } = dataOf(path);
  assert.equal(page.match(/<\/script>/g).length, 2);
  assert.ok(!page.includes(secret.slice(4)), "the page has a secret");
  assert.match(data.sessions[0].title, /<\/script>.*ghp_…\(redacted\)/);
  assert.ok(
    data.sessions[0].files.some(({ name }) => name.includes("ghp_…(redacted)")),
    JSON.stringify(data.sessions[0]),
  );
});
