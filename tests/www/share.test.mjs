// What the page shows, handed on: links, Markdown and files.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { overflow, visit } from "./visit.mjs";

describe("a link", () => {
  it("holds the current state immediately; that of an example is its name", () =>
    visit({}, async (visitor) => {
      await eventually.match(() => visitor.share("Copy link"), /\/#example=shopping$/);
      await visitor.field("Mission").fill("Just now");
      const link = await visitor.share("Copy link");
      await visit({ fragment: new URL(link).hash }, async (other) => {
        await eventually.match(() => other.userMessage(), /^Just now/);
      });
    }));
});

describe("Markdown", () => {
  it("has a title, the message in a block that nothing in it ends, and the link", async () => {
    const state = { mission: "Write *one* [link](x) in `code` <b>\n```\n````js\nfences\n````\nEnd" };
    await visit({ fragment: await linkTo(state) }, async (visitor) => {
      const message = await visitor.userMessage();
      const markdown = await visitor.share("Copy as Markdown");
      const [title, block, link] = markdown.split("\n\n`````").flatMap((part) => part.split("`````\n\n"));
      assert.equal(title, "### Write \\*one\\* \\[link\\](x) in \\`code\\` \\<b\\>");
      assert.equal(block, `text\n${message}\n`);
      assert.match(link, /^\[Open in the Turnfold playground\]\(http:\/\/[^()]+#v1=[\w-]+\)\n$/);
      const { hash } = new URL(/\((http[^)]*)\)/.exec(link)[1]);
      await visit({ fragment: hash }, async (other) => await eventually.equal(() => other.userMessage(), message));
    });
  });
});

describe("Markdown of a typed call", () => {
  it("has the signature, all messages in a block, and a link to the tab", async () => {
    const values = (question, answer) => ({
      values: Object.entries({ question, answer }).map(([name, text]) => ({ name, text })),
    });
    const programs = {
      signature: "question,\n  history: History -> answer: list[str]",
      inputs: [{ name: "question", text: "And ```\nfences?" }],
      history: [values("First?", '["one"]')],
    };
    await visit({ fragment: await linkTo({ programs }, "programs") }, async (visitor) => {
      await visitor.sees("Read as arrow form");
      const messages = await visitor.messages();
      assert.equal(messages.length, 3);
      const markdown = await visitor.share("Copy as Markdown");
      const [title, block, link] = markdown.split("\n\n````").flatMap((part) => part.split("````\n\n"));
      assert.equal(title, "### question, history: History -\\> answer: list\\[str\\]");
      assert.equal(block, `text\n${messages.map(({ role, text }) => `── ${role}\n${text}`).join("\n\n")}\n`);
      const { hash } = new URL(/\((http[^)]*)\)/.exec(link)[1]);
      assert.match(hash, /&tab=programs$/);
      await visit({ fragment: hash }, async (other) => {
        await other.sees("Read as arrow form");
        await eventually.deepEqual(() => other.messages(), messages);
      });
    });
  });
});

describe("a file", () => {
  const drop = (page, name, text) =>
    page.evaluate(
      ([fileName, content]) => {
        const transfer = new DataTransfer();
        transfer.items.add(new File([content], fileName, { type: "application/json" }));
        for (const type of ["dragover", "drop"]) {
          document
            .querySelector("main")
            .dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }
      },
      [name, text],
    );

  it("is downloaded, and uploaded or dropped again", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").fill("In a file");
      await visitor.showTab("Chat");
      await visitor.choose("chunked");
      await visitor.press("Share");
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Download JSON")]);
      assert.equal(download.suggestedFilename(), "turnfold-playground.json");
      const buffer = await readFile(await download.path());
      const { kind, version, tab, state } = JSON.parse(buffer);
      assert.deepEqual([kind, version, tab, state.mission], ["turnfold-playground", 1, "chat", "In a file"]);

      await visitor.showTab("Turns");
      await visitor.openExample("Fifty emails, triaged unseen");
      await visitor.press("Share");
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), visitor.press("Upload JSON")]);
      await chooser.setFiles({ name: "mine.json", mimeType: "application/json", buffer });
      await visitor.sees("Loaded mine.json.");
      await page.getByRole("tab", { name: "Chat", selected: true }).waitFor();
      await eventually.equal(() => page.getByRole("radio", { name: "chunked" }).isChecked(), true);
      await visitor.press("Undo");
      await visitor.showTab("Turns");
      await eventually.match(() => visitor.userMessage(), /^Triage the inbox/);

      await drop(page, "dropped.json", buffer.toString());
      await visitor.sees("Loaded dropped.json.");
      await visitor.showTab("Turns");
      await eventually.match(() => visitor.userMessage(), /^In a file/);
    }));

  it("that is none is refused with the reason, and changes nothing", () =>
    visit({}, async (visitor, page) => {
      const before = await visitor.messages();
      await drop(page, "bad.json", "{");
      await visitor.sees(/This looks like JSON, but it can’t be read\. Line 1, column 2: .* Nothing has changed\./);
      await visitor.press("Close");
      await eventually.deepEqual(() => visitor.messages(), before);
    }));
});

it("shows text that the browser does not allow to copy", () =>
  visit({ permissions: [] }, async (visitor, page) => {
    await page.evaluate(() => {
      navigator.clipboard.write = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    });
    await visitor.press("Share");
    await visitor.press("Copy link");
    await visitor.sees("The browser does not allow it: copy it from the field.");
    await eventually.match(() => visitor.field("To be copied by hand").inputValue(), /#example=shopping$/);
  }));

it(`gives axe nothing to find and fits 360 px`, async () => {
  for (const width of [1280, 360]) {
    await visit({ width, height: 740 }, async (visitor, page) => {
      for (const name of ["Share", "Menu"]) {
        await visitor.press(name);
        await page.locator("button.popover-item").first().waitFor();
        await eventually.deepEqual(() => visitor.axeFindings(), []);
        const panel = await page.locator(`#${name.toLowerCase()}-panel`).boundingBox();
        assert.ok(panel.x >= 0 && panel.x + panel.width <= width, `${name} at ${width}`);
        await page.keyboard.press("Escape");
        await page.waitForFunction((id) => document.activeElement.id === id, name.toLowerCase());
      }
      assert.equal(await overflow(page), 0);
    });
  }
});

it("sharing sends nothing to other servers", () =>
  visit({}, async (visitor) => {
    await visitor.share("Copy as code");
    await visitor.share("Copy as Markdown");
    assert.deepEqual(visitor.foreignRequests, []);
  }));
