// Pasted, dropped and chosen content is opened on the tab for its kind.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { audit, digest, modelPrice, readConversation } from "turnfold/audit";
import { eventually } from "./eventually.mjs";
import { sharedVisit, visit, wordsOf } from "./visit.mjs";

const chat = (count) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Sentence ${index}`,
  }));

const gemini = (...more) => ({
  contents: [
    { role: "user", parts: [{ text: "Hello" }] },
    { role: "model", parts: [{ text: "Hello to you." }] },
    ...more,
  ],
});

const exported = (title) => ({
  title,
  create_time: 1_700_000_000,
  current_node: "a",
  mapping: {
    a: {
      id: "a",
      parent: null,
      children: [],
      message: { author: { role: "user" }, content: { content_type: "text", parts: [`About ${title}`] } },
    },
  },
});

const SIZES = [
  { width: 360, height: 740 },
  { width: 768, height: 1024 },
  { width: 1440, height: 900 },
  { width: 2560, height: 1300 },
];

const step = () => readFile(new URL("../saved/step-of-a-mail.json", import.meta.url), "utf8");

async function paste(page, text) {
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press("ControlOrMeta+v");
}

/** Drops a file on the page. */
const drop = (page, name, text) =>
  page.evaluate(
    ([fileName, content]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([content], fileName));
      for (const type of ["dragover", "drop"])
        document.body.dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer }));
    },
    [name, text],
  );

const shape = (page, text) => page.locator(".chat-shape", { hasText: text }).waitFor();
const selected = (page) => page.locator('[role="tab"][aria-selected="true"]').innerText();
const problem = (page) => page.locator(".opening-problem").innerText();

describe("the front page", () => {
  const onPage = sharedVisit({ ...SIZES[0], fragment: "", details: false });
  for (const size of SIZES)
    it(
      `says what it is and offers two ways to begin at ${size.width} px`,
      onPage(async (visitor, page) => {
        await page.setViewportSize(size);
        await page.getByText("Edit a turn, and see the message to the model change as you type.").waitFor();
        for (const name of ["Paste your chat", "See an agent work"]) {
          const { height, y } = await page.getByRole("button", { name }).boundingBox();
          assert.ok(height >= 32 && y + height < size.height / 2, `${name}: ${y}, ${height}`);
        }
        const { y } = await page.locator('.message[data-role="user"] .section-text').first().boundingBox();
        assert.ok(y > 0 && y < size.height, `the message begins at ${y}`);
        await eventually.deepEqual(() => visitor.axeFindings(), []);
        await visitor.press("Paste your chat");
        await page.getByRole("textbox", { name: "Paste here" }).waitFor();
        await eventually.deepEqual(() => visitor.axeFindings(), []);
        await page.keyboard.press("Escape");
        await page.getByRole("dialog").waitFor({ state: "detached" });
      }),
    );

  it("disappears when something else is opened", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await eventually.equal(() => page.getByRole("button", { name: "Open", exact: true }).count(), 0);
      await visitor.openExample("One huge tool result");
      await eventually.equal(() => page.getByRole("button", { name: "Paste your chat" }).count(), 0);
      await visitor.press("Open");
      await page.getByRole("dialog", { name: "Paste a chat or open a file" }).waitFor();
    }));

  it("runs an agent with one press", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await visitor.press("See an agent work");
      await visitor.sees("The agent returned after 4 turns.");
      await eventually.equal(() => selected(page), "Run");
      await eventually.equal(() => page.locator(".turn").count(), 4);
    }));
});

describe("pasted content", () => {
  it("that is a chat in the format of a provider is opened unchanged", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      const text = JSON.stringify(chat(14));
      await paste(page, text);
      await shape(page, "Detected: OpenAI · 14 messages");
      await visitor.sees("Read as messages of OpenAI: 14 messages.");
      await eventually.equal(() => selected(page), "Chat");
      await visitor.press("Undo");
      await eventually.equal(() => page.getByRole("button", { name: "Paste your chat" }).count(), 1);
    }));

  it("that is a chat in another format is converted", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await paste(page, JSON.stringify(gemini()));
      await shape(page, "Detected: Turnfold · 2 messages");
      await visitor.sees("Read as Gemini’s format: 2 messages.");
      await page.locator(".chat-message", { hasText: "Hello to you." }).first().waitFor();
    }));

  it("that is a chat shows its plan first on a phone", () =>
    visit({ width: 360, height: 740 }, async (_, page) => {
      await paste(page, JSON.stringify(chat(14)));
      await page.locator(".chat-plan .plan-sentence").waitFor();
      await eventually.equal(() => page.locator("#history").isVisible(), false);
    }));

  it("that is a step is opened on the Turns tab", () =>
    visit({ fragment: "#tab=chat" }, async (visitor, page) => {
      const { turns } = JSON.parse(await step());
      await paste(page, await step());
      await visitor.sees("Loaded the step of What you pasted.");
      await eventually.equal(() => selected(page), "Turns");
      await eventually.equal(() => page.locator(".turn").count(), turns.length);
    }));

  it("that is a link to this page is opened", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await paste(page, `${new URL(page.url()).origin}/#example=logs`);
      await eventually.match(() => visitor.userMessage(), /^Checkout was slow/);
    }));

  it("stays text when it is pasted into a field", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await visitor.field("Mission").fill("");
      await paste(page, '[{"role": "user", "content": "x"}]');
      await eventually.equal(() => visitor.field("Mission").inputValue(), '[{"role": "user", "content": "x"}]');
      await eventually.equal(() => selected(page), "Turns");
    }));

  it("that is unreadable is described, and changes nothing", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      const before = await visitor.userMessage();
      await paste(page, JSON.stringify(gemini({ role: "model", parts: [{ functionCall: {} }] })));
      await eventually.match(
        () => problem(page),
        /^This looks like Gemini’s format, but contents\[2\]\.parts\[0\]\.functionCall\.name must be a text/,
      );
      await paste(page, "User: hello");
      await eventually.match(() => problem(page), /^This is text, not a chat file\./);
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await visitor.press("Close");
      await eventually.equal(() => page.locator("dialog").count(), 0);
      await eventually.equal(() => visitor.userMessage(), before);
    }));

  it("with several chats lets the user choose one", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      const titles = Array.from({ length: 130 }, (_, index) => `Chat ${index + 1}`);
      await paste(page, JSON.stringify([...titles, "A plan for May"].map(exported)));
      await visitor.sees("This looks like an export of ChatGPT, with 131 chats.");
      await visitor.sees("31 more chats: write a word of the title.");
      await eventually.deepEqual(() => visitor.axeFindings(), []);
      await page.getByRole("searchbox", { name: "Words in the title" }).fill("may plan");
      await eventually.equal(() => page.locator(".opening-chat").count(), 1);
      await page.locator(".opening-chat").click();
      await page.locator(".chat-message", { hasText: "About A plan for May" }).first().waitFor();
      await eventually.equal(() => page.locator("dialog").count(), 0);
    }));
});

describe("a file", () => {
  const lines = chat(12).map((each) => JSON.stringify(each));

  it("can be dropped anywhere", () =>
    visit({ fragment: "#tab=repl" }, async (visitor, page) => {
      await drop(page, "chat.jsonl", lines.join("\n"));
      await shape(page, "12 messages");
      await visitor.sees("Read as messages of OpenAI: 12 messages.");
      await drop(page, "broken.jsonl", [...lines.slice(0, 3), "oops", ...lines].join("\n"));
      await visitor.sees("Read as messages of OpenAI: 15 messages. Line 4 is no JSON, and was skipped.");
    }));

  it("can be chosen in the dialog", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      await visitor.press("Paste your chat");
      const [chooser] = await Promise.all([page.waitForEvent("filechooser"), visitor.press("Choose a file")]);
      await chooser.setFiles({
        name: "chat.json",
        mimeType: "application/json",
        buffer: Buffer.from(JSON.stringify(chat(11))),
      });
      await shape(page, "Detected: OpenAI · 11 messages");
    }));

  it("that was downloaded here is opened again", () =>
    visit({ fragment: "" }, async (visitor, page) => {
      const state = { kind: "turnfold-playground", version: 1, tab: "turns", state: { mission: "Downloaded" } };
      await drop(page, "page.json", JSON.stringify(state));
      await visitor.sees("Loaded page.json.");
      await eventually.match(() => visitor.userMessage(), /^Downloaded/);
    }));
});

describe("the field of the Chat tab", () => {
  it("converts pasted chats, and describes unreadable text", () =>
    visit({ fragment: "#tab=chat" }, async (visitor, page) => {
      await visitor.write("Messages as JSON", JSON.stringify(gemini()));
      await shape(page, "Detected: Gemini · 2 messages");
      await visitor.write("Messages as JSON", JSON.stringify(exported("lamps")));
      await visitor.sees("Read as an export of ChatGPT: 1 message.");
      await shape(page, "Detected: Turnfold · 1 message");
      await visitor.write("Messages as JSON", '{"apples": 1}');
      await shape(page, "This is JSON, but not in a known chat format: it is an object with “apples”.");
      await visitor.write("Messages as JSON", "User: hello");
      await shape(page, "This is text, not a chat file.");
    }));
});

/** A session of Claude Code of 40 requests with usage, whose model the chooser does not list. */
const session = () =>
  Array.from({ length: 40 }, (_, index) => {
    const line = (type, message) => ({
      type,
      sessionId: "s1",
      timestamp: new Date(1_790_000_000_000 + index * 60_000).toISOString(),
      message,
    });
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 600,
      cache_read_input_tokens: index === 0 ? 0 : 12_000 + 600 * index,
      output_tokens: 40,
    };
    const content = [{ type: "text", text: `Answer ${index} to it.` }];
    const model = "claude-sonnet-4-5-20250929";
    return [
      line("user", { role: "user", content: `Question ${index}: ${"some words of it ".repeat(120)}` }),
      line("assistant", { id: `msg_${index}`, role: "assistant", model, content, usage }),
    ];
  })
    .flat()
    .map((line) => JSON.stringify(line))
    .join("\n");

it("an opened recording shows what was billed in the bar, the table and the plots, until its messages are changed", async () => {
  const text = session();
  const { billed, strategies } = audit(readConversation(text));
  const dollars = (amount) => `$${amount.toFixed(2)}`;
  await visit({ fragment: "#tab=chat" }, async (visitor, page) => {
    await paste(page, text);
    const line = () => wordsOf(page.locator(".figure-line"));
    const table = page.locator("#audit-body table");
    await eventually.match(line, new RegExp(`\\${dollars(billed.dollars)} billed`));
    assert.equal(await page.getByLabel("Model and prices").inputValue(), "claude-sonnet-4.5");
    for (const { code, cost, tokens } of strategies) {
      const name = code.replace("compressionStrategy: ", "").replace(', when: "worthIt"', "");
      const row = table.getByRole("row", { name: code === "none" ? "as it was" : name }).first();
      assert.match(await wordsOf(row), new RegExp(`\\${dollars(cost)}`));
      await row.getByRole("button").click();
      const sent = Math.round(tokens).toLocaleString("en");
      await eventually.ok(async () => (await line()).includes(`${sent} tokens sent`), code);
      const own = code === "none" || cost === billed.dollars ? "" : ` → ${dollars(cost)}`;
      await eventually.ok(async () => (await line()).includes(`${dollars(billed.dollars)} billed${own}`), code);
    }
    // Settings that are not in the table are audited too.
    await visitor.choose("digest");
    await page.getByLabel("Rounds kept").fill("2");
    const strategy = { own: { compressionStrategy: digest({ keep: 2 }) } };
    const [, own] = audit(readConversation(text), { strategies: strategy }).strategies;
    const sent = Math.round(own.tokens).toLocaleString("en");
    await eventually.ok(async () => (await line()).includes(`${sent} tokens sent`));
    await visitor.sees(/^All 40 requests of the recording: .* as under “What was billed”\.$/);
    // Other prices are those of the bar and of the table.
    await page.getByLabel("Model and prices").selectOption("gpt-4o");
    const { prices } = modelPrice("gpt-4o");
    const cheaper = audit(readConversation(text), { prices }).billed.dollars;
    await eventually.ok(async () => (await line()).includes(`${dollars(cheaper)} billed`));
    await eventually.match(() => wordsOf(page.locator("#audit-body")), /At the prices of GPT-4o, as chosen above\./);
    await page.getByRole("button", { name: "Pin message 1", exact: true }).click();
    await eventually.match(line, /^about .* a run, estimated$/);
    await visitor.sees(/it is not the recording as it was opened\.$/);
  });
});
