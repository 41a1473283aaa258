// Sharing: links, Markdown and files.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { eventually } from "./eventually.mjs";
import { linkTo, stateIn } from "./link.mjs";
import { overflow, sharedVisit, visit } from "./visit.mjs";
import { stopClock } from "./work.mjs";

/** One visit for the tests that change nothing on the page. */
const onPage = sharedVisit({});

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
  it("has a title, the message in a block that its text can't close, and the link", async () => {
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

describe("before sharing", () => {
  it("findings in an opened chat and in an opened link are listed", () =>
    visit({}, async (visitor, page) => {
      const secrets = ["sk-proj-abcdefghijklmnop1234", "DE89 3704 0044 0532 0130 00", "4539 5787 6362 1486", "hunter2"];
      const content = `Use ${secrets[0]}. Pay ${secrets[1]} or ${secrets[2]}; the password is ${secrets[3]}.`;
      const panel = page.locator("#share-panel");
      const isAsked = async () => {
        await page.locator(".chat").first().waitFor();
        await visitor.press("Share");
        await panel.getByRole("button", { name: "Blank 4 of 4" }).waitFor();
        assert.equal(await panel.getByRole("button", { name: "Copy link" }).count(), 0);
        const listed = await panel.locator(".share-findings").innerText();
        for (const kind of ["API key", "bank account", "card number", "password"]) assert.match(listed, RegExp(kind));
        for (const secret of secrets) assert.ok(!listed.includes(secret), secret);
      };
      await visitor.paste(JSON.stringify([{ role: "user", content }]));
      await isAsked();
      await page.keyboard.press("Escape");
      const link = await visitor.share("Copy link");
      await visit({ fragment: new URL(link).hash }, async (other, its) => {
        await its.locator(".chat").first().waitFor();
        await other.press("Share");
        await its.getByRole("button", { name: "Blank 4 of 4" }).waitFor();
      });
      await visitor.press("Share");
      await visitor.press("Blank names or words");
      await visitor.press("Blank 4 of 4");
      await page.keyboard.press("Escape");
      const { chat } = JSON.parse(await stateIn(new URL(await visitor.share("Copy link")).hash));
      const said = "Use api-key-1. Pay account-1 or card-1; the password is password-1.";
      assert.equal(JSON.parse(chat.messages)[0].content, said);
    }));

  it("a link has what its tab shows, and a file everything", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").fill("Only for me");
      await visitor.paste(JSON.stringify([{ role: "user", content: "For you" }]));
      await page.locator(".chat").first().waitFor();
      const { hash } = new URL(await visitor.share("Copy link"));
      assert.deepEqual(Object.keys(JSON.parse(await stateIn(hash))), ["chat"]);
      await visit({ fragment: hash }, async (other) => {
        await other.sees("For you");
        await other.showTab("Turns");
        await eventually.match(async () => (await other.messages())[1].text, /^Check November’s invoices/);
      });
      await visitor.showTab("Turns");
      const turns = JSON.parse(await stateIn(new URL(await visitor.share("Copy link")).hash));
      assert.deepEqual([turns.mission, turns.chat], ["Only for me", undefined]);
      await visitor.press("Share");
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Download JSON")]);
      const { state } = JSON.parse(await readFile(await download.path()));
      assert.deepEqual([state.mission, JSON.parse(state.chat.messages)[0].content], ["Only for me", "For you"]);
    }));

  it("findings are listed, blanked on the page, and are in nothing that is shared", () =>
    visit({}, async (visitor, page) => {
      const secrets = ["bob.smith@corp.de", "sk-proj-abcdefghijklmnop1234", "jan"];
      await visitor.field("Mission").fill(`Ask ${secrets[0]} with ${secrets[1]} at /home/${secrets[2]}/x, says Anna`);
      await visitor.press("Share");
      const panel = page.locator("#share-panel");
      await panel.getByText("bob.smith@corp.de").waitFor();
      await eventually.equal(() => panel.getByRole("button", { name: "Copy link" }).count(), 0);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await visitor.field("More names or words to blank").fill("anna");
      await panel.getByRole("checkbox", { name: /jan/ }).uncheck();
      await visitor.press("Blank 3 of 4");
      await visitor.sees("3 texts are blanked on the page and in everything you share.");
      const mission = "Ask email-1@example.com with api-key-1 at /home/jan/x, says name-1";
      await eventually.equal(() => visitor.field("Mission").inputValue(), mission);
      await page.keyboard.press("Escape");
      for (const label of ["Copy link", "Copy as Markdown", "Copy as code", "Copy as test"]) {
        const text = await visitor.share(label);
        const all = label === "Copy link" ? await stateIn(new URL(text).hash) : text;
        for (const secret of secrets.slice(0, 2)) assert.ok(!all.includes(secret), label);
        assert.ok(all.includes("api-key-1"), label);
      }
      await page.locator(".notice").getByRole("button", { name: "Undo" }).click();
      await eventually.match(() => visitor.field("Mission").inputValue(), /bob\.smith@corp\.de/);
    }));

  it("Escape closes the panel, also where the focus is nowhere", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").fill("Ask bob.smith@corp.de");
      const panel = page.locator("#share-panel");
      for (const leave of [() => {}, () => page.evaluate(() => document.activeElement.blur())]) {
        await visitor.press("Share");
        await panel.getByText("bob.smith@corp.de").waitFor();
        await leave();
        await page.keyboard.press("Escape");
        await panel.waitFor({ state: "hidden" });
        assert.equal(await page.evaluate(() => document.activeElement.textContent), "Share");
      }
      // The pressed button is replaced in the task in which it is removed.
      await visitor.press("Share");
      await page.getByRole("button", { name: "Blank 1 of 1" }).evaluate((button) => {
        button.focus();
        button.click();
      });
      await visitor.sees("1 text is blanked on the page");
      await page.keyboard.press("Escape");
      await panel.waitFor({ state: "hidden" });
    }));

  it("names can be blanked without findings", () =>
    visit({}, async (visitor) => {
      await visitor.field("Mission").fill("Ask Anna");
      await visitor.press("Share");
      await visitor.press("Blank names or words");
      await visitor.sees(/^Nothing was found/);
      await visitor.field("More names or words to blank").fill("Anna");
      await visitor.press("Blank 1 of 1");
      await eventually.equal(() => visitor.field("Mission").inputValue(), "Ask name-1");
      await visitor.press("Copy link");
      await visitor.sees("Link copied.");
    }));

  it("words typed just before the click are blanked, and unchecked findings are listed again", () =>
    visit({ clock: true }, async (visitor, page) => {
      await visitor.field("Mission").fill("Ask Anna-Lena, bob.smith@corp.de");
      await visitor.press("Share");
      await visitor.press("Share as it is");
      await visitor.press("Blank names or words");
      const box = page.getByRole("checkbox", { name: /bob/ });
      await box.uncheck();
      await page.getByRole("button", { name: "Blank 0 of 1", disabled: true }).waitFor();
      await stopClock(page);
      const words = visitor.field("More names or words to blank");
      // No text has this word, so the list stays.
      await words.fill("Eve");
      await visitor.press("Blank 0 of 1");
      await page.getByRole("button", { name: "Blank 0 of 1", disabled: true }).waitFor();
      await words.fill("anna-lena");
      await visitor.press("Blank 0 of 1");
      await page.clock.resume();
      await visitor.sees("1 text is blanked on the page");
      await eventually.equal(() => visitor.field("Mission").inputValue(), "Ask name-1, bob.smith@corp.de");
    }));

  it("the palette shows the list too", () =>
    visit({}, async (visitor, page) => {
      await visitor.field("Mission").fill("Ask bob.smith@corp.de");
      await page.keyboard.press("ControlOrMeta+k");
      await page.getByRole("combobox", { name: "Command" }).fill("copy link");
      await page.keyboard.press("Enter");
      await page.locator("#share-panel").getByText("bob.smith@corp.de").waitFor();
    }));
});

it("a link of more than 8,000 characters is announced, and a file offered instead", () =>
  visit({}, async (visitor, page) => {
    const noise = await page.evaluate(() =>
      Array.from(crypto.getRandomValues(new Uint8Array(20_000)), (byte) => String.fromCharCode(97 + (byte % 26))).join(
        "",
      ),
    );
    await visitor.field("Mission").fill(noise);
    await visitor.press("Share");
    await visitor.press("Copy link");
    await visitor.sees(/^The link would have \d\d,\d{3} characters, and some programs cut links of more than 8,000\./);
    const link = await visitor.copies(() => visitor.press("Copy the long link"));
    assert.ok(link.length > 8000);
    const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Download JSON")]);
    assert.equal(JSON.parse(await readFile(await download.path())).state.mission, noise);
    await page.keyboard.press("Escape");
    assert.doesNotMatch(await visitor.share("Copy as Markdown"), /Open in the Turnfold playground/);
  }));

describe("a result card", () => {
  it(
    "is an image and Markdown with the numbers of the statistics",
    onPage(async (visitor, page) => {
      const tokens = (kind) => page.locator(`.total[data-kind="${kind}"] strong`).innerText();
      const [after, before] = [await tokens("folded"), await tokens("plain")];
      await visitor.press("Share");
      await visitor.press("Result card");
      const [few, many] = [after, before].map((text) => Number(text.replaceAll(",", "")));
      const fewer = `${Math.round(100 * (1 - few / many))} % fewer tokens`;
      assert.ok(few < many);
      const image = page.getByRole("img", { name: `Shopping, with a recovered error: ${fewer} with ` });
      await image.waitFor();
      const said = await image.getAttribute("aria-label");
      assert.ok(said.endsWith(`with “One message”, about ${before} tokens become about ${after}.`), said);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      const markdown = await visitor.copies(() => visitor.press("Copy as Markdown"));
      assert.ok(
        markdown.startsWith(`### Shopping, with a recovered error\n\n**${fewer}** with “One message”:`),
        markdown,
      );
      assert.match(markdown, /before {2}█{40} {2}1,703\nafter {3}█{28}░{12} {2}1,184\n/);
      assert.match(markdown, /\/#example=shopping\)\n$/);
      const [download] = await Promise.all([page.waitForEvent("download"), visitor.press("Download PNG")]);
      const png = await readFile(await download.path());
      assert.equal(png.subarray(1, 4).toString(), "PNG");
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], [1200, 630]);
      await visitor.press("Copy image");
      await visitor.sees("Image copied.");
      await visitor.press("Close");
      await eventually.equal(() => page.getByRole("dialog").count(), 0);
    }),
  );

  it("of a chat has its messages as a strip, and fits 360 px", () =>
    visit({ fragment: "#example=support" }, async (visitor, page) => {
      await visitor.showTab("Chat");
      await visitor.choose("chunked");
      await page.setViewportSize({ width: 360, height: 740 });
      await visitor.press("Share");
      await visitor.press("Result card");
      await page
        .getByRole("img", { name: /^A conversation of 60 messages: \d+ % fewer tokens with “A summary per group”, / })
        .waitFor();
      assert.equal(await overflow(page), 0);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
    }));

  it("is refused with the reason where there is no result", () =>
    visit({ fragment: "#tab=repl" }, async (visitor) => {
      await visitor.press("Share");
      await visitor.press("Result card");
      await visitor.sees("The Turns and Chat tabs have a result to show on a card.");
    }));
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

  it("can be downloaded, and uploaded or dropped again", () =>
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
      await eventually.equal(() => visitor.strategy(), "chunked");
      await visitor.press("Undo");
      await visitor.showTab("Turns");
      await eventually.match(() => visitor.userMessage(), /^Triage the inbox/);

      await drop(page, "dropped.json", buffer.toString());
      await visitor.sees("Loaded dropped.json.");
      await visitor.showTab("Turns");
      await eventually.match(() => visitor.userMessage(), /^In a file/);
    }));

  it(
    "with invalid content is refused with the reason, and changes nothing",
    onPage(async (visitor, page) => {
      const before = await visitor.messages();
      await drop(page, "bad.json", "{");
      await visitor.sees(/This looks like JSON, but it can’t be read\. Line 1, column 2: .* Nothing has changed\./);
      await visitor.press("Close");
      await eventually.deepEqual(() => visitor.messages(), before);
    }),
  );
});

it("the text is shown when the browser forbids copying", () =>
  visit({ permissions: [] }, async (visitor, page) => {
    await page.evaluate(() => {
      navigator.clipboard.write = () => Promise.reject(new DOMException("no", "NotAllowedError"));
    });
    await visitor.press("Share");
    await visitor.press("Copy link");
    await visitor.sees("The browser does not allow copying: copy the text from the field.");
    await eventually.match(() => visitor.field("Copy this by hand").inputValue(), /#example=shopping$/);
  }));

it(
  `the share menu has no axe violations and fits 360 px`,
  onPage(async (visitor, page) => {
    for (const width of [360, 1280]) {
      await page.setViewportSize({ width, height: 740 });
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
    }
  }),
);

it(
  "sharing sends nothing to other servers",
  onPage(async (visitor) => {
    await visitor.share("Copy as code");
    await visitor.share("Copy as Markdown");
    assert.deepEqual(visitor.foreignRequests, []);
  }),
);
