// The built playground on a server that compresses responses, as hosts of static files do.

import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { root } from "../../../scripts/tools.mjs";

/** A folder of its own, because www/dist may be in use by tests at the same time. */
const folder = join(root, ".cache", "page-bench");

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Builds the playground and serves it. */
export async function servePlayground() {
  const { build } = await import("vite");
  await build({ configFile: join(root, "www", "vite.config.ts"), logLevel: "error", build: { outDir: folder } });
  const bodies = new Map();
  const bodyOf = (path) => {
    if (!bodies.has(path)) bodies.set(path, gzipSync(readFileSync(path), { level: 9 }));
    return bodies.get(path);
  };
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const path = join(folder, pathname === "/" ? "index.html" : decodeURIComponent(pathname));
    if (!path.startsWith(folder) || !existsSync(path)) return response.writeHead(404).end();
    const type = types[extname(path)] ?? "application/octet-stream";
    response.writeHead(200, { "content-type": type, "content-encoding": "gzip" }).end(bodyOf(path));
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}
