// The server of `turnfold proxy`: requests to models pass through it with shorter histories, and everything else as it
// is. It listens on loopback only. Keys are in headers, which are passed on and neither stored nor printed.

import { createHash } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { createServer, request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import * as zlib from "node:zlib";
import { manageRequest } from "turnfold/gateway";
import { ChatRecords } from "./proxy-records.mjs";
import { ReplyReader, tokensOf } from "./proxy-replies.mjs";
import { agentsFor } from "./upstream-agents.mjs";

/** The APIs whose requests have histories, by the ends of their paths. */
const APIS = [
  { end: "/messages", api: "anthropic", provider: "anthropic" },
  // What the app counts is what is sent; a count changes no state.
  { end: "/messages/count_tokens", api: "anthropic", provider: "anthropic", counts: true },
  { end: "/chat/completions", api: "openai", provider: "openai" },
  { end: "/responses", api: "openai-responses", provider: "openai" },
  { end: "/responses/compact", api: "openai-responses", provider: "openai" },
];

/** Headers that are about one connection. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** The statuses with which providers refuse a body. */
const REFUSALS = [400, 413, 422];

/** Node 20 reads no zstd. */
const DECODERS = {
  gzip: zlib.gunzipSync,
  "x-gzip": zlib.gunzipSync,
  deflate: zlib.inflateSync,
  br: zlib.brotliDecompressSync,
  zstd: zlib.zstdDecompressSync,
};
const MAX_BODY = 2 ** 29;
/** Chats whose states are kept, and states of chats that begin alike. */
const MAX_CHATS = 200;
const MAX_STATES = 16;

const loopback = (port) => [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];

/**
 * Starts the server.
 *
 * @param options `to`: the addresses of providers by the first part of the path; `parameters` of `manageRequest`;
 * `record`: a folder; `isDry`; `env`, which may name a proxy of the network; `onRequest` receives what is known of each request when its reply has ended, and
 * `onWarning` texts.
 */
export async function startProxy({ port = 0, ...options }) {
  const proxy = new ProxyServer(options);
  // Wrong options are reported before anybody relies on the server.
  await manageRequest(null, options.parameters);
  if (options.record !== undefined) await mkdir(options.record, { recursive: true, mode: 0o700 });
  const server = createServer((request, response) => proxy.answer(request, response));
  // An agent may think for as long as it likes.
  server.requestTimeout = 0;
  // Longer than clients keep a connection, so that none is closed while they use it again.
  server.keepAliveTimeout = 120_000;
  await new Promise((ready, failed) => server.once("error", failed).listen(port, "127.0.0.1", ready));
  proxy.port = server.address().port;
  return {
    port: proxy.port,
    origin: `http://127.0.0.1:${proxy.port}`,
    close: () =>
      new Promise((closed) => {
        server.close(closed).closeAllConnections();
        proxy.close();
      }),
  };
}

class ProxyServer {
  port = 0;
  #options;
  #chats = new Chats();
  #agents;

  constructor({ env = process.env, ...options }) {
    this.#options = options;
    this.#agents = agentsFor(env);
  }

  close() {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async answer(request, response) {
    response.on("error", () => {});
    try {
      await this.#pass(request, response);
    } catch (error) {
      if (response.headersSent || response.destroyed) response.destroy();
      else fail(response, 502, `turnfold proxy: ${error.code ?? error.message}`);
    }
  }

  async #pass(request, response) {
    const { host, "sec-fetch-site": site } = request.headers;
    // A page whose name was made to lead here asks with its own name.
    if (!loopback(this.port).includes(host) || site === "cross-site") {
      fail(response, 403, "turnfold proxy answers programs of this machine only");
      return;
    }
    const [, name, rest] = /^\/([\w-]+)(\/.*)$/.exec(request.url) ?? [];
    const to = Object.hasOwn(this.#options.to, name ?? "") ? this.#options.to[name] : undefined;
    if (to === undefined) {
      const names = Object.keys(this.#options.to).map((known) => `http://${host}/${known}`);
      fail(response, 404, `turnfold proxy: the base URL is one of ${names.join(", ")}`);
      return;
    }
    if (/^websocket$/i.test(request.headers.upgrade ?? "")) {
      // Codex then takes HTTP at once; after other answers it tries again first.
      fail(response, 426, "turnfold proxy speaks HTTP");
      return;
    }
    const [path] = rest.split("?");
    const known = request.method === "POST" ? APIS.find(({ end }) => path.endsWith(end)) : undefined;
    const target = { to: new URL(to), rest, request };
    if (known === undefined) {
      const upstream = await this.#send(target, request, response);
      await relay(upstream, response);
      return;
    }
    await this.#passHistory({ ...target, ...known, name, path }, response);
  }

  async #passHistory(target, response) {
    const { request, api, provider, name, path, counts = false } = target;
    const started = performance.now();
    const at = Date.now();
    const given = await bytesOf(request);
    const text = decodedText(given, request.headers["content-encoding"]);
    const body = jsonObject(text);
    const chat = body === null ? null : this.#chats.of(body, `${name} ${api}`, request.headers);
    const managed = await this.#manage(text, api, chat, at);
    const { report } = managed;
    if (!counts) chat?.note(managed);
    const isChanged = report.isChanged && !this.#options.isDry;
    let sent = isChanged ? Buffer.from(managed.body) : given;
    let upstream = await this.#send(target, sent, response, isChanged);
    if (isChanged && REFUSALS.includes(upstream.statusCode)) {
      const refusal = await bytesOf(upstream);
      const again = await this.#send(target, given, response);
      if (again.statusCode < 400) {
        // The provider takes what the app sent: this chat is left alone.
        chat.isManaged = false;
        this.#options.onWarning(
          `${upstream.statusCode} for the managed body, so this chat passes unchanged: ${refusal}`,
        );
      }
      [upstream, sent] = [again, given];
    }
    const reader = new ReplyReader(upstream.headers, api);
    const isWhole = await relay(upstream, response, (piece) => reader.add(piece)).then(
      () => true,
      () => false,
    );
    const { reply, usage } = await reader.end();
    const tokens = tokensOf(usage);
    const isSent = sent !== given;
    if (tokens !== null && !counts && (isSent || !report.isChanged)) chat?.addUsage(managed.state, tokens);
    const about = {
      at,
      path,
      model: String(body?.model ?? ""),
      status: upstream.statusCode,
      isWhole,
      isSent,
      counts,
      report,
      tokens,
      milliseconds: performance.now() - started,
    };
    if (this.#options.record !== undefined && chat !== null && !counts)
      await this.#record(chat, { provider, body, usage, reply, ...about });
    this.#options.onRequest(about);
  }

  async #manage(text, api, chat, at) {
    const unchanged = {
      body: text,
      state: null,
      report: { isChanged: false, isFolded: false, tokens: null, warnings: [] },
    };
    if (chat === null) {
      this.#options.onWarning("a body that can't be read passes unchanged");
      return unchanged;
    }
    if (!chat.isManaged) return unchanged;
    try {
      const known = { state: chat.states, isStateLost: true };
      return await manageRequest(text, { ...this.#options.parameters, ...known, format: api, at });
    } catch (error) {
      // Nothing that happens here is a reason to fail the app's request.
      this.#options.onWarning(`a body passes unchanged: ${error.message}`);
      return unchanged;
    }
  }

  /** Sends a request on, with its own body or with another one, and returns the response. */
  #send({ to, rest, request }, body, response, isChanged = false) {
    const isBuffer = Buffer.isBuffer(body);
    const headers = passedHeaders(request.rawHeaders, request.headers.connection);
    headers.host = to.host;
    if (isBuffer) headers["content-length"] = body.length;
    if (isChanged) delete headers["content-encoding"];
    const send = to.protocol === "https:" ? httpsRequest : httpRequest;
    const path = to.pathname.replace(/\/$/, "") + rest;
    const { promise, resolve, reject } = withResolvers();
    let isAnswered = false;
    const onResponse = (answer) => {
      isAnswered = true;
      resolve(answer);
    };
    const upstream = send(to, { method: request.method, path, headers, agent: this.#agents[to.protocol] }, onResponse);
    upstream.on("error", (error) => {
      // The provider has closed a connection that was kept for the next request.
      const isStale = upstream.reusedSocket && error.code === "ECONNRESET" && !isAnswered && !response.destroyed;
      if (isStale && isBuffer) resolve(this.#send({ to, rest, request }, body, response, isChanged));
      else reject(error);
    });
    response.once("close", () => {
      // The app has left. After a whole response the connection may have another request already.
      if (!response.writableFinished) upstream.destroy();
    });
    if (isBuffer) upstream.end(body);
    else body.on("error", () => upstream.destroy()).pipe(upstream);
    return promise;
  }

  /** Records what the app sent, with what was billed: a shorter history is no compaction of the app's. */
  async #record(chat, { at, provider, path, body, model, usage, status, reply, isWhole, isSent, report }) {
    const time = new Date(at).toISOString();
    const start = { turnfold: "request", version: 1, at: time, provider, path, session: chat.id };
    const { before = 0, after = 0, factor = 1 } = (isSent ? report.tokens : null) ?? {};
    const end = {
      ...(isSent ? { omitted: Math.round((before - after) / factor) } : {}),
      ...{ model, usage, status, reply },
      ...(isWhole ? {} : { incomplete: true }),
    };
    try {
      await chat.records.append(this.#options.record, `${time.slice(0, 10)}-${chat.id}.jsonl`, { start, body, end });
    } catch (error) {
      this.#options.onWarning(`a request is not recorded: ${error.message}`);
    }
  }
}

/** The states of chats: each chat by what it begins with, and those that begin alike by their states. */
class Chats {
  #chats = new Map();

  /** Returns the chat of a body. */
  of(body, name, headers) {
    const id = createHash("sha256")
      .update(JSON.stringify([name, sessionOf(body, headers), beginningOf(body)]))
      .digest("hex")
      .slice(0, 16);
    const chat = this.#chats.get(id) ?? new Chat(id);
    this.#chats.delete(id);
    this.#chats.set(id, chat);
    for (const oldest of this.#chats.keys()) {
      if (this.#chats.size <= MAX_CHATS) break;
      this.#chats.delete(oldest);
    }
    return chat;
  }
}

class Chat {
  isManaged = true;
  records = new ChatRecords();
  /** The newest first. */
  states = [];

  constructor(id) {
    this.id = id;
  }

  /** Keeps the state of a request; one that it continued without a fold is not needed any more. */
  note({ state, report }) {
    if (state === null || report.format === null) return;
    const others = this.states.filter((_, index) => index !== report.continued || report.isFolded);
    this.states = [state, ...others].slice(0, MAX_STATES);
  }

  addUsage(state, usage) {
    this.states = this.states.map((known) => (known === state ? { ...state, usage } : known));
  }
}

/** The client's name of a session, if it has one; null otherwise. */
function sessionOf({ metadata, prompt_cache_key }, headers) {
  const header = ["x-claude-code-session-id", "session_id", "session-id", "conversation_id"].find(
    (name) => headers[name],
  );
  return headers[header] ?? metadata?.user_id ?? prompt_cache_key ?? null;
}

/** The texts of the first message of the user: a mark for the cache, which moves, is no text. */
function beginningOf({ messages, input }) {
  const list = Array.isArray(messages) ? messages : Array.isArray(input) ? input : [{ role: "user", content: input }];
  const first = list.find((item) => item?.role === "user");
  const content = first?.content;
  return Array.isArray(content) ? content.map((block) => block?.text ?? "").join("\n") : (content ?? null);
}

const withResolvers = () => {
  const all = {};
  all.promise = new Promise((resolve, reject) => Object.assign(all, { resolve, reject }));
  return all;
};

async function bytesOf(stream) {
  const chunks = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** The text of a body; null when it can't be read. */
function decodedText(bytes, encoding = "identity") {
  try {
    const decode = DECODERS[encoding.trim().toLowerCase()];
    if (decode === undefined && encoding !== "identity") return null;
    const plain = decode === undefined ? bytes : decode(bytes, { maxOutputLength: MAX_BODY });
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(plain);
  } catch {
    return null;
  }
}

function jsonObject(text) {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}

/** The headers that are passed on, those that are there several times as lists. */
function passedHeaders(raw, connection = "") {
  const named = new Set(connection.split(",").map((name) => name.trim().toLowerCase()));
  const headers = {};
  for (let index = 0; index < raw.length; index += 2) {
    const name = raw[index].toLowerCase();
    if (HOP_BY_HOP.has(name) || named.has(name) || name === "expect") continue;
    headers[name] = Object.hasOwn(headers, name) ? [headers[name], raw[index + 1]].flat() : raw[index + 1];
  }
  return headers;
}

/** Passes a response on as it arrives. Rejects when it breaks off, or the app leaves. */
function relay(upstream, response, onPiece = () => {}) {
  response.writeHead(
    upstream.statusCode,
    upstream.statusMessage,
    passedHeaders(upstream.rawHeaders, upstream.headers.connection),
  );
  response.flushHeaders();
  return new Promise((done, broken) => {
    upstream.on("data", onPiece);
    upstream.on("error", () => {});
    upstream.on("close", () => {
      if (upstream.complete) return;
      response.destroy();
      broken(new Error("the response broke off"));
    });
    response.on("close", () => (response.writableFinished ? done() : broken(new Error("the app left"))));
    upstream.pipe(response);
  });
}

/** Answers as both providers write errors. */
function fail(response, status, message) {
  const error = { type: "api_error", message, code: null, param: null };
  response.writeHead(status, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ type: "error", error }));
}
