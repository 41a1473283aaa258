// The server of `turnfold studio`: the built playground and the sessions of this machine, for this machine only.

import { randomBytes, timingSafeEqual } from "node:crypto";
import { constants, createReadStream, existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { fileURLToPath } from "node:url";
import { createBrotliDecompress } from "node:zlib";
import { Problem } from "./terminal.mjs";

const packageFolder = fileURLToPath(new URL("../..", import.meta.url));
/** The build of the page; this file is in js/cli or dist/cli. */
const page = join(packageFolder, "dist", "studio");

const TYPES = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".md": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
};

/** The page has a policy of its own, which this one narrows: it can't be framed, and reaches nothing but this server. */
const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "connect-src 'self'; form-action 'none'; frame-ancestors 'none'",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** The most bytes of a session that are read at once. A browser can't hold a much longer text. */
const MAX_BYTES = 256 * 1024 * 1024;

/**
 * Serves the page and the sessions on 127.0.0.1. Sessions need the token, which is in the fragment of `url`, so that
 * other users of this machine can't read them.
 *
 * @param ports tried one after the other; 0 is a free one.
 */
export async function listen(sessions, ports) {
  if (!existsSync(join(page, "index.html.br"))) throw new Problem(`the page is not built: ${page} is missing`);
  const token = randomBytes(24).toString("base64url");
  const server = createServer((request, response) => {
    handle(request, response, { sessions, token, server }).catch((error) => {
      if (!response.headersSent) end(response, 500, `The session can't be read: ${error.code ?? error.message}`);
      else response.destroy();
    });
  });
  const port = await firstFree(server, ports);
  const close = async () => {
    sessions.close();
    await new Promise((closed) => server.close(closed).closeAllConnections());
  };
  return { url: `http://127.0.0.1:${port}/#token=${token}`, origin: `http://127.0.0.1:${port}`, token, close };
}

async function firstFree(server, ports) {
  for (const port of ports) {
    const problem = await new Promise((settle) => {
      server.once("error", settle);
      server.listen(port, "127.0.0.1", () => {
        server.off("error", settle);
        settle(null);
      });
    });
    if (problem === null) return server.address().port;
    if (problem.code !== "EADDRINUSE" || port === ports.at(-1))
      throw new Problem(
        problem.code === "EADDRINUSE"
          ? `port ${port} is taken: choose another one with --port`
          : `port ${port} can't be opened: ${problem.message}`,
      );
  }
}

async function handle(request, response, { sessions, token, server }) {
  const { method, headers } = request;
  const { port } = server.address();
  const hosts = [`127.0.0.1:${port}`, `localhost:${port}`];
  // A foreign name that leads to 127.0.0.1 would give its pages the sessions.
  if (!hosts.includes(headers.host)) return end(response, 403, "This server answers to 127.0.0.1 and localhost only.");
  if (headers.origin !== undefined && headers.origin !== `http://${headers.host}`)
    return end(response, 403, "This server answers to its own page only.");
  if (method !== "GET") return end(response, 405, "This server is read only.", { allow: "GET" });
  const { pathname, searchParams } = new URL(request.url, `http://${headers.host}`);
  if (!pathname.startsWith("/studio/")) return sendFile(response, pathname);
  if (!isToken(headers.authorization, token))
    return end(response, 401, "The address lacks its token: open the one that turnfold studio printed.");
  if (pathname === "/studio/events") return sendEvents(request, response, sessions, searchParams.get("session"));
  const [, id] = /^\/studio\/sessions\/([\w-]+)$/.exec(pathname) ?? [];
  const path = id === undefined ? undefined : sessions.pathOf(id);
  if (path === undefined) return end(response, 404, "There is no such session.");
  await sendSession(response, path, Number(searchParams.get("from") ?? 0));
}

function isToken(given = "", token) {
  const [own, other] = [Buffer.from(`Bearer ${token}`), Buffer.from(given)];
  return own.length === other.length && timingSafeEqual(own, other);
}

/** Sends a file of the page, whose files are compressed, one of the package that the page uses too, or a document. */
function sendFile(response, pathname) {
  const [, document] = /^\/docs\/([\w/-]+)\.html$/.exec(pathname) ?? [];
  const [, vocabulary] = /^\/assets\/(\w+\.vocabulary\.js)$/.exec(pathname) ?? [];
  const [, asset] = /^\/((?:assets\/)?[\w.-]+)$/.exec(pathname === "/" ? "/index.html" : pathname) ?? [];
  const own =
    document !== undefined
      ? join("docs", `${document.replace(/(^|\/)index$/, "$1README")}.md`)
      : vocabulary !== undefined
        ? join("dist", "tokens", vocabulary)
        : pathname === "/assets/turnfold.wasm"
          ? join("dist", "turnfold.wasm")
          : null;
  const file = own === null ? join(page, `${asset}.br`) : join(packageFolder, own);
  if (!existsSync(file)) return end(response, 404, "There is no such file.");
  const type = TYPES[extname(own ?? asset)] ?? "application/octet-stream";
  response.writeHead(200, { ...HEADERS, "content-type": type });
  const bytes = createReadStream(file);
  (own === null ? bytes.pipe(createBrotliDecompress()) : bytes).pipe(response);
}

/** Sends the bytes of a session from an offset on. A link in the place of the file is not followed. */
async function sendSession(response, path, from) {
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    const { size } = await file.stat();
    if (!(from >= 0 && from <= size)) return end(response, 416, "The session is shorter than that.");
    if (size - from > MAX_BYTES) return end(response, 413, "The session has more than 256 MB.");
    response.writeHead(200, { ...HEADERS, "content-type": "application/octet-stream", "content-length": size - from });
    // Bytes that are appended in the meantime are sent at the next request.
    if (size === from) response.end();
    else await pipeline(file.createReadStream({ start: from, end: size - 1, autoClose: false }), response);
  } finally {
    await file.close();
  }
}

/** Sends the list of sessions and then its changes, as server-sent events. */
function sendEvents(request, response, sessions, followed) {
  response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
  const send = (event) => response.write(`data: ${JSON.stringify(event)}\n\n`);
  send({ changed: sessions.entries, gone: [] });
  const stop = sessions.listen(send);
  if (followed !== null) sessions.follow(followed);
  request.on("close", stop);
}

function end(response, status, text, headers = {}) {
  response.writeHead(status, { ...HEADERS, "content-type": "text/plain; charset=utf-8", ...headers }).end(`${text}\n`);
}
