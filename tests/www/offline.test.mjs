// The built page offline, under a subpath, and after another build.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, it } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { serve, slowDown } from "../browser.mjs";
import { eventually } from "./eventually.mjs";
import { inContext, pickExample } from "./visit.mjs";

let folder;
let server;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnfold-site-"));
  await cp(join(root, "www", "dist"), join(folder, "some", "path"), { recursive: true });
  server = await serve(folder);
});

after(async () => {
  await server?.close();
  await rm(folder, { recursive: true });
});

/** Visits the page, and waits until it is stored completely. */
const visit = (journey) =>
  inContext({ viewport: { width: 1280, height: 800 }, serviceWorkers: "allow" }, async (context, errors) => {
    const page = await context.newPage();
    await slowDown(page);
    await page.goto(`${server.origin}/some/path/`);
    await page.locator(".message").first().waitFor({ state: "attached" });
    await page.evaluate(() => navigator.serviceWorker.ready);
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    await journey(page, context);
    // The browser’s own messages: documents are built for the root of a site, and requests fail without a network.
    errors.ignore(/Failed to load resource/);
  });

it("everything works offline after the first visit", () =>
  visit(async (page, context) => {
    await page.goto(`${server.origin}/some/path/docs/turns.html`);
    await page.getByRole("heading", { name: "Agents that work in turns", level: 1 }).waitFor();
    await page.waitForFunction(async () => (await caches.match(location.href)) !== undefined);
    await context.setOffline(true);
    await page.goto(`${server.origin}/some/path/`);
    await page.locator('.message[data-role="user"]').getByText("Check November’s invoices").waitFor();

    // Editors, running programs, and all parts that are loaded on demand.
    await page.mouse.move(300, 300);
    await page.locator('.cm-content[aria-label="Program of turn 1"]').waitFor();
    await pickExample(page, "One huge tool result");
    await page.getByText("Opened “One huge tool result”.").waitFor();
    await page.getByRole("tab", { name: "REPL" }).click();
    await page.locator('.cm-content[aria-label="Program"]').click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("(reduce + (range 10))");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("Run 1: 45").waitFor();
    // The answer of this tool is a JavaScript function.
    await page.locator('.cm-content[aria-label="Program"]').click();
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.insertText("(tool/remind {:ids [1 2 3]})");
    await page.keyboard.press("ControlOrMeta+Enter");
    await page.getByText("Run 2: 3").waitFor();
    await page.getByRole("tab", { name: "Run", exact: true }).click();
    await page.locator("#run-agent").waitFor();
    await page.getByRole("tab", { name: "Chat" }).click();
    await page.getByRole("combobox", { name: "Strategy" }).selectOption("chunked");
    await page.locator(".chat-result .chat-message").first().waitFor();
    await page.keyboard.press("ControlOrMeta+k");
    await page.getByRole("combobox", { name: "Command" }).waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("button", { name: "Copy as code" }).waitFor();

    // A document that was visited, and one that was not.
    await page.goto(`${server.origin}/some/path/docs/turns.html`);
    await page.getByRole("heading", { name: "Agents that work in turns", level: 1 }).waitFor();
    await assert.rejects(
      page.goto(`${server.origin}/some/path/docs/sandbox.html`),
      /ERR_(INTERNET_DISCONNECTED|FAILED)/,
    );
  }));

it("a link and a query open offline", () =>
  visit(async (page, context) => {
    await context.setOffline(true);
    await page.goto(`${server.origin}/some/path/?embed#example=logs`);
    await page.getByText(/^FINAL TURN - /).waitFor();
    await page.goto(`${server.origin}/some/path/index.html`);
    await page.locator('.message[data-role="user"]').getByText("Check November’s invoices").waitFor();
  }));

it("documents and counters open when there is no space to store them", () =>
  visit(async (page, context) => {
    const devtools = await context.newCDPSession(page);
    await devtools.send("Storage.overrideQuotaForOrigin", { origin: server.origin, quotaSize: 1 });
    await page.goto(`${server.origin}/some/path/docs/turns.html`);
    await page.getByRole("heading", { name: "Agents that work in turns", level: 1 }).waitFor();
    const read = (path) => page.evaluate((path) => fetch(path).then(({ status }) => status), path);
    const { optional } = /optional:(?<optional>\[[^\]]*\])/.exec(
      await readFile(join(folder, "some", "path", "offline.js"), "utf8"),
    ).groups;
    const counters = JSON.parse(optional);
    assert.ok(counters.length > 0);
    for (const path of counters) assert.equal(await read(`${server.origin}/some/path/${path}`), 200);
    assert.equal(await page.evaluate(async () => (await caches.match(location.href)) === undefined), true);
  }));

it("a new build is shown at the next visit, and the old one is removed", () =>
  visit(async (page, context) => {
    const site = join(folder, "some", "path");
    const [index, worker] = await Promise.all(
      ["index.html", "offline.js"].map((name) => readFile(join(site, name), "utf8")),
    );
    const version = /version:"(\w{16})"/.exec(worker)[1];
    const names = () => page.evaluate(() => caches.keys());
    await eventually.deepEqual(
      async () => (await names()).filter((name) => name.includes(version)),
      [`turnfold ${server.origin}/some/path/ ${version}`],
    );
    try {
      await writeFile(join(site, "index.html"), index.replace("<title>Turnfold", "<title>Newer Turnfold"));
      await writeFile(join(site, "offline.js"), worker.replace(version, "0123456789abcdef"));
      // This visit continues with the build with which it began.
      await page.evaluate(async () => {
        const registration = await navigator.serviceWorker.getRegistration();
        await registration.update();
        while (registration.waiting === null) await new Promise((later) => setTimeout(later, 50));
      });
      await page.reload();
      await eventually.equal(() => page.title(), "Turnfold playground");
      await page.close();
      const next = await context.newPage();
      await eventually(async () => {
        await next.goto("about:blank");
        await next.goto(`${server.origin}/some/path/`);
        assert.equal(await next.title(), "Newer Turnfold playground");
      });
      await next.waitForFunction(async () =>
        (await caches.keys()).every((name) => !/ [0-9a-f]{16}$/.test(name) || name.endsWith("0123456789abcdef")),
      );
    } finally {
      await writeFile(join(site, "index.html"), index);
      await writeFile(join(site, "offline.js"), worker);
    }
  }));

it("only the page’s own server gets requests", () =>
  visit(async (page, context) => {
    const foreign = [];
    context.on("request", (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== server.origin && protocol.startsWith("http")) foreign.push(request.url());
    });
    for (const name of ["Run", "REPL", "Chat", "Turns"]) await page.getByRole("tab", { name, exact: true }).click();
    await page.getByRole("button", { name: "Share", exact: true }).click();
    await page.getByRole("button", { name: "Copy link" }).click();
    await page.goto(`${server.origin}/some/path/docs/index.html`);
    assert.deepEqual(foreign, []);
  }));
