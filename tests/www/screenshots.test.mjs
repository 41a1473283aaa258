// The main states of the playground on a desktop and on a phone, in light and dark. Their pictures are written to
// `.cache/screenshots`; each state is checked by axe and must fit the width.

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { eventually } from "./eventually.mjs";
import { sharedVisit } from "./visit.mjs";

const folder = join(root, ".cache", "screenshots");
mkdirSync(folder, { recursive: true });

const shown = (page, selector) => page.locator(selector).first().waitFor();

const DESKTOP = { width: 1280, height: 800 };
const PHONE = { width: 360, height: 740 };

/** Each state: an action that leads to it from the Turns tab, waits for an element, and may return an action that leads back. */
const states = {
  turns: async (_, page) => shown(page, ".turns"),
  messages: async (_, page) => shown(page, ".section-text"),
  cache: async (visitor, page) => {
    await visitor.press("Cache");
    await shown(page, ".cache-view");
    return () => page.locator(".token-view-button[aria-expanded=true]").click();
  },
  colours: async (_, page) => {
    await page.getByLabel("Colour tokens").check();
    await page.waitForFunction(() => (CSS.highlights.get("token-1")?.size ?? 0) > 0);
    return () => page.getByLabel("Colour tokens").uncheck();
  },
  comparison: async (_, page) => {
    await page.getByLabel("Compare with").selectOption({ index: 1 });
    await shown(page, "ins, del");
    return () => page.getByLabel("Compare with").selectOption("nothing");
  },
  run: async (visitor, page) => {
    await visitor.showTab("Run");
    await shown(page, ".run-bar");
  },
  repl: async (visitor, page) => {
    await visitor.showTab("REPL");
    await shown(page, "#panel-repl .code-field");
  },
  chat: async (visitor, page) => {
    await visitor.showTab("Chat");
    await shown(page, ".chat");
  },
  programs: async (visitor, page) => {
    await visitor.showTab("Typed calls");
    await shown(page, "#panel-programs .code-field");
  },
  commands: async (visitor, page) => {
    await visitor.pressKeys("ControlOrMeta+k");
    await shown(page, "dialog[open]");
    return () => visitor.pressKeys("Escape");
  },
};

/** The states of the Turns tab; a phone shows one side of it at a time. */
const sides = {
  turns: "History",
  messages: "Messages",
  cache: "Messages",
  colours: "Messages",
  comparison: "Messages",
};

const onPage = sharedVisit({ ...DESKTOP, reducedMotion: "reduce" });

for (const [state, arrange] of Object.entries(states)) {
  it(
    `the page at ${state} fits a desktop and a phone and has no axe violations`,
    onPage(async (visitor, page) => {
      await page.setViewportSize(DESKTOP);
      await visitor.showTab("Turns");
      const leave = await arrange(visitor, page);
      await page.evaluate(() => document.fonts.ready);
      for (const size of [DESKTOP, PHONE]) {
        await page.setViewportSize(size);
        if (size === PHONE && state in sides) await visitor.press(sides[state]);
        for (const colorScheme of ["dark", "light"]) {
          await page.emulateMedia({ colorScheme });
          const picture = await page.screenshot({ animations: "disabled" });
          writeFileSync(join(folder, `${state}-${size.width}-${colorScheme}.png`), picture);
        }
        await eventually.equal(() => page.evaluate(() => document.documentElement.scrollWidth), size.width);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
      }
      await leave?.();
    }),
  );
}
