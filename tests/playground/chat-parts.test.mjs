// The pieces that a message of a chat is shown in, and what of them is the message's own text.

import assert from "node:assert/strict";
import { test } from "node:test";
import { load } from "./page.mjs";

const { piecesOf, writtenOf } = await load("chat-parts", "chat/parts.ts");

const shown = (message) => piecesOf(message).map((piece) => [piece.text, writtenOf(piece)]);

test("a thought is headed by the page, and its own text is the end of what is shown", () => {
  const content = [
    { type: "reasoning", text: "Hard" },
    { type: "text", text: "Easy" },
  ];
  assert.deepEqual(shown({ role: "assistant", content }), [
    ["thinks: Hard", "Hard"],
    ["Easy", "Easy"],
  ]);
});

test("a part that is no text has no own text", () => {
  assert.deepEqual(shown({ role: "user", content: [{ type: "image", image: "x" }] }), [["(image)", ""]]);
});

test("calls and results are their own text without their heads", () => {
  const toolCalls = [{ id: "c1", name: "search", args: { limit: 2 } }];
  assert.deepEqual(shown({ role: "assistant", content: "", toolCalls }), [['{"limit":2}', '{"limit":2}']]);
  assert.deepEqual(shown({ role: "tool", toolCallId: "c1", content: "two" }), [["two", "two"]]);
});
