// Recordings of real tools: each fixture gives its chats, messages, requests and usage, and a damaged one never nothing.

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { readConversation } from "turnfold/audit";
import { aiSdk } from "turnfold/formats/ai-sdk";
import { refuses } from "./refuses.mjs";

const folder = new URL("recordings/", import.meta.url);
const tables = readdirSync(folder).filter((name) => name.endsWith(".mjs"));
const fixtures = (await Promise.all(tables.map((name) => import(new URL(name, folder).href)))).flatMap(
  ({ fixtures }) => fixtures,
);
const textOf = ({ file }) => readFileSync(new URL(file, folder), "utf8");

/** A line for each part of a message: `user: …`, `thought: …`, `assistant: …`, `call NAME {…}`, `result NAME: …`. */
function linesOf({ role, content }) {
  if (typeof content === "string") return [`${role}: ${content}`];
  return content.map((part) => {
    switch (part.type) {
      case "text":
        return `${role}: ${part.text}`;
      case "reasoning":
        return `thought: ${part.text}`;
      case "tool-call":
        return `call ${part.toolName} ${JSON.stringify(part.input)}`;
      case "tool-result":
        return `result ${part.toolName}: ${typeof part.output.value === "string" ? part.output.value : JSON.stringify(part.output.value)}`;
      default:
        return `${role} ${part.type}`;
    }
  });
}

/** A request as `MESSAGES MODEL TIME fresh N read N written N output N … omitted N`, without what is unknown or zero. */
function lineOf({ messages, id, model, at, usage, omitted = 0 }) {
  const counts = Object.entries({ ...usage, omitted }).flatMap(([name, count]) => (count === 0 ? [] : [name, count]));
  const time = at === undefined ? [] : [new Date(at).toISOString().slice(11, 19)];
  return [messages, id, model, ...time, ...counts].filter((one) => one !== undefined).join(" ");
}

const summaryOf = ({ format, chats, warnings }) => ({
  format,
  chats: chats.map(({ kind, title, conversation, requests }) => ({
    kind,
    ...(title === undefined ? {} : { title }),
    messages: aiSdk.to(conversation).flatMap(linesOf),
    requests: requests.map(lineOf),
  })),
  warnings,
});

for (const { file, format, chats, warnings = [] } of fixtures) {
  test(`${file}: format, chats, messages and requests`, () => {
    const recording = readConversation(textOf({ file }));
    assert.deepEqual(summaryOf(recording), { format, chats, warnings });
    assert.equal(recording.conversation, recording.chats[0].conversation);
  });

  test(`${file}: half of it gives what is left with a warning, or an error that says what was found`, () => {
    const text = textOf({ file });
    const half = text.slice(0, Math.floor(text.length / 2));
    if (!/\.jsonl$/.test(file)) return readsOrRefuses(half);
    const recording = readConversation(half);
    assert.equal(recording.format, format);
    assert.match(recording.warnings.join(), /no JSON/);
    assert.ok(recording.chats.some(({ conversation }) => conversation.messages.length > 0));
  });

  if (/\.jsonl$/.test(file)) {
    test(`${file}: a broken record is skipped, and named`, () => {
      const lines = textOf({ file }).trimEnd().split("\n");
      const at = Math.floor(lines.length / 2);
      lines[at] = `${lines[at].slice(0, 20)}\u0000`;
      const recording = readConversation(lines.join("\n"));
      assert.equal(recording.format, format);
      assert.ok(recording.warnings.includes(`line ${at + 1} is no JSON, and was skipped`), recording.warnings.join());
    });
  }
}

function readsOrRefuses(text) {
  let recording;
  try {
    recording = readConversation(text);
  } catch {
    const { message } = refuses(() => readConversation(text), "invalid_recording");
    assert.match(message, /^the recording /);
    return;
  }
  assert.ok(recording.chats.every(({ conversation }) => conversation.messages.length > 0));
  if (/^\s*[[{]/.test(text)) assert.equal(recording.warnings[0], "the JSON is cut off, and what was whole was read");
}

test("JSON that is cut off gives the messages that are whole; without one, it is refused", () => {
  const messages = [
    { role: "user", content: 'A \\ and a " in [brackets, {' },
    { role: "assistant", content: "Yes." },
    { role: "user", content: "And?" },
  ];
  const contents = (json) => readConversation(json).conversation.messages.map(({ content }) => content);
  for (const given of [messages, { model: "gpt-5.1", messages }, [{ messages }]]) {
    const json = JSON.stringify(given);
    const [first, second, third] = messages.map(({ content }) => json.indexOf(JSON.stringify(content)) + 3);
    assert.deepEqual(contents(json.slice(0, third)), [messages[0].content, "Yes."]);
    assert.deepEqual(contents(json.slice(0, second)), [messages[0].content]);
    assert.match(
      refuses(() => contents(json.slice(0, first)), "invalid_recording").message,
      /its JSON is broken or cut off$/,
    );
  }
  assert.match(refuses(() => contents('[{"role":"user"}}, 1'), "invalid_recording").message, /broken or cut off$/);
});

test("every fixture stands in a table, once", () => {
  const files = readdirSync(folder).filter((name) => !name.endsWith(".mjs"));
  assert.deepEqual(fixtures.map(({ file }) => file).sort(), files.sort());
});
