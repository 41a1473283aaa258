// Texts of every kind reach the planning of a history unchanged, together and one by one.

import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { Conversation, planHistory, wholeHistory } from "turnfold/chat";

const call = { id: "c\0 1", name: "look\0up", args: { q: "\0" } };

/** Messages, and the line of each in the transcript. */
const MESSAGES = [
  [{ role: "user", content: "plain" }, "user: plain"],
  [{ role: "user", content: "a\0b\0\0" }, "user: a\0b\0\0"],
  [{ role: "us\0er", content: "of a strange speaker" }, "us er: of a strange speaker"],
  [{ role: "user", content: "j" }, "user: j"],
  [{ role: "user", content: "" }, "user:"],
  [{ role: "user", content: "half \ud83d of one" }, "user: half \ufffd of one"],
  [{ role: "user", content: 'quotes " and \\ and\nlines, äöü 😂' }, 'user: quotes " and \\ and\n  lines, äöü 😂'],
  [{ role: "user", content: null }, "user:"],
  [{ role: "user", content: [{ type: "text", text: "a part" }] }, "user: a part"],
  [{ role: "user", name: "Ann", content: "named" }, "user (Ann): named"],
  [{ role: "user", content: "of long ago", timestamp: -1e15 }, "user: of long ago"],
  [{ role: "user", content: "at no time that fits", timestamp: 1e300 }, "user: at no time that fits"],
  [{ role: "assistant", content: "", toolCalls: [call] }, 'assistant: \n  calls look up {"q":"\\u0000"}'],
  [{ role: "tool", toolCallId: call.id, content: "found\0it" }, "tool: the tool gave found\0it"],
  [
    { role: "assistant", content: "", toolCalls: [{ id: "c2", name: "lookup", args: { p: 1 } }] },
    'assistant: \n  calls lookup {"p":1}',
  ],
  [{ role: "tool", toolCallId: "c2", toolName: "reader", content: "12" }, "tool: reader gave 12"],
  [{ role: "assistant", content: "", toolCalls: [] }, "assistant:"],
];

const PARAMETERS = { compressionStrategy: wholeHistory(), keepAtLeast: 0, minMessages: 0 };

function transcriptOf(conversation) {
  const plan = planHistory(conversation, PARAMETERS, { request: { role: "user", content: "and now?" } });
  return plan.requests[0].messages[1].content.split(/\n\n?(?=\[\d+\] )/).slice(1);
}

const expected = MESSAGES.map(([, line], index) => `[${index + 1}] ${line}`);

suite("texts of every kind", () => {
  test("are unchanged in the request for a summary", () => {
    const conversation = new Conversation({ messages: MESSAGES.map(([message]) => message) });
    assert.deepEqual(transcriptOf(conversation), expected);
  });

  test("are the same when they are appended one by one", () => {
    let conversation = new Conversation();
    conversation.lint();
    for (const [message] of MESSAGES) conversation = conversation.append(message);
    assert.deepEqual(transcriptOf(conversation), expected);
  });

  test("have the same counts when they are counted again, also by a host's counter", () => {
    const messages = MESSAGES.map(([message]) => message);
    const counter = { name: "length", method: "exact", count: (text) => text.length };
    for (const given of [undefined, counter]) {
      const parameters = { maxHistorySize: 100, ...(given === undefined ? {} : { counter: given }) };
      const conversation = new Conversation({ messages });
      const counted = planHistory(conversation, parameters).messages;
      assert.deepEqual(planHistory(conversation, parameters).messages, counted);
      assert.deepEqual(planHistory(new Conversation({ messages }), parameters).messages, counted);
    }
  });
});
