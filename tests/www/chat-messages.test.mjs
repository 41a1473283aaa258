// The list of messages on the Chat tab: search, and navigation between the text, the list and the result.

import { describe, it } from "node:test";
import { CHAT, card, chatLink, EDITOR, inResult, onChat, plan, shape, shortChat, talk, text, words } from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { overflow, sharedVisit, visit, WIDTHS } from "./visit.mjs";

const search = (page) => page.getByRole("searchbox", { name: "Search the messages" });
const found = (page) => page.locator(".chat-found");
const filters = (page) => page.locator(".chat-filter").allInnerTexts();
const press = (page, name) => page.getByRole("button", { name }).click();
const shown = (page) =>
  page
    .getByRole("list", { name: "Messages", exact: true })
    .locator(".chat-message")
    .evaluateAll((cards) => cards.map(({ id }) => Number(/\d+$/.exec(id)[0])));
/** The number of messages; of a long list, only those near the screen are in the page. */
const total = async (page) => {
  const rows = page.getByRole("list", { name: "Messages", exact: true }).locator(".chat-message");
  return Number((await rows.first().getAttribute("aria-setsize")) ?? (await rows.count()));
};
const focused = (page) => page.evaluate(() => document.activeElement.id);

/** 500 messages with a word in one of them, far from its start. */
const many = talk(499).map((message, index) =>
  index === 300 ? { ...message, content: `${message.content.repeat(4)} The key is under the Doormat.` } : message,
);

describe("the messages of a chat", () => {
  it("are found by text, role and fate among 500, and counted for each fate", async () =>
    onChat({ messages: text(many), strategy: "lastNMessages", options: { n: "10" } })(async (_, page) => {
      await plan(page, /^1 request for summaries/);
      await eventually.deepEqual(() => filters(page), ["kept 12", "summarised 488"]);
      await search(page).fill("DOORMAT");
      await eventually.deepEqual(() => shown(page), [301]);
      await eventually.equal(() => words(found(page)), "1 of 500 messages Show all");
      await eventually.deepEqual(() => filters(page), ["summarised 1"]);
      await eventually.match(() => words(card(page, 301)), /…[^…]*Doormat/);
      await eventually.deepEqual(() => page.locator(".chat-piece mark").allInnerTexts(), ["Doormat"]);
      await search(page).fill("system");
      await eventually.deepEqual(() => shown(page), [1]);
      // All words must occur, in the text or in the fate of the message.
      await search(page).fill("assistant summarised 12:");
      await eventually.deepEqual(() => shown(page), [13, 113, 213, 313, 413]);
      await search(page).fill("nothing like it");
      await eventually.equal(() => words(found(page)), "0 of 500 messages Show all");
      await press(page, "Show all");
      await eventually.equal(() => total(page), 500);

      await press(page, /^kept/);
      await eventually.deepEqual(() => shown(page), [1, ...Array.from({ length: 11 }, (_, index) => 490 + index)]);
      await eventually.equal(() => words(found(page)), "12 of 500 messages Show all");
      await search(page).fill("user");
      await eventually.equal(async () => (await shown(page)).length, 6);
      await eventually.deepEqual(() => filters(page), ["kept 6", "summarised 244"]);
      await press(page, /^kept/);
      await eventually.equal(() => total(page), 250);
    }));

  it("far down a long result are shown once the code for long lists has loaded", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      let release;
      const held = new Promise((resolve) => {
        release = resolve;
      });
      let isAsked = false;
      await page.route(/\/esm-[^/]*\.js$/, async (route) => {
        isAsked = true;
        await held;
        await route.continue();
      });
      await visitor.openLink(await chatLink({ messages: text(many), strategy: "none" }));
      await shape(page, "500 messages");
      await search(page).fill("DOORMAT");
      await visitor.press("Show message 301 in the result");
      await eventually.equal(() => isAsked, true);
      release();
      await eventually.equal(() => focused(page), "chat-result-301");
    }));

  it("with a problem can be filtered; loading a chat removes the filter", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.press("Torn history");
      await shape(page, "14 messages");
      await press(page, /^with a problem/);
      await eventually.deepEqual(() => shown(page), [2, 4, 7, 10, 11, 12]);
      await visitor.press("Support chat");
      await shape(page, "60 messages");
      await search(page).fill("refund");
      await visitor.openExample("Fifty emails, triaged unseen");
      await visitor.showTab("Chat");
      await shape(page, "254 messages");
      await eventually.equal(() => search(page).inputValue(), "");
    }));

  it("are shown in the text and in the result, and from there in the list", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await plan(page, /^1 request/);
      await visitor.press("Show message 30 in the JSON");
      await visitor.focusOn(EDITOR);
      const selected = () => page.evaluate(() => getSelection().toString());
      await eventually.match(selected, /^\{\s+"role": "/);
      await eventually.match(selected, /\}$/);
      await page.keyboard.press("ArrowLeft");
      await visitor.press("Find the message at the cursor");
      await eventually.equal(() => focused(page), "chat-message-30");

      // Its summary; a message that stayed; one whose results were cleared.
      await visitor.press("Show message 30 in the result");
      await eventually.equal(() => focused(page), "chat-result-4");
      await eventually.match(() => words(inResult(page).nth(3)), /inserted · for 40 messages/);
      await visitor.press("Show message 60 in the result");
      await eventually.equal(() => focused(page), "chat-result-21");
      await search(page).fill("nothing like it");
      await visitor.press("Back to message 60 of the input");
      await eventually.equal(() => focused(page), "chat-message-60");
      await visitor.choose("clearToolResults");
      await plan(page, /cleared/);
      await visitor.press("Show message 6 in the result");
      await eventually.equal(() => focused(page), "chat-result-6");
      await eventually.match(() => words(inResult(page).nth(5)), /cleared/);
      await visitor.press("Back to message 6 of the input");
      await eventually.equal(() => focused(page), "chat-message-6");
    }));

  it("are shown in the text when only one side fits, after the editor is loaded", () =>
    visit({ fragment: CHAT, width: 360, height: 740 }, async (visitor, page) => {
      await shape(page, "60 messages");
      await visitor.press("Show message 60 in the result");
      await eventually.equal(() => focused(page), "chat-result-21");
      await visitor.press("Back to message 60 of the input");
      await eventually.equal(() => focused(page), "chat-message-60");
      await visitor.press("Show message 60 in the JSON");
      await visitor.focusOn(EDITOR);
    }));

  it("say why they can’t be shown in the text", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.write(EDITOR, "[{]");
      await page.locator(".code-problem").waitFor();
      await visitor.press("Show message 2 in the JSON");
      await visitor.sees("Message 2 can’t be shown in the JSON: the text can’t be read.");
    }));

  describe("that are searched", () => {
    const options = chatLink(shortChat).then((fragment) => ({ fragment, width: 360, height: 900 }));
    const onPage = sharedVisit(options, async (_, page) => {
      await shape(page, "16 messages");
      await search(page).fill("order");
      await press(page, /^summarised/);
      await found(page).getByText("Show all").waitFor();
    });
    for (const width of WIDTHS)
      it(
        `fit ${width} px and have no axe violations`,
        onPage(async (visitor, page) => {
          await page.setViewportSize({ width, height: 900 });
          await found(page).getByText("Show all").waitFor();
          await eventually.equal(() => overflow(page), 0);
          await eventually.deepEqual(() => visitor.axeFindings(), []);
        }),
      );
  });
});
