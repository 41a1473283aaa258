// How long it takes from a key until what it changed is painted.

import { linkTo } from "../../../tests/www/link.mjs";
import { chatOf, noteTasks, paste, tasksUntilRest, withClipboard } from "./paste.mjs";

/** Milliseconds between two keys of somebody who types. */
const PAUSE_MS = 200;

/** Milliseconds of each key until what it changed is painted. */
async function typed(page, keys) {
  const times = [];
  for (let key = 0; key < keys; key++) {
    await page.evaluate(() => {
      globalThis.painted = new Promise((done) => {
        addEventListener(
          "keydown",
          ({ timeStamp }) => requestAnimationFrame(() => setTimeout(() => done(performance.now() - timeStamp))),
          { capture: true, once: true },
        );
      });
    });
    await page.keyboard.press("x");
    times.push(await page.evaluate(() => globalThis.painted));
    await page.waitForTimeout(PAUSE_MS);
  }
  return times;
}

/** Milliseconds of each key that is typed into a text of a pasted chat, and of the longest task after the last one. */
export const chatKeyTimes = (browser, origin, { characters, keys }) =>
  withClipboard(browser, async (page) => {
    await paste(page, origin, chatOf(characters));
    await tasksUntilRest(page);
    await page.locator('.cm-content[aria-label="Messages as JSON"]').focus();
    await page.keyboard.press("ControlOrMeta+Home");
    // Into the first text.
    for (let step = 0; step < 40; step++) await page.keyboard.press("ArrowRight");
    const times = await typed(page, keys);
    await noteTasks(page);
    await typed(page, 1);
    const { longest } = await tasksUntilRest(page);
    return { times, after: longest };
  });

const history = (turns) => ({
  mission: "Count",
  options: { maxTurns: String(turns + 5) },
  turns: Array.from({ length: turns }, (_, index) => ({
    program: `(def x${index % 60} (tool/search {:query "item ${index}"}))\n(println "found" ${index})`,
    prints: index % 3 === 0 ? [] : [`found ${index}`],
    calls: index % 10 === 0 ? [{ name: "search", args: `{:query "item ${index}"}`, result: "[]" }] : [],
    memory: `{:x${index % 60} [{:name "a${index}" :price ${index}} {:name "b" :price 2}]}`,
  })),
});

/** Milliseconds of each key that is typed into a print of the last turn but one. */
export async function keyTimes(browser, origin, { turns, keys }) {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, serviceWorkers: "block" });
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    await page.goto(`${origin}/${await linkTo(history(turns))}`);
    // From 1; a turn with a print.
    const number = turns - 1;
    await page.locator(".turn").first().waitFor();
    await page.getByRole("searchbox", { name: "Find a turn" }).fill(String(number));
    await page.keyboard.press("Enter");
    await page.locator(`.turn[data-turn="${number}"] .turn-toggle`).click();
    await page.getByRole("textbox", { name: `Print 1 of turn ${number}`, exact: true }).focus();
    await page.keyboard.press("End");
    return await typed(page, keys);
  } finally {
    await context.close();
  }
}
