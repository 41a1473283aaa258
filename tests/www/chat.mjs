// Actions and elements of the Chat tab for journeys.

import { linkTo } from "./link.mjs";
import { visit, wordsOf } from "./visit.mjs";

/** The example of a support chat with 60 messages, which is open on the Chat tab. */
export const CHAT = "#example=support&tab=chat";
export const EDITOR = "Messages as JSON";

export const chatLink = (chat) => linkTo({ chat }, "chat");
export const onChat = (chat) => async (journey) => visit({ fragment: await chatLink(chat) }, journey);

/** Scrolls to an element, because text far from the screen is not rendered, and returns its text. */
export const words = async (locator) => {
  await locator.scrollIntoViewIfNeeded();
  await locator.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn))));
  return wordsOf(locator);
};
export const sentence = (page) => words(page.locator(".chat-plan .plan-sentence"));
export const plan = (page, text) => page.locator(".chat-plan .plan-sentence", { hasText: text }).waitFor();
export const resultLine = (page) => words(page.locator(".chat-result > [role=status]"));
export const shape = (page, text) => page.locator(".chat-shape", { hasText: text }).waitFor();
export const card = (page, number) => page.locator(`#chat-message-${number}`);
export const fates = (page) =>
  page
    .getByRole("list", { name: "Messages", exact: true })
    .locator(".chat-message")
    .evaluateAll((cards) => cards.map(({ dataset }) => dataset.fate));
export const inResult = (page) => page.getByRole("list", { name: "Messages of the result" }).locator(".chat-message");
export const copied = async (visitor, page, name) => {
  const text = await visitor.copies(() => visitor.press(name));
  await page.getByRole("button", { name, exact: true }).getByText("Copied").waitFor();
  return JSON.parse(text);
};

export const text = (json) => JSON.stringify(json, null, 2);

/** A history with a system message, `count` messages of question and answer, and nothing else. */
export const talk = (count) => [
  { role: "system", content: "You help." },
  ...Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: `Message ${index + 1}: ${"something that takes a few tokens, said at some length. ".repeat(3)}`,
  })),
];

/** A short chat with messages of each kind, because axe takes a second longer for the sixty messages of the example. */
export const shortChat = {
  messages: text([
    { role: "system", content: "You help the customers of a shop.", timestamp: "2026-03-02T09:58:00Z" },
    ...["F-20418", "F-20419", "F-20420"].flatMap((order, index) => [
      {
        role: "user",
        content: `Where is my order ${order}?`,
        pinned: index === 0,
        timestamp: `2026-03-02T10:0${index}:00Z`,
      },
      {
        role: "assistant",
        content: index === 0 ? "" : "Let me look it up.",
        toolCalls: ["track", "get_order"].map((name) => ({ id: `${name}${index}`, name, args: { order } })),
      },
      ...["track", "get_order"].map((toolName) => ({
        role: "tool",
        toolCallId: `${toolName}${index}`,
        toolName,
        content: text({ order, at: "the post office" }),
      })),
      { role: "assistant", content: `Order ${order} waits for you at the post office, until the end of the week.` },
    ]),
  ]),
  strategy: "lastNMessages",
  options: { n: "4" },
  concepts: [
    { name: "order", description: "what was ordered, and where it is" },
    { name: "customer", description: "" },
  ],
};
