// The examples that the guides open in the playground, and the pictures of them.
//
// `UPDATE_SCREENSHOT=1 node --test tests/www/guides.test.mjs` takes the pictures again; fonts differ from machine to machine, so
// without it the test compares only what the page says and the size.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { root } from "../../scripts/tools.mjs";
import { guideExamples, MAX_HEIGHT } from "../../www/docs/.vitepress/examples.mjs";
import { eventually } from "./eventually.mjs";
import { visit } from "./visit.mjs";

const folder = join(root, "docs", "pictures");

/** A PNG as WebP, which is a third of its bytes. */
const asWebp = (page, png) =>
  page.evaluate(async (base64) => {
    const image = new Image();
    image.src = `data:image/png;base64,${base64}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    const webp = await canvas.convertToBlob({ type: "image/webp", quality: 0.8 });
    return [...new Uint8Array(await webp.arrayBuffer())];
  }, png.toString("base64"));

/** The width of a WebP with a colour profile. */
const widthOf = (webp) => 1 + webp.readUIntLE(24, 3);

/** The part of the page that the picture shows. */
async function clipOf(page, at) {
  const place = page.locator(at).first();
  await place.evaluate((element) => {
    // Below the bar that stays at the top of the pane.
    element.style.scrollMarginTop = "90px";
    element.scrollIntoView({ block: "start" });
  });
  const { x, y, width, height } = await place.boundingBox();
  return { x, y, width: Math.round(width), height: Math.min(Math.round(height), MAX_HEIGHT) };
}

describe("a guide", () => {
  for (const [guide, { fragment, what, says, presses = [], at, width = 1280 }] of Object.entries(guideExamples))
    it(`${guide}.md opens ${what}`, () =>
      visit(
        { path: `docs/${guide}.html`, ready: "h1", width, height: 760, details: false, reducedMotion: "reduce" },
        async (_, page) => {
          await page.getByRole("link", { name: `Open in the playground: ${what}` }).click();
          await page.waitForURL((url) => url.pathname.endsWith("/index.html") && url.hash === fragment);
          const main = page.locator("body");
          await eventually.match(() => main.innerText(), says);
          const markdown = readFileSync(join(root, "docs", `${guide}.md`), "utf8");
          const path = join(folder, `${guide}.webp`);
          assert.equal(markdown.includes(`](pictures/${guide}.webp)`), at !== undefined);
          if (at === undefined) return;
          for (const name of presses)
            await page
              .getByRole("button", { name: new RegExp(`^${name}`) })
              .first()
              .click();
          await page.locator(at).first().waitFor();
          const clip = await clipOf(page, at);
          if (process.env.UPDATE_SCREENSHOT || !existsSync(path)) {
            // The costs are computed, and plots are drawn.
            await page.waitForTimeout(4000);
            await page.evaluate(() => document.activeElement.blur());
            const picture = await page.screenshot({ animations: "disabled", clip: await clipOf(page, at) });
            mkdirSync(folder, { recursive: true });
            writeFileSync(path, Uint8Array.from(await asWebp(page, picture)));
          }
          const picture = readFileSync(path);
          assert.equal(widthOf(picture), clip.width);
          assert.ok(picture.length < 40_000, `${picture.length} bytes`);
        },
      ));
});
