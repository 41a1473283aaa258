// The playground in a browser that is driven by WebDriver.

import assert from "node:assert/strict";
import { cp, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root } from "../../scripts/tools.mjs";
import { serve } from "../browser.mjs";
import { eventually } from "../www/eventually.mjs";
import { keys } from "./webdriver.mjs";

/** Runs in the page before its own scripts: the protocol does not report errors of pages. */
const recordErrors = `globalThis.failures = [];
addEventListener("error", ({ message }) => failures.push(message));
addEventListener("unhandledrejection", ({ reason }) => failures.push(String(reason)));
console.error = (...texts) => failures.push(texts.join(" "));
`;

/** Serves the built playground with a script that records its errors. */
export async function servePlayground() {
  const folder = await mkdtemp(join(tmpdir(), "turnfold-engines-"));
  await cp(join(root, "www", "dist"), folder, { recursive: true });
  const page = join(folder, "index.html");
  const html = await readFile(page, "utf8");
  await writeFile(page, html.replace('<meta name="referrer"', '<script src="./record-errors.js"></script>\n    $&'));
  await writeFile(join(folder, "record-errors.js"), recordErrors);
  const server = await serve(folder);
  return { ...server, remove: () => rm(folder, { recursive: true }) };
}

export class Page {
  constructor(window, origin) {
    this.window = window;
    this.origin = origin;
  }

  /** Opens the playground anew, and waits until it is drawn. */
  async open(fragment = "#example=shopping") {
    await this.window.goto("about:blank");
    await this.window.goto(`${this.origin}/${fragment}`);
    await this.find(".message, .run-bar, .chat, .problems");
  }

  /** Fails when an error was reported since the page was opened. */
  async hasNoErrors() {
    assert.deepEqual(await this.window.evaluate(() => globalThis.failures), []);
  }

  evaluate(act, ...args) {
    return this.window.evaluate(act, ...args);
  }

  /** Waits for a visible element that matches a selector and, if a name is given, has this accessible name. */
  find(selector, name = null) {
    return eventually(async () => {
      const found = await this.evaluate(
        (wanted, called) => {
          const isShown = (element) => element.getClientRects().length > 0;
          const nameOf = (element) =>
            element.getAttribute("aria-label") ?? element.labels?.[0]?.textContent ?? element.textContent;
          const hasName = (element) => called === null || nameOf(element).replace(/\s+/g, " ").trim() === called;
          return [...document.querySelectorAll(wanted)].find((element) => isShown(element) && hasName(element)) ?? null;
        },
        selector,
        name,
      );
      assert.notEqual(found, null, `there is no ${selector} ${name === null ? "" : `called “${name}”`}`);
      return found;
    });
  }

  async click(selector, name) {
    await this.window.click(await this.find(selector, name));
  }

  press(name) {
    return this.click('button:not([role="tab"])', name);
  }

  showTab(name) {
    return this.click('[role="tab"]', name);
  }

  /** Chooses a strategy by its name. */
  async choose(strategy) {
    await this.evaluate(
      (select, name) => {
        select.value = name;
        select.dispatchEvent(new Event("change", { bubbles: true }));
      },
      await this.find(".strategy-bar select", "Strategy"),
      strategy,
    );
  }

  /** Shortcuts of the page, such as `shortcut("z")` for Ctrl+Z. */
  shortcut(...chord) {
    return this.window.press(keys.control, ...chord);
  }

  /** An editor, which replaces its text area when that comes near the screen. */
  async editor(name) {
    await this.find(".code-field textarea, .cm-content", name);
    await this.evaluate((label) => {
      document.querySelector(`.code-field [aria-label="${label}"]`).scrollIntoView({ block: "center" });
    }, name);
    return this.find(".cm-content", name);
  }

  /** Replaces the text of an editor or a text area, as a paste does: keys take WebKit's driver 0.1 s each. */
  async write(element, text) {
    await this.window.click(element);
    await this.shortcut("a");
    await this.evaluate((pasted) => document.execCommand("insertText", false, pasted), text);
  }

  /** The text of the first element that matches, with white space collapsed; empty without one. */
  async text(selector) {
    const text = await this.evaluate((wanted) => document.querySelector(wanted)?.textContent ?? "", selector);
    return text.replace(/\s+/g, " ").trim();
  }

  sees(selector, pattern) {
    return eventually.match(() => this.text(selector), pattern);
  }

  /** The text of the last message of the user. */
  userMessage() {
    return this.evaluate(() =>
      [
        ...[...document.querySelectorAll('.message[data-role="user"]')]
          .at(-1)
          .querySelectorAll(".section-text, .separator"),
      ]
        .map((part) => part.textContent)
        .join(""),
    );
  }
}
