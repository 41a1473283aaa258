// Reads recordings from files: large ones in pieces, so that neither their text nor all of their chats are in memory.

import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { readConversation, readRecording } from "turnfold/audit";

const LARGE = 16 * 1024 * 1024;

/** Returns a function that opens a recording, each time with the same content: what is appended in the meantime is left. */
export async function openSession(path) {
  const { size } = await stat(path);
  if (size >= LARGE) return () => readRecording(piecesOf(path, size));
  const pieces = [];
  for await (const piece of piecesOf(path, size)) pieces.push(piece);
  const recording = readConversation(Buffer.concat(pieces).toString());
  return () => recording;
}

/** The hash of a file. */
export async function hashOf(path) {
  const hash = createHash("sha256");
  for await (const piece of piecesOf(path)) hash.update(piece);
  return hash.digest("base64");
}

/** The first bytes of a file, in which those that it continues follow its first line. */
async function* piecesOf(path, size = Number.POSITIVE_INFINITY) {
  const first = /^rollout-.*\.jsonl$/.test(basename(path)) ? await firstLine(path) : null;
  if (first !== null) {
    yield first;
    yield* continuedBy(path, first);
  }
  yield* bytesOf(path, first?.length ?? 0, size);
}

/** A forked or rewound session of Codex has what it adds to the beginning of another file, which it does not repeat. */
async function* continuedBy(path, first, seen = new Set([path])) {
  const { thread_id: id, end_byte_offset: end } = JSON.parse(first).payload.history_base;
  const other = await fileOf(String(id), path);
  if (other === undefined || seen.has(other) || !(end > 0)) return;
  const own = await firstLine(other);
  if (own !== null) yield* continuedBy(other, own, seen.add(other));
  yield* bytesOf(other, own?.length ?? 0, end);
}

/** The bytes of a file from `start` to before `end`; none where it has none there. */
function bytesOf(path, start, end) {
  return start < end ? createReadStream(path, { start, end: end - 1 }) : [];
}

/** The first line of a file that continues another one, with its end; null for other files. */
async function firstLine(path) {
  let bytes = Buffer.alloc(0);
  for await (const piece of createReadStream(path)) {
    bytes = Buffer.concat([bytes, piece]);
    const end = bytes.indexOf("\n") + 1;
    if (end > 0) return bytes.includes('"history_base":{') ? bytes.subarray(0, end) : null;
    if (bytes.length > LARGE) break;
  }
  return null;
}

/** The file of a session of Codex, in the folders with the one that continues it. */
async function fileOf(id, path) {
  const [home] = path.split(/[\\/](?:archived_)?sessions[\\/]/);
  for (const folder of [dirname(path), join(home, "sessions"), join(home, "archived_sessions")]) {
    const names = await readdir(folder, { recursive: true }).catch(() => []);
    const name = names.find((one) => one.endsWith(`-${id}.jsonl`) || one.endsWith(`_${id}.jsonl`));
    if (name !== undefined) return join(folder, name);
  }
}
