// Sessions of Codex that continue the file of another one, and what follows a compaction by the provider.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { readConversation } from "turnfold/audit";
import { openSession } from "../../js/cli/read-file.mjs";

const folder = mkdtempSync(join(tmpdir(), "codex-files-"));
after(() => rmSync(folder, { recursive: true }));

const message = (role, text) => ({ type: "message", role, content: [{ type: "input_text", text }] });
const usage = { input_tokens: 100, cached_input_tokens: 0, output_tokens: 5, total_tokens: 105 };
const meta = (id, more) => ["session_meta", { id, timestamp: "2026-11-01T10:00:00.000Z", ...more }];
const asked = (text) => ["response_item", message("user", text)];
const said = (text, id) => [
  ["response_item", message("assistant", text)],
  ["token_usage_record", { thread_id: "x", response_id: id, usage }],
];

/** Lines whose ordinals begin with `from`. */
const text = (lines, from = 0) =>
  lines
    .map(([type, payload], index) =>
      JSON.stringify({ timestamp: "2026-11-01T10:00:00.000Z", ordinal: from + index, type, payload }),
    )
    .join("\n");

function write(path, content) {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${content}\n`);
  return file;
}

const base = (thread_id, lines) => {
  const before = `${text(lines)}\n`;
  return { thread_id, end_ordinal_exclusive: lines.length, end_byte_offset: Buffer.byteLength(before) };
};

const textsOf = ({ chats }) =>
  chats.map(({ conversation, requests }) => ({
    texts: conversation.messages.map(({ content }) => (typeof content === "string" ? content : content[0].text)),
    requests: requests.map(({ id, messages }) => `${messages} ${id}`),
  }));

test("a session that continues other files has their histories, and only its own requests", async () => {
  const first = [
    meta("a"),
    asked("Tea?"),
    ...said("Four – 4.", "resp_1"),
    asked("Coffee?"),
    ...said("Five.", "resp_2"),
  ];
  write("sessions/2026/10/31/rollout-2026-10-31T10-00-00-a.jsonl", text(first));
  const second = [meta("a", { history_base: base("a", first.slice(0, 4)) }), asked("Milk?"), ...said("One.", "resp_3")];
  write("sessions/2026/11/01/rollout-2026-11-01T10-00-00-a_b.jsonl", text(second, 4));
  const start = Buffer.byteLength(`${text(second.slice(0, 2), 4)}\n`);
  const history_base = { thread_id: "b", end_ordinal_exclusive: 6, end_byte_offset: start };
  const third = [meta("c", { forked_from_id: "a", history_base }), ...said("Two.", "resp_4")];
  const path = write("sessions/2026/11/01/rollout-2026-11-01T11-00-00-c.jsonl", text(third, 6));
  const open = await openSession(path);
  assert.deepEqual(textsOf(open()), [{ texts: ["Tea?", "Four – 4.", "Milk?", "Two."], requests: ["3 resp_4"] }]);
});

test("a session without the file that it continues has its own messages", async () => {
  const history_base = { thread_id: "gone", end_ordinal_exclusive: 9, end_byte_offset: 900 };
  const path = write(
    "copies/rollout-1.jsonl",
    text([meta("d", { history_base }), asked("Tea?"), ...said("4.", "r")], 9),
  );
  const open = await openSession(path);
  assert.deepEqual(textsOf(open()), [{ texts: ["Tea?", "4."], requests: ["1 r"] }]);
});

test("the request for a compaction by the provider is one of the part that it ends", () => {
  const compaction = { type: "compaction", id: "cmp_1", encrypted_content: "secret" };
  const lines = [
    ...[meta("e"), asked("Tea?"), ...said("Four.", "resp_1")],
    ["token_usage_record", { thread_id: "e", response_id: "resp_2", usage }],
    ["compacted", { message: "", replacement_history: [message("user", "Tea?"), compaction] }],
    ...[asked("Coffee?"), ...said("Five.", "resp_3")],
  ];
  const requests = readConversation(text(lines)).chats.map((chat) => chat.requests);
  const ids = requests.map((own) => own.map(({ id, messages }) => `${messages} ${id}`));
  assert.deepEqual(ids, [["1 resp_1", "2 resp_2"], ["3 resp_3"]]);
  assert.equal(requests[0][1].usage.fresh, 100);
});
