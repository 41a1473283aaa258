// `npx turnfold proxy` between the official clients and servers that speak as providers do.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, suite, test } from "node:test";
import { fileURLToPath } from "node:url";
import { brotliCompressSync, gzipSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import { audit, readConversation } from "turnfold/audit";
import { digest } from "turnfold/gateway";
import { startProxy } from "../../js/cli/proxy-server.mjs";
import { acceptAnthropic } from "../wire/receivers/anthropic.mjs";
import { acceptOpenAI } from "../wire/receivers/openai.mjs";
import { acceptResponses } from "../wire/receivers/responses.mjs";
import { modelServer } from "./model-server.mjs";

const KEY = "sk-not-to-be-seen";
const parameters = { compressionStrategy: digest(), when: "worthIt" };

let upstream;
before(async () => {
  upstream = await modelServer(() => ({ text: "Done, and the prices are there." }));
});
after(() => upstream.close());
beforeEach(() => {
  upstream.requests.length = 0;
  upstream.script.length = 0;
});

/** A proxy before a server, with what it reports. */
async function proxyTo(origin, options = {}) {
  const seen = { requests: [], warnings: [] };
  const proxy = await startProxy({
    to: { anthropic: origin, openai: origin },
    parameters,
    onRequest: (request) => seen.requests.push(request),
    onWarning: (text) => seen.warnings.push(text),
    ...options,
  });
  return Object.assign(seen, proxy);
}

/** Waits until something holds. */
async function until(holds) {
  for (let tries = 0; !holds(); tries++) {
    assert.ok(tries < 2000, `${holds}`);
    await new Promise((ready) => setTimeout(ready, 5));
  }
}

const LINES = "src/server.ts:14 listens on port 8443\nsrc/prices.json was not found\n".repeat(30);

/** What each client asks for with a history, what it adds to it, and what it makes of the answer. */
const clients = {
  anthropic: {
    accept: acceptAnthropic,
    async ask(origin, messages, stream) {
      const client = new Anthropic({ apiKey: KEY, baseURL: `${origin}/anthropic`, maxRetries: 0 });
      const tools = [{ name: "read", input_schema: { type: "object" } }];
      const body = { model: "claude-opus-5-5", max_tokens: 99, system: "You repair a shop.", tools, messages };
      const reply = stream ? await client.messages.stream(body).finalMessage() : await client.messages.create(body);
      return { text: reply.content.find(({ type }) => type === "text")?.text, usage: reply.usage };
    },
    rounds: (count) => [
      { role: "user", content: "Why does the shop not start?" },
      ...Array.from({ length: count }, (_, n) => [
        {
          role: "assistant",
          content: [{ type: "tool_use", id: `c${n}`, name: "read", input: { path: `src/f${n}.ts` } }],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: `c${n}`, content: `${n}\n${LINES}` }] },
      ]).flat(),
    ],
    history: ({ messages }) => messages,
  },
  "chat completions": {
    accept: acceptOpenAI,
    async ask(origin, messages, stream) {
      const client = new OpenAI({ apiKey: KEY, baseURL: `${origin}/openai/v1`, maxRetries: 0 });
      const tools = [{ type: "function", function: { name: "read", parameters: { type: "object" } } }];
      const body = { model: "gpt-5.6", tools, messages };
      if (!stream) {
        const reply = await client.chat.completions.create(body);
        return { text: reply.choices[0].message.content, usage: reply.usage };
      }
      const chunks = await client.chat.completions.create({
        ...body,
        stream: true,
        stream_options: { include_usage: true },
      });
      let [text, usage] = ["", null];
      for await (const chunk of chunks) {
        text += chunk.choices[0]?.delta.content ?? "";
        usage = chunk.usage ?? usage;
      }
      return { text, usage };
    },
    rounds: (count) => [
      { role: "system", content: "You repair a shop." },
      { role: "user", content: "Why does the shop not start?" },
      ...Array.from({ length: count }, (_, n) => [
        {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: `c${n}`, type: "function", function: { name: "read", arguments: `{"path": "src/f${n}.ts"}` } },
          ],
        },
        { role: "tool", tool_call_id: `c${n}`, content: `${n}\n${LINES}` },
      ]).flat(),
    ],
    history: ({ messages }) => messages,
  },
  responses: {
    accept: acceptResponses,
    async ask(origin, input, stream) {
      const client = new OpenAI({ apiKey: KEY, baseURL: `${origin}/openai/v1`, maxRetries: 0 });
      const body = { model: "gpt-5.6", store: false, instructions: "You repair a shop.", input };
      const reply = stream ? await client.responses.stream(body).finalResponse() : await client.responses.create(body);
      return { text: reply.output_text, usage: reply.usage };
    },
    rounds: (count) => [
      { role: "user", content: "Why does the shop not start?" },
      ...Array.from({ length: count }, (_, n) => [
        { type: "function_call", call_id: `c${n}`, name: "read", arguments: `{"path": "src/f${n}.ts"}` },
        { type: "function_call_output", call_id: `c${n}`, output: `${n}\n${LINES}` },
      ]).flat(),
    ],
    history: ({ input }) => input,
  },
};

for (const [name, { ask, rounds, history, accept }] of Object.entries(clients)) {
  suite(`the client for ${name}`, () => {
    for (const stream of [false, true]) {
      test(`gets ${stream ? "streams" : "replies"} while its history is shortened`, async () => {
        const proxy = await proxyTo(upstream.origin);
        try {
          let saved = 0;
          for (let count = 1; count <= 24; count++) {
            const { text, usage } = await ask(proxy.origin, rounds(count), stream);
            assert.equal(text, "Done, and the prices are there.");
            await until(() => proxy.requests.length === count);
            const { body, headers } = upstream.requests.at(-1);
            accept(body);
            assert.match(JSON.stringify(headers), new RegExp(KEY));
            assert.equal(headers.host, new URL(upstream.origin).host);
            const { report, tokens, isSent } = proxy.requests.at(-1);
            assert.equal(isSent, report.isChanged);
            assert.equal(isSent, JSON.stringify(history(body)) !== JSON.stringify(rounds(count)));
            assert.equal(tokens.outputTokens, 20);
            assert.equal(
              tokens.inputTokens,
              usage.total_tokens === undefined ? 100 : (usage.input_tokens ?? usage.prompt_tokens),
            );
            saved = report.tokens.before - report.tokens.after;
          }
          assert.ok(saved > 5000, `${saved} tokens were saved`);
          assert.deepEqual(proxy.warnings, []);
          assert.ok(!JSON.stringify(proxy.requests).includes(KEY));
        } finally {
          await proxy.close();
        }
      });
    }
  });
}

// ── bytes ────────────────────────────────────────────────────────────────────────────────────────────────────────────

/** A server that answers with `respond(request, response, body)` and keeps what it got, as bytes. */
async function rawServer(respond) {
  const got = [];
  const server = createServer(async (request, response) => {
    const chunks = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    got.push({ method: request.method, url: request.url, headers: request.headers, body: Buffer.concat(chunks) });
    respond(request, response, got.at(-1));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    got,
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}

/** Sends a request as it is, and returns the response with its bytes. */
function sendRaw(origin, { path, method = "POST", headers = {}, body = "" }) {
  return new Promise((done, failed) => {
    const request = httpRequest(origin, { path, method, headers }, async (response) => {
      const chunks = [];
      try {
        for await (const chunk of response) chunks.push(chunk);
        done({ status: response.statusCode, headers: response.headers, bytes: Buffer.concat(chunks) });
      } catch (error) {
        failed(error);
      }
    });
    request.on("error", failed);
    request.end(body);
  });
}

const longBody = (count = 30) =>
  JSON.stringify({ model: "claude-opus-5-5", max_tokens: 9, messages: clients.anthropic.rounds(count) }, null, 1);

/** Runs `act` with a proxy before a server. */
async function between(respond, act, options) {
  const server = await rawServer(respond);
  const proxy = await proxyTo(server.origin, options);
  try {
    await act(proxy, server);
  } finally {
    await proxy.close();
    await server.close();
  }
}

const always = { parameters: { compressionStrategy: digest(), when: "always" } };

test("a request for a WebSocket is answered with 426, and other upgrades pass without theirs", async () => {
  const respond = (_, response) => response.end("{}");
  await between(respond, async ({ origin }, server) => {
    const ask = (upgrade) => {
      const headers = { connection: "upgrade", upgrade };
      return sendRaw(origin, { path: "/openai/v1/responses", method: "GET", headers });
    };
    assert.equal((await ask("websocket")).status, 426);
    assert.equal(server.got.length, 0);
    assert.equal((await ask("h2c")).status, 200);
    assert.equal(server.got[0].headers.upgrade, undefined);
  });
});

test("what is not managed passes as it is: paths, methods, headers, bodies and responses", async () => {
  const bytes = Buffer.from([0, 255, 13, 10, 200]);
  const respond = (_, response) => {
    response.writeHead(207, "Partly", {
      "x-request-id": "r1",
      "set-cookie": ["a=1", "b=2"],
      connection: "x-hop",
      "x-hop": "1",
    });
    response.end(bytes);
  };
  await between(respond, async (proxy, server) => {
    const headers = {
      "x-one": "1",
      connection: "x-mine, close",
      "x-mine": "1",
      te: "trailers",
      authorization: `Bearer ${KEY}`,
      "content-length": bytes.length,
    };
    const path = "/anthropic/v1/files/a%2Fb?x=%20y&beta=true";
    for (const method of ["POST", "PUT", "DELETE", "PATCH"]) {
      const { status, headers: got, bytes: body } = await sendRaw(proxy.origin, { path, method, headers, body: bytes });
      assert.deepEqual(
        [status, body, got["x-request-id"], got["set-cookie"], got["x-hop"]],
        [207, bytes, "r1", ["a=1", "b=2"], undefined],
      );
      const { method: sent, url, headers: passed, body: given } = server.got.at(-1);
      assert.deepEqual([sent, url, given], [method, "/v1/files/a%2Fb?x=%20y&beta=true", bytes]);
      assert.deepEqual(
        [passed["x-one"], passed["x-mine"], passed.te, passed.authorization],
        ["1", undefined, undefined, headers.authorization],
      );
    }
    const { status } = await sendRaw(proxy.origin, { path: "/openai/v1/models", method: "GET" });
    assert.deepEqual([status, server.got.at(-1).url, server.got.at(-1).body.length], [207, "/v1/models", 0]);
    assert.deepEqual(proxy.requests, []);
  });
});

test("an address with a path leads there", async () => {
  const respond = (_, response) => response.end("{}");
  await between(respond, async (_, server) => {
    const proxy = await proxyTo(server.origin, { to: { local: `${server.origin}/backend/` } });
    await sendRaw(proxy.origin, { path: "/local/responses?a=1", body: '{"model":"m","input":"Hello"}' });
    assert.equal(server.got[0].url, "/backend/responses?a=1");
    await proxy.close();
  });
});

test("addresses with https are reached through the proxy of HTTPS_PROXY, except those of NO_PROXY", async () => {
  const asked = [];
  /** What comes through the tunnel: the beginning of TLS, which has the name of the host. */
  const arrived = [];
  const network = createServer((_, response) => response.end());
  network.on("connect", ({ url, headers }, socket) => {
    asked.push([url, headers["proxy-authorization"]]);
    if (url.startsWith("refused")) {
      socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
      return;
    }
    socket.write("HTTP/1.1 200 OK\r\n\r\n");
    socket.on("error", () => {});
    socket.once("data", (data) => {
      arrived.push([data[0], data.includes("api.provider.test")]);
      socket.destroy();
    });
  });
  await new Promise((ready) => network.listen(0, "127.0.0.1", ready));
  const { port } = network.address();
  const direct = await rawServer((_, response) => response.end("{}"));
  const to = {
    one: "https://api.provider.test",
    refused: "https://refused.test",
    inner: "https://127.0.0.1:9",
    below: "https://a.localhost:9",
    plain: direct.origin,
  };
  const env = { HTTPS_PROXY: `http://me:p%40ss@127.0.0.1:${port}`, no_proxy: "127.0.0.1:9, .localhost" };
  const proxy = await proxyTo("", { to, env });
  const problemOf = async (name) =>
    JSON.parse((await sendRaw(proxy.origin, { path: `/${name}/v1/models`, method: "GET" })).bytes).error?.message;
  try {
    assert.match(await problemOf("one"), /socket|ECONNRESET/i);
    assert.match(await problemOf("refused"), /the proxy of HTTPS_PROXY answers 407 for refused\.test:443/);
    assert.match(await problemOf("inner"), /ECONNREFUSED/);
    assert.match(await problemOf("below"), /ECONNREFUSED|ENOTFOUND/);
    assert.equal(await problemOf("plain"), undefined);
    const authorization = `Basic ${Buffer.from("me:p@ss").toString("base64")}`;
    assert.deepEqual(asked, [
      ["api.provider.test:443", authorization],
      ["refused.test:443", authorization],
    ]);
    assert.deepEqual(arrived, [[0x16, true]]);
  } finally {
    await proxy.close();
    await direct.close();
    network.close();
  }
});

test("a body in which nothing changes is sent with its bytes, compressed as it was", async () => {
  const respond = (_, response) => response.end("{}");
  await between(respond, async (proxy, server) => {
    const plain = longBody(3);
    for (const [encoding, body] of [
      ["gzip", gzipSync(plain)],
      ["br", brotliCompressSync(plain)],
      [undefined, Buffer.from(plain)],
    ]) {
      const headers = encoding === undefined ? {} : { "content-encoding": encoding };
      await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", headers, body });
      const { headers: sent, body: bytes } = server.got.at(-1);
      assert.deepEqual(
        [sent["content-encoding"], bytes, Number(sent["content-length"])],
        [encoding, body, body.length],
      );
      assert.equal(proxy.requests.at(-1).report.format, "anthropic");
    }
    for (const [headers, body] of [
      [{ "content-encoding": "gzip" }, Buffer.from("no gzip")],
      [{ "content-encoding": "snappy" }, Buffer.from("{}")],
      [{}, Buffer.from([0x7b, 0xff, 0x7d])],
      [{}, Buffer.from("[]")],
    ]) {
      const { status } = await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", headers, body });
      assert.deepEqual([status, server.got.at(-1).body], [200, body]);
      assert.match(proxy.warnings.pop(), /can't be read/);
    }
  });
});

test("a compressed body that changes is sent plain, with its length", async () => {
  const respond = (_, response) => response.end("{}");
  await between(
    respond,
    async (proxy, server) => {
      const body = gzipSync(longBody());
      await sendRaw(proxy.origin, {
        path: "/anthropic/v1/messages?beta=true",
        headers: { "content-encoding": "gzip" },
        body,
      });
      const { headers, body: bytes, url } = server.got[0];
      assert.equal(url, "/v1/messages?beta=true");
      assert.deepEqual([headers["content-encoding"], Number(headers["content-length"])], [undefined, bytes.length]);
      assert.ok(bytes.length < longBody().length / 2);
      acceptAnthropic(JSON.parse(bytes));
    },
    always,
  );
});

test("a stream arrives piece by piece, with its bytes, compressed or not", async () => {
  const events =
    'event: message_start\r\ndata: {"type":"message_start","message":{"id":"m","content":[],"usage":{"input_tokens":7}}}\r\n\r\n' +
    ': ping\n\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n' +
    'data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Grüße 😀"}}\n\n' +
    'data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":3}}\n\ndata: nonsense\n\n';
  const kinds = [
    [undefined, Buffer.from],
    ["gzip", gzipSync],
    ["br", brotliCompressSync],
  ];
  for (const [encoding, compress] of kinds) {
    const bytes = compress(events);
    const half = Math.ceil(bytes.length / 2);
    let goOn;
    const respond = (_, response) => {
      response.writeHead(200, {
        "content-type": "text/event-stream",
        ...(encoding && { "content-encoding": encoding }),
      });
      response.write(bytes.subarray(0, half));
      goOn = () => response.end(bytes.subarray(half));
    };
    await between(respond, async (proxy) => {
      const request = httpRequest(proxy.origin, { path: "/anthropic/v1/messages", method: "POST" });
      request.end(longBody(1));
      const [response] = await once(request, "response");
      let got = Buffer.alloc(0);
      response.on("data", (chunk) => {
        got = Buffer.concat([got, chunk]);
      });
      await until(() => got.length === half);
      goOn();
      await once(response, "end");
      assert.deepEqual(got, bytes);
      await until(() => proxy.requests.length === 1);
      assert.deepEqual(proxy.requests[0].tokens, {
        inputTokens: 7,
        outputTokens: 3,
        cacheReadTokens: 0,
        cacheWriteTokens: 0,
      });
    });
  }
});

// ── failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────

test("a client that leaves ends the request to the provider", async () => {
  let closed = 0;
  const respond = (_, response) => {
    response.on("close", () => closed++);
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: {}\n\n");
  };
  await between(respond, async (proxy, server) => {
    const client = new Anthropic({ apiKey: KEY, baseURL: `${proxy.origin}/anthropic`, maxRetries: 0 });
    const stream = client.messages.stream(JSON.parse(longBody(1)));
    stream.on("error", () => {});
    stream.on("abort", () => {});
    await until(() => server.got.length === 1);
    stream.abort();
    await until(() => closed === 1);
    await until(() => proxy.requests.length === 1);
    assert.equal(proxy.requests[0].isWhole, false);

    // Before there is a response, too.
    const request = httpRequest(proxy.origin, { path: "/anthropic/v1/slow", method: "POST" });
    request.on("error", () => {});
    request.write("half");
    await new Promise((ready) => setTimeout(ready, 30));
    request.destroy();
    assert.equal((await sendRaw(proxy.origin, { path: "/none", method: "GET" })).status, 404);
  });
});

test("errors of the provider pass, and a provider that breaks off or is not there is an error", async () => {
  const refusal = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
  const respond = (_, response) => {
    response.writeHead(529, { "content-type": "application/json", "retry-after": "7" });
    response.end(JSON.stringify(refusal));
  };
  await between(respond, async (proxy) => {
    const { status, headers, bytes } = await sendRaw(proxy.origin, {
      path: "/anthropic/v1/messages",
      body: longBody(1),
    });
    assert.deepEqual([status, headers["retry-after"], JSON.parse(bytes)], [529, "7", refusal]);
    assert.equal(proxy.requests[0].status, 529);
  });

  const breaking = (_, response) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: {}\n\n");
    setTimeout(() => response.destroy(), 20);
  };
  await between(breaking, async (proxy) => {
    await assert.rejects(sendRaw(proxy.origin, { path: "/anthropic/v1/messages", body: longBody(1) }));
    await until(() => proxy.requests.length === 1);
    assert.equal(proxy.requests[0].isWhole, false);
    await assert.rejects(sendRaw(proxy.origin, { path: "/anthropic/v1/other", method: "GET" }));
  });

  const gone = await rawServer(() => {});
  await gone.close();
  const proxy = await proxyTo(gone.origin);
  for (const path of ["/anthropic/v1/messages", "/anthropic/v1/models"]) {
    const { status, bytes } = await sendRaw(proxy.origin, { path, body: longBody(1), headers: { "x-api-key": KEY } });
    assert.deepEqual([status, JSON.parse(bytes).error.message], [502, "turnfold proxy: ECONNREFUSED"]);
  }
  const client = new Anthropic({ apiKey: KEY, baseURL: `${proxy.origin}/anthropic`, maxRetries: 0 });
  await assert.rejects(client.messages.create(JSON.parse(longBody(1))), (error) => error.status === 502);
  await proxy.close();
});

test("a request on a connection that the provider has closed is sent again", async () => {
  const used = new WeakSet();
  const respond = ({ socket }, response) => {
    if (used.has(socket)) socket.resetAndDestroy();
    else response.end("{}");
    used.add(socket);
  };
  await between(respond, async (proxy, server) => {
    for (const tries of [1, 3]) {
      const { status } = await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", body: longBody(1) });
      assert.deepEqual([status, server.got.length], [200, tries]);
    }
  });
});

test("a managed body that the provider refuses is sent as it was, and its chat is left alone", async () => {
  const respond = (_, response, { body }) => {
    const isGiven = body.length > longBody().length / 2;
    response.writeHead(isGiven ? 200 : 400, { "content-type": "application/json" });
    response.end(isGiven ? "{}" : '{"error":{"message":"no"}}');
  };
  await between(
    respond,
    async (proxy, server) => {
      for (const count of [30, 31]) {
        const { status } = await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", body: longBody(count) });
        assert.equal(status, 200);
      }
      assert.deepEqual(
        server.got.slice(1).map(({ body }) => String(body)),
        [longBody(30), longBody(31)],
      );
      assert.equal(proxy.warnings.length, 1);
      assert.match(proxy.warnings[0], /^400 for the managed body/);
      assert.deepEqual(
        proxy.requests.map(({ isSent }) => isSent),
        [false, false],
      );
    },
    always,
  );
  // What the provider refuses in any form is the app's.
  const refuse = (_, response) => {
    response.writeHead(400, { "content-type": "application/json" });
    response.end('{"error":{"message":"no"}}');
  };
  await between(
    refuse,
    async (proxy) => {
      for (const _ of [1, 2])
        assert.equal((await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", body: longBody() })).status, 400);
      assert.deepEqual(proxy.warnings, []);
    },
    always,
  );
});

test("limits that can't be met pass the body unchanged, with a warning", async () => {
  const respond = (_, response) => response.end("{}");
  const options = { parameters: { maxTokens: 100 } };
  await between(
    respond,
    async (proxy, server) => {
      await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", body: longBody() });
      assert.equal(String(server.got[0].body), longBody());
      assert.match(proxy.warnings[0], /^a body passes unchanged: .*maxTokens allows 100/);
    },
    options,
  );
});

test("other names of the host, pages and other paths are refused", async () => {
  await between(
    () => assert.fail("nothing is sent on"),
    async (proxy) => {
      const path = "/anthropic/v1/messages";
      const { port } = new URL(proxy.origin);
      for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1", `127.0.0.1:${Number(port) + 1}`]) {
        assert.equal((await sendRaw(proxy.origin, { path, headers: { host }, body: "{}" })).status, 403);
      }
      assert.equal((await sendRaw(proxy.origin, { path, headers: { "sec-fetch-site": "cross-site" } })).status, 403);
      for (const path of ["/", "/v1/messages", "/gemini/v1", "/constructor/v1", "//evil.example/v1"]) {
        const { status, bytes } = await sendRaw(proxy.origin, { path, method: "GET" });
        assert.equal(status, 404);
        assert.match(String(bytes), new RegExp(`${proxy.origin}/anthropic`));
      }
      const absolute = await new Promise((done) => {
        const socket = connect(port, "127.0.0.1", () =>
          socket.write(
            `GET http://evil.example/anthropic/v1 HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`,
          ),
        );
        socket.once("data", (data) => done(String(data)));
      });
      assert.match(absolute, /^HTTP\/1.1 404/);
    },
  );
});

// ── chats ────────────────────────────────────────────────────────────────────────────────────────────────────────────

test("chats at the same time keep their own folds, and a compaction of the app starts anew", async () => {
  const respond = (_, response) => response.end('{"usage":{"input_tokens":10,"output_tokens":1}}');
  await between(respond, async (proxy, server) => {
    const { rounds } = clients.anthropic;
    const send = (messages) =>
      sendRaw(proxy.origin, {
        path: "/anthropic/v1/messages",
        body: JSON.stringify({
          model: "claude-opus-5-5",
          max_tokens: 9,
          cache_control: { type: "ephemeral" },
          messages,
        }),
      });
    const renamed = (messages) => JSON.parse(JSON.stringify(messages).replaceAll("src/f0.ts", "src/other.ts"));
    let sent = [null, null];
    for (let count = 1; count <= 30; count++) {
      for (const [index, messages] of [rounds(count), renamed(rounds(count))].entries()) {
        await send(messages);
        const body = String(server.got.at(-1).body);
        const { report } = proxy.requests.at(-1);
        assert.equal(report.session, count === 1 && index === 0 ? "new" : count === 1 ? "restarted" : "continued");
        if (sent[index] !== null && !report.isFolded) assert.ok(body.startsWith(sent[index].slice(0, -2)), `${count}`);
        sent = sent.with(index, body);
      }
    }
    assert.ok(proxy.requests.at(-1).report.tokens.after < 0.6 * proxy.requests.at(-1).report.tokens.before);
    await send([{ role: "user", content: "So far: nothing." }, ...rounds(1).slice(1)]);
    assert.equal(proxy.requests.at(-1).report.session, "new");
    assert.equal(proxy.requests.at(-1).isSent, false);
  });
});

test("a count is that of what would be sent, and changes no state", async () => {
  const respond = (_, response) => response.end('{"input_tokens":10}');
  await between(
    respond,
    async (proxy, server) => {
      const { max_tokens: _, ...body } = JSON.parse(longBody());
      for (const path of [
        "/anthropic/v1/messages/count_tokens",
        "/anthropic/v1/messages/count_tokens",
        "/anthropic/v1/messages",
      ])
        await sendRaw(proxy.origin, { path, body: JSON.stringify(body) });
      assert.deepEqual(
        proxy.requests.map(({ counts, report }) => [counts, report.session]),
        [
          [true, "new"],
          [true, "new"],
          [false, "new"],
        ],
      );
      const bodies = server.got.map(({ body }) => String(body));
      assert.ok(bodies[0].length < JSON.stringify(body).length && bodies.every((one) => one === bodies[0]));
    },
    always,
  );
});

// ── records ──────────────────────────────────────────────────────────────────────────────────────────────────────────

const linesIn = (folder) =>
  readdirSync(folder).flatMap((name) =>
    readFileSync(join(folder, name), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line)),
  );

test("--record writes requests, replies and usage, and no headers, for this user only", async () => {
  for (const stream of [false, true]) {
    const folder = join(mkdtempSync(join(tmpdir(), "turnfold-proxy-")), "records");
    const proxy = await proxyTo(upstream.origin, { record: folder, ...always });
    try {
      upstream.script.push({ text: "", calls: [["c9", "read", { path: "ä" }]] });
      for (const { ask, rounds } of Object.values(clients)) {
        for (const count of [1, 20]) await ask(proxy.origin, rounds(count), stream);
      }
      await until(() => proxy.requests.length === 6);
      assert.deepEqual(
        readdirSync(folder).map((name) => statSync(join(folder, name)).mode & 0o777),
        [0o600, 0o600, 0o600],
      );
      assert.equal(statSync(folder).mode & 0o777, 0o700);
      for (const name of readdirSync(folder)) {
        const { format, chats, warnings } = readConversation(readFileSync(join(folder, name), "utf8"));
        const requests = chats.flatMap((chat) => chat.requests);
        assert.deepEqual([format, requests.length, warnings], ["proxy-log", 2, []]);
        for (const { usage, at } of requests) assert.ok(usage.read === 64 && usage.output === 20 && at > 0);
        // What the app sent is one chat, however much of it the proxy folds.
        assert.deepEqual([chats.length, requests[0].omitted, requests[1].omitted > 0], [1, undefined, true]);
      }
      const lines = linesIn(folder);
      assert.ok(!JSON.stringify(lines).includes(KEY));
      assert.equal(new Set(lines.map(({ session }) => session)).size, 3);
      for (const {
        turnfold,
        version,
        at,
        provider,
        path,
        continues,
        body,
        omitted,
        model,
        usage,
        status,
        reply,
      } of lines) {
        assert.deepEqual([turnfold, version, status], ["request", 1, 200]);
        assert.ok(Date.now() - new Date(at).getTime() < 60_000);
        const [name, count] = { "/v1/messages": ["anthropic", "messages"], "/v1/responses": ["openai", "input"] }[
          path
        ] ?? ["openai", "messages"];
        assert.equal(provider, name);
        assert.equal(omitted === undefined, continues === undefined);
        // The second one has the messages of the first one at its beginning, and nothing else is new.
        if (continues === undefined) assert.equal(body.model, model);
        else assert.deepEqual([Object.keys(body), continues >= 3, body[count].length], [[count], true, 38]);
        assert.ok((usage.input_tokens ?? usage.prompt_tokens) > 0);
        assert.deepEqual(reply.usage, usage);
        const said = JSON.stringify(reply.content ?? reply.choices ?? reply.output);
        assert.match(
          said,
          path === "/v1/messages" && omitted === undefined
            ? /"input":\{"path":"ä"\}/
            : /"(text|content)":"Done, and the prices are there\."/,
        );
        if (stream && path === "/v1/messages") assert.match(said, /"thinking":"I add them up\."/);
        const reason = reply.stop_reason ?? reply.choices?.[0].finish_reason ?? reply.status;
        assert.match(reason, /^(end_turn|tool_use|stop|completed)$/);
      }
    } finally {
      await proxy.close();
      rmSync(join(folder, ".."), { recursive: true });
    }
  }
});

test("records of a long session are as long as its history, and their audit says what the proxy saved", async () => {
  const ROUNDS = 40;
  const { ask, rounds } = clients.anthropic;
  const billed = {};
  for (const isDry of [true, false]) {
    const folder = mkdtempSync(join(tmpdir(), "turnfold-proxy-"));
    let [before, round] = [[], 0];
    // Reads from its cache what begins a request as the one before it.
    const server = await modelServer(({ messages }) => {
      const texts = messages.map((message) => JSON.stringify(message));
      const changed = texts.findIndex((text, index) => text !== before[index]);
      const [same, news] = [texts.slice(0, changed), texts.slice(changed)].map((list) => list.join("").length);
      before = texts;
      const path = `src/f${round}.ts`;
      const usage = { fresh: 0, read: 3000 + Math.round(same / 3), written: Math.round(news / 3), output: 40 };
      return { text: "", calls: [[`c${round++}`, "read", { path }]], model: "claude-opus-4-5", usage };
    });
    const proxy = await proxyTo(server.origin, { record: folder, isDry, ...always });
    try {
      for (let count = 0; count < ROUNDS; count++) await ask(proxy.origin, rounds(count), false);
      await until(() => proxy.requests.length === ROUNDS);
    } finally {
      await proxy.close();
      await server.close();
    }
    const [name] = readdirSync(folder);
    const text = readFileSync(join(folder, name), "utf8");
    rmSync(folder, { recursive: true });
    assert.ok(text.length < 2 * JSON.stringify(rounds(ROUNDS)).length + 1000 * ROUNDS, `${text.length}`);
    const recording = readConversation(text);
    assert.deepEqual([recording.chats.length, recording.chats[0].requests.length], [1, ROUNDS]);
    const audited = audit(recording, { strategies: {} });
    billed[isDry] = audited.billed.dollars;
    const [none] = audited.strategies;
    assert.ok(audited.fit.within5 > 0.9, `${audited.fit.within5}`);
    if (isDry) assert.equal(audited.proxy, null);
    else {
      const { requests, tokens, saved } = audited.proxy;
      assert.equal(requests, proxy.requests.filter(({ isSent }) => isSent).length);
      assert.ok(tokens > 0);
      assert.ok(Math.abs(saved - (none.cost - billed.false)) < 1e-9);
      // What the same requests were billed without the proxy's folds.
      assert.ok(Math.abs(none.cost / billed.true - 1) < 0.03, `${none.cost} of ${billed.true}`);
    }
  }
});

test("a dry run sends everything as it is, and tells what would have been saved", async () => {
  const respond = (_, response) => response.end("{}");
  await between(
    respond,
    async (proxy, server) => {
      await sendRaw(proxy.origin, { path: "/anthropic/v1/messages", body: longBody() });
      assert.equal(String(server.got[0].body), longBody());
      const [{ isSent, report }] = proxy.requests;
      assert.ok(!isSent && report.isChanged && report.tokens.after < report.tokens.before);
    },
    { ...always, isDry: true },
  );
});

// ── the command ──────────────────────────────────────────────────────────────────────────────────────────────────────

const command = fileURLToPath(new URL("../../js/cli/turnfold.mjs", import.meta.url));

async function run(args) {
  const child = spawn(process.execPath, [command, "proxy", ...args]);
  const output = { stdout: "", stderr: "", child };
  for (const name of ["stdout", "stderr"]) child[name].on("data", (data) => (output[name] += data));
  output.ended = once(child, "exit");
  return output;
}

test("the command prints its addresses, a line for each request, and the sum when it ends", async () => {
  const to = ["--to", `anthropic=${upstream.origin}`];
  const proxy = await run([
    "--port",
    "0",
    ...to,
    "--strategy",
    "digest({ keep: 2 })",
    "--when",
    "always",
    "--prices",
    "anthropic",
  ]);
  await until(() => proxy.stdout.includes("/openai"));
  const [, origin] = /^(http:\/\/127\.0\.0\.1:\d+)\/anthropic → http:\/\/127\.0\.0\.1:\d+$/m.exec(proxy.stdout);
  assert.match(proxy.stdout, /\/openai → https:\/\/api\.openai\.com$/m);
  await clients.anthropic.ask(origin, clients.anthropic.rounds(20), true);
  await until(() => proxy.stderr.endsWith("\n"));
  assert.match(
    proxy.stderr,
    /^\d\d:\d\d:\d\d claude-opus-5-5 \/v1\/messages 200 · [\d,]+ → [\d,]+ tokens · folded · 100 billed, 64 % cached, 20 written · \d+\.\d s\n$/,
  );
  proxy.child.kill("SIGTERM");
  const [code] = await proxy.ended;
  assert.equal(code, 0);
  assert.match(proxy.stdout, /^1 request, [\d,]+ → [\d,]+ tokens \(\d+ %\), estimated\n$/m);
  assert.ok(!`${proxy.stdout}${proxy.stderr}`.includes(KEY));
});

test("wrong options end the command before it listens", async () => {
  for (const [args, message] of [
    [["--port", "x"], /--port x is no number/],
    [["--to", "nowhere"], /--to nowhere is not NAME=URL/],
    [["--to", "a=ftp://b"], /is not NAME=URL/],
    [["--strategy", "best"], /there is no strategy "best"; there are digest, clearToolResults and none/],
    [["--strategy", "digest({ kep: 1 })"], /kep/],
    [["--when", "never"], /when/],
    [["--prices", "{"], /is no JSON/],
    [["--prices", "cheap"], /prices/],
    [["now"], /proxy takes options only, got now/],
    [["--fast"], /Unknown option '--fast'/],
  ]) {
    const proxy = await run([...args, ...(args[0] === "--port" ? [] : ["--port", "0"])]);
    const [code] = await proxy.ended;
    assert.ok(code === 1 || code === 2, `${args}`);
    assert.match(proxy.stderr, message);
  }
});
