// node playwright.mjs ORIGIN CHROMIUM: a page has the chat, and Playwright records it in chat.har.

import { chromium } from "playwright-core";

const [origin, executablePath] = process.argv.slice(2);
const browser = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-background-networking"] });
const context = await browser.newContext({ recordHar: { path: "chat.har" } });
const page = await context.newPage();
await page.goto(`${origin}/page`);
const { system, tool, questions, lookup } = await import("./orders.mjs");
const messages = [];
for (const question of questions) {
  messages.push({ role: "user", content: question });
  for (;;) {
    const body = {
      model: "claude-sonnet-4-5",
      max_tokens: 500,
      stream: true,
      system,
      messages,
      tools: [{ name: tool.name, description: tool.description, input_schema: tool.parameters }],
    };
    const stream = await page.evaluate(async (json) => {
      const response = await fetch("/v1/messages", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: json,
      });
      return response.text();
    }, JSON.stringify(body));
    const blocks = [];
    for (const line of stream.split("\n")) {
      if (!line.startsWith("data: ")) continue;
      const { type, index, content_block: block, delta } = JSON.parse(line.slice(6));
      if (type === "content_block_start") blocks[index] = { ...block, json: "" };
      if (type !== "content_block_delta") continue;
      blocks[index].text += delta.text ?? "";
      blocks[index].json += delta.partial_json ?? "";
    }
    const content = blocks.flatMap(({ type, text, id, name, json }) => {
      if (type === "text") return [{ type, text }];
      return type === "tool_use" ? [{ type, id, name, input: JSON.parse(json) }] : [];
    });
    messages.push({ role: "assistant", content });
    const calls = content.filter(({ type }) => type === "tool_use");
    if (calls.length === 0) break;
    messages.push({
      role: "user",
      content: calls.map(({ id, input }) => ({ type: "tool_result", tool_use_id: id, content: lookup(input) })),
    });
  }
}
await context.close();
await browser.close();
