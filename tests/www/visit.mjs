// Visits to the built playground (www/dist) in a real browser.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { openBrowser, serve, slowDown } from "../browser.mjs";
import { axeFindings, overflow } from "./axe.mjs";
import { eventually } from "./eventually.mjs";
import { stateIn } from "./link.mjs";

const site = join(root, "www", "dist");

/** Elements of the playground's tabs that exist when they are loaded. */
const READY = ".message, .run-bar, .chat, .problems, .custom";

export { overflow };

/** Widths of windows in px: one for each layout of the page, and a very wide one. */
export const WIDTHS = [360, 768, 1440, 2560];

/** The timeout of actions that wait for an element. */
const PATIENCE_MS = 30_000;

let server;
let browser;

before(async () => {
  assert.ok(existsSync(join(site, "index.html")), "build the playground first: vite build --config www/vite.config.ts");
  // The files stay the same during the tests, so that visits after the first one take them from the browser's cache.
  server = await serve(site, { "cache-control": "max-age=3600" });
  browser = await openBrowser();
});

after(async () => {
  await browser?.close();
  await server?.close();
});

/** The origin that the page is served from. */
export const origin = () => server.origin;

/**
 * Visits the page in a tab of its own; a visit with an error in the console that it has not announced fails. With `path`, another page of
 * the site is visited, which is loaded when it has an element `ready`. With `clock`, the page has a clock that the journey can stop.
 * Without a state in the fragment, the example “shopping” is open, which is short. The panel with the details of the strategy is
 * open, unless `details` is false.
 */
export async function visit(options, journey) {
  const { visitor, page, close } = await open(options);
  try {
    await journey(visitor, page);
    visitor.checkErrors();
  } finally {
    await close();
  }
}

/**
 * One visit for several tests, which begins with `arrange` when the first of them runs. Returns a function that makes a test of a
 * journey. Each journey sets what it depends on, such as the size of the window, and leaves the rest of the page as it was, so that
 * it can run alone and in any order; a journey that cannot do so has a visit of its own.
 */
export function sharedVisit(options, arrange = () => {}) {
  let opening;
  const begin = async () => {
    const shared = await open(await options);
    await arrange(shared.visitor, shared.page);
    return shared;
  };
  after(async () => {
    const shared = await opening?.catch(() => undefined);
    await shared?.close();
  });
  return (journey) => async (context) => {
    opening ??= begin();
    const { visitor, page } = await opening;
    await journey(visitor, page, context);
    visitor.checkErrors();
  };
}

/** The context of most visits, and a page in it that keeps the process of the site alive between them. */
let common;

/** The errors in the consoles of a context: those of its pages, their frames and their workers. */
class ConsoleErrors {
  #errors = [];
  #expected = [];
  #ignored = [];

  constructor(context) {
    context.on("console", (message) => {
      if (message.type() === "error") this.#errors.push({ page: message.page(), text: message.text() });
    });
    context.on("weberror", (error) => this.#errors.push({ page: error.page(), text: error.error().message }));
  }

  /** Announces errors with this text. */
  expect(pattern) {
    this.#expected.push(pattern);
  }

  /** Announces errors with this text, such as the browser's own about requests, that may not happen. */
  ignore(pattern) {
    this.#ignored.push(pattern);
  }

  /** Fails for an error that was not announced, except those of these pages, and for an announced one that did not happen. */
  check(except = []) {
    const texts = this.#errors.filter(({ page }) => !except.includes(page)).map(({ text }) => text);
    const unexpected = texts.filter(
      (text) => ![...this.#expected, ...this.#ignored].some((pattern) => pattern.test(text)),
    );
    const missing = this.#expected.filter((pattern) => !texts.some((text) => pattern.test(text)));
    this.#errors = this.#errors.filter(({ page }) => except.includes(page));
    this.#expected = [];
    this.#ignored = [];
    assert.deepEqual({ unexpected, missing }, { unexpected: [], missing: [] });
  }
}

const consoleErrors = new WeakMap();

/** Opens a context of the browser for a journey that needs more than one page, and fails like `visit`. */
export async function inContext(options, journey) {
  const context = await newContext(options);
  const errors = consoleErrors.get(context);
  try {
    await journey(context, errors);
    errors.check();
  } finally {
    await context.close();
  }
}

/** Opens a context of the browser. */
async function newContext(options = {}) {
  const context = await browser.newContext({
    colorScheme: "light",
    permissions: ["clipboard-read", "clipboard-write"],
    // A service worker would load the whole page in the background of each visit.
    serviceWorkers: "block",
    ...options,
  });
  context.setDefaultTimeout(PATIENCE_MS);
  consoleErrors.set(context, new ConsoleErrors(context));
  return context;
}

async function openCommon() {
  const context = await newContext();
  const keeper = await context.newPage();
  await keeper.goto(`${server.origin}/logo.svg`);
  return { context, keeper };
}

const hasStored = () => common.keeper.evaluate(() => localStorage.length > 0);

/**
 * Opens the page in a new tab. Visits without options of their own are tabs of one context, and so of one process with one cache,
 * which takes 0.49 instead of 0.73 s of processor time for each. What a visit stores is for its own tabs alone.
 */
async function open({
  path = "",
  fragment = path === "" ? "#example=shopping" : "",
  ready = READY,
  width = 1280,
  height = 800,
  clock = false,
  details = true,
  ...options
}) {
  const isPlain = Object.keys(options).length === 0 && !clock;
  if (isPlain) common ??= await openCommon();
  const isCommon = isPlain && !(await hasStored());
  const context = isCommon ? common.context : await newContext(options);
  const others = context.pages();
  const close = async () => {
    if (!isCommon) return context.close();
    for (const page of context.pages().filter((page) => !others.includes(page))) await page.close();
    // A visit may be made during another one, whose storage stays.
    if (context.pages().length === 1) await common.keeper.evaluate(() => localStorage.clear());
  };
  try {
    const page = await context.newPage();
    await page.setViewportSize({ width, height });
    await slowDown(page);
    await page.addInitScript(recordTargets);
    if (details) await page.addInitScript(openDetails);
    if (clock) await page.clock.install();
    const visitor = new Visitor(page, others);
    await page.goto(`${server.origin}/${path}${fragment.replace(/^#tab=(?=run|repl)/, "#example=shopping&tab=")}`);
    await page.waitForSelector(ready, { state: "attached" });
    return { visitor, page, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Opens the panel with the details of the strategy when it is there first, because most journeys use it. */
function openDetails() {
  const observer = new MutationObserver(() => {
    const toggle = document.querySelector(".details-toggle");
    if (toggle === null) return;
    observer.disconnect();
    toggle.click();
  });
  observer.observe(document, { subtree: true, childList: true });
}

/** Keeps the names of the newest targets of the mouse, for errors of tests. */
function recordTargets() {
  globalThis.lastTargets = {};
  const nameOf = (target) => {
    const named = target.closest?.("[aria-label], button, a") ?? target;
    return named.ariaLabel ?? named.textContent?.trim().slice(0, 80);
  };
  for (const type of ["mousedown", "mouseup", "click"])
    addEventListener(
      type,
      ({ target }) => {
        globalThis.lastTargets[type] = `“${nameOf(target)}”`;
      },
      true,
    );
}

/** Chooses an example in the gallery. */
export async function pickExample(page, title) {
  await page.getByRole("button", { name: /^Examples: / }).click();
  await page.locator(".gallery-card", { hasText: title }).locator(".gallery-open").click();
}

/** The text of an element with white space collapsed. */
export const wordsOf = async (locator) => (await locator.innerText()).replace(/\s+/g, " ");

/** Actions and texts of a visit, in the words of the page. */
class Visitor {
  requests = [];
  #errors;
  #others;

  /** @param others the pages of the same context whose errors belong to other visits. */
  constructor(page, others) {
    this.page = page;
    this.#errors = consoleErrors.get(page.context());
    this.#others = others;
    page.on("request", (request) => this.requests.push(new URL(request.url())));
  }

  /** Announces errors with this text in the console. */
  expectErrors(pattern) {
    this.#errors.expect(pattern);
  }

  ignoreErrors(pattern) {
    this.#errors.ignore(pattern);
  }

  checkErrors() {
    this.#errors.check(this.#others);
  }

  /** The requests to other servers than the page's own. */
  get foreignRequests() {
    return this.requests
      .filter((url) => url.origin !== server.origin && !["data:", "blob:"].includes(url.protocol))
      .map(String);
  }

  /** The files that the page has loaded so far. */
  get files() {
    const paths = this.requests.filter((url) => url.origin === server.origin).map(({ pathname }) => pathname);
    return paths.map((path) => join(site, path === "/" ? "index.html" : path));
  }

  /** The texts of the messages on the page. */
  messages() {
    return this.page.locator(".message").evaluateAll((cards) =>
      cards.map((card) => ({
        role: card.dataset.role,
        text: [...card.querySelectorAll(".section-text, .separator")].map((part) => part.textContent).join(""),
      })),
    );
  }

  /** Unfolds all messages and returns their texts. */
  async allMessages() {
    await this.unfold(this.page.locator('.message-toggle[aria-expanded="false"]'));
    return this.messages();
  }

  /** Clicks all elements of this locator, each of which disappears when it is clicked. */
  async unfold(closed) {
    for (let left = await closed.count(); left > 0; left--) {
      await closed.first().click();
      await eventually.equal(() => closed.count(), left - 1);
    }
  }

  async userMessage() {
    return (await this.messages()).findLast(({ role }) => role === "user").text;
  }

  turn(number) {
    return this.page.locator(`.turn[data-turn="${number}"]`);
  }

  /** Searches for a turn in a virtual list and waits until it is in the page. */
  async findTurn(number) {
    await this.page.getByRole("searchbox", { name: "Find a turn" }).fill(String(number));
    await this.page.keyboard.press("Enter");
    await this.turn(number).waitFor();
  }

  toggleTurn(number) {
    return this.turn(number).locator(".turn-toggle").click();
  }

  toggleGroup(title) {
    return this.page.getByRole("button", { name: new RegExp(`^${title}`) }).click();
  }

  field(label) {
    return this.page.getByRole("textbox", { name: label, exact: true });
  }

  press(name) {
    return this.page.getByRole("button", { name, exact: true }).click();
  }

  /** Chooses a radio button by its label, or a strategy by its name. */
  async choose(name) {
    const strategy = this.page.locator(".strategy-bar select").first();
    const radio = this.page.getByRole("radio", { name, exact: true });
    const option = strategy.locator(`option[value="${name}"]`);
    await radio.or(option).first().waitFor({ state: "attached" });
    await ((await option.count()) > 0 ? strategy.selectOption(name) : radio.check());
  }

  /** The name of the chosen strategy. */
  strategy() {
    return this.page.getByRole("combobox", { name: "Strategy" }).inputValue();
  }

  /** Replaces the text of a Clojure field after its editor has replaced the text area. */
  async write(label, text) {
    await this.page.locator(".code-field", { has: this.field(label) }).scrollIntoViewIfNeeded();
    const content = this.page.locator(`.cm-content[aria-label="${label}"]`);
    await content.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.insertText(text);
    return content;
  }

  /** The text of a Clojure field after its editor has replaced the text area. */
  async read(label) {
    await this.page.locator(".code-field", { has: this.field(label) }).scrollIntoViewIfNeeded();
    return this.page.locator(`.cm-content[aria-label="${label}"]`).innerText();
  }

  /** The text of the run with this number in the log. */
  run(number) {
    const card = this.page.locator(".run", {
      has: this.page.getByRole("heading", { name: `Run ${number}`, exact: true }),
    });
    return wordsOf(card);
  }

  memory() {
    return wordsOf(this.page.locator(".memory"));
  }

  /** Pastes a text into the page, outside of its fields. */
  paste(text) {
    return this.page.evaluate((content) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", content);
      document.querySelector("main").dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true }));
    }, text);
  }

  pressKeys(keys) {
    return this.page.keyboard.press(keys);
  }

  async focusEnd(label) {
    await this.page.locator(`.cm-content[aria-label="${label}"]`).click();
    await this.page.keyboard.press("ControlOrMeta+End");
  }

  showTab(name) {
    return this.page.getByRole("tab", { name, exact: true }).click();
  }

  /** Opens an example, and waits until it is shown. */
  async openExample(label) {
    await pickExample(this.page, label);
    await this.sees(`Opened “${label}”.`);
  }

  /** Performs an action and returns the text that it copies. */
  async copies(act) {
    await this.page.evaluate(() => navigator.clipboard.writeText(""));
    await act();
    return eventually(async () => {
      const text = await this.page.evaluate(() => navigator.clipboard.readText());
      assert.notEqual(text, "", "nothing was copied");
      return text;
    });
  }

  /** Chooses an item of the share menu, and returns the text that it copies. Findings in the state are not blanked. */
  share(label) {
    return this.copies(async () => {
      await this.press("Share");
      const panel = this.page.locator("#share-panel");
      await panel.locator(".popover-item").first().waitFor();
      const asItIs = panel.getByRole("button", { name: "Share as it is" });
      if (await asItIs.isVisible()) await asItIs.click();
      // Search in the panel, because a button of a tab may have the same name.
      await panel.getByRole("button", { name: label, exact: true }).click();
      const long = panel.getByRole("button", { name: "Copy the long link" });
      await panel
        .locator(".popover-said", { hasText: /copied/ })
        .or(long)
        .first()
        .waitFor();
      if (await long.isVisible()) await long.click();
      await panel.locator(".popover-said", { hasText: /copied/ }).waitFor();
      await this.page.keyboard.press("Escape");
      await panel.waitFor({ state: "hidden" });
    });
  }

  /** Waits until the state satisfies `isReached`, and returns the fragment of a link to it. */
  linkOnce(isReached) {
    return eventually(async () => {
      const fragment = new URL(await this.share("Copy link")).hash;
      const state = await stateIn(fragment);
      assert.ok(isReached(JSON.parse(state)), state);
      return fragment;
    });
  }

  /** Opens a link in the page's tab. */
  async openLink(fragment) {
    await this.page.goto("about:blank");
    await this.page.goto(`${server.origin}/${fragment}`);
  }

  sees(text) {
    return this.page.getByText(text).first().waitFor();
  }

  /** Waits until the element with this label has the focus. The error names the focused and the last clicked element. */
  async focusOn(label) {
    const wait = this.page.waitForFunction(
      (wanted) =>
        document.activeElement?.getAttribute("aria-label") === wanted ||
        document.activeElement?.labels?.[0]?.textContent === wanted,
      label,
    );
    await wait.catch(async (error) => {
      const where = `the focus is on “${await this.focused()}”; ${await this.#lastPress()}`;
      throw new Error(`the focus did not go to “${label}”: ${where}`, { cause: error });
    });
  }

  /** The targets of the last press of the mouse and of the last click. They differ when the page moved between them. */
  #lastPress() {
    return this.page.evaluate(() => {
      const { mousedown, mouseup, click } = globalThis.lastTargets;
      return `last pressed ${mousedown}, released ${mouseup}, clicked ${click}`;
    });
  }

  /** The label of the focused element, or its text when it has no label. */
  focused() {
    return this.page.evaluate(() => {
      const { activeElement: element } = document;
      return (element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent).trim();
    });
  }

  /** Presses Tab until the focused element has this label, or this text when it has no label. */
  async tabTo(wanted) {
    for (let steps = 0; steps < 160; steps++) {
      if ((await this.focused()) === wanted) return;
      await this.page.keyboard.press("Tab");
    }
    assert.fail(`Tab never reached ${wanted}`);
  }

  /** Makes the window as wide as each of these widths, in px; at each, the page must fit and have no axe violations. */
  async fits(...widths) {
    for (const width of widths) {
      await this.page.setViewportSize({ width, height: 800 });
      await eventually.equal(() => overflow(this.page), 0, `${width} px`);
      await eventually.deepEqual(() => this.axeFindings(), [], `${width} px`);
    }
  }

  /** The findings of axe in both themes. */
  axeFindings() {
    return axeFindings(this.page);
  }
}
