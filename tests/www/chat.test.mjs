// The Chat tab: pasted messages and their plan.

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as turnfold from "../js/everything.mjs";
import {
  CHAT,
  card,
  chatLink,
  EDITOR,
  fates,
  inResult,
  onChat,
  plan,
  resultLine,
  sentence,
  shape,
  shortChat,
  talk,
  text,
  words,
} from "./chat.mjs";
import { eventually } from "./eventually.mjs";
import { linkTo } from "./link.mjs";
import { sharedVisit, visit } from "./visit.mjs";
import { assertWork, mostForAKey, stopClock } from "./work.mjs";

const openaiMessages = [
  { role: "system", content: "You help." },
  { role: "user", content: "What is the weather in Oslo and Bergen?" },
  {
    role: "assistant",
    content: null,
    tool_calls: ["Oslo", "Bergen"].map((city, index) => ({
      id: `call_${index}`,
      type: "function",
      function: { name: "weather", arguments: `{"city": "${city}"}` },
    })),
  },
  { role: "tool", tool_call_id: "call_0", content: "4 degrees" },
  { role: "tool", tool_call_id: "call_1", content: "rain" },
  { role: "assistant", content: "Oslo has 4 degrees, Bergen has rain." },
];

const anthropicMessages = {
  system: "You help.",
  messages: [
    { role: "user", content: "What is the weather in Oslo?" },
    { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "weather", input: { city: "Oslo" } }] },
    { role: "user", content: [{ type: "tool_result", tool_use_id: "t1", content: "4 degrees" }] },
    { role: "assistant", content: "Oslo has 4 degrees." },
  ],
};

const aiSdkMessages = [
  { role: "user", content: [{ type: "text", text: "What is the weather in Oslo?" }] },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "t1", toolName: "weather", input: { city: "Oslo" } }],
  },
  {
    role: "tool",
    content: [
      { type: "tool-result", toolCallId: "t1", toolName: "weather", output: { type: "text", value: "4 degrees" } },
    ],
  },
];

const ownMessages = [
  { role: "user", content: "What is the weather in Oslo?", timestamp: "2026-03-02T09:58:00Z", pinned: true },
  { role: "assistant", content: "", toolCalls: [{ id: "t1", name: "weather", args: { city: "Oslo" } }] },
  { role: "tool", toolCallId: "t1", toolName: "weather", content: "4 degrees" },
];

describe("the plan of a history", () => {
  it("of the first example shows the fate of each message, totals and a sentence", () =>
    visit({ fragment: CHAT }, async (_, page) => {
      await shape(page, /^Detected: Turnfold · 60 messages · about [\d,]+ tokens$/);
      await eventually.equal(
        () => sentence(page),
        "1 request for summaries: 40 summarised (messages 2–8, 10–37, 39–43), 20 kept.",
      );
      const all = await fates(page);
      assert.equal(all.length, 60);
      assert.equal(all.filter((fate) => fate === "summarized").length, 40);
      await eventually.match(
        () => words(card(page, 1)),
        /^1 SYSTEM \d+ tokens 2 Mar, 09:58 kept · system message You are the/,
      );
      await eventually.match(() => words(card(page, 5)), /summarised → 1 calls get_order .* calls get_customer/);
      await eventually.match(
        () => words(card(page, 6)),
        /get_order returned \{"order":"F-20418".*… All [\d,]+ characters$/,
      );
      await eventually.match(() => words(card(page, 9)), /kept · pinned/);
      await eventually.match(
        () => words(page.locator(".chat-plan")),
        /before about 3,\d+ tokens after about 1,\d00 tokens −5\d %/,
      );
      await eventually.match(() => resultLine(page), /^Applied “Keep the last messages”: 1 summary inserted\.$/);
      await eventually.equal(() => inResult(page).count(), 21);
      await eventually.match(() => words(inResult(page).nth(1)), /was 9/);
      const inserted = page.locator('.chat-message[data-fate="inserted"]');
      await eventually.match(() => words(inserted), /inserted · for 40 messages Summary of 40 earlier messages:/);
      await page
        .locator('[aria-live="polite"]', {
          hasText: /^1 request for summaries: 40 summarised .* About 3,\d+ tokens become about /,
        })
        .waitFor({ state: "attached" });
    }));

  it("changes with each strategy", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      const requests = () => page.locator(".request").count();
      const expected = {
        wholeHistory: [/^1 request for summaries: 57 summarised .*, 3 kept\.$/, 1],
        chunked: [/^6 requests for summaries: 57 summarised/, 6],
        fromTimestamp: [/^1 request for summaries: 35 summarised/, 1],
        wholeHistoryMultipleSystemMessages: [/^2 requests for summaries: 57 summarised/, 2],
        retrieveFacts: [/^3 requests for summaries: 57 summarised/, 3],
        clearToolResults: [/^Ready without a model: \d+ cleared \(messages 6–7, /, 0],
        none: [/^Nothing changes: no strategy or limit applies\.$/, 0],
      };
      for (const [name, [said, count]] of Object.entries(expected)) {
        await visitor.choose(name);
        await plan(page, said);
        await eventually.equal(() => requests(), count, name);
      }
      // Requests for the same messages are one group.
      await visitor.choose("retrieveFacts");
      await eventually.match(() => words(page.locator(".group-list")), /^1 messages 2–8, .*, asked 3 times$/);
      await visitor.choose("chunked");
      await eventually.equal(() => page.locator(".group-list li").count(), 6);
      await visitor.field("Group size").fill("30");
      await plan(page, /^2 requests/);
      await eventually.match(() => words(card(page, 2)), /summarised → 1/);
      await eventually.match(() => words(card(page, 59)), /summarised → 2/);
    }));

  it("“Clear old tool results first” clears results before the strategy runs", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await page.getByRole("checkbox", { name: "Clear old tool results first" }).check();
      await visitor.field("Results kept").fill("1");
      await visitor.field("Messages kept").fill("30");
      await plan(page, /cleared/);
      await eventually.match(() => words(card(page, 41)), /cleared · by “Clear old tool results”/);
      await eventually.match(() => words(inResult(page).filter({ hasText: "cleared" }).first()), /TOOL/);
      await eventually.match(() => resultLine(page), /Applied “Clear old tool results” and “Keep the last messages”/);
    }));

  it("is missing when an option is invalid, and the field says why", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      const trouble = (field) => words(page.locator(`#chat-${field}-problem`));
      await visitor.field("Messages kept").fill("many");
      await visitor.sees("There is no plan.");
      await eventually.equal(() => trouble("n"), "Write a whole number, or nothing for the default");
      await eventually.equal(() => visitor.field("Messages kept").getAttribute("aria-invalid"), "true");
      await visitor.choose("chunked");
      await plan(page, /requests/);
      await visitor.field("Group size").fill("0");
      await eventually.match(() => trouble("size"), /^chunked\(size\) takes a whole number from 1 up, got 0/);
      await visitor.choose("fromTimestamp");
      await visitor.field("Time").fill("");
      await eventually.match(() => trouble("time"), /^Write a time/);
      await visitor.field("Time").fill("soon");
      await eventually.match(() => trouble("time"), /takes a time, got "soon"/);
      await visitor.field("Time").fill("1772449200000");
      await plan(page, /^1 request for summaries/);
      await visitor.choose("retrieveFacts");
      for (const number of [3, 2, 1]) await visitor.press(`Delete concept ${number}`);
      await visitor.sees("Name at least one concept to gather facts about");
      await visitor.press("Add concept");
      await visitor.focusOn("Name of concept 1");
      await page.keyboard.type("order");
      await plan(page, /^1 request/);
      await visitor.choose("fromTimestamp");
      await visitor.write(EDITOR, text(talk(12)));
      await page.locator("#chat-time-problem", { hasText: "no message has a timestamp" }).waitFor();
    }));

  it("keeps maxTokens, window share, maxHistorySize, when and minMessages, and says which limit can't be kept", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.choose("none");
      await visitor.toggleGroup("Limits");
      await visitor.field("Tokens sent").fill("800");
      await plan(page, /^Ready without a model: \d+ dropped \(messages 2–8, 10–/);
      await eventually.match(() => words(card(page, 2)), /dropped · by the limit “Tokens sent”/);
      await visitor.field("Tokens sent").fill("60");
      await eventually.match(
        () => words(page.locator("#chat-maxTokens-problem")),
        /must accommodate the system prompt/,
      );
      await visitor.choose("a share of the window");
      await plan(page, /^Nothing changes/);
      await visitor.field("Share").fill("0.5");
      await visitor.sees("Write how many tokens the model takes, such as 128000");
      await visitor.field("Window").fill("2000");
      await plan(page, /dropped/);
      const after = () => words(page.locator(".chat-plan .total").nth(1));
      await eventually.ok(async () => Number(/[\d,]+/.exec(await after())[0].replace(",", "")) <= 1000, await after());
      await visitor.field("Share").fill("2");
      await visitor.sees("Write a share above 0");
      await visitor.field("Share").fill("");
      await visitor.field("Window").fill("");
      await visitor.field("Messages sent").fill("12");
      await plan(page, /49 dropped/);
      await eventually.ok(async () => (await inResult(page).count()) <= 12);
      await visitor.field("Messages sent").fill("");
      await visitor.choose("over a limit");
      await visitor.sees(/when is "overLimit", and there is no limit/);
      await visitor.field("Messages sent").fill("100");
      await visitor.choose("lastNMessages");
      await plan(page, /^No strategy runs: the history is within its limits\.$/);
      await visitor.choose("always");
      await plan(page, /^1 request/);
      await visitor.field("Fewest messages").fill("90");
      await plan(page, /^No strategy runs: the history has \d+ messages( besides .+)?; minMessages is 90\.$/);
    }));

  it("follows summaryMaxTokens, the prompt and the role of summaries", () =>
    onChat({ messages: text(talk(30)), options: { n: "4" } })(async (visitor, page) => {
      await plan(page, /^1 request/);
      await visitor.toggleGroup("Summaries");
      await visitor.field("Tokens a request").fill("500");
      await plan(page, /^[2-9] requests|^\d\d requests/);
      await visitor.field("Tokens a request").fill("");
      await visitor.field("Prompt").fill("Be very short.");
      await page.locator(".request summary").click();
      await eventually.match(
        () => words(page.locator(".request pre").first()),
        /^Be very short\. Write at most \d+ words\.$/,
      );
      await visitor.choose("assistant");
      await page.locator('.chat-message[data-fate="inserted"][data-role="assistant"]').waitFor();
    }));
});

describe("messages that are pasted", () => {
  // Each of these tests begins with writing a text of its own.
  const onPage = sharedVisit({ fragment: CHAT });

  const shapes = [
    ["OpenAI", openaiMessages],
    ["OpenAI", { model: "gpt-4.1", temperature: 0, messages: openaiMessages }],
    ["Anthropic", anthropicMessages],
    ["AI SDK", aiSdkMessages],
    ["Turnfold", ownMessages],
    ["Turnfold", new turnfold.Conversation({ messages: ownMessages }).toJSON()],
  ];
  it(
    "have their format detected",
    onPage(async (visitor, page) => {
      for (const [name, messages] of shapes) {
        await visitor.write(EDITOR, "");
        await shape(page, "Paste messages of OpenAI");
        await visitor.write(EDITOR, text(messages));
        const count = (messages.messages ?? messages).length + (messages.system === undefined ? 0 : 1);
        await shape(page, new RegExp(`^Detected: ${name} · ${count} messages`));
        await eventually.equal(async () => (await fates(page)).length, count);
        await visitor.sees(/weather \{"city":"Oslo"\}/);
      }
    }),
  );

  it(
    "are read in the chosen format, and an error is marked at its value",
    onPage(async (visitor, page) => {
      await visitor.write(EDITOR, text(openaiMessages));
      await shape(page, "Detected: OpenAI");
      await visitor.choose("Anthropic");
      await shape(page, "Read as: Anthropic, but a message can’t be read.");
      await visitor.sees(/^Line \d+, column \d+: messages\[2\]\.content must be a text or a list of blocks, got null/);
      await eventually.equal(() => words(page.locator(".code-problem")), "null");
      await visitor.choose("Turnfold");
      await visitor.sees(/is of another shape of messages .*openai\.from/);
      await visitor.choose("Detect");
      await shape(page, "Detected: OpenAI · 6 messages");
      await eventually.equal(() => page.locator(".code-problem").count(), 0);
    }),
  );

  const broken = [
    ['[{"role": "user", "content": "Hi"}', "[", /The text ends before this list does/],
    ['[{"role": "user", "content": "Hi",}]', "}", /Remove the comma before this/],
    ["[{'role': 'user'}]", "'", /A name in double quotes is expected/],
    ['[{"role": "user", "content": Hi}]', "Hi", /This is not a JSON value/],
    ['[{"role": "user" "content": "Hi"}]', '"', /A comma or } is expected/],
    ['[{"role": "user", "content": "Hi}]', '"', /This string has no end/],
    ['[{"role": "user"}] and more', "a", /remove the rest/],
    ['[{"role": 1, "content": "Hi"}]', "1", /role must be a text/],
    ['[{"role": "user", "content": "Hi"}, 3]', "3", /must be a message/],
    ['[{"role": "tool", "tool_call_id": 7, "content": ""}]', "7", /tool_call_id must be/],
    ['{"messages": [{"role": "user", "content": [{"type": "text", "text": 5}]}]}', "5", /text must be a text/],
    ["5", "5", /must be a list of messages/],
  ];
  it(
    "have errors of JSON or of a message marked at their position",
    onPage(async (visitor, page) => {
      await visitor.write(EDITOR, text(talk(3)));
      await shape(page, "4 messages");
      for (const [messages, marked, said] of broken) {
        await visitor.write(EDITOR, messages);
        await page.locator("#chat-messages-problem", { hasText: said }).waitFor();
        await eventually.equal(() => page.locator(".code-problem").first().innerText(), marked, messages);
        await eventually.match(() => words(page.locator("#chat-messages-problem")), /^Line 1, column \d+: /);
      }
      await eventually.equal(
        () => page.locator(`.cm-content[aria-label="${EDITOR}"]`).getAttribute("aria-invalid"),
        "true",
      );
      // The list shows the last valid messages.
      await eventually.equal(async () => (await fates(page)).length, 4);
      await visitor.sees("These are the last messages that could be read.");
      await visitor.write(EDITOR, text(talk(2)));
      await shape(page, "3 messages");
      await eventually.equal(() => page.getByText("These are the last messages").count(), 0);
    }),
  );

  it(
    "may be empty",
    onPage(async (visitor, page) => {
      await visitor.write(EDITOR, "  ");
      await visitor.sees("There are no messages yet: paste some, or open an example.");
      await eventually.equal(() => page.locator(".chat-message, .chat-result, .request").count(), 0);
      await visitor.write(EDITOR, "[]");
      await shape(page, "0 messages");
      await visitor.sees("There are no messages yet: paste some, or open an example.");
      await eventually.equal(() => page.locator(".chat-message").count(), 0);
      await visitor.press("Torn history");
      await shape(page, "14 messages");
    }),
  );

  /** One question and twelve rounds of calls, as the AI SDK has them. */
  const call = (index) => ({ toolCallId: `call_${index}`, toolName: "run" });
  const said = { type: "text", value: "214 modules checked, and none has an error. ".repeat(9) };
  const toolLoop = {
    messages: text([
      { role: "system", content: "You keep the build green." },
      { role: "user", content: "Run the tests until they pass." },
      ...Array.from({ length: 12 }, (_, index) => [
        { role: "assistant", content: [{ type: "tool-call", ...call(index), input: { command: "npm test" } }] },
        { role: "tool", content: [{ type: "tool-result", ...call(index), output: said }] },
      ]).flat(),
    ]),
    strategy: "clearToolResults",
    options: { keep: "3", minMessages: "0" },
  };

  it("of a running exchange keep the question and the last round, and their earlier rounds are managed", () =>
    onChat(toolLoop)(async (visitor, page) => {
      await shape(page, /^Detected: AI SDK · 26 messages · about [\d,]+ tokens$/);
      await plan(page, /^Ready without a model: \d+ cleared/);
      await card(page, 2).getByText("kept · waits for an answer").waitFor();
      await eventually.match(() => words(card(page, 4)), /cleared run returned/);
      await card(page, 26).getByText("kept · waits for an answer").waitFor();
      await visitor.toggleGroup("Limits");
      await visitor.field("Tokens sent").fill("400");
      await plan(page, /dropped/);
      await eventually.match(() => words(card(page, 3)), /dropped · by the limit “Tokens sent”/);
      await card(page, 2).getByText("kept · waits for an answer").waitFor();
    }));

  it("show unpaired calls and results at their messages", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.press("Torn history");
      await shape(page, /^Detected: OpenAI · 14 messages · about \d+ tokens · 6 problems$/);
      const told = {
        2: "It answers call_a1, which was never called.",
        4: "It has a call without a result, and the conversation goes on.",
        7: "It has no content.",
        10: "It answers the call call_c1 again.",
        11: "It answers call_d1 before the call.",
      };
      for (const [number, said] of Object.entries(told))
        await eventually.equal(() => words(card(page, number).locator(".chat-problem")), said);
      await eventually.equal(() => card(page, 3).locator(".chat-problem").count(), 0);
      await visitor.press("Undo");
      await shape(page, "60 messages");
    }));

  const withParts = [
    {
      role: "user",
      content: [
        { type: "text", text: "Look:" },
        { type: "image_url", image_url: { url: "https://example.org/a.png" } },
        { type: "input_audio", input_audio: { data: "AAAA", format: "wav" } },
      ],
    },
    { role: "assistant", content: null, refusal: "No." },
  ];
  it(
    "may have images, files and refusals",
    onPage(async (visitor, page) => {
      await visitor.write(EDITOR, text(withParts));
      await shape(page, "Detected: OpenAI");
      await eventually.match(() => words(card(page, 1)), /Look: \(image\) \(file\)/);
      await visitor.press("Copy the result as Anthropic");
      await visitor.sees(/^Not as Anthropic: messages\[0\]\.content\[2\] is /);
    }),
  );
});

describe("pins", () => {
  it("are added to and removed from the text in any format", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      const toggle = (number) => visitor.press(`Pin message ${number}`);
      for (const messages of [text(openaiMessages), JSON.stringify(openaiMessages), text(anthropicMessages)]) {
        await visitor.write(EDITOR, messages);
        await shape(page, "messages");
        await toggle(2);
        await card(page, 2).getByText("kept · pinned").waitFor();
        await eventually.match(
          () => page.evaluate(() => document.querySelector(".cm-content").innerText),
          /"pinned": true/,
        );
        await eventually.equal(
          () => page.getByRole("button", { name: "Pin message 2" }).getAttribute("aria-pressed"),
          "true",
        );
        await toggle(2);
        await card(page, 2).getByText("kept · pinned").waitFor({ state: "detached" });
        await eventually.equal(() => page.evaluate(() => document.querySelector(".cm-content").innerText), messages);
      }
      await eventually.equal(() => page.getByRole("button", { name: "Pin message 1", exact: true }).count(), 0);
    }));

  it("change the plan", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.press("Pin message 5");
      await plan(page, /37 summarised \(messages 2–4, 8, 10–/);
      await eventually.match(() => words(card(page, 6)), /kept · pinned/);
      await visitor.press("Pin message 9");
      await plan(page, /38 summarised \(messages 2–4, 8–/);
    }));
});

describe("the Chat tab", () => {
  it("is restored from a link with all settings", async () => {
    let fragment;
    const chosen = async (page) => ({
      sentence: await sentence(page),
      result: await resultLine(page),
      fates: await fates(page),
      radios: await page.locator(".chat input:checked").evaluateAll((all) => all.map(({ value }) => value)),
    });
    let shown;
    await visit({ fragment: CHAT }, async (visitor, page) => {
      // Long enough for an unwanted write of the page.
      await page.waitForTimeout(1000);
      assert.equal(new URL(page.url()).hash, CHAT);
      await visitor.write(EDITOR, text(openaiMessages));
      await visitor.choose("OpenAI");
      await visitor.choose("chunked");
      await visitor.field("Group size").fill("3");
      await visitor.toggleGroup("Limits");
      await visitor.field("Fewest messages").fill("2");
      await visitor.field("Always kept").fill("0");
      await visitor.choose("You");
      await visitor.field("Summary for request 1").fill("Weather.");
      await inResult(page).filter({ hasText: "Weather." }).waitFor();
      shown = await chosen(page);
      fragment = await visitor.linkOnce(({ chat }) => JSON.stringify(chat).includes("Weather."));
      assert.match(fragment, /^#v1=[\w-]+&tab=chat$/);
    });
    await visit({ fragment }, async (visitor, page) => {
      await plan(page, /./);
      await visitor.toggleGroup("Limits");
      await eventually.deepEqual(() => chosen(page), shown);
      await eventually.equal(() => visitor.field("Summary for request 1").inputValue(), "Weather.");
      await eventually.equal(() => visitor.field("Always kept").inputValue(), "0");
      await visitor.showTab("Turns");
      await visitor.sees(/^Check November’s invoices/);
    });
  });

  it("shows its first example for a link without a chat", async () =>
    visit({ fragment: await linkTo({ mission: "Count" }, "chat") }, async (visitor, page) => {
      await shape(page, "254 messages");
      await visitor.showTab("Turns");
      await eventually.equal(() => visitor.field("Mission").inputValue(), "Count");
    }));

  it("works by keyboard alone", () =>
    visit({ fragment: CHAT }, async (visitor, page) => {
      await visitor.tabTo("Torn history");
      await page.keyboard.press("Enter");
      await shape(page, "14 messages");
      await visitor.tabTo(EDITOR);
      await page.waitForSelector(`.cm-content[aria-label="${EDITOR}"]:focus`);
      await visitor.tabTo("Detect");
      await visitor.tabTo("Pin message 3");
      await page.keyboard.press("Space");
      await card(page, 3).getByText("kept · pinned").waitFor();
      await eventually.equal(() => visitor.focused(), "Pin message 3");
      await visitor.tabTo("Strategy");
      await page.keyboard.press("ArrowDown");
      await plan(page, /by|1 request for summaries: 12 summarised|summarised/);
      await eventually.equal(() => visitor.strategy(), "wholeHistory");
      await visitor.tabTo("Limitsnone");
      await page.keyboard.press("Enter");
      await visitor.tabTo("Messages sent");
      await page.keyboard.type("6");
      await visitor.tabTo("Scripted");
      await page.keyboard.press("ArrowRight");
      await visitor.tabTo("Summary for request 1");
      await page.keyboard.type("It was mended.");
      await inResult(page).filter({ hasText: "It was mended." }).waitFor();
      await visitor.tabTo("Use as input");
      await page.keyboard.press("Enter");
      await shape(page, "Detected: Turnfold");
      await visitor.focusOn(EDITOR);
    }));

  it("fits 360 px and 1280 px and has no axe violations", async () =>
    visit({ fragment: await chatLink(shortChat), width: 360 }, async (visitor, page) => {
      await shape(page, "16 messages");
      await visitor.fits(1280, 360);
      await visitor.press("Plan");
      await visitor.choose("retrieveFacts");
      for (const group of await page.locator(".group-toggle").all()) await group.click();
      await visitor.choose("You");
      await page.locator(".request summary").first().click();
      await visitor.fits(1280, 360);
      await visitor.choose("Endpoint");
      await visitor.press("Ask the endpoint");
      await visitor.fits(1280, 360);
      await visitor.choose("Scripted");
      await visitor.choose("clearToolResults");
      await visitor.field("Messages sent").fill("20");
      await visitor.fits(1280, 360);
      await visitor.field("Messages sent").fill("1");
      await visitor.sees("There is no plan.");
      await visitor.press("Conversation");
      await visitor.press("Torn history");
      await visitor.fits(1280, 360);
      await visitor.write(EDITOR, "[{]");
      await page.locator(".code-problem").waitFor();
      await visitor.fits(1280, 360);
    }));

  it("typing into an option does little work with a thousand messages", async (context) =>
    visit(
      { fragment: await chatLink({ messages: text(talk(1000)), strategy: "chunked" }), clock: true },
      async (visitor, page) => {
        await plan(page, /^100 requests for summaries/);
        await page.locator(".cm-content").first().waitFor();
        await stopClock(page);
        const work = await mostForAKey(page, ["11", "12", "13", "14"], (size) =>
          visitor.field("Group size").fill(size),
        );
        assertWork(context, work, { calls: 280_000, nodes: 1700 });
        await page.clock.resume();
        await plan(page, /^72 requests/);
        await eventually.equal(() => visitor.field("Group size").inputValue(), "14");
      },
    ));
});
