// The pieces in which a message of a chat is shown, and the part of each that is the message's own text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { piecesOf, writtenOf } = await load("chat-parts", "chat/parts.ts");

const shown = (message) => piecesOf(message).map((piece) => [piece.text, writtenOf(piece)]);

test("reasoning is shown with a heading of the page before its own text", () => {
  const content = [
    { type: "reasoning", text: "Hard" },
    { type: "text", text: "Easy" },
  ];
  assert.deepEqual(shown({ role: "assistant", content }), [
    ["thinks: Hard", "Hard"],
    ["Easy", "Easy"],
  ]);
});

test("a part without text has no own text", () => {
  assert.deepEqual(shown({ role: "user", content: [{ type: "image", image: "x" }] }), [["(image)", ""]]);
});

test("the own text of calls and results is without their headings", () => {
  const toolCalls = [{ id: "c1", name: "search", args: { limit: 2 } }];
  assert.deepEqual(shown({ role: "assistant", content: "", toolCalls }), [['{"limit":2}', '{"limit":2}']]);
  assert.deepEqual(shown({ role: "tool", toolCallId: "c1", content: "two" }), [["two", "two"]]);
});
