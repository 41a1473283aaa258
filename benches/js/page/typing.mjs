// How long it takes from a key until what it changed is painted.

import { linkTo } from "../../../tests/www/link.mjs";

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
    const toggle = page.locator(`.turn[data-turn="${number}"] .turn-toggle`);
    await toggle.waitFor({ state: "attached" });
    await toggle.click();
    await page.getByRole("textbox", { name: `Print 1 of turn ${number}`, exact: true }).focus();
    await page.keyboard.press("End");
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
    }
    return times;
  } finally {
    await context.close();
  }
}
