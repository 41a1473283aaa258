// `npx turnfold studio`: who gets an answer of its server, what can be read, and the list of sessions while it changes.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { findSessions } from "../../js/cli/session-folders.mjs";
import { SessionList } from "../../js/cli/session-list.mjs";
import { listen } from "../../js/cli/studio-server.mjs";

const command = fileURLToPath(new URL("../../js/cli/turnfold.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "turnfold-studio-"));
const outside = mkdtempSync(join(tmpdir(), "turnfold-outside-"));
const line = (role, content) => `${JSON.stringify({ role, content })}\n`;
const chat = [line("user", "Where is my lamp?"), line("assistant", "It was sent.")].join("");

let studio;
before(async () => {
  writeFileSync(join(folder, "first.jsonl"), chat);
  mkdirSync(join(folder, "inner"));
  writeFileSync(join(folder, "inner", "second.jsonl"), chat.replace("lamp", "chair"));
  writeFileSync(join(folder, "notes.txt"), "no session");
  writeFileSync(join(outside, "secret.jsonl"), chat);
  symlinkSync(join(outside, "secret.jsonl"), join(folder, "link.jsonl"));
  symlinkSync(outside, join(folder, "linked"));
  utimesSync(join(folder, "first.jsonl"), 1_700_000_000, 1_700_000_000);
  const sessions = new SessionList([folder]);
  await sessions.scan();
  studio = await listen(sessions, [0]);
});
after(async () => {
  await studio?.close();
  rmSync(folder, { recursive: true });
  rmSync(outside, { recursive: true });
});

/** A request as another program than a browser can make it: with any headers, to this path as it is. */
async function ask(path, { method = "GET", headers = {}, token = studio.token } = {}) {
  const { port } = new URL(studio.origin);
  const authorization = token === null ? {} : { authorization: `Bearer ${token}` };
  const sent = request({ host: "127.0.0.1", port, path, method, headers: { ...authorization, ...headers } });
  sent.end();
  const [response] = await once(sent, "response");
  return { status: response.statusCode, headers: response.headers, text: await textOf(response) };
}

/** Reads the events of the server until one is accepted, and returns that one. */
async function eventWhere(accepts, act = () => {}, path = "/studio/events") {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${studio.token}` };
  const { body } = await fetch(`${studio.origin}${path}`, {
    headers,
    signal: AbortSignal.any([stop.signal, AbortSignal.timeout(20_000)]),
  });
  let text = "";
  let isFirst = true;
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    for (const event of text.split("\n\n").slice(0, -1)) {
      const data = JSON.parse(event.slice("data: ".length));
      if (!accepts(data)) continue;
      stop.abort();
      return data;
    }
    text = text.slice(text.lastIndexOf("\n\n") + 2);
    if (isFirst) await act();
    isFirst = false;
  }
}

const sessionNamed = async (file) => {
  const { changed } = await eventWhere(() => true);
  return changed.find((session) => session.file === file);
};

test("the list has the sessions of the folder, the newest first, without links, other files and paths", async () => {
  const { changed } = await eventWhere(() => true);
  assert.deepEqual(
    changed.map(({ name }) => name),
    [join("inner", "second.jsonl"), "first.jsonl"],
  );
  assert.ok(!JSON.stringify(changed).includes(folder), "the list has the path of a file");
});

test("a session is told with its title, tool and number of requests once it is read", async () => {
  const { changed } = await eventWhere(({ changed }) => changed.some(({ title }) => title !== undefined));
  const { tool, title, requests, models } = changed.find((session) => session.title !== undefined);
  assert.deepEqual([tool, title, requests, models], ["messages of OpenAI", "Where is my lamp?", 1, []]);
  const measured = await eventWhere(({ changed }) => changed.some(({ saved }) => saved !== undefined));
  const { dollars, saved, problem } = measured.changed.find((session) => session.saved !== undefined);
  assert.deepEqual([dollars, saved, problem], [null, null, undefined]);
});

test("a session that can't be read says why", async () => {
  writeFileSync(join(folder, "broken.json"), "{}");
  utimesSync(join(folder, "broken.json"), 1_600_000_000, 1_600_000_000);
  const { changed } = await eventWhere(({ changed }) => changed.some(({ problem }) => problem !== undefined));
  assert.match(changed.find(({ problem }) => problem !== undefined).problem, /it holds no messages/);
  rmSync(join(folder, "broken.json"));
});

test("a session is read by its id, from an offset on", async () => {
  const { id } = await sessionNamed("first.jsonl");
  assert.equal((await ask(`/studio/sessions/${id}`)).text, chat);
  assert.equal((await ask(`/studio/sessions/${id}?from=10`)).text, chat.slice(10));
  assert.equal((await ask(`/studio/sessions/${id}?from=${chat.length}`)).text, "");
  assert.equal((await ask(`/studio/sessions/${id}?from=100000`)).status, 416);
  assert.equal((await ask(`/studio/sessions/${id}?from=-1`)).status, 416);
  assert.equal((await ask(`/studio/sessions/${id}?from=x`)).status, 416);
});

test("a long session arrives as it is, without a warning of Node", async () => {
  const long = chat.repeat(60_000);
  writeFileSync(join(folder, "long.jsonl"), long);
  utimesSync(join(folder, "long.jsonl"), 1_650_000_000, 1_650_000_000);
  const warnings = [];
  const onWarning = ({ message }) => warnings.push(message);
  process.on("warning", onWarning);
  const { changed } = await eventWhere(({ changed }) => changed.some(({ file }) => file === "long.jsonl"));
  const { text } = await ask(`/studio/sessions/${changed.find(({ file }) => file === "long.jsonl").id}`);
  assert.equal(text, long);
  process.off("warning", onWarning);
  assert.deepEqual(warnings, []);
  rmSync(join(folder, "long.jsonl"));
});

test("no path leads to a file: neither in the place of an id, nor in that of a file of the page", async () => {
  const paths = [
    "/studio/sessions/first.jsonl",
    `/studio/sessions/${encodeURIComponent(join(folder, "first.jsonl"))}`,
    "/studio/sessions/..%2f..%2fpackage.json",
    "/studio/sessions/__proto__",
    "/../package.json",
    "/..%2f..%2fpackage.json",
    "/assets/..%2f..%2f..%2fpackage.json",
    "/docs/..%2fpackage.html",
    "/docs/../../../etc/passwd.html",
    "/assets/%00.js",
  ];
  for (const path of paths) assert.equal((await ask(path)).status, 404, path);
});

test("a file that was replaced by a link is not read", async () => {
  const path = join(folder, "swapped.jsonl");
  writeFileSync(path, chat);
  const { changed } = await eventWhere(({ changed }) => changed.some(({ file }) => file === "swapped.jsonl"));
  const { id } = changed.find(({ file }) => file === "swapped.jsonl");
  rmSync(path);
  symlinkSync(join(outside, "secret.jsonl"), path);
  const { status, text } = await ask(`/studio/sessions/${id}`);
  assert.ok(status >= 400, `${status}`);
  assert.doesNotMatch(text, /lamp/);
  rmSync(path);
});

test("sessions need the token", async () => {
  const { id } = await sessionNamed("first.jsonl");
  for (const token of [null, "", "x", `${studio.token}x`, studio.token.slice(1)])
    for (const path of ["/studio/events", `/studio/sessions/${id}`]) {
      const { status, text } = await ask(path, { token });
      assert.equal(status, 401, `${token}`);
      assert.match(text, /open the one that turnfold studio printed/);
    }
});

test("other hosts and origins are refused, also for the page", async () => {
  const { host, port } = new URL(studio.origin);
  const refused = [
    { host: "evil.example" },
    { host: `evil.example:${port}` },
    { host: `127.0.0.1.evil.example:${port}` },
    { host: "127.0.0.1" },
    { host, origin: "https://evil.example" },
    { host, origin: "null" },
    { host, origin: `http://evil.example:${port}` },
    { host, origin: `http://127.0.0.1:${Number(port) + 1}` },
  ];
  for (const headers of refused)
    for (const path of ["/", "/studio/events"])
      assert.equal((await ask(path, { headers })).status, 403, JSON.stringify(headers));
  assert.equal((await ask("/", { headers: { host: `localhost:${port}` } })).status, 200);
  assert.equal((await ask("/", { headers: { host, origin: studio.origin } })).status, 200);
});

test("a request without a host is refused", async () => {
  const socket = connect(Number(new URL(studio.origin).port), "127.0.0.1");
  socket.end("GET / HTTP/1.0\r\n\r\n");
  assert.match(await textOf(socket), /^HTTP\/1\.1 4\d\d /);
});

test("only GET is answered", async () => {
  const { id } = await sessionNamed("first.jsonl");
  for (const method of ["POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS"])
    for (const path of ["/", "/studio/events", `/studio/sessions/${id}`]) {
      const { status, headers } = await ask(path, { method });
      assert.deepEqual([status, headers.allow], [405, "GET"], `${method} ${path}`);
    }
});

test("the page, its wasm, its vocabularies and the documents are served, with a policy and without CORS", async () => {
  const types = {
    "/": "text/html; charset=utf-8",
    "/index.html": "text/html; charset=utf-8",
    "/assets/turnfold.wasm": "application/wasm",
    "/assets/o200k.vocabulary.js": "text/javascript",
    "/docs/index.html": "text/plain; charset=utf-8",
    "/docs/recall.html": "text/plain; charset=utf-8",
  };
  for (const [path, type] of Object.entries(types)) {
    const { status, headers } = await ask(path, { token: null });
    assert.deepEqual([status, headers["content-type"]], [200, type], path);
    assert.match(headers["content-security-policy"], /connect-src 'self'.*frame-ancestors 'none'/);
    assert.equal(headers["cross-origin-resource-policy"], "same-origin");
    assert.deepEqual(
      Object.keys(headers).filter((name) => name.startsWith("access-control")),
      [],
    );
  }
  const { text } = await ask("/");
  const [script] = /assets\/index-[\w-]+\.js/.exec(text);
  assert.equal((await ask(`/${script}`)).headers["content-type"], "text/javascript");
});

test("lines that are appended are told while somebody listens", async () => {
  const { id } = await sessionNamed("second.jsonl");
  const path = join(folder, "inner", "second.jsonl");
  const grow = () => appendFileSync(path, line("user", "Thanks"));
  const isGrown =
    (bytes) =>
    ({ changed }) =>
      changed.some((session) => session.id === id && session.bytes > bytes);
  const { bytes } = await sessionNamed("second.jsonl");
  await eventWhere(isGrown(bytes), grow);
  const { bytes: more } = await sessionNamed("second.jsonl");
  await eventWhere(isGrown(more), grow, `/studio/events?session=${id}`);
  assert.match((await ask(`/studio/sessions/${id}?from=${more}`)).text, /^\{"role":"user","content":"Thanks"\}\n$/);
});

test("a session that is followed is looked at when the system says that it changed", async () => {
  const sessions = new SessionList([folder], 2 ** 30);
  const told = (accepts) =>
    new Promise((found) => {
      sessions.listen(({ changed }) => {
        const session = changed.find(accepts);
        if (session !== undefined) found(session);
      });
    });
  // The first look is over, and there is no other one.
  const session = await told(({ file }) => file === "second.jsonl");
  sessions.follow(session.id);
  const grown = told(({ id, bytes }) => id === session.id && bytes > session.bytes);
  appendFileSync(join(folder, "inner", "second.jsonl"), line("user", "Thanks"));
  await grown;
  sessions.close();
});

test("sessions that appear and disappear are told", async () => {
  const path = join(folder, "third.jsonl");
  const { changed } = await eventWhere(
    ({ changed }) => changed.some(({ file }) => file === "third.jsonl"),
    () => writeFileSync(path, chat),
  );
  const { id } = changed.find(({ file }) => file === "third.jsonl");
  await eventWhere(
    ({ gone }) => gone.includes(id),
    () => rmSync(path),
  );
  assert.equal((await ask(`/studio/sessions/${id}`)).status, 404);
});

test("nothing is looked at while nobody listens", async () => {
  const sessions = new SessionList([folder]);
  await sessions.scan();
  const stop = sessions.listen(() => {});
  stop();
  const before = sessions.entries.length;
  writeFileSync(join(folder, "fourth.jsonl"), chat);
  await new Promise((passed) => setTimeout(passed, 2500));
  assert.equal(sessions.entries.length, before);
  rmSync(join(folder, "fourth.jsonl"));
  sessions.close();
});

test("the known places are found in the folders of the tools", async () => {
  const home = mkdtempSync(join(tmpdir(), "turnfold-home-"));
  const files = [
    ".claude/projects/-work/a.jsonl",
    ".claude/projects/-work/a/subagents/agent-b.jsonl",
    ".codex/sessions/2026/01/02/rollout-2026-01-02-x.jsonl",
    ".gemini/tmp/abc/chats/session-1.json",
    ".qwen/projects/p/chats/x.jsonl",
    ".copilot/session-state/x/events.jsonl",
    ".cursor/projects/p/agent-transcripts/x.jsonl",
    ".pi/agent/sessions/--work--/x.jsonl",
    ".openclaw/agents/a/sessions/x.jsonl",
    ".factory/sessions/-work/x.jsonl",
    ".continue/sessions/x.json",
    ".grok/sessions/-work/x/chat_history.jsonl",
    ".local/share/goose/sessions/x.jsonl",
    ".kimi/sessions/p/x/wire.jsonl",
    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json",
    ".config/VSCodium/User/globalStorage/kilocode.kilo-code/tasks/1/ui_messages.json",
    ".config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/ui_messages.json",
    ".config/Code/User/workspaceStorage/h/chatSessions/x.json",
  ];
  const others = [
    ".claude/settings.json",
    ".codex/history.jsonl",
    ".gemini/tmp/abc/logs.json",
    ".continue/sessions/sessions.json",
    ".config/Code/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
  ];
  for (const file of [...files, ...others]) {
    mkdirSync(join(home, file, ".."), { recursive: true });
    writeFileSync(join(home, file), chat);
  }
  const program = `import { findSessions } from ${JSON.stringify(new URL("../../js/cli/session-folders.mjs", import.meta.url).href)};
    console.log(JSON.stringify((await findSessions()).map(({ tool, path }) => [tool, path])));`;
  const env = { ...process.env, HOME: home, USERPROFILE: home };
  for (const name of ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "XDG_DATA_HOME", "APPDATA"]) delete env[name];
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], { env });
  const found = JSON.parse(await textOf(child.stdout));
  assert.deepEqual(found.map(([, path]) => path).sort(), files.map((file) => join(home, file)).sort());
  assert.equal(new Set(found.map(([tool]) => tool)).size, 17);
  rmSync(home, { recursive: true });
  assert.deepEqual(await findSessions([join(home, "gone")]), []);
});

test("the command prints its address with the token, and refuses what it can't do", async () => {
  const child = spawn(process.execPath, [command, "studio", "--folder", folder, "--port", "0"]);
  let printed = "";
  for await (const chunk of child.stdout) {
    printed += chunk;
    if (printed.includes("Ctrl+C")) break;
  }
  const [, url, token] = /(http:\/\/127\.0\.0\.1:\d+)\/#token=([\w-]{32})\n/.exec(printed);
  const response = await fetch(`${url}/studio/events`, { headers: { authorization: `Bearer ${token}` } });
  assert.equal(response.status, 200);
  await response.body.cancel();
  const { port } = new URL(url);
  for (const [args, message] of [
    [["--port", port], /port \d+ is taken: choose another one with --port/],
    [["--port", "x"], /--port takes a number up to 65535, got x/],
    [["--folder", join(folder, "gone")], /there is no folder .*gone/],
    [["file.json"], /studio takes no file, got file\.json: use --folder/],
  ]) {
    const refused = spawn(process.execPath, [command, "studio", ...args]);
    const [text, [status]] = await Promise.all([textOf(refused.stderr), once(refused, "close")]);
    assert.equal(status, 2);
    assert.match(text, message);
  }
  child.kill();
});
