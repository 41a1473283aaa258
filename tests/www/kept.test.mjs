// The work that the browser stores, the work that it forgets, and earlier states.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo, stateIn } from "./link.mjs";
import { origin, sharedVisit, visit, WIDTHS } from "./visit.mjs";

const FIRST = "Forty turns through invoices";

const keep = (page) => page.getByRole("switch", { name: "Keep my work in this browser" });

const stored = (page) => page.evaluate(() => JSON.parse(localStorage.getItem("turnfold-kept")));

/** Types into the mission with the keyboard. */
async function type(visitor, text) {
  await visitor.field("Mission").click();
  await visitor.field("Mission").fill(text);
}

const CHAT = JSON.stringify([{ role: "user", content: "Pasted, not typed" }]);

/** Opens a text as a file. */
async function openFile(visitor, page, name, text) {
  await page.getByRole("button", { name: /^(Paste your chat|Open)$/ }).click();
  const [chooser] = await Promise.all([page.waitForEvent("filechooser"), visitor.press("Choose a file")]);
  await chooser.setFiles({ name, mimeType: "application/json", buffer: Buffer.from(text) });
  await page.getByRole("dialog").waitFor({ state: "detached" });
}

/** Waits until the first stored state has this mission. */
const isStored = (page, mission) =>
  eventually(async () => assert.equal(JSON.parse(await stateIn((await stored(page))[0].fragment)).mission, mission));

/** The previous states in the gallery. */
async function names(page) {
  await page.getByRole("button", { name: /^Examples: / }).click();
  await page.locator(".gallery-card").first().waitFor();
  const found = await page.locator(".gallery-recent button").allInnerTexts();
  await page.keyboard.press("Escape");
  return found;
}

async function backTo(page, name) {
  await page.getByRole("button", { name: /^Examples: / }).click();
  await page.locator(".gallery-recent button", { hasText: name }).click();
}

const mission = (visitor, text) => eventually.equal(() => visitor.field("Mission").inputValue(), text);

describe("“Keep my work in this browser”", () => {
  it("is off by default: nothing is stored, and data stored without consent is removed", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await page.evaluate(() => localStorage.setItem("turnfold-last", "#v1=x"));
      await page.reload();
      await visitor.sees("Off: your work is gone when you close or reload this page.");
      await type(visitor, "Nowhere else");
      await page.waitForTimeout(800);
      assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), {});
      assert.equal(new URL(page.url()).hash, "");
    }));

  it("stores the state for a reload and the next visit, but not in the address", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await type(visitor, "Kept for later");
      await keep(page).check();
      await visitor.sees("On: this state and the last five are in this browser’s storage.");
      await isStored(page, "Kept for later");
      await page.reload();
      await mission(visitor, "Kept for later");
      assert.equal(new URL(page.url()).hash, "");
      const again = await page.context().newPage();
      await again.goto(`${origin()}/`);
      await again.getByText("Restored from your last visit.").waitFor();
      await eventually.equal(() => again.locator("#mission").inputValue(), "Kept for later");
      await again.getByRole("button", { name: `Open “${FIRST}” instead` }).click();
      await eventually.match(() => again.locator("#mission").inputValue(), /^Check November’s invoices/);
    }));

  it("reopens edits after a reload of an example’s address, not the example", () =>
    visit({ fragment: "#example=logs" }, async (visitor, page) => {
      await keep(page).check();
      await type(visitor, "Edited logs");
      await isStored(page, "Edited logs");
      await page.reload();
      await mission(visitor, "Edited logs");
    }));

  it("removes stored data when it is switched off", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await keep(page).check();
      await type(visitor, "Kept");
      await isStored(page, "Kept");
      await keep(page).uncheck();
      await page.waitForTimeout(800);
      assert.deepEqual(await page.evaluate(() => ({ ...localStorage })), {});
      await mission(visitor, "Kept");
    }));

  it("stores an opened chat as it is, and says so; of an unchanged example it says that there is nothing to store", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await keep(page).check();
      await visitor.sees("On: your work will be stored here. There is none in this state yet.");
      assert.deepEqual(await stored(page), []);
      await visitor.paste(CHAT);
      await visitor.sees("On: this state and the last five are in this browser’s storage.");
      assert.equal(JSON.parse(await stateIn((await stored(page))[0].fragment)).chat.messages, CHAT);
      await page.reload();
      await visitor.sees("Pasted, not typed");
      assert.equal(await page.getByRole("tab", { name: "Chat", selected: true }).count(), 1);
    }));

  it("says when a state is too large", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await keep(page).check();
      const noise = await page.evaluate(() => {
        const bytes = Array.from({ length: 12 }, () => crypto.getRandomValues(new Uint8Array(60_000)));
        return bytes.map((part) => Array.from(part, (byte) => byte.toString(16).padStart(2, "0")).join("")).join("");
      });
      await type(visitor, noise);
      await visitor.sees("On, but this state is too large to store: download it with “Share”.");
      assert.deepEqual(await stored(page), []);
    }));
});

describe("leaving the page", () => {
  /** True when the page asks for confirmation before it is left. */
  const asks = async (page) => {
    let isAsked = false;
    const answer = (dialog) => {
      isAsked = dialog.type() === "beforeunload";
      return dialog.accept();
    };
    page.on("dialog", answer);
    await page.reload();
    page.off("dialog", answer);
    await page.locator("#mission, .chat").first().waitFor();
    return isAsked;
  };

  it("asks for confirmation after a paste, and not for an opened file, which is elsewhere too", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await visitor.paste(CHAT);
      await visitor.sees("Pasted, not typed");
      // Browsers ask only on a page that was clicked.
      await visitor.choose("none");
      assert.equal(await asks(page), true);
      await openFile(visitor, page, "chat.json", CHAT);
      await visitor.sees("Pasted, not typed");
      assert.equal(await asks(page), false);
    }));

  it("asks for confirmation when typed text is not saved elsewhere", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await visitor.choose("none");
      assert.equal(await asks(page), false);
      await type(visitor, "Typed");
      assert.equal(await asks(page), true);
      await type(visitor, "Copied");
      await visitor.share("Copy link");
      assert.equal(await asks(page), false);
      await keep(page).check();
      await type(visitor, "Kept");
      await isStored(page, "Kept");
      await eventually.equal(() => page.evaluate(() => typeof history.state?.work), "string");
      assert.equal(await asks(page), false);
    }));
});

describe("Back", () => {
  it("returns from an example, a chat and a file to the state before as it was left, and Forward to them", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await type(visitor, "Mine");
      await visitor.openExample("Fifty emails, triaged unseen");
      await page.waitForFunction(() => location.hash === "#example=emails");
      await type(visitor, "Emails, changed");
      await visitor.paste(CHAT);
      await visitor.sees("Pasted, not typed");
      await openFile(visitor, page, "chat.json", CHAT.replace("Pasted, not typed", "From a file"));
      await visitor.sees("From a file");
      await page.goBack();
      await visitor.sees("Pasted, not typed");
      await page.goBack();
      await mission(visitor, "Emails, changed");
      await page.goBack();
      await mission(visitor, "Mine");
      assert.equal(new URL(page.url()).hash, "");
      await page.goForward();
      await mission(visitor, "Emails, changed");
      await page.waitForFunction(() => location.hash === "#example=emails");
      await page.goForward();
      await visitor.sees("Pasted, not typed");
      assert.equal(await page.getByRole("tab", { name: "Chat", selected: true }).count(), 1);
      // Undo takes back the return, and the opening.
      await page.goBack();
      await mission(visitor, "Emails, changed");
      await visitor.press("Undo (Ctrl+Z)");
      await visitor.sees("Pasted, not typed");
      await visitor.press("Undo (Ctrl+Z)");
    }));

  it("returns to a link with its address, and after a reload to stored work", async () => {
    const fragment = await linkTo({ mission: "From a link" });
    await visit({ fragment }, async (visitor, page) => {
      await keep(page).check();
      await type(visitor, "Changed");
      await isStored(page, "Changed");
      await eventually.equal(() => page.evaluate(() => typeof history.state?.work), "string");
      await visitor.openExample("Fifty emails, triaged unseen");
      await page.goBack();
      await mission(visitor, "Changed");
      await page.waitForTimeout(400);
      assert.equal(new URL(page.url()).hash, fragment);
      await page.goForward();
      await eventually.match(() => visitor.field("Mission").inputValue(), /^Triage the inbox/);
      await page.reload();
      await eventually.match(() => visitor.field("Mission").inputValue(), /^Triage the inbox/);
      await page.goBack();
      await mission(visitor, "Changed");
    });
  });
});

describe("another state", () => {
  it("keeps the last five edited states in the list of examples", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      for (let number = 1; number <= 6; number++) {
        await type(visitor, `Work ${number}`);
        await visitor.openExample(
          number % 2 ? "Fifty emails, triaged unseen" : "Log analysis, final turn, error standing",
        );
      }
      const list = (await names(page)).map((name) => name.replace(/ · \d\d:\d\d$/, ""));
      assert.deepEqual(
        list,
        [6, 5, 4, 3, 2].map((number) => `Work ${number}`),
      );
      await backTo(page, "Work 3");
      await mission(visitor, "Work 3");
      await visitor.sees("Back to “Work 3”.");
      await eventually.equal(async () => (await names(page)).length, 4);
    }));

  it("from a link in the address shows where the previous work is", async () => {
    const fragment = await linkTo({ mission: "Theirs" });
    await visit({ fragment: "" }, async (visitor, page) => {
      await type(visitor, "Mine");
      await page.evaluate((hash) => {
        location.hash = hash;
      }, fragment);
      await visitor.sees("The new address opened another state. The previous one is in the list of examples.");
      await mission(visitor, "Theirs");
      await backTo(page, "Mine");
      await mission(visitor, "Mine");
    });
  });

  it("from a link does not replace stored work", async () => {
    const fragment = await linkTo({ mission: "Theirs" });
    await visit({ fragment: "" }, async (visitor, page) => {
      await keep(page).check();
      await type(visitor, "Mine");
      await isStored(page, "Mine");
      const other = await page.context().newPage();
      await other.goto(`${origin()}/${fragment}`);
      await eventually.equal(() => other.locator("#mission").inputValue(), "Theirs");
      await other.locator("#mission").click();
      await other.locator("#mission").fill("Theirs, changed");
      await isStored(other, "Theirs, changed");
      assert.equal((await stored(other)).length, 2);
      await backTo(other, "Mine");
      await eventually.equal(() => other.locator("#mission").inputValue(), "Mine");
    });
  });
});

it("“Clear and forget” removes the state, stored data, the link in the address and the undo history", async () => {
  const fragment = await linkTo({ mission: "From a link" });
  await visit({ fragment }, async (visitor, page) => {
    await keep(page).check();
    await type(visitor, "Secret");
    await isStored(page, "Secret");
    await visitor.openExample("Fifty emails, triaged unseen");
    await visitor.press("Clear and forget");
    await eventually.deepEqual(() => visitor.axeFindings(), []);
    await page.getByRole("dialog").getByRole("button", { name: "Clear and forget" }).click();
    await visitor.sees("Everything on this page was cleared.");
    await eventually.match(() => visitor.field("Mission").inputValue(), /^Check November’s invoices/);
    await page.waitForTimeout(800);
    assert.deepEqual(await page.evaluate(() => [{ ...localStorage }, history.state, location.hash]), [{}, null, ""]);
    assert.deepEqual(await names(page), []);
    assert.equal(await page.getByRole("button", { name: /^Undo/ }).getAttribute("aria-disabled"), "true");
  });
});

describe("the footer", () => {
  const onPage = sharedVisit({ fragment: "", width: 360 });
  for (const width of WIDTHS)
    it(
      `has no axe violations at ${width} px`,
      onPage(async (visitor, page) => {
        await page.setViewportSize({ width, height: 800 });
        await eventually.deepEqual(() => visitor.axeFindings(), []);
        const footer = await page.locator(".keeping").boundingBox();
        assert.ok(footer.x >= 0 && footer.x + footer.width <= width);
      }),
    );
});
