// aiSdk.from reads UIMessage of the AI SDK as its own convertToModelMessages does.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import * as version6 from "ai";
import * as version7 from "ai-7";
import { detectFormat, readConversation } from "../../dist/audit.js";
import { lastNMessages, manageHistory } from "../../dist/chat.js";
import { aiSdk } from "../../dist/entries/formats/ai-sdk.js";
import { randomUIMessages } from "../js/random-ui-messages.mjs";

/** Plain data of messages for models: without members of the value undefined, and URLs as texts, as version 6 has them. */
const plain = (messages) =>
  JSON.parse(
    JSON.stringify(messages, (name, value) => {
      if (name === "original") return undefined;
      return value?.type === "url" && value.url !== undefined ? String(value.url) : value;
    }),
  );

/** Messages of a conversation without the members that were kept of the UI messages. */
const without = ({ messages }) => messages.map(({ id, metadata, timestamp, ...message }) => message);

const isTool = ({ type }) => type === "dynamic-tool" || type.startsWith("tool-");

/** UI messages of which versions 6 and 7 make the same messages. */
function asBothRead(messages) {
  const last = messages.findLastIndex(({ role }) => role === "user");
  return messages.map((message, index) => ({
    ...message,
    parts: message.parts.filter((part) => {
      // Version 7 omits calls that still wait for an approval when the user says something else.
      if (isTool(part) && part.state === "approval-requested") return index >= last;
      // Version 7 adds the result that says that the call was denied.
      return !(isTool(part) && part.state === "approval-responded" && part.approval.approved === false);
    }),
  }));
}

suite("aiSdk.from", () => {
  test("UI messages become the messages that convertToModelMessages of AI SDK 7 makes of them", async () => {
    const states = new Set();
    for (let seed = 1; seed <= 1500; seed++) {
      const messages = randomUIMessages(seed);
      await version7.validateUIMessages({ messages });
      const expected = plain(await version7.convertToModelMessages(messages));
      assert.deepEqual(plain(without(aiSdk.from(messages))), expected, `seed ${seed}`);
      for (const part of messages.flatMap(({ parts }) => parts)) states.add(part.state ?? part.type);
    }
    assert.ok(states.size >= 17, [...states].join());
  });

  test("UI messages become the messages that convertToModelMessages of AI SDK 6 makes of them", async () => {
    for (let seed = 1; seed <= 1500; seed++) {
      const messages = asBothRead(randomUIMessages(seed, 6));
      const expected = plain(await version6.convertToModelMessages(messages));
      assert.deepEqual(plain(without(aiSdk.from(messages))), expected, `seed ${seed}`);
    }
  });

  test("detectFormat and readConversation recognize UI messages", () => {
    for (let seed = 1; seed <= 100; seed++) {
      const messages = randomUIMessages(seed);
      assert.equal(detectFormat(messages), "ai-sdk");
      const chat = { id: "chat", messages };
      for (const recording of [
        messages,
        chat,
        JSON.stringify(chat),
        messages.map((one) => JSON.stringify(one)).join("\n"),
      ]) {
        const { format, conversation } = readConversation(recording);
        assert.equal(format, "ai-sdk");
        assert.deepEqual(plain(conversation), plain(aiSdk.from(messages)));
      }
    }
  });

  test("managed UI messages are accepted by generateText", async () => {
    const sent = [];
    const model = (spec) => ({
      specificationVersion: spec,
      provider: "scripted",
      modelId: "scripted",
      supportedUrls: { "*/*": [/.*/] },
      doGenerate: async ({ prompt }) => {
        sent.push(prompt);
        const usage = { inputTokens: { total: 1 }, outputTokens: { total: 1 } };
        return { content: [{ type: "text", text: "Yes." }], finishReason: { unified: "stop" }, usage, warnings: [] };
      },
    });
    for (let seed = 1; seed <= 150; seed++) {
      const messages = randomUIMessages(seed);
      const { conversation } = await manageHistory(
        aiSdk.from(messages).append({ role: "user", content: "Well?" }).repair().conversation,
        { compressionStrategy: lastNMessages(4), minMessages: 0 },
        { llm: () => "They talked.", onWarning: () => {} },
      );
      const given = { messages: aiSdk.to(conversation), allowSystemInMessages: true };
      await version7.generateText({ model: model("v4"), ...given });
    }
    assert.equal(sent.length, 150);
  });
});
