// Servers of models are not trusted: redirections, endless and compressed responses, and what errors show.

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import { gzipSync } from "node:zlib";
import { Agent, Lisp, mcpTools } from "turnfold";
import { fetchModel } from "turnfold/models/fetch";
import { openaiModel } from "turnfold/models/openai";
import { send, serve } from "./loopback.mjs";

const secret = "sk-very-secret";
const reply = { choices: [{ message: { content: "Hi." }, finish_reason: "stop" }] };
const modelAt = (url, options) => fetchModel(url, { model: "m", apiKey: secret, maxRetries: 0, ...options });
const call = (llm) => new Agent({ llm }).chat("My private question").then(({ text }) => text);
const rejection = (llm) =>
  call(llm).then(
    () => assert.fail("it was answered"),
    (error) => error,
  );
/** Everything that a log may show of an error. */
const shown = (error) => inspect(error, { depth: 9, showHidden: false });

test("a redirection within the origin is followed, one to another origin is not", async () => {
  const received = [];
  const other = await serve((request, _, response) => {
    received.push(request.headers);
    send(response, reply);
  });
  const own = await serve((request, body, response) => {
    const location = request.url === "/v1/chat/completions" ? "/v2" : `${other.origin}/v1`;
    if (request.url === "/v2" && body.messages.at(-1).content !== "Go on") return send(response, reply);
    response.writeHead(request.url === "/v2" ? 308 : 307, { location });
    response.end();
  });
  assert.equal(await call(modelAt(`${own.origin}/v1`)), "Hi.");
  const away = new Agent({ llm: modelAt(`${own.origin}/v1`) }).chat("Go on");
  await assert.rejects(away, ({ cause }) => {
    assert.equal(cause.code, "invalid_reply");
    assert.match(cause.message, /redirects to http:\/\/127\.0\.0\.1:\d+\/v1$/);
    return true;
  });
  assert.deepEqual(received, []);
  await Promise.all([own.close(), other.close()]);
});

test("redirections without end, and those of browsers and of a fetch that follows them, are refused", async () => {
  let count = 0;
  const endless = async () => new Response(null, { status: 307, headers: { location: `/${count++}` } });
  assert.match((await rejection(modelAt("http://localhost/v1", { fetch: endless }))).message, /redirects to/);
  assert.equal(count, 6);
  const opaque = async () => ({ type: "opaqueredirect", status: 0, headers: new Headers(), body: null });
  assert.match(
    (await rejection(modelAt("http://localhost/v1", { fetch: opaque }))).message,
    /redirects to another address/,
  );
  const followed = async () =>
    Object.defineProperties(Response.json(reply), {
      redirected: { value: true },
      url: { value: "http://elsewhere.example/v1" },
    });
  assert.match(
    (await rejection(modelAt("http://localhost/v1", { fetch: followed }))).message,
    /redirects to http:\/\/elsewhere\.example\/v1/,
  );
});

for (const [name, headers] of Object.entries({
  "a stream of events": { "content-type": "text/event-stream" },
  "a whole reply": { "content-type": "application/json" },
})) {
  test(`${name} of more than 64 MB is refused, and cancelled`, async () => {
    let isCancelled = false;
    let count = 0;
    const piece = new TextEncoder().encode(`: ${"x".repeat(1 << 20)}\n`);
    const body = () =>
      new ReadableStream({
        pull: (controller) => {
          count++;
          controller.enqueue(piece);
        },
        cancel: () => {
          isCancelled = true;
        },
      });
    const llm = modelAt("http://localhost/v1", { fetch: async () => new Response(body(), { headers }) });
    const { cause } = await rejection(llm);
    assert.equal(cause.code, "invalid_reply");
    assert.match(cause.message, /more than 64 MB/);
    assert.ok(isCancelled && count < 70);
  });
}

test("a compressed body counts as long as it is after its decompression", async () => {
  const zeros = gzipSync(Buffer.alloc(80 << 20, " "));
  assert.ok(zeros.length < 1 << 20);
  const bomb = await serve((_, __, response) => {
    response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
    response.end(zeros);
  });
  assert.match((await rejection(modelAt(`${bomb.origin}/v1`))).message, /more than 64 MB/);
  await bomb.close();
});

test("of a refusal only the beginning is read", async () => {
  let count = 0;
  const body = new ReadableStream({
    pull(controller) {
      count++;
      controller.enqueue(new TextEncoder().encode("x".repeat(1 << 16)));
    },
  });
  const llm = modelAt("http://localhost/v1", { fetch: async () => new Response(body, { status: 400 }) });
  assert.match((await rejection(llm)).message, /400: x+…$/);
  assert.ok(count < 5);
});

test("errors show the text of a server without control characters", async () => {
  const hostile = "Refused\u001b[2J\u0000\r\nas \u009b31m\u202eit\tis";
  const plain = "Refused [2J \nas  31m it\tis";
  const refusing = async () => Response.json({ error: { message: hostile } }, { status: 400 });
  const refused = await rejection(modelAt("http://localhost/v1", { fetch: refusing }));
  assert.equal(refused.message, `the model could not be asked: 400: ${plain}`);
  assert.equal(refused.cause.message, `400: ${plain}`);

  const client = { chat: { completions: { create: async () => ({ error: { message: hostile } }) } } };
  const { message, cause } = await rejection(openaiModel(client, { model: "m" }));
  assert.equal(message, `the model could not be asked: ${plain}`);
  assert.equal(cause.message, plain);

  const listTools = async () => ({ tools: [{ name: "find", inputSchema: { type: "object" } }] });
  const isError = await mcpTools({
    listTools,
    callTool: async () => ({ isError: true, content: [{ type: "text", text: hostile }] }),
  });
  await assert.rejects(isError.find.execute({}), { code: "tool_error", message: plain });
  assert.match((await new Lisp({ tools: isError }).run("(tool/find {})")).error.message, /Refused \[2J \nas/);
  const fail = async () => Promise.reject(new Error(hostile));
  await assert.rejects((await mcpTools({ listTools, callTool: fail })).find.execute({}), {
    code: "mcp_error",
    message: plain,
  });
  await assert.rejects(mcpTools({ listTools: fail, callTool: fail }), {
    code: "mcp_error",
    message: `the tools of the MCP server can't be listed: ${plain}`,
  });
});

test("errors show no keys and no requests", async () => {
  const echo = async (_, { headers, body }) =>
    Response.json(
      { error: { message: `refused ${headers.authorization} ${headers["x-key"]}`, body } },
      { status: 401 },
    );
  const failing = async (url, init) => {
    throw new TypeError(`fetch failed for ${url}`, {
      cause: Object.assign(new Error(`no route for ${init.headers.authorization}`), { code: "ECONNREFUSED", init }),
    });
  };
  for (const fetch of [echo, failing]) {
    const llm = modelAt("http://localhost/v1?token=tok-en-secret", { fetch, headers: { "x-key": "another-secret" } });
    const error = await rejection(llm);
    const log = shown(error.cause);
    for (const hidden of [secret, "another-secret", "tok-en-secret", "My private question"]) {
      assert.ok(!log.includes(hidden), `${hidden} is in ${log}`);
      assert.ok(!error.message.includes(hidden), error.message);
    }
    assert.match(error.message, fetch === echo ? /401: refused … …/ : /\(ECONNREFUSED\)/);
  }
});

test("an error in a response of status 200 shows no secret", async () => {
  const shows = ({ headers }) => `${headers.authorization} ${headers["x-key"]}`;
  const asError = async (_, init) => Response.json({ error: { message: `refused ${shows(init)}`, key: shows(init) } });
  const asText = async (_, init) => new Response(`data: {"key": "${shows(init)}\n\n`);
  for (const fetch of [asError, asText]) {
    const error = await rejection(modelAt("http://localhost/v1", { fetch, headers: { "x-key": "another-secret" } }));
    for (const hidden of [secret, "another-secret"]) {
      assert.ok(!`${error.message} ${shown(error)} ${shown(error.cause)}`.includes(hidden), error.message);
    }
    assert.match(error.message, /… …/);
  }
});
