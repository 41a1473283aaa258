// The browser of the tests, and a server for the pages that it opens.

import { createReadStream, readFileSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { extname, join } from "node:path";
import { chromium as playwright } from "playwright-core";
import { headlessChromium, root } from "../scripts/tools.mjs";

const { args } = JSON.parse(readFileSync(join(root, "webdriver.json"), "utf8"))["goog:chromeOptions"];

/** Starts the installed Chromium, in which all tabs of a context that show the same site share a process. */
export function openBrowser() {
  return playwright.launch({ executablePath: headlessChromium(), args: [...args, "--process-per-site"] });
}

/** Factor by which the processor of each page is slowed down, to find tests that fail on a slow machine. */
const SLOWDOWN = Number(process.env.SLOWDOWN ?? 1);

export async function slowDown(page) {
  if (SLOWDOWN === 1) return;
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
}

const types = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".mjs": "text/javascript",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** Serves the files of a folder, with these headers on every response; `close` stops the server. */
export async function serve(folder, headers = {}) {
  const server = createServer(({ url }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const path = join(folder, decodeURIComponent(pathname), pathname.endsWith("/") ? "index.html" : "");
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(path)] ?? "application/octet-stream", ...headers });
    createReadStream(path).pipe(response);
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    close: () => new Promise((closed) => server.close(closed).closeAllConnections()),
  };
}
