// readRecording and auditRecording: recordings that arrive in pieces give what they give as a whole, in bounded memory.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { audit, auditRecording, readConversation, readRecording } from "turnfold/audit";
import { refuses } from "./refuses.mjs";

async function* piecesOf(content, size) {
  for (let at = 0; at < content.length; at += size) yield content.slice(at, at + size);
}

async function readAll(pieces) {
  const recording = readRecording(pieces);
  const chats = [];
  for await (const chat of recording.chats) chats.push(chat);
  return { format: recording.format, chats, warnings: recording.warnings };
}

const folder = new URL("recordings/", import.meta.url);
const files = readdirSync(folder).filter((name) => !name.endsWith(".mjs"));

test("every recording is the same in pieces, also when a piece ends within a character", async () => {
  for (const file of files) {
    const bytes = readFileSync(new URL(file, folder));
    const text = bytes.toString();
    const { format, chats, warnings } = readConversation(text);
    for (const pieces of [piecesOf(bytes, 7), piecesOf(bytes, 1 << 16), piecesOf(text, 100)]) {
      assert.deepEqual(await readAll(pieces), { format, chats, warnings }, file);
    }
  }
});

const line = (type, message, more = {}) => JSON.stringify({ type, sessionId: "s", message, ...more });
const asked = (content) => line("user", { role: "user", content });
const replied = (id, text) => line("assistant", { role: "assistant", id, content: [{ type: "text", text }] });
const boundary = JSON.stringify({ type: "system", subtype: "compact_boundary", sessionId: "s" });

/** Options with the fewest strategies. */
const FAST = { strategies: {} };

test("the audit of a recording in pieces is that of the whole one", async () => {
  for (const file of files.filter((name) => /^(?:claude-code|codex|chatgpt|har)/.test(name))) {
    const text = readFileSync(new URL(file, folder), "utf8");
    const recording = readConversation(text);
    const open = () => readRecording(piecesOf(text, 1 << 12));
    assert.deepEqual(await auditRecording(open, FAST), audit(recording, FAST), file);
  }
});

test("a recording that is another one when it is read again is refused", async () => {
  const whole = [asked("1"), replied("m1", "one"), boundary, asked("2"), replied("m2", "two")].join("\n");
  const shorter = [asked("1"), replied("m1", "one")].join("\n");
  for (const contents of [
    [whole, shorter],
    [shorter, whole],
  ]) {
    const open = () => readRecording(piecesOf(contents.shift(), 100));
    await assert.rejects(auditRecording(open), { code: "invalid_recording", message: /changed while it was audited/ });
  }
});

test("a chat is read as soon as it is complete, before the rest arrives", async () => {
  const arrived = [];
  async function* pieces() {
    for (const one of [asked("1"), replied("m1", "one"), boundary, asked("2"), replied("m2", "two")]) {
      arrived.push(one);
      yield `${one}\n`;
    }
  }
  const recording = readRecording(pieces());
  const seen = [];
  for await (const { kind } of recording.chats) seen.push([kind, arrived.length, recording.format]);
  assert.deepEqual(seen, [
    ["chat", 3, "claude-code"],
    ["compacted", 5, "claude-code"],
  ]);
});

test("lines that are no JSON are named, wherever they stand", async () => {
  const lines = ["{broken", asked("1"), "x", replied("m1", "one"), '{"type":"assis'];
  const { warnings, chats } = await readAll(piecesOf(lines.join("\r\n"), 9));
  assert.deepEqual(warnings, ["3 lines are no JSON, and were skipped: 1, 3, 5"]);
  assert.equal(chats[0].requests.length, 1);
});

test("what can't be read is refused as by readConversation", async () => {
  for (const content of ["", "not json", '{"a":1}\n{"b":2}', boundary, `${asked(null)}\n`]) {
    const { code, message } = refuses(() => readConversation(content), "invalid_recording");
    await assert.rejects(readAll(piecesOf(content, 10)), { code, message });
  }
});

test("a long session needs the memory of its longest chat", () => {
  const program = `
    import { readRecording } from "turnfold/audit";
    const text = "The order is in Leipzig. ".repeat(400);
    async function* pieces() {
      for (let reply = 0; reply < 4000; reply++) {
        yield JSON.stringify({ type: "assistant", sessionId: "s", message: { role: "assistant", id: "m" + reply, content: [{ type: "text", text }] } }) + "\\n";
        yield JSON.stringify({ type: "progress", sessionId: "s", data: { text } }) + "\\n";
        if (reply % 100 === 99) yield ${JSON.stringify(`${boundary}\n`)};
      }
    }
    let requests = 0;
    for await (const chat of readRecording(pieces()).chats) requests += chat.requests.length;
    console.log(requests);
  `;
  const options = ["--max-old-space-size=24", "--input-type=module", "--eval", program];
  const output = execFileSync(process.execPath, options, { encoding: "utf8", cwd: new URL("../..", import.meta.url) });
  assert.equal(Number(output), 4000);
});

test("an audit holds one of the chats that it is given", async () => {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc");
  const given = [];
  async function* chats() {
    for (let number = 0; number < 5; number++) {
      const [chat] = readConversation([asked(`Order ${number}?`), replied(`m${number}`, "Yes.")].join("\n")).chats;
      given.push(new WeakRef(chat.conversation), new WeakRef(chat.conversation.messages[0]));
      yield { ...chat, kind: number === 0 ? "chat" : "compacted" };
      await new Promise((over) => setImmediate(over));
    }
    gc();
  }
  await auditRecording(() => ({ format: "claude-code", chats: chats() }), FAST);
  assert.equal(given.length, 20);
  const held = given.filter((each) => each.deref() !== undefined).length;
  assert.ok(held <= 4, `${held} of 20`);
});
