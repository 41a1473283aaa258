import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { pickExample, visit } from "./visit.mjs";

describe("links", () => {
  it("restore everything from the fragment", async () => {
    let shown;
    let fragment;
    await visit({}, async (visitor) => {
      await visitor.field("Mission").fill("Grüße, 世界 👋");
      await visitor.choose("rolling-window");
      await visitor.toggleGroup("Tune");
      await visitor.field("Turns kept").fill("3");
      await visitor.press("Delete turn 1");
      shown = await visitor.messages();
      fragment = await visitor.linkOnce(({ turns }) => turns.length === 4);
      assert.match(fragment, /^#v1=[\w-]+$/);
    });
    await visit({ fragment }, async (visitor) => {
      await eventually.deepEqual(() => visitor.messages(), shown);
      await visitor.toggleGroup("Tune");
      await eventually.equal(() => visitor.field("Turns kept").inputValue(), "3");
    });
  });

  it("are removed from the address when something is typed", () =>
    visit({ fragment: "#example=logs" }, async (visitor, page) => {
      await visitor.field("Mission").fill("Typed");
      await visitor.showTab("Chat");
      await page.waitForFunction(() => location.hash === "#example=logs&tab=chat");
      await visitor.showTab("Turns");
      await page.waitForFunction(() => location.hash === "#example=logs");
      assert.deepEqual(await page.evaluate(() => [history.state, { ...localStorage }, { ...sessionStorage }]), [
        null,
        {},
        {},
      ]);
    }));

  it("that were opened stay in the address until another state is opened", async () => {
    const fragment = await linkTo({ mission: "From a link", turns: [{ program: "1" }] });
    await visit({ fragment }, async (visitor, page) => {
      await visitor.field("Mission").fill("Typed");
      await visitor.showTab("Chat");
      await page.waitForFunction((expected) => location.hash === expected, `${fragment}&tab=chat`);
      await visitor.showTab("Turns");
      await visitor.openExample("Fifty emails, triaged unseen");
      await page.waitForFunction(() => location.hash === "#example=emails");
    });
  });

  it("that are invalid show an error and the first example", async () => {
    const [first, ...others] = [
      "#v1=garbage!",
      "#v1=AAAA",
      "#v2=abc",
      "#example=nothing",
      "#tab=nothing",
      await linkTo({ chat: { strategy: "guess" } }, "chat"),
      await linkTo({ programs: { kind: "guess" } }, "programs"),
    ];
    await visit({ fragment: first }, async (visitor, page) => {
      const isRefused = async () => {
        await visitor.sees("This link can’t be read");
        await eventually.match(async () => (await visitor.messages())[1].text, /^Check November’s invoices/);
        await visitor.press("Close this note");
        await eventually.equal(() => page.getByText("This link can’t be read").count(), 0);
      };
      await isRefused();
      for (const fragment of others) {
        await page.evaluate((hash) => {
          location.hash = hash;
        }, fragment);
        await isRefused();
      }
    });
  });

  it("are opened when the address of the page changes", () =>
    visit({}, async (visitor, page) => {
      await page.evaluate(() => {
        location.hash = "#example=logs";
      });
      await visitor.sees(/^FINAL TURN - /);
    }));

  it("that load slowly do not replace a state that was opened after them", () =>
    visit({}, async (visitor, page) => {
      let arrive;
      const arrived = new Promise((resolve) => {
        arrive = resolve;
      });
      await page.route(/\/logs-[^/]*\.js$/, async (route) => {
        await arrived;
        await route.continue();
      });
      const logs = page.waitForRequest(/\/logs-[^/]*\.js$/);
      await page.evaluate(() => {
        location.hash = "#example=logs";
      });
      await logs;
      await pickExample(page, "Fifty emails");
      await visitor.sees("Opened “Fifty emails, triaged unseen”.");
      const finished = page.waitForEvent("requestfinished", (request) => /\/logs-/.test(request.url()));
      arrive();
      await finished;
      await page.evaluate(() => new Promise((shown) => requestAnimationFrame(() => setTimeout(shown, 50))));
      await eventually.match(() => visitor.userMessage(), /^Triage the inbox/);
      await page.waitForFunction(() => location.hash === "#example=emails");
    }));
});
