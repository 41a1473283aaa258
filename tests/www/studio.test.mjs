// The sessions of a machine in the playground, as `npx turnfold studio` serves it.

import assert from "node:assert/strict";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { SessionList } from "../../js/cli/session-list.mjs";
import { listen } from "../../js/cli/studio-server.mjs";
import { openBrowser, slowDown } from "../browser.mjs";
import { axeFindings, overflow } from "./axe.mjs";
import { eventually } from "./eventually.mjs";

const folder = mkdtempSync(join(tmpdir(), "turnfold-studio-page-"));

/** An exchange of a session of Claude Code, with the usage of its request. */
function exchange(number, question, model = "claude-opus-4-6") {
  const line = (type, message) => ({
    type,
    sessionId: "s1",
    timestamp: new Date(1_770_000_000_000 + number * 60_000).toISOString(),
    message,
  });
  const usage = { input_tokens: 2000, cache_read_input_tokens: 0, cache_creation_input_tokens: 0, output_tokens: 300 };
  const content = [{ type: "text", text: `Answer ${number} to it.` }];
  return [
    line("user", { role: "user", content: question }),
    line("assistant", { id: `msg_${question}${number}`, role: "assistant", model, content, usage }),
  ]
    .map((each) => `${JSON.stringify(each)}\n`)
    .join("");
}

const lamp = join(folder, "lamp.jsonl");
const age = (path, days) => utimesSync(path, Date.now() / 1000 - days * 86_400, Date.now() / 1000 - days * 86_400);

let studio;
let browser;
before(async () => {
  writeFileSync(lamp, exchange(1, "Where is my lamp?") + exchange(2, "And the chair?"));
  writeFileSync(join(folder, "budget.jsonl"), exchange(1, "Make a budget", "claude-haiku-4-5"));
  const messages = [
    { role: "user", content: "Translate this" },
    { role: "assistant", content: "Gern." },
  ];
  writeFileSync(join(folder, "chat.json"), JSON.stringify(messages));
  age(join(folder, "budget.jsonl"), 2);
  age(join(folder, "chat.json"), 3);
  age(lamp, 1);
  const sessions = new SessionList([folder]);
  await sessions.scan();
  studio = await listen(sessions, [0]);
  browser = await openBrowser();
});
after(async () => {
  await browser?.close();
  await studio?.close();
  rmSync(folder, { recursive: true });
});

/** Opens the printed address in a context of its own; a journey with an error in the console, or a foreign request, fails. */
async function visit(journey, { url = studio.url, expects = /^$/ } = {}) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
  const page = await context.newPage();
  await slowDown(page);
  page.setDefaultTimeout(30_000);
  const errors = [];
  page.on("console", (message) => {
    if (message.type() === "error" && !expects.test(message.text())) errors.push(message.text());
  });
  page.on("pageerror", ({ message }) => errors.push(message));
  const foreign = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(studio.origin) && !/^(?:data|blob):/.test(request.url())) foreign.push(request.url());
  });
  try {
    await page.goto(url);
    await journey(page);
    assert.deepEqual([errors, foreign], [[], []]);
  } finally {
    await context.close();
  }
}

const rows = (page) => page.locator(".studio-session");
const titles = (page) => page.locator(".studio-session strong").allInnerTexts();
test("the list has the sessions with their questions, tools, models, costs and what could be saved", () =>
  visit(async (page) => {
    await eventually.deepEqual(() => titles(page), ["Where is my lamp?", "Make a budget", "Translate this"]);
    await eventually(async () => {
      const [first, , last] = await rows(page).allInnerTexts();
      assert.match(first, /Claude Code · claude-opus-4-6 · 2 requests/);
      assert.match(first, /\$0\.035/);
      assert.match(last, /cost unknown/);
    });
    await page.getByText(/3 sessions · \$0\.039 billed/).waitFor();
    assert.equal(new URL(page.url()).hash, "", "the token is in the address");
  }));

test("words, a tool and an order narrow and sort the list", () =>
  visit(async (page) => {
    await page.getByText(/3 sessions · \$0\.039 billed/).waitFor();
    const search = page.getByRole("searchbox", { name: "Search sessions" });
    await search.fill("haiku budget");
    await eventually.deepEqual(() => titles(page), ["Make a budget"]);
    await search.fill("");
    await page.getByRole("combobox", { name: "Tool" }).selectOption("Claude Code");
    await eventually.deepEqual(() => titles(page), ["Where is my lamp?", "Make a budget"]);
    await page.getByRole("combobox", { name: "Tool" }).selectOption("");
    await page.getByRole("combobox", { name: "Order" }).selectOption("Most expensive");
    await eventually.deepEqual(() => titles(page), ["Where is my lamp?", "Make a budget", "Translate this"]);
  }));

test("a session opens with a key on the Chat tab, and follows its file until it is changed on the page", () =>
  visit(async (page) => {
    await rows(page).first().waitFor();
    await page.getByRole("searchbox", { name: "Search sessions" }).focus();
    for (let steps = 0; steps < 10; steps++) {
      await page.keyboard.press("Tab");
      if (await page.evaluate(() => document.activeElement.matches(".studio-session"))) break;
    }
    await page.keyboard.press("Enter");
    await page.locator(".studio-open", { hasText: "Where is my lamp?" }).waitFor();
    const focused = () => page.evaluate(() => document.activeElement.id);
    await eventually.equal(focused, "studio-back");
    const messages = page.locator(".chat-message");
    await page.getByText("Answer 2 to it.").first().waitFor();
    assert.equal(await page.getByRole("tab", { name: "Chat", exact: true }).getAttribute("aria-selected"), "true");
    // The last line arrives in two parts.
    const added = exchange(3, "What about the sofa?");
    appendFileSync(lamp, added.slice(0, -40));
    await page.getByText("What about the sofa?").first().waitFor();
    appendFileSync(lamp, added.slice(-40));
    await page.getByText("Answer 3 to it.").first().waitFor();
    await page.getByText("Live").waitFor();
    // The audit is that of all requests, in the panel and in the bar.
    await eventually.match(() => page.locator("#audit-body p").first().innerText(), /^\$0\.053 billed: 3 requests,/);
    await eventually.match(() => page.locator(".figure-line").innerText(), /\$0\.053\s+billed/);
    const before = await messages.count();
    await page
      .locator('.cm-content[aria-label="Messages as JSON"], textarea[aria-label="Messages as JSON"]')
      .first()
      .click();
    await page.keyboard.press("ControlOrMeta+End");
    await page.keyboard.type(" ");
    appendFileSync(lamp, exchange(4, "And the table?"));
    await page.getByText("You have changed it, so it does not follow the session.").waitFor();
    assert.equal(await messages.count(), before);
    await page.getByRole("button", { name: "Open it again" }).click();
    await page.getByText("Answer 4 to it.").first().waitFor();
    await page.getByRole("button", { name: "Sessions", exact: true }).click();
    await rows(page).first().waitFor();
    await eventually.equal(focused, "studio-search");
    assert.equal(readFileSync(lamp, "utf8").split("\n").length, 9, "the file of the session was changed");
    writeFileSync(lamp, exchange(1, "Where is my lamp?") + exchange(2, "And the chair?"));
    age(lamp, 1);
  }));

test("a list without sessions, and a search without a match, say so", async () => {
  const sessions = new SessionList([mkdtempSync(join(folder, "none-"))]);
  await sessions.scan();
  const empty = await listen(sessions, [0]);
  try {
    const context = await browser.newContext();
    const page = await context.newPage();
    await page.goto(empty.url);
    await page.getByText("No session is found yet.").waitFor();
    await page.getByText(/A new session appears here by itself/).waitFor();
    await eventually.deepEqual(() => axeFindings(page), []);
    await context.close();
  } finally {
    await empty.close();
  }
  await visit(async (page) => {
    await rows(page).first().waitFor();
    await page.getByRole("searchbox", { name: "Search sessions" }).fill("no such words");
    await page.getByText("No session is found by that.").waitFor();
  });
});

test("a reload keeps the token, and an address without it says what is missing", async () => {
  await visit(async (page) => {
    await rows(page).first().waitFor();
    await page.reload();
    await rows(page).first().waitFor();
  });
  await visit(
    (page) => page.getByText(/The address lacks its token: open the one that turnfold studio printed/).waitFor(),
    {
      url: studio.origin,
      expects: /401/,
    },
  );
});

test("a session that appears while the list is shown is in it", () =>
  visit(async (page) => {
    await eventually.equal(() => rows(page).count(), 3);
    writeFileSync(join(folder, "new.jsonl"), exchange(1, "A question from just now"));
    await page
      .locator(".studio-session", { hasText: "new.jsonl" })
      .or(page.getByText("A question from just now"))
      .waitFor();
    await page.locator(".studio-live").waitFor();
    rmSync(join(folder, "new.jsonl"));
    await eventually.equal(() => rows(page).count(), 3);
  }));

test("the list and an open session fit at all widths, in both themes, without findings of axe", () =>
  visit(async (page) => {
    await page.getByText(/3 sessions · \$0\.039 billed/).waitFor();
    const check = async () => {
      for (const width of [360, 768, 1440, 2560]) {
        await page.setViewportSize({ width, height: 800 });
        await eventually.equal(() => overflow(page), 0, `${width} px`);
        await eventually.deepEqual(() => axeFindings(page), [], `${width} px`);
      }
    };
    await check();
    await rows(page).first().click();
    await page.getByText("Answer 2 to it.").first().waitFor();
    await check();
  }));
