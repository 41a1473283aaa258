// The page in a frame of another site, and the messages between host and frame.

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { serve, slowDown } from "../browser.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { inContext, origin } from "./visit.mjs";

let folder;
let host;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), "turnfold-host-"));
  // Another port is another origin.
  await writeFile(
    join(folder, "index.html"),
    `<!doctype html><title>Host</title><script>
      globalThis.heard = [];
      addEventListener("message", ({ data, origin }) => heard.push({ data, origin }));
      globalThis.frame = (src) => new Promise((loaded) => {
        const element = Object.assign(document.createElement("iframe"), { src, title: "Turnfold", width: 1100, height: 600 });
        element.onload = () => loaded();
        document.body.append(element);
      });
      globalThis.tell = (message, origin = "*") => document.querySelector("iframe").contentWindow.postMessage(message, origin);
    </script><body></body>`,
  );
  host = await serve(folder);
});

after(async () => {
  await host?.close();
  await rm(folder, { recursive: true });
});

/** Visits a host with the page in a frame; sends the message `early` when the frame has loaded. */
const visit = (query, journey, early) =>
  inContext({ viewport: { width: 1200, height: 700 } }, async (context) => {
    const page = await context.newPage();
    await slowDown(page);
    await page.goto(`${host.origin}/`);
    await page.evaluate(
      async ([src, message]) => {
        await globalThis.frame(src);
        if (message !== undefined) globalThis.tell(message);
      },
      [`${origin()}/${query}`, early],
    );
    const frame = page.frames().find((each) => each.url().startsWith(origin()));
    await frame.locator(".message, .chat").first().waitFor({ state: "attached" });
    await journey(page, frame, context);
  });

const heard = (page, type) =>
  page.evaluate((wanted) => globalThis.heard.filter(({ data }) => data.type === wanted), `turnfold:${type}`);

/** Waits until the frame reports a state with this mission. */
const hears = (page, mission) =>
  page.waitForFunction(
    (wanted) => globalThis.heard.some(({ data }) => data.type === "turnfold:state" && data.state.mission === wanted),
    mission,
  );

const tell = (page, message) => page.evaluate((data) => globalThis.tell(data), message);

const userText = (frame) => frame.locator('.message[data-role="user"]').first().textContent();

describe("in a frame", () => {
  it("the page is compact, follows a fragment, and leads to the playground", () =>
    visit("?embed&theme=dark#example=logs", async (_page, frame, context) => {
      await eventually.equal(() => frame.getByText("FINAL TURN - ").count(), 1);
      await eventually.equal(() => frame.locator(".brand, #example, #share, #menu").count(), 0);
      await eventually.equal(() => frame.evaluate(() => document.documentElement.dataset.theme), "dark");
      await frame.locator("#mission").fill("From the frame");
      const [opened] = await Promise.all([
        context.waitForEvent("page"),
        frame.getByRole("link", { name: "Open in the playground" }).click(),
      ]);
      await opened.locator('.message[data-role="user"]').getByText("From the frame").waitFor();
      assert.equal(new URL(opened.url()).search, "");
      await eventually.equal(() => opened.locator("#example").count(), 1);
    }));

  it("stores nothing in the browser", () =>
    visit("?embed", async (_, frame) => {
      await frame.evaluate(() => localStorage.setItem("turnfold-last", "#v1=x"));
      await frame.locator("#mission").fill("Not kept");
      // Long enough for an unwanted write of the page.
      await frame.waitForTimeout(800);
      assert.equal(await frame.evaluate(() => location.hash), "");
      await eventually.deepEqual(() => frame.evaluate(() => ({ ...localStorage })), { "turnfold-last": "#v1=x" });
    }));
});

describe("messages", () => {
  it("turnfold:ready, turnfold:load and turnfold:state: readiness, loading, and at most four changes a second", () =>
    visit("?embed", async (page, frame) => {
      await page.clock.install();
      await eventually.deepEqual(
        async () => (await heard(page, "ready")).map(({ data }) => data),
        [{ type: "turnfold:ready", version: 1 }],
      );
      // The host has not asked for states yet.
      await frame.locator("#mission").fill("Unheard");
      await page.clock.runFor(600);
      await eventually.deepEqual(() => heard(page, "state"), []);

      await tell(page, {
        type: "turnfold:load",
        state: { mission: "Loaded", strategy: "none", turns: [{ program: "1" }] },
      });
      await hears(page, "Loaded");
      await eventually.match(() => userText(frame), /Loaded/);
      const [first] = await heard(page, "state");
      assert.equal(first.origin, origin());
      assert.deepEqual(Object.keys(first.data).sort(), ["fragment", "state", "tab", "type", "version"]);
      assert.deepEqual(first.data.state.turns, [{ program: "1" }]);

      // A key every 50 ms of the page's clock, independent of the machine's speed.
      await page.clock.pauseAt(Date.now() + 60_000);
      const known = (await heard(page, "state")).length;
      const typed = "typed in the frame";
      await frame.locator("#mission").fill("");
      for (const key of typed) {
        await frame.locator("#mission").pressSequentially(key);
        await page.clock.runFor(50);
      }
      await page.clock.runFor(250);
      await hears(page, typed);
      const count = (await heard(page, "state")).length - known;
      assert.ok(count <= 4, `${count} messages for eighteen keys in 900 ms`);
      await page.clock.resume();

      const fragment = await linkTo({ chat: { messages: "[]" }, mission: "By link" }, "chat");
      await tell(page, { type: "turnfold:load", fragment });
      await hears(page, "By link");
      await frame.getByRole("tab", { name: "Chat", selected: true }).waitFor();
      await tell(page, { type: "turnfold:load", fragment: "example=emails", tab: "turns" });
      await page.waitForFunction(() => globalThis.heard.at(-1).data.fragment === "#example=emails");
      await frame.getByText("Triage the inbox").first().waitFor({ state: "attached" });
      const last = (await heard(page, "state")).at(-1).data;
      assert.equal(last.tab, "turns");
      await frame.locator("#mission").focus();
      await page.keyboard.press("ControlOrMeta+z");
      await hears(page, "By link");
    }));

  it("turnfold:load without a state asks for the current one, as soon as the frame has loaded", () =>
    visit(
      "?embed#example=logs",
      async (page) => {
        await page.waitForFunction(() => globalThis.heard.some(({ data }) => data.fragment === "#example=logs"));
      },
      { type: "turnfold:load" },
    ));

  it("turnfold:state: states are sent in the order in which the page had them", () =>
    visit("?embed", async (page, frame) => {
      // The large state takes longer to compress than the small one.
      await frame.evaluate(() => {
        const { CompressionStream: Own } = globalThis;
        let count = 0;
        globalThis.CompressionStream = class {
          constructor(format) {
            const own = new Own(format);
            const late = new TransformStream({
              start: () => new Promise((begin) => setTimeout(begin, count++ === 0 ? 1500 : 0)),
            });
            this.writable = late.writable;
            this.readable = late.readable.pipeThrough(own);
          }
        };
      });
      await tell(page, { type: "turnfold:load", state: { mission: "Slow" } });
      // The load arrives later, and would replace text typed before it.
      await eventually.equal(() => frame.locator("#mission").inputValue(), "Slow");
      await frame.locator("#mission").fill("Quick");
      await hears(page, "Quick");
      const missions = (await heard(page, "state")).map(({ data }) => data.state.mission);
      assert.deepEqual(missions, ["Slow", "Quick"]);
    }));

  it("turnfold:load replaces an example that is still loading, which is not reported to the host", () =>
    visit("?embed", async (page, frame, context) => {
      let arrive;
      const arrived = new Promise((resolve) => {
        arrive = resolve;
      });
      await context.route(/\/logs-[^/]*\.js$/, async (route) => {
        await arrived;
        await route.continue();
      });
      const asked = context.waitForEvent("request", (request) => /\/logs-/.test(request.url()));
      await tell(page, { type: "turnfold:load", fragment: "example=logs" });
      await asked;
      await tell(page, { type: "turnfold:load", state: { mission: "Newer" } });
      await hears(page, "Newer");
      const finished = context.waitForEvent("requestfinished", (request) => /\/logs-/.test(request.url()));
      arrive();
      await finished;
      await page.waitForTimeout(600);
      await eventually.match(() => userText(frame), /Newer/);
      const missions = (await heard(page, "state")).map(({ data }) => data.state.mission);
      assert.deepEqual(missions, ["Newer"]);
      assert.deepEqual(await heard(page, "error"), []);
    }));

  it("turnfold:error: invalid requests are answered, other messages ignored, and nothing changes", () =>
    visit("?embed", async (page, frame) => {
      const before = await userText(frame);
      for (const [message, why] of [
        [{ type: "turnfold:load", state: 7 }, "state is not an object"],
        [{ type: "turnfold:load", state: { turns: 7 } }, "state.turns is not a list"],
        [{ type: "turnfold:load", state: { mission: { toString: 1 } } }, "state.mission is not a string"],
        [{ type: "turnfold:load", state: {}, fragment: "" }, "give state or fragment, not both"],
        [{ type: "turnfold:load", fragment: 7 }, "fragment is not a string"],
        [{ type: "turnfold:load", fragment: "" }, "fragment names no state or example"],
        [{ type: "turnfold:load", fragment: "#example=none" }, "fragment names no state or example"],
        [{ type: "turnfold:load", fragment: "#v9=abc" }, "the fragment has an unknown form"],
        [{ type: "turnfold:load", tab: "nowhere" }, "tab is not a tab of the page"],
        [{ type: "turnfold:load", tab: ["turns"] }, "tab is not a tab of the page"],
        [{ type: "turnfold:shred" }, "there is no message turnfold:shred: send turnfold:load"],
      ]) {
        const count = (await heard(page, "error")).length;
        await tell(page, message);
        await page.waitForFunction(
          (known) => globalThis.heard.filter(({ data }) => data.type === "turnfold:error").length > known,
          count,
        );
        await eventually.equal(async () => (await heard(page, "error")).at(-1).data.message, why);
      }
      const count = (await page.evaluate(() => globalThis.heard)).length;
      for (const message of [null, 7, "turnfold:load", [], {}, { type: 7 }, { type: "other:load", state: {} }]) {
        await tell(page, message);
      }
      await page.evaluate(() => {
        globalThis.tell({ type: "turnfold", state: new Map([[1, new Date(Number.NaN)]]) });
        const loop = { type: "turnfold:load?" };
        loop.state = loop;
        globalThis.tell({ ...loop, type: "nothing" });
      });
      await page.waitForTimeout(300);
      await eventually.equal(async () => (await page.evaluate(() => globalThis.heard)).length, count);
      await eventually.equal(() => userText(frame), before);
      await eventually.deepEqual(() => heard(page, "state"), []);
    }));

  it("messages of windows other than the host are ignored", () =>
    visit("?embed", async (page, frame) => {
      const before = await userText(frame);
      await page.evaluate(
        () =>
          new Promise((done) => {
            const other = document.createElement("iframe");
            other.srcdoc = `<script>
              parent.frames[0].postMessage({ type: "turnfold:load", state: { mission: "Smuggled" } }, "*");
              parent.postMessage("sent", "*");
            </script>`;
            addEventListener("message", ({ data }) => data === "sent" && done());
            document.body.append(other);
          }),
      );
      await page.waitForTimeout(300);
      await eventually.equal(() => userText(frame), before);
      await eventually.deepEqual(() => heard(page, "state"), []);
    }));
});
