// Conversations of providers' messages through the exports of the package, with the fixtures of the converters.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Conversation, lastNMessages, planHistory } from "turnfold/chat";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { anthropic } from "turnfold/formats/anthropic";
import { openai } from "turnfold/formats/openai";
import { accepted } from "./formats-module.mjs";
import { fixtures } from "./message-fixtures.mjs";
import { seeded } from "./random.mjs";
import { conversationOf, randomMessages } from "./random-messages.mjs";

const formats = { openai, anthropic, aiSdk };

for (const [name, format] of Object.entries(formats)) {
  suite(`conversations of ${name}`, () => {
    test("every fixture is converted back unchanged, also after saving", () => {
      for (const [title, messages] of Object.entries(fixtures[name])) {
        const conversation = format.from(messages);
        const saved = Conversation.fromJSON(JSON.parse(JSON.stringify(conversation)));
        assert.equal(JSON.stringify(saved), JSON.stringify(conversation), title);
        const back = format.to(conversation);
        assert.deepEqual(back, accepted[name](messages), title);
      }
    });

    test("random conversations are planned, counted and linted", () => {
      for (let seed = 1; seed <= 100; seed++) {
        const conversation = format.from(randomMessages[name](seeded(seed)));
        const { messages, tokens } = planHistory(conversation, {
          compressionStrategy: lastNMessages(2),
          minMessages: 0,
        });
        assert.equal(messages.length, conversation.messages.length);
        assert.ok(tokens.before > 0);
        conversation.lint();
      }
    });

    test("calls are matched with their results", () => {
      for (let seed = 1; seed <= 100; seed++) {
        const problems = format.from(conversationOf[name](seeded(seed))).lint();
        assert.deepEqual(
          problems.filter(({ kind }) => kind !== "empty_message"),
          [],
        );
      }
    });
  });
}
