// What is wrong with a page for people: the findings of axe, and content that does not fit.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root } from "../../scripts/tools.mjs";

const axe = readFile(join(root, "node_modules", "axe-core", "axe.min.js"), "utf8");

/** The rules whose findings can differ between the themes; all others are the same in both. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** Pixels by which the page is wider than its window. */
export const overflow = (page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);

/** Waits for animations and returns the findings of axe in both themes, a line for each rule. */
export async function axeFindings(page) {
  if (!(await page.evaluate(() => "axe" in globalThis))) await page.evaluate(await axe);
  const light = await findings(page, {});
  await page.emulateMedia({ colorScheme: "dark" });
  const dark = await findings(page, { runOnly: COLOUR_RULES });
  await page.emulateMedia({ colorScheme: "light" });
  return [...light, ...dark.map((finding) => `in the dark ${finding}`)];
}

async function findings(page, options) {
  const { violations } = await page.evaluate(async (more) => {
    // Infinite animations are not awaited; those of removed elements reject.
    const ending = document.getAnimations().filter((one) => Number.isFinite(one.effect.getComputedTiming().endTime));
    await Promise.allSettled(ending.map(({ finished }) => finished));
    // Selectors of elements, which are not used, would take a sixth of the time, and copies of the style sheets a fifth. No rule
    // that is on reads the copies; the one that reads preloaded media keeps them.
    const preload = { assets: ["media"] };
    // Text in front of pseudo-elements is judged too. Without this option it is left undecided, and looking for them takes a tenth
    // of the time.
    const checks = { "color-contrast": { options: { ignorePseudo: true } } };
    return globalThis.axe.run(document, { resultTypes: ["violations"], selectors: false, preload, checks, ...more });
  }, options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
}
